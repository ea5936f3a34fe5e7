/* A region on its way to a program: its layers, its tensors and where they are.
 *
 * On chip a tensor lies in channel-blocked planes [N, C / B, H, W, B]: a line of B bytes holds one
 * pixel's channels of one block. Rows have room for a halo around the tensor, which is filled with
 * the zero point, so that windows that reach over the edge read like any other. The right halo of a
 * row and the left halo of the next share their lines. A tensor that comes from outside with fewer
 * than B channels may be packed instead: rows of W * C bytes.
 */
#ifndef WEFT_COMPILER_SCHEDULE_SEGMENT_H
#define WEFT_COMPILER_SCHEDULE_SEGMENT_H

#include "compiler/schedule/layer.h"

enum {
    TOP,
    LEFT,
    BOTTOM,
    RIGHT
};

/* Part of a tensor: rows first, first + row_step, ... before `end`, of the images [first_image,
 * end_image) and of the channel blocks [first_block, end_block) that it has. */
struct stripe {
    int64_t first_image, end_image;
    int64_t first, end;
    int64_t row_step;
    int64_t first_block, end_block;
};
enum {
    ALL_BLOCKS = INT32_MAX /* as end_block */
};

/* A stripe of a tensor in ACT. Addresses are bytes. */
struct view {
    int64_t base;        /* of the first image, channel block 0, row first_row, column 0 */
    int64_t pixel;       /* from column to column */
    int64_t pitch;       /* from row to row */
    int64_t plane;       /* from channel block to channel block */
    int64_t image;       /* from image to image */
    int64_t first_row;   /* rows before it are not there */
    int64_t row_step;    /* nor are those that are not a multiple of it after that one */
    int64_t first_image; /* nor are images before it */
    int64_t first_block; /* nor are channel blocks before it */
};

struct tensor {
    struct shape shape;
    int32_t zero;
    /* What becomes of every byte, in place, when it has come on chip from external memory or has
     * been made; NULL: nothing. `zero` is what comes after it. */
    const uint8_t *table;
    int32_t fill;            /* the byte that surrounds it, before that */
    int producer;            /* layer, or -1 for an input of the region */
    int last_use;            /* last layer that reads it, or -1 */
    int64_t input;           /* index among the region's inputs, or -1 */
    int64_t output;          /* index among its outputs, or -1 */
    const uint8_t *constant; /* its bytes, in the constants region, or NULL */
    int64_t halo[4];         /* rows and columns around it that some window reads */
    bool odd_pitch;          /* some window reads several rows at once */
    bool packed;
    bool resident;   /* all of it is on chip from its first use to its last */
    bool is_between; /* it lies between layers of a chain: of each stripe just what the next layer
                        needs is on chip */
    bool external;   /* it has a place in external memory */
    bool joined;     /* operands of a concatenation are stored there, part by part */
    bool nhwc;       /* there, it lies as [N, H, W, C]; else as [N, C / B, H, W, B] */
    int same_bytes;  /* tensor whose external place it shares (result of a reshape), or -1 */
    uint32_t region;
    int64_t offset;
    struct view view; /* resident: all rows */
    int64_t bytes;    /* resident: size in ACT */
};

/* Where a tensor, or a part of one, lies in external memory: bytes from image to image, from row to
 * row and from pixel to pixel. Channels, or those of a block, are neighbours. */
struct place {
    uint32_t region;
    int64_t offset;
    int64_t image, row, pixel;
    int64_t plane; /* from channel block to channel block, where these are not neighbours */
};

/* A piece of constant data that instructions use as a whole. */
struct piece {
    const uint8_t *data;  /* NULL until constants_fill() */
    int64_t bytes;        /* a multiple of 2B in WGT, of B in PAR and LUT */
    int64_t offset;       /* in the constants region */
    int64_t address;      /* in its memory, or -1 while it is not there */
    const uint8_t *table; /* of LUT: what it holds, for one lane */
};

/* A part of a depthwise window that one MATRIX accumulates: `rows` x `columns` taps, repeated over
 * groups. */
struct window_part {
    int64_t first_row, rows, row_groups;
    int64_t first_column, columns, column_groups;
};
enum {
    MAX_WINDOW_PARTS = 4
};

/* How a layer on matrix is cut. */
struct tiling {
    int64_t rows, columns; /* of the output, in one tile */
    int64_t blocks;        /* output channel blocks in one MATRIX */
    int64_t groups;        /* MATRIX groups of blocks: ceil(all blocks / blocks) */
    bool weights_outer;    /* all tiles of one group before the next group */
    /* Between loads and stores of tensors that are not resident: rows of the output, images, groups
     * (of the result and of what a sum adds to it, if weights_outer), and how many buffers for each
     * tensor are used in turn */
    int64_t stripe_rows, stripe_images, stripe_groups;
    int stripe_buffers;
    /* CONV: tile levels and how the reduction is cut into pieces of weights */
    int64_t input_blocks; /* channel blocks that a group of output blocks reads */
    int64_t row_steps;    /* window rows, or groups of them when packed */
    int64_t column_steps; /* window columns, or groups of B bytes when packed */
    int64_t rows_a_step;  /* packed: window rows in one step */
    int64_t chunk[3];     /* blocks, row steps, column steps in one piece */
    int64_t chunks;
    /* DEPTHWISE */
    int part_count;
    struct window_part parts[MAX_WINDOW_PARTS];
};

