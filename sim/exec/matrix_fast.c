/* MATRIX, fast: the same sums as matrix.c in another order.
 *
 * Compiled once for each kind of host; WEFT_KERNEL(name) adds the host's suffix. Dense: the
 * reduction levels are brought inside, weights are widened to int16 in pairs of input lanes, and a
 * group of pixels keeps its accumulators in registers over a chunk of reduction steps. Needs
 * distinct accumulators, as the verifier demands.
 */
#include <string.h>

#include "sim/exec/instructions.h"
#include "sim/exec/lanes.h"

enum {
    MIN_BLOCK = 8,
    MAX_BLOCK = 32,
    MAX_PIXELS = 12,
    /* int16 weights of a chunk of reduction steps: half a first-level cache */
    CHUNK_WEIGHTS = 8192,
    MAX_STEPS = CHUNK_WEIGHTS / (8 * 8),
};

/* A walk over some of the tile levels, innermost level first. */
struct walk {
    unsigned levels;
    int64_t count[4];
    int64_t act[4];  /* bytes in ACT a step */
    int64_t acc[4];  /* entries a step */
    int64_t tile[4]; /* weight tiles a step */
    int64_t index[4];
    int64_t act_at;
    int64_t acc_at;
    int64_t tile_at;
};

static void walk_add(struct walk *walk, const struct weft_matrix_fields *matrix, unsigned level,
                     int64_t tile) {
    unsigned i = walk->levels++;
    walk->count[i] = matrix->tile_count[level];
    walk->act[i] = matrix->tile_act_stride[level];
    walk->acc[i] = matrix->tile_acc_stride[level];
    walk->tile[i] = tile;
}

/* Moves on; false, and back at the beginning, after the last. */
static bool walk_next(struct walk *walk) {
    for (unsigned i = 0; i < walk->levels; i++) {
        walk->act_at += walk->act[i];
        walk->acc_at += walk->acc[i];
        walk->tile_at += walk->tile[i];
        if (++walk->index[i] < walk->count[i]) {
            return true;
        }
        walk->act_at -= walk->act[i] * walk->count[i];
        walk->acc_at -= walk->acc[i] * walk->count[i];
        walk->tile_at -= walk->tile[i] * walk->count[i];
        walk->index[i] = 0;
    }
    return false;
}

/* Splits the tile levels into those of different accumulators and reductions. */
static void split(const struct weft_matrix_fields *matrix, struct walk *outer, struct walk *inner) {
    int64_t tile = 1;
    for (unsigned level = 4; level-- > 0;) {
        walk_add(matrix->tile_acc_stride[level] == 0 ? inner : outer, matrix, level, tile);
        tile *= matrix->tile_count[level];
    }
}

/* A chunk of reduction steps with their weights, widened: weight[step][j / 2][n][j % 2]. */
struct chunk {
    unsigned steps;
    int64_t act[MAX_STEPS];
    int16_t weight[CHUNK_WEIGHTS];
};

INLINE void widen_weights(const int8_t *weights, int32_t zero, const uint32_t block, int16_t *out) {
    for (uint32_t j = 0; j < block; j += 2) {
        for (uint32_t n = 0; n < block; n += WIDEN_BYTES) {
            widen_pairs(weights + j * block + n, weights + (j + 1) * block + n, (int16_t)zero,
                        out + j * block + 2 * n);
        }
    }
}

/* Input lanes of a group of pixels in all steps of a chunk, widened: lane[p * row + step * block +
 * j]. */
INLINE void widen_pixels(const struct chunk *chunk, const int8_t *const *act, const uint32_t pixels,
                         const uint32_t block, const size_t row, int16_t *lane) {
    for (size_t step = 0; step < chunk->steps; step++) {
        UNROLL
        for (uint32_t p = 0; p < pixels; p++) {
            for (uint32_t j = 0; j < block; j += WIDEN_BYTES) {
                widen_bytes(act[p] + chunk->act[step] + j, lane + p * row + step * block + j);
            }
        }
    }
}

