/* Tensors of the file as values of the graph. */
#include <inttypes.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "compiler/import/fold.h"
#include "compiler/import/importer.h"

/* What a uint8 tensor loses when it becomes int8. */
enum {
    HALF = 128
};

/* ---- values ---- */

static bool is_flipped(const struct weft_type *raw) {
    return raw->dtype == WEFT_U8 && raw->quantization.count > 0;
}

struct weft_type importer_computed(struct importer *importer, const struct weft_type *raw) {
    struct weft_type type = *raw;
    if (is_flipped(raw)) {
        uint32_t count = raw->quantization.count;
        int32_t *zero = WEFT_NEW_ARRAY(importer->arena, count, int32_t);
        for (uint32_t i = 0; i < count; i++) {
            zero[i] = raw->quantization.zero[i] - HALF;
        }
        type.dtype = WEFT_I8;
        type.quantization.zero = zero;
    }
    return type;
}

bool importer_raw(struct importer *importer, int32_t tensor, struct weft_value **value) {
    if (importer->raw[tensor] == NULL && !importer_add_constant(importer, tensor)) {
        return false;
    }
    *value = importer->raw[tensor];
    return true;
}

/* A uint8 constant as int8. */
static struct weft_value *flipped_constant(struct importer *importer,
                                           const struct weft_value *raw) {
    struct weft_type type = importer_computed(importer, &raw->type);
    size_t length = weft_type_bytes(&type);
    const uint8_t *from = weft_value_data(raw);
    uint8_t *bytes = WEFT_NEW_ARRAY(importer->arena, length, uint8_t);
    for (size_t i = 0; i < length; i++) {
        bytes[i] = from[i] ^ HALF;
    }
    return weft_graph_add_constant(importer->graph, &type, bytes, NULL, -1);
}

/* Between uint8 and int8 of one quantisation. */
static struct weft_value *flipped(struct importer *importer, struct weft_value *value,
                                  const struct weft_type *type) {
    struct weft_attribute rounding = weft_attr_text(WEFT_ATTR_rounding, "gemmlowp");
    return importer_add(importer, WEFT_OP_QNN_REQUANTIZE, 1, &value, 1, &rounding, type);
}

bool importer_value(struct importer *importer, int32_t tensor, struct weft_value **value) {
    struct weft_value *raw = NULL;
    if (importer->values[tensor] == NULL) {
        if (!importer_raw(importer, tensor, &raw)) {
            return false;
        }
        if (!is_flipped(&raw->type)) {
            importer->values[tensor] = raw;
        } else if (weft_value_data(raw) != NULL) {
            importer->values[tensor] = flipped_constant(importer, raw);
        } else if (raw->type.quantization.count > 1) {
            return weft_fail(importer->error, WEFT_MODEL, (uint64_t)tensor,
                             "tensor %" PRId32
                             ": only constants can be quantised along an axis as %s",
                             tensor, importer->file.tensors[tensor].type_name);
        } else {
            struct weft_type type = importer_computed(importer, &raw->type);
            importer->values[tensor] = flipped(importer, raw, &type);
        }
    }
    *value = importer->values[tensor];
    return true;
}

bool importer_has_input(const struct importer *importer, uint32_t number) {
    return number < importer->op->input_count && importer->op->inputs[number] >= 0;
}

/* A state that an operator before fills with zeros, as the converter's float16 mode writes it: the
 * reference carries out a DEQUANTIZE of a constant once. */
static bool is_filled_with_zeros(const struct importer *importer, int32_t tensor) {
    const struct weft_value *value = importer->raw[tensor];
    const uint8_t *bytes = value == NULL ? NULL : weft_value_data(value);
    size_t length = bytes == NULL ? 0 : weft_type_bytes(&value->type);
    size_t zeros = 0;
    while (zeros < length && bytes[zeros] == 0) {
        zeros++;
    }
    return bytes != NULL && zeros == length;
}

bool importer_need_state(const struct importer *importer, uint32_t number, int32_t type,
                         int64_t elements) {
    int32_t index = importer_has_input(importer, number) ? importer->op->inputs[number] : -1;
    const struct tflite_tensor *tensor = index < 0 ? NULL : &importer->file.tensors[index];
    int64_t count = 1;
    bool good = tensor != NULL && tensor->is_variable && tensor->data == NULL &&
                tensor->type == type &&
                (importer->uses[index] == 1 ||
                 (importer->uses[index] == 2 && is_filled_with_zeros(importer, index)));
    for (uint32_t i = 0; good && i < tensor->rank; i++) {
        good = tensor->shape[i] >= 0 && weft_mul_i64(count, tensor->shape[i], &count);
    }
    return (good && count == elements) ||
           importer_wrong(importer, WEFT_OPERATOR,
                          weft_arena_print(importer->arena,
                                           "expected input %" PRIu32 " to be a state: a variable "
                                           "of its own with %" PRId64 " elements, and of the type "
                                           "that goes with its input",
                                           number, elements));
}

bool importer_input(struct importer *importer, uint32_t number, struct weft_value **value) {
    return importer_has_input(importer, number)
               ? importer_value(importer, importer->op->inputs[number], value)
               : importer_wrong(importer, WEFT_MODEL, "an input is missing");
}

