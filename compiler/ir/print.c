/* The text form of a graph: docs/ir.md. Constants that are too long go to blobs; scales of an axis
 * that are too many for a line go to tables behind the graph. */
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "compiler/ir/scan.h"

enum {
    INLINE_ELEMENTS = 16, /* of a constant */
    INLINE_SCALES = 16,
};

struct printer {
    struct weft_arena *arena;
    struct weft_text *text;
    struct weft_blobs *blobs;
    struct weft_map *tables; /* scales of a table -> its struct weft_quantization */
    size_t table_count, table_capacity;
    const struct weft_quantization **table;
};

/* ---- types and values ---- */

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

static void print_value(struct weft_text *text, const struct weft_value *value) {
    const char *end = value->name;
    while (scan_is_word(*end)) {
        end++;
    }
    weft_text_add(text, "%%");
    if (*end == '\0' && end != value->name) {
        weft_text_add(text, "%s", value->name);
    } else {
        print_string(text, value->name);
    }
}

static void print_scales(struct weft_text *text, const struct weft_quantization *q,
                         const char *between) {
    for (uint32_t i = 0; i < q->count; i++) {
        weft_text_add(text, "%s%.17g, %" PRId32, i == 0 ? "" : between, q->scale[i], q->zero[i]);
    }
}

/* The number of the table that has these scales and zero points. Types that were copied from each
 * other point to the same ones. */
static size_t table_of(struct printer *printer, const struct weft_quantization *q) {
    uintptr_t number = (uintptr_t)weft_map_get(printer->tables, q->scale);
    if (number > 0 && printer->table[number - 1]->zero == q->zero &&
        printer->table[number - 1]->count == q->count) {
        return number - 1;
    }
    printer->table = weft_arena_grow(printer->arena, (void *)printer->table, printer->table_count,
                                     &printer->table_capacity, sizeof(*printer->table));
    printer->table[printer->table_count++] = q;
    weft_map_set(printer->tables, q->scale, (void *)(uintptr_t)printer->table_count);
    return printer->table_count - 1;
}

static void print_quantization(struct printer *printer, const struct weft_quantization *q) {
    struct weft_text *text = printer->text;
    if (q->count == 0) {
        return;
    }
    weft_text_add(text, "{");
    if (q->count > 1) {
        weft_text_add(text, "axis=%" PRIu32 "; ", q->axis);
    }
    if (q->count > INLINE_SCALES) {
        weft_text_add(text, "scales %zu", table_of(printer, q));
    } else {
        print_scales(text, q, "; ");
    }
    weft_text_add(text, "}");
}

