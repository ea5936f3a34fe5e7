/* Common subexpressions: what computes the same from the same values becomes one. */
#include <string.h>

#include "compiler/passes/passes.h"

/* Nodes of the new graph by what they compute, in a hash table with linear probing. */
struct table {
    size_t capacity; /* a power of two, more than twice the nodes */
    uint64_t *hashes;
    struct weft_node **nodes;
};

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

static uint64_t mix_bytes(uint64_t hash, const uint8_t *bytes, size_t length) {
    uint64_t word = 0;
    size_t i = 0;
    for (; i + sizeof word <= length; i += sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        hash = mix(hash, word);
    }
    for (; i < length; i++) {
        hash = mix(hash, bytes[i]);
    }
    return hash;
}

/* Numbers alone: that is enough to tell most nodes apart. */
static uint64_t mix_attribute(uint64_t hash, const struct weft_attribute *attribute) {
    hash = mix(hash, attribute->key);
    for (uint32_t i = 0; i < attribute->count; i++) {
        hash = mix(hash, (uint64_t)attribute->ints[i]);
    }
    return hash;
}

static uint64_t hash_of(const struct weft_node *node, struct weft_value *const *inputs) {
    const struct weft_type *type = &node->results[0]->type;
    const uint8_t *data = weft_value_data(node->results[0]);
    uint64_t hash = mix(node->op, node->input_count);
    for (uint32_t i = 0; i < node->input_count; i++) {
        hash = mix(hash, (uint64_t)(uintptr_t)inputs[i]);
    }
    for (uint32_t i = 0; i < type->rank; i++) {
        hash = mix(hash, (uint64_t)type->dim[i]);
    }
    for (uint32_t i = 0; data == NULL && i < node->attribute_count; i++) {
        hash += mix_attribute(node->op, &node->attributes[i]); /* in any order */
    }
    return data == NULL ? hash : mix_bytes(hash, data, weft_type_bytes(type));
}

static bool same_attributes(const struct weft_node *a, const struct weft_node *b) {
    bool same = a->attribute_count == b->attribute_count;
    for (uint32_t i = 0; same && i < a->attribute_count; i++) {
        const struct weft_attribute *other = weft_node_attribute(b, a->attributes[i].key);
        same = other != NULL && weft_attribute_equal(&a->attributes[i], other);
    }
    return same;
}

static bool same_results(const struct weft_node *a, const struct weft_node *b) {
    bool same = a->result_count == b->result_count;
    for (uint32_t i = 0; same && i < a->result_count; i++) {
        same = weft_type_equal(&a->results[i]->type, &b->results[i]->type);
    }
    return same;
}

/* Does `made`, of the new graph, compute what `node` computes from `inputs`? */
static bool is_same(const struct weft_node *made, const struct weft_node *node,
                    struct weft_value *const *inputs) {
    bool same =
        made->op == node->op && made->input_count == node->input_count && same_results(made, node);
    for (uint32_t i = 0; same && i < node->input_count; i++) {
        same = made->inputs[i] == inputs[i];
    }
    if (!same || node->op != WEFT_OP_CONSTANT) {
        return same && same_attributes(made, node);
    }
    return memcmp(weft_value_data(made->results[0]), weft_value_data(node->results[0]),
                  weft_type_bytes(&node->results[0]->type)) == 0;
}

/* The place of a node that computes the same, or where one belongs. */
static size_t slot_of(const struct table *table, const struct weft_node *node,
                      struct weft_value *const *inputs, uint64_t hash) {
    size_t slot = (size_t)hash & (table->capacity - 1);
    while (table->nodes[slot] != NULL &&
           (table->hashes[slot] != hash || !is_same(table->nodes[slot], node, inputs))) {
        slot = (slot + 1) & (table->capacity - 1);
    }
    return slot;
}

static void visit(struct weft_copy *copy, struct table *table, const struct weft_node *node) {
    struct weft_value **inputs =
        WEFT_NEW_ARRAY(copy->to->arena, node->input_count, struct weft_value *);
    if (node->body != NULL || node->op == WEFT_OP_OPAQUE) {
        weft_copy_node(copy, node);
        return;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        inputs[i] = weft_copy_value(copy, node->inputs[i]);
    }
    uint64_t hash = hash_of(node, inputs);
    size_t slot = slot_of(table, node, inputs, hash);
    if (table->nodes[slot] == NULL) {
        table->hashes[slot] = hash;
        table->nodes[slot] = weft_copy_node(copy, node);
        return;
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        weft_map_set(copy->values, node->results[i], table->nodes[slot]->results[i]);
    }
}

struct weft_graph *weft_pass_merge_common(const struct weft_graph *graph) {
    struct weft_copy copy = weft_copy_start(graph);
    struct table table = {.capacity = 64};
    while (table.capacity < 4 * graph->node_count) {
        table.capacity *= 2;
    }
    table.hashes = WEFT_NEW_ARRAY(graph->arena, table.capacity, uint64_t);
    table.nodes = WEFT_NEW_ARRAY(graph->arena, table.capacity, struct weft_node *);
    for (size_t i = 0; i < graph->node_count; i++) {
        visit(&copy, &table, graph->nodes[i]);
    }
    return weft_copy_finish(&copy);
}