bool importer_raw_input(struct importer *importer, uint32_t number, struct weft_value **value) {
    return importer_has_input(importer, number)
               ? importer_raw(importer, importer->op->inputs[number], value)
               : importer_wrong(importer, WEFT_MODEL, "an input is missing");
}

bool importer_inputs(struct importer *importer, uint32_t count, struct weft_value **values) {
    for (uint32_t i = 0; i < count; i++) {
        if (!importer_input(importer, i, &values[i])) {
            return false;
        }
    }
    return true;
}

bool importer_result_type(struct importer *importer, uint32_t number, struct weft_type *type) {
    struct weft_type raw = {0};
    if (number >= importer->op->output_count) {
        return importer_wrong(importer, WEFT_MODEL, "an output is missing");
    }
    if (!importer_raw_type(importer, importer->op->outputs[number], &raw)) {
        return false;
    }
    *type = importer_computed(importer, &raw);
    return true;
}

bool importer_was_uint8(const struct importer *importer, uint32_t number) {
    const struct tflite_tensor *tensor = &importer->file.tensors[importer->op->inputs[number]];
    return (tensor->type == TFLITE_UINT8 || tensor->type == TFLITE_UINT4) &&
           tensor->scale_count > 0;
}

bool importer_integers(struct importer *importer, uint32_t number, uint32_t most, int64_t *values,
                       uint32_t *count) {
    struct weft_value *value = NULL;
    if (!importer_raw_input(importer, number, &value) || value == NULL) {
        return false;
    }
    const uint8_t *data = weft_value_data(value);
    bool wide = value->type.dtype == WEFT_I64;
    int64_t elements = weft_type_elements(&value->type);
    if (data == NULL || (value->type.dtype != WEFT_I32 && !wide)) {
        return importer_wrong_type(importer, WEFT_OPERATOR,
                                   "its sizes, axes or positions must be constant INT32 or INT64");
    }
    if (elements > most) {
        return importer_wrong(importer, WEFT_MODEL, "too many sizes, axes or positions");
    }
    for (uint32_t i = 0; i < elements; i++) {
        values[i] = wide ? (int64_t)weft_read_u64(data + 8 * (size_t)i)
                         : weft_read_i32(data + 4 * (size_t)i);
    }
    *count = (uint32_t)elements;
    return true;
}

bool importer_axis(const struct importer *importer, int64_t axis, uint32_t rank, int64_t *result) {
    *result = axis < 0 ? axis + rank : axis;
    return (axis >= -(int64_t)rank && axis < (int64_t)rank) ||
           importer_wrong(importer, WEFT_MODEL, "an axis is not one of the tensor");
}

/* ---- results ---- */

struct weft_value *importer_relabel(struct importer *importer, struct weft_value *value,
                                    const struct weft_type *type) {
    if (weft_quantization_equal(&value->type.quantization, &type->quantization)) {
        return value;
    }
    struct weft_type relabelled = value->type;
    relabelled.quantization = type->quantization;
    return importer_add(importer, WEFT_OP_CAST, 1, &value, 0, NULL, &relabelled);
}

/* Takes int8 to uint8, keeping its quantisation. */
static struct weft_value *as_uint8(struct importer *importer, struct weft_value *value) {
    struct weft_type type = value->type;
    type.dtype = WEFT_U8;
    type.quantization = weft_quantization_make(importer->arena, weft_type_scale(&type, 0),
                                               weft_type_zero(&type, 0) + HALF);
    return flipped(importer, value, &type);
}

/* `value` is int8 and stands for a uint8 tensor: also makes the raw value. */
static void finish_flipped(struct importer *importer, int32_t tensor, struct weft_value *value,
                           const struct weft_type *raw, const struct weft_type *computed) {
    importer->values[tensor] = importer_relabel(importer, value, computed);
    importer->raw[tensor] = flipped(importer, importer->values[tensor], raw);
}

bool importer_finish(struct importer *importer, uint32_t number, struct weft_value *value) {
    int32_t tensor = importer->op->outputs[number];
    struct weft_type raw = {0};
    if (!importer_raw_type(importer, tensor, &raw)) {
        return false;
    }
    struct weft_type computed = importer_computed(importer, &raw);
    value = fold_small(importer->graph, value);
    bool shape = weft_shape_equal(&raw, &value->type);
    if (shape && value->type.dtype == computed.dtype && is_flipped(&raw) &&
        raw.quantization.count == 1) {
        finish_flipped(importer, tensor, value, &raw, &computed);
    } else if (shape && value->type.dtype == raw.dtype) {
        importer->raw[tensor] = importer_relabel(importer, value, &raw);
    } else if (shape && value->type.dtype == WEFT_I8 && raw.dtype == WEFT_U8 &&
               value->type.quantization.count == 1) {
        importer->raw[tensor] = importer_relabel(importer, as_uint8(importer, value), &raw);
    } else {
        return importer_wrong_type(importer, WEFT_MODEL,
                                   "the type of an output tensor is not what follows from its "
                                   "inputs");
    }
    importer->raw[tensor]->tensor = tensor;
    return true;
}
