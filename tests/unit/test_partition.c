/* compiler/partition: targets, regions, and the partitioned graph. */
#include "tests/unit/partition_steps.h"

#include <stdio.h>

/* ---- regions ---- */

#define S                        "1x2x2x1xi8{0.5, 0}"
#define TO_S(to, op, from, rest) "  %" to " = " op "(%" from ") " rest " : " S "\n"
#define POOL(to, from)                                                                             \
    TO_S(to, "max_pool2d", from, "kernel=[1, 1] strides=[1, 1] padding=[0, 0, 0, 0]")
#define HOST(to, from) TO_S(to, "qnn.softmax", from, "beta=1")
#define ADD(to, a, b)  "  %" to " = qnn.add(%" a ", %" b ") : " S "\n"

static void a_chain_is_one_region(void **state) {
    const struct weft_graph *graph = partitioned(*state, "graph g(%0: " S ") {\n" POOL("a", "0")
                                                             POOL("b", "a") "  return %b\n}\n");
    assert_int_equal(graph->node_count, 1);
    const struct weft_node *region = graph->nodes[0];
    assert_int_equal(region->op, WEFT_OP_REGION);
    assert_string_equal(weft_node_text(region, WEFT_ATTR_target), "weft");
    assert_int_equal(region->body->node_count, 2);
    assert_int_equal(region->input_count, 1);
    assert_int_equal(region->result_count, 1);
}

static void values_needed_later_are_results_of_the_region(void **state) {
    const struct weft_graph *graph =
        partitioned(*state, "graph g(%0: " S ") {\n" POOL("a", "0") POOL("b", "a") HOST("h", "a")
                                HOST("i", "a") "  return %b, %h, %i, %b\n}\n");
    assert_int_equal(count_of(graph, WEFT_OP_REGION), 1);
    assert_int_equal(graph->nodes[0]->result_count, 2);
    assert_string_equal(graph->nodes[0]->results[0]->name, "a");
    assert_string_equal(graph->nodes[0]->results[1]->name, "b");
}

static void a_host_operator_between_makes_two_regions(void **state) {
    const struct weft_graph *graph =
        partitioned(*state, "graph g(%0: " S ") {\n" POOL("a", "0") HOST("h", "a") POOL("b", "h")
                                POOL("c", "b") "  return %c\n}\n");
    assert_int_equal(graph->node_count, 3);
    assert_int_equal(graph->nodes[0]->op, WEFT_OP_REGION);
    assert_int_equal(graph->nodes[1]->op, WEFT_OP_QNN_SOFTMAX);
    assert_int_equal(graph->nodes[2]->op, WEFT_OP_REGION);
    assert_int_equal(graph->nodes[2]->body->node_count, 2);
}

/* The target had no room for it. */
static void a_refused_operator_leaves_its_region(void **state) {
    const struct weft_graph *graph =
        partitioned(*state, "graph g(%0: " S ") {\n" POOL("a", "0") POOL("b", "a") POOL("c", "b")
                                POOL("d", "c") "  return %b, %d\n}\n");
    assert_int_equal(graph->node_count, 1);
    struct weft_refusal refusal = {
        .region = graph->nodes[0], .index = 1, .reason = "it is too large"};
    const struct weft_graph *opened = checked(graph, weft_release_operators(graph, &refusal));
    assert_int_equal(opened->node_count, 4);
    assert_int_equal(opened->nodes[1]->op, WEFT_OP_MAX_POOL2D);
    assert_string_equal(weft_node_text(opened->nodes[1], WEFT_ATTR_reason), "it is too large");
    const struct weft_graph *again = checked(opened, weft_partition(weft_merge_regions(opened)));
    assert_int_equal(again->node_count, 3);
    assert_int_equal(again->nodes[0]->op, WEFT_OP_REGION);
    assert_int_equal(again->nodes[2]->op, WEFT_OP_REGION);
    assert_int_equal(again->nodes[2]->body->node_count, 2);
    /* Then nothing of the second region fits. */
    refusal.region = again->nodes[2];
    refusal.is_whole = true;
    opened = checked(again, weft_release_operators(again, &refusal));
    again = checked(opened, weft_partition(weft_merge_regions(opened)));
    assert_int_equal(count_of(again, WEFT_OP_REGION), 1);
    assert_int_equal(count_of(again, WEFT_OP_MAX_POOL2D), 3);
}

/* a -> host -> c, and c also needs a: c must not join a's region, or the region would need itself.
 */
