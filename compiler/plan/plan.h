/* From decisions to a plan: where everything lies, on chip and in external memory, and how layers
 * are cut into tiles. */
#ifndef WEFT_COMPILER_PLAN_PLAN_H
#define WEFT_COMPILER_PLAN_PLAN_H

#include "compiler/plan/decisions.h"

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

/* Where a tensor, or a part of one, lies in external memory: bytes from image to image, from row to
 * row and from pixel to pixel. Channels, or those of a block, are neighbours. */
struct place {
    uint32_t region;
    int64_t offset;
    int64_t image, row, pixel;
    int64_t plane; /* from channel block to channel block, where these are not neighbours */
};

/* Weights that are a part of a tensor: blocks of outputs, each of so many tiles of inputs. */
struct gathered {
    int tensor;
    int64_t begin[4]; /* [N, H, W, C] where the matrix begins: inputs along columns, outputs along
                         channels, */
    bool transposed;  /* or the other way round */
    int64_t first_input, inputs;
    int64_t first_output, outputs;
    int64_t tiles;
    int64_t together; /* bytes of neighbouring pieces that come into one bank */
    /* The piece of PAR whose bytes, as many as a tile has, stand where tiles have no weights; -1:
     * they have everywhere. It is used in the constants region alone. */
    int padding;
};

/* A piece of data that instructions use as a whole: constant, or gathered from a tensor. */
struct piece {
    int64_t bytes;                   /* a multiple of 2B in WGT, of B in PAR and LUT */
    int64_t offset;                  /* in the constants region */
    int64_t stored;                  /* bytes there, coded if plan->coded says so */
    uint8_t base;                    /* of WGT: what the weights are coded without */
    bool is_short;                   /* of PAR: its records are; */
    int shift;                       /* then the least of their exponents */
    const uint8_t *table;            /* of LUT: what it holds, for one lane; */
    const int32_t *exponentials;     /* or for four lanes, byte by byte */
    const struct gathered *gathered; /* of WGT: where it comes from, if it is no constant; `stored`
                                        is 0 */
};

/* A part of a depthwise window that one MATRIX accumulates: `rows` x `columns` taps, repeated over
 * groups. */
struct window_part {
    int64_t first_row, rows, row_groups;
    int64_t first_column, columns, column_groups;
};

/* How a layer is carried out: its cut, and what follows from that. */
struct tiling {
    int64_t rows, columns; /* of the output, in one tile */
    int64_t blocks;        /* output channel blocks in one MATRIX */
    int64_t groups;        /* MATRIX groups of blocks: ceil(all blocks / blocks) */
    /* CONV: tile levels and how the reduction is cut into pieces of weights */
    int64_t input_blocks; /* channel blocks that a group of output blocks reads */
    int64_t row_steps;    /* window rows, or groups of them when packed */
    int64_t column_steps; /* window columns, or groups of B bytes when packed */
    int64_t rows_a_step;  /* packed: window rows in one step */
    int64_t chunk[3];     /* blocks, row steps, column steps in one piece */
    int64_t chunks;
    int64_t first_chunk; /* of those of a window in rows: it comes before all others */
    /* DEPTHWISE */
    bool downwards; /* the window walks down columns: parts have rows and columns exchanged */
    int part_count;
    struct window_part parts[MAX_WINDOW_PARTS];
};

/* Where a tensor lies. */
struct location {
    bool is_between; /* it lies between layers of a chain: of each stripe just what the next layer
                        needs is on chip */
    bool external;   /* it has a place in external memory */
    bool is_outside; /* that place is an input or output of the region */
    int32_t fill;    /* the byte that surrounds it on chip, before its table is applied */
    uint32_t region;
    int64_t offset;      /* for the first group of images */
    int64_t group_bytes; /* from one group to the next */
    struct view view;    /* resident: all rows */
};

/* Kinds of pieces: for WGT, PAR and LUT. */
enum {
    PIECES_WGT,
    PIECES_PAR,
    PIECES_LUT,
    PIECES
};

