/* MATRIX, fast: the same sums as matrix.c in another order.
 *
 * Compiled once for each kind of host; WEFT_KERNEL(name) adds the host's suffix. Dense: the
 * reduction levels are brought inside, weights are put as lanes_dot() wants them, DOT input lanes
 * together, and a group of pixels keeps its accumulators in registers over a chunk of reduction
 * steps. Needs distinct accumulators, as the verifier demands.
 */
#include <string.h>

#include "sim/exec/instructions.h"
#include "sim/exec/lanes.h"

enum {
    MIN_BLOCK = 8,
    MAX_BLOCK = 32,
    MAX_PIXELS = 12,
    FEW_PIXELS = 4, /* of what is left over */
    /* weights of a chunk of reduction steps: half a first-level cache */
    CHUNK_WEIGHTS = 16384 / sizeof(factor),
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

/* A chunk of reduction steps with their weights: weight[step][j / DOT][n][j % DOT]. */
struct chunk {
    unsigned steps;
    int64_t act[MAX_STEPS];
    uint32_t end[MAX_STEPS]; /* lanes before the next row of a window begins */
    int64_t row_stride;      /* how much further that is */
    int32_t zero;            /* the zero point that the weights still have */
    bool add;                /* to what accumulators hold */
    factor weight[CHUNK_WEIGHTS];
    int32_t act_zero;
    /* What sums have too much: what factors of zeros would sum up to, and the zero point of the
     * pixels times all weights. */
    int32_t excess[MAX_BLOCK];
};

/* The weights of the chunk's last step. */
INLINE void take_weights(struct chunk *chunk, const int8_t *weights, int32_t zero,
                         const uint32_t block) {
    factor *to = chunk->weight + (size_t)chunk->steps * block * block;
    for (uint32_t j = 0; j < block; j += DOT) {
        for (uint32_t n = 0; n < block; n += TAKEN_BYTES) {
            join_weights(weights + j * block + n, block, (int16_t)zero, to + j * block + DOT * n);
        }
    }
    chunk->zero = weights_keep_zero ? zero : 0;
    for (uint32_t j = 0; chunk->act_zero != 0 && j < block * block; j++) {
        chunk->excess[j % block] += chunk->act_zero * (weights[j] - zero);
    }
}

INLINE void count_excess(struct chunk *chunk, const uint32_t block) {
    for (uint32_t n = 0; zero_factors != 0 && n < block; n += LANES) {
        lanes sum = lanes_load(chunk->excess + n);
        for (size_t j = 0; j < (size_t)chunk->steps * block; j += DOT) {
            sum = lanes_dot(sum, zero_factors, lanes_load(chunk->weight + j * block + DOT * n));
        }
        lanes_store(chunk->excess + n, sum);
    }
}

/* Input lanes of a group of pixels in all steps of a chunk: lane[p * row + step * block + j]. */
INLINE void take_pixels(const struct chunk *chunk, const int8_t *const *act, const uint32_t pixels,
                        const uint32_t block, const size_t row, factor *lane) {
    for (size_t step = 0; step < chunk->steps; step++) {
        uint32_t end = chunk->end[step];
        UNROLL
        for (uint32_t p = 0; p < pixels; p++) {
            const int8_t *from = act[p] + chunk->act[step];
            int8_t two_rows[MAX_BLOCK];
            if (end < block) {
                memcpy(two_rows, from, end);
                memcpy(two_rows + end, from + chunk->row_stride + end, block - end);
                from = two_rows;
            }
            for (uint32_t j = 0; j < block; j += TAKEN_BYTES) {
                take_factors(from + j, lane + p * row + step * block + j);
            }
        }
    }
}

/* The weights' zero point times the sum of a pixel's lanes, where weights have kept it. */
INLINE int32_t zero_of_pixel(const struct chunk *chunk, const factor *lane, const uint32_t block) {
    uint32_t count = chunk->steps * block;
    int32_t sum = 0; /* of bytes, at most CHUNK_WEIGHTS */
    for (uint32_t j = 0; j < count; j++) {
        sum += lane[j];
    }
    return (int32_t)((uint32_t)chunk->zero * ((uint32_t)sum - zero_factor * count));
}

/* What the sums of a group begin with. */
INLINE lanes first_sum(const struct chunk *chunk, const int32_t *acc, const factor *lane,
                       uint32_t n, const uint32_t block) {
    lanes sum = chunk->add ? lanes_load(acc + n) : lanes_all(0);
    if (zero_factors != 0 || chunk->act_zero != 0) {
        sum = lanes_subtract(sum, lanes_load(chunk->excess + n));
    }
    if (weights_keep_zero && chunk->zero != 0) {
        sum = lanes_subtract(sum, lanes_all(zero_of_pixel(chunk, lane, block)));
    }
    return sum;
}

/* One group of `pixels` pixels over a chunk; act[p] and acc[p] are those of pixel p. DOT input
 * lanes come from memory together: from there they reach all lanes of a vector in one load. */
INLINE void group(const struct chunk *chunk, const int8_t *const *act, int32_t *const *acc,
                  const uint32_t pixels, const uint32_t block) {
    const uint32_t vectors = block / LANES;
    const size_t row = CHUNK_WEIGHTS / block;
    factor lane[MAX_PIXELS * (CHUNK_WEIGHTS / MIN_BLOCK)];
    take_pixels(chunk, act, pixels, block, row, lane);
    lanes sum[MAX_PIXELS][MAX_BLOCK / LANES];
    UNROLL
    for (uint32_t p = 0; p < pixels; p++) {
        UNROLL
        for (uint32_t v = 0; v < vectors; v++) {
            sum[p][v] = first_sum(chunk, acc[p], lane + p * row, v * LANES, block);
        }
    }
    const factor *weight = chunk->weight;
    for (size_t j = 0; j < (size_t)chunk->steps * block; j += DOT) {
        lanes w[MAX_BLOCK / LANES];
        UNROLL
        for (uint32_t v = 0; v < vectors; v++) {
            w[v] = lanes_load(weight + DOT * v * LANES);
        }
        UNROLL
        for (uint32_t p = 0; p < pixels; p++) {
            int32_t factors;
            memcpy(&factors, &lane[p * row + j], sizeof factors);
            UNROLL
            for (uint32_t v = 0; v < vectors; v++) {
                sum[p][v] = lanes_dot(sum[p][v], factors, w[v]);
            }
        }
        weight += DOT * block;
    }
    UNROLL
    for (uint32_t p = 0; p < pixels; p++) {
        UNROLL
        for (uint32_t v = 0; v < vectors; v++) {
            lanes_store(acc[p] + v * LANES, sum[p][v]);
        }
    }
}

/* How many pixels fill the registers. */
#define GROUP_PIXELS(block)                                                                        \
    (REGISTERS * LANES / (block) > MAX_PIXELS ? MAX_PIXELS : REGISTERS * LANES / (block))

/* All pixels over a chunk, in groups that fill the registers; the rest in fours, and one by one. */
INLINE void dense_pixels(struct weft_state *state, const struct weft_matrix_fields *matrix,
                         const struct chunk *chunk, int64_t act_base, int64_t acc_base,
                         const uint32_t block) {
    const uint32_t pixels = GROUP_PIXELS(block);
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
                group(chunk, act, acc, pixels, block);
                held = 0;
            }
        }
    }
    uint32_t p = 0;
    for (; p + FEW_PIXELS <= held; p += FEW_PIXELS) {
        group(chunk, act + p, acc + p, FEW_PIXELS, block);
    }
    for (; p < held; p++) {
        group(chunk, act + p, acc + p, 1, block);
    }
}

