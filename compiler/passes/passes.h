/* Passes over the graph: each reads one graph and returns another. compiler/compile.c lists them in
 * order. */
#ifndef WEFT_COMPILER_PASSES_PASSES_H
#define WEFT_COMPILER_PASSES_PASSES_H

#include "compiler/ir/ir.h"

/* Makes every tensor of the model an output, in the order in which they are made, after those that
 * are outputs already. */
struct weft_graph *weft_pass_keep_tensors(const struct weft_graph *graph);

/* A pad of rows and columns whose only users are convolutions becomes part of their own padding. */
struct weft_graph *weft_pass_fold_pad(const struct weft_graph *graph);

/* Leaves out nodes whose results nothing needs. */
struct weft_graph *weft_pass_remove_unused(const struct weft_graph *graph);

#endif
