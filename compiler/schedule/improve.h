/* A candidate with its layers cut in other ways. */
#ifndef WEFT_COMPILER_SCHEDULE_IMPROVE_H
#define WEFT_COMPILER_SCHEDULE_IMPROVE_H

#include "compiler/schedule/attempt.h"
#include "compiler/schedule/log.h"

/* Looks for better hints for the layers of a candidate that fits, on `threads` threads; notes in
 * `log`, which may be NULL, what was tried. */
bool improve_layers(struct weft_arena *arena, unsigned threads, struct candidate *best,
                    struct search_log *log, struct weft_error *error);

#endif
