/* Layer by layer another way to cut it, as long as that takes fewer cycles.
 *
 * What a choice costs shows in the layer and those beside it, so only such a window of the program
 * is emitted and run for each attempt. Layers that are alike, as networks have many, are changed
 * together. The whole program is counted in the end. */
#include <string.h>

#include "base/integer.h"
#include "compiler/schedule/improve.h"

enum {
    SHORT_PROGRAM = 1000, /* instructions: counted as a whole */
    MOST_PIECES = 4,      /* of weights, more than there have to be */
    LEAST_MORE = -2,      /* tiles of a stripe than there would be */
    MOST_MORE = 3,
    EACH = 1 << 16, /* channel blocks: more than there are */
    A_LITTLE = 64   /* cycles */
};

/* Attempts cost time to compile: so many of each scope in the first round, and times the square of
 * the round in later ones. Those by kind are more than enough for networks of 100 layers. */
static const int most_tries[] = {[BY_KIND] = 600,        [BY_CHAIN] = 150,  [BY_LAYER] = 80,
                                 [BY_TILES] = 100,       [BY_INPUTS] = 200, [BY_PIECES] = 60,
                                 [BY_SMALL_PIECES] = 60, [BY_BESIDE] = 100, [BY_ABREAST] = 1000};

enum move {
    STREAM,  /* the operand comes in stripes */
    SHORTER, /* stripes */
    LONGER,
    SMALLER, /* tiles */
    FINER,   /* MATRIX instructions */
    COARSER,
    OUTER,  /* weights in the outer loop, or not */
    TURN,   /* rows and columns exchanged, or not */
    APART,  /* products by themselves until what is behind them has read them, or not */
    AHEAD,  /* the beginning of a chain beside the stripe before, or not */
    LINK,   /* carried out together with the next layer, or not */
    BESIDE, /* between the tiles of another layer, or not */
    BESIDE_OTHER,
    MORE, /* tiles of a stripe, by one */
    FEWER,
    MORE_PIECES, /* of weights, by one */
    NONE_LATE,   /* of the channel blocks of the operand, in the first tile of a stripe, or */
    ONE_LATE,    /* the last one, */
    TWO_LATE,
    EACH_LATE,         /* but the first */
    ONE_LATE_OF_WHOLE, /* or that and the tiles of the layer that makes it as large as can be */
    TWO_LATE_OF_WHOLE,
    EACH_LATE_OF_WHOLE,
    THIRD,  /* buffer for stripes of the operand */
    SOONER, /* the steps of a layer abreast, a little */
    LATER,
    MUCH_SOONER, /* four times as much */
    MUCH_LATER,
    END
};
static const char *const move_names[END] = {
    [STREAM] = "operand in stripes",
    [SHORTER] = "shorter stripes",
    [LONGER] = "longer stripes",
    [SMALLER] = "smaller tiles",
    [FINER] = "shorter MATRIX",
    [COARSER] = "longer MATRIX",
    [OUTER] = "other order of weights",
    [TURN] = "rows and columns exchanged",
    [APART] = "products apart or not",
    [AHEAD] = "ahead or not",
    [LINK] = "linked with the next layer or not",
    [BESIDE] = "between the tiles of another layer or not",
    [BESIDE_OTHER] = "between those of a third one or not",
    [MORE] = "one more tile",
    [FEWER] = "one tile less",
    [MORE_PIECES] = "one more piece of weights",
    [NONE_LATE] = "all blocks of the operand at once",
    [ONE_LATE] = "the last block of the operand by itself",
    [TWO_LATE] = "the last two blocks of the operand by themselves",
    [EACH_LATE] = "the blocks of the operand one by one",
    [ONE_LATE_OF_WHOLE] = "the last block of the operand by itself, made in larger tiles",
    [TWO_LATE_OF_WHOLE] = "the last two blocks of the operand by themselves, made in larger tiles",
    [EACH_LATE_OF_WHOLE] = "the blocks of the operand one by one, made in larger tiles",
    [THIRD] = "a third buffer for stripes of the operand",
    [SOONER] = "sooner",
    [LATER] = "later",
    [MUCH_SOONER] = "much sooner",
    [MUCH_LATER] = "much later",
};

static const enum move all_moves[] = {STREAM, SHORTER, LONGER, SMALLER, FINER,  COARSER,      OUTER,
                                      TURN,   APART,   AHEAD,  LINK,    BESIDE, BESIDE_OTHER, END};
