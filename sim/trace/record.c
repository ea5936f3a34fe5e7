/* Recording. */
#include <stdlib.h>

#include "base/checked.h"
#include "base/limit.h"
#include "base/memory.h"
#include "sim/trace/trace.h"

const char *const weft_lane_names[WEFT_LANES] = {
    [WEFT_UNIT_LOAD] = "load",
    [WEFT_UNIT_MATRIX] = "matrix",
    [WEFT_UNIT_VECTOR] = "vector",
    [WEFT_UNIT_STORE] = "store",
    [WEFT_LANE_DISPATCH] = "dispatch",
    [WEFT_LANE_LOAD_BURSTS] = "load bursts",
    [WEFT_LANE_STORE_BURSTS] = "store bursts",
};

const char *const weft_master_names[WEFT_MASTERS] = {
    [WEFT_MASTER_FETCH] = "fetch",
    [WEFT_MASTER_STORE] = "store",
    [WEFT_MASTER_LOAD] = "load",
};

/* ---- the observer ---- */

enum {
    /* Bytes that an instruction and an entry of a list take, here and in reports, where the text of
     * an instruction and each number are objects of their own; and without reports, with what a
     * history keeps of it. */
    INSTRUCTION_ROOM = 2048,
    ENTRY_ROOM = 256,
    BARE_INSTRUCTION_ROOM = 768,
    BARE_ENTRY_ROOM = 160,
    TRACE_ROOM = 32768, /* of a program, besides */
};

struct recorder {
    struct weft_trace *trace;
    struct weft_trace_room *room;
    uint32_t last[WEFT_MASTERS]; /* the LOAD and the STORE that started last */
    bool failed;
    struct weft_error error; /* why */
};

static bool take_room(struct weft_trace_room *room, uint64_t count, uint64_t each, uint64_t bare,
                      struct weft_error *error) {
    if (room == NULL) {
        return true;
    }
    each = room->is_bare ? bare : each;
    uint64_t asked = weft_add_saturated(room->used, weft_mul_saturated(count, each));
    if (asked > room->limit) {
        return weft_limit_passed(error, "a recording", asked, room->limit);
    }
    room->used = asked;
    return true;
}

/* Makes room for one more entry of a list; false when something has failed. */
static bool extend(struct recorder *recorder, void **list, size_t *capacity, size_t count,
                   size_t size) {
    recorder->failed =
        recorder->failed ||
        !take_room(recorder->room, 1, ENTRY_ROOM, BARE_ENTRY_ROOM, &recorder->error) ||
        !weft_reserve(list, capacity, count + 1, size, "entries of a trace", &recorder->error);
    return !recorder->failed;
}

static void dispatched(void *context, uint32_t number, uint64_t cycle) {
    struct recorder *recorder = context;
    recorder->trace->times[number].dispatched = cycle;
}

static void started(void *context, uint32_t number, const struct weft_instruction *instruction,
                    uint64_t cycle) {
    struct recorder *recorder = context;
    recorder->trace->times[number].started = cycle;
    /* Load and store issue the bursts of one instruction at a time. */
    if (instruction->opcode == WEFT_OPCODE_LOAD) {
        recorder->last[WEFT_MASTER_LOAD] = number;
    } else if (instruction->opcode == WEFT_OPCODE_STORE) {
        recorder->last[WEFT_MASTER_STORE] = number;
    }
}

static void finished(void *context, uint32_t number, uint64_t cycle) {
    struct recorder *recorder = context;
    recorder->trace->times[number].finished = cycle;
}

static void burst(void *context, enum weft_master master, uint64_t address, uint32_t bytes,
                  uint64_t cycle, uint64_t first) {
    struct recorder *recorder = context;
    struct weft_trace *trace = recorder->trace;
    uint32_t number = master == WEFT_MASTER_FETCH ? (uint32_t)(address / WEFT_INSTRUCTION_BYTES)
                                                  : recorder->last[master];
    void *bursts = trace->bursts;
    if (!extend(recorder, &bursts, &trace->burst_capacity, trace->burst_count,
                sizeof *trace->bursts)) {
        return;
    }
    trace->bursts = bursts;
    trace->bursts[trace->burst_count++] = (struct weft_trace_burst){
        .accepted = cycle,
        .first = first,
        .address = address,
        .bytes = bytes,
        .number = number,
        .master = master,
    };
}

