/* Source: TFLite's LstmStepInteger8x8_16(). */
#include <string.h>

#include "kernels/element.h"
#include "kernels/fixed16.h"
#include "kernels/scale.h"
#include "kernels/sequence.h"

struct lstm {
    const struct weft_qnn_lstm_parameters *parameters;
    const void *const *inputs;
    int16_t *gates; /* [gates, cells] */
    int16_t *cells;
    int8_t *state;
};

/* Tensors behind the rows, of each gate. */
enum {
    INPUT_WEIGHTS = 1,
    STATE_WEIGHTS = INPUT_WEIGHTS + WEFT_LSTM_GATES,
    BIASES = STATE_WEIGHTS + WEFT_LSTM_GATES
};

size_t weft_kernel_qnn_lstm_scratch(const struct weft_qnn_lstm_parameters *parameters) {
    return (size_t)parameters->cells * WEFT_LSTM_GATES * sizeof(int16_t);
}

/* The cells of all sequences, then their outputs. */
size_t weft_kernel_qnn_lstm_state(const struct weft_qnn_lstm_parameters *parameters) {
    return (size_t)parameters->batch * (size_t)parameters->cells * (sizeof(int16_t) + 1);
}

void weft_kernel_qnn_lstm_reset(const struct weft_qnn_lstm_parameters *parameters, void *state) {
    size_t cells = (size_t)parameters->batch * (size_t)parameters->cells;
    memset(state, 0, cells * sizeof(int16_t));
    memset((int16_t *)state + cells, parameters->state_zero, cells);
}

/* Sums wrap. */
static int32_t sum_of_products(const int8_t *weights, const int8_t *row, int32_t count,
                               int32_t zero, int32_t bias) {
    uint32_t sum = (uint32_t)bias;
    for (int32_t i = 0; i < count; i++) {
        sum += (uint32_t)(weights[i] * (row[i] - zero));
    }
    return (int32_t)sum;
}

static void compute_gate(const struct lstm *lstm, enum weft_lstm_gate gate, const int8_t *row) {
    const struct weft_qnn_lstm_parameters *p = lstm->parameters;
    const int8_t *of_input = lstm->inputs[INPUT_WEIGHTS + gate];
    const int8_t *of_state = lstm->inputs[STATE_WEIGHTS + gate];
    int16_t *result = lstm->gates + (int64_t)gate * p->cells;
    for (int64_t i = 0; i < p->cells; i++) {
        int32_t bias = load_element(WEFT_I32, lstm->inputs[BIASES + gate], i);
        int32_t sum =
            scale_by(sum_of_products(of_input + i * p->inputs, row, p->inputs, p->input_zero, bias),
                     p->input[gate]);
        int32_t first = saturate(WEFT_I16, 0, sum);
        sum = scale_by(
            sum_of_products(of_state + i * p->cells, lstm->state, p->cells, p->state_zero, 0),
            p->state[gate]);
        int16_t all = (int16_t)saturate(WEFT_I16, first, sum);
        result[i] = gate == WEFT_LSTM_CELL ? weft_fixed16_tanh(all, 3) : weft_fixed16_logistic(all);
    }
}

/* Cells forget, and take the input in. */
static void update_cells(const struct lstm *lstm) {
    const struct weft_qnn_lstm_parameters *p = lstm->parameters;
    int64_t count = p->cells;
    for (int64_t i = 0; i < count; i++) {
        int32_t kept = lstm->gates[WEFT_LSTM_FORGET * count + i] * lstm->cells[i];
        int32_t added =
            lstm->gates[WEFT_LSTM_INPUT * count + i] * lstm->gates[WEFT_LSTM_CELL * count + i];
        int32_t sum = (int16_t)weft_rounding_shift(kept, 15) +
                      (int16_t)weft_rounding_shift(added, 15 + p->cell_bits);
        int32_t cell = saturate(WEFT_I16, 0, sum);
        lstm->cells[i] = (int16_t)(p->clip > 0 ? weft_clamp(cell, -p->clip, p->clip) : cell);
    }
}

static void compute_output(const struct lstm *lstm, int8_t *output) {
    const struct weft_qnn_lstm_parameters *p = lstm->parameters;
    const int16_t *gate = lstm->gates + (int64_t)WEFT_LSTM_OUTPUT * p->cells;
    for (int64_t i = 0; i < p->cells; i++) {
        int32_t value = gate[i] * weft_fixed16_tanh(lstm->cells[i], p->cell_bits);
        output[i] = (int8_t)saturate(WEFT_I8, p->output_zero, scale_by(value, p->output));
    }
    memcpy(lstm->state, output, (size_t)p->cells);
}

enum weft_kernel_status weft_kernel_qnn_lstm(const struct weft_qnn_lstm_parameters *parameters,
                                             const void *const *inputs, void *output, void *state,
                                             void *scratch) {
    int64_t cells = parameters->cells;
    struct lstm lstm = {.parameters = parameters, .inputs = inputs, .gates = scratch};
    for (int64_t batch = 0; batch < parameters->batch; batch++) {
        lstm.cells = (int16_t *)state + batch * cells;
        lstm.state = (int8_t *)((int16_t *)state + parameters->batch * cells) + batch * cells;
        for (int64_t step = 0; step < parameters->steps; step++) {
            int64_t row = batch * parameters->batch_step + step * parameters->time_step;
            for (int gate = 0; gate < WEFT_LSTM_GATES; gate++) {
                compute_gate(&lstm, (enum weft_lstm_gate)gate,
                             (const int8_t *)inputs[0] + row * parameters->inputs);
            }
            update_cells(&lstm);
            compute_output(&lstm, (int8_t *)output + row * cells);
        }
    }
    return WEFT_KERNEL_OK;
}
