/* Products: convolutions, matrix products and the steps that follow them. */
#include <string.h>

#include "base/checked.h"
#include "base/integer.h"
#include "compiler/import/importer.h"

/* ---- what follows a product ---- */

/* How a product of quantised operands becomes the result. */
struct scaling {
    const char *narrow; /* rounding of int32 sums */
    const char *wide;   /* rounding of int64 sums */
};
/* Source: TFLite's kernels; docs/numerics.md. */
static const struct scaling convolution_scaling = {"gemmlowp", "reduced"};
static const struct scaling dense_scaling = {"single", "single"};

/* A bias of zeros for a product of floats. */
static struct weft_value *no_bias(struct importer *importer, int64_t channels) {
    struct weft_type type = weft_type_make(WEFT_F32, 1, &channels);
    const float *zeros = WEFT_NEW_ARRAY(importer->arena, (size_t)channels, float);
    return weft_graph_add_constant(importer->graph, &type, zeros, NULL, -1);
}

/* Input `number` is the bias, which may be missing; UINT32_MAX: the operator knows none. Float
 * operators that know one are limited to finite numbers where it is added. */
static bool add_bias(struct importer *importer, uint32_t number, struct weft_value **product) {
    struct weft_value *inputs[2] = {*product, NULL};
    if (importer_has_input(importer, number)) {
        if (!importer_input(importer, number, &inputs[1])) {
            return false;
        }
        int64_t channels = weft_type_elements(&inputs[1]->type);
        inputs[1] = importer_reshape(importer, inputs[1], 1, &channels);
    } else if (number != UINT32_MAX && (*product)->type.dtype == WEFT_F32) {
        inputs[1] = no_bias(importer, (*product)->type.dim[(*product)->type.rank - 1]);
    } else {
        return true;
    }
    return importer_infer(importer, WEFT_OP_BIAS_ADD, 2, inputs, 0, NULL, product);
}

/* The shape that the file says, of FULLY_CONNECTED, and the fused activation. */
static bool finish_shape(struct importer *importer, struct weft_value *product) {
    struct weft_type out = {0};
    if (!importer_result_type(importer, 0, &out)) {
        return false;
    }
    if (importer->op->code == TFLITE_FULLY_CONNECTED &&
        weft_type_elements(&out) == weft_type_elements(&product->type)) {
        product = importer_reshape(importer, product, out.rank, out.dim);
    }
    return importer_finish_activated(importer, product);
}

/* The bias, the result's scale and the fused activation. `bias` is the number of an input that may
 * be missing. */
static bool finish_product(struct importer *importer, struct weft_value *product, uint32_t bias,
                           const struct scaling *scaling) {
    struct weft_type type = {0};
    if (!add_bias(importer, bias, &product) || !importer_result_type(importer, 0, &type)) {
        return false;
    }
    if (product->type.dtype != WEFT_F32) {
        bool wide = product->type.dtype == WEFT_I64;
        struct weft_attribute rounding =
            weft_attr_text(WEFT_ATTR_rounding, wide ? scaling->wide : scaling->narrow);
        if (type.quantization.count != 1 || (type.dtype != WEFT_I8 && type.dtype != WEFT_I16)) {
            return importer_wrong_type(importer, WEFT_OPERATOR,
                                       "its output must be INT8, UINT8 or INT16, quantised per "
                                       "tensor");
        }
        memcpy(type.dim, product->type.dim, sizeof type.dim);
        type.rank = product->type.rank;
        if (!importer_declare(importer, WEFT_OP_QNN_REQUANTIZE, 1, &product, 1, &rounding, &type,
                              &product)) {
            return false;
        }
    }
    return finish_shape(importer, product);
}

/* Are these floats with int8 weights? */
static bool is_hybrid(const struct weft_value *x, const struct weft_value *weights) {
    return x->type.dtype == WEFT_F32 && weights->type.dtype == WEFT_I8;
}

