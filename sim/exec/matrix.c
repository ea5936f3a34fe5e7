/* MATRIX: streams pixels through weight tiles. For every weight tile (four tile levels) and every
 * pixel (two pixel levels)
 *
 *     acc[p][n] (+)= sum over j of (x[j][n] - act_zero) * (weight[j][n] - weight_zero)
 *
 * Dense: j < B and x[j][n] is byte j from the pixel's address, the same for every n. With
 * window_rows the tiles of the innermost level go through rows of a window, and window_row_stride
 * bytes are left out where one ends: in every tile at most one row ends (weft_dense_tile_of()),
 * after window_first bytes the first one, window_columns bytes later the next. Depthwise: j
 * runs over the taps of a window, x[j][n] is byte n of tap j's line; tap j = (columns - 1 - column)
 * * rows + row, because the newest column enters the hardware's window at its low end. A tile
 * overwrites the accumulators where the index of every reduction level (accumulator stride 0) is 0
 * and `accumulate` is not set, else it adds; sums wrap.
 */
#include "sim/exec/instructions.h"

/* Byte address in ACT of input lane 0 of tap `tap` of the depthwise pixel at `address`. */
static int64_t tap_address(const struct weft_matrix_fields *matrix, int64_t address, uint32_t tap) {
    int64_t row = tap % matrix->window_rows;
    int64_t column = matrix->window_columns - 1 - tap / matrix->window_rows;
    return address + row * matrix->window_row_stride + column * matrix->pixel_act_stride[1];
}

/* `end`: from this lane on a dense pixel lies in the next row of the window. */
static void pixel(const struct weft_state *state, const struct weft_matrix_fields *matrix,
                  int64_t address, uint32_t end, const int8_t *weights, int32_t *acc, bool add) {
    uint32_t block = state->config->block;
    bool dense = matrix->mode == WEFT_MODE_DENSE;
    uint32_t taps = dense ? block : matrix->window_rows * matrix->window_columns;
    int32_t zero = dense ? matrix->act_zero : 0;
    for (uint32_t n = 0; n < block; n++) {
        uint32_t sum = add ? (uint32_t)acc[n] : 0;
        for (uint32_t j = 0; j < taps; j++) {
            int64_t from = dense ? address + j + (j >= end ? matrix->window_row_stride : 0)
                                 : tap_address(matrix, address, j) + n;
            int32_t weight = weights[j * block + n] - matrix->weight_zero;
            sum += (uint32_t)((state->act[from] - zero) * weight);
        }
        acc[n] = (int32_t)sum;
    }
}

/* All pixels of one weight tile. */
static void pass(struct weft_state *state, const struct weft_matrix_fields *matrix, int64_t act,
                 uint32_t end, int64_t acc, const int8_t *weights, bool add) {
    bool dense = matrix->mode == WEFT_MODE_DENSE;
    int64_t step = (int64_t)matrix->pixel_act_stride[1] * (dense ? 1 : matrix->window_step);
    for (int64_t y = 0; y < matrix->pixel_count[0]; y++) {
        for (int64_t x = 0; x < matrix->pixel_count[1]; x++) {
            int64_t entry = acc + y * matrix->pixel_acc_stride[0] + x * matrix->pixel_acc_stride[1];
            pixel(state, matrix, act + y * matrix->pixel_act_stride[0] + x * step, end, weights,
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
                    struct weft_dense_tile tile = {0, 0};
                    if (matrix->mode == WEFT_MODE_DENSE) {
                        tile = weft_dense_tile_of(state->config, matrix, index[3]);
                    }
                    int64_t act = matrix->act + tile.skipped;
                    int64_t acc = matrix->acc;
                    bool add = matrix->accumulate != 0;
                    for (unsigned i = 0; i < 4; i++) {
                        act += index[i] * matrix->tile_act_stride[i];
                        acc += index[i] * matrix->tile_acc_stride[i];
                        add = add || (matrix->tile_acc_stride[i] == 0 && index[i] != 0);
                    }
                    pass(state, matrix, act, tile.end, acc, weights, add);
                    weights += weft_weight_tile_bytes(state->config, matrix);
                }
            }
        }
    }
}
