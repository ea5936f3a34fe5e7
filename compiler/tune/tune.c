#include "compiler/tune/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "compiler/schedule/schedule.h"
#include "compiler/tune/moves.h"

enum {
    BATCH = 16,           /* schedules that are tried beside each other, whatever the threads */
    MOST_MOVES = 4,       /* in one step of climbing */
    MOST_RANDOM = 16,     /* moves from the first schedule, of the random strategy */
    MOST_FAILURES = 32,   /* moves that cannot be, before a step is given up */
    SHORT_PROGRAM = 1000, /* instructions: it is counted as a whole */
    PATIENCE = 3000,      /* schedules without one that is faster than now, before it begins anew */
    EQUAL_ONE_IN = 8      /* of programs a part of which takes what it took, so many are counted */
};

const char *const tune_strategy_names[TUNE_STRATEGIES + 1] = {"climb", "random", NULL};

/* How often something was changed, and how often that paid. */
struct score {
    double tried, paid;
};

/* A schedule on trial. */
struct trial {
    struct decisions decisions;
    const char *what; /* was changed last */
    enum move_kind kinds[MOST_RANDOM];
    int layers[MOST_RANDOM];
    int moves;
    uint64_t limit;   /* of cycles: as many are too many */
    bool takes_equal; /* is it counted although a part of it takes what it takes now? */
    int layer;        /* that the moves begin with; -1: no part of the program shows what they do */
    struct window window;
    uint64_t window_now; /* what that part takes now; 0: nobody knows yet */
    bool is_known, fits;
    uint64_t key;
    struct outcome outcome;
    struct weft_error error;
};

/* A region that is tuned. */
struct tuned {
    struct region region;
    struct move_field field;
    const struct saved_schedule *saved; /* what the compiler chose */
    struct decisions begun, now, best;
    uint64_t begun_cycles, now_cycles, best_cycles;
    uint64_t waited; /* schedules since one was faster than all since it began anew */
    bool is_short;   /* a program that is always counted as a whole */
    /* By layer of the region: what a part of the program around it takes now. */
    struct part {
        struct window window;
        uint64_t cycles; /* 0: nobody knows */
    } * parts;
    struct known known;
    struct score kinds[MOVE_KINDS];
    struct score *layers; /* by layer of the region */
    struct trial trials[BATCH];
    size_t waiting; /* trials that paid but were not taken: their moves are made again */
    struct field_change *again[BATCH];
    size_t again_count[BATCH];
};

struct tuning {
    struct weft_arena arena;
    struct weft_arena *arenas[WEFT_MOST_THREADS]; /* one for each thread, empty between trials */
    struct weft_arena *changes;                   /* empty between batches */
    struct weft_module *module;
    struct tune_options options;
    struct draw draw;
    uint32_t count;
    struct tuned *regions;
    uint64_t tried;
    double turn; /* which region is next */
};

/* ---- beginning ---- */

static bool open_region(struct tuning *tuning, const struct weft_node *node,
                        const struct weft_segment *segment, struct weft_error *error) {
    struct weft_arena *arena = &tuning->arena;
    struct tuned *t = &tuning->regions[tuning->count];
    if (!schedule_read(arena, &tuning->module->config, node->body, segment->schedule, &t->region,
                       &t->begun, error)) {
        return false;
    }
    t->saved = segment->schedule;
    t->is_short = segment->program.count <= SHORT_PROGRAM;
    t->now = decisions_copy(arena, &t->begun);
    t->best = decisions_copy(arena, &t->begun);
    t->begun_cycles = t->now_cycles = t->best_cycles = segment->cycles;
    t->known.arena = arena;
    move_field_list(arena, &t->region, &t->field);
    t->layers = WEFT_NEW_ARRAY(arena, (size_t)t->region.layer_count, struct score);
    t->parts = WEFT_NEW_ARRAY(arena, (size_t)t->region.layer_count, struct part);
    for (int i = 0; i < BATCH; i++) {
        t->trials[i].decisions = decisions_copy(arena, &t->begun);
    }
    tuning->count++;
    return true;
}

