/* Operators with a state. */
#include <string.h>

#include "base/integer.h"
#include "compiler/host/bind.h"
#include "kernels/sequence.h"

/* What a product of scales is in steps of 2^-12, in float32 as the reference. */
static struct weft_factor gate_factor(const struct weft_type *weights, const struct weft_type *x) {
    float scale = (float)weft_type_scale(weights, 0) * (float)weft_type_scale(x, 0);
    return bind_factor((double)(scale / 0x1p-12F));
}

static int32_t cell_clip(const struct bind *bind, int32_t cell_bits) {
    float clip = (float)weft_node_float(bind->node, WEFT_ATTR_cell_clip);
    float steps = clip / (1.0F / (float)(1 << (15 - cell_bits)));
    return clip <= 0.0F ? 0 : steps >= 32767.0F ? 32767 : (int32_t)steps;
}

static void fill_shape(const struct bind *bind, struct weft_qnn_lstm_parameters *parameters) {
    const struct weft_type *x = bind_input(bind, 0);
    bool time_major = bind_int(bind, WEFT_ATTR_time_major) != 0;
    parameters->batch = (int32_t)x->dim[time_major ? 1 : 0];
    parameters->steps = (int32_t)x->dim[time_major ? 0 : 1];
    parameters->inputs = (int32_t)x->dim[2];
    parameters->cells = (int32_t)bind_result(bind, 0)->dim[2];
    parameters->batch_step = time_major ? 1 : parameters->steps;
    parameters->time_step = time_major ? parameters->batch : 1;
}

bool bind_qnn_lstm(const struct bind *bind) {
    const struct weft_type *x = bind_input(bind, 0);
    const struct weft_type *out = bind_result(bind, 0);
    struct weft_qnn_lstm_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_qnn_lstm, 0);
    if (parameters == NULL) {
        return false;
    }
    float hidden = (float)weft_node_float(bind->node, WEFT_ATTR_hidden_scale);
    fill_shape(bind, parameters);
    for (uint32_t i = 0; i < WEFT_LSTM_GATES; i++) {
        parameters->input[i] = gate_factor(bind_input(bind, 1 + i), x);
        parameters->state[i] = gate_factor(bind_input(bind, 1 + WEFT_LSTM_GATES + i), out);
    }
    parameters->output = bind_factor((double)(float)(0x1p-15 / (double)hidden * 0x1p-15));
    parameters->input_zero = weft_type_zero(x, 0);
    parameters->state_zero = weft_type_zero(out, 0);
    parameters->output_zero = bind_int(bind, WEFT_ATTR_hidden_zero);
    parameters->cell_bits = bind_int(bind, WEFT_ATTR_cell_bits);
    parameters->clip = cell_clip(bind, parameters->cell_bits);
    return true;
}

/* ---- LSTM of floats ---- */

/* The graph has no others. */
static enum weft_fused_activation activation_of(const struct bind *bind) {
    static const char *const names[] = {
        [WEFT_FUSED_NONE] = "none",
        [WEFT_FUSED_RELU] = "relu",
        [WEFT_FUSED_RELU_N1_TO_1] = "relu_n1_to_1",
        [WEFT_FUSED_RELU6] = "relu6",
        [WEFT_FUSED_TANH] = "tanh",
    };
    const char *name = weft_node_text(bind->node, WEFT_ATTR_activation);
    uint32_t activation = 0;
    while (strcmp(names[activation], name) != 0) {
        activation++;
    }
    return (enum weft_fused_activation)activation;
}

static int32_t asymmetric_of(const struct bind *bind) {
    return weft_node_attribute(bind->node, WEFT_ATTR_asymmetric) == NULL
               ? 0
               : bind_int(bind, WEFT_ATTR_asymmetric);
}

