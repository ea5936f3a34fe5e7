/* Where the cycles of the units went, layer by layer. */
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "sim/trace/trace.h"

/* ---- the order of starts ---- */

struct start {
    uint64_t cycle;
    uint32_t unit; /* in one cycle the units start in their order */
    uint32_t number;
};

static int compare_starts(const void *a, const void *b) {
    const struct start *one = a;
    const struct start *other = b;
    int order = weft_compare_u64(one->cycle, other->cycle);
    return order != 0 ? order : weft_compare_u64(one->unit, other->unit);
}

bool weft_trace_order(const struct weft_trace *trace, uint32_t **numbers, size_t *count,
                      struct weft_error *error) {
    size_t total = trace->program.count;
    size_t found = 0;
    struct start *starts = weft_allocate(total, sizeof *starts, "starts", error);
    uint32_t *made = weft_allocate(total, sizeof *made, "an order of instructions", error);
    if (starts == NULL || made == NULL) {
        free(starts);
        free(made);
        return false;
    }
    for (size_t i = 0; i < total; i++) {
        const struct weft_format *format = weft_format_of(trace->program.instructions[i].opcode);
        if (trace->times[i].started != 0 && format != NULL && format->unit != WEFT_UNITS) {
            starts[found++] = (struct start){
                .cycle = trace->times[i].started, .unit = format->unit, .number = (uint32_t)i};
        }
    }
    qsort(starts, found, sizeof *starts, compare_starts);
    for (size_t i = 0; i < found; i++) {
        made[i] = starts[i].number;
    }
    free(starts);
    *numbers = made;
    *count = found;
    return true;
}

/* ---- attribution ---- */

/* A unit's lane, of which the cycles up to `done` belong to somebody already. */
struct walk {
    enum weft_lane lane;
    size_t index;
    uint64_t done;
};

/* Gives the cycles up to `end` to the layer whose counts these are. */
static void give(const struct weft_trace *trace, struct walk *walk, uint64_t end,
                 uint64_t *counts) {
    while (walk->done < end && walk->index < trace->lanes[walk->lane].count) {
        struct weft_trace_span span = weft_trace_span_at(trace, walk->lane, walk->index);
        uint64_t last = span.last < end ? span.last : end;
        uint64_t first = weft_max_u64(span.first, walk->done + 1);
        if (span.counter < WEFT_COUNTERS && first <= last) {
            counts[span.counter] += last - first + 1;
        }
        walk->done = last;
        walk->index += last == span.last;
    }
}

bool weft_trace_by_layer(const struct weft_trace *trace, const int32_t *layer_of,
                         uint32_t layer_count, uint64_t **counts, struct weft_error *error) {
    uint32_t *order = NULL;
    size_t started = 0;
    struct walk walks[WEFT_UNITS];
    uint64_t *made =
        weft_allocate((size_t)layer_count + 1, WEFT_COUNTERS * sizeof *made, "counts", error);
    if (made == NULL || !weft_trace_order(trace, &order, &started, error)) {
        free(made);
        return false;
    }
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        walks[unit] = (struct walk){.lane = (enum weft_lane)unit};
    }
    for (size_t i = 0; i < started; i++) {
        uint32_t number = order[i];
        uint32_t layer = layer_of[number] < 0 ? layer_count : (uint32_t)layer_of[number];
        uint64_t finished = trace->times[number].finished;
        enum weft_unit unit = weft_format_of(trace->program.instructions[number].opcode)->unit;
        give(trace, &walks[unit], finished == 0 ? trace->result.counters.cycles : finished,
             made + (size_t)layer * WEFT_COUNTERS);
    }
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        give(trace, &walks[unit], trace->result.counters.cycles,
             made + (size_t)layer_count * WEFT_COUNTERS);
    }
    free(order);
    *counts = made;
    return true;
}
