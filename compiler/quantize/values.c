#include "compiler/quantize/values.h"

#include <stdlib.h>

#include "base/limit.h"
#include "base/memory.h"
#include "compiler/host/host.h"

enum {
    ALIGNMENT = 64
};

/* ---- numbers ---- */

static void number(struct value_table *table, const struct weft_value *value) {
    table->values[table->count] = value;
    weft_map_set(table->numbers, value, (void *)(uintptr_t)&table->values[table->count]);
    table->count++;
}

struct value_table *value_table_new(struct weft_arena *arena, const struct weft_graph *graph) {
    struct value_table *table = WEFT_NEW(arena, struct value_table);
    size_t count = graph->input_count;
    for (size_t i = 0; i < graph->node_count; i++) {
        count += graph->nodes[i]->result_count;
    }
    table->graph = graph;
    table->values = WEFT_NEW_ARRAY(arena, count, const struct weft_value *);
    table->numbers = weft_map_new_for(arena, count);
    for (size_t i = 0; i < graph->input_count; i++) {
        number(table, graph->inputs[i]);
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        for (uint32_t k = 0; k < graph->nodes[i]->result_count; k++) {
            number(table, graph->nodes[i]->results[k]);
        }
    }
    return table;
}

size_t value_number(const struct value_table *table, const struct weft_value *value) {
    const struct weft_value **entry = weft_map_get(table->numbers, value);
    return (size_t)(entry - table->values);
}

/* ---- memory ---- */

static size_t room_of(const struct weft_value *value) {
    return weft_value_data(value) != NULL
               ? 0
               : (weft_type_bytes(&value->type) / ALIGNMENT + 1) * ALIGNMENT;
}

uint64_t tensors_bytes(const struct value_table *table) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < table->count; i++) {
        bytes += room_of(table->values[i]);
    }
    return bytes;
}

bool tensors_allocate(const struct value_table *table, uint64_t limit, struct tensors *tensors,
                      struct weft_error *error) {
    uint64_t bytes = tensors_bytes(table);
    *tensors = (struct tensors){.table = table};
    if (bytes > weft_memory_limit(limit)) {
        return weft_limit_passed(error, "all tensors of the model", bytes,
                                 weft_memory_limit(limit));
    }
    tensors->at = weft_allocate(table->count, sizeof *tensors->at, "tensors", error);
    tensors->block = tensors->at == NULL ? NULL
                                         : weft_allocate((size_t)bytes + ALIGNMENT, 1,
                                                         "tensors of the model", error);
    if (tensors->block == NULL) {
        return false;
    }
    size_t at = ALIGNMENT - (uintptr_t)tensors->block % ALIGNMENT;
    for (size_t i = 0; i < table->count; i++) {
        const uint8_t *data = weft_value_data(table->values[i]);
        tensors->at[i] = data != NULL ? (void *)(uintptr_t)data : tensors->block + at;
        at += room_of(table->values[i]);
    }
    return true;
}

void tensors_free(struct tensors *tensors) {
    free(tensors->at);
    free(tensors->block);
    *tensors = (struct tensors){0};
}

/* ---- running ---- */

bool tensors_run(const struct tensors *tensors, const struct weft_node *node,
                 struct weft_error *error) {
    enum {
        FEW = 32
    };
    void *few[FEW];
    size_t count = (size_t)node->input_count + node->result_count;
    if (node->op == WEFT_OP_CONSTANT) {
        return true;
    }
    void **all = count <= FEW ? few : weft_allocate(count, sizeof *all, "operands", error);
    if (all == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        all[i] = tensors->at[value_number(tensors->table, node->inputs[i])];
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        all[node->input_count + i] = tensors->at[value_number(tensors->table, node->results[i])];
    }
    bool good = weft_host_run(node, (const void *const *)all, all + node->input_count, error);
    if (all != few) {
        free(all);
    }
    return good;
}
