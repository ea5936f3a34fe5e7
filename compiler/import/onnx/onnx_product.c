#include "compiler/import/onnx/onnx_product.h"

#include <string.h>

#include "base/integer.h"
#include "compiler/import/onnx/onnx_depth.h"

/* ---- convolutions ---- */

static bool check_weights(const struct onnx_importer *importer, const struct weft_value *x,
                          const struct weft_value *weights) {
    return (x->type.rank == weights->type.rank && x->type.rank >= 3 && x->type.rank <= 5) ||
           onnx_wrong(importer, WEFT_OPERATOR,
                      "expected input and weights of 3 to 5 dimensions, alike");
}

/* Two operands of a convolution over rows and columns, channels last: of a window over three axes
 * the first one is gone. */
static void fold_window(struct onnx_importer *importer, struct onnx_window *window,
                        struct weft_value *inputs[2]) {
    struct onnx_taps taps = {.taps = (uint32_t)window->kernel[0], .step = window->stride[0]};
    if (window->kernel[0] > ONNX_MOST_PARTS) {
        inputs[0] = onnx_none(importer, WEFT_OPERATOR,
                              "windows of more than 1024 planes are not supported");
        return;
    }
    int64_t padded = inputs[0]->type.dim[2] + window->before[0] + window->after[0];
    taps.count = (padded - onnx_reach(window, 0)) / taps.step + 1;
    for (uint32_t k = 0; k < taps.taps; k++) {
        taps.offset[k] = k * window->dilation[0] - window->before[0];
    }
    inputs[0] = onnx_fold_depth(importer, onnx_depth_to_last(importer, inputs[0]), &taps,
                                onnx_int(importer, "group", 1));
    inputs[1] = onnx_fold_weights(importer, inputs[1]);
    onnx_drop_depth(window);
}

bool onnx_convolution_window(struct onnx_importer *importer, const struct weft_value *x,
                             const struct weft_value *weights, struct onnx_window *window) {
    return x != NULL && weights != NULL && check_weights(importer, x, weights) &&
           onnx_window(importer, &x->type, weights->type.dim + 2, window);
}

struct weft_value *onnx_convolve(struct onnx_importer *importer, enum weft_operator op,
                                 struct weft_value *x, struct weft_value *weights) {
    struct onnx_window window;
    return onnx_convolution_window(importer, x, weights, &window)
               ? onnx_convolve_window(importer, op, x, weights, window)
               : NULL;
}

struct weft_value *onnx_convolve_window(struct onnx_importer *importer, enum weft_operator op,
                                        struct weft_value *x, struct weft_value *weights,
                                        struct onnx_window window) {
    if (x == NULL || weights == NULL) {
        return NULL;
    }
    struct weft_value *inputs[2] = {x, weights};
    if (window.axes == 3) {
        fold_window(importer, &window, inputs);
    } else {
        onnx_widen_window(&window);
        inputs[0] = onnx_to_last(importer, onnx_widen(importer, x));
        inputs[1] = onnx_to_last(importer, onnx_widen(importer, weights));
    }
    const int64_t padding[4] = {window.before[0], window.before[1], window.after[0],
                                window.after[1]};
    const struct weft_attribute attributes[] = {
        weft_attr_ints(importer->arena, WEFT_ATTR_strides, 2, window.stride),
        weft_attr_ints(importer->arena, WEFT_ATTR_padding, 4, padding),
        weft_attr_ints(importer->arena, WEFT_ATTR_dilation, 2, window.dilation),
        weft_attr_int(importer->arena, WEFT_ATTR_groups, onnx_int(importer, "group", 1))};
    return onnx_apply(importer, op, 2, inputs, 4, attributes);
}

struct weft_value *onnx_convolved(struct onnx_importer *importer, struct weft_value *product,
                                  const struct weft_type *x) {
    return x->rank == 5 ? onnx_depth_to_first(importer, product, x->dim[0])
                        : onnx_narrow(importer, onnx_to_first(importer, product), x->rank - 2);
}

/* The product and a bias of one element for each channel; NULL: there is none. */
static struct weft_value *with_bias(struct onnx_importer *importer, struct weft_value *product,
                                    struct weft_value *bias) {
    return bias == NULL ? product : onnx_binary(importer, WEFT_OP_BIAS_ADD, product, bias);
}

