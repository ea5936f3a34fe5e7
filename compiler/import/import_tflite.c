/* TFLite operators in the quantised dialect: one small function for each. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/integer.h"
#include "compiler/import/import.h"
#include "compiler/import/tflite_file.h"

struct importer {
    struct weft_arena *arena;
    struct tflite_file file;
    struct weft_graph *graph;
    struct weft_value **values; /* by tensor */
    uint32_t index;             /* of the operator */
    const struct tflite_operator *op;
    struct weft_error *error;
};

static bool wrong(const struct importer *importer, enum weft_error_code code, const char *what) {
    return weft_fail(importer->error, code, importer->index,
                     "operator %" PRIu32 " (%s version %" PRId32 "): %s", importer->index,
                     importer->op->name, importer->op->version, what);
}

/* ---- tensors ---- */

static bool dtype_of(int32_t type, enum weft_dtype *dtype) {
    switch (type) {
    case TFLITE_INT8:
        *dtype = WEFT_I8;
        return true;
    case TFLITE_UINT8:
        *dtype = WEFT_U8;
        return true;
    case TFLITE_INT16:
        *dtype = WEFT_I16;
        return true;
    case TFLITE_INT32:
        *dtype = WEFT_I32;
        return true;
    case TFLITE_INT64:
        *dtype = WEFT_I64;
        return true;
    case TFLITE_FLOAT32:
        *dtype = WEFT_F32;
        return true;
    case TFLITE_BOOL:
        *dtype = WEFT_BOOL;
        return true;
    default:
        return false;
    }
}

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
            !(scale[i] > 0.0) || !isfinite(scale[i])) {
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

static bool type_of(struct importer *importer, int32_t index, struct weft_type *type) {
    const struct tflite_tensor *tensor = &importer->file.tensors[index];
    *type = (struct weft_type){.rank = tensor->rank};
    bool good = tensor->rank <= WEFT_MAX_RANK && dtype_of(tensor->type, &type->dtype);
    for (uint32_t i = 0; good && i < tensor->rank; i++) {
        type->dim[i] = tensor->shape[i];
        good = tensor->shape[i] > 0;
    }
    if (!good || weft_type_elements(type) < 0) {
        return weft_fail(importer->error, WEFT_MODEL, (uint64_t)index,
                         "tensor %" PRId32
                         ": expected a known element type and at most %d dimensions, "
                         "all positive and fixed, with less than 2^31 elements",
                         index, WEFT_MAX_RANK);
    }
    if (!quantization_of(importer->arena, tensor, type)) {
        return weft_fail(importer->error, WEFT_MODEL, (uint64_t)index,
                         "tensor %" PRId32
                         ": quantisation needs positive finite scales, one or one for "
                         "each element of its axis, and zero points inside the element type",
                         index);
    }
    return true;
}

/* The value of a tensor: made by an operator before, an input, or a constant. */
static bool value_of(struct importer *importer, int32_t index, struct weft_value **value) {
    const struct tflite_tensor *tensor = &importer->file.tensors[index];
    if (importer->values[index] == NULL) {
        struct weft_type type = {0};
        if (tensor->data == NULL || tensor->is_variable) {
            return weft_fail(importer->error, WEFT_MODEL, importer->index,
                             "operator %" PRIu32 " (%s): tensor %" PRId32
                             " is used before an operator makes it",
                             importer->index, importer->op->name, index);
        }
        if (!type_of(importer, index, &type)) {
            return false;
        }
        if (tensor->length != weft_type_bytes(&type)) {
            return weft_fail(importer->error, WEFT_MODEL, (uint64_t)index,
                             "tensor %" PRId32 ": its buffer has %zu bytes, its shape needs %zu",
                             index, tensor->length, weft_type_bytes(&type));
        }
        importer->values[index] =
            weft_graph_add_constant(importer->graph, &type, tensor->data, NULL, index);
    }
    *value = importer->values[index];
    return true;
}

static bool input(struct importer *importer, uint32_t number, struct weft_value **value) {
    if (number >= importer->op->input_count || importer->op->inputs[number] < 0) {
        return wrong(importer, WEFT_MODEL, "an input is missing");
    }
    return value_of(importer, importer->op->inputs[number], value);
}

static bool has_input(const struct importer *importer, uint32_t number) {
    return number < importer->op->input_count && importer->op->inputs[number] >= 0;
}

static bool output_type(struct importer *importer, struct weft_type *type) {
    if (importer->op->output_count != 1) {
        return wrong(importer, WEFT_MODEL, "expected one output");
    }
    return type_of(importer, importer->op->outputs[0], type);
}

/* ---- building ---- */

static struct weft_value *add_node(struct importer *importer, enum weft_operator op,
                                   uint32_t input_count, struct weft_value *const *inputs,
                                   uint32_t attribute_count,
                                   const struct weft_attribute *attributes,
                                   const struct weft_type *type) {
    struct weft_node *node =
        weft_graph_add_node(importer->graph, op, input_count, inputs, attribute_count, attributes);
    node->source = (int32_t)importer->index;
    return weft_node_add_result(importer->graph, node, type, -1);
}

/* As add_node(), for an operator whose result type follows from its inputs. */
static bool add_inferred(struct importer *importer, enum weft_operator op, uint32_t input_count,
                         struct weft_value *const *inputs, uint32_t attribute_count,
                         const struct weft_attribute *attributes, struct weft_value **value) {
    struct weft_type type = {0};
    struct weft_node *node =
        weft_graph_add_node(importer->graph, op, input_count, inputs, attribute_count, attributes);
    node->source = (int32_t)importer->index;
    if (!weft_node_infer(importer->arena, node, &type, importer->error)) {
        importer->error->code = WEFT_MODEL;
        importer->error->position = importer->index;
        return weft_fail_context(importer->error, "operator %" PRIu32 " (%s)", importer->index,
                                 importer->op->name);
    }
    *value = weft_node_add_result(importer->graph, node, &type, -1);
    return true;
}

/* `real` as steps of the scale. A step so small that the number passes any type's range, or that is
 * no number, stands for the range's end. */
static int64_t steps_of(float real, float scale) {
    float steps = roundf(real / scale);
    return (int64_t)fmaxf(fminf(steps, 1e9F), -1e9F);
}

/* TFLite's limits of a fused activation: CalculateActivationRangeQuantized(). */
static void activation_limits(int32_t activation, const struct weft_type *type, int64_t *min,
                              int64_t *max) {
    float scale = (float)type->quantization.scale[0];
    int32_t zero = type->quantization.zero[0];
    *min = weft_dtype_min(type->dtype);
    *max = weft_dtype_max(type->dtype);
    if (activation == TFLITE_ACTIVATION_RELU || activation == TFLITE_ACTIVATION_RELU6) {
        *min = weft_max(*min, zero);
    }
    if (activation == TFLITE_ACTIVATION_RELU6) {
        *max = weft_min(*max, zero + steps_of(6.0F, scale));
    }
    if (activation == TFLITE_ACTIVATION_RELU_N1_TO_1) {
        *min = weft_max(*min, zero + steps_of(-1.0F, scale));
        *max = weft_min(*max, zero + steps_of(1.0F, scale));
    }
}

static struct weft_value *reshaped(struct importer *importer, struct weft_value *value,
                                   uint32_t rank, const int64_t *dims) {
    struct weft_type type = weft_type_make(value->type.dtype, rank, dims);
    type.quantization = value->type.quantization;
    return weft_shape_equal(&type, &value->type)
               ? value
               : add_node(importer, WEFT_OP_RESHAPE, 1, &value, 0, NULL, &type);
}

/* Makes `value` the operator's result, clipped as its fused activation says. */
static bool finish(struct importer *importer, struct weft_value *value) {
    int32_t activation = importer->op->options.activation;
    if (activation < TFLITE_ACTIVATION_NONE || activation > TFLITE_ACTIVATION_RELU6) {
        return wrong(importer, WEFT_OPERATOR, "its fused activation is not supported");
    }
    if (activation != TFLITE_ACTIVATION_NONE && value->type.quantization.count != 1) {
        return wrong(importer, WEFT_MODEL, "an activation is fused to a tensor without one scale");
    }
    if (activation != TFLITE_ACTIVATION_NONE) {
        int64_t min = 0;
        int64_t max = 0;
        activation_limits(activation, &value->type, &min, &max);
        struct weft_attribute limits[] = {
            weft_attr_int(importer->arena, WEFT_ATTR_min, min),
            weft_attr_int(importer->arena, WEFT_ATTR_max, max),
        };
        if (!add_inferred(importer, WEFT_OP_CLIP, 1, &value, 2, limits, &value)) {
            return false;
        }
    }
    int32_t tensor = importer->op->outputs[0];
    struct weft_type type = {0};
    if (!output_type(importer, &type)) {
        return false;
    }
    if (importer->op->code == TFLITE_FULLY_CONNECTED &&
        weft_type_elements(&type) == weft_type_elements(&value->type)) {
        value = reshaped(importer, value, type.rank, type.dim);
    }
    if (!weft_type_equal(&type, &value->type)) {
        return wrong(importer, WEFT_MODEL,
                     "the type of its output tensor is not what follows from its inputs");
    }
    value->tensor = tensor;
    importer->values[tensor] = value;
    return true;
}

static bool need_options(const struct importer *importer) {
    return importer->op->options.present || wrong(importer, WEFT_MODEL, "its options are missing");
}

/* SAME or VALID padding of one axis. */
static bool padding_of(const struct importer *importer, int64_t size, int64_t kernel,
                       int64_t dilation, int64_t stride, int64_t *before, int64_t *after) {
    *before = 0;
    *after = 0;
    if (stride < 1 || dilation < 1 || kernel < 1) {
        return wrong(importer, WEFT_MODEL, "strides, dilations and kernels must be positive");
    }
    if (importer->op->options.padding == TFLITE_PADDING_SAME) {
        int64_t reach = (kernel - 1) * dilation + 1;
        int64_t total = weft_max((weft_ceil_div(size, stride) - 1) * stride + reach - size, 0);
        *before = total / 2;
        *after = total - *before;
    } else if (importer->op->options.padding != TFLITE_PADDING_VALID) {
        return wrong(importer, WEFT_MODEL, "padding must be SAME or VALID");
    }
    return true;
}

/* ---- operators ---- */

static bool check_quantized(const struct importer *importer, const struct weft_value *value) {
    if ((value->type.dtype == WEFT_I8 || value->type.dtype == WEFT_U8) &&
        value->type.quantization.count > 0) {
        return true;
    }
    return wrong(importer, WEFT_OPERATOR, "only 8-bit quantised tensors are supported");
}

/* bias_add, qnn.requantize and the fused activation after a product. */
static bool finish_product(struct importer *importer, struct weft_value *product,
                           const char *rounding) {
    if (has_input(importer, 2)) {
        struct weft_value *inputs[2] = {product, NULL};
        if (!input(importer, 2, &inputs[1]) ||
            !add_inferred(importer, WEFT_OP_BIAS_ADD, 2, inputs, 0, NULL, &product)) {
            return false;
        }
    }
    struct weft_type type = {0};
    if (!output_type(importer, &type)) {
        return false;
    }
    if (type.quantization.count != 1) {
        return wrong(importer, WEFT_MODEL, "its output must be quantised per tensor");
    }
    memcpy(type.dim, product->type.dim, sizeof type.dim);
    type.rank = product->type.rank;
    struct weft_attribute attribute = weft_attr_text(WEFT_ATTR_rounding, rounding);
    struct weft_value *result =
        add_node(importer, WEFT_OP_QNN_REQUANTIZE, 1, &product, 1, &attribute, &type);
    return check_quantized(importer, result) && finish(importer, result);
}

static bool convolve(struct importer *importer, struct weft_value *x, struct weft_value *weights,
                     int64_t groups) {
    const struct tflite_options *options = &importer->op->options;
    int64_t strides[2] = {options->stride_h, options->stride_w};
    int64_t dilation[2] = {options->dilation_h, options->dilation_w};
    int64_t padding[4];
    for (int i = 0; i < 2; i++) {
        if (!padding_of(importer, x->type.dim[1 + i], weights->type.dim[1 + i], dilation[i],
                        strides[i], &padding[i], &padding[2 + i])) {
            return false;
        }
    }
    struct weft_attribute attributes[] = {
        weft_attr_ints(importer->arena, WEFT_ATTR_strides, 2, strides),
        weft_attr_ints(importer->arena, WEFT_ATTR_padding, 4, padding),
        weft_attr_ints(importer->arena, WEFT_ATTR_dilation, 2, dilation),
        weft_attr_int(importer->arena, WEFT_ATTR_groups, groups),
    };
    struct weft_value *inputs[2] = {x, weights};
    struct weft_value *product = NULL;
    return add_inferred(importer, WEFT_OP_QNN_CONV2D, 2, inputs, 4, attributes, &product) &&
           finish_product(importer, product, "gemmlowp");
}

static bool conv2d_operands(struct importer *importer, struct weft_value **x,
                            struct weft_value **weights) {
    if (!need_options(importer) || !input(importer, 0, x) || !input(importer, 1, weights) ||
        !check_quantized(importer, *x) || !check_quantized(importer, *weights)) {
        return false;
    }
    if ((*x)->type.rank != 4 || (*weights)->type.rank != 4) {
        return wrong(importer, WEFT_MODEL, "expected an input and weights of 4 dimensions");
    }
    return true;
}

static bool import_conv2d(struct importer *importer) {
    struct weft_value *x = NULL;
    struct weft_value *weights = NULL;
    if (!conv2d_operands(importer, &x, &weights)) {
        return false;
    }
    int64_t depth = weights->type.dim[3];
    if (x->type.dim[3] % depth != 0) {
        return wrong(importer, WEFT_MODEL,
                     "input channels are not a multiple of those of the weights");
    }
    return convolve(importer, x, weights, x->type.dim[3] / depth);
}

/* Depthwise weights [1, KH, KW, O] become [O, KH, KW, 1]. */
static struct weft_value *depthwise_weights(struct importer *importer,
                                            const struct weft_value *weights) {
    const struct weft_type *from = &weights->type;
    const uint8_t *data = weft_value_data(weights);
    int64_t outputs = from->dim[3];
    int64_t taps = from->dim[1] * from->dim[2];
    uint8_t *moved = WEFT_NEW_ARRAY(importer->arena, (size_t)(outputs * taps), uint8_t);
    for (int64_t tap = 0; tap < taps; tap++) {
        for (int64_t o = 0; o < outputs; o++) {
            moved[o * taps + tap] = data[tap * outputs + o];
        }
    }
    int64_t dims[4] = {outputs, from->dim[1], from->dim[2], 1};
    struct weft_type type = weft_type_make(from->dtype, 4, dims);
    type.quantization = from->quantization;
    type.quantization.axis = 0;
    return weft_graph_add_constant(importer->graph, &type, moved, NULL, -1);
}

static bool import_depthwise(struct importer *importer) {
    struct weft_value *x = NULL;
    struct weft_value *weights = NULL;
    if (!conv2d_operands(importer, &x, &weights)) {
        return false;
    }
    if (weft_value_data(weights) == NULL) {
        return wrong(importer, WEFT_OPERATOR, "weights that are not constant are not supported");
    }
    const struct weft_quantization *q = &weights->type.quantization;
    if (weights->type.dim[0] != 1 || (q->count > 1 && q->axis != 3) ||
        weights->type.dim[3] % x->type.dim[3] != 0) {
        return wrong(importer, WEFT_MODEL,
                     "expected weights [1, KH, KW, O], quantised along O, O a multiple of C");
    }
    return convolve(importer, x, depthwise_weights(importer, weights), x->type.dim[3]);
}

/* FULLY_CONNECTED flattens its input to [N, K]; finish() gives the result [N, O] the shape that the
 * file says. */
static bool import_fully_connected(struct importer *importer) {
    struct weft_value *inputs[2] = {NULL, NULL};
    if (!need_options(importer) || !input(importer, 0, &inputs[0]) ||
        !input(importer, 1, &inputs[1]) || !check_quantized(importer, inputs[0]) ||
        !check_quantized(importer, inputs[1])) {
        return false;
    }
    if (importer->op->options.weights_format != 0) {
        return wrong(importer, WEFT_OPERATOR, "shuffled weights are not supported");
    }
    int64_t elements = weft_type_elements(&inputs[0]->type);
    int64_t depth = inputs[1]->type.rank == 2 ? inputs[1]->type.dim[1] : 0;
    if (depth == 0 || elements % depth != 0) {
        return wrong(importer, WEFT_MODEL,
                     "the input is not a multiple of the depth of weights [O, K]");
    }
    int64_t rows[2] = {elements / depth, depth};
    inputs[0] = reshaped(importer, inputs[0], 2, rows);
    struct weft_value *product = NULL;
    return add_inferred(importer, WEFT_OP_QNN_DENSE, 2, inputs, 0, NULL, &product) &&
           finish_product(importer, product, "single");
}

static bool import_add(struct importer *importer) {
    struct weft_value *inputs[2] = {NULL, NULL};
    struct weft_type type = {0};
    if (!need_options(importer) || !input(importer, 0, &inputs[0]) ||
        !input(importer, 1, &inputs[1]) || !check_quantized(importer, inputs[0]) ||
        !check_quantized(importer, inputs[1]) || !output_type(importer, &type)) {
        return false;
    }
    if (!weft_shape_equal(&inputs[0]->type, &inputs[1]->type) ||
        !weft_shape_equal(&inputs[0]->type, &type)) {
        return wrong(importer, WEFT_OPERATOR, "broadcasting is not supported");
    }
    return finish(importer, add_node(importer, WEFT_OP_QNN_ADD, 2, inputs, 0, NULL, &type));
}

static bool import_pool(struct importer *importer) {
    const struct tflite_options *options = &importer->op->options;
    struct weft_value *x = NULL;
    if (!need_options(importer) || !input(importer, 0, &x) || !check_quantized(importer, x)) {
        return false;
    }
    if (x->type.rank != 4) {
        return wrong(importer, WEFT_MODEL, "expected an input of 4 dimensions");
    }
    int64_t kernel[2] = {options->filter_h, options->filter_w};
    int64_t strides[2] = {options->stride_h, options->stride_w};
    int64_t padding[4];
    for (int i = 0; i < 2; i++) {
        if (!padding_of(importer, x->type.dim[1 + i], kernel[i], 1, strides[i], &padding[i],
                        &padding[2 + i])) {
            return false;
        }
    }
    struct weft_attribute attributes[] = {
        weft_attr_ints(importer->arena, WEFT_ATTR_kernel, 2, kernel),
        weft_attr_ints(importer->arena, WEFT_ATTR_strides, 2, strides),
        weft_attr_ints(importer->arena, WEFT_ATTR_padding, 4, padding),
    };
    enum weft_operator op =
        importer->op->code == TFLITE_MAX_POOL_2D ? WEFT_OP_MAX_POOL2D : WEFT_OP_AVG_POOL2D;
    struct weft_value *value = NULL;
    return add_inferred(importer, op, 1, &x, 3, attributes, &value) && finish(importer, value);
}

static bool import_pad(struct importer *importer) {
    struct weft_value *x = NULL;
    struct weft_value *pads = NULL;
    if (!input(importer, 0, &x) || !input(importer, 1, &pads) || !check_quantized(importer, x)) {
        return false;
    }
    const uint8_t *data = weft_value_data(pads);
    bool wide = pads->type.dtype == WEFT_I64;
    if (data == NULL || (pads->type.dtype != WEFT_I32 && !wide) ||
        weft_type_elements(&pads->type) != 2 * (int64_t)x->type.rank) {
        return wrong(importer, WEFT_OPERATOR, "expected constant pads, two for each dimension");
    }
    int64_t values[2 * WEFT_MAX_RANK];
    for (uint32_t i = 0; i < 2 * x->type.rank; i++) {
        values[i] = wide ? (int64_t)weft_read_u64(data + 8 * (size_t)i)
                         : weft_read_i32(data + 4 * (size_t)i);
    }
    struct weft_attribute attribute =
        weft_attr_ints(importer->arena, WEFT_ATTR_pads, 2 * x->type.rank, values);
    struct weft_value *value = NULL;
    return add_inferred(importer, WEFT_OP_PAD, 1, &x, 1, &attribute, &value) &&
           finish(importer, value);
}

/* The new shape is that of the output tensor, which the file fixes. */
static bool import_reshape(struct importer *importer) {
    struct weft_value *x = NULL;
    struct weft_type type = {0};
    if (!input(importer, 0, &x) || !output_type(importer, &type)) {
        return false;
    }
    if (weft_type_elements(&type) != weft_type_elements(&x->type)) {
        return wrong(importer, WEFT_MODEL, "input and output have different numbers of elements");
    }
    return finish(importer, add_node(importer, WEFT_OP_RESHAPE, 1, &x, 0, NULL, &type));
}

static bool import_softmax(struct importer *importer) {
    struct weft_value *x = NULL;
    struct weft_type type = {0};
    if (!need_options(importer) || !input(importer, 0, &x) || !check_quantized(importer, x) ||
        !output_type(importer, &type)) {
        return false;
    }
    struct weft_attribute beta =
        weft_attr_float(WEFT_ATTR_beta, (double)importer->op->options.beta);
    return finish(importer, add_node(importer, WEFT_OP_QNN_SOFTMAX, 1, &x, 1, &beta, &type));
}

static const struct {
    int32_t code;
    bool (*import)(struct importer *importer);
} operators[] = {
    {TFLITE_ADD, import_add},
    {TFLITE_AVERAGE_POOL_2D, import_pool},
    {TFLITE_CONV_2D, import_conv2d},
    {TFLITE_DEPTHWISE_CONV_2D, import_depthwise},
    {TFLITE_FULLY_CONNECTED, import_fully_connected},
    {TFLITE_MAX_POOL_2D, import_pool},
    {TFLITE_PAD, import_pad},
    {TFLITE_RESHAPE, import_reshape},
    {TFLITE_SOFTMAX, import_softmax},
};

static bool import_operator(struct importer *importer) {
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (operators[i].code == importer->op->code) {
            if (importer->op->output_count != 1 ||
                importer->values[importer->op->outputs[0]] != NULL) {
                return wrong(importer, WEFT_MODEL,
                             "expected one output, a tensor that nothing else makes");
            }
            return operators[i].import(importer);
        }
    }
    return wrong(importer, WEFT_OPERATOR, "this operator is not supported");
}

