/* Quantised operators. Products are nodes of integers; the others become what stands for them in
 * models of QuantizeLinear and DequantizeLinear, a float operator between both, which
 * weft_pass_fuse_quantize() gives its meaning. */
#include <math.h>
#include <string.h>

#include "compiler/import/onnx/onnx_pool.h"
#include "compiler/import/onnx/onnx_product.h"

/* ---- scales ---- */

/* The zero points of input `number`, all 0 where it is missing; *dtype is their type. */
static bool read_zeros(struct onnx_importer *importer, uint32_t number, uint32_t count,
                       int32_t *zeros, enum weft_dtype *dtype) {
    if (!onnx_has(importer, number)) {
        return true;
    }
    const struct weft_value *value = onnx_known_input(importer, number);
    const uint8_t *data = value == NULL ? NULL : weft_value_data(value);
    if (value == NULL) {
        return false;
    }
    if (data == NULL || weft_type_elements(&value->type) != (int64_t)count) {
        return onnx_wrong(importer, WEFT_OPERATOR,
                          "zero points must be known when the model is read, as many as scales");
    }
    if (value->type.dtype != WEFT_I8 && value->type.dtype != WEFT_U8 &&
        value->type.dtype != WEFT_I16 && value->type.dtype != WEFT_I32) {
        return onnx_wrong(importer, WEFT_OPERATOR,
                          "zero points must be INT8, UINT8, INT16 or INT32");
    }
    for (uint32_t i = 0; i < count; i++) {
        zeros[i] = (int32_t)weft_element(value->type.dtype, data, i);
    }
    *dtype = value->type.dtype;
    return true;
}

/* Scales and zero points of two inputs, along `axis` when there are many. *dtype is left as it is
 * where the zero point is missing. */
static bool read_scale(struct onnx_importer *importer, uint32_t number, uint32_t axis,
                       struct weft_quantization *q, enum weft_dtype *dtype) {
    const struct weft_value *value = onnx_computed(importer, onnx_known_input(importer, number));
    const uint8_t *data = value == NULL ? NULL : weft_value_data(value);
    if (value == NULL) {
        return false;
    }
    if (data == NULL || value->type.dtype != WEFT_F32 || value->type.rank > 1 ||
        weft_type_elements(&value->type) < 1) {
        return onnx_wrong(importer, WEFT_OPERATOR,
                          "scales must be known when the model is read, one or a list");
    }
    uint32_t count = (uint32_t)weft_type_elements(&value->type);
    double *scales = WEFT_NEW_ARRAY(importer->arena, count, double);
    int32_t *zeros = WEFT_NEW_ARRAY(importer->arena, count, int32_t);
    for (uint32_t i = 0; i < count; i++) {
        float scale;
        memcpy(&scale, data + i * sizeof scale, sizeof scale);
        if (!(scale > 0) || isinf(scale)) {
            return onnx_wrong(importer, WEFT_MODEL, "a scale is not a positive finite number");
        }
        scales[i] = (double)scale;
    }
    *q = (struct weft_quantization){
        .count = count, .axis = count == 1 ? 0 : axis, .scale = scales, .zero = zeros};
    return read_zeros(importer, number + 1, count, zeros, dtype);
}

/* As many scales as the axis has elements, and zero points that the type has. */
static bool fits(const struct onnx_importer *importer, const struct weft_type *type,
                 const struct weft_quantization *q) {
    bool good = q->count == 1 || (q->axis < type->rank && type->dim[q->axis] == (int64_t)q->count);
    for (uint32_t i = 0; good && i < q->count; i++) {
        good =
            q->zero[i] >= weft_dtype_min(type->dtype) && q->zero[i] <= weft_dtype_max(type->dtype);
    }
    return good || onnx_wrong(importer, WEFT_MODEL,
                              "scales do not fit the axis, or zero points the element type");
}

