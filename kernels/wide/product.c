#include "kernels/wide/product.h"

#include <string.h>

#include "base/checked.h"
#include "base/integer.h"
#include "kernels/matrix.h"

enum {
    LEAST_WORK = 4096,   /* multiplications: below, packing costs as much */
    MOST_DEPTH = 1 << 16 /* so that what is packed for few columns or rows stays small */
};

const struct weft_panel_loops *weft_panel_loops(enum weft_vectors vectors) {
#ifdef __x86_64__
    if (vectors == WEFT_VECTORS_AVX512) {
        return &weft_panel_loops_avx512;
    }
    if (vectors == WEFT_VECTORS_AVX2) {
        return &weft_panel_loops_avx2;
    }
#endif
    (void)vectors;
    return &weft_panel_loops_any;
}

/* ---- what a kernel computes ---- */

static int64_t taps_of(const struct weft_conv2d_parameters *window) {
    return (int64_t)window->weights[1] * window->weights[2];
}

static int64_t pixels_of(const int32_t dim[4]) {
    return (int64_t)dim[0] * dim[1] * dim[2];
}

static bool set_sizes(struct weft_wide_product *product, int64_t batches, int64_t rows,
                      int64_t depth, int64_t columns) {
    if (batches < 1 || rows < 1 || depth < 1 || columns < 1 || depth > MOST_DEPTH) {
        return false;
    }
    product->batches = (int32_t)batches;
    product->rows = (int32_t)rows;
    product->depth = (int32_t)depth;
    product->columns = (int32_t)columns;
    return true;
}

static bool describe_window(const struct weft_conv2d_parameters *window,
                            struct weft_wide_product *product) {
    int64_t depth = taps_of(window) * window->weights[3];
    bool depthwise =
        window->groups > 1 && window->weights[3] == 1 && window->groups == window->weights[0];
    product->window = *window;
    product->kind = depthwise ? WEFT_WIDE_DEPTHWISE : WEFT_WIDE_WINDOW;
    product->weights_step[0] = depth * (window->weights[0] / window->groups);
    product->weights_step[1] = 1;
    product->weights_step[2] = depth;
    product->weights_batches = depthwise ? 1 : window->groups;
    return set_sizes(product, product->weights_batches, pixels_of(window->output), depth,
                     window->weights[0] / product->weights_batches);
}

/* Every result looks for the input pixels that reach it, with the taps backwards: so it adds them
 * up in the order of the pixels. */
static bool describe_spread(const struct weft_conv2d_parameters *window,
                            struct weft_wide_product *product) {
    bool good = describe_window(window, product);
    product->kind = WEFT_WIDE_SPREAD;
    return good && window->groups == 1;
}

static bool describe_dense(const struct weft_dense_parameters *dense,
                           struct weft_wide_product *product) {
    product->kind = WEFT_WIDE_MATRICES;
    product->matrices = (struct weft_batch_matmul_parameters){.rows = dense->rows,
                                                              .depth = dense->depth,
                                                              .columns = dense->outputs,
                                                              .transposed = {0, 1}};
    product->weights_step[1] = 1;
    product->weights_step[2] = dense->depth;
    product->weights_batches = 1;
    return set_sizes(product, 1, dense->rows, dense->depth, dense->outputs);
}

static bool describe_matrices(const struct weft_batch_matmul_parameters *matrices,
                              struct weft_wide_product *product) {
    const struct weft_shape *batch = &matrices->batch;
    int64_t weights = matrices->depth * (int64_t)matrices->columns;
    bool transposed = matrices->transposed[1] != 0;
    product->kind = WEFT_WIDE_MATRICES;
    product->matrices = *matrices;
    product->weights_step[1] = transposed ? 1 : matrices->columns;
    product->weights_step[2] = transposed ? matrices->depth : 1;
    /* Weights are packed batch by batch: those that repeat must be the same for all. */
    int64_t batches = shape_elements(batch);
    bool repeats = batches > 1;
    for (int32_t i = 0; i < batch->rank; i++) {
        repeats = repeats && matrices->batch_step[1][i] == 0;
    }
    product->weights_batches = repeats ? 1 : batches;
    product->weights_step[0] = weights;
    return set_sizes(product, batches, matrices->rows, matrices->depth, matrices->columns);
}

/* Panels of a batch; the last one may be half as wide. */
static int64_t panels_of(const struct weft_wide_product *product) {
    return (product->columns + product->loops->width - 1) / product->loops->width;
}

static int32_t panel_width(const struct weft_wide_product *product, int64_t panel) {
    int32_t width = product->loops->width;
    return product->columns - panel * width <= width / 2 ? width / 2 : width;
}

/* Packing pays where it is not much more than the weights themselves, and used for many rows. */
static bool is_worth_it(const struct weft_wide_product *product) {
    enum {
        LITTLE = 1 << 18 /* floats */
    };
    int64_t weights = product->weights_batches * (int64_t)product->depth * product->columns;
    return weft_wide_work(product) >= LEAST_WORK &&
           weft_wide_packed(product) <= weft_max(2 * weights, LITTLE);
}

