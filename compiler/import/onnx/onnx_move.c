/* Operators that move elements: another shape, another order. */
#include <string.h>

#include "base/integer.h"
#include "compiler/import/onnx/onnx_scope.h"

/* ---- other shapes of the same elements ---- */

bool onnx_identity(struct onnx_importer *importer) {
    struct onnx_end end; /* of a sequence, too */
    return onnx_input_end(importer, 0, &end) && onnx_finish_end(importer, 0, &end);
}

/* 0 takes the size of the input, -1 is what is left. */
bool onnx_reshape_node(struct onnx_importer *importer) {
    struct weft_value *x = onnx_input(importer, 0);
    int64_t dims[WEFT_MAX_RANK];
    uint32_t rank = 0;
    uint32_t open = UINT32_MAX;
    bool allow_zero = onnx_int(importer, "allowzero", 0) != 0;
    if (x == NULL || !onnx_integers(importer, 1, WEFT_MAX_RANK, dims, &rank)) {
        return false;
    }
    int64_t known = 1;
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = dims[i] == 0 && !allow_zero && i < x->type.rank ? x->type.dim[i] : dims[i];
        if (dims[i] < -1 || dims[i] > WEFT_MAX_ELEMENTS || (dims[i] == -1 && open != UINT32_MAX)) {
            return onnx_wrong(importer, WEFT_MODEL, "its shape has a size that is none");
        }
        open = dims[i] == -1 ? i : open;
        known = dims[i] == -1 ? known : weft_min(known * dims[i], WEFT_MAX_ELEMENTS);
    }
    if (open != UINT32_MAX) {
        dims[open] = known == 0 ? 0 : weft_type_elements(&x->type) / known;
    }
    return onnx_finish(importer, onnx_reshape(importer, x, rank, dims));
}

bool onnx_flatten(struct onnx_importer *importer) {
    struct weft_value *x = onnx_input(importer, 0);
    int64_t axis = onnx_int(importer, "axis", 1);
    int64_t dims[2] = {1, 1};
    if (x == NULL ||
        (axis != (int64_t)x->type.rank && !onnx_axis(importer, axis, x->type.rank, &axis))) {
        return false;
    }
    for (uint32_t i = 0; i < x->type.rank; i++) {
        dims[i >= axis] *= x->type.dim[i];
    }
    return onnx_finish(importer, onnx_reshape(importer, x, 2, dims));
}

/* Axes of Squeeze and Unsqueeze: an attribute, later an input; *given: are there any? */
static bool read_axes(struct onnx_importer *importer, uint32_t rank, uint32_t *mask, bool *given) {
    int64_t axes[WEFT_MAX_RANK];
    uint32_t count = 0;
    *given = onnx_attribute(importer, "axes") != NULL || onnx_has(importer, 1);
    *mask = 0;
    if (!onnx_named_axes(importer, axes, &count)) {
        return false;
    }
    /* Those of Unsqueeze are axes of the result. */
    bool adds = strcmp(importer->node->op_type, "Unsqueeze") == 0;
    if (adds && rank + count > WEFT_MAX_RANK) {
        return onnx_wrong(importer, WEFT_MODEL, "the result has more than 8 dimensions");
    }
    return onnx_axes(importer, count, axes, adds ? rank + count : rank, mask);
}

bool onnx_squeeze(struct onnx_importer *importer) {
    struct weft_value *x = onnx_input(importer, 0);
    int64_t dims[WEFT_MAX_RANK];
    uint32_t rank = 0;
    uint32_t mask = 0;
    bool given = false;
    if (x == NULL || !read_axes(importer, x->type.rank, &mask, &given)) {
        return false;
    }
    for (uint32_t i = 0; i < x->type.rank; i++) {
        bool named = (mask >> i & 1) != 0;
        if (named && x->type.dim[i] != 1) {
            return onnx_wrong(importer, WEFT_MODEL, "an axis to drop has not 1 element");
        }
        if (given ? !named : x->type.dim[i] != 1) {
            dims[rank++] = x->type.dim[i];
        }
    }
    return onnx_finish(importer, onnx_reshape(importer, x, rank, dims));
}

bool onnx_unsqueeze(struct onnx_importer *importer) {
    struct weft_value *x = onnx_input(importer, 0);
    int64_t dims[WEFT_MAX_RANK];
    uint32_t mask = 0;
    bool given = false;
    if (x == NULL || !read_axes(importer, x->type.rank, &mask, &given)) {
        return false;
    }
    uint32_t rank = x->type.rank + (uint32_t)__builtin_popcount(mask);
    for (uint32_t i = 0, from = 0; i < rank; i++) {
        dims[i] = (mask >> i & 1) != 0 ? 1 : x->type.dim[from++];
    }
    return onnx_finish(importer, onnx_reshape(importer, x, rank, dims));
}

