/* VECTOR that computes softmax over rows of channels: the innermost level goes through the vectors
 * of a row, the others through rows. The tables hold exponentials: that of a byte which is d below
 * the largest of its row is the int32 of the four bytes of line d that lie at 4 * (lane modulo B /
 * 4). */
#include "base/bytes.h"
#include "base/fixed_point.h"
#include "base/integer.h"
#include "sim/exec/instructions.h"

struct row {
    const struct weft_state *state;
    const struct weft_vector_fields *vector;
    const int8_t *in; /* the first vector */
    int8_t *out;
    int32_t largest;
};

/* The lanes of a vector of the row that hold channels. */
static uint32_t lanes_of(const struct row *row, uint32_t x) {
    uint32_t block = row->state->config->block;
    return x + 1 < row->vector->count[2] ? block : (uint32_t)weft_min(row->vector->lanes, block);
}

static const int8_t *vector_at(const struct row *row, uint32_t x) {
    return row->in + (int64_t)x * row->vector->a_stride[2] * row->state->config->block;
}

static int32_t exponential(const struct row *row, int8_t value, uint32_t lane) {
    uint32_t block = row->state->config->block;
    uint32_t below = (uint32_t)(row->largest - value) % 256;
    return weft_read_i32(row->state->lut + below * block + lane % (block / 4) * 4);
}

static int32_t largest_of(const struct row *row) {
    int32_t largest = INT8_MIN;
    for (uint32_t x = 0; x < row->vector->count[2]; x++) {
        for (uint32_t lane = 0; lane < lanes_of(row, x); lane++) {
            largest = (int32_t)weft_max(largest, vector_at(row, x)[lane]);
        }
    }
    return largest;
}

static uint32_t sum_of(const struct row *row) {
    uint32_t sum = 0;
    for (uint32_t x = 0; x < row->vector->count[2]; x++) {
        for (uint32_t lane = 0; lane < lanes_of(row, x); lane++) {
            sum += weft_softmax_term(exponential(row, vector_at(row, x)[lane], lane));
        }
    }
    return sum & (uint32_t)weft_low_bits(WEFT_SOFTMAX_SUM_BITS);
}

/* Lanes without a channel get what their bytes would in one that counts. */
static void softmax_row(struct row *row) {
    const struct weft_vector_fields *vector = row->vector;
    uint32_t block = row->state->config->block;
    int shift = 0;
    row->largest = largest_of(row);
    int32_t scale =
        weft_reciprocal_of_one_plus(weft_softmax_normalised(sum_of(row), &shift), weft_high_mul);
    for (uint32_t x = 0; x < vector->count[2]; x++) {
        const int8_t *in = vector_at(row, x);
        int8_t *out = row->out + (int64_t)x * vector->out_stride[2] * block;
        for (uint32_t lane = 0; lane < block; lane++) {
            int32_t share =
                weft_rounding_shift(weft_high_mul(scale, exponential(row, in[lane], lane)), shift);
            int64_t value = (int64_t)share + vector->out_zero;
            out[lane] = (int8_t)weft_clamp(value, vector->low, vector->high);
        }
    }
}

void weft_execute_softmax(struct weft_state *state, const struct weft_vector_fields *vector) {
    int64_t block = state->config->block;
    const int32_t *o = vector->out_stride;
    const int32_t *s = vector->a_stride;
    for (int64_t i = 0; i < vector->count[0]; i++) {
        for (int64_t j = 0; j < vector->count[1]; j++) {
            struct row row = {.state = state,
                              .vector = vector,
                              .in = state->act + (vector->a + i * s[0] + j * s[1]) * block,
                              .out = state->act + (vector->out + i * o[0] + j * o[1]) * block};
            softmax_row(&row);
        }
    }
}
