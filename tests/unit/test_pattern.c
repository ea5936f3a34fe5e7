/* compiler/pattern: each construct alone, then what they do together. */
#include "tests/unit/patterns.h"

#include <string.h>

/* ---- one construct at a time ---- */

#define T "4xi8{0.5, 0}"
/* 0 -> a = clip -> b = clip -> c = reshape; d = 0 + b */
static const char chain[] = "graph g(%0: " T ") {\n"
                            "  %k = constant() data=[1, 2, 3, 4] : " T "\n"
                            "  %a = clip(%0) min=0 max=1 : " T "\n"
                            "  %b = clip(%a) min=-2 max=2 : " T "\n"
                            "  %c = reshape(%b) : 2x2xi8{0.5, 0}\n"
                            "  %d = qnn.add(%0, %b) : " T "\n"
                            "  %e = qnn.add(%b, %k) : " T "\n"
                            "  %f = opaque() : " T "\n"
                            "  return %c, %d, %e, %f\n}\n";

static void a_wildcard_is_any_value(void **state) {
    static const char *const names[] = {"0", "k", "a", "c", "d", "f"};
    const struct weft_graph *graph = graph_of(*state, chain);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct weft_match match;
        assert_true(matches(any(*state), graph, names[i], &match));
        assert_ptr_equal(match.root, value_named(graph, names[i]));
        assert_int_equal(match.node_count, 0);
        assert_int_equal(match.binding_count, 0);
    }
}

static void a_constant_is_a_constant_only(void **state) {
    const struct weft_graph *graph = graph_of(*state, chain);
    struct weft_match match;
    assert_true(matches(weft_pattern_constant(*state), graph, "k", &match));
    assert_int_equal(match.node_count, 0);
    assert_false(fits(weft_pattern_constant(*state), graph, "0"));
    assert_false(fits(weft_pattern_constant(*state), graph, "a"));
}

static void an_operator_matches_with_its_inputs(void **state) {
    const struct weft_graph *graph = graph_of(*state, chain);
    struct weft_match match;
    assert_true(matches(clip(*state, any(*state)), graph, "b", &match));
    assert_int_equal(match.node_count, 1);
    assert_ptr_equal(match.nodes[0], node_named(graph, "b"));
    assert_true(matches(clip(*state, clip(*state, any(*state))), graph, "b", &match));
    assert_int_equal(match.node_count, 2);
    assert_ptr_equal(match.nodes[0], node_named(graph, "b"));
    assert_ptr_equal(match.nodes[1], node_named(graph, "a"));
    assert_true(weft_match_has(&match, node_named(graph, "a")));
    assert_false(weft_match_has(&match, node_named(graph, "c")));
    assert_false(fits(clip(*state, clip(*state, any(*state))), graph, "a"));
    assert_false(fits(clip(*state, any(*state)), graph, "c"));
    assert_false(fits(clip(*state, any(*state)), graph, "0"));
    assert_true(
        fits(op2(*state, WEFT_OP_QNN_ADD, any(*state), weft_pattern_constant(*state)), graph, "e"));
    assert_false(
        fits(op2(*state, WEFT_OP_QNN_ADD, weft_pattern_constant(*state), any(*state)), graph, "e"));
}

static void the_number_of_inputs_must_agree(void **state) {
    const struct weft_graph *graph = graph_of(*state, chain);
    assert_false(fits(op1(*state, WEFT_OP_QNN_ADD, any(*state)), graph, "d"));
    assert_false(fits(op2(*state, WEFT_OP_CLIP, any(*state), any(*state)), graph, "a"));
}

static void an_operator_without_inputs_needs_no_list(void **state) {
    const struct weft_graph *graph = graph_of(*state, chain);
    assert_true(fits(weft_pattern_op(*state, WEFT_OP_OPAQUE, 0, NULL), graph, "f"));
    assert_true(fits(weft_pattern_op(*state, WEFT_OP_CONSTANT, 0, NULL), graph, "k"));
    assert_false(fits(weft_pattern_op(*state, WEFT_OP_OPAQUE, 0, NULL), graph, "k"));
}

