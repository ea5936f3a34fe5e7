/* Functions of one element. Those of 8-bit tensors are computed once for each of the 256 bytes. */
#include <math.h>

#include "base/fixed_point.h"
#include "base/integer.h"
#include "compiler/host/kernels.h"

/* ---- quantised ---- */

/* What a function of a quantised element needs: `value` is the element less its zero point. */
struct activation {
    const struct weft_type *in, *out;
    struct factor identity; /* input scale over output scale, divided in float32 */
    struct factor negative; /* the same times alpha */
    int64_t low, high;
    float (*of_float)(float x);
};

typedef int32_t function(const struct activation *activation, int32_t value);

static float scale_ratio(const struct activation *a) {
    return (float)weft_type_scale(a->in, 0) / (float)weft_type_scale(a->out, 0);
}

static bool apply(const struct kernel_call *call, const struct activation *activation,
                  function *of_element) {
    const struct weft_type *type = activation->in;
    int32_t zero = weft_type_zero(type, 0);
    int64_t low = weft_dtype_min(type->dtype);
    bool bytes = weft_dtype_bytes(type->dtype) == 1;
    int32_t table[256];
    for (int i = 0; bytes && i < 256; i++) {
        table[i] = of_element(activation, (int32_t)(low + i) - zero);
    }
    for (int64_t i = 0; i < weft_type_elements(type); i++) {
        int32_t value = load_element(type->dtype, call->inputs[0], i);
        store_element(type->dtype, call->results[0], i,
                      bytes ? table[value - low] : of_element(activation, value - zero));
    }
    return true;
}

static struct activation activation_of(const struct kernel_call *call) {
    struct activation activation = {.in = input_type(call, 0), .out = result_type(call, 0)};
    activation.identity = factor_of((double)scale_ratio(&activation));
    return activation;
}

/* ---- rectifiers ---- */

/* A real limit in the result's steps, rounded in float32. */
static int64_t limit_of(const struct weft_type *type, float limit) {
    double steps =
        (double)roundf(limit / (float)weft_type_scale(type, 0)) + (double)weft_type_zero(type, 0);
    return (int64_t)fmin(fmax(steps, (double)weft_dtype_min(type->dtype)),
                         (double)weft_dtype_max(type->dtype));
}

/* The limits are applied after the zero point is added and before the type's own. */
static int32_t rectify(const struct activation *a, int32_t value) {
    int64_t scaled = (int64_t)scale_by(value, a->identity) + weft_type_zero(a->out, 0);
    return (int32_t)weft_clamp(scaled, a->low, a->high);
}

static bool qnn_rectifier(const struct kernel_call *call, float low, float high) {
    struct activation activation = activation_of(call);
    activation.low = limit_of(activation.out, low);
    activation.high = limit_of(activation.out, high);
    return apply(call, &activation, rectify);
}

bool kernel_qnn_relu(const struct kernel_call *call) {
    return qnn_rectifier(call, 0.0F, INFINITY);
}

bool kernel_qnn_relu6(const struct kernel_call *call) {
    return qnn_rectifier(call, 0.0F, 6.0F);
}

bool kernel_qnn_relu_n1_to_1(const struct kernel_call *call) {
    return qnn_rectifier(call, -1.0F, 1.0F);
}

static int32_t leak(const struct activation *a, int32_t value) {
    return saturate(a->out, scale_by(value, value >= 0 ? a->identity : a->negative));
}

bool kernel_qnn_leaky_relu(const struct kernel_call *call) {
    struct activation activation = activation_of(call);
    float alpha = (float)weft_node_float(call->node, WEFT_ATTR_alpha);
    float scale = (float)weft_type_scale(activation.in, 0) * alpha /
                  (float)weft_type_scale(activation.out, 0);
    activation.negative = factor_of((double)scale);
    return apply(call, &activation, leak);
}

/* ---- hard swish, in 16-bit fixed point ---- */

static int32_t saturate16(int64_t value) {
    return (int32_t)weft_clamp(value, INT16_MIN, INT16_MAX);
}

/* 2ab / 2^16 of 16-bit numbers, rounded to nearest, ties up (gemmlowp's rounding). */
static int32_t high_mul16(int32_t a, int32_t b) {
    return a == INT16_MIN && b == INT16_MIN ? INT16_MAX : (a * b + (1 << 14)) >> 15;
}

/* The same, rounded towards zero. */
static int32_t high_mul16_truncated(int32_t a, int32_t b) {
    return a == INT16_MIN && b == INT16_MIN ? INT16_MAX : a * b / (1 << 15);
}

/* The upper 16 bits of a multiplier, rounded. */
static int32_t upper_half(int32_t multiplier) {
    return multiplier >= INT32_MAX - (1 << 15) ? INT16_MAX : (multiplier + (1 << 15)) >> 16;
}

/* gemmlowp's RoundingDivideByPOT() of int16: its masks have 16 bits, so that larger shifts give 1
 * and -1. */
static int32_t rounding_shift16(int32_t x, int exponent) {
    return exponent < 16 ? weft_rounding_shift(x, exponent) : x < 0 ? -1 : 1;
}

/* x / 3 in Q15, where x has 7 more bits than the input, limited to [-1, 1). */
static int32_t third_of(int32_t x, struct factor factor) {
    if (factor.shift > 0) {
        x = saturate16((int64_t)x * (INT64_C(1) << weft_min(factor.shift - 1, 31)));
    }
    x = high_mul16(x, upper_half(factor.multiplier));
    return factor.shift > 0 ? saturate16((int64_t)x * 2) : rounding_shift16(x, -factor.shift);
}

