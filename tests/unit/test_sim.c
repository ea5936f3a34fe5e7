/* sim: the functional and the cycle simulator. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"
#include "sim/timing/bound.h"
#include "tests/unit/good_program.h"
#include "tests/unit/states.h"

enum {
    LOAD = 1 << WEFT_UNIT_LOAD,
    VECTOR = 1 << WEFT_UNIT_VECTOR,
    STORE = 1 << WEFT_UNIT_STORE,
};

static const struct weft_timing_settings no_limit = {.watchdog = 0};

/* The good program, with what a run of it leaves. */
struct session {
    struct weft_config config;
    struct good good;
    struct good_regions regions;
    struct weft_state state;
    struct weft_run_result result;
};

static struct session *session_of(const char *config, uint64_t seed) {
    struct session *session = calloc(1, sizeof *session);
    assert_non_null(session);
    session->config = config_of(config);
    session->good = good_program(&session->config);
    session->regions = good_regions_new(&session->good, seed);
    session->state = state_of(&session->config);
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        session->state.region[i].bytes = session->regions.bytes[i];
        session->state.region[i].limit = session->good.regions.limit[i];
    }
    session->state.writable = session->good.regions.writable;
    return session;
}

static void session_free(struct session *session) {
    weft_state_free(&session->state);
    good_regions_free(&session->regions);
    free(session);
}

static void run_func(struct session *session, enum weft_host host) {
    struct weft_error error;
    ASSERT_GOOD(weft_func_run(&session->state, host, session->good.program, GOOD_COUNT, &no_limit,
                              &session->result, &error),
                error);
}

static void run_cycle(struct session *session, enum weft_host host, uint64_t latency,
                      uint64_t interval) {
    struct weft_error error;
    struct weft_timing_settings settings = {.memory.latency = latency, .memory.interval = interval};
    ASSERT_GOOD(weft_cycle_run(&session->state, host, session->good.program, GOOD_COUNT, &settings,
                               NULL, &session->result, &error),
                error);
}

static void assert_same_session(const struct session *a, const struct session *b) {
    assert_int_equal(a->result.fault, WEFT_FAULT_NONE);
    assert_int_equal(b->result.fault, WEFT_FAULT_NONE);
    assert_same_state(&a->state, &b->state);
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        assert_memory_equal(a->regions.bytes[i], b->regions.bytes[i],
                            (size_t)a->good.regions.limit[i] + 1);
    }
}

static void both_simulators_give_the_same_bytes(void **state) {
    (void)state;
    static const uint64_t memories[][2] = {{0, 0}, {1, 1}, {40, 3}, {900, 1}};
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct session *func = session_of(shipped_configs[i], 30 + i);
        run_func(func, WEFT_HOST_PLAIN);
        assert_int_equal(func->result.counters.instructions, GOOD_COUNT);
        assert_int_equal(func->result.counters.cycles, 0);
        for (unsigned host = 0; host < WEFT_HOSTS; host++) {
            for (size_t k = 0; k < LENGTH(memories); k++) {
                if (!weft_host_available((enum weft_host)host)) {
                    continue;
                }
                struct session *cycle = session_of(shipped_configs[i], 30 + i);
                run_cycle(cycle, (enum weft_host)host, memories[k][0], memories[k][1]);
                assert_same_session(func, cycle);
                assert_true(cycle->result.counters.cycles > 0);
                session_free(cycle);
            }
        }
        session_free(func);
    }
}

static void runs_give_the_same_every_time(void **state) {
    (void)state;
    struct session *first = session_of("ref16", 31);
    struct session *second = session_of("ref16", 31);
    run_cycle(first, WEFT_HOST_C, 0, 0);
    run_cycle(second, WEFT_HOST_C, 0, 0);
    assert_same_session(first, second);
    assert_memory_equal(&first->result, &second->result, sizeof first->result);
    session_free(second);
    second = session_of("ref16", 31);
    run_func(second, weft_host_best());
    assert_same_session(first, second);
    session_free(first);
    session_free(second);
}

