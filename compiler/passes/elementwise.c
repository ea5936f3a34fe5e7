/* What follows, element by element, from one 8-bit tensor: computed for all values of a byte. */
#include "compiler/passes/elementwise.h"

#include "compiler/host/host.h"
#include "compiler/passes/passes.h"

bool elementwise_is(const struct weft_node *node) {
    switch (node->op) {
#define WEFT_UNARY_FUNCTION(OPERATOR, name, kernel)            case WEFT_OP_##OPERATOR:
#define WEFT_BINARY_FUNCTION(OPERATOR, name, kernel, FUNCTION) case WEFT_OP_##OPERATOR:
#include "compiler/ir/functions.def"
    case WEFT_OP_QNN_QUANTIZE:
    case WEFT_OP_QNN_DEQUANTIZE:
    case WEFT_OP_CAST:
    case WEFT_OP_ADD:
    case WEFT_OP_SUBTRACT:
    case WEFT_OP_MUL:
    case WEFT_OP_QNN_DIVIDE:
    case WEFT_OP_QNN_PRELU:
    case WEFT_OP_DIVIDE:
    case WEFT_OP_SQUARED_DIFFERENCE:
    case WEFT_OP_PRELU:
    case WEFT_OP_POWER:
    case WEFT_OP_FLOOR_DIVIDE:
    case WEFT_OP_FLOOR_MODULO:
    case WEFT_OP_QNN_COMPARE:
    case WEFT_OP_COMPARE:
    case WEFT_OP_SELECT:
    case WEFT_OP_RELU:
    case WEFT_OP_RELU6:
    case WEFT_OP_RELU_N1_TO_1:
    case WEFT_OP_FLOAT_CLIP:
    case WEFT_OP_LEAKY_RELU:
    case WEFT_OP_HARD_SWISH:
    case WEFT_OP_LOGISTIC:
    case WEFT_OP_TANH:
    case WEFT_OP_ABS:
    case WEFT_OP_NEGATE:
    case WEFT_OP_SIGN:
    case WEFT_OP_EXP:
    case WEFT_OP_LOG:
    case WEFT_OP_SQRT:
    case WEFT_OP_RSQRT:
    case WEFT_OP_SQUARE:
    case WEFT_OP_SIN:
    case WEFT_OP_COS:
    case WEFT_OP_CEIL:
    case WEFT_OP_FLOOR:
    case WEFT_OP_ROUND:
    case WEFT_OP_ELU:
    case WEFT_OP_GELU:
    case WEFT_OP_ERF:
    case WEFT_OP_SOFTPLUS:
        return true;
    default:
        return false;
    }
}

/* The group on a matrix in the place of the root, of a row for each value of a byte and a column
 * for each channel; operands are those of its graph already, or are made on the way down. */
struct matrix {
    struct weft_graph *graph;
    struct elementwise_channels channels;
    struct weft_map *values;
};

static struct weft_type with_shape(const struct weft_type *type, int64_t rows, int64_t columns) {
    struct weft_type made = *type;
    made.rank = 2;
    made.dim[0] = rows;
    made.dim[1] = columns;
    made.quantization.axis = 0;
    return made;
}

static struct weft_value *operand_on_matrix(const struct matrix *matrix,
                                            const struct weft_value *value) {
    struct weft_value *made = weft_map_get(matrix->values, value);
    const uint8_t *data = weft_value_data(value);
    if (made == NULL && data != NULL) {
        const struct elementwise_channels *channels = &matrix->channels;
        bool is_of_channels = weft_type_elements(&value->type) == channels->all;
        struct weft_type type = with_shape(&value->type, 1, is_of_channels ? channels->count : 1);
        if (is_of_channels) {
            data += (size_t)channels->first * weft_dtype_bytes(type.dtype);
        }
        made = weft_graph_add_constant(matrix->graph, &type, data, "c", -1);
        weft_map_set(matrix->values, value, made);
    }
    return made;
}

/* Adds the nodes of the group up to that of the value. */
static void add_nodes(const struct matrix *matrix, const struct elementwise_group *group,
                      const struct weft_value *last) {
    bool found = false;
    for (size_t i = 0; !found && i < group->count; i++) {
        const struct weft_node *node = group->nodes[i];
        struct weft_value **inputs =
            WEFT_NEW_ARRAY(matrix->graph->arena, node->input_count, struct weft_value *);
        for (uint32_t k = 0; k < node->input_count; k++) {
            inputs[k] = operand_on_matrix(matrix, node->inputs[k]);
        }
        struct weft_node *made =
            weft_graph_add_node(matrix->graph, node->op, node->input_count, inputs,
                                node->attribute_count, node->attributes);
        struct weft_type type =
            with_shape(&node->results[0]->type, ELEMENTWISE_VALUES, matrix->channels.count);
        weft_map_set(matrix->values, node->results[0],
                     weft_node_add_result(matrix->graph, made, &type, -1));
        found = node->results[0] == last;
    }
}

bool elementwise_run(struct weft_arena *arena, const struct elementwise_group *group,
                     struct elementwise_channels channels, size_t value_count,
                     const struct weft_value *const *values, void *const *results) {
    const struct weft_value *root = group->root;
    struct weft_error error;
    const struct matrix matrix = {weft_graph_new(arena, "matrix"), channels, weft_map_new(arena)};
    const int64_t elements = ELEMENTWISE_VALUES * channels.count;
    struct weft_type type = with_shape(&root->type, ELEMENTWISE_VALUES, channels.count);
    uint8_t *bytes = weft_arena_allocate(arena, (size_t)elements, 1);
    weft_map_set(matrix.values, root, weft_graph_add_input(matrix.graph, &type, "x", -1));
    add_nodes(&matrix, group, values[value_count - 1]);
    for (size_t i = 0; i < value_count; i++) {
        weft_graph_add_output(matrix.graph, weft_map_get(matrix.values, values[i]));
    }
    for (int64_t i = 0; i < elements; i++) {
        bytes[i] = (uint8_t)(weft_dtype_min(root->type.dtype) + i / channels.count);
    }
    if (!weft_host_run_graph(weft_pass_remove_unused(matrix.graph), (const void *[]){bytes},
                             results, &error)) {
        if (error.code == WEFT_OUT_OF_MEMORY) {
            longjmp(arena->on_failure, 1); /* another program would come out */
        }
        return false;
    }
    return true;
}