/* What is best for a chain depends on what lies on chip beside it, more than on its layers. */
static const enum move chain_moves[] = {LINK, STREAM, SHORTER, LONGER, END};
static const enum move tile_moves[] = {MORE, FEWER, COARSER, THIRD, END};
/* Where layers are abreast, how long MATRIX is comes with their steps. */
static const enum move tile_moves_abreast[] = {MORE, FEWER, END};
static const enum move input_moves[] = {
    ONE_LATE,  TWO_LATE, EACH_LATE, ONE_LATE_OF_WHOLE, TWO_LATE_OF_WHOLE, EACH_LATE_OF_WHOLE,
    NONE_LATE, THIRD,    END};
static const enum move piece_moves[] = {MORE_PIECES, END};
static const enum move beside_moves[] = {BESIDE, BESIDE_OTHER, END};
static const enum move abreast_moves[] = {FINER, COARSER,     APART,      SOONER,
                                          LATER, MUCH_SOONER, MUCH_LATER, END};
static const enum move *const moves_of[] = {
    [BY_KIND] = all_moves,           [BY_CHAIN] = chain_moves,   [BY_LAYER] = all_moves,
    [BY_TILES] = tile_moves,         [BY_INPUTS] = input_moves,  [BY_PIECES] = piece_moves,
    [BY_SMALL_PIECES] = piece_moves, [BY_BESIDE] = beside_moves, [BY_ABREAST] = abreast_moves};

/* Hints, and what is planned for them, by layer. */
struct choice {
    struct hint *hints;
    int64_t *rows; /* of stripes */
    int *chain_first, *chain_last;
};

/* A choice on trial. */
struct trial {
    const struct candidate *best;
    const struct known *known;
    const struct crew *crew;
    const struct window *window; /* NULL: all is counted */
    uint64_t limit;              /* cycles that are too many; 0: none are */
    bool is_possible;
    struct choice choice;
    bool fits;
    uint64_t key;
    struct outcome outcome;
    struct weft_error error;
};

struct improvement {
    struct candidate *best;
    int count; /* layers */
    const struct crew *crew;
    bool is_short; /* a program that is counted as a whole */
    enum scope scope;
    const enum move *moves;
    int move_count;
    int most_tries;
    struct choice choice; /* the best */
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
    struct candidate candidate = *trial->best;
    candidate.hints = trial->choice.hints;
    struct attempt *attempt = WEFT_NEW(arena, struct attempt);
    if (!attempt_try(arena, &candidate, trial->window, trial->known, trial->limit, attempt,
                     &trial->key, error)) {
        return false;
    }
    trial->outcome = attempt->outcome;
    note_plan(&trial->choice, attempt);
    return true;
}

static void try_choice(void *context, unsigned thread, size_t number) {
    struct trial *trial = &((struct trial *)context)[number];
    trial->fits = trial->is_possible &&
                  weft_arena_do(trial->crew->arenas[thread], count_choice, trial, &trial->error);
}

