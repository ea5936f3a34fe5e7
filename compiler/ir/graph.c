/* Building and reading graphs. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "compiler/ir/ir.h"

static const struct {
    const char *name;
    enum weft_attribute_kind kind;
} attributes[WEFT_ATTRIBUTES] = {
#define WEFT_ATTRIBUTE(name, kind, doc) {#name, WEFT_ATTRIBUTE_##kind},
#include "compiler/ir/attributes.def"
#undef WEFT_ATTRIBUTE
};

static const char *const operators[WEFT_OPERATORS] = {
#define WEFT_OP(name, text, least, most, results, attributes, infer, doc) text,
#include "compiler/ir/operators.def"
#undef WEFT_OP
};

const char *weft_operator_name(enum weft_operator op) {
    return operators[op];
}

enum weft_fusion weft_operator_fusion(enum weft_operator op) {
    static const enum weft_fusion fusions[WEFT_OPERATORS] = {
#define WEFT_OP(name, text, least, most, results, attributes, infer, doc)
#define WEFT_OP_FUSES(name, kind) [WEFT_OP_##name] = WEFT_FUSION_##kind,
#include "compiler/ir/operators.def"
#undef WEFT_OP
    };
    return fusions[op];
}

const char *weft_attribute_name(enum weft_attribute_key key) {
    return attributes[key].name;
}

enum weft_attribute_kind weft_attribute_kind(enum weft_attribute_key key) {
    return attributes[key].kind;
}

/* ---- building ---- */

struct weft_graph *weft_graph_new(struct weft_arena *arena, const char *name) {
    struct weft_graph *graph = WEFT_NEW(arena, struct weft_graph);
    graph->arena = arena;
    graph->name = name;
    return graph;
}

struct weft_value *weft_graph_add_input(struct weft_graph *graph, const struct weft_type *type,
                                        const char *name, int32_t tensor) {
    struct weft_value *value = WEFT_NEW(graph->arena, struct weft_value);
    *value = (struct weft_value){
        .type = *type, .index = (uint32_t)graph->input_count, .tensor = tensor, .name = name};
    graph->inputs = weft_arena_grow(graph->arena, graph->inputs, graph->input_count,
                                    &graph->input_capacity, sizeof *graph->inputs);
    graph->inputs[graph->input_count++] = value;
    return value;
}

void weft_graph_add_output(struct weft_graph *graph, struct weft_value *value) {
    graph->outputs = weft_arena_grow(graph->arena, graph->outputs, graph->output_count,
                                     &graph->output_capacity, sizeof *graph->outputs);
    graph->outputs[graph->output_count++] = value;
}

struct weft_node *weft_graph_add_node(struct weft_graph *graph, enum weft_operator op,
                                      uint32_t input_count, struct weft_value *const *inputs,
                                      uint32_t attribute_count,
                                      const struct weft_attribute *node_attributes) {
    struct weft_node *node = WEFT_NEW(graph->arena, struct weft_node);
    node->op = op;
    node->source = -1;
    node->input_count = input_count;
    node->inputs = WEFT_NEW_ARRAY(graph->arena, input_count, struct weft_value *);
    if (input_count > 0) {
        memcpy(node->inputs, inputs, input_count * sizeof(*inputs));
    }
    node->attribute_count = attribute_count;
    node->attributes = WEFT_NEW_ARRAY(graph->arena, attribute_count, struct weft_attribute);
    if (attribute_count > 0) {
        memcpy(node->attributes, node_attributes, attribute_count * sizeof *node_attributes);
    }
    graph->nodes = weft_arena_grow(graph->arena, graph->nodes, graph->node_count,
                                   &graph->node_capacity, sizeof(*graph->nodes));
    graph->nodes[graph->node_count++] = node;
    return node;
}

struct weft_value *weft_node_add_result(struct weft_graph *graph, struct weft_node *node,
                                        const struct weft_type *type, int32_t tensor) {
    struct weft_value *value = WEFT_NEW(graph->arena, struct weft_value);
    *value = (struct weft_value){
        .type = *type, .producer = node, .index = node->result_count, .tensor = tensor};
    /* The list has room for a power of two. */
    uint32_t count = node->result_count;
    if ((count & (count - 1)) == 0) {
        struct weft_value **larger =
            WEFT_NEW_ARRAY(graph->arena, count == 0 ? 1 : 2 * (size_t)count, struct weft_value *);
        for (uint32_t i = 0; i < count; i++) {
            larger[i] = node->results[i];
        }
        node->results = larger;
    }
    node->results[node->result_count++] = value;
    return value;
}

