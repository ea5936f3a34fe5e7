/* Layers inside of what becomes one table: what follows, element by element, from one tensor has
 * one quantised result, not one for every step. */
#include "compiler/quantize/steps.h"

/* What finding them goes by. */
struct finder {
    const struct plan *plan;
    const bool *keep_float;          /* by layer; NULL: none */
    const struct weft_value **roots; /* by number of the value: what alone it follows from */
    struct weft_map *layers;         /* root node -> its layer */
};

static bool is_elementwise(const struct finder *finder, const struct layer *layer) {
    size_t index = (size_t)(layer - finder->plan->layers);
    enum weft_operator op = layer->root->op;
    bool joins = op == WEFT_OP_MEAN || op == WEFT_OP_AVG_POOL2D || op == WEFT_OP_SOFTMAX ||
                 op == WEFT_OP_BATCH_MATMUL;
    return (layer->kind == LAYER_BINARY || layer->kind == LAYER_FUNCTION) && !joins &&
           (finder->keep_float == NULL || !finder->keep_float[index]);
}

/* The one tensor of bytes that all operands follow from, but those of one known element; the result
 * itself: there is none. */
static const struct weft_value *root_of(const struct finder *finder, const struct layer *layer) {
    const struct weft_value *root = NULL;
    for (uint32_t i = 0; i < layer->root->input_count; i++) {
        const struct weft_value *operand = layer->root->inputs[i];
        const struct weft_value *from = finder->roots[value_number(finder->plan->table, operand)];
        if (weft_value_data(operand) != NULL && weft_type_elements(&operand->type) == 1) {
            continue;
        }
        if (weft_value_data(operand) != NULL || (root != NULL && root != from)) {
            return layer->result;
        }
        root = from;
    }
    return root != NULL && weft_shape_equal(&root->type, &layer->result->type) ? root
                                                                               : layer->result;
}

/* Is the result needed for more results that follow from the same tensor, and for nothing else? */
static bool is_inside(const struct finder *finder, const struct layer *layer) {
    const struct plan *plan = finder->plan;
    const struct weft_value *root = finder->roots[value_number(plan->table, layer->result)];
    const struct weft_users *users = weft_users_of(plan->users, layer->result);
    bool inside = is_elementwise(finder, layer) && root != layer->result && !users->is_output &&
                  users->count > 0;
    for (uint32_t i = 0; inside && i < users->count; i++) {
        const struct layer *next = weft_map_get(finder->layers, users->nodes[i]);
        inside = next != NULL && is_elementwise(finder, next) &&
                 finder->roots[value_number(plan->table, next->result)] == root;
    }
    return inside;
}

void quantize_find_tables(struct plan *plan, const bool *keep_float) {
    struct finder finder = {
        .plan = plan,
        .keep_float = keep_float,
        .roots = WEFT_NEW_ARRAY(plan->arena, plan->table->count, const struct weft_value *),
        .layers = weft_map_new(plan->arena)};
    for (size_t i = 0; i < plan->table->count; i++) {
        finder.roots[i] = plan->table->values[i];
    }
    for (size_t i = 0; i < plan->layer_count; i++) {
        struct layer *layer = &plan->layers[i];
        weft_map_set(finder.layers, layer->root, layer);
        if (is_elementwise(&finder, layer)) {
            finder.roots[value_number(plan->table, layer->result)] = root_of(&finder, layer);
        }
    }
    for (size_t i = 0; i < plan->layer_count; i++) {
        const struct layer *layer = &plan->layers[i];
        size_t number = value_number(plan->table, layer->result);
        plan->tables[number] = is_inside(&finder, layer) ? finder.roots[number] : NULL;
    }
}
