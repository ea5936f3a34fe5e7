/* Operations of the machine: what a composite becomes before it is cut into tiles. */
#ifndef WEFT_COMPILER_LOWER_LAYER_H
#define WEFT_COMPILER_LOWER_LAYER_H

#include "compiler/ir/window.h"
#include "compiler/pattern/pattern.h"
#include "isa/config.h"

/* One enumerator for each line of kinds.def. */
enum layer_kind {
#define WEFT_LAYER_KIND(NAME, name, doc) LAYER_##NAME,
#include "compiler/lower/kinds.def"
    LAYER_KINDS
};

/* A tensor as [N, H, W, C]: missing dimensions in front are 1. */
struct shape {
    int64_t n, h, w, c;
};

static inline bool same_shape(const struct shape *a, const struct shape *b) {
    return a->n == b->n && a->h == b->h && a->w == b->w && a->c == b->c;
}

/* How AVGPOOL divides a sum of n bytes. */
enum average {
    AVERAGE_INT8,  /* by n, halves away from zero */
    AVERAGE_UINT8, /* by n as the uint8 they stand for, halves up */
    AVERAGE_MEAN,  /* less n zero points, by a multiplier of its own for n */
};

/* Scaling of an accumulator; see base/fixed_point.h. */
struct requant {
    enum weft_rounding rounding;
    bool per_channel; /* else multiplier[0] and shift[0] serve all channels */
    int32_t *multiplier;
    int *shift;
};

/* The least and the most of what the channels of a block are scaled by. */
struct scaling_range {
    int32_t bias[2];
    int32_t multiplier; /* the least */
    int shift[2];
};

/* A function of one byte as an instruction of VECTOR that needs no table: COPY, which only clamps,
 * or RESCALE. */
struct scaling {
    uint32_t function;
    int32_t in_zero, out_zero;
    int32_t multiplier, shift; /* of weft_scale_gemmlowp() */
    int32_t low, high;
};

/* Where an element of the result lies: at the operand's element `low` or between that and the next
 * one, of which it has a share. */
struct interpolated_place {
    int64_t low;
    int32_t share; /* its number among the layer's */
};

/* Rows or columns of the result between two of the operand. */
struct interpolation {
    int along;                               /* 0: rows; 1: columns */
    const struct interpolated_place *places; /* of each of the result's */
    int64_t apart; /* results so far apart are made alike, by one instruction */
    int32_t share_count;
    int64_t *shares; /* of the next element, in 1 / WEFT_WHOLE_FRACTION */
};

struct layer {
    enum layer_kind kind;
    const char *name; /* for tables: the operator */
    int32_t source;   /* operator in the model, or -1 */
    uint32_t input_count;
    const struct weft_value **input;
    const struct weft_value *output;
    struct shape in, out; /* of input[0] and the output */
    /* Multiplications that the operator asks for in the model; 0 for pools and elementwise work. Of
     * these `cut_macs` are not carried out. */
    int64_t macs, cut_macs;

    /* Rows and columns of `in`, `out` and the window are exchanged against those of the tensors:
     * layer_turn(). */
    bool turned;
    bool can_turn; /* a window of one column over tensors of one column can as well lie along the
                      columns, where depthwise mode has its shift register */
    /* Windows: CONV, DEPTHWISE, AVGPOOL, MAXPOOL; rows, then columns. */
    int64_t kernel[2], stride[2], dilation[2];
    int64_t pad[4];   /* top, left, bottom, right; also of PAD; below 0 what windows leave out */
    bool pads_inside; /* pools: what surrounds the operand counts, as with products */
    /* CONV: much of the window lies in the padding. Each tap is a product of its own, of the pixels
     * for which it does not; nothing has to surround the operand, and MATRIX subtracts its zero
     * point. */
    bool clips;

    /* CONV, CONV_TRANSPOSE, PAD: from one row and column of the operand to the next in what the
     * window sees, or in the result; zero points are between. */
    int64_t spread[2];
    /* RESIZE: output row y is input row begin[1] + y / repeat[0] * stride[0]; so are columns. */
    int64_t repeat[2];
    /* [N, H, W, C] of the first element: SLICE: of the operand; PLACE: of the result.
     * CONV_TRANSPOSE: the window of output row y begins at row y + begin[1] of what it sees; so
     * are columns. INTERPOLATE: places are moved on by begin[1], or begin[2]. */
    int64_t begin[4];
    int64_t steps[3]; /* SLICE: images, rows and columns of the operand from one to the next */
    int order[3];     /* TRANSPOSE: axis of the operand that images, rows and columns are */
    int axis;         /* PLACE: of [N, H, W, C], along which operands lie one after another */

    /* CONV, DEPTHWISE */
    int64_t groups;
    /* DEPTHWISE: blocks of the result that each block of the operand makes, one after another; 0:
     * 1. CONV: the same of the operand, where it does nothing but bring these channels into the
     * order of the model; 0: it does something else. */
    int64_t multiplied, interleaves;
    const int8_t *weights; /* [O, KH, KW, C / groups] */
    int32_t weight_zero;   /* MATMUL: of the second operand */
    int32_t *bias; /* [O], with the input's zero point folded in unless MATRIX subtracts it */
    struct requant requant;
    /* Per channel: of each channel block; NULL: they have not been looked for. */
    const struct scaling_range *ranges;

