/* Sources: TFLite's LstmStepFloat() and LstmStepHybrid(), which differ in products alone. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/fused_float.h"
#include "kernels/lstm_step.h"

static int32_t larger(int32_t a, int32_t b) {
    return a > b ? a : b;
}

static bool has_input_gate(const struct weft_lstm_parameters *p) {
    return p->input[WEFT_LSTM_INPUT_WEIGHTS] != 0;
}

/* Sequences that are computed side by side. */
static int32_t rows_of(const struct weft_lstm_parameters *p) {
    return p->time_major != 0 ? p->batch : 1;
}

/* Floats: gates, `hidden`, `product`; then what products want, aligned to 8. */
static size_t floats_of(const struct weft_lstm_parameters *p) {
    size_t columns =
        (size_t)p->cells * (WEFT_LSTM_GATES + 1) + (size_t)larger(p->cells, p->outputs);
    return ((size_t)rows_of(p) * columns + 1) / 2 * 2;
}

size_t weft_lstm_scratch(const struct weft_lstm_parameters *parameters,
                         const struct weft_lstm_products *products) {
    return floats_of(parameters) * sizeof(float) +
           (products->bytes == NULL ? 0 : products->bytes(parameters));
}

size_t weft_lstm_state(const struct weft_lstm_parameters *parameters) {
    size_t each = (size_t)parameters->outputs + (size_t)parameters->cells;
    return (size_t)parameters->batch * each * sizeof(float);
}

/* ---- gates ---- */

/* Four elements at once are those at addresses that are multiples of four floats, as far as the
 * gates' memory in the reference goes: `first` is the place of the first one in it. */
static void apply_logistic(float *gate, int64_t count, int64_t first) {
    int64_t begin = (VECTOR_LANES - first % VECTOR_LANES) % VECTOR_LANES;
    int64_t end = begin > count ? begin : begin + (count - begin) / VECTOR_LANES * VECTOR_LANES;
    for (int64_t i = 0; i < count; i++) {
        gate[i] = i < begin || i >= end ? single_logistic(gate[i]) : vector_logistic(gate[i]);
    }
}

/* Each row less its mean, over its standard deviation, times coefficients. */
static void normalize(const struct weft_lstm_step *step, const weft_unaligned_float *coefficient,
                      const weft_unaligned_float *bias, float *gate) {
    int32_t cells = step->parameters->cells;
    for (int32_t row = 0; row < step->rows; row++, gate += cells) {
        float sum = 0.0F;
        float squares = 0.0F;
        for (int32_t i = 0; i < cells; i++) {
            sum += gate[i];
        }
        float mean = sum / (float)cells;
        for (int32_t i = 0; i < cells; i++) {
            float difference = gate[i] - mean;
            squares += difference * difference;
        }
        float inverse = 1.0F / sqrtf(squares / (float)cells + 1e-8F);
        for (int32_t i = 0; i < cells; i++) {
            gate[i] = (gate[i] - mean) * inverse * coefficient[i] + bias[i];
        }
    }
}

static void add_peephole(const struct weft_lstm_step *step, enum weft_lstm_gate gate) {
    int32_t number = WEFT_LSTM_PEEPHOLES + (gate == WEFT_LSTM_OUTPUT ? 2 : (int32_t)gate);
    const weft_unaligned_float *weights = lstm_tensor(step, number);
    int32_t cells = step->parameters->cells;
    for (int32_t i = 0; weights != NULL && i < step->rows * cells; i++) {
        step->gate[gate][i] += weights[i % cells] * step->cell[i];
    }
}

/* Each row of `sums` becomes a vector, 0 where there is none. */
static void fill_rows(float *sums, const weft_unaligned_float *vector, int32_t rows,
                      int32_t columns) {
    for (int32_t i = 0; i < rows * columns; i++) {
        sums[i] = vector == NULL ? 0.0F : vector[i % columns];
    }
}

static void compute_gate(const struct weft_lstm_step *step,
                         const struct weft_lstm_products *products, enum weft_lstm_gate gate) {
    const struct weft_lstm_parameters *p = step->parameters;
    const weft_unaligned_float *bias = lstm_tensor(step, WEFT_LSTM_BIASES + (int32_t)gate);
    const weft_unaligned_float *norm = lstm_tensor(step, WEFT_LSTM_NORMS + (int32_t)gate);
    float *result = step->gate[gate];
    int64_t count = (int64_t)step->rows * p->cells;
    fill_rows(result, norm == NULL ? bias : NULL, step->rows, p->cells);
    products->add(step, gate, result);
    if (gate != WEFT_LSTM_CELL) {
        add_peephole(step, gate);
    }
    if (norm != NULL) {
        normalize(step, norm, bias, result);
    }
    if (gate == WEFT_LSTM_CELL) {
        fuse_activation(p->activation, result, count, result);
    } else {
        apply_logistic(result, count, step->place[gate]);
    }
}

