/* Reads the text form of a graph: docs/ir.md. Words are in scan.c, types and attributes in
 * parse_value.c, what follows the graph in parse_tail.c. */
#include <inttypes.h>
#include <string.h>

#include "compiler/ir/scan.h"
#include "compiler/ir/scope.h"

enum {
    MAX_DEPTH = 3
};

/* What is being read: a graph, or a body in it. */
struct place {
    struct scanner *scanner;
    struct tail *tail;
    struct weft_graph *graph;
    struct scope scope;
    int depth;
};

/* ---- values ---- */

/* `%name`, or `%"any name"`. */
static bool parse_name(struct scanner *scanner, const char **name) {
    if (!scan_expect(scanner, "%")) {
        return false;
    }
    if (!scan_sees(scanner, '"')) {
        return scan_word(scanner, name);
    }
    if (!scan_string(scanner, name)) {
        return false;
    }
    for (const char *c = *name; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ') {
            return scan_wrong(scanner, "a name without control characters before");
        }
    }
    return true;
}

/* A new value has its name and its type. */
static bool define(struct place *place, struct weft_value *value, const char *name,
                   const struct type_literal *type) {
    struct scanner *scanner = place->scanner;
    value->name = name;
    if (type->table != NULL) {
        tail_use_table(scanner, place->tail, value, type);
    }
    return scope_add(scanner->arena, &place->scope, name, value) ||
           weft_fail(scanner->error, WEFT_GRAPH, scanner->line,
                     "line %" PRIu64 ": %%%.64s is made twice", scanner->line, name);
}

static bool parse_value(const struct place *place, struct weft_value **value) {
    struct scanner *scanner = place->scanner;
    const char *name = "";
    if (!parse_name(scanner, &name)) {
        return false;
    }
    *value = scope_get(&place->scope, name);
    return *value != NULL ||
           weft_fail(scanner->error, WEFT_GRAPH, scanner->line,
                     "line %" PRIu64 ": %%%.64s is used before it is made", scanner->line, name);
}

/* ---- attributes ---- */

/* The key of that name, or WEFT_ATTRIBUTES. */
static int find_attribute(const char *name) {
    int key = 0;
    while (key < WEFT_ATTRIBUTES &&
           strcmp(name, weft_attribute_name((enum weft_attribute_key)key)) != 0) {
        key++;
    }
    return key;
}

/* Attributes up to the body or the colon. */
static bool parse_attributes(struct scanner *scanner,
                             struct weft_attribute attributes[WEFT_ATTRIBUTES], uint32_t *count,
                             struct literal *data) {
    bool seen[WEFT_ATTRIBUTES] = {false};
    *count = 0;
    while (!scan_sees(scanner, ':') && scanner->at < scanner->end) {
        const char *before = scanner->at;
        const char *name = "";
        if (!scan_word(scanner, &name)) {
            return false;
        }
        if (strcmp(name, "body") == 0) {
            scanner->at = before;
            return true;
        }
        int key = find_attribute(name);
        if (key == WEFT_ATTRIBUTES || seen[key]) {
            scanner->at = before;
            return scan_wrong(scanner, "an attribute, each once,");
        }
        seen[key] = true;
        struct weft_attribute *attribute = &attributes[(*count)++];
        *attribute = (struct weft_attribute){.key = (enum weft_attribute_key)key};
        if (!scan_expect(scanner, "=") || !parse_attribute(scanner, attribute, data)) {
            return false;
        }
    }
    return true;
}

/* Gives a constant its bytes, or leaves that to the end of the text. */
static bool set_data(struct place *place, struct weft_node *node, const struct literal *literal) {
    const uint8_t *data = NULL;
    if (literal->is_blob) {
        tail_use_blob(place->scanner, place->tail, node, literal->blob);
        return true;
    }
    if (!parse_data(place->scanner, &node->results[0]->type, literal, &data)) {
        return false;
    }
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        if (node->attributes[i].key == WEFT_ATTR_data) {
            node->attributes[i].data = data;
        }
    }
    return true;
}

/* ---- graphs ---- */

static bool parse_body(struct place *place);

static bool parse_operator(struct scanner *scanner, enum weft_operator *op) {
    const char *name = "";
    scan_space(scanner);
    const char *before = scanner->at;
    if (!scan_word(scanner, &name)) {
        return false;
    }
    for (int i = 0; i < WEFT_OPERATORS; i++) {
        if (strcmp(name, weft_operator_name((enum weft_operator)i)) == 0) {
            *op = (enum weft_operator)i;
            return true;
        }
    }
    scanner->at = before;
    return scan_wrong(scanner, "an operator");
}

/* Names of results: `%a, %b`; none for a region whose results nobody uses. */
static bool parse_names(struct scanner *scanner, const char ***names, uint32_t *count) {
    size_t capacity = 0;
    *names = NULL;
    *count = 0;
    if (scan_sees(scanner, '=')) {
        return true;
    }
    do {
        const char *name = "";
        if (!scan_more(scanner, *count, "names") || !parse_name(scanner, &name)) {
            return false;
        }
        *names = weft_arena_grow(scanner->arena, (void *)*names, *count, &capacity, sizeof **names);
        (*names)[(*count)++] = name;
    } while (scan_take(scanner, ","));
    return true;
}

static bool parse_inputs(const struct place *place, struct weft_value ***inputs, uint32_t *count) {
    struct scanner *scanner = place->scanner;
    size_t capacity = 0;
    *inputs = NULL;
    *count = 0;
    if (!scan_expect(scanner, "(")) {
        return false;
    }
    while (!scan_take(scanner, ")")) {
        struct weft_value *value = NULL;
        if (!scan_more(scanner, *count, "inputs") || (*count > 0 && !scan_expect(scanner, ",")) ||
            !parse_value(place, &value)) {
            return false;
        }
        *inputs = weft_arena_grow(scanner->arena, *inputs, *count, &capacity, sizeof **inputs);
        (*inputs)[(*count)++] = value;
    }
    return true;
}

