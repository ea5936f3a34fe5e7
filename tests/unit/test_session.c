/* driver/weft.h: sessions on the simulators of this process. What only the RTL can do is in
 * test_rtl_target.c. */
#include "tests/unit/graphs.h"
#include "tests/unit/modules.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Two programs with an operator of the host between them, two inputs and two outputs. */
static const char network[] = "graph network(%a: 1x6x6x8xi8{0.5, 3}, %b: 1x6x6x8xi8{0.25, -2}) {\n"
                              "%s = qnn.add(%a, %b) : 1x6x6x8xi8{0.5, 1}\n"
                              "%p = qnn.softmax(%s) beta=1 : 1x6x6x8xi8{0.00390625, -128}\n"
                              "%m = max_pool2d(%p) kernel=[2, 2] strides=[2, 2]\n"
                              "padding=[0, 0, 0, 0] : 1x3x3x8xi8{0.00390625, -128}\n"
                              "return %m, %s }";
enum {
    INPUTS = 2,
    INPUT_BYTES = 6 * 6 * 8,
    SEGMENTS = 2,
};

static const char *const simulators[] = {"func", "cycle", NULL};

struct fixture {
    const struct weft_graph *graph; /* as it was before it was compiled */
    struct weft_module *module;
};

static struct fixture compiled(struct weft_arena *arena, const char *text) {
    struct weft_error error;
    struct fixture fixture = {.graph = graph_of(arena, text)};
    ASSERT_GOOD(module_of(fixture.graph, "ref16", &fixture.module, &error), error);
    return fixture;
}

/* ---- steps ---- */

static struct weft_session *opened(const struct weft_module *module, const char *target,
                                   const struct weft_session_options *options) {
    struct weft_error error;
    struct weft_session *session = NULL;
    const struct weft_session_options defaults = weft_session_defaults();
    ASSERT_GOOD(
        weft_session_open(target, module, options == NULL ? &defaults : options, &session, &error),
        error);
    assert_non_null(session);
    return session;
}

static void give(struct weft_session *session, const struct weft_graph *graph, uint64_t seed) {
    struct weft_error error;
    const void **inputs = random_inputs(graph, seed);
    for (size_t i = 0; i < graph->input_count; i++) {
        ASSERT_GOOD(weft_session_set_input(session, i, inputs[i],
                                           weft_type_bytes(&graph->inputs[i]->type), &error),
                    error);
    }
}

static void run(struct weft_session *session) {
    struct weft_error error;
    ASSERT_GOOD(weft_session_run(session, &error), error);
}

/* Every output is what the host computes of the inputs of that seed. */
static void assert_outputs(const struct weft_session *session, const struct weft_graph *graph,
                           uint64_t seed) {
    struct weft_error error;
    void **expected = host_outputs(graph, random_inputs(graph, seed));
    for (size_t i = 0; i < graph->output_count; i++) {
        const void *bytes = NULL;
        size_t length = 0;
        ASSERT_GOOD(weft_session_output(session, i, &bytes, &length, &error), error);
        assert_int_equal(length, weft_type_bytes(&graph->outputs[i]->type));
        assert_memory_equal(bytes, expected[i], length);
    }
}

static void assert_no_output(const struct weft_session *session) {
    struct weft_error error;
    const void *bytes = NULL;
    size_t length = 0;
    ASSERT_FAILS(weft_session_output(session, 0, &bytes, &length, &error), error, WEFT_STATE);
    assert_null(bytes);
    assert_int_equal(length, 0);
}

static void assert_mentions(const struct weft_error *error, const char *part) {
    if (strstr(error->message, part) == NULL) {
        print_error("'%s' does not mention '%s'\n", error->message, part);
        fail();
    }
}

/* ---- opening ---- */

static void assert_not_opened(const struct weft_module *module, const char *target,
                              const struct weft_session_options *options, enum weft_error_code code,
                              const char *part) {
    struct weft_error error;
    struct weft_session *session = NULL;
    ASSERT_FAILS(weft_session_open(target, module, options, &session, &error), error, code);
    assert_mentions(&error, part);
    assert_null(session);
}