/* One group of `pixels` pixels over a chunk; act[p] and acc[p] are those of pixel p. Pairs of input
 * lanes come from memory, widened: from there a pair reaches all lanes of a vector in one load. */
INLINE void group(const struct chunk *chunk, const int8_t *const *act, int32_t *const *acc,
                  const uint32_t pixels, bool add, const uint32_t block) {
    const uint32_t vectors = block / LANES;
    const size_t row = CHUNK_WEIGHTS / block;
    int16_t wide[MAX_PIXELS * (CHUNK_WEIGHTS / MIN_BLOCK)];
    widen_pixels(chunk, act, pixels, block, row, wide);
    lanes sum[MAX_PIXELS][MAX_BLOCK / LANES];
    UNROLL
    for (uint32_t p = 0; p < pixels; p++) {
        UNROLL
        for (uint32_t v = 0; v < vectors; v++) {
            static const int32_t zeros[LANES] = {0};
            sum[p][v] = lanes_load(add ? acc[p] + v * LANES : zeros);
        }
    }
    const int16_t *weight = chunk->weight;
    for (size_t j = 0; j < (size_t)chunk->steps * block; j += 2) {
        lanes w[MAX_BLOCK / LANES];
        UNROLL
        for (uint32_t v = 0; v < vectors; v++) {
            w[v] = lanes_load(weight + 2 * v * LANES);
        }
        UNROLL
        for (uint32_t p = 0; p < pixels; p++) {
            int32_t pair;
            memcpy(&pair, &wide[p * row + j], sizeof pair);
            UNROLL
            for (uint32_t v = 0; v < vectors; v++) {
                sum[p][v] = lanes_dot(sum[p][v], pair, w[v]);
            }
        }
        weight += 2 * block;
    }
    UNROLL
    for (uint32_t p = 0; p < pixels; p++) {
        UNROLL
        for (uint32_t v = 0; v < vectors; v++) {
            lanes_store(acc[p] + v * LANES, sum[p][v]);
        }
    }
}

/* All pixels over a chunk, in groups that fill the registers; the rest one by one. */
INLINE void dense_pixels(struct weft_state *state, const struct weft_matrix_fields *matrix,
                         const struct chunk *chunk, int64_t act_base, int64_t acc_base, bool add,
                         const uint32_t block) {
    const uint32_t pixels =
        REGISTERS * LANES / block > MAX_PIXELS ? MAX_PIXELS : REGISTERS * LANES / block;
    const int8_t *act[MAX_PIXELS];
    int32_t *acc[MAX_PIXELS];
    uint32_t held = 0;
    for (int64_t y = 0; y < matrix->pixel_count[0]; y++) {
        for (int64_t x = 0; x < matrix->pixel_count[1]; x++) {
            act[held] = state->act + act_base + y * matrix->pixel_act_stride[0] +
                        x * matrix->pixel_act_stride[1];
            acc[held] = state->acc + (acc_base + y * matrix->pixel_acc_stride[0] +
                                      x * matrix->pixel_acc_stride[1]) *
                                         block;
            if (++held == pixels) {
                group(chunk, act, acc, pixels, add, block);
                held = 0;
            }
        }
    }
    for (uint32_t p = 0; p < held; p++) {
        group(chunk, act + p, acc + p, 1, add, block);
    }
}

INLINE void dense(struct weft_state *state, const struct weft_matrix_fields *matrix,
                  const uint32_t block) {
    struct walk outer = {0};
    struct walk inner = {0};
    split(matrix, &outer, &inner);
    struct chunk chunk;
    const unsigned max_steps = CHUNK_WEIGHTS / (block * block);
    do {
        bool add = matrix->accumulate != 0;
        bool more = true;
        while (more) {
            for (chunk.steps = 0; more && chunk.steps < max_steps; chunk.steps++) {
                int64_t tile = outer.tile_at + inner.tile_at;
                chunk.act[chunk.steps] = inner.act_at;
                widen_weights(state->wgt + matrix->wgt + tile * block * block, matrix->weight_zero,
                              block, chunk.weight + (size_t)chunk.steps * block * block);
                more = walk_next(&inner);
            }
            dense_pixels(state, matrix, &chunk, matrix->act + outer.act_at,
                         matrix->acc + outer.acc_at, add, block);
            add = true;
        }
    } while (walk_next(&outer));
}

