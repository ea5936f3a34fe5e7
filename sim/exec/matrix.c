/* MATRIX: streams pixels through weight tiles. For every weight tile (four tile levels) and every
 * pixel (two pixel levels)
 *
 *     acc[p][n] (+)= sum over j of x[j][n] * (weight[j][n] - weight_zero)
 *
 * Dense: j < B and x[j][n] is byte j from the pixel's address, the same for every n. Depthwise: j
 * runs over the taps of a window, x[j][n] is byte n of tap j's line; tap j = (columns - 1 - column)
 * * rows + row, because the newest column enters the hardware's window at its low end. A tile
 * overwrites the accumulators where the index of every reduction level (accumulator stride 0) is 0
 * and `accumulate` is not set, else it adds; sums wrap.
 */
#include "sim/exec/instructions.h"

/* Byte address in ACT of input lane 0 of tap `tap` of the pixel at `address`. */
static int64_t tap_address(const struct weft_matrix_fields *matrix, int64_t address, uint32_t tap) {
    if (matrix->mode == WEFT_MODE_DENSE) {
        return address;
    }
    int64_t row = tap % matrix->window_rows;
    int64_t column = matrix->window_columns - 1 - tap / matrix->window_rows;
    return address + row * matrix->window_row_stride + column * matrix->pixel_act_stride[1];
}

static void pixel(const struct weft_state *state, const struct weft_matrix_fields *matrix,
                  int64_t address, const int8_t *weights, int32_t *acc, bool add) {
    uint32_t block = state->config->block;
    bool dense = matrix->mode == WEFT_MODE_DENSE;
    uint32_t taps = dense ? block : matrix->window_rows * matrix->window_columns;
    for (uint32_t n = 0; n < block; n++) {
        uint32_t sum = add ? (uint32_t)acc[n] : 0;
        for (uint32_t j = 0; j < taps; j++) {
            int64_t from = tap_address(matrix, address, j) + (dense ? j : n);
            int32_t weight = weights[j * block + n] - matrix->weight_zero;
            sum += (uint32_t)(state->act[from] * weight);
        }
        acc[n] = (int32_t)sum;
    }
}

/* All pixels of one weight tile. */
static void pass(struct weft_state *state, const struct weft_matrix_fields *matrix, int64_t act,
                 int64_t acc, const int8_t *weights, bool add) {
    bool dense = matrix->mode == WEFT_MODE_DENSE;
    int64_t step = (int64_t)matrix->pixel_act_stride[1] * (dense ? 1 : matrix->window_step);
    for (int64_t y = 0; y < matrix->pixel_count[0]; y++) {
        for (int64_t x = 0; x < matrix->pixel_count[1]; x++) {
            int64_t entry = acc + y * matrix->pixel_acc_stride[0] + x * matrix->pixel_acc_stride[1];
            pixel(state, matrix, act + y * matrix->pixel_act_stride[0] + x * step, weights,
                  state->acc + entry * state->config->block, add);
        }
    }
}

void weft_execute_matrix(struct weft_state *state, const struct weft_matrix_fields *matrix) {
    const int8_t *weights = state->wgt + matrix->wgt;
    const uint32_t *count = matrix->tile_count;
    int64_t index[4];
    for (index[0] = 0; index[0] < count[0]; index[0]++) {
        for (index[1] = 0; index[1] < count[1]; index[1]++) {
            for (index[2] = 0; index[2] < count[2]; index[2]++) {
                for (index[3] = 0; index[3] < count[3]; index[3]++) {
                    int64_t act = matrix->act;
                    int64_t acc = matrix->acc;
                    bool add = matrix->accumulate != 0;
                    for (unsigned i = 0; i < 4; i++) {
                        act += index[i] * matrix->tile_act_stride[i];
                        acc += index[i] * matrix->tile_acc_stride[i];
                        add = add || (matrix->tile_acc_stride[i] == 0 && index[i] != 0);
                    }
                    pass(state, matrix, act, acc, weights, add);
                    weights += weft_weight_tile_bytes(state->config, matrix);
                }
            }
        }
    }
}
