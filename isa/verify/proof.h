/* What weft_verify() says of a program that it proves right. */
#ifndef WEFT_ISA_VERIFY_PROOF_H
#define WEFT_ISA_VERIFY_PROOF_H

#include <stddef.h>
#include <stdint.h>

/* Steps that the comparisons of addresses of a program may take: about a second. Compiled programs
 * need few thousand. */
#define WEFT_VERIFY_STEPS (UINT64_C(1) << 27)

/* Bytes of memory that weft_verify() takes at most for each instruction. */
#define WEFT_VERIFY_BYTES 512

/* What was proved, for people to look at. */
struct weft_proof {
    size_t instructions;
    size_t tokens;        /* tokens given and taken */
    size_t bank_pairs;    /* owners of a bank in different units whose order was checked */
    size_t memory_pairs;  /* LOAD and STORE that can run at once, whose addresses were compared */
    uint64_t steps;       /* that comparisons of addresses took; at most WEFT_VERIFY_STEPS */
    uint32_t peak_tokens; /* most tokens that any semaphore can hold */
};

#endif
