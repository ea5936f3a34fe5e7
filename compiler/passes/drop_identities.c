/* What changes no element goes: factors of 1, zeros that are taken away, functions that have
 * nothing left to do behind another one. */
#include <math.h>

#include "compiler/passes/rules.h"

/* Does the function leave alone what `before` has made, whatever that was computed from? What is
 * not a number is nothing that one may rely on a function for: relu(logistic(x)) stays. */
static bool is_idle(enum weft_operator op, enum weft_operator before) {
    switch (op) {
    case WEFT_OP_CEIL:
    case WEFT_OP_FLOOR:
    case WEFT_OP_ROUND:
        return before == WEFT_OP_CEIL || before == WEFT_OP_FLOOR || before == WEFT_OP_ROUND;
    default:
        return op == before;
    }
}

static struct weft_value *drop_function(struct weft_rewrite *rewrite,
                                        const struct weft_site *site) {
    (void)rewrite;
    const struct weft_node *node = site->post->producer;
    struct weft_value *x = node->inputs[0];
    const struct weft_node *before = x->producer;
    if (before == NULL) {
        return NULL;
    }
    if (node->op == WEFT_OP_NEGATE) { /* it undoes itself */
        return before->op == node->op ? before->inputs[0] : NULL;
    }
    return is_idle(node->op, before->op) ? x : NULL;
}

/* Has each of a constant's floats the sign of `number`? */
static bool all_have_sign(const struct weft_value *value, float number) {
    const float *numbers = (const float *)(const void *)weft_value_data(value); /* aligned */
    bool all = true;
    for (int64_t i = 0; all && i < weft_type_elements(&value->type); i++) {
        all = signbit(numbers[i]) == signbit(number);
    }
    return all;
}

/* x * 1, x / 1, x - 0, x + -0, of floats. Adding 0 makes 0 of -0, so it stays, but for a context.
 */
static struct weft_value *drop_number(struct weft_rewrite *rewrite, const struct weft_site *site) {
    (void)rewrite;
    const struct weft_node *node = site->post->producer;
    bool any_order = node->op == WEFT_OP_MUL || node->op == WEFT_OP_ADD;
    bool is_factor = node->op == WEFT_OP_MUL || node->op == WEFT_OP_DIVIDE;
    float neutral = is_factor ? 1.0F : node->op == WEFT_OP_ADD ? -0.0F : 0.0F;
    for (uint32_t i = 0; i < (any_order ? 2U : 1U); i++) {
        if (weft_shape_equal(&node->inputs[i]->type, &node->results[0]->type) &&
            rule_is_all(node->inputs[1 - i], neutral) &&
            (site->context != NULL || all_have_sign(node->inputs[1 - i], neutral))) {
            return node->inputs[i];
        }
    }
    return NULL;
}

static struct weft_graph *drop(const struct weft_graph *graph, void *zeros) {
    enum {
        FUNCTIONS = 9,
        PAIRS = 4
    };
    static const enum weft_operator functions[FUNCTIONS] = {
        WEFT_OP_RELU, WEFT_OP_RELU6, WEFT_OP_RELU_N1_TO_1, WEFT_OP_ABS,   WEFT_OP_SIGN,
        WEFT_OP_CEIL, WEFT_OP_FLOOR, WEFT_OP_ROUND,        WEFT_OP_NEGATE};
    static const enum weft_operator pairs[PAIRS] = {WEFT_OP_MUL, WEFT_OP_DIVIDE, WEFT_OP_ADD,
                                                    WEFT_OP_SUBTRACT};
    struct weft_arena *arena = graph->arena;
    struct weft_pattern *any = weft_pattern_wildcard(arena);
    struct weft_rule rules[FUNCTIONS + PAIRS];
    for (size_t i = 0; i < FUNCTIONS; i++) {
        rules[i] = (struct weft_rule){rule_unary(arena, functions[i], any), drop_function, NULL};
    }
    for (size_t i = 0; i < PAIRS; i++) {
        rules[FUNCTIONS + i] = (struct weft_rule){
            weft_pattern_op(arena, pairs[i], 2, (struct weft_pattern *[]){any, any}), drop_number,
            zeros};
    }
    return weft_rewrite(graph, FUNCTIONS + PAIRS, rules);
}

struct weft_graph *weft_pass_drop_identities(const struct weft_graph *graph) {
    return drop(graph, NULL);
}

struct weft_graph *weft_pass_drop_zeros(const struct weft_graph *graph) {
    bool zeros = true;
    return drop(graph, &zeros);
}