static void a_target_that_does_not_exist_is_not_opened(void **state) {
    struct fixture f = compiled(*state, network);
    const struct weft_session_options options = weft_session_defaults();
    assert_not_opened(f.module, "fpga", &options, WEFT_TARGET, "there is no target 'fpga'");
    assert_not_opened(f.module, "", &options, WEFT_TARGET, "there is no target ''");
    assert_not_opened(f.module, "cycles", &options, WEFT_TARGET, "cycles");
    assert_not_opened(f.module, "Func", &options, WEFT_TARGET, "Func");
}

static void the_simulators_are_among_the_targets(void **state) {
    (void)state;
    for (size_t i = 0; simulators[i] != NULL; i++) {
        bool found = false;
        for (size_t k = 0; weft_target_names[k] != NULL; k++) {
            found = found || strcmp(weft_target_names[k], simulators[i]) == 0;
        }
        assert_true(found);
    }
}

static void a_target_without_time_refuses_what_needs_it(void **state) {
    struct fixture f = compiled(*state, network);
    struct weft_session_options options[4];
    for (int i = 0; i < 4; i++) {
        options[i] = weft_session_defaults();
    }
    options[0].timing_only = true;
    options[1].watchdog = 1000;
    options[2].memory_latency = 10;
    options[3].memory_interval = 2;
    for (int i = 0; i < 4; i++) {
        assert_not_opened(f.module, "func", &options[i], WEFT_TARGET, "knows no time");
        weft_session_close(opened(f.module, "cycle", &options[i]));
    }
}

static void options_of_other_targets_are_refused(void **state) {
    struct fixture f = compiled(*state, network);
    struct weft_session_options options = weft_session_defaults();
    options.timing_only = true;
    assert_not_opened(f.module, "rtl", &options, WEFT_TARGET, "cannot leave out the data");
    options = weft_session_defaults();
    options.wave = "wave.fst";
    assert_not_opened(f.module, "func", &options, WEFT_TARGET, "writes no waveforms");
    assert_not_opened(f.module, "cycle", &options, WEFT_TARGET, "writes no waveforms");
    options.wave_segment = SEGMENTS;
    assert_not_opened(f.module, "rtl", &options, WEFT_ARGUMENT, "there is no segment 2");
}

static void kernels_that_the_processor_cannot_run_are_refused(void **state) {
    struct fixture f = compiled(*state, network);
    struct weft_session_options options = weft_session_defaults();
    assert_true(weft_host_available(options.host));
    for (int host = 0; host < WEFT_HOSTS; host++) {
        options.host = (enum weft_host)host;
        if (!weft_host_available(options.host)) {
            assert_not_opened(f.module, "func", &options, WEFT_TARGET, weft_host_names[host]);
            continue;
        }
        struct weft_session *session = opened(f.module, "func", &options);
        give(session, f.graph, 1);
        run(session);
        assert_outputs(session, f.graph, 1);
        weft_session_close(session);
    }
}

static void a_module_that_is_too_large_passes_the_limit(void **state) {
    struct fixture f = compiled(*state, network);
    const struct weft_session_options options = weft_session_defaults();
    f.module->segments[1].scratch_bytes = UINT64_MAX;
    assert_not_opened(f.module, "func", &options, WEFT_LIMIT, "at most 1073741824 are allowed");
    assert_not_opened(f.module, "cycle", &options, WEFT_LIMIT, "needs 18446744073709551615 bytes");
}

/* The limit holds for the module, the tensors and the regions together. */
static void a_session_keeps_to_the_limit_of_its_module(void **state) {
    struct fixture f = compiled(*state, network);
    const struct weft_session_options options = weft_session_defaults();
    struct weft_session *session = opened(f.module, "func", NULL);
    uint64_t needed = weft_session_memory(session);
    assert_true(needed > f.module->arena.total);
    weft_session_close(session);
    f.module->arena.limit = (size_t)needed;
    weft_session_close(opened(f.module, "func", NULL));
    f.module->arena.limit = (size_t)needed - 1;
    assert_not_opened(f.module, "func", &options, WEFT_LIMIT, "a session of the model");
    f.module->arena.limit = 0;
}