/* Input `number` with the scale and zero point that follow it. */
static struct weft_value *quantized_input(struct onnx_importer *importer, uint32_t number,
                                          uint32_t axis) {
    struct weft_value *x = onnx_input(importer, number);
    struct weft_quantization q = {0};
    enum weft_dtype dtype = x == NULL ? WEFT_I8 : x->type.dtype;
    if (x == NULL || !read_scale(importer, number + 1, axis, &q, &dtype)) {
        return NULL;
    }
    if (dtype != x->type.dtype || (dtype != WEFT_I8 && dtype != WEFT_U8)) {
        return onnx_none(importer, WEFT_OPERATOR,
                         "expected INT8 or UINT8 elements and zero points of the same type");
    }
    return fits(importer, &x->type, &q) ? onnx_relabel(importer, x, q) : NULL;
}

/* The type of the result: elements of the zero point's type, by one scale. */
static bool result_type(struct onnx_importer *importer, uint32_t scale, enum weft_dtype missing,
                        struct weft_type *type) {
    *type = (struct weft_type){.dtype = missing};
    if (!read_scale(importer, scale, 0, &type->quantization, &type->dtype)) {
        return false;
    }
    return (type->quantization.count == 1 && (type->dtype == WEFT_I8 || type->dtype == WEFT_U8)) ||
           onnx_wrong(importer, WEFT_OPERATOR, "its result must be INT8 or UINT8 with one scale");
}

/* `type` in the shape of a value. */
static struct weft_type shaped(struct weft_type type, const struct weft_value *like) {
    type.rank = like->type.rank;
    memcpy(type.dim, like->type.dim, sizeof type.dim);
    return type;
}

/* ---- from floats and back ---- */

static bool check_blocks(const struct onnx_importer *importer) {
    return onnx_int(importer, "block_size", 0) == 0 ||
           onnx_wrong(importer, WEFT_OPERATOR, "scales of blocks are not supported");
}

static bool axis_of(struct onnx_importer *importer, const struct weft_value *x, int64_t *axis) {
    const struct weft_value *scale = onnx_input(importer, 1);
    *axis = 0;
    return scale != NULL &&
           (scale->type.rank == 0 || weft_type_elements(&scale->type) == 1 ||
            onnx_axis(importer, onnx_int(importer, "axis", 1), x->type.rank, axis));
}

/* To nearest, ties to even: the graph's qnn.quantize rounds ties away from zero unless it says
 * `even`. */
bool onnx_quantize(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    int64_t axis = 0;
    int64_t wanted = onnx_int(importer, "output_dtype", 0);
    struct weft_type type = {.dtype = WEFT_U8};
    if (x == NULL || !check_blocks(importer) || !axis_of(importer, x, &axis)) {
        return false;
    }
    if (wanted != 0 && !onnx_dtype((int32_t)wanted, &type.dtype)) {
        return onnx_wrong(importer, WEFT_OPERATOR, "its output_dtype is not supported");
    }
    if (!read_scale(importer, 1, (uint32_t)axis, &type.quantization, &type.dtype)) {
        return false;
    }
    type = shaped(type, x);
    if (type.dtype != WEFT_I8 && type.dtype != WEFT_U8 && type.dtype != WEFT_I16) {
        return onnx_wrong(importer, WEFT_OPERATOR, "expected a result of INT8, UINT8 or INT16");
    }
    struct weft_attribute even = weft_attr_text(WEFT_ATTR_rounding, "even");
    return fits(importer, &type, &type.quantization) &&
           onnx_finish(importer,
                       onnx_declare(importer, WEFT_OP_QNN_QUANTIZE, 1, &x, 1, &even, &type));
}

bool onnx_dequantize(struct onnx_importer *importer) {
    struct weft_value *x = onnx_input(importer, 0);
    int64_t axis = 0;
    struct weft_quantization q = {0};
    if (x == NULL || !check_blocks(importer) || !axis_of(importer, x, &axis)) {
        return false;
    }
    enum weft_dtype dtype = x->type.dtype;
    if (!read_scale(importer, 1, (uint32_t)axis, &q, &dtype)) {
        return false;
    }
    if (dtype != x->type.dtype ||
        (dtype != WEFT_I8 && dtype != WEFT_U8 && dtype != WEFT_I16 && dtype != WEFT_I32)) {
        return onnx_wrong(importer, WEFT_OPERATOR,
                          "expected INT8, UINT8, INT16 or INT32, and zero points of the same type");
    }
    struct weft_value *y =
        fits(importer, &x->type, &q)
            ? onnx_unary(importer, WEFT_OP_QNN_DEQUANTIZE, onnx_relabel(importer, x, q))
            : NULL;
    return onnx_finish_as(importer, y, onnx_input(importer, 1)->type.dtype);
}

