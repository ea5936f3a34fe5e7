/* Masks of attention: a tensor of 0 for what counts and of a large negative number, or infinity,
 * for what does not, that is added to scores before their softmax. Its numbers are no magnitudes:
 * what it takes away need only be more than softmax sees, whatever the samples' masks were, and the
 * scores keep their steps. */
#include "compiler/quantize/plan.h"

/* How far below the largest score of a row a byte of softmax, 1 / 256, is surely 0: exp(-8) is less
 * than a third of a thousandth. */
#define UNSEEN 8.0

/* What counts as large: a bias that is less than that keeps its own range. */
#define LEAST_MASK (-50.0)

static const struct weft_value *moved_from(const struct plan *plan,
                                           const struct weft_value *value) {
    const struct weft_node *node = value->producer;
    while (node != NULL && layer_kind_of(node) == LAYER_MOVE && node->op != WEFT_OP_AVG_POOL2D &&
           plan_is_quantized(plan, value)) {
        value = node->inputs[0];
        node = value->producer;
    }
    return value;
}

static struct weft_range observed(const struct plan *plan, const struct weft_value *value) {
    const float *elements = (const float *)(const void *)weft_value_data(value);
    return elements != NULL ? weft_range_of(elements, (size_t)weft_type_elements(&value->type))
                            : plan->limits[value_number(plan->table, value)].observed;
}

/* Is the operand of a sum 0 where scores count and a large negative number where they do not, or,
 * in these samples, 0 everywhere? A bias that is nowhere 0 is none: it says nothing of any. */
static bool is_mask(const struct plan *plan, const struct layer *layer, uint32_t operand) {
    const struct weft_value *scores = layer->root->inputs[1 - operand];
    const struct weft_value *mask = moved_from(plan, layer->root->inputs[operand]);
    bool is_product = mask->producer != NULL && mask->producer->op == WEFT_OP_BATCH_MATMUL;
    struct weft_range range = observed(plan, mask);
    return !is_product && weft_value_data(scores) == NULL &&
           weft_shape_equal(&scores->type, &layer->root->results[0]->type) && range.high <= 0 &&
           range.high >= 0 && (range.low >= 0 || range.low <= LEAST_MASK);
}

/* Does softmax alone read the result, perhaps moved, as bytes? */
static bool feeds_softmax(const struct plan *plan, const struct layer *layer) {
    const struct weft_value *value = layer->result;
    if (!weft_feeds_alone(plan->users, value, WEFT_OP_SOFTMAX)) {
        return false;
    }
    const struct weft_node *user = weft_users_of(plan->users, value)->nodes[0];
    while (user->op != WEFT_OP_SOFTMAX) {
        user = weft_users_of(plan->users, user->results[0])->nodes[0];
    }
    return plan_is_quantized(plan, user->results[0]);
}

static void set(const struct plan *plan, const struct weft_value *value, double low, double high) {
    struct weft_range *range = WEFT_NEW(plan->arena, struct weft_range);
    *range = (struct weft_range){low, high};
    plan->masked[value_number(plan->table, value)] = range;
}

void plan_find_masks(const struct plan *plan) {
    for (size_t i = 0; i < plan->table->count; i++) {
        plan->masked[i] = NULL;
    }
    for (size_t i = 0; i < plan->layer_count; i++) {
        const struct layer *layer = &plan->layers[i];
        if (!layer->is_quantized || layer->root->op != WEFT_OP_ADD || layer->activation != NULL ||
            !feeds_softmax(plan, layer)) {
            continue;
        }
        for (uint32_t k = 0; k < 2; k++) {
            if (is_mask(plan, layer, k)) {
                const struct weft_value *scores = layer->root->inputs[1 - k];
                struct weft_range range = plan->ranges[value_number(plan->table, scores)];
                set(plan, moved_from(plan, layer->root->inputs[k]),
                    range.low - range.high - 2 * UNSEEN, 0);
                set(plan, layer->result, range.low - UNSEEN, range.high);
                break;
            }
        }
    }
}