/* ---- cells and results ---- */

static void limit(float *elements, int64_t count, float clip) {
    for (int64_t i = 0; clip > 0.0F && i < count; i++) {
        elements[i] = limit_between(-clip, elements[i], clip);
    }
}

/* Cells forget, and take the input in. */
static void update_cells(const struct weft_lstm_step *step) {
    int64_t count = (int64_t)step->rows * step->parameters->cells;
    const float *in = step->gate[WEFT_LSTM_INPUT];
    const float *forget = step->gate[WEFT_LSTM_FORGET];
    bool coupled = !has_input_gate(step->parameters);
    for (int64_t i = 0; i < count; i++) {
        float kept = forget[i] * step->cell[i];
        step->cell[i] = kept + step->gate[WEFT_LSTM_CELL][i] * (coupled ? 1.0F - forget[i] : in[i]);
    }
    limit(step->cell, count, step->parameters->cell_clip);
}

static void compute_state(const struct weft_lstm_step *step,
                          const struct weft_lstm_products *products) {
    const struct weft_lstm_parameters *p = step->parameters;
    int64_t count = (int64_t)step->rows * p->cells;
    fuse_activation(p->activation, step->cell, count, step->hidden);
    for (int64_t i = 0; i < count; i++) {
        step->hidden[i] = step->gate[WEFT_LSTM_OUTPUT][i] * step->hidden[i];
    }
    if (lstm_tensor(step, WEFT_LSTM_PROJECTION) == NULL) {
        memcpy(step->state, step->hidden, (size_t)count * sizeof(float));
        return;
    }
    fill_rows(step->state, lstm_tensor(step, WEFT_LSTM_PROJECTION_BIAS), step->rows, p->outputs);
    products->project(step);
    limit(step->state, (int64_t)step->rows * p->outputs, p->projection_clip);
}

static void run_step(const struct weft_lstm_step *step, const struct weft_lstm_products *products,
                     float *output) {
    if (products->begin != NULL) {
        products->begin(step);
    }
    for (int gate = 0; gate < WEFT_LSTM_OUTPUT; gate++) {
        if (gate != WEFT_LSTM_INPUT || has_input_gate(step->parameters)) {
            compute_gate(step, products, (enum weft_lstm_gate)gate);
        }
    }
    update_cells(step);
    compute_gate(step, products, WEFT_LSTM_OUTPUT);
    compute_state(step, products);
    memcpy(output, step->state,
           (size_t)step->rows * (size_t)step->parameters->outputs * sizeof(float));
}

/* ---- sequences ---- */

/* The reference has the gates of all sequences in one piece of memory: the cell gate before the
 * forget gate, and no place for an input gate that is not there. */
static void place_gates(struct weft_lstm_step *step, float *memory, int64_t first) {
    static const enum weft_lstm_gate order[] = {WEFT_LSTM_INPUT, WEFT_LSTM_CELL, WEFT_LSTM_FORGET,
                                                WEFT_LSTM_OUTPUT};
    const struct weft_lstm_parameters *p = step->parameters;
    int64_t place = first * p->cells;
    for (int i = 0; i < WEFT_LSTM_GATES; i++) {
        enum weft_lstm_gate gate = order[i];
        bool there = gate != WEFT_LSTM_INPUT || has_input_gate(p);
        step->gate[gate] = memory;
        step->place[gate] = place;
        place += there ? (int64_t)p->batch * p->cells : 0;
        memory += (int64_t)step->rows * p->cells;
    }
}

enum weft_kernel_status weft_lstm_run(const struct weft_lstm_parameters *parameters,
                                      const struct weft_lstm_products *products,
                                      const void *const *inputs, float *output, void *state,
                                      void *scratch) {
    const struct weft_lstm_parameters *p = parameters;
    struct weft_lstm_step step = {.parameters = p, .inputs = inputs, .rows = rows_of(p)};
    float *gates = scratch;
    step.hidden = gates + WEFT_LSTM_GATES * (int64_t)step.rows * p->cells;
    step.product = step.hidden + (int64_t)step.rows * p->cells;
    step.quantized = gates + floats_of(p);
    for (int32_t first = 0; first < p->batch; first += step.rows) {
        place_gates(&step, gates, first);
        step.state = (float *)state + (int64_t)first * p->outputs;
        step.cell = (float *)state + (int64_t)p->batch * p->outputs + (int64_t)first * p->cells;
        for (int32_t time = 0; time < p->steps; time++) {
            int64_t row = (int64_t)first * p->steps + (int64_t)time * step.rows;
            step.input = (const weft_unaligned_float *)inputs[0] + row * p->inputs;
            run_step(&step, products, output + row * p->outputs);
        }
    }
    return WEFT_KERNEL_OK;
}