/* Notes what a trial came to; false: it ended otherwise than that it fits or does not. */
static bool take_trial(struct improvement *m, const struct trial *trial) {
    if (!trial->is_possible) {
        return true;
    }
    m->tries++;
    if (trial->fits) {
        known_add(m->known, trial->key, &trial->outcome);
    } else if (trial->error.code != WEFT_CAPACITY) {
        *m->error = trial->error;
        return false;
    }
    return true;
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

/* ---- moves ---- */

/* Could a layer be linked with the next that is any work? */
static bool may_link(const struct region *region, int index) {
    int next = next_busy_layer(region, index);
    return next >= 0 && operations_of(&region->layers[index])->in_chains &&
           operations_of(&region->layers[next])->in_chains &&
           slot_between(region, index, next) >= 0;
}

/* Can the weights of a layer be in more pieces? */
static bool may_cut_weights(const struct weft_config *config, const struct layer *layer) {
    return operations_of(layer)->cuts_weights && layer->in.c > config->block;
}

/* Does a bank of WGT hold the weights of one block of the result alone, or not even these? Smaller
 * pieces may leave less of it empty. */
static bool has_large_weights(const struct weft_config *config, const struct layer *layer) {
    int64_t block = config->block;
    int64_t bytes =
        blocks_of(config, layer->in.c) * layer->kernel[0] * layer->kernel[1] * block * block;
    return 2 * bytes > weft_bank_bytes(config, WEFT_MEMORY_WGT);
}

static bool change_late(struct hint *hint, int64_t late) {
    bool is_other = hint->late != late;
    hint->late = late;
    hint->more_pieces = 0; /* those of a tile that begins early are in one */
    return is_other;
}

static bool change_put_off(const struct region *region, int index, int64_t by, struct hint *hint) {
    int64_t most = most_put_off(region, index);
    hint->put_off += by;
    return hint->put_off >= -most && hint->put_off <= most;
}

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
        hint->stripe_rows = (rows + 1) / 2; /* of the last of a chain alone */
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
    case MORE:
        return ++hint->more_tiles <= MOST_MORE && height > 1 && operations_of(layer)->has_products;
    case FEWER:
        return --hint->more_tiles >= LEAST_MORE && height > 1 && operations_of(layer)->has_products;
    case MORE_PIECES:
        return ++hint->more_pieces <= MOST_PIECES && may_cut_weights(region->config, layer);
    case NONE_LATE:
        return change_late(hint, 0);
    case ONE_LATE:
    case ONE_LATE_OF_WHOLE:
        return most_early_blocks(region, index) >= 1 && change_late(hint, 1);
    case TWO_LATE:
    case TWO_LATE_OF_WHOLE:
        return most_early_blocks(region, index) >= 2 && change_late(hint, 2);
    case EACH_LATE:
    case EACH_LATE_OF_WHOLE:
        return most_early_blocks(region, index) >= 3 && change_late(hint, EACH);
    case FINER:
        return --hint->coarser >= -2;
    case COARSER:
        return ++hint->coarser <= 2;
    case THIRD:
        hint->third_buffer = !hint->third_buffer;
        return hint->third_buffer && is_from_memory(&region->tensors[region->tensors_of[index][0]]);
    case SOONER:
        return change_put_off(region, index, -A_LITTLE, hint);
    case LATER:
        return change_put_off(region, index, A_LITTLE, hint);
    case MUCH_SOONER:
        return change_put_off(region, index, -4 * A_LITTLE, hint);
    case MUCH_LATER:
        return change_put_off(region, index, 4 * A_LITTLE, hint);
    case OUTER:
        hint->other_order = !hint->other_order;
        return hint->other_order && operations_of(layer)->has_products;
    case TURN:
        hint->other_turn = !hint->other_turn;
        return hint->other_turn && layer->can_turn;
    case AHEAD:
        hint->other_ahead = !hint->other_ahead;
        return hint->other_ahead && operations_of(layer)->by_vector;
    case BESIDE:
    case BESIDE_OTHER:
        hint->beside = (hint->beside + (move == BESIDE ? 1 : 2)) % BESIDE_WAYS;
        return can_be_beside(region, index);
    case LINK:
        hint->other_link = !hint->other_link;
        return may_link(region, index);
    default:
        hint->other_apart = !hint->other_apart;
        return hint->other_apart && can_be_apart(region, index) && are_rams_shared(region->config);
    }
}

static bool alike(const struct layer *a, const struct layer *b) {
    return a->kind == b->kind && same_shape(&a->in, &b->in) && same_shape(&a->out, &b->out) &&
           memcmp(a->kernel, b->kernel, sizeof a->kernel) == 0 &&
           memcmp(a->stride, b->stride, sizeof a->stride) == 0 &&
           (a->behind >= 0) == (b->behind >= 0);
}

/* Is a move of a layer tried? Of a chain only the last layer has stripes. Links over what nobody
 * else needs seldom cost anything: whether they are not made is found out chain by chain. */
static bool is_tried(const struct improvement *m, int layer, enum move move) {
    const struct region *region = m->best->region;
    bool is_linked = m->choice.chain_last[layer] != layer;
    bool is_needed = leaves_chain(&region->tensors[region->tensors_of[layer][2]]);
    switch (move) {
    case SHORTER:
    case LONGER:
        return !is_linked;
    case LINK:
        return m->scope != BY_KIND ? is_linked || is_needed
                                   : is_needed && !m->choice.hints[layer].other_link;
    default:
        return move != END;
    }
}

static bool is_by_kind(enum scope scope) {
    return scope != BY_CHAIN && scope != BY_LAYER && scope != BY_SMALL_PIECES &&
           scope != BY_INPUTS && scope != BY_ABREAST;
}

static bool is_of_whole(enum move move) {
    return move == ONE_LATE_OF_WHOLE || move == TWO_LATE_OF_WHOLE || move == EACH_LATE_OF_WHOLE;
}

/* The tiles of the layer that makes the operand of another one are as large as can be. */
static void make_whole(const struct region *region, int index, struct hint *hints) {
    int producer = region->tensors[region->tensors_of[index][0]].producer;
    if (producer >= 0) {
        hints[producer].tile_part = 0;
        hints[producer].more_tiles = LEAST_MORE;
    }
}

/* The best hints with a move of all layers like one of them. */
static void put_on_trial(const struct improvement *m, int layer, enum move move,
                         const struct window *window, uint64_t limit, struct trial *trial) {
    const struct region *region = m->best->region;
    struct hint *hints = trial->choice.hints;
    trial->window = m->is_short ? NULL : window;
    trial->limit = limit;
    trial->is_possible = false;
    memcpy(hints, m->choice.hints, (size_t)m->count * sizeof *hints);
    for (int i = 0; i < m->count && is_tried(m, layer, move); i++) {
        if (is_by_kind(m->scope) ? alike(&region->layers[i], &region->layers[layer]) : i == layer) {
            bool good = change(region, i, &hints[i], move, m->choice.rows[i]);
            trial->is_possible = good || trial->is_possible;
            if (good && is_of_whole(move)) {
                make_whole(region, i, hints);
            }
        }
    }
}