static bool open_regions(struct tuning *tuning, struct weft_error *error) {
    const struct weft_module *module = tuning->module;
    uint32_t segment = 0;
    tuning->regions = WEFT_NEW_ARRAY(&tuning->arena, module->segment_count, struct tuned);
    for (size_t i = 0; i < module->graph->node_count; i++) {
        const struct weft_node *node = module->graph->nodes[i];
        if (weft_is_machine_region(node)) {
            if (!open_region(tuning, node, &module->segments[segment++], error)) {
                return false;
            }
        }
    }
    return segment > 0 ||
           weft_fail(error, WEFT_ARGUMENT, 0,
                     "the machine carries out nothing of the model: there is no schedule to tune");
}

bool tuning_open(struct weft_module *module, const struct tune_options *options,
                 struct tuning **tuning, struct weft_error *error) {
    struct tuning *made = weft_allocate(1, sizeof *made, "tuning", error);
    if (made == NULL) {
        return false;
    }
    if (setjmp(made->arena.on_failure)) {
        (void)weft_arena_failed(&made->arena, error);
        tuning_close(made);
        return false;
    }
    made->module = module;
    made->options = *options;
    made->draw.state = options->seed;
    for (unsigned i = 0; i < options->jobs; i++) {
        made->arenas[i] = weft_arena_child(&made->arena);
    }
    made->changes = weft_arena_child(&made->arena);
    if (!open_regions(made, error)) {
        tuning_close(made);
        return false;
    }
    *tuning = made;
    return true;
}

void tuning_close(struct tuning *tuning) {
    if (tuning != NULL) {
        weft_arena_free(&tuning->arena);
        free(tuning);
    }
}

/* ---- what is tried ---- */

/* What paid before is tried more often, but everything now and then. */
static double weight_of(const struct score *score) {
    return (score->paid + 1) / (score->tried + 30);
}

static enum move_kind choose_kind(struct tuning *tuning, const struct tuned *t) {
    bool learns = tuning->options.strategy == TUNE_CLIMB;
    double sum = 0;
    for (int i = 0; i < MOVE_KINDS; i++) {
        sum += learns ? weight_of(&t->kinds[i]) : 1;
    }
    double at = draw_part(&tuning->draw) * sum;
    int kind = 0;
    while (kind < MOVE_KINDS - 1 && (at -= learns ? weight_of(&t->kinds[kind]) : 1) >= 0) {
        kind++;
    }
    return (enum move_kind)kind;
}

static int choose_layer(struct tuning *tuning, const struct tuned *t) {
    bool learns = tuning->options.strategy == TUNE_CLIMB;
    double sum = 0;
    for (int i = 0; i < t->field.layer_count; i++) {
        sum += learns ? weight_of(&t->layers[t->field.layers[i]]) : 1;
    }
    double at = draw_part(&tuning->draw) * sum;
    int i = 0;
    while (i < t->field.layer_count - 1 &&
           (at -= learns ? weight_of(&t->layers[t->field.layers[i]]) : 1) >= 0) {
        i++;
    }
    return t->field.layers[i];
}

/* Changes the decisions of a trial by some moves. */
static void make_moves(struct tuning *tuning, const struct tuned *t, int moves,
                       struct trial *trial) {
    struct decisions *decisions = &trial->decisions;
    struct weft_arena *arena = tuning->changes;
    struct decisions before = decisions_copy(arena, decisions);
    trial->moves = 0;
    int layer = choose_layer(tuning, t);
    for (int failures = 0; trial->moves < moves && failures < MOST_FAILURES;) {
        enum move_kind kind = choose_kind(tuning, t);
        bool all_alike = draw_one_in(&tuning->draw, 4);
        if (!move_make(&tuning->draw, &t->field, kind, layer, all_alike, decisions)) {
            decisions_assign(decisions, &before);
            failures++;
        } else {
            move_repair(&t->region, decisions);
            decisions_assign(&before, decisions);
            trial->kinds[trial->moves] = kind;
            trial->layers[trial->moves++] = layer;
            trial->what = move_kind_names[kind];
        }
        /* Moves that belong together are mostly of one layer or its neighbours. */
        if (tuning->options.strategy == TUNE_RANDOM || draw_one_in(&tuning->draw, 2)) {
            layer = choose_layer(tuning, t);
        }
    }
}

