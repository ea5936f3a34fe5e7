/* Functions of one element. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "compiler/import/onnx/onnx_importer.h"

/* Operators that are one of the graph, by name; the last one is that of every other name. */
struct named {
    const char *name;
    enum weft_operator op;
};

static enum weft_operator find(const struct onnx_importer *importer, const struct named *names) {
    while (names->name != NULL && strcmp(names->name, importer->node->op_type) != 0) {
        names++;
    }
    return names->op;
}

bool onnx_function_of_one(struct onnx_importer *importer) {
    static const struct named names[] = {
        {"Ceil", WEFT_OP_CEIL}, {"Cos", WEFT_OP_COS},           {"Erf", WEFT_OP_ERF},
        {"Exp", WEFT_OP_EXP},   {"Floor", WEFT_OP_FLOOR},       {"HardSwish", WEFT_OP_HARD_SWISH},
        {"Log", WEFT_OP_LOG},   {"Round", WEFT_OP_ROUND},       {"Sigmoid", WEFT_OP_LOGISTIC},
        {"Sin", WEFT_OP_SIN},   {"Softplus", WEFT_OP_SOFTPLUS}, {"Sqrt", WEFT_OP_SQRT},
        {NULL, WEFT_OP_TANH},
    };
    struct weft_value *x = onnx_float_input(importer, 0);
    return onnx_finish_like(importer, onnx_unary(importer, find(importer, names), x));
}

bool onnx_sign(struct onnx_importer *importer) {
    static const struct named names[] = {
        {"Abs", WEFT_OP_ABS}, {"Neg", WEFT_OP_NEGATE}, {NULL, WEFT_OP_SIGN}};
    struct weft_value *x = onnx_computed_input(importer, 0);
    return onnx_finish_like(importer, onnx_unary(importer, find(importer, names), x));
}

bool onnx_is_nan(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    return onnx_finish(importer, onnx_compare(importer, "not_equal", x, x));
}

bool onnx_not(struct onnx_importer *importer) {
    struct weft_value *no = onnx_integer(importer, WEFT_BOOL, 0);
    return onnx_finish(importer, onnx_compare(importer, "equal", onnx_input(importer, 0), no));
}

bool onnx_reciprocal(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    struct weft_value *one = onnx_scalar(importer, 1);
    return onnx_finish_like(importer, onnx_binary(importer, WEFT_OP_DIVIDE, one, x));
}

bool onnx_softsign(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    struct weft_value *one = onnx_scalar(importer, 1);
    struct weft_value *below =
        onnx_binary(importer, WEFT_OP_ADD, one, onnx_unary(importer, WEFT_OP_ABS, x));
    return onnx_finish_like(importer, onnx_binary(importer, WEFT_OP_DIVIDE, x, below));
}

/* ---- rectifiers ---- */

bool onnx_relu(struct onnx_importer *importer) {
    struct weft_value *x = onnx_computed_input(importer, 0);
    struct weft_value *result =
        x == NULL ? NULL
        : x->type.dtype == WEFT_F32
            ? onnx_unary(importer, WEFT_OP_RELU, x)
            : onnx_binary(importer, WEFT_OP_MAXIMUM, x, onnx_number(importer, x, 0));
    return onnx_finish_like(importer, result);
}

bool onnx_leaky_relu(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    struct weft_attribute alpha =
        weft_attr_float(WEFT_ATTR_alpha, (double)onnx_float(importer, "alpha", 0.01F));
    return onnx_finish_like(importer, onnx_apply(importer, WEFT_OP_LEAKY_RELU, 1, &x, 1, &alpha));
}

bool onnx_thresholded_relu(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    struct weft_value *alpha = onnx_scalar(importer, onnx_float(importer, "alpha", 1));
    struct weft_value *above = onnx_compare(importer, "greater", x, alpha);
    return onnx_finish_like(importer, onnx_select(importer, above, x, onnx_scalar(importer, 0)));
}

bool onnx_prelu(struct onnx_importer *importer) {
    struct weft_value *x = onnx_computed_input(importer, 0);
    struct weft_value *slope = onnx_computed_input(importer, 1);
    struct weft_value *result = NULL;
    if (x != NULL && x->type.dtype != WEFT_F32) {
        struct weft_value *below = onnx_compare(importer, "less", x, onnx_number(importer, x, 0));
        result = onnx_select(importer, below, onnx_binary(importer, WEFT_OP_MUL, x, slope), x);
    } else {
        result = onnx_binary(importer, WEFT_OP_PRELU, x, slope);
    }
    return onnx_finish_like(importer, result);
}

/* x, or alpha * (exp(x) - 1) where x is below 0, all times `factor`. */
static struct weft_value *exponential_unit(struct onnx_importer *importer, struct weft_value *x,
                                           float alpha, float factor) {
    struct weft_value *zero = onnx_scalar(importer, 0);
    struct weft_value *unit = onnx_unary(importer, WEFT_OP_ELU, x);
    if (alpha == 1 && factor == 1) {
        return unit;
    }
    struct weft_value *scale = onnx_scalar(importer, alpha * factor);
    struct weft_value *below = onnx_binary(importer, WEFT_OP_MUL, scale,
                                           onnx_binary(importer, WEFT_OP_MINIMUM, unit, zero));
    scale = onnx_scalar(importer, factor);
    struct weft_value *above =
        onnx_binary(importer, WEFT_OP_MUL, scale, onnx_binary(importer, WEFT_OP_MAXIMUM, x, zero));
    return onnx_binary(importer, WEFT_OP_ADD, above, below);
}

bool onnx_elu(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    return onnx_finish_like(importer,
                            exponential_unit(importer, x, onnx_float(importer, "alpha", 1), 1));
}

