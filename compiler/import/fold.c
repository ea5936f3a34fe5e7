/* Nodes of constants, computed while a model is read: sizes, axes and positions must be known then.
 * All other ones are left to weft_pass_fold_constants(). */
#include "compiler/import/fold.h"

#include "compiler/host/host.h"

enum {
    MOST_ELEMENTS = 1024, /* of a constant, and of what comes of it */
    MOST_PLAIN = 65536,   /* the same of fold_plain() */
};

/* Elements of a type, or the first number above `most`. */
static int64_t elements_up_to(const struct weft_type *type, int64_t most) {
    int64_t elements = 1;
    for (uint32_t i = 0; i < type->rank && elements <= most; i++) {
        elements = type->dim[i] > most ? most + 1 : elements * type->dim[i];
    }
    return elements;
}

/* Floats and small integers are not what sizes are made of, unless they only become another type.
 */
static bool is_small(const struct weft_node *node, const struct weft_type *type) {
    bool counts = node->op == WEFT_OP_CAST || node->op == WEFT_OP_QNN_DEQUANTIZE ||
                  type->dtype == WEFT_I32 || type->dtype == WEFT_I64 || type->dtype == WEFT_BOOL;
    return counts && elements_up_to(type, MOST_ELEMENTS) <= MOST_ELEMENTS;
}

/* No scale: those are for who knows what they are for. */
static bool is_plain(const struct weft_node *node, const struct weft_type *type) {
    (void)node;
    return type->quantization.count == 0 && elements_up_to(type, MOST_PLAIN) <= MOST_PLAIN;
}

typedef bool folds(const struct weft_node *node, const struct weft_type *type);

static bool can_fold(const struct weft_node *node, folds *takes) {
    bool good = node->op != WEFT_OP_CONSTANT && node->input_count > 0 && node->body == NULL;
    for (uint32_t i = 0; good && i < node->input_count; i++) {
        good = weft_value_data(node->inputs[i]) != NULL && takes(node, &node->inputs[i]->type);
    }
    for (uint32_t i = 0; good && i < node->result_count; i++) {
        good = takes(node, &node->results[i]->type);
    }
    return good && node->result_count >= weft_node_expected_results(node);
}

static struct weft_value *fold(struct weft_graph *graph, struct weft_value *value) {
    const struct weft_node *node = value->producer;
    struct weft_error error;
    const void **inputs = WEFT_NEW_ARRAY(graph->arena, node->input_count, const void *);
    void **results = WEFT_NEW_ARRAY(graph->arena, node->result_count, void *);
    const void *data = NULL;
    for (uint32_t i = 0; i < node->input_count; i++) {
        inputs[i] = weft_value_data(node->inputs[i]);
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        size_t length = weft_type_bytes(&node->results[i]->type);
        results[i] = weft_arena_allocate(graph->arena, length + 1, 1);
        data = node->results[i] == value ? results[i] : data;
    }
    if (!weft_host_run(node, inputs, results, &error)) {
        if (error.code == WEFT_OUT_OF_MEMORY) {
            longjmp(graph->arena->on_failure, 1); /* not folding would be another model */
        }
        return value; /* an index outside its axis is told when the model runs */
    }
    return weft_graph_add_constant(graph, &value->type, data, NULL, -1);
}

struct weft_value *fold_small(struct weft_graph *graph, struct weft_value *value) {
    return value->producer != NULL && can_fold(value->producer, is_small) ? fold(graph, value)
                                                                          : value;
}

struct weft_value *fold_plain(struct weft_graph *graph, struct weft_value *value, uint64_t *steps) {
    if (value->producer == NULL || !can_fold(value->producer, is_plain)) {
        return value;
    }
    uint64_t cost = weft_node_steps(value->producer);
    if (cost > *steps) {
        return value;
    }
    *steps -= cost;
    return fold(graph, value);
}
