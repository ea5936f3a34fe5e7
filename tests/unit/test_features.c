/* Machines that lack features: what needs one is the host's, with the reason, and everything
 * computes what it does on the machine that has all. */
#include "base/fixed_point.h"
#include "compiler/partition/partition.h"
#include "compiler/schedule/target.h"
#include "tests/unit/computes.h"
#include "tests/unit/folder.h"
#include "tests/unit/modules.h"
#include "tests/unit/random_graphs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- configurations ---- */

static const char *const features[] = {"weight_zero_point", "lookup", "multiply", "gemmlowp",
                                       "activation_zero_point"};
enum {
    FEATURES = sizeof features / sizeof features[0]
};

static void take_away(struct weft_config *config, const char *feature) {
    for (size_t i = 0; i < WEFT_PARAMETERS; i++) {
        if (strcmp(weft_parameter_list[i].name, feature) == 0) {
            const uint32_t none = 0;
            memcpy((char *)config + weft_parameter_list[i].offset, &none, sizeof none);
            return;
        }
    }
    fail();
}

/* small8 without the feature; NULL: without any. */
static struct weft_config lacking(const char *feature) {
    struct weft_config config = config_named("small8");
    (void)snprintf(config.name, sizeof config.name, "lacking");
    for (int i = 0; i < FEATURES; i++) {
        if (feature == NULL || strcmp(feature, features[i]) == 0) {
            take_away(&config, features[i]);
        }
    }
    config.performance_counters = config.softmax = feature != NULL;
    /* No operator needs these: without them weights are plain, and windows take more steps. */
    config.compression = config.dense_rows = feature != NULL;
    return config;
}

static const char *config_file(const struct folder *folder, const struct weft_config *config) {
    struct weft_text text = {0};
    struct weft_error error;
    ASSERT_GOOD(weft_config_print(config, &text, &error), error);
    const char *path = folder_write(folder, "lacking.json", text.bytes, text.length);
    weft_text_free(&text);
    return path;
}

/* The graph with what the machine takes of it. */
static const struct weft_graph *annotated_for(const struct weft_graph *graph,
                                              const struct weft_config *config) {
    const struct weft_pattern_table *table = weft_machine_patterns(graph->arena, config);
    return weft_annotate_targets(weft_merge_composites(graph, table), 1, table);
}

/* Operators that are the host's because the machine lacks the feature. */
static int left_to_host(const struct weft_graph *graph, const struct weft_config *config,
                        const char *feature) {
    const struct weft_graph *annotated = annotated_for(graph, config);
    char words[64];
    int count = 0;
    (void)snprintf(words, sizeof words, "(%s)", feature);
    for (size_t i = 0; i < annotated->node_count; i++) {
        const struct weft_attribute *reason =
            weft_node_attribute(annotated->nodes[i], WEFT_ATTR_reason);
        count += reason != NULL && strstr(reason->text, words) != NULL;
    }
    return count;
}

/* ---- random graphs ---- */

static void assert_random_graphs(const char *feature, uint64_t first, int count) {
    static const struct random_limits limits = {12, 20, 2, 60000, 4, 4, 3, 2, false};
    struct weft_config whole = config_named("small8");
    struct weft_config config = lacking(feature);
    struct folder folder = folder_new();
    char path[128];
    (void)snprintf(path, sizeof path, "%s", config_file(&folder, &config));
    int left[FEATURES] = {0};
    int programs = 0;
    for (int number = 0; number < count; number++) {
        struct weft_arena arena = {0};
        uint64_t seed = first + (uint64_t)number;
        const struct weft_graph *graph = random_layers(&arena, &limits, seed);
        for (int i = 0; i < FEATURES; i++) {
            left[i] += left_to_host(graph, &config, features[i]);
            assert_int_equal(left_to_host(graph, &whole, features[i]), 0);
        }
        programs += count_of(annotated_for(graph, &config), WEFT_OP_COMPOSITE) > 0;
        assert_true(computes_on(graph, path, seed));
        weft_arena_free(&arena);
    }
    for (int i = 0; i < FEATURES; i++) {
        bool lacks = feature == NULL || strcmp(feature, features[i]) == 0;
        assert_int_equal(left[i] > 0, lacks);
    }
    assert_true(programs > count / 4); /* the machine has something to do */
    folder_free(&folder);
}

static void random_graphs_compute_without_zero_points_of_weights(void **state) {
    (void)state;
    assert_random_graphs("weight_zero_point", 1, random_share(400));
}

static void random_graphs_compute_without_look_ups(void **state) {
    (void)state;
    assert_random_graphs("lookup", 1001, random_share(400));
}

static void random_graphs_compute_without_products_of_tensors(void **state) {
    (void)state;
    assert_random_graphs("multiply", 2001, random_share(400));
}

