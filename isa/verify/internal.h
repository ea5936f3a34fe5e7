/* Shared by the files of isa/verify alone. */
#ifndef WEFT_ISA_VERIFY_INTERNAL_H
#define WEFT_ISA_VERIFY_INTERNAL_H

#include "isa/claims.h"
#include "isa/footprint.h"
#include "isa/verify/proof.h"

/* rules.c: what can be said of one instruction by itself. Errors: PROGRAM is not among them; see
 * weft_verify(). Adds to proof->steps. */
bool verify_instruction(const struct weft_config *config,
                        const struct weft_instruction *instruction, size_t number,
                        const struct weft_regions *regions, struct weft_proof *proof,
                        struct weft_error *error);

/* rules.c: is there an end to the comparisons? Error: WEFT_LIMIT. */
bool verify_steps(const struct weft_proof *proof, size_t number, struct weft_error *error);

/* Which instructions are known to have finished when one starts. */
struct happens_before {
    size_t count[WEFT_UNITS];     /* instructions of each unit */
    uint32_t *number[WEFT_UNITS]; /* their numbers in the program */
    /* known[unit][i][other]: how many instructions of `other` have finished before instruction i of
     * `unit` starts, on any timing; never decreases with i. */
    uint32_t (*known[WEFT_UNITS])[WEFT_UNITS];
    /* giver[producer][consumer][k]: index within `producer` of the instruction that gives token k;
     * taker: index within `consumer` of the one that takes it. */
    uint32_t *giver[WEFT_UNITS][WEFT_UNITS];
    uint32_t *taker[WEFT_UNITS][WEFT_UNITS];
    size_t tokens[WEFT_UNITS][WEFT_UNITS];
};

/* clocks.c. Errors: WEFT_VERIFY_BALANCE, WEFT_VERIFY_DEADLOCK, WEFT_OUT_OF_MEMORY. */
bool happens_before_create(const struct weft_config *config,
                           const struct weft_instruction *instructions, size_t count,
                           struct happens_before *order, struct weft_error *error);
void happens_before_free(struct happens_before *order);

/* races.c */
bool verify_overflow(const struct weft_config *config, const struct happens_before *order,
                     struct weft_proof *proof, struct weft_error *error);
bool verify_bank_races(const struct weft_config *config,
                       const struct weft_instruction *instructions,
                       const struct happens_before *order, struct weft_proof *proof,
                       struct weft_error *error);
bool verify_memory_races(const struct weft_config *config,
                         const struct weft_instruction *instructions,
                         const struct happens_before *order, struct weft_proof *proof,
                         struct weft_error *error);

#endif