static void runs_depend_on_their_inputs(void **state) {
    (void)state;
    struct session *first = session_of("ref16", 32);
    struct session *second = session_of("ref16", 33);
    run_func(first, WEFT_HOST_PLAIN);
    run_func(second, WEFT_HOST_PLAIN);
    const struct weft_regions *regions = &first->good.regions;
    assert_memory_not_equal(first->regions.bytes[WEFT_REGION_OUTPUTS],
                            second->regions.bytes[WEFT_REGION_OUTPUTS],
                            (size_t)regions->limit[WEFT_REGION_OUTPUTS]);
    session_free(first);
    session_free(second);
}

static void on_chip_memories_are_kept_between_runs(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_state memory = state_of(&config);
    uint8_t bytes[64] = {0};
    memory.region[WEFT_REGION_PROGRAM].limit = 128;
    memory.region[WEFT_REGION_OUTPUTS].bytes = bytes;
    memory.region[WEFT_REGION_OUTPUTS].limit = sizeof bytes;
    memory.writable = 1U << WEFT_REGION_OUTPUTS;
    struct weft_instruction fill = with_all_banks(WEFT_OPCODE_FILL);
    fill.fill.value = 42;
    fill.fill.run = 10;
    struct weft_instruction store = with_all_banks(WEFT_OPCODE_STORE);
    store.store.region = WEFT_REGION_OUTPUTS;
    store.store.run = 10;
    struct weft_instruction halt = weft_instruction_new(WEFT_OPCODE_HALT);
    struct weft_instruction first[] = {fill, halt};
    struct weft_instruction second[] = {store, halt};
    struct weft_run_result result;
    struct weft_error error;
    ASSERT_GOOD(weft_func_run(&memory, WEFT_HOST_C, first, 2, &no_limit, &result, &error), error);
    ASSERT_GOOD(weft_func_run(&memory, WEFT_HOST_C, second, 2, &no_limit, &result, &error), error);
    assert_int_equal(bytes[9], 42);
    assert_int_equal(bytes[10], 0);
    weft_state_free(&memory);
}

/* ---- observers ---- */

struct log {
    unsigned dispatched;
    unsigned started;
    unsigned finished;
    unsigned bursts;
};

static void dispatched(void *context, uint32_t number, uint64_t cycle) {
    struct log *log = context;
    assert_int_equal(number, log->dispatched);
    assert_true(cycle > 0);
    log->dispatched++;
}

static void started(void *context, uint32_t number, const struct weft_instruction *instruction,
                    uint64_t cycle) {
    struct log *log = context;
    assert_true(number < GOOD_COUNT);
    assert_non_null(instruction);
    assert_true(cycle > 0);
    log->started++;
}

static void finished(void *context, uint32_t number, uint64_t cycle) {
    struct log *log = context;
    assert_true(number < GOOD_COUNT && cycle > 0);
    log->finished++;
}

static void burst(void *context, enum weft_master master, uint64_t address, uint32_t bytes,
                  uint64_t cycle, uint64_t first) {
    struct log *log = context;
    assert_true(master < WEFT_MASTERS && bytes > 0 && first > cycle && address < 1 << 20);
    log->bursts++;
}

static void observers_are_called_as_by_the_cycle_model(void **state) {
    (void)state;
    struct session *session = session_of("ref16", 34);
    struct log log = {0, 0, 0, 0};
    struct weft_observer observer = {.context = &log,
                                     .dispatched = dispatched,
                                     .started = started,
                                     .finished = finished,
                                     .burst = burst};
    struct weft_timing_settings settings = {0};
    struct weft_error error;
    ASSERT_GOOD(weft_cycle_run(&session->state, WEFT_HOST_C, session->good.program, GOOD_COUNT,
                               &settings, &observer, &session->result, &error),
                error);
    assert_int_equal(log.dispatched, GOOD_COUNT);
    assert_int_equal(log.started, GOOD_COUNT - 2);
    assert_int_equal(log.finished, GOOD_COUNT - 2);
    assert_true(log.bursts > GOOD_COUNT / 4);
    struct weft_run_result alone;
    settings.regions = session->good.regions;
    ASSERT_GOOD(weft_timing_run(&session->config, session->good.program, GOOD_COUNT, &settings,
                                NULL, &alone, &error),
                error);
    assert_memory_equal(&alone, &session->result, sizeof alone);
    static const struct weft_observer silent = {0};
    ASSERT_GOOD(weft_cycle_run(&session->state, WEFT_HOST_C, session->good.program, GOOD_COUNT,
                               &settings, &silent, &session->result, &error),
                error);
    assert_memory_equal(&alone, &session->result, sizeof alone);
    session_free(session);
}

