/* Types: element types, shapes, quantisation. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "compiler/ir/ir.h"

static const struct {
    const char *name;
    const char *file_name;
} dtypes[WEFT_DTYPES] = {
    [WEFT_I8] = {"i8", "INT8"},      [WEFT_U8] = {"u8", "UINT8"},
    [WEFT_I16] = {"i16", "INT16"},   [WEFT_I32] = {"i32", "INT32"},
    [WEFT_I64] = {"i64", "INT64"},   [WEFT_F32] = {"f32", "FLOAT32"},
    [WEFT_BOOL] = {"bool", "BOOL"},  [WEFT_U16] = {"u16", "UINT16"},
    [WEFT_U32] = {"u32", "UINT32"},  [WEFT_U64] = {"u64", "UINT64"},
    [WEFT_F16] = {"f16", "FLOAT16"}, [WEFT_F64] = {"f64", "FLOAT64"},
};

const char *weft_dtype_name(enum weft_dtype dtype) {
    return dtypes[dtype].name;
}

const char *weft_dtype_file_name(enum weft_dtype dtype) {
    return dtypes[dtype].file_name;
}

int64_t weft_type_elements(const struct weft_type *type) {
    int64_t elements = 1;
    for (uint32_t i = 0; i < type->rank; i++) {
        if (type->dim[i] < 0 || !weft_mul_i64(elements, type->dim[i], &elements) ||
            elements > WEFT_MAX_ELEMENTS) {
            return -1;
        }
    }
    return elements;
}

size_t weft_type_bytes(const struct weft_type *type) {
    return (size_t)weft_type_elements(type) * weft_dtype_bytes(type->dtype);
}

bool weft_shape_equal(const struct weft_type *a, const struct weft_type *b) {
    bool equal = a->rank == b->rank;
    for (uint32_t i = 0; equal && i < a->rank; i++) {
        equal = a->dim[i] == b->dim[i];
    }
    return equal;
}

bool weft_quantization_equal(const struct weft_quantization *a, const struct weft_quantization *b) {
    if (a->count != b->count || (a->count > 1 && a->axis != b->axis)) {
        return false;
    }
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->scale[i] != b->scale[i] || a->zero[i] != b->zero[i]) {
            return false;
        }
    }
    return true;
}

bool weft_type_equal(const struct weft_type *a, const struct weft_type *b) {
    return a->dtype == b->dtype && weft_shape_equal(a, b) &&
           weft_quantization_equal(&a->quantization, &b->quantization);
}

/* The first place where two lists of scales and zero points differ. */
static uint32_t first_difference(const struct weft_quantization *a,
                                 const struct weft_quantization *b) {
    uint32_t i = 0;
    while (i + 1 < a->count && i < b->count && a->scale[i] == b->scale[i] &&
           a->zero[i] == b->zero[i]) {
        i++;
    }
    return i;
}

const char *weft_type_text(struct weft_arena *arena, const struct weft_type *type,
                           const struct weft_type *other) {
    const struct weft_quantization *q = &type->quantization;
    const char *text = "";
    for (uint32_t i = 0; i < type->rank; i++) {
        text = weft_arena_print(arena, "%s%" PRId64 "x", text, type->dim[i]);
    }
    text = weft_arena_print(arena, "%s%s", text, weft_dtype_name(type->dtype));
    if (q->count == 0) {
        return text;
    }
    if (q->count == 1) {
        return weft_arena_print(arena, "%s{%.17g, %" PRId32 "}", text, q->scale[0], q->zero[0]);
    }
    uint32_t i = first_difference(q, &other->quantization);
    return weft_arena_print(
        arena, "%s{axis=%" PRIu32 "; %" PRIu32 " scales, number %" PRIu32 ": %.17g, %" PRId32 "}",
        text, q->axis, q->count, i, q->scale[i], q->zero[i]);
}

struct weft_type weft_type_make(enum weft_dtype dtype, uint32_t rank, const int64_t *dims) {
    struct weft_type type = {.dtype = dtype, .rank = rank};
    if (rank > 0) {
        memcpy(type.dim, dims, rank * sizeof *dims);
    }
    return type;
}

struct weft_quantization weft_quantization_make(struct weft_arena *arena, double scale,
                                                int32_t zero) {
    double *scales = WEFT_NEW(arena, double);
    int32_t *zeros = WEFT_NEW(arena, int32_t);
    *scales = scale;
    *zeros = zero;
    return (struct weft_quantization){.count = 1, .scale = scales, .zero = zeros};
}

double weft_type_scale(const struct weft_type *type, int64_t channel) {
    return type->quantization.scale[type->quantization.count == 1 ? 0 : channel];
}

int32_t weft_type_zero(const struct weft_type *type, int64_t channel) {
    return type->quantization.zero[type->quantization.count == 1 ? 0 : channel];
}

int64_t weft_type_limit(const struct weft_type *type, float limit) {
    float steps = roundf(limit / (float)weft_type_scale(type, 0));
    double value = (double)steps + (double)weft_type_zero(type, 0);
    return (int64_t)fmin(fmax(value, (double)weft_dtype_min(type->dtype)),
                         (double)weft_dtype_max(type->dtype));
}

int64_t weft_element(enum weft_dtype dtype, const uint8_t *data, int64_t index) {
    switch (dtype) {
    case WEFT_I8:
        return (int8_t)data[index];
    case WEFT_U8:
    case WEFT_BOOL:
        return data[index];
    case WEFT_I16:
        return (int16_t)(data[2 * index] | data[2 * index + 1] << 8);
    case WEFT_U16:
    case WEFT_F16:
        return data[2 * index] | data[2 * index + 1] << 8;
    case WEFT_U32:
        return weft_read_u32(data + 4 * index);
    case WEFT_I32:
        return weft_read_i32(data + 4 * index);
    default:
        return (int64_t)weft_read_u64(data + 8 * index);
    }
}

struct weft_quantization weft_choose_scales(struct weft_arena *arena,
                                            const struct weft_quantization *from, size_t count,
                                            const int64_t *chosen) {
    if (from->count <= 1) {
        return *from;
    }
    double *scales = WEFT_NEW_ARRAY(arena, count, double);
    int32_t *zeros = WEFT_NEW_ARRAY(arena, count, int32_t);
    for (size_t i = 0; i < count; i++) {
        scales[i] = from->scale[chosen[i]];
        zeros[i] = from->zero[chosen[i]];
    }
    return (struct weft_quantization){(uint32_t)count, count == 1 ? 0 : from->axis, scales, zeros};
}

struct weft_quantization weft_repeat_scales(struct weft_arena *arena,
                                            const struct weft_quantization *from, size_t times) {
    size_t count = from->count * times;
    int64_t *chosen = WEFT_NEW_ARRAY(arena, count, int64_t);
    for (size_t i = 0; i < count; i++) {
        chosen[i] = (int64_t)(i % from->count);
    }
    return weft_choose_scales(arena, from, count, chosen);
}
