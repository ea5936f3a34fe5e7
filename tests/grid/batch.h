/* A network with another batch. */
#ifndef WEFT_TESTS_GRID_BATCH_H
#define WEFT_TESTS_GRID_BATCH_H

#include "compiler/ir/ir.h"

/* A copy of an imported graph, in its arena, in which the first axis of every tensor that depends
 * on an input is `batch` times as long: `batch` independent images. Error: WEFT_GRAPH when an
 * operator mixes what lies along that axis. */
bool graph_with_batch(const struct weft_graph *graph, int64_t batch, struct weft_graph **made,
                      struct weft_error *error);

#endif