/* ---- faults ---- */

/* Both simulators report the fault; programs are exactly as long as their allocation. */
static void assert_both_fault_on(const struct weft_config *config,
                                 const struct weft_instruction *instructions, size_t count,
                                 uint64_t program_bytes, enum weft_fault fault, uint32_t number) {
    struct weft_state memory = state_of(config);
    struct weft_instruction *program = malloc(count * sizeof *program);
    assert_true(program != NULL || count == 0);
    for (size_t i = 0; i < count; i++) {
        program[i] = instructions[i];
    }
    memory.region[WEFT_REGION_PROGRAM].limit = program_bytes;
    struct weft_run_result func;
    struct weft_run_result cycle;
    struct weft_error error;
    struct weft_timing_settings settings = {0};
    ASSERT_GOOD(weft_func_run(&memory, WEFT_HOST_C, program, count, &no_limit, &func, &error),
                error);
    ASSERT_GOOD(
        weft_cycle_run(&memory, WEFT_HOST_C, program, count, &settings, NULL, &cycle, &error),
        error);
    free(program);
    weft_state_free(&memory);
    assert_string_equal(weft_fault_names[cycle.fault], weft_fault_names[fault]);
    assert_int_equal(cycle.fault_instruction, number);
    assert_string_equal(weft_fault_names[func.fault], weft_fault_names[fault]);
    assert_int_equal(func.fault_instruction, number);
}

static void assert_both_fault(const struct weft_instruction *instructions, size_t count,
                              uint64_t program_bytes, enum weft_fault fault, uint32_t number) {
    struct weft_config config = config_of("ref16");
    assert_both_fault_on(&config, instructions, count, program_bytes, fault, number);
}

static struct weft_instruction fill_with(uint32_t wait, uint32_t signal) {
    struct weft_instruction fill = weft_instruction_new(WEFT_OPCODE_FILL);
    fill.wait = wait;
    fill.signal = signal;
    return fill;
}

static struct weft_instruction vector_with(uint32_t wait, uint32_t signal) {
    struct weft_instruction vector = weft_instruction_new(WEFT_OPCODE_VECTOR);
    vector.vector.function = WEFT_FUNCTION_FILL;
    vector.wait = wait;
    vector.signal = signal;
    return vector;
}

static void illegal_encodings_fault(void **state) {
    (void)state;
    struct weft_instruction program[] = {
        fill_with(0, 0), {.opcode = 0}, weft_instruction_new(WEFT_OPCODE_HALT)};
    assert_both_fault(program, 3, 192, WEFT_FAULT_ENCODING, 1);
}

static void illegal_encodings_behind_a_stuck_unit_fault(void **state) {
    (void)state;
    struct weft_instruction program[] = {
        fill_with(STORE, 0), {.opcode = 0}, weft_instruction_new(WEFT_OPCODE_HALT)};
    assert_both_fault(program, 3, 192, WEFT_FAULT_ENCODING, 1);
}

static void banks_that_are_not_there_fault(void **state) {
    (void)state;
    struct weft_config config = few_banks_config();
    struct weft_instruction program[] = {fill_with(0, 0), vector_with(0, 0),
                                         weft_instruction_new(WEFT_OPCODE_HALT)};
    program[1].banks[WEFT_MEMORY_PAR] = 2;
    assert_both_fault(program, 3, 192, WEFT_FAULT_NONE, 0);
    assert_both_fault_on(&config, program, 3, 192, WEFT_FAULT_ENCODING, 1);
    program[0].wait = STORE; /* behind a stuck unit, too */
    assert_both_fault_on(&config, program, 3, 192, WEFT_FAULT_ENCODING, 1);
}

