/* What a command was given to work on, where that may be a model or an assembled program. */
#ifndef WEFT_CLI_OPERAND_H
#define WEFT_CLI_OPERAND_H

#include "cli/arguments.h"
#include "cli/cli.h"
#include "cli/operand_kind.h"

struct operand {
    const char *path;
    uint8_t *bytes; /* owned */
    size_t length;
    enum operand_kind kind;
};

/* Reads it, and checks that no option was given that is for operands of another kind. False after a
 * message; release *operand with operand_free(). */
bool operand_read(const struct given *given, struct operand *operand);

void operand_free(struct operand *operand);

#endif