INLINE void dense(struct weft_state *state, const struct weft_matrix_fields *matrix,
                  const uint32_t block) {
    struct walk outer = {0};
    struct walk inner = {0};
    split(matrix, &outer, &inner);
    const int64_t *innermost = &(matrix->tile_acc_stride[3] == 0 ? &inner : &outer)->index[0];
    struct chunk chunk;
    chunk.row_stride = matrix->window_row_stride;
    chunk.act_zero = matrix->act_zero;
    const unsigned max_steps = CHUNK_WEIGHTS / (block * block);
    do {
        chunk.add = matrix->accumulate != 0;
        bool more = true;
        while (more) {
            memset(chunk.excess, 0, sizeof chunk.excess);
            for (chunk.steps = 0; more && chunk.steps < max_steps; chunk.steps++) {
                int64_t tile = outer.tile_at + inner.tile_at;
                const struct weft_dense_tile rows =
                    weft_dense_tile_of(state->config, matrix, *innermost);
                chunk.act[chunk.steps] = inner.act_at + rows.skipped;
                chunk.end[chunk.steps] = rows.end;
                take_weights(&chunk, state->wgt + matrix->wgt + tile * block * block,
                             matrix->weight_zero, block);
                more = walk_next(&inner);
            }
            count_excess(&chunk, block);
            dense_pixels(state, matrix, &chunk, matrix->act + outer.act_at,
                         matrix->acc + outer.acc_at, block);
            chunk.add = true;
        }
    } while (walk_next(&outer));
}

