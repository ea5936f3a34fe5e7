/* Constants, and what is known of shapes. */
#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "compiler/import/onnx/onnx_importer.h"

static struct weft_value *float_list(struct onnx_importer *importer,
                                     const Onnx__AttributeProto *list) {
    const int64_t count = (int64_t)list->n_floats;
    return onnx_data(importer, WEFT_F32, 1, &count, list->floats);
}

bool onnx_constant_node(struct onnx_importer *importer) {
    const Onnx__AttributeProto *value = onnx_attribute(importer, "value");
    const Onnx__AttributeProto *floats = onnx_attribute(importer, "value_floats");
    const Onnx__AttributeProto *ints = onnx_attribute(importer, "value_ints");
    if (importer->node->n_attribute != 1) {
        return onnx_wrong(importer, WEFT_MODEL, "expected one attribute");
    }
    if ((floats != NULL && floats->n_floats > WEFT_MAX_ELEMENTS) ||
        (ints != NULL && ints->n_ints > WEFT_MAX_ELEMENTS)) {
        return onnx_wrong(importer, WEFT_MODEL, "too many elements");
    }
    if (value != NULL) {
        return onnx_finish(importer, onnx_constant(importer, value->t));
    }
    if (floats != NULL) {
        return onnx_finish(importer, float_list(importer, floats));
    }
    if (ints != NULL) {
        const int64_t count = (int64_t)ints->n_ints;
        return onnx_finish(importer, onnx_list(importer, 1, &count, ints->ints));
    }
    return onnx_finish(importer,
                       onnx_attribute(importer, "value_float") != NULL
                           ? onnx_scalar(importer, onnx_float(importer, "value_float", 0))
                           : onnx_integer(importer, WEFT_I64, onnx_int(importer, "value_int", 0)));
}

/* A constant of one element many times. */
static struct weft_value *filled(struct onnx_importer *importer, const struct weft_type *type,
                                 const uint8_t *element) {
    size_t size = weft_dtype_bytes(type->dtype);
    size_t count = (size_t)weft_type_elements(type);
    uint8_t *data = weft_arena_allocate(importer->arena, count + 1, size);
    for (size_t i = 0; i < count; i++) {
        memcpy(data + i * size, element, size);
    }
    return onnx_data(importer, type->dtype, type->rank, type->dim, data);
}

bool onnx_constant_of_shape(struct onnx_importer *importer) {
    static const uint8_t zeros[8];
    const Onnx__AttributeProto *attribute = onnx_attribute(importer, "value");
    struct weft_type type = {.dtype = WEFT_F32};
    const uint8_t *element = zeros;
    if (!onnx_integers(importer, 0, WEFT_MAX_RANK, type.dim, &type.rank)) {
        return false;
    }
    if (attribute != NULL) {
        const struct weft_value *value = onnx_constant(importer, attribute->t);
        if (value == NULL) {
            return false;
        }
        if (weft_type_elements(&value->type) != 1) {
            return onnx_wrong(importer, WEFT_MODEL, "its value is not one element");
        }
        type.dtype = value->type.dtype;
        element = weft_value_data(value);
    }
    if (!onnx_is_bearable(&type)) {
        return onnx_wrong(importer, WEFT_MODEL, "its shape is below 0 or too large");
    }
    return onnx_finish(importer, filled(importer, &type, element));
}

/* ---- shapes ---- */

bool onnx_shape(struct onnx_importer *importer) {
    const struct weft_value *x = onnx_input(importer, 0);
    if (x == NULL) {
        return false;
    }
    int64_t rank = x->type.rank;
    int64_t start = onnx_int(importer, "start", 0);
    int64_t end = onnx_int(importer, "end", rank);
    start = weft_clamp(start < 0 ? weft_max(start, -rank) + rank : start, 0, rank);
    end = weft_clamp(end < 0 ? weft_max(end, -rank) + rank : end, 0, rank);
    const int64_t count = weft_max(end - start, 0);
    return onnx_finish(importer, onnx_list(importer, 1, &count, x->type.dim + start));
}

bool onnx_size(struct onnx_importer *importer) {
    const struct weft_value *x = onnx_input(importer, 0);
    return x != NULL &&
           onnx_finish(importer, onnx_integer(importer, WEFT_I64, weft_type_elements(&x->type)));
}

/* ---- ranges ---- */

static bool check_count(const struct onnx_importer *importer, double count) {
    return (count >= 0 && count <= (1 << 24)) ||
           onnx_wrong(importer, WEFT_MODEL,
                      "a range of more than 2^24 elements, or of a step of 0");
}

static bool float_range(struct onnx_importer *importer) {
    float ends[3];
    uint32_t counts[3];
    for (uint32_t i = 0; i < 3; i++) {
        if (!onnx_floats(importer, i, 1, &ends[i], &counts[i]) || counts[i] != 1) {
            return counts[i] == 1 || onnx_wrong(importer, WEFT_MODEL, "expected single elements");
        }
    }
    double steps = ceil((double)(ends[1] - ends[0]) / (double)ends[2]);
    if (!check_count(importer, steps < 0 ? 0 : steps)) {
        return false;
    }
    const int64_t count = steps < 0 ? 0 : (int64_t)steps;
    float *data = WEFT_NEW_ARRAY(importer->arena, (size_t)count, float);
    for (int64_t i = 0; i < count; i++) {
        data[i] = ends[0] + (float)i * ends[2];
    }
    return onnx_finish_like(importer, onnx_data(importer, WEFT_F32, 1, &count, data));
}