struct weft_value *weft_graph_add_constant(struct weft_graph *graph, const struct weft_type *type,
                                           const void *data, const char *name, int32_t tensor) {
    struct weft_attribute attribute = {.key = WEFT_ATTR_data, .data = data};
    struct weft_node *node = weft_graph_add_node(graph, WEFT_OP_CONSTANT, 0, NULL, 1, &attribute);
    struct weft_value *value = weft_node_add_result(graph, node, type, tensor);
    value->name = name;
    return value;
}

struct weft_attribute weft_attr_ints(struct weft_arena *arena, enum weft_attribute_key key,
                                     uint32_t count, const int64_t *values) {
    int64_t *copy = WEFT_NEW_ARRAY(arena, count, int64_t);
    if (count > 0) {
        memcpy(copy, values, count * sizeof *values);
    }
    return (struct weft_attribute){.key = key, .count = count, .ints = copy};
}

struct weft_attribute weft_attr_int(struct weft_arena *arena, enum weft_attribute_key key,
                                    int64_t value) {
    return weft_attr_ints(arena, key, 1, &value);
}

struct weft_attribute weft_attr_float(enum weft_attribute_key key, double value) {
    return (struct weft_attribute){.key = key, .number = value};
}

struct weft_attribute weft_attr_text(enum weft_attribute_key key, const char *value) {
    return (struct weft_attribute){.key = key, .text = value};
}

void weft_attr_interpolation(struct weft_arena *arena, int64_t axis, uint32_t count,
                             const double *places,
                             struct weft_attribute made[WEFT_INTERPOLATION_ATTRIBUTES]) {
    int64_t *elements = WEFT_NEW_ARRAY(arena, count, int64_t);
    int64_t *fractions = WEFT_NEW_ARRAY(arena, count, int64_t);
    for (uint32_t i = 0; i < count; i++) {
        int64_t fixed = llround(places[i] * (double)WEFT_WHOLE_FRACTION);
        elements[i] = fixed / WEFT_WHOLE_FRACTION;
        fractions[i] = fixed % WEFT_WHOLE_FRACTION;
    }
    made[0] = weft_attr_int(arena, WEFT_ATTR_axis, axis);
    made[1] = weft_attr_ints(arena, WEFT_ATTR_elements, count, elements);
    made[2] = weft_attr_ints(arena, WEFT_ATTR_fractions, count, fractions);
}

struct weft_node *weft_graph_copy_node(struct weft_graph *graph, const struct weft_node *node,
                                       struct weft_value *const *inputs) {
    struct weft_node *copy = weft_graph_add_node(graph, node->op, node->input_count, inputs,
                                                 node->attribute_count, node->attributes);
    copy->body = node->body;
    copy->source = node->source;
    copy->line = node->line;
    for (uint32_t i = 0; i < node->result_count; i++) {
        const struct weft_value *result = node->results[i];
        weft_node_add_result(graph, copy, &result->type, result->tensor)->name = result->name;
    }
    return copy;
}

void weft_node_add_attribute(struct weft_arena *arena, struct weft_node *node,
                             struct weft_attribute attribute) {
    struct weft_attribute *list =
        WEFT_NEW_ARRAY(arena, node->attribute_count + 1, struct weft_attribute);
    if (node->attribute_count > 0) {
        memcpy(list, node->attributes, node->attribute_count * sizeof *list);
    }
    list[node->attribute_count++] = attribute;
    node->attributes = list;
}

void weft_node_remove_attribute(struct weft_node *node, enum weft_attribute_key key) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        if (node->attributes[i].key != key) {
            node->attributes[kept++] = node->attributes[i];
        }
    }
    node->attribute_count = kept;
}

/* ---- copying ---- */

struct weft_copy weft_copy_start(const struct weft_graph *from) {
    return weft_copy_start_in(from->arena, from);
}

