/* Layer by layer another way to cut it, as long as that takes fewer cycles.
 *
 * What a choice costs shows in the layer and those beside it, so only such a window of the program
 * is emitted and run for each attempt. Layers that are alike, as networks have many, are changed
 * together. The whole program is counted in the end. */
#include <string.h>

#include "base/integer.h"
#include "compiler/schedule/improve.h"

enum {
    SHORT_PROGRAM = 1000 /* instructions: counted as a whole */
};

/* Attempts cost time to compile: so many of each scope in the first round, and times the square of
 * the round in later ones. Those by kind are more than enough for networks of 100 layers. */
static const int most_tries[] = {[BY_KIND] = 600,        [BY_CHAIN] = 150,  [BY_LAYER] = 80,
                                 [BY_TILES] = 100,       [BY_INPUTS] = 200, [BY_PIECES] = 60,
                                 [BY_SMALL_PIECES] = 60, [BY_BESIDE] = 100, [BY_ABREAST] = 1000};

/* Hints, and what is planned for them, by layer. */
struct choice {
    struct hint *hints;
    int64_t *rows; /* of stripes */
    int *chain_first, *chain_last;
};

/* What a choice came to. */
struct result {
    bool fits;
    uint64_t key, program_key; /* what it is known as, the second if it is not 0 */
    struct outcome outcome;
    struct weft_error error;
};

struct improvement;

enum {
    AS_IT_IS = -1 /* no move */
};

/* A choice on trial: a move of a layer, and of those like it. */
struct trial {
    const struct improvement *m;
    int layer;
    int move; /* of those of the scope, or AS_IT_IS */
    struct window window;
    uint64_t limit; /* cycles that are too many; 0: none are */
    struct choice choice;
    struct result result;
};

/* What the window of a layer takes as long as no other choice is accepted. */
struct estimate {
    bool is_known;
    struct window window;
    struct result result;
};

struct improvement {
    struct candidate *best;
    int count; /* layers */
    const struct crew *crew;
    bool is_short; /* a program that is counted as a whole */
    enum scope scope;
    const enum move *moves;
    int most_tries;
    struct choice choice;       /* the best */
    bool *is_improved;          /* by layer, but not of chains: is_improved() */
    struct estimate *estimates; /* by layer */
    int layer, move;            /* what is next: before the first layer, -1 */
    int tries;
    struct search_log *log; /* of what is tried, or NULL */
    struct known *known;
    struct trial *trials; /* as many as threads */
    struct weft_error *error;
};

/* ---- trying ---- */

static void note_plan(struct choice *choice, const struct attempt *attempt) {
    for (int i = 0; i < attempt->plan.region->layer_count; i++) {
        choice->rows[i] = attempt->decisions.cuts[i].stripe_rows;
        choice->chain_first[i] = attempt->plan.chain_first[i];
        choice->chain_last[i] = attempt->plan.chain_last[i];
    }
}

/* Finds out what the program of a trial takes. */
static bool count_choice(struct weft_arena *arena, void *context, struct weft_error *error) {
    struct trial *trial = context;
    const struct improvement *m = trial->m;
    struct candidate candidate = *m->best;
    candidate.hints = trial->choice.hints;
    struct attempt *attempt = WEFT_NEW(arena, struct attempt);
    if (!attempt_try(arena, &candidate, m->is_short ? NULL : &trial->window, m->known, trial->limit,
                     attempt, &trial->result.key, error)) {
        return false;
    }
    trial->result.outcome = attempt->outcome;
    trial->result.program_key = attempt->program_key;
    note_plan(&trial->choice, attempt);
    return true;
}

static void try_choice(void *context, unsigned thread, size_t number) {
    struct trial *trial = &((struct trial *)context)[number];
    trial->result.fits =
        weft_arena_do(trial->m->crew->arenas[thread], count_choice, trial, &trial->result.error);
}

/* Takes note of what was tried; false: it ended otherwise than that it fits or does not. */
static bool take_result(struct improvement *m, const struct result *result) {
    m->tries++;
    if (result->fits) {
        known_add(m->known, result->key, &result->outcome);
        if (result->program_key != 0) {
            known_add(m->known, result->program_key, &result->outcome);
        }
    } else if (result->error.code != WEFT_CAPACITY) {
        *m->error = result->error;
        return false;
    }
    return true;
}