/* Are both operands float, or both quantised, or the weights alone, as int8? Fails otherwise. */
static bool check_operands(const struct importer *importer, const struct weft_value *x,
                           const struct weft_value *weights) {
    if (x->type.dtype == WEFT_F32 && weights->type.dtype == WEFT_F32) {
        return true;
    }
    bool hybrid = is_hybrid(x, weights) && !importer_was_uint8(importer, 1) &&
                  importer->op->code != TFLITE_TRANSPOSE_CONV &&
                  importer->op->code != TFLITE_BATCH_MATMUL;
    if (x->type.dtype == WEFT_F32 && !hybrid) {
        return importer_wrong_type(importer, WEFT_OPERATOR,
                                   "a FLOAT32 input needs FLOAT32 weights, or INT8 ones of "
                                   "CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED");
    }
    return hybrid
               ? importer_need_quantized(importer, weights)
               : importer_need_quantized(importer, x) && importer_need_quantized(importer, weights);
}

/* Sums of int16 operands are int64 unless the options, or the bias, say int32. (LiteRT goes by the
 * options alone; it reads beyond an int32 bias that they do not mention.) */
static bool has_narrow_sums(const struct importer *importer, uint32_t bias) {
    return importer->op->options.bias_type == TFLITE_INT32 ||
           (importer_has_input(importer, bias) &&
            importer->file.tensors[importer->op->inputs[bias]].type == TFLITE_INT32);
}

/* Adds a product of floats (`plain`) or of quantised operands (`qnn`). */
static bool add_product(struct importer *importer, enum weft_operator plain, enum weft_operator qnn,
                        struct weft_value *const *operands, uint32_t attribute_count,
                        const struct weft_attribute *attributes, uint32_t bias,
                        struct weft_value **product) {
    bool is_float = operands[0]->type.dtype == WEFT_F32;
    if (!importer_infer(importer, is_float ? plain : qnn, 2, operands, attribute_count, attributes,
                        product)) {
        return false;
    }
    if (operands[0]->type.dtype == WEFT_I16) {
        (*product)->type.dtype = has_narrow_sums(importer, bias) ? WEFT_I32 : WEFT_I64;
    }
    return true;
}

/* The mark of products that were uint8 in the model. */
static struct weft_attribute uint8_mark(const struct importer *importer, uint32_t number) {
    return weft_attr_int(importer->arena, WEFT_ATTR_uint8, importer_was_uint8(importer, number));
}

/* ---- floats with int8 weights ---- */

/* Are all scales the same? LiteRT takes weights for those of one scale then. */
static bool has_one_scale(const struct weft_value *weights) {
    const struct weft_type *type = &weights->type;
    uint32_t i = 1;
    while (i < type->quantization.count && weft_type_scale(type, i) == weft_type_scale(type, 0)) {
        i++;
    }
    return i >= type->quantization.count;
}

/* Adds the product of floats with int8 weights, its bias and the fused activation; `operands` has
 * room for the bias. */
static bool finish_hybrid(struct importer *importer, enum weft_operator op,
                          struct weft_value *operands[3], uint32_t attribute_count,
                          const struct weft_attribute *attributes) {
    int64_t channels = operands[1]->type.dim[0];
    struct weft_value *product = NULL;
    if (!importer_has_input(importer, 2)) {
        operands[2] = no_bias(importer, channels);
    } else if (!importer_input(importer, 2, &operands[2])) {
        return false;
    } else if (weft_type_elements(&operands[2]->type) == channels) {
        operands[2] = importer_reshape(importer, operands[2], 1, &channels);
    }
    return importer_infer(importer, op, 3, operands, attribute_count, attributes, &product) &&
           finish_shape(importer, product);
}

/* ---- convolutions ---- */

