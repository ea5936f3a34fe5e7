/* What a compilation begins with. */
#ifndef WEFT_COMPILER_SOURCE_H
#define WEFT_COMPILER_SOURCE_H

#include "compiler/module.h"

/* The bytes of a model file or of a graph in text form or, when there is one, a graph; reading a
 * model fills its names, and the fingerprint of its bytes and of what files beside it gave. */
struct source {
    const uint8_t *bytes;
    size_t length;
    const struct weft_graph *graph;
    struct weft_model_names names; /* filled by source_read() */
    uint64_t fingerprint;          /* the same; of a graph 0 */
};

/* The graph of a file, or a copy of the graph that there is, in the arena, which jumps when
 * there is no memory. options->unsupported is told of what keeps a model from being read. Errors:
 * WEFT_MODEL, WEFT_OPERATOR, WEFT_GRAPH. */
bool source_read(struct weft_arena *arena, struct source *source,
                 const struct weft_compile_options *options, struct weft_graph **graph,
                 struct weft_error *error);

#endif
