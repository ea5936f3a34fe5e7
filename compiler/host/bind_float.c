/* Functions of one element of float32, and of integers as they are. */
#include "compiler/host/bind.h"
#include "kernels/activation.h"

static bool bind_floats(const struct bind *bind, enum weft_kernel kernel) {
    struct weft_count_parameters *parameters = bind_kernel(bind, kernel, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->count = bind_count(bind_result(bind, 0));
    return true;
}

bool bind_relu(const struct bind *bind) {
    return bind_floats(bind, WEFT_KERNEL_relu);
}

bool bind_relu6(const struct bind *bind) {
    return bind_floats(bind, WEFT_KERNEL_relu6);
}

bool bind_relu_n1_to_1(const struct bind *bind) {
    return bind_floats(bind, WEFT_KERNEL_relu_n1_to_1);
}

bool bind_leaky_relu(const struct bind *bind) {
    struct weft_leaky_relu_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_leaky_relu, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->count = bind_count(bind_result(bind, 0));
    parameters->alpha = (float)weft_node_float(bind->node, WEFT_ATTR_alpha);
    return true;
}

bool bind_hard_swish(const struct bind *bind) {
    return bind_floats(bind, WEFT_KERNEL_hard_swish);
}

bool bind_logistic(const struct bind *bind) {
    return bind_floats(bind, WEFT_KERNEL_logistic);
}

bool bind_tanh(const struct bind *bind) {
    return bind_floats(bind, WEFT_KERNEL_tanh);
}

bool bind_exp(const struct bind *bind) {
    return bind_floats(bind, WEFT_KERNEL_exp);
}

bool bind_log(const struct bind *bind) {
    return bind_floats(bind, WEFT_KERNEL_log);
}

bool bind_sqrt(const struct bind *bind) {
    return bind_floats(bind, WEFT_KERNEL_sqrt);
}

bool bind_rsqrt(const struct bind *bind) {
    return bind_floats(bind, WEFT_KERNEL_rsqrt);
}

bool bind_square(const struct bind *bind) {
    return bind_floats(bind, WEFT_KERNEL_square);
}

bool bind_sin(const struct bind *bind) {
    return bind_floats(bind, WEFT_KERNEL_sin);
}

bool bind_cos(const struct bind *bind) {
    return bind_floats(bind, WEFT_KERNEL_cos);
}

bool bind_ceil(const struct bind *bind) {
    return bind_floats(bind, WEFT_KERNEL_ceil);
}

bool bind_floor(const struct bind *bind) {
    return bind_floats(bind, WEFT_KERNEL_floor);
}

bool bind_round(const struct bind *bind) {
    return bind_floats(bind, WEFT_KERNEL_round);
}

bool bind_elu(const struct bind *bind) {
    return bind_floats(bind, WEFT_KERNEL_elu);
}

bool bind_gelu(const struct bind *bind) {
    struct weft_gelu_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_gelu, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->count = bind_count(bind_result(bind, 0));
    parameters->approximate = bind_int(bind, WEFT_ATTR_approximate) != 0;
    return true;
}

/* ---- integers, too ---- */

static bool bind_numbers(const struct bind *bind, enum weft_kernel of_integers,
                         enum weft_kernel of_floats) {
    enum weft_dtype dtype = bind_input(bind, 0)->dtype;
    if (dtype == WEFT_F32) {
        return bind_floats(bind, of_floats);
    }
    struct weft_elements_parameters *parameters = bind_kernel(bind, of_integers, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->dtype = dtype;
    parameters->count = bind_count(bind_result(bind, 0));
    return true;
}

bool bind_abs(const struct bind *bind) {
    return bind_numbers(bind, WEFT_KERNEL_abs, WEFT_KERNEL_abs_float);
}

bool bind_negate(const struct bind *bind) {
    return bind_numbers(bind, WEFT_KERNEL_negate, WEFT_KERNEL_negate_float);
}

bool bind_sign(const struct bind *bind) {
    return bind_numbers(bind, WEFT_KERNEL_sign, WEFT_KERNEL_sign_float);
}
