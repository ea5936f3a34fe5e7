/* Operands of a concatenation: each is stored into its part of the result. */
#include "compiler/emit/work.h"
#include "compiler/layers/layers.h"

static const char *lower_concatenate(const struct lowering *lowering, const struct weft_node *node,
                                     const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    const char *reason = set_shapes(lowering, node->inputs[0], output);
    layer->kind = LAYER_PLACE;
    layer->name = "concatenate";
    layer->axis = (int)(weft_node_int(node, WEFT_ATTR_axis) + 4 - output->type.rank);
    layer->input_count = node->input_count;
    layer->input = WEFT_NEW_ARRAY(lowering->arena, node->input_count, const struct weft_value *);
    layer->input_tables = WEFT_NEW_ARRAY(lowering->arena, node->input_count, const uint8_t *);
    for (uint32_t k = 0; k < node->input_count && reason == NULL; k++) {
        struct shape shape;
        int32_t zero = 0;
        layer->input[k] = node->inputs[k];
        reason = set_tensor(lowering, node->inputs[k], &shape, &zero);
        if (reason == NULL && node->op == WEFT_OP_QNN_CONCATENATE) {
            layer->input_tables[k] = function_table(lowering, node, k);
            reason = layer->input_tables[k] == NULL ? "the host's kernel does not cover this either"
                                                    : NULL;
        }
    }
    return reason;
}

static struct weft_pattern *each_operand(struct weft_arena *arena, enum weft_operator operator) {
    return weft_pattern_op_each(arena, operator, weft_pattern_wildcard(arena));
}

static const struct layer_pattern patterns[] = {
    {"weft.concatenate", WEFT_OP_CONCATENATE, each_operand, lower_concatenate},
    {"weft.concatenate", WEFT_OP_QNN_CONCATENATE, each_operand, lower_concatenate},
};

static void emit_place(const struct work *work, const struct rows *rows) {
    emit_store_part(work, operand_of(work, 2), layer_of(work)->begin, operand_of(work, 0),
                    &rows->in[0], &rows->stripe);
}

const struct layer_operations place_operations = {.name = "place",
                                                  .pattern_count = COUNT_OF(patterns),
                                                  .patterns = patterns,
                                                  .reads_on_chip = true,
                                                  .rows_read = same_rows,
                                                  .choose = choose_stripes,
                                                  .emit = emit_place};
