/* What exporters put behind softmax of masked scores: 0 where it is no number, as it is for a row
 * of which all is masked by infinity. */
#include "compiler/passes/rules.h"

#include <math.h>
#include <string.h>

enum {
    MOST_STEPS = 8 /* from softmax up to its mask */
};

/* A constant without infinities below; NULL: it has others, or what is no number. */
static struct weft_value *bounded_constant(struct weft_rewrite *rewrite, struct weft_value *value) {
    const float *old = (const float *)(const void *)weft_value_data(value);
    size_t count = (size_t)weft_type_elements(&value->type);
    bool bounded = true;
    for (size_t i = 0; i < count; i++) {
        if (isnan(old[i]) || (isinf(old[i]) && old[i] > 0)) {
            return NULL;
        }
        bounded = bounded && !isinf(old[i]);
    }
    if (bounded) {
        return value;
    }
    float *numbers = WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), count, float);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = isinf(old[i]) ? RULE_NOTHING : old[i];
    }
    return weft_rewrite_constant(rewrite, &value->type, numbers);
}

/* The operands of a node that are scores or masks, where its result is, too: from *first, so many;
 * 0: it computes. */
static uint32_t passed_on(const struct weft_node *node, uint32_t *first) {
    *first = node->op == WEFT_OP_SELECT ? 1 : 0;
    switch (node->op) {
    case WEFT_OP_ADD:
    case WEFT_OP_SELECT:
        return 2;
    case WEFT_OP_RESHAPE:
    case WEFT_OP_SQUEEZE:
    case WEFT_OP_EXPAND_DIMS:
    case WEFT_OP_TRANSPOSE:
    case WEFT_OP_TILE:
    case WEFT_OP_STRIDED_SLICE:
    case WEFT_OP_GATHER:
        return node->result_count == 1 ? 1 : 0;
    default:
        return 0;
    }
}

/* The value with masks of large numbers in the place of infinity. What is computed counts as
 * finite. NULL: it is an input, which may be a mask of infinity, or too far away. */
static struct weft_value *bounded(struct weft_rewrite *rewrite, struct weft_value *value,
                                  unsigned steps) {
    const struct weft_node *node = value->producer;
    if (value->type.dtype != WEFT_F32 || steps == 0) {
        return NULL;
    }
    if (weft_value_data(value) != NULL) {
        return bounded_constant(rewrite, value);
    }
    if (node == NULL) {
        return NULL;
    }
    uint32_t first = 0;
    uint32_t count = passed_on(node, &first);
    struct weft_value *inputs[3] = {NULL};
    if (count == 0) {
        return value;
    }
    memcpy(inputs, node->inputs, node->input_count * sizeof *inputs);
    bool changed = false;
    for (uint32_t i = first; i < first + count; i++) {
        inputs[i] = bounded(rewrite, node->inputs[i], steps - 1);
        changed = changed || inputs[i] != node->inputs[i];
        if (inputs[i] == NULL) {
            return NULL;
        }
    }
    return changed ? weft_rewrite_copy(rewrite, node, inputs, &value->type) : value;
}

/* The value of which the condition asks whether it is a number; NULL: it asks something else. */
static const struct weft_value *asked(const struct weft_value *condition, const char *relation) {
    const struct weft_node *node = condition->producer;
    bool asks = node != NULL && node->op == WEFT_OP_COMPARE && node->inputs[0] == node->inputs[1] &&
                strcmp(weft_node_text(node, WEFT_ATTR_relation), relation) == 0;
    return asks ? node->inputs[0] : NULL;
}

static struct weft_value *drop(struct weft_rewrite *rewrite, const struct weft_site *site) {
    struct weft_value *const *inputs = site->post->producer->inputs;
    const struct weft_value *number = asked(inputs[0], "equal");
    bool equal = number != NULL;
    struct weft_value *x = inputs[equal ? 1 : 2];
    float other = 1;
    if ((equal ? number : asked(inputs[0], "not_equal")) != x ||
        !rule_is_number(inputs[equal ? 2 : 1], &other) || !(other <= 0 && other >= 0) ||
        x->producer == NULL || x->producer->op != WEFT_OP_SOFTMAX) {
        return NULL;
    }
    struct weft_value *scores = x->producer->inputs[0];
    struct weft_value *masked = bounded(rewrite, scores, MOST_STEPS);
    if (masked == NULL || masked == scores) {
        return masked == NULL ? NULL : x;
    }
    return weft_rewrite_copy(rewrite, x->producer, &masked, &x->type);
}

struct weft_graph *weft_pass_drop_guards(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    struct weft_pattern *three[3] = {weft_pattern_wildcard(arena), weft_pattern_wildcard(arena),
                                     weft_pattern_wildcard(arena)};
    const struct weft_rule rule = {weft_pattern_op(arena, WEFT_OP_SELECT, 3, three), drop, NULL};
    return weft_rewrite(graph, 1, &rule);
}
