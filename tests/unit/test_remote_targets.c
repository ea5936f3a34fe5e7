/* Target remote against the targets of this process: the same bytes, counters, finishes, faults,
 * reports and recordings, whatever the server's target. */
#include "tests/unit/sessions.h"

#include <stdlib.h>
#include <string.h>

#include "driver/bare.h"
#include "driver/lockstep.h"
#include "driver/remote/connection.h"
#include "sim/trace/raw.h"
#include "tests/unit/fake_rtl.h"
#include "tests/unit/good_program.h"
#include "tests/unit/remote_server.h"

static const char *const all_targets[] = {"func", "cycle", "rtl", "lockstep"};

static struct remote_server serving(const char *target) {
    const struct weft_server_options options = {.target = target};
    assert_int_equal(setenv("WEFT_RTL_PATH", WEFT_FAKE_FOLDER, 1), 0);
    return remote_server_start(&options);
}

/* ---- assembled programs, here and there ---- */

/* A program for ref16 on both sides: [0] is local, [1] remote. */
struct sides {
    struct weft_config config;
    struct weft_program program;
    struct weft_bare_setup setup;
    struct weft_session_options options[2];
    struct weft_lockstep_report reports[2];
    struct weft_bare *bares[2];
    bool good[2];
    struct weft_error errors[2];
};

static struct sides *sides_new(const char *target, const struct remote_server *server) {
    struct sides *sides = calloc(1, sizeof *sides);
    assert_non_null(sides);
    sides->config = shipped_config_of("ref16");
    sides->setup = (struct weft_bare_setup){.config = &sides->config, .program = &sides->program};
    sides->options[0] = weft_session_defaults();
    sides->options[1] = remote_options(server);
    sides->options[0].lockstep = &sides->reports[0];
    if (strcmp(target, "lockstep") == 0) {
        sides->options[1].lockstep = &sides->reports[1];
    }
    return sides;
}

/* The program that has every opcode. */
static struct sides *sides_good(const char *target, const struct remote_server *server) {
    struct sides *sides = sides_new(target, server);
    const struct good good = good_program(&sides->config);
    for (size_t i = 0; i < GOOD_COUNT; i++) {
        ASSERT_GOOD(weft_program_add(&sides->program, &good.program[i], &sides->errors[0]),
                    sides->errors[0]);
    }
    memcpy(sides->setup.region_bytes, good.regions.limit, sizeof good.regions.limit);
    return sides;
}

static struct sides *sides_of(const char *source, const char *target,
                              const struct remote_server *server) {
    struct sides *sides = sides_new(target, server);
    ASSERT_GOOD(weft_assemble(source, strlen(source), &sides->program, &sides->errors[0]),
                sides->errors[0]);
    return sides;
}

static void open_sides(struct sides *sides, const char *target) {
    for (int i = 0; i < 2; i++) {
        sides->good[i] = weft_bare_open(i == 0 ? target : "remote", &sides->setup,
                                        &sides->options[i], &sides->bares[i], &sides->errors[i]);
    }
}

static void fill(struct sides *sides, enum weft_region region, uint64_t seed) {
    for (int i = 0; i < 2; i++) {
        uint64_t state = seed;
        uint8_t *bytes = weft_bare_region(sides->bares[i], region);
        if (bytes != NULL) {
            random_bytes(&state, bytes, sides->setup.region_bytes[region]);
        }
    }
}

static void run_sides(struct sides *sides) {
    for (int i = 0; i < 2; i++) {
        sides->good[i] = weft_bare_run(sides->bares[i], &sides->errors[i]);
    }
}

static void close_sides(struct sides *sides) {
    for (int i = 0; i < 2; i++) {
        weft_bare_close(sides->bares[i]);
        sides->bares[i] = NULL;
    }
}

static void sides_free(struct sides *sides) {
    close_sides(sides);
    weft_lockstep_report_free(&sides->reports[0]);
    weft_lockstep_report_free(&sides->reports[1]);
    weft_program_free(&sides->program);
    free(sides);
}

