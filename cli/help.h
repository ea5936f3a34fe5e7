/* What --help and --version print. */
#ifndef WEFT_CLI_HELP_H
#define WEFT_CLI_HELP_H

#include <stdio.h>

#include "cli/arguments.h"

/* All commands, a line for each. */
void help_print_all(FILE *out);

/* One command with its operand and options. */
void help_print(FILE *out, const struct command *command);

/* Versions of the program, of the files it writes and of the instruction set. */
void help_print_version(FILE *out);

#endif