/* ---- while it runs ---- */

/* Scale and zero point of the input's own range, which 0 is in. */
bool onnx_dynamic_quantize(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    if (x == NULL) {
        return false;
    }
    uint32_t all = (UINT32_C(1) << x->type.rank) - 1;
    struct weft_value *zero = onnx_scalar(importer, 0);
    struct weft_value *most = onnx_scalar(importer, 255);
    struct weft_value *high = onnx_binary(
        importer, WEFT_OP_MAXIMUM, onnx_reduce(importer, WEFT_OP_REDUCE_MAX, x, all, false), zero);
    struct weft_value *low = onnx_binary(
        importer, WEFT_OP_MINIMUM, onnx_reduce(importer, WEFT_OP_REDUCE_MIN, x, all, false), zero);
    struct weft_value *range = onnx_binary(importer, WEFT_OP_SUBTRACT, high, low);
    /* Where all elements are 0, any scale would do; ONNX Runtime takes 1. */
    struct weft_value *none = onnx_compare(importer, "equal", range, zero);
    struct weft_value *one = onnx_scalar(importer, 1);
    struct weft_value *scale =
        onnx_select(importer, none, one, onnx_binary(importer, WEFT_OP_DIVIDE, range, most));
    struct weft_value *point = onnx_binary(importer, WEFT_OP_SUBTRACT, zero,
                                           onnx_binary(importer, WEFT_OP_DIVIDE, low, scale));
    point = onnx_binary(importer, WEFT_OP_MINIMUM,
                        onnx_binary(importer, WEFT_OP_MAXIMUM, point, zero), most);
    point = onnx_unary(importer, WEFT_OP_ROUND, point);
    struct weft_value *y =
        onnx_unary(importer, WEFT_OP_ROUND, onnx_binary(importer, WEFT_OP_DIVIDE, x, scale));
    y = onnx_binary(importer, WEFT_OP_ADD, y, point);
    y = onnx_binary(importer, WEFT_OP_MINIMUM, onnx_binary(importer, WEFT_OP_MAXIMUM, y, zero),
                    most);
    return onnx_finish_as(importer, y, WEFT_U8) && onnx_finish_at(importer, 1, scale) &&
           onnx_finish_at(importer, 2, onnx_cast(importer, point, WEFT_U8));
}

/* ---- products ---- */

/* Adds a bias of int32, if there is one, and rounds to the result's scale. */
static struct weft_value *rescale(struct onnx_importer *importer, struct weft_value *sums,
                                  uint32_t bias, const struct weft_type *type) {
    if (sums != NULL && onnx_has(importer, bias)) {
        sums = onnx_binary(importer, WEFT_OP_BIAS_ADD, sums,
                           onnx_plain(importer, onnx_input(importer, bias)));
    }
    if (sums == NULL) {
        return NULL;
    }
    struct weft_attribute attribute = weft_attr_text(WEFT_ATTR_rounding, "float");
    struct weft_type result = shaped(*type, sums);
    return onnx_declare(importer, WEFT_OP_QNN_REQUANTIZE, 1, &sums, 1, &attribute, &result);
}

bool onnx_qlinear_conv(struct onnx_importer *importer) {
    struct weft_type type;
    struct weft_value *x = quantized_input(importer, 0, 0);
    struct weft_value *weights = quantized_input(importer, 3, 0);
    if (x == NULL || weights == NULL || !result_type(importer, 6, WEFT_U8, &type)) {
        return false;
    }
    struct weft_value *y =
        rescale(importer, onnx_convolve(importer, WEFT_OP_QNN_CONV2D, x, weights), 8, &type);
    return onnx_finish(importer, onnx_convolved(importer, y, &x->type));
}

