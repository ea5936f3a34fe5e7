/* Targets from outside, called from one place: whatever they say, errors are the driver's and the
 * compiler's own. */
#ifndef WEFT_COMPILER_EXTERNALS_H
#define WEFT_COMPILER_EXTERNALS_H

#include "compiler/module.h"

/* Has every target a name of its own and its functions? Error: WEFT_ARGUMENT, position: which. */
bool externals_check(size_t count, const struct weft_external_target *targets,
                     struct weft_error *error);

/* Compiles a region for the one of the targets that its attribute names. Errors: the target's own,
 * WEFT_TARGET. */
bool externals_compile(struct weft_arena *arena, size_t count,
                       const struct weft_external_target *targets, const struct weft_node *region,
                       struct weft_external *external, struct weft_error *error);

/* Appends the program's bytes. Errors: the target's own, WEFT_TARGET when there are none. */
bool externals_write(const struct weft_external *external, struct weft_text *bytes,
                     struct weft_error *error);

/* Makes a program of bytes of a file for a region of the target `name`, which `plugin` brings ("":
 * none). Errors: the target's own, WEFT_PLUGIN when it is not one of the targets. */
bool externals_read(struct weft_arena *arena, size_t count,
                    const struct weft_external_target *targets, const char *name,
                    const char *plugin, const struct weft_graph *body, const uint8_t *bytes,
                    size_t length, struct weft_external *external, struct weft_error *error);

#endif
