/* What a lockstep report says, for driver/lockstep.c alone. */
#ifndef WEFT_DRIVER_LOCKSTEP_REPORT_H
#define WEFT_DRIVER_LOCKSTEP_REPORT_H

#include "driver/events.h"

/* Both runs, for the text of the report. */
struct comparison {
    const struct weft_config *config;
    const struct weft_instruction *instructions;
    size_t count;
    const struct events *expected;
    const struct events *found;
    const char *broken; /* how the RTL broke its contract; NULL: it did not */
    struct weft_lockstep_report *report;
};

/* Fill the divergence, its cycle and instruction, and the text. */

/* `expected` and `found` are the first events that differ, either may be NULL. */
void report_events(const struct comparison *comparison, const struct event *expected,
                   const struct event *found);
/* Everything before `cycle` is the same, where the RTL broke its contract. */
void report_broken(const struct comparison *comparison, uint64_t cycle);
/* True when the counters of the report's two results are the same. */
bool report_counters(const struct comparison *comparison);
/* True when the bytes are the same; of the on-chip memory `memory` or, with WEFT_EXTERNAL, of
 * `region`. */
bool report_bytes(const struct comparison *comparison, unsigned memory, unsigned region,
                  const uint8_t *expected, const uint8_t *found, size_t length);

#endif
