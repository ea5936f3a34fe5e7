/* The pattern table of the Weft machine: which chains of operators it carries out as one. */
#include <inttypes.h>
#include <string.h>

#include "compiler/partition/partition.h"
#include "compiler/schedule/layer.h"
#include "compiler/schedule/schedule.h"

enum {
    /* A region of more work than this is worth it on every machine: loading and storing alone cost
     * the host more. */
    MOST_HOST_CYCLES = 1 << 16,
};

static struct weft_pattern *op1(struct weft_arena *arena, enum weft_operator op,
                                struct weft_pattern *input) {
    return weft_pattern_op(arena, op, 1, &input);
}

static struct weft_pattern *op2(struct weft_arena *arena, enum weft_operator op,
                                struct weft_pattern *a, struct weft_pattern *b) {
    return weft_pattern_op(arena, op, 2, (struct weft_pattern *[]){a, b});
}

/* product, bias_add or not, requantize, clip or not */
static struct weft_pattern *scaled_product(struct weft_arena *arena, struct weft_pattern *product) {
    struct weft_pattern *biased =
        op2(arena, WEFT_OP_BIAS_ADD, product, weft_pattern_constant(arena));
    struct weft_pattern *sum = weft_pattern_or(arena, biased, product);
    return weft_pattern_optional(arena, op1(arena, WEFT_OP_QNN_REQUANTIZE, sum), WEFT_OP_CLIP);
}

static const char *check_layer(void *context, struct weft_arena *arena,
                               const struct weft_match *match) {
    struct layer layer;
    return layer_lower(arena, context, match->root, match, &layer);
}

/* What the host would take for a region, in cycles of the machine: as if it were a scalar processor
 * at the machine's clock, one cycle for a multiplication and one for an element. */
static int64_t host_cycles(const struct weft_graph *body) {
    int64_t cycles = weft_graph_elements(body);
    for (size_t i = 0; i < body->node_count; i++) {
        const struct weft_node *composite = body->nodes[i];
        for (size_t k = 0; composite->body != NULL && k < composite->body->node_count; k++) {
            cycles += weft_node_macs(composite->body->nodes[k]);
        }
    }
    return cycles;
}

/* A region of products, but for a lone one, is what the machine is for. */
static bool check_region(void *context, struct weft_arena *arena, const struct weft_graph *body,
                         const char **reason, struct weft_error *error) {
    int64_t host = host_cycles(body);
    bool has_products = host > weft_graph_elements(body);
    struct weft_segment segment;
    if (host > MOST_HOST_CYCLES || (has_products && body->node_count > 1)) {
        return true;
    }
    if (!weft_schedule_region(arena, context, body, &segment, error)) {
        return false;
    }
    if (segment.cycles > (uint64_t)host) {
        *reason = weft_arena_print(arena,
                                   "alone it is not worth a round trip: the machine takes %" PRIu64
                                   " cycles, the host about %" PRId64,
                                   segment.cycles, host);
    }
    return true;
}

/* Functions of two operands by element. */
static const struct {
    const char *name;
    enum weft_operator op;
} binary[] = {
    {"weft.add", WEFT_OP_QNN_ADD},     {"weft.subtract", WEFT_OP_QNN_SUBTRACT},
    {"weft.mul", WEFT_OP_QNN_MUL},     {"weft.maximum", WEFT_OP_MAXIMUM},
    {"weft.minimum", WEFT_OP_MINIMUM},
};

/* Functions of one byte. */
static const struct {
    const char *name;
    enum weft_operator op;
} functions[] = {
    {"weft.requantize", WEFT_OP_QNN_REQUANTIZE},
    {"weft.relu", WEFT_OP_QNN_RELU},
    {"weft.relu6", WEFT_OP_QNN_RELU6},
    {"weft.relu_n1_to_1", WEFT_OP_QNN_RELU_N1_TO_1},
    {"weft.leaky_relu", WEFT_OP_QNN_LEAKY_RELU},
    {"weft.hard_swish", WEFT_OP_QNN_HARD_SWISH},
    {"weft.logistic", WEFT_OP_QNN_LOGISTIC},
    {"weft.tanh", WEFT_OP_QNN_TANH},
    {"weft.clip", WEFT_OP_CLIP},
};

