/* A softmax between qnn.dequantize and qnn.quantize, as ONNX Runtime's QLinearSoftmax computes it:
 * exponentials from a table of 256, here large integers that are added up exactly, the quotient in
 * float32, and the result's scale as the number of its steps in 1. */
#include <math.h>

#include "compiler/passes/fuse.h"

enum {
    VALUES = 256
};

/* exp((i - 255) * scale) for each i, as integers whose sum fits 63 bits. */
static struct weft_value *exponentials(struct weft_rewrite *rewrite, double scale, int64_t depth) {
    static const int64_t values = VALUES;
    struct weft_type type = weft_type_make(WEFT_I64, 1, &values);
    int64_t *table = WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), VALUES, int64_t);
    double one = fmin(0x1p62 / (double)depth, 0x1p52);
    for (int i = 0; i < VALUES; i++) {
        table[i] = (int64_t)round(one * exp((i - 255) * scale));
    }
    return weft_rewrite_constant(rewrite, &type, table);
}

static struct weft_value *cast(struct weft_rewrite *rewrite, struct weft_value *x,
                               enum weft_dtype dtype) {
    struct weft_type type = weft_type_make(dtype, x->type.rank, x->type.dim);
    return weft_rewrite_node(rewrite, WEFT_OP_CAST, 1, &x, 0, NULL, &type);
}

/* Along the last axis, which stays with one element. */
static struct weft_value *reduce(struct weft_rewrite *rewrite, enum weft_operator op,
                                 struct weft_value *x) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    struct weft_type type = x->type;
    int64_t last = (int64_t)type.rank - 1;
    const struct weft_attribute attributes[2] = {weft_attr_ints(arena, WEFT_ATTR_axes, 1, &last),
                                                 weft_attr_int(arena, WEFT_ATTR_keep_dims, 1)};
    type.dim[last] = 1;
    return weft_rewrite_node(rewrite, op, 1, &x, 2, attributes, &type);
}

/* The exponential of each element less the largest of its row. */
static struct weft_value *look_up(struct weft_rewrite *rewrite, struct weft_value *x) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    int64_t depth = x->type.dim[x->type.rank - 1];
    double scale = (double)(float)weft_type_scale(&x->type, 0);
    struct weft_value *integers = cast(rewrite, x, WEFT_I32);
    struct weft_value *below =
        fuse_binary(rewrite, WEFT_OP_SUBTRACT, integers,
                    reduce(rewrite, WEFT_OP_REDUCE_MAX, integers), &integers->type);
    below = fuse_binary(rewrite, WEFT_OP_ADD, below, fuse_number(rewrite, WEFT_I32, VALUES - 1),
                        &integers->type);
    struct weft_value *inputs[2] = {exponentials(rewrite, scale, depth), below};
    const struct weft_attribute attributes[2] = {weft_attr_int(arena, WEFT_ATTR_axis, 0),
                                                 weft_attr_int(arena, WEFT_ATTR_batch_dims, 0)};
    struct weft_type type = weft_type_make(WEFT_I64, x->type.rank, x->type.dim);
    return weft_rewrite_node(rewrite, WEFT_OP_GATHER, 2, inputs, 2, attributes, &type);
}

struct weft_value *fuse_softmax(struct weft_rewrite *rewrite, const struct weft_node *softmax,
                                const struct weft_type *to) {
    struct weft_value *x = fuse_integers(softmax->inputs[0]);
    double beta = weft_node_float(softmax, WEFT_ATTR_beta);
    if (x == NULL || x->type.quantization.count != 1 || x->type.rank < 1 ||
        x->type.dtype != to->dtype || beta < 1 || beta > 1 ||
        isinf((float)weft_type_scale(&x->type, 0))) {
        return NULL;
    }
    float steps = floorf(1.0F / (float)weft_type_scale(to, 0));
    struct weft_type floats = weft_type_make(WEFT_F32, to->rank, to->dim);
    struct weft_value *parts = look_up(rewrite, x);
    struct weft_value *sum = cast(rewrite, reduce(rewrite, WEFT_OP_SUM, parts), WEFT_F32);
    struct weft_value *y = cast(rewrite, parts, WEFT_F32);
    y = fuse_binary(rewrite, WEFT_OP_MUL, y, fuse_number(rewrite, WEFT_F32, steps), &floats);
    y = fuse_binary(rewrite, WEFT_OP_DIVIDE, y, sum, &floats);
    return fuse_round(rewrite, y, weft_type_zero(to, 0), to);
}
