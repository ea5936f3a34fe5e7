/* What is generated from the table of commands: manual pages, and completion for shells. */
#ifndef WEFT_CLI_PAGES_PAGES_H
#define WEFT_CLI_PAGES_PAGES_H

#include <stdio.h>

#include "cli/arguments.h"

enum {
    MOST_NAMES = 64 /* of a value */
};

/* weft.1, and weft-COMMAND.1. */
void write_manual(FILE *out);
void write_manual_of(FILE *out, const struct command *command);

/* Completion for bash and zsh. */
void write_bash(FILE *out);
void write_zsh(FILE *out);

#endif