static void alternatives_are_tried_in_order(void **state) {
    const struct weft_graph *graph = graph_of(*state, chain);
    struct weft_match match;
    pattern one = bound(*state, clip(*state, any(*state)), "one");
    pattern two = bound(*state, clip(*state, clip(*state, any(*state))), "two");
    assert_true(matches(weft_pattern_or(*state, one, two), graph, "b", &match));
    assert_non_null(weft_match_get(&match, "one"));
    assert_null(weft_match_get(&match, "two"));
    assert_int_equal(match.node_count, 1);
    assert_true(matches(weft_pattern_or(*state, two, one), graph, "b", &match));
    assert_non_null(weft_match_get(&match, "two"));
    assert_int_equal(match.node_count, 2);
    assert_true(matches(weft_pattern_or(*state, two, one), graph, "a", &match));
    assert_non_null(weft_match_get(&match, "one"));
    assert_false(fits(weft_pattern_or(*state, two, one), graph, "c"));
}

/* The first alternative binds and takes a node, then fails deep inside. */
static void a_failed_alternative_leaves_nothing_behind(void **state) {
    const struct weft_graph *graph = graph_of(*state, chain);
    struct weft_match match;
    pattern deep = clip(*state, bound(*state, clip(*state, weft_pattern_constant(*state)), "deep"));
    pattern half = op2(*state, WEFT_OP_QNN_ADD, bound(*state, any(*state), "left"), deep);
    pattern whole = op2(*state, WEFT_OP_QNN_ADD, any(*state), bound(*state, any(*state), "right"));
    assert_true(matches(weft_pattern_or(*state, half, whole), graph, "d", &match));
    assert_int_equal(match.node_count, 1);
    assert_int_equal(match.binding_count, 1);
    assert_null(weft_match_get(&match, "left"));
    assert_null(weft_match_get(&match, "deep"));
    assert_ptr_equal(weft_match_get(&match, "right"), value_named(graph, "b"));
}

/* A name that a failed alternative bound can be bound to something else. */
static void a_failed_alternative_frees_its_names(void **state) {
    const struct weft_graph *graph = graph_of(*state, chain);
    struct weft_match match;
    pattern x = bound(*state, any(*state), "x");
    pattern wrong = op2(*state, WEFT_OP_QNN_ADD, x, weft_pattern_constant(*state));
    pattern right = op2(*state, WEFT_OP_QNN_ADD, any(*state), x);
    assert_true(matches(weft_pattern_or(*state, wrong, right), graph, "d", &match));
    assert_ptr_equal(weft_match_get(&match, "x"), value_named(graph, "b"));
}

static void a_chosen_alternative_is_kept(void **state) {
    const struct weft_graph *graph = graph_of(*state, chain);
    pattern x = bound(*state, any(*state), "x");
    pattern y = bound(*state, any(*state), "y");
    /* Only `y` for the first operand would fit the whole; the header says it is not tried. */
    assert_false(fits(op2(*state, WEFT_OP_QNN_ADD, weft_pattern_or(*state, x, y), x), graph, "d"));
    assert_true(fits(op2(*state, WEFT_OP_QNN_ADD, weft_pattern_or(*state, y, x), x), graph, "d"));
}

