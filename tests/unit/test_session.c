/* driver/session.h: sessions on the simulators of this process, from opening to outputs.
 * test_session_runs.c has what runs leave behind, test_rtl_target.c what only the RTL can do. */
#include "tests/unit/sessions.h"

#include <string.h>

/* ---- opening ---- */

static void assert_not_opened(const struct weft_module *module, const char *target,
                              const struct weft_session_options *options, enum weft_error_code code,
                              const char *part) {
    struct weft_error error;
    struct weft_session *session = NULL;
    ASSERT_FAILS(weft_session_open(target, module, options, &session, &error), error, code);
    assert_error_mentions(&error, part);
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
    struct weft_session_options options[5];
    for (int i = 0; i < 5; i++) {
        options[i] = weft_session_defaults();
    }
    options[0].timing_only = true;
    options[1].watchdog = 1000;
    options[2].memory.latency = 10;
    options[3].memory.interval = 2;
    options[4].memory = (struct weft_memory_settings){
        .dram = WEFT_DRAM_DDR3_1600,
        .clock = WEFT_DRAM_LEAST_CLOCK,
    };
    for (int i = 0; i < 5; i++) {
        assert_not_opened(f.module, "func", &options[i], WEFT_TARGET, "knows no time");
        weft_session_close(opened(f.module, "cycle", &options[i]));
    }
}

static void dram_needs_a_kind_and_a_clock(void **state) {
    struct fixture f = compiled(*state, network);
    struct weft_session_options options = weft_session_defaults();
    options.memory.dram = WEFT_DRAM_DDR3_1600;
    assert_not_opened(f.module, "cycle", &options, WEFT_ARGUMENT,
                      "ddr3-1600 needs a clock of the machine of 10 to 10000 MHz, not 0.000");
    options.memory.clock = WEFT_DRAM_MOST_CLOCK + 1;
    assert_not_opened(f.module, "cycle", &options, WEFT_ARGUMENT, "not 10000.001");
    options.memory = (struct weft_memory_settings){.dram = WEFT_DRAMS, .clock = 100000};
    assert_not_opened(f.module, "cycle", &options, WEFT_ARGUMENT, "there is no DRAM 3");
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
        session_run(session);
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
        assert_error_mentions(&error, "input 1 was never set");
        assert_no_output(session);
        assert_null(weft_session_segment(session, 0));
        ASSERT_GOOD(weft_session_set_input(session, 1, inputs[1], INPUT_BYTES, &error), error);
        session_run(session);
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
            session_run(session);
            assert_outputs(session, f.graph, seed);
            session_run(session); /* with the inputs as they are */
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
    session_run(session);
    ASSERT_GOOD(weft_session_set_input(session, 1, second[1], INPUT_BYTES, &error), error);
    session_run(session);
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
        session_run(sessions[i]);
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
    session_run(session);
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
            session_run(session);
            assert_outputs(session, f.graph, 1);
            assert_null(weft_session_segment(session, f.module->segment_count));
            weft_session_close(session);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(a_target_that_does_not_exist_is_not_opened),
        ARENA_TEST(the_simulators_are_among_the_targets),
        ARENA_TEST(a_target_without_time_refuses_what_needs_it),
        ARENA_TEST(dram_needs_a_kind_and_a_clock),
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