/* Operands that have buffers: inputs 0 and 1, the output, the product of a tile that lies apart
 * from it, and the mean that is carried out behind the layer. */
enum {
    SLOT_PRODUCT = 3,
    SLOT_MEAN,
    SLOTS
};

/* Where stripes of a layer's tensors that are not resident go: two buffers each, used in turn, or
 * one that is both; of the first operand three, where VECTOR looks stripes up between LOAD and who
 * reads them. */
enum {
    MOST_BUFFERS = 3
};
struct stripe_buffers {
    int64_t address[SLOTS][MOST_BUFFERS];
    int sides[SLOTS];     /* how many there are */
    int64_t bytes[SLOTS]; /* room of each */
};

struct plan {
    struct weft_arena *arena;
    const struct weft_config *config;
    struct weft_config as_if; /* the machine that the decisions were made for */
    const struct region *region;
    const struct decisions *decisions;
    const struct layer **layers;   /* the region's; some turned */
    struct tiling *tilings;        /* by layer */
    int *chain_first, *chain_last; /* by layer: of the chain that it belongs to; itself */
    int *host_of; /* by layer: the one between whose tiles it may be carried out; itself */
    struct location *locations; /* by tensor */
    struct stripe_buffers *buffers;
    /* by layer: pieces [group][chunk or part] in WGT, and [group] in PAR; those of another layer
     * where they are the same bytes */
    int *first_weights, *end_weights;
    int *first_parameters, *end_parameters;
    int piece_count[PIECES]; /* WGT, PAR, LUT */
    size_t piece_capacity[PIECES];
    struct piece *pieces[PIECES];
    bool coded; /* weights, in units of isa/coding.h; their pieces are whole units */
    int64_t constant_bytes;
    int64_t scratch_bytes;
    int64_t input_bytes;
    int64_t output_bytes;
};

/* ---- what passes ask ---- */

static inline const struct tensor *tensor_at(const struct plan *plan, int layer, int slot) {
    return &plan->region->tensors[plan->region->tensors_of[layer][slot]];
}

static inline const struct cut *cut_of(const struct plan *plan, int layer) {
    return &plan->decisions->cuts[layer];
}

static inline const struct keep *keep_of(const struct plan *plan, int tensor) {
    return &plan->decisions->keeps[tensor];
}

/* Do banks of ACT share RAMs, so that units can wait for a port of one? */
static inline bool are_rams_shared(const struct weft_config *config) {
    return weft_act_rams(config) < config->act_banks;
}

/* Is an operand of a layer resident? */
static inline bool is_resident(const struct plan *plan, int layer, int slot) {
    return keep_of(plan, plan->region->tensors_of[layer][slot])->resident;
}

/* Does a layer, or one of its chain, keep a bank of accumulators for sums? */
static inline bool keeps_accumulators(const struct plan *plan, int layer) {
    bool keeps = false;
    for (int i = plan->chain_first[layer]; i <= plan->chain_last[layer]; i++) {
        keeps = keeps || plan->region->layers[i].summed > 0;
    }
    return keeps;
}

/* The result of products that take one group of weights after the other, and what a sum adds to it,
 * come in stripes of groups: is the operand one of these? */
static inline bool is_cut_in_groups(const struct plan *plan, int layer, int slot) {
    return slot > 0 && cut_of(plan, layer)->weights_outer;
}

/* ---- view.c ---- */

/* Do rows of windows of a packed tensor fill reduction steps together? */
bool view_has_window(const struct plan *plan, int tensor);

/* Bytes from row to row of a tensor in ACT. */
int64_t view_pitch(const struct plan *plan, int tensor);

/* The view of a stripe of a tensor that starts at `address`, where it has room for `most` bytes
 * (INT64_MAX: for as many as it wants), and the bytes it takes. */
struct view view_at(const struct plan *plan, int tensor, int64_t address,
                    const struct stripe *stripe, int64_t most, int64_t *bytes);

