/* Which bytes a tensor can have. */
#include <string.h>

#include "base/integer.h"
#include "compiler/passes/exact.h"

enum {
    MOST_STEPS = 64, /* from a value to what tells which bytes it has */
};

struct byte_set exact_all_bytes(void) {
    struct byte_set bytes;
    memset(bytes.has, true, BYTE_VALUES);
    return bytes;
}

static struct byte_set bytes_of_constant(const struct weft_value *value) {
    const enum weft_dtype dtype = value->type.dtype;
    const void *data = weft_value_data(value);
    struct byte_set bytes = {{false}};
    for (int64_t i = 0; i < weft_type_elements(&value->type); i++) {
        bytes.has[weft_element(dtype, data, i) - weft_dtype_min(dtype)] = true;
    }
    return bytes;
}

/* A function of one byte, or an operator that only moves bytes. */
static bool is_followed(const struct weft_node *node) {
    return node->op == WEFT_OP_RESHAPE || node->op == WEFT_OP_TRANSPOSE ||
           node->op == WEFT_OP_QNN_TABLE || node->op == WEFT_OP_CLIP;
}

/* What it makes of a byte, counted from the smallest. */
static int64_t follow(const struct weft_node *node, int byte) {
    const int64_t least = weft_dtype_min(node->results[0]->type.dtype);
    switch (node->op) {
    case WEFT_OP_QNN_TABLE:
        return weft_node_ints(node, WEFT_ATTR_table)[byte] - least;
    case WEFT_OP_CLIP:
        return weft_clamp(byte, weft_node_int(node, WEFT_ATTR_min) - least,
                          weft_node_int(node, WEFT_ATTR_max) - least);
    default:
        return byte;
    }
}

struct byte_set exact_bytes_of(const struct weft_value *value) {
    const struct weft_node *way[MOST_STEPS];
    size_t steps = 0;
    while (steps < MOST_STEPS && value->producer != NULL && is_followed(value->producer)) {
        way[steps++] = value->producer;
        value = value->producer->inputs[0];
    }
    struct byte_set bytes =
        weft_value_data(value) != NULL ? bytes_of_constant(value) : exact_all_bytes();
    while (steps > 0) {
        const struct byte_set of = bytes;
        const struct weft_node *node = way[--steps];
        memset(bytes.has, false, BYTE_VALUES);
        for (int i = 0; i < BYTE_VALUES; i++) {
            bytes.has[follow(node, i)] |= of.has[i];
        }
    }
    return bytes;
}
