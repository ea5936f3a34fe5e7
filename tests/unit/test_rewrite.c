/* compiler/pattern: the rewriter, and partition by pattern. */
#include "tests/unit/graphs.h"

#include <stdio.h>
#include <string.h>

#include "compiler/pattern/rewrite.h"

#define T                        "4xi8{0.5, 0}"
#define CLIP(to, from, min, max) "  %" to " = clip(%" from ") min=" min " max=" max " : " T "\n"
#define ADD(to, a, b)            "  %" to " = qnn.add(%" a ", %" b ") : " T "\n"
#define GRAPH(nodes, outputs)    "graph g(%0: " T ") {\n" nodes "  return " outputs "\n}\n"

static struct weft_pattern *unary(struct weft_arena *arena, enum weft_operator op,
                                  struct weft_pattern *input) {
    return weft_pattern_op(arena, op, 1, &input);
}

static struct weft_pattern *clip_of(struct weft_arena *arena, struct weft_pattern *input) {
    return unary(arena, WEFT_OP_CLIP, input);
}

static struct weft_value *make_clip(struct weft_rewrite *rewrite, struct weft_value *x, int64_t min,
                                    int64_t max) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const struct weft_attribute limits[] = {weft_attr_int(arena, WEFT_ATTR_min, min),
                                            weft_attr_int(arena, WEFT_ATTR_max, max)};
    return weft_rewrite_node(rewrite, WEFT_OP_CLIP, 1, &x, 2, limits, &x->type);
}

/* Runs one rule; the result must be good and, but for names, `after`. */
static const struct weft_graph *assert_rewrites(struct weft_arena *arena, struct weft_rule rule,
                                                const char *before, const char *after) {
    struct weft_error error;
    const struct weft_graph *graph = graph_of(arena, before);
    const struct weft_graph *made = weft_rewrite(graph, 1, &rule);
    ASSERT_GOOD(weft_graph_verify(made, &error), error);
    assert_text(made, after);
    assert_text(graph, before);
    return made;
}

/* ---- rules ---- */

/* clip(clip(x)): limits meet. */
static struct weft_value *join(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *outer = site->post->producer;
    const struct weft_node *inner = outer->inputs[0]->producer;
    int64_t min = weft_node_int(outer, WEFT_ATTR_min);
    int64_t max = weft_node_int(outer, WEFT_ATTR_max);
    int64_t low = weft_node_int(inner, WEFT_ATTR_min);
    int64_t high = weft_node_int(inner, WEFT_ATTR_max);
    return make_clip(rewrite, inner->inputs[0],
                     low < min   ? min
                     : low > max ? max
                                 : low,
                     high < min   ? min
                     : high > max ? max
                                  : high);
}

static struct weft_rule join_rule(struct weft_arena *arena) {
    struct weft_pattern *any = weft_pattern_wildcard(arena);
    return (struct weft_rule){clip_of(arena, clip_of(arena, any)), join, NULL};
}

/* The operand of a node instead of the node. */
static struct weft_value *take_operand(struct weft_rewrite *rewrite, const struct weft_site *site) {
    (void)rewrite;
    return site->post->producer->inputs[0];
}

static struct weft_value *join_alone(struct weft_rewrite *rewrite, const struct weft_site *site) {
    return weft_rewrite_escapes(rewrite, site->match) ? NULL : join(rewrite, site);
}

/* ---- one walk ---- */

static void later_rules_see_what_earlier_ones_made(void **state) {
    assert_rewrites(*state, join_rule(*state),
                    GRAPH(CLIP("a", "0", "-50", "50") CLIP("b", "a", "-40", "60")
                              CLIP("c", "b", "-60", "30") CLIP("d", "c", "-9", "99"),
                          "%d"),
                    GRAPH(CLIP("d", "0", "-9", "30"), "%d"));
}

