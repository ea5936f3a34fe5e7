/* Operators with a state: sequences of steps. */
#ifndef WEFT_KERNELS_SEQUENCE_H
#define WEFT_KERNELS_SEQUENCE_H

#include "kernels/kernel.h"

/* The gates of an LSTM, in this order wherever there are four of something. */
enum weft_lstm_gate {
    WEFT_LSTM_INPUT,
    WEFT_LSTM_FORGET,
    WEFT_LSTM_CELL,
    WEFT_LSTM_OUTPUT,
    WEFT_LSTM_GATES
};

/* An LSTM of int8 with gates and cells of int16. Sums of products become fixed-point numbers of 12
 * fraction bits: input[gate] is a factor of those of the input, state[gate] of those of the output
 * of the step before. */
struct weft_qnn_lstm_parameters {
    int32_t batch, steps; /* sequences, and elements of each */
    int32_t inputs, cells;
    int32_t batch_step, time_step; /* rows from one sequence or element to the next */
    struct weft_factor input[WEFT_LSTM_GATES];
    struct weft_factor state[WEFT_LSTM_GATES];
    struct weft_factor output;
    int32_t input_zero;
    int32_t state_zero;  /* of the output as the next step's input; also where it starts */
    int32_t output_zero; /* added to results */
    int32_t cell_bits;   /* integer bits of a cell, 0 to 6 */
    int32_t clip;        /* cells are limited to [-clip, clip]; 0: not at all */
};

size_t weft_kernel_qnn_lstm_scratch(const struct weft_qnn_lstm_parameters *parameters);

/* inputs: rows [batch, steps or the other way round, inputs]; of each gate the weights [cells,
 * inputs] of the input, then of each the weights [cells, cells] of the state, then of each the bias
 * [cells], int32. Output: [..., cells]. Cells start at 0. */
enum weft_kernel_status weft_kernel_qnn_lstm(const struct weft_qnn_lstm_parameters *parameters,
                                             const void *const *inputs, void *output,
                                             void *scratch);

#endif
