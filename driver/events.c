#include "driver/events.h"

#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"

static void add(struct events *events, struct event event) {
    if (!events->failed && events->count == events->most) {
        events->failed = true;
        weft_error_set(&events->error, WEFT_LIMIT, 0,
                       "the runs have more than %zu events to compare (--memory-limit)",
                       events->most);
    }
    events->failed = events->failed ||
                     !weft_reserve((void **)&events->list, &events->capacity, events->count + 1,
                                   sizeof *events->list, "events", &events->error);
    if (!events->failed) {
        events->list[events->count++] = event;
    }
}

static void dispatched(void *context, uint32_t number, uint64_t cycle) {
    add(context,
        (struct event){.cycle = cycle, .kind = WEFT_DIVERGENCE_DISPATCHED, .number = number});
}

static void started(void *context, uint32_t number, const struct weft_instruction *instruction,
                    uint64_t cycle) {
    struct events *events = context;
    add(events, (struct event){.cycle = cycle, .kind = WEFT_DIVERGENCE_STARTED, .number = number});
    /* Load and store issue the bursts of one instruction at a time: what is granted from here on is
     * of this one. */
    if (instruction != NULL && instruction->opcode == WEFT_OPCODE_LOAD) {
        events->region[WEFT_MASTER_LOAD] = instruction->load.region;
    } else if (instruction != NULL && instruction->opcode == WEFT_OPCODE_STORE) {
        events->region[WEFT_MASTER_STORE] = instruction->store.region;
    }
}

static void finished(void *context, uint32_t number, uint64_t cycle) {
    struct events *events = context;
    add(events, (struct event){.cycle = cycle, .kind = WEFT_DIVERGENCE_FINISHED, .number = number});
    if (events->progress != NULL) {
        events->progress(events->progress_context, cycle, events->last);
    }
}

static void burst(void *context, enum weft_master master, uint64_t address, uint32_t bytes,
                  uint64_t cycle, uint64_t first) {
    struct events *events = context;
    (void)first;
    uint64_t region = events->adds_region ? events->region[master] << REGION_SHIFT : 0;
    add(events, (struct event){.cycle = cycle,
                               .kind = WEFT_DIVERGENCE_BURST,
                               .master = master,
                               .address = region | address,
                               .bytes = bytes});
}

struct weft_observer events_observer(struct events *events) {
    return (struct weft_observer){.context = events,
                                  .dispatched = dispatched,
                                  .started = started,
                                  .finished = finished,
                                  .burst = burst};
}

void events_add_end(struct events *events, const struct weft_run_result *result) {
    add(events, (struct event){.cycle = result->counters.cycles,
                               .kind = WEFT_DIVERGENCE_END,
                               .address = result->fault,
                               .number = result->fault_instruction});
}

int event_compare(const struct event *a, const struct event *b) {
    int order = weft_compare_u64(a->cycle, b->cycle);
    order = order != 0 ? order : weft_compare_u64(a->kind, b->kind);
    order = order != 0 ? order : weft_compare_u64(a->number, b->number);
    order = order != 0 ? order : weft_compare_u64(a->master, b->master);
    order = order != 0 ? order : weft_compare_u64(a->address, b->address);
    return order != 0 ? order : weft_compare_u64(a->bytes, b->bytes);
}

static int compare_elements(const void *a, const void *b) {
    return event_compare(a, b);
}

void events_sort(struct events *events) {
    if (events->count > 0) {
        qsort(events->list, events->count, sizeof *events->list, compare_elements);
    }
}

const struct event *events_find(const struct events *events, enum weft_divergence kind,
                                uint32_t number) {
    for (size_t i = 0; i < events->count; i++) {
        const struct event *event = &events->list[i];
        if (event->kind == kind && (event->number == number || kind == WEFT_DIVERGENCE_END)) {
            return event;
        }
    }
    return NULL;
}

void events_free(struct events *events) {
    free(events->list);
    *events = (struct events){0};
}
