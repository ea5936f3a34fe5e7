/* A region of the graph as layers and tensors. It does not change once it is made: every attempt to
 * schedule it reads the same one.
 *
 * On chip a tensor lies in channel-blocked planes [N, C / B, H, W, B]: a line of B bytes holds one
 * pixel's channels of one block. Rows have room for a halo around the tensor, which is filled with
 * the zero point, so that windows that reach over the edge read like any other. The right halo of a
 * row and the left halo of the next share their lines. A tensor that comes from outside with fewer
 * than B channels may be packed instead: rows of W * C bytes.
 */
#ifndef WEFT_COMPILER_PLAN_REGION_H
#define WEFT_COMPILER_PLAN_REGION_H

#include "compiler/lower/operations.h"

enum {
    TOP,
    LEFT,
    BOTTOM,
    RIGHT
};

/* How rows of a window fill reduction steps together; steps is 0: they do not. */
struct dense_window {
    int64_t bytes;         /* of a row of the window */
    int64_t steps;         /* reduction steps of the whole window */
    int64_t advance;       /* bytes of the window in a step */
    int64_t skips;         /* ends of rows that a step leaves out beside those of the machine */
    int64_t rows, columns; /* window_rows and window_columns of MATRIX */
};
enum {
    MOST_WINDOW_ROWS = 7, /* what the fields of MATRIX hold */
    MOST_WINDOW_BYTES = 63
};

struct tensor {
    struct shape shape;
    int32_t zero;
    /* What becomes of every byte, in place, when it has come on chip from external memory or has
     * been made; NULL: nothing. `zero` is what comes after it. */
    const uint8_t *table;
    const struct scaling *scaling; /* that does what the table does, or NULL */
    int producer;                  /* layer, or -1 for an input of the region */
    int first_use;                 /* first layer that needs it on chip */
    int last_use;                  /* last layer that reads it, or -1 */
    int first_life,
        last_life;  /* layers between which it needs a place on chip, if it is there as a whole */
    int readers;    /* how many operands of layers it is */
    int64_t input;  /* index among the region's inputs, or -1 */
    int64_t output; /* index among its outputs, or -1 */
    const uint8_t *constant;    /* its bytes, in the constants region, or NULL */
    int64_t halo[4];            /* rows and columns around it that some window reads */
    bool odd_pitch;             /* some window reads several rows at once */
    bool rows_apart;            /* on chip each row lies by itself, with all its channel blocks */
    bool stays;                 /* it must be on chip as a whole: layers abreast use it */
    int64_t turns;              /* of these rows so many are on chip, in turn; 0: all */
    bool can_pack;              /* everybody who reads it can read it packed, unless turned */
    struct dense_window window; /* of everybody who reads it packed */
    bool joined;                /* operands of a concatenation are stored there, part by part */
    bool nhwc;                  /* it has a place in external memory, as [N, H, W, C] */
    int same_bytes; /* tensor whose external place it shares (result of a reshape), or -1 */
    /* Tensor in whose external place its own lies (operand of a concatenation), or -1, and where it
     * begins there, [N, H, W, C]. */
    int within;
    int64_t within_begin[4];
};

/* What is known of a function of one byte: function.c. */
struct byte_function {
    const uint8_t *table;
    const struct scaling *scaling; /* NULL: none does the same */
};

/* Neighbouring layers that are carried out abreast, part by part of their pixels: abreast.c. */
struct run {
    int first, last;
};

/* Coded bytes of weights of a layer: 0 until the first attempt counts them; several threads may,
 * and come to the same. Empty where the layer has_listed_weights(). */
struct coded_sizes {
    _Atomic uint16_t *tiles; /* dense ones; NULL: it has none */
    /* By the first tile, or, depthwise, the first channel block of the result for each part of a
     * window: pieces.c. */
    _Atomic uint64_t *pieces;
};
enum {
    MAX_WINDOW_PARTS = 4
};