/* A remote error says which server it is from, unless it came out of a result. */
static void assert_same_end(const struct sides *sides) {
    assert_int_equal(sides->good[0], sides->good[1]);
    if (!sides->good[0]) {
        const char *found = sides->errors[1].message;
        const char *expected = sides->errors[0].message;
        assert_int_equal(sides->errors[0].code, sides->errors[1].code);
        assert_int_equal(sides->errors[0].position, sides->errors[1].position);
        assert_true(strlen(found) >= strlen(expected));
        assert_string_equal(found + strlen(found) - strlen(expected), expected);
    }
    const struct weft_segment_run *runs[2] = {weft_bare_result(sides->bares[0]),
                                              weft_bare_result(sides->bares[1])};
    assert_int_equal(runs[0] == NULL, runs[1] == NULL);
    if (runs[0] != NULL) {
        assert_memory_equal(&runs[0]->result.counters, &runs[1]->result.counters,
                            sizeof runs[0]->result.counters);
        assert_int_equal(runs[0]->result.fault, runs[1]->result.fault);
        assert_int_equal(runs[0]->result.fault_instruction, runs[1]->result.fault_instruction);
    }
}

static void assert_same_regions(const struct sides *sides) {
    for (unsigned i = WEFT_REGION_CONSTANTS; i < WEFT_REGIONS; i++) {
        if (sides->setup.region_bytes[i] > 0) {
            assert_memory_equal(weft_bare_region(sides->bares[0], (enum weft_region)i),
                                weft_bare_region(sides->bares[1], (enum weft_region)i),
                                sides->setup.region_bytes[i]);
        }
    }
}

static void assert_same_memories(struct sides *sides) {
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        size_t length = weft_memory_bytes(&sides->config, (enum weft_memory)i);
        uint8_t *bytes = calloc(2, length);
        assert_non_null(bytes);
        for (size_t k = 0; k < 2; k++) {
            ASSERT_GOOD(weft_bare_read(sides->bares[k], (enum weft_memory)i, bytes + k * length,
                                       &sides->errors[k]),
                        sides->errors[k]);
        }
        assert_memory_equal(bytes, bytes + length, length);
        free(bytes);
    }
}

static void every_region_memory_and_counter_is_the_same(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH(all_targets); i++) {
        const struct remote_server server = serving(all_targets[i]);
        struct sides *sides = sides_good(all_targets[i], &server);
        open_sides(sides, all_targets[i]);
        assert_true(sides->good[0] && sides->good[1]);
        for (uint64_t seed = 1; seed < 4; seed++) {
            fill(sides, WEFT_REGION_INPUTS, seed);
            fill(sides, WEFT_REGION_CONSTANTS, seed + 10);
            run_sides(sides);
            assert_true(sides->good[0]);
            assert_same_end(sides);
            assert_same_regions(sides);
            assert_same_memories(sides);
        }
        sides_free(sides);
        remote_server_stop(&server);
    }
}

/* 32 bytes of the inputs to ACT 0 and, over ACT 64, to the outputs. */
static const char copy[] =
    "load act_banks=0 memory=act region=3 run=32 signal=vector\n"
    "vector wait=load signal=store act_banks=0 function=copy out=4 low=-128 high=127\n"
    "store wait=vector act_banks=0 region=4 local=64 run=16\n"
    "halt\n";

static struct sides *sides_copy(const char *target, const struct remote_server *server) {
    struct sides *sides = sides_of(copy, target, server);
    sides->setup.region_bytes[WEFT_REGION_INPUTS] = 32;
    sides->setup.region_bytes[WEFT_REGION_OUTPUTS] = 16;
    return sides;
}

