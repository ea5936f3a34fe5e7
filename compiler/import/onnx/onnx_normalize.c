/* Normalisations, and softmax. */
#include <string.h>

#include "compiler/import/onnx/onnx_importer.h"

/* ---- along axes ---- */

struct weft_value *onnx_normalize(struct onnx_importer *importer, struct weft_value *x,
                                  uint32_t axes, float epsilon, struct weft_value **mean,
                                  struct weft_value **inverse) {
    struct weft_value *middle = onnx_reduce(importer, WEFT_OP_MEAN, x, axes, true);
    struct weft_value *rest = onnx_binary(importer, WEFT_OP_SUBTRACT, x, middle);
    struct weft_value *variance =
        onnx_reduce(importer, WEFT_OP_MEAN, onnx_unary(importer, WEFT_OP_SQUARE, rest), axes, true);
    struct weft_value *root =
        onnx_unary(importer, WEFT_OP_SQRT,
                   onnx_binary(importer, WEFT_OP_ADD, variance, onnx_scalar(importer, epsilon)));
    if (mean != NULL) {
        *mean = middle;
        *inverse = onnx_binary(importer, WEFT_OP_DIVIDE, onnx_scalar(importer, 1), root);
    }
    return onnx_binary(importer, WEFT_OP_DIVIDE, rest, root);
}

struct weft_value *onnx_normalize_size(struct onnx_importer *importer, struct weft_value *x,
                                       uint32_t axes, float epsilon, struct weft_value **inverse) {
    struct weft_value *mean =
        onnx_reduce(importer, WEFT_OP_MEAN, onnx_unary(importer, WEFT_OP_SQUARE, x), axes, true);
    mean = onnx_binary(importer, WEFT_OP_ADD, mean, onnx_scalar(importer, epsilon));
    *inverse = onnx_unary(importer, WEFT_OP_RSQRT, mean);
    return onnx_binary(importer, WEFT_OP_MUL, x, *inverse);
}

/* One element for each channel, as [C, 1, ...] beside a tensor of `rank` axes. */
static struct weft_value *per_channel(struct onnx_importer *importer, struct weft_value *x,
                                      uint32_t rank) {
    int64_t dims[WEFT_MAX_RANK];
    if (x == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i + 1 < rank; i++) {
        dims[i] = i == 0 ? weft_type_elements(&x->type) : 1;
    }
    return onnx_reshape(importer, x, rank - 1, dims);
}

/* All axes from `first` on. */
static uint32_t axes_from(uint32_t first, uint32_t rank) {
    return ((UINT32_C(1) << rank) - 1) & ~((UINT32_C(1) << first) - 1);
}

static bool needs_channels(const struct onnx_importer *importer, const struct weft_value *x) {
    return x != NULL &&
           (x->type.rank >= 2 || onnx_wrong(importer, WEFT_MODEL, "expected a batch and channels"));
}

/* x * scale + bias, of inputs 1 and 2, by channel. */
static struct weft_value *scaled(struct onnx_importer *importer, struct weft_value *x,
                                 uint32_t rank) {
    struct weft_value *scale = per_channel(importer, onnx_float_input(importer, 1), rank);
    struct weft_value *bias = per_channel(importer, onnx_float_input(importer, 2), rank);
    return onnx_binary(importer, WEFT_OP_ADD, onnx_binary(importer, WEFT_OP_MUL, x, scale), bias);
}

bool onnx_instance_normalization(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    if (!needs_channels(importer, x)) {
        return false;
    }
    uint32_t rank = x->type.rank;
    x = onnx_normalize(importer, x, axes_from(2, rank), onnx_float(importer, "epsilon", 1e-5F),
                       NULL, NULL);
    return onnx_finish_like(importer, scaled(importer, x, rank));
}

/* Scale and bias are one for each group up to version 20 of the operators, then for each channel.
 */
