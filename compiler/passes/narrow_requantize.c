/* qnn.requantize to int32, clip, cast: qnn.requantize to the narrow type, clip. */
#include "compiler/passes/rules.h"

/* A cast that keeps scale and zero point and goes to 8 or 16 bits. */
static bool only_narrows(const struct weft_type *from, const struct weft_type *to) {
    return (to->dtype == WEFT_I8 || to->dtype == WEFT_U8 || to->dtype == WEFT_I16) &&
           to->quantization.count == 1 &&
           weft_quantization_equal(&from->quantization, &to->quantization);
}

/* The clip's limits lie inside the narrow type, so the cast wraps nothing, and saturating to that
 * type first changes nothing that the clip does not change. */
static struct weft_value *narrow(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_type *type = &site->post->type;
    const struct weft_node *clip = site->post->producer->inputs[0]->producer;
    const struct weft_node *requantize = clip->inputs[0]->producer;
    int64_t min = weft_node_int(clip, WEFT_ATTR_min);
    int64_t max = weft_node_int(clip, WEFT_ATTR_max);
    if (requantize->results[0]->type.dtype != WEFT_I32 ||
        !only_narrows(&clip->results[0]->type, type) || min < weft_dtype_min(type->dtype) ||
        max > weft_dtype_max(type->dtype) || weft_rewrite_escapes(rewrite, site->match)) {
        return NULL;
    }
    struct weft_value *made = weft_rewrite_copy(rewrite, requantize, requantize->inputs, type);
    return rule_clip(rewrite, made, min, max);
}

/* A cast to the type that the operand has. */
static struct weft_value *drop_cast(struct weft_rewrite *rewrite, const struct weft_site *site) {
    (void)rewrite;
    return site->post->producer->inputs[0];
}

struct weft_graph *weft_pass_narrow_requantize(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    struct weft_pattern *requantize =
        rule_unary(arena, WEFT_OP_QNN_REQUANTIZE, weft_pattern_wildcard(arena));
    struct weft_rule rules[CLIP_RULES + 2];
    rule_add_clips(arena, rules);
    rules[CLIP_RULES] = (struct weft_rule){
        rule_unary(arena, WEFT_OP_CAST, rule_unary(arena, WEFT_OP_CLIP, requantize)), narrow, NULL};
    /* What it returns is not taken when the types differ. */
    rules[CLIP_RULES + 1] = (struct weft_rule){
        rule_unary(arena, WEFT_OP_CAST, weft_pattern_wildcard(arena)), drop_cast, NULL};
    return weft_rewrite(graph, CLIP_RULES + 2, rules);
}
