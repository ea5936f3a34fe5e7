/* compiler/passes/find_multipliers: sums and products that round as float32 does, before and after,
 * of all pairs of bytes. */
#include "tests/unit/graphs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/passes/passes.h"

enum {
    PAIRS = 65536
};

/* Two inputs with all pairs of bytes. */
static const void **all_pairs(struct weft_arena *arena) {
    const void **inputs = WEFT_NEW_ARRAY(arena, 2, const void *);
    for (int k = 0; k < 2; k++) {
        uint8_t *bytes = weft_arena_allocate(arena, PAIRS, 1);
        for (int i = 0; i < PAIRS; i++) {
            bytes[i] = (uint8_t)(k == 0 ? i >> 8 : i & 255);
        }
        inputs[k] = bytes;
    }
    return inputs;
}

struct outcome {
    bool found;   /* it is carried out in integers, without a table of all pairs */
    int apart;    /* pairs whose result changes */
    int farthest; /* by how much at most */
    int away;     /* how far the bytes of the last one are from their zero points, together */
};

static int byte_from_zero(const struct weft_value *input, const void *bytes, int i) {
    return (int)weft_element(input->type.dtype, bytes, i) - weft_type_zero(&input->type, 0);
}

static struct outcome find(struct weft_arena *arena, const char *text) {
    const void **inputs = all_pairs(arena);
    const struct weft_graph *graph = graph_of(arena, text);
    const struct weft_graph *made = weft_pass_find_multipliers(graph);
    const struct weft_node *last = made->outputs[0]->producer;
    const enum weft_dtype dtype = graph->outputs[0]->type.dtype;
    const void *before = host_outputs(graph, inputs)[0];
    const void *after = host_outputs(made, inputs)[0];
    struct outcome outcome = {last->op != WEFT_OP_GATHER &&
                                  weft_node_attribute(last, WEFT_ATTR_rounding) == NULL,
                              0, 0, 0};
    for (int i = 0; i < PAIRS; i++) {
        int difference = (int)(weft_element(dtype, before, i) - weft_element(dtype, after, i));
        if (difference != 0) {
            outcome.away = abs(byte_from_zero(graph->inputs[0], inputs[0], i)) +
                           abs(byte_from_zero(graph->inputs[1], inputs[1], i));
        }
        outcome.apart += difference != 0;
        difference = difference < 0 ? -difference : difference;
        outcome.farthest = difference > outcome.farthest ? difference : outcome.farthest;
    }
    return outcome;
}

/* A number from 0 to 1. */
static double share(uint64_t *seed) {
    return (double)random_in(seed, 0, 1 << 20) / (1 << 20);
}

/* `op` of all pairs, of scales that a model could have. */
static const char *random_text(struct weft_arena *arena, uint64_t *seed, const char *op) {
    const char *type = random_once_in(seed, 2) ? "i8" : "u8";
    int64_t least = type[0] == 'i' ? -128 : 0;
    bool is_sum = strcmp(op, "qnn.mul") != 0;
    double a = 0.001 + 0.1 * share(seed);
    double b = 0.001 + 0.1 * share(seed);
    double to = (is_sum ? (a + b) : a * b * 255) * (0.1 + share(seed));
    int zeros[3];
    for (int i = 0; i < 3; i++) {
        zeros[i] = (int)random_in(seed, least, least + 255);
    }
    return weft_arena_print(
        arena,
        "graph g(%%0: 65536x%s{%.9g, %d}, %%1: 65536x%s{%.9g, %d}) {\n"
        "  %%r = %s(%%0, %%1) rounding=\"float\" : 65536x%s{%.9g, %d}\n  return %%r\n}\n",
        type, a, zeros[0], type, b, zeros[1], op, type, to, zeros[2]);
}

static void products_are_exact(void **state) {
    uint64_t seed = 1;
    int count = random_share(200);
    int found = 0;
    for (int i = 0; i < count; i++) {
        struct weft_arena *arena = weft_arena_child(*state);
        struct outcome outcome = find(arena, random_text(arena, &seed, "qnn.mul"));
        assert_int_equal(outcome.apart, 0);
        found += outcome.found;
        weft_arena_free(arena);
    }
    assert_true(found >= count * 9 / 10);
}

static void assert_nearly_exact(struct weft_arena *of_test, const char *op, uint64_t seed) {
    int count = random_share(200);
    int found = 0;
    int exact = 0;
    int away = 0;
    for (int i = 0; i < count; i++) {
        struct weft_arena *arena = weft_arena_child(of_test);
        struct outcome outcome = find(arena, random_text(arena, &seed, op));
        assert_true(outcome.apart <= 2 && outcome.farthest <= 1);
        found += outcome.found;
        exact += outcome.apart == 0;
        away += outcome.away;
        weft_arena_free(arena);
    }
    assert_true(found >= count * 9 / 10);
    assert_true(exact >= count * 9 / 10);
    /* Bytes near their zero points are the most frequent ones. */
    assert_true(exact == count || away / (count - exact) >= 50);
}

static void sums_are_exact_but_for_two_pairs(void **state) {
    assert_nearly_exact(*state, "qnn.add", 2);
}

static void differences_are_exact_but_for_two_pairs(void **state) {
    assert_nearly_exact(*state, "qnn.subtract", 4);
}

/* With the multipliers of the scales alone one in ten of the sums above has pairs that are apart.
 */