static void random_graphs_compute_without_gemmlowp(void **state) {
    (void)state;
    assert_random_graphs("gemmlowp", 3001, random_share(400));
}

static void random_graphs_compute_without_zero_points_of_activations(void **state) {
    (void)state;
    assert_random_graphs("activation_zero_point", 5001, random_share(400));
}

static void random_graphs_compute_without_any_feature(void **state) {
    (void)state;
    assert_random_graphs(NULL, 4001, random_share(400));
}

/* ---- what needs a feature, and what does not ---- */

#define PRODUCT(ROUNDING, WEIGHTS, ZERO)                                                           \
    "graph g(%0: 1x2xi8{1, 0}) {\n"                                                                \
    "%w = constant() data=[" WEIGHTS "] : 1x2xi8{1, " ZERO "}\n"                                   \
    "%a = qnn.dense(%0, %w) : 1x1xi32{1, 0}\n"                                                     \
    "%r = qnn.requantize(%a) rounding=\"" ROUNDING "\" : 1x1xi8{2.5, 0} return %r }"
#define MATMUL(ZERO)                                                                               \
    "graph g(%0: 1x2xi8{1, " ZERO "}, %1: 2x1xi8{1, 0}) {\n"                                       \
    "%a = qnn.batch_matmul(%0, %1) transpose_a=0 transpose_b=0 : 1x1xi32{1, 0}\n"                  \
    "%r = qnn.requantize(%a) rounding=\"single\" : 1x1xi8{2.5, 0} return %r }"
#define TWO(OPERATOR)                                                                              \
    "graph g(%0: 2xi8{1, 0}, %1: 2xi8{1, 0}) { %r = " OPERATOR "(%0, %1) : 2xi8{1, 0} return %r }"

static const struct {
    const char *text;
    const char *feature; /* without which the machine does not take it; NULL: it always does */
} cases[] = {
    {PRODUCT("gemmlowp", "1, 2", "0"), "gemmlowp"},
    {PRODUCT("single", "1, 2", "0"), NULL},
    {PRODUCT("float", "1, 2", "0"), NULL},
    {PRODUCT("single", "-128, 2", "1"), "weight_zero_point"},
    {PRODUCT("single", "127, 2", "-1"), "weight_zero_point"},
    {PRODUCT("single", "-127, 127", "1"), NULL}, /* bytes hold what is left without it */
    {PRODUCT("single", "-128, 126", "-1"), NULL},
    {MATMUL("1"), "activation_zero_point"},
    {MATMUL("0"), NULL},
    {TWO("qnn.add"), "gemmlowp"},
    {TWO("qnn.subtract"), "gemmlowp"},
    {TWO("qnn.mul"), "gemmlowp"},
    {TWO("qnn.mul"), "multiply"},
    {TWO("maximum"), NULL},
    {TWO("minimum"), NULL},
    {"graph g(%0: 4xi8{0.5, 0}) { %r = qnn.tanh(%0) : 4xi8{0.0078125, 0} return %r }", "lookup"},
    {"graph g(%0: 1x2xi8{1, 0}, %1: 1x2xi8{2, 0}) { %r = qnn.concatenate(%0, %1) axis=0\n"
     ": 2x2xi8{1, 0} return %r }",
     "lookup"},
    {"graph g(%0: 1x2xi8{1, 0}, %1: 1x2xi8{1, 0}) { %r = concatenate(%0, %1) axis=0\n"
     ": 2x2xi8{1, 0} return %r }",
     NULL},
    {"graph g(%0: 1x2x2x1xu8{1, 0}) { %r = max_pool2d(%0) kernel=[2, 1] strides=[1, 1]\n"
     "padding=[0, 0, 0, 0] : 1x1x2x1xu8{1, 0} return %r }",
     "lookup"},
    {"graph g(%0: 1x2x2x1xi8{1, 0}) { %r = max_pool2d(%0) kernel=[2, 1] strides=[1, 1]\n"
     "padding=[0, 0, 0, 0] : 1x1x2x1xi8{1, 0} return %r }",
     NULL},
    {"graph g(%0: 1x3x3x9xi8{1, 0}) { %r = avg_pool2d(%0) kernel=[3, 2] strides=[1, 1]\n"
     "padding=[0, 1, 0, 0] : 1x1x3x9xi8{1, 0} return %r }",
     NULL},
    {"graph g(%0: 1x4x2x3xi8{1, 5}) { %r = qnn.mean(%0) axes=[1, 2] keep_dims=1\n"
     ": 1x1x1x3xi8{0.5, 0} return %r }",
     "gemmlowp"},
    /* A convolution that moves channels: rounding has nothing to do. */
    {"graph g(%0: 1x2x2x3xi8{1, 5}) { %r = pad(%0) pads=[0, 0, 0, 0, 0, 0, 2, 4]\n"
     ": 1x2x2x9xi8{1, 5} return %r }",
     NULL},
    {"graph g(%0: 1x2x2x3xi8{1, 5}) { %r = pad(%0) pads=[0, 0, 1, 0, 0, 2, 0, 0]\n"
     ": 1x3x4x3xi8{1, 5} return %r }",
     NULL},
};

