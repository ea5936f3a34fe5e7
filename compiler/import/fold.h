/* Shapes, and what models compute of them, are known while a model is read. */
#ifndef WEFT_COMPILER_IMPORT_FOLD_H
#define WEFT_COMPILER_IMPORT_FOLD_H

#include "compiler/ir/ir.h"

/* The constant that a value is when its node has small constants of integers alone; else the value
 * itself. */
struct weft_value *fold_small(struct weft_graph *graph, struct weft_value *value);

/* The same of any constants that are not large, of operators that look at no scale: what stands
 * between quantised tensors is left to passes that know what becomes of it. *steps is what folding
 * may still cost (weft_node_steps()); without any left, values stay as they are. */
struct weft_value *fold_plain(struct weft_graph *graph, struct weft_value *value, uint64_t *steps);

#endif
