#include "tests/unit/quantize_bench.h"

#include <math.h>
#include <string.h>

static bool fill(void *context, size_t i, void *const *inputs, struct weft_error *error) {
    const struct inputs *in = context;
    uint64_t seed = 77 + i;
    if (i == in->bad) {
        return weft_fail(error, WEFT_IO, i, "sample %zu is bad", i);
    }
    for (size_t k = 0; k < in->graph->input_count; k++) {
        float *values = inputs[k];
        for (int64_t e = 0; e < weft_type_elements(&in->graph->inputs[k]->type); e++) {
            values[e] = (float)random_in(&seed, -1000, 1000) / 500;
        }
    }
    return true;
}

void prepare(struct weft_arena *arena, const char *text, struct bench *bench) {
    *bench = (struct bench){.graph = graph_of(arena, text)};
    bench->inputs = (struct inputs){bench->graph, SIZE_MAX};
    bench->samples = (struct weft_samples){40, fill, &bench->inputs};
    bench->options = weft_quantize_defaults();
    bench->options.samples = &bench->samples;
}

void quantize(struct weft_arena *arena, struct bench *bench) {
    struct weft_error error;
    ASSERT_GOOD(
        weft_quantize(arena, bench->graph, NULL, &bench->options, &bench->quantized, &error),
        error);
}

double ratio(const struct bench *bench, size_t output) {
    const struct weft_graph *graph = bench->quantized->graph;
    struct weft_arena *arena = graph->arena;
    struct weft_error error;
    double signal = 0;
    double noise = 0;
    const void **inputs = WEFT_NEW_ARRAY(arena, graph->input_count, const void *);
    for (size_t i = 0; i < graph->input_count; i++) {
        inputs[i] = weft_arena_allocate(arena, weft_type_bytes(&graph->inputs[i]->type), 1);
    }
    for (size_t sample = 100; sample < 130; sample++) {
        ASSERT_GOOD(fill((void *)(uintptr_t)&bench->inputs, sample, (void *const *)inputs, &error),
                    error);
        const float *exact = host_outputs(bench->graph, inputs)[output];
        const float *found = host_outputs(graph, inputs)[output];
        for (int64_t i = 0; i < weft_type_elements(&graph->outputs[output]->type); i++) {
            double difference = (double)exact[i] - (double)found[i];
            signal += (double)exact[i] * (double)exact[i];
            noise += difference * difference;
        }
    }
    return noise > 0 ? 10 * log10(signal / noise) : (double)INFINITY;
}

const struct weft_layer_report *layer_named(const struct bench *bench, const char *name) {
    for (size_t i = 0; i < bench->quantized->layer_count; i++) {
        if (strcmp(bench->quantized->layers[i].name, name) == 0) {
            return &bench->quantized->layers[i];
        }
    }
    fail_msg("there is no layer %s", name);
    return NULL;
}
