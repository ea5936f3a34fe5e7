/* A candidate with its layers cut in other ways. */
#ifndef WEFT_COMPILER_SCHEDULE_IMPROVE_H
#define WEFT_COMPILER_SCHEDULE_IMPROVE_H

#include "compiler/schedule/attempt.h"
#include "compiler/schedule/log.h"

/* Looks for better hints for the layers of a candidate that fits, beginning with its own; notes
 * in `log`, which may be NULL, what was tried. Adds to what is known. */
bool improve_layers(struct weft_arena *arena, const struct crew *crew, struct candidate *best,
                    struct known *known, struct search_log *log, struct weft_error *error);

#endif
