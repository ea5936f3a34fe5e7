#include "compiler/source.h"

#include "compiler/import/import_model.h"
#include "compiler/partition/partition.h"

/* A copy of a graph of another arena, which lives on. */
static struct weft_graph *adopt(struct weft_arena *arena, const struct weft_graph *graph) {
    struct weft_copy copy = weft_copy_start_in(arena, graph);
    for (size_t i = 0; i < graph->node_count; i++) {
        weft_copy_node(&copy, graph->nodes[i]);
    }
    return weft_copy_finish(&copy);
}

/* What a pass left as text is as good as what it began with: whom it gave operators to is found
 * again. */
static bool read_file(struct weft_arena *arena, struct source *source,
                      const struct weft_compile_options *options, struct weft_graph **graph,
                      struct weft_error *error) {
    struct weft_unsupported_list list = {0, NULL};
    bool good = weft_import_or_read(arena, source->bytes, source->length, &options->import,
                                    options->constants, &list, graph, &source->names, error);
    if (good && weft_is_graph_text(source->bytes, source->length)) {
        *graph = weft_open_bodies(*graph);
    }
    for (size_t i = 0; options->unsupported != NULL && i < list.count; i++) {
        options->unsupported(options->context, &list.kinds[i]);
    }
    return good;
}

bool source_read(struct weft_arena *arena, struct source *source,
                 const struct weft_compile_options *options, struct weft_graph **graph,
                 struct weft_error *error) {
    if (source->graph == NULL) {
        return read_file(arena, source, options, graph, error);
    }
    if (!weft_graph_verify(source->graph, error)) {
        return false;
    }
    *graph = adopt(arena, source->graph);
    return true;
}