static bool convolve(struct importer *importer, struct weft_value *x, struct weft_value *weights,
                     int64_t groups) {
    const struct tflite_options *options = &importer->op->options;
    int64_t strides[2] = {options->stride_h, options->stride_w};
    int64_t dilation[2] = {options->dilation_h, options->dilation_w};
    int64_t padding[4];
    for (int i = 0; i < 2; i++) {
        if (!importer_padding(importer, x->type.dim[1 + i], weights->type.dim[1 + i], dilation[i],
                              strides[i], &padding[i], &padding[2 + i])) {
            return false;
        }
    }
    struct weft_attribute attributes[] = {
        weft_attr_ints(importer->arena, WEFT_ATTR_strides, 2, strides),
        weft_attr_ints(importer->arena, WEFT_ATTR_padding, 4, padding),
        weft_attr_ints(importer->arena, WEFT_ATTR_dilation, 2, dilation),
        weft_attr_int(importer->arena, WEFT_ATTR_groups, groups),
        uint8_mark(importer, 0),
        {0},
    };
    uint32_t attribute_count = importer_was_uint8(importer, 0) ? 5 : 4;
    struct weft_value *inputs[3] = {x, weights, NULL};
    struct weft_value *product = NULL;
    if (is_hybrid(x, weights)) {
        /* Source: TFLite's Prepare() and Eval() of the two operators. */
        bool depthwise = importer->op->code == TFLITE_DEPTHWISE_CONV_2D;
        bool rows = depthwise || groups != 1 || !has_one_scale(weights);
        attributes[4] = weft_attr_int(importer->arena, WEFT_ATTR_asymmetric, rows);
        attributes[5] = weft_attr_int(importer->arena, WEFT_ATTR_sum_first, rows && !depthwise);
        return finish_hybrid(importer, WEFT_OP_HYBRID_CONV2D, inputs, 6, attributes);
    }
    return add_product(importer, WEFT_OP_CONV2D, WEFT_OP_QNN_CONV2D, inputs, attribute_count,
                       attributes, 2, &product) &&
           finish_product(importer, product, 2, &convolution_scaling);
}

/* LiteRT's convolutions take the zero points of int8 weights for 0, whatever the file says. */
static void drop_zero_points(struct importer *importer, struct weft_value **weights) {
    struct weft_type type = (*weights)->type;
    if (type.dtype == WEFT_I8 && !importer_was_uint8(importer, 1)) {
        type.quantization.zero = WEFT_NEW_ARRAY(importer->arena, type.quantization.count, int32_t);
        *weights = importer_relabel(importer, *weights, &type);
    }
}

static bool convolution_operands(struct importer *importer, int32_t table, uint32_t first,
                                 struct weft_value **x, struct weft_value **weights) {
    if (!importer_need_options(importer, table) ||
        !importer_input(importer, first == 0 ? 0 : 2, x) || !importer_input(importer, 1, weights) ||
        !check_operands(importer, *x, *weights)) {
        return false;
    }
    drop_zero_points(importer, weights);
    return ((*x)->type.rank == 4 && (*weights)->type.rank == 4) ||
           importer_wrong(importer, WEFT_MODEL, "expected an input and weights of 4 dimensions");
}

bool import_conv2d(struct importer *importer) {
    struct weft_value *x = NULL;
    struct weft_value *weights = NULL;
    if (!convolution_operands(importer, TFLITE_TABLE_CONV_2D, 0, &x, &weights)) {
        return false;
    }
    int64_t depth = weights->type.dim[3];
    if (x->type.dim[3] % depth != 0) {
        return importer_wrong(importer, WEFT_MODEL,
                              "input channels are not a multiple of those of the weights");
    }
    return convolve(importer, x, weights, x->type.dim[3] / depth);
}

/* Depthwise weights [1, KH, KW, O] become [O, KH, KW, 1]. */
static bool depthwise_weights(struct importer *importer, struct weft_value **weights) {
    static const int64_t order[4] = {3, 1, 2, 0};
    const struct weft_type *from = &(*weights)->type;
    const uint8_t *data = weft_value_data(*weights);
    if (data == NULL) {
        struct weft_attribute permutation =
            weft_attr_ints(importer->arena, WEFT_ATTR_permutation, 4, order);
        return importer_infer(importer, WEFT_OP_TRANSPOSE, 1, weights, 1, &permutation, weights);
    }
    size_t outputs = (size_t)from->dim[3];
    size_t taps = (size_t)(from->dim[1] * from->dim[2]);
    size_t size = weft_dtype_bytes(from->dtype);
    uint8_t *moved = weft_arena_allocate(importer->arena, outputs * taps, size);
    for (size_t tap = 0; tap < taps; tap++) {
        for (size_t o = 0; o < outputs; o++) {
            memcpy(moved + (o * taps + tap) * size, data + (tap * outputs + o) * size, size);
        }
    }
    int64_t dims[4] = {from->dim[3], from->dim[1], from->dim[2], 1};
    struct weft_type type = weft_type_make(from->dtype, 4, dims);
    type.quantization = from->quantization;
    type.quantization.axis = 0;
    *weights = weft_graph_add_constant(importer->graph, &type, moved, NULL, -1);
    return true;
}

