/* The plugins of a command line (--plugin): loaded once, before the command runs, and there until
 * it has ended. */
#ifndef WEFT_CLI_PLUGINS_H
#define WEFT_CLI_PLUGINS_H

#include "cli/arguments.h"
#include "compiler/module.h"

/* Loads what --plugin names. Errors: those of weft_plugins_load(). */
bool plugins_open(const struct given *given, struct weft_error *error);

void plugins_close(void);

/* Sets passes and targets of a compilation, and of reading a .weft file. */
void plugins_use(struct weft_compile_options *options);
void plugins_use_to_read(struct weft_read_options *options);

#endif