static int some_moves(struct tuning *tuning) {
    int moves = 1;
    if (tuning->options.strategy == TUNE_RANDOM) {
        return 1 + (int)draw_below(&tuning->draw, MOST_RANDOM);
    }
    while (moves < MOST_MOVES && draw_one_in(&tuning->draw, 3)) {
        moves++;
    }
    return moves;
}

/* ---- parts of the program ---- */

/* Is no layer before `layer` linked with it or one behind it? */
static bool is_boundary(const struct region *region, const struct decisions *decisions, int layer) {
    int before = layer - 1;
    while (before >= 0 && layer_is_idle(region, before)) {
        before--;
    }
    return before < 0 || !decisions->cuts[before].linked;
}

/* Does no chain go over the edge before `layer`, now or with other decisions? */
static bool is_edge(const struct tuned *t, const struct decisions *other, int layer) {
    return layer == t->region.layer_count ||
           (is_boundary(&t->region, &t->now, layer) && is_boundary(&t->region, other, layer) &&
            !layer_is_idle(&t->region, layer));
}

/* The chain of a layer and those beside it, of what there is now and of other decisions. */
static struct window part_around(const struct tuned *t, const struct decisions *other, int layer) {
    struct window window = {layer, layer + 1};
    for (int chains = 0; chains < 2; chains++) {
        window.first -= chains > 0 && window.first > 0;
        while (window.first > 0 && !is_edge(t, other, window.first)) {
            window.first--;
        }
        window.last += chains > 0 && window.last < t->region.layer_count;
        while (!is_edge(t, other, window.last)) {
            window.last++;
        }
    }
    window.last--;
    return window;
}

static void choose_part(const struct tuning *tuning, struct tuned *t, struct trial *trial) {
    const struct part *part = NULL;
    bool is_whole = t->is_short || tuning->options.strategy == TUNE_RANDOM || trial->moves == 0;
    trial->layer = is_whole ? -1 : trial->layers[0];
    for (int i = 0; i < trial->moves; i++) {
        trial->layer = trial->kinds[i] == MOVE_REGION ? -1 : trial->layer;
    }
    if (trial->layer < 0) {
        return;
    }
    part = &t->parts[trial->layer];
    trial->window = part_around(t, &trial->decisions, trial->layer);
    bool is_same =
        part->window.first == trial->window.first && part->window.last == trial->window.last;
    trial->window_now = is_same ? part->cycles : 0;
}

static void prepare(struct tuning *tuning, struct tuned *t, size_t number) {
    struct trial *trial = &t->trials[number];
    bool is_random = tuning->options.strategy == TUNE_RANDOM;
    decisions_assign(&trial->decisions, is_random ? &t->begun : &t->now);
    trial->limit = is_random ? t->best_cycles : t->now_cycles + 1;
    trial->takes_equal = draw_one_in(&tuning->draw, EQUAL_ONE_IN);
    if (number < t->waiting) {
        for (size_t i = 0; i < t->again_count[number]; i++) {
            const struct field_change *change = &t->again[number][i];
            decision_set(&trial->decisions, change->of, change->item, change->field, change->to);
        }
        move_repair(&t->region, &trial->decisions);
        trial->moves = 0;
        trial->what = "both of two changes";
    } else {
        make_moves(tuning, t, some_moves(tuning), trial);
    }
    choose_part(tuning, t, trial);
    trial->key = known_key(&t->region, NULL, &trial->decisions);
    trial->is_known = known_find(&t->known, trial->key, trial->limit, &trial->outcome);
}

