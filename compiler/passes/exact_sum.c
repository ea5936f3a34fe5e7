/* Multipliers of both operands that make of (nearly) every sum of two bytes what ONNX Runtime
 * computes in floats: those of the scales, or some near them. Its roundings move a few sums across
 * the half between two integers; only pairs so near to one matter. */
#include <math.h>
#include <stdlib.h>

#include "base/fixed_point.h"
#include "base/float_element.h"
#include "base/integer.h"
#include "base/multiplier.h"
#include "compiler/passes/exact.h"

enum {
    PAIRS = BYTE_VALUES * BYTE_VALUES,
    MOST_APART = 2, /* of so many pairs may come out different, by 1 */
    BITS = 20,      /* more that operands have */
    MOST_NEAR = 128,
    RINGS = 24,             /* of corrections around none */
    COST_OF_PAIR = 1 << 20, /* more than MOST_NEAR times two bytes */
};

/* To a half; as far as the largest corrections of both operands move a sum. */
static const double near = 0x1p-12;
/* From one correction to the next, of what the largest operand comes to. */
static const double step = 0x1p-19;

struct sum {
    enum weft_operator op;        /* qnn.add or qnn.subtract */
    const struct byte_set *bytes; /* of both operands */
    int most_apart;
    enum weft_dtype dtype;
    int32_t zero[3];
    double scale[3];
    float float_scale[3], ratio[2], offset;
    int32_t multiplier[3];
    int shift[3];
};

struct pair {
    int32_t a, b, wanted;
};

/* What QLinearAdd computes, or floats between quantisers; `second` is what the first of two steps
 * makes of b. */
static float wanted_second(const struct sum *sum, int32_t b) {
    return sum->op == WEFT_OP_QNN_ADD ? weft_float_sum_second(b, sum->ratio, sum->offset) : 0;
}

static int32_t wanted(const struct sum *sum, int32_t a, int32_t b, float second) {
    if (sum->op == WEFT_OP_QNN_ADD) {
        return weft_float_to_byte(sum->dtype, weft_float_sum_both(a, second, sum->ratio), 0);
    }
    float difference = weft_float_difference(a - sum->zero[0], b - sum->zero[1], sum->float_scale);
    return weft_float_to_byte(sum->dtype, difference, sum->zero[2]);
}

/* A byte of an operand, scaled as qnn.add and qnn.subtract scale it. */
static int32_t made_of_one(const struct sum *sum, const int64_t corrections[2], int operand,
                           int32_t byte) {
    return weft_scale_gemmlowp((byte - sum->zero[operand]) * (1 << BITS),
                               weft_corrected(sum->multiplier[operand], corrections[operand]),
                               sum->shift[operand]);
}

/* What they make of both. */
static int32_t made(const struct sum *sum, int32_t of_first, int32_t of_second) {
    int32_t both = sum->op == WEFT_OP_QNN_ADD ? of_first + of_second : of_first - of_second;
    return exact_limited(sum->dtype,
                         (int64_t)weft_scale_gemmlowp(both, sum->multiplier[2], sum->shift[2]) +
                             sum->zero[2]);
}

/* 1 for results that are 1 apart, too many for those that are more. */
static int apart_by(const struct sum *sum, int32_t difference) {
    return difference == 0 ? 0 : difference == 1 || difference == -1 ? 1 : 1 + sum->most_apart;
}

/* How bad it is that pairs come out different: their number first, then how near they are to what
 * bytes have most, their zero points. */
static int cost_of(const struct sum *sum, const int64_t corrections[2], const struct pair *pairs,
                   int count) {
    int cost = 0;
    for (int i = 0; i < count; i++) {
        int32_t result = made(sum, made_of_one(sum, corrections, 0, pairs[i].a),
                              made_of_one(sum, corrections, 1, pairs[i].b));
        int apart = apart_by(sum, result - pairs[i].wanted);
        int away = abs(pairs[i].a - sum->zero[0]) + abs(pairs[i].b - sum->zero[1]);
        cost += apart * COST_OF_PAIR + (apart > 0 ? 2 * BYTE_VALUES - away : 0);
    }
    return cost;
}

/* Of all pairs, up to those that are too many. */
static int count_all(const struct sum *sum, const int64_t corrections[2]) {
    const int32_t least = (int32_t)weft_dtype_min(sum->dtype);
    int32_t second[BYTE_VALUES];
    float of_second[BYTE_VALUES];
    int apart = 0;
    for (int32_t j = 0; j < BYTE_VALUES; j++) {
        second[j] = made_of_one(sum, corrections, 1, least + j);
        of_second[j] = wanted_second(sum, least + j);
    }
    for (int32_t i = 0; i < BYTE_VALUES && apart <= sum->most_apart; i++) {
        int32_t first = made_of_one(sum, corrections, 0, least + i);
        for (int32_t j = 0; sum->bytes[0].has[i] && j < BYTE_VALUES; j++) {
            apart += sum->bytes[1].has[j]
                         ? apart_by(sum, made(sum, first, second[j]) -
                                             wanted(sum, least + i, least + j, of_second[j]))
                         : 0;
        }
    }
    return apart;
}