static void an_optional_operator_may_be_there_or_not(void **state) {
    const struct weft_graph *graph = graph_of(*state, chain);
    struct weft_match match;
    pattern sum = op2(*state, WEFT_OP_QNN_ADD, any(*state), any(*state));
    pattern inner = bound(*state, clip(*state, any(*state)), "inner");
    pattern maybe = weft_pattern_optional(*state, inner, WEFT_OP_RESHAPE);
    assert_true(matches(maybe, graph, "c", &match));
    assert_int_equal(match.node_count, 2);
    assert_ptr_equal(weft_match_get(&match, "inner"), value_named(graph, "b"));
    assert_true(matches(maybe, graph, "b", &match));
    assert_int_equal(match.node_count, 1);
    assert_ptr_equal(weft_match_get(&match, "inner"), value_named(graph, "b"));
    assert_false(fits(weft_pattern_optional(*state, sum, WEFT_OP_RESHAPE), graph, "c"));
    /* The operator itself is also what stands below it. */
    maybe = weft_pattern_optional(*state, clip(*state, any(*state)), WEFT_OP_CLIP);
    assert_true(matches(maybe, graph, "b", &match));
    assert_int_equal(match.node_count, 2);
    assert_true(matches(maybe, graph, "a", &match));
    assert_int_equal(match.node_count, 1);
}

/* ---- conditions ---- */

static void numbers_of_a_node_can_be_asked_for(void **state) {
    const struct weft_graph *graph =
        graph_of(*state, "graph g(%0: 1x4x4x1xi8{0.5, 0}) {\n"
                         "  %a = max_pool2d(%0) kernel=[2, 2] strides=[2, 1] padding=[0, 0, 0, 0]\n"
                         "    : 1x2x3x1xi8{0.5, 0}\n"
                         "  %b = clip(%a) min=0 max=6 reason=\"r\" : 1x2x3x1xi8{0.5, 0}\n"
                         "  return %b\n}\n");
    pattern x = any(*state);
    assert_true(fits(weft_pattern_has_int(*state, x, WEFT_ATTR_max, 6), graph, "b"));
    assert_false(fits(weft_pattern_has_int(*state, x, WEFT_ATTR_max, 5), graph, "b"));
    assert_true(fits(weft_pattern_has_int(*state, x, WEFT_ATTR_min, 0), graph, "b"));
    assert_true(fits(weft_pattern_has_int(*state, x, WEFT_ATTR_kernel, 2), graph, "a"));
    assert_true(fits(weft_pattern_has_int(*state, x, WEFT_ATTR_padding, 0), graph, "a"));
    assert_false(fits(weft_pattern_has_int(*state, x, WEFT_ATTR_strides, 2), graph, "a"));
    assert_false(fits(weft_pattern_has_int(*state, x, WEFT_ATTR_strides, 1), graph, "a"));
    assert_false(fits(weft_pattern_has_int(*state, x, WEFT_ATTR_dilation, 1), graph, "a"));
    assert_false(fits(weft_pattern_has_int(*state, x, WEFT_ATTR_reason, 0), graph, "b"));
    assert_false(fits(weft_pattern_has_int(*state, x, WEFT_ATTR_max, 6), graph, "0"));
    assert_false(fits(weft_pattern_has_int(*state, weft_pattern_constant(*state), WEFT_ATTR_max, 6),
                      graph, "b"));
}

static void element_types_can_be_asked_for(void **state) {
    const struct weft_graph *graph = graph_of(*state, chain);
    assert_true(fits(weft_pattern_has_dtype(*state, any(*state), WEFT_I8), graph, "0"));
    assert_false(fits(weft_pattern_has_dtype(*state, any(*state), WEFT_U8), graph, "0"));
    assert_false(
        fits(weft_pattern_has_dtype(*state, weft_pattern_constant(*state), WEFT_I8), graph, "a"));
}