static void a_value_that_others_use_stays(void **state) {
    assert_rewrites(*state, join_rule(*state),
                    GRAPH(CLIP("a", "0", "-50", "50") CLIP("b", "a", "-40", "60")
                              CLIP("c", "b", "-60", "30"),
                          "%c, %b"),
                    GRAPH(CLIP("b", "0", "-40", "50") CLIP("c", "0", "-40", "30"), "%c, %b"));
    /* A rule can ask. */
    struct weft_rule rule = join_rule(*state);
    rule.rewrite = join_alone;
    static const char shared[] =
        GRAPH(CLIP("a", "0", "-50", "50") CLIP("b", "a", "-40", "60") ADD("c", "b", "a"), "%c");
    assert_rewrites(*state, rule, shared, shared);
}

/* Both sides of the diamond are joined with its top, which nothing uses then. */
static void diamonds_keep_one_top(void **state) {
    assert_rewrites(
        *state, join_rule(*state),
        GRAPH(CLIP("t", "0", "-50", "50") CLIP("l", "t", "-40", "60") CLIP("r", "t", "0", "9")
                  ADD("s", "l", "r"),
              "%s"),
        GRAPH(CLIP("l", "0", "-40", "50") CLIP("r", "0", "0", "9") ADD("s", "l", "r"), "%s"));
    struct weft_rule rule = join_rule(*state);
    rule.rewrite = join_alone;
    static const char kept[] =
        GRAPH(CLIP("t", "0", "-50", "50") CLIP("l", "t", "-40", "60") ADD("s", "l", "t"), "%s");
    assert_rewrites(*state, rule, kept, kept);
}

static void an_operand_used_twice_is_replaced_twice(void **state) {
    const struct weft_rule rule = {clip_of(*state, weft_pattern_wildcard(*state)), take_operand,
                                   NULL};
    assert_rewrites(*state, rule, GRAPH(CLIP("a", "0", "0", "9") ADD("b", "a", "a"), "%b, %a"),
                    GRAPH(ADD("b", "0", "0"), "%b, %0"));
}

static void what_was_dead_stays_what_becomes_dead_goes(void **state) {
    assert_rewrites(*state, join_rule(*state),
                    GRAPH(CLIP("dead", "0", "1", "2") CLIP("a", "0", "-50", "50")
                              CLIP("b", "a", "-40", "60"),
                          "%b"),
                    GRAPH(CLIP("dead", "0", "1", "2") CLIP("b", "0", "-40", "50"), "%b"));
}

/* ---- what a rule gets and gives ---- */

struct seen {
    const struct weft_graph *graph;
    size_t copied, made;
};

/* Notes what it sees, and puts a clip in the place of a clip whose limits it has not made. */
static struct weft_value *look(struct weft_rewrite *rewrite, const struct weft_site *site) {
    struct seen *seen = site->context;
    struct weft_value *x = weft_match_get(site->match, "x");
    assert_ptr_equal(site->match->root, site->post);
    assert_ptr_equal(x, site->post->producer->inputs[0]);
    if (site->pre == NULL) {
        seen->made++;
        return NULL;
    }
    seen->copied++;
    assert_ptr_equal(site->pre, value_named(seen->graph, site->post->name));
    assert_ptr_not_equal(site->pre, site->post);
    assert_ptr_equal(x, weft_rewrite_map(rewrite, site->pre->producer->inputs[0]));
    return make_clip(rewrite, x, 0, 1);
}

static void a_rule_sees_before_and_after(void **state) {
    struct seen seen = {0};
    struct weft_pattern *x = weft_pattern_bind(*state, weft_pattern_wildcard(*state), "x");
    const struct weft_rule rule = {clip_of(*state, x), look, &seen};
    seen.graph = graph_of(*state, GRAPH(CLIP("a", "0", "3", "4") CLIP("b", "a", "5", "6"), "%b"));
    const struct weft_graph *made = weft_rewrite(seen.graph, 1, &rule);
    assert_text(made, GRAPH(CLIP("a", "0", "0", "1") CLIP("b", "a", "0", "1"), "%b"));
    assert_int_equal(seen.copied, 2);
    assert_int_equal(seen.made, 2);
}