bool import_depthwise(struct importer *importer) {
    struct weft_value *x = NULL;
    struct weft_value *weights = NULL;
    if (!convolution_operands(importer, TFLITE_TABLE_DEPTHWISE_CONV_2D, 0, &x, &weights)) {
        return false;
    }
    const struct weft_quantization *q = &weights->type.quantization;
    if (weights->type.dim[0] != 1 || (q->count > 1 && q->axis != 3) ||
        weights->type.dim[3] % x->type.dim[3] != 0) {
        return importer_wrong(
            importer, WEFT_MODEL,
            "expected weights [1, KH, KW, O], quantised along O, O a multiple of C");
    }
    return depthwise_weights(importer, &weights) && convolve(importer, x, weights, x->type.dim[3]);
}

/* What is cut off the full result along one axis, and what is added after it, so that it gets the
 * size that the file says. The padding is that of the convolution whose input has this size. */
static bool transposed_padding(const struct importer *importer, int64_t in, int64_t out,
                               int64_t kernel, int64_t stride, int64_t *before, int64_t *after,
                               int64_t *extra) {
    int64_t full = 0;
    if (!importer_padding(importer, out, kernel, 1, stride, before, after)) {
        return false;
    }
    if (!weft_mul_i64(in - 1, stride, &full) || !weft_add_i64(full, kernel, &full)) {
        return importer_wrong(importer, WEFT_MODEL, "its output is too large");
    }
    int64_t rest = out - (full - *before);
    *after = rest < 0 ? -rest : 0;
    *extra = rest > 0 ? rest : 0;
    return true;
}

/* Inputs: the shape of the output, weights [O, KH, KW, C], x, and maybe a bias. */
bool import_transpose_conv(struct importer *importer) {
    const struct tflite_options *options = &importer->op->options;
    struct weft_value *operands[2] = {NULL, NULL};
    struct weft_type out = {0};
    if (!convolution_operands(importer, TFLITE_TABLE_TRANSPOSE_CONV, 2, &operands[0],
                              &operands[1]) ||
        !importer_result_type(importer, 0, &out)) {
        return false;
    }
    if (out.rank != 4) {
        return importer_wrong(importer, WEFT_MODEL, "expected an output of 4 dimensions");
    }
    int64_t strides[2] = {options->stride_h, options->stride_w};
    int64_t padding[4];
    int64_t extra[2];
    for (int i = 0; i < 2; i++) {
        if (!transposed_padding(importer, operands[0]->type.dim[1 + i], out.dim[1 + i],
                                operands[1]->type.dim[1 + i], strides[i], &padding[i],
                                &padding[2 + i], &extra[i])) {
            return false;
        }
    }
    struct weft_attribute attributes[] = {
        weft_attr_ints(importer->arena, WEFT_ATTR_strides, 2, strides),
        weft_attr_ints(importer->arena, WEFT_ATTR_padding, 4, padding),
        weft_attr_ints(importer->arena, WEFT_ATTR_output_padding, 2, extra),
        uint8_mark(importer, 2),
    };
    struct weft_value *product = NULL;
    return add_product(importer, WEFT_OP_CONV2D_TRANSPOSE, WEFT_OP_QNN_CONV2D_TRANSPOSE, operands,
                       importer_was_uint8(importer, 2) ? 4 : 3, attributes, 3, &product) &&
           finish_product(importer, product, 3, &convolution_scaling);
}

/* ---- matrix products ---- */

/* Are these weights what TFLite's converter makes of pruned int8 weights: rows of blocks of 16, of
 * which some are stored? LiteRT has a kernel for them that rounds otherwise than the dense one. */