/* ---- trying ---- */

struct batch {
    struct tuning *tuning;
    struct tuned *tuned;
};

/* What the part of a trial takes now, if nobody knows. */
static bool count_now(struct weft_arena *arena, const struct tuned *t, struct trial *trial) {
    struct attempt *attempt = WEFT_NEW(arena, struct attempt);
    attempt->decisions = t->now;
    bool good = trial->window_now > 0 ||
                attempt_estimate(arena, &t->region, &trial->window, attempt, &trial->error);
    trial->window_now = trial->window_now > 0 ? trial->window_now : attempt->outcome.cycles;
    return good;
}

static bool count_trial(struct weft_arena *arena, const struct tuned *t, struct trial *trial) {
    struct attempt_limits limits = {.cycles = trial->limit};
    if (trial->layer >= 0) {
        if (!count_now(arena, t, trial)) {
            return false;
        }
        limits.window = &trial->window;
        limits.window_cycles = trial->window_now + trial->takes_equal;
    }
    struct attempt *attempt = WEFT_NEW(arena, struct attempt);
    attempt->decisions = trial->decisions;
    bool good = attempt_use(arena, &t->region, &limits, attempt, &trial->error);
    trial->outcome = attempt->outcome;
    return good;
}

static void try_one(void *context, unsigned thread, size_t number) {
    const struct batch *batch = context;
    struct tuned *t = batch->tuned;
    struct trial *trial = &t->trials[number];
    struct weft_arena *arena = batch->tuning->arenas[thread];
    trial->fits = trial->is_known;
    if (trial->is_known) {
        return;
    }
    if (setjmp(arena->on_failure)) {
        weft_arena_free(arena);
        trial->fits = weft_arena_failed(arena, &trial->error);
        return;
    }
    trial->fits = count_trial(arena, t, trial);
    weft_arena_reset(arena);
}

static bool is_refusal(const struct weft_error *error) {
    return error->code == WEFT_CAPACITY || error->code == WEFT_DECISIONS;
}

/* What did not fit is known as what takes for ever. */
static bool learn(struct tuned *t, struct trial *trial, struct weft_error *error) {
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

/* ---- what comes of it ---- */

/* Makes the program of a trial again, and verifies it. False: it is refused, or *error is another
 * than that. */
static bool verify_trial(struct tuning *tuning, const struct tuned *t, const struct trial *trial,
                         struct weft_error *error) {
    struct weft_arena *arena = tuning->arenas[0];
    const struct attempt_limits limits = {.window = NULL};
    if (setjmp(arena->on_failure)) {
        weft_arena_free(arena);
        return weft_arena_failed(arena, error);
    }
    struct attempt *attempt = WEFT_NEW(arena, struct attempt);
    attempt->decisions = trial->decisions;
    bool good =
        attempt_use(arena, &t->region, &limits, attempt, error) && schedule_verify(attempt, error);
    weft_arena_reset(arena);
    return good;
}

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

/* Parts with something that is changed take other cycles from now on. */
static void forget_parts(struct tuned *t, const struct decisions *next) {
    const struct region *region = &t->region;
    bool same_for_all = fields_same(&t->now, next, FIELD_OF_REGION, 0);
    for (int layer = 0; layer < region->layer_count; layer++) {
        struct part *part = &t->parts[layer];
        bool same = same_for_all;
        for (int i = part->window.first; i <= part->window.last && same && part->cycles > 0; i++) {
            same = fields_same(&t->now, next, FIELD_OF_LAYER, i) &&
                   fields_same(&t->now, next, FIELD_OF_TENSOR, region->tensors_of[i][2]);
            for (uint32_t k = 0; k < region->layers[i].input_count && k < 2 && same; k++) {
                same = fields_same(&t->now, next, FIELD_OF_TENSOR, region->tensors_of[i][k]);
            }
        }
        part->cycles = same ? part->cycles : 0;
    }
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
        if (!learn(t, trial, error)) {
            return false;
        }
        uint64_t cycles = trial->outcome.is_least ? UINT64_MAX : trial->outcome.cycles;
        if (cycles < (best == NULL ? t->best_cycles : best->outcome.cycles)) {
            best = trial;
        }
    }
    tuning->tried += count;
    if (best != NULL && verify_trial(tuning, t, best, error)) {
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
    size_t count = most < BATCH ? (size_t)most : BATCH;
    if (setjmp(tuning->arena.on_failure)) {
        return weft_arena_failed(&tuning->arena, error);
    }
    if (setjmp(tuning->changes->on_failure)) {
        return weft_arena_failed(tuning->changes, error);
    }
    struct tuned *t = next_region(tuning);
    struct batch batch = {tuning, t};
    for (size_t i = 0; i < count; i++) {
        prepare(tuning, t, i);
    }
    weft_arena_reset(tuning->changes);
    for (uint32_t i = 0; i < tuning->count; i++) {
        tuning->regions[i].waiting = 0; /* they were there */
    }
    weft_parallel(count, tuning->options.jobs, try_one, &batch);
    return finish_batch(tuning, t, count, better, context, error);
}

/* ---- what was found ---- */

void tuning_reseed(struct tuning *tuning, uint64_t seed) {
    tuning->draw.state = seed;
}

uint64_t tuning_tried(const struct tuning *tuning) {
    return tuning->tried;
}

uint64_t tuning_cycles(const struct tuning *tuning) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < tuning->count; i++) {
        sum += tuning->regions[i].best_cycles;
    }
    return sum;
}

