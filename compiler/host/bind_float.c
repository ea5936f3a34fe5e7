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

bool bind_float_clip(const struct bind *bind) {
    struct weft_clip_float_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_clip_float, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->count = bind_count(bind_result(bind, 0));
    parameters->low = (float)weft_node_float(bind->node, WEFT_ATTR_low);
    parameters->high = (float)weft_node_float(bind->node, WEFT_ATTR_high);
    return true;
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

bool bind_unary(const struct bind *bind) {
    switch (bind->node->op) {
#define WEFT_FLOAT_FUNCTION(OPERATOR, kernel)                                                      \
    case WEFT_OP_##OPERATOR:                                                                       \
        return bind_floats(bind, WEFT_KERNEL_##kernel);
#define WEFT_NUMBER_FUNCTION(OPERATOR, kernel)                                                     \
    case WEFT_OP_##OPERATOR:                                                                       \
        return bind_numbers(bind, WEFT_KERNEL_##kernel, WEFT_KERNEL_##kernel##_float);
#include "compiler/host/elements.def"
    default:
        return bind_unsupported(bind, "there is no kernel");
    }
}
