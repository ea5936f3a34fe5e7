/* Functions of one element. Those of 8-bit tensors are tables: computed here, for each of the 256
 * bytes, in whatever arithmetic the reference uses. */
#include <math.h>
#include <string.h>

#include "base/multiplier.h"
#include "compiler/host/bind.h"
#include "kernels/activation.h"
#include "kernels/scale.h"

/* ---- tables ---- */

/* What a function of a quantised element needs: `value` is the element less its zero point. */
struct activation {
    const struct weft_type *in, *out;
    struct weft_factor identity; /* input scale over output scale, divided in float32 */
    struct weft_factor other;
};

typedef int32_t function(const struct activation *activation, int32_t value);

static float scale_ratio(const struct activation *a) {
    return (float)weft_type_scale(a->in, 0) / (float)weft_type_scale(a->out, 0);
}

static struct activation activation_of(const struct bind *bind) {
    struct activation activation = {.in = bind_input(bind, 0), .out = bind_result(bind, 0)};
    activation.identity = bind_factor((double)scale_ratio(&activation));
    return activation;
}

/* Of 8-bit tensors alone. */
static bool bind_function_of_bytes(const struct bind *bind, const struct activation *activation,
                                   function *of_element) {
    int32_t zero = weft_type_zero(activation->in, 0);
    uint8_t table[256];
    if (!bind_is_bytes(bind)) {
        return bind_unsupported(bind, "only 8-bit tensors");
    }
    for (int i = 0; i < 256; i++) {
        int32_t value = activation->in->dtype == WEFT_I8 ? (int8_t)i : i;
        table[i] = (uint8_t)of_element(activation, value - zero);
    }
    return bind_table(bind, table);
}

/* ---- rectifiers ---- */

static bool bind_rectifier(const struct bind *bind, float low, float high) {
    struct activation activation = activation_of(bind);
    struct weft_qnn_relu_parameters parameters = {
        .dtype = activation.in->dtype,
        .input_zero = weft_type_zero(activation.in, 0),
        .output_zero = weft_type_zero(activation.out, 0),
        .low = (int32_t)weft_type_limit(activation.out, low),
        .high = (int32_t)weft_type_limit(activation.out, high),
        .factor = activation.identity};
    return bind_elements(bind, WEFT_KERNEL_qnn_relu, &parameters, &parameters.count);
}

bool bind_qnn_relu(const struct bind *bind) {
    return bind_rectifier(bind, 0.0F, INFINITY);
}

bool bind_qnn_relu6(const struct bind *bind) {
    return bind_rectifier(bind, 0.0F, 6.0F);
}

bool bind_qnn_relu_n1_to_1(const struct bind *bind) {
    return bind_rectifier(bind, -1.0F, 1.0F);
}

bool bind_qnn_leaky_relu(const struct bind *bind) {
    struct activation activation = activation_of(bind);
    float alpha = (float)weft_node_float(bind->node, WEFT_ATTR_alpha);
    float scale = (float)weft_type_scale(activation.in, 0) * alpha /
                  (float)weft_type_scale(activation.out, 0);
    struct weft_qnn_leaky_relu_parameters parameters = {
        .dtype = activation.in->dtype,
        .input_zero = weft_type_zero(activation.in, 0),
        .output_zero = weft_type_zero(activation.out, 0),
        .factor = activation.identity,
        .negative = bind_factor((double)scale)};
    return bind_elements(bind, WEFT_KERNEL_qnn_leaky_relu, &parameters, &parameters.count);
}

/* Elements below the zero point become their opposites first, as in LiteRT: what a shift to the
 * left makes of -2^31 and of 2^31 is the same, so a slope of -1 would not do. */
