/* Changes of scale in a row become one, where no value comes out different. */
#include <string.h>

#include "base/integer.h"
#include "compiler/passes/rules.h"

static bool is_narrow(enum weft_dtype dtype) {
    return dtype == WEFT_I8 || dtype == WEFT_U8 || dtype == WEFT_I16;
}

/* qnn.requantize to the type that the operand has: the multiplier is 1. */
static struct weft_value *drop_identity(struct weft_rewrite *rewrite,
                                        const struct weft_site *site) {
    (void)rewrite;
    struct weft_value *x = site->post->producer->inputs[0];
    return is_narrow(x->type.dtype) ? x : NULL; /* not taken when the types differ */
}

/* ---- the second one only moves the zero point ---- */

/* Does the outer qnn.requantize compute exactly q - zero + zero of its result, for q from low to
 * high? gemmlowp's multiplier 1 is a shift to the left by one, which wraps beyond 31 bits; a float
 * has 24. */
static bool only_moves_zero(const struct weft_node *outer, int64_t low, int64_t high) {
    const struct weft_type *from = &outer->inputs[0]->type;
    const struct weft_type *to = &outer->results[0]->type;
    const char *rounding = weft_node_text(outer, WEFT_ATTR_rounding);
    int64_t zero = weft_type_zero(from, 0);
    int64_t limit = strcmp(rounding, "single") == 0  ? INT32_MAX
                    : strcmp(rounding, "float") == 0 ? 1 << 24
                                                     : INT32_MAX / 2;
    return weft_node_attribute(outer, WEFT_ATTR_factor) == NULL && from->quantization.count == 1 &&
           weft_type_scale(from, 0) == weft_type_scale(to, 0) && high - zero <= limit &&
           low - zero >= -limit;
}

/* qnn.requantize(clip or not(qnn.requantize(x))): one qnn.requantize to the outer type, and a clip
 * where the inner type or the clip was narrower. */
static struct weft_value *merge_moved(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *outer = site->post->producer;
    const struct weft_node *inner = weft_match_get(site->match, "inner")->producer;
    const struct weft_node *clip = outer->inputs[0]->producer;
    enum weft_dtype middle = inner->results[0]->type.dtype;
    const struct weft_type *to = &site->post->type;
    int64_t low = clip == inner ? weft_dtype_min(middle) : weft_node_int(clip, WEFT_ATTR_min);
    int64_t high = clip == inner ? weft_dtype_max(middle) : weft_node_int(clip, WEFT_ATTR_max);
    int64_t moved = (int64_t)weft_type_zero(to, 0) - weft_type_zero(&inner->results[0]->type, 0);
    int64_t least = weft_dtype_min(to->dtype);
    int64_t most = weft_dtype_max(to->dtype);
    if (!only_moves_zero(outer, low, high) || weft_rewrite_escapes(rewrite, site->match)) {
        return NULL;
    }
    struct weft_value *made = weft_rewrite_copy(rewrite, inner, inner->inputs, to);
    return rule_clip(rewrite, made, weft_clamp(low + moved, least, most),
                     weft_clamp(high + moved, least, most));
}

/* ---- all values tried ---- */

/* A chain of two of which qnn.requantize alone may take the place. */
static struct weft_value *merge_tried(struct weft_rewrite *rewrite, const struct weft_site *site) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const struct weft_node *chain[2] = {site->post->producer->inputs[0]->producer,
                                        site->post->producer};
    struct weft_value *x = chain[0]->inputs[0];
    const struct weft_type *to = &site->post->type;
    struct weft_attribute rounding = weft_attr_text(WEFT_ATTR_rounding, "gemmlowp");
    if (!rule_is_enumerable(&x->type) || !is_narrow(to->dtype) ||
        weft_rewrite_escapes(rewrite, site->match)) {
        return NULL;
    }
    struct weft_graph *aside = weft_graph_new(arena, "aside");
    struct weft_node *direct =
        weft_graph_add_node(aside, WEFT_OP_QNN_REQUANTIZE, 1, &x, 1, &rounding);
    weft_node_add_result(aside, direct, to, -1);
    const struct weft_node *alone[1] = {direct};
    return rule_makes_same(arena, (struct rule_chain){2, chain}, (struct rule_chain){1, alone})
               ? weft_rewrite_copy(rewrite, direct, &x, to)
               : NULL;
}

struct weft_graph *weft_pass_merge_requantize(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    struct weft_pattern *any = weft_pattern_wildcard(arena);
    struct weft_pattern *one = rule_unary(arena, WEFT_OP_QNN_REQUANTIZE, any);
    struct weft_pattern *limited =
        weft_pattern_optional(arena, weft_pattern_bind(arena, one, "inner"), WEFT_OP_CLIP);
    struct weft_pattern *there = rule_unary(arena, WEFT_OP_QNN_DEQUANTIZE, any);
    struct weft_rule rules[CLIP_RULES + 4];
    rule_add_clips(arena, rules);
    rules[CLIP_RULES] = (struct weft_rule){one, drop_identity, NULL};
    rules[CLIP_RULES + 1] =
        (struct weft_rule){rule_unary(arena, WEFT_OP_QNN_REQUANTIZE, limited), merge_moved, NULL};
    rules[CLIP_RULES + 2] =
        (struct weft_rule){rule_unary(arena, WEFT_OP_QNN_REQUANTIZE, one), merge_tried, NULL};
    rules[CLIP_RULES + 3] =
        (struct weft_rule){rule_unary(arena, WEFT_OP_QNN_QUANTIZE, there), merge_tried, NULL};
    return weft_rewrite(graph, CLIP_RULES + 4, rules);
}
