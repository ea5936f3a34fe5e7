/* A part of a tensor: loaded from where the whole lies in external memory. */
#include "compiler/emit/work.h"
#include "compiler/layers/layers.h"

/* Result `result` of a split. */
static void set_part(struct layer *layer, const struct weft_node *split, uint32_t result) {
    int64_t axis = weft_node_int(split, WEFT_ATTR_axis);
    const int64_t *sizes = weft_node_ints(split, WEFT_ATTR_sizes);
    for (uint32_t i = 0; i < result; i++) {
        layer->begin[axis + 4 - split->inputs[0]->type.rank] += sizes[i];
    }
}

/* Channels are neighbours in memory: what is not a run of them is not loaded in one piece. */
static const char *set_slice(struct layer *layer, const struct weft_node *slice) {
    const int64_t *begin = weft_node_ints(slice, WEFT_ATTR_begin);
    const int64_t *steps = weft_node_ints(slice, WEFT_ATTR_steps);
    uint32_t rank = slice->inputs[0]->type.rank;
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t axis = i + 4 - rank;
        layer->begin[axis] = begin[i];
        if (slice->results[0]->type.dim[i] == 1) {
            continue; /* a step to nowhere can be any number */
        }
        if (axis < 3) {
            layer->steps[axis] = steps[i];
        } else if (steps[i] != 1) {
            return "channels are not sliced with steps on the machine";
        }
    }
    return NULL;
}

static const char *lower_slice(const struct lowering *lowering, const struct weft_node *node,
                               const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    const char *reason = set_shapes(lowering, node->inputs[0], output);
    layer->kind = LAYER_SLICE;
    layer->name = node->op == WEFT_OP_SPLIT ? "split" : "strided_slice";
    layer->steps[0] = layer->steps[1] = layer->steps[2] = 1;
    if (reason != NULL) {
        return reason;
    }
    if (node->op == WEFT_OP_SPLIT) {
        set_part(layer, node, output->index);
        return NULL;
    }
    return set_slice(layer, node);
}

static const struct layer_pattern patterns[] = {
    {"weft.split", WEFT_OP_SPLIT, plain_function, lower_slice},
    {"weft.strided_slice", WEFT_OP_STRIDED_SLICE, plain_function, lower_slice},
};

static void emit_slice(const struct work *work, const struct rows *rows) {
    const struct layer *layer = layer_of(work);
    emit_load_part(work, operand_of(work, 0), layer->begin, layer->steps, operand_of(work, 2),
                   &rows->out, &rows->stripe);
}

const struct layer_operations slice_operations = {.name = "slice",
                                                  .pattern_count = COUNT_OF(patterns),
                                                  .patterns = patterns,
                                                  .makes_on_chip = true,
                                                  .rows_read = same_rows,
                                                  .choose = choose_stripes,
                                                  .emit = emit_slice};
