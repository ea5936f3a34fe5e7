#include "compiler/schedule/refine.h"

#include <string.h>

#include "compiler/schedule/improve.h"

enum {
    INPUT_ROUNDS = 3,
    TINY_PROGRAM = 150,
    MANY_INSTRUCTIONS = 10000, /* for a group of images */
    LEAST_GAIN = 256,          /* of its cycles such a part is worth coded weights */
    ABREAST_ROUNDS = 3
};

/* ---- as if memories were smaller ---- */

/* A candidate as if ACC or, with `weights`, WGT were smaller. */
static void add_smaller_part(struct weft_arena *arena, const struct candidate *best, bool weights,
                             struct search *search) {
    const struct weft_config *real = best->region->config;
    struct candidate candidate = *best;
    uint32_t *bytes = weights ? &candidate.as_if.wgt_bytes : &candidate.as_if.acc_bytes;
    uint32_t least = least_as_if(real, weights ? WEFT_MEMORY_WGT : WEFT_MEMORY_ACC);
    *bytes = weights ? real->wgt_bytes : real->acc_bytes;
    do {
        add_candidate(arena, search, &candidate);
    } while (halve_memory(bytes, least));
}

/* The same for both, and for ACT beside each of them: banks grow with the memory, and what is in
 * one bank comes and goes as a whole, so that what is best on a smaller machine may be better. The
 * sizes do not depend on those of the machine: a larger one tries all that a smaller one does. */
static void add_smaller(struct weft_arena *arena, const struct candidate *best,
                        struct search *search) {
    const struct weft_config *real = best->region->config;
    struct candidate candidate = *best;
    candidate.as_if.act_bytes = real->act_bytes;
    do {
        add_smaller_part(arena, &candidate, false, search);
        add_smaller_part(arena, &candidate, true, search);
    } while (halve_memory(&candidate.as_if.act_bytes, least_as_if(real, WEFT_MEMORY_ACT)));
}

/* ---- steps ---- */

/* Takes it with short last LOADs or without, in whole RAMs or not, with products apart or not, if
 * that is faster. */
static bool try_loads(struct weft_arena *arena, struct search *search, struct candidate *best,
                      struct weft_error *error) {
    size_t first = search->count;
    struct candidate other = *best;
    other.style.halve_loads = !best->style.halve_loads;
    add_candidate(arena, search, &other);
    other = *best;
    other.style.whole_rams = !best->style.whole_rams;
    add_candidate(arena, search, &other);
    if (best->style.behind && are_rams_shared(best->region->config)) {
        other = *best;
        other.style.apart = !best->style.apart;
        add_candidate(arena, search, &other);
    }
    return take_faster(arena, search, first, best, error);
}

/* Is it so long that what is tried for little is left out in the first round? */
static bool is_long(const struct candidate *candidate) {
    return instructions_of_group(candidate) > MANY_INSTRUCTIONS;
}

/* Takes it with so many banks of WGT whose weights stay, of those that are used again, as is
 * fastest, with these or those of them. */
static bool try_banks_kept_so(struct weft_arena *arena, struct search *search, bool longest,
                              bool in_group, struct candidate *best, struct weft_error *error) {
    int64_t most = (int64_t)weft_banks(best->region->config, WEFT_MEMORY_WGT) - 2;
    size_t first = search->count;
    for (int64_t banks = most; banks > 0; banks /= 2) {
        struct candidate other = *best;
        other.style.kept_banks = banks;
        other.style.keep_longest = longest;
        other.style.keep_in_group = in_group;
        add_candidate(arena, search, &other);
    }
    return take_faster(arena, search, first, best, error);
}

/* The same with what comes first and what takes longest to load; within each group of images, where
 * one of them stands for all, or over all of them as well. */
static bool try_kept_banks(struct weft_arena *arena, struct search *search, struct candidate *best,
                           struct weft_error *error) {
    const struct region *region = best->region;
    bool in_group = region->counted == 1 && region->groups > 1;
    bool both = region->counted > 1;
    return try_banks_kept_so(arena, search, false, in_group, best, error) &&
           (is_long(best) || try_banks_kept_so(arena, search, true, in_group, best, error)) &&
           (!both || (try_banks_kept_so(arena, search, false, true, best, error) &&
                      try_banks_kept_so(arena, search, true, true, best, error)));
}

/* Takes it as if the machine were smaller, if that is faster. */
static bool try_smaller(struct weft_arena *arena, struct search *search, struct candidate *best,
                        struct weft_error *error) {
    size_t first = search->count;
    add_smaller(arena, best, search);
    if (!take_faster(arena, search, first, best, error)) {
        return false;
    }
    first = search->count;
    add_smaller_part(arena, best, false, search);
    add_smaller_part(arena, best, true, search);
    return take_faster(arena, search, first, best, error);
}