bool onnx_qlinear_matmul(struct onnx_importer *importer) {
    struct weft_type type;
    struct weft_value *a = quantized_input(importer, 0, 0);
    struct weft_value *b = quantized_input(importer, 3, 1);
    if (a == NULL || b == NULL || !result_type(importer, 6, WEFT_U8, &type)) {
        return false;
    }
    struct weft_value *y =
        onnx_multiply(importer, WEFT_OP_QNN_DENSE, WEFT_OP_QNN_BATCH_MATMUL, a, b);
    return onnx_finish(importer, rescale(importer, y, UINT32_MAX, &type));
}

bool onnx_qgemm(struct onnx_importer *importer) {
    struct weft_type type;
    bool transposed = onnx_int(importer, "transB", 0) != 0;
    struct weft_value *a = quantized_input(importer, 0, 0);
    struct weft_value *b = quantized_input(importer, 3, transposed ? 0 : 1);
    if (a == NULL || b == NULL) {
        return false;
    }
    if (onnx_float(importer, "alpha", 1) != 1 || !onnx_has(importer, 7)) {
        return onnx_wrong(importer, WEFT_OPERATOR, "alpha must be 1, and its result quantised");
    }
    if (a->type.rank != 2 || b->type.rank != 2) {
        return onnx_wrong(importer, WEFT_MODEL, "expected matrices");
    }
    if (!result_type(importer, 7, WEFT_U8, &type)) {
        return false;
    }
    a = onnx_int(importer, "transA", 0) != 0 ? onnx_swap(importer, a, 0, 1) : a;
    b = transposed ? b : onnx_swap(importer, b, 0, 1);
    struct weft_value *sums = onnx_binary(importer, WEFT_OP_QNN_DENSE, a, b);
    return onnx_finish(importer, rescale(importer, sums, 6, &type));
}

/* An operand of ConvInteger and MatMulInteger. */
struct integers {
    struct weft_value *x;    /* its scale is 1, its zero point what is known of it */
    struct weft_value *rest; /* what is taken off each element besides, i32; NULL: nothing */
};

/* Elements of i32, less the zero points that are known. */
static struct weft_value *plain_integers(struct onnx_importer *importer, struct weft_value *x) {
    int64_t dims[WEFT_MAX_RANK];
    if (x == NULL) {
        return NULL;
    }
    const struct weft_quantization *q = &x->type.quantization;
    for (uint32_t i = 0; i < x->type.rank; i++) {
        dims[i] = q->count > 1 && i == q->axis ? (int64_t)q->count : 1;
    }
    struct weft_value *zeros =
        onnx_data(importer, WEFT_I32, q->count > 1 ? x->type.rank : 0, dims, q->zero);
    return onnx_binary(importer, WEFT_OP_SUBTRACT, onnx_cast(importer, x, WEFT_I32), zeros);
}

/* x as elements of scale 1 whose `count` zero points are the known ones of input `zero`, zeros
 * where `zero` is UINT32_MAX. */
static struct weft_value *label(struct onnx_importer *importer, struct weft_value *x, uint32_t zero,
                                uint32_t count, uint32_t axis) {
    double *scales = WEFT_NEW_ARRAY(importer->arena, count, double);
    int32_t *zeros = WEFT_NEW_ARRAY(importer->arena, count, int32_t);
    enum weft_dtype dtype = x->type.dtype;
    for (uint32_t i = 0; i < count; i++) {
        scales[i] = 1;
    }
    struct weft_quantization q = {
        .count = count, .axis = count == 1 ? 0 : axis, .scale = scales, .zero = zeros};
    return read_zeros(importer, zero, count, zeros, &dtype) && fits(importer, &x->type, &q)
               ? onnx_relabel(importer, x, q)
               : NULL;
}

/* Zero points as i32: one without axes; of `rows` those of a list as a column. */
static struct weft_value *as_factors(struct onnx_importer *importer, struct weft_value *zeros,
                                     bool rows) {
    const int64_t count = weft_type_elements(&zeros->type);
    const int64_t column[2] = {count, 1};
    bool is_column = rows && count > 1 && zeros->type.rank == 1;
    uint32_t rank = count == 1 ? 0 : is_column ? 2 : zeros->type.rank;
    return onnx_reshape(importer, onnx_cast(importer, zeros, WEFT_I32), rank,
                        is_column ? column : zeros->type.dim);
}

