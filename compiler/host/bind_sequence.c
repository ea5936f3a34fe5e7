/* Operators with a state. */
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