static void counting(void *context, enum weft_lane lane, unsigned counter, uint64_t cycle) {
    struct recorder *recorder = context;
    struct weft_trace_changes *changes = &recorder->trace->lanes[lane];
    void *list = changes->list;
    if (!extend(recorder, &list, &changes->capacity, changes->count, sizeof *changes->list)) {
        return;
    }
    changes->list = list;
    changes->list[changes->count++] =
        (struct weft_trace_change){.cycle = cycle, .counter = counter};
}

/* ---- the run ---- */

static bool copy_program(const struct weft_instruction *instructions, size_t count,
                         struct weft_trace *trace, struct weft_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (!weft_program_add(&trace->program, &instructions[i], error)) {
            return false;
        }
    }
    trace->times = weft_allocate(count, sizeof *trace->times, "times of a trace", error);
    return trace->times != NULL;
}

static bool record(struct weft_trace *trace, struct weft_trace_room *room,
                   struct weft_error *error) {
    struct recorder recorder = {.trace = trace, .room = room};
    const struct weft_observer observer = {.context = &recorder,
                                           .dispatched = dispatched,
                                           .started = started,
                                           .finished = finished,
                                           .burst = burst,
                                           .counting = counting};
    const struct weft_config counting = weft_counting(&trace->config);
    if (!weft_timing_run(&counting, trace->program.instructions, trace->program.count,
                         &trace->settings, &observer, &trace->result, error)) {
        return false;
    }
    if (recorder.failed) {
        *error = recorder.error;
    }
    return !recorder.failed;
}

bool weft_trace_record(const struct weft_config *config,
                       const struct weft_instruction *instructions, size_t count,
                       const struct weft_timing_settings *settings, struct weft_trace_room *room,
                       struct weft_trace *trace, struct weft_error *error) {
    struct weft_trace made = {.config = *config, .settings = *settings};
    if (!take_room(room, 1, TRACE_ROOM, TRACE_ROOM, error) ||
        !take_room(room, count, INSTRUCTION_ROOM, BARE_INSTRUCTION_ROOM, error) ||
        !copy_program(instructions, count, &made, error) || !record(&made, room, error)) {
        weft_trace_free(&made);
        return false;
    }
    *trace = made;
    return true;
}

void weft_trace_free(struct weft_trace *trace) {
    weft_program_free(&trace->program);
    free(trace->times);
    free(trace->bursts);
    for (unsigned lane = 0; lane < WEFT_LANES; lane++) {
        free(trace->lanes[lane].list);
    }
    *trace = (struct weft_trace){0};
}

/* ---- looking at it ---- */

uint64_t weft_trace_latency(const struct weft_trace *trace) {
    uint64_t latency = trace->settings.memory.latency;
    return latency == 0 ? trace->config.memory_latency : latency;
}

uint64_t weft_trace_interval(const struct weft_trace *trace) {
    uint64_t interval = trace->settings.memory.interval;
    return interval == 0 ? 1 : interval;
}

uint32_t weft_trace_beats(const struct weft_trace *trace, const struct weft_trace_burst *burst) {
    uint64_t width = trace->config.memory_width;
    return (uint32_t)((burst->address + burst->bytes - 1) / width - burst->address / width + 1);
}

uint64_t weft_trace_burst_end(const struct weft_trace *trace,
                              const struct weft_trace_burst *burst) {
    return burst->first + weft_trace_beats(trace, burst) * weft_trace_interval(trace) - 1;
}

struct weft_trace_span weft_trace_span_at(const struct weft_trace *trace, enum weft_lane lane,
                                          size_t index) {
    const struct weft_trace_changes *changes = &trace->lanes[lane];
    bool is_last = index + 1 == changes->count;
    return (struct weft_trace_span){
        .first = changes->list[index].cycle,
        .last = is_last ? trace->result.counters.cycles : changes->list[index + 1].cycle - 1,
        .counter = changes->list[index].counter,
    };
}
