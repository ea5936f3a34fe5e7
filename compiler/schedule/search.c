/* The search for the fastest schedule: several styles, for all images at once or for some, as if
 * the machine were smaller than it is; and the fastest of them with its layers cut in other ways.
 */
#include "compiler/schedule/search.h"

#include "base/integer.h"
#include "compiler/schedule/refine.h"
#include "compiler/schedule/reorder.h"

enum {
    STYLES = 5,
    MOST_PARTS = 8,      /* of the pixels of layers abreast */
    MOST_MIXED = 32,     /* multipliers whose ways are tried one by one */
    MOST_GROUPS = 64,    /* of images: the program is repeated for each */
    FEWEST_FRAMES = 2,   /* that are counted: one and the seam to the next */
    MOST_COUNTED = 8,    /* frames, or groups of images */
    COUNTED_LAYERS = 256 /* of all that are counted, above the fewest */
};

/* Styles that are tried. The last one needs the least room on chip. */
static const struct style styles[STYLES] = {
    {.behind = true, .chains = true, .shorten_first = true},
    {.behind = true, .chains = true},
    {.behind = true, .chains = true, .shorten_first = true, .share_banks = true},
    {.behind = true, .shorten_first = true},
    {0},
};

/* ---- styles, groups of images, ways of multipliers ---- */

/* How many of many frames, one after the other, or groups of images are counted. What one saves at
 * its start it may cost at each seam, so several, but where compiling them takes long: there a seam
 * is next to nothing. Then one group stands for all, so that what is found for it is found for any
 * number of them. */
static int64_t counted_groups(const struct search *search, const struct region *region) {
    int64_t most = COUNTED_LAYERS / weft_max(region->layer_count, 1);
    int64_t fewest = search->frames > 1 ? FEWEST_FRAMES : 1;
    most = search->frames == 1 && most < MOST_COUNTED ? 1 : most;
    return weft_min(region->groups, weft_clamp(most, fewest, MOST_COUNTED));
}

/* The images of a frame, where frames can be taken one after the other; 0: all images at once. */
static int64_t frame_images(const struct search *search) {
    int64_t images = region_images(search->listed);
    return images % search->frames == 0 ? images / search->frames : 0;
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
        region->counted = counted_groups(search, region);
        regions[behind] = region;
    }
    struct weft_config as_if = *listed->config;
    do {
        for (int i = 0; i < STYLES; i++) {
            struct candidate candidate = {
                .region = regions[styles[i].behind], .as_if = as_if, .style = styles[i]};
            candidate.style.apart = styles[i].behind && are_rams_shared(&as_if);
            add_candidate(arena, search, &candidate);
            candidate.style.whole_rams = true;
            if (are_rams_shared(&as_if)) {
                add_candidate(arena, search, &candidate);
            }
        }
    } while (search->frames == 1 && region_images(listed) > 1 &&
             halve_memory(&as_if.act_bytes, least_as_if(&as_if, WEFT_MEMORY_ACT)));
}

/* The same, all at once and in all groups that images can be taken in; frames one after the other,
 * where they can be. With `fewest` layers are divided as few images need it, which others may have
 * no room for. */