static void features_that_are_not_there_fault(void **state) {
    (void)state;
    for (size_t i = 0; i < NEEDING; i++) {
        const char *parameter = NULL;
        struct weft_config config = config_of("ref16");
        struct weft_instruction program[] = {fill_with(0, 0), needing(i, &parameter),
                                             weft_instruction_new(WEFT_OPCODE_HALT)};
        set_parameter(&config, parameter, 0);
        assert_both_fault_on(&config, program, 3, 192, WEFT_FAULT_ENCODING, 1);
        program[0].wait = STORE; /* behind a stuck unit, too */
        assert_both_fault_on(&config, program, 3, 192, WEFT_FAULT_ENCODING, 1);
    }
}

static void addresses_outside_fault(void **state) {
    (void)state;
    struct weft_instruction program[] = {fill_with(0, 0), fill_with(0, 0),
                                         weft_instruction_new(WEFT_OPCODE_HALT)};
    program[1].fill.local = 262144;
    assert_both_fault(program, 3, 192, WEFT_FAULT_ADDRESS, 1);
    program[1] = weft_instruction_new(WEFT_OPCODE_LOAD);
    program[1].load.region = 5; /* of no bytes */
    assert_both_fault(program, 3, 192, WEFT_FAULT_ADDRESS, 1);
}

static void programs_without_halt_run_out(void **state) {
    (void)state;
    struct weft_instruction program[] = {fill_with(0, 0), vector_with(0, 0),
                                         weft_instruction_new(WEFT_OPCODE_HALT)};
    assert_both_fault(program, 2, 128, WEFT_FAULT_PROGRAM_END, 2);
    assert_both_fault(program, 3, 128, WEFT_FAULT_PROGRAM_END, 2);
    assert_both_fault(program, 3, 191, WEFT_FAULT_PROGRAM_END, 2);
    assert_both_fault(program, 0, 0, WEFT_FAULT_PROGRAM_END, 0);
}

static void stuck_programs_deadlock(void **state) {
    (void)state;
    struct weft_instruction program[] = {fill_with(0, 0), fill_with(VECTOR, VECTOR),
                                         vector_with(LOAD, LOAD),
                                         weft_instruction_new(WEFT_OPCODE_HALT)};
    assert_both_fault(program, 4, 256, WEFT_FAULT_DEADLOCK, 1);
}

/* docs/timing.md: PROGRAM_END is raised when dispatch is idle at the end of the program, whatever
 * the units do; DEADLOCK needs an instruction that dispatch tries. */
static void stuck_programs_without_halt_run_out(void **state) {
    (void)state;
    struct weft_instruction program[] = {fill_with(VECTOR, 0)};
    assert_both_fault(program, 1, 64, WEFT_FAULT_PROGRAM_END, 1);
}

static void stores_to_regions_that_cannot_be_written_fault(void **state) {
    (void)state;
    struct weft_instruction program[] = {fill_with(0, 0), weft_instruction_new(WEFT_OPCODE_STORE),
                                         weft_instruction_new(WEFT_OPCODE_HALT)};
    assert_both_fault(program, 3, 192, WEFT_FAULT_WRITE, 1); /* into the program */
    program[1].store.address = 192;
    assert_both_fault(program, 3, 192, WEFT_FAULT_ADDRESS, 1);
}

/* On func bounds of instructions stand for time; on cycle nothing is carried out that cannot end.
 */