static struct weft_value *never(struct weft_rewrite *rewrite, const struct weft_site *site) {
    (void)rewrite;
    (void)site;
    fail();
    return NULL;
}

static void the_first_rule_that_applies_is_taken(void **state) {
    struct weft_pattern *clip = clip_of(*state, weft_pattern_wildcard(*state));
    const struct weft_rule rules[] = {
        join_rule(*state), {clip, take_operand, NULL}, {clip, never, NULL}};
    const struct weft_graph *graph =
        graph_of(*state, GRAPH(CLIP("a", "0", "3", "4") CLIP("b", "a", "5", "6"), "%b"));
    assert_int_equal(weft_rewrite(graph, 3, rules)->node_count, 0);
    assert_int_equal(weft_rewrite(graph, 0, NULL)->node_count, 2);
}

static void a_value_of_another_type_is_not_taken(void **state) {
    const struct weft_rule rule = {unary(*state, WEFT_OP_RESHAPE, weft_pattern_wildcard(*state)),
                                   take_operand, NULL};
    assert_rewrites(
        *state, rule,
        GRAPH("  %a = reshape(%0) : 2x2xi8{0.5, 0}\n  %b = reshape(%a) : " T "\n"
              "  %c = reshape(%b) : " T "\n",
              "%c"),
        GRAPH("  %a = reshape(%0) : 2x2xi8{0.5, 0}\n  %b = reshape(%a) : " T "\n", "%b"));
}

/* Names and tensor indices go over to what is made, not to what was there. */
static void tensors_of_the_model_keep_their_index(void **state) {
    const struct weft_graph *made = assert_rewrites(
        *state, join_rule(*state),
        "graph g(%0: " T " #0) {\n  %a = clip(%0) min=0 max=9 : " T " #1\n"
        "  %b = clip(%a) min=1 max=8 : " T " #2\n  return %b\n}\n",
        "graph g(%0: " T " #0) {\n  %b = clip(%0) min=1 max=8 : " T " #2\n  return %b\n}\n");
    assert_int_equal(made->outputs[0]->tensor, 2);
    const struct weft_rule rule = {clip_of(*state, weft_pattern_wildcard(*state)), take_operand,
                                   NULL};
    assert_rewrites(*state, rule,
                    "graph g(%0: " T " #0) {\n  %a = clip(%0) min=0 max=9 : " T " #1\n"
                    "  return %a\n}\n",
                    "graph g(%0: " T " #0) {\n  return %0\n}\n");
}

static struct weft_value *make_in_vain(struct weft_rewrite *rewrite, const struct weft_site *site) {
    struct weft_value *x = site->post->producer->inputs[0];
    static const int8_t data[4] = {1, 2, 3, 4};
    (void)weft_rewrite_constant(rewrite, &x->type, data);
    struct weft_value *vain = make_clip(rewrite, make_clip(rewrite, x, 5, 6), 7, 8);
    assert_int_equal(weft_rewrite_uses(rewrite, vain), 0);
    return NULL;
}

static void what_is_made_in_vain_goes(void **state) {
    static const char text[] = GRAPH(ADD("a", "0", "0"), "%a");
    struct weft_pattern *any = weft_pattern_wildcard(*state);
    const struct weft_rule rule = {
        weft_pattern_op(*state, WEFT_OP_QNN_ADD, 2, (struct weft_pattern *[]){any, any}),
        make_in_vain, NULL};
    assert_rewrites(*state, rule, text, text);
}

/* An addition becomes an addition of a clip and a constant. */
static struct weft_value *build(struct weft_rewrite *rewrite, const struct weft_site *site) {
    static const int8_t data[4] = {1, 2, 3, 4};
    if (site->pre == NULL) {
        return NULL;
    }
    struct weft_value *x = site->post->producer->inputs[0];
    struct weft_value *clip = make_clip(rewrite, x, 0, 1);
    struct weft_value *inputs[2] = {clip, weft_rewrite_constant(rewrite, &x->type, data)};
    return weft_rewrite_copy(rewrite, site->post->producer, inputs, &site->post->type);
}