bool onnx_conv(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    struct weft_value *weights = onnx_float_input(importer, 1);
    struct weft_value *bias = onnx_has(importer, 2) ? onnx_float_input(importer, 2) : NULL;
    if (onnx_has(importer, 2) && bias == NULL) {
        return false;
    }
    struct weft_value *product =
        with_bias(importer, onnx_convolve(importer, WEFT_OP_CONV2D, x, weights), bias);
    return product != NULL &&
           onnx_finish_like(importer, onnx_convolved(importer, product, &x->type));
}

/* ---- transposed convolutions ---- */

/* What a transposed convolution cuts off, and adds. */
struct spread {
    struct onnx_window window;
    int64_t extra[ONNX_MOST_AXES]; /* output_padding */
};

/* Elements of a result without padding. */
static int64_t whole_size(const struct spread *spread, const struct weft_type *x, uint32_t i) {
    const struct onnx_window *w = &spread->window;
    return (x->dim[2 + i] - 1) * w->stride[i] + onnx_reach(w, i) + spread->extra[i];
}

/* Padding that leads to given sizes; `first`: the odd element is cut off the start, else off the
 * end. Larger sizes are reached by zeros at the end. */
static bool pad_to(struct onnx_importer *importer, const struct weft_type *x, const int64_t *sizes,
                   bool first, struct spread *spread) {
    for (uint32_t i = 0; i < spread->window.axes; i++) {
        if (sizes[i] < 1 || sizes[i] > WEFT_MAX_ELEMENTS) {
            return onnx_wrong(importer, WEFT_MODEL, "its output_shape is below 1 or too large");
        }
        int64_t total = whole_size(spread, x, i) - sizes[i];
        spread->extra[i] += weft_max(-total, 0);
        total = weft_max(total, 0);
        spread->window.before[i] = first ? total - total / 2 : total / 2;
        spread->window.after[i] = total - spread->window.before[i];
    }
    return true;
}

static bool read_spread(struct onnx_importer *importer, const struct weft_type *x,
                        const struct weft_type *weights, struct spread *spread) {
    const char *mode = onnx_text(importer, "auto_pad", "NOTSET");
    int64_t sizes[ONNX_MOST_AXES];
    struct weft_type large = *x; /* any window fits it: here they need not */
    for (uint32_t i = 2; i < x->rank; i++) {
        large.dim[i] = INT64_C(1) << 62;
    }
    memset(spread->extra, 0, sizeof spread->extra);
    if (!onnx_window(importer, &large, weights->dim + 2, &spread->window) ||
        !onnx_ints(importer, "output_padding", spread->window.axes, 0, spread->extra)) {
        return false;
    }
    for (uint32_t i = 0; i < spread->window.axes; i++) {
        if (spread->extra[i] < 0 || spread->extra[i] > (1 << 24)) {
            return onnx_wrong(importer, WEFT_MODEL, "output_padding is below 0 or too large");
        }
        sizes[i] = x->dim[2 + i] * spread->window.stride[i];
    }
    if (onnx_attribute(importer, "output_shape") != NULL) {
        return onnx_ints(importer, "output_shape", spread->window.axes, 0, sizes) &&
               pad_to(importer, x, sizes, strcmp(mode, "SAME_UPPER") != 0, spread);
    }
    return mode[0] != 'S' || pad_to(importer, x, sizes, strcmp(mode, "SAME_LOWER") == 0, spread);
}

/* Weights [O, KH, KW, C] with zeros between the elements of a dilated window. */
static struct weft_value *dilate(struct onnx_importer *importer, struct weft_value *weights,
                                 struct onnx_window *window) {
    for (uint32_t i = 0; weights != NULL && i < 2; i++) {
        const struct weft_type *type = &weights->type;
        int64_t steps = window->dilation[i];
        if (steps == 1 || window->kernel[i] == 1) {
            continue;
        }
        int64_t apart[4] = {type->dim[0], i == 0 ? type->dim[1] : type->dim[1] * type->dim[2], 1,
                            i == 0 ? type->dim[2] * type->dim[3] : type->dim[3]};
        int64_t pads[8] = {0, 0, 0, 0, 0, steps - 1, 0, 0};
        int64_t together[4] = {type->dim[0], type->dim[1], type->dim[2], type->dim[3]};
        together[1 + i] *= steps;
        weights = onnx_pad(importer, onnx_reshape(importer, weights, 4, apart), pads, NULL);
        weights = onnx_reshape(importer, weights, 4, together);
        window->kernel[i] = (window->kernel[i] - 1) * steps + 1;
        weights = onnx_part(importer, weights, 1 + i, 0, 1, window->kernel[i]);
    }
    return weights;
}

