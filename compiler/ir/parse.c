/* Reads the text form of a graph; print.c describes it. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "compiler/ir/ir.h"

enum {
    MAX_DEPTH = 3,
    MAX_LIST = 1 << 16
};

struct parser {
    struct weft_arena *arena;
    const char *at;
    const char *end;
    uint64_t line;
    const struct weft_blobs *blobs;
    struct weft_error *error;
};

/* Names of the values of one graph, in a hash table of the arena. */
struct scope {
    struct weft_value **slots;
    size_t count, capacity;
};

/* A constant's elements before its type is known. */
struct literal {
    bool is_blob;
    size_t blob;
    uint32_t count;
    int64_t *ints;
    double *numbers;
    bool whole; /* all numbers are integers of 64 bits */
};

/* ---- characters and words ---- */

static bool wrong(const struct parser *parser, const char *expected) {
    int length = (int)(parser->end - parser->at < 24 ? parser->end - parser->at : 24);
    const char *newline = memchr(parser->at, '\n', (size_t)length);
    length = newline == NULL ? length : (int)(newline - parser->at);
    return weft_fail(parser->error, WEFT_GRAPH, parser->line,
                     "line %" PRIu64 ": expected %s at '%.*s'", parser->line, expected, length,
                     parser->at);
}

static void skip_space(struct parser *parser) {
    while (parser->at < parser->end && isspace((unsigned char)*parser->at)) {
        parser->line += *parser->at == '\n';
        parser->at++;
    }
}

/* Takes `word` if it comes next. */
static bool take(struct parser *parser, const char *word) {
    skip_space(parser);
    size_t length = strlen(word);
    if ((size_t)(parser->end - parser->at) < length || memcmp(parser->at, word, length) != 0) {
        return false;
    }
    parser->at += length;
    return true;
}

