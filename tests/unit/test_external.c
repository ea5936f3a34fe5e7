/* A target from outside, whole: a pattern table, a compiler, a runner, in this file alone. */
#include "tests/unit/graphs.h"
#include "tests/unit/modules.h"

#include <string.h>

#include "compiler/host/host.h"
#include "compiler/partition/target.h"

/* ---- the target: conv2d -> bias_add -> requantize, with the host's kernels ---- */

/* A program: the composites of the region, in order. */
struct program {
    struct weft_arena *arena;
    const struct weft_graph *body;
    size_t step_count;
    const struct weft_node **steps;
};

/* What the tests look at. */
struct example {
    size_t compiled, runs;
    bool fails_to_compile, fails_to_run;
};

static const char *refuse_groups(void *context, struct weft_arena *arena,
                                 const struct weft_match *match) {
    (void)context;
    (void)arena;
    const struct weft_node *convolution = match->nodes[match->node_count - 1];
    return weft_node_int(convolution, WEFT_ATTR_groups) == 1 ? NULL
                                                             : "example knows no channel groups";
}

static const struct weft_pattern_table *example_patterns(struct weft_arena *arena) {
    struct weft_pattern *x = weft_pattern_wildcard(arena);
    struct weft_pattern *constant = weft_pattern_constant(arena);
    struct weft_pattern *product =
        weft_pattern_op(arena, WEFT_OP_QNN_CONV2D, 2, (struct weft_pattern *[]){x, constant});
    struct weft_pattern *sum =
        weft_pattern_op(arena, WEFT_OP_BIAS_ADD, 2, (struct weft_pattern *[]){product, constant});
    struct weft_pattern_entry *entry = WEFT_NEW(arena, struct weft_pattern_entry);
    struct weft_pattern_table *table = WEFT_NEW(arena, struct weft_pattern_table);
    *entry = (struct weft_pattern_entry){
        "example.conv2d", weft_pattern_op(arena, WEFT_OP_QNN_REQUANTIZE, 1, &sum), refuse_groups};
    *table = (struct weft_pattern_table){.name = "example", .entry_count = 1, .entries = entry};
    return table;
}

static bool example_compile(void *context, struct weft_arena *arena, const struct weft_graph *body,
                            void **program, struct weft_error *error) {
    struct example *example = context;
    struct program *made = WEFT_NEW(arena, struct program);
    if (example->fails_to_compile) {
        return weft_fail(error, WEFT_CAPACITY, 0, "no room");
    }
    made->arena = arena;
    made->body = body;
    made->steps = WEFT_NEW_ARRAY(arena, body->node_count, const struct weft_node *);
    for (size_t i = 0; i < body->node_count; i++) {
        assert_int_equal(body->nodes[i]->op, WEFT_OP_COMPOSITE);
        assert_string_equal(weft_node_text(body->nodes[i], WEFT_ATTR_name), "example.conv2d");
        made->steps[made->step_count++] = body->nodes[i];
    }
    example->compiled++;
    *program = made;
    return true;
}

static bool run_step(const struct program *program, const struct weft_node *step,
                     struct weft_map *tensors, struct weft_error *error) {
    const void **inputs = WEFT_NEW_ARRAY(program->arena, step->input_count, const void *);
    void *result = WEFT_NEW_ARRAY(program->arena, weft_type_bytes(&step->results[0]->type), char);
    for (uint32_t i = 0; i < step->input_count; i++) {
        inputs[i] = weft_map_get(tensors, step->inputs[i]);
    }
    weft_map_set(tensors, step->results[0], result);
    return weft_host_run_graph(step->body, inputs, &result, error);
}

static bool example_run(void *context, const void *made, const void *const *inputs,
                        void *const *results, struct weft_error *error) {
    struct example *example = context;
    const struct program *program = made;
    struct weft_map *tensors = weft_map_new(program->arena);
    example->runs++;
    if (example->fails_to_run) {
        return weft_fail(error, WEFT_FAULT, 0, "it broke");
    }
    for (size_t i = 0; i < program->body->input_count; i++) {
        weft_map_set(tensors, program->body->inputs[i], (void *)(uintptr_t)inputs[i]);
    }
    for (size_t i = 0; i < program->step_count; i++) {
        if (!run_step(program, program->steps[i], tensors, error)) {
            return false;
        }
    }
    for (size_t i = 0; i < program->body->output_count; i++) {
        memcpy(results[i], weft_map_get(tensors, program->body->outputs[i]),
               weft_type_bytes(&program->body->outputs[i]->type));
    }
    return true;
}