/* What a schedule may do. The scheduler tries several and takes the fastest. */
struct schedule_style {
    bool behind;        /* arithmetic by element is carried out behind products */
    bool chains;        /* layers between which nothing fits are carried out together */
    bool halve_last;    /* the last LOADs of constants become shorter and shorter */
    bool shorten_first; /* before a tensor leaves the chip, the stripes in its way become shorter */
};

/* How one layer is cut, where that differs from what is tried first. The scheduler searches for it.
 */
struct layer_choice {
    int64_t stripe_rows; /* at most; 0: as many as there is room for */
    int64_t tile_part;   /* a tile has this part of the pixels that it has room for, and so on: 0 or
                            1: all, 2: half */
    int coarser;         /* a MATRIX streams for 4 to the power of this times LEAST_STREAM */
};

/* Layers in a row. */
struct window {
    int first, last;
};

/* Kinds of pieces: for WGT, PAR and LUT. */
enum {
    PIECES_WGT,
    PIECES_PAR,
    PIECES_LUT,
    PIECES
};

struct segment {
    struct schedule_style style;
    struct weft_arena *arena;
    const struct weft_config *config;
    const struct weft_graph *graph; /* body of the region */
    int layer_count;
    const struct layer_choice *choices; /* by layer, or NULL */
    struct window window;               /* that are emitted; chains are as a whole */
    struct layer *layers;
    struct tiling *tilings;        /* by layer */
    int *chain_first, *chain_last; /* by layer: of the chain that it belongs to; itself */
    int (*tensors_of)[3];          /* by layer: inputs, output */
    int tensor_count;
    struct tensor *tensors;
    /* by layer: pieces [group][chunk or part] in WGT, and [group] in PAR; -1: none */
    int *first_weights;
    int *first_parameters;
    int piece_count[PIECES]; /* WGT, PAR, LUT */
    size_t piece_capacity[PIECES];
    struct piece *pieces[PIECES];
    bool is_filling; /* constants_fill() has come to the pieces filled[kind] */
    int filled[PIECES];
    int64_t constant_bytes;
    int64_t scratch_bytes;
    int64_t input_bytes;
    int64_t output_bytes;
    struct weft_error *error;
};
static inline int64_t blocks_of(const struct segment *segment, int64_t channels) {
    return (channels + segment->config->block - 1) / segment->config->block;
}

static inline int64_t tensor_bytes(const struct tensor *tensor) {
    const struct shape *s = &tensor->shape;
    return s->n * s->h * s->w * s->c;
}

/* A layer whose result is its operand makes nothing. */
static inline bool is_done(const struct segment *segment, int layer) {
    return segment->tensors_of[layer][0] == segment->tensors_of[layer][2];
}

/* ---- layers.c ---- */

/* Lists the layers and tensors of the region. */
bool segment_list(struct segment *segment);

/* ---- dissolve.c ---- */

/* How many operands of layers the tensor is. */
int count_readers(const struct segment *segment, int tensor);

/* Takes out layers that need no work of their own. */
void segment_dissolve(struct segment *segment);

/* ---- tensors.c ---- */

/* Lists layers and tensors, finds halos, packed tensors and what has to be in external memory. */
bool segment_create(struct weft_arena *arena, const struct weft_config *config,
                    const struct weft_graph *graph, const struct schedule_style *style,
                    struct segment *segment, struct weft_error *error);

/* A copy in another arena, for one attempt to schedule it. Nothing of it may have been planned. */
void segment_copy(const struct segment *segment, struct weft_arena *arena, struct segment *copy);

/* Bytes from row to row of a tensor in ACT. */
int64_t view_pitch(const struct segment *segment, const struct tensor *tensor);

/* The layer that reads an input of `layer`: itself, or the one behind it. */
const struct layer *reader_of(const struct segment *segment, int layer, uint32_t slot);

/* The view of a stripe of a tensor that starts at `address`, and the bytes it takes. */
struct view view_at(const struct segment *segment, const struct tensor *tensor, int64_t address,
                    const struct stripe *stripe, int64_t *bytes);

/* All of a tensor, with its halo above and below. */
static inline struct stripe whole_tensor(const struct tensor *tensor) {
    return (struct stripe){
        0, tensor->shape.n, -tensor->halo[TOP], tensor->shape.h + tensor->halo[BOTTOM], 1,
        0, ALL_BLOCKS};
}

/* All of the rows [first, end) of an image. */
static inline struct stripe rows_of_image(int64_t image, int64_t first, int64_t end) {
    return (struct stripe){image, image + 1, first, end, 1, 0, ALL_BLOCKS};
}

/* Is its content in external memory before anything of it is on chip? Inputs, constants and results
 * of reshapes and concatenations. */
static inline bool is_from_memory(const struct tensor *tensor) {
    return tensor->input >= 0 || tensor->constant != NULL || tensor->same_bytes >= 0 ||
           tensor->joined;
}