static const char *refusal(const struct weft_graph *graph) {
    const struct weft_node *root = node_named(graph, "r");
    const struct weft_attribute *reason = weft_node_attribute(root, WEFT_ATTR_reason);
    return root->op == WEFT_OP_COMPOSITE ? "" : reason->text;
}

static void operators_that_need_a_feature_are_left_to_the_host(void **state) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int k = 0; k < FEATURES; k++) {
            const struct weft_config config = lacking(features[k]);
            char words[64] = "";
            if (cases[i].feature != NULL && strcmp(cases[i].feature, features[k]) == 0) {
                (void)snprintf(words, sizeof words, "(%s)", features[k]);
            } else if (strstr(cases[i].text, "qnn.mul") != NULL &&
                       strcmp(features[k], cases[i].feature) != 0) {
                continue; /* it needs two, and is there twice */
            }
            const char *reason = refusal(annotated_for(graph_of(*state, cases[i].text), &config));
            if ((words[0] == '\0') != (reason[0] == '\0') || strstr(reason, words) == NULL) {
                print_error("%s\nwithout %s: expected '%s', got '%s'\n", cases[i].text, features[k],
                            words, reason);
                fail();
            }
        }
    }
}

static void all_of_them_compute(void **state) {
    struct folder folder = folder_new();
    struct weft_config config = lacking(NULL);
    char path[128];
    (void)snprintf(path, sizeof path, "%s", config_file(&folder, &config));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (uint64_t seed = 1; seed <= 5; seed++) {
            assert_true(computes_on(graph_of(*state, cases[i].text), path, seed));
        }
    }
    folder_free(&folder);
}

/* A mean of up to 1024 bytes: both roundings never decrease with the sum, so they agree everywhere
 * if they do where the mean changes. */
static void means_are_the_same_with_one_rounding(void **state) {
    (void)state;
    for (int32_t n = 2; n <= 1024; n++) {
        int32_t multiplier = (int32_t)((INT64_C(1) << 31) / n + 1);
        for (int32_t mean = -128; mean <= 127; mean++) {
            int32_t change = (2 * mean + 1) * n / 2;
            for (int32_t sum = change - 2; sum <= change + 2; sum++) {
                assert_int_equal(weft_scale_single(sum, multiplier, 0),
                                 weft_scale_gemmlowp(sum, multiplier, 0));
            }
        }
    }
}

/* ---- a network ---- */

/* The digits network on the smallest machine, which has no feature, and on its RTL where it is
 * built. */
static void digits_are_read_without_any_feature(void **state) {
    (void)state;
    static const char *const targets[] = {"func", "cycle", "rtl"};
    struct digits digits = digits_open(WEFT_SOURCE_DIR "/tests/cosim/few8.json");
    assert_true(digits.module->segment_count > 0); /* its mean and its last product */
    int ran = 0;
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        for (int digit = 0; digit < 10; digit += 3) {
            struct weft_error error = {0};
            uint8_t *picture = digits_picture(&digits, digit);
            uint8_t *golden = digits_golden(&digits, digit);
            const void *const inputs[] = {picture};
            uint8_t got[10];
            void *const outputs[] = {got};
            bool good = module_run(digits.module, targets[i], inputs, outputs, &error);
            if (strcmp(targets[i], "rtl") != 0 || error.code != WEFT_TARGET) {
                ASSERT_GOOD(good, error);
                assert_memory_equal(got, golden, sizeof got);
                ran++;
            }
            free(picture);
            free(golden);
        }
    }
    assert_true(ran >= 8);
    digits_close(&digits);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_compute_without_zero_points_of_weights),
        cmocka_unit_test(random_graphs_compute_without_look_ups),
        cmocka_unit_test(random_graphs_compute_without_products_of_tensors),
        cmocka_unit_test(random_graphs_compute_without_gemmlowp),
        cmocka_unit_test(random_graphs_compute_without_zero_points_of_activations),
        cmocka_unit_test(random_graphs_compute_without_any_feature),
        ARENA_TEST(operators_that_need_a_feature_are_left_to_the_host),
        ARENA_TEST(all_of_them_compute),
        cmocka_unit_test(means_are_the_same_with_one_rounding),
        cmocka_unit_test(digits_are_read_without_any_feature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
