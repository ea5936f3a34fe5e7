/* Operators that find, or place, elements by indices. Those below 0 count from the end. */
#include <string.h>

#include "compiler/import/onnx/onnx_importer.h"

/* Indices in int64, counted from the start of an axis of `size`. */
static struct weft_value *from_start(struct onnx_importer *importer, struct weft_value *indices,
                                     int64_t size) {
    indices = onnx_cast(importer, indices, WEFT_I64);
    const uint8_t *data = indices == NULL ? NULL : weft_value_data(indices);
    bool negative = data == NULL;
    for (int64_t i = 0; data != NULL && i < weft_type_elements(&indices->type); i++) {
        negative = negative || weft_element(WEFT_I64, data, i) < 0;
    }
    if (!negative) {
        return indices;
    }
    struct weft_value *below =
        onnx_compare(importer, "less", indices, onnx_integer(importer, WEFT_I64, 0));
    struct weft_value *other =
        onnx_binary(importer, WEFT_OP_ADD, indices, onnx_integer(importer, WEFT_I64, size));
    return onnx_select(importer, below, other, indices);
}

bool onnx_gather_along(struct onnx_importer *importer) {
    struct weft_value *x = onnx_input(importer, 0);
    struct weft_value *indices = onnx_input(importer, 1);
    int64_t axis = 0;
    if (x == NULL || !onnx_axis(importer, onnx_int(importer, "axis", 0), x->type.rank, &axis)) {
        return false;
    }
    indices = from_start(importer, indices, x->type.dim[axis]);
    return onnx_finish(importer, onnx_gather(importer, x, indices, (uint32_t)axis));
}

/* ---- places among all elements ---- */

static int64_t stride_of(const struct weft_type *type, uint32_t axis) {
    int64_t stride = 1;
    for (uint32_t i = axis + 1; i < type->rank; i++) {
        stride *= type->dim[i];
    }
    return stride;
}

/* Numbers 0, step, 2 * step, ... along one axis of a tensor of `rank`, the others of 1 element. */
static struct weft_value *ramp(struct onnx_importer *importer, uint32_t rank, uint32_t axis,
                               int64_t count, int64_t step) {
    int64_t dims[WEFT_MAX_RANK];
    int64_t *data = WEFT_NEW_ARRAY(importer->arena, (size_t)count, int64_t);
    for (int64_t i = 0; i < count; i++) {
        data[i] = i * step;
    }
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = i == axis ? count : 1;
    }
    return onnx_data(importer, WEFT_I64, rank, dims, data);
}

/* Where the elements are that GatherElements and ScatterElements name: their own place but along
 * the axis. */
static struct weft_value *element_places(struct onnx_importer *importer, const struct weft_type *x,
                                         struct weft_value *indices, uint32_t axis) {
    if (indices == NULL) {
        return NULL;
    }
    struct weft_value *places = from_start(importer, indices, x->dim[axis]);
    places = onnx_binary(importer, WEFT_OP_MUL, places,
                         onnx_integer(importer, WEFT_I64, stride_of(x, axis)));
    for (uint32_t i = 0; i < x->rank; i++) {
        if (i != axis && indices->type.dim[i] > 1) {
            struct weft_value *own =
                ramp(importer, x->rank, i, indices->type.dim[i], stride_of(x, i));
            places = onnx_binary(importer, WEFT_OP_ADD, places, own);
        }
    }
    return places;
}

static bool check_ranks(const struct onnx_importer *importer, const struct weft_value *x,
                        const struct weft_value *indices) {
    return x != NULL && indices != NULL &&
           (x->type.rank == indices->type.rank ||
            onnx_wrong(importer, WEFT_MODEL, "indices have another number of axes"));
}

static struct weft_value *flat(struct onnx_importer *importer, struct weft_value *x) {
    const int64_t count = x == NULL ? 0 : weft_type_elements(&x->type);
    return onnx_reshape(importer, x, 1, &count);
}

bool onnx_gather_elements(struct onnx_importer *importer) {
    struct weft_value *x = onnx_input(importer, 0);
    struct weft_value *indices = onnx_input(importer, 1);
    int64_t axis = 0;
    if (!check_ranks(importer, x, indices) ||
        !onnx_axis(importer, onnx_int(importer, "axis", 0), x->type.rank, &axis)) {
        return false;
    }
    indices = element_places(importer, &x->type, indices, (uint32_t)axis);
    return onnx_finish(importer, onnx_gather(importer, flat(importer, x), indices, 0));
}

