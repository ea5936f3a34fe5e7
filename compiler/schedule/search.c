/* The search for the fastest schedule: several styles, for all images at once or for some, as if
 * the machine were smaller than it is; and the fastest of them with its layers cut in other ways.
 */
#include "compiler/schedule/search.h"

#include <inttypes.h>
#include <stdio.h>

#include "compiler/schedule/improve.h"

enum {
    STYLES = 4,
    FEW_LAYERS = 6,
    MOST_MIXED = 32,         /* multipliers whose ways are tried one by one */
    MOST_GROUPS = 64,        /* of images: the program is repeated for each */
    FEW_INSTRUCTIONS = 1000, /* for a group of images: such programs are improved at length */
    TINY_PROGRAM = 150,
    /* The smallest banks that are tried as if they were those of the machine. */
    LEAST_ACT_LINES = 32,
    LEAST_WGT_TILES = 8,
    LEAST_ACC_ENTRIES = 32
};

/* Styles that are tried. The last one needs the least room on chip. */
static const struct style styles[STYLES] = {
    {.behind = true, .chains = true, .shorten_first = true},
    {.behind = true, .chains = true},
    {.behind = true, .shorten_first = true},
    {0},
};

/* The fastest of the candidates from `first` to `end`, those of `groups` groups of images alone, or
 * if that is 0 of all; NULL: none fits. */
static struct candidate *fastest_of(const struct search *search, size_t first, size_t end,
                                    int64_t groups) {
    struct candidate *best = NULL;
    for (size_t i = first; i < end; i++) {
        struct candidate *candidate = &search->candidates[i];
        if (candidate->cycles > 0 && (groups == 0 || candidate->region->groups == groups) &&
            (best == NULL || candidate->cycles < best->cycles)) {
            best = candidate;
        }
    }
    return best;
}

struct candidate *search_fastest(const struct search *search) {
    return fastest_of(search, 0, search->count, 0);
}

/* ---- trying ---- */

struct trial {
    struct candidate *candidate;
    const struct known *known;
    const struct crew *crew;
    uint64_t limit; /* cycles that are too many; 0: none are */
    bool fits;
    uint64_t key;
    const struct trial *like; /* one before it whose decisions are the same, or NULL */
    struct outcome outcome;
    struct weft_error error;
};

/* Finds out what a candidate is known as, if it fits. */
static void find_key(void *context, unsigned thread, size_t i) {
    struct trial *trial = &((struct trial *)context)[i];
    struct weft_arena *arena = trial->crew->arenas[thread];
    trial->fits = false;
    if (setjmp(arena->on_failure)) {
        weft_arena_free(arena);
        (void)weft_arena_failed(arena, &trial->error);
        return;
    }
    trial->fits = attempt_key(arena, trial->candidate, &trial->key, &trial->error);
    weft_arena_reset(arena);
}

/* Counts the cycles of a candidate that fits and is like none before it. */
static void try_candidate(void *context, unsigned thread, size_t i) {
    struct trial *trial = &((struct trial *)context)[i];
    struct weft_arena *arena = trial->crew->arenas[thread];
    if (!trial->fits || trial->like != NULL) {
        return;
    }
    trial->fits = false;
    if (setjmp(arena->on_failure)) {
        weft_arena_free(arena);
        (void)weft_arena_failed(arena, &trial->error);
        return;
    }
    struct attempt *attempt = WEFT_NEW(arena, struct attempt);
    trial->fits = attempt_try(arena, trial->candidate, NULL, trial->known, trial->limit, attempt,
                              &trial->key, &trial->error);
    trial->outcome = attempt->outcome;
    weft_arena_reset(arena);
}

/* Many candidates of a search come to the same decisions. */
static void find_likes(struct trial *trials, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i && trials[i].fits && trials[i].like == NULL; j++) {
            bool like = trials[j].fits && trials[j].like == NULL && trials[j].key == trials[i].key;
            trials[i].like = like ? &trials[j] : NULL;
        }
    }
}

