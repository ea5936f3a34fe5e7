/* The Weft machine as a target of the partition. */
#ifndef WEFT_COMPILER_SCHEDULE_TARGET_H
#define WEFT_COMPILER_SCHEDULE_TARGET_H

#include "compiler/partition/partition.h"

/* The pattern table of the Weft machine of a configuration, in the arena. */
const struct weft_pattern_table *weft_machine_patterns(struct weft_arena *arena,
                                                       const struct weft_config *config);

#endif