/* How many groups become one: of a channel each they would fill no lanes, and there may be
 * hundreds. More than 64 would be mostly zeros. */
static int64_t groups_together(int64_t groups, int64_t channels, int64_t outputs) {
    enum {
        FEW_CHANNELS = 16,
        MOST_TOGETHER = 64
    };
    int64_t together = 1;
    for (int64_t m = 2; m <= weft_min(groups, MOST_TOGETHER) &&
                        weft_min(channels, outputs) * together < FEW_CHANNELS;
         m++) {
        together = groups % m == 0 ? m : together;
    }
    return together;
}

/* Constant weights [C, O, ...] of groups of `each` channels as [C, `together` * O, ...], with the
 * zero point where the groups that are one share nothing. */
static struct weft_value *put_together(struct onnx_importer *importer,
                                       const struct weft_value *constant,
                                       const struct weft_type *type, int64_t each,
                                       int64_t together) {
    const int64_t channels = type->dim[0];
    const size_t bytes = (size_t)weft_type_elements(type) * weft_dtype_bytes(type->dtype);
    const size_t row = bytes / (size_t)(channels * together); /* a channel's, of one group */
    const uint8_t *from = weft_value_data(constant);
    uint8_t *data = WEFT_NEW_ARRAY(importer->arena, bytes, uint8_t);
    if (type->quantization.count > 0) {
        memset(data, (uint8_t)type->quantization.zero[0], bytes);
    }
    for (int64_t c = 0; c < channels; c++) {
        int64_t member = c / each % together;
        memcpy(data + (size_t)(c * together + member) * row, from + (size_t)c * row, row);
    }
    return onnx_relabel(importer, onnx_data(importer, type->dtype, type->rank, type->dim, data),
                        type->quantization);
}

/* Bytes or floats, with one zero point? */
static bool has_one_zero(const struct weft_type *type) {
    const struct weft_quantization *q = &type->quantization;
    bool one = type->dtype == WEFT_F32 || weft_dtype_bytes(type->dtype) == 1;
    for (uint32_t i = 1; i < q->count; i++) {
        one = one && q->zero[i] == q->zero[0];
    }
    return one;
}

/* The weights with several groups as one, where they are constants, floats or dequantised; *groups:
 * how many there are then. */
static struct weft_value *with_fewer_groups(struct onnx_importer *importer,
                                            struct weft_value *weights, int64_t *groups) {
    enum {
        MOST_WEIGHTS = 1 << 26 /* that are mostly zeros */
    };
    const struct weft_node *node = weights->producer;
    bool is_quantized = node != NULL && node->op == WEFT_OP_QNN_DEQUANTIZE;
    const struct weft_value *constant = is_quantized ? node->inputs[0] : weights;
    struct weft_type type = constant->type;
    if (weft_value_data(constant) == NULL || weft_type_elements(&type) == 0 ||
        !has_one_zero(&type)) {
        return weights;
    }
    int64_t each = type.dim[0] / *groups;
    int64_t together = groups_together(*groups, each, type.dim[1]);
    type.dim[1] *= together;
    if (type.quantization.axis == 1) {
        type.quantization =
            weft_repeat_scales(importer->arena, &type.quantization, (size_t)together);
    }
    if (together == 1 || !onnx_is_bearable(&type) || weft_type_elements(&type) > MOST_WEIGHTS) {
        return weights;
    }
    *groups /= together;
    struct weft_value *made = put_together(importer, constant, &type, each, together);
    return is_quantized ? onnx_unary(importer, WEFT_OP_QNN_DEQUANTIZE, made) : made;
}

/* One group: x [N, H, W, C], weights [C, O, KH, KW]. What output_padding adds beyond what padding
 * would cut off are the results of zeros behind x. */
