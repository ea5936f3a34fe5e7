/* VECTOR, fast: vector.c with the lanes innermost and nothing in them that a compiler cannot turn
 * into vector instructions. Compiled once for each kind of host; WEFT_KERNEL(name) adds the host's
 * suffix.
 */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/fixed_point.h"
#include "base/integer.h"
#include "isa/record.h"
#include "sim/exec/instructions.h"
#include "sim/exec/lanes.h"

enum {
    MAX_BLOCK = 32
};

/* Scaling parameters of every lane, in the form the loops want. */
struct scaling {
    int32_t bias[MAX_BLOCK];
    int32_t multiplier[MAX_BLOCK];
    int32_t left[MAX_BLOCK];  /* gemmlowp: left shift */
    int32_t right[MAX_BLOCK]; /* gemmlowp: right shift */
    int32_t mask[MAX_BLOCK];  /* 2^right - 1 */
    int32_t shift[MAX_BLOCK]; /* single, float */
    float factor[MAX_BLOCK];  /* float: multiplier * 2^(shift - 31), */
    bool is_float;            /* when every multiplier has at most 24 significant bits */
};

INLINE void scaling_set(struct scaling *scaling, uint32_t lane, int32_t multiplier, int shift) {
    scaling->multiplier[lane] = multiplier;
    scaling->shift[lane] = shift;
    scaling->left[lane] = shift > 0 ? shift : 0;
    scaling->right[lane] = shift > 0 ? 0 : -shift;
    scaling->mask[lane] = (int32_t)((UINT32_C(1) << scaling->right[lane]) - 1);
}

static void scaling_all(struct scaling *scaling, uint32_t block, int32_t multiplier, int shift) {
    for (uint32_t lane = 0; lane < block; lane++) {
        scaling->bias[lane] = 0;
        scaling_set(scaling, lane, multiplier, shift);
    }
}

/* Reads a REQUANT record. */
INLINE void scaling_record(struct scaling *scaling, const struct weft_vector_fields *vector,
                           const uint8_t *record, const uint32_t block) {
    for (uint32_t lane = 0; lane < block; lane++) {
        const struct weft_lane_scaling by = weft_record_read(vector, record, block, lane);
        scaling->bias[lane] = by.bias;
        scaling_set(scaling, lane, by.multiplier, by.shift);
    }
    scaling->is_float = true;
    for (uint32_t lane = 0; vector->rounding == WEFT_ROUNDING_FLOAT && lane < block; lane++) {
        float multiplier = (float)scaling->multiplier[lane];
        scaling->is_float = scaling->is_float && (int64_t)multiplier == scaling->multiplier[lane];
        scaling->factor[lane] = ldexpf(multiplier, scaling->shift[lane] - 31);
    }
}

/* weft_scale_gemmlowp() of all lanes. */
INLINE void scale_block(int32_t *value, const struct scaling *scaling, const uint32_t block) {
    for (uint32_t lane = 0; lane < block; lane += LANES) { /* no rest is left */
        const struct gemmlowp by = {scaling->multiplier + lane, scaling->left + lane,
                                    scaling->right + lane, scaling->mask + lane};
        scale_gemmlowp(value + lane, &by);
    }
}

/* Adds the zero point, clamps and writes. The 32-bit sum cannot wrap: a scaled value plus a byte is
 * clamped to bytes first. The fields are read before the bytes are written: those could be of the
 * instruction for all that the compiler knows, and the loop would read them again for each lane. */
INLINE void finish(const struct weft_vector_fields *vector, const int32_t *value, int8_t *out,
                   const uint32_t block) {
    int32_t zero = vector->out_zero;
    for (uint32_t lane = 0; lane < block; lane += LANES) { /* no rest is left */
        narrow(value + lane, vector->low - zero, vector->high - zero, zero, out + lane);
    }
}

/* Bytes are clamped as they are. */
INLINE void finish_bytes(const struct weft_vector_fields *vector, int8_t *out,
                         const uint32_t block) {
    int8_t low = (int8_t)vector->low;
    int8_t high = (int8_t)vector->high;
    for (uint32_t lane = 0; lane < block; lane++) {
        int8_t v = out[lane] < low ? low : out[lane];
        out[lane] = v > high ? high : v;
    }
}