/* `identity` leads from 7 more bits than the input to the output, `negative` to steps of 3 / 2^15.
 * The zero point is added in 16 bits, which wrap. Source: TFLite's reference_ops::HardSwish(). */
static int32_t swish(const struct activation *a, int32_t value) {
    int32_t x = value * (1 << 7);
    int32_t scaled = high_mul16(x, upper_half(a->identity.multiplier));
    int32_t weight = (third_of(x, a->negative) + (1 << 15)) >> 1; /* (x + 3) / 6 in Q15 */
    int32_t product = high_mul16_truncated(weight, scaled);
    int16_t sum =
        (int16_t)(rounding_shift16(product, -a->identity.shift) + weft_type_zero(a->out, 0));
    return (int32_t)weft_clamp(sum, weft_dtype_min(a->out->dtype), weft_dtype_max(a->out->dtype));
}

bool kernel_qnn_hard_swish(const struct kernel_call *call) {
    struct activation activation = activation_of(call);
    float fine = (1.0F / 128.0F) * (float)weft_type_scale(activation.in, 0);
    float to_output = fine / (float)weft_type_scale(activation.out, 0);
    float to_thirds = fine / (3.0F / 32768.0F);
    activation.identity = factor_of((double)to_output);
    activation.negative = factor_of((double)to_thirds);
    if (weft_dtype_bytes(activation.in->dtype) != 1) {
        return kernel_unsupported(call, "only 8-bit tensors");
    }
    if (activation.identity.shift > 0) {
        return kernel_unsupported(call, "the result's scale is too small");
    }
    return apply(call, &activation, swish);
}

/* ---- functions computed in float32 ---- */

/* Source: TFLite's LUTPopulate(). */
static int32_t through_float(const struct activation *a, int32_t value) {
    float inverse = 1.0F / (float)weft_type_scale(a->out, 0);
    float y = a->of_float((float)weft_type_scale(a->in, 0) * (float)value);
    float rescaled = roundf(y * inverse);
    double limited = fmin(fmax((double)rescaled, INT32_MIN), INT32_MAX);
    return saturate(a->out, (int64_t)limited);
}

static bool qnn_float_function(const struct kernel_call *call, float (*of_float)(float x)) {
    struct activation activation = activation_of(call);
    activation.of_float = of_float;
    if (weft_dtype_bytes(activation.in->dtype) != 1) {
        return kernel_unsupported(call, "only 8-bit tensors");
    }
    return apply(call, &activation, through_float);
}

static float logistic(float x) {
    return 1.0F / (1.0F + expf(-x));
}

bool kernel_qnn_logistic(const struct kernel_call *call) {
    return qnn_float_function(call, logistic);
}

bool kernel_qnn_tanh(const struct kernel_call *call) {
    return qnn_float_function(call, tanhf);
}

/* ---- floats ---- */

static bool map(const struct kernel_call *call, float (*of_float)(float x, float parameter),
                float parameter) {
    for (int64_t i = 0; i < weft_type_elements(result_type(call, 0)); i++) {
        store_float(call->results[0], i, of_float(load_float(call->inputs[0], i), parameter));
    }
    return true;
}

/* Limits written so that what is not a number comes out as in the reference. */
static float relu(float x, float parameter) {
    (void)parameter;
    return x < 0.0F ? 0.0F : x;
}

bool kernel_relu(const struct kernel_call *call) {
    return map(call, relu, 0.0F);
}

static float relu6(float x, float parameter) {
    (void)parameter;
    return x > 6.0F ? 6.0F : x < 0.0F ? 0.0F : x;
}

bool kernel_relu6(const struct kernel_call *call) {
    return map(call, relu6, 0.0F);
}

static float relu_n1_to_1(float x, float parameter) {
    (void)parameter;
    return x > 1.0F ? 1.0F : x < -1.0F ? -1.0F : x;
}

bool kernel_relu_n1_to_1(const struct kernel_call *call) {
    return map(call, relu_n1_to_1, 0.0F);
}

static float leaky_relu(float x, float alpha) {
    return x > 0.0F ? x : x * alpha;
}

bool kernel_leaky_relu(const struct kernel_call *call) {
    return map(call, leaky_relu, (float)weft_node_float(call->node, WEFT_ATTR_alpha));
}

static float hard_swish(float x, float parameter) {
    (void)parameter;
    return x * fminf(6.0F, fmaxf(0.0F, x + 3.0F)) / 6.0F;
}

bool kernel_hard_swish(const struct kernel_call *call) {
    return map(call, hard_swish, 0.0F);
}

/* Far from zero the reference takes a short cut. */
static float logistic_with_cutoffs(float x, float parameter) {
    const float upper = 16.619047164916992188F;
    const float lower = -9.0F;
    (void)parameter;
    return x > upper ? 1.0F : x < lower ? expf(x) : logistic(x);
}

bool kernel_logistic(const struct kernel_call *call) {
    return map(call, logistic_with_cutoffs, 0.0F);
}

static float hyperbolic_tangent(float x, float parameter) {
    (void)parameter;
    return tanhf(x);
}

bool kernel_tanh(const struct kernel_call *call) {
    return map(call, hyperbolic_tangent, 0.0F);
}