static void a_host_operator_beside_a_path_makes_no_cycle(void **state) {
    const struct weft_graph *graph =
        partitioned(*state, "graph g(%0: " S ") {\n" POOL("a", "0") HOST("h", "a") POOL("b", "a")
                                ADD("c", "b", "h") POOL("d", "b") "  return %c, %d\n}\n");
    assert_int_equal(count_of(graph, WEFT_OP_REGION), 2);
    assert_int_equal(graph->nodes[0]->body->node_count, 3); /* a, b and d */
    assert_int_equal(graph->nodes[2]->body->node_count, 1);
}

/* Work of the host that needs nothing of a region comes before it. */
static void a_host_operator_on_a_side_input_splits_nothing(void **state) {
    const struct weft_graph *graph =
        partitioned(*state, "graph g(%0: " S ", %1: " S ") {\n" POOL("a", "0") HOST("h", "1") HOST(
                                "i", "h") ADD("b", "a", "i") POOL("c", "b") "  return %c\n}\n");
    assert_int_equal(graph->node_count, 3);
    assert_int_equal(count_of(graph, WEFT_OP_REGION), 1);
    assert_int_equal(graph->nodes[2]->body->node_count, 3);
}

static void a_diamond_is_one_region(void **state) {
    const struct weft_graph *graph =
        partitioned(*state, "graph g(%0: " S ") {\n" POOL("m", "0") POOL("a", "m") POOL("b", "m")
                                ADD("c", "a", "b") "  return %c\n}\n");
    assert_int_equal(graph->node_count, 1);
    assert_int_equal(graph->nodes[0]->body->node_count, 4);
}

/* What comes later in the list may have to run earlier. */
static void independent_work_of_one_level_runs_together(void **state) {
    const struct weft_graph *graph =
        partitioned(*state, "graph g(%0: " S ", %1: " S ") {\n" POOL("a", "0") HOST("h", "a")
                                POOL("b", "h") POOL("x", "1") HOST("i", "x") POOL("y", "i")
                                    ADD("z", "b", "y") "  return %z, %x\n}\n");
    assert_int_equal(count_of(graph, WEFT_OP_REGION), 2);
    assert_int_equal(graph->node_count, 4);
    assert_int_equal(graph->nodes[0]->body->node_count, 2);
    assert_int_equal(graph->nodes[3]->body->node_count, 3);
}

static void a_graph_for_the_host_has_no_region(void **state) {
    const struct weft_graph *graph =
        partitioned(*state, "graph g(%0: " S ") {\n" HOST("h", "0") HOST("i", "h") "  return %i, "
                                                                                   "%0\n}\n");
    assert_int_equal(count_of(graph, WEFT_OP_REGION), 0);
    assert_int_equal(graph->node_count, 2);
}

/* ---- two targets ---- */

static struct weft_graph *for_both(struct weft_arena *arena, const struct weft_graph *graph) {
    const struct weft_pattern_table both[] = {*machine(arena), *tiny(arena)};
    const struct weft_graph *mine = checked(graph, weft_merge_composites(graph, &both[0]));
    const struct weft_graph *all = checked(mine, weft_merge_composites(mine, &both[1]));
    const struct weft_graph *named = checked(all, weft_annotate_targets(all, 2, both));
    const struct weft_graph *numbered = checked(named, weft_merge_regions(named));
    return checked(numbered, weft_partition(numbered));
}

static void two_targets_share_a_graph(void **state) {
    const struct weft_graph *graph =
        for_both(*state, graph_of(*state, "graph g(%0: " S ") {\n" POOL("a", "0") HOST("h", "a")
                                              POOL("b", "h") POOL("c", "b") "  return %c\n}\n"));
    assert_int_equal(graph->node_count, 3);
    assert_string_equal(weft_node_text(graph->nodes[0], WEFT_ATTR_target), "weft");
    assert_string_equal(weft_node_text(graph->nodes[1], WEFT_ATTR_target), "tiny");
    assert_string_equal(weft_node_text(graph->nodes[2], WEFT_ATTR_target), "weft");
}

static void the_second_target_may_refuse_too(void **state) {
    const struct weft_graph *graph =
        for_both(*state, graph_of(*state, "graph g(%0: 1x5xi8{0.5, 0}) {\n"
                                          "  %h = qnn.log_softmax(%0) : 1x5xi8{0.0625, 127}\n"
                                          "  return %h\n}\n"));
    assert_string_equal(reason_of(graph, "h"), "rows are too long for tiny");
}

static void a_target_takes_what_another_refused(void **state) {
    const struct weft_graph *graph =
        for_both(*state, graph_of(*state, "graph g(%0: 1x1x1x4xi16{0.5, 0}) {\n"
                                          "  %s = max_pool2d(%0)" UNIT "1x1x1x4xi16{0.5, 0}\n"
                                          "  %c = clip(%s) min=0 max=9 : 1x1x1x4xi16{0.5, 0}\n"
                                          "  return %c\n}\n"));
    assert_int_equal(graph->node_count, 2);
    assert_string_equal(reason_of(graph, "s"), "only int8 and uint8 run on the machine");
    assert_int_equal(graph->nodes[1]->op, WEFT_OP_REGION);
    assert_string_equal(weft_node_text(graph->nodes[1], WEFT_ATTR_target), "tiny");
}