static bool expect(struct parser *parser, const char *word) {
    return take(parser, word) || wrong(parser, word);
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static bool parse_word(struct parser *parser, const char **word) {
    skip_space(parser);
    const char *start = parser->at;
    while (parser->at < parser->end && is_word(*parser->at)) {
        parser->at++;
    }
    if (parser->at == start) {
        return wrong(parser, "a name");
    }
    *word = weft_arena_string(parser->arena, start, (size_t)(parser->at - start));
    return true;
}

/* The characters of a number, for strtoll and strtod, which need an end. */
static bool number_text(struct parser *parser, char text[64]) {
    skip_space(parser);
    size_t length = 0;
    while (
        parser->at + length < parser->end && length < 63 &&
        (is_word(parser->at[length]) || parser->at[length] == '-' || parser->at[length] == '+')) {
        text[length] = parser->at[length];
        length++;
    }
    text[length] = '\0';
    return length > 0;
}

static bool parse_int(struct parser *parser, int64_t *value) {
    char text[64];
    char *end = text;
    if (number_text(parser, text)) {
        errno = 0;
        *value = strtoll(text, &end, 10);
    }
    if (end == text || is_word(*end) || errno == ERANGE) {
        return wrong(parser, "an integer");
    }
    parser->at += end - text;
    return true;
}

static bool parse_float(struct parser *parser, double *value) {
    char text[64];
    char *end = text;
    if (number_text(parser, text)) {
        *value = strtod(text, &end);
    }
    if (end == text || !isfinite(*value)) {
        return wrong(parser, "a finite number");
    }
    parser->at += end - text;
    return true;
}

static bool parse_string(struct parser *parser, const char **string) {
    if (!expect(parser, "\"")) {
        return false;
    }
    const char *start = parser->at;
    while (parser->at < parser->end && *parser->at != '"' && *parser->at != '\n') {
        parser->at += *parser->at == '\\' && parser->end - parser->at > 1 ? 2 : 1;
    }
    if (parser->at >= parser->end || *parser->at != '"') {
        return wrong(parser, "a closing quote");
    }
    char *copy = weft_arena_string(parser->arena, start, (size_t)(parser->at - start));
    size_t length = 0;
    for (const char *c = start; c < parser->at; c++) {
        c += *c == '\\';
        copy[length++] = *c;
    }
    copy[length] = '\0';
    parser->at++;
    *string = copy;
    return true;
}

/* ---- values ---- */

static size_t hash(const char *name) {
    size_t value = 5381;
    for (; *name != '\0'; name++) {
        value = value * 33 + (unsigned char)*name;
    }
    return value;
}

static struct weft_value **slot_of(const struct scope *scope, const char *name) {
    size_t slot = hash(name) & (scope->capacity - 1);
    while (scope->slots[slot] != NULL && strcmp(scope->slots[slot]->name, name) != 0) {
        slot = (slot + 1) & (scope->capacity - 1);
    }
    return &scope->slots[slot];
}

static bool define(struct parser *parser, struct scope *scope, struct weft_value *value) {
    if (2 * (scope->count + 1) > scope->capacity) {
        struct scope larger = {.capacity = scope->capacity == 0 ? 64 : 2 * scope->capacity};
        larger.slots = WEFT_NEW_ARRAY(parser->arena, larger.capacity, struct weft_value *);
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
        return weft_fail(parser->error, WEFT_GRAPH, parser->line,
                         "line %" PRIu64 ": %%%.64s is made twice", parser->line, value->name);
    }
    *slot = value;
    scope->count++;
    return true;
}

static bool parse_value(struct parser *parser, const struct scope *scope,
                        struct weft_value **value) {
    const char *name = "";
    if (!expect(parser, "%") || !parse_word(parser, &name)) {
        return false;
    }
    *value = scope->capacity == 0 ? NULL : *slot_of(scope, name);
    if (*value == NULL) {
        return weft_fail(parser->error, WEFT_GRAPH, parser->line,
                         "line %" PRIu64 ": %%%.64s is used before it is made", parser->line, name);
    }
    return true;
}

/* ---- types ---- */

static bool parse_quantization(struct parser *parser, struct weft_quantization *q) {
    *q = (struct weft_quantization){0};
    if (!take(parser, "{")) {
        return true;
    }
    int64_t axis = 0;
    if (take(parser, "axis=") && (!parse_int(parser, &axis) || !expect(parser, ";"))) {
        return false;
    }
    if (axis < 0 || axis >= WEFT_MAX_RANK) {
        return wrong(parser, "an axis below 8 before");
    }
    double *scales = NULL;
    int32_t *zeros = NULL;
    size_t scale_capacity = 0;
    size_t zero_capacity = 0;
    do {
        double scale = 0;
        int64_t zero = 0;
        if (!parse_float(parser, &scale) || !expect(parser, ",") || !parse_int(parser, &zero)) {
            return false;
        }
        if (zero < INT32_MIN || zero > INT32_MAX || q->count == MAX_LIST) {
            return wrong(parser, "zero points of 32 bits, not too many, before");
        }
        scales = weft_arena_grow(parser->arena, scales, q->count, &scale_capacity, sizeof *scales);
        zeros = weft_arena_grow(parser->arena, zeros, q->count, &zero_capacity, sizeof *zeros);
        scales[q->count] = scale;
        zeros[q->count++] = (int32_t)zero;
    } while (take(parser, ";"));
    q->axis = (uint32_t)axis;
    q->scale = scales;
    q->zero = zeros;
    return expect(parser, "}");
}

static bool parse_dtype(struct parser *parser, enum weft_dtype *dtype) {
    for (int i = 0; i < WEFT_DTYPES; i++) {
        const char *name = weft_dtype_name((enum weft_dtype)i);
        size_t length = strlen(name);
        if ((size_t)(parser->end - parser->at) >= length && memcmp(parser->at, name, length) == 0 &&
            (parser->at + length == parser->end || !is_word(parser->at[length]))) {
            parser->at += length;
            *dtype = (enum weft_dtype)i;
            return true;
        }
    }
    return wrong(parser, "an element type");
}

/* A type and, after `#`, the index of the tensor in the model. */
static bool parse_type(struct parser *parser, struct weft_type *type, int32_t *tensor) {
    *type = (struct weft_type){0};
    *tensor = -1;
    skip_space(parser);
    while (parser->at < parser->end && isdigit((unsigned char)*parser->at)) {
        int64_t dim = 0;
        while (parser->at < parser->end && isdigit((unsigned char)*parser->at) &&
               dim <= WEFT_MAX_ELEMENTS) {
            dim = dim * 10 + (*parser->at++ - '0');
        }
        if (type->rank == WEFT_MAX_RANK || parser->at == parser->end || *parser->at != 'x') {
            return wrong(parser, "at most 8 dimensions, each followed by 'x',");
        }
        parser->at++;
        type->dim[type->rank++] = dim;
    }
    if (!parse_dtype(parser, &type->dtype) || !parse_quantization(parser, &type->quantization)) {
        return false;
    }
    int64_t index = -1;
    if (take(parser, "#") && !parse_int(parser, &index)) {
        return false;
    }
    if (index < -1 || index > INT32_MAX) {
        return wrong(parser, "a tensor index of 31 bits before");
    }
    *tensor = (int32_t)index;
    return true;
}

/* ---- attributes ---- */

/* A number of a list, which may be infinite or none, as a double and, because integers of 64 bits
 * do not pass through a double, as an integer; clears *whole when it is none. */
static bool parse_element(struct parser *parser, double *number, int64_t *integer, bool *whole) {
    char text[64];
    char *end = text;
    char *integer_end = text;
    if (number_text(parser, text)) {
        *number = strtod(text, &end);
        errno = 0;
        *integer = strtoll(text, &integer_end, 10);
    }
    if (end == text) {
        return wrong(parser, "a number");
    }
    *whole = *whole && integer_end == end && errno != ERANGE;
    parser->at += end - text;
    return true;
}

static bool parse_list(struct parser *parser, struct literal *literal) {
    size_t int_capacity = 0;
    size_t number_capacity = 0;
    if (!expect(parser, "[")) {
        return false;
    }
    literal->whole = true;
    while (!take(parser, "]")) {
        if (literal->count == MAX_LIST) {
            return wrong(parser, "a shorter list before");
        }
        double number = 0;
        int64_t integer = 0;
        if ((literal->count > 0 && !expect(parser, ",")) ||
            !parse_element(parser, &number, &integer, &literal->whole)) {
            return false;
        }
        literal->ints = weft_arena_grow(parser->arena, literal->ints, literal->count, &int_capacity,
                                        sizeof *literal->ints);
        literal->numbers = weft_arena_grow(parser->arena, literal->numbers, literal->count,
                                           &number_capacity, sizeof *literal->numbers);
        literal->ints[literal->count] = integer;
        literal->numbers[literal->count++] = number;
    }
    return true;
}

static bool parse_literal(struct parser *parser, struct literal *literal) {
    if (!take(parser, "blob ")) {
        return parse_list(parser, literal);
    }
    int64_t index = 0;
    if (!parse_int(parser, &index)) {
        return false;
    }
    if (parser->blobs == NULL || index < 0 || (uint64_t)index >= parser->blobs->count) {
        return wrong(parser, "the index of a blob that exists before");
    }
    literal->is_blob = true;
    literal->blob = (size_t)index;
    return true;
}

static void write_element(enum weft_dtype dtype, uint8_t *data, const struct literal *literal,
                          uint32_t i) {
    switch (weft_dtype_bytes(dtype)) {
    case 1:
        data[i] = (uint8_t)literal->ints[i];
        break;
    case 2:
        data[2 * (size_t)i] = (uint8_t)literal->ints[i];
        data[2 * (size_t)i + 1] = (uint8_t)((uint64_t)literal->ints[i] >> 8);
        break;
    case 4: {
        uint32_t bits = (uint32_t)literal->ints[i];
        float number = (float)literal->numbers[i];
        if (dtype == WEFT_F32) {
            memcpy(&bits, &number, sizeof bits);
        }
        weft_write_u32(data + 4 * (size_t)i, bits);
        break;
    }
    default:
        weft_write_u64(data + 8 * (size_t)i, (uint64_t)literal->ints[i]);
        break;
    }
}

/* Are all numbers of the list values of the type? */
static bool fits_type(const struct literal *literal, enum weft_dtype dtype) {
    for (uint32_t i = 0; i < literal->count; i++) {
        double number = literal->numbers[i];
        int64_t integer = literal->ints[i];
        bool fits = dtype == WEFT_F32 ? !isfinite(number) || isfinite((float)number)
                                      : literal->whole && (weft_dtype_bytes(dtype) == 8 ||
                                                           (integer >= weft_dtype_min(dtype) &&
                                                            integer <= weft_dtype_max(dtype)));
        if (!fits) {
            return false;
        }
    }
    return true;
}

/* Gives a constant its bytes, now that its type is known. */
static bool set_data(struct parser *parser, struct weft_node *node, const struct literal *literal) {
    const struct weft_type *type = &node->results[0]->type;
    int64_t elements = weft_type_elements(type);
    const uint8_t *data = NULL;
    if (literal->is_blob) {
        const struct weft_blob *blob = &parser->blobs->blob[literal->blob];
        if (elements >= 0 && blob->length == weft_type_bytes(type)) {
            data = blob->bytes;
        }
    } else if (!fits_type(literal, type->dtype)) {
        return wrong(parser, "a constant whose elements are values of its type before");
    } else if (elements == (int64_t)literal->count) {
        uint8_t *bytes = weft_arena_allocate(parser->arena, literal->count + 1, 8);
        for (uint32_t i = 0; i < literal->count; i++) {
            write_element(type->dtype, bytes, literal, i);
        }
        data = bytes;
    }
    if (data == NULL) {
        return wrong(parser, "a constant with as many elements as its type before");
    }
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        if (node->attributes[i].key == WEFT_ATTR_data) {
            node->attributes[i].data = data;
        }
    }
    return true;
}