/* Is a tensor looked up when it has come on chip? */
static inline bool is_looked_up_in(const struct tensor *tensor) {
    return is_from_memory(tensor) && tensor->table != NULL;
}

/* All of a tensor, with its halo above and below. */
static inline struct stripe whole_tensor(const struct tensor *tensor) {
    return (struct stripe){
        0, tensor->shape.n, -tensor->halo[TOP], tensor->shape.h + tensor->halo[BOTTOM], 1,
        0, ALL_BLOCKS};
}

/* The first row of a stripe that is not above row `least`. */
static inline int64_t first_row_from(const struct stripe *stripe, int64_t least) {
    int64_t above = stripe->first < least ? least - stripe->first : 0;
    return stripe->first + (above + stripe->row_step - 1) / stripe->row_step * stripe->row_step;
}

/* The first one that is not above the tensor. */
static inline int64_t first_row_inside(const struct stripe *stripe) {
    return first_row_from(stripe, 0);
}

/* All of the rows [first, end) of an image. */
static inline struct stripe rows_of_image(int64_t image, int64_t first, int64_t end) {
    return (struct stripe){image, image + 1, first, end, 1, 0, ALL_BLOCKS};
}

/* The channel blocks of a tensor that are in a stripe. */
static inline int64_t stripe_blocks(const struct weft_config *config, const struct tensor *tensor,
                                    const struct stripe *stripe) {
    int64_t all = blocks_of(config, tensor->shape.c);
    return (stripe->end_block < all ? stripe->end_block : all) - stripe->first_block;
}

/* Of an operand or result whose matrices lie side by side: the part that rows of matrices are. */
static inline struct stripe stripe_of_heads(const struct weft_config *config,
                                            const struct layer *layer, int slot,
                                            const struct stripe *rows) {
    int64_t blocks = blocks_of(config, slot == 2 ? layer->out.c : layer->in.c);
    return (struct stripe){rows->first_image,    rows->end_image,   0, 1, 1,
                           rows->first * blocks, rows->end * blocks};
}

/* The byte address of a pixel. */
static inline int64_t view_pixel(const struct view *view, int64_t image, int64_t block, int64_t row,
                                 int64_t column) {
    return view->base + (image - view->first_image) * view->image +
           (block - view->first_block) * view->plane +
           (row - view->first_row) / view->row_step * view->pitch + column * view->pixel;
}

/* ---- rows.c ---- */

/* The most rows of an operand that any `rows` neighbouring output rows of a layer read. */
int64_t most_rows_read(const struct layer *layer, int64_t rows);

/* Where its input comes in stripes, a window of one row that skips rows needs just every
 * row_step()-th of the input's rows; so does one whose own rows are apart, for one row of results.
 */
int64_t row_step(const struct plan *plan, int layer, int slot);

/* ---- beside.c ---- */

/* Finds the hosts of layers, plan->host_of. Those of one host are its neighbours, before and behind
 * it, but for layers that are idle. They are carried out between its tiles if all that they read
 * and make is on chip as a whole and neither they nor the host are in chains; else by themselves,
 * where they are. */
void beside_follow(struct plan *plan);

/* ---- tiling.c ---- */

/* What a search asks a layer to be like, where that differs from what is tried first. */
struct hint {
    int64_t stripe_rows; /* at most; 0: as many as there is room for */
    int64_t more_tiles;  /* of a stripe than it would have; below 0: fewer */
    int64_t tile_part;   /* a tile has this part of the pixels that it has room for, and so on: 0 or
                            1: all, 2: half */
    int64_t more_pieces; /* of weights than there have to be */
    int64_t late;      /* channel blocks of the operand that the first tile of a stripe takes one by
                          one, after the others, or after the first one when there are no more;
                          it has one block of the result then */
    bool streams;      /* the first operand is not resident */
    bool third_buffer; /* for the stripes of the first operand */
    bool other_order;  /* weights_outer is not what it would be */
    bool other_turn;   /* nor is turned */
    bool other_apart;  /* nor is apart */
    bool other_link;   /* nor is linked, if it can be */
    bool other_ahead;  /* nor is ahead */
    int64_t put_off;   /* struct cut */
    int64_t beside;    /* in so many ways after the usual one: struct cut */
    int coarser;       /* a MATRIX streams for 4 to the power of this times LEAST_STREAM */
};

