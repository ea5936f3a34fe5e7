/* The critical path: from the end of a run from cause to cause to its beginning. */
#include <stdlib.h>

#include "base/memory.h"
#include "sim/timing/duration.h"
#include "sim/trace/history.h"

const char *const weft_path_names[WEFT_PATH_KINDS] = {
    [WEFT_PATH_STREAM] = "stream",     [WEFT_PATH_SLOTS] = "slots",     [WEFT_PATH_LOAD] = "load",
    [WEFT_PATH_FILL] = "fill",         [WEFT_PATH_STORE] = "store",     [WEFT_PATH_FETCH] = "fetch",
    [WEFT_PATH_DISPATCH] = "dispatch", [WEFT_PATH_LATENCY] = "latency",
};

struct path {
    const struct weft_history *history;
    struct weft_path_piece *list;
    size_t count;
    size_t capacity;
};

/* Adds the cycles first to last, which come before all that are there. */
static bool add(struct path *path, uint64_t first, uint64_t last, uint32_t number,
                enum weft_path_kind kind, struct weft_error *error) {
    if (first > last) {
        return true;
    }
    struct weft_path_piece *next = path->count == 0 ? NULL : &path->list[path->count - 1];
    if (next != NULL && next->number == number && next->kind == kind) {
        next->first = first;
        return true;
    }
    void *list = path->list;
    if (!weft_reserve(&list, &path->capacity, path->count + 1, sizeof *path->list,
                      "a critical path", error)) {
        return false;
    }
    path->list = list;
    path->list[path->count++] = (struct weft_path_piece){first, last, number, kind};
    return true;
}

/* What a transfer does between its start, its last burst and its finish. */
static enum weft_path_kind transfer_kind(const struct weft_instruction *instruction) {
    return instruction->opcode == WEFT_OPCODE_STORE  ? WEFT_PATH_STORE
           : instruction->opcode == WEFT_OPCODE_FILL ? WEFT_PATH_FILL
                                                     : WEFT_PATH_LOAD;
}

/* The cycles after `from` up to the event: two pieces, of which the second begins in *work and is
 * of *kind, or one (*work is the first cycle). What comes before the work is latency. */
static void kind_of(const struct weft_history *history, struct weft_event event,
                    struct weft_event from, uint64_t *work, enum weft_path_kind *kind) {
    const struct weft_instruction *instruction =
        &history->trace->program.instructions[event.number];
    *work = from.cycle + 1;
    *kind = WEFT_PATH_LATENCY;
    switch (event.kind) {
    case WEFT_EVENT_REQUESTED:
    case WEFT_EVENT_ARRIVED:
        *kind = WEFT_PATH_FETCH;
        break;
    case WEFT_EVENT_TAKEN:
    case WEFT_EVENT_DISPATCHED:
        *kind = WEFT_PATH_DISPATCH;
        break;
    case WEFT_EVENT_STREAMED:
        *kind = WEFT_PATH_STREAM;
        *work = history->of[event.number].stream;
        break;
    case WEFT_EVENT_ISSUED:
        *kind = transfer_kind(instruction);
        break;
    case WEFT_EVENT_FINISHED:
        if (from.kind == WEFT_EVENT_ISSUED) {
            *kind = transfer_kind(instruction);
        }
        break;
    case WEFT_EVENT_BEGIN:
    case WEFT_EVENT_STARTED:
        break;
    }
}

/* A VECTOR takes its slots, then drains. */
static bool add_vector(struct path *path, struct weft_event event, struct weft_event from,
                       struct weft_error *error) {
    const struct weft_trace *trace = path->history->trace;
    uint64_t slots =
        weft_vector_duration(&trace->config, &trace->program.instructions[event.number].vector)
            .slots;
    return add(path, from.cycle + slots + 1, event.cycle, event.number, WEFT_PATH_LATENCY, error) &&
           add(path, from.cycle + 1, from.cycle + slots, event.number, WEFT_PATH_SLOTS, error);
}

static bool add_step(struct path *path, struct weft_event event, struct weft_event from,
                     struct weft_error *error) {
    uint64_t work = 0;
    enum weft_path_kind kind = WEFT_PATH_LATENCY;
    if (event.kind == WEFT_EVENT_FINISHED && from.kind == WEFT_EVENT_STARTED) {
        return add_vector(path, event, from, error);
    }
    kind_of(path->history, event, from, &work, &kind);
    return add(path, work, event.cycle, event.number, kind, error) &&
           add(path, from.cycle + 1, work - 1, event.number, WEFT_PATH_LATENCY, error);
}

static void reverse(struct weft_path_piece *list, size_t count) {
    for (size_t i = 0; i < count / 2; i++) {
        struct weft_path_piece piece = list[i];
        list[i] = list[count - 1 - i];
        list[count - 1 - i] = piece;
    }
}

bool weft_history_path(const struct weft_history *history, struct weft_path_piece **pieces,
                       size_t *count, struct weft_error *error) {
    struct path path = {.history = history};
    struct weft_event event = {WEFT_EVENT_DISPATCHED, history->count - 1,
                               history->trace->result.counters.cycles};
    while (event.kind != WEFT_EVENT_BEGIN) {
        struct weft_event from = weft_history_cause(history, event).event;
        if (!add_step(&path, event, from, error)) {
            free(path.list);
            return false;
        }
        event = from;
    }
    reverse(path.list, path.count);
    *pieces = path.list;
    *count = path.count;
    return true;
}
