/* compiler/quantize/calibrate: thresholds against those of ORT's calibrators. The expected numbers
 * were computed with numpy by ORT's own definitions (calibrate.py), from the same values. */
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/quantize/calibrate.h"

enum {
    VALUES = 20000,
    SAMPLE = 200, /* values of a sample */
    BINS = 2048,
    LEVELS = 128,
};

enum kind {
    BELL,  /* about 0 */
    RELU,  /* of that */
    TAILS, /* its third power and a quarter: long tails, not about 0 */
    KINDS
};

static void make_values(enum kind kind, float *values) {
    uint32_t state = (uint32_t)kind + 1;
    for (int i = 0; i < VALUES; i++) {
        double sum = -2;
        for (int k = 0; k < 4; k++) {
            state = state * UINT32_C(1664525) + UINT32_C(1013904223);
            sum += (double)(state >> 8) / (1 << 24);
        }
        values[i] = (float)(kind == RELU    ? fmax(sum, 0)
                            : kind == TAILS ? sum * sum * sum + 0.25
                                            : sum);
    }
}

/* Everything that calibration of one kind of values needs. */
struct fixture {
    float values[VALUES];
    float edges[BINS + 1];
    uint64_t counts[BINS];
    struct weft_limits limits;
    struct weft_histogram histogram;
};

static struct fixture *fixture_of(enum kind kind, enum weft_calibration calibration) {
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    make_values(kind, f->values);
    f->limits = weft_limits_none();
    for (int i = 0; i < VALUES; i += SAMPLE) {
        weft_limits_add(&f->limits, f->values + i, SAMPLE);
    }
    weft_histogram_edges(weft_calibration_range(calibration, &f->limits), BINS, f->edges);
    f->histogram = (struct weft_histogram){.bins = BINS,
                                           .absolute = calibration == WEFT_CALIBRATE_PERCENTILE,
                                           .edges = f->edges,
                                           .counts = f->counts,
                                           .observed = f->limits.observed};
    weft_histogram_add(&f->histogram, f->values, VALUES);
    assert_int_equal(weft_histogram_total(&f->histogram), VALUES);
    return f;
}

static void assert_near(double found, double expected, double relative) {
    double distance = fabs(found - expected);
    if (distance > relative * fmax(fabs(expected), 1e-30)) {
        print_error("%.9g, expected %.9g\n", found, expected);
        fail();
    }
}

static void assert_range(struct weft_range found, struct weft_range expected, double relative) {
    assert_near(found.low, expected.low, relative);
    assert_near(found.high, expected.high, relative);
}

/* ---- against ORT ---- */

static void limits_are_those_of_min_max(void **state) {
    static const struct weft_range expected[KINDS] = {
        {-1.82815957, 1.7760514}, {0, 1.81057429}, {-5.42562914, 6.9294014}};
    (void)state;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct fixture *f = fixture_of(kind, WEFT_CALIBRATE_MIN_MAX);
        assert_range(f->limits.observed, expected[kind], 1e-8);
        free(f);
    }
}

static void a_moving_average_is_the_mean_of_the_limits(void **state) {
    static const struct weft_range expected[KINDS] = {
        {-1.45274034, 1.47164077}, {0, 1.47041582}, {-2.94187443, 3.48445156}};
    (void)state;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct fixture *f = fixture_of(kind, WEFT_CALIBRATE_MOVING_AVERAGE);
        assert_range(weft_calibrate_moving_average(&f->limits), expected[kind], 1e-8);
        free(f);
    }
}

static void percentiles_are_within_a_millionth(void **state) {
    static const struct {
        double percentile;
        struct weft_range expected[KINDS];
    } rows[] = {
        {99.999, {{-1.82726693, 1.7760514}, {0, 1.80969024}, {-5.42562914, 6.92601776}}},
        {99.9, {{-1.66391408, 1.66391408}, {0, 1.59574544}, {-4.76734829, 4.76734829}}},
        {90, {{-0.950695634, 0.950695634}, {0, 0.756763458}, {-0.889862776, 0.889862776}}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (enum kind kind = 0; kind < KINDS; kind++) {
            struct fixture *f = fixture_of(kind, WEFT_CALIBRATE_PERCENTILE);
            assert_range(weft_calibrate_percentile(&f->histogram, rows[i].percentile),
                         rows[i].expected[kind], 1e-6);
            free(f);
        }
    }
}

static void entropy_is_within_a_hundredth(void **state) {
    static const struct weft_range expected[KINDS] = {
        {-1.72104084, 1.72282624}, {0, 1.47285986}, {-3.5662055, 3.5729723}};
    struct weft_error error;
    (void)state;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct fixture *f = fixture_of(kind, WEFT_CALIBRATE_ENTROPY);
        struct weft_range range = {0, 0};
        ASSERT_GOOD(weft_calibrate_entropy(&f->histogram, LEVELS, &range, &error), error);
        assert_range(range, expected[kind], 0.01);
        free(f);
    }
}

