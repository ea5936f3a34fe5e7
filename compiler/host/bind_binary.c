/* Two operands, broadcast against each other. */
#include "base/multiplier.h"
#include "compiler/host/bind.h"

void bind_broadcast(const struct bind *bind, struct weft_broadcast *broadcast) {
    const struct weft_type *out = bind_result(bind, 0);
    bind_broadcast_steps(bind_input(bind, 0), out->rank, broadcast->step[0]);
    bind_broadcast_steps(bind_input(bind, 1), out->rank, broadcast->step[1]);
    broadcast->shape = bind_walk(out, broadcast->step[0], broadcast->step[1]);
}

/* ---- quantised ---- */

static bool check_bytes(const struct bind *bind) {
    return bind_is_bytes(bind) || bind_unsupported(bind, "only 8-bit tensors");
}

static void fill_zeros(const struct bind *bind, int32_t zero[3]) {
    zero[0] = weft_type_zero(bind_input(bind, 0), 0);
    zero[1] = weft_type_zero(bind_input(bind, 1), 0);
    zero[2] = weft_type_zero(bind_result(bind, 0), 0);
}

static void fill_scales(const struct bind *bind, double scale[3]) {
    scale[0] = weft_type_scale(bind_input(bind, 0), 0);
    scale[1] = weft_type_scale(bind_input(bind, 1), 0);
    scale[2] = weft_type_scale(bind_result(bind, 0), 0);
}

static bool has_shifts(const struct bind *bind) {
    return weft_node_attribute(bind->node, WEFT_ATTR_shifts) != NULL;
}

static bool bind_shifted(const struct bind *bind, int32_t sign) {
    struct weft_qnn_add_shifted_parameters *parameters =
        bind_kernel(bind, WEFT_KERNEL_qnn_add_shifted, 0);
    if (parameters == NULL) {
        return false;
    }
    bind_broadcast(bind, &parameters->broadcast);
    bind_ints(bind, WEFT_ATTR_shifts, 2, parameters->shift);
    parameters->sign = sign;
    return true;
}

static bool bind_quantized_sum(const struct bind *bind, enum weft_kernel kernel) {
    const struct weft_type *out = bind_result(bind, 0);
    int bits = out->dtype == WEFT_I16 ? 15 : 20;
    int32_t multiplier[3];
    int shift[3];
    weft_node_sum_multipliers(bind->node, bits, multiplier, shift);
    if (shift[0] > 0 || shift[1] > 0 || shift[2] > 0) {
        return bind_unsupported(bind, "the result's scale is too small");
    }
    struct weft_qnn_add_parameters *parameters = bind_kernel(bind, kernel, 0);
    if (parameters == NULL) {
        return false;
    }
    bind_broadcast(bind, &parameters->broadcast);
    fill_zeros(bind, parameters->zero);
    parameters->dtype = out->dtype;
    parameters->bits = bits;
    for (int i = 0; i < 3; i++) {
        parameters->factor[i] = (struct weft_factor){multiplier[i], shift[i]};
    }
    return true;
}

static bool bind_float_sum(const struct bind *bind) {
    struct weft_qnn_add_float_parameters *parameters =
        bind_kernel(bind, WEFT_KERNEL_qnn_add_float, 0);
    double scale[3];
    int32_t zero[3];
    if (parameters == NULL) {
        return false;
    }
    bind_broadcast(bind, &parameters->broadcast);
    fill_zeros(bind, zero);
    fill_scales(bind, scale);
    weft_float_sum(scale, zero, parameters->ratio, &parameters->offset);
    parameters->dtype = bind_result(bind, 0)->dtype;
    return true;
}

static bool bind_float_difference(const struct bind *bind) {
    struct weft_qnn_subtract_float_parameters *parameters =
        bind_kernel(bind, WEFT_KERNEL_qnn_subtract_float, 0);
    double scale[3];
    if (parameters == NULL) {
        return false;
    }
    bind_broadcast(bind, &parameters->broadcast);
    fill_zeros(bind, parameters->zero);
    fill_scales(bind, scale);
    parameters->dtype = bind_result(bind, 0)->dtype;
    for (int i = 0; i < 3; i++) {
        parameters->scale[i] = (float)scale[i];
    }
    return true;
}

static bool is_as_float(const struct bind *bind) {
    return weft_node_attribute(bind->node, WEFT_ATTR_rounding) != NULL;
}

bool bind_qnn_add(const struct bind *bind) {
    return has_shifts(bind)    ? bind_shifted(bind, 1)
           : is_as_float(bind) ? bind_float_sum(bind)
                               : bind_quantized_sum(bind, WEFT_KERNEL_qnn_add);
}

bool bind_qnn_subtract(const struct bind *bind) {
    return has_shifts(bind)    ? bind_shifted(bind, -1)
           : is_as_float(bind) ? bind_float_difference(bind)
                               : bind_quantized_sum(bind, WEFT_KERNEL_qnn_subtract);
}

static bool bind_float_product(const struct bind *bind) {
    struct weft_qnn_mul_float_parameters *parameters =
        bind_kernel(bind, WEFT_KERNEL_qnn_mul_float, 0);
    double scale[3];
    if (parameters == NULL) {
        return false;
    }
    bind_broadcast(bind, &parameters->broadcast);
    fill_zeros(bind, parameters->zero);
    fill_scales(bind, scale);
    parameters->dtype = bind_result(bind, 0)->dtype;
    parameters->factor = weft_product_scale(scale[0], scale[1], scale[2]);
    return true;
}

