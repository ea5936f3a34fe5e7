/* Programs that make a list of accesses on a system's bus. */
#ifndef WEFT_TESTS_SOC_ACCESSES_H
#define WEFT_TESTS_SOC_ACCESSES_H

#include <stddef.h>
#include <stdint.h>

enum access_kind {
    ACCESS_WRITE,      /* of a word */
    ACCESS_WRITE_BYTE, /* its lowest byte */
    ACCESS_READ,       /* of a word, which goes to the results */
    ACCESS_READ_BYTE,
    ACCESS_WAIT,        /* reads a word until it has all of these bits */
    ACCESS_INTERRUPTED, /* waits for the external interrupt, of a CPU that has machine mode */
    ACCESS_ILLEGAL,     /* an instruction that does not exist */
};

struct access {
    enum access_kind kind;
    uint32_t address;
    uint32_t value;
};

enum {
    ACCESS_RESULTS = 0x100000, /* offset in RAM of what was read, a word each */
};

/* Puts the program at the beginning of RAM; after the last access it stays where it is. */
void accesses_make(const struct access *accesses, size_t count, uint8_t *ram);

#endif