/* Types of results and, after `@`, the operator of the model. */
static bool parse_results(struct place *place, struct weft_node *node, const char **names,
                          uint32_t count) {
    struct scanner *scanner = place->scanner;
    if (count > 0 && !scan_expect(scanner, ":")) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct type_literal type;
        if ((i > 0 && !scan_expect(scanner, ",")) || !parse_type(scanner, &type)) {
            return false;
        }
        struct weft_value *value =
            weft_node_add_result(place->graph, node, &type.type, type.tensor);
        if (!define(place, value, names[i], &type)) {
            return false;
        }
    }
    const struct scanner behind = *scanner;
    if (scan_take(scanner, "@")) {
        return parse_index(scanner, &node->source);
    }
    *scanner = behind; /* messages name this line */
    return true;
}

static bool parse_node_body(struct place *place, struct weft_node *node) {
    if (!scan_take(place->scanner, "body")) {
        return true;
    }
    if (node->op != WEFT_OP_COMPOSITE && node->op != WEFT_OP_REGION) {
        return scan_wrong(place->scanner, "no body for this operator before");
    }
    node->body = weft_graph_new(place->scanner->arena, "body");
    struct place inside = {.scanner = place->scanner,
                           .tail = place->tail,
                           .graph = node->body,
                           .depth = place->depth + 1};
    return parse_body(&inside);
}

static bool parse_node(struct place *place) {
    struct scanner *scanner = place->scanner;
    const char **names = NULL;
    uint32_t name_count = 0;
    enum weft_operator op = WEFT_OPERATORS;
    struct weft_value **inputs = NULL;
    uint32_t input_count = 0;
    struct weft_attribute attributes[WEFT_ATTRIBUTES];
    uint32_t attribute_count = 0;
    struct literal data = {0};
    uint64_t line = scanner->line;
    if (!parse_names(scanner, &names, &name_count) || !scan_expect(scanner, "=") ||
        !parse_operator(scanner, &op) || !parse_inputs(place, &inputs, &input_count) ||
        !parse_attributes(scanner, attributes, &attribute_count, &data)) {
        return false;
    }
    if (name_count == 0 && op != WEFT_OP_REGION) {
        return scan_wrong(scanner, "a result of the node before");
    }
    struct weft_node *node =
        weft_graph_add_node(place->graph, op, input_count, inputs, attribute_count, attributes);
    node->line = line;
    return parse_node_body(place, node) && parse_results(place, node, names, name_count) &&
           (op != WEFT_OP_CONSTANT || set_data(place, node, &data));
}

static bool parse_graph_inputs(struct place *place) {
    struct scanner *scanner = place->scanner;
    if (!scan_expect(scanner, "(")) {
        return false;
    }
    while (!scan_take(scanner, ")")) {
        const char *name = "";
        struct type_literal type;
        if ((place->graph->input_count > 0 && !scan_expect(scanner, ",")) ||
            !parse_name(scanner, &name) || !scan_expect(scanner, ":") ||
            !parse_type(scanner, &type) ||
            !define(place, weft_graph_add_input(place->graph, &type.type, name, type.tensor), name,
                    &type)) {
            return false;
        }
    }
    return true;
}

/* From the list of inputs to the closing brace. */
static bool parse_body(struct place *place) {
    struct scanner *scanner = place->scanner;
    if (place->depth > MAX_DEPTH) {
        return scan_wrong(scanner, "bodies that are not nested so deep before");
    }
    if (!parse_graph_inputs(place) || !scan_expect(scanner, "{")) {
        return false;
    }
    while (!scan_take(scanner, "return")) {
        if (!parse_node(place)) {
            return false;
        }
    }
    if (scan_sees(scanner, '%')) {
        do {
            struct weft_value *value = NULL;
            if (!parse_value(place, &value)) {
                return false;
            }
            weft_graph_add_output(place->graph, value);
        } while (scan_take(scanner, ","));
    }
    return scan_expect(scanner, "}");
}

static bool parse(struct scanner *scanner, const struct weft_blobs *blobs,
                  struct weft_graph **graph) {
    const char *name = "";
    struct tail tail = {0};
    if (!scan_expect(scanner, "graph") || !scan_word(scanner, &name)) {
        return false;
    }
    struct place place = {.scanner = scanner,
                          .tail = &tail,
                          .graph = weft_graph_new(scanner->arena, name),
                          .depth = 1};
    if (!parse_body(&place) || !parse_tail(scanner, &tail, blobs) ||
        !weft_graph_verify(place.graph, scanner->error)) {
        return false;
    }
    *graph = place.graph;
    return true;
}

bool weft_graph_parse(struct weft_arena *arena, const char *text, size_t length,
                      const struct weft_blobs *blobs, struct weft_graph **graph,
                      struct weft_error *error) {
    struct scanner scanner = {arena, text, text + length, 1, NULL, error};
    return parse(&scanner, blobs, graph);
}

bool weft_graph_read(struct weft_arena *arena, const char *text, size_t length,
                     const struct weft_constant_reader *reader, struct weft_graph **graph,
                     struct weft_error *error) {
    struct scanner scanner = {arena, text, text + length, 1, reader, error};
    return parse(&scanner, NULL, graph);
}

bool weft_is_graph_text(const uint8_t *bytes, size_t length) {
    const char *text = (const char *)bytes;
    struct scanner scanner = {.at = text, .end = text + length};
    return scan_take(&scanner, "graph") && scanner.at < scanner.end && !scan_is_word(*scanner.at);
}
