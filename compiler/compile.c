/* The compiler from model to module: the list of its passes. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compiler/import/import.h"
#include "compiler/module.h"
#include "compiler/partition/partition.h"
#include "compiler/passes/passes.h"
#include "compiler/schedule/schedule.h"

enum pass {
    PASS_IMPORT,
    PASS_KEEP_TENSORS,
    PASS_FOLD_PAD,
    PASS_REMOVE_UNUSED,
    PASS_MERGE_COMPOSITES,
    PASS_ANNOTATE_TARGETS,
    PASS_PARTITION,
    PASSES,
};

const char *const weft_pass_names[PASSES + 1] = {
    [PASS_IMPORT] = "import",
    [PASS_KEEP_TENSORS] = "keep-tensors",
    [PASS_FOLD_PAD] = "fold-pad",
    [PASS_REMOVE_UNUSED] = "remove-unused",
    [PASS_MERGE_COMPOSITES] = "merge-composites",
    [PASS_ANNOTATE_TARGETS] = "annotate-targets",
    [PASS_PARTITION] = "partition",
};

struct compilation {
    struct weft_module *module;
    const struct weft_compile_options *options;
    struct weft_graph *graph;
    struct weft_error *error;
};

/* Every pass ends here: the graph must be well formed, whoever asked for it sees its text. */
static bool after(struct compilation *c, enum pass pass, struct weft_graph *graph) {
    struct weft_text text = {0};
    struct weft_blobs blobs = {0};
    c->graph = graph;
    if (!weft_graph_verify(graph, c->error)) {
        c->error->code = WEFT_INTERNAL;
        return weft_fail_context(c->error, "after pass %s", weft_pass_names[pass]);
    }
    if (c->options->after_pass == NULL) {
        return true;
    }
    weft_graph_name(graph);
    weft_graph_print(graph, &text, &blobs);
    bool good = weft_text_finish(&text, c->error);
    if (good) {
        c->options->after_pass(c->options->context, weft_pass_names[pass], text.bytes);
    }
    weft_text_free(&text);
    return good;
}

/* A table without patterns, and a reason on every operator. */
static const struct weft_pattern_table *no_patterns(struct weft_arena *arena,
                                                    const struct weft_graph *graph) {
    struct weft_pattern_table *table = WEFT_NEW(arena, struct weft_pattern_table);
    table->name = "weft";
    for (size_t i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i]->op != WEFT_OP_CONSTANT) {
            weft_node_add_attribute(
                arena, graph->nodes[i],
                weft_attr_text(WEFT_ATTR_reason, "the host was asked to do everything"));
        }
    }
    return table;
}

/* All passes over the graph, in order. */
static bool run_passes(struct compilation *c, const uint8_t *bytes, size_t length) {
    struct weft_arena *arena = &c->module->arena;
    const struct weft_pattern_table *table = weft_machine_patterns(arena, &c->module->config);
    bool keep = c->options->keep_tensors;
    struct weft_graph *imported = NULL;
    if (!weft_import_tflite(arena, bytes, length, &imported, c->error)) {
        return false;
    }
    if (c->options->host_only) {
        table = no_patterns(arena, imported);
    }
    return after(c, PASS_IMPORT, imported) &&
           (!keep || after(c, PASS_KEEP_TENSORS, weft_pass_keep_tensors(c->graph))) &&
           (keep || after(c, PASS_FOLD_PAD, weft_pass_fold_pad(c->graph))) &&
           after(c, PASS_REMOVE_UNUSED, weft_pass_remove_unused(c->graph)) &&
           after(c, PASS_MERGE_COMPOSITES, weft_merge_composites(c->graph, table)) &&
           after(c, PASS_ANNOTATE_TARGETS, weft_annotate_targets(c->graph, 1, table)) &&
           after(c, PASS_PARTITION, weft_partition(c->graph, weft_merge_regions(c->graph)));
}

static bool schedule_regions(struct compilation *c) {
    struct weft_module *module = c->module;
    module->graph = c->graph;
    weft_graph_name(c->graph);
    module->segments = WEFT_NEW_ARRAY(&module->arena, c->graph->node_count, struct weft_segment);
    for (size_t i = 0; i < c->graph->node_count; i++) {
        const struct weft_node *node = c->graph->nodes[i];
        if (node->op == WEFT_OP_REGION &&
            !weft_schedule_region(&module->arena, &module->config, node->body,
                                  &module->segments[module->segment_count++], c->error)) {
            return false;
        }
    }
    return true;
}

bool weft_compile(const uint8_t *bytes, size_t length, const struct weft_config *config,
                  const struct weft_compile_options *options, struct weft_module **module,
                  struct weft_error *error) {
    struct weft_module *made = weft_allocate(1, sizeof *made, "a module", error);
    if (made == NULL) {
        return false;
    }
    if (setjmp(made->arena.on_failure) != 0) {
        weft_module_free(made);
        return weft_arena_failed(error);
    }
    made->config = *config;
    const char *name = options->model_name == NULL ? "model" : options->model_name;
    made->model_name = weft_arena_string(&made->arena, name, strlen(name));
    struct compilation compilation = {made, options, NULL, error};
    if (!run_passes(&compilation, bytes, length) || !schedule_regions(&compilation)) {
        weft_module_free(made);
        return false;
    }
    *module = made;
    return true;
}

void weft_module_free(struct weft_module *module) {
    if (module != NULL) {
        weft_arena_free(&module->arena);
        free(module);
    }
}