struct region {
    struct weft_arena *arena;
    const struct weft_config *config;
    const struct weft_graph *graph; /* body of the region */
    int64_t images;                 /* 1, or as many as are taken in groups */
    int64_t group;                  /* of them at once; all of it is carried out for each group */
    int64_t groups;                 /* how many there are */
    int64_t counted;                /* of which a search counts the cycles of so many */
    int layer_count;
    struct layer *layers;
    int (*tensors_of)[3];             /* by layer: inputs, output */
    int *origin;                      /* by layer: of which it is a part, before any was divided */
    int64_t parts;                    /* of the pixels of layers abreast; 0: none are */
    struct run *runs;                 /* by layer: those that it is abreast with; itself alone */
    const struct division *divisions; /* of the layers as they were listed, or NULL */
    const int *order; /* the layers as they were listed, in their order here; NULL: as listed */
    int tensor_count;
    struct tensor *tensors;
    /* Layers that use tensor t on chip: users[first_user[t]] to users[first_user[t + 1] - 1]. */
    int *users, *first_user;
    size_t layer_capacity, tensor_capacity;
    struct byte_function *functions; /* of layers and tensors, each once */
    size_t function_count, function_capacity;
    /* By layer, as it is and turned. Those of layers that are as they were listed serve all
     * regions. */
    struct coded_sizes *coded, *listed_coded;
    /* By layer: the first whose are the same bytes; itself. NULL: there are none. */
    int *weights_of, *parameters_of;
    struct packed_layers *packed; /* packed.h: of the layers as they were listed; or NULL */
    /* The layers as they were listed, before any was divided. */
    int listed_count;
    const struct layer *listed;
    const int (*listed_tensors)[3];
};

/* How a depthwise product with a multiplier is carried out. */
enum {
    MULTIPLIED_DENSE,    /* as a grouped product: dense mode */
    MULTIPLIED_REPEATED, /* depthwise, after its operand's channels have been repeated */
    MULTIPLIED_PASSES,   /* depthwise, a block of channels again for each multiple; what is made is
                            interleaved after that, unless who reads it takes any order */
    MULTIPLIED_WAYS
};

/* How a layer, as it was listed, becomes others: parts of one that has no room even row by row,
 * which are loaded from and stored to external memory, one after the other; ways of a multiplier.
 */
struct division {
#define WEFT_DIVISION(type, name, doc) type name;
#include "compiler/plan/decisions.def"
};

/* How a region is made of the body of a region node. */
struct region_form {
    bool behind;                      /* arithmetic by element is carried out behind products */
    int64_t group;                    /* images in a group, a divisor of all; 0: all */
    int64_t counted;                  /* of the groups, by a search; 0: all */
    int64_t parts;                    /* of the pixels of layers abreast; 0: none are */
    const struct division *divisions; /* of the layers as they were listed, or NULL */
    const int *order; /* all layers as they were listed, each after those that make what it reads;
                         NULL: as listed */
};

/* ---- make_region.c ---- */

/* Lists layers and tensors of the body of a region, in the arena: what regions of any form are made
 * of. Error: WEFT_INTERNAL, an operator that is no layer. */
bool region_read(struct weft_arena *arena, const struct weft_config *config,
                 const struct weft_graph *graph, struct region *listed, struct weft_error *error);

/* The same of one group of `group` images alone, a divisor of all. */
void region_list_group(struct weft_arena *arena, const struct region *listed, int64_t group,
                       struct region *region);

/* A region of what was listed: takes images in groups, divides layers, takes out those that need no
 * work, and finds what the layers need of their tensors. */
void region_create(struct weft_arena *arena, const struct region *listed,
                   const struct region_form *form, struct region *region);

/* What region_create() does after listing. */
void region_finish(struct region *region, const struct region_form *form);

/* Has a layer of the region, as it is or turned, the weights that it had when it was listed, of the
 * same shape? What their coding takes is known from there, then. */
bool has_listed_weights(const struct region *region, int index, const struct layer *layer);

/* Room for the coded bytes of a region's layers that have no listed weights, by layer, as it is and
 * turned; in the region's arena, since attempts on several threads have none in common. */
struct coded_sizes *make_coded_sizes(const struct region *region);

/* ---- list.c ---- */