/* ---- a target with diamonds ---- */

/* A target that takes m and everything made of it: add(m, clip(m)), either way round. */
static const struct weft_pattern_table *diamonds(struct weft_arena *arena, bool long_side_first) {
    static struct weft_pattern_entry entry = {.name = "diamond"};
    static struct weft_pattern_table table = {
        .name = "diamonds", .entry_count = 1, .entries = &entry};
    struct weft_pattern *m =
        weft_pattern_bind(arena, op1(arena, WEFT_OP_MAX_POOL2D, weft_pattern_wildcard(arena)), "m");
    struct weft_pattern *left = op1(arena, WEFT_OP_CLIP, m);
    entry.pattern = weft_pattern_op(arena, WEFT_OP_QNN_ADD, 2,
                                    long_side_first ? (struct weft_pattern *[]){left, m}
                                                    : (struct weft_pattern *[]){m, left});
    return &table;
}

static void assert_diamond(struct weft_arena *arena, const char *sum, bool long_side_first) {
    const struct weft_graph *graph = graph_of(
        arena, weft_arena_print(arena, "graph g(%%0: %s) {\n%s%s%s  return %%c\n}\n", S,
                                POOL("m", "0"), TO_S("l", "clip", "m", "min=0 max=9"), sum));
    const struct weft_graph *after =
        checked(graph, weft_merge_composites(graph, diamonds(arena, long_side_first)));
    assert_int_equal(after->node_count, 1);
    assert_int_equal(after->nodes[0]->body->node_count, 3);
}

static void a_diamond_becomes_a_composite(void **state) {
    assert_diamond(*state, ADD("c", "l", "m"), true);
}

static void a_diamond_with_the_short_side_first_becomes_a_composite(void **state) {
    assert_diamond(*state, ADD("c", "m", "l"), false);
}

/* ---- random graphs ---- */

/* Twenty operators on tensors of one type, on earlier results as they come. */
static const char *random_graph(struct weft_arena *arena, uint64_t *seed) {
    static const char *const forms[] = {
        "max_pool2d(%%%d) kernel=[1, 1] strides=[1, 1] padding=[0, 0, 0, 0]", "qnn.add(%%%d, %%%d)",
        "qnn.softmax(%%%d) beta=1", "clip(%%%d) min=-5 max=100"};
    const char *text = "graph g(%0: " S ", %1: " S ") {\n";
    for (int i = 2; i < 22; i++) {
        const char *form = forms[random_in(seed, 0, 3)];
        char node[128];
        int a = (int)random_in(seed, i < 6 ? 0 : i - 6, i - 1);
        int b = (int)random_in(seed, 0, i - 1);
        (void)snprintf(node, sizeof node, form, a, b);
        text = weft_arena_print(arena, "%s  %%%d = %s : %s\n", text, i, node, S);
    }
    return weft_arena_print(arena, "%s  return %%21, %%%d, %%20\n}\n", text,
                            (int)random_in(seed, 0, 21));
}

static void random_graphs_compute_the_same_partitioned(void **state) {
    uint64_t seed = 2024;
    (void)state;
    for (int i = 0; i < 100; i++) {
        struct weft_arena arena = {0};
        const char *text = random_graph(&arena, &seed);
        (void)partitioned(&arena, text);
        (void)for_both(&arena, graph_of(&arena, text));
        weft_arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(a_chain_is_one_region),
        ARENA_TEST(values_needed_later_are_results_of_the_region),
        ARENA_TEST(a_host_operator_between_makes_two_regions),
        ARENA_TEST(a_refused_operator_leaves_its_region),
        ARENA_TEST(a_host_operator_beside_a_path_makes_no_cycle),
        ARENA_TEST(a_host_operator_on_a_side_input_splits_nothing),
        ARENA_TEST(a_diamond_is_one_region),
        ARENA_TEST(independent_work_of_one_level_runs_together),
        ARENA_TEST(a_graph_for_the_host_has_no_region),
        ARENA_TEST(two_targets_share_a_graph),
        ARENA_TEST(the_second_target_may_refuse_too),
        ARENA_TEST(a_target_takes_what_another_refused),
        ARENA_TEST(a_diamond_becomes_a_composite),
        ARENA_TEST(a_diamond_with_the_short_side_first_becomes_a_composite),
        ARENA_TEST(random_graphs_compute_the_same_partitioned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
