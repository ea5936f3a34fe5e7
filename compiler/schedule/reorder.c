/* The order of the layers of a region: what is made early lies on chip for long, and what VECTOR
 * does is hidden where MATRIX does not wait for it.
 *
 * First whole orders are tried; then runs of layers, one after the other, are moved before or
 * behind some others. What a move costs shows in a window of the program around it, as in
 * improve.c; the whole program is counted in the end. */
#include "compiler/schedule/reorder.h"

#include <string.h>

#include "base/integer.h"

enum {
    SHORT_PROGRAM = 1000, /* instructions: counted as a whole */
    /* Attempts cost time to compile, most of which is in proportion to the layers: so many in the
     * first round, with so many layers in all of them, and times the square of the round in later
     * ones. */
    MOST_TRIES = 1500,
    MOST_LAYERS = 1000000,
    BESIDE = 2 /* chains of a window on either side of what moves */
};

/* By how many layers of work a run is moved. */
static const int distances[] = {-1, 1, -3, 3, -12, 12};
enum {
    MOVES = sizeof distances / sizeof distances[0],
    NOW = MOVES /* the order as it is */
};

struct reordering;

/* An order on trial. */
struct trial {
    const struct reordering *m;
    int *order;
    bool is_possible, fits;
    struct outcome outcome;
    int *chain_first, *chain_last; /* by layer of the region */
    struct weft_error error;
};

struct reordering {
    const struct region *listed;
    const int *readers; /* order_readers() */
    const struct candidate *best;
    const struct crew *crew;
    bool is_short;        /* a program that is counted as a whole */
    struct window window; /* of the region, that is estimated */
    int *first_of;        /* by place in an order: the first layer of the region that is there */
    int *scratch;
    struct trial trials[NOW + 1]; /* the best order, and where a run is moved in it */
    int tries, most_tries;
    struct weft_error *error;
};

/* ---- candidates ---- */

/* Hints by layer of a region for the same layers in another order. */
static const struct hint *hints_of(struct weft_arena *arena, const struct region *region,
                                   const struct candidate *like) {
    const struct region *other = like->region;
    if (like->hints == NULL) {
        return NULL;
    }
    struct hint *hints = WEFT_NEW_ARRAY(arena, (size_t)region->layer_count, struct hint);
    int *next = WEFT_NEW_ARRAY(arena, (size_t)region->listed_count, int);
    for (int i = other->layer_count - 1; i >= 0; i--) {
        next[other->origin[i]] = i;
    }
    for (int i = 0; i < region->layer_count; i++) {
        hints[i] = like->hints[next[region->origin[i]]++];
    }
    return hints;
}

/* A candidate with its layers in another order; region and hints are in the arena. */
static struct candidate in_order(struct weft_arena *arena, const struct region *listed,
                                 const struct candidate *like, const int *order) {
    struct candidate candidate = *like;
    struct region_form form = candidate_form(like);
    form.order = order;
    struct region *region = WEFT_NEW(arena, struct region);
    region_create(arena, listed, &form, region);
    candidate.region = region;
    candidate.hints = hints_of(arena, region, like);
    return candidate;
}

static int *copy_order(struct weft_arena *arena, const struct region *listed, const int *order) {
    int *copy = WEFT_NEW_ARRAY(arena, (size_t)listed->layer_count, int);
    for (int i = 0; i < listed->layer_count; i++) {
        copy[i] = order == NULL ? i : order[i];
    }
    return copy;
}

static bool same_order(const struct region *listed, const int *a, const int *b) {
    return memcmp(a, b, (size_t)listed->layer_count * sizeof *a) == 0;
}

/* ---- trying ---- */

/* Estimates the window with the order of a trial. */
static bool estimate_order(struct weft_arena *arena, void *context, struct weft_error *error) {
    struct trial *trial = context;
    const struct reordering *m = trial->m;
    const struct known nothing = {.count = 0};
    uint64_t key = 0;
    const struct candidate candidate = in_order(arena, m->listed, m->best, trial->order);
    struct attempt *attempt = WEFT_NEW(arena, struct attempt);
    if (!attempt_try(arena, &candidate, m->is_short ? NULL : &m->window, &nothing, 0, attempt, &key,
                     error)) {
        return false;
    }
    size_t bytes = (size_t)candidate.region->layer_count * sizeof *trial->chain_first;
    trial->outcome = attempt->outcome;
    memcpy(trial->chain_first, attempt->plan.chain_first, bytes);
    memcpy(trial->chain_last, attempt->plan.chain_last, bytes);
    return true;
}