static void closing_nothing_is_allowed(void **state) {
    (void)state;
    weft_session_close(NULL);
}

/* ---- inputs ---- */

static void inputs_must_exist_and_have_their_size(void **state) {
    struct fixture f = compiled(*state, network);
    static const uint8_t bytes[INPUT_BYTES + 1];
    struct weft_error error;
    struct weft_session *session = opened(f.module, "func", NULL);
    ASSERT_FAILS(weft_session_set_input(session, INPUTS, bytes, INPUT_BYTES, &error), error,
                 WEFT_ARGUMENT);
    assert_int_equal(error.position, INPUTS);
    ASSERT_FAILS(weft_session_set_input(session, SIZE_MAX, bytes, INPUT_BYTES, &error), error,
                 WEFT_ARGUMENT);
    static const size_t lengths[] = {0, 1, INPUT_BYTES - 1, INPUT_BYTES + 1};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        ASSERT_FAILS(weft_session_set_input(session, 1, bytes, lengths[i], &error), error,
                     WEFT_TENSOR);
        assert_int_equal(error.position, 1);
    }
    /* None of these counts as set. */
    ASSERT_FAILS(weft_session_run(session, &error), error, WEFT_STATE);
    weft_session_close(session);
}

static void a_run_needs_every_input(void **state) {
    struct fixture f = compiled(*state, network);
    const void **inputs = random_inputs(f.graph, 1);
    for (size_t i = 0; simulators[i] != NULL; i++) {
        struct weft_error error;
        struct weft_session *session = opened(f.module, simulators[i], NULL);
        ASSERT_FAILS(weft_session_run(session, &error), error, WEFT_STATE);
        assert_int_equal(error.position, 0);
        ASSERT_GOOD(weft_session_set_input(session, 0, inputs[0], INPUT_BYTES, &error), error);
        ASSERT_FAILS(weft_session_run(session, &error), error, WEFT_STATE);
        assert_int_equal(error.position, 1);
        assert_mentions(&error, "input 1 was never set");
        assert_no_output(session);
        assert_null(weft_session_segment(session, 0));
        ASSERT_GOOD(weft_session_set_input(session, 1, inputs[1], INPUT_BYTES, &error), error);
        run(session);
        assert_outputs(session, f.graph, 1);
        weft_session_close(session);
    }
}

/* ---- runs ---- */

static void runs_follow_one_another(void **state) {
    struct fixture f = compiled(*state, network);
    for (size_t i = 0; simulators[i] != NULL; i++) {
        struct weft_session *session = opened(f.module, simulators[i], NULL);
        for (uint64_t seed = 1; seed <= 4; seed++) {
            give(session, f.graph, seed);
            run(session);
            assert_outputs(session, f.graph, seed);
            run(session); /* with the inputs as they are */
            assert_outputs(session, f.graph, seed);
        }
        weft_session_close(session);
    }
}

/* Only one input changes between two runs. */
static void inputs_stay_until_they_are_set_again(void **state) {
    struct fixture f = compiled(*state, network);
    const void **first = random_inputs(f.graph, 1);
    const void **second = random_inputs(f.graph, 2);
    const void *mixed[INPUTS] = {first[0], second[1]};
    struct weft_error error;
    struct weft_session *session = opened(f.module, "cycle", NULL);
    give(session, f.graph, 1);
    run(session);
    ASSERT_GOOD(weft_session_set_input(session, 1, second[1], INPUT_BYTES, &error), error);
    run(session);
    void **expected = host_outputs(f.graph, mixed);
    const void *bytes = NULL;
    size_t length = 0;
    ASSERT_GOOD(weft_session_output(session, 1, &bytes, &length, &error), error);
    assert_memory_equal(bytes, expected[1], length);
    weft_session_close(session);
}

