/* compiler/passes/recognise_functions: before and after, and that both compute about the same. */
#include "tests/unit/graphs.h"

#include <math.h>
#include <string.h>

#include "compiler/passes/passes.h"

#define T                   " : 2x3xf32\n"
#define M                   " : 2x1xf32\n"
#define G(nodes)            "graph g(%0: 2x3xf32) {\n" nodes "  return %r\n}\n"
#define NUMBER(name, value) "  %" name " = constant() data=[" value "] : f32\n"
#define ERF(root)                                                                                  \
    NUMBER("root", root)                                                                           \
    NUMBER("one", "1")                                                                             \
    NUMBER("half", "0.5") "  %a = divide(%0, %root)" T "  %e = erf(%a)" T "  %g = add(%e, %one)" T
#define NORMAL                                                                                     \
    NUMBER("eps", "0.25")                                                                          \
    "  %m = mean(%0) axes=[1] keep_dims=1" M "  %d = subtract(%0, %m)" T

/* The pass makes `after`, and the same of numbers like those in networks. */
static void assert_becomes(struct weft_arena *arena, const char *before, const char *after) {
    static const float numbers[6] = {-3.25F, 0.5F, 1.75F, 0.0F, -0.125F, 2.0F};
    const void *const inputs[1] = {numbers};
    struct weft_error error;
    const struct weft_graph *graph = graph_of(arena, before);
    const struct weft_graph *made = weft_pass_recognise_functions(graph);
    ASSERT_GOOD(weft_graph_verify(made, &error), error);
    assert_text(made, after);
    float of_graph[6], of_made[6];
    memcpy(of_graph, host_outputs(graph, inputs)[0], sizeof of_graph);
    memcpy(of_made, host_outputs(made, inputs)[0], sizeof of_made);
    for (size_t i = 0; i < 6; i++) {
        assert_true(fabsf(of_graph[i] - of_made[i]) <= 1e-5F * fmaxf(1.0F, fabsf(of_graph[i])));
    }
}

static void gelu_with_erf(void **state) {
    const char *gelu = G("  %r = gelu(%0) approximate=0" T);
    assert_becomes(*state, G(ERF("1.41421354") "  %p = mul(%0, %g)" T "  %r = mul(%p, %half)" T),
                   gelu);
    assert_becomes(*state, G(ERF("1.41421354") "  %p = mul(%half, %0)" T "  %r = mul(%g, %p)" T),
                   gelu);
    assert_becomes(*state,
                   G(NUMBER("root", "0.70710677") NUMBER("one", "1")
                         NUMBER("two", "2") "  %a = mul(%root, %0)" T "  %e = erf(%a)" T
                                            "  %g = add(%one, %e)" T "  %p = divide(%0, %two)" T
                                            "  %r = mul(%p, %g)" T),
                   gelu);
}

static void gelu_with_tanh(void **state) {
    const char *gelu = G("  %r = gelu(%0) approximate=1" T);
    assert_becomes(
        *state,
        G(NUMBER("three", "3") NUMBER("c", "0.044715") NUMBER("k", "0.7978846") NUMBER("one", "1")
              NUMBER("half", "0.5") "  %a = power(%0, %three)" T "  %b = mul(%a, %c)" T
                                    "  %s = add(%0, %b)" T "  %t = mul(%s, %k)" T
                                    "  %h = tanh(%t)" T "  %g = add(%h, %one)" T
                                    "  %p = mul(%0, %half)" T "  %r = mul(%p, %g)" T),
        gelu);
    /* x sqrt(2 / pi) (1 + 0.044715 x x) */
    assert_becomes(*state,
                   G(NUMBER("c", "0.044715") NUMBER("k", "0.7978846") NUMBER("one", "1")
                         NUMBER("half", "0.5") "  %a = mul(%0, %k)" T "  %b = mul(%0, %c)" T
                                               "  %q = mul(%b, %0)" T "  %s = add(%one, %q)" T
                                               "  %t = mul(%a, %s)" T "  %h = tanh(%t)" T
                                               "  %g = add(%one, %h)" T "  %p = mul(%0, %half)" T
                                               "  %r = mul(%p, %g)" T),
                   gelu);
}

static void layer_normalisation(void **state) {
    const char *after = G("  %made0 = constant() data=[2, 4, 8] : 3xf32\n"
                          "  %made1 = constant() data=[1, 0, -1] : 3xf32\n"
                          "  %r = layer_norm(%0, %made0, %made1) epsilon=0.25" T);
#define SCALED                                                                                     \
    "  %k = constant() data=[2, 4, 8] : 3xf32\n  %o = constant() data=[1, 0, -1] : 3xf32\n"        \
    "  %y = mul(%n, %k)" T "  %r = add(%y, %o)" T
    assert_becomes(*state,
                   G(NORMAL "  %q = square(%d)" T "  %v = mean(%q) axes=[1] keep_dims=1" M
                            "  %w = add(%v, %eps)" M "  %s = sqrt(%w)" M
                            "  %n = divide(%d, %s)" T SCALED),
                   after);
    assert_becomes(*state,
                   G(NORMAL "  %q = mul(%d, %d)" T "  %v = mean(%q) axes=[1] keep_dims=1" M
                            "  %w = add(%eps, %v)" M "  %s = rsqrt(%w)" M
                            "  %n = mul(%s, %d)" T SCALED),
                   after);
    assert_becomes(*state,
                   G(NORMAL NUMBER("two", "2") NUMBER(
                       "one", "1") "  %q = power(%d, %two)" T "  %v = mean(%q) axes=[1] "
                                   "keep_dims=1" M "  %w = add(%v, %eps)" M "  %u = sqrt(%w)" M
                                   "  %s = divide(%one, %u)" M "  %n = mul(%d, %s)" T SCALED),
                   after);
}

