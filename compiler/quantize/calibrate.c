#include "compiler/quantize/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const char *const weft_calibration_names[WEFT_CALIBRATIONS + 1] = {
    [WEFT_CALIBRATE_MSE] = "mse",
    [WEFT_CALIBRATE_MIN_MAX] = "min-max",
    [WEFT_CALIBRATE_MOVING_AVERAGE] = "moving-average",
    [WEFT_CALIBRATE_PERCENTILE] = "percentile",
    [WEFT_CALIBRATE_ENTROPY] = "entropy",
};

const char *weft_calibration_ignores(enum weft_calibration calibration,
                                     struct weft_calibration_given given) {
    bool has_bins =
        calibration != WEFT_CALIBRATE_MIN_MAX && calibration != WEFT_CALIBRATE_MOVING_AVERAGE;
    if (given.percentile && calibration != WEFT_CALIBRATE_PERCENTILE) {
        return "percentile";
    }
    if (given.levels && calibration != WEFT_CALIBRATE_ENTROPY) {
        return "levels";
    }
    return given.bins && !has_bins ? "bins" : NULL;
}

/* ---- without searching ---- */

struct weft_range weft_calibrate_moving_average(const struct weft_limits *limits) {
    double samples = (double)limits->samples;
    return limits->samples == 0
               ? weft_range_none()
               : (struct weft_range){limits->sum.low / samples, limits->sum.high / samples};
}

struct weft_range weft_calibration_range(enum weft_calibration calibration,
                                         const struct weft_limits *limits) {
    double reach = fmax(fabs(limits->observed.low), fabs(limits->observed.high));
    switch (calibration) {
    case WEFT_CALIBRATE_PERCENTILE:
        return (struct weft_range){limits->least, reach};
    case WEFT_CALIBRATE_ENTROPY:
        return (struct weft_range){-reach, reach};
    default:
        return limits->observed;
    }
}

/* No threshold lies beyond what was observed. */
static struct weft_range limit(struct weft_range range, struct weft_range observed) {
    return (struct weft_range){fmax(range.low, observed.low), fmin(range.high, observed.high)};
}

struct weft_range weft_calibrate_percentile(const struct weft_histogram *histogram,
                                            double percentile) {
    double total = (double)weft_histogram_total(histogram);
    double sum = 0;
    uint32_t bin = 0;
    while (bin < histogram->bins) {
        sum += (double)histogram->counts[bin] / total;
        if (sum >= percentile / 100) {
            break;
        }
        bin++;
    }
    double edge = (double)histogram->edges[bin];
    return limit((struct weft_range){-edge, edge}, histogram->observed);
}

/* ---- entropy ---- */

/* A window of a histogram; what lies outside it is added to its ends. */
struct window {
    const uint64_t *counts; /* of the bins inside */
    size_t size;
    uint64_t left, right; /* values outside */
};

static uint64_t sum_of(const uint64_t *counts, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += counts[i];
    }
    return sum;
}

/* The reference distribution: the window with its outliers. */
static double reference(const struct window *window, size_t i) {
    uint64_t count = window->counts[i];
    count += i == 0 ? window->left : 0;
    count += i + 1 == window->size ? window->right : 0;
    return (double)count;
}

/* The window when `levels` values stand for it: each one is spread over its bins that the reference
 * does not leave empty. Whole numbers, as ORT has them. */
static void spread(const struct window *window, uint32_t levels, double *quantized) {
    size_t each = window->size / levels;
    memset(quantized, 0, window->size * sizeof *quantized);
    for (size_t level = 0; level < levels; level++) {
        size_t start = level * each;
        size_t filled = 0;
        uint64_t sum = sum_of(window->counts + start, each);
        if (level + 1 == levels) {
            sum += sum_of(window->counts + start + each, window->size - start - each);
        }
        for (size_t i = start; i < start + each; i++) {
            filled += reference(window, i) != 0;
        }
        uint64_t mean = filled > 0 ? sum / filled : 0; /* whole, as ONNX Runtime has it */
        for (size_t i = start; filled > 0 && i < start + each; i++) {
            quantized[i] = (double)mean;
        }
    }
}

/* Puts a little of what there is where there is nothing, so that logarithms exist. False when there
 * is nothing at all. */
static bool smooth(double *values, size_t count) {
    const double little = 0.0001;
    size_t zeros = 0;
    for (size_t i = 0; i < count; i++) {
        zeros += values[i] == 0;
    }
    if (zeros == count) {
        return false;
    }
    double less = little * (double)zeros / (double)(count - zeros);
    for (size_t i = 0; i < count; i++) {
        values[i] += values[i] == 0 ? little : -less;
    }
    return true;
}