static void rules_can_make_many_nodes(void **state) {
    struct weft_pattern *any = weft_pattern_wildcard(*state);
    const struct weft_rule rule = {
        weft_pattern_op(*state, WEFT_OP_QNN_ADD, 2, (struct weft_pattern *[]){any, any}), build,
        NULL};
    assert_rewrites(
        *state, rule, GRAPH(ADD("a", "0", "0"), "%a"),
        GRAPH(CLIP("made0", "0", "0", "1") "  %made1 = constant() data=[1, 2, 3, 4] : " T
                                           "\n" ADD("a", "made0", "made1"),
              "%a"));
}

/* ---- uses ---- */

/* Drops every clip, but remembers the first one and brings it back for additions. */
static struct weft_value *drop_and_remember(struct weft_rewrite *rewrite,
                                            const struct weft_site *site) {
    struct weft_value **kept = site->context;
    if (site->post->producer->op == WEFT_OP_CLIP) {
        assert_int_equal(weft_rewrite_uses(rewrite, site->post), *kept == NULL ? 1 : 2);
        *kept = *kept == NULL ? site->post : *kept;
        return site->post->producer->inputs[0];
    }
    assert_int_equal(weft_rewrite_uses(rewrite, *kept), 0);
    return *kept;
}

static void a_node_that_was_given_up_can_come_back(void **state) {
    struct weft_value *kept = NULL;
    struct weft_pattern *any = weft_pattern_wildcard(*state);
    struct weft_pattern *add =
        weft_pattern_op(*state, WEFT_OP_QNN_ADD, 2, (struct weft_pattern *[]){any, any});
    const struct weft_rule rule = {weft_pattern_or(*state, clip_of(*state, any), add),
                                   drop_and_remember, &kept};
    assert_rewrites(*state, rule,
                    GRAPH("  %r = reshape(%0) : " T "\n" CLIP("a", "r", "0", "9")
                              CLIP("b", "a", "0", "9") ADD("c", "b", "b"),
                          "%c"),
                    GRAPH("  %r = reshape(%0) : " T "\n" CLIP("a", "r", "0", "9"), "%a"));
}

static void each_result_is_offered(void **state) {
    const struct weft_rule rule = {
        weft_pattern_result(*state, unary(*state, WEFT_OP_SPLIT, weft_pattern_wildcard(*state)), 1),
        take_operand, NULL};
    assert_rewrites(*state, rule,
                    "graph g(%0: 2xi8) {\n  %a, %b = split(%0) axis=0 sizes=[0, 2] : 0xi8, 2xi8\n"
                    "  return %b\n}\n",
                    "graph g(%0: 2xi8) {\n  return %0\n}\n");
    assert_rewrites(*state, rule,
                    "graph g(%0: 2xi8) {\n  %a, %b = split(%0) axis=0 sizes=[0, 2] : 0xi8, 2xi8\n"
                    "  return %b, %a\n}\n",
                    "graph g(%0: 2xi8) {\n  %a, %b = split(%0) axis=0 sizes=[0, 2] : 0xi8, 2xi8\n"
                    "  return %0, %a\n}\n");
}

/* ---- ends ---- */

static struct weft_value *grow(struct weft_rewrite *rewrite, const struct weft_site *site) {
    return make_clip(rewrite, site->post, 0, 1);
}

static void rules_without_end_are_stopped(void **state) {
    const struct weft_rule rule = {clip_of(*state, weft_pattern_wildcard(*state)), grow, NULL};
    struct weft_error error;
    const struct weft_graph *graph =
        graph_of(*state, GRAPH(CLIP("a", "0", "0", "1") CLIP("b", "a", "0", "1"), "%b"));
    const struct weft_graph *made = weft_rewrite(graph, 1, &rule);
    ASSERT_GOOD(weft_graph_verify(made, &error), error);
    assert_true(made->node_count > 2 && made->node_count < 100);
    assert_same_results(graph, made);
}

