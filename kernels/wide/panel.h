/* The innermost loops of float products, compiled once for each kind of processor (panel.c).
 *
 * Every sum is added up in the order of depth, from 0 on, with a rounding after each product and
 * one after each sum: what a plain loop gives. Lanes are different sums. */
#ifndef WEFT_KERNELS_WIDE_PANEL_H
#define WEFT_KERNELS_WIDE_PANEL_H

#include "base/processor.h"
#include "kernels/product.h"

enum {
    WEFT_PANEL_MOST_COLUMNS = 32
};

/* c[rows, columns] = a[rows, depth] * b[depth, width], of which the first columns are stored. */
struct weft_panel_product {
    const weft_unaligned_float *a;
    const float *b; /* packed: row after row of `width` */
    float *c;
    int64_t a_stride, c_stride; /* elements from row to row */
    int32_t rows, depth;
    int32_t width;   /* half or all of weft_panel_loops.width */
    int32_t columns; /* 1 to width */
};

/* Pixels [first, first + count) of a depthwise convolution, all channels. */
struct weft_depthwise_pixels {
    const struct weft_conv2d_parameters *window;
    const weft_unaligned_float *input;
    const float *weights; /* packed: [KH, KW, channels] */
    float *output;        /* of the first of the pixels */
    int64_t first, count;
};

struct weft_panel_loops {
    int32_t rows;  /* that are computed at once at most */
    int32_t width; /* columns of a panel */
    void (*multiply)(const struct weft_panel_product *product);
    void (*depthwise)(const struct weft_depthwise_pixels *pixels);
};

/* Those for vectors that this processor has; of ones that the program was not built for those for
 * any. */
const struct weft_panel_loops *weft_panel_loops(enum weft_vectors vectors);

extern const struct weft_panel_loops weft_panel_loops_any;
extern const struct weft_panel_loops weft_panel_loops_avx2;
extern const struct weft_panel_loops weft_panel_loops_avx512;

#endif
