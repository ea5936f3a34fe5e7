/* Float products on all cores (kernels/wide); used in compiler/host alone. */
#ifndef WEFT_COMPILER_HOST_PRODUCT_H
#define WEFT_COMPILER_HOST_PRODUCT_H

#include "base/team.h"
#include "compiler/host/binding.h"
#include "kernels/wide/product.h"

/* What is to be done with the rows and columns of a result that have just been computed: the tile
 * is [rows, columns], its rows behind one another. */
struct host_tile {
    int64_t row, column;
    int32_t rows, columns;
    float *elements;
    unsigned thread;
};

/* A product; `packed` floats of memory are for its weights. */
struct host_product {
    struct weft_wide_product wide;
    int64_t packed;
};

/* False: the kernel is to be called instead. */
bool host_product_describe(const struct weft_host_binding *binding, struct host_product *product);

/* Packs weights to memory of product->packed floats. False: with these weights the kernel is to be
 * called instead. */
bool host_product_pack(const struct host_product *product, struct weft_team *team,
                       const void *weights, float *packed);

/* Bytes of memory to work in that a run takes with so many threads. */
size_t host_product_scratch(const struct host_product *product, unsigned threads, bool with_tiles);

/* How a result is divided into tiles: each has so many rows, or the rest, and so many columns, or
 * the rest, which may be 0. */
struct host_tiling {
    int32_t rows, columns;
    int32_t rest_rows, rest_columns;
};

struct host_tiling host_product_tiling(const struct host_product *product, unsigned threads);

/* Computes the result: into `output`, or, where that is NULL, tile by tile, each of which is given
 * to finish() by the thread that computed it, and is gone after that. */
void host_product_run(const struct host_product *product, struct weft_team *team, const void *input,
                      const float *packed, float *output,
                      void (*finish)(void *context, const struct host_tile *tile), void *context,
                      float *scratch);

#endif