static void a_watchdog_ends_endless_programs(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_state memory = state_of(&config);
    uint8_t bytes[16] = {0};
    struct weft_instruction load = with_all_banks(WEFT_OPCODE_LOAD);
    load.load.region = WEFT_REGION_INPUTS;
    load.load.count[0] = load.load.count[1] = load.load.count[2] = UINT16_MAX;
    struct weft_instruction store = with_all_banks(WEFT_OPCODE_STORE);
    store.store.region = WEFT_REGION_OUTPUTS;
    store.store.count[0] = store.store.count[1] = store.store.count[2] = UINT16_MAX;
    struct weft_instruction fill = with_all_banks(WEFT_OPCODE_FILL);
    fill.fill.count[0] = fill.fill.count[1] = fill.fill.count[2] = UINT16_MAX;
    const struct weft_instruction endless[] = {load, store, fill};
    memory.region[WEFT_REGION_PROGRAM].limit = 128;
    memory.region[WEFT_REGION_INPUTS].bytes = memory.region[WEFT_REGION_OUTPUTS].bytes = bytes;
    memory.region[WEFT_REGION_INPUTS].limit = memory.region[WEFT_REGION_OUTPUTS].limit = 16;
    memory.writable = 1U << WEFT_REGION_OUTPUTS;
    struct weft_timing_settings settings = {.watchdog = 20000};
    for (size_t i = 0; i < LENGTH(endless); i++) {
        struct weft_instruction program[] = {endless[i], weft_instruction_new(WEFT_OPCODE_HALT)};
        struct weft_run_result result;
        struct weft_error error;
        ASSERT_GOOD(weft_func_run(&memory, WEFT_HOST_C, program, 2, &settings, &result, &error),
                    error);
        assert_int_equal(result.fault, WEFT_FAULT_WATCHDOG);
        assert_int_equal(result.fault_instruction, 0);
        ASSERT_GOOD(
            weft_cycle_run(&memory, WEFT_HOST_C, program, 2, &settings, NULL, &result, &error),
            error);
        assert_int_equal(result.fault, WEFT_FAULT_WATCHDOG);
        assert_int_equal(result.counters.cycles, 20000);
    }
    weft_state_free(&memory);
}

/* The whole of the good program passes with its bound for a watchdog, and not with less. */
static void func_counts_the_bound_of_what_it_carries_out(void **state) {
    (void)state;
    struct session *session = session_of("ref16", 1);
    struct weft_timing_settings settings = {.watchdog = 0};
    struct weft_error error;
    settings.watchdog = weft_bound(&session->config, &settings, session->good.program, GOOD_COUNT);
    for (unsigned less = 0; less < 2; less++) {
        settings.watchdog -= less;
        ASSERT_GOOD(weft_func_run(&session->state, WEFT_HOST_C, session->good.program, GOOD_COUNT,
                                  &settings, &session->result, &error),
                    error);
        assert_int_equal(session->result.fault, less ? WEFT_FAULT_WATCHDOG : WEFT_FAULT_NONE);
    }
    assert_int_equal(session->result.fault_instruction, GOOD_COUNT - 1);
    session_free(session);
}

static void what_comes_before_an_address_fault_is_carried_out(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_state memory = state_of(&config);
    struct weft_instruction program[] = {fill_with(0, 0), fill_with(0, 0), fill_with(0, 0),
                                         weft_instruction_new(WEFT_OPCODE_HALT)};
    program[0].fill.value = 1;
    program[1].fill.local = 262144;
    program[2].fill.local = 5;
    program[2].fill.value = 1;
    memory.region[WEFT_REGION_PROGRAM].limit = 256;
    struct weft_run_result result;
    struct weft_error error;
    ASSERT_GOOD(weft_func_run(&memory, WEFT_HOST_C, program, 4, &no_limit, &result, &error), error);
    assert_int_equal(result.fault, WEFT_FAULT_ADDRESS);
    assert_int_equal(memory.act[0], 1);
    assert_int_equal(memory.act[5], 0);
    weft_state_free(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_simulators_give_the_same_bytes),
        cmocka_unit_test(runs_give_the_same_every_time),
        cmocka_unit_test(runs_depend_on_their_inputs),
        cmocka_unit_test(on_chip_memories_are_kept_between_runs),
        cmocka_unit_test(observers_are_called_as_by_the_cycle_model),
        cmocka_unit_test(illegal_encodings_fault),
        cmocka_unit_test(illegal_encodings_behind_a_stuck_unit_fault),
        cmocka_unit_test(banks_that_are_not_there_fault),
        cmocka_unit_test(features_that_are_not_there_fault),
        cmocka_unit_test(addresses_outside_fault),
        cmocka_unit_test(programs_without_halt_run_out),
        cmocka_unit_test(stuck_programs_deadlock),
        cmocka_unit_test(stuck_programs_without_halt_run_out),
        cmocka_unit_test(stores_to_regions_that_cannot_be_written_fault),
        cmocka_unit_test(a_watchdog_ends_endless_programs),
        cmocka_unit_test(func_counts_the_bound_of_what_it_carries_out),
        cmocka_unit_test(what_comes_before_an_address_fault_is_carried_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