INLINE void requant(const struct weft_vector_fields *vector, const struct scaling *scaling,
                    const int32_t *acc, int8_t *out, const uint32_t block) {
    int32_t value[MAX_BLOCK];
    for (uint32_t lane = 0; lane < block; lane += LANES) { /* no rest is left */
        lanes_store(value + lane,
                    lanes_add(lanes_load(acc + lane), lanes_load(scaling->bias + lane)));
    }
    if (vector->rounding == WEFT_ROUNDING_SINGLE) {
        for (uint32_t lane = 0; lane < block; lane++) {
            value[lane] =
                weft_scale_single(value[lane], scaling->multiplier[lane], scaling->shift[lane]);
        }
    } else if (vector->rounding == WEFT_ROUNDING_GEMMLOWP) {
        scale_block(value, scaling, block);
    } else if (scaling->is_float) {
        for (uint32_t lane = 0; lane < block; lane += LANES) { /* no rest is left */
            scale_floats(value + lane, scaling->factor + lane);
        }
    } else {
        for (uint32_t lane = 0; lane < block; lane++) {
            value[lane] =
                weft_scale_float(value[lane], scaling->multiplier[lane], scaling->shift[lane]);
        }
    }
    finish(vector, value, out, block);
}

/* ADD and SUB; `scaling` holds those of a, b and the result. */
INLINE void sum(const struct weft_vector_fields *vector, const struct scaling *scaling,
                const int8_t *a, const int8_t *b, int8_t *out, const uint32_t block) {
    int32_t x[MAX_BLOCK];
    int32_t y[MAX_BLOCK];
    bool subtract = vector->function == WEFT_FUNCTION_SUB;
    int32_t a_zero = vector->a_zero;
    int32_t b_zero = vector->b_zero;
    for (uint32_t lane = 0; lane < block; lane++) {
        x[lane] = (a[lane] - a_zero) * (1 << 20);
        y[lane] = (b[lane] - b_zero) * (1 << 20);
    }
    scale_block(x, &scaling[0], block);
    scale_block(y, &scaling[1], block);
    for (uint32_t lane = 0; lane < block; lane++) {
        x[lane] = (int32_t)(subtract ? (uint32_t)x[lane] - (uint32_t)y[lane]
                                     : (uint32_t)x[lane] + (uint32_t)y[lane]);
    }
    scale_block(x, &scaling[2], block);
    finish(vector, x, out, block);
}

INLINE void squared_difference(const struct weft_vector_fields *vector,
                               const struct scaling *scaling, const int8_t *a, const int8_t *b,
                               int8_t *out, const uint32_t block) {
    int32_t x[MAX_BLOCK];
    int32_t y[MAX_BLOCK];
    int32_t a_zero = vector->a_zero;
    int32_t b_zero = vector->b_zero;
    for (uint32_t lane = 0; lane < block; lane++) {
        x[lane] = (a[lane] - a_zero) * (1 << 7);
        y[lane] = (b[lane] - b_zero) * (1 << 7);
    }
    scale_block(x, &scaling[0], block);
    scale_block(y, &scaling[1], block);
    for (uint32_t lane = 0; lane < block; lane++) {
        uint32_t difference = (uint32_t)x[lane] - (uint32_t)y[lane];
        x[lane] = (int32_t)(difference * difference);
    }
    scale_block(x, &scaling[2], block);
    finish(vector, x, out, block);
}

INLINE void product(const struct weft_vector_fields *vector, const struct scaling *scaling,
                    const int8_t *a, const int8_t *b, int8_t *out, const uint32_t block) {
    int32_t value[MAX_BLOCK];
    bool multiply = vector->function == WEFT_FUNCTION_MUL;
    int32_t a_zero = vector->a_zero;
    int32_t b_zero = vector->b_zero;
    for (uint32_t lane = 0; lane < block; lane++) {
        int32_t x = a[lane] - a_zero;
        value[lane] = multiply ? x * (b[lane] - b_zero) : x;
    }
    scale_block(value, scaling, block);
    finish(vector, value, out, block);
}

INLINE void pool(const struct weft_vector_fields *vector, const int8_t *a, int8_t *out,
                 const uint32_t block) {
    int8_t best[MAX_BLOCK];
    memset(best, INT8_MIN, block);
    for (int64_t i = 0; i < vector->window_count[0]; i++) {
        for (int64_t j = 0; j < vector->window_count[1]; j++) {
            const int8_t *line =
                a + (i * vector->window_stride[0] + j * vector->window_stride[1]) * block;
            for (uint32_t lane = 0; lane < block; lane++) {
                best[lane] = line[lane] > best[lane] ? line[lane] : best[lane];
            }
        }
    }
    memcpy(out, best, block);
    finish_bytes(vector, out, block);
}

INLINE void compare(const struct weft_vector_fields *vector, const int8_t *a, const int8_t *b,
                    int8_t *out, const uint32_t block) {
    bool larger = vector->function == WEFT_FUNCTION_MAX;
    for (uint32_t lane = 0; lane < block; lane++) {
        int8_t low = a[lane] < b[lane] ? a[lane] : b[lane];
        int8_t high = a[lane] < b[lane] ? b[lane] : a[lane];
        out[lane] = larger ? high : low;
    }
    finish_bytes(vector, out, block);
}

