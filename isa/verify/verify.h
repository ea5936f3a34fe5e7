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
#include "isa/verify/proof.h"

/* Verifies a program for external regions. The rules, in the order in which they are
 * checked:
 *
 * - VERIFY_PROGRAM: exactly one HALT, at the end.
 * - VERIFY_RESERVED: fields inside their ranges, masks of banks that the configuration has; no
 * window but for depthwise and POOL, no per_channel or rounding but for REQUANT, no
 * short_records but per channel.
 * - VERIFY_DEPTHWISE: whole lines, at most 4 rows and B taps, rows of a window in different
 * sub-banks.
 * - VERIFY_BOUNDS: all addresses inside memories and regions.
 * - VERIFY_WRITE: nothing stored to a region that is not writable, nor ever into the program.
 * - VERIFY_BANKS: bank masks cover what is touched; VECTOR writes none of its input_banks, and with
 * apart reads no others.
 * - VERIFY_ACCUMULATOR: distinct accumulators in a pass and across levels that are not reductions.
 * - VERIFY_OVERLAP: a VECTOR does not overwrite what it has still to read.
 * - VERIFY_BALANCE: as many tokens taken as given, for every semaphore.
 * - VERIFY_DEADLOCK: every instruction starts, with the real queue depths.
 * - VERIFY_OVERFLOW: no semaphore passes semaphore_max.
 * - VERIFY_BANK_RACE: no two units own a bank, or a port of a RAM of ACT, at once.
 * - VERIFY_MEMORY_RACE: LOAD and STORE of the same bytes are ordered.
 *
 * The error's position is the number of the instruction; the message names the others. Also
 * WEFT_OUT_OF_MEMORY. Takes time in proportion to the program, but for pairs of LOAD and STORE of
 * one region that can run at once; more than 2^28 of these are WEFT_LIMIT. */
bool weft_verify(const struct weft_config *config, const struct weft_instruction *instructions,
                 size_t count, const struct weft_regions *regions, struct weft_proof *proof,
                 struct weft_error *error);

#endif
