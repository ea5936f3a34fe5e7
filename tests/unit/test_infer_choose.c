/* compiler/ir: types of the results of comparisons, choices, repeats and indices. One good graph
 * for each operator is in tests/fuzz/seeds/graph. */
#include "tests/unit/rules.h"

#include <string.h>

static const char not_what_follows[] = "not what follows";

static void comparisons(void **state) {
    static const struct rule plain[] = {
        {"2x3xi8, 3xi8", "relation=\"greater\"", "2x3xbool", NULL},
        {"2x3xbool, 2x1xbool", "relation=\"equal\"", "2x3xbool", NULL},
        {"2x3xi8, 3xi8", "relation=\"greater\"", "2x3xi8", not_what_follows},
        {"2x3xi8, 3xi16", "relation=\"greater\"", "2x3xbool", "one element type"},
        {"2x3xi8, 2xi8", "relation=\"greater\"", "2x3xbool", "one element type"},
        {"2x3xi8, 3xi8", "relation=\"above\"", "2x3xbool", "the relation must be"},
    };
    static const struct rule scaled[] = {
        {"4xi16{0.5, 0}, 1xi16{0.25, 0}", "relation=\"less_equal\"", "4xbool", NULL},
        {"4xi8, 4xi8{0.5, 0}", "relation=\"less\"", "4xbool", "quantised"},
        {"4xi8{0.5, 0}, 4xi8{0.5, 0}", "relation=\"is\"", "4xbool", "relation a known one"},
    };
    ASSERT_RULES("compare", plain);
    ASSERT_RULES("qnn.compare", scaled);
}

static void choices(void **state) {
    static const struct rule rules[] = {
        {"bool, 2x3xf32, f32", "", "2x3xf32", NULL},
        {"2x3xbool, f32, f32", "", "2x3xf32", NULL},
        {"3xi8, 2x3xf32, f32", "", "2x3xf32", "expected a bool condition"},
        {"bool, 3xf32, 3xi32", "", "3xf32", "one element type"},
        {"2xbool, 3xf32, 3xf32", "", "3xf32", "do not fit"},
        {"bool, 2xf32, 3xf32", "", "3xf32", "shapes that fit"},
        {"bool, 3xf32, 3xf32", "", "3xi32", "one element type"},
    };
    ASSERT_RULES("select", rules);
}

static void functions(void **state) {
    static const struct rule floats[] = {
        {"2x3xf32", "", "2x3xf32", NULL},
        {"2x3xi32", "", "2x3xi32", "must be float"},
    };
    static const struct rule bare[] = {
        {"3xi8{0.5, 1}", "", "3xi8{0.25, 2}", NULL},
        {"3xi64", "", "3xi64", NULL},
        {"3xbool", "", "3xbool", "numbers of one type"},
        {"3xi8", "", "3xi16", "numbers of one type"},
        {"3xi8", "", "4xi8", not_what_follows},
    };
    ASSERT_RULES("rsqrt", floats);
    ASSERT_RULES("negate", bare);
    ASSERT_RULES("abs", bare);
}

static void along_axes(void **state) {
    static const struct rule cumsum[] = {
        {"2x3xf32", "axis=0 exclusive=0 reverse=1", "2x3xf32", NULL},
        {"2x3xf32", "axis=2 exclusive=0 reverse=1", "2x3xf32", "not one of the tensor"},
        {"2x3xf32", "axis=0 exclusive=2 reverse=0", "2x3xf32", "must be 0 or 1"},
        {"2x3xf32", "axis=0 exclusive=0 reverse=-1", "2x3xf32", "must be 0 or 1"},
        {"2x3xi8", "axis=0 exclusive=0 reverse=0", "2x3xi8", "float, int32 or int64"},
        {"2x3xi32{0.5, 0}", "axis=0 exclusive=0 reverse=0", "2x3xi32{0.5, 0}", "not quantised"},
    };
    static const struct rule minimum[] = {
        {"2x3xi8{0.5, 1}", "axes=[0] keep_dims=0", "3xi8{0.5, 1}", NULL},
        {"2x3xi8", "axes=[2] keep_dims=0", "2x3xi8", "axes of the operand"},
    };
    static const struct rule product[] = {
        {"2x3xi8", "axes=[0] keep_dims=0", "3xi8", "float, int32 or int64"},
    };
    static const struct rule sum[] = {
        {"2x3xi8{0.5, 1}", "axes=[0] keep_dims=0", "3xi16{0.5, 1}", "alike"},
    };
    ASSERT_RULES("cumsum", cumsum);
    ASSERT_RULES("reduce_min", minimum);
    ASSERT_RULES("reduce_prod", product);
    ASSERT_RULES("qnn.sum", sum);
}

