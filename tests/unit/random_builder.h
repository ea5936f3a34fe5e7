/* What the files that make random graphs share: a graph that grows by an operator at a time. */
#ifndef WEFT_TESTS_UNIT_RANDOM_BUILDER_H
#define WEFT_TESTS_UNIT_RANDOM_BUILDER_H

#include "tests/unit/random_graphs.h"

struct builder {
    struct weft_arena *arena;
    struct weft_graph *graph;
    const struct random_limits *limits;
    uint64_t seed;
    struct weft_value *value; /* the last result */
};

/* ---- numbers and types ---- */

int64_t builder_pick(struct builder *b, int64_t low, int64_t high);

/* Small numbers more often than large ones. */
int64_t builder_pick_small(struct builder *b, int64_t low, int64_t high);

int32_t builder_random_zero(struct builder *b, enum weft_dtype dtype);
struct weft_quantization builder_random_quantization(struct builder *b, enum weft_dtype dtype);

/* int8, or less often uint8. */
enum weft_dtype builder_random_byte(struct builder *b);

/* ---- nodes ---- */

/* Adds a node; `type` NULL: the type that is inferred. Returns its first result. */
struct weft_value *builder_add(struct builder *b, enum weft_operator op, uint32_t input_count,
                               struct weft_value *const *inputs, uint32_t attribute_count,
                               const struct weft_attribute *attributes,
                               const struct weft_type *type);

struct weft_value *builder_constant(struct builder *b, const struct weft_type *type);
void builder_clip_sometimes(struct builder *b);
void builder_reshape(struct builder *b, uint32_t rank, const int64_t *dims);

/* A window over rows and columns of the last result: SAME, VALID or any padding; it fits the padded
 * input. */
struct window {
    int64_t kernel[2], strides[2], dilation[2], padding[4];
};
struct window builder_window(struct builder *b, bool dilates);

/* ---- products: random_products.c ---- */

/* int8 or uint8 weights [outputs, ...], per channel or not, sometimes with a zero point. */
struct weft_value *builder_weights(struct builder *b, uint32_t rank, const int64_t *dims);

/* bias_add or not, requantize, clip or not; a result has `taps` products. */
void builder_finish_product(struct builder *b, struct weft_value *product, int64_t taps,
                            const char *rounding);

/* A convolution of the last result, which has four dimensions. */
void builder_convolution(struct builder *b);

/* A dense layer of the last result, which is flattened first, all of it or each image, unless it
 * has two dimensions already. */
void builder_dense(struct builder *b);

/* ---- operators that move elements: random_moves.c ---- */

void builder_move(struct builder *b);
void builder_transposed(struct builder *b); /* of four dimensions */

/* Of four dimensions: a pad with the zero point, a slice of rows and columns, a pool of one pixel,
 * each or not. */
void builder_pick_pixels(struct builder *b);

#endif
