/* What a command was given to work on, where that may be a model or an assembled program. */
#ifndef WEFT_CLI_OPERAND_H
#define WEFT_CLI_OPERAND_H

#include "cli/arguments.h"
#include "cli/cli.h"

enum operand_kind {
    OPERAND_MODEL,  /* or a .weft file, or nothing that is known */
    OPERAND_BINARY, /* a program as weft asm writes it */
    OPERAND_TEXT,   /* a program as weft disasm prints it */
};

struct operand {
    const char *path;
    uint8_t *bytes; /* owned */
    size_t length;
    enum operand_kind kind;
};

/* By what the bytes begin with; where that is no model and no .weft file, the name counts too:
 * X.asm is text, X.bin binary. */
enum operand_kind operand_kind_of(const char *path, const uint8_t *bytes, size_t length);

/* Reads it, and checks that no option was given that is for operands of another kind. False after a
 * message; release *operand with operand_free(). */
bool operand_read(const struct given *given, struct operand *operand);

void operand_free(struct operand *operand);

#endif
