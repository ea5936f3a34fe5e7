/* docs/timing.md once more, cycle by cycle: every cycle is looked at, nothing is skipped, and what
 * is decided in a cycle is decided from a copy of the state at its beginning. Slow, and written
 * from the page alone. */
#ifndef WEFT_TESTS_UNIT_REFERENCE_TIMING_H
#define WEFT_TESTS_UNIT_REFERENCE_TIMING_H

#include "sim/timing/timing.h"
#include "tests/unit/recording.h"

struct reference_run {
    struct weft_run_result result;
    uint64_t started[RECORDED_INSTRUCTIONS];
    uint64_t finished[RECORDED_INSTRUCTIONS];
    /* The run ended in a cycle in which an instruction passed dispatch: the page leaves open which
     * number a watchdog of this cycle carries. */
    bool passed_last;
};

/* At most RECORDED_INSTRUCTIONS instructions. */
struct reference_run reference_run(const struct weft_config *config,
                                   const struct weft_instruction *program, size_t count,
                                   const struct weft_timing_settings *settings);

#endif
