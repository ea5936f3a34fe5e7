#include "tests/unit/partition_steps.h"

#include "compiler/schedule/target.h"
#include "tests/unit/modules.h"

/* ---- targets ---- */

static struct weft_config ref16;

const struct weft_pattern_table *machine(struct weft_arena *arena) {
    ref16 = config_named("ref16");
    return weft_machine_patterns(arena, &ref16);
}

struct weft_pattern *op1(struct weft_arena *arena, enum weft_operator op,
                         struct weft_pattern *input) {
    return weft_pattern_op(arena, op, 1, &input);
}

static const char *refuse_long_rows(void *context, struct weft_arena *arena,
                                    const struct weft_match *match) {
    (void)arena;
    const struct weft_type *type = &match->root->type;
    bool fits = type->dim[type->rank - 1] <= *(const int64_t *)context;
    return fits ? NULL : "rows are too long for tiny";
}

const struct weft_pattern_table *tiny(struct weft_arena *arena) {
    static int64_t longest = 4;
    static struct weft_pattern_entry entries[3];
    static struct weft_pattern_table table = {
        .name = "tiny", .entry_count = 3, .entries = entries, .context = &longest};
    struct weft_pattern *x = weft_pattern_wildcard(arena);
    entries[0] = (struct weft_pattern_entry){"tiny.softmax", op1(arena, WEFT_OP_QNN_SOFTMAX, x),
                                             refuse_long_rows};
    entries[1] = (struct weft_pattern_entry){"tiny.clip", op1(arena, WEFT_OP_CLIP, x), NULL};
    /* Which the machine does not know. */
    entries[2] = (struct weft_pattern_entry){
        "tiny.log_softmax", op1(arena, WEFT_OP_QNN_LOG_SOFTMAX, x), refuse_long_rows};
    return &table;
}

/* ---- steps ---- */

struct weft_graph *checked(const struct weft_graph *before, struct weft_graph *after) {
    struct weft_error error;
    ASSERT_GOOD(weft_graph_verify(after, &error), error);
    assert_same_results(before, after);
    return after;
}

struct weft_graph *merged(struct weft_arena *arena, const char *text) {
    const struct weft_graph *graph = graph_of(arena, text);
    return checked(graph, weft_merge_composites(graph, machine(arena)));
}

struct weft_graph *annotated(struct weft_arena *arena, const char *text) {
    const struct weft_graph *graph = merged(arena, text);
    return checked(graph, weft_annotate_targets(graph, 1, machine(arena)));
}

struct weft_graph *partitioned(struct weft_arena *arena, const char *text) {
    const struct weft_graph *graph = annotated(arena, text);
    const struct weft_graph *numbered = checked(graph, weft_merge_regions(graph));
    return checked(numbered, weft_partition(numbered));
}

const char *composite_name(const struct weft_graph *graph, const char *value) {
    const struct weft_node *node = node_named(graph, value);
    assert_int_equal(node->op, WEFT_OP_COMPOSITE);
    return weft_node_text(node, WEFT_ATTR_name);
}

const char *reason_of(const struct weft_graph *graph, const char *value) {
    const struct weft_attribute *reason =
        weft_node_attribute(node_named(graph, value), WEFT_ATTR_reason);
    assert_non_null(reason);
    return reason->text;
}
