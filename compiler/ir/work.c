/* How much work an operator asks for, wherever it is carried out. */
#include "base/checked.h"
#include "base/integer.h"
#include "compiler/ir/ir.h"

/* Each of so many rows meets every element of the matrices. */
static int64_t products_of_rows(const struct weft_node *node, int64_t rows) {
    uint64_t elements = 0;
    for (uint32_t i = 1; i < node->input_count; i++) {
        const struct weft_type *type = &node->inputs[i]->type;
        elements += type->rank == 2 ? (uint64_t)weft_type_elements(type) : 0;
    }
    uint64_t products = weft_mul_saturated((uint64_t)rows, elements);
    return products > INT64_MAX ? INT64_MAX : (int64_t)products;
}

int64_t weft_node_macs(const struct weft_node *node) {
    if (node->input_count < 2 || node->result_count < 1) {
        return 0;
    }
    const struct weft_type *a = &node->inputs[0]->type;
    const struct weft_type *b = &node->inputs[1]->type;
    int64_t results = weft_type_elements(&node->results[0]->type);
    switch (node->op) {
    case WEFT_OP_QNN_CONV2D:
    case WEFT_OP_CONV2D:
    case WEFT_OP_HYBRID_CONV2D:
        return results * b->dim[1] * b->dim[2] * b->dim[3];
    case WEFT_OP_QNN_CONV2D_TRANSPOSE: /* every pixel of the operand meets every weight */
    case WEFT_OP_CONV2D_TRANSPOSE:
        return a->dim[0] * a->dim[1] * a->dim[2] * weft_type_elements(b);
    case WEFT_OP_QNN_DENSE:
    case WEFT_OP_DENSE:
    case WEFT_OP_HYBRID_DENSE:
        return results * b->dim[1];
    case WEFT_OP_QNN_BATCH_MATMUL:
    case WEFT_OP_BATCH_MATMUL: {
        bool transposed = weft_node_int(node, WEFT_ATTR_transpose_a) != 0;
        return results * a->dim[a->rank - (transposed ? 2 : 1)];
    }
    case WEFT_OP_QNN_LSTM:
    case WEFT_OP_LSTM:
    case WEFT_OP_HYBRID_LSTM:
        return products_of_rows(node, weft_type_elements(a) / a->dim[2]);
    case WEFT_OP_QNN_SVDF:
    case WEFT_OP_SVDF:
    case WEFT_OP_HYBRID_SVDF:
        return products_of_rows(node, a->dim[0]);
    default:
        return 0;
    }
}

int64_t weft_node_cut_macs(const struct weft_node *node) {
    const struct weft_attribute *cut = weft_node_attribute(node, WEFT_ATTR_cut_macs);
    int64_t most = INT64_MAX - weft_node_macs(node);
    return cut == NULL || cut->ints[0] < 0 ? 0 : cut->ints[0] < most ? cut->ints[0] : most;
}

int64_t weft_node_model_macs(const struct weft_node *node) {
    const struct weft_attribute *cut = weft_node_attribute(node, WEFT_ATTR_cut_macs);
    int64_t macs = weft_node_macs(node);
    bool has_more = cut != NULL && cut->ints[0] < 0; /* than the model's operator */
    return has_more ? weft_max(macs + cut->ints[0], 0) : macs + weft_node_cut_macs(node);
}

/* Elements of a tensor as loops over its axes count them: an empty axis costs no less than one of
 * an element. */
static uint64_t visits(const struct weft_type *type) {
    uint64_t count = 1;
    for (uint32_t i = 0; i < type->rank; i++) {
        count = weft_mul_saturated(count, type->dim[i] < 1 ? 1 : (uint64_t)type->dim[i]);
    }
    return count;
}

static bool is_empty(const struct weft_node *node) {
    bool empty = false;
    for (uint32_t i = 0; i < node->input_count; i++) {
        empty = empty || weft_type_elements(&node->inputs[i]->type) == 0;
    }
    return empty;
}

/* What sorting and comparing elements with each other costs, beyond looking at each once. */
static uint64_t comparisons(const struct weft_node *node) {
    static const uint64_t depth = 32; /* of a heap, at most */
    const struct weft_type *x = &node->inputs[0]->type;
    if (node->op == WEFT_OP_TOPK) {
        return weft_mul_saturated(visits(x), depth);
    }
    if (node->op != WEFT_OP_DETECTION_POSTPROCESS) {
        return 0;
    }
    bool regular = weft_node_int(node, WEFT_ATTR_regular) != 0;
    uint64_t boxes = (uint64_t)x->dim[1];
    uint64_t kept =
        (uint64_t)weft_node_int(node, regular ? WEFT_ATTR_per_class : WEFT_ATTR_detections);
    uint64_t rounds = regular ? (uint64_t)weft_node_int(node, WEFT_ATTR_classes) : 1;
    uint64_t pairs = weft_mul_saturated(boxes, (kept < boxes ? kept : boxes) + depth);
    uint64_t sorted = weft_mul_saturated(visits(&node->results[1]->type), depth);
    return weft_mul_saturated(rounds, weft_add_saturated(pairs, sorted));
}

uint64_t weft_node_steps(const struct weft_node *node) {
    uint64_t results = 0;
    uint64_t steps = (uint64_t)weft_node_macs(node);
    const struct weft_attribute *kernel = weft_node_attribute(node, WEFT_ATTR_kernel);
    for (uint32_t i = 0; i < node->result_count; i++) {
        results = weft_add_saturated(results, visits(&node->results[i]->type));
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        steps = weft_add_saturated(steps, visits(&node->inputs[i]->type));
    }
    /* Products of nothing still walk over the rest of their axes. */
    if (is_empty(node) && node->input_count > 1) {
        steps = weft_mul_saturated(visits(&node->inputs[0]->type), visits(&node->inputs[1]->type));
    }
    uint64_t taps = 1;
    for (uint32_t i = 0; kernel != NULL && i < kernel->count; i++) {
        taps = weft_mul_saturated(taps, (uint64_t)kernel->ints[i]);
    }
    if (node->input_count > 0) {
        steps = weft_add_saturated(steps, comparisons(node));
    }
    return weft_add_saturated(steps, weft_mul_saturated(results, taps));
}

int64_t weft_node_elements(const struct weft_node *node) {
    int64_t elements = 0;
    if (node->body != NULL) {
        return weft_graph_elements(node->body);
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        elements += weft_type_elements(&node->results[i]->type);
    }
    return elements;
}

/* Bodies are nested as deep as weft_graph_verify() allows. */
int64_t weft_graph_elements(const struct weft_graph *graph) {
    int64_t elements = 0;
    for (size_t i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i]->op != WEFT_OP_CONSTANT) {
            elements += weft_node_elements(graph->nodes[i]);
        }
    }
    return elements;
}
