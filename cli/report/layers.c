/* The layers of a report: what each took, and what its unit waited for. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/report/report.h"
#include "cli/statistics.h"

/* Counters of the cycles of the units that do arithmetic. */
struct unit_counters {
    const char *unit;
    unsigned busy, wait_load, wait_other, wait_store, empty;
};

#define COUNTER(name) WEFT_COUNTER_INDEX_##name
static const struct unit_counters arithmetic[] = {
    {"matrix", COUNTER(matrix_busy), COUNTER(matrix_wait_load), COUNTER(matrix_wait_vector),
     COUNTER(matrix_wait_store), COUNTER(matrix_empty)},
    {"vector", COUNTER(vector_busy), COUNTER(vector_wait_load), COUNTER(vector_wait_matrix),
     COUNTER(vector_wait_store), COUNTER(vector_empty)},
};
#undef COUNTER

/* Cycles of the unit that does the layer's arithmetic, by cause; null when none does. */
static json_t *unit_cycles(const char *unit, const uint64_t *counts) {
    for (size_t i = 0; i < sizeof arithmetic / sizeof arithmetic[0]; i++) {
        const struct unit_counters *c = &arithmetic[i];
        if (strcmp(c->unit, unit) == 0) {
            return json_pack(
                "{s:I, s:I, s:I, s:I, s:I}", "busy", (json_int_t)counts[c->busy], "load",
                (json_int_t)counts[c->wait_load], "other", (json_int_t)counts[c->wait_other],
                "store", (json_int_t)counts[c->wait_store], "empty", (json_int_t)counts[c->empty]);
        }
    }
    return json_null();
}

/* When a layer is computed: from the first start of an instruction of the unit that does its
 * arithmetic (of any unit, when none does) to the last finish of any; zeros when it has none. What
 * is loaded for it long before does not count. */
struct extent {
    uint64_t first;
    uint64_t last;
};

static bool computes(const struct layer_statistics *layer,
                     const struct weft_instruction *instruction) {
    const struct weft_format *format = weft_format_of(instruction->opcode);
    return strcmp(layer->unit, "-") == 0 || strcmp(layer->unit, weft_unit_names[format->unit]) == 0;
}

static void find_extents(const struct weft_segment *segment, const struct weft_trace *trace,
                         const struct layer_statistics *layers, struct extent *extents) {
    for (size_t i = 0; i < segment->program.count; i++) {
        int32_t layer = segment->layer_of[i];
        const struct weft_trace_times *times = &trace->times[i];
        if (layer < 0 || times->started == 0) {
            continue;
        }
        struct extent *extent = &extents[layer];
        bool earlier = computes(&layers[layer], &segment->program.instructions[i]) &&
                       (extent->first == 0 || times->started < extent->first);
        extent->first = earlier ? times->started : extent->first;
        extent->last = times->finished > extent->last ? times->finished : extent->last;
    }
}

static json_t *layer_data(const struct layer_statistics *layer, const struct extent *extent,
                          const uint64_t *counts) {
    const struct weft_layer_info *info = layer->info;
    return json_pack(
        "{s:o, s:o, s:[I,I,I,I], s:i, s:I, s:s, s:I, s:f, s:I, s:I, s:I, s:o}", "op",
        text_json(info->name), "tensor", text_json(info->tensor == NULL ? "" : info->tensor),
        "shape", (json_int_t)info->shape[0], (json_int_t)info->shape[1], (json_int_t)info->shape[2],
        (json_int_t)info->shape[3], "operator", info->source, "macs", (json_int_t)info->macs,
        "unit", layer->unit, "cycles", (json_int_t)layer->cycles, "utilisation", layer->utilisation,
        "bytes", (json_int_t)layer->external_bytes, "first", (json_int_t)extent->first, "last",
        (json_int_t)extent->last, "onUnit", unit_cycles(layer->unit, counts));
}

json_t *report_layers(const struct reported *reported, uint32_t index, struct weft_error *error) {
    const struct weft_segment *segment = &reported->module->segments[index];
    const struct weft_trace *trace = &reported->traces->segments[index];
    uint32_t count = segment->layer_count;
    uint64_t *counts = NULL;
    uint64_t *finishes = layer_finishes(segment, trace, error);
    struct extent *extents = weft_allocate(count, sizeof *extents, "layers", error);
    struct layer_statistics *layers = weft_allocate(count, sizeof *layers, "layers", error);
    json_t *list = NULL;
    if (finishes != NULL && extents != NULL && layers != NULL &&
        weft_trace_by_layer(trace, segment->layer_of, count, &counts, error)) {
        layer_statistics(reported->module, index, finishes, layers);
        find_extents(segment, trace, layers, extents);
        list = json_array();
        if (list == NULL) {
            weft_no_memory(error, "JSON");
        }
        for (uint32_t i = 0; i < count; i++) {
            json_array_append_new(
                list, layer_data(&layers[i], &extents[i], counts + (size_t)i * WEFT_COUNTERS));
        }
    }
    free(counts);
    free(finishes);
    free(extents);
    free(layers);
    return list;
}
