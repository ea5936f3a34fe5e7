/* The candidates of a search: what was tried, and what came of it. */
#ifndef WEFT_COMPILER_SCHEDULE_CANDIDATES_H
#define WEFT_COMPILER_SCHEDULE_CANDIDATES_H

#include "compiler/schedule/attempt.h"
#include "compiler/schedule/log.h"

struct search {
    const struct region *listed; /* what candidates' regions are made of */
    /* Of layers that would have no room, or NULL: with all images at once, and with as few as can
     * be, one frame or one image. */
    struct division *divisions, *fewest_divisions;
    bool has_room;  /* for every layer */
    int64_t frames; /* one after the other; 1: images as is fastest */
    int round;      /* from 1 on: later ones try more */
    struct crew crew;
    struct search_log *log; /* of what is tried, or NULL */
    struct candidate *candidates;
    size_t count, capacity;
    size_t ways[MULTIPLIED_WAYS + 1]; /* the first candidates of each way of multipliers */
    struct known known;
};

void add_candidate(struct weft_arena *arena, struct search *search,
                   const struct candidate *candidate);

/* The form that a candidate's region has. */
struct region_form candidate_form(const struct candidate *candidate);

/* Counts the cycles of all candidates from `first` on, up to `limit`, if that is not 0; they are 0
 * where a candidate does not fit. Error: that of the first that failed for another reason than that
 * it does not fit; if none did and some do not fit, *error is that of the last of them. */
bool try_candidates(struct weft_arena *arena, struct search *search, size_t first, uint64_t limit,
                    struct weft_error *error);

/* The same; the fastest of them takes the place of *best, if it is faster. */
bool take_faster(struct weft_arena *arena, struct search *search, size_t first,
                 struct candidate *best, struct weft_error *error);

/* The fastest of the candidates from `first` to `end`, those of `groups` groups of images alone, or
 * if that is 0 of all; NULL: none fits. */
struct candidate *fastest_of(const struct search *search, size_t first, size_t end, int64_t groups);

/* Halves the bytes of a memory that a candidate is made for; false: they would be less than
 * `least`, and stay as they are. */
bool halve_memory(uint32_t *bytes, uint32_t least);

#endif
