/* What the models of a sweep are called where paths are too long: by the last parts of their paths
 * that tell them apart. */
#ifndef WEFT_SWEEP_NAMES_H
#define WEFT_SWEEP_NAMES_H

#include "base/arena.h"
#include "sweep/analyse.h"

/* Starts as zeros. */
struct sweep_names {
    struct weft_arena arena; /* owns everything below */
    size_t count;            /* models, each by each version of Weft: rows of one can be compared */
    const char **list;       /* all different */
    size_t *of_row;          /* index into the list */
};

/* A name is the end of the path from a slash on, as short as no other model's path ends with it;
 * where several models had that path the fingerprint is added, and where several versions of Weft
 * ran the model, the version. Error: WEFT_OUT_OF_MEMORY. */
bool sweep_names_find(struct sweep_names *names, const struct sweep_row *rows, size_t count,
                      struct weft_error *error);
void sweep_names_free(struct sweep_names *names);

#endif