static void add_groups(struct weft_arena *arena, const struct region *listed,
                       const struct division *divisions, const struct division *fewest,
                       struct search *search) {
    if (search->frames > 1) {
        add_styles(arena, listed, fewest, frame_images(search), search);
        return;
    }
    int64_t images = region_images(listed);
    add_styles(arena, listed, divisions, 0, search);
    for (int64_t group = images / 2; group > 0 && images / group <= MOST_GROUPS; group /= 2) {
        if (images % group == 0) {
            add_styles(arena, listed, fewest, group, search);
            if (fewest != divisions && group > 1) {
                add_styles(arena, listed, divisions, group, search);
            }
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
    add_groups(arena, listed, search->divisions, search->fewest_divisions, search);
    for (int64_t way = MULTIPLIED_DENSE + 1; way < MULTIPLIED_WAYS; way++) {
        struct division *divisions = copy_divisions(arena, listed, search->divisions);
        struct division *fewest = search->fewest_divisions == search->divisions
                                      ? divisions
                                      : copy_divisions(arena, listed, search->fewest_divisions);
        search->ways[way] = search->count;
        if (multiply_all(listed, way, divisions)) {
            multiply_all(listed, way, fewest);
            add_groups(arena, listed, divisions, fewest, search);
        }
    }
    search->ways[MULTIPLIED_WAYS] = search->count;
}

/* The region of a candidate in another form: with other divisions, or with layers abreast. */
static struct region *region_like(struct weft_arena *arena, const struct region *listed,
                                  const struct candidate *like, const struct division *divisions,
                                  int64_t parts) {
    struct region_form form = candidate_form(like);
    form.parts = parts;
    form.divisions = divisions;
    struct region *region = WEFT_NEW(arena, struct region);
    region_create(arena, listed, &form, region);
    return region;
}

/* A candidate with other divisions. */
static void add_like(struct weft_arena *arena, const struct region *listed,
                     const struct candidate *like, const struct division *divisions,
                     struct search *search) {
    struct candidate candidate = *like;
    candidate.region = region_like(arena, listed, like, divisions, like->region->parts);
    add_candidate(arena, search, &candidate);
}

/* ---- layers abreast ---- */

/* So many cycles may become fewer than so many others when layers are cut in other ways. */
static uint64_t slower(uint64_t cycles) {
    return cycles + cycles / 8;
}

/* The fastest, and what needs less room, with layers abreast in more and more parts, if there are
 * any such layers. */
static bool try_abreast(struct weft_arena *arena, const struct region *listed,
                        struct search *search, struct weft_error *error) {
    const struct candidate best = *search_fastest(search);
    size_t first = search->count;
    bool any = true;
    for (int64_t parts = 2; parts <= MOST_PARTS && any; parts *= 2) {
        struct candidate candidate = best;
        struct region *region = region_like(arena, listed, &best, best.region->divisions, parts);
        any = has_abreast(region);
        candidate.region = region;
        for (int i = 0; i < 4 && any; i++) {
            candidate.style.share_banks = i % 2 != 0;
            candidate.style.apart = best.style.behind && i / 2 != 0;
            add_candidate(arena, search, &candidate);
        }
    }
    return try_candidates(arena, search, first, slower(best.cycles), error);
}

/* The fastest candidate with layers abreast in so many parts; NULL: there is none. */
static const struct candidate *fastest_abreast(const struct search *search, int64_t parts) {
    const struct candidate *best = NULL;
    for (size_t i = 0; i < search->count; i++) {
        const struct candidate *other = &search->candidates[i];
        if (other->region->parts == parts && other->cycles > 0 &&
            (best == NULL || other->cycles < best->cycles)) {
            best = other;
        }
    }
    return best;
}

/* ---- other ways of multipliers ---- */

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

/* Refines a candidate that was tried, and puts its layers into a faster order. A short program is
 * refined again after that: which cuts are best may depend on it. */
static bool refine_and_reorder(struct weft_arena *arena, struct search *search,
                               const struct candidate *tried, struct weft_error *error) {
    size_t first = search->count;
    size_t noted = search->log == NULL ? 0 : search->log->count;
    if (!refine_candidate(arena, search, tried, error)) {
        return false;
    }
    const struct candidate *refined = fastest_of(search, first, search->count, 0);
    struct candidate best = refined != NULL && refined->cycles < tried->cycles ? *refined : *tried;
    const struct region *before = best.region;
    return reorder_layers(arena, search, noted, &best, error) &&
           (best.region == before || instructions_of_group(&best) > FEW_INSTRUCTIONS ||
            refine_candidate(arena, search, &best, error));
}

/* The same of one that is not the fastest. What was noted of layers is kept of the one alone that
 * is the fastest then: those of others are other ones. */
static bool refine_other(struct weft_arena *arena, struct search *search,
                         const struct candidate *tried, struct weft_error *error) {
    const struct candidate copy = *tried; /* the list of candidates grows */
    size_t noted = search->log == NULL ? 0 : search->log->count;
    uint64_t before = search_fastest(search)->cycles;
    if (!refine_and_reorder(arena, search, &copy, error)) {
        return false;
    }
    if (search_fastest(search)->cycles < before) {
        search_forget_layers(search->log, 0, noted);
    } else {
        search_forget_layers(search->log, noted, SIZE_MAX);
    }
    return true;
}

/* Which number of parts is fastest shows when layers are cut well. */
static bool improve_abreast(struct weft_arena *arena, struct search *search,
                            const struct candidate *whole, struct weft_error *error) {
    for (int64_t parts = 2; parts <= MOST_PARTS; parts *= 2) {
        const struct candidate *best = fastest_abreast(search, parts);
        if (best != NULL && best->region->parts != whole->region->parts &&
            best->cycles < slower(whole->cycles) && !refine_other(arena, search, best, error)) {
            return false;
        }
    }
    return true;
}

/* Improves the fastest candidates of the other ways of multipliers, if they are short and not much
 * slower. */
static bool improve_ways(struct weft_arena *arena, struct search *search,
                         const struct candidate *whole, struct weft_error *error) {
    for (int way = 0; way < MULTIPLIED_WAYS; way++) {
        const struct candidate *best =
            fastest_of(search, search->ways[way], search->ways[way + 1], 0);
        if (best == NULL || best->region->divisions == whole->region->divisions ||
            instructions_of_group(best) > FEW_INSTRUCTIONS ||
            best->cycles > whole->cycles * 3 / 2) {
            continue;
        }
        if (!refine_other(arena, search, best, error)) {
            return false;
        }
    }
    return true;
}

/* Improves the fastest of the first `whole` candidates that take images in other groups than the
 * fastest of all, if they are not much slower: more images must not cost more each, and what is
 * fastest for some, all at once or not, must be found for more. */
static bool improve_groups(struct weft_arena *arena, struct search *search, size_t whole,
                           const struct candidate *fastest, struct weft_error *error) {
    int64_t most = search->frames > 1 ? 0 : search->candidates[whole - 1].region->groups;
    for (int64_t groups = most; groups > 1; groups--) {
        const struct candidate *best = fastest_of(search, 0, whole, groups);
        bool is_tried = best != NULL && groups != fastest->region->groups &&
                        (groups == most || best->cycles - fastest->cycles < fastest->cycles / 32);
        if (is_tried && !refine_other(arena, search, best, error)) {
            return false;
        }
    }
    return true;
}

/* First tiles of the fastest candidate, and of the fastest that takes images one after the other,
 * in `groups` groups: the operand of each is made right before it is read. */
static bool improve_inputs(struct weft_arena *arena, struct search *search, int64_t groups,
                           struct weft_error *error) {
    const struct candidate fastest = *search_fastest(search);
    const struct candidate *single = fastest_of(search, 0, search->count, groups);
    const struct candidate copy = single == NULL ? fastest : *single;
    return refine_inputs(arena, search, &fastest, error) &&
           (fastest.region->groups == copy.region->groups ||
            refine_inputs(arena, search, &copy, error));
}

/* The one of the first `whole` candidates that takes the next more cycles than `cycles`; NULL:
 * there is none. */
static const struct candidate *next_slower(const struct search *search, size_t whole,
                                           uint64_t cycles) {
    const struct candidate *next = NULL;
    for (size_t i = 0; i < whole; i++) {
        const struct candidate *other = &search->candidates[i];
        if (other->cycles > cycles && (next == NULL || other->cycles < next->cycles)) {
            next = other;
        }
    }
    return next;
}

/* Rounds of more effort: each improves the fastest once more, and then the next of the styles, from
 * the fastest on, as the first round did with that. What less effort tries has been tried before,
 * so more never comes to more cycles. */
static bool search_on(struct weft_arena *arena, struct search *search, size_t whole,
                      uint32_t effort, struct weft_error *error) {
    uint64_t begun = fastest_of(search, 0, whole, 0)->cycles;
    for (search->round = 2; (uint32_t)search->round <= effort; search->round++) {
        const struct candidate *next = next_slower(search, whole, begun);
        const struct candidate copy = next == NULL ? (struct candidate){0} : *next;
        begun = next == NULL ? begun : copy.cycles;
        if (!refine_again(arena, search, error)) {
            return false;
        }
        struct candidate again = *search_fastest(search);
        if (!reorder_layers(arena, search, 0, &again, error) ||
            (next != NULL && !refine_other(arena, search, &copy, error))) {
            return false;
        }
    }
    return true;
}

static void assemble(struct weft_arena *arena, struct weft_team *team, struct crew *crew) {
    crew->team = team;
    for (unsigned i = 0; i < weft_team_size(team); i++) {
        crew->arenas[i] = weft_arena_child(arena);
    }
}

struct candidate *search_fastest(const struct search *search) {
    return fastest_of(search, 0, search->count, 0);
}

/* Divides layers that would have no room: of all images at once, where these are tried, and of the
 * fewest that can be taken, which may have room where all have none. */
static bool find_room(struct weft_arena *arena, struct search *search, struct weft_error *error) {
    const struct region *listed = search->listed;
    if (search->frames > 1) {
        bool good = room_for_region(arena, listed, frame_images(search), &search->divisions, error);
        search->fewest_divisions = search->divisions;
        return good;
    }
    bool good = room_for_region(arena, listed, 0, &search->divisions, error);
    search->fewest_divisions = search->divisions;
    bool is_crowded = good ? search->divisions != NULL : error->code == WEFT_CAPACITY;
    if (!is_crowded || region_images(listed) == 1) {
        return good;
    }
    struct division *single = NULL;
    if (room_for_region(arena, listed, 1, &single, error)) {
        search->fewest_divisions = single;
        search->divisions = good ? search->divisions : single;
        return true;
    }
    return good && error->code == WEFT_CAPACITY;
}

bool search_schedules(struct weft_arena *arena, const struct weft_config *config,
                      const struct weft_graph *graph, const struct schedule_terms *terms,
                      struct search_log *log, struct search *search, struct weft_error *error) {
    struct region *listed = WEFT_NEW(arena, struct region);
    *search = (struct search){
        .listed = listed, .frames = terms->frames, .round = 1, .log = log, .known.arena = arena};
    if (!region_read(arena, config, graph, listed, error) || !find_room(arena, search, error)) {
        return false;
    }
    search->has_room = true;
    assemble(arena, terms->team, &search->crew);
    add_ways(arena, listed, search);
    size_t whole = search->count;
    if (!try_candidates(arena, search, 0, 0, error)) {
        return false;
    }
    if (search_fastest(search) == NULL ||
        (count_multipliers(listed) > 1 && !mix_ways(arena, listed, search, error)) ||
        !try_abreast(arena, listed, search, error)) {
        return false;
    }
    const struct candidate fastest = *search_fastest(search);
    int64_t most = search->candidates[whole - 1].region->groups;
    return refine_and_reorder(arena, search, &fastest, error) &&
           improve_abreast(arena, search, &fastest, error) &&
           improve_ways(arena, search, &fastest, error) &&
           improve_groups(arena, search, whole, &fastest, error) &&
           improve_inputs(arena, search, most, error) &&
           search_on(arena, search, whole, terms->effort, error);
}