/* Describes the operation that makes `root`: a chain as the patterns of the kinds of layers match
 * it. Returns NULL and fills *layer, or returns the reason why the machine cannot carry it out, in
 * words for the user. `match` says which operators of the graph belong to the chain; NULL: those of
 * the body of a composite. */
const char *layer_lower(struct weft_arena *arena, const struct weft_config *config,
                        const struct weft_value *root, const struct weft_match *match,
                        struct layer *layer);

/* Lists the layers and tensors of the region's graph. */
bool region_list(struct region *region, struct weft_error *error);

/* Lists a layer alone: its operands are inputs of the region, its result is the output. */
void region_list_layer(struct region *region, const struct layer *layer);

/* A tensor of the machine; its bytes are those of [N, H, W, C]. */
int region_add_tensor(struct region *region, const struct shape *shape, int32_t zero);

/* Appends a layer that makes tensor `to`; its operands are added one by one. */
struct layer *region_add_layer(struct region *region, const struct layer *layer, int to);
void region_add_operand(struct region *region, int tensor);

/* Appends a layer for `user` that stores tensor `from` in external memory, as what tensor `to` has
 * from a column and a channel on. */
void region_add_place(struct region *region, const struct layer *user, int from, int to,
                      int64_t first_column, int64_t first_channel);

/* A layer for `user` that gives channels on as they are (layer_moves_channels()), from a tensor of
 * shape `in` to one of so many channels; its weights are not set. */
struct layer moving_layer(struct weft_arena *arena, const struct layer *user, const char *name,
                          const struct shape *in, int64_t channels, int64_t groups);

/* Appends a layer for `user` that repeats each channel of a tensor, `channels` in all; returns its
 * result. */
int region_repeat_channels(struct region *region, const struct layer *user, int from,
                           int64_t channels);

/* ---- alike.c ---- */

/* Finds layers whose weights are the same, or whose parameters are. */
void region_alike(struct region *region);

/* ---- dense_window.c ---- */

/* Can the layer read its input as rows of W * C bytes? */
bool reads_packed(const struct weft_config *config, const struct layer *layer);

/* How the rows of a layer's window fill the steps of a packed operand. */
struct dense_window dense_window_of(const struct weft_config *config, const struct layer *layer);

/* The smallest pitch, `least` or more, with which they can. */
int64_t dense_window_pitch(const struct weft_config *config, const struct dense_window *window,
                           int64_t least);

/* ---- batch.c ---- */

/* The images of a region that was just listed: every image of every tensor is made of the same
 * images alone, so that it can be carried out in groups of them. 1: it has none. */
int64_t region_images(const struct region *region);

/* Makes it a region of `group` images, a divisor of all, that is carried out for each group. */
void region_group(struct region *region, int64_t group);

/* Does some byte become the zero point, which surrounds the tensor? */
bool table_has_zero(const struct tensor *tensor);

/* ---- divide.c ---- */

/* Is the layer more than one part, or flat? */
bool is_divided(const struct division *division);

/* Can a layer, as it was listed, be divided so, into at most `most` parts? */
bool can_divide(const struct weft_config *config, const struct layer *layer,
                const struct division *division, int64_t most);

/* Divides the layers of a region that was just listed. */
void region_divide(struct region *region, const struct division *divisions);

/* Divides a layer, as it was listed, once more; false: there is no way left. */
bool divide_more(const struct weft_config *config, const struct layer *layer,
                 struct division *division);

/* ---- order.c ---- */

/* Rules by which a whole order is found. */
enum order_rule {
    ORDER_EARLY, /* as listed, but what has no products comes as early as can be, unless it adds to
                    the bytes that are kept */
    ORDER_LEAST, /* always the layer that adds least to the bytes that are kept */
    ORDER_RULES
};

/* Is there more than one order of layers that are any work? Not if some gather their weights: what
 * these wait for has been put where it hides that. */
bool order_has_choice(const struct region *listed);

/* Where in an order of all layers there is one a second time, or before a layer that makes what it
 * reads; -1: nowhere. */
int order_wrong_at(const struct region *listed, const int *order);

void order_by_rule(const struct region *listed, enum order_rule rule, int *order);

/* How many operands of layers each tensor is, as they were listed. */
int *order_readers(const struct region *listed);

