/* Clips in a row become one; idle ones go. */
#include "base/integer.h"
#include "compiler/passes/rules.h"

/* clip(clip(x)): the outer limits, and the inner ones moved between them. */
static struct weft_value *merge_two(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *outer = site->post->producer;
    const struct weft_node *inner = outer->inputs[0]->producer;
    int64_t min = weft_node_int(outer, WEFT_ATTR_min);
    int64_t max = weft_node_int(outer, WEFT_ATTR_max);
    return rule_clip(rewrite, inner->inputs[0],
                     weft_clamp(weft_node_int(inner, WEFT_ATTR_min), min, max),
                     weft_clamp(weft_node_int(inner, WEFT_ATTR_max), min, max));
}

/* clip(x) to all values of the type. */
static struct weft_value *drop_idle(struct weft_rewrite *rewrite, const struct weft_site *site) {
    (void)rewrite;
    const struct weft_node *clip = site->post->producer;
    return rule_clip_is_idle(clip) ? clip->inputs[0] : NULL;
}

/* Does qnn.requantize saturate from this limit of the clip on, or has the type no values beyond? */
static bool saturates(struct weft_arena *arena, const struct weft_node *requantize, int64_t limit,
                      bool is_min) {
    enum weft_dtype from = requantize->inputs[0]->type.dtype;
    enum weft_dtype to = requantize->results[0]->type.dtype;
    int64_t least = 0;
    int64_t most = 0;
    if (limit == (is_min ? weft_dtype_min(from) : weft_dtype_max(from))) {
        return true;
    }
    return rule_requantize_limits(arena, requantize, limit, &least, &most) &&
           (is_min ? most == weft_dtype_min(to) : least == weft_dtype_max(to));
}

/* qnn.requantize(clip(x)) that saturates wherever the clip limits: it is monotone, so it maps what
 * is beyond a limit to what the limit becomes, the end of its own range. */
static struct weft_value *drop_saturated(struct weft_rewrite *rewrite,
                                         const struct weft_site *site) {
    const struct weft_node *requantize = site->post->producer;
    const struct weft_node *clip = requantize->inputs[0]->producer;
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    bool idle = rule_is_monotone(requantize) &&
                saturates(arena, requantize, weft_node_int(clip, WEFT_ATTR_min), true) &&
                saturates(arena, requantize, weft_node_int(clip, WEFT_ATTR_max), false);
    return idle && !weft_rewrite_escapes(rewrite, site->match)
               ? weft_rewrite_copy(rewrite, requantize, clip->inputs, &site->post->type)
               : NULL;
}

void rule_add_clips(struct weft_arena *arena, struct weft_rule rules[CLIP_RULES]) {
    struct weft_pattern *clip = rule_unary(arena, WEFT_OP_CLIP, weft_pattern_wildcard(arena));
    rules[0] = (struct weft_rule){clip, drop_idle, NULL};
    rules[1] = (struct weft_rule){rule_unary(arena, WEFT_OP_CLIP, clip), merge_two, NULL};
}

struct weft_graph *weft_pass_merge_clips(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    struct weft_rule rules[CLIP_RULES + 1];
    rule_add_clips(arena, rules);
    rules[CLIP_RULES] = (struct weft_rule){
        rule_unary(arena, WEFT_OP_QNN_REQUANTIZE,
                   rule_unary(arena, WEFT_OP_CLIP, weft_pattern_wildcard(arena))),
        drop_saturated, NULL};
    return weft_rewrite(graph, CLIP_RULES + 1, rules);
}