static bool bind_float_lstm(const struct bind *bind, enum weft_kernel kernel) {
    const struct weft_attribute *tensors = weft_node_attribute(bind->node, WEFT_ATTR_tensors);
    const struct weft_type *x = bind_input(bind, 0);
    struct weft_lstm_parameters *parameters = bind_kernel(bind, kernel, 0);
    if (parameters == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < tensors->count; i++) {
        const struct weft_type *type = bind_input(bind, i + 1);
        parameters->input[tensors->ints[i]] = (int32_t)i + 1;
        parameters->scale[tensors->ints[i]] =
            type->quantization.count > 0 ? (float)weft_type_scale(type, 0) : 1.0F;
    }
    const struct weft_type *weights = bind_input(
        bind, (uint32_t)parameters->input[WEFT_LSTM_INPUT_WEIGHTS + (int32_t)WEFT_LSTM_FORGET]);
    parameters->time_major = bind_int(bind, WEFT_ATTR_time_major);
    parameters->batch = (int32_t)x->dim[parameters->time_major != 0 ? 1 : 0];
    parameters->steps = (int32_t)x->dim[parameters->time_major != 0 ? 0 : 1];
    parameters->inputs = (int32_t)x->dim[2];
    parameters->cells = (int32_t)weights->dim[0];
    parameters->outputs = (int32_t)bind_result(bind, 0)->dim[2];
    parameters->activation = activation_of(bind);
    parameters->asymmetric = asymmetric_of(bind);
    parameters->cell_clip = (float)weft_node_float(bind->node, WEFT_ATTR_cell_clip);
    parameters->projection_clip = (float)weft_node_float(bind->node, WEFT_ATTR_projection_clip);
    return true;
}

bool bind_lstm(const struct bind *bind) {
    return bind_float_lstm(bind, WEFT_KERNEL_lstm);
}

bool bind_hybrid_lstm(const struct bind *bind) {
    return bind_float_lstm(bind, WEFT_KERNEL_hybrid_lstm);
}

/* ---- SVDF ---- */

static struct weft_svdf_shape svdf_shape(const struct bind *bind) {
    return (struct weft_svdf_shape){.batch = (int32_t)bind_input(bind, 0)->dim[0],
                                    .inputs = (int32_t)bind_input(bind, 0)->dim[1],
                                    .filters = (int32_t)bind_input(bind, 1)->dim[0],
                                    .rank = bind_int(bind, WEFT_ATTR_rank),
                                    .memory = (int32_t)bind_input(bind, 2)->dim[1],
                                    .has_bias = bind->node->input_count > 3};
}

/* Products and quotients of scales are float32. */
bool bind_qnn_svdf(const struct bind *bind) {
    struct weft_qnn_svdf_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_qnn_svdf, 0);
    if (parameters == NULL) {
        return false;
    }
    float state = (float)weft_node_float(bind->node, WEFT_ATTR_state_scale);
    float scale[3];
    for (uint32_t i = 0; i < 3; i++) {
        scale[i] = (float)weft_type_scale(bind_input(bind, i), 0);
    }
    float output = (float)weft_type_scale(bind_result(bind, 0), 0);
    parameters->shape = svdf_shape(bind);
    parameters->feature = bind_factor((double)(scale[0] * scale[1] / state));
    parameters->output = bind_factor((double)(state * scale[2] / output));
    parameters->input_zero = weft_type_zero(bind_input(bind, 0), 0);
    parameters->output_zero = weft_type_zero(bind_result(bind, 0), 0);
    return true;
}

static bool bind_float_svdf(const struct bind *bind, enum weft_kernel kernel) {
    const struct weft_type *weights = bind_input(bind, 1);
    struct weft_svdf_parameters *parameters = bind_kernel(bind, kernel, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->shape = svdf_shape(bind);
    parameters->activation = activation_of(bind);
    parameters->asymmetric = asymmetric_of(bind);
    parameters->scale = weights->quantization.count > 0 ? (float)weft_type_scale(weights, 0) : 1.0F;
    return true;
}

bool bind_svdf(const struct bind *bind) {
    return bind_float_svdf(bind, WEFT_KERNEL_svdf);
}

bool bind_hybrid_svdf(const struct bind *bind) {
    return bind_float_svdf(bind, WEFT_KERNEL_hybrid_svdf);
}
