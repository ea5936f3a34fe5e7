/* What the bytes of a file are, of those that commands work on. */
#ifndef WEFT_CLI_OPERAND_KIND_H
#define WEFT_CLI_OPERAND_KIND_H

#include <stddef.h>
#include <stdint.h>

enum operand_kind {
    OPERAND_MODEL,  /* or a .weft file, or nothing that is known */
    OPERAND_BINARY, /* a program as weft asm writes it */
    OPERAND_TEXT,   /* a program as weft disasm prints it */
};

/* By what the bytes begin with; where that is no model and no .weft file, the name counts too:
 * X.asm is text, X.bin binary. */
enum operand_kind operand_kind_of(const char *path, const uint8_t *bytes, size_t length);

#endif