/* Cycles of what fits; 0: it does not. */
static uint64_t cycles_of(const struct result *result) {
    return result->fits ? result->outcome.cycles : 0;
}

/* A trial is the best now. */
static void accept(struct improvement *m, struct trial *trial) {
    struct choice choice = m->choice;
    m->choice = trial->choice;
    trial->choice = choice;
}

/* The chain of a layer and those beside it; of layers abreast all of their runs, since what a step
 * of one costs shows in all others. */
static struct window window_around(const struct improvement *m, int layer) {
    const struct region *region = m->best->region;
    int first = m->choice.chain_first[layer] - 1;
    int last = m->choice.chain_last[layer] + 1;
    while (first > 0 && layer_is_idle(region, first)) {
        first--;
    }
    while (last < m->count - 1 && layer_is_idle(region, last)) {
        last++;
    }
    first = first < 0 ? 0 : first;
    last = last < m->count ? last : m->count - 1;
    return (struct window){(int)weft_min(m->choice.chain_first[first], region->runs[first].first),
                           (int)weft_max(m->choice.chain_last[last], region->runs[last].last)};
}

/* ---- which layers ---- */

static bool alike(const struct layer *a, const struct layer *b) {
    return a->kind == b->kind && same_shape(&a->in, &b->in) && same_shape(&a->out, &b->out) &&
           memcmp(a->kernel, b->kernel, sizeof a->kernel) == 0 &&
           memcmp(a->stride, b->stride, sizeof a->stride) == 0 &&
           (a->behind >= 0) == (b->behind >= 0);
}

/* Has a move of a layer, or of those like it, any sense? */
static bool begins_kind(const struct improvement *m, int layer) {
    const struct region *region = m->best->region;
    const struct layer *of = &region->layers[layer];
    switch (m->scope) {
    case BY_PIECES:
    case BY_SMALL_PIECES:
        return may_cut_weights(region->config, of) &&
               has_large_weights(region->config, of) == (m->scope == BY_PIECES);
    case BY_INPUTS:
        return most_early_blocks(region, layer) >= 1 ||
               (operations_of(of)->has_products &&
                is_from_memory(&region->tensors[region->tensors_of[layer][0]]));
    case BY_BESIDE:
        return can_be_beside(region, layer);
    default:
        return operations_of(of)->has_window && !of->is_behind;
    }
}

/* Of layers that are alike the first, if it is more than work by element; which chains are improved
 * depends on the choice. */
static bool is_ever_improved(const struct improvement *m, int layer) {
    const struct region *region = m->best->region;
    const struct layer *layers = region->layers;
    switch (m->scope) {
    case BY_LAYER:
        return !layer_is_idle(region, layer);
    case BY_SMALL_PIECES:
    case BY_INPUTS:
        return begins_kind(m, layer);
    case BY_ABREAST:
        return is_abreast(region, layer);
    case BY_CHAIN:
        return !layer_is_idle(region, layer);
    default:
        break;
    }
    bool found = begins_kind(m, layer);
    for (int i = 0; i < layer && found; i++) {
        found = !alike(&layers[i], &layers[layer]);
    }
    return found;
}

/* The next layer from one on that is improved, of each chain those that it could end with; as many
 * as there are layers: there is none. */
static int next_improved(const struct improvement *m, int layer) {
    while (layer < m->count && (!m->is_improved[layer] ||
                                (m->scope == BY_CHAIN && m->choice.chain_last[layer] != layer &&
                                 !may_link(m->best->region, layer)))) {
        layer++;
    }
    return layer;
}

/* Is a move of a layer tried? Of a chain only the last layer has stripes. Links over what nobody
 * else needs seldom cost anything: whether they are not made is found out chain by chain. */
static bool is_tried(const struct improvement *m, int layer, enum move move) {
    const struct region *region = m->best->region;
    bool is_linked = m->choice.chain_last[layer] != layer;
    bool is_needed = leaves_chain(&region->tensors[region->tensors_of[layer][2]]);
    switch (move) {
    case MOVE_SHORTER:
    case MOVE_LONGER:
        return !is_linked;
    case MOVE_LINK:
        return m->scope != BY_KIND ? is_linked || is_needed
                                   : is_needed && !m->choice.hints[layer].other_link;
    default:
        return true;
    }
}

