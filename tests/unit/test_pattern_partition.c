/* compiler/pattern: what a pattern finds becomes composites. */
#include "tests/unit/patterns.h"

#include <string.h>

#define T              "2xi8{0.5, 0}"
#define CLIP(to, from) "%" to " = clip(%" from ") min=0 max=9 : " T "\n"
#define ADD(to, a, b)  "%" to " = qnn.add(%" a ", %" b ") : " T "\n"
#define SOFT(to, from) "%" to " = qnn.softmax(%" from ") beta=1 : " T "\n"
/* A composite of inputs `ins` whose body has the parameters `params`. */
#define COMPOSITE(to, ins, params, nodes)                                                          \
    "  %" to " = composite(" ins ") name=\"c\" body(" params ") {\n" nodes "    return %" to       \
    "\n  } : " T "\n"
#define GRAPH(nodes, outputs) "graph g(%0: " T ") {\n" nodes "  return " outputs "\n}\n"

/* Partitions by the pattern: the result must be `after`, and compute what `before` computes. */
static void assert_partition(struct weft_arena *arena, pattern wanted, const char *before,
                             const char *after) {
    struct weft_error error;
    const struct weft_graph *graph = graph_of(arena, before);
    const struct weft_graph *made = weft_pattern_partition(graph, wanted, "c", NULL, NULL);
    ASSERT_GOOD(weft_graph_verify(made, &error), error);
    assert_text(made, after);
    assert_text(graph, before);
    assert_same_results(graph, made);
}

static pattern two_clips(struct weft_arena *arena) {
    return clip(arena, clip(arena, any(arena)));
}

static void a_chain_becomes_one_node(void **state) {
    assert_partition(*state, two_clips(*state),
                     GRAPH("  " SOFT("a", "0") "  " CLIP("b", "a") "  " CLIP("c", "b"), "%c"),
                     GRAPH("  " SOFT("a", "0") COMPOSITE(
                               "c", "%a", "%a: " T, "    " CLIP("b", "a") "    " CLIP("c", "b")),
                           "%c"));
}

/* From the outputs upwards: the last two of three. */
static void a_node_belongs_to_one_match(void **state) {
    assert_partition(*state, two_clips(*state),
                     GRAPH("  " CLIP("a", "0") "  " CLIP("b", "a") "  " CLIP("c", "b"), "%c"),
                     GRAPH("  " CLIP("a", "0") COMPOSITE(
                               "c", "%a", "%a: " T, "    " CLIP("b", "a") "    " CLIP("c", "b")),
                           "%c"));
}

static void a_value_that_escapes_keeps_its_nodes(void **state) {
    static const char output[] = GRAPH("  " CLIP("b", "0") "  " CLIP("c", "b"), "%c, %b");
    static const char user[] =
        GRAPH("  " CLIP("b", "0") "  " CLIP("c", "b") "  " SOFT("d", "b"), "%c, %d");
    assert_partition(*state, two_clips(*state), output, output);
    assert_partition(*state, two_clips(*state), user, user);
}

/* Both operands are the same value: one input. Several users of the result: it is made once. */
static void shared_values_are_shared(void **state) {
    pattern sum = op2(*state, WEFT_OP_QNN_ADD, any(*state), any(*state));
    assert_partition(
        *state, clip(*state, sum),
        GRAPH("  " ADD("s", "0", "0") "  " CLIP("c", "s") "  " SOFT("d", "c") "  " SOFT("e", "c"),
              "%d, %e, %c"),
        GRAPH(COMPOSITE("c", "%0", "%0: " T,
                        "    " ADD("s", "0", "0") "    " CLIP(
                            "c", "s")) "  " SOFT("d", "c") "  " SOFT("e", "c"),
              "%d, %e, %c"));
}

static void a_diamond_becomes_one_node(void **state) {
    pattern m = bound(*state, clip(*state, any(*state)), "m");
    pattern sum = op2(*state, WEFT_OP_QNN_ADD, m, clip(*state, m));
    assert_partition(
        *state, sum, GRAPH("  " CLIP("m", "0") "  " CLIP("l", "m") "  " ADD("s", "m", "l"), "%s"),
        GRAPH(COMPOSITE("s", "%0", "%0: " T,
                        "    " CLIP("m", "0") "    " CLIP("l", "m") "    " ADD("s", "m", "l")),
              "%s"));
}