uint32_t tuning_regions(const struct tuning *tuning) {
    return tuning->count;
}

uint64_t tuning_region_cycles(const struct tuning *tuning, uint32_t region) {
    return tuning->regions[region].best_cycles;
}

const struct region *tuning_region(const struct tuning *tuning, uint32_t region) {
    return &tuning->regions[region].region;
}

const struct decisions *tuning_best(const struct tuning *tuning, uint32_t region) {
    return &tuning->regions[region].best;
}

bool tuning_take(struct tuning *tuning, uint32_t region, const struct field_change *changes,
                 size_t count, uint64_t limit, bool *taken, struct weft_error *error) {
    struct tuned *t = &tuning->regions[region];
    struct trial *trial = &t->trials[0];
    struct batch batch = {tuning, t};
    *taken = false;
    decisions_assign(&trial->decisions, &t->best);
    for (size_t i = 0; i < count; i++) {
        decision_set(&trial->decisions, changes[i].of, changes[i].item, changes[i].field,
                     changes[i].to);
    }
    trial->is_known = false;
    trial->layer = -1;
    trial->limit = limit;
    try_one(&batch, 0, 0);
    if (!trial->fits) {
        *error = trial->error;
        return is_refusal(error);
    }
    *taken = !trial->outcome.is_least && trial->outcome.cycles < limit;
    if (*taken) {
        forget_parts(t, &trial->decisions);
        decisions_assign(&t->now, &trial->decisions);
        decisions_assign(&t->best, &trial->decisions);
        t->now_cycles = t->best_cycles = trial->outcome.cycles;
    }
    return true;
}

bool tuning_decisions(const struct tuning *tuning, struct weft_text *text,
                      struct weft_error *error) {
    struct weft_module *module = tuning->module;
    if (setjmp(module->arena.on_failure)) {
        return weft_arena_failed(&module->arena, error);
    }
    for (uint32_t i = 0; i < tuning->count; i++) {
        const struct tuned *t = &tuning->regions[i];
        module->segments[i].schedule =
            saved_schedule(&module->arena, &t->region, &t->best, t->best_cycles);
        module->segments[i].schedule->groups = t->saved->groups;
    }
    return weft_module_decisions(module, text, error);
}
