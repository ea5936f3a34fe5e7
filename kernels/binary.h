/* Functions of two elements; operands are broadcast against each other. */
#ifndef WEFT_KERNELS_BINARY_H
#define WEFT_KERNELS_BINARY_H

#include "kernels/kernel.h"

/* Sum and difference of int8, uint8 or int16, saturated: operands with more bits are scaled to one
 * scale, their sum to the output's. Shifts of the operands are not above 0. */
struct weft_qnn_add_parameters {
    struct weft_broadcast broadcast;
    enum weft_dtype dtype;        /* of all three */
    int32_t bits;                 /* that operands get: 20, of int16 15 */
    int32_t zero[3];              /* of the operands and the output */
    struct weft_factor factor[3]; /* of the operands and the sum */
    int32_t reserved;
};

enum weft_kernel_status weft_kernel_qnn_add(const struct weft_qnn_add_parameters *parameters,
                                            const void *a, const void *b, void *output);
enum weft_kernel_status weft_kernel_qnn_subtract(const struct weft_qnn_add_parameters *parameters,
                                                 const void *a, const void *b, void *output);

/* Difference of int8 or uint8 as floats between quantisers: both operands less their zero points
 * times their scales, their difference over the result's scale, to nearest, ties to even, plus the
 * zero point, saturated; everything in float32. */
struct weft_qnn_subtract_float_parameters {
    struct weft_broadcast broadcast;
    enum weft_dtype dtype;
    int32_t zero[3];
    float scale[3];
    int32_t reserved;
};

enum weft_kernel_status
weft_kernel_qnn_subtract_float(const struct weft_qnn_subtract_float_parameters *parameters,
                               const void *a, const void *b, void *output);

/* Sum of int8 or uint8 as float32 rounds it: fma(a, ratio[0], fma(b, ratio[1], offset)), to
 * nearest, ties to even, saturated. Source: ONNX Runtime's QLinearAdd. */
struct weft_qnn_add_float_parameters {
    struct weft_broadcast broadcast;
    enum weft_dtype dtype;
    float ratio[2];
    float offset;
};

enum weft_kernel_status
weft_kernel_qnn_add_float(const struct weft_qnn_add_float_parameters *parameters, const void *a,
                          const void *b, void *output);

/* Sum of int16 whose scales are powers of two, zero points 0: each operand is shifted right and
 * rounded by itself, half away from zero; the second one times `sign`, 1 or -1, is added,
 * saturated. */
struct weft_qnn_add_shifted_parameters {
    struct weft_broadcast broadcast;
    int32_t shift[2]; /* right, 0 to 31 */
    int32_t sign;
    int32_t reserved;
};

enum weft_kernel_status
weft_kernel_qnn_add_shifted(const struct weft_qnn_add_shifted_parameters *parameters, const void *a,
                            const void *b, int16_t *output);

/* Product of int8, uint8 or int16, saturated. */
struct weft_qnn_mul_parameters {
    struct weft_broadcast broadcast;
    enum weft_dtype dtype;
    int32_t zero[3];
    struct weft_factor factor;
};

enum weft_kernel_status weft_kernel_qnn_mul(const struct weft_qnn_mul_parameters *parameters,
                                            const void *a, const void *b, void *output);

/* Product of int8 or uint8 as float32 rounds it: times the factor, plus the zero point, to nearest,
 * ties to even, saturated. Source: ONNX Runtime's QLinearMul. */
struct weft_qnn_mul_float_parameters {
    struct weft_broadcast broadcast;
    enum weft_dtype dtype;
    int32_t zero[3];
    float factor;
    int32_t reserved;
};

enum weft_kernel_status
weft_kernel_qnn_mul_float(const struct weft_qnn_mul_float_parameters *parameters, const void *a,
                          const void *b, void *output);

/* Quotient of int8, uint8 or int16, saturated; factor is the first scale over the second and over
 * the output's. WEFT_KERNEL_UNDEFINED where the second operand is at its zero point. */
enum weft_kernel_status weft_kernel_qnn_divide(const struct weft_qnn_mul_parameters *parameters,
                                               const void *a, const void *b, void *output);

/* Square of the difference of int8: operands with 7 more bits are scaled to one scale. Shifts are
 * not above 0. */
enum weft_kernel_status
weft_kernel_qnn_squared_difference(const struct weft_qnn_add_parameters *parameters, const void *a,
                                   const void *b, void *output);

/* x, or x * the second operand where x < 0; int8, uint8 or int16. */
struct weft_qnn_prelu_parameters {
    struct weft_broadcast broadcast;
    enum weft_dtype dtype;
    int32_t zero[3];
    struct weft_factor factor;   /* of x: its scale over the output's */
    struct weft_factor negative; /* of products: both scales over the output's */
};

enum weft_kernel_status weft_kernel_qnn_prelu(const struct weft_qnn_prelu_parameters *parameters,
                                              const void *a, const void *b, void *output);

enum weft_relation {
    WEFT_EQUAL,
    WEFT_NOT_EQUAL,
    WEFT_LESS,
    WEFT_LESS_EQUAL,
    WEFT_GREATER,
    WEFT_GREATER_EQUAL,
};

/* Is the first element in the relation to the second? Of int8, uint8 or int16 with 8 more bits,
 * scaled. */
struct weft_qnn_compare_parameters {
    struct weft_broadcast broadcast;
    enum weft_dtype dtype; /* of the operands */
    enum weft_relation relation;
    int32_t zero[2];
    struct weft_factor factor[2];
};

enum weft_kernel_status
weft_kernel_qnn_compare(const struct weft_qnn_compare_parameters *parameters, const void *a,
                        const void *b, uint8_t *output);

