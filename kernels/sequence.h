/* Operators with a state: what they keep from one call to the next. In reset, states are 0, those
 * of int8 the zero point. */
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

/* ---- LSTM of int8 ---- */

/* Gates and cells are int16. Sums of products become fixed-point numbers of 12 fraction bits:
 * input[gate] is a factor of those of the input, state[gate] of those of the output of the step
 * before. */
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
size_t weft_kernel_qnn_lstm_state(const struct weft_qnn_lstm_parameters *parameters);
void weft_kernel_qnn_lstm_reset(const struct weft_qnn_lstm_parameters *parameters, void *state);

/* inputs: rows [batch, steps or the other way round, inputs]; of each gate the weights [cells,
 * inputs] of the input, then of each the weights [cells, cells] of the state, then of each the bias
 * [cells], int32. Output: [..., cells]. */
enum weft_kernel_status weft_kernel_qnn_lstm(const struct weft_qnn_lstm_parameters *parameters,
                                             const void *const *inputs, void *output, void *state,
                                             void *scratch);

/* ---- LSTM of floats ---- */

/* The tensors of an LSTM behind its rows, in the order in which they are operands. */
enum weft_lstm_tensor {
    WEFT_LSTM_INPUT_WEIGHTS = 0, /* of each gate, [cells, inputs] */
    WEFT_LSTM_STATE_WEIGHTS = 4, /* of each gate, [cells, outputs] */
    WEFT_LSTM_PEEPHOLES = 8,     /* of the input, forget and output gate, [cells] */
    WEFT_LSTM_BIASES = 11,       /* of each gate, [cells] */
    WEFT_LSTM_PROJECTION = 15,   /* [outputs, cells] */
    WEFT_LSTM_PROJECTION_BIAS = 16,
    WEFT_LSTM_NORMS = 17, /* of each gate: coefficients of its normalisation, [cells] */
    WEFT_LSTM_TENSORS = 21
};

/* What becomes of sums. */
enum weft_fused_activation {
    WEFT_FUSED_NONE,
    WEFT_FUSED_RELU,
    WEFT_FUSED_RELU_N1_TO_1,
    WEFT_FUSED_RELU6,
    WEFT_FUSED_TANH,
    WEFT_FUSED_ACTIVATIONS
};

struct weft_lstm_parameters {
    int32_t batch, steps;
    int32_t inputs, cells, outputs;
    int32_t time_major; /* 1: rows are [steps, batch, inputs], else [batch, steps,
                           inputs]; then sequences are computed side by side */
    enum weft_fused_activation activation; /* of what cells take in and give; not NONE */
    int32_t asymmetric;    /* of int8 weights: floats are quantised with a zero point */
    float cell_clip;       /* cells are limited to this and its negative; 0: not at all */
    float projection_clip; /* the same of results of a projection */
    int32_t input[WEFT_LSTM_TENSORS]; /* number of the input that a tensor is; 0: it is not there */
    float scale[WEFT_LSTM_TENSORS];   /* of int8 weights */
};

/* Without the weights of the input gate it is what the forget gate leaves: 1 - forget. inputs:
 * rows, then the tensors that are there. Output: rows of `outputs`. */
size_t weft_kernel_lstm_scratch(const struct weft_lstm_parameters *parameters);
size_t weft_kernel_lstm_state(const struct weft_lstm_parameters *parameters);
void weft_kernel_lstm_reset(const struct weft_lstm_parameters *parameters, void *state);
enum weft_kernel_status weft_kernel_lstm(const struct weft_lstm_parameters *parameters,
                                         const void *const *inputs, float *output, void *state,
                                         void *scratch);

/* The same with int8 weights of input, state and projection; floats are quantised while it runs. */
size_t weft_kernel_hybrid_lstm_scratch(const struct weft_lstm_parameters *parameters);
size_t weft_kernel_hybrid_lstm_state(const struct weft_lstm_parameters *parameters);
void weft_kernel_hybrid_lstm_reset(const struct weft_lstm_parameters *parameters, void *state);
enum weft_kernel_status weft_kernel_hybrid_lstm(const struct weft_lstm_parameters *parameters,
                                                const void *const *inputs, float *output,
                                                void *state, void *scratch);

/* ---- SVDF: a dense layer in two, over features and over time ---- */

/* A filter's feature is the product of its weights with a row. Its last `memory` features, times
 * its weights of time, make one number; those of `rank` filters and a bias a unit's result. */
struct weft_svdf_shape {
    int32_t batch, inputs;
    int32_t filters; /* a multiple of rank */
    int32_t rank;
    int32_t memory;   /* features that each filter remembers, its newest included */
    int32_t has_bias; /* 1: there is one */
};

struct weft_qnn_svdf_parameters {
    struct weft_svdf_shape shape;
    struct weft_factor feature; /* to int16 */
    struct weft_factor output;
    int32_t input_zero, output_zero;
};

/* inputs: rows [batch, inputs] of int8, weights of features [filters, inputs] of int8 and of time
 * [filters, memory] of int16, and perhaps a bias [filters / rank] of int32. Output: [batch, filters
 * / rank]. Sums wrap. */
size_t weft_kernel_qnn_svdf_scratch(const struct weft_qnn_svdf_parameters *parameters);
size_t weft_kernel_qnn_svdf_state(const struct weft_qnn_svdf_parameters *parameters);
void weft_kernel_qnn_svdf_reset(const struct weft_qnn_svdf_parameters *parameters, void *state);
enum weft_kernel_status weft_kernel_qnn_svdf(const struct weft_qnn_svdf_parameters *parameters,
                                             const void *const *inputs, void *output, void *state,
                                             void *scratch);

struct weft_svdf_parameters {
    struct weft_svdf_shape shape;
    enum weft_fused_activation activation;
    int32_t asymmetric; /* of int8 weights: floats are quantised with a zero point */
    float scale;        /* of int8 weights */
};

/* The same of floats; and with int8 weights of features, where rows are quantised while it runs. */
size_t weft_kernel_svdf_scratch(const struct weft_svdf_parameters *parameters);
size_t weft_kernel_svdf_state(const struct weft_svdf_parameters *parameters);
void weft_kernel_svdf_reset(const struct weft_svdf_parameters *parameters, void *state);
enum weft_kernel_status weft_kernel_svdf(const struct weft_svdf_parameters *parameters,
                                         const void *const *inputs, float *output, void *state,
                                         void *scratch);
size_t weft_kernel_hybrid_svdf_scratch(const struct weft_svdf_parameters *parameters);
size_t weft_kernel_hybrid_svdf_state(const struct weft_svdf_parameters *parameters);
void weft_kernel_hybrid_svdf_reset(const struct weft_svdf_parameters *parameters, void *state);
enum weft_kernel_status weft_kernel_hybrid_svdf(const struct weft_svdf_parameters *parameters,
                                                const void *const *inputs, float *output,
                                                void *state, void *scratch);

#endif