/* The candidate is what its trial, or that of one like it, came to. */
static void take_outcome(struct trial *trial) {
    if (trial->like != NULL) {
        trial->fits = trial->like->fits;
        trial->outcome = trial->like->outcome;
        trial->error = trial->like->error;
    }
    trial->candidate->cycles = trial->fits ? trial->outcome.cycles : 0;
    trial->candidate->instructions = trial->outcome.instructions;
}

/* How many multipliers are carried out in a way. */
static int count_way(const struct region *region, int64_t way) {
    int count = 0;
    for (int i = 0; i < region->listed_count && region->divisions != NULL; i++) {
        count += region->divisions[i].multiplied == way;
    }
    return count;
}

/* Notes what a candidate is and what it takes; *best: the fewest cycles until then, 0: none. */
static void note_candidate(const struct search *search, const struct candidate *candidate,
                           uint64_t *best) {
    const struct weft_config *real = candidate->region->config;
    const struct weft_config *as_if = &candidate->as_if;
    const struct style *style = &candidate->style;
    char what[320];
    char ways[80] = "";
    int repeated = count_way(candidate->region, MULTIPLIED_REPEATED);
    int passes = count_way(candidate->region, MULTIPLIED_PASSES);
    if (repeated + passes > 0) {
        (void)snprintf(ways, sizeof ways, ", multipliers: %d with repeated channels, %d in passes",
                       repeated, passes);
    }
    (void)snprintf(what, sizeof what,
                   "%s%s%s%s%s%s; %" PRId64 " groups of images; as if ACT / %" PRIu32
                   ", WGT / %" PRIu32 ", ACC / %" PRIu32 ", PAR / %" PRIu32,
                   style->behind ? "arithmetic behind products" : "each layer by itself",
                   style->chains ? ", chains" : "",
                   style->shorten_first ? ", shorter stripes first" : "",
                   candidate->hints != NULL ? ", layers cut in other ways" : "",
                   style->halve_loads ? ", short last LOADs" : "", ways, candidate->region->groups,
                   real->act_bytes / as_if->act_bytes, real->wgt_bytes / as_if->wgt_bytes,
                   real->acc_bytes / as_if->acc_bytes, real->par_bytes / as_if->par_bytes);
    search_note(search->log, -1, what, candidate->cycles, *best);
    if (candidate->cycles > 0 && (*best == 0 || candidate->cycles < *best)) {
        *best = candidate->cycles;
    }
}

/* Tries all candidates from `first` on. Error: that of the first that failed for another reason
 * than that it does not fit. */
static bool try_candidates(struct weft_arena *arena, struct search *search, size_t first,
                           uint64_t limit, struct weft_error *error) {
    size_t count = search->count - first;
    const struct candidate *best = search_fastest(search);
    uint64_t best_cycles = best == NULL ? 0 : best->cycles;
    struct trial *trials = WEFT_NEW_ARRAY(arena, count, struct trial);
    for (size_t i = 0; i < count; i++) {
        trials[i].candidate = &search->candidates[first + i];
        trials[i].known = &search->known;
        trials[i].crew = &search->crew;
        trials[i].limit = limit;
    }
    weft_parallel(count, search->crew.threads, find_key, trials);
    find_likes(trials, count);
    weft_parallel(count, search->crew.threads, try_candidate, trials);
    for (size_t i = 0; i < count; i++) {
        take_outcome(&trials[i]);
        note_candidate(search, trials[i].candidate, &best_cycles);
        if (trials[i].fits) {
            known_add(&search->known, trials[i].key, &trials[i].outcome);
        } else {
            *error = trials[i].error;
            if (error->code != WEFT_CAPACITY) {
                return false;
            }
        }
    }
    return true;
}

/* ---- candidates ---- */

static void add(struct weft_arena *arena, struct search *search,
                const struct candidate *candidate) {
    search->candidates = weft_arena_grow(arena, search->candidates, search->count,
                                         &search->capacity, sizeof *search->candidates);
    search->candidates[search->count++] = *candidate;
}