bool onnx_group_normalization(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    int64_t groups = onnx_int(importer, "num_groups", 0);
    if (!needs_channels(importer, x)) {
        return false;
    }
    if (groups < 1 || x->type.dim[1] % groups != 0) {
        return onnx_wrong(importer, WEFT_MODEL, "channels do not divide into num_groups");
    }
    const struct weft_type type = x->type;
    int64_t rows = type.dim[0] * groups;
    const int64_t grouped[3] = {type.dim[0], groups,
                                rows == 0 ? 0 : weft_type_elements(&type) / rows};
    x = onnx_normalize(importer, onnx_reshape(importer, x, 3, grouped), 4,
                       onnx_float(importer, "epsilon", 1e-5F), NULL, NULL);
    if (importer->opset < 21) {
        x = scaled(importer, x, 3);
        return onnx_finish_like(importer, onnx_reshape(importer, x, type.rank, type.dim));
    }
    x = onnx_reshape(importer, x, type.rank, type.dim);
    return onnx_finish_like(importer, scaled(importer, x, type.rank));
}

bool onnx_layer_normalization(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    struct weft_value *mean = NULL;
    struct weft_value *inverse = NULL;
    int64_t axis = 0;
    if (x == NULL || !onnx_axis(importer, onnx_int(importer, "axis", -1), x->type.rank, &axis)) {
        return false;
    }
    x = onnx_normalize(importer, x, axes_from((uint32_t)axis, x->type.rank),
                       onnx_float(importer, "epsilon", 1e-5F), &mean, &inverse);
    x = onnx_binary(importer, WEFT_OP_MUL, x, onnx_float_input(importer, 1));
    if (onnx_has(importer, 2)) {
        x = onnx_binary(importer, WEFT_OP_ADD, x, onnx_float_input(importer, 2));
    }
    return onnx_finish_like(importer, x) && onnx_finish_at(importer, 1, mean) &&
           onnx_finish_at(importer, 2, inverse);
}

/* x / sqrt(mean of its squares + epsilon) * scale. */
bool onnx_rms_normalization(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    struct weft_value *inverse = NULL;
    int64_t axis = 0;
    if (x == NULL || !onnx_axis(importer, onnx_int(importer, "axis", -1), x->type.rank, &axis)) {
        return false;
    }
    x = onnx_normalize_size(importer, x, axes_from((uint32_t)axis, x->type.rank),
                            onnx_float(importer, "epsilon", 1e-5F), &inverse);
    x = onnx_binary(importer, WEFT_OP_MUL, x, onnx_float_input(importer, 1));
    return onnx_finish_like(importer, x) && onnx_finish_at(importer, 1, inverse);
}

/* x / sqrt(sum of squares), or the sum of sizes, along an axis; of a length of 0 nothing is left.
 */
bool onnx_lp_normalization(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    int64_t p = onnx_int(importer, "p", 2);
    int64_t axis = 0;
    if (x == NULL || !onnx_axis(importer, onnx_int(importer, "axis", -1), x->type.rank, &axis)) {
        return false;
    }
    if (p != 1 && p != 2) {
        return onnx_wrong(importer, WEFT_MODEL, "p must be 1 or 2");
    }
    struct weft_value *size = onnx_reduce(
        importer, WEFT_OP_SUM, onnx_unary(importer, p == 1 ? WEFT_OP_ABS : WEFT_OP_SQUARE, x),
        UINT32_C(1) << axis, true);
    size = p == 1 ? size : onnx_unary(importer, WEFT_OP_SQRT, size);
    struct weft_value *none = onnx_compare(importer, "equal", size, onnx_scalar(importer, 0));
    size = onnx_select(importer, none, onnx_scalar(importer, 1), size);
    return onnx_finish_like(importer, onnx_binary(importer, WEFT_OP_DIVIDE, x, size));
}