static bool parse_attribute(struct parser *parser, struct weft_attribute *attribute,
                            struct literal *data) {
    struct literal list = {0};
    int64_t integer = 0;
    switch (weft_attribute_kind(attribute->key)) {
    case WEFT_ATTRIBUTE_INT:
        if (!parse_int(parser, &integer)) {
            return false;
        }
        *attribute = weft_attr_int(parser->arena, attribute->key, integer);
        return true;
    case WEFT_ATTRIBUTE_INTS:
        if (!parse_list(parser, &list)) {
            return false;
        }
        if (!list.whole) {
            return wrong(parser, "a list of integers before");
        }
        *attribute = weft_attr_ints(parser->arena, attribute->key, list.count, list.ints);
        return true;
    case WEFT_ATTRIBUTE_FLOAT:
        return parse_float(parser, &attribute->number);
    case WEFT_ATTRIBUTE_TEXT:
        return parse_string(parser, &attribute->text);
    case WEFT_ATTRIBUTE_DATA:
        return parse_literal(parser, data);
    }
    return false;
}

/* Attributes up to the body or the colon. */
static bool parse_attributes(struct parser *parser,
                             struct weft_attribute attributes[WEFT_ATTRIBUTES], uint32_t *count,
                             struct literal *data) {
    uint64_t seen = 0;
    *count = 0;
    skip_space(parser);
    while (parser->at < parser->end && *parser->at != ':') {
        const char *before = parser->at;
        const char *name = "";
        if (!parse_word(parser, &name)) {
            return false;
        }
        if (strcmp(name, "body") == 0) {
            parser->at = before;
            return true;
        }
        int key = 0;
        while (key < WEFT_ATTRIBUTES &&
               strcmp(name, weft_attribute_name((enum weft_attribute_key)key)) != 0) {
            key++;
        }
        if (key == WEFT_ATTRIBUTES || (seen >> key & 1) != 0) {
            parser->at = before;
            return wrong(parser, "an attribute, each once,");
        }
        seen |= UINT64_C(1) << key;
        struct weft_attribute *attribute = &attributes[(*count)++];
        *attribute = (struct weft_attribute){.key = (enum weft_attribute_key)key};
        if (!expect(parser, "=") || !parse_attribute(parser, attribute, data)) {
            return false;
        }
        skip_space(parser);
    }
    return true;
}