/* ---- another order ---- */

bool onnx_transpose_node(struct onnx_importer *importer) {
    struct weft_value *x = onnx_input(importer, 0);
    int64_t order[WEFT_MAX_RANK];
    uint32_t seen = 0;
    if (x == NULL) {
        return false;
    }
    uint32_t rank = x->type.rank;
    if (onnx_attribute(importer, "perm") == NULL) {
        for (uint32_t i = 0; i < rank; i++) {
            order[i] = rank - 1 - i;
        }
    } else if (!onnx_ints(importer, "perm", rank, 0, order) ||
               !onnx_axes(importer, rank, order, rank, &seen)) {
        return false;
    }
    return onnx_finish(importer, onnx_transpose(importer, x, order));
}

static bool read_block(struct onnx_importer *importer, const struct weft_value *x, int64_t *block) {
    *block = onnx_int(importer, "blocksize", 0);
    return x != NULL &&
           ((x->type.rank == 4 && *block >= 1 && *block <= (1 << 15)) ||
            onnx_wrong(importer, WEFT_MODEL, "expected 4 dimensions, and a block of at least 1"));
}

bool onnx_depth_to_space(struct onnx_importer *importer) {
    struct weft_value *x = onnx_input(importer, 0);
    bool columns_first = strcmp(onnx_text(importer, "mode", "DCR"), "CRD") == 0;
    int64_t b = 0;
    if (!read_block(importer, x, &b)) {
        return false;
    }
    const int64_t *d = x->type.dim;
    const int64_t deep = d[1] / (b * b);
    const int64_t apart[6] = {d[0], columns_first ? deep : b, b, columns_first ? b : deep, d[2],
                              d[3]};
    static const int64_t deep_first[6] = {0, 3, 4, 1, 5, 2};
    static const int64_t deep_last[6] = {0, 1, 4, 2, 5, 3};
    const int64_t together[4] = {d[0], deep, d[2] * b, d[3] * b};
    x = onnx_reshape(importer, x, 6, apart);
    x = onnx_transpose(importer, x, columns_first ? deep_last : deep_first);
    return onnx_finish(importer, onnx_reshape(importer, x, 4, together));
}

bool onnx_space_to_depth(struct onnx_importer *importer) {
    struct weft_value *x = onnx_input(importer, 0);
    static const int64_t order[6] = {0, 3, 5, 1, 2, 4};
    int64_t b = 0;
    if (!read_block(importer, x, &b)) {
        return false;
    }
    const int64_t *d = x->type.dim;
    const int64_t apart[6] = {d[0], d[1], d[2] / b, b, d[3] / b, b};
    const int64_t together[4] = {d[0], d[1] * b * b, d[2] / b, d[3] / b};
    if (strcmp(onnx_text(importer, "mode", "DCR"), "DCR") != 0) {
        return onnx_wrong(importer, WEFT_OPERATOR, "mode must be DCR");
    }
    x = onnx_transpose(importer, onnx_reshape(importer, x, 6, apart), order);
    return onnx_finish(importer, onnx_reshape(importer, x, 4, together));
}

/* ---- joining and splitting ---- */

bool onnx_concat(struct onnx_importer *importer) {
    struct weft_value *parts[ONNX_MOST_PARTS] = {NULL};
    int64_t axis = 0;
    uint32_t count = (uint32_t)importer->node->n_input;
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = onnx_input(importer, i);
        if (parts[i] == NULL) {
            return false;
        }
    }
    int64_t missing = importer->opset < 4 ? 1 : INT64_MAX / 2;
    return onnx_plain_unless_alike(importer, count, parts) &&
           onnx_axis(importer, onnx_int(importer, "axis", missing), parts[0]->type.rank, &axis) &&
           onnx_finish(importer, onnx_concatenate(importer, count, parts, (uint32_t)axis));
}

/* Sizes of the parts: an attribute, later an input; without them equal ones, the last one smaller.
 */