bool onnx_mean_variance_normalization(struct onnx_importer *importer) {
    static const int64_t usual[3] = {0, 2, 3};
    const Onnx__AttributeProto *attribute = onnx_attribute(importer, "axes");
    struct weft_value *x = onnx_float_input(importer, 0);
    uint32_t count = attribute == NULL ? 3 : (uint32_t)attribute->n_ints;
    const int64_t *axes = attribute == NULL ? usual : attribute->ints;
    uint32_t mask = 0;
    return x != NULL && onnx_axes(importer, count, axes, x->type.rank, &mask) &&
           onnx_finish_like(importer, onnx_normalize(importer, x, mask, 1e-9F, NULL, NULL));
}

/* ---- batch normalisation ---- */

/* momentum * old + (1 - momentum) * now */
static struct weft_value *running(struct onnx_importer *importer, struct weft_value *old,
                                  struct weft_value *now) {
    float momentum = onnx_float(importer, "momentum", 0.9F);
    old = onnx_binary(importer, WEFT_OP_MUL, old, onnx_scalar(importer, momentum));
    now = onnx_binary(importer, WEFT_OP_MUL, now, onnx_scalar(importer, 1 - momentum));
    return onnx_binary(importer, WEFT_OP_ADD, old, now);
}

/* For training: mean and variance are those of this batch. */
static bool train(struct onnx_importer *importer, struct weft_value *x, struct weft_value **mean,
                  struct weft_value **variance) {
    uint32_t axes = axes_from(0, x->type.rank) & ~UINT32_C(2);
    struct weft_value *middle = onnx_reduce(importer, WEFT_OP_MEAN, x, axes, true);
    struct weft_value *rest = onnx_binary(importer, WEFT_OP_SUBTRACT, x, middle);
    struct weft_value *spread =
        onnx_reduce(importer, WEFT_OP_MEAN, onnx_unary(importer, WEFT_OP_SQUARE, rest), axes, true);
    const int64_t *channels = &x->type.dim[1];
    middle = onnx_reshape(importer, middle, 1, channels);
    spread = onnx_reshape(importer, spread, 1, channels);
    bool good = onnx_finish_at(importer, 1, running(importer, *mean, middle)) &&
                onnx_finish_at(importer, 2, running(importer, *variance, spread));
    *mean = middle;
    *variance = spread;
    return good;
}

/* As x * factor + offset, both known when scale, bias, mean and variance are. */
bool onnx_batch_normalization(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    struct weft_value *scale = onnx_float_input(importer, 1);
    struct weft_value *bias = onnx_float_input(importer, 2);
    struct weft_value *mean = onnx_float_input(importer, 3);
    struct weft_value *variance = onnx_float_input(importer, 4);
    struct weft_value *epsilon = onnx_scalar(importer, onnx_float(importer, "epsilon", 1e-5F));
    if (!needs_channels(importer, x) || mean == NULL || variance == NULL) {
        return false;
    }
    if (onnx_int(importer, "spatial", 1) != 1) {
        return onnx_wrong(importer, WEFT_OPERATOR, "spatial must be 1");
    }
    if (onnx_int(importer, "training_mode", 0) != 0 && !train(importer, x, &mean, &variance)) {
        return false;
    }
    struct weft_value *root =
        onnx_unary(importer, WEFT_OP_SQRT, onnx_binary(importer, WEFT_OP_ADD, variance, epsilon));
    struct weft_value *inverse =
        onnx_binary(importer, WEFT_OP_DIVIDE, onnx_scalar(importer, 1), root);
    struct weft_value *factor = onnx_binary(importer, WEFT_OP_MUL, inverse, scale);
    struct weft_value *offset = onnx_binary(importer, WEFT_OP_SUBTRACT, bias,
                                            onnx_binary(importer, WEFT_OP_MUL, mean, factor));
    factor = per_channel(importer, factor, x->type.rank);
    offset = per_channel(importer, offset, x->type.rank);
    struct weft_value *y = onnx_binary(importer, WEFT_OP_MUL, x, factor);
    return onnx_finish_like(importer, onnx_binary(importer, WEFT_OP_ADD, y, offset));
}

