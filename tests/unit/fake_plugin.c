/* A plugin that the driver can load: a pass that copies the graph. Built again with another
 * version, or another fingerprint, it must be refused. */
#include "compiler/plugin.h"

static bool copy_graph(void *context, const struct weft_graph *graph, struct weft_graph **made,
                       struct weft_error *error) {
    struct weft_copy copy = weft_copy_start(graph);
    (void)context;
    (void)error;
    for (size_t i = 0; i < graph->node_count; i++) {
        weft_copy_node(&copy, graph->nodes[i]);
    }
    *made = weft_copy_finish(&copy);
    return true;
}

static bool open_plugin(struct weft_arena *arena, struct weft_plugin *plugin,
                        struct weft_error *error) {
    static const struct weft_user_pass pass = {
        .name = "copy-graph", .after = "import", .run = copy_graph};
    (void)arena;
    (void)error;
    *plugin = (struct weft_plugin){.name = "copier", .pass_count = 1, .passes = &pass};
    return true;
}

struct weft_plugin_entry weft_plugin(void);
struct weft_plugin_entry weft_plugin(void) {
    return (struct weft_plugin_entry){WEFT_PLUGIN_VERSION + FAKE_VERSION,
                                      weft_plugin_fingerprint() + FAKE_FINGERPRINT, open_plugin};
}
