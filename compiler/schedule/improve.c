/* Layer by layer another way to cut it, as long as that takes fewer cycles.
 *
 * What a choice costs shows in the layer and those beside it, so only such a window of the program
 * is emitted and run for each attempt. Layers that are alike, as networks have many, are changed
 * together. The whole program is counted in the end. */
#include <string.h>

#include "base/integer.h"
#include "compiler/schedule/improve.h"

/* Attempts cost time to compile; this many are more than enough for networks of 100 layers. */
enum {
    MOST_TRIES = 400
};

enum move {
    SHORTER, /* stripes */
    LONGER,
    SMALLER, /* tiles */
    FINER,   /* MATRIX instructions */
    COARSER,
    MOVES
};

struct improvement {
    struct candidate *best;
    int count; /* layers */
    /* By layer: hints of the best, hints on trial, and what is planned for the best: rows of
     * its stripes, chains. */
    struct hint *hints, *trial;
    int64_t *rows;
    int *chain_first, *chain_last;
    bool is_short; /* the program */
    int tries;
    struct weft_arena arena; /* of one attempt after the other */
    struct weft_error *error;
};

/* ---- trying ---- */

/* What was planned. */
static void note_plan(struct improvement *m, const struct attempt *attempt) {
    for (int i = 0; i < m->count; i++) {
        m->rows[i] = attempt->decisions.cuts[i].stripe_rows;
        m->chain_first[i] = attempt->plan.chain_first[i];
        m->chain_last[i] = attempt->plan.chain_last[i];
    }
}

/* Estimates the cycles of a window with the hints on trial. They are 0 where these do not fit,
 * and when they are not less than those of the best, if it has any; else the trial is the best. */
static bool try_window(struct improvement *m, const struct window *window, uint64_t best,
                       uint64_t *cycles) {
    if (setjmp(m->arena.on_failure)) {
        return weft_arena_failed(&m->arena, m->error);
    }
    struct candidate candidate = *m->best;
    candidate.hints = m->trial;
    struct attempt *attempt = WEFT_NEW(&m->arena, struct attempt);
    bool good = m->is_short ? attempt_make(&m->arena, &candidate, attempt, m->error)
                            : attempt_window(&m->arena, &candidate, window, attempt, m->error);
    bool better = good && (best == 0 || attempt->cycles < best);
    m->tries++;
    *cycles = better ? attempt->cycles : 0;
    if (better) {
        note_plan(m, attempt);
        memcpy(m->hints, m->trial, (size_t)m->count * sizeof *m->trial);
    }
    weft_arena_reset(&m->arena);
    return good || m->error->code == WEFT_CAPACITY;
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

/* Changes the choice of a layer whose stripes have `rows` rows of `height`; false: it cannot be. */
static bool change(struct hint *hint, enum move move, int64_t rows, int64_t height) {
    switch (move) {
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
    default:
        return ++hint->coarser <= 2;
    }
}

static bool alike(const struct layer *a, const struct layer *b) {
    return a->kind == b->kind && same_shape(&a->in, &b->in) && same_shape(&a->out, &b->out) &&
           memcmp(a->kernel, b->kernel, sizeof a->kernel) == 0 &&
           memcmp(a->stride, b->stride, sizeof a->stride) == 0 &&
           (a->behind >= 0) == (b->behind >= 0);
}

/* Puts a move of all layers like one of them on trial. */
static bool put_on_trial(struct improvement *m, int layer, enum move move) {
    const struct layer *layers = m->best->region->layers;
    bool changed = false;
    memcpy(m->trial, m->hints, (size_t)m->count * sizeof *m->trial);
    for (int i = 0; i < m->count; i++) {
        if (alike(&layers[i], &layers[layer])) {
            changed = change(&m->trial[i], move, m->rows[i], layers[i].out.h) || changed;
        }
    }
    return changed;
}

/* Makes the same move as long as it helps. */
static bool improve_by(struct improvement *m, int layer, enum move move,
                       const struct window *window, uint64_t *cycles) {
    while (m->tries < MOST_TRIES && put_on_trial(m, layer, move)) {
        uint64_t now = 0;
        if (!try_window(m, window, *cycles, &now)) {
            return false;
        }
        if (now == 0) {
            break;
        }
        *cycles = now;
    }
    return true;
}

static bool improve_layer(struct improvement *m, int layer) {
    const struct window window = window_around(m, layer);
    uint64_t cycles = 0;
    memcpy(m->trial, m->hints, (size_t)m->count * sizeof *m->trial);
    bool good = try_window(m, &window, 0, &cycles);
    for (int move = 0; move < MOVES && good && cycles > 0; move++) {
        /* The last layer of a chain has its stripes. */
        if (m->chain_last[layer] == layer || (move != SHORTER && move != LONGER)) {
            good = improve_by(m, layer, (enum move)move, &window, &cycles);
        }
    }
    return good;
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

bool improve_layers(struct weft_arena *arena, struct candidate *best, struct weft_error *error) {
    size_t count = (size_t)best->region->layer_count;
    struct improvement m = {.best = best,
                            .count = best->region->layer_count,
                            .hints = WEFT_NEW_ARRAY(arena, count, struct hint),
                            .trial = WEFT_NEW_ARRAY(arena, count, struct hint),
                            .rows = WEFT_NEW_ARRAY(arena, count, int64_t),
                            .chain_first = WEFT_NEW_ARRAY(arena, count, int),
                            .chain_last = WEFT_NEW_ARRAY(arena, count, int),
                            .is_short = best->instructions <= SHORT_PROGRAM,
                            .error = error};
    const struct window nothing = {0, -1};
    uint64_t cycles = 0;
    bool good = try_window(&m, &nothing, 0, &cycles);
    for (int i = 0; i < m.count && good; i++) {
        good = !is_first_of_kind(best->region, i) || improve_layer(&m, i);
    }
    weft_arena_free(&m.arena);
    best->hints = m.hints;
    return good && try_candidate(best, error);
}