/* The same of elements as they are, or of float32 (_float). */
struct weft_compare_parameters {
    struct weft_broadcast broadcast;
    enum weft_dtype dtype; /* of the operands */
    enum weft_relation relation;
};

enum weft_kernel_status weft_kernel_compare(const struct weft_compare_parameters *parameters,
                                            const void *a, const void *b, uint8_t *output);
enum weft_kernel_status weft_kernel_compare_float(const struct weft_compare_parameters *parameters,
                                                  const weft_unaligned_float *a,
                                                  const weft_unaligned_float *b, uint8_t *output);

/* The first operand's element where the condition (bool) is true, else the second's; all are
 * broadcast. */
struct weft_select_parameters {
    int64_t step[3][WEFT_KERNEL_RANK]; /* elements; of the condition and the operands */
    struct weft_shape shape;
    int32_t size; /* bytes of an element */
};

enum weft_kernel_status weft_kernel_select(const struct weft_select_parameters *parameters,
                                           const uint8_t *condition, const void *a, const void *b,
                                           void *output);

/* Elements as they are: integers, which wrap, or float32 (_float), limited to finite numbers where
 * the reference does so. */
struct weft_binary_parameters {
    struct weft_broadcast broadcast;
    enum weft_dtype dtype;
    int32_t reserved;
};

enum weft_kernel_status weft_kernel_add(const struct weft_binary_parameters *parameters,
                                        const void *a, const void *b, void *output);
enum weft_kernel_status weft_kernel_subtract(const struct weft_binary_parameters *parameters,
                                             const void *a, const void *b, void *output);
enum weft_kernel_status weft_kernel_mul(const struct weft_binary_parameters *parameters,
                                        const void *a, const void *b, void *output);
enum weft_kernel_status weft_kernel_maximum(const struct weft_binary_parameters *parameters,
                                            const void *a, const void *b, void *output);
enum weft_kernel_status weft_kernel_minimum(const struct weft_binary_parameters *parameters,
                                            const void *a, const void *b, void *output);

enum weft_kernel_status weft_kernel_add_float(const struct weft_binary_parameters *parameters,
                                              const weft_unaligned_float *a,
                                              const weft_unaligned_float *b, float *output);
enum weft_kernel_status weft_kernel_subtract_float(const struct weft_binary_parameters *parameters,
                                                   const weft_unaligned_float *a,
                                                   const weft_unaligned_float *b, float *output);
enum weft_kernel_status weft_kernel_mul_float(const struct weft_binary_parameters *parameters,
                                              const weft_unaligned_float *a,
                                              const weft_unaligned_float *b, float *output);
/* The second operand where one is not a number. */
enum weft_kernel_status weft_kernel_maximum_float(const struct weft_binary_parameters *parameters,
                                                  const weft_unaligned_float *a,
                                                  const weft_unaligned_float *b, float *output);
enum weft_kernel_status weft_kernel_minimum_float(const struct weft_binary_parameters *parameters,
                                                  const weft_unaligned_float *a,
                                                  const weft_unaligned_float *b, float *output);

/* Quotients of integers: towards zero, and rounded down; what the latter leaves, with the sign of
 * the divisor; powers. WEFT_KERNEL_UNDEFINED where a divisor is 0 or an exponent below 0. */
enum weft_kernel_status weft_kernel_divide(const struct weft_binary_parameters *parameters,
                                           const void *a, const void *b, void *output);
enum weft_kernel_status weft_kernel_floor_divide(const struct weft_binary_parameters *parameters,
                                                 const void *a, const void *b, void *output);
enum weft_kernel_status weft_kernel_floor_modulo(const struct weft_binary_parameters *parameters,
                                                 const void *a, const void *b, void *output);
enum weft_kernel_status weft_kernel_power(const struct weft_binary_parameters *parameters,
                                          const void *a, const void *b, void *output);
/* Square of the difference. */
enum weft_kernel_status
weft_kernel_squared_difference(const struct weft_binary_parameters *parameters, const void *a,
                               const void *b, void *output);

enum weft_kernel_status weft_kernel_divide_float(const struct weft_binary_parameters *parameters,
                                                 const weft_unaligned_float *a,
                                                 const weft_unaligned_float *b, float *output);
enum weft_kernel_status
weft_kernel_squared_difference_float(const struct weft_binary_parameters *parameters,
                                     const weft_unaligned_float *a, const weft_unaligned_float *b,
                                     float *output);
/* x, or x * the second operand where x < 0. */
enum weft_kernel_status weft_kernel_prelu(const struct weft_binary_parameters *parameters,
                                          const weft_unaligned_float *a,
                                          const weft_unaligned_float *b, float *output);
enum weft_kernel_status weft_kernel_power_float(const struct weft_binary_parameters *parameters,
                                                const weft_unaligned_float *a,
                                                const weft_unaligned_float *b, float *output);
enum weft_kernel_status
weft_kernel_floor_modulo_float(const struct weft_binary_parameters *parameters,
                               const weft_unaligned_float *a, const weft_unaligned_float *b,
                               float *output);
/* Powers with one exponent; a whole number from 1 on (to 1e-5) by squares and products, each
 * limited to finite numbers. */
enum weft_kernel_status
weft_kernel_power_of_one_float(const struct weft_count_parameters *parameters,
                               const weft_unaligned_float *a, const weft_unaligned_float *b,
                               float *output);
/* WEFT_KERNEL_UNDEFINED where a divisor is 0. */
enum weft_kernel_status
weft_kernel_floor_divide_float(const struct weft_binary_parameters *parameters,
                               const weft_unaligned_float *a, const weft_unaligned_float *b,
                               float *output);

#endif
