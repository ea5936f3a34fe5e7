/* Values that are the name of what is built in, or else a JSON file: configurations, technologies,
 * models of areas. */
#ifndef WEFT_CLI_BUILTIN_H
#define WEFT_CLI_BUILTIN_H

#include "cli/arguments.h"

/* Is a value of this kind one of them? */
bool value_is_named(enum value_kind kind);

/* The names of a kind, into names[most]; how many there are, 0 of other kinds. */
size_t builtin_names(enum value_kind kind, const char **names, size_t most);

bool is_builtin(enum value_kind kind, const char *name);

#endif