static void long_chains_collapse(void **state) {
    enum {
        LENGTH = 100000
    };
    struct weft_graph *graph = weft_graph_new(*state, "g");
    struct weft_type type = weft_type_make(WEFT_I8, 1, (const int64_t[]){2});
    struct weft_value *value = weft_graph_add_input(graph, &type, "x", -1);
    for (int i = 0; i < LENGTH; i++) {
        const struct weft_attribute limits[] = {weft_attr_int(*state, WEFT_ATTR_min, -100 + i % 7),
                                                weft_attr_int(*state, WEFT_ATTR_max, 100)};
        value = weft_node_add_result(
            graph, weft_graph_add_node(graph, WEFT_OP_CLIP, 1, &value, 2, limits), &type, -1);
    }
    weft_graph_add_output(graph, value);
    const struct weft_rule rule = join_rule(*state);
    const struct weft_graph *made = weft_rewrite(graph, 1, &rule);
    assert_int_equal(made->node_count, 1);
    assert_int_equal(weft_node_int(made->nodes[0], WEFT_ATTR_min), -94);
    /* Nothing applies: a copy. */
    const struct weft_rule none = {unary(*state, WEFT_OP_RESHAPE, weft_pattern_wildcard(*state)),
                                   never, NULL};
    assert_int_equal(weft_rewrite(graph, 1, &none)->node_count, LENGTH);
}

/* ---- random graphs ---- */

static const char *random_graph(struct weft_arena *arena, uint64_t *seed) {
    const char *text = "graph g(%0: " T ", %1: " T ") {\n";
    for (int i = 2; i < 30; i++) {
        int a = (int)random_in(seed, i < 6 ? 0 : i - 6, i - 1);
        int b = (int)random_in(seed, 0, i - 1);
        int min = (int)random_in(seed, -128, 127);
        text =
            random_once_in(seed, 3)
                ? weft_arena_print(arena, "%s  %%%d = qnn.add(%%%d, %%%d) : %s\n", text, i, a, b, T)
                : weft_arena_print(arena, "%s  %%%d = clip(%%%d) min=%d max=%d : %s\n", text, i, a,
                                   min, (int)random_in(seed, min, 127), T);
    }
    return weft_arena_print(arena, "%s  return %%29, %%%d, %%28\n}\n", text,
                            (int)random_in(seed, 0, 29));
}

static void random_graphs_compute_the_same(void **state) {
    uint64_t seed = 99;
    (void)state;
    for (int i = 0; i < 300; i++) {
        struct weft_arena arena = {0};
        struct weft_error error;
        struct weft_rule rule = join_rule(&arena);
        const struct weft_graph *graph = graph_of(&arena, random_graph(&arena, &seed));
        if (i % 2 == 0) {
            rule.rewrite = join_alone;
        }
        const struct weft_graph *made = weft_rewrite(graph, 1, &rule);
        ASSERT_GOOD(weft_graph_verify(made, &error), error);
        assert_same_results(graph, made);
        assert_true(made->node_count <= graph->node_count);
        weft_arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(later_rules_see_what_earlier_ones_made),
        ARENA_TEST(a_value_that_others_use_stays),
        ARENA_TEST(diamonds_keep_one_top),
        ARENA_TEST(an_operand_used_twice_is_replaced_twice),
        ARENA_TEST(what_was_dead_stays_what_becomes_dead_goes),
        ARENA_TEST(a_rule_sees_before_and_after),
        ARENA_TEST(the_first_rule_that_applies_is_taken),
        ARENA_TEST(a_value_of_another_type_is_not_taken),
        ARENA_TEST(tensors_of_the_model_keep_their_index),
        ARENA_TEST(what_is_made_in_vain_goes),
        ARENA_TEST(rules_can_make_many_nodes),
        ARENA_TEST(a_node_that_was_given_up_can_come_back),
        ARENA_TEST(each_result_is_offered),
        ARENA_TEST(rules_without_end_are_stopped),
        ARENA_TEST(long_chains_collapse),
        ARENA_TEST(random_graphs_compute_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
