/* Along the last axis: softmax and log-softmax of floats, and division by the root of the sum of
 * squares. */
#include <math.h>

#include "base/fixed_point.h"
#include "base/integer.h"
#include "compiler/host/kernels.h"

/* The elements of one row. */
struct row {
    const struct kernel_call *call;
    int64_t first, depth;
};

static bool each_row(const struct kernel_call *call, void (*of_row)(const struct row *row)) {
    const struct weft_type *type = input_type(call, 0);
    struct row row = {call, 0, type->dim[type->rank - 1]};
    for (; row.first < weft_type_elements(type); row.first += row.depth) {
        of_row(&row);
    }
    return true;
}

/* ---- softmax of floats ---- */

static float row_float(const struct row *row, int64_t i) {
    return load_float(row->call->inputs[0], row->first + i);
}

static float row_maximum(const struct row *row) {
    float best = -INFINITY;
    for (int64_t i = 0; i < row->depth; i++) {
        best = fmaxf(best, row_float(row, i));
    }
    return best;
}

static void softmax_row(const struct row *row) {
    float beta = (float)weft_node_float(row->call->node, WEFT_ATTR_beta);
    float *result = (float *)row->call->results[0] + row->first;
    float best = row_maximum(row);
    float sum = 0.0F;
    for (int64_t i = 0; i < row->depth; i++) {
        result[i] = expf((row_float(row, i) - best) * beta);
        sum += result[i];
    }
    for (int64_t i = 0; i < row->depth; i++) {
        result[i] /= sum;
    }
}

bool kernel_softmax(const struct kernel_call *call) {
    return each_row(call, softmax_row);
}

static void log_softmax_row(const struct row *row) {
    float best = row_maximum(row);
    float sum = 0.0F;
    for (int64_t i = 0; i < row->depth; i++) {
        sum += expf(row_float(row, i) - best);
    }
    float log_sum = logf(sum);
    for (int64_t i = 0; i < row->depth; i++) {
        store_float(row->call->results[0], row->first + i, row_float(row, i) - best - log_sum);
    }
}

bool kernel_log_softmax(const struct kernel_call *call) {
    return each_row(call, log_softmax_row);
}

/* ---- division by the length ---- */

static void l2_row(const struct row *row) {
    float squares = 0.0F;
    for (int64_t i = 0; i < row->depth; i++) {
        squares += row_float(row, i) * row_float(row, i);
    }
    float length = fmaxf(sqrtf(squares), 1e-6F);
    for (int64_t i = 0; i < row->depth; i++) {
        store_float(row->call->results[0], row->first + i, row_float(row, i) / length);
    }
}

bool kernel_l2_normalize(const struct kernel_call *call) {
    return each_row(call, l2_row);
}

/* 1 / sqrt(x) in Q0 as a factor whose shift is to the right; x > 1. Newton's iteration in Q3 from
 * a start of 1, after x is brought to [1/4, 1).
 * Source: TFLite's GetInvSqrtQuantizedMultiplierExp(). */
static struct factor inverse_root(int32_t x) {
    const int32_t half_root_of_two = 1518500250; /* Q0 */
    const int32_t three_halves = (1 << 28) + (1 << 27);
    int shift = 11;
    if (x <= 1) {
        return (struct factor){INT32_MAX, 0};
    }
    for (; x >= 1 << 29; x /= 4) {
        shift++;
    }
    int pairs = (__builtin_clz((uint32_t)x) - 1) / 2 - 1;
    shift -= pairs;
    int32_t half = weft_rounding_shift((int32_t)((uint32_t)x << (2 * pairs)) >> 1, 1);
    int32_t y = 1 << 28;
    for (int i = 0; i < 5; i++) {
        /* y^3 has 9 integer bits, the products below 6. */
        int32_t cube = fixed_shift_left(weft_high_mul(weft_high_mul(y, y), y), 6);
        int32_t next = weft_high_mul(three_halves, y) - weft_high_mul(half, cube);
        y = fixed_shift_left(next, 3);
    }
    y = weft_high_mul(y, half_root_of_two);
    return shift < 0 ? (struct factor){(int32_t)((uint32_t)y << -shift), 0}
                     : (struct factor){y, -shift};
}

/* uint8 scales 128 times the element, int8 the element with 7 more bits of the factor. */
static int32_t normalized(const struct weft_type *in, int32_t value, struct factor factor) {
    if (in->dtype == WEFT_U8) {
        return scale_by(128 * value, factor);
    }
    factor.shift += 7;
    return scale_by(value, factor);
}

static void qnn_l2_row(const struct row *row) {
    const struct weft_type *in = input_type(row->call, 0);
    const struct weft_type *out = result_type(row->call, 0);
    int32_t zero = weft_type_zero(in, 0);
    uint32_t squares = 0;
    for (int64_t i = 0; i < row->depth; i++) {
        int32_t value = load_element(in->dtype, row->call->inputs[0], row->first + i) - zero;
        squares += (uint32_t)(value * value);
    }
    struct factor factor = inverse_root((int32_t)squares);
    for (int64_t i = 0; i < row->depth; i++) {
        int32_t value = load_element(in->dtype, row->call->inputs[0], row->first + i) - zero;
        store_element(out->dtype, row->call->results[0], row->first + i,
                      saturate(out, normalized(in, value, factor)));
    }
}

/* The reference takes for granted that the result's scale is 1/128 and its zero point the middle.
 */
bool kernel_qnn_l2_normalize(const struct kernel_call *call) {
    const struct weft_type *out = result_type(call, 0);
    bool middle = weft_type_zero(out, 0) == (out->dtype == WEFT_U8 ? 128 : 0);
    if (weft_dtype_bytes(out->dtype) != 1) {
        return kernel_unsupported(call, "only 8-bit tensors");
    }
    if (weft_type_scale(out, 0) != 1.0 / 128 || !middle) {
        return kernel_unsupported(call, "the result must have the scale 1/128 around the middle");
    }
    return each_row(call, qnn_l2_row);
}