static bool has_stored_blocks(const struct importer *importer) {
    const struct tflite_tensor *x = &importer->file.tensors[importer->op->inputs[0]];
    const struct tflite_tensor *weights = &importer->file.tensors[importer->op->inputs[1]];
    const struct tflite_sparsity *sparsity = weights->data == NULL ? NULL : weights->sparsity;
    return x->type == TFLITE_INT8 && weights->type == TFLITE_INT8 && sparsity != NULL &&
           sparsity->level_count == 3 && sparsity->levels[0].format == TFLITE_DENSE &&
           sparsity->levels[1].format == TFLITE_SPARSE_CSR && sparsity->levels[2].size == 16;
}

/* LiteRT's FULLY_CONNECTED takes zero points of int8 weights by channel for 0. Source:
 * FullyConnectedPerChannel() of its reference kernels. */
static void drop_channel_zero_points(struct importer *importer, struct weft_value **weights) {
    if ((*weights)->type.quantization.count > 1) {
        drop_zero_points(importer, weights);
    }
}

/* FULLY_CONNECTED flattens its input to [N, K]; finish_product() gives the result [N, O] the shape
 * that the file says. */
bool import_fully_connected(struct importer *importer) {
    struct weft_value *inputs[3] = {NULL, NULL, NULL};
    if (!importer_need_options(importer, TFLITE_TABLE_FULLY_CONNECTED) ||
        !importer_inputs(importer, 2, inputs) || !check_operands(importer, inputs[0], inputs[1])) {
        return false;
    }
    if (importer->op->options.weights_format != 0) {
        return importer_wrong(importer, WEFT_OPERATOR, "shuffled weights are not supported");
    }
    int64_t elements = weft_type_elements(&inputs[0]->type);
    int64_t depth = inputs[1]->type.rank == 2 ? inputs[1]->type.dim[1] : 0;
    if (depth == 0 || elements % depth != 0) {
        return importer_wrong(importer, WEFT_MODEL,
                              "the input is not a multiple of the depth of weights [O, K]");
    }
    drop_channel_zero_points(importer, &inputs[1]);
    int64_t rows[2] = {elements / depth, depth};
    inputs[0] = importer_reshape(importer, inputs[0], 2, rows);
    struct weft_value *product = NULL;
    if (is_hybrid(inputs[0], inputs[1])) {
        struct weft_attribute asymmetric = weft_attr_int(importer->arena, WEFT_ATTR_asymmetric,
                                                         importer->op->options.asymmetric_inputs);
        return finish_hybrid(importer, WEFT_OP_HYBRID_DENSE, inputs, 1, &asymmetric);
    }
    bool blocks = has_stored_blocks(importer);
    bool in_float = blocks && inputs[1]->type.quantization.count == 1;
    struct weft_attribute mark = weft_attr_int(importer->arena, WEFT_ATTR_uint8, 1);
    return add_product(importer, WEFT_OP_DENSE, WEFT_OP_QNN_DENSE, inputs, in_float ? 1 : 0, &mark,
                       2, &product) &&
           finish_product(importer, product, 2, blocks ? &convolution_scaling : &dense_scaling);
}

bool import_batch_matmul(struct importer *importer) {
    const struct tflite_options *options = &importer->op->options;
    struct weft_value *inputs[2] = {NULL, NULL};
    struct weft_value *product = NULL;
    if (!importer_need_options(importer, TFLITE_TABLE_BATCH_MATMUL) ||
        !importer_inputs(importer, 2, inputs) || !check_operands(importer, inputs[0], inputs[1])) {
        return false;
    }
    struct weft_attribute attributes[] = {
        weft_attr_int(importer->arena, WEFT_ATTR_transpose_a, options->transpose_a),
        weft_attr_int(importer->arena, WEFT_ATTR_transpose_b, options->transpose_b),
    };
    return add_product(importer, WEFT_OP_BATCH_MATMUL, WEFT_OP_QNN_BATCH_MATMUL, inputs, 2,
                       attributes, 2, &product) &&
           finish_product(importer, product, UINT32_MAX, &convolution_scaling);
}