static bool is_by_kind(enum scope scope) {
    return scope != BY_CHAIN && scope != BY_LAYER && scope != BY_SMALL_PIECES &&
           scope != BY_INPUTS && scope != BY_ABREAST;
}

/* ---- on trial ---- */

/* The best hints, on trial for a window. */
static void put_on_trial(const struct improvement *m, int layer, int move,
                         const struct window *window, uint64_t limit, struct trial *trial) {
    trial->layer = layer;
    trial->move = move;
    trial->window = *window;
    trial->limit = limit;
    memcpy(trial->choice.hints, m->choice.hints, (size_t)m->count * sizeof *m->choice.hints);
}

/* The layers that move with one, itself among them. */
static bool moves_with(const struct improvement *m, int other, int layer) {
    const struct layer *layers = m->best->region->layers;
    return other == layer || (is_by_kind(m->scope) && alike(&layers[other], &layers[layer]));
}

/* Can one of the layers from `first` to `last` that move with one be moved? */
static bool can_move(const struct improvement *m, int layer, int first, int last, enum move move) {
    bool can = false;
    for (int i = first; i <= last && !can; i++) {
        can = moves_with(m, i, layer) &&
              can_move_layer(m->best->region, i, move, m->choice.rows[i], &m->choice.hints[i]);
    }
    return can;
}

/* The same with a move of all layers like one of them, whose window is known; false: it is of no
 * use. There may be thousands of layers, and none of them that can be moved: nothing is copied
 * then. */
static bool put_move_on_trial(const struct improvement *m, int layer, int move,
                              struct trial *trial) {
    const struct estimate *now = &m->estimates[layer];
    const int first = is_by_kind(m->scope) ? 0 : layer;
    const int last = is_by_kind(m->scope) ? m->count - 1 : layer;
    if (!is_tried(m, layer, m->moves[move]) || !can_move(m, layer, first, last, m->moves[move])) {
        return false;
    }
    put_on_trial(m, layer, move, &now->window, now->result.outcome.cycles, trial);
    for (int i = first; i <= last; i++) {
        if (moves_with(m, i, layer)) {
            (void)move_layer(m->best->region, i, m->moves[move], m->choice.rows[i],
                             trial->choice.hints);
        }
    }
    return true;
}

/* The moves of a layer from one of them on, as many as there are threads for; returns how many
 * trials there are then. */
static unsigned put_moves_on_trial(const struct improvement *m, int layer, int move,
                                   unsigned count) {
    unsigned threads = weft_team_size(m->crew->team);
    for (; m->moves[move] != MOVE_END && count < threads; move++) {
        count += put_move_on_trial(m, layer, move, &m->trials[count]);
    }
    return count;
}

/* Puts on trial what comes next if nothing before it helps, a trial for each thread, and returns
 * how many there are. Of a layer whose window is not known that is it as it is, and then what comes
 * behind is the same of others. */
static unsigned fill(const struct improvement *m) {
    unsigned threads = weft_team_size(m->crew->team);
    unsigned count = 0;
    bool all_known = true;
    int layer = m->layer < 0 ? next_improved(m, 0) : m->layer;
    for (; layer < m->count && count < threads; layer = next_improved(m, layer + 1)) {
        const struct estimate *now = &m->estimates[layer];
        if (!now->is_known) {
            const struct window window = window_around(m, layer);
            put_on_trial(m, layer, AS_IT_IS, &window, 0, &m->trials[count++]);
            all_known = false;
        } else if (all_known && now->result.fits) {
            count = put_moves_on_trial(m, layer, layer == m->layer ? m->move : 0, count);
        }
    }
    return count;
}

/* ---- one after the other ---- */

/* Begins with the layers up to one, whose windows are known. */
static bool begin_layers(struct improvement *m, int layer) {
    while (m->layer < layer) {
        m->layer = next_improved(m, m->layer + 1);
        m->move = 0;
        if (m->layer < m->count) {
            const struct result *now = &m->estimates[m->layer].result;
            if (!take_result(m, now)) {
                return false;
            }
            search_note(m->log, m->layer, "as it was", cycles_of(now), 0);
        }
    }
    return true;
}

/* A move of the layer that has been begun is the best now: others' windows are not known. */
static void accept_move(struct improvement *m, struct trial *trial) {
    for (int i = 0; i < m->count; i++) {
        m->estimates[i].is_known = i == m->layer;
    }
    m->estimates[m->layer].result = trial->result;
    m->move = trial->move;
    accept(m, trial);
}

