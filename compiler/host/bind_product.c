/* Convolutions, matrix products and the bias after them. */
#include "compiler/host/bind.h"
#include "kernels/product.h"

static struct weft_product_types types_of(const struct bind *bind) {
    const struct weft_type *input = bind_input(bind, 0);
    return (struct weft_product_types){.input = input->dtype,
                                       .weights = bind_input(bind, 1)->dtype,
                                       .output = bind_result(bind, 0)->dtype,
                                       .input_zero = weft_type_zero(input, 0)};
}

static size_t zero_bytes(const struct weft_type *type) {
    return type->quantization.count * sizeof(int32_t);
}

/* ---- convolution ---- */

static void fill_window(const struct bind *bind, struct weft_conv2d_parameters *window,
                        bool transposed) {
    bind_dims(bind_input(bind, 0), 4, window->input);
    bind_dims(bind_input(bind, 1), 4, window->weights);
    bind_dims(bind_result(bind, 0), 4, window->output);
    bind_ints(bind, WEFT_ATTR_strides, 2, window->stride);
    bind_ints(bind, WEFT_ATTR_padding, 2, window->padding);
    window->dilation[0] = window->dilation[1] = window->groups = 1;
    if (!transposed) {
        bind_ints(bind, WEFT_ATTR_dilation, 2, window->dilation);
        window->groups = bind_int(bind, WEFT_ATTR_groups);
    }
}

static bool bind_quantized(const struct bind *bind, enum weft_kernel kernel, bool transposed) {
    const struct weft_type *weights = bind_input(bind, 1);
    struct weft_qnn_conv2d_parameters *parameters = bind_kernel(bind, kernel, zero_bytes(weights));
    if (parameters == NULL) {
        return false;
    }
    fill_window(bind, &parameters->window, transposed);
    parameters->types = types_of(bind);
    parameters->weights_zero_count = (int32_t)weights->quantization.count;
    bind_zeros(weights, parameters->weights_zero);
    return true;
}

bool bind_qnn_conv2d(const struct bind *bind) {
    return bind_quantized(bind, WEFT_KERNEL_qnn_conv2d, false);
}

bool bind_qnn_conv2d_transpose(const struct bind *bind) {
    return bind_quantized(bind, WEFT_KERNEL_qnn_conv2d_transpose, true);
}

static bool bind_floats(const struct bind *bind, enum weft_kernel kernel, bool transposed) {
    struct weft_conv2d_parameters *parameters = bind_kernel(bind, kernel, 0);
    if (parameters == NULL) {
        return false;
    }
    fill_window(bind, parameters, transposed);
    return true;
}

bool bind_conv2d(const struct bind *bind) {
    return bind_floats(bind, WEFT_KERNEL_conv2d, false);
}

bool bind_conv2d_transpose(const struct bind *bind) {
    return bind_floats(bind, WEFT_KERNEL_conv2d_transpose, true);
}

/* ---- matrix product of [N, K] and [O, K] ---- */

static struct weft_dense_parameters dense_of(const struct bind *bind) {
    const struct weft_type *out = bind_result(bind, 0);
    return (struct weft_dense_parameters){
        (int32_t)out->dim[0], (int32_t)bind_input(bind, 1)->dim[1], (int32_t)out->dim[1]};
}

bool bind_qnn_dense(const struct bind *bind) {
    const struct weft_type *weights = bind_input(bind, 1);
    struct weft_qnn_dense_parameters *parameters =
        bind_kernel(bind, WEFT_KERNEL_qnn_dense, zero_bytes(weights));
    if (parameters == NULL) {
        return false;
    }
    parameters->shape = dense_of(bind);
    parameters->types = types_of(bind);
    parameters->weights_zero_count = (int32_t)weights->quantization.count;
    bind_zeros(weights, parameters->weights_zero);
    return true;
}

bool bind_dense(const struct bind *bind) {
    struct weft_dense_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_dense, 0);
    if (parameters == NULL) {
        return false;
    }
    *parameters = dense_of(bind);
    return true;
}

/* ---- batches ---- */

