/* VECTOR: lane-wise work. For every index (c, y, x) of the three levels one vector of B results;
 * each operand has its own base and strides. PAR holds, for REQUANT, one record for each c; for
 * ADD, SUB and SQUARED_DIFFERENCE, one for all. */
#include "base/bytes.h"
#include "base/fixed_point.h"
#include "base/integer.h"
#include "isa/record.h"
#include "sim/exec/instructions.h"

struct operands {
    int8_t *out;
    const int8_t *a;
    const int8_t *b;
    const int32_t *acc;
    const uint8_t *par;
};

static int32_t clamp(const struct weft_vector_fields *vector, int64_t value) {
    return (int32_t)weft_clamp(value, vector->low, vector->high);
}

static int32_t scale_sum(uint32_t rounding, int32_t sum, int32_t multiplier, int shift) {
    switch ((enum weft_rounding)rounding) {
    case WEFT_ROUNDING_GEMMLOWP:
        return weft_scale_gemmlowp(sum, multiplier, shift);
    case WEFT_ROUNDING_SINGLE:
        return weft_scale_single(sum, multiplier, shift);
    case WEFT_ROUNDING_FLOAT:
        return weft_scale_float(sum, multiplier, shift);
    }
    return 0; /* no legal instruction */
}

static int32_t requant(const struct weft_vector_fields *vector, uint32_t block, int32_t acc,
                       const uint8_t *record, uint32_t lane) {
    const struct weft_lane_scaling by = weft_record_read(vector, record, block, lane);
    int32_t sum = (int32_t)((uint32_t)acc + (uint32_t)by.bias);
    int32_t scaled = scale_sum(vector->rounding, sum, by.multiplier, by.shift);
    return clamp(vector, (int64_t)scaled + vector->out_zero);
}

/* ADD and SUB: both operands get 20 more bits, are scaled, and their sum is scaled again. */
static int32_t sum(const struct weft_vector_fields *vector, const uint8_t *record, int32_t a,
                   int32_t b) {
    enum {
        LEFT_SHIFT = 20
    };
    int32_t scaled_a = weft_scale_gemmlowp((a - vector->a_zero) * (1 << LEFT_SHIFT),
                                           weft_read_i32(record), weft_shift_of(record[12]));
    int32_t scaled_b = weft_scale_gemmlowp((b - vector->b_zero) * (1 << LEFT_SHIFT),
                                           weft_read_i32(record + 4), weft_shift_of(record[13]));
    uint32_t both = vector->function == WEFT_FUNCTION_ADD ? (uint32_t)scaled_a + (uint32_t)scaled_b
                                                          : (uint32_t)scaled_a - (uint32_t)scaled_b;
    int32_t scaled =
        weft_scale_gemmlowp((int32_t)both, weft_read_i32(record + 8), weft_shift_of(record[14]));
    return clamp(vector, (int64_t)scaled + vector->out_zero);
}

/* Both operands get 7 more bits, are scaled, and the square of their difference is scaled again. */
static int32_t squared_difference(const struct weft_vector_fields *vector, const uint8_t *record,
                                  int32_t a, int32_t b) {
    enum {
        LEFT_SHIFT = 7
    };
    int32_t scaled_a = weft_scale_gemmlowp((a - vector->a_zero) * (1 << LEFT_SHIFT),
                                           weft_read_i32(record), weft_shift_of(record[12]));
    int32_t scaled_b = weft_scale_gemmlowp((b - vector->b_zero) * (1 << LEFT_SHIFT),
                                           weft_read_i32(record + 4), weft_shift_of(record[13]));
    uint32_t difference = (uint32_t)scaled_a - (uint32_t)scaled_b;
    int32_t scaled = weft_scale_gemmlowp((int32_t)(difference * difference),
                                         weft_read_i32(record + 8), weft_shift_of(record[14]));
    return clamp(vector, (int64_t)scaled + vector->out_zero);
}