/* Cuts a layer as the hint says, as if there were room for everything, and finds what follows. */
void tiling_choose(struct plan *plan, struct decisions *decisions, int layer,
                   const struct hint *hint);

/* What follows from the cut of a layer. */
void tiling_follow(struct plan *plan, int layer);

/* Splits `size` into parts of at most `most`, as equal as can be; returns the larger part. */
int64_t even_part(int64_t size, int64_t most);

/* Channel blocks of the operand in one piece of weights, when a bank has room for `most` of them.
 */
int64_t blocks_of_piece(const struct plan *plan, int layer, int64_t blocks, int64_t most);

/* Channel blocks of the operand that the first tile of a stripe of a layer can begin with: struct
 * cut. All but one of those that its weights can be cut along. */
int64_t most_early_blocks(const struct region *region, int layer);

/* More pieces of weights, if the hint says so: for `choose` of kinds whose weights can be cut.
 * `tiling` is what follows from as few as can be. */
void choose_pieces(const struct plan *plan, int layer, const struct hint *hint,
                   struct tiling *tiling, struct cut *cut);

/* Vectors in one VECTOR: for `choose` of kinds that VECTOR alone carries out. */
void choose_vectors(const struct plan *plan, int layer, const struct hint *hint, struct cut *cut);
/* The same for kinds that work by element: several stripes where the layer is no chain's. */
void choose_stripes(const struct plan *plan, int layer, const struct hint *hint, struct cut *cut);

/* Can one MATRIX of products make several channel blocks? */
bool takes_several_blocks(const struct layer *layer, const struct tiling *tiling);

/* The most blocks, up to `blocks`, that are whole multiples: all that some blocks of the operand
 * make, or an equal part of what one makes. */
int64_t whole_multiples(const struct layer *layer, int64_t blocks);

/* Several channel blocks in one MATRIX, as long as weights, parameters and accumulators allow and
 * the stream of `stream` cycles for each is short. */
void choose_blocks(const struct plan *plan, int layer, const struct hint *hint,
                   const struct tiling *tiling, int64_t weight_bytes, int64_t stream,
                   struct cut *cut);

/* ---- window.c ---- */

/* The parts of a depthwise window of kernel_rows x kernel_columns that cost the fewest cycles for
 * rows of out_columns results; returns how many. */
int window_parts(const struct weft_config *config, const struct layer *layer, int64_t kernel_rows,
                 int64_t kernel_columns, int64_t out_columns,
                 struct window_part parts[MAX_WINDOW_PARTS]);

/* Cycles that MATRIX takes for a row of out_columns results of a part of `columns` columns. */
int64_t column_cost(const struct layer *layer, int64_t out_columns, int64_t columns);

/* Bytes of weights of a part for one channel block. */
int64_t part_weight_bytes(const struct weft_config *config, const struct window_part *part);

/* ---- chain.c ---- */

/* Rows of the result of one layer of a chain for one stripe of the chain. */
struct chain_row {
    int64_t need_first, need_end; /* that the next layer reads, with the halo */
    int64_t first, end;           /* that are made now; those before them are kept */
    int64_t done;                 /* that were made before this stripe */
};

/* The layer after `layer` in its chain, or -1. */
int next_in_chain(const struct plan *plan, int layer);

/* Which operand of layer `next` is the result of `layer`, so that they can be linked; -1: none. */
int slot_between(const struct region *region, int layer, int next);

/* Which operand of a layer comes from the layer before it in its chain; -1: it is the first. */
int linked_slot(const struct plan *plan, int layer);