/* ---- scattering ---- */

static struct weft_value *scatter(struct onnx_importer *importer, struct weft_value *x,
                                  struct weft_value *places, struct weft_value *elements) {
    const char *reduction = onnx_text(importer, "reduction", "none");
    struct weft_attribute attribute = weft_attr_text(WEFT_ATTR_reduction, reduction);
    x = onnx_plain(importer, x);
    elements = onnx_plain(importer, elements);
    if (x != NULL && weft_dtype_is_storage(x->type.dtype)) {
        x = onnx_computed(importer, x);
        elements = onnx_computed(importer, elements);
    }
    if (elements != NULL && places != NULL) {
        elements = onnx_reshape(importer, elements, places->type.rank, places->type.dim);
    }
    struct weft_value *inputs[] = {x, places, elements};
    return onnx_apply(importer, WEFT_OP_SCATTER, 3, inputs, 1, &attribute);
}

bool onnx_scatter_elements(struct onnx_importer *importer) {
    struct weft_value *x = onnx_input(importer, 0);
    struct weft_value *indices = onnx_input(importer, 1);
    int64_t axis = 0;
    if (!check_ranks(importer, x, indices) ||
        !onnx_axis(importer, onnx_int(importer, "axis", 0), x->type.rank, &axis)) {
        return false;
    }
    indices = element_places(importer, &x->type, indices, (uint32_t)axis);
    return onnx_finish_like(importer, scatter(importer, x, indices, onnx_input(importer, 2)));
}

/* The places of parts by their first indices, from axis `batch` of x on: [indices before the last
 * axis]. */
static struct weft_value *part_places(struct onnx_importer *importer, const struct weft_type *x,
                                      struct weft_value *indices, uint32_t batch) {
    uint32_t last = indices->type.rank - 1;
    uint32_t depth = (uint32_t)indices->type.dim[last];
    struct weft_value *places = NULL;
    for (uint32_t i = 0; i < depth; i++) {
        struct weft_value *index = onnx_part(importer, indices, last, i, 1, 1);
        index = index == NULL ? NULL : onnx_reshape(importer, index, last, index->type.dim);
        index = from_start(importer, index, x->dim[batch + i]);
        index = onnx_binary(importer, WEFT_OP_MUL, index,
                            onnx_integer(importer, WEFT_I64, stride_of(x, batch + i)));
        places = places == NULL ? index : onnx_binary(importer, WEFT_OP_ADD, places, index);
    }
    for (uint32_t i = 0; i < batch; i++) {
        places = onnx_binary(importer, WEFT_OP_ADD, places,
                             ramp(importer, last, i, x->dim[i], stride_of(x, i)));
    }
    return places;
}

static bool check_depth(const struct onnx_importer *importer, const struct weft_type *x,
                        const struct weft_type *indices, int64_t batch) {
    bool good = x->rank >= 1 && indices->rank >= 1 && batch >= 0 &&
                batch < (int64_t)indices->rank && batch < (int64_t)x->rank;
    good = good && indices->dim[indices->rank - 1] >= 1 &&
           indices->dim[indices->rank - 1] <= (int64_t)x->rank - batch;
    for (int64_t i = 0; good && i < batch; i++) {
        good = x->dim[i] == indices->dim[i];
    }
    return good || onnx_wrong(importer, WEFT_MODEL, "indices do not fit the input");
}

/* Places of all elements of the parts: those of the parts, and on from there. */
static struct weft_value *all_places(struct onnx_importer *importer, const struct weft_type *x,
                                     struct weft_value *indices, uint32_t batch,
                                     struct weft_type *shape) {
    uint32_t last = indices->type.rank - 1;
    uint32_t first = batch + (uint32_t)indices->type.dim[last];
    struct weft_value *places = part_places(importer, x, indices, batch);
    if (places == NULL) {
        return NULL;
    }
    *shape = places->type;
    for (uint32_t i = first; i < x->rank; i++) {
        if (shape->rank == WEFT_MAX_RANK) {
            return onnx_none(importer, WEFT_MODEL, "the result has more than 8 dimensions");
        }
        shape->dim[shape->rank++] = x->dim[i];
    }
    const int64_t parts[2] = {weft_type_elements(&places->type), 1};
    const int64_t length = stride_of(x, first - 1);
    places = onnx_reshape(importer, places, 2, parts);
    return onnx_binary(importer, WEFT_OP_ADD, places, ramp(importer, 2, 1, length, 1));
}

