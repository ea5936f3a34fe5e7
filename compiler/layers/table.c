/* Functions of one byte. */
#include <string.h>

#include "base/integer.h"
#include "compiler/emit/work.h"
#include "compiler/layers/layers.h"

/* ---- lowering ---- */

static const char *lower_table(const struct lowering *lowering, const struct weft_node *node,
                               const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    const struct weft_value *input = node->inputs[0];
    if (node->op == WEFT_OP_QNN_REQUANTIZE && input->type.dtype == WEFT_I32) {
        return "the machine requantises sums only as a part of a product with constant weights";
    }
    const char *reason = set_any_shapes(lowering, input, output);
    if (reason != NULL) {
        return reason;
    }
    uint8_t *table = function_table(lowering, node, 0);
    const uint8_t *clip =
        node == output->producer ? NULL : function_table(lowering, output->producer, 0);
    if (table == NULL || (clip == NULL && node != output->producer)) {
        return "the host's kernel does not cover this either";
    }
    for (int i = 0; i < 256 && clip != NULL; i++) {
        table[i] = clip[table[i]];
    }
    const char *name = weft_operator_name(node->op);
    layer->kind = LAYER_TABLE;
    layer->name = strncmp(name, "qnn.", 4) == 0 ? name + 4 : name;
    layer->table = table;
    return NULL;
}

static const struct layer_pattern patterns[] = {
#define WEFT_UNARY_FUNCTION(OPERATOR, name, kernel)                                                \
    {"weft." #name, WEFT_OP_##OPERATOR, clipped_function, lower_table},
#include "compiler/ir/functions.def"
};

/* ---- tables ---- */

static void pack(struct packing *packing, int index) {
    const struct layer *layer = packing->plan->layers[index];
    if (layer->scaling == NULL) {
        add_table(packing, layer->table);
    }
}

/* ---- instructions ---- */

static void emit_function(const struct work *work, const struct rows *rows) {
    const struct layer *layer = layer_of(work);
    const struct stripe *stripe = &rows->stripe;
    int64_t step = tiling_of(work)->rows;
    for (int64_t n = stripe->first_image; n < stripe->end_image; n++) {
        for (int64_t row = stripe->first; row < stripe->end; row += step) {
            const struct area area =
                all_blocks(work, n, row, 0, weft_min(step, stripe->end - row), layer->out.w);
            emit_lookup(work, layer->table, layer->scaling, &rows->in[0], &rows->out, &area);
        }
    }
}

const struct layer_operations table_operations = {.name = "function of one byte",
                                                  .pattern_count = COUNT_OF(patterns),
                                                  .patterns = patterns,
                                                  .reads_on_chip = true,
                                                  .makes_on_chip = true,
                                                  .in_chains = true,
                                                  .by_vector = true,
                                                  .rows_read = same_rows,
                                                  .choose = choose_stripes,
                                                  .pack = pack,
                                                  .emit = emit_function};
