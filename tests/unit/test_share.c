/* What the host does and what the machine: small regions go back to the host, and both sides are
 * counted. */
#include "tests/unit/modules.h"

#include <stdio.h>
#include <string.h>

#include "compiler/partition/partition.h"

#define CHAIN(n)   "1x1x1x" n "xi8{0.5, 0}"
#define FROM(from) "graph g(%0: " CHAIN(from) ") {\n"
#define SOFTMAX(to, from, n)                                                                       \
    "  %" to " = qnn.softmax(%" from ") beta=1 : 1x1x1x" n "xi8{0.00390625, -128}\n"
#define RESCALE(to, from, n)                                                                       \
    "  %" to " = qnn.requantize(%" from ") rounding=\"gemmlowp\" : 1x1x1x" n "xi8{0.25, 3}\n"

static struct weft_module *compiled(struct weft_arena *arena, const char *text, bool keep_regions) {
    struct weft_error error;
    struct weft_module *module = NULL;
    const struct weft_config config = config_named("ref16");
    const struct weft_compile_options options = {.keep_regions = keep_regions};
    ASSERT_GOOD(weft_compile_graph(graph_of(arena, text), &config, &options, &module, &error),
                error);
    return module;
}

static void assert_work(const struct weft_work *work, size_t operators, int64_t macs,
                        int64_t elements) {
    assert_int_equal(work->operators, operators);
    assert_int_equal(work->macs, macs);
    assert_int_equal(work->elements, elements);
}

/* ---- what goes back ---- */

static const char small[] =
    FROM("401") SOFTMAX("a", "0", "401") RESCALE("b", "a", "401") "  return %b\n}\n";

static void a_small_operator_beside_the_host_stays_there(void **state) {
    struct weft_work machine;
    struct weft_work host;
    struct weft_module *module = compiled(*state, small, false);
    assert_int_equal(module->segment_count, 0);
    assert_int_equal(count_of(module->graph, WEFT_OP_REGION), 0);
    const char *reason = weft_node_text(module->graph->nodes[1], WEFT_ATTR_reason);
    assert_non_null(strstr(reason, "alone it is not worth a round trip: the machine takes "));
    assert_non_null(strstr(reason, " cycles, the host about 401"));
    weft_module_work(module, &machine, &host);
    assert_work(&machine, 0, 0, 0);
    assert_work(&host, 2, 0, 802);
    weft_module_free(module);
}

static void regions_can_be_kept(void **state) {
    struct weft_work machine;
    struct weft_work host;
    struct weft_module *module = compiled(*state, small, true);
    assert_int_equal(module->segment_count, 1);
    assert_true(module->segments[0].cycles > 401);
    weft_module_work(module, &machine, &host);
    assert_work(&machine, 1, 0, 401);
    assert_work(&host, 1, 0, 401);
    weft_module_free(module);
}

static void a_large_operator_is_worth_a_round_trip(void **state) {
    struct weft_module *module = compiled(
        *state, FROM("4096") SOFTMAX("a", "0", "4096") RESCALE("b", "a", "4096") "  return %b\n}\n",
        false);
    assert_int_equal(module->segment_count, 1);
    assert_true(module->segments[0].cycles < 4096);
    weft_module_free(module);
}

/* There is no round trip to save. */
static void a_small_model_without_host_operators_runs_on_the_machine(void **state) {
    struct weft_module *module =
        compiled(*state, FROM("5") RESCALE("b", "0", "5") "  return %b\n}\n", false);
    assert_int_equal(module->segment_count, 1);
    weft_module_free(module);
}

#define DENSE(to, from)                                                                            \
    "  %p" to " = qnn.dense(%" from ", %w) : 1x4xi32{0.125, 0}\n"                                  \
    "  %" to " = qnn.requantize(%p" to ") rounding=\"single\" : 1x4xi8{0.5, 0}\n"