bool onnx_gather_nd(struct onnx_importer *importer) {
    struct weft_value *x = onnx_input(importer, 0);
    struct weft_value *indices = onnx_input(importer, 1);
    int64_t batch = onnx_int(importer, "batch_dims", 0);
    struct weft_type shape = {0};
    if (x == NULL || indices == NULL || !check_depth(importer, &x->type, &indices->type, batch)) {
        return false;
    }
    struct weft_value *places = all_places(importer, &x->type, indices, (uint32_t)batch, &shape);
    struct weft_value *y = onnx_gather(importer, flat(importer, x), places, 0);
    return onnx_finish(importer, onnx_reshape(importer, y, shape.rank, shape.dim));
}

bool onnx_scatter_nd(struct onnx_importer *importer) {
    struct weft_value *x = onnx_input(importer, 0);
    struct weft_value *indices = onnx_input(importer, 1);
    struct weft_type shape = {0};
    if (x == NULL || indices == NULL || !check_depth(importer, &x->type, &indices->type, 0)) {
        return false;
    }
    struct weft_value *places = all_places(importer, &x->type, indices, 0, &shape);
    return onnx_finish_like(importer, scatter(importer, x, places, onnx_input(importer, 2)));
}

/* ---- others ---- */

/* Values are [off, on]. An index outside its axis is on nowhere. */
bool onnx_one_hot(struct onnx_importer *importer) {
    struct weft_value *indices = onnx_computed_input(importer, 0);
    struct weft_value *given = onnx_plain(importer, onnx_input(importer, 2));
    struct weft_value *values = given == NULL ? NULL : onnx_computed(importer, given);
    int64_t depth = 0;
    uint32_t count = 0;
    int64_t axis = 0;
    if (indices == NULL || values == NULL) {
        return false;
    }
    if (indices->type.dtype == WEFT_F32) {
        indices = onnx_cast(importer, indices, WEFT_I64);
    }
    if (indices == NULL || !onnx_integers(importer, 1, 1, &depth, &count) ||
        !onnx_axis(importer, onnx_int(importer, "axis", -1), indices->type.rank + 1, &axis)) {
        return false;
    }
    if (count != 1 || weft_type_elements(&values->type) != 2 || values->type.rank != 1) {
        return onnx_wrong(importer, WEFT_MODEL, "expected one depth and two values");
    }
    const struct weft_attribute attributes[] = {
        weft_attr_int(importer->arena, WEFT_ATTR_axis, axis),
        weft_attr_int(importer->arena, WEFT_ATTR_depth, depth)};
    indices = from_start(importer, indices, depth);
    struct weft_value *on = onnx_part(importer, values, 0, 1, 1, 1);
    struct weft_value *inputs[] = {indices, on, onnx_part(importer, values, 0, 0, 1, 1)};
    return onnx_finish_as(importer, onnx_apply(importer, WEFT_OP_ONE_HOT, 3, inputs, 2, attributes),
                          given->type.dtype);
}

/* Elements on one side of a diagonal, the others 0: by a mask that is known. */
bool onnx_trilu(struct onnx_importer *importer) {
    struct weft_value *x = onnx_plain(importer, onnx_input(importer, 0));
    bool upper = onnx_int(importer, "upper", 1) != 0;
    int64_t k = 0;
    uint32_t count = 0;
    if (x == NULL || (onnx_has(importer, 1) && !onnx_integers(importer, 1, 1, &k, &count))) {
        return false;
    }
    if (x->type.rank < 2) {
        return onnx_wrong(importer, WEFT_MODEL, "expected matrices");
    }
    const int64_t *size = x->type.dim + x->type.rank - 2;
    const struct weft_type type = weft_type_make(WEFT_BOOL, 2, size);
    uint8_t *mask = WEFT_NEW_ARRAY(importer->arena, (size_t)weft_type_elements(&type) + 1, uint8_t);
    for (int64_t i = 0; i < weft_type_elements(&type); i++) {
        int64_t offset = i % size[1] - i / size[1];
        mask[i] = upper ? offset >= k : offset <= k;
    }
    struct weft_value *zero = onnx_integer(importer, x->type.dtype, 0); /* of floats, too */
    return onnx_finish(
        importer, onnx_select(importer, onnx_data(importer, WEFT_BOOL, 2, size, mask), x, zero));
}