/* Halves *bytes; false: it would be less than `least`, and stays as it is. */
static bool halve(uint32_t *bytes, uint32_t least) {
    bool can_be = *bytes / 2 >= least;
    *bytes >>= can_be;
    return can_be;
}

static uint32_t least_act(const struct weft_config *config) {
    return weft_banks(config, WEFT_MEMORY_ACT) * config->block * LEAST_ACT_LINES;
}

/* All styles of a region in groups of `group` images; 0: all of them at once. With several images
 * the best style depends on how many of them ACT holds: as if it were smaller, too. */
static void add_styles(struct weft_arena *arena, const struct region *listed,
                       const struct division *divisions, int64_t group, struct search *search) {
    const struct region *regions[2] = {NULL, NULL};
    for (int behind = 0; behind < 2; behind++) {
        const struct region_form form = {
            .behind = behind != 0, .group = group, .divisions = divisions};
        struct region *region = WEFT_NEW(arena, struct region);
        region_create(arena, listed, &form, region);
        regions[behind] = region;
    }
    struct weft_config as_if = *listed->config;
    do {
        for (int i = 0; i < STYLES; i++) {
            const struct candidate candidate = {
                .region = regions[styles[i].behind], .as_if = as_if, .style = styles[i]};
            add(arena, search, &candidate);
        }
    } while (region_images(listed) > 1 && halve(&as_if.act_bytes, least_act(&as_if)));
}

/* The same, all at once and in all groups that images can be taken in. */
static void add_groups(struct weft_arena *arena, const struct region *listed,
                       const struct division *divisions, struct search *search) {
    int64_t images = region_images(listed);
    add_styles(arena, listed, divisions, 0, search);
    for (int64_t group = images / 2; group > 0 && images / group <= MOST_GROUPS; group /= 2) {
        if (images % group == 0) {
            add_styles(arena, listed, divisions, group, search);
        }
    }
}

/* Divisions of the listed layers; NULL: none is divided. */
static struct division *copy_divisions(struct weft_arena *arena, const struct region *listed,
                                       const struct division *divisions) {
    size_t count = (size_t)listed->layer_count;
    struct division *copy = WEFT_NEW_ARRAY(arena, count, struct division);
    for (size_t i = 0; divisions != NULL && i < count; i++) {
        copy[i] = divisions[i];
    }
    return copy;
}

/* All multipliers in one way, or one that is possible. False: it is for none. */
static bool multiply_all(const struct region *listed, int64_t way, struct division *divisions) {
    bool any = false;
    for (int i = 0; i < listed->layer_count; i++) {
        divisions[i].multiplied = possible_way(listed->config, &listed->layers[i], way);
        any = any || divisions[i].multiplied == way;
    }
    return any;
}

/* All groups, with all multipliers in each way. */
static void add_ways(struct weft_arena *arena, const struct region *listed, struct search *search) {
    add_groups(arena, listed, search->divisions, search);
    for (int64_t way = MULTIPLIED_DENSE + 1; way < MULTIPLIED_WAYS; way++) {
        struct division *divisions = copy_divisions(arena, listed, search->divisions);
        search->ways[way] = search->count;
        if (multiply_all(listed, way, divisions)) {
            add_groups(arena, listed, divisions, search);
        }
    }
    search->ways[MULTIPLIED_WAYS] = search->count;
}

/* A candidate with other divisions. */
static void add_like(struct weft_arena *arena, const struct region *listed,
                     const struct candidate *like, const struct division *divisions,
                     struct search *search) {
    struct candidate candidate = *like;
    int64_t groups = like->region->groups;
    const struct region_form form = {.behind = like->style.behind,
                                     .group = groups > 1 ? region_images(listed) / groups : 0,
                                     .divisions = divisions};
    struct region *region = WEFT_NEW(arena, struct region);
    region_create(arena, listed, &form, region);
    candidate.region = region;
    add(arena, search, &candidate);
}

