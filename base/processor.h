/* The vectors of the processor that this program runs on. */
#ifndef WEFT_BASE_PROCESSOR_H
#define WEFT_BASE_PROCESSOR_H

#include <stdbool.h>

enum weft_vectors {
    WEFT_VECTORS_ANY,    /* what every processor of this kind has */
    WEFT_VECTORS_AVX2,   /* x86-64-v3 */
    WEFT_VECTORS_AVX512, /* x86-64-v4 */
    WEFT_VECTORS_DOT,    /* AArch64 with SDOT and UDOT, which all have from Armv8.4 on */
    WEFT_VECTORS,
};

/* True when the processor has them. */
bool weft_vectors_available(enum weft_vectors vectors);

/* The widest there are. */
enum weft_vectors weft_vectors_best(void);

#endif