static bool read_sizes(struct onnx_importer *importer, int64_t size, int64_t *sizes) {
    const Onnx__AttributeProto *attribute = onnx_attribute(importer, "split");
    int64_t parts = onnx_int(importer, "num_outputs", (int64_t)importer->node->n_output);
    uint32_t count = (uint32_t)importer->node->n_output;
    if (parts != (int64_t)count) {
        return onnx_wrong(importer, WEFT_MODEL, "num_outputs is not the number of its outputs");
    }
    if (attribute != NULL) {
        return onnx_ints(importer, "split", count, 0, sizes);
    }
    if (onnx_has(importer, 1)) {
        uint32_t found = 0;
        return onnx_integers(importer, 1, ONNX_MOST_PARTS, sizes, &found) &&
               (found == count ||
                onnx_wrong(importer, WEFT_MODEL, "there is not a size for each of its outputs"));
    }
    int64_t each = weft_ceil_div(size, parts);
    for (uint32_t i = 0; i < count; i++) {
        sizes[i] = weft_clamp(size - i * each, 0, each);
    }
    return true;
}

bool onnx_split(struct onnx_importer *importer) {
    struct weft_value *x = onnx_input(importer, 0);
    int64_t sizes[ONNX_MOST_PARTS] = {0};
    int64_t axis = 0;
    if (x == NULL || !onnx_axis(importer, onnx_int(importer, "axis", 0), x->type.rank, &axis) ||
        !read_sizes(importer, x->type.dim[axis], sizes)) {
        return false;
    }
    int64_t begin = 0;
    for (uint32_t i = 0; i < importer->node->n_output; i++) {
        if (sizes[i] < 0 || sizes[i] > x->type.dim[axis] - begin) {
            return onnx_wrong(importer, WEFT_MODEL, "its parts are more than the axis");
        }
        struct weft_value *part = onnx_part(importer, x, (uint32_t)axis, begin, 1, sizes[i]);
        if (!onnx_finish_at(importer, i, part)) {
            return false;
        }
        begin += sizes[i];
    }
    return begin == x->type.dim[axis] ||
           onnx_wrong(importer, WEFT_MODEL, "its parts are less than the axis");
}

/* ---- slices ---- */

struct slices {
    uint32_t count;
    int64_t starts[WEFT_MAX_RANK], ends[WEFT_MAX_RANK], axes[WEFT_MAX_RANK], steps[WEFT_MAX_RANK];
};

/* Attributes up to version 9 of the operators, then inputs. */
static bool read_slices(struct onnx_importer *importer, struct slices *s) {
    const Onnx__AttributeProto *starts = onnx_attribute(importer, "starts");
    uint32_t counts[4] = {0, 0, 0, 0};
    for (uint32_t i = 0; i < WEFT_MAX_RANK; i++) {
        s->axes[i] = i;
        s->steps[i] = 1;
    }
    if (starts != NULL) {
        s->count = (uint32_t)weft_min((int64_t)starts->n_ints, WEFT_MAX_RANK);
        return onnx_ints(importer, "starts", s->count, 0, s->starts) &&
               onnx_ints(importer, "ends", s->count, 0, s->ends) &&
               (onnx_attribute(importer, "axes") == NULL ||
                onnx_ints(importer, "axes", s->count, 0, s->axes));
    }
    if (!onnx_integers(importer, 1, WEFT_MAX_RANK, s->starts, &counts[0]) ||
        !onnx_integers(importer, 2, WEFT_MAX_RANK, s->ends, &counts[1])) {
        return false;
    }
    counts[2] = counts[3] = s->count = counts[0];
    if ((onnx_has(importer, 3) &&
         !onnx_integers(importer, 3, WEFT_MAX_RANK, s->axes, &counts[2])) ||
        (onnx_has(importer, 4) &&
         !onnx_integers(importer, 4, WEFT_MAX_RANK, s->steps, &counts[3]))) {
        return false;
    }
    return (counts[1] == s->count && counts[2] == s->count && counts[3] == s->count) ||
           onnx_wrong(importer, WEFT_MODEL, "starts, ends, axes and steps are not as many");
}

/* A place in an axis, of one that may count from the end, and lie outside. */
static int64_t place(int64_t number, int64_t size, int64_t low, int64_t high) {
    return weft_clamp(number < 0 ? weft_max(number, -size - 1) + size : number, low, high);
}

/* What is taken of an axis. */
struct taken {
    int64_t begin, step, size;
};

