/* Reads the text form of a graph; print.c describes it. Words are in scan.c, types and attributes
 * in parse_value.c. */
#include <inttypes.h>
#include <string.h>

#include "compiler/ir/scan.h"

enum {
    MAX_DEPTH = 3
};

/* Names of the values of one graph, in a hash table of the arena. */
struct scope {
    struct weft_value **slots;
    size_t count, capacity;
};

/* ---- values ---- */

/* Begins with the address of the table, so that nobody can choose names that collide. */
static size_t hash(const struct scope *scope, const char *name) {
    uint64_t value = (uintptr_t)scope->slots * UINT64_C(0x9e3779b97f4a7c15);
    for (; *name != '\0'; name++) {
        value = (value ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
        value ^= value >> 32;
    }
    return (size_t)value;
}

static struct weft_value **slot_of(const struct scope *scope, const char *name) {
    size_t slot = hash(scope, name) & (scope->capacity - 1);
    while (scope->slots[slot] != NULL && strcmp(scope->slots[slot]->name, name) != 0) {
        slot = (slot + 1) & (scope->capacity - 1);
    }
    return &scope->slots[slot];
}

static bool define(struct scanner *scanner, struct scope *scope, struct weft_value *value) {
    if (2 * (scope->count + 1) > scope->capacity) {
        struct scope larger = {.capacity = scope->capacity == 0 ? 64 : 2 * scope->capacity};
        larger.slots = WEFT_NEW_ARRAY(scanner->arena, larger.capacity, struct weft_value *);
        for (size_t i = 0; i < scope->capacity; i++) {
            if (scope->slots[i] != NULL) {
                *slot_of(&larger, scope->slots[i]->name) = scope->slots[i];
            }
        }
        larger.count = scope->count;
        *scope = larger;
    }
    struct weft_value **slot = slot_of(scope, value->name);
    if (*slot != NULL) {
        return weft_fail(scanner->error, WEFT_GRAPH, scanner->line,
                         "line %" PRIu64 ": %%%.64s is made twice", scanner->line, value->name);
    }
    *slot = value;
    scope->count++;
    return true;
}

static bool parse_value(struct scanner *scanner, const struct scope *scope,
                        struct weft_value **value) {
    const char *name = "";
    if (!scan_expect(scanner, "%") || !scan_word(scanner, &name)) {
        return false;
    }
    *value = scope->capacity == 0 ? NULL : *slot_of(scope, name);
    if (*value == NULL) {
        return weft_fail(scanner->error, WEFT_GRAPH, scanner->line,
                         "line %" PRIu64 ": %%%.64s is used before it is made", scanner->line,
                         name);
    }
    return true;
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
    uint64_t seen = 0;
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
        if (key == WEFT_ATTRIBUTES || (seen >> key & 1) != 0) {
            scanner->at = before;
            return scan_wrong(scanner, "an attribute, each once,");
        }
        seen |= UINT64_C(1) << key;
        struct weft_attribute *attribute = &attributes[(*count)++];
        *attribute = (struct weft_attribute){.key = (enum weft_attribute_key)key};
        if (!scan_expect(scanner, "=") || !parse_attribute(scanner, attribute, data)) {
            return false;
        }
    }
    return true;
}

/* Gives a constant its bytes. */
static bool set_data(struct scanner *scanner, struct weft_node *node,
                     const struct literal *literal) {
    const uint8_t *data = NULL;
    if (!parse_data(scanner, &node->results[0]->type, literal, &data)) {
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

static bool parse_body(struct scanner *scanner, struct weft_graph *graph, int depth);

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
        if (!scan_expect(scanner, "%") || !scan_word(scanner, &name)) {
            return false;
        }
        *names = weft_arena_grow(scanner->arena, (void *)*names, *count, &capacity, sizeof **names);
        (*names)[(*count)++] = name;
        if (*count == SCAN_LIST) {
            return scan_wrong(scanner, "a shorter list before");
        }
    } while (scan_take(scanner, ","));
    return true;
}

static bool parse_inputs(struct scanner *scanner, const struct scope *scope,
                         struct weft_value ***inputs, uint32_t *count) {
    size_t capacity = 0;
    *inputs = NULL;
    *count = 0;
    if (!scan_expect(scanner, "(")) {
        return false;
    }
    while (!scan_take(scanner, ")")) {
        struct weft_value *value = NULL;
        if ((*count > 0 && !scan_expect(scanner, ",")) || !parse_value(scanner, scope, &value)) {
            return false;
        }
        *inputs = weft_arena_grow(scanner->arena, *inputs, *count, &capacity, sizeof **inputs);
        (*inputs)[(*count)++] = value;
        if (*count == SCAN_LIST) {
            return scan_wrong(scanner, "fewer inputs before");
        }
    }
    return true;
}