bool bind_qnn_abs(const struct bind *bind) {
    struct activation activation = activation_of(bind);
    struct weft_qnn_leaky_relu_parameters parameters = {
        .dtype = activation.in->dtype,
        .input_zero = weft_type_zero(activation.in, 0),
        .output_zero = weft_type_zero(activation.out, 0),
        .negates = 1,
        .factor = activation.identity,
        .negative = activation.identity};
    return bind_elements(bind, WEFT_KERNEL_qnn_leaky_relu, &parameters, &parameters.count);
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

/* x / 3 in Q15, where x has 7 more bits than the input, limited to [-1, 1). */
static int32_t third_of(int32_t x, struct weft_factor factor) {
    if (factor.shift > 0) {
        x = saturate16((int64_t)x * (INT64_C(1) << weft_min(factor.shift - 1, 31)));
    }
    x = high_mul16(x, upper_half(factor.multiplier));
    return factor.shift > 0 ? saturate16((int64_t)x * 2) : weft_rounding_shift16(x, -factor.shift);
}

/* `identity` leads from 7 more bits than the input to the output, `other` to steps of 3 / 2^15.
 * The zero point is added in 16 bits, which wrap. Source: TFLite's reference_ops::HardSwish(). */
static int32_t swish(const struct activation *a, int32_t value) {
    int32_t x = value * (1 << 7);
    int32_t scaled = high_mul16(x, upper_half(a->identity.multiplier));
    int32_t weight = (third_of(x, a->other) + (1 << 15)) >> 1; /* (x + 3) / 6 in Q15 */
    int32_t product = high_mul16_truncated(weight, scaled);
    int16_t sum =
        (int16_t)(weft_rounding_shift16(product, -a->identity.shift) + weft_type_zero(a->out, 0));
    return saturate(a->out->dtype, 0, sum);
}

bool bind_qnn_hard_swish(const struct bind *bind) {
    struct activation activation = activation_of(bind);
    float fine = (1.0F / 128.0F) * (float)weft_type_scale(activation.in, 0);
    float to_output = fine / (float)weft_type_scale(activation.out, 0);
    float to_thirds = fine / (3.0F / 32768.0F);
    activation.identity = bind_factor((double)to_output);
    activation.other = bind_factor((double)to_thirds);
    if (bind_is_bytes(bind) && activation.identity.shift > 0) {
        return bind_unsupported(bind, "the result's scale is too small");
    }
    return bind_function_of_bytes(bind, &activation, swish);
}

/* ---- functions computed in float32 ---- */

static float logistic(float x) {
    return 1.0F / (1.0F + expf(-x));
}

/* The factor from the input's steps to those of the logistic function's table, for int16: 15 bits
 * of it, cut, unless the scale is one of the powers of two that need none. Source: TFLite's
 * SigmoidPrepare() and TanhPrepare(). */
static void set_argument(double scale, int most_doubled,
                         struct weft_qnn_logistic_parameters *parameters) {
    int power = 0;
    bool is_power = weft_is_nearly_power((float)scale, &power);
    if (is_power && power >= -12 && power <= -12 + most_doubled) {
        parameters->multiplier = 3 * (1 << (power + 12));
        return;
    }
    double factor = scale * 4096.0 * 3.0;
    while (factor <= 32767.0 / 2.0 && parameters->shift <= 30) {
        factor *= 2.0;
        parameters->shift++;
    }
    parameters->multiplier = (int32_t)fmin(factor, INT32_MAX);
}

/* `most_doubled`: powers of two from 2^-12 on that need no factor, less 1. */
static bool bind_int16(const struct bind *bind, enum weft_kernel kernel, int most_doubled) {
    const struct weft_type *out = bind_result(bind, 0);
    if (weft_type_zero(bind_input(bind, 0), 0) != 0 || weft_type_zero(out, 0) != 0 ||
        weft_type_scale(out, 0) != 1.0 / 32768) {
        return bind_unsupported(bind,
                                "of int16, zero points must be 0, the result's scale 1/32768");
    }
    struct weft_qnn_logistic_parameters *parameters = bind_kernel(bind, kernel, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->count = bind_count(out);
    set_argument(weft_type_scale(bind_input(bind, 0), 0), most_doubled, parameters);
    return true;
}

bool bind_qnn_logistic(const struct bind *bind) {
    return bind_is_bytes(bind)
               ? bind_float_table(bind, &(struct float_function){.of_float = logistic})
               : bind_int16(bind, WEFT_KERNEL_qnn_logistic, 0);
}

bool bind_qnn_tanh(const struct bind *bind) {
    return bind_is_bytes(bind) ? bind_float_table(bind, &(struct float_function){.of_float = tanhf})
                               : bind_int16(bind, WEFT_KERNEL_qnn_tanh, 1);
}
