/* Functions of one quantised element that the reference computes in float32: tables of 8-bit
 * tensors, interpolated ones of int16. And 1 over the square root of bytes, in fixed point. */
#include <math.h>
#include <string.h>

#include "compiler/host/bind.h"
#include "kernels/activation.h"
#include "kernels/inverse_root.h"
#include "kernels/scale.h"

static float apply(const struct float_function *function, float x) {
    return function->is_positive && x <= 0.0F ? function->otherwise : function->of_float(x);
}

bool bind_table(const struct bind *bind, const uint8_t table[256]) {
    struct weft_table_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_table, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->count = bind_count(bind_result(bind, 0));
    memcpy(parameters->table, table, sizeof parameters->table);
    return true;
}

/* The graph's tables begin with the smallest value, those of kernels with the byte 0. */
bool bind_qnn_table(const struct bind *bind) {
    const int64_t *values = weft_node_ints(bind->node, WEFT_ATTR_table);
    int first = (int)weft_dtype_min(bind_input(bind, 0)->dtype);
    uint8_t table[256];
    for (int i = 0; i < 256; i++) {
        table[(uint8_t)(first + i)] = (uint8_t)values[i];
    }
    return bind_table(bind, table);
}

bool bind_elements(const struct bind *bind, enum weft_kernel kernel, void *parameters,
                   int32_t *count) {
    uint8_t bytes[256];
    uint8_t table[256];
    if (!bind_is_bytes(bind)) {
        *count = bind_count(bind_result(bind, 0));
        void *copy = bind_kernel(bind, kernel, 0);
        return copy != NULL && memcpy(copy, parameters, weft_kernels[kernel].parameter_size);
    }
    for (int i = 0; i < 256; i++) {
        bytes[i] = (uint8_t)i;
    }
    *count = 256;
    (void)weft_kernels[kernel].run(parameters, (const void *[]){bytes}, (void *[]){table}, NULL,
                                   NULL);
    return bind_table(bind, table);
}

/* ---- 8 bits ---- */

/* Source: TFLite's LUTPopulate(). */
static int32_t through_float(const struct bind *bind, const struct float_function *function,
                             int32_t value) {
    const struct weft_type *out = bind_result(bind, 0);
    float inverse = 1.0F / (float)weft_type_scale(out, 0);
    float y = apply(function, (float)weft_type_scale(bind_input(bind, 0), 0) * (float)value);
    float rescaled = roundf(y * inverse);
    double limited = fmin(fmax((double)rescaled, INT32_MIN), INT32_MAX);
    return saturate(out->dtype, weft_type_zero(out, 0), (int64_t)limited);
}

/* What a byte of the input counts, less its zero point. */
static int32_t value_of_byte(const struct bind *bind, int byte) {
    const struct weft_type *in = bind_input(bind, 0);
    return (in->dtype == WEFT_I8 ? (int8_t)byte : byte) - weft_type_zero(in, 0);
}

bool bind_float_table(const struct bind *bind, const struct float_function *function) {
    uint8_t table[256];
    if (!bind_is_bytes(bind)) {
        return bind_unsupported(bind, "only 8-bit tensors");
    }
    for (int i = 0; i < 256; i++) {
        table[i] = (uint8_t)through_float(bind, function, value_of_byte(bind, i));
    }
    return bind_table(bind, table);
}

/* ---- 16 bits ---- */

enum {
    SEGMENTS = 512
};

/* What is not a number, a difference of infinities, becomes 0. */
static int16_t limit16(float value) {
    return isnan(value) ? 0 : (int16_t)fminf(fmaxf(value, INT16_MIN), INT16_MAX);
}

/* The real numbers that the smallest and the largest int16 stand for. */
static void range16(const struct weft_type *type, float *low, float *high) {
    float scale = (float)weft_type_scale(type, 0);
    int32_t zero = weft_type_zero(type, 0);
    *low = scale * (float)(INT16_MIN - zero);
    *high = scale * (float)(INT16_MAX - zero);
}

/* Entries are moved by half of what interpolation would miss in the middle of a segment. Source:
 * TFLite's LUTPopulate() of int16. */