static void try_order(void *context, unsigned thread, size_t number) {
    struct trial *trial = &((struct trial *)context)[number];
    trial->fits = trial->is_possible && weft_arena_do(trial->m->crew->arenas[thread],
                                                      estimate_order, trial, &trial->error);
}

/* The window around the places [first, last] of the order. */
static struct window window_around(const struct reordering *m, int first, int last) {
    const struct region *region = m->best->region;
    int end = region->layer_count - 1;
    struct window window = {m->first_of[first], m->first_of[last + 1] - 1};
    for (int i = 0; i < BESIDE; i++) {
        window.first = (int)weft_max(m->trials[NOW].chain_first[window.first] - 1, 0);
        window.last = (int)weft_min(m->trials[NOW].chain_last[window.last] + 1, end);
        while (window.first > 0 && layer_is_idle(region, window.first)) {
            window.first--;
        }
        while (window.last < end && layer_is_idle(region, window.last)) {
            window.last++;
        }
    }
    return (struct window){m->trials[NOW].chain_first[window.first],
                           m->trials[NOW].chain_last[window.last]};
}

/* ---- moves ---- */

/* Is a move as far as its neighbours allow the same as one before it? */
static bool is_repeated_move(const struct reordering *m, int move) {
    bool found = false;
    for (int i = 0; i < move; i++) {
        found = found || (m->trials[i].is_possible &&
                          same_order(m->listed, m->trials[i].order, m->trials[move].order));
    }
    return found;
}

/* Puts the moves of a run on trial; returns how many there are. */
static int put_on_trial(struct reordering *m, int first, int end) {
    int count = 0;
    int low = first;
    int high = end - 1;
    for (int i = 0; i < MOVES; i++) {
        struct trial *trial = &m->trials[i];
        int changed[2] = {first, first};
        trial->is_possible = order_move(m->listed, m->trials[NOW].order, first, end, distances[i],
                                        trial->order, m->scratch, changed) &&
                             !is_repeated_move(m, i);
        if (trial->is_possible) {
            low = (int)weft_min(low, changed[0]);
            high = (int)weft_max(high, changed[1]);
            count++;
        }
    }
    m->window = window_around(m, low, high);
    return count;
}

/* Does a trial that was possible fit, or not? False: it ended otherwise. */
static bool has_ended(const struct reordering *m, const struct trial *trial) {
    bool good = !trial->is_possible || trial->fits || trial->error.code == WEFT_CAPACITY;
    if (!good) {
        *m->error = trial->error;
    }
    return good;
}

/* The move of those on trial with which the window takes fewest cycles is the best order now. */
static bool take_best(struct reordering *m) {
    struct trial *best = &m->trials[NOW];
    for (int i = 0; i < MOVES; i++) {
        struct trial *trial = &m->trials[i];
        if (!has_ended(m, trial)) {
            return false;
        }
        best = trial->fits && trial->outcome.cycles < best->outcome.cycles ? trial : best;
    }
    const struct trial taken = *best;
    *best = m->trials[NOW];
    m->trials[NOW] = taken;
    return true;
}

/* Moves the run order[first] to order[end - 1] to where that is fastest. */
static bool move_run(struct reordering *m, int first, int end) {
    int count = put_on_trial(m, first, end);
    if (count == 0) {
        return true;
    }
    weft_team_run(m->crew->team, MOVES + 1, try_order, m->trials);
    m->tries += count + 1;
    return has_ended(m, &m->trials[NOW]) && (!m->trials[NOW].fits || take_best(m));
}

/* The runs, by the layers that they begin with, each where it is by then. */
static bool move_runs(struct reordering *m) {
    int count = m->listed->layer_count;
    for (int layer = 0; layer < count && m->tries < m->most_tries; layer++) {
        int first = 0;
        while (m->trials[NOW].order[first] != layer) {
            first++;
        }
        int end = order_run(m->listed, m->readers, m->trials[NOW].order, first);
        if (end > first && !move_run(m, first, end)) {
            return false;
        }
    }
    return true;
}

