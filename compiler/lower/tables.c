/* Bytes as they lie on the machine, and functions of one byte. */
#include "compiler/host/host.h"
#include "compiler/lower/lower.h"

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