static void fill_entries(const struct bind *bind, const struct float_function *function,
                         int16_t entry[SEGMENTS + 1]) {
    float low = 0.0F;
    float high = 0.0F;
    float least = 0.0F;
    float most = 0.0F;
    range16(bind_input(bind, 0), &low, &high);
    range16(bind_result(bind, 0), &least, &most);
    float step = (high - low) / (float)SEGMENTS;
    float half = step / 2.0F;
    float inverse = 65536.0F / (most - least);
    for (int i = 0; i < SEGMENTS; i++) {
        float x = low + (float)i * step;
        float here = roundf(apply(function, x) * inverse);
        float next = apply(function, low + (float)(i + 1) * step) * inverse;
        float middle = roundf((next + here) / 2.0F);
        float missed = middle - roundf(apply(function, x + half) * inverse);
        entry[i] = limit16(here - roundf(missed / 2.0F));
    }
    entry[SEGMENTS] = limit16(roundf(apply(function, high) * inverse));
}

bool bind_float_function(const struct bind *bind, const struct float_function *function) {
    if (bind_is_bytes(bind)) {
        return bind_float_table(bind, function);
    }
    struct weft_interpolate_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_interpolate, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->count = bind_count(bind_result(bind, 0));
    fill_entries(bind, function, parameters->entry);
    return true;
}

/* ---- the functions ---- */

bool bind_qnn_exp(const struct bind *bind) {
    return bind_float_function(bind, &(struct float_function){.of_float = expf});
}

bool bind_qnn_log(const struct bind *bind) {
    const struct weft_type *out = bind_result(bind, 0);
    int32_t least = (int32_t)weft_dtype_min(out->dtype) - weft_type_zero(out, 0);
    const struct float_function function = {logf, true,
                                            (float)least * (float)weft_type_scale(out, 0)};
    return bind_float_function(bind, &function);
}

static float elu(float x) {
    return x < 0.0F ? expm1f(x) : x;
}

bool bind_qnn_elu(const struct bind *bind) {
    return bind_float_table(bind, &(struct float_function){.of_float = elu});
}

static float gelu(float x) {
    return 0.5F * x * erfcf(-0.707106781186547524400844362104849039F * x);
}

static float gelu_with_tanh(float x) {
    const float root_of_two_over_pi = 0.797884560802865355879892119869F;
    return 0.5F * x * (1.0F + tanhf(root_of_two_over_pi * (x + 0.044715F * x * x * x)));
}

bool bind_qnn_gelu(const struct bind *bind) {
    bool approximate = bind_int(bind, WEFT_ATTR_approximate) != 0;
    const struct float_function function = {.of_float = approximate ? gelu_with_tanh : gelu};
    return bind_float_function(bind, &function);
}

bool bind_qnn_sqrt(const struct bind *bind) {
    const struct weft_type *in = bind_input(bind, 0);
    const struct weft_type *out = bind_result(bind, 0);
    struct weft_qnn_sqrt_parameters parameters = {.dtype = in->dtype,
                                                  .input_zero = weft_type_zero(in, 0),
                                                  .output_zero = weft_type_zero(out, 0),
                                                  .input_scale = (float)weft_type_scale(in, 0),
                                                  .output_scale = (float)weft_type_scale(out, 0)};
    return bind_elements(bind, WEFT_KERNEL_qnn_sqrt, &parameters, &parameters.count);
}

/* ---- 1 over the square root ---- */

static float inverse_root(float x) {
    return 1.0F / sqrtf(x);
}

/* With 20 bits behind the point; `factor` leads to the output's steps. Source: TFLite's
 * RsqrtEvalQuantizedInt8(). */
static int32_t inverse_root_of_byte(const struct weft_type *out, int32_t value,
                                    struct weft_factor factor) {
    const int32_t bits = 20;
    if (value <= 0) {
        return (int32_t)weft_dtype_max(out->dtype);
    }
    struct weft_factor root = weft_inverse_root(value);
    root.shift += bits;
    factor.shift = (int32_t)weft_max(factor.shift - bits, -31);
    return saturate(out->dtype, weft_type_zero(out, 0), scale_by(scale_by(1, root), factor));
}

bool bind_qnn_rsqrt(const struct bind *bind) {
    const struct weft_type *out = bind_result(bind, 0);
    float output_scale = (float)weft_type_scale(out, 0);
    float steps = sqrtf((float)weft_type_scale(bind_input(bind, 0), 0)) * output_scale;
    struct weft_factor factor = bind_factor(1.0 / (double)steps);
    uint8_t table[256];
    if (!bind_is_bytes(bind)) {
        const struct float_function function = {inverse_root, true, 32767.0F * output_scale};
        return bind_float_function(bind, &function);
    }
    for (int i = 0; i < 256; i++) {
        table[i] = (uint8_t)inverse_root_of_byte(out, value_of_byte(bind, i), factor);
    }
    return bind_table(bind, table);
}
