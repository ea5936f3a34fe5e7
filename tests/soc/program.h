/* Random programs of RV32IMC, the same for a model and for RTL. */
#ifndef WEFT_TESTS_SOC_PROGRAM_H
#define WEFT_TESTS_SOC_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum {
    PROGRAM_RAM_BYTES = 4 << 20,
    /* Offsets in RAM: where loads and stores go, in what VexRiscv caches and behind it, and where
     * each checkpoint puts registers 1 to 31. */
    PROGRAM_WINDOW = 0x100000,
    PROGRAM_FAR_WINDOW = 0x240000,
    PROGRAM_WINDOW_BYTES = 4096,
    PROGRAM_CHECKPOINTS = 0x300000,
    PROGRAM_CHECKPOINT_BYTES = 128, /* entry 0 is not written */
};

struct program_options {
    uint64_t seed;
    uint32_t items; /* instructions, or a few that belong together */
    bool has_csr;   /* with instructions on mscratch, too */
};

/* Fills RAM of PROGRAM_RAM_BYTES, all of it, with a program at its beginning and random windows.
 * Branches and jumps go forward, so it ends: by a write of 0x5555 to the test finisher. */
void program_make(const struct program_options *options, uint8_t *ram);

#endif
