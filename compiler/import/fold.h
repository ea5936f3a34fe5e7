/* Shapes, and what models compute of them, are known while a model is read. */
#ifndef WEFT_COMPILER_IMPORT_FOLD_H
#define WEFT_COMPILER_IMPORT_FOLD_H

#include "compiler/ir/ir.h"

/* The constant that a value is when its node has small constants of integers alone; else the value
 * itself. */
struct weft_value *fold_small(struct weft_graph *graph, struct weft_value *value);

#endif