static void shapes_can_be_asked_for(void **state) {
    const struct weft_graph *graph =
        graph_of(*state, "graph g(%0: 2x3xi8, %1: i8, %2: 0xi8) { return %0 }");
    static const struct {
        const char *name;
        uint32_t rank;
        int64_t dims[3];
        bool fits;
    } cases[] = {
        {"0", 2, {2, 3}, true},   {"0", 2, {-1, 3}, true},       {"0", 2, {2, -1}, true},
        {"0", 2, {-1, -1}, true}, {"0", 2, {3, 2}, false},       {"0", 2, {-1, 2}, false},
        {"0", 1, {2}, false},     {"0", 3, {2, 3, 1}, false},    {"0", 3, {2, 3, -1}, false},
        {"0", 1, {-1}, false},    {"0", 3, {-1, -1, -1}, false}, {"1", 0, {0}, true},
        {"1", 1, {1}, false},     {"2", 1, {0}, true},           {"2", 1, {-1}, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pattern shaped = weft_pattern_has_shape(*state, any(*state), cases[i].rank, cases[i].dims);
        assert_int_equal(fits(shaped, graph, cases[i].name), cases[i].fits);
    }
    assert_false(fits(
        weft_pattern_has_shape(*state, weft_pattern_constant(*state), 2, (const int64_t[]){2, 3}),
        graph, "0"));
}

/* ---- names ---- */

static void a_name_stands_for_one_value(void **state) {
    const struct weft_graph *graph = graph_of(*state, "graph g(%0: " T ", %1: " T ") {\n"
                                                      "  %same = qnn.add(%0, %0) : " T "\n"
                                                      "  %other = qnn.add(%0, %1) : " T "\n"
                                                      "  %twins = qnn.add(%same, %same) : " T "\n"
                                                      "  return %other, %twins\n}\n");
    struct weft_match match;
    pattern x = bound(*state, any(*state), "x");
    assert_true(matches(op2(*state, WEFT_OP_QNN_ADD, x, x), graph, "same", &match));
    assert_int_equal(match.binding_count, 1);
    assert_false(fits(op2(*state, WEFT_OP_QNN_ADD, x, x), graph, "other"));
    /* Two patterns of one name are one name. */
    pattern again = bound(*state, any(*state), "x");
    assert_true(fits(op2(*state, WEFT_OP_QNN_ADD, x, again), graph, "same"));
    assert_false(fits(op2(*state, WEFT_OP_QNN_ADD, x, again), graph, "other"));
    /* A node that is matched twice is listed once. */
    pattern inner = op2(*state, WEFT_OP_QNN_ADD, x, x);
    assert_true(matches(op2(*state, WEFT_OP_QNN_ADD, inner, inner), graph, "twins", &match));
    assert_int_equal(match.node_count, 2);
    assert_null(weft_match_get(&match, "y"));
}

/* A value can carry many names, but not more than a match can remember. */
static void there_is_a_limit_of_names(void **state) {
    const struct weft_graph *graph = graph_of(*state, chain);
    struct weft_match match;
    pattern x = any(*state);
    for (int i = 0; i < WEFT_MATCH_BINDINGS; i++) {
        x = bound(*state, x, weft_arena_print(*state, "n%d", i));
    }
    assert_true(matches(x, graph, "0", &match));
    assert_int_equal(match.binding_count, WEFT_MATCH_BINDINGS);
    assert_true(fits(bound(*state, x, "n3"), graph, "0"));
    assert_false(fits(bound(*state, x, "more"), graph, "0"));
}

static void there_is_a_limit_of_nodes(void **state) {
    struct weft_graph *graph = graph_of(*state, "graph g(%0: " T ") { return %0 }");
    struct weft_value *value = graph->inputs[0];
    const struct weft_attribute limits[] = {weft_attr_int(*state, WEFT_ATTR_min, 0),
                                            weft_attr_int(*state, WEFT_ATTR_max, 1)};
    pattern chained = any(*state);
    struct weft_match match;
    for (int i = 0; i < WEFT_MATCH_NODES + 1; i++) {
        struct weft_node *node = weft_graph_add_node(graph, WEFT_OP_CLIP, 1, &value, 2, limits);
        value = weft_node_add_result(graph, node, &value->type, -1);
        chained = clip(*state, chained);
        assert_int_equal(weft_pattern_match(chained, value, &match), i < WEFT_MATCH_NODES);
    }
}

/* ---- matches with several users ---- */

/* m is used twice inside of what is matched. */
static const char diamond[] = "graph g(%0: " T ") {\n"
                              "  %m = clip(%0) min=0 max=9 : " T "\n"
                              "  %left = clip(%m) min=0 max=1 : " T "\n"
                              "  %sum = qnn.add(%left, %m) : " T "\n"
                              "  %mus = qnn.add(%m, %left) : " T "\n"
                              "  return %sum, %mus\n}\n";

static pattern diamond_pattern(struct weft_arena *arena, bool long_side_first) {
    pattern m = bound(arena, clip(arena, any(arena)), "m");
    pattern left = clip(arena, m);
    return long_side_first ? op2(arena, WEFT_OP_QNN_ADD, left, m)
                           : op2(arena, WEFT_OP_QNN_ADD, m, left);
}

static void assert_users_first(const struct weft_match *match) {
    for (uint32_t i = 0; i < match->node_count; i++) {
        for (uint32_t k = 0; k < match->nodes[i]->input_count; k++) {
            const struct weft_node *producer = match->nodes[i]->inputs[k]->producer;
            for (uint32_t j = 0; j < i; j++) {
                assert_ptr_not_equal(match->nodes[j], producer);
            }
        }
    }
}

static void a_diamond_is_matched_once(void **state) {
    const struct weft_graph *graph = graph_of(*state, diamond);
    struct weft_match match;
    assert_true(matches(diamond_pattern(*state, true), graph, "sum", &match));
    assert_int_equal(match.node_count, 3);
    assert_ptr_equal(weft_match_get(&match, "m"), value_named(graph, "m"));
    assert_users_first(&match);
    assert_false(fits(diamond_pattern(*state, true), graph, "mus"));
    assert_true(matches(diamond_pattern(*state, false), graph, "mus", &match));
    assert_int_equal(match.node_count, 3);
}

static void users_stand_before_producers_on_both_sides_of_a_diamond(void **state) {
    const struct weft_graph *graph = graph_of(*state, diamond);
    struct weft_match match;
    assert_true(matches(diamond_pattern(*state, false), graph, "mus", &match));
    assert_users_first(&match);
}

static void a_diamond_needs_the_same_value_on_both_sides(void **state) {
    const struct weft_graph *graph = graph_of(*state, "graph g(%0: " T ") {\n"
                                                      "  %m = clip(%0) min=0 max=9 : " T "\n"
                                                      "  %n = clip(%0) min=0 max=9 : " T "\n"
                                                      "  %left = clip(%m) min=0 max=1 : " T "\n"
                                                      "  %sum = qnn.add(%left, %n) : " T "\n"
                                                      "  return %sum\n}\n");
    assert_false(fits(diamond_pattern(*state, true), graph, "sum"));
}

/* ---- values that escape ---- */

static bool escapes(struct weft_arena *arena, const char *text, pattern wanted, const char *name) {
    const struct weft_graph *graph = graph_of(arena, text);
    struct weft_match match;
    assert_true(matches(wanted, graph, name, &match));
    return weft_match_escapes(&match, weft_use_index_new(graph));
}

static void a_match_escapes_when_others_use_its_inside(void **state) {
    pattern two = clip(*state, clip(*state, any(*state)));
    pattern m = bound(*state, clip(*state, any(*state)), "m");
    pattern sum = op2(*state, WEFT_OP_QNN_ADD, clip(*state, m), m);
    static const char line[] = "graph g(%0: " T ") {\n"
                               "  %a = clip(%0) min=0 max=1 : " T "\n"
                               "  %b = clip(%a) min=0 max=1 : " T "\n"
                               "  %c = clip(%b) min=0 max=1 : " T "\n";
    assert_false(escapes(*state, weft_arena_print(*state, "%s  return %%c\n}\n", line), two, "b"));
    assert_false(
        escapes(*state, weft_arena_print(*state, "%s  return %%b, %%c\n}\n", line), two, "b"));
    assert_true(
        escapes(*state, weft_arena_print(*state, "%s  return %%a, %%c\n}\n", line), two, "b"));
    assert_true(
        escapes(*state,
                weft_arena_print(
                    *state, "%s  %%d = clip(%%a) min=0 max=1 : " T "\n  return %%d\n}\n", line),
                two, "b"));
    /* In a diamond both users of m are inside; with `mus` a third is not. */
    assert_true(escapes(*state, diamond, sum, "sum"));
    assert_false(escapes(*state,
                         "graph g(%0: " T ") {\n"
                         "  %m = clip(%0) min=0 max=9 : " T "\n"
                         "  %left = clip(%m) min=0 max=1 : " T "\n"
                         "  %sum = qnn.add(%left, %m) : " T "\n"
                         "  return %sum\n}\n",
                         sum, "sum"));
}

/* What a wildcard stands for is not part of the match, even when a body uses it too. */
static void what_stands_outside_does_not_escape(void **state) {
    pattern sum = op2(*state, WEFT_OP_QNN_ADD, any(*state), clip(*state, any(*state)));
    assert_false(escapes(*state,
                         "graph g(%0: " T ") {\n"
                         "  %x = clip(%0) min=0 max=1 : " T "\n"
                         "  %y = clip(%0) min=0 max=1 : " T "\n"
                         "  %sum = qnn.add(%x, %y) : " T "\n"
                         "  %z = clip(%x) min=0 max=1 : " T "\n"
                         "  return %sum, %x, %z, %0\n}\n",
                         sum, "sum"));
}

/* They are what the match makes; of a node inside, others count. */
static void results_of_the_root_do_not_escape(void **state) {
    const char *text = "graph g(%0: 2x2xi8) {\n"
                       "  %a, %b = split(%0) axis=0 sizes=[1, 1] : 1x2xi8, 1x2xi8\n"
                       "  %c = clip(%a) min=0 max=1 : 1x2xi8\n  return %c, %b\n}\n";
    pattern split = op1(*state, WEFT_OP_SPLIT, any(*state));
    assert_false(escapes(*state, text, split, "a"));
    assert_false(escapes(*state, text, split, "b"));
    assert_true(escapes(*state, text, clip(*state, split), "c"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(a_wildcard_is_any_value),
        ARENA_TEST(a_constant_is_a_constant_only),
        ARENA_TEST(an_operator_matches_with_its_inputs),
        ARENA_TEST(the_number_of_inputs_must_agree),
        ARENA_TEST(an_operator_without_inputs_needs_no_list),
        ARENA_TEST(alternatives_are_tried_in_order),
        ARENA_TEST(a_failed_alternative_leaves_nothing_behind),
        ARENA_TEST(a_failed_alternative_frees_its_names),
        ARENA_TEST(a_chosen_alternative_is_kept),
        ARENA_TEST(an_optional_operator_may_be_there_or_not),
        ARENA_TEST(numbers_of_a_node_can_be_asked_for),
        ARENA_TEST(element_types_can_be_asked_for),
        ARENA_TEST(shapes_can_be_asked_for),
        ARENA_TEST(a_name_stands_for_one_value),
        ARENA_TEST(there_is_a_limit_of_names),
        ARENA_TEST(there_is_a_limit_of_nodes),
        ARENA_TEST(a_diamond_is_matched_once),
        ARENA_TEST(users_stand_before_producers_on_both_sides_of_a_diamond),
        ARENA_TEST(a_diamond_needs_the_same_value_on_both_sides),
        ARENA_TEST(a_match_escapes_when_others_use_its_inside),
        ARENA_TEST(what_stands_outside_does_not_escape),
        ARENA_TEST(results_of_the_root_do_not_escape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