#define WEIGHTS                                                                                    \
    "  %w = constant() data=[1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, -5, -6, -7, -8] : "           \
    "4x4xi8{0.25, 0}\n"

static void a_lone_small_product_goes_back_and_several_do_not(void **state) {
    struct weft_work machine;
    struct weft_work host;
    struct weft_module *module =
        compiled(*state,
                 "graph g(%0: 1x4xi8{0.5, 0}) {\n" WEIGHTS DENSE(
                     "a", "0") "  %s = qnn.softmax(%a) beta=1 : 1x4xi8{0.00390625, -128}\n"
                               "  return %s\n}\n",
                 false);
    assert_int_equal(module->segment_count, 0);
    weft_module_work(module, &machine, &host);
    assert_work(&machine, 0, 0, 0);
    assert_work(&host, 3, 16, 12);
    weft_module_free(module);
    module =
        compiled(*state,
                 "graph g(%0: 1x4xi8{0.5, 0}) {\n" WEIGHTS DENSE("a", "0")
                     DENSE("b", "a") "  %s = qnn.softmax(%b) beta=1 : 1x4xi8{0.00390625, -128}\n"
                                     "  return %s\n}\n",
                 false);
    assert_int_equal(module->segment_count, 1);
    weft_module_work(module, &machine, &host);
    assert_work(&machine, 2, 32, 16);
    assert_work(&host, 1, 0, 4);
    weft_module_free(module);
}

#define PROBABILITIES "xi8{0.00390625, -128}\n"
#define RESCALED      "xi8{0.25, 3}\n"
#define SLICE(to, from, type)                                                                      \
    "  %" to " = strided_slice(%" from                                                             \
    ") begin=[0, 0, 0, 8] steps=[1, 1, 1, 1] sizes=[1, 1, 1, 8] : 1x1x1x8" type

/* The sum of 8 elements at the end is not worth a region; those before it stay what they are. */
static const char three_regions[] = FROM("8192") RESCALE("a", "0", "8192") SOFTMAX("b", "a", "8192")
    SLICE("c", "b", PROBABILITIES) SOFTMAX("d", "c", "8")
        SLICE("e", "a", RESCALED) "  %f = qnn.add(%e, %d) : 1x1x1x8" RESCALED RESCALE(
            "g", "b", "8192") "  return %f, %g\n}\n";

static void other_regions_stay(void **state) {
    struct weft_module *module = compiled(*state, three_regions, false);
    assert_int_equal(module->segment_count, 2);
    weft_module_free(module);
    module = compiled(*state, three_regions, true);
    assert_int_equal(module->segment_count, 3);
    weft_module_free(module);
}

/* ---- counting ---- */

static int64_t macs_of(struct weft_arena *arena, const char *text) {
    int64_t macs = 0;
    const struct weft_graph *graph = graph_of(arena, text);
    for (size_t i = 0; i < graph->node_count; i++) {
        macs += weft_node_macs(graph->nodes[i]);
    }
    return macs;
}