/* ---- graphs ---- */

static bool parse_body(struct parser *parser, struct weft_graph *graph, int depth);

static bool parse_operator(struct parser *parser, enum weft_operator *op) {
    const char *name = "";
    skip_space(parser);
    const char *before = parser->at;
    if (!parse_word(parser, &name)) {
        return false;
    }
    for (int i = 0; i < WEFT_OPERATORS; i++) {
        if (strcmp(name, weft_operator_name((enum weft_operator)i)) == 0) {
            *op = (enum weft_operator)i;
            return true;
        }
    }
    parser->at = before;
    return wrong(parser, "an operator");
}

/* A list of names or values: `%a, %b`. */
static bool parse_names(struct parser *parser, const char ***names, uint32_t *count) {
    size_t capacity = 0;
    *names = NULL;
    *count = 0;
    skip_space(parser);
    if (parser->at < parser->end && *parser->at == '=') {
        return true; /* a region whose results nobody uses */
    }
    do {
        const char *name = "";
        if (!expect(parser, "%") || !parse_word(parser, &name)) {
            return false;
        }
        *names = weft_arena_grow(parser->arena, (void *)*names, *count, &capacity, sizeof **names);
        (*names)[(*count)++] = name;
        if (*count == MAX_LIST) {
            return wrong(parser, "a shorter list before");
        }
    } while (take(parser, ","));
    return true;
}

static bool parse_inputs(struct parser *parser, const struct scope *scope,
                         struct weft_value ***inputs, uint32_t *count) {
    size_t capacity = 0;
    *inputs = NULL;
    *count = 0;
    if (!expect(parser, "(")) {
        return false;
    }
    while (!take(parser, ")")) {
        struct weft_value *value = NULL;
        if (*count == MAX_LIST || (*count > 0 && !expect(parser, ",")) ||
            !parse_value(parser, scope, &value)) {
            return *count == MAX_LIST ? wrong(parser, "fewer inputs before") : false;
        }
        *inputs = weft_arena_grow(parser->arena, *inputs, *count, &capacity, sizeof **inputs);
        (*inputs)[(*count)++] = value;
    }
    return true;
}

