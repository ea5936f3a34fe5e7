/* How many cycles a program takes at most, without running it: a sum over its instructions.
 *
 * The sum holds for every program that weft_verify() accepts, since in each cycle of its run
 * something goes on that the sum counts, and nothing is counted for less than it takes;
 * docs/timing.md
 * ("At most") has the argument. For other programs it means nothing. Sums that do not fit are
 * UINT64_MAX.
 */
#ifndef WEFT_SIM_TIMING_BOUND_H
#define WEFT_SIM_TIMING_BOUND_H

#include <stddef.h>

#include "sim/timing/timing.h"

/* Cycles from start to HALT, at most, with the memory of `settings` (the rest does
 * not matter). That is weft_bound_fetch() and
 * weft_bound_instruction() of every instruction. */
uint64_t weft_bound(const struct weft_config *config, const struct weft_timing_settings *settings,
                    const struct weft_instruction *instructions, size_t count);

/* The part of the bound that comes with fetching a program of `count` instructions. */
uint64_t weft_bound_fetch(const struct weft_config *config,
                          const struct weft_timing_settings *settings, size_t count);

/* The part of one instruction, which must be inside the memories. */
uint64_t weft_bound_instruction(const struct weft_config *config,
                                const struct weft_timing_settings *settings,
                                const struct weft_instruction *instruction);

#endif