/* Takes the trials in turn up to the first that takes fewer cycles, which is the best now: those
 * after it have not happened. */
static bool take_first_better(struct improvement *m, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        struct trial *trial = &m->trials[i];
        if (trial->move == AS_IT_IS) {
            m->estimates[trial->layer] = (struct estimate){true, trial->window, trial->result};
            continue;
        }
        if (!begin_layers(m, trial->layer)) {
            return false;
        }
        if (m->tries >= m->most_tries) {
            return true;
        }
        m->move = trial->move + 1;
        if (!take_result(m, &trial->result)) {
            return false;
        }
        uint64_t best = m->estimates[m->layer].result.outcome.cycles;
        search_note(m->log, m->layer, move_name(m->moves[trial->move]), cycles_of(&trial->result),
                    best);
        if (trial->result.fits && trial->result.outcome.cycles < best) {
            accept_move(m, trial);
            return true;
        }
    }
    return true;
}

/* Makes each move of each layer as long as it helps. While one is tried, the next ones are tried
 * beside it, in case it does not help: the result is as if they were tried one after the other. */
static bool improve_all(struct improvement *m) {
    unsigned count = 1;
    while (count > 0 && m->tries < m->most_tries) {
        count = fill(m);
        weft_team_run(m->crew->team, count, try_choice, m->trials);
        if (!take_first_better(m, count)) {
            return false;
        }
    }
    return count > 0 || begin_layers(m, m->count);
}

/* Plans the best as it is. */
static bool plan_best(struct improvement *m) {
    const struct window nothing = {0, -1};
    struct trial *trial = &m->trials[0];
    put_on_trial(m, -1, AS_IT_IS, &nothing, 0, trial);
    try_choice(m->trials, 0, 0);
    if (trial->result.fits) {
        accept(m, trial);
    }
    return take_result(m, &trial->result);
}

/* ---- all layers ---- */

static struct choice new_choice(struct weft_arena *arena, int layers) {
    size_t count = (size_t)layers;
    return (struct choice){.hints = WEFT_NEW_ARRAY(arena, count, struct hint),
                           .rows = WEFT_NEW_ARRAY(arena, count, int64_t),
                           .chain_first = WEFT_NEW_ARRAY(arena, count, int),
                           .chain_last = WEFT_NEW_ARRAY(arena, count, int)};
}

/* Is a program counted as a whole? One of several groups of images costs that many times as much,
 * and is counted where a window of one of them does not show what comes of a move. */
static bool is_short(const struct candidate *best, enum scope scope) {
    size_t instructions = scope == BY_INPUTS ? instructions_of_group(best) : best->instructions;
    return instructions <= SHORT_PROGRAM;
}

bool improve_layers(struct weft_arena *arena, struct search *search, enum scope scope,
                    struct candidate *best, struct weft_error *error) {
    const struct crew *crew = &search->crew;
    struct improvement m = {
        .best = best,
        .count = best->region->layer_count,
        .crew = crew,
        .is_short = is_short(best, scope),
        .scope = scope,
        .most_tries = most_tries[scope] * search->round * search->round,
        .moves = moves_of(scope, has_abreast(best->region)),
        .choice = new_choice(arena, best->region->layer_count),
        .is_improved = WEFT_NEW_ARRAY(arena, (size_t)best->region->layer_count, bool),
        .estimates = WEFT_NEW_ARRAY(arena, (size_t)best->region->layer_count, struct estimate),
        .layer = -1,
        .log = search->log,
        .known = &search->known,
        .trials = WEFT_NEW_ARRAY(arena, weft_team_size(crew->team), struct trial),
        .error = error};
    if (best->hints != NULL) {
        memcpy(m.choice.hints, best->hints, (size_t)m.count * sizeof *best->hints);
    }
    for (int i = 0; i < m.count; i++) {
        m.is_improved[i] = is_ever_improved(&m, i);
    }
    for (unsigned i = 0; i < weft_team_size(crew->team); i++) {
        m.trials[i] = (struct trial){.m = &m, .choice = new_choice(arena, m.count)};
    }
    *error = (struct weft_error){0};
    bool good = plan_best(&m) && improve_all(&m);
    best->hints = m.choice.hints;
    return good;
}