bool bind_qnn_mul(const struct bind *bind) {
    const struct weft_type *out = bind_result(bind, 0);
    if (is_as_float(bind)) {
        return bind_float_product(bind);
    }
    int32_t multiplier = 0;
    int shift = 0;
    weft_node_product_multiplier(bind->node, &multiplier, &shift);
    struct weft_qnn_mul_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_qnn_mul, 0);
    if (parameters == NULL) {
        return false;
    }
    bind_broadcast(bind, &parameters->broadcast);
    fill_zeros(bind, parameters->zero);
    parameters->dtype = out->dtype;
    /* The reference's shift by 32 and more is not defined. */
    parameters->factor = (struct weft_factor){multiplier, shift > 31 ? 31 : shift};
    return true;
}

bool bind_qnn_divide(const struct bind *bind) {
    const struct weft_type *out = bind_result(bind, 0);
    struct weft_qnn_mul_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_qnn_divide, 0);
    if (parameters == NULL) {
        return false;
    }
    float scale = (float)weft_type_scale(bind_input(bind, 0), 0) /
                  ((float)weft_type_scale(bind_input(bind, 1), 0) * (float)weft_type_scale(out, 0));
    bind_broadcast(bind, &parameters->broadcast);
    fill_zeros(bind, parameters->zero);
    parameters->dtype = out->dtype;
    parameters->factor = bind_factor((double)scale);
    return true;
}

bool bind_qnn_squared_difference(const struct bind *bind) {
    struct weft_qnn_add_parameters *parameters =
        check_bytes(bind) ? bind_kernel(bind, WEFT_KERNEL_qnn_squared_difference, 0) : NULL;
    double factor[3];
    if (parameters == NULL) {
        return false;
    }
    weft_squared_difference_factors(weft_type_scale(bind_input(bind, 0), 0),
                                    weft_type_scale(bind_input(bind, 1), 0),
                                    weft_type_scale(bind_result(bind, 0), 0), factor);
    bind_broadcast(bind, &parameters->broadcast);
    fill_zeros(bind, parameters->zero);
    parameters->dtype = bind_result(bind, 0)->dtype;
    for (int i = 0; i < 3; i++) {
        parameters->factor[i] = bind_factor(factor[i]);
    }
    return true;
}

bool bind_qnn_prelu(const struct bind *bind) {
    const struct weft_type *out = bind_result(bind, 0);
    float x = (float)weft_type_scale(bind_input(bind, 0), 0);
    float alpha = (float)weft_type_scale(bind_input(bind, 1), 0);
    struct weft_qnn_prelu_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_qnn_prelu, 0);
    if (parameters == NULL) {
        return false;
    }
    float identity = x / (float)weft_type_scale(out, 0);
    float negative = x * alpha / (float)weft_type_scale(out, 0);
    bind_broadcast(bind, &parameters->broadcast);
    fill_zeros(bind, parameters->zero);
    parameters->dtype = out->dtype;
    parameters->factor = bind_factor((double)identity);
    parameters->negative = bind_factor((double)negative);
    return true;
}

/* ---- plain ---- */

static bool bind_plain(const struct bind *bind, enum weft_kernel of_integers,
                       enum weft_kernel of_floats) {
    enum weft_dtype dtype = bind_result(bind, 0)->dtype;
    struct weft_binary_parameters *parameters =
        bind_kernel(bind, dtype == WEFT_F32 ? of_floats : of_integers, 0);
    if (parameters == NULL) {
        return false;
    }
    bind_broadcast(bind, &parameters->broadcast);
    parameters->dtype = dtype;
    return true;
}

bool bind_binary(const struct bind *bind) {
    switch (bind->node->op) {
#define WEFT_PAIR_FUNCTION(OPERATOR, kernel)                                                       \
    case WEFT_OP_##OPERATOR:                                                                       \
        return bind_plain(bind, WEFT_KERNEL_##kernel, WEFT_KERNEL_##kernel##_float);
#include "compiler/host/elements.def"
    default:
        return bind_unsupported(bind, "there is no kernel");
    }
}

bool bind_maximum(const struct bind *bind) {
    return bind_plain(bind, WEFT_KERNEL_maximum, WEFT_KERNEL_maximum_float);
}

bool bind_minimum(const struct bind *bind) {
    return bind_plain(bind, WEFT_KERNEL_minimum, WEFT_KERNEL_minimum_float);
}

/* The reference has another way for one exponent of another shape. */
bool bind_power(const struct bind *bind) {
    const struct weft_type *exponent = bind_input(bind, 1);
    if (exponent->dtype != WEFT_F32 || weft_type_elements(exponent) != 1 ||
        weft_shape_equal(bind_input(bind, 0), exponent)) {
        return bind_plain(bind, WEFT_KERNEL_power, WEFT_KERNEL_power_float);
    }
    struct weft_count_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_power_of_one_float, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->count = bind_count(bind_result(bind, 0));
    return true;
}

bool bind_prelu(const struct bind *bind) {
    return bind_result(bind, 0)->dtype == WEFT_F32
               ? bind_plain(bind, WEFT_KERNEL_prelu, WEFT_KERNEL_prelu)
               : bind_unsupported(bind, "only float tensors");
}