/* Can a layer of the chain from `first` on be linked with the next? What lies between them has not
 * found room on chip, and is all that the next one reads of what the chain makes. */
bool can_link(const struct plan *plan, int first, int layer, int next);

/* Is what lies between two layers of a chain needed by others, too, so that it is also stored? */
static inline bool leaves_chain(const struct tensor *between) {
    return between->nhwc || between->readers > 1;
}

/* Does VECTOR alone make what a layer of products reads right after it, and nobody else? Linked,
 * one makes a stripe beside the other, which pays even where all of it has room on chip. */
bool is_better_linked(const struct plan *plan, int layer);

/* Finds chains: chain_first, chain_last and what lies between their layers, from the cuts. */
void chain_follow(struct plan *plan);

/* Links layers between which there is a tensor that found no room, as far as their weights fit on
 * chip together: where nothing else needs it, or a hint, by layer (NULL: there are none), asks for
 * it. Returns whether there were any. */
bool chain_choose(const struct plan *plan, const struct hint *hints, struct decisions *decisions);

/* Layers of a chain that are carried out ahead: those before `end` make a stripe between the tiles
 * of layer `host` of the stripe before it. None: end is the first layer. */
struct chain_ahead {
    int end, host;
};

struct chain_ahead chain_ahead(const struct plan *plan, int first);

/* Cycles for which VECTOR waits for MATRIX while a layer makes so many rows; less than 0 where none
 * of it is products. */
int64_t free_cycles(const struct plan *plan, int layer, int64_t rows);

/* An array for the layers of a chain, zeroed: element 0 is that of the first. */
struct chain_row *chain_array(const struct plan *plan, int first);

/* What each layer of the chain from `first` on makes for a stripe of the chain's results. `rows`,
 * by layer from `first` on, has in `done` what there is already. */
void chain_rows(const struct plan *plan, int first, const struct stripe *results,
                struct chain_row *rows);

/* Everything in `rows` has been made. */
void chain_rows_made(const struct plan *plan, int first, struct chain_row *rows);

/* The most rows of any stripe: of the chain's input, and in need_end and end of `most`, by layer
 * from `first` on, which must be zero, of what is needed and what is made of each result. */
int64_t chain_most_rows(const struct plan *plan, int first, struct chain_row *most);

/* ---- pieces.c ---- */

/* Weights and parameters are gone through in the same order to be counted, planned and filled. */
enum packing_mode {
    PACK_COUNT, /* bytes alone */
    PACK_PLAN,
    PACK_FILL
};

struct packing {
    struct plan *plan;
    enum packing_mode mode;
    bool can_code;         /* LOAD can bring weights coded */
    int64_t grain[PIECES]; /* a power of two of bytes, of which each piece has a multiple */
    int64_t bytes[PIECES]; /* of all pieces so far */
    int filled[PIECES];
    uint8_t *constants; /* PACK_FILL: the constants region */
    /* Weights that are coded when they are complete: the piece, its bytes, what has been added to
     * its coded bytes so far. */
    struct piece *open;
    uint8_t *weights;
    size_t weights_capacity;
    int64_t counted;
    /* Where its coded bytes are kept, and what they are kept as; NULL: nowhere. */
    _Atomic uint64_t *known;
    uint64_t known_as;
};

/* What a piece of weights holds: blocks of the result, and what of each, the same number for the
 * same; 0: that has none. */
struct piece_of {
    int64_t at; /* dense: dense_tile() of the first one; depthwise: the first of the blocks, those
                 * of each part of a window counted by themselves */
    int64_t blocks;
    uint32_t form; /* of 26 bits */
};

/* The next piece of a kind; returns its zeroed bytes when it is to be filled, else NULL. */
uint8_t *add_piece(struct packing *packing, int kind, int64_t bytes);

/* The same of REQUANT records, which are as `form` says in is_short and shift. */
uint8_t *add_records(struct packing *packing, int64_t bytes, const struct piece *form);