/* Where the run ends that begins at order[first]: layers of work each of which the next one reads,
 * and nobody else; `first`: none begins there. */
int order_run(const struct region *listed, const int *readers, const int *order, int first);

/* Moves the layers order[first] to order[end - 1] behind the next `by` layers of work, or before
 * the last -by, as far as they can pass; what is no work comes along where it must. range: the
 * first and last place that changed. `along` has room for as many layers as there are. False: they
 * cannot move. */
bool order_move(const struct region *listed, const int *order, int first, int end, int by,
                int *moved, int *along, int range[2]);

/* ---- multiplier.c ---- */

/* Can a layer, as it was listed or a part of it, be carried out in the way MULTIPLIED_...? */
bool can_multiply(const struct weft_config *config, const struct layer *layer, int64_t way);

/* The last way up to `way` in which it can be carried out. */
int64_t possible_way(const struct weft_config *config, const struct layer *layer, int64_t way);

/* Appends the layers of a depthwise product with a multiplier, in a way that is not
 * MULTIPLIED_DENSE. */
void add_multiplied(struct region *region, const struct layer *product, int from, int to,
                    int64_t way);

/* Takes out interleaving where all that read the result are convolutions, and puts the order into
 * their weights. */
void absorb_interleaving(struct region *region);

/* ---- dissolve.c ---- */

/* Layer `index` makes nothing any more: who reads its result reads its operand. */
void dissolve_layer(struct region *region, int index);

/* Takes out layers that need no work of their own. */
void region_dissolve(struct region *region);

/* How many operands of layers the tensor is. */
int count_readers(const struct region *region, int tensor);

/* ---- absorb.c ---- */

/* Lets windows take over what pads with zero points, slices rows and columns, or skips pixels as a
 * pool of one pixel, right before them. */
void absorb_moves(struct region *region);

/* ---- within.c ---- */

/* Lets operands of concatenations be made where the result lies in external memory, as far as
 * nothing else wants them elsewhere; what placed them there is no work any more. Before uses are
 * counted. */
void place_within(struct region *region);

/* ---- fuse.c ---- */

/* Can a mean over an image be added up behind the layer that makes its operand, stripe by stripe,
 * so that no more of that has to be on chip at once? */
bool can_sum_behind(const struct region *region, int mean);

/* Puts means behind the layers that make their operands. */
void fuse_means(struct region *region);

/* Puts arithmetic by element behind the products that make an operand of it. */
void fuse_behind(struct region *region);

/* ---- abreast.c ---- */

enum {
    MOST_ABREAST = 64 /* parts */
};

/* Finds runs of layers that are carried out abreast, in region->parts parts of their pixels, if
 * that is not 0; gives them and what lies between them a row for each part. */
void region_abreast(struct region *region);

/* Does a layer make several channel blocks of several? MATRIX takes long for these, VECTOR does
 * not. */
bool is_heavy(const struct region *region, int layer);

/* Are there any? */
bool has_abreast(const struct region *region);

/* ---- attention.c ---- */

/* The layers of an attention: a product of two tensors, its softmax, and the product of that with a
 * third tensor. */
enum {
    SCORES,
    SOFTMAX,
    MIXED,
    PHASES
};

/* Do they begin with layer `first`, one after the other, for several matrices each of which lies by
 * itself? Then they can be carried out together, and nothing of theirs gives its place to another
 * before the last of them is done. */
bool region_attention(const struct region *region, int first, int layers[PHASES]);

/* Finds functions of one byte, of layers and tensors, that need no table. */
void region_find_scalings(struct region *region);

/* Notes when tensors are on chip. */
void region_lives(struct region *region);

/* ---- what passes ask ---- */

static inline int64_t blocks_of(const struct weft_config *config, int64_t channels) {
    return (channels + config->block - 1) / config->block;
}

/* Dense tiles of a convolution's weights: blocks of inputs and outputs, and taps. */
static inline int64_t dense_tiles(const struct weft_config *config, const struct layer *layer) {
    return blocks_of(config, layer->in.c) * blocks_of(config, layer->out.c) * layer->kernel[0] *
           layer->kernel[1];
}