/* Cuts its layers in other ways that are faster, and then takes it with short last LOADs or
 * without: with them other hints are best, but looking for them again takes time. */
static bool try_hints(struct weft_arena *arena, struct search *search, struct candidate *best,
                      struct weft_error *error) {
    size_t first = search->count;
    struct candidate improved = *best;
    if (!improve_layers(arena, search, BY_KIND, &improved, error)) {
        return false;
    }
    add_candidate(arena, search, &improved);
    improved.style.halve_loads = !improved.style.halve_loads;
    add_candidate(arena, search, &improved);
    return take_faster(arena, search, first, best, error);
}

/* Takes it with shorter stripes rather than tensors that leave the chip, or the other way round, if
 * that is faster: which one is may depend on how its layers are cut. */
static bool try_other_room(struct weft_arena *arena, struct search *search, struct candidate *best,
                           struct weft_error *error) {
    size_t first = search->count;
    struct candidate other = *best;
    other.style.shorten_first = !best->style.shorten_first;
    add_candidate(arena, search, &other);
    return take_faster(arena, search, first, best, error);
}

/* Cuts its chains, or layers, one by one in other ways that are faster. */
static bool try_scope(struct weft_arena *arena, struct search *search, enum scope scope,
                      struct candidate *best, struct weft_error *error) {
    size_t first = search->count;
    struct candidate improved = *best;
    if (!improve_layers(arena, search, scope, &improved, error)) {
        return false;
    }
    add_candidate(arena, search, &improved);
    return take_faster(arena, search, first, best, error);
}

/* The same of chains, after the other order of making room. */
static bool try_chains(struct weft_arena *arena, struct search *search, struct candidate *best,
                       struct weft_error *error) {
    if (!best->style.chains) {
        return true;
    }
    return try_other_room(arena, search, best, error) &&
           try_scope(arena, search, BY_CHAIN, best, error);
}

/* Takes it with weights as they are rather than coded, if that is faster by more than their bytes,
 * which are external traffic, are worth. */
static bool try_plain_weights(struct weft_arena *arena, struct search *search,
                              struct candidate *best, struct weft_error *error) {
    size_t first = search->count;
    uint64_t most = best->cycles - best->cycles / LEAST_GAIN;
    if (best->region->config->compression == 0 || best->style.plain_weights) {
        return true;
    }
    struct candidate other = *best;
    other.style.plain_weights = true;
    add_candidate(arena, search, &other);
    if (!try_candidates(arena, search, first, most, error)) {
        return false;
    }
    struct candidate *plain = &search->candidates[first];
    if (plain->cycles < most && plain->cycles > 0) {
        *best = *plain;
    } else {
        plain->cycles = 0; /* it is not to be the fastest of all */
    }
    return true;
}

/* Takes it with what VECTOR alone does between the tiles of later layers, or not, if that is
 * faster.
 */
static bool try_beside(struct weft_arena *arena, struct search *search, struct candidate *best,
                       struct weft_error *error) {
    size_t first = search->count;
    for (int others = OTHERS_NONE; others < OTHERS_WAYS; others++) {
        struct candidate other = *best;
        other.style.beside = (enum others)others;
        if (others != (int)best->style.beside) {
            add_candidate(arena, search, &other);
        }
    }
    return take_faster(arena, search, first, best, error);
}

/* Layers abreast one by one, over and over: when the steps of one come makes a difference to all
 * others. */
static bool try_steps_abreast(struct weft_arena *arena, struct search *search,
                              struct candidate *best, struct weft_error *error) {
    uint64_t before = 0;
    bool good = true;
    for (int i = 0; i < ABREAST_ROUNDS && best->cycles != before && good; i++) {
        before = best->cycles;
        good = try_scope(arena, search, BY_ABREAST, best, error);
    }
    return good;
}

/* The same, then how weights come, and once more. */
static bool try_abreast(struct weft_arena *arena, struct search *search, struct candidate *best,
                        struct weft_error *error) {
    return try_steps_abreast(arena, search, best, error) && try_loads(arena, search, best, error) &&
           try_kept_banks(arena, search, best, error) &&
           try_steps_abreast(arena, search, best, error);
}

/* What comes last, of any program. */
static bool finish_candidate(struct weft_arena *arena, struct search *search,
                             struct candidate *best, struct weft_error *error) {
    return try_kept_banks(arena, search, best, error) &&
           try_plain_weights(arena, search, best, error) &&
           try_beside(arena, search, best, error) &&
           try_scope(arena, search, BY_TILES, best, error) &&
           try_scope(arena, search, BY_PIECES, best, error) &&
           try_scope(arena, search, BY_BESIDE, best, error) &&
           (!has_abreast(best->region) || try_abreast(arena, search, best, error)) &&
           try_scope(arena, search, BY_SMALL_PIECES, best, error);
}