struct weft_copy weft_copy_start_in(struct weft_arena *arena, const struct weft_graph *from) {
    struct weft_copy copy = {from, weft_graph_new(arena, from->name),
                             weft_map_new_for(arena, from->node_count + from->input_count)};
    for (size_t i = 0; i < from->input_count; i++) {
        const struct weft_value *input = from->inputs[i];
        weft_map_set(copy.values, input,
                     weft_graph_add_input(copy.to, &input->type, input->name, input->tensor));
    }
    return copy;
}

struct weft_value *weft_copy_value(const struct weft_copy *copy, const struct weft_value *value) {
    return weft_map_get(copy->values, value);
}

struct weft_node *weft_copy_node(struct weft_copy *copy, const struct weft_node *node) {
    struct weft_value **inputs =
        WEFT_NEW_ARRAY(copy->to->arena, node->input_count, struct weft_value *);
    for (uint32_t i = 0; i < node->input_count; i++) {
        inputs[i] = weft_copy_value(copy, node->inputs[i]);
    }
    struct weft_node *made = weft_graph_copy_node(copy->to, node, inputs);
    for (uint32_t i = 0; i < node->result_count; i++) {
        weft_map_set(copy->values, node->results[i], made->results[i]);
    }
    return made;
}

struct weft_graph *weft_copy_finish(struct weft_copy *copy) {
    for (size_t i = 0; i < copy->from->output_count; i++) {
        weft_graph_add_output(copy->to, weft_copy_value(copy, copy->from->outputs[i]));
    }
    return copy->to;
}

/* ---- reading ---- */

bool weft_attribute_equal(const struct weft_attribute *a, const struct weft_attribute *b) {
    if (a->key != b->key) {
        return false;
    }
    switch (attributes[a->key].kind) {
    case WEFT_ATTRIBUTE_INT:
    case WEFT_ATTRIBUTE_INTS:
        return a->count == b->count &&
               (a->count == 0 || memcmp(a->ints, b->ints, a->count * sizeof *a->ints) == 0);
    case WEFT_ATTRIBUTE_FLOAT:
        return a->number == b->number && signbit(a->number) == signbit(b->number);
    case WEFT_ATTRIBUTE_TEXT:
        return strcmp(a->text, b->text) == 0;
    case WEFT_ATTRIBUTE_DATA:
        return a->data == b->data;
    }
    return false;
}

const struct weft_attribute *weft_node_attribute(const struct weft_node *node,
                                                 enum weft_attribute_key key) {
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        if (node->attributes[i].key == key) {
            return &node->attributes[i];
        }
    }
    return NULL;
}

void weft_node_error_prefix(const struct weft_node *node, struct weft_error *error) {
    const char *name = weft_operator_name(node->op);
    if (node->source < 0) {
        error->position = 0;
        weft_error_prefix(error, "%s", name);
    } else {
        error->position = (uint64_t)node->source;
        weft_error_prefix(error, "operator %" PRId32 " (%s)", node->source, name);
    }
}

int64_t weft_node_int(const struct weft_node *node, enum weft_attribute_key key) {
    return weft_node_attribute(node, key)->ints[0];
}

const int64_t *weft_node_ints(const struct weft_node *node, enum weft_attribute_key key) {
    return weft_node_attribute(node, key)->ints;
}

double weft_node_float(const struct weft_node *node, enum weft_attribute_key key) {
    return weft_node_attribute(node, key)->number;
}

const char *weft_node_text(const struct weft_node *node, enum weft_attribute_key key) {
    return weft_node_attribute(node, key)->text;
}

const uint8_t *weft_value_data(const struct weft_value *value) {
    bool constant = value->producer != NULL && value->producer->op == WEFT_OP_CONSTANT;
    return constant ? weft_node_attribute(value->producer, WEFT_ATTR_data)->data : NULL;
}

/* ---- users ---- */

static void add_user(struct weft_use_index *index, const struct weft_value *value,
                     struct weft_node *node, const uint32_t *capacity) {
    struct weft_users *users = &index->users[(uintptr_t)weft_map_get(index->numbers, value) - 1];
    if (users->nodes == NULL) {
        users->nodes =
            WEFT_NEW_ARRAY(index->graph->arena, capacity[users - index->users], struct weft_node *);
    }
    users->nodes[users->count++] = node;
}

static void number(struct weft_use_index *index, const struct weft_value *value) {
    weft_map_set(index->numbers, value, (void *)(uintptr_t)++index->value_count);
}

