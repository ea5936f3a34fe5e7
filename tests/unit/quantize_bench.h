/* Quantising a graph in a test: samples, options, and how near the result is to the floats. */
#ifndef WEFT_TESTS_UNIT_QUANTIZE_BENCH_H
#define WEFT_TESTS_UNIT_QUANTIZE_BENCH_H

#include "tests/unit/graphs.h"

#include "compiler/quantize/quantize.h"

struct inputs {
    const struct weft_graph *graph;
    size_t bad; /* this sample fails */
};

struct bench {
    struct inputs inputs;
    struct weft_samples samples;
    struct weft_quantize_options options;
    struct weft_graph *graph;
    struct weft_quantized *quantized;
};

/* A graph in text form, samples of numbers from -2 to 2, and the options' defaults. */
void prepare(struct weft_arena *arena, const char *text, struct bench *bench);

/* Sets bench->quantized, or fails the test. */
void quantize(struct weft_arena *arena, struct bench *bench);

/* The signal-to-noise ratio of an output of both graphs over samples that calibration did not see.
 */
double ratio(const struct bench *bench, size_t output);

/* Fails the test when there is none. */
const struct weft_layer_report *layer_named(const struct bench *bench, const char *name);

#endif