/* What can be done with a short program, one after the other. */
enum improvement_step {
    END,
    LOADS,       /* try_loads() */
    SHORT_LOADS, /* short last LOADs from here on, whether that is faster or not */
    SMALLER,     /* try_smaller() */
    SECOND,      /* from here on take_second() */
    HINTS,       /* try_hints() */
    CHAINS       /* try_chains() */
};

/* What is best as if the machine were smaller shows when the layers are cut well, and the other way
 * round. The first order begins with sizes of memories: from there a machine with more of them
 * comes to the same. Tiny programs take all orders, in next to no time. */
static const enum improvement_step orders[][8] = {
    {LOADS, SMALLER, HINTS, SMALLER, HINTS, CHAINS},
    {LOADS, HINTS, SMALLER, HINTS, CHAINS},
    {SMALLER, SHORT_LOADS, HINTS, CHAINS},
    {LOADS, SMALLER, SECOND, HINTS, SMALLER, HINTS, CHAINS}};

/* Takes the next fastest of those from `first` on that is as if memories had other sizes, if there
 * is one: cut well, it may be the faster one. */
static void take_second(const struct search *search, size_t first, struct candidate *best) {
    const struct candidate *second = NULL;
    for (size_t i = first; i < search->count; i++) {
        const struct candidate *candidate = &search->candidates[i];
        if (candidate->cycles > best->cycles && !candidate->is_least &&
            memcmp(&candidate->as_if, &best->as_if, sizeof best->as_if) != 0 &&
            (second == NULL || candidate->cycles < second->cycles)) {
            second = candidate;
        }
    }
    if (second != NULL) {
        *best = *second;
    }
}

static bool improve_step(struct weft_arena *arena, struct search *search, size_t first,
                         enum improvement_step step, struct candidate *best,
                         struct weft_error *error) {
    switch (step) {
    case LOADS:
        return try_loads(arena, search, best, error);
    case SMALLER:
        return try_smaller(arena, search, best, error);
    case HINTS:
        return try_hints(arena, search, best, error);
    case CHAINS:
        return try_chains(arena, search, best, error);
    case SECOND:
        take_second(search, first, best);
        return true;
    default:
        best->style.halve_loads = true;
        return true;
    }
}

bool refine_candidate(struct weft_arena *arena, struct search *search,
                      const struct candidate *tried, struct weft_error *error) {
    size_t instructions = instructions_of_group(tried);
    size_t count = instructions > TINY_PROGRAM ? 1 : sizeof orders / sizeof orders[0];
    struct candidate best = *tried;
    if (instructions > FEW_INSTRUCTIONS) {
        return try_beside(arena, search, &best, error) && try_hints(arena, search, &best, error) &&
               try_chains(arena, search, &best, error) &&
               (is_long(tried) || try_scope(arena, search, BY_LAYER, &best, error)) &&
               finish_candidate(arena, search, &best, error);
    }
    for (size_t i = 0; i < count; i++) {
        size_t first = search->count;
        best = *tried;
        if (!try_beside(arena, search, &best, error)) {
            return false;
        }
        for (size_t k = 0; orders[i][k] != END; k++) {
            if (!improve_step(arena, search, first, orders[i][k], &best, error)) {
                return false;
            }
        }
        if (!finish_candidate(arena, search, &best, error) ||
            !try_loads(arena, search, &best, error) ||
            !try_scope(arena, search, BY_TILES, &best, error)) {
            return false;
        }
    }
    return true;
}

bool refine_again(struct weft_arena *arena, struct search *search, struct weft_error *error) {
    struct candidate best = *fastest_of(search, 0, search->count, 0);
    uint64_t before = 0;
    for (int i = 0; i < search->round && best.cycles != before; i++) {
        before = best.cycles;
        if (!try_hints(arena, search, &best, error) || !try_chains(arena, search, &best, error) ||
            !try_scope(arena, search, BY_LAYER, &best, error) ||
            (has_abreast(best.region) && !try_steps_abreast(arena, search, &best, error))) {
            return false;
        }
    }
    return true;
}

bool refine_inputs(struct weft_arena *arena, struct search *search, const struct candidate *tried,
                   struct weft_error *error) {
    struct candidate best = *tried;
    uint64_t before = 0;
    for (int i = 0; i < INPUT_ROUNDS && best.cycles != before && !is_long(tried); i++) {
        before = best.cycles;
        if (!try_scope(arena, search, BY_INPUTS, &best, error) ||
            (best.cycles != before && !try_scope(arena, search, BY_TILES, &best, error))) {
            return false;
        }
    }
    return true;
}