static struct weft_value *spread_group(struct onnx_importer *importer, struct weft_value *x,
                                       struct weft_value *weights, const struct spread *spread) {
    static const int64_t order[] = {1, 2, 3, 0};
    struct onnx_window window = spread->window;
    int64_t pads[8] = {0};
    int64_t padding[4];
    static const int64_t none[2] = {0, 0};
    weights = dilate(importer, onnx_transpose(importer, weights, order), &window);
    for (uint32_t i = 0; i < 2; i++) {
        int64_t added = weft_max(spread->extra[i] - window.after[i], 0);
        int64_t zeros = weft_ceil_div(added, window.stride[i]);
        pads[2 * (1 + i) + 1] = zeros;
        padding[i] = window.before[i];
        padding[2 + i] =
            weft_max(window.after[i] - spread->extra[i], 0) + zeros * window.stride[i] - added;
    }
    const struct weft_attribute attributes[] = {
        weft_attr_ints(importer->arena, WEFT_ATTR_strides, 2, window.stride),
        weft_attr_ints(importer->arena, WEFT_ATTR_padding, 4, padding),
        weft_attr_ints(importer->arena, WEFT_ATTR_output_padding, 2, none)};
    struct weft_value *inputs[] = {onnx_pad(importer, x, pads, NULL), weights};
    return onnx_apply(importer, WEFT_OP_CONV2D_TRANSPOSE, 2, inputs, 3, attributes);
}

/* The taps of a window over three axes that meet planes of x in the results `phase`, `phase` +
 * stride and so on: weights [C, O, KD, KH, KW] to [taps * C, O, KH, KW]. */
static struct weft_value *take_taps(struct onnx_importer *importer, struct weft_value *weights,
                                    const struct onnx_window *window, int64_t phase, int64_t depth,
                                    struct onnx_taps *taps) {
    static const int64_t order[] = {2, 0, 1, 3, 4};
    struct weft_value *parts[ONNX_MOST_PARTS];
    taps->taps = 0;
    for (int64_t k = 0; k < window->kernel[0]; k++) {
        int64_t place = phase + window->before[0] - k * window->dilation[0];
        if (place % window->stride[0] == 0) {
            parts[taps->taps] = onnx_part(importer, weights, 2, k, 1, 1);
            taps->offset[taps->taps++] = place / window->stride[0];
        }
    }
    if (taps->taps == 0) { /* any one, of zeros behind the last plane */
        parts[0] = onnx_part(importer, weights, 2, 0, 1, 1);
        taps->offset[taps->taps++] = depth;
    }
    const int64_t *dim = weights->type.dim;
    const int64_t dims[4] = {taps->taps * dim[0], dim[1], dim[3], dim[4]};
    weights = onnx_concatenate(importer, taps->taps, parts, 2);
    return onnx_reshape(importer, onnx_transpose(importer, weights, order), 4, dims);
}

/* One group of a window over three axes: x [N, D, H, W, C], weights [C, O, KD, KH, KW], to images
 * [N * D, H, W, O], phase by phase of the depth. */
static struct weft_value *spread_depth(struct onnx_importer *importer, struct weft_value *x,
                                       struct weft_value *weights, struct weft_value *bias,
                                       const struct spread *spread, int64_t depth) {
    struct weft_value *phases[ONNX_MOST_PARTS];
    struct spread plane = *spread;
    int64_t stride = spread->window.stride[0];
    if (x == NULL || weights == NULL || stride > ONNX_MOST_PARTS || depth < 1 ||
        spread->window.kernel[0] > ONNX_MOST_PARTS) {
        return x == NULL || weights == NULL
                   ? NULL
                   : onnx_none(importer, WEFT_OPERATOR,
                               "strides and windows of more than 1024 planes, and results of none, "
                               "are not supported");
    }
    const int64_t n = x->type.dim[0];
    onnx_drop_depth(&plane.window);
    memmove(plane.extra, plane.extra + 1, 2 * sizeof plane.extra[0]);
    struct onnx_taps taps = {.step = 1, .count = weft_ceil_div(depth, stride)};
    for (int64_t p = 0; p < stride; p++) {
        struct weft_value *some =
            take_taps(importer, weights, &spread->window, p, x->type.dim[1], &taps);
        struct weft_value *y = with_bias(
            importer, spread_group(importer, onnx_fold_depth(importer, x, &taps, 1), some, &plane),
            bias);
        if (y == NULL) {
            return NULL;
        }
        const int64_t *dim = y->type.dim;
        phases[p] = onnx_reshape(importer, y, 6,
                                 (const int64_t[]){n, taps.count, 1, dim[1], dim[2], dim[3]});
    }
    struct weft_value *y = onnx_concatenate(importer, (uint32_t)stride, phases, 2);
    if (y == NULL) {
        return NULL;
    }
    const int64_t *dim = y->type.dim;
    y = onnx_reshape(importer, y, 5,
                     (const int64_t[]){n, taps.count * stride, dim[3], dim[4], dim[5]});
    y = onnx_part(importer, y, 1, 0, 1, depth);
    return y == NULL ? NULL
                     : onnx_reshape(importer, y, 4,
                                    (const int64_t[]){n * depth, y->type.dim[2], y->type.dim[3],
                                                      y->type.dim[4]});
}

