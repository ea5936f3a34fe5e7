/* What comes of a batch of trials: the best is verified and taken down, and the search goes on from
 * the fastest of them. */
#include <math.h>
#include <string.h>

#include "compiler/tune/tuning.h"

enum {
    PATIENCE = 3000 /* schedules without one that is faster than now, before it begins anew */
};

static void take_best(struct tuning *tuning, struct tuned *t, const struct trial *trial,
                      void (*better)(void *context, const struct tune_better *better),
                      void *context) {
    struct field_change *changes = NULL;
    size_t count = decisions_compare(tuning->changes, &t->best, &trial->decisions, &changes);
    const struct tune_better found = {.region = (uint32_t)(t - tuning->regions),
                                      .tried = tuning->tried,
                                      .cycles = trial->outcome.cycles,
                                      .what = trial->what,
                                      .count = count,
                                      .changes = changes};
    decisions_assign(&t->best, &trial->decisions);
    t->best_cycles = trial->outcome.cycles;
    better(context, &found);
}

/* The fastest of those that are no slower than now is where the search goes on; what else is faster
 * is tried on top of that. */
static void go_on(struct tuning *tuning, struct tuned *t, size_t count) {
    const struct trial *taken = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct trial *trial = &t->trials[i];
        if (!trial->outcome.is_least && trial->outcome.cycles < trial->limit &&
            (taken == NULL || trial->outcome.cycles < taken->outcome.cycles)) {
            taken = trial;
        }
    }
    t->waiting = 0;
    for (size_t i = 0; i < count && taken != NULL; i++) {
        const struct trial *trial = &t->trials[i];
        if (trial != taken && !trial->outcome.is_least && trial->outcome.cycles < t->now_cycles &&
            trial->key != taken->key) {
            t->again_count[t->waiting] = decisions_compare(
                tuning->changes, &t->now, &trial->decisions, &t->again[t->waiting]);
            t->waiting++;
        }
    }
    t->waited = taken != NULL && taken->outcome.cycles < t->now_cycles ? 0 : t->waited + count;
    if (taken != NULL) {
        forget_parts(t, &taken->decisions);
        decisions_assign(&t->now, &taken->decisions);
        t->now_cycles = taken->outcome.cycles;
    }
}

/* From the first schedule again: other changes lead to another end, perhaps a better one. */
static void begin_anew(struct tuned *t) {
    forget_parts(t, &t->begun);
    decisions_assign(&t->now, &t->begun);
    t->now_cycles = t->begun_cycles;
    t->waiting = 0;
    t->waited = 0;
    memset(t->kinds, 0, sizeof t->kinds);
    memset(t->layers, 0, (size_t)t->region.layer_count * sizeof *t->layers);
}

/* Notes what the trials came to; the fastest of them, if it is the best of all and verified, is
 * taken down. */
static bool finish_batch(struct tuning *tuning, struct tuned *t, size_t count,
                         void (*better)(void *context, const struct tune_better *better),
                         void *context, struct weft_error *error) {
    struct trial *best = NULL;
    for (size_t i = 0; i < count; i++) {
        struct trial *trial = &t->trials[i];
        if (!trial_learn(t, trial, error)) {
            return false;
        }
        uint64_t cycles = trial->outcome.is_least ? UINT64_MAX : trial->outcome.cycles;
        if (cycles < (best == NULL ? t->best_cycles : best->outcome.cycles)) {
            best = trial;
        }
    }
    tuning->tried += count;
    if (best != NULL && trial_verify(tuning, t, best, error)) {
        take_best(tuning, t, best, better, context);
    } else if (best != NULL) {
        best->outcome.cycles = UINT64_MAX;
        if (!is_refusal(error)) {
            return false;
        }
    }
    if (tuning->options.strategy == TUNE_CLIMB) {
        go_on(tuning, t, count);
        if (t->waited >= PATIENCE) {
            begin_anew(t);
        }
    }
    return true;
}

/* Regions take turns, those of more cycles more often. */
static struct tuned *next_region(struct tuning *tuning) {
    uint64_t all = tuning_cycles(tuning);
    double at = tuning->turn * (double)all;
    uint32_t i = 0;
    while (i < tuning->count - 1 && (at -= (double)tuning->regions[i].best_cycles) >= 0) {
        i++;
    }
    tuning->turn += 0.6180339887498949; /* which spreads evenly */
    tuning->turn -= floor(tuning->turn);
    return &tuning->regions[i];
}

bool tuning_step(struct tuning *tuning, uint64_t most,
                 void (*better)(void *context, const struct tune_better *better), void *context,
                 struct weft_error *error) {
    size_t count = most < TUNE_BATCH ? (size_t)most : TUNE_BATCH;
    if (setjmp(tuning->arena.on_failure)) {
        return weft_arena_failed(&tuning->arena, error);
    }
    if (setjmp(tuning->changes->on_failure)) {
        return weft_arena_failed(tuning->changes, error);
    }
    struct tuned *t = next_region(tuning);
    struct batch batch = {tuning, t};
    for (size_t i = 0; i < count; i++) {
        trial_propose(tuning, t, i);
    }
    weft_arena_reset(tuning->changes);
    for (uint32_t i = 0; i < tuning->count; i++) {
        tuning->regions[i].waiting = 0; /* they were there */
    }
    weft_parallel(count, tuning->options.jobs, trial_count, &batch);
    return finish_batch(tuning, t, count, better, context, error);
}