/* ---- tests ---- */

#define X    "1x3x3x2xi8{0.5, -3}"
#define ACC  "1x3x3x2xi32{0.125, 0}"
#define CONV " strides=[1, 1] padding=[1, 1, 1, 1] dilation=[1, 1] groups="
#define WEIGHTS                                                                                    \
    "  %k = constant() data=[500, -600] : 2xi32{0.125, 0}\n"                                       \
    "  %w = constant() data=blob 0 : 2x3x3x2xi8{0.25, 0}\n"                                        \
    "  %d = constant() data=blob 1 : 2x3x3x1xi8{0.25, 0}\n"
#define LAYER(to, from, weights, groups)                                                           \
    "  %p" to " = qnn.conv2d(%" from ", %" weights ")" CONV groups " : " ACC "\n"                  \
    "  %s" to " = bias_add(%p" to ", %k) : " ACC "\n"                                              \
    "  %" to " = qnn.requantize(%s" to ") rounding=\"gemmlowp\" : " X "\n"

/* Two convolutions for the example, two grouped ones for the machine, one more after the host. */
static const char network[] = "graph g(%0: " X ") {\n" WEIGHTS LAYER("a", "0", "w", "1")
    LAYER("b", "a", "w", "1") LAYER("m", "b", "d", "2")
        LAYER("c", "m", "d", "2") "  %e = qnn.softmax(%c) beta=1 : " X
                                  "\n" LAYER("f", "e", "w", "1") "  %g = qnn.add(%f, %b) : " X
                                                                 "\n  return %g, %b\n}\n";

static struct weft_graph *network_graph(struct weft_arena *arena) {
    uint64_t seed = 7;
    uint8_t *bytes = WEFT_NEW_ARRAY(arena, 54, uint8_t);
    struct weft_blob *blob = WEFT_NEW_ARRAY(arena, 2, struct weft_blob);
    struct weft_graph *graph = NULL;
    struct weft_error error;
    random_fill(&seed, bytes, 54);
    blob[0] = (struct weft_blob){bytes, 36};
    blob[1] = (struct weft_blob){bytes + 36, 18};
    const struct weft_blobs blobs = {2, 2, blob};
    ASSERT_GOOD(weft_graph_parse(arena, network, strlen(network), &blobs, &graph, &error), error);
    return graph;
}

/* Compiles the network for the example. */
static bool compile(struct weft_arena *arena, struct example *example,
                    struct weft_external_target *target, struct weft_module **module,
                    struct weft_error *error) {
    const struct weft_config config = config_named("ref16");
    *target = (struct weft_external_target){.patterns = example_patterns(arena),
                                            .compile = example_compile,
                                            .run = example_run,
                                            .context = example};
    const struct weft_compile_options options = {.target_count = 1, .targets = target};
    return weft_compile_graph(network_graph(arena), &config, &options, module, error);
}

/* The network with everything on the host, whatever targets there are. */
static struct weft_module *compile_for_host(struct weft_arena *arena,
                                            const struct weft_external_target *target) {
    struct weft_error error;
    struct weft_module *module = NULL;
    const struct weft_config config = config_named("ref16");
    const struct weft_compile_options options = {
        .host_only = true, .target_count = 1, .targets = target};
    ASSERT_GOOD(weft_compile_graph(network_graph(arena), &config, &options, &module, &error),
                error);
    assert_int_equal(count_of(module->graph, WEFT_OP_REGION), 0);
    return module;
}