/* The same for WGT, of weights of a layer; all bytes are to be filled, since they are not always
 * zeroed. Where weights can be coded, those of PACK_PLAN are filled, too, or counted, unless that
 * is known from before. */
uint8_t *add_weights(struct packing *packing, int layer, const struct piece_of *of, int64_t bytes);

/* The same, of weights that a tensor has. */
void add_gathered(struct packing *packing, int64_t bytes, const struct gathered *gathered);

/* PACK_PLAN: adds to the coded bytes of the piece that is filled. */
void count_coded(struct packing *packing, const uint8_t *weights, int64_t bytes,
                 _Atomic uint16_t *known);

/* The coded bytes of tile dense_tile() of a layer: 0 while nobody has counted them; NULL: they are
 * not kept. */
_Atomic uint16_t *known_tile(const struct plan *plan, int index, int64_t tile);

/* The piece for LUT that holds a table. */
int table_piece(const struct plan *plan, const uint8_t *table);

/* A piece for LUT, unless there is one. */
void add_table(struct packing *packing, const uint8_t *table);

/* The same of exponentials. */
int exponentials_piece(const struct plan *plan, const int32_t *exponentials);
void add_exponentials(struct packing *packing, const int32_t *exponentials);

/* Divides weights and parameters of all layers into pieces and places them, and tensors that are
 * constant, in the constants region. */
void pieces_plan(struct plan *plan);

/* The constants region, of plan->constant_bytes: pieces, and tensors that are constant. */
uint8_t *pieces_fill(struct plan *plan);

/* Bytes of weights and parameters of a layer. */
void pieces_bytes(const struct plan *plan, int layer, int64_t bytes[PIECES]);

/* ---- items.c ---- */

/* Something that takes room in ACT during a range of layers. */
struct item {
    int first, last; /* layers, inclusive; of a chain the first one stands for all */
    int64_t bytes;   /* a multiple of a bank */
    int64_t address;
    int tensor;            /* a resident tensor, or -1: a stripe buffer */
    int layer, slot, side; /* of a stripe buffer: which operand; 0 or 1 */
    /* Units that read and write it, as masks: those of items in one RAM may wait for its ports. */
    uint32_t readers, writers;
};

struct items {
    struct item *items;
    size_t count, capacity;
};

/* What a tensor needs, if it is resident; what a layer, or the chain that begins with it, needs for
 * stripes of tensors that are not. */
void items_of_tensor(struct plan *plan, int tensor, struct items *items);
void items_of_layer(struct plan *plan, int layer, struct items *items);

/* ---- place.c ---- */

/* Room in ACT. Larger items are placed first, each at the lowest address that is free while it
 * lives; where one changes, only those after it that live beside it are placed again. */
struct room;

/* Lists everything that needs room. */
struct room *room_start(struct plan *plan);

/* The needs of a tensor, or of a layer and its chain, have changed. */
void room_change_tensor(struct room *room, int tensor);
void room_change_layer(struct room *room, int layer);

/* Places what is not placed; returns the first item that does not fit, or NULL. */
const struct item *room_place(struct room *room);

/* The largest resident tensor that lives at the same time as an item and can leave the chip, or -1.
 */
int room_largest_beside(const struct room *room, const struct item *item);

/* Has the largest of the tensors that live at the same time as an item, whose blocks have banks of
 * their own, share them, if it becomes smaller; returns it, -1: there is none. */
int room_share_beside(struct room *room, struct decisions *decisions, const struct item *item);

/* Notes in the plan where everything is. */
void room_note(const struct room *room);

/* ---- external.c ---- */

/* Places tensors in external memory; those that are constant have a place. */
void place_external(struct plan *plan);

/* ---- check.c ---- */

/* The fewest bytes of ACT, WGT or ACC for which decisions are made as if the memory, halved as
 * often as it takes, had no more. */
uint32_t least_as_if(const struct weft_config *config, enum weft_memory memory);