/* ---- one layer ---- */

/* Estimates the window as it is; *cycles: 0 when it does not fit. */
static bool count_window(struct improvement *m, const struct window *window, uint64_t *cycles) {
    struct trial *trial = &m->trials[0];
    memcpy(trial->choice.hints, m->choice.hints, (size_t)m->count * sizeof *m->choice.hints);
    trial->window = m->is_short ? NULL : window;
    trial->limit = 0;
    trial->is_possible = true;
    try_choice(m->trials, 0, 0);
    *cycles = trial->fits ? trial->outcome.cycles : 0;
    bool good = take_trial(m, trial);
    if (trial->fits) {
        accept(m, trial);
    }
    return good;
}

/* The first of the trials of moves from `move` on that takes fewer cycles is the best now; *better:
 * which, or as many as there are. Those after it have not happened. */
static bool take_first_better(struct improvement *m, int layer, int move, uint64_t *cycles,
                              unsigned *better) {
    unsigned threads = weft_team_size(m->crew->team);
    *better = threads;
    for (unsigned i = 0; i < threads && *better == threads && m->tries < m->most_tries; i++) {
        struct trial *trial = &m->trials[i];
        if (!take_trial(m, trial)) {
            return false;
        }
        if (trial->is_possible) {
            search_note(m->log, layer, move_names[m->moves[move + (int)i]],
                        trial->fits ? trial->outcome.cycles : 0, *cycles);
        }
        if (trial->fits && trial->outcome.cycles < *cycles) {
            *better = i;
            *cycles = trial->outcome.cycles;
            accept(m, trial);
        }
    }
    return true;
}

/* Makes each move as long as it helps. While one is tried, the next ones are tried beside it, in
 * case it does not help: the result is as if they were tried one after the other. */
static bool improve_layer(struct improvement *m, int layer) {
    const struct window window = window_around(m, layer);
    uint64_t cycles = 0;
    if (!count_window(m, &window, &cycles)) {
        return false;
    }
    search_note(m->log, layer, "as it was", cycles, 0);
    unsigned threads = weft_team_size(m->crew->team);
    unsigned better = 0;
    for (int move = 0; move < m->move_count && cycles > 0 && m->tries < m->most_tries;
         move += (int)better) {
        for (int i = 0; i < (int)threads; i++) {
            put_on_trial(m, layer, m->moves[weft_min(move + i, m->move_count)], &window, cycles,
                         &m->trials[i]);
        }
        weft_team_run(m->crew->team, threads, try_choice, m->trials);
        if (!take_first_better(m, layer, move, &cycles, &better)) {
            return false;
        }
    }
    return true;
}

/* ---- all layers ---- */

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

/* Of each chain, the layers that it could end with; of others the first of those that are alike, if
 * it is more than work by element. */
static bool is_improved(const struct improvement *m, int layer) {
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
        return !layer_is_idle(region, layer) &&
               (m->choice.chain_last[layer] == layer || may_link(region, layer));
    default:
        break;
    }
    bool found = begins_kind(m, layer);
    for (int i = 0; i < layer && found; i++) {
        found = !alike(&layers[i], &layers[layer]);
    }
    return found;
}

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
        .moves =
            scope == BY_TILES && has_abreast(best->region) ? tile_moves_abreast : moves_of[scope],
        .choice = new_choice(arena, best->region->layer_count),
        .log = search->log,
        .known = &search->known,
        .trials = WEFT_NEW_ARRAY(arena, weft_team_size(crew->team), struct trial),
        .error = error};
    while (m.moves[m.move_count] != END) {
        m.move_count++;
    }
    if (best->hints != NULL) {
        memcpy(m.choice.hints, best->hints, (size_t)m.count * sizeof *best->hints);
    }
    for (unsigned i = 0; i < weft_team_size(crew->team); i++) {
        m.trials[i] = (struct trial){.best = best,
                                     .known = &search->known,
                                     .crew = crew,
                                     .choice = new_choice(arena, m.count)};
    }
    const struct window nothing = {0, -1};
    uint64_t cycles = 0;
    *error = (struct weft_error){0};
    bool good = count_window(&m, &nothing, &cycles);
    for (int i = 0; i < m.count && good; i++) {
        good = !is_improved(&m, i) || improve_layer(&m, i);
    }
    best->hints = m.choice.hints;
    return good;
}
