/* What the emit functions of the kinds of layers share. */
#ifndef WEFT_COMPILER_EMIT_WORK_H
#define WEFT_COMPILER_EMIT_WORK_H

#include "compiler/emit/stream.h"
#include "isa/footprint.h"

/* A layer that emits into a stream. */
struct work {
    const struct plan *plan;
    int layer;
    int64_t group; /* of images */
    int tile;      /* which of two tiles that are made together */
    struct stream *stream;
    bool *on_chip;   /* by tensor: a resident one has been loaded, or its halo filled */
    struct sum *sum; /* of a layer that is not in a chain */
};

/* A stripe of the output of a layer. */
struct rows {
    struct stripe stripe;
    int64_t first_group, end_group; /* of products */
    struct view in[2];
    struct view out;
    int64_t parts; /* in how many parts of the stream VECTOR's work is to come; 0: as it likes */
};

static inline const struct layer *layer_of(const struct work *work) {
    return work->plan->layers[work->layer];
}

static inline const struct tiling *tiling_of(const struct work *work) {
    return &work->plan->tilings[work->layer];
}

/* The number of a tensor that the layer uses. */
static inline int operand_of(const struct work *work, int slot) {
    return work->plan->region->tensors_of[work->layer][slot];
}

/* ---- work.c ---- */

/* The same stream, for another layer. */
struct work work_for(const struct work *work, int layer);

/* Appends an instruction that needs no piece and has the accumulators of the one before. */
void emit(const struct work *work, const struct weft_instruction *instruction);

/* The same, with a piece, which says where the instruction finds weights, parameters or its table.
 */
void emit_with(const struct work *work, const struct weft_instruction *instruction, int kind,
               int piece);

/* The same, with accumulators of its own, which those after it have, too. */
void emit_with_accumulators(const struct work *work, const struct weft_instruction *instruction,
                            int kind, int piece, int64_t accumulators);

/* The first piece of the weights of a group of products. */
int first_weights_of(const struct work *work, int64_t group);

/* Has a piece brought, for what comes later. */
void emit_use(const struct work *work, int kind, int piece);

/* How many tiles, of all groups, a stripe of the layer has. */
int64_t tiles_of(const struct work *work, const struct stripe *stripe);

/* Part of an image of a tensor. */
struct area {
    int64_t image;
    int64_t first_block, blocks;
    int64_t first_row, rows;
    int64_t first_column, columns;
};

/* The part of the layer's result that has all its channel blocks. */
struct area all_blocks(const struct work *work, int64_t image, int64_t row, int64_t column,
                       int64_t rows, int64_t columns);

/* The line in ACT at which a part begins, and the strides from block to block, row to row and
 * column to column, in lines. */
uint32_t line_of(const struct work *work, const struct view *view, const struct area *area);
void set_strides(const struct work *work, const struct view *view, int32_t stride[3]);

/* A VECTOR that makes a part of the layer's result. */
struct weft_instruction vector_of(const struct work *work, uint32_t function,
                                  const struct view *out, const struct area *area);

/* A copy of a part of one view to an equally large part of another. */
struct weft_instruction copy_of(const struct work *work, const struct view *in,
                                const struct area *from, const struct view *out,
                                const struct area *to);

/* Rows of the tensors are columns of a turned layer. */
struct view layer_view(const struct layer *layer, const struct view *view);

/* ---- lookup.c ---- */

/* A function of one byte of a part of a tensor; `scaling` does the same, or is NULL. */
void emit_lookup(const struct work *work, const uint8_t *table, const struct scaling *scaling,
                 const struct view *in, const struct view *out, const struct area *area);

/* Applies the function of one byte of a layer's result to a stripe, in place, unless that was done
 * tile by tile. */
void emit_result_table(const struct work *work, const struct view *view,
                       const struct stripe *stripe);

/* Applies the tensor's function of one byte, in place, to what of a stripe is inside the tensor. */
void emit_table(const struct work *work, int tensor, const struct view *view,
                const struct stripe *stripe);

/* ---- tiles.c ---- */

/* The tensors of a layer of products, rows and columns as the layer counts them. */
struct operands {
    struct view in, out;
    struct view other; /* the other operand of what is carried out behind the layer */
};

/* A tile of outputs of one image. */
struct tile {
    int64_t image;
    int64_t first_row, rows;
    int64_t first_column, columns;
    /* What is emitted of it: products of so many channel blocks of the operand, and what VECTOR
     * does to them when they are the last ones. 0: all at once. */
    int64_t first_input, inputs;
};

