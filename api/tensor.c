#include <math.h>
#include <string.h>

#include "api/objects.h"
#include "base/bytes.h"
#include "base/memory.h"

bool tensors_make(size_t count, struct weft_value *const *values, const char *const *names,
                  struct tensors *tensors, struct weft_error *error) {
    struct weft_tensor *list = weft_allocate(count, sizeof *list, "tensors", error);
    for (size_t i = 0; list != NULL && i < count; i++) {
        const char *name = names == NULL ? values[i]->name : names[i];
        list[i] = (struct weft_tensor){&values[i]->type, name == NULL ? "" : name};
    }
    *tensors = (struct tensors){list == NULL ? 0 : count, list};
    return list != NULL;
}

const struct weft_tensor *tensors_at(const struct tensors *tensors, size_t index) {
    return index < tensors->count ? &tensors->list[index] : NULL;
}

const char *weft_tensor_name(const struct weft_tensor *tensor) {
    return tensor->name;
}

const char *weft_tensor_element(const struct weft_tensor *tensor) {
    static const char *const names[WEFT_DTYPES] = {
        [WEFT_I8] = "int8",    [WEFT_U8] = "uint8",    [WEFT_I16] = "int16",
        [WEFT_I32] = "int32",  [WEFT_I64] = "int64",   [WEFT_F32] = "float32",
        [WEFT_BOOL] = "bool",  [WEFT_U16] = "uint16",  [WEFT_U32] = "uint32",
        [WEFT_U64] = "uint64", [WEFT_F16] = "float16", [WEFT_F64] = "float64",
    };
    return names[tensor->type->dtype];
}

size_t weft_tensor_rank(const struct weft_tensor *tensor) {
    return tensor->type->rank;
}

int64_t weft_tensor_dim(const struct weft_tensor *tensor, size_t axis) {
    return axis < tensor->type->rank ? tensor->type->dim[axis] : 0;
}

size_t weft_tensor_elements(const struct weft_tensor *tensor) {
    return (size_t)weft_type_elements(tensor->type);
}

size_t weft_tensor_bytes(const struct weft_tensor *tensor) {
    return weft_type_bytes(tensor->type);
}

size_t weft_tensor_scales(const struct weft_tensor *tensor, size_t *axis) {
    if (axis != NULL) {
        *axis = tensor->type->quantization.count > 1 ? tensor->type->quantization.axis : 0;
    }
    return tensor->type->quantization.count;
}

double weft_tensor_scale(const struct weft_tensor *tensor, size_t index) {
    const struct weft_quantization *quantization = &tensor->type->quantization;
    return index < quantization->count ? quantization->scale[index] : 1;
}

int32_t weft_tensor_zero_point(const struct weft_tensor *tensor, size_t index) {
    const struct weft_quantization *quantization = &tensor->type->quantization;
    return index < quantization->count ? quantization->zero[index] : 0;
}

/* ---- real numbers ---- */

static bool check(const struct weft_tensor *tensor, size_t count, size_t length,
                  struct weft_error *error) {
    const struct weft_type *type = tensor->type;
    bool known = type->dtype == WEFT_I8 || type->dtype == WEFT_U8 || type->dtype == WEFT_I16 ||
                 type->dtype == WEFT_I32 || type->dtype == WEFT_F32;
    if (!known) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "%s is not converted from and to real numbers",
                         weft_tensor_element(tensor));
    }
    if (type->quantization.count > 1) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "the tensor has %u scales along an axis",
                         type->quantization.count);
    }
    return (count == weft_tensor_elements(tensor) && length == weft_tensor_bytes(tensor)) ||
           weft_fail(error, WEFT_ARGUMENT, 0,
                     "%zu numbers and %zu bytes, the tensor has %zu elements and %zu bytes", count,
                     length, weft_tensor_elements(tensor), weft_tensor_bytes(tensor));
}

static void put(enum weft_dtype dtype, uint8_t *at, int64_t value) {
    if (dtype == WEFT_I32) {
        weft_write_u32(at, (uint32_t)value);
    } else if (dtype == WEFT_I16) {
        at[0] = (uint8_t)((uint64_t)value & 0xff);
        at[1] = (uint8_t)((uint64_t)value >> 8 & 0xff);
    } else {
        *at = (uint8_t)value;
    }
}

bool weft_tensor_quantize(const struct weft_tensor *tensor, const float *numbers, size_t count,
                          void *bytes, size_t length, struct weft_failure *failure) {
    struct weft_error error;
    const struct weft_type *type = tensor->type;
    size_t step = weft_dtype_bytes(type->dtype);
    double scale = weft_tensor_scale(tensor, 0);
    int32_t zero = weft_tensor_zero_point(tensor, 0);
    if (!check(tensor, count, length, &error)) {
        return failed(failure, &error);
    }
    if (type->dtype == WEFT_F32) {
        memcpy(bytes, numbers, length);
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(numbers[i])) {
            weft_error_set(&error, WEFT_ARGUMENT, i, "number %zu is not finite", i);
            return failed(failure, &error);
        }
    }
    for (size_t i = 0; i < count; i++) {
        double value = round((double)numbers[i] / scale) + zero;
        double low = (double)weft_dtype_min(type->dtype);
        double high = (double)weft_dtype_max(type->dtype);
        value = value < low ? low : value > high ? high : value;
        put(type->dtype, (uint8_t *)bytes + i * step, (int64_t)value);
    }
    return true;
}

bool weft_tensor_dequantize(const struct weft_tensor *tensor, const void *bytes, size_t length,
                            float *numbers, size_t count, struct weft_failure *failure) {
    struct weft_error error;
    const struct weft_type *type = tensor->type;
    double scale = weft_tensor_scale(tensor, 0);
    int32_t zero = weft_tensor_zero_point(tensor, 0);
    if (!check(tensor, count, length, &error)) {
        return failed(failure, &error);
    }
    if (type->dtype == WEFT_F32) {
        memcpy(numbers, bytes, length);
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t element = weft_element(type->dtype, bytes, (int64_t)i);
        numbers[i] = (float)(scale * (double)(element - zero));
    }
    return true;
}
