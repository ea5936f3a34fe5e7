/* The search for the fastest schedule: several styles, for all images at once or for some, as if
 * the machine were smaller than it is; and the fastest of them with its layers cut in other ways.
 */
#include "compiler/schedule/search.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/parallel.h"
#include "compiler/schedule/improve.h"

enum {
    STYLES = 4,
    FEW_LAYERS = 6,
    MOST_GROUPS = 64,        /* of images: the program is repeated for each */
    FEW_INSTRUCTIONS = 3000, /* programs of which more variations are tried */
    SHORT_PROGRAM = 1000
};

/* Styles that are tried. The last one needs the least room on chip. */
static const struct style styles[STYLES] = {
    {.behind = true, .chains = true, .shorten_first = true},
    {.behind = true, .chains = true},
    {.behind = true, .shorten_first = true},
    {0},
};

/* Smaller machines: by how many halvings of each memory. Banks grow with the memory, and what is in
 * one bank comes and goes as a whole; what would be best on a smaller machine may be better. */
static const struct {
    int act, wgt, acc, par;
} smaller[] = {
    {1, 0, 0, 0}, {2, 0, 0, 0}, {3, 0, 0, 0}, {0, 1, 0, 0}, {0, 2, 0, 0},
    {0, 3, 0, 0}, {0, 0, 1, 0}, {0, 0, 2, 0}, {1, 1, 0, 0}, {1, 0, 1, 0},
    {0, 1, 1, 0}, {1, 1, 1, 1}, {2, 2, 0, 0}, {2, 2, 2, 1},
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
    uint64_t key;
    struct weft_error error;
};

/* Counts the cycles of a candidate, in memory of its own; they are 0 when it does not fit. */
static void try_candidate(void *context, size_t i) {
    struct trial *trial = &((struct trial *)context)[i];
    struct candidate *candidate = trial->candidate;
    struct weft_arena arena = {0};
    candidate->cycles = 0;
    if (setjmp(arena.on_failure)) {
        weft_arena_free(&arena);
        (void)weft_arena_failed(&arena, &trial->error);
        return;
    }
    struct attempt *attempt = WEFT_NEW(&arena, struct attempt);
    if (attempt_count(&arena, candidate, trial->known, 0, attempt, &trial->key,
                      &trial->error)) {
        candidate->cycles = attempt->outcome.cycles;
        candidate->instructions = attempt->outcome.instructions;
    }
    weft_arena_free(&arena);
}