/* Is the machine that decisions are made for this one with less memory: so much of each as some
 * machine has, or as the search takes? Error: WEFT_DECISIONS. */
bool check_as_if(const struct weft_config *config, const struct as_if *as_if,
                 struct weft_error *error);

/* Can the decisions be for this region? Error, of all of these: WEFT_DECISIONS, position: a layer
 * or tensor. */
bool check_decisions(const struct region *region, const struct decisions *decisions,
                     struct weft_error *error);

/* Is what follows from them for tiles and chains possible? */
bool check_tilings(const struct plan *plan, struct weft_error *error);

/* Do all pieces fit their memories? */
bool check_pieces(const struct plan *plan, struct weft_error *error);

/* ---- make_plan.c ---- */

/* A plan without any places: layers turned and cut as the decisions say. */
void plan_start(struct weft_arena *arena, const struct region *region,
                const struct weft_config *config, const struct decisions *decisions,
                struct plan *plan);

/* Notes where everything on chip is. */
void plan_finish(struct plan *plan, const struct room *room);

/* Plans pieces and places the rest in external memory, which only what is emitted needs. */
void plan_outside(struct plan *plan);

/* What is on chip, from decisions of choose.c. Error: WEFT_CAPACITY when there is not room for
 * everything, position: a layer. */
bool plan_make(struct weft_arena *arena, const struct region *region,
               const struct decisions *decisions, struct plan *plan, struct weft_error *error);

/* The same from any decisions, and what plan_outside() plans, as pieces have to be possible, too.
 * Errors: WEFT_DECISIONS, too, when they are not possible, position: a layer or tensor. */
bool plan_checked(struct weft_arena *arena, const struct region *region,
                  const struct decisions *decisions, struct plan *plan, struct weft_error *error);

/* ---- choose.c ---- */

/* Layers that are carried out between the tiles of others. */
enum others {
    OTHERS_NONE,
    OTHERS_FUNCTIONS, /* of one byte */
    OTHERS_ALL,
    OTHERS_WAYS
};

/* How decisions are looked for. */
struct style {
    bool behind;        /* the region has arithmetic behind products */
    bool chains;        /* layers between which nothing fits are carried out together */
    bool halve_loads;   /* struct decisions */
    bool whole_rams;    /* the same */
    int64_t kept_banks; /* the same */
    bool keep_longest, keep_in_group;
    bool plain_weights; /* the same */
    bool apart;         /* struct cut, of all layers with arithmetic behind them */
    enum others beside; /* the same, of which layers that can be */
    bool shorten_first; /* before a tensor leaves the chip, the stripes in its way become shorter */
    bool share_banks;   /* before that, blocks of tensors share banks */
};

/* Decides everything for a region on a machine, `config`, as little apart from what its style and
 * hints, by layer, ask for as there is room; makes the plan of what is on chip with it. `decisions`
 * is in the arena. Error: WEFT_CAPACITY, position: the layer that has no room. */
bool choose_decisions(struct weft_arena *arena, const struct region *region,
                      const struct weft_config *config, const struct style *style,
                      const struct hint *hints, struct decisions *decisions, struct plan *plan,
                      struct weft_error *error);

/* ---- room.c ---- */

/* Finds a division with which a layer that was listed has room alone. Error: WEFT_CAPACITY, there
 * is none. */
bool room_for_layer(const struct region *listed, int layer, struct division *division,
                    struct weft_error *error);

/* The same for each layer; position of the error: the layer. */
bool room_for_layers(const struct region *listed, struct division *divisions,
                     struct weft_error *error);

/* Finds divisions, by layer as they are listed, with which a region has room for `group` images at
 * once, a divisor of all; 0: all of them. NULL when nothing has to be divided. Errors:
 * WEFT_CAPACITY, position: the node of the graph that finds no room; WEFT_INTERNAL. */
bool room_for_region(struct weft_arena *arena, const struct region *listed, int64_t group,
                     struct division **divisions, struct weft_error *error);

#endif
