/* Layer by layer another way to cut it, as long as that takes fewer cycles.
 *
 * What a choice costs shows in the layer and those beside it, so only such a window of the program
 * is emitted and run for each attempt. Layers that are alike, as networks have many, are changed
 * together. The whole program is counted in the end. */
#include <string.h>

#include "base/integer.h"
#include "base/parallel.h"
#include "compiler/schedule/improve.h"

/* Attempts cost time to compile; this many are more than enough for networks of 100 layers. */
enum {
    MOST_TRIES = 400
};

enum move {
    STREAM,  /* the operand comes in stripes */
    SHORTER, /* stripes */
    LONGER,
    SMALLER, /* tiles */
    FINER,   /* MATRIX instructions */
    COARSER,
    OUTER, /* weights in the outer loop, or not */
    TURN,  /* rows and columns exchanged, or not */
    MOVES
};
static const char *const move_names[MOVES] = {
    [STREAM] = "operand in stripes",    [SHORTER] = "shorter stripes",
    [LONGER] = "longer stripes",        [SMALLER] = "smaller tiles",
    [FINER] = "shorter MATRIX",         [COARSER] = "longer MATRIX",
    [OUTER] = "other order of weights", [TURN] = "rows and columns exchanged",
};

/* One set of hints on trial. */
struct trial {
    const struct candidate *best;
    const struct window *window;
    bool is_whole; /* the program is counted as a whole */
    bool is_possible;
    struct hint *hints;
    bool fits;
    uint64_t cycles;
    /* What was planned, by layer: rows of stripes, chains. */
    int64_t *rows;
    int *chain_first, *chain_last;
    struct weft_arena arena;
    struct weft_error error;
};

struct improvement {
    struct candidate *best;
    int count; /* layers */
    unsigned threads;
    /* By layer: hints of the best, and what is planned for them. */
    struct hint *hints;
    int64_t *rows;
    int *chain_first, *chain_last;
    int tries;
    struct search_log *log; /* of what is tried, or NULL */
    struct trial *trials;   /* as many as threads */
    struct weft_error *error;
};

/* ---- trying ---- */

static void note_plan(struct trial *trial, const struct attempt *attempt) {
    for (int i = 0; i < trial->best->region->layer_count; i++) {
        trial->rows[i] = attempt->decisions.cuts[i].stripe_rows;
        trial->chain_first[i] = attempt->plan.chain_first[i];
        trial->chain_last[i] = attempt->plan.chain_last[i];
    }
}

/* Estimates the cycles of a window. */
static void try_window(void *context, size_t number) {
    struct trial *trial = &((struct trial *)context)[number];
    trial->fits = false;
    if (!trial->is_possible) {
        return;
    }
    if (setjmp(trial->arena.on_failure)) {
        (void)weft_arena_failed(&trial->arena, &trial->error);
        return;
    }
    struct candidate candidate = *trial->best;
    candidate.hints = trial->hints;
    struct attempt *attempt = WEFT_NEW(&trial->arena, struct attempt);
    if (trial->is_whole
            ? attempt_make(&trial->arena, &candidate, attempt, &trial->error)
            : attempt_window(&trial->arena, &candidate, trial->window, attempt, &trial->error)) {
        trial->fits = true;
        trial->cycles = attempt->cycles;
        note_plan(trial, attempt);
    }
    weft_arena_reset(&trial->arena);
}

/* Did a trial end otherwise than that it fits or does not? */
static bool has_failed(const struct improvement *m, const struct trial *trial) {
    if (!trial->is_possible || trial->fits || trial->error.code == WEFT_CAPACITY) {
        return false;
    }
    *m->error = trial->error;
    return true;
}

/* A trial is the best now. */
static void accept(struct improvement *m, const struct trial *trial) {
    size_t count = (size_t)m->count;
    memcpy(m->hints, trial->hints, count * sizeof *m->hints);
    memcpy(m->rows, trial->rows, count * sizeof *m->rows);
    memcpy(m->chain_first, trial->chain_first, count * sizeof *m->chain_first);
    memcpy(m->chain_last, trial->chain_last, count * sizeof *m->chain_last);
}

/* The chain of a layer and those beside it. */
static struct window window_around(const struct improvement *m, int layer) {
    const struct region *region = m->best->region;
    int first = m->chain_first[layer] - 1;
    int last = m->chain_last[layer] + 1;
    while (first > 0 && layer_is_idle(region, first)) {
        first--;
    }
    while (last < m->count - 1 && layer_is_idle(region, last)) {
        last++;
    }
    return (struct window){m->chain_first[weft_max(first, 0)],
                           m->chain_last[weft_min(last, m->count - 1)]};
}

/* ---- moves ---- */

/* Changes the hint for a layer whose stripes have `rows` rows; false: it cannot be. */
static bool change(const struct region *region, int index, struct hint *hint, enum move move,
                   int64_t rows) {
    const struct layer *layer = &region->layers[index];
    int64_t height = layer->out.h;
    switch (move) {
    case STREAM:
        if (hint->streams || height < 2 ||
            !is_from_memory(&region->tensors[region->tensors_of[index][0]])) {
            return false;
        }
        hint->streams = true;
        hint->stripe_rows = (rows + 1) / 2;
        return true;
    case SHORTER:
        hint->stripe_rows = (rows + 1) / 2;
        return rows > 1;
    case LONGER:
        hint->stripe_rows = rows + (rows + 1) / 2;
        return hint->stripe_rows < height;
    case SMALLER:
        hint->tile_part = weft_max(hint->tile_part, 1) * 2;
        return hint->tile_part <= 8;
    case FINER:
        return --hint->coarser >= -2;
    case COARSER:
        return ++hint->coarser <= 2;
    case OUTER:
        hint->other_order = !hint->other_order;
        return hint->other_order && operations_of(layer)->has_products;
    default:
        hint->other_turn = !hint->other_turn;
        return hint->other_turn && layer->can_turn;
    }
}