/* Does a layer of this kind read its operands on chip, or where they lie in external memory? */
static inline bool reads_on_chip(enum layer_kind kind) {
    return kind != LAYER_RESHAPE && kind != LAYER_SLICE;
}

/* Does it make its result on chip? */
static inline bool makes_on_chip(enum layer_kind kind) {
    return kind != LAYER_RESHAPE && kind != LAYER_PLACE;
}

/* The channel blocks of a tensor that are in a stripe. */
static inline int64_t stripe_blocks(const struct segment *segment, const struct tensor *tensor,
                                    const struct stripe *stripe) {
    int64_t all = blocks_of(segment, tensor->shape.c);
    return (stripe->end_block < all ? stripe->end_block : all) - stripe->first_block;
}

/* The byte address of a pixel. */
static inline int64_t view_pixel(const struct view *view, int64_t image, int64_t block, int64_t row,
                                 int64_t column) {
    return view->base + (image - view->first_image) * view->image +
           (block - view->first_block) * view->plane +
           (row - view->first_row) / view->row_step * view->pitch + column * view->pixel;
}

/* ---- fuse.c ---- */

/* Puts arithmetic by element behind the products that make an operand of it. */
void fuse_behind(struct segment *segment);

/* ---- tiling.c ---- */

/* Cuts a layer; error WEFT_CAPACITY when nothing fits. */
bool tiling_choose(struct segment *segment, int layer);

/* The parts of a depthwise window of kernel_rows x kernel_columns that cost the fewest cycles for
 * rows of out_columns results; returns how many. */
int window_parts(const struct segment *segment, const struct layer *layer, int64_t kernel_rows,
                 int64_t kernel_columns, int64_t out_columns,
                 struct window_part parts[MAX_WINDOW_PARTS]);

/* Bytes of weights of a part for one channel block. */
int64_t part_weight_bytes(const struct segment *segment, const struct window_part *part);

/* Input rows that output rows [first, end) of a layer read, not clipped to the tensor. */
void rows_read(const struct layer *layer, int64_t first, int64_t end, int64_t *in_first,
               int64_t *in_end);

/* The most that any `rows` neighbouring output rows read. */
int64_t most_rows_read(const struct layer *layer, int64_t rows);

/* A window of one row that skips rows needs just every row_step()-th of its input's rows, where
 * that comes in stripes. */
int64_t row_step(const struct segment *segment, int layer, uint32_t slot);

/* The result of products that take one group of weights after the other, and what a sum adds to it,
 * come in stripes of groups: is the operand one of these? */
static inline bool is_cut_in_groups(const struct segment *segment, int layer, int slot) {
    return slot > 0 && segment->tilings[layer].weights_outer;
}

/* ---- chain.c ---- */

/* Rows of the result of one layer of a chain for one stripe of the chain. */
struct chain_row {
    int64_t need_first, need_end; /* that the next layer reads, with the halo */
    int64_t first, end;           /* that are made now; those before them are kept */
    int64_t done;                 /* that were made before this stripe */
};

/* Reshapes that are no work, or change a name in external memory, and what is carried out behind
 * another layer. */
bool layer_is_idle(const struct segment *segment, int layer);

/* The layer after `layer` in its chain, or -1. */
int next_in_chain(const struct segment *segment, int layer);

/* Links layers between which there is nothing but a tensor that plan_memory() found no room for, as
 * far as their weights fit on chip together. Returns whether there were any. */
bool chain_layers(struct segment *segment);

/* What each layer of the chain from `first` on makes for a stripe of the chain's results. `rows`,
 * by layer, has in `done` what there is already. */
void chain_rows(const struct segment *segment, int first, const struct stripe *results,
                struct chain_row *rows);

/* Everything in `rows` has been made. */
void chain_rows_made(const struct segment *segment, int first, struct chain_row *rows);

/* The most rows of any stripe: of the chain's input, and in need_end and end of `most`, by layer,
 * which must be zero, of what is needed and what is made of each result. */
int64_t chain_most_rows(const struct segment *segment, int first, struct chain_row *most);

/* ---- constants.c ---- */

/* Divides weights and parameters of all layers into pieces and places them, and tensors that are
 * constant, in the constants region. */
void constants_plan(struct segment *segment);

/* Fills the pieces with data. */
void constants_fill(struct segment *segment);

/* The piece for LUT that holds a table. */
int table_piece(const struct segment *segment, const uint8_t *table);

/* First channel block of the input that a block of outputs reads (grouped convolutions: not always
 * 0). */
int64_t first_input_block(const struct segment *segment, const struct layer *layer,
                          const struct tiling *tiling, int64_t out_block);

/* ---- plan.c ---- */

/* Where stripes of a layer's tensors that are not resident go: two buffers each, used in turn, or
 * one that is both. */
struct stripe_buffers {
    int64_t address[3][2]; /* inputs, output */
};

/* Decides which tensors are resident and where everything lies in ACT and in external memory.
 * Error: WEFT_CAPACITY. */
bool plan_memory(struct segment *segment, struct stripe_buffers *buffers);

#endif