static void sessions_of_one_module_are_independent(void **state) {
    struct fixture f = compiled(*state, network);
    struct weft_session *sessions[4];
    for (uint64_t i = 0; i < 4; i++) {
        sessions[i] = opened(f.module, simulators[i % 2], NULL);
        give(sessions[i], f.graph, i + 1);
    }
    for (uint64_t i = 0; i < 4; i++) {
        run(sessions[i]);
    }
    for (uint64_t i = 0; i < 4; i++) {
        assert_outputs(sessions[i], f.graph, i + 1);
        weft_session_close(sessions[i]);
    }
}

static void outputs_must_exist(void **state) {
    struct fixture f = compiled(*state, network);
    struct weft_error error;
    const void *bytes = NULL;
    size_t length = 0;
    struct weft_session *session = opened(f.module, "func", NULL);
    assert_no_output(session); /* before the first run */
    give(session, f.graph, 1);
    assert_no_output(session);
    run(session);
    ASSERT_FAILS(weft_session_output(session, 2, &bytes, &length, &error), error, WEFT_ARGUMENT);
    assert_int_equal(error.position, 2);
    ASSERT_FAILS(weft_session_output(session, SIZE_MAX, &bytes, &length, &error), error,
                 WEFT_ARGUMENT);
    assert_null(bytes);
    weft_session_close(session);
}

/* Graphs in which the machine has little to do or nothing at all. */
static void unusual_graphs_run(void **state) {
    static const char *const texts[] = {
        "graph g(%0: 3xi8{0.5, 1}) { return %0 }",
        "graph g(%0: 3xi8{0.5, 1}) { return %0, %0 }",
        "graph g() { %k = constant() data=[1, 2] : 2xi8{0.5, 1} return %k }",
        "graph g(%0: 1x2xi8{0.5, 1}) {\n"
        "%1 = qnn.softmax(%0) beta=1 : 1x2xi8{0.00390625, -128} return %1 }",
        "graph g(%0: 1x2xi8{0.5, 1}) { %1 = reshape(%0) : 2xi8{0.5, 1} return %1, %0 }",
        "graph g(%0: 0x2xi8{0.5, 1}) { %1 = qnn.add(%0, %0) : 0x2xi8{0.5, 1} return %1 }",
        "graph g(%0: 1x2xi8{0.5, 1}) { %1 = qnn.add(%0, %0) : 1x2xi8{1, 1}\n"
        "%2 = qnn.softmax(%1) beta=1 : 1x2xi8{0.00390625, -128} return %1, %2, %1, %0 }",
        "graph g() { %k = constant() data=[1, 2] : 2xi8{0.5, 1}\n"
        "%1 = qnn.add(%k, %k) : 2xi8{1, 1} return %1 }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct fixture f = compiled(*state, texts[i]);
        for (size_t k = 0; simulators[k] != NULL; k++) {
            struct weft_session *session = opened(f.module, simulators[k], NULL);
            give(session, f.graph, 1);
            run(session);
            assert_outputs(session, f.graph, 1);
            assert_null(weft_session_segment(session, f.module->segment_count));
            weft_session_close(session);
        }
    }
}

/* ---- what goes wrong in a run ---- */

static void an_operator_without_a_kernel_fails_the_run(void **state) {
    struct fixture f = compiled(*state, "graph g(%0: 1x2xi8{0.5, 1}) {\n"
                                        "%1 = qnn.add(%0, %0) : 1x2xi8{1, 1}\n"
                                        "%2 = opaque(%1) : 1x2xi8{1, 1} return %2 }");
    struct weft_error error;
    struct weft_session *session = opened(f.module, "cycle", NULL);
    give(session, f.graph, 1);
    for (int i = 0; i < 2; i++) {
        ASSERT_FAILS(weft_session_run(session, &error), error, WEFT_OPERATOR);
        assert_no_output(session);
        assert_non_null(weft_session_segment(session, 0)); /* that much was done */
    }
    weft_session_close(session);
}

