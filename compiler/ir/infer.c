/* Type inference: the way in. One small function for each kind of
 * operator is in infer_product.c, infer_element.c, infer_reduce.c, infer_move.c,
 * infer_choose.c, infer_sequence.c and infer_detect.c.
 */
#include "compiler/ir/inference.h"

/* Inputs of the body are inputs of the node, outputs its results. */
bool infer_body(const struct inference *inference) {
    const struct weft_node *node = inference->node;
    const struct weft_graph *body = node->body;
    if (body == NULL || body->input_count != node->input_count ||
        body->output_count != node->result_count) {
        return inference_wrong(inference, "the body must have the inputs and results of the node");
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (!weft_type_equal(&body->inputs[i]->type, &node->inputs[i]->type)) {
            return inference_wrong_type(
                inference, "an input of the body has another type than that of the node");
        }
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        inference->results[i] = body->outputs[i]->type;
    }
    return true;
}

bool infer_declared(const struct inference *inference) {
    for (uint32_t i = 0; i < inference->node->result_count; i++) {
        inference->results[i] = inference->node->results[i]->type;
    }
    return true;
}

bool weft_node_infer(struct weft_arena *arena, const struct weft_node *node,
                     struct weft_type *results, struct weft_error *error) {
    static bool (*const functions[WEFT_OPERATORS])(const struct inference *) = {
#define WEFT_OP(name, text, least, most, results, attributes, infer, doc) infer,
#include "compiler/ir/operators.def"
#undef WEFT_OP
    };
    struct inference inference = {arena, node, results, error};
    return functions[node->op](&inference);
}
