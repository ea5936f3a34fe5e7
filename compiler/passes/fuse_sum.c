/* Sums between qnn.dequantize and qnn.quantize: qnn.add where it rounds as ONNX Runtime does for
 * (nearly) every pair of bytes. Where the scales make many sums lie halfway between two integers,
 * as powers of two do, it does not, and the sum stays one of floats. */
#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "compiler/host/host.h"
#include "compiler/passes/fuse.h"

enum {
    VALUES = 256,
    PAIRS = VALUES * VALUES,
    MOST_APART = 2, /* pairs that may come out different, by 1 */
};

/* What QLinearAdd computes; a and b are scales and zero points, and integers of the operands. */
struct sum {
    float ratio[2]; /* of the operands' scales to that of the result */
    float offset;   /* what all zero points come to */
    enum weft_dtype dtype;
};

static struct sum sum_of(const struct weft_type *a, const struct weft_type *b,
                         const struct weft_type *to) {
    float scale = (float)weft_type_scale(to, 0);
    struct sum sum = {
        .ratio = {(float)weft_type_scale(a, 0) / scale, (float)weft_type_scale(b, 0) / scale},
        .dtype = to->dtype};
    sum.offset = (float)weft_type_zero(to, 0) - fmaf(sum.ratio[0], (float)weft_type_zero(a, 0),
                                                     sum.ratio[1] * (float)weft_type_zero(b, 0));
    return sum;
}

static int64_t add(const struct sum *sum, int64_t a, int64_t b) {
    float exact = fmaf((float)a, sum->ratio[0], fmaf((float)b, sum->ratio[1], sum->offset));
    float least = (float)weft_dtype_min(sum->dtype);
    float most = (float)weft_dtype_max(sum->dtype);
    return (int64_t)rintf(fminf(fmaxf(exact, least), most));
}

static struct weft_type vector_of(const struct weft_type *type) {
    struct weft_type vector = *type;
    vector.rank = 1;
    vector.dim[0] = PAIRS;
    vector.quantization.axis = 0;
    return vector;
}

struct comparison {
    const struct weft_type *a, *b, *to;
    bool alike;
};

/* Of all pairs of bytes. */
static bool compare(struct weft_arena *arena, void *context, struct weft_error *error) {
    struct comparison *c = context;
    const struct weft_type types[3] = {vector_of(c->a), vector_of(c->b), vector_of(c->to)};
    const struct sum sum = sum_of(c->a, c->b, c->to);
    const enum weft_dtype dtype = c->to->dtype;
    struct weft_graph *graph = weft_graph_new(arena, "pairs");
    struct weft_value *inputs[2] = {weft_graph_add_input(graph, &types[0], "a", -1),
                                    weft_graph_add_input(graph, &types[1], "b", -1)};
    struct weft_node *node = weft_graph_add_node(graph, WEFT_OP_QNN_ADD, 2, inputs, 0, NULL);
    weft_node_add_result(graph, node, &types[2], -1);
    uint8_t *bytes = weft_arena_allocate(arena, PAIRS, 3);
    const int64_t first = weft_dtype_min(dtype);
    int apart = 0;
    for (int i = 0; i < PAIRS; i++) {
        bytes[i] = (uint8_t)(first + i / VALUES);
        bytes[PAIRS + i] = (uint8_t)(first + i % VALUES);
    }
    if (!weft_host_run(node, (const void *[]){bytes, bytes + PAIRS}, (void *[]){bytes + 2 * PAIRS},
                       error)) {
        return false;
    }
    for (int i = 0; i < PAIRS && apart <= MOST_APART; i++) {
        int64_t wanted = add(&sum, first + i / VALUES, first + i % VALUES);
        int64_t made = weft_element(dtype, bytes + 2 * PAIRS, i);
        apart += made == wanted ? 0 : weft_max(made - wanted, wanted - made) == 1 ? 1 : PAIRS;
    }
    c->alike = apart <= MOST_APART;
    return true;
}

bool weft_adds_alike(struct weft_arena *arena, const struct weft_type *a, const struct weft_type *b,
                     const struct weft_type *to) {
    struct comparison comparison = {a, b, to, false};
    struct weft_arena *pairs = weft_arena_child(arena);
    struct weft_error error;
    bool done = weft_arena_do(pairs, compare, &comparison, &error);
    weft_arena_free(pairs);
    if (!done && error.code == WEFT_OUT_OF_MEMORY) {
        longjmp(arena->on_failure, 1); /* another program would come out */
    }
    return comparison.alike;
}

/* ---- a table of all pairs ---- */

