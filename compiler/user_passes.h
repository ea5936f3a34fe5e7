/* Passes of one's own in the list of passes: where they stand, and what they may leave; for
 * compile.c alone. */
#ifndef WEFT_COMPILER_USER_PASSES_H
#define WEFT_COMPILER_USER_PASSES_H

#include "compiler/plugin.h"

/* The number in `names` (ended by NULL) of the pass that each of `count` passes comes right behind,
 * into `behind`. `last` is the number of the last pass that one can be behind. Error: WEFT_PLUGIN,
 * position: which pass. */
bool user_passes_place(size_t count, const struct weft_user_pass *passes, const char *const *names,
                       size_t last, size_t *behind, struct weft_error *error);

/* Runs a pass that comes behind the one called `behind`, and checks what it left. Errors: the
 * pass's own, WEFT_PLUGIN (position: the node, if it is one that is wrong). */
bool user_pass_run(const struct weft_user_pass *pass, const char *behind,
                   const struct weft_graph *graph, struct weft_graph **made,
                   struct weft_error *error);

#endif
