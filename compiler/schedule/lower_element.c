/* Arithmetic by element: functions of one byte, and of two. */
#include <string.h>

#include "base/fixed_point.h"
#include "compiler/host/host.h"
#include "compiler/schedule/lower.h"
#include "isa/isa.h"

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

uint8_t *function_table(const struct lowering *lowering, const struct weft_node *node,
                        uint32_t input) {
    struct weft_error error;
    int8_t results[256];
    int input_flip = uint8_offset(&node->inputs[input]->type);
    int result_flip = uint8_offset(&node->results[0]->type);
    if (!weft_host_table(node, input, results, &error)) {
        return NULL;
    }
    uint8_t *table = WEFT_NEW_ARRAY(lowering->arena, 256, uint8_t);
    for (int i = 0; i < 256; i++) {
        table[i] = (uint8_t)((uint8_t)results[i ^ input_flip] ^ result_flip);
    }
    return table;
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

/* ---- two operands ---- */

static const struct {
    const char *name;
    enum weft_operator op;
    enum weft_function function;
} binary[] = {
    {"add", WEFT_OP_QNN_ADD, WEFT_FUNCTION_ADD},
    {"subtract", WEFT_OP_QNN_SUBTRACT, WEFT_FUNCTION_SUB},
    {"mul", WEFT_OP_QNN_MUL, WEFT_FUNCTION_MUL},
    {"maximum", WEFT_OP_MAXIMUM, WEFT_FUNCTION_MAX},
    {"minimum", WEFT_OP_MINIMUM, WEFT_FUNCTION_MIN},
};

/* The scalings of sums and products. Shifts to the left are those that the reference does not
 * define, or checks for. */
static const char *set_scaling(struct layer *layer, const struct weft_node *node,
                               const struct weft_value *output) {
    double a = weft_type_scale(&node->inputs[0]->type, 0);
    double b = weft_type_scale(&node->inputs[1]->type, 0);
    double out = weft_type_scale(&output->type, 0);
    int most = 0;
    if (node->op == WEFT_OP_QNN_MUL) {
        weft_product_multiplier(a, b, out, &layer->multiplier[0], &layer->shift[0]);
        most = 31;
    } else if (node->op != WEFT_OP_MAXIMUM && node->op != WEFT_OP_MINIMUM) {
        weft_sum_multipliers(a, b, out, layer->multiplier, layer->shift);
    }
    for (int i = 0; i < 3; i++) {
        if (layer->shift[i] > most) {
            return "the result's scale is too small for the reference's arithmetic";
        }
    }
    return NULL;
}

const char *lower_binary(const struct lowering *lowering, const struct weft_node *node,
                         const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    const char *reason = set_shapes(lowering, node->inputs[0], output);
    struct shape shape[2] = {layer->in};
    reason =
        reason == NULL ? set_tensor(lowering, node->inputs[1], &shape[1], &layer->zero[1]) : reason;
    for (int k = 0; k < 2 && reason == NULL; k++) {
        /* Rows, columns and images are repeated by strides of 0, lanes are not; those of a constant
         * are repeated in memory. */
        if (shape[k].c != layer->out.c && weft_value_data(node->inputs[k]) == NULL) {
            reason = "a tensor of one channel is not repeated over channels on the machine unless "
                     "it is constant";
        }
    }
    if (reason != NULL) {
        return reason;
    }
    layer->kind = LAYER_BINARY;
    for (size_t i = 0; i < sizeof binary / sizeof binary[0]; i++) {
        if (binary[i].op == node->op) {
            layer->name = binary[i].name;
            layer->function = binary[i].function;
        }
    }
    layer->input[1] = node->inputs[1];
    layer->input_count = 2;
    return set_scaling(layer, node, output);
}
