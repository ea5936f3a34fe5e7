/* GELU of floats, which the reference computes with Eigen, not with libm. */
#include <stdbool.h>

#include "kernels/activation.h"
#include "kernels/vector_float.h"

/* ---- with tanh ---- */

static float approximate(float x) {
    const float root_of_two_over_pi = 0.797884560802865355879892119869F;
    float inner = root_of_two_over_pi * (x + 0.044715F * (x * x * x));
    return 0.5F * x * (1.0F + vector_tanh(inner));
}

/* ---- with the complementary error function ---- */

/* exp(x) for x <= 0 as vectors have it. */
static float vector_exp(float x) {
    static const float even[] = {1.37449637986719608306884765625e-3F,
                                 4.166965186595916748046875e-2F, 0.49999988079071044921875F};
    static const float odd[] = {8.36894474923610687255859375e-3F, 0.16666518151760101318359375F};
    if (x < -104.0F) {
        return 0.0F;
    }
    float whole = floorf(x * 1.44269504088896341F + 0.5F);
    float r = whole * 2.12194440e-4F + (whole * -0.693359375F + x);
    float square = r * r;
    float sum =
        square * (r * polynomial(square, odd, 2) + polynomial(square, even, 3)) + (r + 1.0F);
    int32_t exponent = (int32_t)whole;
    return sum * power_of_two(exponent / 2) * power_of_two(exponent - exponent / 2);
}

static float library_exp(float x) {
    return expf(x);
}

/* What x * x loses when it is rounded: products of halves of x are exact. */
static float rounding_error_of_square(float x, float square) {
    float shifted = x * 4097.0F;
    float high = shifted - (shifted - x);
    float low = x - high;
    return high * high - square + 2.0F * high * low + low * low;
}

static float erfc_far(float x, float exponential(float x)) {
    static const float p[] = {1.0208116471767425537109375e-1F, 4.2920666933059692382812500e-1F,
                              3.2379078865051269531250000e-1F, 5.3971976041793823242187500e-2F};
    static const float q[] = {1.7251677811145782470703125e-2F, 3.9137163758277893066406250e-1F,
                              1.0F, 6.2173241376876831054687500e-1F,
                              9.5662862062454223632812500e-2F};
    float square = x * x;
    float e = exponential(-square);
    float z = e - e * rounding_error_of_square(x, square);
    float inverse = 1.0F / square;
    float r = polynomial(inverse, p, 4) / (x * polynomial(inverse, q, 5));
    return z * r + (x < 0.0F ? 2.0F : 0.0F);
}

static float erfc_near(float x) {
    static const float p[] = {
        5.61802298761904239654541015625e-4F, -4.91381669417023658752441406250e-3F,
        2.67075151205062866210937500000e-2F, -1.12800106406211853027343750000e-1F,
        3.76122951507568359375e-1F,          -1.12837910652160644531250F};
    return x * polynomial(x * x, p, 6) + 1.0F;
}

static float exact(float x, float exponential(float x)) {
    const float limit = 11.0F;
    float y = -0.707106781186547524400844362104849039F * x;
    y = y > limit ? limit : y < -limit ? -limit : y;
    return 0.5F * x * (y * y <= 1.0F ? erfc_near(y) : erfc_far(y, exponential));
}

enum weft_kernel_status weft_kernel_gelu(const struct weft_gelu_parameters *parameters,
                                         const weft_unaligned_float *input, float *output) {
    int32_t in_vectors = parameters->count / VECTOR_LANES * VECTOR_LANES;
    for (int32_t i = 0; i < parameters->count; i++) {
        output[i] = parameters->approximate != 0
                        ? approximate(input[i])
                        : exact(input[i], i < in_vectors ? vector_exp : library_exp);
    }
    return WEFT_KERNEL_OK;
}