static int32_t pool(const struct weft_vector_fields *vector, const int8_t *a, uint32_t block) {
    int32_t best = INT8_MIN;
    for (int64_t i = 0; i < vector->window_count[0]; i++) {
        for (int64_t j = 0; j < vector->window_count[1]; j++) {
            int64_t line = i * vector->window_stride[0] + j * vector->window_stride[1];
            best = (int32_t)weft_max(best, a[line * block]);
        }
    }
    return clamp(vector, best);
}

static int32_t scale_product(const struct weft_vector_fields *vector, int32_t product) {
    int32_t scaled =
        weft_scale_gemmlowp(product, (int32_t)vector->multiplier, weft_shift_of(vector->shift));
    return clamp(vector, (int64_t)scaled + vector->out_zero);
}

static int32_t lane_result(const struct weft_state *state, const struct weft_vector_fields *vector,
                           const struct operands *at, uint32_t lane) {
    uint32_t block = state->config->block;
    switch ((enum weft_function)vector->function) {
    case WEFT_FUNCTION_REQUANT:
        return requant(vector, block, at->acc[lane], at->par, lane);
    case WEFT_FUNCTION_ADD:
    case WEFT_FUNCTION_SUB:
        return sum(vector, at->par, at->a[lane], at->b[lane]);
    case WEFT_FUNCTION_MUL:
        return scale_product(vector,
                             (at->a[lane] - vector->a_zero) * (at->b[lane] - vector->b_zero));
    case WEFT_FUNCTION_MAX:
        return clamp(vector, weft_max(at->a[lane], at->b[lane]));
    case WEFT_FUNCTION_MIN:
        return clamp(vector, weft_min(at->a[lane], at->b[lane]));
    case WEFT_FUNCTION_POOL:
        return pool(vector, at->a + lane, block);
    case WEFT_FUNCTION_LUT:
        return (int8_t)state->lut[(uint32_t)(uint8_t)at->a[lane] * block + lane];
    case WEFT_FUNCTION_COPY:
        return clamp(vector, at->a[lane]);
    case WEFT_FUNCTION_RESCALE:
        return scale_product(vector, at->a[lane] - vector->a_zero);
    case WEFT_FUNCTION_FILL:
        return vector->out_zero;
    case WEFT_FUNCTION_SQUARED_DIFFERENCE:
        return squared_difference(vector, at->par, at->a[lane], at->b[lane]);
    case WEFT_FUNCTION_SOFTMAX: /* weft_execute_softmax() */
        return 0;
    }
    return 0; /* no legal instruction */
}

void weft_execute_vector(struct weft_state *state, const struct weft_vector_fields *vector) {
    if (vector->function == WEFT_FUNCTION_SOFTMAX) {
        weft_execute_softmax(state, vector);
        return;
    }
    int64_t block = state->config->block;
    bool requants = vector->function == WEFT_FUNCTION_REQUANT;
    int64_t record = requants ? weft_vector_record_lines(vector) * block : 0;
    for (int64_t c = 0; c < vector->count[0]; c++) {
        for (int64_t y = 0; y < vector->count[1]; y++) {
            for (int64_t x = 0; x < vector->count[2]; x++) {
                const int32_t *o = vector->out_stride;
                const int32_t *s = vector->a_stride;
                const int32_t *t = vector->b_stride;
                int64_t a = vector->a + c * s[0] + y * s[1] + x * s[2];
                struct operands at = {
                    .out = state->act + (vector->out + c * o[0] + y * o[1] + x * o[2]) * block,
                    .a = state->act + (requants ? 0 : a * block),
                    .b = state->act + (vector->b + c * t[0] + y * t[1] + x * t[2]) * block,
                    .acc = state->acc + (requants ? a * block : 0),
                    .par = state->par + vector->par * block + c * record,
                };
                for (uint32_t lane = 0; lane < block; lane++) {
                    at.out[lane] = (int8_t)lane_result(state, vector, &at, lane);
                }
            }
        }
    }
}