/* A candidate as if ACC or, with `weights`, WGT were smaller. */
static void add_smaller_part(struct weft_arena *arena, const struct candidate *best, bool weights,
                             struct search *search) {
    const struct weft_config *real = best->region->config;
    struct candidate candidate = *best;
    uint32_t *bytes = weights ? &candidate.as_if.wgt_bytes : &candidate.as_if.acc_bytes;
    uint32_t block = real->block;
    uint32_t least = weights ? weft_banks(real, WEFT_MEMORY_WGT) * block * block * LEAST_WGT_TILES
                             : weft_banks(real, WEFT_MEMORY_ACC) * block * 4 * LEAST_ACC_ENTRIES;
    *bytes = weights ? real->wgt_bytes : real->acc_bytes;
    do {
        add(arena, search, &candidate);
    } while (halve(bytes, least));
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
    } while (halve(&candidate.as_if.act_bytes, least_act(real)));
}

/* ---- improving ---- */

/* Tries the candidates from `first` on; the fastest takes the place of *best, if it is faster. */
static bool take_faster(struct weft_arena *arena, struct search *search, size_t first,
                        struct candidate *best, struct weft_error *error) {
    if (!try_candidates(arena, search, first, best->cycles, error)) {
        return false;
    }
    const struct candidate *fastest = fastest_of(search, first, search->count, 0);
    if (fastest != NULL && fastest->cycles < best->cycles) {
        *best = *fastest;
    }
    return true;
}

/* Takes it with short last LOADs, or without, if that is faster. */
static bool try_loads(struct weft_arena *arena, struct search *search, struct candidate *best,
                      struct weft_error *error) {
    size_t first = search->count;
    struct candidate other = *best;
    other.style.halve_loads = !best->style.halve_loads;
    add(arena, search, &other);
    return take_faster(arena, search, first, best, error);
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
    if (!improve_layers(arena, &search->crew, &improved, &search->known, search->log, error)) {
        return false;
    }
    add(arena, search, &improved);
    improved.style.halve_loads = !improved.style.halve_loads;
    add(arena, search, &improved);
    return take_faster(arena, search, first, best, error);
}

/* What can be done with a short program, one after the other. */
enum improvement_step {
    END,
    LOADS,       /* try_loads() */
    SHORT_LOADS, /* short last LOADs from here on, whether that is faster or not */
    SMALLER,     /* try_smaller() */
    HINTS        /* try_hints() */
};

/* What is best as if the machine were smaller shows when the layers are cut well, and the other way
 * round. The first order begins with sizes of memories: from there a machine with more of them
 * comes to the same. Tiny programs take all orders, in next to no time. */
static const enum improvement_step orders[][6] = {{LOADS, SMALLER, HINTS, SMALLER, HINTS},
                                                  {LOADS, HINTS, SMALLER, HINTS},
                                                  {SMALLER, SHORT_LOADS, HINTS}};

static bool improve_step(struct weft_arena *arena, struct search *search,
                         enum improvement_step step, struct candidate *best,
                         struct weft_error *error) {
    switch (step) {
    case LOADS:
        return try_loads(arena, search, best, error);
    case SMALLER:
        return try_smaller(arena, search, best, error);
    case HINTS:
        return try_hints(arena, search, best, error);
    default:
        best->style.halve_loads = true;
        return true;
    }
}