static void faults_and_rejected_programs_end_alike(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH(all_targets); i++) {
        const struct remote_server server = serving(all_targets[i]);
        struct sides *sides = sides_copy(all_targets[i], &server);
        sides->setup.region_bytes[WEFT_REGION_OUTPUTS] = 15; /* a byte too few: a fault */
        open_sides(sides, all_targets[i]);
        run_sides(sides);
        assert_int_equal(sides->errors[0].code, WEFT_FAULT);
        assert_same_end(sides);
        run_sides(sides); /* and once more */
        assert_same_end(sides);
        close_sides(sides);
        sides->setup.region_bytes[WEFT_REGION_OUTPUTS] = 16;
        struct weft_vector_fields *vector = &sides->program.instructions[1].vector;
        vector->out = 1; /* operand and result overlap: no fault, but no data either */
        vector->count[0] = 2;
        vector->out_stride[0] = vector->a_stride[0] = 1;
        open_sides(sides, all_targets[i]);
        run_sides(sides);
        assert_int_equal(sides->errors[0].code, WEFT_VERIFY_OVERLAP);
        assert_same_end(sides);
        sides_free(sides);
        remote_server_stop(&server);
    }
}

static void watchdogs_latency_and_interval_go_along(void **state) {
    (void)state;
    const struct remote_server server = serving("cycle");
    struct sides *sides = sides_copy("cycle", &server);
    for (int i = 0; i < 2; i++) {
        sides->options[i].memory.latency = 300;
        sides->options[i].memory.interval = 7;
    }
    open_sides(sides, "cycle");
    run_sides(sides);
    uint64_t plain = weft_bare_result(sides->bares[0])->result.counters.cycles;
    assert_same_end(sides);
    close_sides(sides);
    for (int i = 0; i < 2; i++) {
        sides->options[i].memory.dram = WEFT_DRAM_LPDDR4_3200;
        sides->options[i].memory.clock = 500000;
    }
    open_sides(sides, "cycle");
    run_sides(sides);
    assert_true(weft_bare_result(sides->bares[0])->result.counters.cycles > plain);
    assert_true(sides->good[0] && weft_bare_result(sides->bares[0])->result.counters.cycles > 600);
    assert_same_end(sides);
    close_sides(sides);
    sides->options[0].watchdog = sides->options[1].watchdog = 150;
    open_sides(sides, "cycle");
    run_sides(sides);
    assert_int_equal(weft_bare_result(sides->bares[1])->result.fault, WEFT_FAULT_WATCHDOG);
    assert_same_end(sides);
    sides_free(sides);
    remote_server_stop(&server);
}

static void a_program_goes_on_with_what_its_last_run_left(void **state) {
    (void)state;
    /* The first bytes of scratch memory go to where they are read from the next time. */
    static const char source[] = "load act_banks=0 memory=act region=2 run=32 signal=store\n"
                                 "store wait=load act_banks=0 region=2 address=8 run=32\n"
                                 "halt\n";
    const struct remote_server server = serving("func");
    struct sides *sides = sides_of(source, "func", &server);
    sides->setup.region_bytes[WEFT_REGION_SCRATCH] = 64;
    open_sides(sides, "func");
    fill(sides, WEFT_REGION_SCRATCH, 5);
    for (int run = 0; run < 3; run++) {
        run_sides(sides);
        assert_true(sides->good[0]);
        assert_same_end(sides);
        assert_same_regions(sides);
    }
    sides_free(sides);
    remote_server_stop(&server);
}

static void spoil(struct sides *sides, uint64_t *seed) {
    struct weft_instruction *instruction =
        &sides->program.instructions[random_between(seed, 0, GOOD_COUNT - 1)];
    const struct weft_format *format = weft_format_of(instruction->opcode);
    if (format->field_count > 0) {
        const struct weft_field *field =
            &format->fields[random_between(seed, 0, (int64_t)format->field_count - 1)];
        unsigned index = (unsigned)random_between(seed, 0, field->repeat - 1);
        field_set(instruction, field, index,
                  random_between(seed, field_low(field), field_high(instruction->opcode, field)));
    }
}

