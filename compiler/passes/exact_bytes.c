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

/* What a function of one byte, or an operator that only moves bytes, makes of those of its operand;
 * false: the node is none. */
static bool follow(const struct weft_node *node, struct byte_set *bytes) {
    const int64_t least = weft_dtype_min(node->results[0]->type.dtype);
    const struct byte_set of = *bytes;
    switch (node->op) {
    case WEFT_OP_RESHAPE:
    case WEFT_OP_TRANSPOSE:
        return true;
    case WEFT_OP_QNN_TABLE: {
        const int64_t *table = weft_node_ints(node, WEFT_ATTR_table);
        memset(bytes->has, false, BYTE_VALUES);
        for (int i = 0; i < BYTE_VALUES; i++) {
            bytes->has[table[i] - least] |= of.has[i];
        }
        return true;
    }
    case WEFT_OP_CLIP: {
        int64_t min = weft_node_int(node, WEFT_ATTR_min) - least;
        int64_t max = weft_node_int(node, WEFT_ATTR_max) - least;
        memset(bytes->has, false, BYTE_VALUES);
        for (int i = 0; i < BYTE_VALUES; i++) {
            bytes->has[weft_clamp(i, min, max)] |= of.has[i];
        }
        return true;
    }
    default:
        return false;
    }
}

struct byte_set exact_bytes_of(const struct weft_value *value) {
    const struct weft_node *way[MOST_STEPS];
    struct byte_set bytes = exact_all_bytes();
    size_t steps = 0;
    while (steps < MOST_STEPS && value->producer != NULL &&
           value->producer->op != WEFT_OP_CONSTANT && follow(value->producer, &bytes)) {
        way[steps++] = value->producer;
        value = value->producer->inputs[0];
    }
    bytes = weft_value_data(value) != NULL ? bytes_of_constant(value) : exact_all_bytes();
    while (steps > 0) {
        (void)follow(way[--steps], &bytes);
    }
    return bytes;
}
