/* Arithmetic by element: functions of one byte, and of two. */
#include <string.h>

#include "base/fixed_point.h"
#include "compiler/host/host.h"
#include "compiler/schedule/lower.h"

/* ---- one operand ---- */

const uint8_t *flip_table(struct weft_arena *arena) {
    uint8_t *table = WEFT_NEW_ARRAY(arena, 256, uint8_t);
    for (int i = 0; i < 256; i++) {
        table[i] = (uint8_t)(i ^ 0x80);
    }
    return table;
}

const uint8_t *machine_bytes(struct weft_arena *arena, const struct weft_value *value) {
    const uint8_t *bytes = weft_value_data(value);
    if (bytes == NULL || value->type.dtype != WEFT_U8) {
        return bytes;
    }
    size_t length = weft_type_bytes(&value->type);
    uint8_t *flipped = WEFT_NEW_ARRAY(arena, length, uint8_t);
    for (size_t i = 0; i < length; i++) {
        flipped[i] = bytes[i] ^ 0x80;
    }
    return flipped;
}

/* Puts what the host's kernel makes of every byte after what the table makes. */
static bool append_function(const struct weft_node *node, uint8_t table[256]) {
    struct weft_error error;
    int8_t next[256];
    if (!weft_host_table(node, 0, next, &error)) {
        return false;
    }
    for (int i = 0; i < 256; i++) {
        table[i] = (uint8_t)next[table[i]];
    }
    return true;
}

const char *lower_table(const struct lowering *lowering, const struct weft_node *node,
                        const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    const struct weft_value *input = node->inputs[0];
    if (node->op == WEFT_OP_QNN_REQUANTIZE && input->type.dtype == WEFT_I32) {
        return "the machine requantises sums only as a part of a product with constant weights";
    }
    const char *reason = set_shapes(lowering, input, output);
    if (reason != NULL) {
        return reason;
    }
    int input_flip = uint8_offset(&input->type);
    int output_flip = uint8_offset(&output->type);
    uint8_t *table = WEFT_NEW_ARRAY(lowering->arena, 256, uint8_t);
    for (int i = 0; i < 256; i++) {
        table[i] = (uint8_t)(i ^ input_flip);
    }
    if (!append_function(node, table) ||
        (node != output->producer && !append_function(output->producer, table))) {
        return "the host's kernel does not cover this either";
    }
    for (int i = 0; i < 256; i++) {
        table[i] = (uint8_t)(table[i] ^ output_flip);
    }
    const char *name = weft_operator_name(node->op);
    layer->kind = LAYER_TABLE;
    layer->name = strncmp(name, "qnn.", 4) == 0 ? name + 4 : name;
    layer->table = table;
    return NULL;
}

/* ---- two operands ---- */

/* TFLite's ADD for int8: both operands scaled by half their ratio to the larger scale, with 20 more
 * bits. */
const char *lower_add(const struct lowering *lowering, const struct weft_node *node,
                      const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    const char *reason = set_shapes(lowering, node->inputs[0], output);
    if (reason != NULL) {
        return reason;
    }
    layer->kind = LAYER_ADD;
    layer->name = "add";
    layer->input[1] = node->inputs[1];
    layer->input_count = 2;
    layer->zero[1] = machine_zero(&node->inputs[1]->type);
    double a = weft_type_scale(&node->inputs[0]->type, 0);
    double b = weft_type_scale(&node->inputs[1]->type, 0);
    double out = weft_type_scale(&output->type, 0);
    double twice_max = 2.0 * (a > b ? a : b);
    const double scales[3] = {a / twice_max, b / twice_max, twice_max / ((1 << 20) * out)};
    for (int i = 0; i < 3; i++) {
        weft_quantize_multiplier(scales[i], &layer->sum_multiplier[i], &layer->sum_shift[i]);
        if (layer->sum_shift[i] > 0) {
            return "the result's scale is too small for the reference's arithmetic";
        }
    }
    return NULL;
}
