/* Float products by blocks, for hosts: conv2d, conv2d_transpose, dense and batch_matmul come to the
 * bytes that their kernels in kernels/ come to, as long as nothing is NaN (of NaNs only the bits
 * may differ). No threads, no allocation: whoever has cores and memory deals out the blocks.
 *
 * A product is `batches` products of matrices [rows, depth] and [depth, columns]; the result is one
 * matrix, in which every batch is a block of rows (batch_matmul) or of columns (groups of
 * channels). A depthwise convolution is one batch, whose depth is that of its taps. */
#ifndef WEFT_KERNELS_WIDE_PRODUCT_H
#define WEFT_KERNELS_WIDE_PRODUCT_H

#include <stdbool.h>

#include "kernels/kernels.h"
#include "kernels/wide/panel.h"

enum weft_wide_kind {
    WEFT_WIDE_WINDOW,
    WEFT_WIDE_SPREAD, /* conv2d_transpose */
    WEFT_WIDE_DEPTHWISE,
    WEFT_WIDE_MATRICES,
};

struct weft_wide_product {
    enum weft_wide_kind kind;
    const struct weft_panel_loops *loops;
    struct weft_conv2d_parameters window;
    struct weft_batch_matmul_parameters matrices;
    int32_t batches, rows, depth, columns;
    int64_t weights_batches; /* that are different; 1: all have the same */
    int64_t weights_step[3]; /* elements from one batch, row and column of weights to the next */
    int64_t packed_batch;    /* floats of one batch's packed weights */
};

/* Describes what a kernel with these parameters computes; false: it is no product, or one of sizes
 * for which its own kernel is as good. */
bool weft_wide_describe(enum weft_kernel kernel, const void *parameters, enum weft_vectors vectors,
                        struct weft_wide_product *product);

/* Does padding multiply weights by 0? */
bool weft_wide_pads(const struct weft_wide_product *product);

/* Are the results those of the kernel with these weights? Where they are multiplied by 0 that must
 * give 0. `count`: their elements. */
bool weft_wide_suits(const struct weft_wide_product *product, const weft_unaligned_float *weights,
                     int64_t count);

/* Multiplications of the whole product. */
int64_t weft_wide_work(const struct weft_wide_product *product);

/* The whole result: rows and columns. */
void weft_wide_result(const struct weft_wide_product *product, int64_t *rows, int64_t *columns);

/* Floats of all packed weights, and pieces in which they can be packed, each by itself. */
int64_t weft_wide_packed(const struct weft_wide_product *product);
int64_t weft_wide_pieces(const struct weft_wide_product *product);

/* Packs one piece to its place in `packed`. */
void weft_wide_pack(const struct weft_wide_product *product, const weft_unaligned_float *weights,
                    int64_t piece, float *packed);

/* Rows and columns of one batch; columns begin with a panel, and end with one or with the matrix.
 */
struct weft_wide_block {
    int32_t batch;
    int32_t first_row, rows;
    int32_t first_column, columns;
};

/* Where the block is in the whole result. */
void weft_wide_place(const struct weft_wide_product *product, const struct weft_wide_block *block,
                     int64_t *row, int64_t *column);

/* Floats that a block of so many rows takes to work in. */
int64_t weft_wide_scratch(const struct weft_wide_product *product, int32_t rows);

/* Computes a block; its rows are `stride` floats apart in `output`. A depthwise convolution has all
 * columns in a block, and its rows behind one another. */
void weft_wide_compute(const struct weft_wide_product *product, const struct weft_wide_block *block,
                       const weft_unaligned_float *input, const float *packed, float *output,
                       int64_t stride, float *scratch);

#endif
