/* Checks that a graph is well formed: what every pass may rely on. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compiler/ir/ir.h"

enum {
    MAX_NESTING = 3
}; /* graph, region, composite */

static const struct {
    uint32_t least, most, results;
    const char *attributes;
} operators[WEFT_OPERATORS] = {
#define WEFT_OP(name, text, least, most, results, attributes, infer, doc)                          \
    {least, most, results, attributes},
#include "compiler/ir/operators.def"
#undef WEFT_OP
};

/* How many numbers a list attribute holds; 0: any. */
static uint32_t list_length(enum weft_attribute_key key) {
    switch (key) {
    case WEFT_ATTR_strides:
    case WEFT_ATTR_dilation:
    case WEFT_ATTR_kernel:
    case WEFT_ATTR_output_padding:
    case WEFT_ATTR_size:
        return 2;
    case WEFT_ATTR_padding:
        return 4;
    case WEFT_ATTR_table:
        return 256;
    default:
        return 0;
    }
}

struct check {
    const struct weft_graph *graph;
    size_t index; /* of the node */
    struct weft_error *error;
};

/* "line 7: ", when the node was read from text. */
static const char *place_of(const struct check *check, char text[32]) {
    const struct weft_graph *graph = check->graph;
    uint64_t line = check->index < graph->node_count ? graph->nodes[check->index]->line : 0;
    text[0] = '\0';
    if (line > 0) {
        (void)snprintf(text, 32, "line %" PRIu64 ": ", line);
    }
    return text;
}

static bool wrong(const struct check *check, const char *what) {
    char place[32];
    const char *op = check->index < check->graph->node_count
                         ? weft_operator_name(check->graph->nodes[check->index]->op)
                         : "outputs";
    return weft_fail(check->error, WEFT_GRAPH, check->index, "%sgraph %s, node %zu (%s): %s",
                     place_of(check, place), check->graph->name, check->index, op, what);
}

static bool check_quantization(const struct check *check, const struct weft_type *type) {
    const struct weft_quantization *q = &type->quantization;
    if (q->count > 1 && (q->axis >= type->rank || type->dim[q->axis] != q->count)) {
        return wrong(check, "as many scales are needed as the quantised axis has elements");
    }
    if (q->count > 0 && (type->dtype == WEFT_F32 || type->dtype == WEFT_BOOL ||
                         weft_dtype_is_storage(type->dtype))) {
        return wrong(check, "only integers can be quantised");
    }
    int64_t least = weft_dtype_min(type->dtype);
    int64_t most = weft_dtype_max(type->dtype);
    for (uint32_t i = 0; i < q->count; i++) {
        if (!isfinite(q->scale[i]) || q->scale[i] <= 0.0) {
            return wrong(check, "a scale is not a positive number");
        }
        if (q->zero[i] < least || q->zero[i] > most) {
            return wrong(check, "a zero point is outside its type");
        }
    }
    return true;
}

static bool check_type(const struct check *check, const struct weft_type *type) {
    if (type->rank > WEFT_MAX_RANK || type->dtype >= WEFT_DTYPES || weft_type_elements(type) < 0) {
        return wrong(check, "a shape has a negative dimension or too many elements");
    }
    return check_quantization(check, type);
}

static bool has_attribute(const struct weft_node *node, const char *name, size_t length) {
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        const char *found = weft_attribute_name(node->attributes[i].key);
        if (strncmp(found, name, length) == 0 && found[length] == '\0') {
            return true;
        }
    }
    return false;
}

/* What an attribute says, apart from what its operator makes of it. */
static bool check_attribute(const struct check *check, const struct weft_attribute *attribute) {
    enum weft_attribute_kind kind = weft_attribute_kind(attribute->key);
    uint32_t length = list_length(attribute->key);
    if ((kind == WEFT_ATTRIBUTE_INT && attribute->count != 1) ||
        (kind == WEFT_ATTRIBUTE_INTS && length != 0 && attribute->count != length)) {
        return wrong(check, "an attribute has the wrong number of elements");
    }
    if ((kind == WEFT_ATTRIBUTE_TEXT && attribute->text == NULL) ||
        (kind == WEFT_ATTRIBUTE_FLOAT && !isfinite(attribute->number)) ||
        (kind == WEFT_ATTRIBUTE_DATA && attribute->data == NULL)) {
        return wrong(check, "an attribute has no value");
    }
    return true;
}

static bool check_attributes(const struct check *check, const struct weft_node *node) {
    bool seen[WEFT_ATTRIBUTES] = {false};
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        enum weft_attribute_key key = node->attributes[i].key;
        if (key >= WEFT_ATTRIBUTES || seen[key]) {
            return wrong(check, "an attribute is there twice, or is none");
        }
        seen[key] = true;
        if (!check_attribute(check, &node->attributes[i])) {
            return false;
        }
    }
    for (const char *word = operators[node->op].attributes; *word != '\0';) {
        size_t length = strcspn(word, " ");
        if (length > 0 && !has_attribute(node, word, length)) {
            char text[64];
            (void)snprintf(text, sizeof text, "attribute %.*s is missing", (int)length, word);
            return wrong(check, text);
        }
        word += length + strspn(word + length, " ");
    }
    return true;
}

