/* What the values of a tensor are over many runs: their limits, and how they are distributed. */
#ifndef WEFT_COMPILER_QUANTIZE_HISTOGRAM_H
#define WEFT_COMPILER_QUANTIZE_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The limits of values. Of no values at all: low > high. */
struct weft_range {
    double low, high;
};

/* The range of no values. */
struct weft_range weft_range_none(void);

/* The smallest range that holds both. */
struct weft_range weft_range_join(struct weft_range a, struct weft_range b);

/* The limits of `count` values; what is not a finite number is left out. */
struct weft_range weft_range_of(const float *values, size_t count);

/* The limits of a tensor's values over many samples. */
struct weft_limits {
    struct weft_range observed; /* of all */
    double least;               /* of |x| */
    struct weft_range sum;      /* of the limits of the samples */
    size_t samples;             /* that had values */
};

/* Those of no samples. */
struct weft_limits weft_limits_none(void);

/* Adds the values of one sample. */
void weft_limits_add(struct weft_limits *limits, const float *values, size_t count);

/* Adds those of other samples. */
void weft_limits_join(struct weft_limits *limits, const struct weft_limits *others);

/* How values are distributed: bin i holds those from edges[i] on, but below edges[i + 1]; the last
 * one its upper edge, too. As numpy's histogram() counts, whose edges are of the type of the
 * values.
 */
struct weft_histogram {
    uint32_t bins;              /* 1 and more */
    bool absolute;              /* counts |x| */
    const float *edges;         /* bins + 1, rising */
    uint64_t *counts;           /* by bin; what lies outside is not counted */
    uint64_t zeros;             /* values that are exactly 0; they are counted in their bin, too */
    struct weft_range observed; /* the limits of x, with its sign */
};

/* Fills bins + 1 edges from low to high, evenly; around one value when both are the same. */
void weft_histogram_edges(struct weft_range range, uint32_t bins, float *edges);

/* Counts values. `observed` is not touched. */
void weft_histogram_add(struct weft_histogram *histogram, const float *values, size_t count);

/* The number of values in all bins. */
uint64_t weft_histogram_total(const struct weft_histogram *histogram);

#endif
