#include "driver/owned.h"

#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"

const char *const weft_use_names[WEFT_USES] = {
    [WEFT_USE_MATRIX] = "matrix", [WEFT_USE_VECTOR] = "vector", [WEFT_USE_LOAD] = "load",
    [WEFT_USE_STORE] = "store",   [WEFT_USE_FETCH] = "fetch",   [WEFT_USE_LATENCY] = "latency",
};

bool weft_layers_of(const struct weft_segment *segment, uint32_t **layers,
                    struct weft_error *error) {
    size_t count = segment->program.count;
    uint32_t layer = 0;
    uint32_t *made = weft_allocate(count, sizeof *made, "layers of instructions", error);
    if (made == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        layer = segment->layer_of[i] < 0 ? layer : (uint32_t)segment->layer_of[i];
        made[i] = layer;
    }
    *layers = made;
    return true;
}

/* ---- the list ---- */

struct owning {
    const struct weft_history *history;
    const uint32_t *layers;
    uint32_t stream; /* place of the first MATRIX whose stream does not end before the cycle */
    size_t burst;    /* the same of the memory port */
    struct weft_owned_cycles *list;
    size_t count;
    size_t capacity;
};

static bool give(struct owning *owning, uint64_t first, uint64_t last, uint32_t number,
                 enum weft_use use, struct weft_error *error) {
    uint32_t layer = owning->layers[number];
    struct weft_owned_cycles *before = owning->count == 0 ? NULL : &owning->list[owning->count - 1];
    if (first > last) {
        return true;
    }
    if (before != NULL && before->layer == layer && before->use == use) {
        before->last = last;
        return true;
    }
    void *list = owning->list;
    if (!weft_reserve(&list, &owning->capacity, owning->count + 1, sizeof *owning->list,
                      "whose cycles are", error)) {
        return false;
    }
    owning->list = list;
    owning->list[owning->count++] = (struct weft_owned_cycles){first, last, layer, use};
    return true;
}

/* ---- the memory port ---- */

static enum weft_use use_of_master(enum weft_master master) {
    return master == WEFT_MASTER_LOAD    ? WEFT_USE_LOAD
           : master == WEFT_MASTER_STORE ? WEFT_USE_STORE
                                         : WEFT_USE_FETCH;
}

/* Cycles in which the run waits for memory: for beats, or, without any, for its latency. */
static bool give_memory(struct owning *owning, uint64_t first, uint64_t last, uint32_t number,
                        struct weft_error *error) {
    const struct weft_trace *trace = owning->history->trace;
    while (first <= last) {
        const struct weft_trace_burst *burst = &trace->bursts[owning->burst];
        if (owning->burst == trace->burst_count || burst->first > last) {
            return give(owning, first, last, number, WEFT_USE_LATENCY, error);
        }
        uint64_t end = weft_trace_burst_end(trace, burst);
        if (end < first) {
            owning->burst++;
            continue;
        }
        uint64_t from = weft_max_u64(first, burst->first);
        uint64_t to = end < last ? end : last;
        if (!give(owning, first, from - 1, number, WEFT_USE_LATENCY, error) ||
            !give(owning, from, to, number, use_of_master(burst->master), error)) {
            return false;
        }
        first = to + 1;
    }
    return true;
}

/* ---- pieces of the critical path, and streams in front of them ---- */

/* Cycles of a piece in which matrix does not stream. */
static bool give_piece(struct owning *owning, const struct weft_path_piece *piece, uint64_t first,
                       uint64_t last, struct weft_error *error) {
    switch (piece->kind) {
    case WEFT_PATH_LOAD:
    case WEFT_PATH_STORE:
    case WEFT_PATH_FETCH:
        return give_memory(owning, first, last, piece->number, error);
    case WEFT_PATH_SLOTS:
        return give(owning, first, last, piece->number, WEFT_USE_VECTOR, error);
    case WEFT_PATH_FILL:
        return give(owning, first, last, piece->number, WEFT_USE_LOAD, error);
    case WEFT_PATH_STREAM:
        return give(owning, first, last, piece->number, WEFT_USE_MATRIX, error);
    default:
        return give(owning, first, last, piece->number, WEFT_USE_LATENCY, error);
    }
}

static bool own_piece(struct owning *owning, const struct weft_path_piece *piece,
                      struct weft_error *error) {
    const struct weft_history *history = owning->history;
    uint64_t first = piece->first;
    while (first <= piece->last) {
        uint64_t last = piece->last;
        if (owning->stream == history->order_count[WEFT_UNIT_MATRIX]) {
            return give_piece(owning, piece, first, last, error);
        }
        uint32_t number = history->order[WEFT_UNIT_MATRIX][owning->stream];
        const struct weft_instruction_history *of = &history->of[number];
        if (of->stream_end < first) {
            owning->stream++;
            continue;
        }
        uint64_t from = of->stream > last ? last + 1 : weft_max_u64(first, of->stream);
        uint64_t to = of->stream_end < last ? of->stream_end : last;
        if (!give_piece(owning, piece, first, from - 1, error) ||
            !give(owning, from, to, number, WEFT_USE_MATRIX, error)) {
            return false;
        }
        first = weft_max_u64(from, to + 1);
    }
    return true;
}

bool weft_own_cycles(const struct weft_history *history, const uint32_t *layers,
                     struct weft_owned_cycles **list, size_t *count, struct weft_error *error) {
    struct owning owning = {.history = history, .layers = layers};
    struct weft_path_piece *pieces = NULL;
    size_t piece_count = 0;
    bool good = weft_history_path(history, &pieces, &piece_count, error);
    for (size_t i = 0; good && i < piece_count; i++) {
        good = own_piece(&owning, &pieces[i], error);
    }
    free(pieces);
    if (!good) {
        free(owning.list);
        return false;
    }
    *list = owning.list;
    *count = owning.count;
    return true;
}