static void print_type(struct printer *printer, const struct weft_value *value) {
    struct weft_text *text = printer->text;
    for (uint32_t i = 0; i < value->type.rank; i++) {
        weft_text_add(text, "%" PRId64 "x", value->type.dim[i]);
    }
    weft_text_add(text, "%s", weft_dtype_name(value->type.dtype));
    print_quantization(printer, &value->type.quantization);
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

static void print_data(struct printer *printer, const struct weft_type *type, const uint8_t *data) {
    struct weft_text *text = printer->text;
    struct weft_blobs *blobs = printer->blobs;
    int64_t elements = weft_type_elements(type);
    if (elements > INLINE_ELEMENTS) {
        weft_text_add(text, "blob %zu", blobs->count);
        blobs->blob = weft_arena_grow(printer->arena, blobs->blob, blobs->count, &blobs->capacity,
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

static void print_attribute(struct printer *printer, const struct weft_node *node,
                            const struct weft_attribute *attribute) {
    struct weft_text *text = printer->text;
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
        print_data(printer, &node->results[0]->type, attribute->data);
        break;
    }
}

/* ---- graphs ---- */

static void print_graph(struct printer *printer, const struct weft_graph *graph, unsigned indent);

static void print_node(struct printer *printer, const struct weft_node *node, unsigned indent) {
    struct weft_text *text = printer->text;
    weft_text_add(text, "%*s", (int)indent, "");
    for (uint32_t i = 0; i < node->result_count; i++) {
        weft_text_add(text, "%s", i == 0 ? "" : ", ");
        print_value(text, node->results[i]);
    }
    weft_text_add(text, " = %s(", weft_operator_name(node->op));
    for (uint32_t i = 0; i < node->input_count; i++) {
        weft_text_add(text, "%s", i == 0 ? "" : ", ");
        print_value(text, node->inputs[i]);
    }
    weft_text_add(text, ")");
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        print_attribute(printer, node, &node->attributes[i]);
    }
    if (node->body != NULL) {
        weft_text_add(text, " body");
        print_graph(printer, node->body, indent);
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        weft_text_add(text, i == 0 ? " : " : ", ");
        print_type(printer, node->results[i]);
    }
    if (node->source >= 0) {
        weft_text_add(text, " @%" PRId32, node->source);
    }
    weft_text_add(text, "\n");
}

/* From the list of inputs to the closing brace. */
static void print_graph(struct printer *printer, const struct weft_graph *graph, unsigned indent) {
    struct weft_text *text = printer->text;
    weft_text_add(text, "(");
    for (size_t i = 0; i < graph->input_count; i++) {
        weft_text_add(text, "%s", i == 0 ? "" : ", ");
        print_value(text, graph->inputs[i]);
        weft_text_add(text, ": ");
        print_type(printer, graph->inputs[i]);
    }
    weft_text_add(text, ") {\n");
    for (size_t i = 0; i < graph->node_count; i++) {
        print_node(printer, graph->nodes[i], indent + 2);
    }
    weft_text_add(text, "%*sreturn", (int)indent + 2, "");
    for (size_t i = 0; i < graph->output_count; i++) {
        weft_text_add(text, "%s", i == 0 ? " " : ", ");
        print_value(text, graph->outputs[i]);
    }
    weft_text_add(text, "\n%*s}", (int)indent, "");
}

void weft_graph_print(const struct weft_graph *graph, struct weft_text *text,
                      struct weft_blobs *blobs) {
    struct printer printer = {graph->arena, text, blobs, weft_map_new(graph->arena), 0, 0, NULL};
    weft_text_add(text, "graph %s", graph->name);
    print_graph(&printer, graph, 0);
    weft_text_add(text, "\n");
    for (size_t i = 0; i < printer.table_count; i++) {
        weft_text_add(text, "scales %zu = {", i);
        print_scales(text, printer.table[i], ";\n  ");
        weft_text_add(text, "}\n");
    }
}

/* ---- with all constants ---- */

/* Three bytes as four characters, the last ones filled up with `=`. */
static void encode(const uint8_t *bytes, size_t length, char *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3, out += 4) {
        size_t left = length - i;
        uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        out[0] = digits[group >> 18];
        out[1] = digits[group >> 12 & 63];
        out[2] = left > 1 ? digits[group >> 6 & 63] : '=';
        out[3] = left > 2 ? digits[group & 63] : '=';
    }
}

static void print_blob(struct weft_text *text, size_t index, const struct weft_blob *blob) {
    enum {
        LINE = 72, /* bytes */
    };
    char line[LINE / 3 * 4];
    weft_text_add(text, "blob %zu =", index);
    for (size_t at = 0; at < blob->length; at += LINE) {
        size_t length = blob->length - at < LINE ? blob->length - at : LINE;
        encode(blob->bytes + at, length, line);
        weft_text_add(text, "\n  \"");
        weft_text_add_bytes(text, line, (length + 2) / 3 * 4);
        weft_text_add(text, "\"");
    }
    weft_text_add(text, "\n");
}

void weft_graph_write(const struct weft_graph *graph, struct weft_text *text) {
    struct weft_blobs blobs = {0};
    weft_graph_print(graph, text, &blobs);
    for (size_t i = 0; i < blobs.count; i++) {
        print_blob(text, i, &blobs.blob[i]);
    }
}
