/* Writes two programs for an assembler: FIRST has every compressed instruction, SECOND what the
 * model makes of each, at the same addresses, so that a disassembler says the same of both. usage:
 * expansions FIRST SECOND */
#include <stdio.h>

#include "vp/cpu/expand.h"

enum {
    SLOT = 8,          /* bytes for each */
    ORIGIN = 0x100000, /* targets of jumps backwards are addresses, too */
};

static int write_program(const char *path, int expanded) {
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        return 1;
    }
    fprintf(file, ".org 0x%x\n", (unsigned)ORIGIN);
    for (unsigned halfword = 0; halfword < 1U << 16; halfword++) {
        if ((halfword & 3) == 3) {
            continue;
        }
        const unsigned word = cpu_expand(halfword);
        /* What is behind does not matter, but has to be an instruction of its own. */
        if (expanded && word != 0) {
            fprintf(file, ".word 0x%08x, 0x00000013\n", word);
        } else {
            fprintf(file, ".half 0x%04x, 0x0001, 0x0001, 0x0001\n", expanded ? 0 : halfword);
        }
    }
    return fclose(file) == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: expansions FIRST SECOND\n");
        return 2;
    }
    const int failed = write_program(argv[1], 0);
    return write_program(argv[2], 1) | failed;
}