static void a_watchdog_ends_a_run(void **state) {
    struct fixture f = compiled(*state, network);
    struct weft_session_options options = weft_session_defaults();
    struct weft_error error;
    options.watchdog = f.module->segments[0].cycles / 2;
    struct weft_session *session = opened(f.module, "cycle", &options);
    give(session, f.graph, 1);
    for (int i = 0; i < 3; i++) {
        ASSERT_FAILS(weft_session_run(session, &error), error, WEFT_FAULT);
        assert_mentions(&error, "watchdog limit reached");
        assert_no_output(session);
        const struct weft_segment_run *first = weft_session_segment(session, 0);
        assert_non_null(first);
        assert_int_equal(first->result.fault, WEFT_FAULT_WATCHDOG);
        assert_int_equal(first->result.fault_instruction, error.position);
        assert_int_equal(first->result.counters.cycles, options.watchdog);
        assert_null(weft_session_segment(session, 1));
        assert_int_equal(weft_session_counter(session, WEFT_COUNTER_INDEX_cycles),
                         options.watchdog);
    }
    weft_session_close(session);
}

/* The limit is one of each program: the last cycle it may take, not the first it may not. */
static void a_watchdog_lets_a_program_end_in_its_last_cycle(void **state) {
    struct fixture f = compiled(*state, network);
    struct weft_session_options options = weft_session_defaults();
    struct weft_error error;
    uint64_t longest = f.module->segments[0].cycles;
    longest = f.module->segments[1].cycles > longest ? f.module->segments[1].cycles : longest;
    options.watchdog = longest;
    struct weft_session *session = opened(f.module, "cycle", &options);
    give(session, f.graph, 1);
    run(session);
    assert_outputs(session, f.graph, 1);
    weft_session_close(session);
    options.watchdog = longest - 1;
    session = opened(f.module, "cycle", &options);
    give(session, f.graph, 1);
    ASSERT_FAILS(weft_session_run(session, &error), error, WEFT_FAULT);
    weft_session_close(session);
}

/* The first instruction of an opcode in a program. */
static struct weft_instruction *instruction_of(struct weft_segment *segment,
                                               enum weft_opcode opcode) {
    for (size_t i = 0; i < segment->program.count; i++) {
        if (segment->program.instructions[i].opcode == opcode) {
            return &segment->program.instructions[i];
        }
    }
    fail();
    return NULL;
}

/* A session whose second program is broken for one run gives, when it is whole again, the bytes of
 * a fresh one. */
static void assert_recovers(const struct fixture *f, const char *target,
                            struct weft_instruction *at, const struct weft_instruction *broken,
                            enum weft_fault fault) {
    const struct weft_instruction whole = *at;
    struct weft_error error;
    struct weft_session *session = opened(f->module, target, NULL);
    give(session, f->graph, 1);
    run(session);
    *at = *broken;
    ASSERT_FAILS(weft_session_run(session, &error), error, WEFT_FAULT);
    assert_mentions(&error, weft_fault_names[fault]);
    assert_no_output(session);
    assert_int_equal(weft_session_segment(session, 0)->result.fault, WEFT_FAULT_NONE);
    assert_int_equal(weft_session_segment(session, 1)->result.fault, fault);
    assert_int_equal(weft_session_segment(session, 1)->result.fault_instruction, error.position);
    *at = whole;
    assert_no_output(session);
    give(session, f->graph, 2);
    run(session);
    assert_outputs(session, f->graph, 2);
    weft_session_close(session);
}

static void a_run_after_a_fault_is_like_a_first_one(void **state) {
    struct fixture f = compiled(*state, network);
    struct weft_segment *segment = &f.module->segments[1];
    for (size_t i = 0; simulators[i] != NULL; i++) {
        struct weft_instruction *store = instruction_of(segment, WEFT_OPCODE_STORE);
        struct weft_instruction broken = *store;
        broken.store.address = (uint32_t)segment->output_bytes;
        assert_recovers(&f, simulators[i], store, &broken, WEFT_FAULT_ADDRESS);
        broken = *store;
        broken.store.region = WEFT_REGION_INPUTS;
        broken.store.address = 0;
        broken.store.run = 1;
        broken.store.count[0] = broken.store.count[1] = broken.store.count[2] = 1;
        assert_recovers(&f, simulators[i], store, &broken, WEFT_FAULT_WRITE);
        broken = *store;
        broken.wait |= 1U << WEFT_UNIT_MATRIX;
        assert_recovers(&f, simulators[i], store, &broken, WEFT_FAULT_DEADLOCK);
        broken = *store;
        broken.opcode = 15;
        assert_recovers(&f, simulators[i], store, &broken, WEFT_FAULT_ENCODING);
        struct weft_instruction *halt = instruction_of(segment, WEFT_OPCODE_HALT);
        broken = weft_instruction_new(WEFT_OPCODE_FENCE);
        assert_recovers(&f, simulators[i], halt, &broken, WEFT_FAULT_PROGRAM_END);
    }
}