INLINE void one(const struct weft_state *state, const struct weft_vector_fields *vector,
                const struct scaling *scaling, int64_t a, int64_t b, int8_t *out,
                const uint32_t block) {
    const int8_t *at_a = state->act + a * block;
    const int8_t *at_b = state->act + b * block;
    switch ((enum weft_function)vector->function) {
    case WEFT_FUNCTION_REQUANT:
        requant(vector, scaling, state->acc + a * block, out, block);
        break;
    case WEFT_FUNCTION_ADD:
    case WEFT_FUNCTION_SUB:
        sum(vector, scaling, at_a, at_b, out, block);
        break;
    case WEFT_FUNCTION_MUL:
    case WEFT_FUNCTION_RESCALE:
        product(vector, scaling, at_a, at_b, out, block);
        break;
    case WEFT_FUNCTION_MAX:
    case WEFT_FUNCTION_MIN:
        compare(vector, at_a, at_b, out, block);
        break;
    case WEFT_FUNCTION_POOL:
        pool(vector, at_a, out, block);
        break;
    case WEFT_FUNCTION_LUT:
        for (uint32_t lane = 0; lane < block; lane++) {
            out[lane] = (int8_t)state->lut[(uint32_t)(uint8_t)at_a[lane] * block + lane];
        }
        break;
    case WEFT_FUNCTION_COPY:
        memmove(out, at_a, block);
        finish_bytes(vector, out, block);
        break;
    case WEFT_FUNCTION_FILL:
        memset(out, vector->out_zero, block);
        break;
    case WEFT_FUNCTION_SQUARED_DIFFERENCE:
        squared_difference(vector, scaling, at_a, at_b, out, block);
        break;
    case WEFT_FUNCTION_SOFTMAX: /* goes by rows: weft_execute_softmax() */
        break;
    }
}

/* The scalings that do not change with the channel block. */
static void prepare(const struct weft_state *state, const struct weft_vector_fields *vector,
                    struct scaling *scaling, const uint32_t block) {
    const uint8_t *record = state->par + (size_t)vector->par * block;
    switch ((enum weft_function)vector->function) {
    case WEFT_FUNCTION_ADD:
    case WEFT_FUNCTION_SUB:
    case WEFT_FUNCTION_SQUARED_DIFFERENCE:
        for (unsigned i = 0; i < 3; i++) {
            scaling_all(&scaling[i], block, weft_read_i32(record + 4 * (size_t)i),
                        weft_shift_of(record[12 + i]));
        }
        break;
    case WEFT_FUNCTION_MUL:
    case WEFT_FUNCTION_RESCALE:
        scaling_all(scaling, block, (int32_t)vector->multiplier, weft_shift_of(vector->shift));
        break;
    case WEFT_FUNCTION_REQUANT: /* has one for each channel block */
    case WEFT_FUNCTION_MAX:
    case WEFT_FUNCTION_MIN:
    case WEFT_FUNCTION_POOL:
    case WEFT_FUNCTION_LUT:
    case WEFT_FUNCTION_COPY:
    case WEFT_FUNCTION_FILL:
    case WEFT_FUNCTION_SOFTMAX:
        break;
    }
}

INLINE void run(struct weft_state *state, const struct weft_vector_fields *vector,
                const uint32_t block) {
    struct scaling scaling[3];
    prepare(state, vector, scaling, block);
    const int32_t *o = vector->out_stride;
    const int32_t *s = vector->a_stride;
    const int32_t *t = vector->b_stride;
    int64_t record = weft_vector_record_lines(vector) * (int64_t)block;
    for (int64_t c = 0; c < vector->count[0]; c++) {
        if (vector->function == WEFT_FUNCTION_REQUANT) {
            scaling_record(scaling, vector, state->par + vector->par * (int64_t)block + c * record,
                           block);
        }
        for (int64_t y = 0; y < vector->count[1]; y++) {
            for (int64_t x = 0; x < vector->count[2]; x++) {
                int8_t *out = state->act + (vector->out + c * o[0] + y * o[1] + x * o[2]) * block;
                one(state, vector, scaling, vector->a + c * s[0] + y * s[1] + x * s[2],
                    vector->b + c * t[0] + y * t[1] + x * t[2], out, block);
            }
        }
    }
}

void WEFT_KERNEL(weft_execute_vector)(struct weft_state *state,
                                      const struct weft_vector_fields *vector) {
    if (vector->function == WEFT_FUNCTION_SOFTMAX) {
        weft_execute_softmax(state, vector);
        return;
    }
    switch (state->config->block) {
    case 8:
#if defined(__AVX512VNNI__)
        weft_execute_vector_avx2(state, vector); /* an entry is half a vector */
#else
        run(state, vector, 8);
#endif
        break;
    case 16:
        run(state, vector, 16);
        break;
    default:
        run(state, vector, 32);
        break;
    }
}
