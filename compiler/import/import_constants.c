/* Constants of the file: however it holds them, they become plain arrays. */
#include <inttypes.h>
#include <string.h>

#include "base/integer.h"
#include "compiler/import/importer.h"
#include "compiler/import/sparse.h"

/* ---- packed elements ---- */

/* A float16 as the bits of the same float32; what is not a number keeps its payload. */
static uint32_t float_bits(uint32_t half) {
    uint32_t sign = (half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 31;
    uint32_t fraction = half & 1023;
    if (exponent == 0) { /* fraction * 2^-24, which float32 has exactly */
        float value = (float)fraction * 0x1p-24F;
        uint32_t bits = 0;
        memcpy(&bits, &value, sizeof bits);
        return sign | bits;
    }
    uint32_t wide = exponent == 31 ? 255 : exponent + 127 - 15;
    return sign | wide << 23 | fraction << 13;
}

/* Element `index` of integers of fewer than 8 bits, the first of a byte in its lowest bits. */
static uint8_t small_integer(const struct importer_storage *storage, const uint8_t *data,
                             int64_t index) {
    int64_t bit = index * storage->bits;
    int value = data[bit / 8] >> bit % 8 & ((1 << storage->bits) - 1);
    bool negative = storage->dtype == WEFT_I8 && value >> (storage->bits - 1) != 0;
    return (uint8_t)(negative ? value - (1 << storage->bits) : value);
}

/* `count` elements as their type in the graph has them. */
static void unpack(const struct importer_storage *storage, const uint8_t *data, int64_t count,
                   uint8_t *elements) {
    for (int64_t i = 0; i < count; i++) {
        if (storage->type == TFLITE_FLOAT16) {
            uint32_t half = (uint32_t)data[2 * i] | (uint32_t)data[2 * i + 1] << 8;
            uint32_t bits = float_bits(half);
            memcpy(elements + 4 * i, &bits, sizeof bits);
        } else {
            elements[i] = small_integer(storage, data, i);
        }
    }
}

/* ---- constants ---- */

/* The `count` elements that the file holds of a tensor, unpacked; NULL after an error. */
static const uint8_t *stored_elements(struct importer *importer, int32_t index, int64_t count) {
    const struct tflite_tensor *tensor = &importer->file.tensors[index];
    const struct importer_storage *storage = importer_storage(tensor->type);
    uint64_t needed = ((uint64_t)count * storage->bits + 7) / 8;
    if (tensor->length != needed) {
        weft_error_set(importer->error, WEFT_MODEL, (uint64_t)index,
                       "tensor %" PRId32 ": its buffer has %zu bytes of %s, its %s needs %" PRIu64,
                       index, tensor->length, tensor->type_name,
                       tensor->sparsity == NULL ? "shape" : "sparsity", needed);
        return NULL;
    }
    if (!importer_is_packed(storage)) {
        return tensor->data;
    }
    uint8_t *elements =
        weft_arena_allocate(importer->arena, (size_t)count, weft_dtype_bytes(storage->dtype));
    unpack(storage, tensor->data, count, elements);
    return elements;
}

/* Memory has a limit of its own; a tensor with long levels and few elements takes time alone, and
 * many tensors may share what a file holds once. */
static bool count_steps(struct importer *importer, int32_t index, int64_t steps) {
    importer->steps += steps;
    return importer->steps <= IMPORTER_MOST_STEPS ||
           weft_fail(importer->error, WEFT_LIMIT, (uint64_t)index,
                     "tensor %" PRId32 ": the model's sparse constants have more than %d entries",
                     index, IMPORTER_MOST_STEPS);
}

/* All elements of a sparse tensor; those that are not stored are bytes of 0, whatever the zero
 * point, as in LiteRT. NULL after an error. */
static const uint8_t *dense_elements(struct importer *importer, int32_t index,
                                     const struct weft_type *type) {
    const struct tflite_tensor *tensor = &importer->file.tensors[index];
    struct sparse_layout layout = {0};
    if (!sparse_check(tensor, index, type, &layout, importer->error) ||
        !count_steps(importer, index, layout.steps)) {
        return NULL;
    }
    size_t size = weft_dtype_bytes(type->dtype);
    const uint8_t *stored = stored_elements(importer, index, layout.stored);
    if (stored == NULL) {
        return NULL;
    }
    uint8_t *dense = weft_arena_allocate(importer->arena, (size_t)weft_type_elements(type), size);
    sparse_scatter(&layout, size, stored, dense);
    return dense;
}

/* A file has no buffer for such a constant, nor need it. */
static bool has_no_elements(const struct tflite_tensor *tensor) {
    bool is_empty = false;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        is_empty = is_empty || tensor->shape[i] == 0;
    }
    return is_empty;
}

bool importer_add_constant(struct importer *importer, int32_t index) {
    const struct tflite_tensor *tensor = &importer->file.tensors[index];
    struct weft_type type = {0};
    bool is_empty = tensor->data == NULL && !tensor->is_variable && has_no_elements(tensor);
    if ((tensor->data == NULL && !is_empty) || tensor->is_variable) {
        return weft_fail(importer->error, WEFT_MODEL, importer->index,
                         "operator %" PRIu32 " (%s): tensor %" PRId32
                         " is used before an operator makes it",
                         importer->index, importer->op->name, index);
    }
    if (!(is_empty ? importer_empty_type : importer_file_type)(importer, index, &type)) {
        return false;
    }
    static const uint8_t nothing = 0;
    const uint8_t *data = is_empty ? &nothing
                          : tensor->sparsity != NULL
                              ? dense_elements(importer, index, &type)
                              : stored_elements(importer, index, weft_type_elements(&type));
    if (data == NULL) {
        return false;
    }
    importer->raw[index] = weft_graph_add_constant(importer->graph, &type, data, NULL, index);
    return true;
}