/* ---- least squares ---- */

/* The mean square error that a range really costs. */
static double cost_of(const struct fixture *f, struct weft_range range) {
    double step = (range.high - range.low) / 255;
    double zero = nearbyint(range.low / step);
    double sum = 0;
    for (int i = 0; i < VALUES; i++) {
        double steps = nearbyint((double)f->values[i] / step);
        double near = step * fmax(zero, fmin(zero + 255, steps));
        sum += ((double)f->values[i] - near) * ((double)f->values[i] - near);
    }
    return sum;
}

static void least_squares_cost_no_more_than_other_ranges(void **state) {
    (void)state;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct fixture *f = fixture_of(kind, WEFT_CALIBRATE_MSE);
        struct weft_range best = weft_calibrate_mse(&f->histogram, 256, false);
        double cost = cost_of(f, best);
        for (int i = 1; i <= 20; i++) {
            struct weft_range other = {f->limits.observed.low * i / 20,
                                       f->limits.observed.high * i / 20};
            assert_true(cost <= 1.03 * cost_of(f, other));
        }
        assert_true(best.low <= 0 && best.high >= 0);
        free(f);
    }
}

static void long_tails_are_cut(void **state) {
    struct fixture *f = fixture_of(TAILS, WEFT_CALIBRATE_MSE);
    struct weft_range best = weft_calibrate_mse(&f->histogram, 16, false);
    (void)state;
    assert_true(best.high < 0.9 * f->limits.observed.high);
    assert_true(best.low > 0.9 * f->limits.observed.low);
    best = weft_calibrate_mse(&f->histogram, 16, true);
    assert_true(best.low == -best.high);
    free(f);
}

/* ---- corners ---- */

static void no_values_have_no_range(void **state) {
    struct weft_limits limits = weft_limits_none();
    const float odd[] = {NAN, INFINITY, -INFINITY};
    (void)state;
    weft_limits_add(&limits, odd, 0);
    weft_limits_add(&limits, odd, 3);
    assert_int_equal(limits.samples, 0);
    assert_true(limits.observed.low > limits.observed.high);
    struct weft_range mean = weft_calibrate_moving_average(&limits);
    assert_true(mean.low > mean.high);
}

static void one_value_has_a_histogram(void **state) {
    const float values[3] = {2.5F, 2.5F, 2.5F};
    float edges[5];
    uint64_t counts[4] = {0};
    struct weft_histogram histogram = {
        .bins = 4, .edges = edges, .counts = counts, .observed = {2.5, 2.5}};
    (void)state;
    weft_histogram_edges(histogram.observed, 4, edges);
    assert_true(edges[0] == 2.0F && edges[4] == 3.0F);
    weft_histogram_add(&histogram, values, 3);
    assert_int_equal(counts[2], 3);
    struct weft_range range = weft_calibrate_mse(&histogram, 256, false);
    assert_true(range.low == 0 && range.high > 2.4);
}

static void a_tensor_of_zeros_has_the_range_0(void **state) {
    const float values[3] = {0, 0, 0};
    float edges[5];
    uint64_t counts[4] = {0};
    struct weft_histogram histogram = {
        .bins = 4, .edges = edges, .counts = counts, .observed = {0, 0}};
    (void)state;
    weft_histogram_edges(histogram.observed, 4, edges);
    weft_histogram_add(&histogram, values, 3);
    assert_int_equal(histogram.zeros, 3);
    struct weft_range range = weft_calibrate_mse(&histogram, 256, false);
    assert_true(range.low == 0 && range.high == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_those_of_min_max),
        cmocka_unit_test(a_moving_average_is_the_mean_of_the_limits),
        cmocka_unit_test(percentiles_are_within_a_millionth),
        cmocka_unit_test(entropy_is_within_a_hundredth),
        cmocka_unit_test(least_squares_cost_no_more_than_other_ranges),
        cmocka_unit_test(long_tails_are_cut),
        cmocka_unit_test(no_values_have_no_range),
        cmocka_unit_test(one_value_has_a_histogram),
        cmocka_unit_test(a_tensor_of_zeros_has_the_range_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