static struct trial new_trial(struct weft_arena *arena, const struct reordering *m,
                              const int *order) {
    size_t layers = (size_t)m->best->region->layer_count;
    return (struct trial){.m = m,
                          .order = copy_order(arena, m->listed, order),
                          .chain_first = WEFT_NEW_ARRAY(arena, layers, int),
                          .chain_last = WEFT_NEW_ARRAY(arena, layers, int)};
}

/* By place in the order of a region: its first layer there; behind the last one how many it has. */
static int *find_places(struct weft_arena *arena, const struct region *region) {
    int *first_of = WEFT_NEW_ARRAY(arena, (size_t)region->listed_count + 1, int);
    int place = 0;
    for (int i = 0; i < region->layer_count; i++) {
        if (i > 0 && region->origin[i] != region->origin[i - 1]) {
            first_of[++place] = i;
        }
    }
    first_of[place + 1] = region->layer_count;
    return first_of;
}

static int most_tries(const struct region *region, int round) {
    return (int)weft_min(MOST_TRIES, MOST_LAYERS / region->layer_count) * round * round;
}

static bool try_moves(struct weft_arena *arena, struct search *search, struct candidate *best,
                      struct weft_error *error) {
    const struct region *listed = search->listed;
    const struct window nothing = {0, -1};
    struct reordering m = {.listed = listed,
                           .readers = order_readers(listed),
                           .best = best,
                           .crew = &search->crew,
                           .is_short = best->instructions <= SHORT_PROGRAM,
                           .window = nothing,
                           .first_of = find_places(arena, best->region),
                           .scratch = WEFT_NEW_ARRAY(arena, (size_t)listed->layer_count, int),
                           .most_tries = most_tries(best->region, search->round),
                           .error = error};
    for (int i = 0; i < MOVES; i++) {
        m.trials[i] = new_trial(arena, &m, NULL);
    }
    m.trials[NOW] = new_trial(arena, &m, best->region->order);
    m.trials[NOW].is_possible = true;
    try_order(&m.trials[NOW], 0, 0);
    if (!has_ended(&m, &m.trials[NOW])) {
        return false;
    }
    if (!m.trials[NOW].fits) {
        return true;
    }
    if (!move_runs(&m)) {
        return false;
    }
    size_t first = search->count;
    const struct candidate moved = in_order(arena, listed, best, m.trials[NOW].order);
    add_candidate(arena, search, &moved);
    return take_faster(arena, search, first, best, error);
}

/* ---- all ---- */

static bool try_rules(struct weft_arena *arena, struct search *search, struct candidate *best,
                      struct weft_error *error) {
    const struct region *listed = search->listed;
    const int *now = copy_order(arena, listed, best->region->order);
    size_t first = search->count;
    for (int rule = 0; rule < ORDER_RULES; rule++) {
        int *order = copy_order(arena, listed, NULL);
        order_by_rule(listed, (enum order_rule)rule, order);
        if (!same_order(listed, order, now)) {
            const struct candidate other = in_order(arena, listed, best, order);
            add_candidate(arena, search, &other);
        }
    }
    return take_faster(arena, search, first, best, error);
}

/* What was noted of layers is of the same ones where these are now. */
static void renumber_notes(struct weft_arena *arena, struct search_log *log, size_t first,
                           const struct region *before, const struct region *now) {
    int *at = WEFT_NEW_ARRAY(arena, (size_t)now->listed_count, int);
    int *to = WEFT_NEW_ARRAY(arena, (size_t)before->layer_count, int);
    for (int i = now->layer_count - 1; i >= 0; i--) {
        at[now->origin[i]] = i;
    }
    for (int i = 0; i < before->layer_count; i++) {
        to[i] = at[before->origin[i]]++;
    }
    search_renumber_layers(log, first, to);
}

bool reorder_layers(struct weft_arena *arena, struct search *search, size_t noted,
                    struct candidate *best, struct weft_error *error) {
    const struct region *before = best->region;
    if (!order_has_choice(search->listed)) {
        return true;
    }
    if (!try_rules(arena, search, best, error) || !try_moves(arena, search, best, error)) {
        return false;
    }
    if (best->region != before) {
        renumber_notes(arena, search->log, noted, before, best->region);
    }
    return true;
}