static void programs_with_any_fields_run_or_fail_alike(void **state) {
    (void)state;
    uint64_t seed = 3;
    unsigned proved = 0;
    enum {
        PROGRAMS = 120
    };
    for (size_t k = 0; k < 2; k++) {
        const struct remote_server server = serving(all_targets[k]);
        for (int i = 0; i < PROGRAMS; i++) {
            struct sides *sides = sides_good(all_targets[k], &server);
            sides->setup.cycle_limit = 1000000;
            spoil(sides, &seed);
            open_sides(sides, all_targets[k]);
            if (sides->good[0]) {
                assert_true(sides->good[1]);
                fill(sides, WEFT_REGION_INPUTS, 11);
                fill(sides, WEFT_REGION_CONSTANTS, 12);
                run_sides(sides);
                assert_same_end(sides);
                proved += sides->good[0];
                if (sides->good[0]) {
                    assert_same_regions(sides);
                }
            }
            sides_free(sides);
        }
        remote_server_stop(&server);
    }
    assert_in_range(proved, 10, 2 * PROGRAMS - 10);
}

static void a_difference_that_the_server_found_comes_back(void **state) {
    (void)state;
    fake_plan = (struct fake_plan){FAKE_MEMORY, WEFT_MEMORY_ACT, 7};
    const struct remote_server server = serving("lockstep");
    struct sides *sides = sides_copy("lockstep", &server);
    open_sides(sides, "lockstep");
    run_sides(sides);
    assert_int_equal(sides->errors[0].code, WEFT_DIVERGENCE);
    assert_same_end(sides);
    assert_int_equal(sides->reports[1].divergence, WEFT_DIVERGENCE_MEMORY);
    assert_int_equal(sides->reports[1].cycle, sides->reports[0].cycle);
    assert_string_equal(sides->reports[1].text.bytes, sides->reports[0].text.bytes);
    sides_free(sides);
    remote_server_stop(&server);
    fake_plan = (struct fake_plan){0};
}

static void what_was_compared_is_added_up(void **state) {
    (void)state;
    const struct remote_server server = serving("lockstep");
    struct sides *sides = sides_copy("lockstep", &server);
    open_sides(sides, "lockstep");
    for (int run = 0; run < 3; run++) {
        fill(sides, WEFT_REGION_INPUTS, 5);
        run_sides(sides);
        assert_true(sides->good[0]);
        assert_same_end(sides);
    }
    const struct weft_lockstep_report *reports = sides->reports;
    assert_int_equal(reports[0].programs, 3);
    assert_int_equal(reports[1].programs, 3);
    assert_int_equal(reports[1].instructions, reports[0].instructions);
    assert_int_equal(reports[1].bursts, reports[0].bursts);
    assert_int_equal(reports[1].cycles, reports[0].cycles);
    assert_int_equal(reports[1].bytes, reports[0].bytes);
    assert_memory_equal(&reports[1].expected.counters, &reports[0].expected.counters,
                        sizeof reports[0].expected.counters);
    assert_memory_equal(&reports[1].found.counters, &reports[0].found.counters,
                        sizeof reports[0].found.counters);
    sides_free(sides);
    remote_server_stop(&server);
}

static void a_server_that_compares_nothing_is_no_lockstep(void **state) {
    (void)state;
    const struct remote_server server = serving("cycle");
    struct sides *sides = sides_copy("lockstep", &server);
    open_sides(sides, "cycle");
    run_sides(sides);
    assert_false(sides->good[1]);
    assert_int_equal(sides->errors[1].code, WEFT_TARGET);
    assert_error_mentions(&sides->errors[1], "compares nothing");
    sides_free(sides);
    remote_server_stop(&server);
}

/* ---- sessions of models ---- */

static void assert_same_segments(const struct weft_session *local,
                                 const struct weft_session *remote,
                                 const struct weft_module *module) {
    for (uint32_t i = 0; i < module->segment_count; i++) {
        const struct weft_segment_run *a = weft_session_segment(local, i);
        const struct weft_segment_run *b = weft_session_segment(remote, i);
        assert_non_null(a);
        assert_non_null(b);
        assert_memory_equal(&a->result.counters, &b->result.counters, sizeof a->result.counters);
        assert_memory_equal(a->layer_finish, b->layer_finish,
                            module->segments[i].layer_count * sizeof(uint64_t));
    }
}

