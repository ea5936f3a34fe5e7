/* Windows that slide over an axis. */
#ifndef WEFT_COMPILER_IR_WINDOW_H
#define WEFT_COMPILER_IR_WINDOW_H

#include "base/integer.h"

/* An axis of `in` elements and of `out` results; `before` and `after` are its padding. */
struct weft_axis_window {
    int64_t in, out, kernel, stride, dilation, before, after;
};

/* The results [*first, *end) for which tap `tap` of the window lies on the axis, not in its
 * padding; all of them neighbours, perhaps none. */
static inline void weft_tap_outputs(const struct weft_axis_window *axis, int64_t tap,
                                    int64_t *first, int64_t *end) {
    int64_t lead = axis->before - tap * axis->dilation;
    int64_t behind = axis->in + lead; /* the first result's place that is behind the axis */
    *first = lead > 0 ? weft_ceil_div(lead, axis->stride) : 0;
    *end = behind > 0 ? weft_min(weft_ceil_div(behind, axis->stride), axis->out) : 0;
    *end = weft_max(*end, *first);
}

/* The first tap that lies on the axis for all results; -1: none does. */
static inline int64_t weft_whole_tap(const struct weft_axis_window *axis) {
    for (int64_t tap = 0; tap < axis->kernel; tap++) {
        int64_t first = 0;
        int64_t end = 0;
        weft_tap_outputs(axis, tap, &first, &end);
        if (first == 0 && end == axis->out) {
            return tap;
        }
    }
    return -1;
}

#endif