enum {
    NO_AXIS = WEFT_MAX_RANK
};

/* Input `number`, whose zero point is input `zero`. The graph has scales for a tensor, and for the
 * elements of `axis`. What it has none for is the rest: a zero point that the model computes, as
 * DynamicQuantizeLinear does, and lists along other axes; `rows`: such a list is one of rows. */
static bool integer_input(struct onnx_importer *importer, uint32_t number, uint32_t zero,
                          uint32_t axis, bool rows, struct integers *integers) {
    struct weft_value *x = onnx_input(importer, number);
    struct weft_value *zeros = onnx_has(importer, zero) ? onnx_known_input(importer, zero) : NULL;
    if (x == NULL || (zeros == NULL && onnx_has(importer, zero))) {
        return false;
    }
    int64_t count = zeros == NULL ? 1 : weft_type_elements(&zeros->type);
    enum weft_dtype dtype = zeros == NULL ? x->type.dtype : zeros->type.dtype;
    if (dtype != x->type.dtype || (dtype != WEFT_I8 && dtype != WEFT_U8)) {
        return onnx_wrong(importer, WEFT_OPERATOR,
                          "expected INT8 or UINT8 elements, and zero points of the same type");
    }
    if (count < 1) {
        return onnx_wrong(importer, WEFT_MODEL, "there are no zero points");
    }
    bool is_known = zeros == NULL || weft_value_data(zeros) != NULL;
    bool is_label = is_known && (count == 1 || (axis < x->type.rank && zeros->type.rank == 1));
    integers->x =
        label(importer, x, is_label ? zero : UINT32_MAX, is_label ? (uint32_t)count : 1, axis);
    integers->rest = is_label ? NULL : as_factors(importer, zeros, rows);
    return integers->x != NULL && (is_label || integers->rest != NULL);
}

/* sums - rest * factors, in the shape of the sums: what a zero point adds to them. */
static struct weft_value *take_off(struct onnx_importer *importer, struct weft_value *sums,
                                   struct weft_value *rest, struct weft_value *factors) {
    struct weft_value *y = onnx_binary(importer, WEFT_OP_SUBTRACT, sums,
                                       onnx_binary(importer, WEFT_OP_MUL, rest, factors));
    return y == NULL || weft_shape_equal(&y->type, &sums->type)
               ? y
               : onnx_none(importer, WEFT_MODEL,
                           "zero points must be one, or one for each row of the first matrix and "
                           "each column of the second");
}

/* ---- convolutions of integers ---- */

/* With a zero point that is computed: sums of x and the weights, less the zero point times the sum
 * of the weights of an output. */
static struct weft_value *convolve_rest(struct onnx_importer *importer, const struct integers *x,
                                        struct weft_value *weights) {
    const int64_t outputs = weights->type.dim[0];
    struct onnx_window window;
    struct weft_value *zero = onnx_cast(importer, onnx_input(importer, 2), x->x->type.dtype);
    if (zero == NULL || x->rest->type.rank != 0) {
        return onnx_none(importer, WEFT_MODEL, "expected one zero point of its input");
    }
    zero = onnx_relabel(importer, onnx_reshape(importer, zero, 0, NULL), x->x->type.quantization);
    if (!onnx_convolution_window(importer, x->x, weights, &window)) {
        return NULL;
    }
    /* What it is padded with is its zero point, which is an element here. */
    struct weft_value *padded = onnx_window_pad(importer, x->x, &window, zero);
    memset(window.before, 0, sizeof window.before);
    memset(window.after, 0, sizeof window.after);
    struct weft_value *sums =
        onnx_convolve_window(importer, WEFT_OP_QNN_CONV2D, padded, weights, window);
    struct weft_value *factors =
        onnx_reduce(importer, WEFT_OP_SUM, plain_integers(importer, weights),
                    ((UINT32_C(1) << weights->type.rank) - 1) & ~UINT32_C(1), false);
    sums = onnx_plain(importer, sums);
    return take_off(importer, sums, x->rest, onnx_reshape(importer, factors, 1, &outputs));
}