/* The pixels of one depthwise tile. */
INLINE void depthwise_tile(struct weft_state *state, const struct weft_matrix_fields *matrix,
                           const int8_t *weights, int64_t act_base, int64_t acc_base, bool add,
                           const uint32_t block) {
    int16_t wide[MAX_BLOCK][MAX_BLOCK];
    int64_t offset[MAX_BLOCK];
    uint32_t taps = matrix->window_rows * matrix->window_columns;
    for (uint32_t j = 0; j < taps; j++) {
        int64_t column = matrix->window_columns - 1 - j / matrix->window_rows;
        offset[j] = j % matrix->window_rows * (int64_t)matrix->window_row_stride +
                    column * matrix->pixel_act_stride[1];
        for (uint32_t n = 0; n < block; n++) {
            wide[j][n] = (int16_t)(weights[j * block + n] - matrix->weight_zero);
        }
    }
    int64_t step = (int64_t)matrix->pixel_act_stride[1] * matrix->window_step;
    for (int64_t y = 0; y < matrix->pixel_count[0]; y++) {
        for (int64_t x = 0; x < matrix->pixel_count[1]; x++) {
            const int8_t *act = state->act + act_base + y * matrix->pixel_act_stride[0] + x * step;
            int32_t *acc = state->acc + (acc_base + y * matrix->pixel_acc_stride[0] +
                                         x * matrix->pixel_acc_stride[1]) *
                                            block;
            uint32_t sum[MAX_BLOCK];
            for (uint32_t n = 0; n < block; n++) {
                sum[n] = add ? (uint32_t)acc[n] : 0;
            }
            for (uint32_t j = 0; j < taps; j++) {
                for (uint32_t n = 0; n < block; n++) {
                    sum[n] += (uint32_t)(act[offset[j] + n] * wide[j][n]);
                }
            }
            memcpy(acc, sum, block * sizeof *acc);
        }
    }
}

INLINE void depthwise(struct weft_state *state, const struct weft_matrix_fields *matrix,
                      const uint32_t block) {
    struct walk outer = {0};
    struct walk inner = {0};
    split(matrix, &outer, &inner);
    int64_t tile_bytes = weft_weight_tile_bytes(state->config, matrix);
    do {
        bool add = matrix->accumulate != 0;
        do {
            depthwise_tile(state, matrix,
                           state->wgt + matrix->wgt + (outer.tile_at + inner.tile_at) * tile_bytes,
                           matrix->act + outer.act_at + inner.act_at, matrix->acc + outer.acc_at,
                           add, block);
            add = true;
        } while (walk_next(&inner));
    } while (walk_next(&outer));
}

INLINE void run(struct weft_state *state, const struct weft_matrix_fields *matrix,
                const uint32_t block) {
    if (matrix->mode == WEFT_MODE_DENSE) {
        dense(state, matrix, block);
    } else {
        depthwise(state, matrix, block);
    }
}

void WEFT_KERNEL(weft_execute_matrix)(struct weft_state *state,
                                      const struct weft_matrix_fields *matrix) {
    switch (state->config->block) {
    case 8:
#if defined(__AVX512VNNI__)
        weft_execute_matrix_avx2(state, matrix); /* an entry is half a vector */
#else
        run(state, matrix, 8);
#endif
        break;
    case 16:
        run(state, matrix, 16);
        break;
    default:
        run(state, matrix, 32);
        break;
    }
}
