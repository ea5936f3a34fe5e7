/* Element types and quantisation of tensors, as the file has them and as the graph has them. */
#include <inttypes.h>
#include <math.h>

#include "compiler/import/importer.h"

/* ---- element types ---- */

static const struct importer_storage storages[] = {
    {TFLITE_INT8, WEFT_I8, 8},    {TFLITE_UINT8, WEFT_U8, 8},     {TFLITE_INT16, WEFT_I16, 16},
    {TFLITE_INT32, WEFT_I32, 32}, {TFLITE_INT64, WEFT_I64, 64},   {TFLITE_FLOAT32, WEFT_F32, 32},
    {TFLITE_BOOL, WEFT_BOOL, 8},  {TFLITE_FLOAT16, WEFT_F32, 16}, {TFLITE_INT4, WEFT_I8, 4},
    {TFLITE_INT2, WEFT_I8, 2},    {TFLITE_UINT4, WEFT_U8, 4},
};

const struct importer_storage *importer_storage(int32_t type) {
    for (size_t i = 0; i < sizeof storages / sizeof storages[0]; i++) {
        if (storages[i].type == type) {
            return &storages[i];
        }
    }
    return NULL;
}

bool importer_is_packed(const struct importer_storage *storage) {
    return storage->bits != 8 * weft_dtype_bytes(storage->dtype);
}

/* ---- types of tensors ---- */

static bool quantization_of(struct weft_arena *arena, const struct tflite_tensor *tensor,
                            struct weft_type *type) {
    uint32_t count = tensor->scale_count;
    bool float_type = type->dtype == WEFT_F32 || type->dtype == WEFT_BOOL;
    if (count == 0 || float_type) {
        return true;
    }
    if (tensor->zero_count != count && tensor->zero_count > 1) {
        return false;
    }
    double *scale = WEFT_NEW_ARRAY(arena, count, double);
    int32_t *zero = WEFT_NEW_ARRAY(arena, count, int32_t);
    for (uint32_t i = 0; i < count; i++) {
        int64_t point = tensor->zero_count == 0 ? 0 : tensor->zero[tensor->zero_count == 1 ? 0 : i];
        scale[i] = (double)tensor->scale[i];
        zero[i] = (int32_t)point;
        if (point < weft_dtype_min(type->dtype) || point > weft_dtype_max(type->dtype) ||
            point != zero[i] || !(scale[i] > 0.0) || !isfinite(scale[i])) {
            return false;
        }
    }
    if (count > 1 && (tensor->axis < 0 || (uint32_t)tensor->axis >= type->rank ||
                      type->dim[tensor->axis] != count)) {
        return false;
    }
    type->quantization = (struct weft_quantization){.count = count,
                                                    .axis = count > 1 ? (uint32_t)tensor->axis : 0,
                                                    .scale = scale,
                                                    .zero = zero};
    return true;
}

/* Is the element type one of those that operators work on, or (`packed`) one that only constants in
 * the file have? */
static bool check_element_type(struct importer *importer, int32_t index, bool packed) {
    const struct tflite_tensor *tensor = &importer->file.tensors[index];
    const struct importer_storage *storage = importer_storage(tensor->type);
    return (storage != NULL && (packed || !importer_is_packed(storage))) ||
           weft_fail(importer->error, WEFT_MODEL, (uint64_t)index,
                     "tensor %" PRId32 " is %s, expected INT8, UINT8, INT16, INT32, INT64, FLOAT32 "
                     "or BOOL%s",
                     index, tensor->type_name,
                     packed            ? ", or a constant INT4, INT2, UINT4 or FLOAT16"
                     : storage == NULL ? ""
                                       : "; only constants may be packed, as operands of "
                                         "operators that unpack them");
}

/* `least`: of each axis. */
static bool file_type(struct importer *importer, int32_t index, int32_t least,
                      struct weft_type *type) {
    const struct tflite_tensor *tensor = &importer->file.tensors[index];
    if (!check_element_type(importer, index, true)) {
        return false;
    }
    *type =
        (struct weft_type){.dtype = importer_storage(tensor->type)->dtype, .rank = tensor->rank};
    bool good = tensor->rank <= WEFT_MAX_RANK;
    for (uint32_t i = 0; good && i < tensor->rank; i++) {
        type->dim[i] = tensor->shape[i];
        good = tensor->shape[i] >= least;
    }
    if (!good || weft_type_elements(type) < 0) {
        return weft_fail(importer->error, WEFT_MODEL, (uint64_t)index,
                         "tensor %" PRId32 ": expected at most %d dimensions, "
                         "all positive and fixed, with less than 2^31 elements",
                         index, WEFT_MAX_RANK);
    }
    if (!quantization_of(importer->arena, tensor, type)) {
        return weft_fail(importer->error, WEFT_MODEL, (uint64_t)index,
                         "tensor %" PRId32
                         ": quantisation needs positive finite scales, one or one for "
                         "each element of its axis, and zero points inside of %s",
                         index, tensor->type_name);
    }
    return true;
}

bool importer_file_type(struct importer *importer, int32_t index, struct weft_type *type) {
    return file_type(importer, index, 1, type);
}

bool importer_empty_type(struct importer *importer, int32_t index, struct weft_type *type) {
    return file_type(importer, index, 0, type);
}

bool importer_raw_type(struct importer *importer, int32_t index, struct weft_type *type) {
    return check_element_type(importer, index, false) && importer_file_type(importer, index, type);
}