static void sessions_are_the_same_run_after_run(void **state) {
    struct fixture f = compiled(*state, network);
    for (size_t i = 0; i < 3; i++) {
        const struct remote_server server = serving(all_targets[i]);
        const struct weft_session_options options = remote_options(&server);
        struct weft_session *local = opened(f.module, all_targets[i], NULL);
        struct weft_session *remote = opened(f.module, "remote", &options);
        for (uint64_t seed = 1; seed < 4; seed++) {
            give(local, f.graph, seed);
            give(remote, f.graph, seed);
            session_run(local);
            session_run(remote);
            assert_outputs(remote, f.graph, seed);
            assert_same_segments(local, remote, f.module);
        }
        weft_session_close(local);
        weft_session_close(remote);
        remote_server_stop(&server);
    }
}

static void timing_alone_needs_no_data(void **state) {
    struct fixture f = compiled(*state, network);
    const struct remote_server server = serving("cycle");
    struct weft_session_options options = remote_options(&server);
    options.timing_only = true;
    struct weft_session *local = opened(f.module, "cycle", &options);
    struct weft_session *remote = opened(f.module, "remote", &options);
    session_run(local);
    session_run(remote);
    assert_same_segments(local, remote, f.module);
    assert_true(weft_session_counter(remote, WEFT_COUNTER_INDEX_cycles) > 0);
    weft_session_close(local);
    weft_session_close(remote);
    remote_server_stop(&server);
}

static void what_the_servers_target_cannot_do_is_refused(void **state) {
    struct fixture f = compiled(*state, network);
    const struct remote_server server = serving("func");
    struct weft_session_options options = remote_options(&server);
    struct weft_session *session = NULL;
    struct weft_error error;
    options.timing_only = true;
    ASSERT_FAILS(weft_session_open("remote", f.module, &options, &session, &error), error,
                 WEFT_TARGET);
    assert_error_mentions(&error, "target func knows no time");
    options.timing_only = false;
    options.wave = "wave.fst";
    ASSERT_FAILS(weft_session_open("remote", f.module, &options, &session, &error), error,
                 WEFT_TARGET);
    options.wave = NULL;
    options.memory.dram = WEFT_DRAMS;
    ASSERT_FAILS(weft_session_open("remote", f.module, &options, &session, &error), error,
                 WEFT_ARGUMENT);
    options.memory.dram = WEFT_DRAM_NONE;
    options.memory.latency = WEFT_SLOWEST_MEMORY + 1;
    ASSERT_FAILS(weft_session_open("remote", f.module, &options, &session, &error), error,
                 WEFT_ARGUMENT);
    options.server = NULL;
    ASSERT_FAILS(weft_session_open("remote", f.module, &options, &session, &error), error,
                 WEFT_ARGUMENT);
    assert_null(session);
    remote_server_stop(&server);
}

static void a_server_keeps_to_its_limits(void **state) {
    struct fixture f = compiled(*state, network);
    const struct weft_server_options limits[] = {{.target = "func", .cycle_limit = 10},
                                                 {.target = "func", .memory_limit = 1000}};
    for (size_t i = 0; i < LENGTH(limits); i++) {
        const struct remote_server server = remote_server_start(&limits[i]);
        const struct weft_session_options options = remote_options(&server);
        struct weft_session *session = opened(f.module, "remote", &options);
        struct weft_error error;
        give(session, f.graph, 1);
        ASSERT_FAILS(weft_session_run(session, &error), error, WEFT_LIMIT);
        assert_error_mentions(&error, i == 0 ? "on this server: " : "a session on this server");
        weft_session_close(session);
        remote_server_stop(&server);
    }
}

/* ---- recordings ---- */