static void what_a_parent_dominates_becomes_one_node(void **state) {
    pattern sum = op2(*state, WEFT_OP_QNN_ADD, any(*state), any(*state));
    pattern wanted = weft_pattern_dominates(*state, op1(*state, WEFT_OP_QNN_SOFTMAX, any(*state)),
                                            clip(*state, any(*state)), sum);
    assert_partition(
        *state, wanted,
        GRAPH("  " SOFT("t", "0") "  " CLIP("l", "t") "  " CLIP("r", "t") "  " ADD("s", "l", "r"),
              "%s, %0"),
        GRAPH(COMPOSITE("s", "%0", "%0: " T,
                        "    " SOFT("t", "0") "    " CLIP("r", "t") "    " CLIP(
                            "l", "t") "    " ADD("s", "l", "r")),
              "%s, %0"));
    static const char used[] =
        GRAPH("  " SOFT("t", "0") "  " CLIP("l", "t") "  " ADD("s", "l", "t"), "%s, %l");
    assert_partition(*state, wanted, used, used);
}

#define K(indent) indent "%k = constant() data=[1, 2] : " T "\n"

static void constants_go_where_they_are_used(void **state) {
    pattern sum = op2(*state, WEFT_OP_QNN_ADD, any(*state), weft_pattern_constant(*state));
    /* in two composites, and still outside */
    assert_partition(
        *state, sum, GRAPH(K("  ") "  " ADD("a", "0", "k") "  " ADD("b", "a", "k"), "%b, %k"),
        GRAPH(K("  ") COMPOSITE("a", "%0", "%0: " T, K("    ") "    " ADD("a", "0", "k"))
                  COMPOSITE("b", "%a", "%a: " T, K("    ") "    " ADD("b", "a", "k")),
              "%b, %k"));
    /* inside alone */
    assert_partition(
        *state, sum, GRAPH(K("  ") "  " ADD("a", "0", "k"), "%a"),
        GRAPH(COMPOSITE("a", "%0", "%0: " T, K("    ") "    " ADD("a", "0", "k")), "%a"));
    /* work on constants alone is none */
    static const char alone[] = GRAPH(K("  ") "  " ADD("a", "k", "k"), "%a");
    assert_partition(*state, sum, alone, alone);
}

static void all_results_of_the_root_come_out(void **state) {
    static const char before[] =
        "graph g(%0: 4xi8) {\n  %c = clip(%0) min=0 max=9 : 4xi8\n"
        "  %a, %b = split(%c) axis=0 sizes=[1, 3] : 1xi8, 3xi8\n  return %b, %a\n}\n";
    static const char after[] =
        "graph g(%0: 4xi8) {\n  %a, %b = composite(%0) name=\"c\" body(%0: 4xi8) {\n"
        "    %c = clip(%0) min=0 max=9 : 4xi8\n"
        "    %a, %b = split(%c) axis=0 sizes=[1, 3] : 1xi8, 3xi8\n    return %a, %b\n"
        "  } : 1xi8, 3xi8\n  return %b, %a\n}\n";
    assert_partition(*state, op1(*state, WEFT_OP_SPLIT, clip(*state, any(*state))), before, after);
}

/* Takes matches whose root is not the context. */
static bool is_other(void *context, const struct weft_match *match) {
    return match->root != context;
}

static void a_check_may_refuse(void **state) {
    const struct weft_graph *graph =
        graph_of(*state, GRAPH("  " CLIP("a", "0") "  " CLIP("b", "a") "  " CLIP("c", "b"), "%c"));
    const struct weft_graph *made =
        weft_pattern_partition(graph, two_clips(*state), "c", is_other, value_named(graph, "c"));
    assert_text(made,
                GRAPH(COMPOSITE("b", "%0", "%0: " T,
                                "    " CLIP("a", "0") "    " CLIP("b", "a")) "  " CLIP("c", "b"),
                      "%c"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(a_chain_becomes_one_node),
        ARENA_TEST(a_node_belongs_to_one_match),
        ARENA_TEST(a_value_that_escapes_keeps_its_nodes),
        ARENA_TEST(shared_values_are_shared),
        ARENA_TEST(a_diamond_becomes_one_node),
        ARENA_TEST(what_a_parent_dominates_becomes_one_node),
        ARENA_TEST(constants_go_where_they_are_used),
        ARENA_TEST(all_results_of_the_root_come_out),
        ARENA_TEST(a_check_may_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