/* Backwards the first element is inside of the axis, wherever the start is. */
static struct taken take(int64_t start, int64_t end, int64_t step, int64_t size) {
    struct taken taken = {.step = weft_clamp(step, -WEFT_MAX_ELEMENTS, WEFT_MAX_ELEMENTS)};
    bool forward = step > 0;
    int64_t first =
        forward ? place(start, size, 0, size) : place(start, size, size > 0 ? 0 : -1, size - 1);
    int64_t last = forward ? place(end, size, 0, size) : place(end, size, -1, size - 1);
    int64_t length = forward ? last - first : first - last;
    taken.size = length <= 0 ? 0 : weft_ceil_div(length, forward ? taken.step : -taken.step);
    taken.begin = taken.size == 0 ? 0 : first;
    return taken;
}

bool onnx_slice_node(struct onnx_importer *importer) {
    struct weft_value *x = onnx_input(importer, 0);
    struct slices s = {0};
    uint32_t mask = 0;
    int64_t begin[WEFT_MAX_RANK] = {0};
    int64_t steps[WEFT_MAX_RANK];
    int64_t sizes[WEFT_MAX_RANK];
    if (x == NULL || !read_slices(importer, &s) ||
        !onnx_axes(importer, s.count, s.axes, x->type.rank, &mask)) {
        return false;
    }
    for (uint32_t i = 0; i < x->type.rank; i++) {
        steps[i] = 1;
        sizes[i] = x->type.dim[i];
    }
    for (uint32_t i = 0; i < s.count; i++) {
        int64_t axis = s.axes[i] < 0 ? s.axes[i] + x->type.rank : s.axes[i];
        if (s.steps[i] == 0) {
            return onnx_wrong(importer, WEFT_MODEL, "a step of a slice is 0");
        }
        struct taken taken = take(s.starts[i], s.ends[i], s.steps[i], x->type.dim[axis]);
        begin[axis] = taken.begin;
        steps[axis] = taken.step;
        sizes[axis] = taken.size;
    }
    return onnx_finish(importer, onnx_slice(importer, x, begin, steps, sizes));
}

/* ---- repeating and padding ---- */

bool onnx_expand_to(struct onnx_importer *importer) {
    struct weft_value *x = onnx_input(importer, 0);
    struct weft_type type = {0};
    uint32_t rank = 0;
    if (x == NULL || !onnx_integers(importer, 1, WEFT_MAX_RANK, type.dim, &rank)) {
        return false;
    }
    uint32_t more = rank > x->type.rank ? rank : x->type.rank;
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < more; i++) { /* axes are aligned at the last one */
        int64_t wanted = i + rank < more ? 1 : type.dim[i + rank - more];
        int64_t there = i + x->type.rank < more ? 1 : x->type.dim[i + x->type.rank - more];
        if (wanted < 0 || wanted > WEFT_MAX_ELEMENTS ||
            (wanted != there && wanted != 1 && there != 1)) {
            return onnx_wrong(importer, WEFT_MODEL, "the shape is not one that it is repeated to");
        }
        dims[i] = there == 1 ? wanted : there;
    }
    return onnx_finish(importer, onnx_expand(importer, x, more, dims));
}

bool onnx_tile(struct onnx_importer *importer) {
    struct weft_value *x = onnx_input(importer, 0);
    int64_t repeats[WEFT_MAX_RANK];
    uint32_t count = 0;
    if (x == NULL || !onnx_integers(importer, 1, WEFT_MAX_RANK, repeats, &count)) {
        return false;
    }
    if (count != x->type.rank) {
        return onnx_wrong(importer, WEFT_MODEL, "there is not a number for each axis");
    }
    struct weft_attribute multiples =
        weft_attr_ints(importer->arena, WEFT_ATTR_multiples, count, repeats);
    return onnx_finish(importer, onnx_apply(importer, WEFT_OP_TILE, 1, &x, 1, &multiples));
}

/* Pads, before and after each axis; those of axes that are not named are 0. */
static bool read_pads(struct onnx_importer *importer, uint32_t rank, int64_t *pads) {
    int64_t values[2 * WEFT_MAX_RANK] = {0};
    int64_t axes[WEFT_MAX_RANK];
    uint32_t count = 2 * rank;
    uint32_t axis_count = rank;
    uint32_t mask = 0;
    for (uint32_t i = 0; i < rank; i++) {
        axes[i] = i;
    }
    if (onnx_has(importer, 1) ? !onnx_integers(importer, 1, 2 * WEFT_MAX_RANK, values, &count)
                              : !onnx_ints(importer, "pads", count, 0, values)) {
        return false;
    }
    if (onnx_has(importer, 3) && !onnx_integers(importer, 3, WEFT_MAX_RANK, axes, &axis_count)) {
        return false;
    }
    if (count != 2 * axis_count) {
        return onnx_wrong(importer, WEFT_MODEL, "there are not two pads for each axis");
    }
    if (!onnx_axes(importer, axis_count, axes, rank, &mask)) {
        return false;
    }
    memset(pads, 0, 2 * (size_t)rank * sizeof *pads);
    for (uint32_t i = 0; i < axis_count; i++) {
        int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
        pads[2 * axis] = values[i];
        pads[2 * axis + 1] = values[axis_count + i];
    }
    return true;
}

