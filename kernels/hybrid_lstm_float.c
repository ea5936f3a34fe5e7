#include <string.h>

#include "kernels/dot.h"
#include "kernels/hybrid.h"
#include "kernels/lstm_step.h"

/* Rows of int8 take a multiple of 8 bytes. */
static size_t bytes_of(int64_t rows, int64_t depth) {
    return (quantized_rows_bytes(rows, depth) + 7) / 8 * 8;
}

/* The input, the state, and results before a projection. */
static size_t bytes(const struct weft_lstm_parameters *p) {
    return bytes_of(p->batch, p->inputs) + bytes_of(p->batch, p->outputs) +
           bytes_of(p->batch, p->cells);
}

static void *memory_of_state(const struct weft_lstm_step *step) {
    return (uint8_t *)step->quantized + bytes_of(step->rows, step->parameters->inputs);
}

static void *memory_of_hidden(const struct weft_lstm_step *step) {
    return (uint8_t *)memory_of_state(step) + bytes_of(step->rows, step->parameters->outputs);
}

static void quantize(const struct weft_lstm_step *step) {
    const struct weft_lstm_parameters *p = step->parameters;
    (void)weft_quantize_rows(step->input, step->rows, p->inputs, p->asymmetric, step->quantized);
    (void)weft_quantize_rows(step->state, step->rows, p->outputs, p->asymmetric,
                             memory_of_state(step));
}

/* sums [rows, columns] += what was quantised * transposed weights [columns, depth]; where all of
 * `floats`, from which it comes, is 0 there is nothing to add. */
static void add_product(const struct weft_lstm_step *step, int32_t depth, int32_t columns,
                        const weft_unaligned_float *floats, void *quantized, int32_t tensor,
                        float *sums) {
    struct weft_quantized_rows rows = {quantized, NULL};
    rows.element = (int8_t *)(rows.scale + step->rows);
    if (is_all_zero(floats, (int64_t)step->rows * depth)) {
        return;
    }
    for (int32_t row = 0; row < step->rows; row++) {
        struct weft_product_types types = hybrid_types(&rows, row);
        struct weft_dot_operands operands = {&types, rows.element, lstm_tensor(step, tensor), 0};
        float scale = rows.scale[row].scale * step->parameters->scale[tensor];
        for (int32_t i = 0; i < columns; i++) {
            int64_t sum = weft_dot(&operands, (int64_t)row * depth, (int64_t)i * depth, depth);
            *sums++ += (float)(int32_t)(uint32_t)(uint64_t)sum * scale;
        }
    }
}

static void add_products(const struct weft_lstm_step *step, enum weft_lstm_gate gate, float *sums) {
    const struct weft_lstm_parameters *p = step->parameters;
    add_product(step, p->inputs, p->cells, step->input, step->quantized,
                WEFT_LSTM_INPUT_WEIGHTS + (int32_t)gate, sums);
    add_product(step, p->outputs, p->cells, step->state, memory_of_state(step),
                WEFT_LSTM_STATE_WEIGHTS + (int32_t)gate, sums);
}

static void project(const struct weft_lstm_step *step) {
    const struct weft_lstm_parameters *p = step->parameters;
    void *memory = memory_of_hidden(step);
    (void)weft_quantize_rows(step->hidden, step->rows, p->cells, p->asymmetric, memory);
    add_product(step, p->cells, p->outputs, step->hidden, memory, WEFT_LSTM_PROJECTION,
                step->state);
}

static const struct weft_lstm_products products = {bytes, quantize, add_products, project};

size_t weft_kernel_hybrid_lstm_scratch(const struct weft_lstm_parameters *parameters) {
    return weft_lstm_scratch(parameters, &products);
}

size_t weft_kernel_hybrid_lstm_state(const struct weft_lstm_parameters *parameters) {
    return weft_lstm_state(parameters);
}

void weft_kernel_hybrid_lstm_reset(const struct weft_lstm_parameters *parameters, void *state) {
    memset(state, 0, weft_lstm_state(parameters));
}

enum weft_kernel_status weft_kernel_hybrid_lstm(const struct weft_lstm_parameters *parameters,
                                                const void *const *inputs, float *output,
                                                void *state, void *scratch) {
    return weft_lstm_run(parameters, &products, inputs, output, state, scratch);
}
