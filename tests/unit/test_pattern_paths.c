/* compiler/pattern: conditions of one's own, operators with many operands or results, several
 * values at once, and paths. */
#include "tests/unit/patterns.h"

#include <string.h>

#define T                     "4xi8{0.5, 0}"
#define CLIP(to, from)        "  %" to " = clip(%" from ") min=0 max=9 : " T "\n"
#define ADD(to, a, b)         "  %" to " = qnn.add(%" a ", %" b ") : " T "\n"
#define TOP(to, from)         "  %" to " = reshape(%" from ") : " T "\n"
#define CONSTANT              "  %k = constant() data=[1, 2, 3, 4] : " T "\n"
#define GRAPH(nodes, outputs) "graph g(%0: " T ", %1: " T ") {\n" nodes "  return " outputs "\n}\n"

/* ---- conditions ---- */

static void operands_of_a_commutative_operator_come_in_any_order(void **state) {
    const struct weft_graph *graph =
        graph_of(*state, GRAPH(CONSTANT CLIP("c", "0") ADD("a", "c", "k") ADD("b", "k", "c")
                                   ADD("d", "0", "k") ADD("e", "c", "c"),
                               "%a, %b, %d, %e"));
    pattern number = bound(*state, weft_pattern_constant(*state), "k");
    pattern limited = bound(*state, clip(*state, any(*state)), "c");
    pattern sum = weft_pattern_commutative(*state, WEFT_OP_QNN_ADD, limited, number);
    struct weft_match match;
    assert_true(matches(sum, graph, "a", &match));
    assert_true(matches(sum, graph, "b", &match));
    assert_ptr_equal(weft_match_get(&match, "c"), value_named(graph, "c"));
    assert_ptr_equal(weft_match_get(&match, "k"), value_named(graph, "k"));
    assert_false(fits(sum, graph, "d"));
    assert_false(fits(sum, graph, "e"));
}