/* ---- what happened ---- */

static void nothing_has_happened_before_a_run(void **state) {
    struct fixture f = compiled(*state, network);
    struct weft_session *session = opened(f.module, "cycle", NULL);
    for (uint32_t i = 0; i <= SEGMENTS; i++) {
        assert_null(weft_session_segment(session, i));
    }
    assert_null(weft_session_segment(session, UINT32_MAX));
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        assert_int_equal(weft_session_counter(session, i), 0);
    }
    weft_session_close(session);
}

static void counters_are_those_of_the_programs(void **state) {
    struct fixture f = compiled(*state, network);
    struct weft_session *session = opened(f.module, "cycle", NULL);
    give(session, f.graph, 1);
    for (int i = 0; i < 2; i++) {
        uint64_t sums[WEFT_COUNTERS] = {0};
        run(session);
        assert_int_equal(f.module->segment_count, SEGMENTS);
        for (uint32_t k = 0; k < SEGMENTS; k++) {
            const struct weft_segment_run *segment = weft_session_segment(session, k);
            assert_non_null(segment);
            assert_int_equal(segment->result.fault, WEFT_FAULT_NONE);
            assert_int_equal(segment->result.counters.cycles, f.module->segments[k].cycles);
            assert_int_equal(segment->result.counters.instructions,
                             f.module->segments[k].program.count);
            assert_true(segment->seconds >= 0);
            for (unsigned c = 0; c < WEFT_COUNTERS; c++) {
                sums[c] += weft_counter_get(&segment->result.counters, c);
            }
        }
        for (unsigned c = 0; c < WEFT_COUNTERS; c++) {
            assert_int_equal(weft_session_counter(session, c), sums[c]);
        }
        assert_int_equal(weft_session_counter(session, WEFT_COUNTERS), 0);
        assert_int_equal(weft_session_counter(session, UINT_MAX), 0);
    }
    weft_session_close(session);
}

static void a_target_without_time_counts_instructions_alone(void **state) {
    struct fixture f = compiled(*state, network);
    struct weft_session *session = opened(f.module, "func", NULL);
    give(session, f.graph, 1);
    run(session);
    uint64_t instructions =
        f.module->segments[0].program.count + f.module->segments[1].program.count;
    for (unsigned c = 0; c < WEFT_COUNTERS; c++) {
        uint64_t expected = c == WEFT_COUNTER_INDEX_instructions ? instructions : 0;
        assert_int_equal(weft_session_counter(session, c), expected);
    }
    for (uint32_t k = 0; k < SEGMENTS; k++) {
        for (uint32_t i = 0; i < f.module->segments[k].layer_count; i++) {
            assert_int_equal(weft_session_segment(session, k)->layer_finish[i], 0);
        }
    }
    weft_session_close(session);
}

/* The digits network has several layers in one program. */
static void every_layer_has_a_record(void **state) {
    (void)state;
    struct digits digits = digits_open("ref16");
    struct weft_error error;
    struct weft_session *session = opened(digits.module, "cycle", NULL);
    uint8_t *picture = digits_picture(&digits, 3);
    ASSERT_GOOD(weft_session_set_input(session, 0, picture,
                                       weft_type_bytes(&digits.module->graph->inputs[0]->type),
                                       &error),
                error);
    run(session);
    uint32_t layers = 0;
    for (uint32_t k = 0; k < digits.module->segment_count; k++) {
        const struct weft_segment *segment = &digits.module->segments[k];
        const struct weft_segment_run *ran = weft_session_segment(session, k);
        uint64_t last = 0;
        for (uint32_t i = 0; i < segment->layer_count; i++) {
            assert_in_range(ran->layer_finish[i], 1, ran->result.counters.cycles);
            assert_true(ran->layer_finish[i] > last); /* each layer needs the one before */
            last = ran->layer_finish[i];
            assert_true(strlen(segment->layers[i].name) > 0);
            assert_non_null(segment->layers[i].tensor);
        }
        layers += segment->layer_count;
    }
    assert_true(layers > 2);
    free(picture);
    weft_session_close(session);
    digits_close(&digits);
}