    /* MATMUL: a product of matrices, one in each row of [N, H, W, C], for `in`, `out` and the
     * second operand; a row of that serves all if there is no other. */
    struct shape second;
    bool transposed; /* the depth of the second operand lies along its channels */
    /* Of operands and result: the tensor has one row, in whose channels the matrices lie side by
     * side. */
    bool side_by_side[3];

    /* BINARY: enum weft_function; of ADD, SUB and SQUARED_DIFFERENCE the multipliers and shifts of
     * a, b and the result, of MUL those of the product */
    uint32_t function;
    int32_t multiplier[3];
    int shift[3];
    bool broadcasts; /* an operand is repeated along images, rows or columns */
    int32_t zero[2]; /* zero points of the inputs; zero[0] also fills the padding */

    struct interpolation interpolated; /* INTERPOLATE */

    enum average average;
    int32_t mean_multiplier; /* AVERAGE_MEAN */
    int mean_shift;

    const uint8_t *table;          /* TABLE: the result for each byte */
    const struct scaling *scaling; /* TABLE: what does the same without a table, or NULL */
    const int32_t *exponentials;   /* SOFTMAX: by how far an element is below the largest */
    const uint8_t **input_tables;  /* PLACE: the same for each operand, or NULL: itself */

    /* All results: zero point and limits. */
    int32_t out_zero, low, high;

    /* CONV, DEPTHWISE: index of the BINARY that is carried out tile by tile behind this layer, or
     * -1. Its other operand is then the second input of this layer, and its result the output. */
    int behind;
    /* The AVGPOOL that is carried out behind this layer, whose result it sums stripe by stripe; 0:
     * none. */
    int summed;
    /* BINARY: it is carried out behind another layer, which makes the first of its operands, or the
     * second. AVGPOOL: it is the `summed` of another one. */
    bool is_behind, product_is_first;
};

/* On the machine every tensor is int8. A uint8 tensor lies there with 128 less in every element and
 * zero point, which flips the byte's top bit. */
static inline int32_t uint8_offset(const struct weft_type *type) {
    return type->dtype == WEFT_U8 ? 128 : 0;
}

/* The zero point of a tensor on the machine; 0 when it is not quantised. */
static inline int32_t machine_zero(const struct weft_type *type) {
    return type->quantization.count == 0 ? 0 : weft_type_zero(type, 0) - uint8_offset(type);
}

/* The elements of a constant as they lie on the machine, or NULL when it is none. */
const uint8_t *machine_bytes(struct weft_arena *arena, const struct weft_value *value);

/* The table that flips the top bit of a byte, in the arena. */
const uint8_t *flip_table(struct weft_arena *arena);

/* The shape of a type as [N, H, W, C]. All but the last two of more than 4 dimensions are H, and N
 * is 1: the same bytes. */
struct shape shape_of(const struct weft_type *type);

/* Rows (0) or columns (1) of the window over the operand. */
static inline struct weft_axis_window axis_window(const struct layer *layer, int axis) {
    return (struct weft_axis_window){.in = axis == 0 ? layer->in.h : layer->in.w,
                                     .out = axis == 0 ? layer->out.h : layer->out.w,
                                     .kernel = layer->kernel[axis],
                                     .stride = layer->stride[axis],
                                     .dilation = layer->dilation[axis],
                                     .before = layer->pad[axis],
                                     .after = layer->pad[2 + axis]};
}

/* Exchanges the rows and columns of a layer against those of its tensors. */
void layer_turn(struct layer *layer);

/* Makes a layer a convolution of one pixel that gives bytes on as they are, for weights of 0 and 1
 * with at most one for each channel of the result, in `groups`. Its biases are 0. */
void layer_moves_channels(struct weft_arena *arena, struct layer *layer, int64_t groups);

/* Is it a multiplication by 1? */
bool requant_is_identity(const struct requant *requant);

/* A rounding that the machine has, for what all roundings give the same. */
enum weft_rounding exact_rounding(const struct weft_config *config);

/* Notes the ranges of a layer's channel blocks, if it scales per channel and the machine has short
 * records, for which they are asked. */
void find_scaling_ranges(struct weft_arena *arena, const struct weft_config *config,
                         struct layer *layer);

/* Of the channel blocks from `first` to before `end`, of a layer that scales per channel. */
struct scaling_range scaling_range_of(const struct weft_config *config, const struct layer *layer,
                                      int64_t first, int64_t end);

/* How the machine rounds. */
enum weft_rounding requant_rounding(const struct weft_config *config,
                                    const struct requant *requant);

/* Multipliers that give exactly what the reference computes for a scaling of `count` channels from
 * the scales `from[i]` to the scale `to`: those of gemmlowp and float by definition; for single
 * rounding, proved by comparing where the results change, for results in [low, high] after the zero
 * point is added. False when there are none. */
bool requant_find(struct weft_arena *arena, enum weft_rounding rounding, int64_t count,
                  const double *from, double to, int32_t out_zero, int32_t low, int32_t high,
                  struct requant *requant);

#endif
