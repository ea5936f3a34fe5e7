/* compiler/passes/drop_identities: before and after. */
#include "tests/unit/graphs.h"

#include "compiler/passes/passes.h"

#define G(nodes, output) "graph g(%0: 2x3xf32) {\n" nodes "  return " output "\n}\n"
#define ONE              "  %one = constant() data=[1] : f32\n"
#define ONES             "  %ones = constant() data=[1, 1, 1] : 3xf32\n"
#define ZERO             "  %zero = constant() data=[0] : f32\n"

static void numbers_that_change_nothing_go(void **state) {
    assert_pass(*state, weft_pass_drop_identities,
                G(ONE ONES ZERO "  %a = mul(%ones, %0) : 2x3xf32\n"
                                "  %b = divide(%a, %one) : 2x3xf32\n"
                                "  %c = subtract(%b, %zero) : 2x3xf32\n"
                                "  %n = constant() data=[-0] : f32\n"
                                "  %d = add(%c, %n) : 2x3xf32\n"
                                "  %r = abs(%d) : 2x3xf32\n",
                  "%r"),
                G("  %r = abs(%0) : 2x3xf32\n", "%r"));
}

/* For quantising. */
static void zeros_go(void **state) {
    static const char text[] = G("  %zeros = constant() data=[0, -0] : 2x1xf32\n"
                                 "  %ones = constant() data=[1, 1] : 2x1xf32\n"
                                 "  %a = add(%zeros, %0) : 2x3xf32\n"
                                 "  %b = mul(%a, %ones) : 2x3xf32\n"
                                 "  %r = abs(%b) : 2x3xf32\n",
                                 "%r");
    assert_pass(*state, weft_pass_drop_zeros, text, G("  %r = abs(%0) : 2x3xf32\n", "%r"));
    assert_pass(*state, weft_pass_drop_identities, text,
                G("  %zeros = constant() data=[0, -0] : 2x1xf32\n"
                  "  %a = add(%zeros, %0) : 2x3xf32\n"
                  "  %r = abs(%a) : 2x3xf32\n",
                  "%r"));
}

static void functions_behind_themselves_go(void **state) {
    assert_pass(*state, weft_pass_drop_identities,
                G("  %a = relu(%0) : 2x3xf32\n  %b = relu(%a) : 2x3xf32\n"
                  "  %c = relu(%b) : 2x3xf32\n  %d = floor(%c) : 2x3xf32\n"
                  "  %e = round(%d) : 2x3xf32\n  %f = negate(%e) : 2x3xf32\n"
                  "  %g = negate(%f) : 2x3xf32\n  %r = exp(%g) : 2x3xf32\n",
                  "%r"),
                G("  %a = relu(%0) : 2x3xf32\n  %d = floor(%a) : 2x3xf32\n"
                  "  %r = exp(%d) : 2x3xf32\n",
                  "%r"));
}

static void what_does_something_stays(void **state) {
    static const char *const texts[] = {
        /* -0 becomes 0 */
        G(ZERO "  %r = add(%0, %zero) : 2x3xf32\n", "%r"),
        G(ONE "  %r = divide(%one, %0) : 2x3xf32\n", "%r"),
        G(ZERO "  %r = subtract(%zero, %0) : 2x3xf32\n", "%r"),
        G("  %s = constant() data=[1, 1, 2] : 3xf32\n  %r = mul(%0, %s) : 2x3xf32\n", "%r"),
        /* the shape is another one */
        G("  %s = constant() data=[1, 1] : 2x1x1xf32\n  %r = mul(%0, %s) : 2x2x3xf32\n", "%r"),
        G("  %a = negate(%0) : 2x3xf32\n  %b = exp(%a) : 2x3xf32\n"
          "  %r = negate(%b) : 2x3xf32\n",
          "%r"),
        G("  %a = logistic(%0) : 2x3xf32\n  %r = relu(%a) : 2x3xf32\n", "%r"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_stays(*state, weft_pass_drop_identities, texts[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(numbers_that_change_nothing_go),
        ARENA_TEST(zeros_go),
        ARENA_TEST(functions_behind_themselves_go),
        ARENA_TEST(what_does_something_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
