/* A trace as text. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "sim/trace/raw.h"

/* In one cycle, what happens is printed in this order. */
enum kind {
    COUNTING,
    BURST,
    DISPATCHED,
    STARTED,
    FINISHED,
};

struct event {
    uint64_t cycle;
    enum kind kind;
    unsigned lane; /* COUNTING */
    size_t index;  /* of the change, the burst or the instruction */
};

struct events {
    struct event *list;
    size_t count;
};

static void add(struct events *events, uint64_t cycle, enum kind kind, unsigned lane,
                size_t index) {
    if (cycle != 0) {
        events->list[events->count++] = (struct event){cycle, kind, lane, index};
    }
}

static int compare_events(const void *a, const void *b) {
    const struct event *one = a;
    const struct event *other = b;
    int order = weft_compare_u64(one->cycle, other->cycle);
    order = order != 0 ? order : weft_compare_u64(one->kind, other->kind);
    order = order != 0 ? order : weft_compare_u64(one->lane, other->lane);
    return order != 0 ? order : weft_compare_u64(one->index, other->index);
}

static bool collect(const struct weft_trace *trace, struct events *events,
                    struct weft_error *error) {
    size_t most = 3 * trace->program.count + trace->burst_count;
    for (unsigned lane = 0; lane < WEFT_LANES; lane++) {
        most += trace->lanes[lane].count;
    }
    events->list = weft_allocate(most, sizeof *events->list, "events", error);
    if (events->list == NULL) {
        return false;
    }
    for (size_t i = 0; i < trace->program.count; i++) {
        add(events, trace->times[i].dispatched, DISPATCHED, 0, i);
        add(events, trace->times[i].started, STARTED, 0, i);
        add(events, trace->times[i].finished, FINISHED, 0, i);
    }
    for (size_t i = 0; i < trace->burst_count; i++) {
        add(events, trace->bursts[i].accepted, BURST, 0, i);
    }
    for (unsigned lane = 0; lane < WEFT_LANES; lane++) {
        for (size_t i = 0; i < trace->lanes[lane].count; i++) {
            add(events, trace->lanes[lane].list[i].cycle, COUNTING, lane, i);
        }
    }
    if (events->count > 0) {
        qsort(events->list, events->count, sizeof *events->list, compare_events);
    }
    return true;
}

static void print_burst(const struct weft_trace_burst *burst, struct weft_text *text) {
    weft_text_add(text, "burst       %u %s, %u bytes at %" PRIu64 ", first beat in %" PRIu64 "\n",
                  burst->number, weft_master_names[burst->master], burst->bytes, burst->address,
                  burst->first);
}

static void print_event(const struct weft_trace *trace, const struct event *event,
                        struct weft_text *text) {
    weft_text_add(text, "%10" PRIu64 " ", event->cycle);
    if (event->kind == COUNTING) {
        unsigned counter = trace->lanes[event->lane].list[event->index].counter;
        weft_text_add(text, "counting    %s: %s\n", weft_lane_names[event->lane],
                      counter < WEFT_COUNTERS ? weft_counter_names[counter] : "nothing");
    } else if (event->kind == BURST) {
        print_burst(&trace->bursts[event->index], text);
    } else if (event->kind == STARTED) {
        weft_text_add(text, "started     %zu ", event->index);
        weft_disassemble(&trace->program.instructions[event->index], text);
        weft_text_add(text, "\n");
    } else {
        weft_text_add(text, "%s  %zu\n", event->kind == DISPATCHED ? "dispatched" : "finished  ",
                      event->index);
    }
}

bool weft_trace_print(const struct weft_trace *trace, struct weft_text *text,
                      struct weft_error *error) {
    struct events events = {0};
    if (!collect(trace, &events, error)) {
        return false;
    }
    weft_text_add(text, "; configuration %s, memory latency %" PRIu64 ", interval %" PRIu64 "\n",
                  trace->config.name, weft_trace_latency(trace), weft_trace_interval(trace));
    weft_text_add(text, "; bytes of the regions:");
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        weft_text_add(text, " %" PRIu64, trace->settings.regions.limit[i]);
    }
    weft_text_add(text, ", writable:");
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        if (weft_region_is_writable(&trace->settings.regions, i)) {
            weft_text_add(text, " %u", i);
        }
    }
    weft_text_add(text, "\n; %zu instructions, %" PRIu64 " cycles, fault: %s\n",
                  trace->program.count, trace->result.counters.cycles,
                  weft_fault_names[trace->result.fault]);
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        weft_text_add(text, "; %s %" PRIu64 "\n", weft_counter_names[i],
                      weft_counter_get(&trace->result.counters, i));
    }
    for (size_t i = 0; i < events.count; i++) {
        print_event(trace, &events.list[i], text);
    }
    free(events.list);
    return true;
}