static void every_product_counts_its_multiplications(void **state) {
    assert_int_equal(macs_of(*state, "graph g(%0: 2x5x6x4xf32, %1: 8x3x2x2xf32) {\n"
                                     "  %r = conv2d(%0, %1) strides=[1, 1] padding=[0, 0, 0, 0] "
                                     "dilation=[1, 1] groups=2 : 2x3x5x8xf32\n  return %r\n}\n"),
                     2 * 3 * 5 * 8 * 3 * 2 * 2);
    assert_int_equal(macs_of(*state, "graph g(%0: 2x5x6x4xf32, %1: 8x3x2x4xf32) {\n"
                                     "  %r = conv2d_transpose(%0, %1) strides=[2, 2] "
                                     "padding=[0, 0, 0, 0] output_padding=[0, 0] : 2x11x12x8xf32\n"
                                     "  return %r\n}\n"),
                     2 * 5 * 6 * 4 * 8 * 3 * 2);
    assert_int_equal(macs_of(*state, "graph g(%0: 3x7xf32, %1: 5x7xf32) {\n"
                                     "  %r = dense(%0, %1) : 3x5xf32\n  return %r\n}\n"),
                     3 * 5 * 7);
    assert_int_equal(macs_of(*state, "graph g(%0: 2x3x7xf32, %1: 2x7x5xf32) {\n"
                                     "  %r = batch_matmul(%0, %1) transpose_a=0 transpose_b=0 : "
                                     "2x3x5xf32\n  return %r\n}\n"),
                     2 * 3 * 5 * 7);
    assert_int_equal(macs_of(*state, "graph g(%0: 2x7x3xf32, %1: 5x7xf32) {\n"
                                     "  %r = batch_matmul(%0, %1) transpose_a=1 transpose_b=1 : "
                                     "2x3x5xf32\n  return %r\n}\n"),
                     2 * 3 * 5 * 7);
    assert_int_equal(macs_of(*state, "graph g(%0: 2x3xf32) {\n  %r = mul(%0, %0) : 2x3xf32\n"
                                     "  return %r\n}\n"),
                     0);
}

/* What a host operator costs is bounded by steps; empty axes do not hide loops over the others. */
static void steps_count_every_loop(void **state) {
    static const struct {
        const char *text;
        uint64_t steps;
    } cases[] = {
        {"graph g(%0: 2x3xf32) {\n  %r = mul(%0, %0) : 2x3xf32\n  return %r\n}\n", 18},
        {"graph g(%0: 3x7xf32, %1: 5x7xf32) {\n  %r = dense(%0, %1) : 3x5xf32\n"
         "  return %r\n}\n",
         105 + 21 + 35 + 15},
        {"graph g(%0: 1x4x4x1xi8{0.5, 0}) {\n  %r = max_pool2d(%0) kernel=[3, 3] strides=[1, 1] "
         "padding=[0, 0, 0, 0] : 1x2x2x1xi8{0.5, 0}\n  return %r\n}\n",
         16 + 4 * 9},
        {"graph g(%0: 46000x0xf32, %1: 46000x0xf32) {\n  %r = dense(%0, %1) : 46000x46000xf32\n"
         "  return %r\n}\n",
         UINT64_C(46000) * 46000 + UINT64_C(46000) * 46000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct weft_graph *graph = graph_of(*state, cases[i].text);
        assert_int_equal(weft_node_steps(graph->nodes[0]), cases[i].steps);
    }
}

/* The machine and the host count alike: all of a network on one side or the other is the same. */
static void both_sides_count_alike(void **state) {
    struct weft_error error;
    struct weft_work machine;
    struct weft_work host;
    struct weft_work none;
    struct weft_work all;
    const struct weft_config config = config_named("ref16");
    struct weft_module *on_host = NULL;
    const struct weft_compile_options options = {.host_only = true};
    struct digits digits = digits_open("ref16");
    (void)state;
    ASSERT_GOOD(
        weft_compile(digits.model, digits.model_length, &config, &options, &on_host, &error),
        error);
    weft_module_work(digits.module, &machine, &host);
    weft_module_work(on_host, &none, &all);
    assert_work(&none, 0, 0, 0);
    assert_int_equal(all.macs, machine.macs + host.macs);
    assert_int_equal(all.elements, machine.elements + host.elements);
    assert_true(all.operators > machine.operators + host.operators);
    weft_module_free(on_host);
    digits_close(&digits);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(a_small_operator_beside_the_host_stays_there),
        ARENA_TEST(regions_can_be_kept),
        ARENA_TEST(a_large_operator_is_worth_a_round_trip),
        ARENA_TEST(a_small_model_without_host_operators_runs_on_the_machine),
        ARENA_TEST(a_lone_small_product_goes_back_and_several_do_not),
        ARENA_TEST(other_regions_stay),
        ARENA_TEST(every_product_counts_its_multiplications),
        ARENA_TEST(steps_count_every_loop),
        ARENA_TEST(both_sides_count_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