/* Improves a candidate that was tried, short programs at length. */
static bool improve(struct weft_arena *arena, struct search *search, const struct candidate *tried,
                    struct weft_error *error) {
    size_t instructions = tried->instructions / (size_t)tried->region->groups;
    size_t count = instructions > TINY_PROGRAM ? 1 : sizeof orders / sizeof orders[0];
    struct candidate best = *tried;
    if (instructions > FEW_INSTRUCTIONS) {
        return try_hints(arena, search, &best, error);
    }
    for (size_t i = 0; i < count; i++) {
        best = *tried;
        for (size_t k = 0; orders[i][k] != END; k++) {
            if (!improve_step(arena, search, orders[i][k], &best, error)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- ways of multipliers ---- */

/* Multipliers among the layers as they were listed. */
static int count_multipliers(const struct region *listed) {
    int count = 0;
    for (int i = 0; i < listed->layer_count; i++) {
        count += can_multiply(listed->config, &listed->layers[i], MULTIPLIED_REPEATED);
    }
    return count;
}

/* Tries other ways for one multiplier after the other, from the fastest candidate on. */
static bool mix_ways(struct weft_arena *arena, const struct region *listed, struct search *search,
                     struct weft_error *error) {
    int mixed = 0;
    bool good = true;
    for (int i = 0; i < listed->layer_count && mixed < MOST_MIXED && good; i++) {
        if (!can_multiply(listed->config, &listed->layers[i], MULTIPLIED_REPEATED)) {
            continue;
        }
        const struct candidate best = *search_fastest(search);
        size_t first = search->count;
        for (int64_t way = 0; way < MULTIPLIED_WAYS; way++) {
            struct division *divisions = copy_divisions(arena, listed, best.region->divisions);
            if (way != divisions[i].multiplied &&
                can_multiply(listed->config, &listed->layers[i], way)) {
                divisions[i].multiplied = way;
                add_like(arena, listed, &best, divisions, search);
            }
        }
        good = try_candidates(arena, search, first, best.cycles, error);
        mixed++;
    }
    return good;
}

/* Improves the fastest candidates of the other ways of multipliers, if they are short and not much
 * slower. */
static bool improve_ways(struct weft_arena *arena, struct search *search,
                         const struct candidate *whole, struct weft_error *error) {
    for (int way = 0; way < MULTIPLIED_WAYS; way++) {
        const struct candidate *best =
            fastest_of(search, search->ways[way], search->ways[way + 1], 0);
        if (best == NULL || best->region->divisions == whole->region->divisions ||
            best->instructions / (size_t)best->region->groups > FEW_INSTRUCTIONS ||
            best->cycles > whole->cycles * 3 / 2) {
            continue;
        }
        const struct candidate copy = *best;
        size_t noted = search->log == NULL ? 0 : search->log->count;
        if (!improve(arena, search, &copy, error)) {
            return false;
        }
        if (search_fastest(search)->region->divisions == copy.region->divisions) {
            search_forget_layers(search->log, 0, noted);
        } else {
            search_forget_layers(search->log, noted, SIZE_MAX);
        }
    }
    return true;
}

static void assemble(struct weft_arena *arena, unsigned threads, struct crew *crew) {
    crew->threads = threads;
    for (unsigned i = 0; i < threads; i++) {
        crew->arenas[i] = weft_arena_child(arena);
    }
}

bool search_schedules(struct weft_arena *arena, const struct weft_config *config,
                      const struct weft_graph *graph, struct search_log *log, struct search *search,
                      struct weft_error *error) {
    struct region listed;
    *search = (struct search){.log = log, .known.arena = arena};
    if (!region_read(arena, config, graph, &listed, error) ||
        !room_for_region(arena, &listed, &search->divisions, error)) {
        return false;
    }
    search->has_room = true;
    /* A thread takes longer to begin than a program of few layers to be tried. */
    assemble(arena, listed.layer_count < FEW_LAYERS ? 1 : weft_cores(), &search->crew);
    add_ways(arena, &listed, search);
    size_t whole = search->count;
    if (!try_candidates(arena, search, 0, 0, error)) {
        return false;
    }
    if (search_fastest(search) == NULL ||
        (count_multipliers(&listed) > 1 && !mix_ways(arena, &listed, search, error))) {
        return false;
    }
    const struct candidate fastest = *search_fastest(search);
    /* One image after the other, too: more images must not cost more each. */
    int64_t most = search->candidates[whole - 1].region->groups;
    const struct candidate *single = fastest_of(search, 0, whole, most);
    const struct candidate copy = single == NULL ? fastest : *single;
    return improve(arena, search, &fastest, error) &&
           improve_ways(arena, search, &fastest, error) &&
           (fastest.region->groups == copy.region->groups || improve(arena, search, &copy, error));
}