/* ---- options of the cycle simulator ---- */

static void timing_alone_takes_the_same_time(void **state) {
    struct fixture f = compiled(*state, network);
    struct weft_session_options options = weft_session_defaults();
    struct weft_error error;
    options.timing_only = true;
    struct weft_session *timing = opened(f.module, "cycle", &options);
    struct weft_session *full = opened(f.module, "cycle", NULL);
    give(full, f.graph, 1);
    run(full);
    run(timing); /* without inputs */
    for (unsigned c = 0; c < WEFT_COUNTERS; c++) {
        assert_int_equal(weft_session_counter(timing, c), weft_session_counter(full, c));
    }
    assert_no_output(timing);
    /* Inputs are checked even so. */
    give(timing, f.graph, 1);
    ASSERT_FAILS(weft_session_set_input(timing, 0, "", 1, &error), error, WEFT_TENSOR);
    ASSERT_FAILS(weft_session_set_input(timing, INPUTS, "", 1, &error), error, WEFT_ARGUMENT);
    weft_session_close(timing);
    weft_session_close(full);
}

static void slower_memory_takes_longer_and_changes_no_byte(void **state) {
    struct fixture f = compiled(*state, network);
    struct weft_session_options options = weft_session_defaults();
    uint64_t before = f.module->segments[0].cycles + f.module->segments[1].cycles;
    static const uint64_t latencies[] = {200, 1000, 1000};
    static const uint64_t intervals[] = {0, 0, 7};
    for (int i = 0; i < 3; i++) {
        options.memory_latency = latencies[i];
        options.memory_interval = intervals[i];
        struct weft_session *session = opened(f.module, "cycle", &options);
        give(session, f.graph, 1);
        run(session);
        assert_outputs(session, f.graph, 1);
        uint64_t cycles = weft_session_counter(session, WEFT_COUNTER_INDEX_cycles);
        assert_true(cycles > before);
        before = cycles;
        weft_session_close(session);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(a_target_that_does_not_exist_is_not_opened),
        ARENA_TEST(the_simulators_are_among_the_targets),
        ARENA_TEST(a_target_without_time_refuses_what_needs_it),
        ARENA_TEST(options_of_other_targets_are_refused),
        ARENA_TEST(kernels_that_the_processor_cannot_run_are_refused),
        ARENA_TEST(a_module_that_is_too_large_passes_the_limit),
        ARENA_TEST(a_session_keeps_to_the_limit_of_its_module),
        ARENA_TEST(closing_nothing_is_allowed),
        ARENA_TEST(inputs_must_exist_and_have_their_size),
        ARENA_TEST(a_run_needs_every_input),
        ARENA_TEST(runs_follow_one_another),
        ARENA_TEST(inputs_stay_until_they_are_set_again),
        ARENA_TEST(sessions_of_one_module_are_independent),
        ARENA_TEST(outputs_must_exist),
        ARENA_TEST(unusual_graphs_run),
        ARENA_TEST(an_operator_without_a_kernel_fails_the_run),
        ARENA_TEST(a_watchdog_ends_a_run),
        ARENA_TEST(a_watchdog_lets_a_program_end_in_its_last_cycle),
        ARENA_TEST(a_run_after_a_fault_is_like_a_first_one),
        ARENA_TEST(nothing_has_happened_before_a_run),
        ARENA_TEST(counters_are_those_of_the_programs),
        ARENA_TEST(a_target_without_time_counts_instructions_alone),
        ARENA_TEST(every_layer_has_a_record),
        ARENA_TEST(timing_alone_takes_the_same_time),
        ARENA_TEST(slower_memory_takes_longer_and_changes_no_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