const struct weft_pattern_table *weft_machine_patterns(struct weft_arena *arena,
                                                       const struct weft_config *config) {
    struct weft_pattern *x = weft_pattern_wildcard(arena);
    struct weft_pattern *constant = weft_pattern_constant(arena);
    struct weft_pattern *flat = op1(arena, WEFT_OP_RESHAPE, x);
    const struct weft_pattern_entry entries[] = {
        {"weft.conv2d", scaled_product(arena, op2(arena, WEFT_OP_QNN_CONV2D, x, constant)),
         check_layer},
        {"weft.dense_flat", scaled_product(arena, op2(arena, WEFT_OP_QNN_DENSE, flat, constant)),
         check_layer},
        {"weft.dense", scaled_product(arena, op2(arena, WEFT_OP_QNN_DENSE, x, constant)),
         check_layer},
        {"weft.avg_pool2d",
         weft_pattern_optional(arena, op1(arena, WEFT_OP_AVG_POOL2D, x), WEFT_OP_CLIP),
         check_layer},
        {"weft.max_pool2d",
         weft_pattern_optional(arena, op1(arena, WEFT_OP_MAX_POOL2D, x), WEFT_OP_CLIP),
         check_layer},
        {"weft.mean", weft_pattern_optional(arena, op1(arena, WEFT_OP_QNN_MEAN, x), WEFT_OP_CLIP),
         check_layer},
        {"weft.conv2d_transpose",
         scaled_product(arena, op2(arena, WEFT_OP_QNN_CONV2D_TRANSPOSE, x, constant)), check_layer},
        {"weft.pad", op1(arena, WEFT_OP_PAD, x), check_layer},
        {"weft.pad", op2(arena, WEFT_OP_PAD, x, constant), check_layer},
        {"weft.resize_nearest_neighbor", op1(arena, WEFT_OP_RESIZE_NEAREST_NEIGHBOR, x),
         check_layer},
        {"weft.concatenate", weft_pattern_op_each(arena, WEFT_OP_CONCATENATE, x), check_layer},
        {"weft.concatenate", weft_pattern_op_each(arena, WEFT_OP_QNN_CONCATENATE, x), check_layer},
        {"weft.split", op1(arena, WEFT_OP_SPLIT, x), check_layer},
        {"weft.strided_slice", op1(arena, WEFT_OP_STRIDED_SLICE, x), check_layer},
        {"weft.reshape", op1(arena, WEFT_OP_RESHAPE, x), check_layer},
    };
    enum {
        CHAINS = sizeof entries / sizeof entries[0],
        FUNCTIONS = sizeof functions / sizeof functions[0],
        BINARY = sizeof binary / sizeof binary[0],
        COUNT = CHAINS + BINARY + FUNCTIONS
    };
    struct weft_pattern_entry *all = WEFT_NEW_ARRAY(arena, COUNT, struct weft_pattern_entry);
    memcpy(all, entries, sizeof entries);
    struct weft_pattern_entry *entry = all + CHAINS;
    for (size_t i = 0; i < BINARY; i++) {
        struct weft_pattern *function = op2(arena, binary[i].op, x, weft_pattern_wildcard(arena));
        *entry++ = (struct weft_pattern_entry){
            binary[i].name, weft_pattern_optional(arena, function, WEFT_OP_CLIP), check_layer};
    }
    /* The last of them is a clip alone, which is tried when no other chain ends with it. */
    for (size_t i = 0; i < FUNCTIONS; i++) {
        struct weft_pattern *function = op1(arena, functions[i].op, x);
        *entry++ = (struct weft_pattern_entry){
            functions[i].name, weft_pattern_optional(arena, function, WEFT_OP_CLIP), check_layer};
    }
    struct weft_pattern_table *table = WEFT_NEW(arena, struct weft_pattern_table);
    *table = (struct weft_pattern_table){
        .name = "weft",
        .entry_count = COUNT,
        .entries = all,
        .context = (void *)(uintptr_t)config,
        .check_region = check_region,
    };
    return table;
}
