/* The text form of a graph.
 *
 *     graph main(%0: 1x4x4x3xi8{0.5, -128} #0) {
 *       %w = constant() data=blob 0 : 8x3x3x3xi8{axis=0; 0.1, 0; ...}
 *       %1 = qnn.conv2d(%0, %w) strides=[1, 1] ... : 1x4x4x8xi32{...}
 *       %2 = composite(%1) name="weft.relu" body(%x: ...) { ... return %y } : 1x4x4x8xi8{...} #22
 *       return %2
 *     }
 *
 * A type is its shape, element type and, where quantised, scale and zero point. `#22` is the index
 * of the tensor in the model file.
 */
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "compiler/ir/ir.h"

enum {
    INLINE_ELEMENTS = 16
};

/* ---- names ---- */

static void name_value(struct weft_graph *graph, struct weft_value *value, size_t *next,
                       struct weft_map *taken, int32_t tensor) {
    bool fresh = tensor >= 0 && weft_map_get(taken, (const void *)((uintptr_t)tensor + 1)) == NULL;
    if (fresh) {
        weft_map_set(taken, (const void *)((uintptr_t)tensor + 1), value);
        value->name = weft_arena_print(graph->arena, "%" PRId32, tensor);
    } else {
        value->name = weft_arena_print(graph->arena, "v%zu", (*next)++);
    }
}

void weft_graph_name(struct weft_graph *graph) {
    size_t next = 0;
    struct weft_map *taken = weft_map_new(graph->arena);
    for (size_t i = 0; i < graph->input_count; i++) {
        name_value(graph, graph->inputs[i], &next, taken, graph->inputs[i]->tensor);
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        struct weft_node *node = graph->nodes[i];
        for (uint32_t j = 0; j < node->result_count; j++) {
            name_value(graph, node->results[j], &next, taken, node->results[j]->tensor);
        }
        if (node->body != NULL) {
            weft_graph_name(node->body);
        }
    }
}

/* ---- types and values ---- */

static void print_quantization(struct weft_text *text, const struct weft_quantization *q) {
    if (q->count == 0) {
        return;
    }
    weft_text_add(text, "{");
    if (q->count > 1) {
        weft_text_add(text, "axis=%" PRIu32 "; ", q->axis);
    }
    for (uint32_t i = 0; i < q->count; i++) {
        weft_text_add(text, "%s%.17g, %" PRId32, i == 0 ? "" : "; ", q->scale[i], q->zero[i]);
    }
    weft_text_add(text, "}");
}

static void print_type(struct weft_text *text, const struct weft_value *value) {
    for (uint32_t i = 0; i < value->type.rank; i++) {
        weft_text_add(text, "%" PRId64 "x", value->type.dim[i]);
    }
    weft_text_add(text, "%s", weft_dtype_name(value->type.dtype));
    print_quantization(text, &value->type.quantization);
    if (value->tensor >= 0) {
        weft_text_add(text, " #%" PRId32, value->tensor);
    }
}

static void print_element(struct weft_text *text, enum weft_dtype dtype, const uint8_t *data,
                          int64_t index) {
    if (dtype != WEFT_F32) {
        weft_text_add(text, "%" PRId64, weft_element(dtype, data, index));
        return;
    }
    float number;
    uint32_t bits = weft_read_u32(data + 4 * index);
    memcpy(&number, &bits, sizeof number);
    weft_text_add(text, "%.9g", (double)number);
}

static void print_data(struct weft_arena *arena, struct weft_text *text,
                       const struct weft_type *type, const uint8_t *data,
                       struct weft_blobs *blobs) {
    int64_t elements = weft_type_elements(type);
    if (elements > INLINE_ELEMENTS) {
        weft_text_add(text, "blob %zu", blobs->count);
        blobs->blob = weft_arena_grow(arena, blobs->blob, blobs->count, &blobs->capacity,
                                      sizeof *blobs->blob);
        blobs->blob[blobs->count++] = (struct weft_blob){data, weft_type_bytes(type)};
        return;
    }
    weft_text_add(text, "[");
    for (int64_t i = 0; i < elements; i++) {
        weft_text_add(text, "%s", i == 0 ? "" : ", ");
        print_element(text, type->dtype, data, i);
    }
    weft_text_add(text, "]");
}

