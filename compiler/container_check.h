/* What a .weft file must fulfil beside its form, for container_read.c alone. */
#ifndef WEFT_COMPILER_CONTAINER_CHECK_H
#define WEFT_COMPILER_CONTAINER_CHECK_H

#include "compiler/module.h"

/* There is a program for every region of the graph, fits it, is free of faults, races and deadlocks
 * on any timing, and takes the cycles that it says. Errors: WEFT_CONTAINER, WEFT_LIMIT, the VERIFY
 * codes, WEFT_OUT_OF_MEMORY. */
bool container_check_segments(const struct weft_module *module, struct weft_error *error);

/* What the module asks for is within the limits. Error: WEFT_LIMIT. */
bool container_check_limits(const struct weft_module *module,
                            const struct weft_read_options *options, struct weft_error *error);

#endif