static bool parse_results(struct scanner *scanner, struct weft_graph *graph, struct scope *scope,
                          struct weft_node *node, const char **names, uint32_t count) {
    if (count > 0 && !scan_expect(scanner, ":")) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct weft_type type;
        int32_t tensor = -1;
        if ((i > 0 && !scan_expect(scanner, ",")) || !parse_type(scanner, &type, &tensor)) {
            return false;
        }
        struct weft_value *value = weft_node_add_result(graph, node, &type, tensor);
        value->name = names[i];
        if (!define(scanner, scope, value)) {
            return false;
        }
    }
    return true;
}

static bool parse_node(struct scanner *scanner, struct weft_graph *graph, struct scope *scope,
                       int depth) {
    const char **names = NULL;
    uint32_t name_count = 0;
    enum weft_operator op = WEFT_OPERATORS;
    struct weft_value **inputs = NULL;
    uint32_t input_count = 0;
    struct weft_attribute attributes[WEFT_ATTRIBUTES];
    uint32_t attribute_count = 0;
    struct literal data = {0};
    if (!parse_names(scanner, &names, &name_count) || !scan_expect(scanner, "=") ||
        !parse_operator(scanner, &op) || !parse_inputs(scanner, scope, &inputs, &input_count) ||
        !parse_attributes(scanner, attributes, &attribute_count, &data)) {
        return false;
    }
    if (name_count == 0 && op != WEFT_OP_REGION) {
        return scan_wrong(scanner, "a result of the node before");
    }
    struct weft_node *node =
        weft_graph_add_node(graph, op, input_count, inputs, attribute_count, attributes);
    if (scan_take(scanner, "body")) {
        if (op != WEFT_OP_COMPOSITE && op != WEFT_OP_REGION) {
            return scan_wrong(scanner, "no body for this operator before");
        }
        node->body = weft_graph_new(scanner->arena, "body");
        if (!parse_body(scanner, node->body, depth + 1)) {
            return false;
        }
    }
    return parse_results(scanner, graph, scope, node, names, name_count) &&
           (op != WEFT_OP_CONSTANT || set_data(scanner, node, &data));
}

static bool parse_graph_inputs(struct scanner *scanner, struct weft_graph *graph,
                               struct scope *scope) {
    if (!scan_expect(scanner, "(")) {
        return false;
    }
    while (!scan_take(scanner, ")")) {
        const char *name = "";
        struct weft_type type;
        int32_t tensor = -1;
        if ((graph->input_count > 0 && !scan_expect(scanner, ",")) || !scan_expect(scanner, "%") ||
            !scan_word(scanner, &name) || !scan_expect(scanner, ":") ||
            !parse_type(scanner, &type, &tensor) ||
            !define(scanner, scope, weft_graph_add_input(graph, &type, name, tensor))) {
            return false;
        }
    }
    return true;
}

/* From the list of inputs to the closing brace. */
static bool parse_body(struct scanner *scanner, struct weft_graph *graph, int depth) {
    struct scope scope = {0};
    if (depth > MAX_DEPTH) {
        return scan_wrong(scanner, "bodies that are not nested so deep before");
    }
    if (!parse_graph_inputs(scanner, graph, &scope) || !scan_expect(scanner, "{")) {
        return false;
    }
    while (!scan_take(scanner, "return")) {
        if (!parse_node(scanner, graph, &scope, depth)) {
            return false;
        }
    }
    if (scan_sees(scanner, '%')) {
        do {
            struct weft_value *value = NULL;
            if (!parse_value(scanner, &scope, &value)) {
                return false;
            }
            weft_graph_add_output(graph, value);
        } while (scan_take(scanner, ","));
    }
    return scan_expect(scanner, "}");
}

bool weft_graph_parse(struct weft_arena *arena, const char *text, size_t length,
                      const struct weft_blobs *blobs, struct weft_graph **graph,
                      struct weft_error *error) {
    struct scanner scanner = {arena, text, text + length, 1, blobs, error};
    const char *name = "";
    if (!scan_expect(&scanner, "graph") || !scan_word(&scanner, &name)) {
        return false;
    }
    struct weft_graph *parsed = weft_graph_new(arena, name);
    if (!parse_body(&scanner, parsed, 1)) {
        return false;
    }
    scan_space(&scanner);
    if (scanner.at != scanner.end) {
        return scan_wrong(&scanner, "nothing after the graph");
    }
    if (!weft_graph_verify(parsed, error)) {
        return false;
    }
    *graph = parsed;
    return true;
}
