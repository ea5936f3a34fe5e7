/* Which schedule is tried next: moves from the one that there is, drawn at random. */
#include "compiler/tune/tuning.h"

enum {
    MOST_MOVES = 4,     /* in one step of climbing */
    MOST_FAILURES = 32, /* moves that cannot be, before a step is given up */
    EQUAL_ONE_IN = 8    /* of programs a part of which takes what it took, so many are counted */
};

/* ---- moves ---- */

/* What paid before is tried more often, but everything now and then. */
static double weight_of(const struct score *score) {
    return (score->paid + 1) / (score->tried + 30);
}

static enum move_kind choose_kind(struct tuning *tuning, const struct tuned *t) {
    bool learns = tuning->options.strategy == TUNE_CLIMB;
    int kinds = has_abreast(&t->region) ? MOVE_KINDS : MOVE_PUT_OFF;
    double sum = 0;
    for (int i = 0; i < kinds; i++) {
        sum += learns ? weight_of(&t->kinds[i]) : 1;
    }
    double at = draw_part(&tuning->draw) * sum;
    int kind = 0;
    while (kind < kinds - 1 && (at -= learns ? weight_of(&t->kinds[kind]) : 1) >= 0) {
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
        return 1 + (int)draw_below(&tuning->draw, TUNE_MOST_MOVES);
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

/* Does nothing go over the edge before `layer`, no layers abreast and no chain, now or with other
 * decisions? */
static bool is_edge(const struct tuned *t, const struct decisions *other, int layer) {
    return layer == t->region.layer_count ||
           (is_boundary(&t->region, &t->now, layer) && is_boundary(&t->region, other, layer) &&
            !layer_is_idle(&t->region, layer) && t->region.runs[layer].first == layer);
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

void forget_parts(struct tuned *t, const struct decisions *next) {
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

/* ---- a trial ---- */

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

void trial_propose(struct tuning *tuning, struct tuned *t, size_t number) {
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