static void print_string(struct weft_text *text, const char *string) {
    weft_text_add(text, "\"");
    for (; *string != '\0'; string++) {
        if (*string == '"' || *string == '\\') {
            weft_text_add(text, "\\");
        }
        /* Control characters would break lines; they carry nothing. */
        weft_text_add(text, "%c", (unsigned char)*string < ' ' ? ' ' : *string);
    }
    weft_text_add(text, "\"");
}

static void print_attribute(struct weft_arena *arena, struct weft_text *text,
                            const struct weft_node *node, const struct weft_attribute *attribute,
                            struct weft_blobs *blobs) {
    weft_text_add(text, " %s=", weft_attribute_name(attribute->key));
    switch (weft_attribute_kind(attribute->key)) {
    case WEFT_ATTRIBUTE_INT:
        weft_text_add(text, "%" PRId64, attribute->ints[0]);
        break;
    case WEFT_ATTRIBUTE_INTS:
        weft_text_add(text, "[");
        for (uint32_t i = 0; i < attribute->count; i++) {
            weft_text_add(text, "%s%" PRId64, i == 0 ? "" : ", ", attribute->ints[i]);
        }
        weft_text_add(text, "]");
        break;
    case WEFT_ATTRIBUTE_FLOAT:
        weft_text_add(text, "%.17g", attribute->number);
        break;
    case WEFT_ATTRIBUTE_TEXT:
        print_string(text, attribute->text);
        break;
    case WEFT_ATTRIBUTE_DATA:
        print_data(arena, text, &node->results[0]->type, attribute->data, blobs);
        break;
    }
}

/* ---- graphs ---- */

static void print_graph(const struct weft_graph *graph, unsigned indent, struct weft_text *text,
                        struct weft_blobs *blobs);

static void print_node(const struct weft_graph *graph, const struct weft_node *node,
                       unsigned indent, struct weft_text *text, struct weft_blobs *blobs) {
    weft_text_add(text, "%*s", (int)indent, "");
    for (uint32_t i = 0; i < node->result_count; i++) {
        weft_text_add(text, "%s%%%s", i == 0 ? "" : ", ", node->results[i]->name);
    }
    weft_text_add(text, " = %s(", weft_operator_name(node->op));
    for (uint32_t i = 0; i < node->input_count; i++) {
        weft_text_add(text, "%s%%%s", i == 0 ? "" : ", ", node->inputs[i]->name);
    }
    weft_text_add(text, ")");
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        print_attribute(graph->arena, text, node, &node->attributes[i], blobs);
    }
    if (node->body != NULL) {
        weft_text_add(text, " body");
        print_graph(node->body, indent, text, blobs);
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        weft_text_add(text, i == 0 ? " : " : ", ");
        print_type(text, node->results[i]);
    }
    weft_text_add(text, "\n");
}

/* From the list of inputs to the closing brace. */
static void print_graph(const struct weft_graph *graph, unsigned indent, struct weft_text *text,
                        struct weft_blobs *blobs) {
    weft_text_add(text, "(");
    for (size_t i = 0; i < graph->input_count; i++) {
        weft_text_add(text, "%s%%%s: ", i == 0 ? "" : ", ", graph->inputs[i]->name);
        print_type(text, graph->inputs[i]);
    }
    weft_text_add(text, ") {\n");
    for (size_t i = 0; i < graph->node_count; i++) {
        print_node(graph, graph->nodes[i], indent + 2, text, blobs);
    }
    weft_text_add(text, "%*sreturn", (int)indent + 2, "");
    for (size_t i = 0; i < graph->output_count; i++) {
        weft_text_add(text, "%s%%%s", i == 0 ? " " : ", ", graph->outputs[i]->name);
    }
    weft_text_add(text, "\n%*s}", (int)indent, "");
}

void weft_graph_print(const struct weft_graph *graph, struct weft_text *text,
                      struct weft_blobs *blobs) {
    weft_text_add(text, "graph %s", graph->name);
    print_graph(graph, 0, text, blobs);
    weft_text_add(text, "\n");
}
