/* What instructions do: one file each in this folder, in a plain version that is the definition
 * and, where it matters, a fast one for each kind of host processor. Both give the same bytes. */
#ifndef WEFT_SIM_EXEC_EXEC_H
#define WEFT_SIM_EXEC_EXEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "isa/config.h"
#include "isa/isa.h"

/* Kernels by what the host processor must have. */
enum weft_host {
    WEFT_HOST_PLAIN,  /* the reference version */
    WEFT_HOST_C,      /* the fast version in portable C */
    WEFT_HOST_AVX2,   /* x86-64-v3 */
    WEFT_HOST_AVX512, /* x86-64-v4 with VNNI */
    WEFT_HOST_NEON,   /* AArch64 with dot products of bytes */
    WEFT_HOSTS,
};

/* "plain", "c", "avx2", "avx512", "neon". */
extern const char *const weft_host_names[WEFT_HOSTS];

/* True when this program was built with these kernels and this processor can run them. */
bool weft_host_available(enum weft_host host);

/* The fastest kernels available. */
enum weft_host weft_host_best(void);

/* All memory of a machine. Arrays have WEFT_STATE_SLACK bytes after their end for wide reads. */
struct weft_state {
    const struct weft_config *config;
    int8_t *act;
    int8_t *wgt;  /* rows of B bytes: row j holds the weights of tap (or input lane) j, one for each
                     lane */
    int32_t *acc; /* entries of B */
    uint8_t *par;
    uint8_t *lut; /* entry e of lane l is lut[e * B + l] */
    struct {
        uint8_t *bytes; /* not owned */
        uint64_t limit; /* bytes */
    } region[WEFT_REGIONS];
    uint32_t writable; /* bit r: STORE may write region r */
};

enum {
    WEFT_STATE_SLACK = 64
};

/* On-chip memories filled with zeros. `config` must outlive the state. Error: WEFT_OUT_OF_MEMORY.
 */
bool weft_state_create(const struct weft_config *config, struct weft_state *state,
                       struct weft_error *error);
void weft_state_free(struct weft_state *state);

/* Where its on-chip memories lie, weft_memory_bytes() each. */
void weft_state_memories(const struct weft_state *state, uint8_t *memories[WEFT_MEMORIES]);

/* The regions of a state without their bytes. */
struct weft_regions weft_state_regions(const struct weft_state *state);

/* Carries out one instruction. Its footprint must lie inside the memories and regions. */
void weft_execute(struct weft_state *state, enum weft_host host,
                  const struct weft_instruction *instruction);

#endif
