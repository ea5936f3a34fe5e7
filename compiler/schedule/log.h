/* What a search tried, for people: kept beside the schedule that it chose. */
#ifndef WEFT_COMPILER_SCHEDULE_LOG_H
#define WEFT_COMPILER_SCHEDULE_LOG_H

#include "compiler/schedule/saved.h"

/* Initialise with an arena of its own, which outlives the search and may run out of memory: that
 * sets `failed`. `tell`, which may be NULL, is called with what is noted, by the thread that
 * searches. */
struct search_log {
    struct weft_arena *arena;
    struct saved_try *tries;
    size_t count, capacity;
    bool failed;
    void (*tell)(void *context, size_t noted);
    void *context;
};

/* Forgets what was noted of layers in the notes [first, end): of a region whose layers are not
 * those of the one that is kept. `log` may be NULL. */
void search_forget_layers(struct search_log *log, size_t first, size_t end);

/* What was noted of layer i, from the note `first` on, is of layer to[i]. `log` may be NULL. */
void search_renumber_layers(struct search_log *log, size_t first, const int *to);

/* Notes that something was tried: for all of the region (layer -1), or for a layer and those like
 * it. `cycles`: 0 when it does not fit; `best`: of the best
 * until then, 0 when there is none. `log` may be NULL. */
void search_note(struct search_log *log, int layer, const char *what, uint64_t cycles,
                 uint64_t best);

#endif
