/* driver/session.h: runs on the simulators of this process that end with a fault, what is counted
 * in a run, and how much time it takes. */
#include "tests/unit/sessions.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

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
        assert_error_mentions(&error, "watchdog limit reached");
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
    session_run(session);
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
    session_run(session);
    *at = *broken;
    ASSERT_FAILS(weft_session_run(session, &error), error, WEFT_FAULT);
    assert_error_mentions(&error, weft_fault_names[fault]);
    assert_no_output(session);
    assert_int_equal(weft_session_segment(session, 0)->result.fault, WEFT_FAULT_NONE);
    assert_int_equal(weft_session_segment(session, 1)->result.fault, fault);
    assert_int_equal(weft_session_segment(session, 1)->result.fault_instruction, error.position);
    *at = whole;
    assert_no_output(session);
    give(session, f->graph, 2);
    session_run(session);
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
        session_run(session);
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
    session_run(session);
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
    session_run(session);
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
    session_run(full);
    session_run(timing); /* without inputs */
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
        options.memory.latency = latencies[i];
        options.memory.interval = intervals[i];
        struct weft_session *session = opened(f.module, "cycle", &options);
        give(session, f.graph, 1);
        session_run(session);
        assert_outputs(session, f.graph, 1);
        uint64_t cycles = weft_session_counter(session, WEFT_COUNTER_INDEX_cycles);
        assert_true(cycles > before);
        before = cycles;
        weft_session_close(session);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
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