bool onnx_conv_integer(struct onnx_importer *importer) {
    struct integers x;
    struct integers weights;
    if (!integer_input(importer, 0, 2, NO_AXIS, false, &x) ||
        !integer_input(importer, 1, 3, 0, false, &weights)) {
        return false;
    }
    if (weights.rest != NULL) {
        return onnx_wrong(
            importer, WEFT_OPERATOR,
            "the zero points of its weights must be known when the model is read, one "
            "or a list");
    }
    struct weft_value *sums = x.rest != NULL
                                  ? convolve_rest(importer, &x, weights.x)
                                  : onnx_convolve(importer, WEFT_OP_QNN_CONV2D, x.x, weights.x);
    return onnx_finish(importer, onnx_convolved(importer, onnx_plain(importer, sums), &x.x->type));
}

/* ---- products of integers ---- */

/* Sums over the axis that a product is gone over: of rows of the first operand, columns of the
 * second. `keep`: as an axis of one element. */
static struct weft_value *sum_rows(struct onnx_importer *importer, struct weft_value *a,
                                   bool keep) {
    return onnx_reduce(importer, WEFT_OP_SUM, plain_integers(importer, a),
                       UINT32_C(1) << (a->type.rank - 1), keep);
}

static struct weft_value *sum_columns(struct onnx_importer *importer, struct weft_value *b,
                                      bool keep) {
    return onnx_reduce(importer, WEFT_OP_SUM, plain_integers(importer, b),
                       b->type.rank == 1 ? 1 : UINT32_C(1) << (b->type.rank - 2), keep);
}

/* Of the sums of a * b, each over `depth` elements, is taken what zero points za and zb, as far as
 * they are computed, add to them: za * sum(b), and zb * (sum(a) - za * depth). */
static struct weft_value *take_zeros_off(struct onnx_importer *importer, struct weft_value *sums,
                                         const struct integers *a, const struct integers *b) {
    bool keep = a->x->type.rank > 1 && b->x->type.rank > 1;
    if (sums != NULL && a->rest != NULL) {
        sums = take_off(importer, sums, a->rest, sum_columns(importer, b->x, keep));
    }
    if (sums == NULL || b->rest == NULL) {
        return sums;
    }
    struct weft_value *rows = sum_rows(importer, a->x, keep);
    if (a->rest != NULL) {
        int64_t depth = a->x->type.dim[a->x->type.rank - 1];
        rows = take_off(importer, rows, a->rest, onnx_integer(importer, WEFT_I32, depth));
    }
    return take_off(importer, sums, b->rest, rows);
}

bool onnx_matmul_integer(struct onnx_importer *importer) {
    struct integers a;
    struct integers b;
    const struct weft_value *first = onnx_input(importer, 0);
    const struct weft_value *second = onnx_input(importer, 1);
    if (first == NULL || second == NULL ||
        !integer_input(importer, 0, 2, NO_AXIS, second->type.rank > 1, &a) ||
        !integer_input(importer, 1, 3,
                       first->type.rank == 2 && second->type.rank == 2 ? 1 : NO_AXIS, false, &b)) {
        return false;
    }
    struct weft_value *sums =
        onnx_multiply(importer, WEFT_OP_QNN_DENSE, WEFT_OP_QNN_BATCH_MATMUL, a.x, b.x);
    return onnx_finish(importer, take_zeros_off(importer, onnx_plain(importer, sums), &a, &b));
}

/* ---- ORT's operators on quantised tensors ---- */

/* x as floats. */
static struct weft_value *dequantized(struct onnx_importer *importer, uint32_t number) {
    return onnx_unary(importer, WEFT_OP_QNN_DEQUANTIZE, quantized_input(importer, number, 0));
}

/* Floats as the result, whose scale is input `scale`. */
static bool finish_quantized(struct onnx_importer *importer, struct weft_value *y, uint32_t scale) {
    const struct weft_value *x = onnx_input(importer, 0);
    struct weft_attribute even = weft_attr_text(WEFT_ATTR_rounding, "even");
    struct weft_type type;
    if (y == NULL || x == NULL || !result_type(importer, scale, x->type.dtype, &type)) {
        return false;
    }
    type = shaped(type, y);
    return onnx_finish(importer,
                       onnx_declare(importer, WEFT_OP_QNN_QUANTIZE, 1, &y, 1, &even, &type));
}

