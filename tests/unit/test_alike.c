/* Layers with the same constants, as the steps of a recurrent network: these are stored once, and
 * loaded once while they stay on chip. */
#include "tests/unit/computes.h"
#include "tests/unit/modules.h"

#include "compiler/plan/plan.h"

/* Steps %1 to %5; the fifth has a result of another scale. */
#define STEP(from, to, weights, scale)                                                             \
    "  %d" #to " = qnn.dense(%" #from ", %" weights ") : 1x64xi32{0.125, 0}\n"                     \
    "  %" #to " = qnn.requantize(%d" #to ") rounding=\"single\" : 1x64xi8{" scale ", 3}\n"
#define FOUR(a, b, c, d)                                                                           \
    STEP(0, 1, a, "0.5") STEP(1, 2, b, "0.5") STEP(2, 3, c, "0.5") STEP(3, 4, d, "0.5")
#define WEIGHTS(name) "  %" name " = constant() data=$4096 : 64x64xi8{0.25, 0}\n"
#define BEGIN         "graph main(%0: 1x64xi8{0.5, 3}) {\n"

static const char same[] = BEGIN WEIGHTS("w") FOUR("w", "w", "w", "w")
    STEP(4, 5, "w", "0.75") "  return %1, %2, %3, %4, %5\n}\n";

static const char apart[] = BEGIN WEIGHTS("s") WEIGHTS("t") WEIGHTS("u") WEIGHTS("v") WEIGHTS("w")
    FOUR("s", "t", "u", "v") STEP(4, 5, "w", "0.75") "  return %1, %2, %3, %4, %5\n}\n";

/* LOADs of a segment into a memory. */
static size_t count_loads(const struct weft_module *module, uint32_t memory) {
    const struct weft_program *program = &module->segments[0].program;
    size_t count = 0;
    for (size_t i = 0; i < program->count; i++) {
        const struct weft_instruction *instruction = &program->instructions[i];
        count += instruction->opcode == WEFT_OPCODE_LOAD && instruction->load.memory == memory;
    }
    return count;
}

static const struct weft_module *compiled(const struct weft_graph *graph, const char *config) {
    struct weft_module *module = NULL;
    struct weft_error error;
    ASSERT_GOOD(module_of(graph, config, &module, &error), error);
    assert_int_equal(module->segment_count, 1);
    return module;
}

static void same_weights_are_there_once(void **state) {
    const struct weft_graph *alike = graph_filled(*state, same);
    const struct weft_graph *others = graph_filled(*state, apart);
    for (size_t c = 0; test_configs[c] != NULL; c++) {
        const struct weft_module *once = compiled(alike, test_configs[c]);
        const struct weft_module *often = compiled(others, test_configs[c]);
        assert_true(once->segments[0].constant_bytes + 4 * 2048 <
                    often->segments[0].constant_bytes);
        assert_true(count_loads(often, WEFT_TARGET_WGT) >= 2 * count_loads(once, WEFT_TARGET_WGT));
        assert_true(weft_module_cycles(once) < weft_module_cycles(often));
    }
    assert_true(computes(alike, 1, NULL));
    assert_true(computes(others, 1, NULL));
}

/* Of the first four steps; those of the fifth are others. */
static void same_parameters_are_there_once(void **state) {
    struct weft_arena *arena = *state;
    const struct weft_graph *graph = graph_filled(arena, same);
    const struct weft_config config = config_named("ref16");
    const struct weft_module *module = compiled(graph, "ref16");
    struct weft_error error;
    struct region listed;
    struct region region;
    struct plan plan;
    struct decisions decisions;
    const struct style style = {.behind = true, .chains = true};
    const struct region_form form = {.behind = true};
    struct hint *hints = WEFT_NEW_ARRAY(arena, 5, struct hint);
    ASSERT_GOOD(region_read(arena, &config, body_of(module), &listed, &error), error);
    region_create(arena, &listed, &form, &region);
    assert_int_equal(region.layer_count, 5);
    ASSERT_GOOD(choose_decisions(arena, &region, &config, &style, hints, &decisions, &plan, &error),
                error);
    ASSERT_GOOD(plan_make(arena, &region, &decisions, &plan, &error), error);
    plan_outside(&plan);
    for (int i = 1; i < 5; i++) {
        assert_int_equal(plan.first_weights[i], plan.first_weights[0]);
        assert_int_equal(plan.end_weights[i], plan.piece_count[PIECES_WGT]);
    }
    for (int i = 1; i < 4; i++) {
        assert_int_equal(plan.first_parameters[i], plan.first_parameters[0]);
    }
    assert_int_equal(plan.first_parameters[4], plan.end_parameters[0]);
    assert_int_equal(plan.end_parameters[4], plan.piece_count[PIECES_PAR]);
}

/* Between the last two steps lies what takes all of WGT. */
static void weights_that_had_to_go_come_again(void **state) {
    const struct weft_graph *graph = graph_filled(
        *state, BEGIN WEIGHTS("w") "  %v = constant() data=$131072 : 2048x64xi8{0.25, 0}\n"
                                   "  %u = constant() data=$131072 : 64x2048xi8{0.25, 0}\n" FOUR(
                                       "w", "w", "w",
                                       "w") "  %d5 = qnn.dense(%4, %v) : 1x2048xi32{0.125, 0}\n"
                                            "  %5 = qnn.requantize(%d5) rounding=\"single\" : "
                                            "1x2048xi8{0.5, 3}\n" STEP(5, 6, "u", "0.5")
                                                STEP(6, 7, "w", "0.5") "  return %1, %7\n}\n");
    for (size_t c = 0; test_configs[c] != NULL; c++) {
        assert_true(count_loads(compiled(graph, test_configs[c]), WEFT_TARGET_WGT) > 2);
    }
    assert_true(computes(graph, 2, NULL));
}

/* Three layers. */
static void few_layers_share_nothing(void **state) {
    const struct weft_graph *graph =
        graph_filled(*state, BEGIN WEIGHTS("w") STEP(0, 1, "w", "0.5") STEP(1, 2, "w", "0.5")
                                 STEP(2, 3, "w", "0.5") "  return %1, %2, %3\n}\n");
    assert_true(compiled(graph, "ref16")->segments[0].constant_bytes > 3 * 2048);
    assert_true(computes(graph, 3, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(same_weights_are_there_once),
        ARENA_TEST(same_parameters_are_there_once),
        ARENA_TEST(weights_that_had_to_go_come_again),
        ARENA_TEST(few_layers_share_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