bool onnx_selu(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    float alpha = onnx_float(importer, "alpha", 1.67326319217681884765625F);
    float gamma = onnx_float(importer, "gamma", 1.05070102214813232421875F);
    return onnx_finish_like(importer, exponential_unit(importer, x, alpha, gamma));
}

bool onnx_celu(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    struct weft_value *alpha = onnx_scalar(importer, onnx_float(importer, "alpha", 1));
    struct weft_value *zero = onnx_scalar(importer, 0);
    struct weft_value *unit =
        onnx_unary(importer, WEFT_OP_ELU, onnx_binary(importer, WEFT_OP_DIVIDE, x, alpha));
    struct weft_value *below = onnx_binary(importer, WEFT_OP_MUL, alpha,
                                           onnx_binary(importer, WEFT_OP_MINIMUM, unit, zero));
    struct weft_value *above = onnx_binary(importer, WEFT_OP_MAXIMUM, x, zero);
    return onnx_finish_like(importer, onnx_binary(importer, WEFT_OP_ADD, above, below));
}

bool onnx_gelu(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    const char *approximate = onnx_text(importer, "approximate", "none");
    bool tanh = strcmp(approximate, "tanh") == 0;
    if (!tanh && strcmp(approximate, "none") != 0) {
        return onnx_wrong(importer, WEFT_MODEL, "approximate must be none or tanh");
    }
    struct weft_attribute attribute = weft_attr_int(importer->arena, WEFT_ATTR_approximate, tanh);
    return onnx_finish_like(importer, onnx_apply(importer, WEFT_OP_GELU, 1, &x, 1, &attribute));
}

bool onnx_mish(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    struct weft_value *factor =
        onnx_unary(importer, WEFT_OP_TANH, onnx_unary(importer, WEFT_OP_SOFTPLUS, x));
    return onnx_finish_like(importer, onnx_binary(importer, WEFT_OP_MUL, x, factor));
}

bool onnx_swish(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    float alpha = onnx_float(importer, "alpha", 1);
    struct weft_value *scaled =
        alpha == 1 ? x : onnx_binary(importer, WEFT_OP_MUL, x, onnx_scalar(importer, alpha));
    return onnx_finish_like(importer, onnx_binary(importer, WEFT_OP_MUL, x,
                                                  onnx_unary(importer, WEFT_OP_LOGISTIC, scaled)));
}

/* ---- limits ---- */

/* The limits of Clip: attributes up to version 10 of the operators, then inputs. */
static bool read_limit(struct onnx_importer *importer, uint32_t number, const char *name,
                       struct weft_value **limit) {
    *limit = NULL;
    if (onnx_attribute(importer, name) != NULL) {
        *limit = onnx_scalar(importer, onnx_float(importer, name, 0));
    } else if (onnx_has(importer, number)) {
        *limit = onnx_computed_input(importer, number);
        return *limit != NULL;
    }
    return true;
}

/* A constant float of one element. */
static bool read_number(const struct weft_value *value, float *number) {
    const uint8_t *data = value == NULL ? NULL : weft_value_data(value);
    if (data == NULL || value->type.dtype != WEFT_F32 || weft_type_elements(&value->type) != 1) {
        return false;
    }
    memcpy(number, data, sizeof *number);
    return true;
}

/* x limited to constants, as the operator that has them. */
static struct weft_value *limit_floats(struct onnx_importer *importer, struct weft_value *x,
                                       float low, float high) {
    low = fmaxf(low, -FLT_MAX);
    high = fminf(high, FLT_MAX);
    if (low == 0 && (high == FLT_MAX || high == 6)) {
        return onnx_unary(importer, high == 6 ? WEFT_OP_RELU6 : WEFT_OP_RELU, x);
    }
    const struct weft_attribute limits[2] = {weft_attr_float(WEFT_ATTR_low, (double)low),
                                             weft_attr_float(WEFT_ATTR_high, (double)high)};
    return onnx_apply(importer, WEFT_OP_FLOAT_CLIP, 1, &x, 2, limits);
}

bool onnx_clip(struct onnx_importer *importer) {
    struct weft_value *limits[2] = {NULL};
    float numbers[2] = {-FLT_MAX, FLT_MAX};
    struct weft_value *x = onnx_computed_input(importer, 0);
    if (x == NULL || !read_limit(importer, 1, "min", &limits[0]) ||
        !read_limit(importer, 2, "max", &limits[1])) {
        return false;
    }
    bool constant = x->type.dtype == WEFT_F32 && (limits[0] != NULL || limits[1] != NULL);
    for (int i = 0; i < 2; i++) {
        constant = constant && (limits[i] == NULL ||
                                (read_number(limits[i], &numbers[i]) && !isnan(numbers[i])));
    }
    if (constant) {
        return onnx_finish_like(importer, limit_floats(importer, x, numbers[0], numbers[1]));
    }
    if (limits[0] != NULL) {
        x = onnx_binary(importer, WEFT_OP_MAXIMUM, x, limits[0]);
    }
    if (limits[1] != NULL) {
        x = onnx_binary(importer, WEFT_OP_MINIMUM, x, limits[1]);
    }
    return onnx_finish_like(importer, x);
}

bool onnx_hard_sigmoid(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    x = onnx_binary(importer, WEFT_OP_MUL, x,
                    onnx_scalar(importer, onnx_float(importer, "alpha", 0.2F)));
    x = onnx_binary(importer, WEFT_OP_ADD, x,
                    onnx_scalar(importer, onnx_float(importer, "beta", 0.5F)));
    return onnx_finish_like(importer, limit_floats(importer, x, 0, 1));
}
