/* Sources: TFLite's NeonVectorVectorDotProduct(), which it takes on other processors, too, and
 * Eigen's products: inner_product_impl, redux_impl, general_matrix_vector_product, gebp_kernel, as
 * they are for vectors of four floats without multiply-add. */
#include "kernels/sums_float.h"

#include <stdbool.h>

enum {
    LANES = 4,
    MOST_VECTORS = 4,
    UNROLLED = 8,
    COEFFICIENT_WISE = 20 /* products whose sizes have a smaller sum are computed one by one */
};

struct lanes {
    float lane[LANES];
};

static void add_products(struct lanes *sum, const weft_unaligned_float *a,
                         const weft_unaligned_float *b) {
    for (int i = 0; i < LANES; i++) {
        sum->lane[i] += a[i] * b[i];
    }
}

static void add_lanes(struct lanes *sum, const struct lanes *other) {
    for (int i = 0; i < LANES; i++) {
        sum->lane[i] += other->lane[i];
    }
}

static float one_by_one(float sum, const weft_unaligned_float *a, const weft_unaligned_float *b,
                        int32_t from, int32_t count) {
    for (int32_t i = from; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

float weft_dot_of_lanes(const weft_unaligned_float *a, const weft_unaligned_float *b,
                        int32_t count) {
    int32_t end = count / LANES * LANES;
    struct lanes sum = {{0}};
    for (int32_t i = 0; i < end; i += LANES) {
        add_products(&sum, a + i, b + i);
    }
    const float *lane = sum.lane;
    return one_by_one(lane[0] + lane[1] + lane[2] + lane[3], a, b, end, count);
}

float weft_sum_of_lanes(const float *elements, int32_t count) {
    int32_t end = count / LANES * LANES;
    struct lanes lanes = {{0}};
    for (int32_t i = 0; i < end; i++) {
        lanes.lane[i % LANES] += elements[i];
    }
    const float *lane = lanes.lane;
    float sum = lane[0] + lane[1] + lane[2] + lane[3];
    for (int32_t i = end; i < count; i++) {
        sum += elements[i];
    }
    return sum;
}

/* ---- Eigen ---- */

static float sum_of(const struct lanes *lanes) {
    const float *lane = lanes->lane;
    return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

/* With `vectors` sums of four, 1 to 4, which are taken in turn and added from the last one on. */
static float dot_of_vectors(const weft_unaligned_float *a, const weft_unaligned_float *b,
                            int32_t count, int32_t vectors) {
    struct lanes sums[MOST_VECTORS] = {{{0}}};
    int32_t whole = count / LANES;
    if (whole == 0) {
        return one_by_one(0.0F, a, b, 0, count);
    }
    for (int32_t i = 0; i < whole; i++) {
        add_products(&sums[i % vectors], a + (int64_t)i * LANES, b + (int64_t)i * LANES);
    }
    for (int32_t i = (whole < vectors ? whole : vectors) - 1; i > 0; i--) {
        add_lanes(&sums[i - 1], &sums[i]);
    }
    return one_by_one(sum_of(&sums[0]), a, b, whole * LANES, count);
}

/* Two sums of four; an odd vector at the end is added to the sum of both. */
static float dot_of_pairs(const weft_unaligned_float *a, const weft_unaligned_float *b,
                          int32_t count) {
    int32_t whole = count / LANES;
    int32_t paired = whole / 2 * 2;
    struct lanes sums[2] = {{{0}}};
    if (whole == 0) {
        return one_by_one(0.0F, a, b, 0, count);
    }
    for (int32_t i = 0; i < paired; i++) {
        add_products(&sums[i % 2], a + (int64_t)i * LANES, b + (int64_t)i * LANES);
    }
    if (paired > 0) {
        add_lanes(&sums[0], &sums[1]);
    }
    if (whole > paired) {
        add_products(&sums[0], a + (int64_t)paired * LANES, b + (int64_t)paired * LANES);
    }
    return one_by_one(sum_of(&sums[0]), a, b, whole * LANES, count);
}

/* Four sums, of every fourth product each. */
static float dot_of_every_fourth(const weft_unaligned_float *a, const weft_unaligned_float *b,
                                 int32_t count) {
    int32_t end = count / LANES * LANES;
    struct lanes sums = {{0}};
    for (int32_t i = 0; i < end; i += LANES) {
        add_products(&sums, a + i, b + i);
    }
    const float *sum = sums.lane;
    return one_by_one((sum[0] + sum[1]) + (sum[2] + sum[3]), a, b, end, count);
}

/* Two sums, of every second product each, as far as there are eight. */
static float dot_of_every_second(const weft_unaligned_float *a, const weft_unaligned_float *b,
                                 int32_t count) {
    int32_t end = count / UNROLLED * UNROLLED;
    float sums[2] = {0.0F, 0.0F};
    for (int32_t i = 0; i < end; i++) {
        sums[i % 2] += a[i] * b[i];
    }
    return one_by_one(sums[0] + sums[1], a, b, end, count);
}

/* Blocked: columns in panels of two vectors, then of one, then one by one; rows in fours. */
static float element_of_block(const struct weft_product_sizes *sizes, int32_t row, int32_t column,
                              const weft_unaligned_float *a, const weft_unaligned_float *b) {
    bool in_fours = row < sizes->rows / LANES * LANES;
    if (!in_fours || column < sizes->columns / (2 * LANES) * (2 * LANES)) {
        return one_by_one(0.0F, a, b, 0, sizes->depth);
    }
    return column < sizes->columns / LANES * LANES ? dot_of_every_second(a, b, sizes->depth)
                                                   : dot_of_every_fourth(a, b, sizes->depth);
}

static float element(const struct weft_product_sizes *sizes, int32_t row, int32_t column,
                     const weft_unaligned_float *a, const weft_unaligned_float *b) {
    int32_t depth = sizes->depth;
    if (sizes->rows == 1 && sizes->columns == 1) {
        return dot_of_vectors(a, b, depth, MOST_VECTORS);
    }
    if (sizes->rows == 1 || sizes->columns == 1) {
        return dot_of_vectors(a, b, depth, 1);
    }
    if ((int64_t)sizes->rows + sizes->columns + depth < COEFFICIENT_WISE) {
        return dot_of_pairs(a, b, depth);
    }
    return element_of_block(sizes, row, column, a, b);
}

void weft_eigen_product(struct weft_product_sizes sizes, const weft_unaligned_float *input,
                        const weft_unaligned_float *weights, float *output) {
    for (int32_t row = 0; row < sizes.rows; row++) {
        for (int32_t column = 0; column < sizes.columns; column++) {
            /* It is added to 0: there is no -0. */
            *output++ = 0.0F + element(&sizes, row, column, input + (int64_t)row * sizes.depth,
                                       weights + (int64_t)column * sizes.depth);
        }
    }
}
