/* What a kind of layer is: one entry for each line of kinds.def, defined in compiler/layers.
 *
 * How a layer is cut, planned, packed, emitted and counted is asked of its entry. What makes
 * regions of layers (compiler/plan: list, divide, dissolve, fuse, batch) is about what one kind
 * means for its neighbours, and names kinds.
 */
#ifndef WEFT_COMPILER_LOWER_OPERATIONS_H
#define WEFT_COMPILER_LOWER_OPERATIONS_H

#include "compiler/lower/lower.h"

struct region;
struct plan;
struct hint;
struct cut;
struct tiling;
struct packing;
struct work;
struct rows;
struct view;
struct stripe;

/* A chain of graph operators that becomes a layer of this kind, or of one that its function
 * finds. */
struct layer_pattern {
    const char *name; /* of the composites it makes */
    /* The operator that the pattern is about: below a clip, a requantize and a bias. */
    enum weft_operator op;
    struct weft_pattern *(*make)(struct weft_arena *arena, enum weft_operator op);
    /* Fills the layer for the chain that ends at `node`; a clip below it has been taken off.
     * Returns NULL, or the reason why the machine cannot carry it out, in words for the user. */
    const char *(*lower)(const struct lowering *lowering, const struct weft_node *node,
                         const struct weft_value *output);
};

struct layer_operations {
    const char *name;
    size_t pattern_count;
    const struct layer_pattern *patterns; /* in the order in which they are tried */

    bool reads_on_chip;   /* its operands; else where they lie in external memory */
    bool gathers_weights; /* the second operand are its weights: loaded to WGT from where it lies */
    bool makes_on_chip;   /* its result */
    bool in_chains;    /* it makes rows of its result of rows of its operand: it can be a part of a
                          chain */
    bool by_vector;    /* VECTOR alone makes it */
    bool has_window;   /* of rows and columns */
    bool has_products; /* with weights, requantised: the padding of its operand is on chip, too, and
                          arithmetic by element can be carried out behind it */
    bool cuts_weights; /* those of a group lie in several pieces, each of some channel blocks of the
                          operand, where they have to or are to */
    bool reads_rows_at_once; /* several rows of the operand in a cycle: odd pitch */

    /* Rows of the operand that output rows [first, end) read, not clipped to the tensor. */
    void (*rows_read)(const struct layer *layer, int64_t first, int64_t end, int64_t *in_first,
                      int64_t *in_end);
    /* The most that any `rows` neighbouring output rows read. NULL: what the first ones read. */
    int64_t (*most_rows_read)(const struct layer *layer, int64_t rows);

    /* Chooses rows, columns and blocks of a tile; stripes have been chosen. */
    void (*choose)(const struct plan *plan, int layer, const struct hint *hint, struct cut *cut);
    /* What follows from a cut; rows, columns and blocks have been copied. NULL: nothing. */
    void (*tile)(const struct plan *plan, int layer, struct tiling *tiling);
    /* Adds its weights and parameters, piece by piece. NULL: it has none. */
    void (*pack)(struct packing *packing, int layer);
    /* Columns of the operand that MATRIX reads for a row of results of one channel block. NULL:
     * 0. */
    int64_t (*matrix_columns)(const struct layer *layer, const struct tiling *tiling);
    /* Of a mean that is carried out behind another layer: adds rows of its operand up, and divides
     * what has been added up to its result. NULL: it cannot be. */
    void (*emit_sums)(const struct work *work, const struct view *in, const struct stripe *stripe);
    void (*emit_mean)(const struct work *work, const struct view *out);
    /* Emits the work on a stripe of results. NULL: there is none. */
    void (*emit)(const struct work *work, const struct rows *rows);
};

/* By kind. */
extern const struct layer_operations *const layer_operations[LAYER_KINDS];

static inline const struct layer_operations *operations_of(const struct layer *layer) {
    return layer_operations[layer->kind];
}

/* Does it read operand `slot` in ACT, or where it lies in external memory? */
static inline bool reads_on_chip(const struct layer *layer, int slot) {
    const struct layer_operations *operations = operations_of(layer);
    return operations->reads_on_chip && !(slot == 1 && operations->gathers_weights);
}

#endif