/* The sum in units of the result, without its zero point. */
static double exact(const struct sum *sum, int32_t a, int32_t b) {
    double first = (a - sum->zero[0]) * sum->scale[0];
    double second = (b - sum->zero[1]) * sum->scale[1];
    return (sum->op == WEFT_OP_QNN_ADD ? first + second : first - second) / sum->scale[2];
}

/* Pairs whose sum is near a half: MOST_NEAR and one more when there are too many. */
static int find_near(const struct sum *sum, struct pair *pairs) {
    const int32_t least = (int32_t)weft_dtype_min(sum->dtype);
    int count = 0;
    for (int32_t i = 0; i < BYTE_VALUES; i++) {
        for (int32_t j = 0; sum->bytes[0].has[i] && j < BYTE_VALUES && count <= MOST_NEAR; j++) {
            double result = exact(sum, least + i, least + j);
            if (sum->bytes[1].has[j] && fabs(result - floor(result) - 0.5) < near) {
                pairs[count] =
                    (struct pair){least + i, least + j,
                                  wanted(sum, least + i, least + j, wanted_second(sum, least + j))};
                count += 1;
            }
        }
    }
    return count;
}

/* Corrections, the smallest first. */
struct search {
    const struct pair *pairs; /* near ones */
    int count;
    int least; /* cost */
    int64_t best[2];
};

static void search_ring(const struct sum *sum, int ring, struct search *search) {
    double unit[2];
    for (int i = 0; i < 2; i++) {
        double largest = 0.5 * (double)BYTE_VALUES * sum->scale[i] / sum->scale[2];
        unit[i] = fmin(step / largest, 0x1p-12) * sum->multiplier[i];
    }
    for (int i = -ring; i <= ring && search->least > 0; i++) {
        int by = i == -ring || i == ring ? 1 : 2 * ring;
        for (int j = -ring; j <= ring && search->least > 0; j += by) {
            const int64_t corrections[2] = {llround(i * unit[0]), llround(j * unit[1])};
            int cost = cost_of(sum, corrections, search->pairs, search->count);
            if (cost < search->least) {
                search->least = cost;
                search->best[0] = corrections[0];
                search->best[1] = corrections[1];
            }
        }
    }
}

/* As large a share of the pairs that occur as of all. */
static int most_apart(const struct byte_set bytes[2]) {
    int values[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < BYTE_VALUES; i++) {
            values[k] += bytes[k].has[i];
        }
    }
    return values[0] * values[1] * MOST_APART / PAIRS;
}

static bool start(const struct weft_type *const types[3], struct sum *sum) {
    for (int i = 0; i < 3; i++) {
        sum->scale[i] = weft_type_scale(types[i], 0);
        sum->float_scale[i] = (float)sum->scale[i];
        sum->zero[i] = weft_type_zero(types[i], 0);
    }
    sum->dtype = types[2]->dtype;
    sum->most_apart = most_apart(sum->bytes);
    weft_float_sum(sum->scale, sum->zero, sum->ratio, &sum->offset);
    weft_sum_multipliers(sum->scale[0], sum->scale[1], sum->scale[2], BITS, sum->multiplier,
                         sum->shift);
    bool fits = true;
    for (int i = 0; i < 3; i++) {
        fits = fits && sum->shift[i] <= 0 && sum->shift[i] >= -31;
    }
    return fits && isfinite(sum->ratio[0]) && isfinite(sum->ratio[1]) && isfinite(sum->offset);
}

bool exact_sum(enum weft_operator op, const struct weft_type *const types[3],
               const struct byte_set bytes[2], int64_t corrections[2]) {
    struct sum sum = {.op = op, .bytes = bytes};
    struct pair pairs[MOST_NEAR + 1];
    corrections[0] = 0;
    corrections[1] = 0;
    if (!start(types, &sum)) {
        return false;
    }
    int apart = count_all(&sum, corrections);
    int count = apart == 0 ? 0 : find_near(&sum, pairs);
    if (apart == 0 || count > MOST_NEAR) {
        return apart <= sum.most_apart;
    }
    struct search search = {.pairs = pairs, .count = count};
    search.least = cost_of(&sum, corrections, pairs, count);
    for (int ring = 1; ring <= RINGS && search.least > 0; ring++) {
        search_ring(&sum, ring, &search);
    }
    int left = count_all(&sum, search.best);
    if (left <= apart) {
        corrections[0] = search.best[0];
        corrections[1] = search.best[1];
        apart = left;
    }
    return apart <= sum.most_apart;
}