/* The steps of an operand's matrices along the leading axes of the result. */
static void matrix_steps(const struct bind *bind, uint32_t operand, uint32_t rank,
                         int64_t steps[WEFT_KERNEL_RANK]) {
    struct weft_type leading = *bind_input(bind, operand);
    leading.rank -= 2;
    bind_broadcast_steps(&leading, rank, steps);
    for (uint32_t i = 0; i < rank; i++) {
        steps[i] *= leading.dim[leading.rank] * leading.dim[leading.rank + 1];
    }
}

static void fill_matrices(const struct bind *bind, struct weft_batch_matmul_parameters *shape) {
    const struct weft_type *a = bind_input(bind, 0);
    struct weft_type batch = *bind_result(bind, 0);
    batch.rank -= 2;
    shape->rows = (int32_t)batch.dim[batch.rank];
    shape->columns = (int32_t)batch.dim[batch.rank + 1];
    shape->transposed[0] = bind_int(bind, WEFT_ATTR_transpose_a);
    shape->transposed[1] = bind_int(bind, WEFT_ATTR_transpose_b);
    shape->depth = (int32_t)a->dim[a->rank - (shape->transposed[0] != 0 ? 2 : 1)];
    matrix_steps(bind, 0, batch.rank, shape->batch_step[0]);
    matrix_steps(bind, 1, batch.rank, shape->batch_step[1]);
    shape->batch = bind_walk(&batch, shape->batch_step[0], shape->batch_step[1]);
}

bool bind_qnn_batch_matmul(const struct bind *bind) {
    struct weft_qnn_batch_matmul_parameters *parameters =
        bind_kernel(bind, WEFT_KERNEL_qnn_batch_matmul, 0);
    if (parameters == NULL) {
        return false;
    }
    fill_matrices(bind, &parameters->shape);
    parameters->types = types_of(bind);
    parameters->weights_zero = weft_type_zero(bind_input(bind, 1), 0);
    return true;
}

bool bind_batch_matmul(const struct bind *bind) {
    struct weft_batch_matmul_parameters *parameters =
        bind_kernel(bind, WEFT_KERNEL_batch_matmul, 0);
    if (parameters == NULL) {
        return false;
    }
    fill_matrices(bind, parameters);
    return true;
}

/* ---- floats with int8 weights ---- */

static size_t scale_bytes(const struct weft_type *weights) {
    return weights->quantization.count * sizeof(float);
}

static int32_t fill_scales(const struct weft_type *weights, float *scale) {
    for (uint32_t i = 0; i < weights->quantization.count; i++) {
        scale[i] = (float)weft_type_scale(weights, i);
    }
    return (int32_t)weights->quantization.count;
}

bool bind_hybrid_conv2d(const struct bind *bind) {
    const struct weft_type *weights = bind_input(bind, 1);
    struct weft_hybrid_conv2d_parameters *parameters =
        bind_kernel(bind, WEFT_KERNEL_hybrid_conv2d, scale_bytes(weights));
    if (parameters == NULL) {
        return false;
    }
    fill_window(bind, &parameters->window, false);
    parameters->asymmetric = bind_int(bind, WEFT_ATTR_asymmetric);
    parameters->sum_first = bind_int(bind, WEFT_ATTR_sum_first);
    parameters->scales = fill_scales(weights, parameters->scale);
    return true;
}

bool bind_hybrid_dense(const struct bind *bind) {
    const struct weft_type *weights = bind_input(bind, 1);
    struct weft_hybrid_dense_parameters *parameters =
        bind_kernel(bind, WEFT_KERNEL_hybrid_dense, scale_bytes(weights));
    if (parameters == NULL) {
        return false;
    }
    parameters->shape = dense_of(bind);
    parameters->asymmetric = bind_int(bind, WEFT_ATTR_asymmetric);
    parameters->scales = fill_scales(weights, parameters->scale);
    return true;
}

/* ---- bias ---- */

bool bind_bias_add(const struct bind *bind) {
    const struct weft_type *type = bind_result(bind, 0);
    struct weft_bias_add_parameters *parameters = bind_kernel(
        bind, type->dtype == WEFT_F32 ? WEFT_KERNEL_bias_add_float : WEFT_KERNEL_bias_add, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->dtype = type->dtype;
    parameters->channels = (int32_t)type->dim[type->rank - 1];
    parameters->rows = parameters->channels == 0 ? 0 : bind_count(type) / parameters->channels;
    return true;
}
