/* From the distribution of a tensor's values to the range that its quantised form covers.
 *
 * Pure functions: histograms in, thresholds out. Values outside the thresholds are clipped.
 */
#ifndef WEFT_COMPILER_QUANTIZE_CALIBRATE_H
#define WEFT_COMPILER_QUANTIZE_CALIBRATE_H

#include "base/error.h"
#include "compiler/quantize/histogram.h"

enum weft_calibration {
    WEFT_CALIBRATE_MSE,            /* the least mean square error of clipping and rounding */
    WEFT_CALIBRATE_MIN_MAX,        /* everything */
    WEFT_CALIBRATE_MOVING_AVERAGE, /* the mean, over the samples, of their limits */
    WEFT_CALIBRATE_PERCENTILE,     /* so many percent of all |x| */
    WEFT_CALIBRATE_ENTROPY,        /* the least Kullback-Leibler divergence */
    WEFT_CALIBRATIONS
};

/* Their names on the command line, in the order above, ended by NULL. */
extern const char *const weft_calibration_names[];

/* What was given beside a calibration, which not all of them take. */
struct weft_calibration_given {
    bool percentile;
    bool levels;
    bool bins;
};

/* The name of what is given, but has no effect with the calibration; NULL: all has. */
const char *weft_calibration_ignores(enum weft_calibration calibration,
                                     struct weft_calibration_given given);

enum {
    WEFT_MOST_BINS = 1 << 16
};

/* The mean of the limits of samples: as ORT's MinMaxCalibrater with moving_average. */
struct weft_range weft_calibrate_moving_average(const struct weft_limits *limits);

/* The range that the edges of a calibration's histogram divide: all values; of a percentile all of
 * |x|; of entropy as far to both sides of 0. */
struct weft_range weft_calibration_range(enum weft_calibration calibration,
                                         const struct weft_limits *limits);

/* The edge of the histogram of |x| that `percentile` percent (0 to 100) of all values do not pass,
 * on both sides of 0, but no more than was observed: as ORT's PercentileCalibrater. The histogram
 * must be absolute. */
struct weft_range weft_calibrate_percentile(const struct weft_histogram *histogram,
                                            double percentile);

/* The edges, at the same distance on both sides of the middle of the histogram, between which
 * `levels` values can stand for the distribution with the least divergence, but no more than was
 * observed: as ORT's EntropyCalibrater. The histogram must reach equally far to both sides of 0,
 * its bins must be no fewer than the levels. Error: WEFT_OUT_OF_MEMORY. */
bool weft_calibrate_entropy(const struct weft_histogram *histogram, uint32_t levels,
                            struct weft_range *range, struct weft_error *error);

/* The range, of which 0 is always part, in which the steps between `levels` values and what is
 * clipped cost the least square error. Values that are exactly 0 cost nothing. The histogram must
 * not be absolute. `symmetric`: the range reaches equally far to both sides of 0. */
struct weft_range weft_calibrate_mse(const struct weft_histogram *histogram, uint32_t levels,
                                     bool symmetric);

#endif