static void indices(void **state) {
    static const struct rule gather[] = {
        {"4x5xi8{0.5, 1}, 3x2xi64", "", "3xi8{0.5, 1}", NULL},
        {"4x5xi8, 3x1xi32", "", "3x5xi8", NULL},
        {"4x5xi8, 3x3xi32", "", "3xi8", "longer than the operand has axes"},
        {"4x5xi8, 3x2xi8", "", "3xi8", "int32 or int64"},
        {"4x5xi8, i32", "", "4x5xi8", "with a last axis"},
        {"1x1x1x1x1x1x1x1xi8, 1x1x1xi32", "", "1x1x1x1x1x1x1x1xi8", "more than 8"},
    };
    static const struct rule scatter[] = {
        {"3x2xi32, 3xf32", "sizes=[4, 5]", "4x5xf32", NULL},
        {"3x2xi32, 3x5xf32", "sizes=[4, 5]", "4x5xf32", "does not follow"},
        {"3x2xi32, 3xf32", "sizes=[4]", "4xf32", "does not follow"},
        {"3x2xf32, 3xf32", "sizes=[4, 5]", "4x5xf32", "int32 or int64"},
        {"3x1xi32, 3xf32", "sizes=[1, 1, 1, 1, 1, 1, 1, 1, 1]", "4xf32", "more than 8"},
    };
    static const struct rule hot[] = {
        {"3xi64, bool, bool", "axis=0 depth=2", "2x3xbool", NULL},
        {"3xi64, bool, i8", "axis=0 depth=2", "2x3xbool", "two elements of one type"},
        {"3xi8, bool, bool", "axis=0 depth=2", "2x3xbool", "int32 or int64"},
        {"3xi32, 2xi8, 2xi8", "axis=0 depth=2", "2x3xi8", "two elements of one type"},
        {"3xi32, i8, i8", "axis=2 depth=2", "2x3xi8", "not one of the tensor"},
        {"3xi32, i8, i8", "axis=0 depth=-1", "2x3xi8", "must not be below 0"},
        {"1x1x1x1x1x1x1x1xi32, i8, i8", "axis=0 depth=1", "1xi8", "at most 8"},
    };
    ASSERT_RULES("gather_nd", gather);
    ASSERT_RULES("scatter_nd", scatter);
    ASSERT_RULES("one_hot", hot);
}

static void repeats(void **state) {
    static const struct rule rules[] = {
        {"2x3xi8{0.5, 1}", "multiples=[3, 1]", "6x3xi8{0.5, 1}", NULL},
        {"2x3xi8", "multiples=[3]", "6x3xi8", "how often"},
        {"2x3xi8", "multiples=[-1, 1]", "6x3xi8", "how often"},
        {"2x3xi8", "multiples=[9223372036854775807, 1]", "6x3xi8", "how often"},
        {"2xi8{[0.5, 1]@0, [0, 0]}", "multiples=[2]", "4xi8", ""},
    };
    ASSERT_RULES("tile", rules);
}

static void largest(void **state) {
    static const struct {
        const char *text, *words;
    } graphs[] = {
        {"graph g(%0: 5xi8) {\n %a, %b = topk(%0) depth=6 : 6xi8, 6xi32\n return %a\n}\n",
         "at most that of the last axis"},
        {"graph g(%0: i8) {\n %a, %b = topk(%0) depth=1 : i8, i32\n return %a\n}\n",
         "at most that of the last axis"},
        {"graph g(%0: 5xi8) {\n %a, %b = topk(%0) depth=2 : 2xi8, 2xi16\n return %a\n}\n",
         "int32 or int64"},
        {"graph g(%0: 5xbool) {\n %a, %b = topk(%0) depth=2 : 2xbool, 2xi32\n return %a\n}\n",
         "must be numbers"},
        {"graph g(%0: 5xi8) {\n %a = topk(%0) depth=2 : 2xi8\n return %a\n}\n", "results"},
    };
    for (size_t i = 0; i < sizeof graphs / sizeof graphs[0]; i++) {
        struct weft_error error = {0};
        struct weft_graph *graph = NULL;
        ASSERT_FAILS(
            weft_graph_parse(*state, graphs[i].text, strlen(graphs[i].text), NULL, &graph, &error),
            error, WEFT_GRAPH);
        if (strstr(error.message, graphs[i].words) == NULL) {
            print_error("expected %s, got %s\n", graphs[i].words, error.message);
            fail();
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(comparisons), ARENA_TEST(choices), ARENA_TEST(functions), ARENA_TEST(along_axes),
        ARENA_TEST(indices),     ARENA_TEST(repeats), ARENA_TEST(largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
