#include "compiler/quantize/histogram.h"

#include <math.h>

struct weft_range weft_range_none(void) {
    return (struct weft_range){(double)INFINITY, -(double)INFINITY};
}

struct weft_range weft_range_join(struct weft_range a, struct weft_range b) {
    return (struct weft_range){fmin(a.low, b.low), fmax(a.high, b.high)};
}

struct weft_range weft_range_of(const float *values, size_t count) {
    float low = INFINITY;
    float high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (isfinite(values[i])) {
            low = values[i] < low ? values[i] : low;
            high = values[i] > high ? values[i] : high;
        }
    }
    return (struct weft_range){(double)low, (double)high};
}

struct weft_limits weft_limits_none(void) {
    return (struct weft_limits){.observed = weft_range_none(), .least = (double)INFINITY};
}

void weft_limits_add(struct weft_limits *limits, const float *values, size_t count) {
    struct weft_range range = weft_range_of(values, count);
    float least = INFINITY;
    if (!(range.low <= range.high)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        least = fabsf(values[i]) < least ? fabsf(values[i]) : least;
    }
    limits->observed = weft_range_join(limits->observed, range);
    limits->least = fmin(limits->least, (double)least);
    limits->sum.low += range.low;
    limits->sum.high += range.high;
    limits->samples++;
}

void weft_limits_join(struct weft_limits *limits, const struct weft_limits *others) {
    limits->observed = weft_range_join(limits->observed, others->observed);
    limits->least = fmin(limits->least, others->least);
    limits->sum.low += others->sum.low;
    limits->sum.high += others->sum.high;
    limits->samples += others->samples;
}

void weft_histogram_edges(struct weft_range range, uint32_t bins, float *edges) {
    double low = range.low;
    double high = range.high;
    if (!(low < high)) {
        double at = low == high ? low : 0;
        low = at - 0.5;
        high = at + 0.5;
    }
    for (uint32_t i = 0; i <= bins; i++) {
        edges[i] = (float)(low + (high - low) * ((double)i / (double)bins));
    }
    edges[bins] = (float)high;
}

/* The bin of a value inside the edges: what the even spacing says, put right by the edges. */
static uint32_t bin_of(const struct weft_histogram *histogram, float value, double per_unit) {
    const float *edges = histogram->edges;
    uint32_t last = histogram->bins - 1;
    /* No number where the edges are so far apart that their distance is infinite. */
    double guess = ((double)value - (double)edges[0]) * per_unit;
    uint32_t bin = !(guess > 0) ? 0 : guess > (double)last ? last : (uint32_t)guess;
    while (bin > 0 && value < edges[bin]) {
        bin--;
    }
    while (bin < last && value >= edges[bin + 1]) {
        bin++;
    }
    return bin;
}

void weft_histogram_add(struct weft_histogram *histogram, const float *values, size_t count) {
    float low = histogram->edges[0];
    float high = histogram->edges[histogram->bins];
    double per_unit = (double)histogram->bins / ((double)high - (double)low);
    for (size_t i = 0; i < count; i++) {
        float value = histogram->absolute ? fabsf(values[i]) : values[i];
        histogram->zeros += value == 0;
        if (value >= low && value <= high) {
            histogram->counts[bin_of(histogram, value, per_unit)]++;
        }
    }
}

uint64_t weft_histogram_total(const struct weft_histogram *histogram) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < histogram->bins; i++) {
        total += histogram->counts[i];
    }
    return total;
}
