#include "compiler/schedule/candidates.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void add_candidate(struct weft_arena *arena, struct search *search,
                   const struct candidate *candidate) {
    search->candidates = weft_arena_grow(arena, search->candidates, search->count,
                                         &search->capacity, sizeof *search->candidates);
    search->candidates[search->count++] = *candidate;
}

struct region_form candidate_form(const struct candidate *candidate) {
    const struct region *region = candidate->region;
    return (struct region_form){.behind = candidate->style.behind,
                                .group = region->groups > 1 ? region->group : 0,
                                .counted = region->counted,
                                .parts = region->parts,
                                .divisions = region->divisions,
                                .order = region->order};
}

struct candidate *fastest_of(const struct search *search, size_t first, size_t end,
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

bool halve_memory(uint32_t *bytes, uint32_t least) {
    bool can_be = *bytes / 2 >= least;
    *bytes >>= can_be;
    return can_be;
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
static bool key_of(struct weft_arena *arena, void *context, struct weft_error *error) {
    struct trial *trial = context;
    return attempt_key(arena, trial->candidate, &trial->key, error);
}

static void find_key(void *context, unsigned thread, size_t i) {
    struct trial *trial = &((struct trial *)context)[i];
    trial->fits = weft_arena_do(trial->crew->arenas[thread], key_of, trial, &trial->error);
}

/* Counts the cycles of a candidate. */
static bool count_candidate(struct weft_arena *arena, void *context, struct weft_error *error) {
    struct trial *trial = context;
    struct attempt *attempt = WEFT_NEW(arena, struct attempt);
    bool good = attempt_try(arena, trial->candidate, NULL, trial->known, trial->limit, attempt,
                            &trial->key, error);
    trial->outcome = attempt->outcome;
    return good;
}

/* The same of one that fits and is like none before it. */
static void try_candidate(void *context, unsigned thread, size_t i) {
    struct trial *trial = &((struct trial *)context)[i];
    if (trial->fits && trial->like == NULL) {
        trial->fits =
            weft_arena_do(trial->crew->arenas[thread], count_candidate, trial, &trial->error);
    }
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
    trial->candidate->is_least = trial->outcome.is_least;
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

static const char *const others_names[OTHERS_WAYS] = {
    [OTHERS_NONE] = "",
    [OTHERS_FUNCTIONS] = ", functions of one byte between tiles of others",
    [OTHERS_ALL] = ", work of VECTOR between tiles of others"};

/* Notes what a candidate is and what it takes; *best: the fewest cycles until then, 0: none. */
static void note_candidate(const struct search *search, const struct candidate *candidate,
                           uint64_t *best) {
    const struct weft_config *real = candidate->region->config;
    const struct weft_config *as_if = &candidate->as_if;
    const struct style *style = &candidate->style;
    char what[400];
    char kept[64] = "";
    char ways[80] = "";
    int repeated = count_way(candidate->region, MULTIPLIED_REPEATED);
    int passes = count_way(candidate->region, MULTIPLIED_PASSES);
    if (repeated + passes > 0) {
        (void)snprintf(ways, sizeof ways, ", multipliers: %d with repeated channels, %d in passes",
                       repeated, passes);
    }
    if (style->kept_banks > 0) {
        (void)snprintf(kept, sizeof kept, ", %" PRId64 " banks kept%s%s", style->kept_banks,
                       style->keep_longest ? ", of the longest LOADs" : "",
                       style->keep_in_group ? " within a group" : "");
    }
    (void)snprintf(
        what, sizeof what,
        "%s%s%s%s%s%s%s%s%s%s%s%s%s; %" PRId64 " groups of images; as if ACT / %" PRIu32
        ", WGT / %" PRIu32 ", ACC / %" PRIu32 ", PAR / %" PRIu32,
        style->behind ? "arithmetic behind products" : "each layer by itself",
        style->chains ? ", chains" : "", style->shorten_first ? ", shorter stripes first" : "",
        style->share_banks ? ", blocks share banks" : "",
        candidate->hints != NULL ? ", layers cut in other ways" : "",
        candidate->region->order != NULL ? ", in another order" : "",
        style->halve_loads ? ", short last LOADs" : "", style->whole_rams ? ", whole RAMs" : "",
        others_names[style->beside], style->apart ? ", products apart" : "",
        style->plain_weights ? ", plain weights" : "", kept, ways, candidate->region->groups,
        real->act_bytes / as_if->act_bytes, real->wgt_bytes / as_if->wgt_bytes,
        real->acc_bytes / as_if->acc_bytes, real->par_bytes / as_if->par_bytes);
    if (candidate->region->parts > 0) {
        size_t length = strlen(what);
        (void)snprintf(what + length, sizeof what - length, ", layers abreast in %" PRId64 " parts",
                       candidate->region->parts);
    }
    search_note(search->log, -1, what, candidate->cycles, *best);
    if (candidate->cycles > 0 && (*best == 0 || candidate->cycles < *best)) {
        *best = candidate->cycles;
    }
}

bool try_candidates(struct weft_arena *arena, struct search *search, size_t first, uint64_t limit,
                    struct weft_error *error) {
    size_t count = search->count - first;
    const struct candidate *best = fastest_of(search, 0, search->count, 0);
    uint64_t best_cycles = best == NULL ? 0 : best->cycles;
    struct trial *trials = WEFT_NEW_ARRAY(arena, count, struct trial);
    for (size_t i = 0; i < count; i++) {
        trials[i].candidate = &search->candidates[first + i];
        trials[i].known = &search->known;
        trials[i].crew = &search->crew;
        trials[i].limit = limit;
    }
    weft_team_run(search->crew.team, count, find_key, trials);
    find_likes(trials, count);
    weft_team_run(search->crew.team, count, try_candidate, trials);
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

bool take_faster(struct weft_arena *arena, struct search *search, size_t first,
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