bool onnx_conv_transpose(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    struct weft_value *weights = onnx_float_input(importer, 1);
    struct weft_value *parts[ONNX_MOST_PARTS];
    int64_t groups = onnx_int(importer, "group", 1);
    struct spread spread;
    if (x == NULL || weights == NULL || !check_weights(importer, x, weights) ||
        !read_spread(importer, &x->type, &weights->type, &spread)) {
        return false;
    }
    int64_t channels = weights->type.dim[0];
    if (groups < 1 || groups > ONNX_MOST_PARTS || channels % groups != 0 ||
        channels != x->type.dim[1]) {
        return onnx_wrong(importer, WEFT_MODEL,
                          "channels of input, weights and groups do not agree");
    }
    weights = with_fewer_groups(importer, weights, &groups);
    const struct weft_type type = x->type;
    bool deep = type.rank == 5;
    int64_t depth =
        whole_size(&spread, &type, 0) - spread.window.before[0] - spread.window.after[0];
    if (deep) {
        x = onnx_depth_to_last(importer, x);
    } else {
        onnx_widen_window(&spread.window);
        spread.extra[1] = type.rank == 3 ? spread.extra[0] : spread.extra[1];
        spread.extra[0] = type.rank == 3 ? 0 : spread.extra[0];
        x = onnx_to_last(importer, onnx_widen(importer, x));
        weights = onnx_widen(importer, weights);
    }
    int64_t each = channels / groups;
    int64_t outputs = weights == NULL ? 0 : weights->type.dim[1];
    struct weft_value *bias = onnx_has(importer, 2) ? onnx_float_input(importer, 2) : NULL;
    if (onnx_has(importer, 2) &&
        (bias == NULL || bias->type.rank != 1 || bias->type.dim[0] != groups * outputs)) {
        return bias != NULL &&
               onnx_wrong(importer, WEFT_MODEL, "expected a bias of an element for each channel");
    }
    for (int64_t g = 0; g < groups; g++) {
        struct weft_value *of_bias =
            bias == NULL ? NULL : onnx_part(importer, bias, 0, g * outputs, 1, outputs);
        struct weft_value *of_x = onnx_part(importer, x, deep ? 4 : 3, g * each, 1, each);
        struct weft_value *of_weights = onnx_part(importer, weights, 0, g * each, 1, each);
        parts[g] =
            deep ? spread_depth(importer, of_x, of_weights, of_bias, &spread, depth)
                 : with_bias(importer, spread_group(importer, of_x, of_weights, &spread), of_bias);
    }
    struct weft_value *y = onnx_concatenate(importer, (uint32_t)groups, parts, 3);
    return onnx_finish_like(importer, onnx_convolved(importer, y, &type));
}

/* ---- matrix products ---- */

/* One axis becomes two; `row`: the second. */
static struct weft_value *as_matrix(struct onnx_importer *importer, struct weft_value *x,
                                    bool row) {
    const int64_t dims[2] = {row ? 1 : x->type.dim[0], row ? x->type.dim[0] : 1};
    return x->type.rank == 1 ? onnx_reshape(importer, x, 2, dims) : x;
}