/* What QLinearAdd gives of each pair, that of the smallest bytes first. */
static struct weft_value *table_of(struct weft_rewrite *rewrite, const struct sum *sum,
                                   const struct weft_type *to) {
    uint8_t *table = weft_arena_allocate(weft_rewrite_arena(rewrite), PAIRS, 1);
    const int64_t first = weft_dtype_min(to->dtype);
    for (int i = 0; i < PAIRS; i++) {
        table[i] = (uint8_t)add(sum, first + i / VALUES, first + i % VALUES);
    }
    struct weft_type type = vector_of(to);
    return weft_rewrite_constant(rewrite, &type, table);
}

static struct weft_value *as_integers(struct weft_rewrite *rewrite, struct weft_value *x) {
    struct weft_type type = weft_type_make(WEFT_I32, x->type.rank, x->type.dim);
    return weft_rewrite_node(rewrite, WEFT_OP_CAST, 1, &x, 0, NULL, &type);
}

/* The sum as the element of the table that both bytes name. */
static struct weft_value *look_up(struct weft_rewrite *rewrite, struct weft_value *a,
                                  struct weft_value *b, const struct weft_type *to) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const struct sum sum = sum_of(&a->type, &b->type, to);
    struct weft_type type = weft_type_make(WEFT_I32, to->rank, to->dim);
    int64_t first = weft_dtype_min(to->dtype);
    struct weft_value *row = as_integers(rewrite, a);
    row =
        fuse_binary(rewrite, WEFT_OP_MUL, row, fuse_number(rewrite, WEFT_I32, VALUES), &row->type);
    struct weft_value *index =
        fuse_binary(rewrite, WEFT_OP_ADD, row, as_integers(rewrite, b), &type);
    if (first != 0) {
        struct weft_value *least = fuse_number(rewrite, WEFT_I32, (float)(first * VALUES + first));
        index = fuse_binary(rewrite, WEFT_OP_SUBTRACT, index, least, &type);
    }
    struct weft_value *inputs[2] = {table_of(rewrite, &sum, to), index};
    const struct weft_attribute attributes[2] = {weft_attr_int(arena, WEFT_ATTR_axis, 0),
                                                 weft_attr_int(arena, WEFT_ATTR_batch_dims, 0)};
    return weft_rewrite_node(rewrite, WEFT_OP_GATHER, 2, inputs, 2, attributes, to);
}

static bool is_number(const struct weft_value *value) {
    return weft_value_data(value) != NULL && weft_type_elements(&value->type) == 1;
}

/* The sum with a number as a table of all bytes of the other operand, number `which`. */
static struct weft_value *add_number(struct weft_rewrite *rewrite,
                                     struct weft_value *const operands[2], int which,
                                     const struct weft_type *to) {
    const struct weft_value *number = operands[1 - which];
    struct weft_value *x = operands[which];
    const struct sum sum = sum_of(&operands[0]->type, &operands[1]->type, to);
    const int64_t first = weft_dtype_min(to->dtype);
    const int64_t added = weft_element(to->dtype, weft_value_data(number), 0);
    int64_t table[VALUES];
    for (int i = 0; i < VALUES; i++) {
        table[i] = which == 0 ? add(&sum, first + i, added) : add(&sum, added, first + i);
    }
    const struct weft_attribute attribute =
        weft_attr_ints(weft_rewrite_arena(rewrite), WEFT_ATTR_table, VALUES, table);
    return weft_shape_equal(&x->type, to)
               ? weft_rewrite_node(rewrite, WEFT_OP_QNN_TABLE, 1, &x, 1, &attribute, to)
               : NULL;
}

struct weft_value *fuse_sum(struct weft_rewrite *rewrite, const struct weft_node *sum,
                            const struct weft_type *to) {
    struct weft_value *a = fuse_integers(sum->inputs[0]);
    struct weft_value *b = fuse_integers(sum->inputs[1]);
    bool fits = a != NULL && b != NULL && a->type.dtype == to->dtype &&
                b->type.dtype == to->dtype && a->type.quantization.count == 1 &&
                b->type.quantization.count == 1;
    if (!fits || (is_number(a) && is_number(b))) {
        return NULL;
    }
    if (is_number(a) || is_number(b)) {
        return add_number(rewrite, (struct weft_value *const[]){a, b}, is_number(a), to);
    }
    return weft_adds_alike(weft_rewrite_arena(rewrite), &a->type, &b->type, to)
               ? fuse_binary(rewrite, WEFT_OP_QNN_ADD, a, b, to)
               : look_up(rewrite, a, b, to);
}
