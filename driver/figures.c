#include "driver/figures.h"

#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "compiler/schedule/saved.h"

/* ---- what instructions say ---- */

static uint64_t transfer_bytes(const struct weft_instruction *instruction) {
    const uint32_t *count = NULL;
    uint32_t run = 0;
    if (instruction->opcode == WEFT_OPCODE_LOAD) {
        count = instruction->load.count;
        run = instruction->load.run;
    } else if (instruction->opcode == WEFT_OPCODE_STORE) {
        count = instruction->store.count;
        run = instruction->store.run;
    }
    return count == NULL ? 0 : (uint64_t)run * count[0] * count[1] * count[2];
}

/* Matrix before vector before store before load. */
static enum weft_unit better_unit(enum weft_unit a, enum weft_unit b) {
    static const unsigned ranks[WEFT_UNITS + 1] = {
        [WEFT_UNIT_LOAD] = 3,  [WEFT_UNIT_MATRIX] = 0, [WEFT_UNIT_VECTOR] = 1,
        [WEFT_UNIT_STORE] = 2, [WEFT_UNITS] = 4,
    };
    return ranks[b] < ranks[a] ? b : a;
}

static enum weft_unit unit_at(const struct weft_segment *segment, size_t number) {
    return weft_format_of(segment->program.instructions[number].opcode)->unit;
}

static void find_units(const struct weft_segment *segment, struct weft_layer_figures *layers) {
    for (size_t i = 0; i < segment->program.count; i++) {
        if (segment->layer_of[i] >= 0) {
            struct weft_layer_figures *layer = &layers[segment->layer_of[i]];
            layer->external_bytes += transfer_bytes(&segment->program.instructions[i]);
            layer->unit = better_unit(layer->unit, unit_at(segment, i));
        }
    }
}

static void find_extents(const struct weft_segment *segment, const struct weft_trace *trace,
                         struct weft_layer_figures *layers) {
    for (size_t i = 0; i < segment->program.count; i++) {
        const struct weft_trace_times *times = &trace->times[i];
        if (segment->layer_of[i] < 0 || times->started == 0) {
            continue;
        }
        struct weft_layer_figures *layer = &layers[segment->layer_of[i]];
        if (unit_at(segment, i) == layer->unit &&
            (layer->first == 0 || times->started < layer->first)) {
            layer->first = times->started;
        }
        layer->last = weft_max_u64(layer->last, times->finished);
    }
}

/* ---- cycles of the units ---- */

#define COUNTER(name) WEFT_COUNTER_INDEX_##name
static const struct {
    unsigned busy, wait[WEFT_UNITS], empty; /* counters; WEFT_COUNTERS: there is none */
} unit_counters[WEFT_UNITS] = {
    [WEFT_UNIT_LOAD] = {COUNTER(load_busy),
                        {WEFT_COUNTERS, COUNTER(load_wait_matrix), COUNTER(load_wait_vector),
                         COUNTER(load_wait_store)},
                        COUNTER(load_empty)},
    [WEFT_UNIT_MATRIX] = {COUNTER(matrix_busy),
                          {COUNTER(matrix_wait_load), WEFT_COUNTERS, COUNTER(matrix_wait_vector),
                           COUNTER(matrix_wait_store)},
                          COUNTER(matrix_empty)},
    [WEFT_UNIT_VECTOR] = {COUNTER(vector_busy),
                          {COUNTER(vector_wait_load), COUNTER(vector_wait_matrix), WEFT_COUNTERS,
                           COUNTER(vector_wait_store)},
                          COUNTER(vector_empty)},
    [WEFT_UNIT_STORE] = {COUNTER(store_busy),
                         {COUNTER(store_wait_load), COUNTER(store_wait_matrix),
                          COUNTER(store_wait_vector), WEFT_COUNTERS},
                         COUNTER(store_empty)},
};
#undef COUNTER

/* `counts`: by counter. */
static struct weft_unit_cycles unit_cycles(const uint64_t *counts, enum weft_unit unit) {
    struct weft_unit_cycles cycles = {.busy = counts[unit_counters[unit].busy],
                                      .empty = counts[unit_counters[unit].empty]};
    for (unsigned producer = 0; producer < WEFT_UNITS; producer++) {
        unsigned counter = unit_counters[unit].wait[producer];
        cycles.wait[producer] = counter == WEFT_COUNTERS ? 0 : counts[counter];
    }
    return cycles;
}

struct weft_unit_cycles weft_counted_unit_cycles(const struct weft_counters *counters,
                                                 enum weft_unit unit) {
    uint64_t counts[WEFT_COUNTERS];
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        counts[i] = weft_counter_get(counters, i);
    }
    return unit_cycles(counts, unit);
}