static bool alike(const struct layer *a, const struct layer *b) {
    return a->kind == b->kind && same_shape(&a->in, &b->in) && same_shape(&a->out, &b->out) &&
           memcmp(a->kernel, b->kernel, sizeof a->kernel) == 0 &&
           memcmp(a->stride, b->stride, sizeof a->stride) == 0 &&
           (a->behind >= 0) == (b->behind >= 0);
}

/* The best hints with a move of all layers like one of them. Of a chain only the last layer has
 * stripes. */
static void put_on_trial(const struct improvement *m, int layer, int move,
                         const struct window *window, struct trial *trial) {
    const struct region *region = m->best->region;
    bool in_stripes = m->chain_last[layer] == layer;
    trial->window = window;
    trial->is_possible = false;
    memcpy(trial->hints, m->hints, (size_t)m->count * sizeof *trial->hints);
    if (move >= MOVES || (!in_stripes && (move == SHORTER || move == LONGER || move == STREAM))) {
        return;
    }
    for (int i = 0; i < m->count; i++) {
        if (alike(&region->layers[i], &region->layers[layer])) {
            trial->is_possible = change(region, i, &trial->hints[i], (enum move)move, m->rows[i]) ||
                                 trial->is_possible;
        }
    }
}

/* ---- one layer ---- */

/* Estimates the window as it is. */
static bool count_window(struct improvement *m, const struct window *window, uint64_t *cycles) {
    struct trial *trial = &m->trials[0];
    memcpy(trial->hints, m->hints, (size_t)m->count * sizeof *trial->hints);
    trial->window = window;
    trial->is_possible = true;
    try_window(m->trials, 0);
    *cycles = trial->fits ? trial->cycles : 0;
    if (trial->fits) {
        accept(m, trial);
    }
    m->tries++;
    return !has_failed(m, trial);
}

/* Makes each move as long as it helps. While one is tried, the next ones are tried beside it, in
 * case it does not help: the result is as if they were tried one after the other. */
static bool improve_layer(struct improvement *m, int layer) {
    const struct window window = window_around(m, layer);
    uint64_t cycles = 0;
    if (!count_window(m, &window, &cycles) || cycles == 0) {
        return cycles == 0 && m->error->code == WEFT_OK;
    }
    search_note(m->log, layer, "as it was", cycles, 0);
    for (int move = 0; move < MOVES && m->tries < MOST_TRIES;) {
        unsigned better = m->threads;
        for (unsigned i = 0; i < m->threads; i++) {
            put_on_trial(m, layer, move + (int)i, &window, &m->trials[i]);
        }
        weft_parallel(m->threads, m->threads, try_window, m->trials);
        for (unsigned i = 0; i < m->threads && better == m->threads; i++) {
            const struct trial *trial = &m->trials[i];
            if (has_failed(m, trial)) {
                return false;
            }
            m->tries += trial->is_possible;
            if (trial->is_possible) {
                search_note(m->log, layer, move_names[move + (int)i],
                            trial->fits ? trial->cycles : 0, cycles);
            }
            if (trial->fits && trial->cycles < cycles) {
                better = i;
                cycles = trial->cycles;
                accept(m, trial);
            }
        }
        move += (int)better;
    }
    return true;
}

/* ---- all layers ---- */

/* Is it the first of those that are like it, and more than work by element? */
static bool is_first_of_kind(const struct region *region, int layer) {
    const struct layer *layers = region->layers;
    bool found = operations_of(&layers[layer])->has_window && !layers[layer].is_behind;
    for (int i = 0; i < layer && found; i++) {
        found = !alike(&layers[i], &layers[layer]);
    }
    return found;
}

static struct trial *make_trials(struct weft_arena *arena, const struct candidate *best,
                                 unsigned threads) {
    size_t count = (size_t)best->region->layer_count;
    struct trial *trials = WEFT_NEW_ARRAY(arena, threads, struct trial);
    for (unsigned i = 0; i < threads; i++) {
        trials[i].best = best;
        trials[i].is_whole = best->instructions <= SHORT_PROGRAM;
        trials[i].hints = WEFT_NEW_ARRAY(arena, count, struct hint);
        trials[i].rows = WEFT_NEW_ARRAY(arena, count, int64_t);
        trials[i].chain_first = WEFT_NEW_ARRAY(arena, count, int);
        trials[i].chain_last = WEFT_NEW_ARRAY(arena, count, int);
    }
    return trials;
}

bool improve_layers(struct weft_arena *arena, unsigned threads, struct candidate *best,
                    struct search_log *log, struct weft_error *error) {
    size_t count = (size_t)best->region->layer_count;
    struct improvement m = {.best = best,
                            .count = best->region->layer_count,
                            .threads = threads,
                            .log = log,
                            .hints = WEFT_NEW_ARRAY(arena, count, struct hint),
                            .rows = WEFT_NEW_ARRAY(arena, count, int64_t),
                            .chain_first = WEFT_NEW_ARRAY(arena, count, int),
                            .chain_last = WEFT_NEW_ARRAY(arena, count, int),
                            .trials = make_trials(arena, best, threads),
                            .error = error};
    const struct window nothing = {0, -1};
    uint64_t cycles = 0;
    *error = (struct weft_error){0};
    bool good = count_window(&m, &nothing, &cycles);
    for (int i = 0; i < m.count && good; i++) {
        good = !is_first_of_kind(best->region, i) || improve_layer(&m, i);
    }
    for (unsigned i = 0; i < threads; i++) {
        weft_arena_free(&m.trials[i].arena);
    }
    best->hints = m.hints;
    return good;
}
