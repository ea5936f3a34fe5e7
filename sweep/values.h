/* Values of axes as text: 65536, 64K, 16K..1M (doubling), 8..32+4 (in steps of 4). */
#ifndef WEFT_SWEEP_VALUES_H
#define WEFT_SWEEP_VALUES_H

#include "base/arena.h"
#include "sweep/point.h"

struct sweep_values {
    size_t count; /* 0: nobody says anything of the axis */
    uint32_t *list;
};

/* One value of an axis from *at on, which moves behind it: digits, and K, M or G behind them; of
 * the axis dram also a name. False: there is no value there, or none of 32 bits. */
bool sweep_take_value(unsigned axis, const char **at, const char *end, uint32_t *value);

/* Adds a value to those of an axis, once. They allocate from an arena, whose owner catches what
 * fails there. Error: WEFT_LIMIT, the axis has too many. */
bool sweep_add_value(struct sweep_values *values, struct weft_arena *arena, unsigned axis,
                     uint32_t value, struct weft_error *error);

/* Adds one value or range, the text from `start` to `end`. Errors: WEFT_SWEEP, it is neither;
 * WEFT_LIMIT. */
bool sweep_add_values(struct sweep_values *values, struct weft_arena *arena, unsigned axis,
                      const char *start, const char *end, struct weft_error *error);

#endif
