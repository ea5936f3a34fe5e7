/* The windows of pools; used in kernels/ alone. */
#ifndef WEFT_KERNELS_POOL_WINDOW_H
#define WEFT_KERNELS_POOL_WINDOW_H

#include "base/integer.h"
#include "kernels/pool.h"

/* The part of a window that is inside the input. */
struct pool_window {
    int64_t first_row, end_row, first_column, end_column;
    int64_t image, channel;
};

static inline int64_t pool_index(const struct weft_pool_parameters *p, const struct pool_window *w,
                                 int64_t row, int64_t column) {
    return ((w->image * p->input[1] + row) * p->input[2] + column) * p->input[3] + w->channel;
}

static inline int64_t pool_count(const struct pool_window *w) {
    return (w->end_row - w->first_row) * (w->end_column - w->first_column);
}

static inline int64_t pool_elements(const struct weft_pool_parameters *p) {
    return (int64_t)p->output[0] * p->output[1] * p->output[2] * p->output[3];
}

static inline struct pool_window pool_window_at(const struct weft_pool_parameters *p,
                                                int64_t result) {
    int64_t pixel = result / p->output[3];
    int64_t line = pixel / p->output[2];
    int64_t row = line % p->output[1] * p->stride[0] - p->padding[0];
    int64_t column = pixel % p->output[2] * p->stride[1] - p->padding[1];
    return (struct pool_window){.first_row = weft_max(row, 0),
                                .end_row = weft_min(row + p->kernel[0], p->input[1]),
                                .first_column = weft_max(column, 0),
                                .end_column = weft_min(column + p->kernel[1], p->input[2]),
                                .image = line / p->output[1],
                                .channel = result % p->output[3]};
}

#endif