static bool parse_results(struct parser *parser, struct weft_graph *graph, struct scope *scope,
                          struct weft_node *node, const char **names, uint32_t count) {
    if (count > 0 && !expect(parser, ":")) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct weft_type type;
        int32_t tensor = -1;
        if ((i > 0 && !expect(parser, ",")) || !parse_type(parser, &type, &tensor)) {
            return false;
        }
        struct weft_value *value = weft_node_add_result(graph, node, &type, tensor);
        value->name = names[i];
        if (!define(parser, scope, value)) {
            return false;
        }
    }
    return true;
}

static bool parse_node(struct parser *parser, struct weft_graph *graph, struct scope *scope,
                       int depth) {
    const char **names = NULL;
    uint32_t name_count = 0;
    enum weft_operator op = WEFT_OPERATORS;
    struct weft_value **inputs = NULL;
    uint32_t input_count = 0;
    struct weft_attribute attributes[WEFT_ATTRIBUTES];
    uint32_t attribute_count = 0;
    struct literal data = {0};
    if (!parse_names(parser, &names, &name_count) || !expect(parser, "=") ||
        !parse_operator(parser, &op) || !parse_inputs(parser, scope, &inputs, &input_count) ||
        !parse_attributes(parser, attributes, &attribute_count, &data)) {
        return false;
    }
    struct weft_node *node =
        weft_graph_add_node(graph, op, input_count, inputs, attribute_count, attributes);
    if (take(parser, "body")) {
        if (op != WEFT_OP_COMPOSITE && op != WEFT_OP_REGION) {
            return wrong(parser, "no body for this operator before");
        }
        node->body = weft_graph_new(parser->arena, "body");
        if (!parse_body(parser, node->body, depth + 1)) {
            return false;
        }
    }
    return parse_results(parser, graph, scope, node, names, name_count) &&
           (op != WEFT_OP_CONSTANT || set_data(parser, node, &data));
}

static bool parse_graph_inputs(struct parser *parser, struct weft_graph *graph,
                               struct scope *scope) {
    if (!expect(parser, "(")) {
        return false;
    }
    while (!take(parser, ")")) {
        const char *name = "";
        struct weft_type type;
        int32_t tensor = -1;
        if ((graph->input_count > 0 && !expect(parser, ",")) || !expect(parser, "%") ||
            !parse_word(parser, &name) || !expect(parser, ":") ||
            !parse_type(parser, &type, &tensor) ||
            !define(parser, scope, weft_graph_add_input(graph, &type, name, tensor))) {
            return false;
        }
    }
    return true;
}

/* From the list of inputs to the closing brace. */
static bool parse_body(struct parser *parser, struct weft_graph *graph, int depth) {
    struct scope scope = {0};
    if (depth > MAX_DEPTH) {
        return wrong(parser, "bodies that are not nested so deep before");
    }
    if (!parse_graph_inputs(parser, graph, &scope) || !expect(parser, "{")) {
        return false;
    }
    while (!take(parser, "return")) {
        if (!parse_node(parser, graph, &scope, depth)) {
            return false;
        }
    }
    skip_space(parser);
    while (parser->at < parser->end && *parser->at == '%') {
        struct weft_value *value = NULL;
        if (!parse_value(parser, &scope, &value)) {
            return false;
        }
        weft_graph_add_output(graph, value);
        if (!take(parser, ",")) {
            break;
        }
        skip_space(parser);
        if (parser->at == parser->end || *parser->at != '%') {
            return wrong(parser, "an output");
        }
    }
    return expect(parser, "}");
}

bool weft_graph_parse(struct weft_arena *arena, const char *text, size_t length,
                      const struct weft_blobs *blobs, struct weft_graph **graph,
                      struct weft_error *error) {
    struct parser parser = {arena, text, text + length, 1, blobs, error};
    const char *name = "";
    if (!expect(&parser, "graph") || !parse_word(&parser, &name)) {
        return false;
    }
    struct weft_graph *parsed = weft_graph_new(arena, name);
    if (!parse_body(&parser, parsed, 1)) {
        return false;
    }
    skip_space(&parser);
    if (parser.at != parser.end) {
        return wrong(&parser, "nothing after the graph");
    }
    if (!weft_graph_verify(parsed, error)) {
        return false;
    }
    *graph = parsed;
    return true;
}