bool onnx_range(struct onnx_importer *importer) {
    const struct weft_value *first = onnx_computed_input(importer, 0);
    int64_t ends[3];
    uint32_t one = 0;
    if (first == NULL) {
        return false;
    }
    if (first->type.dtype == WEFT_F32) {
        return float_range(importer);
    }
    for (uint32_t i = 0; i < 3; i++) {
        if (!onnx_integers(importer, i, 1, &ends[i], &one)) {
            return false;
        }
        if (one != 1) {
            return onnx_wrong(importer, WEFT_MODEL, "expected single elements");
        }
    }
    double steps = ends[2] == 0 ? -1 : ceil(((double)ends[1] - (double)ends[0]) / (double)ends[2]);
    if (!check_count(importer, ends[2] != 0 && steps < 0 ? 0 : steps)) {
        return false;
    }
    const int64_t count = steps < 0 ? 0 : (int64_t)steps;
    int64_t *data = WEFT_NEW_ARRAY(importer->arena, (size_t)count, int64_t);
    for (int64_t i = 0; i < count; i++) {
        data[i] = (int64_t)((uint64_t)ends[0] + (uint64_t)i * (uint64_t)ends[2]);
    }
    return onnx_finish_like(importer, onnx_data(importer, WEFT_I64, 1, &count, data));
}

bool onnx_eye_like(struct onnx_importer *importer) {
    const struct weft_value *x = onnx_input(importer, 0);
    int64_t k = onnx_int(importer, "k", 0);
    enum weft_dtype dtype = WEFT_F32;
    if (x == NULL) {
        return false;
    }
    if (x->type.rank != 2 || !onnx_dtype((int32_t)onnx_int(importer, "dtype", 1), &dtype)) {
        return onnx_wrong(importer, WEFT_OPERATOR, "expected a matrix and a supported type");
    }
    dtype = onnx_attribute(importer, "dtype") == NULL ? x->type.dtype : dtype;
    size_t count = (size_t)weft_type_elements(&x->type);
    float *data = WEFT_NEW_ARRAY(importer->arena, count, float);
    for (size_t i = 0; i < count; i++) {
        int64_t row = (int64_t)i / x->type.dim[1];
        data[i] = (int64_t)i % x->type.dim[1] - row == k ? 1.0F : 0.0F;
    }
    return onnx_finish_as(importer, onnx_data(importer, WEFT_F32, 2, x->type.dim, data), dtype);
}

/* ---- types ---- */

bool onnx_cast_to(struct onnx_importer *importer) {
    int64_t to = onnx_int(importer, "to", 0);
    enum weft_dtype dtype = WEFT_F32;
    bool known = to >= 0 && to <= INT32_MAX && onnx_dtype((int32_t)to, &dtype) &&
                 to < 17; /* later ones are packed */
    struct weft_value *x = onnx_plain(importer, onnx_input(importer, 0));
    return known ? onnx_finish(importer, onnx_cast(importer, x, dtype))
                 : onnx_wrong(importer, WEFT_OPERATOR, "a type to cast to that is not supported");
}

bool onnx_cast_like(struct onnx_importer *importer) {
    struct weft_value *x = onnx_plain(importer, onnx_input(importer, 0));
    const struct weft_value *like = onnx_input(importer, 1);
    return x != NULL && like != NULL &&
           onnx_finish(importer, onnx_cast(importer, x, like->type.dtype));
}

/* The mask says that everything was kept. */
bool onnx_dropout(struct onnx_importer *importer) {
    static const uint8_t yes = 1;
    struct weft_value *x = onnx_input(importer, 0);
    int64_t training = 0;
    uint32_t count = 0;
    if (x == NULL || (onnx_has(importer, 2) && !onnx_integers(importer, 2, 1, &training, &count))) {
        return false;
    }
    float ratio = 0;
    if (training != 0 &&
        (!onnx_has(importer, 1) || !onnx_floats(importer, 1, 1, &ratio, &count) || ratio != 0)) {
        return onnx_wrong(importer, WEFT_OPERATOR, "training is not supported");
    }
    struct weft_type type =
        weft_type_make(importer->opset < 10 ? x->type.dtype : WEFT_BOOL, x->type.rank, x->type.dim);
    if (onnx_wants(importer, 1)) {
        struct weft_value *mask =
            filled(importer, &(struct weft_type){.dtype = WEFT_BOOL, .rank = 0}, &yes);
        mask = onnx_expand(importer, onnx_cast(importer, mask, type.dtype), type.rank, type.dim);
        if (!onnx_finish_at(importer, 1, mask)) {
            return false;
        }
    }
    return onnx_finish(importer, x);
}