static void recordings_are_the_same(void **state) {
    struct fixture f = compiled(*state, network);
    const struct remote_server server = serving("func");
    const struct weft_session_options options = remote_options(&server);
    struct weft_remote *remote = NULL;
    struct weft_error error;
    ASSERT_GOOD(weft_remote_open(&options, &f.module->config, &remote, &error), error);
    for (uint32_t i = 0; i < f.module->segment_count; i++) {
        const struct weft_program *program = &f.module->segments[i].program;
        struct weft_trace traces[2];
        uint8_t *bytes[2] = {NULL, NULL};
        size_t lengths[2] = {0, 0};
        struct weft_timing_settings settings = {.watchdog = f.module->segments[i].bound};
        weft_segment_regions(&f.module->segments[i], &settings.regions);
        ASSERT_GOOD(weft_trace_record(&f.module->config, program->instructions, program->count,
                                      &settings, NULL, &traces[0], &error),
                    error);
        ASSERT_GOOD(weft_remote_trace(remote, program, &settings.regions, 0, &traces[1], &error),
                    error);
        for (int k = 0; k < 2; k++) {
            const struct weft_trace_file file = {.segments = &traces[k], .count = 1};
            ASSERT_GOOD(weft_trace_write(&f.module->config, &file, &bytes[k], &lengths[k], &error),
                        error);
        }
        assert_int_equal(lengths[0], lengths[1]);
        assert_memory_equal(bytes[0], bytes[1], lengths[0]);
        assert_memory_equal(&traces[0].settings, &traces[1].settings, sizeof traces[0].settings);
        for (int k = 0; k < 2; k++) {
            weft_trace_free(&traces[k]);
            free(bytes[k]);
        }
    }
    weft_remote_close(remote);
    remote_server_stop(&server);
}

/* It has the device then, but no machine, and can ask for another one. */
static void a_session_can_open_again_after_it_could_not(void **state) {
    (void)state;
    struct remote_server server = serving("rtl");
    const struct weft_session_options options = remote_options(&server);
    struct connection connection;
    struct weft_error error;
    struct weft_config config;
    ASSERT_GOOD(connection_open(&options, &connection, &error), error);
    ASSERT_GOOD(weft_config_find("small8", &config, &error), error);
    ASSERT_FAILS(connection_open_machine(&connection, &config, &options, &error), error,
                 WEFT_TARGET);
    ASSERT_GOOD(weft_config_find("ref16", &config, &error), error); /* the fake */
    ASSERT_GOOD(connection_open_machine(&connection, &config, &options, &error), error);
    connection_close(&connection);
    remote_server_stop(&server);
}

static void a_device_says_what_it_is(void **state) {
    (void)state;
    struct remote_server server = serving("rtl");
    struct weft_remote_device device = remote_server_device(&server);
    assert_string_equal(device.target, "rtl");
    assert_string_equal(device.configurations, "ref16"); /* the fake */
    assert_false(device.has_key);
    assert_int_equal(device.in_use, 0);
    assert_int_equal(device.waiting, 0);
    assert_int_equal(device.deadline, WEFT_SERVER_DEADLINE);
    assert_int_equal(device.lease, WEFT_SERVER_LEASE);
    assert_int_equal(device.cycle_limit, WEFT_CYCLE_LIMIT);
    remote_server_stop(&server);
    server = serving("cycle");
    device = remote_server_device(&server);
    assert_string_equal(device.target, "cycle");
    assert_string_equal(device.configurations, "");
    remote_server_stop(&server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_region_memory_and_counter_is_the_same),
        cmocka_unit_test(faults_and_rejected_programs_end_alike),
        cmocka_unit_test(watchdogs_latency_and_interval_go_along),
        cmocka_unit_test(a_program_goes_on_with_what_its_last_run_left),
        cmocka_unit_test(programs_with_any_fields_run_or_fail_alike),
        cmocka_unit_test(a_difference_that_the_server_found_comes_back),
        cmocka_unit_test(what_was_compared_is_added_up),
        cmocka_unit_test(a_server_that_compares_nothing_is_no_lockstep),
        ARENA_TEST(sessions_are_the_same_run_after_run),
        ARENA_TEST(timing_alone_needs_no_data),
        ARENA_TEST(what_the_servers_target_cannot_do_is_refused),
        ARENA_TEST(a_server_keeps_to_its_limits),
        ARENA_TEST(recordings_are_the_same),
        cmocka_unit_test(a_session_can_open_again_after_it_could_not),
        cmocka_unit_test(a_device_says_what_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