/* Without the axes that as_matrix() added. */
static struct weft_value *without_axes(struct onnx_importer *importer, struct weft_value *y,
                                       bool row, bool column) {
    if (y == NULL || (!row && !column)) {
        return y;
    }
    uint32_t rank = y->type.rank;
    int64_t dims[WEFT_MAX_RANK];
    uint32_t count = 0;
    for (uint32_t i = 0; i < rank; i++) {
        if (!(row && i == rank - 2) && !(column && i == rank - 1)) {
            dims[count++] = y->type.dim[i];
        }
    }
    return onnx_reshape(importer, y, count, dims);
}

struct weft_value *onnx_multiply(struct onnx_importer *importer, enum weft_operator dense,
                                 enum weft_operator batch, struct weft_value *a,
                                 struct weft_value *b) {
    if (a == NULL || b == NULL) {
        return NULL;
    }
    if (a->type.rank < 1 || b->type.rank < 1) {
        return onnx_none(importer, WEFT_MODEL, "expected matrices");
    }
    bool row = a->type.rank == 1;
    bool column = b->type.rank == 1;
    a = as_matrix(importer, a, true);
    b = as_matrix(importer, b, false);
    if (a == NULL || b == NULL) {
        return NULL;
    }
    struct weft_value *y = NULL;
    if (a->type.rank == 2 && b->type.rank == 2) {
        y = onnx_binary(importer, dense, a, onnx_swap(importer, b, 0, 1));
    } else {
        struct weft_value *inputs[] = {a, b};
        const struct weft_attribute attributes[] = {
            weft_attr_int(importer->arena, WEFT_ATTR_transpose_a, 0),
            weft_attr_int(importer->arena, WEFT_ATTR_transpose_b, 0)};
        y = onnx_apply(importer, batch, 2, inputs, 2, attributes);
    }
    return without_axes(importer, y, row, column);
}

bool onnx_matmul(struct onnx_importer *importer) {
    struct weft_value *a = onnx_float_input(importer, 0);
    struct weft_value *b = onnx_float_input(importer, 1);
    return onnx_finish_like(importer,
                            onnx_multiply(importer, WEFT_OP_DENSE, WEFT_OP_BATCH_MATMUL, a, b));
}

/* Adds C times beta: one element for each output as a bias, everything else as it is broadcast. */
static struct weft_value *add_matrix(struct onnx_importer *importer, struct weft_value *product) {
    struct weft_value *c = onnx_has(importer, 2) ? onnx_float_input(importer, 2) : NULL;
    float beta = onnx_float(importer, "beta", 1);
    if (!onnx_has(importer, 2) || beta == 0) {
        return product;
    }
    if (beta != 1) {
        c = onnx_binary(importer, WEFT_OP_MUL, c, onnx_scalar(importer, beta));
    }
    bool is_bias = c != NULL && product != NULL && c->type.rank >= 1 &&
                   c->type.dim[c->type.rank - 1] == product->type.dim[1] &&
                   weft_type_elements(&c->type) == product->type.dim[1];
    c = is_bias ? onnx_reshape(importer, c, 1, &product->type.dim[1]) : c;
    return onnx_binary(importer, is_bias ? WEFT_OP_BIAS_ADD : WEFT_OP_ADD, product, c);
}

bool onnx_gemm(struct onnx_importer *importer) {
    struct weft_value *a = onnx_float_input(importer, 0);
    struct weft_value *b = onnx_float_input(importer, 1);
    float alpha = onnx_float(importer, "alpha", 1);
    if (a == NULL || b == NULL) {
        return false;
    }
    if (a->type.rank != 2 || b->type.rank != 2) {
        return onnx_wrong(importer, WEFT_MODEL, "expected matrices");
    }
    a = onnx_int(importer, "transA", 0) != 0 ? onnx_swap(importer, a, 0, 1) : a;
    b = onnx_int(importer, "transB", 0) != 0 ? b : onnx_swap(importer, b, 0, 1);
    struct weft_value *product = onnx_binary(importer, WEFT_OP_DENSE, a, b);
    if (alpha != 1) {
        product = onnx_binary(importer, WEFT_OP_MUL, product, onnx_scalar(importer, alpha));
    }
    return onnx_finish_like(importer, add_matrix(importer, product));
}