typedef void emit_tile(const struct work *work, const struct operands *operands,
                       const struct tile *tile, int64_t group);

/* Emits the tiles of a stripe of products; a part of the stream for each. */
void emit_tiles(const struct work *work, const struct rows *rows, emit_tile *emit_one);

/* The blocks of a group: the last one may be shorter. */
int64_t group_blocks(const struct work *work, int64_t group);

/* The accumulators of a tile. */
int64_t tile_accumulators(const struct work *work, const struct tile *tile, int64_t group);

/* The pixels of a tile: where MATRIX reads and accumulates. */
void set_pixels(struct weft_matrix_fields *m, const struct layer *layer, const struct view *in,
                const struct tile *tile);

/* Bytes from row to row of a layer's window in its operand. */
static inline int64_t window_row_bytes(const struct layer *layer, const struct view *in) {
    int64_t rows = layer->kernel[0] > 1 ? layer->dilation[0] / in->row_step : layer->dilation[0];
    return rows * in->pitch;
}

/* What follows the products of a tile: requantising, what is carried out behind, and the result's
 * function of one byte, so that MATRIX goes on with the next tile beside all of it. */
void emit_tile_end(const struct work *work, const struct operands *operands,
                   const struct tile *tile, int64_t group);

/* ---- arithmetic.c ---- */

/* Does the function take its scalings from a record in PAR? */
static inline bool has_sum_record(uint32_t function) {
    return (weft_vector_reads(function) & WEFT_READS_SUM) != 0;
}

/* A VECTOR of the layer's function that makes a part of its result; the operands are not set. */
struct weft_instruction binary_of(const struct work *work, const struct view *out,
                                  const struct area *area);

/* Appends it, with its record if it has one. */
void emit_arithmetic(const struct work *work, const struct weft_instruction *instruction);

/* Arithmetic of two operands on a part of a tile; `out` may be `a` or `b`. */
void emit_binary_of(const struct work *work, const struct view *a, const struct view *b,
                    const struct view *out, const struct area *area);

/* ---- pool.c ---- */

/* Outputs [first, end) of one axis whose windows cover the taps [low, high). */
struct span {
    int64_t first, end;
    int64_t low, high;
};

struct rectangle {
    int64_t image;
    struct span rows, columns;
};

typedef void emit_rectangle(const struct work *work, const struct view *in, const struct view *out,
                            const struct rectangle *rectangle);

/* Emits a stripe of a pool. A window that reaches over an edge is cut there: the outputs are walked
 * in rectangles whose windows are cut alike. */
void emit_pool(const struct work *work, const struct rows *rows, emit_rectangle *emit_one);

/* The address of the first tap of the first window of a rectangle. */
int64_t first_tap(const struct layer *layer, const struct view *in, int64_t block,
                  const struct rectangle *rectangle);

/* ---- input.c ---- */

/* Makes or finds what stripe `number` of the results needs of an input. */
struct view input_view(const struct work *work, int slot, int64_t number,
                       const struct stripe *results);

/* The first input of a stripe comes ahead when VECTOR has something to do to it. */
bool comes_ahead(const struct work *work);

/* Loads what stripe `number` of the results needs of an input that is not resident. */
struct view load_input(const struct work *work, int slot, int64_t number,
                       const struct stripe *results);

/* Where stripe `number` of the result is made. */
struct view output_view(const struct work *work, int64_t number, const struct stripe *stripe);

/* Where the mean behind the layer is made, tensor `index`, all of which is the stripe `whole`. */
struct view mean_view(const struct work *work, int index, const struct stripe *whole);

/* ---- sum.c ---- */

/* A stripe of a layer's result that is still to be added up for the mean behind it. */
struct sum {
    bool is_pending;
    struct view view;
    struct stripe stripe;
};

/* Adds a stripe up that was just made, if there is a mean behind the layer: the one before it now,
 * itself when the next one has been made, so that MATRIX need not wait for VECTOR. */
void sum_stripe(const struct work *work, struct sum *sum, const struct view *view,
                const struct stripe *stripe);

/* Adds up what is left, and makes the mean. */
void sum_finish(const struct work *work, struct sum *sum);

/* ---- chain.c ---- */

/* Emits the chain from the layer on. */
void emit_chain(const struct work *work);

/* ---- abreast.c ---- */

/* Emits layers abreast; returns the last of them. */
int emit_abreast(const struct work *work, const struct run *run);

/* ---- stripe.c ---- */

/* Loads what a stripe of results needs, unless its first input is `ready`, and makes it group by
 * group; *part counts what is made together. */