bool onnx_qlinear_binary(struct onnx_importer *importer) {
    bool is_add = strcmp(importer->node->op_type, "QLinearAdd") == 0;
    struct weft_value *a = dequantized(importer, 0);
    struct weft_value *b = dequantized(importer, 3);
    return finish_quantized(importer,
                            onnx_binary(importer, is_add ? WEFT_OP_ADD : WEFT_OP_MUL, a, b), 6);
}

static bool check_order(const struct onnx_importer *importer) {
    return onnx_int(importer, "channels_last", 0) == 0 ||
           onnx_wrong(importer, WEFT_OPERATOR, "channels_last must be 0");
}

bool onnx_qlinear_average_pool(struct onnx_importer *importer) {
    return check_order(importer) &&
           finish_quantized(importer, onnx_average(importer, dequantized(importer, 0), true), 3);
}

bool onnx_qlinear_global_pool(struct onnx_importer *importer) {
    struct weft_value *x = dequantized(importer, 0);
    if (x == NULL || !check_order(importer)) {
        return false;
    }
    uint32_t axes = ((UINT32_C(1) << x->type.rank) - 1) & ~UINT32_C(3);
    return finish_quantized(importer, onnx_reduce(importer, WEFT_OP_MEAN, x, axes, true), 3);
}

bool onnx_qlinear_unary(struct onnx_importer *importer) {
    struct weft_value *x = dequantized(importer, 0);
    struct weft_attribute alpha =
        weft_attr_float(WEFT_ATTR_alpha, (double)onnx_float(importer, "alpha", 0.01F));
    bool is_sigmoid = strcmp(importer->node->op_type, "QLinearSigmoid") == 0;
    return finish_quantized(importer,
                            is_sigmoid ? onnx_unary(importer, WEFT_OP_LOGISTIC, x)
                                       : onnx_apply(importer, WEFT_OP_LEAKY_RELU, 1, &x, 1, &alpha),
                            3);
}

bool onnx_qlinear_softmax(struct onnx_importer *importer) {
    struct weft_value *x = dequantized(importer, 0);
    struct weft_attribute beta = weft_attr_float(WEFT_ATTR_beta, 1);
    int64_t axis = 0;
    bool old = onnx_int(importer, "opset", importer->opset) < 13;
    if (x == NULL ||
        !onnx_axis(importer, onnx_int(importer, "axis", old ? 1 : -1), x->type.rank, &axis)) {
        return false;
    }
    if (old && axis != (int64_t)x->type.rank - 1) {
        return onnx_wrong(importer, WEFT_OPERATOR, "a softmax over several axes is not supported");
    }
    x = onnx_along(importer, WEFT_OP_SOFTMAX, x, (uint32_t)axis, 1, &beta);
    return finish_quantized(importer, x, 3);
}

/* Inputs: scale and zero point of the result, then tensor, scale and zero point of each part. */
bool onnx_qlinear_concat(struct onnx_importer *importer) {
    struct weft_value *parts[ONNX_MOST_PARTS];
    uint32_t count = ((uint32_t)importer->node->n_input - 2) / 3;
    struct weft_type type;
    int64_t axis = 0;
    if (importer->node->n_input != 2 + 3 * count || count < 1) {
        return onnx_wrong(importer, WEFT_MODEL,
                          "expected a scale and a zero point for each tensor");
    }
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = dequantized(importer, 2 + 3 * i);
        if (parts[i] == NULL) {
            return false;
        }
    }
    if (!result_type(importer, 0, onnx_input(importer, 2)->type.dtype, &type) ||
        !onnx_axis(importer, onnx_int(importer, "axis", 0), parts[0]->type.rank, &axis)) {
        return false;
    }
    struct weft_value *y = onnx_concatenate(importer, count, parts, (uint32_t)axis);
    struct weft_attribute even = weft_attr_text(WEFT_ATTR_rounding, "even");
    if (y == NULL) {
        return false;
    }
    type = shaped(type, y);
    return onnx_finish(importer,
                       onnx_declare(importer, WEFT_OP_QNN_QUANTIZE, 1, &y, 1, &even, &type));
}