bool weft_wide_describe(enum weft_kernel kernel, const void *parameters, enum weft_vectors vectors,
                        struct weft_wide_product *product) {
    bool found = false;
    memset(product, 0, sizeof *product);
    product->loops = weft_panel_loops(vectors);
    switch (kernel) {
    case WEFT_KERNEL_conv2d:
        found = describe_window(parameters, product);
        break;
    case WEFT_KERNEL_conv2d_transpose:
        found = describe_spread(parameters, product);
        break;
    case WEFT_KERNEL_dense:
        found = describe_dense(parameters, product);
        break;
    case WEFT_KERNEL_batch_matmul:
        found = describe_matrices(parameters, product);
        break;
    default:
        break;
    }
    if (!found) {
        return false;
    }
    int64_t panels = panels_of(product);
    product->packed_batch =
        product->kind == WEFT_WIDE_DEPTHWISE
            ? (int64_t)product->depth * product->columns
            : ((panels - 1) * product->loops->width + panel_width(product, panels - 1)) *
                  product->depth;
    return is_worth_it(product);
}

bool weft_wide_pads(const struct weft_wide_product *product) {
    const struct weft_conv2d_parameters *w = &product->window;
    bool inside = product->kind == WEFT_WIDE_MATRICES || product->kind == WEFT_WIDE_DEPTHWISE;
    if (product->kind == WEFT_WIDE_WINDOW) {
        inside = true;
        for (int i = 0; i < 2; i++) {
            int64_t last = (w->output[1 + i] - 1) * (int64_t)w->stride[i] - w->padding[i] +
                           (w->weights[1 + i] - 1) * (int64_t)w->dilation[i];
            inside = inside && w->padding[i] <= 0 && last < w->input[1 + i];
        }
    }
    return !inside;
}

bool weft_wide_suits(const struct weft_wide_product *product, const weft_unaligned_float *weights,
                     int64_t count) {
    bool finite = true;
    for (int64_t i = 0; weft_wide_pads(product) && i < count; i++) {
        finite = finite && weights[i] - weights[i] == 0.0F;
    }
    return finite;
}

int64_t weft_wide_work(const struct weft_wide_product *product) {
    uint64_t work = (uint64_t)product->batches * (uint64_t)product->rows;
    work = weft_mul_saturated(work, (uint64_t)product->depth * (uint64_t)product->columns);
    return work < INT64_MAX ? (int64_t)work : INT64_MAX;
}

void weft_wide_result(const struct weft_wide_product *product, int64_t *rows, int64_t *columns) {
    bool below = product->kind == WEFT_WIDE_MATRICES;
    *rows = product->rows * (int64_t)(below ? product->batches : 1);
    *columns = product->columns * (int64_t)(below ? 1 : product->batches);
}

void weft_wide_place(const struct weft_wide_product *product, const struct weft_wide_block *block,
                     int64_t *row, int64_t *column) {
    bool below = product->kind == WEFT_WIDE_MATRICES;
    *row = block->first_row + (below ? block->batch * (int64_t)product->rows : 0);
    *column = block->first_column + (below ? 0 : block->batch * (int64_t)product->columns);
}

/* ---- weights ---- */

int64_t weft_wide_packed(const struct weft_wide_product *product) {
    return product->packed_batch * product->weights_batches;
}

int64_t weft_wide_pieces(const struct weft_wide_product *product) {
    return product->kind == WEFT_WIDE_DEPTHWISE ? 1 : product->weights_batches * panels_of(product);
}

static void pack_depthwise(const struct weft_wide_product *product,
                           const weft_unaligned_float *weights, float *packed) {
    for (int64_t c = 0; c < product->columns; c++) {
        for (int64_t k = 0; k < product->depth; k++) {
            packed[k * product->columns + c] = weights[c * product->depth + k];
        }
    }
}

/* The row of weights that is row k of the product: taps of a transposed convolution backwards. */
static int64_t row_of(const struct weft_wide_product *product, int64_t k) {
    if (product->kind != WEFT_WIDE_SPREAD) {
        return k;
    }
    int32_t channels = product->window.weights[3];
    int64_t tap = taps_of(&product->window) - 1 - k / channels;
    return tap * channels + k % channels;
}

/* Column by column in pieces of a few rows, whose places stay in the cache. */
static void pack_panel(const struct weft_wide_product *product, const weft_unaligned_float *weights,
                       int32_t columns, int32_t width, float *to) {
    enum {
        ROWS = 64
    };
    for (int32_t first = 0; first < product->depth; first += ROWS) {
        int32_t end = (int32_t)weft_min(first + ROWS, product->depth);
        for (int32_t c = 0; c < width; c++) {
            const weft_unaligned_float *column = weights + c * product->weights_step[2];
            for (int32_t k = first; k < end; k++) {
                to[(int64_t)k * width + c] =
                    c < columns ? column[row_of(product, k) * product->weights_step[1]] : 0.0F;
            }
        }
    }
}

void weft_wide_pack(const struct weft_wide_product *product, const weft_unaligned_float *weights,
                    int64_t piece, float *packed) {
    if (product->kind == WEFT_WIDE_DEPTHWISE) {
        pack_depthwise(product, weights, packed);
        return;
    }
    int64_t panels = panels_of(product);
    int64_t batch = piece / panels;
    int64_t panel = piece % panels;
    int64_t first = panel * product->loops->width;
    int64_t from = batch * product->weights_step[0];
    if (product->kind == WEFT_WIDE_MATRICES) {
        from = matrix_first(&product->matrices, 1, batch);
    }
    int32_t width = panel_width(product, panel);
    pack_panel(product, weights + from + first * product->weights_step[2],
               (int32_t)weft_min(width, product->columns - first), width,
               packed + batch * product->packed_batch + first * product->depth);
}