static void attributes_can_be_asked_for(void **state) {
    const struct weft_graph *graph = graph_of(
        *state, GRAPH(CLIP("c", "0") "  %p = pad(%0) pads=[1, 2] : 7xi8{0.5, 0}\n"
                                     "  %s = qnn.softmax(%0) beta=0.5 : " T "\n"
                                     "  %q = composite(%0) name=\"mine\" body(%0: " T ") {\n"
                                     "    return %0\n  } : " T "\n",
                      "%c, %p, %s, %q"));
    const int64_t pads[] = {1, 2};
    const int64_t others[] = {1, 3};
    const struct {
        const char *name;
        struct weft_attribute attribute;
        bool has;
    } cases[] = {
        {"c", weft_attr_int(*state, WEFT_ATTR_max, 9), true},
        {"c", weft_attr_int(*state, WEFT_ATTR_max, 8), false},
        {"c", weft_attr_ints(*state, WEFT_ATTR_pads, 2, pads), false},
        {"p", weft_attr_ints(*state, WEFT_ATTR_pads, 2, pads), true},
        {"p", weft_attr_ints(*state, WEFT_ATTR_pads, 2, others), false},
        {"p", weft_attr_ints(*state, WEFT_ATTR_pads, 1, pads), false},
        {"s", {.key = WEFT_ATTR_beta, .number = 0.5}, true},
        {"s", {.key = WEFT_ATTR_beta, .number = 1.0}, false},
        {"q", weft_attr_text(WEFT_ATTR_name, "mine"), true},
        {"q", weft_attr_text(WEFT_ATTR_name, "yours"), false},
        {"0", weft_attr_text(WEFT_ATTR_name, "mine"), false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pattern wanted = weft_pattern_has_attr(*state, any(*state), cases[i].attribute);
        assert_int_equal(fits(wanted, graph, cases[i].name), cases[i].has);
    }
    /* The inner pattern counts as well. */
    assert_false(fits(weft_pattern_has_attr(*state, op1(*state, WEFT_OP_RESHAPE, any(*state)),
                                            cases[0].attribute),
                      graph, "c"));
}

static void types_can_be_asked_for(void **state) {
    const struct weft_graph *graph =
        graph_of(*state, GRAPH(CLIP("a", "0") "  %b = reshape(%0) : 2x2xi8{0.5, 0}\n", "%a, %b"));
    struct weft_type type = value_named(graph, "0")->type;
    assert_true(fits(weft_pattern_has_type(*state, any(*state), &type), graph, "a"));
    assert_false(fits(weft_pattern_has_type(*state, any(*state), &type), graph, "b"));
    type.quantization = weft_quantization_make(*state, 0.5, 1);
    assert_false(fits(weft_pattern_has_type(*state, any(*state), &type), graph, "a"));
    type.quantization = weft_quantization_make(*state, 0.5, 0);
    assert_true(fits(weft_pattern_has_type(*state, any(*state), &type), graph, "a"));
    type.dtype = WEFT_U8;
    assert_false(fits(weft_pattern_has_type(*state, any(*state), &type), graph, "a"));
}

/* Is the value the one that the context points to? */
static bool is_value(void *context, const struct weft_value *value) {
    return value == context;
}

static void a_test_of_ones_own_decides(void **state) {
    const struct weft_graph *graph =
        graph_of(*state, GRAPH(CLIP("a", "0") CLIP("b", "0") ADD("c", "a", "b"), "%c"));
    pattern first =
        weft_pattern_where(*state, clip(*state, any(*state)), is_value, value_named(graph, "a"));
    assert_true(fits(first, graph, "a"));
    assert_false(fits(first, graph, "b"));
    assert_true(fits(op2(*state, WEFT_OP_QNN_ADD, first, any(*state)), graph, "c"));
    assert_false(fits(op2(*state, WEFT_OP_QNN_ADD, any(*state), first), graph, "c"));
}

/* ---- many operands, many results, many values ---- */

#define JOIN(to, list) "  %" to " = concatenate(" list ") axis=0 : 12xi8{0.5, 0}\n"

static void each_operand_of_a_list_must_match(void **state) {
    const struct weft_graph *graph = graph_of(
        *state, GRAPH(CLIP("a", "0") CLIP("b", "1") CLIP("c", "0") JOIN("all", "%a, %b, %c")
                          JOIN("twice", "%a, %a, %b") JOIN("not", "%a, %1, %c"),
                      "%all, %twice, %not"));
    pattern joined = weft_pattern_op_each(*state, WEFT_OP_CONCATENATE, clip(*state, any(*state)));
    struct weft_match match;
    assert_true(matches(joined, graph, "all", &match));
    assert_int_equal(match.node_count, 4);
    assert_true(matches(joined, graph, "twice", &match));
    assert_int_equal(match.node_count, 3);
    assert_false(fits(joined, graph, "not"));
    /* A name stands for one value, so all must come from it. */
    pattern same = weft_pattern_op_each(*state, WEFT_OP_CONCATENATE,
                                        clip(*state, bound(*state, any(*state), "x")));
    assert_false(fits(same, graph, "all"));
}

static void a_name_inside_of_a_list_is_one_value(void **state) {
    const struct weft_graph *graph =
        graph_of(*state, GRAPH(CLIP("a", "0") CLIP("b", "0") JOIN("j", "%a, %b, %a"), "%j"));
    pattern x = bound(*state, any(*state), "x");
    assert_true(
        fits(weft_pattern_op_each(*state, WEFT_OP_CONCATENATE, clip(*state, x)), graph, "j"));
    assert_false(fits(weft_pattern_op_each(*state, WEFT_OP_CONCATENATE, x), graph, "j"));
}

static void results_are_told_apart(void **state) {
    const struct weft_graph *graph =
        graph_of(*state, GRAPH("  %a, %b = split(%0) axis=0 sizes=[2, 2] : 2xi8{0.5, 0}, "
                               "2xi8{0.5, 0}\n"
                               "  %s = qnn.add(%a, %b) : 2xi8{0.5, 0}\n"
                               "  %t = qnn.add(%b, %a) : 2xi8{0.5, 0}\n",
                               "%s, %t"));
    pattern split = op1(*state, WEFT_OP_SPLIT, any(*state));
    pattern first = weft_pattern_result(*state, split, 0);
    pattern second = weft_pattern_result(*state, split, 1);
    assert_true(fits(split, graph, "b"));
    assert_true(fits(second, graph, "b"));
    assert_false(fits(first, graph, "b"));
    assert_false(fits(weft_pattern_result(*state, any(*state), 0), graph, "0"));
    struct weft_match match;
    assert_true(matches(op2(*state, WEFT_OP_QNN_ADD, first, second), graph, "s", &match));
    assert_int_equal(match.node_count, 2);
    assert_false(fits(op2(*state, WEFT_OP_QNN_ADD, first, second), graph, "t"));
}

static void several_values_are_matched_at_once(void **state) {
    const struct weft_graph *graph =
        graph_of(*state, GRAPH(CLIP("a", "0") CLIP("b", "0") CLIP("c", "1") ADD("d", "a", "b"),
                               "%a, %b, %c, %d"));
    pattern limited = clip(*state, bound(*state, any(*state), "x"));
    const struct weft_pattern *two[] = {limited, limited};
    struct weft_value *same[] = {value_named(graph, "a"), value_named(graph, "b")};
    struct weft_value *other[] = {value_named(graph, "a"), value_named(graph, "c")};
    struct weft_match match;
    assert_true(weft_pattern_match_tuple(2, two, same, &match));
    assert_ptr_equal(match.root, same[0]);
    assert_int_equal(match.node_count, 2);
    assert_false(weft_pattern_match_tuple(2, two, other, &match));
    /* Users stand before producers, whatever the order of the values. */
    const struct weft_pattern *nested[] = {limited,
                                           op2(*state, WEFT_OP_QNN_ADD, any(*state), any(*state))};
    struct weft_value *below[] = {value_named(graph, "a"), value_named(graph, "d")};
    assert_true(weft_pattern_match_tuple(2, nested, below, &match));
    assert_ptr_equal(match.nodes[0], node_named(graph, "d"));
    assert_true(weft_pattern_match_tuple(0, NULL, NULL, &match));
    assert_null(match.root);
}

static void an_operator_of_the_pattern_says_its_node(void **state) {
    const struct weft_graph *graph =
        graph_of(*state, GRAPH(CLIP("a", "0") CLIP("b", "a") ADD("c", "b", "1"), "%c"));
    pattern inner = clip(*state, any(*state));
    pattern outer = clip(*state, inner);
    pattern missing = op1(*state, WEFT_OP_RESHAPE, any(*state));
    struct weft_match match;
    assert_true(
        matches(op2(*state, WEFT_OP_QNN_ADD, weft_pattern_or(*state, missing, outer), any(*state)),
                graph, "c", &match));
    assert_ptr_equal(weft_match_node(&match, inner), node_named(graph, "a"));
    assert_ptr_equal(weft_match_node(&match, outer), node_named(graph, "b"));
    assert_null(weft_match_node(&match, missing));
}

/* ---- paths: from an addition over clips up to a reshape ---- */

static pattern sum_over_clips(struct weft_arena *arena) {
    pattern top = bound(arena, op1(arena, WEFT_OP_RESHAPE, any(arena)), "top");
    pattern sum = op2(arena, WEFT_OP_QNN_ADD, any(arena), any(arena));
    return weft_pattern_dominates(arena, top, clip(arena, any(arena)), sum);
}

/* How many nodes the match at %s has; 0: there is none. */
static uint32_t dominated(struct weft_arena *arena, const char *text) {
    const struct weft_graph *graph = graph_of(arena, text);
    struct weft_match match;
    if (!matches(sum_over_clips(arena), graph, "s", &match)) {
        return 0;
    }
    assert_ptr_equal(weft_match_get(&match, "top"), value_named(graph, "t"));
    assert_ptr_equal(match.nodes[0], node_named(graph, "s"));
    assert_ptr_equal(match.nodes[match.node_count - 1], node_named(graph, "t"));
    return match.node_count;
}

static void all_ways_lead_to_the_parent(void **state) {
    assert_int_equal(dominated(*state, GRAPH(TOP("t", "0") ADD("s", "t", "t"), "%s")), 2);
    assert_int_equal(
        dominated(*state,
                  GRAPH(TOP("t", "0") CLIP("l", "t") CLIP("r", "t") ADD("s", "l", "r"), "%s")),
        4);
    /* Ways of different lengths, which part again. */
    assert_int_equal(dominated(*state, GRAPH(TOP("t", "0") CLIP("a", "t") CLIP("b", "a")
                                                 CLIP("c", "b") ADD("s", "c", "a"),
                                             "%s")),
                     5);
    assert_int_equal(
        dominated(*state, GRAPH(CONSTANT TOP("t", "0") CLIP("l", "t") ADD("s", "k", "l"), "%s")),
        3);
}

static void a_way_past_the_parent_is_none(void **state) {
    /* to an input of the graph */
    assert_int_equal(
        dominated(*state, GRAPH(TOP("t", "0") CLIP("l", "t") ADD("s", "l", "1"), "%s")), 0);
    assert_int_equal(
        dominated(*state, GRAPH(TOP("t", "0") CLIP("r", "0") ADD("s", "t", "r"), "%s")), 0);
    /* to another parent */
    assert_int_equal(dominated(*state, GRAPH(TOP("t", "0") TOP("u", "0") ADD("s", "t", "u"), "%s")),
                     0);
    /* over an operator that is no path */
    assert_int_equal(
        dominated(*state, GRAPH(TOP("t", "0") ADD("x", "t", "t") ADD("s", "x", "t"), "%s")), 0);
    /* only constants */
    assert_int_equal(dominated(*state, GRAPH(CONSTANT ADD("s", "k", "k"), "%s")), 0);
}

static void a_way_longer_than_a_match_is_none(void **state) {
    const char *text = "graph g(%0: " T ") {\n" TOP("t", "0") CLIP("c0", "t");
    for (int i = 1; i < WEFT_MATCH_NODES + 2; i++) {
        text = weft_arena_print(*state, "%s  %%c%d = clip(%%c%d) min=0 max=9 : " T "\n", text, i,
                                i - 1);
    }
    const struct {
        int last;
        uint32_t nodes;
    } cases[] = {{WEFT_MATCH_NODES - 3, WEFT_MATCH_NODES},
                 {WEFT_MATCH_NODES - 2, 0},
                 {WEFT_MATCH_NODES + 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *whole =
            weft_arena_print(*state, "%s  %%s = qnn.add(%%c%d, %%t) : " T "\n  return %%s\n}\n",
                             text, cases[i].last);
        assert_int_equal(dominated(*state, whole), cases[i].nodes);
    }
}

/* A value on the way that others use: the match is there, but it cannot be replaced. */
static void a_way_may_escape(void **state) {
    static const char *const outputs[] = {"%s", "%s, %l", "%s, %t"};
    for (size_t i = 0; i < 3; i++) {
        const struct weft_graph *graph = graph_of(
            *state, weft_arena_print(*state, "graph g(%%0: " T ") {\n%s  return %s\n}\n",
                                     TOP("t", "0") CLIP("l", "t") ADD("s", "l", "t"), outputs[i]));
        struct weft_match match;
        assert_true(matches(sum_over_clips(*state), graph, "s", &match));
        assert_int_equal(weft_match_escapes(&match, weft_use_index_new(graph)), i > 0);
    }
}

/* The operators of the child's own pattern belong to the child: all their inputs count. */
static void a_child_may_be_of_several_operators(void **state) {
    pattern top = op1(*state, WEFT_OP_RESHAPE, any(*state));
    pattern deep = op2(*state, WEFT_OP_QNN_ADD,
                       op2(*state, WEFT_OP_QNN_ADD, any(*state), any(*state)), any(*state));
    pattern wanted = weft_pattern_dominates(*state, top, clip(*state, any(*state)), deep);
    static const char good[] =
        GRAPH(TOP("t", "0") CLIP("l", "t") ADD("x", "l", "t") ADD("s", "x", "l"), "%s");
    static const char bad[] =
        GRAPH(TOP("t", "0") CLIP("l", "t") ADD("x", "l", "1") ADD("s", "x", "l"), "%s");
    assert_true(fits(wanted, graph_of(*state, good), "s"));
    assert_false(fits(wanted, graph_of(*state, bad), "s"));
}

/* Inside a larger pattern, and as the first of two alternatives that leaves nothing behind. */
static void paths_are_patterns_like_others(void **state) {
    pattern wanted = clip(*state, weft_pattern_or(*state, sum_over_clips(*state), any(*state)));
    const struct weft_graph *graph =
        graph_of(*state, GRAPH(TOP("t", "0") CLIP("l", "t") ADD("s", "l", "t") CLIP("c", "s")
                                   ADD("x", "l", "1") CLIP("d", "x"),
                               "%c, %d"));
    struct weft_match match;
    assert_true(matches(wanted, graph, "c", &match));
    assert_int_equal(match.node_count, 4);
    assert_true(matches(wanted, graph, "d", &match));
    assert_int_equal(match.node_count, 1);
    assert_int_equal(match.binding_count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(operands_of_a_commutative_operator_come_in_any_order),
        ARENA_TEST(attributes_can_be_asked_for),
        ARENA_TEST(types_can_be_asked_for),
        ARENA_TEST(a_test_of_ones_own_decides),
        ARENA_TEST(each_operand_of_a_list_must_match),
        ARENA_TEST(a_name_inside_of_a_list_is_one_value),
        ARENA_TEST(results_are_told_apart),
        ARENA_TEST(several_values_are_matched_at_once),
        ARENA_TEST(an_operator_of_the_pattern_says_its_node),
        ARENA_TEST(all_ways_lead_to_the_parent),
        ARENA_TEST(a_way_past_the_parent_is_none),
        ARENA_TEST(a_way_longer_than_a_match_is_none),
        ARENA_TEST(a_way_may_escape),
        ARENA_TEST(a_child_may_be_of_several_operators),
        ARENA_TEST(paths_are_patterns_like_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