static bool count_on_units(const struct weft_segment *segment, const struct weft_trace *trace,
                           struct weft_figures *figures, struct weft_error *error) {
    uint64_t *counts = NULL;
    if (!weft_trace_by_layer(trace, segment->layer_of, figures->layer_count, &counts, error)) {
        return false;
    }
    for (uint32_t i = 0; i < figures->layer_count; i++) {
        struct weft_layer_figures *layer = &figures->layers[i];
        if (layer->unit != WEFT_UNITS) {
            layer->on_unit = unit_cycles(counts + (size_t)i * WEFT_COUNTERS, layer->unit);
        }
    }
    free(counts);
    return true;
}

/* ---- waits for other layers ---- */

struct wait {
    uint32_t layer;
    uint32_t other;
    uint64_t cycles;
};

struct waits {
    struct wait *list;
    size_t count;
    size_t capacity;
};

static int compare_waits(const void *a, const void *b) {
    const struct wait *one = a;
    const struct wait *two = b;
    int order = weft_compare_u64(one->layer, two->layer);
    return order != 0 ? order : weft_compare_u64(one->other, two->other);
}

static unsigned producer_of(unsigned unit, unsigned counter) {
    unsigned producer = 0;
    while (producer < WEFT_UNITS &&
           (counter == WEFT_COUNTERS || unit_counters[unit].wait[producer] != counter)) {
        producer++;
    }
    return producer;
}

/* Notes a span of a unit's lane in which its next instruction, `head`, waits for a token. */
static bool note_wait(struct waits *waits, const struct weft_history *history,
                      const uint32_t *layers, unsigned producer, uint32_t head, uint64_t cycles,
                      struct weft_error *error) {
    uint32_t giver = history->of[head].tokens[producer];
    void *list = waits->list;
    if (giver == WEFT_NOBODY || layers[giver] == layers[head]) {
        return true;
    }
    if (!weft_reserve(&list, &waits->capacity, waits->count + 1, sizeof *waits->list, "waits",
                      error)) {
        return false;
    }
    waits->list = list;
    waits->list[waits->count++] = (struct wait){layers[head], layers[giver], cycles};
    return true;
}

static bool find_waits(struct waits *waits, const struct weft_history *history,
                       const uint32_t *layers, const struct weft_figures *figures, unsigned unit,
                       struct weft_error *error) {
    const struct weft_trace *trace = history->trace;
    uint32_t next = 0;
    for (size_t i = 0; i < trace->lanes[unit].count; i++) {
        struct weft_trace_span span = weft_trace_span_at(trace, (enum weft_lane)unit, i);
        unsigned producer = producer_of(unit, span.counter);
        while (next < history->order_count[unit] &&
               trace->times[history->order[unit][next]].started <= span.first) {
            next++;
        }
        if (producer == WEFT_UNITS || next == history->order_count[unit]) {
            continue;
        }
        uint32_t head = history->order[unit][next];
        if (figures->layers[layers[head]].unit == (enum weft_unit)unit &&
            !note_wait(waits, history, layers, producer, head, span.last - span.first + 1, error)) {
            return false;
        }
    }
    return true;
}

static void add_waits(const struct waits *waits, struct weft_layer_figures *layers) {
    uint64_t cycles = 0;
    for (size_t i = 0; i < waits->count; i++) {
        const struct wait *wait = &waits->list[i];
        struct weft_layer_figures *layer = &layers[wait->layer];
        bool is_same = i > 0 && compare_waits(wait, &waits->list[i - 1]) == 0;
        cycles = (is_same ? cycles : 0) + wait->cycles;
        layer->waited += wait->cycles;
        if (cycles > layer->waited_most) {
            layer->waited_most = cycles;
            layer->waits_for = (int32_t)wait->other;
        }
    }
}

static bool count_waits(const struct weft_history *history, const uint32_t *layers,
                        struct weft_figures *figures, struct weft_error *error) {
    struct waits waits = {0};
    bool good = true;
    for (unsigned unit = 0; good && unit < WEFT_UNITS; unit++) {
        good = find_waits(&waits, history, layers, figures, unit, error);
    }
    if (good && waits.count > 0) {
        qsort(waits.list, waits.count, sizeof *waits.list, compare_waits);
        add_waits(&waits, figures->layers);
    }
    free(waits.list);
    return good;
}

/* ---- groups ---- */

