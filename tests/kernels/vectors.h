/* Calls of kernels with what came of them: written on the host, repeated on every processor of
 * firmware. All numbers are little-endian words, places are offsets in bytes from the first byte of
 * the file, which lies at a multiple of 16. */
#ifndef WEFT_TESTS_KERNELS_VECTORS_H
#define WEFT_TESTS_KERNELS_VECTORS_H

#include <stdint.h>

#define VECTORS_MAGIC UINT32_C(0x54434556) /* "VECT" */

struct vectors {
    uint32_t magic;
    uint32_t count;
    uint32_t first; /* struct vector */
    uint32_t bytes; /* of the file */
};

enum vector_state {
    VECTOR_NO_STATE,
    VECTOR_RESET,   /* a kernel with a state, after a reset */
    VECTOR_CONTINUE /* and after the call before */
};

struct vector {
    uint32_t next;       /* the vector after this one; 0: none */
    uint32_t kernel;     /* enum weft_kernel */
    uint32_t status;     /* enum weft_kernel_status */
    uint32_t state;      /* enum vector_state */
    uint32_t parameters; /* at a multiple of 16 */
    uint32_t parameter_bytes;
    uint32_t inputs; /* struct vector_tensor */
    uint32_t input_count;
    uint32_t outputs; /* struct vector_tensor: what is expected */
    uint32_t output_count;
};

struct vector_tensor {
    uint32_t at;
    uint32_t bytes;
    uint32_t is_float; /* 1: float32, of which two that are not a number are equal */
};

/* A call that came to something else. */
struct vector_report {
    uint32_t vector; /* counted from 0 */
    uint32_t kernel;
    uint32_t status; /* that the kernel returned */
    uint32_t differ; /* elements of float outputs, bytes of others */
    uint32_t beyond; /* bytes behind outputs that were written */
    uint32_t most;   /* how far the most different floats are apart, in units of the last place;
                        UINT32_MAX: far */
};

/* Repeats all calls, with inputs at odd addresses, in `room` bytes at `memory` (a multiple of 16),
 * and tells `report` of each that came to something else. Returns how many did; UINT32_MAX: these
 * are no vectors, or there is no room. */
uint32_t run_vectors(const uint8_t *vectors, uint8_t *memory, uint64_t room,
                     void (*report)(const struct vector_report *report));

#endif
