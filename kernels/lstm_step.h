/* What LSTMs of floats share, whatever their weights are; used in kernels/ alone. */
#ifndef WEFT_KERNELS_LSTM_STEP_H
#define WEFT_KERNELS_LSTM_STEP_H

#include "kernels/sequence.h"

/* One step of some sequences, side by side. */
struct weft_lstm_step {
    const struct weft_lstm_parameters *parameters;
    const void *const *inputs;
    int32_t rows;                      /* sequences */
    const weft_unaligned_float *input; /* [rows, inputs] */
    float *state; /* [rows, outputs]: results of the step before, then of this one */
    float *cell;  /* [rows, cells] */
    float *gate[WEFT_LSTM_GATES];   /* [rows, cells] each */
    int64_t place[WEFT_LSTM_GATES]; /* of a gate's first element in the reference's memory */
    float *hidden;                  /* [rows, cells]: results before a projection */
    float *product;                 /* [rows, the larger of cells and outputs] */
    void *quantized;                /* memory for int8, of weft_lstm_products.bytes() */
};

/* How products are computed. */
struct weft_lstm_products {
    /* Bytes of memory beside that of the step; NULL: none. */
    size_t (*bytes)(const struct weft_lstm_parameters *parameters);
    /* What is the same for all gates of a step; NULL: nothing. */
    void (*begin)(const struct weft_lstm_step *step);
    /* Adds those of input and state to the sums of a gate. */
    void (*add)(const struct weft_lstm_step *step, enum weft_lstm_gate gate, float *sums);
    /* Adds that of `hidden` with the weights of the projection to the sums in `state`. */
    void (*project)(const struct weft_lstm_step *step);
};

/* Tensor `number`; NULL: it is not there. */
static inline const void *lstm_tensor(const struct weft_lstm_step *step, int32_t number) {
    int32_t input = step->parameters->input[number];
    return input == 0 ? NULL : step->inputs[input];
}

/* Is every element 0? */
static inline int32_t is_all_zero(const weft_unaligned_float *elements, int64_t count) {
    int64_t i = 0;
    while (i < count && elements[i] == 0.0F) {
        i++;
    }
    return i == count;
}

size_t weft_lstm_scratch(const struct weft_lstm_parameters *parameters,
                         const struct weft_lstm_products *products);
size_t weft_lstm_state(const struct weft_lstm_parameters *parameters);
enum weft_kernel_status weft_lstm_run(const struct weft_lstm_parameters *parameters,
                                      const struct weft_lstm_products *products,
                                      const void *const *inputs, float *output, void *state,
                                      void *scratch);

#endif