static void multipliers_of_sums_are_corrected(void **state) {
    uint64_t seed = 2;
    int corrected = 0;
    for (int i = 0; i < 50; i++) {
        const char *text = random_text(*state, &seed, "qnn.add");
        const struct weft_graph *made = weft_pass_find_multipliers(graph_of(*state, text));
        const struct weft_node *last = made->outputs[0]->producer;
        corrected += weft_node_attribute(last, WEFT_ATTR_corrections) != NULL;
    }
    assert_in_range(corrected, 2, 15);
}

static void halves_are_looked_up_or_stay(void **state) {
    struct outcome sum = find(*state, "graph g(%0: 65536xi8{0.5, -3}, %1: 65536xi8{0.25, 1}) {\n"
                                      "  %r = qnn.add(%0, %1) rounding=\"float\" : "
                                      "65536xi8{1, 4}\n  return %r\n}\n");
    assert_false(sum.found);
    assert_int_equal(sum.apart, 0);
    assert_stays(*state, weft_pass_find_multipliers,
                 "graph g(%0: 2x2xi8{0.5, -3}, %1: 1x2xi8{0.25, 0}) {\n"
                 "  %r = qnn.mul(%0, %1) rounding=\"float\" : 2x2xi8{1, 4}\n"
                 "  %s = qnn.subtract(%0, %1) rounding=\"float\" : 2x2xi8{1, 4}\n"
                 "  return %r, %s\n"
                 "}\n");
}

static void other_sums_and_products_stay(void **state) {
    assert_stays(*state, weft_pass_find_multipliers,
                 "graph g(%0: 2x2xi8{0.5, -3}, %1: 1x2xi8{0.25, 0}) {\n"
                 "  %a = qnn.add(%0, %1) : 2x2xi8{1, 4}\n"
                 "  %s = qnn.subtract(%0, %a) : 2x2xi8{1, 4}\n"
                 "  %b = qnn.mul(%s, %a) : 2x2xi8{1, 4}\n"
                 "  %c = qnn.mul(%a, %b) factor=0.25 : 2x2xi8{1, 4}\n"
                 "  return %c\n"
                 "}\n");
}

#define PRODUCT_OF_B                                                                               \
    "  %%r = qnn.mul(%%0, %%b) rounding=\"float\" : 2xi8{0.25, 4}\n  return %%r\n}\n"

/* With scales that are powers of two halves are rounded to the even number; where none of the bytes
 * that an operand has makes any, a factor is found. */
static void bytes_that_no_operand_has_do_not_count(void **state) {
    static const char *const operands[][2] = {
        {"  %b = clip(%1) min=-128 max=127 : 2xi8{0.25, 0}\n", "stays"},
        {"  %c = clip(%1) min=8 max=9 : 2xi8{0.25, 0}\n"
         "  %b = reshape(%c) : 2xi8{0.25, 0}\n",
         "stays"}, /* 9 makes halves */
        {"  %c = clip(%1) min=8 max=8 : 2xi8{0.25, 0}\n"
         "  %b = reshape(%c) : 2xi8{0.25, 0}\n",
         "goes"},
        {"  %b = constant() data=[8, -16] : 2xi8{0.25, 0}\n", "goes"},
        {"  %b = constant() data=[8, -15] : 2xi8{0.25, 0}\n", "stays"},
    };
    for (size_t i = 0; i < sizeof operands / sizeof operands[0]; i++) {
        const struct weft_graph *graph = graph_of(
            *state,
            weft_arena_print(*state,
                             "graph g(%%0: 2xi8{0.125, -3}, %%1: 2xi8{0.25, 0}) {\n%s" PRODUCT_OF_B,
                             operands[i][0]));
        const struct weft_graph *made = weft_pass_find_multipliers(graph);
        bool stays = weft_node_attribute(node_named(made, "r"), WEFT_ATTR_rounding) != NULL;
        assert_string_equal(stays ? "stays" : "goes", operands[i][1]);
        assert_same_results(graph, made);
    }
}

/* A table of 256 values whose image is 0, 8 and 16. */
static void a_table_tells_which_bytes_there_are(void **state) {
    char table[256 * 5] = "";
    for (int i = 0; i < 256; i++) {
        size_t length = strlen(table);
        (void)snprintf(table + length, sizeof table - length, "%s%d", i == 0 ? "" : ", ",
                       8 * (i % 3));
    }
    const struct weft_graph *graph = graph_of(
        *state, weft_arena_print(*state,
                                 "graph g(%%0: 2xi8{0.125, -3}, %%1: 2xi8{0.25, 0}) {\n"
                                 "  %%b = qnn.table(%%1) table=[%s] : 2xi8{0.25, 0}\n" PRODUCT_OF_B,
                                 table));
    const struct weft_graph *made = weft_pass_find_multipliers(graph);
    assert_null(weft_node_attribute(node_named(made, "r"), WEFT_ATTR_rounding));
    assert_same_results(graph, made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(products_are_exact),
        ARENA_TEST(sums_are_exact_but_for_two_pairs),
        ARENA_TEST(differences_are_exact_but_for_two_pairs),
        ARENA_TEST(multipliers_of_sums_are_corrected),
        ARENA_TEST(halves_are_looked_up_or_stay),
        ARENA_TEST(other_sums_and_products_stay),
        ARENA_TEST(bytes_that_no_operand_has_do_not_count),
        ARENA_TEST(a_table_tells_which_bytes_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