struct weft_use_index *weft_use_index_new(const struct weft_graph *graph) {
    struct weft_use_index *index = WEFT_NEW(graph->arena, struct weft_use_index);
    index->graph = graph;
    index->numbers = weft_map_new_for(graph->arena, graph->node_count + graph->input_count);
    for (size_t i = 0; i < graph->input_count; i++) {
        number(index, graph->inputs[i]);
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        for (uint32_t j = 0; j < graph->nodes[i]->result_count; j++) {
            number(index, graph->nodes[i]->results[j]);
        }
    }
    index->users = WEFT_NEW_ARRAY(graph->arena, index->value_count, struct weft_users);
    uint32_t *capacity = WEFT_NEW_ARRAY(graph->arena, index->value_count, uint32_t);
    for (size_t i = 0; i < graph->node_count; i++) {
        for (uint32_t j = 0; j < graph->nodes[i]->input_count; j++) {
            capacity[(uintptr_t)weft_map_get(index->numbers, graph->nodes[i]->inputs[j]) - 1]++;
        }
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        for (uint32_t j = 0; j < graph->nodes[i]->input_count; j++) {
            add_user(index, graph->nodes[i]->inputs[j], graph->nodes[i], capacity);
        }
    }
    for (size_t i = 0; i < graph->output_count; i++) {
        index->users[(uintptr_t)weft_map_get(index->numbers, graph->outputs[i]) - 1].is_output =
            true;
    }
    return index;
}

const struct weft_users *weft_users_of(const struct weft_use_index *index,
                                       const struct weft_value *value) {
    return &index->users[(uintptr_t)weft_map_get(index->numbers, value) - 1];
}

static bool feeds_alone(const struct weft_use_index *index, const struct weft_value *value,
                        enum weft_operator op, uint32_t moves_left) {
    const struct weft_users *users = weft_users_of(index, value);
    bool alone = users->count > 0 && !users->is_output;
    for (uint32_t i = 0; alone && i < users->count; i++) {
        const struct weft_node *user = users->nodes[i];
        bool moves = user->op == WEFT_OP_RESHAPE || user->op == WEFT_OP_TRANSPOSE;
        alone = user->op == op || (moves && moves_left > 0 &&
                                   feeds_alone(index, user->results[0], op, moves_left - 1));
    }
    return alone;
}

bool weft_feeds_alone(const struct weft_use_index *index, const struct weft_value *value,
                      enum weft_operator op) {
    return feeds_alone(index, value, op, 4);
}

/* ---- maps ---- */

struct weft_map *weft_map_new(struct weft_arena *arena) {
    return weft_map_new_for(arena, 0);
}

struct weft_map *weft_map_new_for(struct weft_arena *arena, size_t count) {
    struct weft_map *map = WEFT_NEW(arena, struct weft_map);
    map->arena = arena;
    map->capacity = 64;
    while (map->capacity < 2 * (count + 1)) {
        map->capacity *= 2;
    }
    map->keys = WEFT_NEW_ARRAY(arena, map->capacity, const void *);
    map->values = WEFT_NEW_ARRAY(arena, map->capacity, void *);
    return map;
}

static size_t slot_of(const struct weft_map *map, const void *key) {
    /* Fibonacci hashing of the address; linear probing. */
    size_t slot = (size_t)(((uintptr_t)key >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20);
    slot &= map->capacity - 1;
    while (map->keys[slot] != NULL && map->keys[slot] != key) {
        slot = (slot + 1) & (map->capacity - 1);
    }
    return slot;
}

void weft_map_set(struct weft_map *map, const void *key, void *value) {
    if (2 * (map->count + 1) > map->capacity) {
        struct weft_map larger = *map;
        larger.capacity *= 2;
        larger.count = 0;
        larger.keys = WEFT_NEW_ARRAY(map->arena, larger.capacity, const void *);
        larger.values = WEFT_NEW_ARRAY(map->arena, larger.capacity, void *);
        for (size_t i = 0; i < map->capacity; i++) {
            if (map->keys[i] != NULL) {
                weft_map_set(&larger, map->keys[i], map->values[i]);
            }
        }
        *map = larger;
    }
    size_t slot = slot_of(map, key);
    map->count += map->keys[slot] == NULL;
    map->keys[slot] = key;
    map->values[slot] = value;
}

void *weft_map_get(const struct weft_map *map, const void *key) {
    return map->values[slot_of(map, key)];
}