/* Notes what a candidate is and what it takes; *best: the fewest cycles until then, 0: none. */
static void note_candidate(const struct search *search, const struct candidate *candidate,
                           uint64_t *best) {
    const struct weft_config *real = candidate->region->config;
    const struct weft_config *as_if = &candidate->as_if;
    const struct style *style = &candidate->style;
    char what[256];
    (void)snprintf(what, sizeof what,
                   "%s%s%s%s%s; %" PRId64 " groups of images; as if ACT / %" PRIu32
                   ", WGT / %" PRIu32 ", ACC / %" PRIu32 ", PAR / %" PRIu32,
                   style->behind ? "arithmetic behind products" : "each layer by itself",
                   style->chains ? ", chains" : "",
                   style->shorten_first ? ", shorter stripes first" : "",
                   candidate->hints != NULL ? ", layers cut in other ways" : "",
                   style->halve_loads ? ", short last LOADs" : "", candidate->region->groups,
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
                           struct weft_error *error) {
    size_t count = search->count - first;
    const struct candidate *best = search_fastest(search);
    uint64_t best_cycles = best == NULL ? 0 : best->cycles;
    struct trial *trials = WEFT_NEW_ARRAY(arena, count, struct trial);
    for (size_t i = 0; i < count; i++) {
        trials[i].candidate = &search->candidates[first + i];
        trials[i].known = &search->known;
    }
    weft_parallel(count, search->threads, try_candidate, trials);
    for (size_t i = 0; i < count; i++) {
        const struct candidate *candidate = trials[i].candidate;
        note_candidate(search, candidate, &best_cycles);
        if (candidate->cycles > 0) {
            known_add(&search->known, trials[i].key,
                      &(struct outcome){candidate->cycles, false, candidate->instructions});
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

/* All styles of a region in groups of `group` images; 0: all of them at once. */
static void add_styles(struct weft_arena *arena, const struct region *listed, int64_t group,
                       struct search *search) {
    const struct region *regions[2] = {NULL, NULL};
    for (int behind = 0; behind < 2; behind++) {
        const struct region_form form = {
            .behind = behind != 0, .group = group, .divisions = search->divisions};
        struct region *region = WEFT_NEW(arena, struct region);
        region_create(arena, listed, &form, region);
        regions[behind] = region;
    }
    for (int i = 0; i < STYLES; i++) {
        const struct candidate candidate = {
            .region = regions[styles[i].behind], .as_if = *listed->config, .style = styles[i]};
        add(arena, search, &candidate);
    }
}

static bool halve(uint32_t *bytes, int times, uint32_t least) {
    *bytes >>= times;
    return times == 0 || *bytes >= least;
}

/* Variations of a candidate on smaller machines; those that no configuration may describe are left
 * out. */
static void add_smaller(struct weft_arena *arena, const struct candidate *best,
                        struct search *search) {
    for (size_t i = 0; i < sizeof smaller / sizeof smaller[0]; i++) {
        struct candidate candidate = *best;
        struct weft_config *c = &candidate.as_if;
        uint32_t wgt = weft_banks(c, WEFT_MEMORY_WGT) * c->block * c->block;
        uint32_t acc = weft_banks(c, WEFT_MEMORY_ACC) * 4 * c->block * c->block;
        if (halve(&c->act_bytes, smaller[i].act, weft_banks(c, WEFT_MEMORY_ACT) * 8 * c->block) &&
            halve(&c->wgt_bytes, smaller[i].wgt, wgt) &&
            halve(&c->acc_bytes, smaller[i].acc, acc) &&
            halve(&c->par_bytes, smaller[i].par, 1024)) {
            add(arena, search, &candidate);
        }
    }
}

/* The best candidate improved, and the same with short last LOADs: with them other hints are best,
 * but looking for them again takes time. */
static bool add_improved(struct weft_arena *arena, struct search *search,
                         const struct candidate *best, struct weft_error *error) {
    size_t first = search->count;
    struct candidate improved = *best;
    struct candidate halved = *best;
    if (!improve_layers(arena, search->threads, &improved, &search->known, search->log, error)) {
        return false;
    }
    halved.style.halve_loads = true;
    halved.hints = best->instructions <= SHORT_PROGRAM ? NULL : improved.hints;
    if (halved.hints == NULL &&
        !improve_layers(arena, search->threads, &halved, &search->known, search->log, error)) {
        return false;
    }
    add(arena, search, &improved);
    add(arena, search, &halved);
    return try_candidates(arena, search, first, error);
}

/* Improves the fastest candidate from `first` to `end`, of `groups` groups if that is not 0. */
static bool improve_fastest(struct weft_arena *arena, struct search *search, size_t first,
                            size_t end, int64_t groups, struct weft_error *error) {
    const struct candidate *best = fastest_of(search, first, end, groups);
    if (best == NULL) {
        return true;
    }
    const struct candidate copy = *best;
    size_t variations = search->count + 2;
    if (!add_improved(arena, search, &copy, error)) {
        return false;
    }
    if (copy.instructions > FEW_INSTRUCTIONS) {
        return true;
    }
    add_smaller(arena, &copy, search);
    if (!try_candidates(arena, search, variations, error)) {
        return false;
    }
    best = fastest_of(search, variations, search->count, 0);
    if (best == NULL) {
        return true;
    }
    const struct candidate variation = *best;
    return add_improved(arena, search, &variation, error);
}

bool search_schedules(struct weft_arena *arena, const struct weft_config *config,
                      const struct weft_graph *graph, struct search_log *log, struct search *search,
                      struct weft_error *error) {
    struct region listed;
    *search = (struct search){.threads = weft_cores(), .log = log, .known.arena = arena};
    if (!region_read(arena, config, graph, &listed, error) ||
        !room_for_region(arena, &listed, &search->divisions, error)) {
        return false;
    }
    search->has_room = true;
    /* A thread takes longer to begin than a program of few layers to be tried. */
    search->threads = listed.layer_count < FEW_LAYERS ? 1 : search->threads;
    int64_t images = region_images(&listed);
    add_styles(arena, &listed, 0, search);
    for (int64_t group = images / 2; group > 0 && images / group <= MOST_GROUPS; group /= 2) {
        if (images % group == 0) {
            add_styles(arena, &listed, group, search);
        }
    }
    size_t whole = search->count;
    if (!try_candidates(arena, search, 0, error)) {
        return false;
    }
    const struct candidate *best = search_fastest(search);
    if (best == NULL) {
        return false;
    }
    /* One image after the other, too: more images must not cost more each. */
    int64_t groups = best->region->groups;
    int64_t most = search->candidates[whole - 1].region->groups;
    return improve_fastest(arena, search, 0, whole, 0, error) &&
           (groups == most || improve_fastest(arena, search, 0, whole, most, error));
}