/* Does the schedule carry the layer out together with the next one? */
static bool is_linked(const struct weft_segment *segment, uint32_t layer) {
    const struct saved_schedule *schedule = segment->schedule;
    return schedule != NULL && schedule->layer_count == segment->layer_count &&
           layer + 1 < segment->layer_count && schedule->layers[layer].cut.linked;
}

static void make_groups(const struct weft_segment *segment, struct weft_figures *figures) {
    for (uint32_t i = 0; i < figures->layer_count; i++) {
        struct weft_layer_figures *layer = &figures->layers[i];
        if (i == 0 || !is_linked(segment, i - 1)) {
            figures->groups[figures->group_count++].first = i;
        }
        layer->group = figures->group_count - 1;
        struct weft_group_figures *group = &figures->groups[layer->group];
        group->count++;
        group->cycles += layer->cycles;
        group->macs += segment->layers[i].macs;
        group->external_bytes += layer->external_bytes;
        for (unsigned use = 0; use < WEFT_USES; use++) {
            group->used[use] += layer->used[use];
        }
    }
}

/* ---- all of it ---- */

static bool make_layers(const struct weft_segment *segment, const struct weft_history *history,
                        const uint32_t *layers, struct weft_figures *figures,
                        struct weft_error *error) {
    for (uint32_t i = 0; i < figures->layer_count; i++) {
        figures->layers[i].unit = WEFT_UNITS;
        figures->layers[i].waits_for = -1;
    }
    find_units(segment, figures->layers);
    find_extents(segment, history->trace, figures->layers);
    if (!weft_own_cycles(history, layers, &figures->owned, &figures->owned_count, error) ||
        !count_on_units(segment, history->trace, figures, error) ||
        !count_waits(history, layers, figures, error)) {
        return false;
    }
    for (size_t i = 0; i < figures->owned_count; i++) {
        const struct weft_owned_cycles *owned = &figures->owned[i];
        figures->layers[owned->layer].cycles += owned->last - owned->first + 1;
        figures->layers[owned->layer].used[owned->use] += owned->last - owned->first + 1;
    }
    make_groups(segment, figures);
    return true;
}

bool weft_figures_make(const struct weft_segment *segment, const struct weft_history *history,
                       struct weft_figures *figures, struct weft_error *error) {
    uint32_t count = segment->layer_count;
    uint32_t *layers = NULL;
    struct weft_figures made = {.cycles = history->trace->result.counters.cycles,
                                .layer_count = count};
    made.layers = weft_allocate(count, sizeof *made.layers, "figures of layers", error);
    made.groups = weft_allocate(count, sizeof *made.groups, "figures of groups", error);
    bool good = made.layers != NULL && made.groups != NULL;
    if (good && count == 0) {
        *figures = made;
        return true;
    }
    good = good && weft_layers_of(segment, &layers, error) &&
           make_layers(segment, history, layers, &made, error);
    free(layers);
    if (!good) {
        weft_figures_free(&made);
        return false;
    }
    *figures = made;
    return true;
}

void weft_figures_free(struct weft_figures *figures) {
    free(figures->layers);
    free(figures->groups);
    free(figures->owned);
    *figures = (struct weft_figures){0};
}

/* ---- verdicts ---- */

static struct weft_verdict verdict_of(const uint64_t *used, uint64_t cycles) {
    struct weft_verdict verdict = {.use = WEFT_USES, .layer = -1};
    uint64_t most = 0;
    for (unsigned use = 0; use < WEFT_USES; use++) {
        if (used[use] > most) {
            most = used[use];
            verdict.use = (enum weft_use)use;
        }
    }
    verdict.share = cycles == 0 ? 0 : (double)most / (double)cycles;
    return verdict;
}

struct weft_verdict weft_layer_verdict(const struct weft_layer_figures *layer) {
    uint64_t cycles = layer->cycles + layer->waited;
    struct weft_verdict verdict = verdict_of(layer->used, cycles);
    uint64_t most = verdict.use == WEFT_USES ? 0 : layer->used[verdict.use];
    verdict.is_hidden = cycles == 0 && layer->unit != WEFT_UNITS;
    if (layer->waited_most > most) {
        verdict.use = WEFT_USES;
        verdict.layer = layer->waits_for;
        verdict.share = (double)layer->waited_most / (double)cycles;
    }
    return verdict;
}

struct weft_verdict weft_group_verdict(const struct weft_group_figures *group) {
    return verdict_of(group->used, group->cycles);
}

double weft_utilisation(const struct weft_config *config, int64_t macs, uint64_t cycles) {
    double peak = (double)config->block * (double)config->block * (double)cycles;
    return cycles == 0 ? 0 : (double)macs / peak;
}
