/* Every command of weft: what it takes, and what its help and its manual page say. */
#ifndef WEFT_CLI_COMMANDS_H
#define WEFT_CLI_COMMANDS_H

#include "cli/arguments.h"

extern const struct command commands[]; /* ended by a NULL name */

/* NULL: there is none. */
const struct command *command_find(const char *name);

/* Names that a value of this kind can have, into names[most]; how many there are, 0 of kinds that
 * have no such list. */
size_t value_names(enum value_kind kind, const char **names, size_t most);

#endif
