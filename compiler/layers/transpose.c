/* Another order of images, rows and columns: loaded so from where the tensor lies in external
 * memory. */
#include "compiler/emit/work.h"
#include "compiler/layers/layers.h"

/* Channels are neighbours in memory, so they stay the last axis. */
static const char *lower_transpose(const struct lowering *lowering, const struct weft_node *node,
                                   const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    const int64_t *permutation = weft_node_ints(node, WEFT_ATTR_permutation);
    const char *reason = set_shapes(lowering, node->inputs[0], output);
    layer->kind = LAYER_TRANSPOSE;
    layer->name = "transpose";
    if (reason != NULL) {
        return reason;
    }
    if (weft_value_data(node->inputs[0]) != NULL) {
        return "a constant needs no machine to be transposed";
    }
    int64_t missing = 4 - (int64_t)output->type.rank;
    for (int64_t axis = 0; axis < 4; axis++) {
        int64_t from = axis < missing ? axis : permutation[axis - missing] + missing;
        if ((axis == 3) != (from == 3)) {
            return "channels are not transposed on the machine";
        }
        if (axis < 3) {
            layer->order[axis] = (int)from;
        }
    }
    return NULL;
}

static const struct layer_pattern patterns[] = {
    {"weft.transpose", WEFT_OP_TRANSPOSE, plain_function, lower_transpose},
};

static void emit_transpose(const struct work *work, const struct rows *rows) {
    emit_load_turned(work, operand_of(work, 0), layer_of(work)->order, operand_of(work, 2),
                     &rows->out, &rows->stripe);
}

const struct layer_operations transpose_operations = {.name = "transpose",
                                                      .pattern_count = COUNT_OF(patterns),
                                                      .patterns = patterns,
                                                      .makes_on_chip = true,
                                                      .rows_read = same_rows,
                                                      .choose = choose_stripes,
                                                      .emit = emit_transpose};