/* ---- local response ---- */

/* The mean of `size` squares around each channel: a pool whose columns are the channels. Padding
 * counts, as zeros. */
bool onnx_lrn(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    int64_t size = onnx_int(importer, "size", 0);
    float alpha = onnx_float(importer, "alpha", 1e-4F);
    if (x == NULL) {
        return false;
    }
    if (x->type.rank != 4 || size < 1 || size > (1 << 16)) {
        return onnx_wrong(importer, WEFT_OPERATOR, "expected 4 dimensions and a size from 1 on");
    }
    struct weft_value *last = onnx_to_last(importer, x);
    const int64_t channels = x->type.dim[1];
    const int64_t columns[4] = {1, weft_type_elements(&x->type) / (channels == 0 ? 1 : channels),
                                channels, 1};
    const int64_t pads[8] = {0, 0, 0, 0, (size - 1) / 2, size - 1 - (size - 1) / 2, 0, 0};
    const struct weft_attribute attributes[] = {
        weft_attr_ints(importer->arena, WEFT_ATTR_kernel, 2, (const int64_t[]){1, size}),
        weft_attr_ints(importer->arena, WEFT_ATTR_strides, 2, (const int64_t[]){1, 1}),
        weft_attr_ints(importer->arena, WEFT_ATTR_padding, 4, (const int64_t[]){0, 0, 0, 0})};
    struct weft_value *sum = onnx_unary(importer, WEFT_OP_SQUARE, last);
    sum = onnx_pad(importer, onnx_reshape(importer, sum, 4, columns), pads, NULL);
    sum = onnx_apply(importer, WEFT_OP_AVG_POOL2D, 1, &sum, 3, attributes);
    sum = onnx_reshape(importer, sum, 4, last == NULL ? columns : last->type.dim);
    sum = onnx_binary(importer, WEFT_OP_MUL, sum, onnx_scalar(importer, alpha));
    sum = onnx_binary(importer, WEFT_OP_ADD, sum,
                      onnx_scalar(importer, onnx_float(importer, "bias", 1)));
    sum = onnx_binary(importer, WEFT_OP_POWER, sum,
                      onnx_scalar(importer, onnx_float(importer, "beta", 0.75F)));
    struct weft_value *y = onnx_binary(importer, WEFT_OP_DIVIDE, last, sum);
    return onnx_finish_like(importer, onnx_to_first(importer, y));
}

/* ---- softmax ---- */

/* Up to version 12 of the operators all axes from `axis` on are one. */
bool onnx_softmax(struct onnx_importer *importer) {
    bool is_log = strcmp(importer->node->op_type, "LogSoftmax") == 0;
    bool old = importer->opset < 13;
    struct weft_value *x = onnx_float_input(importer, 0);
    struct weft_attribute beta = weft_attr_float(WEFT_ATTR_beta, 1);
    enum weft_operator op = is_log ? WEFT_OP_LOG_SOFTMAX : WEFT_OP_SOFTMAX;
    int64_t axis = 0;
    if (x == NULL ||
        !onnx_axis(importer, onnx_int(importer, "axis", old ? 1 : -1), x->type.rank, &axis)) {
        return false;
    }
    if (!old || axis == (int64_t)x->type.rank - 1) {
        return onnx_finish_like(importer,
                                onnx_along(importer, op, x, (uint32_t)axis, !is_log, &beta));
    }
    int64_t rows = 1;
    for (int64_t i = 0; i < axis; i++) {
        rows *= x->type.dim[i];
    }
    const struct weft_type type = x->type;
    const int64_t flat[2] = {rows, rows == 0 ? 0 : weft_type_elements(&type) / rows};
    x = onnx_reshape(importer, x, 2, flat);
    x = onnx_apply(importer, op, 1, &x, !is_log, &beta);
    return onnx_finish_like(importer, onnx_reshape(importer, x, type.rank, type.dim));
}