static bool check_inputs(const struct check *check, const struct weft_node *node,
                         const struct weft_map *made) {
    if (node->input_count < operators[node->op].least ||
        node->input_count > operators[node->op].most) {
        return wrong(check, "wrong number of inputs");
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (weft_map_get(made, node->inputs[i]) == NULL) {
            return wrong(check, "an input is used before it is made");
        }
    }
    return true;
}

/* How many results there are, and that they say who made them. */
static bool check_result_list(const struct check *check, const struct weft_node *node,
                              const struct weft_map *made) {
    uint32_t expected = weft_node_expected_results(node);
    if (node->body != NULL && node->result_count != expected) {
        return wrong(check, "the body must have the inputs and results of the node");
    }
    if (node->result_count == 0 || node->result_count != expected ||
        node->result_count > operators[node->op].results) {
        return wrong(check, "wrong number of results");
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        const struct weft_value *value = node->results[i];
        if (value->producer != node || value->index != i || weft_map_get(made, value) != NULL) {
            return wrong(check, "a result belongs to another node or is made twice");
        }
        if (!check_type(check, &value->type)) {
            return false;
        }
    }
    return true;
}

/* A declared type must be the one that follows from the inputs. */
static bool check_result_type(const struct check *check, uint32_t index,
                              const struct weft_type *expected, const struct weft_type *found) {
    struct weft_arena *arena = check->graph->arena;
    /* `found` was checked. */
    return weft_type_equal(expected, found) ||
           wrong(check,
                 weft_arena_print(arena,
                                  "the type of result %" PRIu32
                                  " is not what follows from the inputs: expected %s, found %s",
                                  index, weft_type_text(arena, expected, found),
                                  weft_type_text(arena, found, expected)));
}

static bool check_results(const struct check *check, const struct weft_node *node,
                          struct weft_map *made) {
    if (!check_result_list(check, node, made)) {
        return false;
    }
    struct weft_type *types =
        WEFT_NEW_ARRAY(check->graph->arena, node->result_count, struct weft_type);
    if (!weft_node_infer(check->graph->arena, node, types, check->error)) {
        check->error->position = check->index;
        char place[32];
        return weft_fail_context(check->error, "%sgraph %s, node %zu", place_of(check, place),
                                 check->graph->name, check->index);
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        if (!check_result_type(check, i, &types[i], &node->results[i]->type)) {
            return false;
        }
        weft_map_set(made, node->results[i], node->results[i]);
    }
    return true;
}

static bool check_body(const struct check *check, const struct weft_node *node, int nesting);

static bool check_node(const struct check *check, const struct weft_node *node, int nesting,
                       struct weft_map *made) {
    return check_body(check, node, nesting) && check_inputs(check, node, made) &&
           check_attributes(check, node) && check_results(check, node, made);
}

static bool verify(const struct weft_graph *graph, int nesting, struct weft_error *error) {
    struct check check = {graph, 0, error};
    struct weft_map *made = weft_map_new_for(graph->arena, graph->node_count + graph->input_count);
    for (size_t i = 0; i < graph->input_count; i++) {
        const struct weft_value *input = graph->inputs[i];
        if (input->producer != NULL || weft_map_get(made, input) != NULL) {
            return wrong(&check, "an input is made by a node or is an input twice");
        }
        if (!check_type(&check, &input->type)) {
            return false;
        }
        weft_map_set(made, input, graph->inputs[i]);
    }
    for (check.index = 0; check.index < graph->node_count; check.index++) {
        if (!check_node(&check, graph->nodes[check.index], nesting, made)) {
            return false;
        }
    }
    for (size_t i = 0; i < graph->output_count; i++) {
        if (weft_map_get(made, graph->outputs[i]) == NULL) {
            return wrong(&check, "an output is not made in the graph");
        }
    }
    return true;
}

/* Bodies are nested at most MAX_NESTING deep, so the recursion ends. */
static bool check_body(const struct check *check, const struct weft_node *node, int nesting) {
    if (node->op >= WEFT_OPERATORS) {
        return weft_fail(check->error, WEFT_GRAPH, check->index,
                         "graph %s, node %zu: there is no such operator", check->graph->name,
                         check->index);
    }
    if (node->body == NULL) {
        return true;
    }
    if (nesting == MAX_NESTING) {
        return wrong(check, "bodies are nested too deep");
    }
    if (node->op != WEFT_OP_COMPOSITE && node->op != WEFT_OP_REGION) {
        return wrong(check, "this operator has no body");
    }
    return verify(node->body, nesting + 1, check->error);
}

bool weft_graph_verify(const struct weft_graph *graph, struct weft_error *error) {
    return verify(graph, 1, error);
}
