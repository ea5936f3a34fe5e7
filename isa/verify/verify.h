/* Proves that a program runs without fault, race or deadlock, whatever the timing, or names what is
 * wrong.
 *
 * The proof uses only what the machine guarantees on any timing: units start their instructions in
 * program order and finish them in program order, tokens are given at a finish and taken at a
 * start, dispatch fills bounded queues in program order. It therefore holds for any memory latency
 * and bandwidth.
 */
#ifndef WEFT_ISA_VERIFY_VERIFY_H
#define WEFT_ISA_VERIFY_VERIFY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "isa/config.h"
#include "isa/isa.h"

/* Steps that the comparisons of addresses of a program may take: about a second. Compiled programs
 * need few thousand. */
#define WEFT_VERIFY_STEPS (UINT64_C(1) << 27)

/* What was proved, for people to look at. */
struct weft_proof {
    size_t instructions;
    size_t tokens;        /* tokens given and taken */
    size_t bank_pairs;    /* owners of a bank in different units whose order was checked */
    size_t memory_pairs;  /* LOAD and STORE that can run at once, whose addresses were compared */
    uint64_t steps;       /* that comparisons of addresses took; at most WEFT_VERIFY_STEPS */
    uint32_t peak_tokens; /* most tokens that any semaphore can hold */
};

/* Verifies a program for external regions. The rules, in the order in which they are
 * checked:
 *
 * - VERIFY_PROGRAM: exactly one HALT, at the end.
 * - VERIFY_RESERVED: fields inside their ranges, masks of banks that the configuration has; no
 * window but for depthwise and POOL, no per_channel or rounding but for REQUANT.
 * - VERIFY_DEPTHWISE: whole lines, at most 4 rows and B taps, rows of a window in different
 * sub-banks.
 * - VERIFY_BOUNDS: all addresses inside memories and regions.
 * - VERIFY_WRITE: nothing stored to a region that is not writable, nor ever into the program.
 * - VERIFY_BANKS: bank masks cover what is touched.
 * - VERIFY_ACCUMULATOR: distinct accumulators in a pass and across levels that are not reductions.
 * - VERIFY_OVERLAP: a VECTOR does not overwrite what it has still to read.
 * - VERIFY_BALANCE: as many tokens taken as given, for every semaphore.
 * - VERIFY_DEADLOCK: every instruction starts, with the real queue depths.
 * - VERIFY_OVERFLOW: no semaphore passes semaphore_max.
 * - VERIFY_BANK_RACE: no two units own a bank at once.
 * - VERIFY_MEMORY_RACE: LOAD and STORE of the same bytes are ordered.
 *
 * The error's position is the number of the instruction; the message names the others. Also
 * WEFT_OUT_OF_MEMORY. Takes time in proportion to the program, but for pairs of LOAD and STORE of
 * one region that can run at once; more than 2^28 of these are WEFT_LIMIT. */
bool weft_verify(const struct weft_config *config, const struct weft_instruction *instructions,
                 size_t count, const struct weft_regions *regions, struct weft_proof *proof,
                 struct weft_error *error);

/* Bytes of memory that weft_verify() takes at most for each instruction. */
#define WEFT_VERIFY_BYTES 512

/* How far a run without time gets. */
struct weft_order_end {
    size_t ordered;    /* instructions that start */
    size_t dispatched; /* instructions that pass dispatch */
};

/* Puts the numbers of all instructions into `order`, as they start in a run without time: each unit
 * starts its next instruction as soon as tokens allow. Every order that a run can have gives the
 * same result for programs that verify. FENCE and HALT are included. An instruction that
 * weft_config_takes() refuses ends the order. Errors: WEFT_VERIFY_DEADLOCK when not all can start
 * (*end is set), WEFT_OUT_OF_MEMORY. */
bool weft_start_order(const struct weft_config *config, const struct weft_instruction *instructions,
                      size_t count, uint32_t *order, struct weft_order_end *end,
                      struct weft_error *error);

#endif