/* The taps of a depthwise tile. */
struct taps {
    uint32_t count;
    bool add; /* to what accumulators hold */
    int64_t offset[MAX_BLOCK];
    int32_t weight[MAX_BLOCK][MAX_BLOCK];
};

/* Pixels of a row of a depthwise tile, `step` bytes and `acc_step` accumulators apart. */
INLINE void depthwise_group(const struct taps *taps, const int8_t *act, int64_t step, int32_t *acc,
                            int64_t acc_step, const uint32_t pixels, const uint32_t block) {
    const uint32_t vectors = block / LANES;
    lanes sum[MAX_PIXELS][MAX_BLOCK / LANES];
    UNROLL
    for (uint32_t p = 0; p < pixels; p++) {
        UNROLL
        for (uint32_t v = 0; v < vectors; v++) {
            sum[p][v] = taps->add ? lanes_load(acc + p * acc_step + v * LANES) : lanes_all(0);
        }
    }
    for (uint32_t j = 0; j < taps->count; j++) {
        lanes w[MAX_BLOCK / LANES];
        UNROLL
        for (uint32_t v = 0; v < vectors; v++) {
            w[v] = lanes_low(taps->weight[j] + v * LANES);
        }
        UNROLL
        for (uint32_t p = 0; p < pixels; p++) {
            UNROLL
            for (uint32_t v = 0; v < vectors; v++) {
                lanes line = lanes_extend(act + taps->offset[j] + p * step + v * LANES);
                sum[p][v] = lanes_multiply(sum[p][v], line, w[v]);
            }
        }
    }
    UNROLL
    for (uint32_t p = 0; p < pixels; p++) {
        UNROLL
        for (uint32_t v = 0; v < vectors; v++) {
            lanes_store(acc + p * acc_step + v * LANES, sum[p][v]);
        }
    }
}

/* The pixels of one depthwise tile. */
INLINE void depthwise_tile(struct weft_state *state, const struct weft_matrix_fields *matrix,
                           const int8_t *weights, int64_t act_base, int64_t acc_base, bool add,
                           const uint32_t block) {
    const uint32_t pixels = GROUP_PIXELS(block);
    struct taps taps; /* not set as a whole: most of it is not used */
    taps.count = matrix->window_rows * matrix->window_columns;
    taps.add = add;
    for (uint32_t j = 0; j < taps.count; j++) {
        int64_t column = matrix->window_columns - 1 - j / matrix->window_rows;
        taps.offset[j] = j % matrix->window_rows * (int64_t)matrix->window_row_stride +
                         column * matrix->pixel_act_stride[1];
        for (uint32_t n = 0; n < block; n++) {
            taps.weight[j][n] = weights[j * block + n] - matrix->weight_zero;
        }
    }
    int64_t step = (int64_t)matrix->pixel_act_stride[1] * matrix->window_step;
    int64_t acc_step = (int64_t)matrix->pixel_acc_stride[1] * block;
    for (int64_t y = 0; y < matrix->pixel_count[0]; y++) {
        const int8_t *act = state->act + act_base + y * matrix->pixel_act_stride[0];
        int32_t *acc = state->acc + (acc_base + y * matrix->pixel_acc_stride[0]) * block;
        int64_t x = 0;
        for (; x + pixels <= matrix->pixel_count[1]; x += pixels) {
            depthwise_group(&taps, act + x * step, step, acc + x * acc_step, acc_step, pixels,
                            block);
        }
        for (; x + FEW_PIXELS <= matrix->pixel_count[1]; x += FEW_PIXELS) {
            depthwise_group(&taps, act + x * step, step, acc + x * acc_step, acc_step, FEW_PIXELS,
                            block);
        }
        for (; x < matrix->pixel_count[1]; x++) {
            depthwise_group(&taps, act + x * step, step, acc + x * acc_step, acc_step, 1, block);
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
