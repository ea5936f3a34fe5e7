/* The closed formulas of docs/timing.md: how long an instruction keeps its unit. */
#ifndef WEFT_SIM_TIMING_DURATION_H
#define WEFT_SIM_TIMING_DURATION_H

#include <stdint.h>

#include "isa/config.h"
#include "isa/isa.h"

enum {
#define WEFT_DURATION(name, cycles, doc) WEFT_##name = (cycles),
#include "sim/timing/durations.def"
#undef WEFT_DURATION
};

struct weft_matrix_duration {
    uint64_t weight_tile; /* cycles to read a weight tile: W */
    uint64_t pass;        /* cycles of a pass: M */
    uint64_t stream;      /* cycles of all passes: N */
};

struct weft_matrix_duration weft_matrix_duration(const struct weft_config *config,
                                                 const struct weft_matrix_fields *matrix);

struct weft_vector_duration {
    uint64_t slots; /* S */
    uint64_t drain; /* cycles from the last slot to the finish */
};

struct weft_vector_duration weft_vector_duration(const struct weft_config *config,
                                                 const struct weft_vector_fields *vector);

/* Cycles from the last read beat of a LOAD on the port to its last write. */
uint64_t weft_load_write(const struct weft_load_fields *load);

/* More lines than any run gets to: times with it do not wrap. */
#define WEFT_FILL_LINES_MOST (UINT64_C(1) << 62)

/* Lines that a FILL writes, at most WEFT_FILL_LINES_MOST. */
uint64_t weft_fill_lines(const struct weft_config *config, const struct weft_fill_fields *fill);

#endif
