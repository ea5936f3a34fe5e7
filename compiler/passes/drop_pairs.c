/* Floats that become integers and floats again, as a network has them that others prepared for
 * quantisation: calibration chooses scales of its own. */
#include "compiler/passes/rules.h"

static struct weft_value *drop(struct weft_rewrite *rewrite, const struct weft_site *site) {
    struct weft_value *x = site->post->producer->inputs[0]->producer->inputs[0];
    (void)rewrite;
    return weft_type_equal(&x->type, &site->post->type) ? x : NULL;
}

struct weft_graph *weft_pass_drop_pairs(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    struct weft_pattern *quantized =
        rule_unary(arena, WEFT_OP_QNN_QUANTIZE, weft_pattern_wildcard(arena));
    const struct weft_rule rule = {rule_unary(arena, WEFT_OP_QNN_DEQUANTIZE, quantized), drop,
                                   NULL};
    return weft_rewrite(graph, 1, &rule);
}
