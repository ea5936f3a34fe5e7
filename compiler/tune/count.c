/* What a schedule on trial takes, by the exact cycle model: of a part of the program first, of all
 * of it if that part got faster. */
#include "compiler/tune/tuning.h"

/* A trial of a region. */
struct tried {
    const struct tuned *t;
    struct trial *trial;
};

/* What the part of a trial takes now, if nobody knows. */
static bool count_now(struct weft_arena *arena, const struct tuned *t, struct trial *trial,
                      struct weft_error *error) {
    struct attempt *attempt = WEFT_NEW(arena, struct attempt);
    attempt->decisions = t->now;
    bool good = trial->window_now > 0 ||
                attempt_estimate(arena, &t->region, &trial->window, attempt, error);
    trial->window_now = trial->window_now > 0 ? trial->window_now : attempt->outcome.cycles;
    return good;
}

static bool count_trial(struct weft_arena *arena, void *context, struct weft_error *error) {
    const struct tuned *t = ((struct tried *)context)->t;
    struct trial *trial = ((struct tried *)context)->trial;
    struct attempt_limits limits = {.cycles = trial->limit};
    if (trial->layer >= 0) {
        if (!count_now(arena, t, trial, error)) {
            return false;
        }
        limits.window = &trial->window;
        limits.window_cycles = trial->window_now + trial->takes_equal;
    }
    struct attempt *attempt = WEFT_NEW(arena, struct attempt);
    attempt->decisions = trial->decisions;
    bool good = attempt_use(arena, &t->region, &limits, attempt, error);
    trial->outcome = attempt->outcome;
    return good;
}

void trial_count(void *context, unsigned thread, size_t number) {
    const struct batch *batch = context;
    struct tuned *t = batch->tuned;
    struct trial *trial = &t->trials[number];
    struct tried tried = {t, trial};
    trial->fits = trial->is_known ||
                  weft_arena_do(batch->tuning->arenas[thread], count_trial, &tried, &trial->error);
}

bool is_refusal(const struct weft_error *error) {
    return error->code == WEFT_CAPACITY || error->code == WEFT_DECISIONS;
}

/* What did not fit is known as what takes for ever. */
bool trial_learn(struct tuned *t, struct trial *trial, struct weft_error *error) {
    if (!trial->fits) {
        if (!is_refusal(&trial->error)) {
            *error = trial->error;
            return false;
        }
        trial->outcome = (struct outcome){.cycles = UINT64_MAX};
    }
    if (trial->layer >= 0 && !trial->is_known) {
        t->parts[trial->layer] = (struct part){trial->window, trial->window_now};
    }
    if (!trial->is_known) {
        known_add(&t->known, trial->key, &trial->outcome);
    }
    bool pays = trial->fits && !trial->outcome.is_least && trial->outcome.cycles < t->now_cycles;
    for (int i = 0; i < trial->moves; i++) {
        struct score *scores[2] = {&t->kinds[trial->kinds[i]], &t->layers[trial->layers[i]]};
        for (int k = 0; k < 2; k++) {
            scores[k]->tried = scores[k]->tried * 0.998 + 1;
            scores[k]->paid = scores[k]->paid * 0.998 + pays;
        }
    }
    return true;
}

/* Decisions for a region. */
struct decided {
    const struct region *region;
    const struct decisions *decisions;
};

static bool verify_decided(struct weft_arena *arena, void *context, struct weft_error *error) {
    const struct decided *decided = context;
    const struct attempt_limits limits = {.window = NULL};
    struct attempt *attempt = WEFT_NEW(arena, struct attempt);
    attempt->decisions = *decided->decisions;
    return attempt_use(arena, decided->region, &limits, attempt, error) &&
           schedule_verify(attempt, error);
}

bool trial_verify(struct tuning *tuning, const struct tuned *t, const struct trial *trial,
                  struct weft_error *error) {
    struct decided decided = {&t->region, &trial->decisions};
    return weft_arena_do(tuning->arenas[0], verify_decided, &decided, error);
}
