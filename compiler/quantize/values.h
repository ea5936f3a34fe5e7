/* Graphs that are run many times on the host, with every tensor at hand; used in compiler/quantize
 * alone.
 */
#ifndef WEFT_COMPILER_QUANTIZE_VALUES_H
#define WEFT_COMPILER_QUANTIZE_VALUES_H

#include "compiler/ir/ir.h"

/* The values of a graph, numbered from 0: inputs first, then results in the order of the nodes. */
struct value_table {
    const struct weft_graph *graph;
    size_t count;
    const struct weft_value **values;
    struct weft_map *numbers; /* value -> its entry in `values` */
};

struct value_table *value_table_new(struct weft_arena *arena, const struct weft_graph *graph);
size_t value_number(const struct value_table *table, const struct weft_value *value);

/* Memory for every value of a graph but its constants, which lie where they are. */
struct tensors {
    const struct value_table *table;
    void **at; /* by number */
    uint8_t *block;
};

/* Releases with tensors_free(), also after a failure. Errors: WEFT_LIMIT (more than `limit` bytes),
 * WEFT_OUT_OF_MEMORY. */
bool tensors_allocate(const struct value_table *table, uint64_t limit, struct tensors *tensors,
                      struct weft_error *error);
void tensors_free(struct tensors *tensors);

/* Bytes that tensors_allocate() takes for the values of a graph. */
uint64_t tensors_bytes(const struct value_table *table);

/* Carries out one node; its operands must be there. Errors: those of weft_host_run(). */
bool tensors_run(const struct tensors *tensors, const struct weft_node *node,
                 struct weft_error *error);

#endif
