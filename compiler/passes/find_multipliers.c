/* Sums and products by element that round as float32 does: as the machine, and the host's integers,
 * carry them out, where these make the same bytes. Where many results lie halfway between two
 * integers, as with scales that are powers of two, they do not; then a sum is looked up in a table
 * of all pairs, and a difference or a product stays as it is. */
#include <string.h>

#include "base/integer.h"
#include "compiler/host/host.h"
#include "compiler/passes/exact.h"
#include "compiler/passes/fuse.h"

enum {
    PAIRS = BYTE_VALUES * BYTE_VALUES
};

bool weft_adds_alike(enum weft_operator op, const struct weft_type *a, const struct weft_type *b,
                     const struct weft_type *to) {
    const struct byte_set bytes[2] = {exact_all_bytes(), exact_all_bytes()};
    int64_t corrections[2];
    return exact_sum(op, (const struct weft_type *const[]){a, b, to}, bytes, corrections);
}

/* ---- a table of all pairs ---- */

static struct weft_type vector_of(const struct weft_type *type) {
    struct weft_type vector = *type;
    vector.rank = 1;
    vector.dim[0] = PAIRS;
    vector.quantization.axis = 0;
    return vector;
}

/* What the node gives of each pair, that of the smallest bytes first. NULL: the host refuses. */
static struct weft_value *table_of(struct weft_rewrite *rewrite, const struct weft_node *node) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    struct weft_graph *graph = weft_graph_new(arena, "pairs");
    struct weft_value *inputs[2];
    uint8_t *bytes[3];
    struct weft_error error;
    for (int k = 0; k < 2; k++) {
        struct weft_type type = vector_of(&node->inputs[k]->type);
        const int64_t first = weft_dtype_min(type.dtype);
        inputs[k] = weft_graph_add_input(graph, &type, k == 0 ? "a" : "b", -1);
        bytes[k] = weft_arena_allocate(arena, PAIRS, 1);
        for (int i = 0; i < PAIRS; i++) {
            bytes[k][i] = (uint8_t)(first + (k == 0 ? i / BYTE_VALUES : i % BYTE_VALUES));
        }
    }
    struct weft_node *made =
        weft_graph_add_node(graph, node->op, 2, inputs, node->attribute_count, node->attributes);
    struct weft_type type = vector_of(&node->results[0]->type);
    weft_node_add_result(graph, made, &type, -1);
    bytes[2] = weft_arena_allocate(arena, PAIRS, 1);
    if (!weft_host_run(made, (const void *[]){bytes[0], bytes[1]}, (void *[]){bytes[2]}, &error)) {
        if (error.code == WEFT_OUT_OF_MEMORY) {
            longjmp(arena->on_failure, 1); /* another program would come out */
        }
        return NULL;
    }
    return weft_rewrite_constant(rewrite, &type, bytes[2]);
}

static struct weft_value *as_integers(struct weft_rewrite *rewrite, struct weft_value *x) {
    struct weft_type type = weft_type_make(WEFT_I32, x->type.rank, x->type.dim);
    return weft_rewrite_node(rewrite, WEFT_OP_CAST, 1, &x, 0, NULL, &type);
}

/* The result as the element of the table that both bytes name. */
static struct weft_value *look_up(struct weft_rewrite *rewrite, const struct weft_node *node,
                                  const struct weft_type *to) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    struct weft_type type = weft_type_make(WEFT_I32, to->rank, to->dim);
    int64_t first = weft_dtype_min(to->dtype);
    struct weft_value *table = table_of(rewrite, node);
    if (table == NULL) {
        return NULL;
    }
    struct weft_value *row = as_integers(rewrite, node->inputs[0]);
    row = fuse_binary(rewrite, WEFT_OP_MUL, row, fuse_number(rewrite, WEFT_I32, BYTE_VALUES),
                      &row->type);
    struct weft_value *index =
        fuse_binary(rewrite, WEFT_OP_ADD, row, as_integers(rewrite, node->inputs[1]), &type);
    if (first != 0) {
        struct weft_value *least =
            fuse_number(rewrite, WEFT_I32, (float)(first * BYTE_VALUES + first));
        index = fuse_binary(rewrite, WEFT_OP_SUBTRACT, index, least, &type);
    }
    struct weft_value *inputs[2] = {table, index};
    const struct weft_attribute attributes[2] = {weft_attr_int(arena, WEFT_ATTR_axis, 0),
                                                 weft_attr_int(arena, WEFT_ATTR_batch_dims, 0)};
    return weft_rewrite_node(rewrite, WEFT_OP_GATHER, 2, inputs, 2, attributes, to);
}

/* ---- the pass ---- */

static struct weft_value *find_multipliers(struct weft_rewrite *rewrite,
                                           const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    const struct weft_type *to = &site->post->type;
    if (weft_node_attribute(node, WEFT_ATTR_rounding) == NULL) {
        return NULL;
    }
    const struct weft_type *const types[3] = {&node->inputs[0]->type, &node->inputs[1]->type, to};
    const struct byte_set bytes[2] = {exact_bytes_of(node->inputs[0]),
                                      exact_bytes_of(node->inputs[1])};
    if (node->op == WEFT_OP_QNN_MUL) {
        double factor = exact_product(types, bytes);
        const struct weft_attribute attribute = weft_attr_float(WEFT_ATTR_factor, factor);
        return factor == 0
                   ? NULL
                   : weft_rewrite_node(rewrite, node->op, 2, node->inputs, 1, &attribute, to);
    }
    int64_t corrections[2];
    if (!exact_sum(node->op, types, bytes, corrections)) {
        return node->op == WEFT_OP_QNN_ADD ? look_up(rewrite, node, to) : NULL;
    }
    const struct weft_attribute attribute =
        weft_attr_ints(weft_rewrite_arena(rewrite), WEFT_ATTR_corrections, 2, corrections);
    bool corrects = corrections[0] != 0 || corrections[1] != 0;
    return weft_rewrite_node(rewrite, node->op, 2, node->inputs, corrects ? 1 : 0, &attribute, to);
}

struct weft_graph *weft_pass_find_multipliers(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    struct weft_pattern *operands[2] = {weft_pattern_wildcard(arena), weft_pattern_wildcard(arena)};
    const struct weft_rule rules[] = {
        {weft_pattern_op(arena, WEFT_OP_QNN_ADD, 2, operands), find_multipliers, NULL},
        {weft_pattern_op(arena, WEFT_OP_QNN_SUBTRACT, 2, operands), find_multipliers, NULL},
        {weft_pattern_op(arena, WEFT_OP_QNN_MUL, 2, operands), find_multipliers, NULL}};
    return weft_rewrite(graph, sizeof rules / sizeof rules[0], rules);
}