/* The Kullback-Leibler divergence of two distributions, each divided by its sum. */
static double divergence(const double *p, const double *q, size_t count) {
    double p_sum = 0;
    double q_sum = 0;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        p_sum += p[i];
        q_sum += q[i];
    }
    for (size_t i = 0; i < count; i++) {
        double a = p[i] / p_sum;
        double b = q[i] / q_sum;
        sum += a > 0 && b > 0 ? a * log(a / b) : a == 0 && b >= 0 ? 0 : (double)INFINITY;
    }
    return sum;
}

static double window_divergence(const struct window *window, uint32_t levels, double *p,
                                double *q) {
    for (size_t i = 0; i < window->size; i++) {
        p[i] = reference(window, i);
    }
    spread(window, levels, q);
    return smooth(p, window->size) && smooth(q, window->size) ? divergence(p, q, window->size)
                                                              : (double)INFINITY;
}

/* `reach` bins to the left of the middle, the middle and, where they are there, as many to the
 * right. */
static struct window window_of(const struct weft_histogram *histogram, uint32_t reach,
                               uint32_t *start, uint32_t *end) {
    uint32_t middle = histogram->bins / 2;
    *start = middle - reach;
    *end = middle + reach + 1 <= histogram->bins ? middle + reach + 1 : histogram->bins;
    return (struct window){histogram->counts + *start, *end - *start,
                           sum_of(histogram->counts, *start),
                           sum_of(histogram->counts + *end, histogram->bins - *end)};
}

bool weft_calibrate_entropy(const struct weft_histogram *histogram, uint32_t levels,
                            struct weft_range *range, struct weft_error *error) {
    double *p = weft_allocate(histogram->bins, 2 * sizeof *p, "distributions", error);
    double least = (double)INFINITY;
    struct weft_range best = weft_range_none();
    if (p == NULL) {
        return false;
    }
    for (uint32_t reach = levels / 2; reach <= histogram->bins / 2; reach++) {
        uint32_t start = 0;
        uint32_t end = 0;
        struct window window = window_of(histogram, reach, &start, &end);
        double distance = window_divergence(&window, levels, p, p + histogram->bins);
        if (distance < least || reach == levels / 2) {
            least = distance;
            best =
                (struct weft_range){(double)histogram->edges[start], (double)histogram->edges[end]};
        }
    }
    free(p);
    *range = limit(best, histogram->observed);
    return true;
}

/* ---- square error ---- */

/* The square error of all values, each of which counts as the centre of its bin: clipped, and
 * rounded to the nearest of the levels, of which 0 is one. Exact zeros cost nothing. Where it is no
 * less than `most_error` it is not added up to the end: ranges are many, and most cost more. */
static double square_error(const struct weft_histogram *histogram, struct weft_range range,
                           uint32_t levels, double most_error) {
    double step = (range.high - range.low) / (double)(levels - 1);
    double least = nearbyint(range.low / step);
    double most = least + (double)(levels - 1);
    double error = 0;
    for (uint32_t i = 0; i < histogram->bins && error < most_error; i++) {
        if (histogram->counts[i] == 0) {
            continue;
        }
        double low = (double)histogram->edges[i];
        double high = (double)histogram->edges[i + 1];
        double centre = (low + high) / 2;
        double distance = centre - step * fmax(least, fmin(most, nearbyint(centre / step)));
        uint64_t count = histogram->counts[i];
        if (low <= 0 && (high > 0 || i + 1 == histogram->bins)) {
            count -= count < histogram->zeros ? count : histogram->zeros;
        }
        error += (double)count * distance * distance;
    }
    return error;
}

enum {
    SHRINKINGS = 200 /* ranges that are tried, from all to nearly nothing */
};

/* One end, or both, moved towards 0 in steps, to where the error is least. */
static struct weft_range shrink(const struct weft_histogram *histogram, struct weft_range range,
                                uint32_t levels, bool low, bool high) {
    struct weft_range best = range;
    double least = square_error(histogram, range, levels, INFINITY);
    for (int i = 1; i < SHRINKINGS; i++) {
        double part = 1 - (double)i / (double)SHRINKINGS;
        struct weft_range tried = {low ? range.low * part : range.low,
                                   high ? range.high * part : range.high};
        double error =
            tried.low < tried.high ? square_error(histogram, tried, levels, least) : least;
        if (error < least) {
            least = error;
            best = tried;
        }
    }
    return best;
}

struct weft_range weft_calibrate_mse(const struct weft_histogram *histogram, uint32_t levels,
                                     bool symmetric) {
    struct weft_range range = {fmin(histogram->observed.low, 0), fmax(histogram->observed.high, 0)};
    if (!(range.low < range.high)) {
        return range;
    }
    if (symmetric) {
        double reach = fmax(-range.low, range.high);
        range = (struct weft_range){-reach, reach};
        return shrink(histogram, range, levels, true, true);
    }
    range = shrink(histogram, range, levels, true, true);
    range = shrink(histogram, range, levels, true, false);
    return shrink(histogram, range, levels, false, true);
}