void emit_layer_stripe(const struct work *work, int64_t number, int64_t *part,
                       const struct stripe *results, const struct view *ready);

/* Emits rows of an image of the layer's result, which is no layer of a chain. */
void emit_result_rows(const struct work *work, int64_t image, int64_t first, int64_t end);

/* ---- beside.c ---- */

/* Layers that are carried out between the tiles of one, their host: those before it, in order, and
 * those behind it. */
struct beside {
    struct work work;
    int host, last;
    int at;                /* the one before the host that it is at */
    int64_t row;           /* the next of its result; those of images one after the other */
    int64_t tile, tiles;   /* of the host: how many were, how many there are */
    int64_t made, vectors; /* the same of what those before it make */
    int64_t *rows;         /* of each result, from the host's on: so many are there */
    struct stream stream;  /* what comes between the last tiles */
};

/* The host between whose tiles the layer is carried out, with those after it up to there; the layer
 * itself: it is not, or that comes after `last`. */
int host_beside(const struct plan *plan, int first, int last);

/* The last layer up to `last` of those behind the host that are carried out between its tiles; the
 * host itself: none is. */
int last_beside(const struct plan *plan, int host, int last);

/* The layers from `first` to `last`, but for the host, before any of its tiles. */
struct beside beside_begin(const struct work *work, int first, int host, int last);

/* Puts what comes between the parts of a further stripe of the host into their stream, in as many
 * parts. */
void beside_emit(struct beside *beside, const struct stripe *stripe, size_t parts);

/* Emits what is left of them when all stripes have been. */
void beside_end(struct beside *beside, struct stream *stream);

/* ---- attention.c ---- */

/* Emits the layer and those after it, up to `last`, together if they are a product of two tensors,
 * its softmax, and the product of that with another; returns the last of them, or the layer itself
 * if nothing was emitted. */
int emit_attention(const struct work *work, int last);

/* ---- hosts.c ---- */

/* What VECTOR has to do before a layer makes its next stripe, copies above all, is emitted between
 * the tiles of another layer, which leaves it time: its host. */
struct chain_hosts {
    int *of;      /* by layer from the first on: itself, if there is none better */
    int of_input; /* of what is done to the first layer's input */
};

/* `most` and `in_rows`: what chain_most_rows() found. */
struct chain_hosts find_hosts(const struct plan *plan, int first, const struct chain_row *most,
                              int64_t in_rows);

/* ---- transfer.c ---- */

/* What of a stripe is inside the tensor, between external memory and a view. */
void emit_load_rows(const struct work *work, int tensor, const struct view *view,
                    const struct stripe *stripe);
void emit_store_rows(const struct work *work, int tensor, const struct view *view,
                     const struct stripe *stripe);

/* Loads a stripe of a tensor and looks it up, part by part: each while the next one comes, which
 * may begin in the bank where it ends. */
void emit_load_looked_up(const struct work *work, int tensor, const struct view *view,
                         const struct stripe *stripe);

/* The same for the part of a tensor that begins at `begin`, in [N, H, W, C], and has every
 * steps[]-th of its images, rows and columns: it becomes, or is, the stripe of `part`. */
void emit_load_part(const struct work *work, int whole, const int64_t begin[4],
                    const int64_t steps[3], int part, const struct view *view,
                    const struct stripe *stripe);
void emit_store_part(const struct work *work, int whole, const int64_t begin[4], int part,
                     const struct view *view, const struct stripe *stripe);

/* Loads a tensor whose images, rows and columns are the axes order[0], order[1] and order[2] of
 * another. */
void emit_load_turned(const struct work *work, int whole, const int order[3], int to,
                      const struct view *view, const struct stripe *stripe);

/* ---- halo.c ---- */

/* Fills the columns beside the rows of a stripe, and between them, with the zero point. */
void emit_side_halo(const struct work *work, int tensor, const struct view *view,
                    const struct stripe *stripe, bool by_load);
/* Fills rows of a stripe that lie outside the tensor, above or below it. */
void emit_rows_outside(const struct work *work, int tensor, const struct view *view,
                       const struct stripe *stripe);
/* Fills rows of a stripe above and below the tensor, of which it has every row_step-th, by load. */
void emit_rows_around(const struct work *work, int tensor, const struct view *view,
                      const struct stripe *stripe);
/* Fills what of a stripe surrounds the tensor: by load before the rows are loaded, by vector where
 * the tensor is made on chip. */
void emit_halo(const struct work *work, int tensor, const struct view *view,
               const struct stripe *stripe, bool by_load);

#endif