static void a_target_from_outside_computes_what_the_host_computes(void **state) {
    struct weft_error error;
    struct example example = {0};
    struct weft_external_target target;
    struct weft_module *module = NULL;
    const struct weft_graph *graph = network_graph(*state);
    ASSERT_GOOD(compile(*state, &example, &target, &module, &error), error);
    assert_int_equal(example.compiled, 2);
    struct weft_module *host = compile_for_host(*state, &target);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        const void **inputs = random_inputs(graph, seed);
        void **expected = output_room(graph);
        void **outputs = output_room(graph);
        ASSERT_GOOD(module_run(host, "func", inputs, expected, &error), error);
        ASSERT_GOOD(module_run(module, seed == 1 ? "cycle" : "func", inputs, outputs, &error),
                    error);
        for (size_t i = 0; i < graph->output_count; i++) {
            assert_memory_equal(outputs[i], expected[i], weft_type_bytes(&graph->outputs[i]->type));
        }
    }
    assert_int_equal(example.runs, 6);
    weft_module_free(host);
    weft_module_free(module);
}

/* What the example takes, what it leaves to the machine, and what nobody takes. */
static void every_region_goes_to_its_target(void **state) {
    static const char *const targets[] = {"example", "weft", NULL, "example", "weft"};
    struct weft_error error;
    struct example example = {0};
    struct weft_external_target target;
    struct weft_module *module = NULL;
    ASSERT_GOOD(compile(*state, &example, &target, &module, &error), error);
    const struct weft_graph *graph = module->graph;
    assert_int_equal(graph->node_count, 5);
    assert_int_equal(graph->nodes[0]->body->node_count, 2);
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        assert_int_equal(node->op, targets[i] == NULL ? WEFT_OP_QNN_SOFTMAX : WEFT_OP_REGION);
        if (targets[i] != NULL) {
            assert_string_equal(weft_node_text(node, WEFT_ATTR_target), targets[i]);
        }
    }
    assert_int_equal(module->segment_count, 2);
    assert_int_equal(module->external_count, 2);
    weft_module_free(module);
}

static void errors_of_a_target_are_passed_on(void **state) {
    struct weft_error error;
    struct example example = {.fails_to_compile = true};
    struct weft_external_target target;
    struct weft_module *module = NULL;
    ASSERT_FAILS(compile(*state, &example, &target, &module, &error), error, WEFT_CAPACITY);
    assert_string_equal(error.message, "target example: no room");
    example = (struct example){.fails_to_run = true};
    ASSERT_GOOD(compile(*state, &example, &target, &module, &error), error);
    const struct weft_graph *graph = module->graph;
    ASSERT_FAILS(module_run(module, "func", random_inputs(graph, 1), output_room(graph), &error),
                 error, WEFT_FAULT);
    assert_string_equal(error.message, "target example: it broke");
    weft_module_free(module);
}

static void programs_of_a_target_have_no_written_form(void **state) {
    struct weft_error error;
    struct example example = {0};
    struct weft_external_target target;
    struct weft_module *module = NULL;
    uint8_t *bytes = NULL;
    size_t length = 0;
    ASSERT_GOOD(compile(*state, &example, &target, &module, &error), error);
    ASSERT_FAILS(weft_module_write(module, &bytes, &length, &error), error, WEFT_TARGET);
    assert_non_null(strstr(error.message, "example"));
    weft_module_free(module);
}

static void names_of_targets_differ(void **state) {
    struct weft_error error;
    struct example example = {0};
    struct weft_module *module = NULL;
    const struct weft_config config = config_named("ref16");
    struct weft_pattern_table table = *example_patterns(*state);
    const struct weft_external_target target = {
        .patterns = &table, .compile = example_compile, .run = example_run, .context = &example};
    const struct weft_external_target twins[] = {target, target};
    struct weft_compile_options options = {.target_count = 2, .targets = twins};
    ASSERT_FAILS(weft_compile_graph(network_graph(*state), &config, &options, &module, &error),
                 error, WEFT_ARGUMENT);
    table.name = "weft";
    options.target_count = 1;
    ASSERT_FAILS(weft_compile_graph(network_graph(*state), &config, &options, &module, &error),
                 error, WEFT_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(a_target_from_outside_computes_what_the_host_computes),
        ARENA_TEST(every_region_goes_to_its_target),
        ARENA_TEST(errors_of_a_target_are_passed_on),
        ARENA_TEST(programs_of_a_target_have_no_written_form),
        ARENA_TEST(names_of_targets_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
