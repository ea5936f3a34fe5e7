/* The search for the fastest schedule: several styles, and the fastest of them with its layers cut
 * in other ways. */
#include "compiler/schedule/search.h"

/* Styles that are tried. The last one needs the least room on chip. */
static const struct style styles[STYLES] = {
    {.behind = true, .chains = true, .shorten_first = true},
    {.behind = true, .chains = true},
    {.behind = true, .shorten_first = true},
    {0},
};

struct candidate *search_fastest(struct search *search) {
    struct candidate *best = NULL;
    for (int i = 0; i < CANDIDATES; i++) {
        struct candidate *candidate = &search->candidates[i];
        if (candidate->cycles > 0 && (best == NULL || candidate->cycles < best->cycles)) {
            best = candidate;
        }
    }
    return best;
}

bool try_candidate(struct candidate *candidate, struct weft_error *error) {
    struct weft_arena arena = {0};
    if (setjmp(arena.on_failure)) {
        weft_arena_free(&arena);
        return weft_arena_failed(&arena, error);
    }
    struct attempt *attempt = WEFT_NEW(&arena, struct attempt);
    bool good = attempt_make(&arena, candidate, attempt, error);
    candidate->cycles = good ? attempt->cycles : 0;
    candidate->instructions = attempt->program.count;
    weft_arena_free(&arena);
    return good || error->code == WEFT_CAPACITY;
}

bool search_schedules(struct weft_arena *arena, const struct weft_config *config,
                      const struct weft_graph *region, struct search *search,
                      struct weft_error *error) {
    for (int behind = 0; behind < 2; behind++) {
        if (!region_create(arena, config, region, behind != 0, search->divisions,
                           &search->regions[behind], error)) {
            return false;
        }
    }
    for (int i = 0; i < STYLES; i++) {
        struct candidate *candidate = &search->candidates[i];
        candidate->region = &search->regions[styles[i].behind];
        candidate->style = styles[i];
        if (!try_candidate(candidate, error)) {
            return false;
        }
    }
    const struct candidate *best = search_fastest(search);
    if (best == NULL) {
        return false;
    }
    /* With short last LOADs other choices are best, but looking for them again takes time. */
    struct candidate *improved = &search->candidates[STYLES];
    struct candidate *halved = &search->candidates[STYLES + 1];
    *improved = *halved = *best;
    if (!improve_layers(arena, improved, error)) {
        return false;
    }
    halved->style.halve_loads = true;
    if (halved->instructions <= SHORT_PROGRAM) {
        return try_candidate(halved, error) &&
               (halved->cycles == 0 || improve_layers(arena, halved, error));
    }
    halved->hints = improved->hints;
    return try_candidate(halved, error);
}