/* The number of one of them: of a block of outputs, and the block of inputs, row and column of
 * `step`. */
static inline int64_t dense_tile(const struct weft_config *config, const struct layer *layer,
                                 int64_t out_block, const int64_t step[3]) {
    int64_t inputs = blocks_of(config, layer->in.c);
    return ((out_block * inputs + step[0]) * layer->kernel[0] + step[1]) * layer->kernel[1] +
           step[2];
}

static inline int64_t tensor_bytes(const struct tensor *tensor) {
    const struct shape *s = &tensor->shape;
    return s->n * s->h * s->w * s->c;
}

/* A layer whose result is its operand makes nothing. */
static inline bool is_done(const struct region *region, int layer) {
    return region->tensors_of[layer][0] == region->tensors_of[layer][2];
}

/* Is a layer carried out abreast with others? */
static inline bool is_abreast(const struct region *region, int layer) {
    return region->runs[layer].first < region->runs[layer].last;
}

/* Cycles by which the steps of a layer can come later, or sooner, than they would: struct cut. */
static inline int64_t most_put_off(const struct region *region, int layer) {
    enum {
        MOST_PUT_OFF = 4096
    };
    return is_abreast(region, layer) ? MOST_PUT_OFF : 0;
}

/* Reshapes that are no work, or change a name in external memory, and what is carried out behind
 * another layer. */
static inline bool layer_is_idle(const struct region *region, int layer) {
    return region->layers[layer].kind == LAYER_RESHAPE || region->layers[layer].is_behind;
}

/* The first layer after one that is any work; -1: none. */
static inline int next_busy_layer(const struct region *region, int layer) {
    do {
        layer++;
    } while (layer < region->layer_count && layer_is_idle(region, layer));
    return layer < region->layer_count ? layer : -1;
}

/* Is nothing left of it: neither made nor given from outside? */
static inline bool is_dead(const struct tensor *tensor) {
    return tensor->producer < 0 && tensor->input < 0 && tensor->constant == NULL;
}

/* Is its content in external memory before anything of it is on chip? Inputs, constants and results
 * of reshapes and concatenations. */
static inline bool is_from_memory(const struct tensor *tensor) {
    return tensor->input >= 0 || tensor->constant != NULL || tensor->same_bytes >= 0 ||
           tensor->joined;
}

/* Can it be on chip as a whole? What comes from memory and is not read on chip is only a name. */
static inline bool can_reside(const struct tensor *tensor) {
    return !is_dead(tensor) && !(is_from_memory(tensor) && tensor->last_use < 0);
}

/* The number among the layers of the one that reads input `slot` of `layer`: itself, or the one
 * behind it. */
static inline int reader_of(const struct region *region, int layer, int slot) {
    int behind = region->layers[layer].behind;
    return slot == 1 && behind >= 0 ? behind : layer;
}

/* Does VECTOR read the products of a layer again, tile by tile, so that they can lie apart from the
 * result until then? */
static inline bool can_be_apart(const struct region *region, int layer) {
    const struct layer *of = &region->layers[layer];
    return of->behind >= 0 || (operations_of(of)->has_products && !is_abreast(region, layer) &&
                               region->tensors[region->tensors_of[layer][2]].table != NULL);
}

/* Where a layer of VECTOR's is carried out: struct cut. */
enum {
    BESIDE_NONE,
    BESIDE_NEXT, /* between the tiles of the next layer of products, which does not need it */
    BESIDE_LAST, /* the same of the last one, row by row */
    BESIDE_WAYS
};

/* Can a layer be carried out between the tiles of another? beside.c. */
bool can_be_beside(const struct region *region, int layer);

/* Between whose tiles such layers are tried first, by layer; BESIDE_NONE for others. */
void usual_beside(const struct region *region, int64_t *usual);

/* Does a layer look at what surrounds its operand, if its window reaches there? */
static inline bool sees_halo(const struct layer *layer) {
    return (operations_of(layer)->has_products && !layer->clips) || layer->pads_inside;
}

/* Is an axis of an operand repeated to get that of the result? */
static inline bool is_repeated(int64_t operand, int64_t result) {
    return operand == 1 && result > 1;
}

#endif