/* Pads below 0 cut off. */
static struct weft_value *pad_constant(struct onnx_importer *importer, struct weft_value *x,
                                       int64_t *pads) {
    struct weft_value *element = NULL;
    if (onnx_has(importer, 2)) {
        element = onnx_input(importer, 2);
        if (element == NULL || weft_type_elements(&element->type) != 1) {
            return onnx_none(importer, WEFT_MODEL, "expected one element to pad with");
        }
        element = onnx_relabel(importer, element, x->type.quantization);
    } else if (x->type.dtype == WEFT_F32) {
        element = onnx_scalar(importer, onnx_float(importer, "value", 0));
    } else {
        element =
            onnx_relabel(importer, onnx_integer(importer, x->type.dtype, 0), x->type.quantization);
    }
    for (uint32_t i = 0; x != NULL && i < x->type.rank; i++) {
        int64_t before = weft_max(-pads[2 * i], 0);
        int64_t after = weft_max(-pads[2 * i + 1], 0);
        if (before + after > x->type.dim[i]) {
            return onnx_none(importer, WEFT_MODEL, "pads below 0 cut off more than there is");
        }
        x = onnx_part(importer, x, i, before, 1, x->type.dim[i] - before - after);
        pads[2 * i] = weft_max(pads[2 * i], 0);
        pads[2 * i + 1] = weft_max(pads[2 * i + 1], 0);
    }
    return onnx_pad(importer, x, pads, element);
}

/* Which element lies at place i of an axis that goes on at both ends. */
static int64_t mirrored(const char *mode, int64_t i, int64_t size) {
    if (strcmp(mode, "edge") == 0 || size == 1) {
        return weft_clamp(i, 0, size - 1);
    }
    if (strcmp(mode, "wrap") == 0) {
        return (i % size + size) % size;
    }
    int64_t period = 2 * (size - 1);
    int64_t at = (i % period + period) % period;
    return at < size ? at : period - at;
}

/* Along axis after axis, by gathering what is there. */
static struct weft_value *pad_mirrored(struct onnx_importer *importer, struct weft_value *x,
                                       const char *mode, const int64_t *pads) {
    for (uint32_t axis = 0; x != NULL && axis < x->type.rank; axis++) {
        int64_t size = x->type.dim[axis];
        int64_t count = size + pads[2 * axis] + pads[2 * axis + 1];
        if (pads[2 * axis] == 0 && pads[2 * axis + 1] == 0) {
            continue;
        }
        if (size < 1 || count < 0 || count > WEFT_MAX_ELEMENTS) {
            return onnx_none(importer, WEFT_MODEL, "its pads do not fit an axis");
        }
        int64_t *indices = WEFT_NEW_ARRAY(importer->arena, (size_t)count, int64_t);
        for (int64_t i = 0; i < count; i++) {
            indices[i] = mirrored(mode, i - pads[2 * axis], size);
        }
        x = onnx_gather(importer, x, onnx_data(importer, WEFT_I64, 1, &count, indices), axis);
    }
    return x;
}

bool onnx_pad_node(struct onnx_importer *importer) {
    const char *mode = onnx_text(importer, "mode", "constant");
    struct weft_value *x = onnx_input(importer, 0);
    int64_t pads[2 * WEFT_MAX_RANK] = {0};
    if (x == NULL || !read_pads(importer, x->type.rank, pads)) {
        return false;
    }
    for (uint32_t i = 0; i < 2 * x->type.rank; i++) {
        pads[i] = weft_clamp(pads[i], -WEFT_MAX_ELEMENTS, WEFT_MAX_ELEMENTS);
    }
    if (strcmp(mode, "constant") == 0) {
        return onnx_finish(importer, pad_constant(importer, x, pads));
    }
    if (strcmp(mode, "edge") != 0 && strcmp(mode, "wrap") != 0 && strcmp(mode, "reflect") != 0) {
        return onnx_wrong(importer, WEFT_MODEL, "mode must be constant, reflect, edge or wrap");
    }
    return onnx_finish(importer, pad_mirrored(importer, x, mode, pads));
}