#define GAIN "  %k = constant() data=[2, 4, 8] : 3xf32\n"
#define KERAS                                                                                      \
    NUMBER("eps", "0.25")                                                                          \
    "  %o = constant() data=[1, 0, -1] : 3xf32\n  %m = mean(%0) axes=[1] keep_dims=1" M            \
    "  %q = squared_difference(%0, %m)" T "  %v = mean(%q) axes=[1] keep_dims=1" M                 \
    "  %w = add(%v, %eps)" M "  %s = rsqrt(%w)" M

/* x * factor + (offset - mean * factor), with and without a gain. */
static void layer_normalisation_of_keras(void **state) {
    assert_becomes(*state,
                   G(GAIN KERAS "  %f = mul(%s, %k)" T "  %x = mul(%0, %f)" T "  %y = mul(%m, %f)" T
                                "  %z = subtract(%o, %y)" T "  %r = add(%x, %z)" T),
                   G("  %made0 = constant() data=[2, 4, 8] : 3xf32\n"
                     "  %made1 = constant() data=[1, 0, -1] : 3xf32\n"
                     "  %r = layer_norm(%0, %made0, %made1) epsilon=0.25" T));
    assert_becomes(*state,
                   G(KERAS "  %x = mul(%s, %0)" T "  %y = mul(%s, %m)" M "  %z = subtract(%o, %y)" T
                           "  %r = add(%z, %x)" T),
                   G("  %made0 = constant() data=[1, 1, 1] : 3xf32\n"
                     "  %made1 = constant() data=[1, 0, -1] : 3xf32\n"
                     "  %r = layer_norm(%0, %made0, %made1) epsilon=0.25" T));
}

static void what_only_looks_alike_stays(void **state) {
    static const char *const texts[] = {
        /* another root, another factor, another x, a difference instead of a sum */
        G(ERF("1.5") "  %p = mul(%0, %g)" T "  %r = mul(%p, %half)" T),
        G(ERF("1.41421354") "  %p = mul(%0, %g)" T "  %r = mul(%p, %one)" T),
        G(ERF("1.41421354") "  %x = exp(%0)" T "  %p = mul(%x, %g)" T "  %r = mul(%p, %half)" T),
        /* the mean of other axes, of another value; no epsilon */
        G(NORMAL "  %q = square(%d)" T "  %v = mean(%q) axes=[0] keep_dims=1 : 1x3xf32\n"
                 "  %w = add(%v, %eps) : 1x3xf32\n  %s = sqrt(%w) : 1x3xf32\n"
                 "  %r = divide(%d, %s)" T),
        G(NORMAL "  %q = square(%0)" T "  %v = mean(%q) axes=[1] keep_dims=1" M
                 "  %w = add(%v, %eps)" M "  %s = sqrt(%w)" M "  %r = divide(%d, %s)" T),
        /* an epsilon that the operator has not */
        G("  %eps = constant() data=[2.00000003e+30] : f32\n  %m = mean(%0) axes=[1] keep_dims=1" M
          "  %d = subtract(%0, %m)" T "  %q = square(%d)" T "  %v = mean(%q) axes=[1] keep_dims=1" M
          "  %w = add(%v, %eps)" M "  %s = sqrt(%w)" M "  %r = divide(%d, %s)" T),
        /* a gain and an offset of rows, as many as there are channels */
        "graph g(%0: 3x3xf32) {\n  %eps = constant() data=[0.25] : f32\n"
        "  %k = constant() data=[2, 4, 8] : 3x1xf32\n  %o = constant() data=[1, 0, -1] : 3x1xf32\n"
        "  %m = mean(%0) axes=[1] keep_dims=1 : 3x1xf32\n"
        "  %q = squared_difference(%0, %m) : 3x3xf32\n"
        "  %v = mean(%q) axes=[1] keep_dims=1 : 3x1xf32\n  %w = add(%v, %eps) : 3x1xf32\n"
        "  %s = rsqrt(%w) : 3x1xf32\n  %f = mul(%s, %k) : 3x1xf32\n"
        "  %x = mul(%0, %f) : 3x3xf32\n  %y = mul(%m, %f) : 3x1xf32\n"
        "  %z = subtract(%o, %y) : 3x1xf32\n  %r = add(%x, %z) : 3x3xf32\n  return %r\n}\n",
        /* another factor for the mean; another mean */
        G(GAIN KERAS "  %f = mul(%s, %k)" T "  %x = mul(%0, %f)" T "  %y = mul(%m, %s)" M
                     "  %z = subtract(%o, %y)" T "  %r = add(%x, %z)" T),
        G(GAIN KERAS "  %f = mul(%s, %k)" T "  %x = mul(%0, %f)" T "  %y = mul(%v, %f)" T
                     "  %z = subtract(%o, %y)" T "  %r = add(%x, %z)" T),
        G(NORMAL "  %q = square(%d)" T "  %v = mean(%q) axes=[1] keep_dims=1" M "  %s = sqrt(%v)" M
                 "  %w = add(%s, %eps)" M "  %r = divide(%d, %w)" T),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_stays(*state, weft_pass_recognise_functions, texts[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(gelu_with_erf),
        ARENA_TEST(gelu_with_tanh),
        ARENA_TEST(layer_normalisation),
        ARENA_TEST(layer_normalisation_of_keras),
        ARENA_TEST(what_only_looks_alike_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