bool weft_import_tflite(struct weft_arena *arena, const uint8_t *bytes, size_t length,
                        struct weft_graph **graph, struct weft_error *error) {
    struct importer importer = {.arena = arena, .error = error};
    if (!tflite_file_read(arena, bytes, length, &importer.file, error)) {
        return false;
    }
    static const struct tflite_operator inputs = {.name = "inputs"};
    importer.op = &inputs;
    importer.graph = weft_graph_new(arena, "main");
    importer.values = WEFT_NEW_ARRAY(arena, importer.file.tensor_count, struct weft_value *);
    for (uint32_t i = 0; i < importer.file.input_count; i++) {
        int32_t index = importer.file.inputs[i];
        struct weft_type type = {0};
        if (!type_of(&importer, index, &type)) {
            return false;
        }
        if (importer.values[index] != NULL) {
            return wrong(&importer, WEFT_MODEL, "a tensor is an input twice");
        }
        importer.values[index] = weft_graph_add_input(importer.graph, &type, NULL, index);
    }
    for (importer.index = 0; importer.index < importer.file.operator_count; importer.index++) {
        importer.op = &importer.file.operators[importer.index];
        if (!import_operator(&importer)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < importer.file.output_count; i++) {
        struct weft_value *value = NULL;
        if (!value_of(&importer, importer.file.outputs[i], &value)) {
            return false;
        }
        weft_graph_add_output(importer.graph, value);
    }
    weft_graph_name(importer.graph);
    *graph = importer.graph;
    return weft_graph_verify(importer.graph, error);
}
