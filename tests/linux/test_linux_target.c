/* The target linux, down to the registers: sessions and the command line through the calls of
 * linux/weft_ioctl.h and the driver's logic on the machine of driver/device.h, without a kernel. */
#include "tests/unit/sessions.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/dispatch.h"
#include "driver/bare.h"
#include "tests/linux/calls.h"
#include "tests/unit/folder.h"
#include "tests/unit/remote_server.h"

static struct digits digits;

static int open_digits(void **state) {
    (void)state;
    digits = digits_open("ref16");
    return 0;
}

static int close_digits(void **state) {
    (void)state;
    digits_close(&digits);
    return 0;
}

/* /dev/weft0 is a ref16. */
static int make_device(void **state) {
    struct weft_config config = config_named("ref16");
    calls_open(0, &config, true);
    return arena_setup(state);
}

static int take_device(void **state) {
    calls_close();
    return arena_teardown(state);
}

static void assert_not_opened(const struct weft_session_options *options, enum weft_error_code code,
                              const char *part) {
    struct weft_error error;
    struct weft_session *session = NULL;
    ASSERT_FAILS(weft_session_open("linux", digits.module, options, &session, &error), error, code);
    assert_error_mentions(&error, part);
    assert_null(session);
    assert_int_equal(calls_files(), 0);
}

/* ---- opening ---- */

static void without_a_device_it_says_so(void **state) {
    (void)state;
    const struct weft_session_options options = weft_session_defaults();
    assert_not_opened(&options, WEFT_TARGET,
                      "there is no machine: no /dev/weft0 to /dev/weft15; the kernel module makes "
                      "them (docs/linux.md)");
}

static void the_device_has_any_number_up_to_15(void **state) {
    (void)state;
    const struct weft_session_options options = weft_session_defaults();
    struct weft_config config = config_named("ref16");
    calls_open(15, &config, true);
    weft_session_close(opened(digits.module, "linux", NULL));
    calls_close();
    calls_open(16, &config, true);
    assert_not_opened(&options, WEFT_TARGET, "there is no machine");
    calls_close();
}

static void a_device_of_another_configuration_is_not_used(void **state) {
    (void)state;
    const struct weft_session_options options = weft_session_defaults();
    struct weft_config config = config_named("small8");
    calls_open(0, &config, true);
    assert_not_opened(&options, WEFT_FINGERPRINT, "/dev/weft0 is no ref16: its fingerprint is ");
    calls_close();
}

static void a_device_that_cannot_be_opened_says_why(void **state) {
    (void)state;
    const struct weft_session_options options = weft_session_defaults();
    calls_plan.open_error = EACCES;
    assert_not_opened(&options, WEFT_TARGET, "/dev/weft0 cannot be opened: Permission denied");
    calls_plan = (struct calls_plan){.fails = WEFT_IOCTL_INFORMATION, .error = ENOTTY};
    assert_not_opened(&options, WEFT_TARGET, "/dev/weft0: it cannot say what it is: ");
    calls_plan = (struct calls_plan){.version = 7};
    assert_not_opened(&options, WEFT_TARGET, "its driver has version 7 with ");
    calls_plan = (struct calls_plan){.counters = 3};
    assert_not_opened(&options, WEFT_TARGET, "with 3 counters, this program knows 1 with ");
}

static void options_without_effect_are_refused(void **state) {
    (void)state;
    struct weft_session_options options[4];
    for (int i = 0; i < 4; i++) {
        options[i] = weft_session_defaults();
    }
    options[0].memory.latency = 5;
    options[1].memory.interval = 2;
    options[2].timing_only = true;
    options[3].wave = "x.fst";
    assert_not_opened(&options[0], WEFT_TARGET, "whose time cannot be chosen");
    assert_not_opened(&options[1], WEFT_TARGET, "whose time cannot be chosen");
    assert_not_opened(&options[2], WEFT_TARGET, "cannot leave out the data");
    assert_not_opened(&options[3], WEFT_TARGET, "writes no waveforms");
}

/* ---- runs ---- */

/* A picture of a digit through a session: LiteRT's bytes, and the cycles of target cycle. */
static void run_digit(struct weft_session *session, const struct digits *given, int digit,
                      uint64_t cycles) {
    struct weft_error error;
    const void *bytes = NULL;
    size_t length = 0;
    uint8_t *picture = digits_picture(given, digit);
    uint8_t *golden = digits_golden(given, digit);
    const struct weft_type *type = &given->module->graph->inputs[0]->type;
    ASSERT_GOOD(weft_session_set_input(session, 0, picture, weft_type_bytes(type), &error), error);
    ASSERT_GOOD(weft_session_run(session, &error), error);
    ASSERT_GOOD(weft_session_output(session, 0, &bytes, &length, &error), error);
    assert_memory_equal(bytes, golden, length);
    assert_int_equal(weft_session_counter(session, WEFT_COUNTER_INDEX_cycles), cycles);
    free(picture);
    free(golden);
}

static void digits_on(const char *name, bool has_interrupt) {
    struct digits named = digits_open(name);
    calls_open(2, &named.module->config, has_interrupt);
    struct weft_session *session = opened(named.module, "linux", NULL);
    uint64_t cycles = 0;
    for (uint32_t i = 0; i < named.module->segment_count; i++) {
        cycles += named.module->segments[i].cycles;
    }
    for (int digit = 0; digit < 10; digit++) {
        run_digit(session, &named, digit, cycles);
    }
    assert_int_equal(calls_jobs(), 10 * named.module->segment_count);
    weft_session_close(session);
    calls_close();
    digits_close(&named);
}

static void digits_are_as_on_the_simulator(void **state) {
    (void)state;
    for (int i = 0; test_configs[i] != NULL; i++) {
        digits_on(test_configs[i], i % 2 == 0);
        digits_on(test_configs[i], i % 2 != 0);
    }
}

static void programs_around_the_host_run_again_and_again(void **state) {
    struct fixture f = compiled(*state, network);
    struct weft_session *session = opened(f.module, "linux", NULL);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        give(session, f.graph, seed);
        session_run(session);
        assert_outputs(session, f.graph, seed);
    }
    assert_int_equal(calls_jobs(), 20 * SEGMENTS);
    weft_session_close(session);
}

static void two_sessions_share_the_machine(void **state) {
    struct fixture f = compiled(*state, network);
    struct weft_session *sessions[2];
    for (int i = 0; i < 2; i++) {
        sessions[i] = opened(f.module, "linux", NULL);
        give(sessions[i], f.graph, (uint64_t)i + 1);
    }
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 2; i++) {
            session_run(sessions[i]);
            assert_outputs(sessions[i], f.graph, (uint64_t)i + 1);
        }
    }
    weft_session_close(sessions[0]);
    weft_session_close(sessions[1]);
}

static void signals_do_not_disturb_a_run(void **state) {
    struct fixture f = compiled(*state, network);
    struct weft_session *session = opened(f.module, "linux", NULL);
    give(session, f.graph, 1);
    calls_plan.interrupts = 3;
    session_run(session);
    assert_outputs(session, f.graph, 1);
    assert_int_equal(calls_plan.interrupts, 0);
    weft_session_close(session);
}

/* ---- what fails ---- */

static void assert_run_fails(struct weft_session *session, enum weft_error_code code,
                             const char *part) {
    struct weft_error error;
    ASSERT_FAILS(weft_session_run(session, &error), error, code);
    assert_error_mentions(&error, part);
    assert_no_output(session);
}

static void calls_that_fail_are_told_and_leave_nothing(void **state) {
    struct fixture f = compiled(*state, network);
    static const struct {
        unsigned long command;
        int error;
        const char *part;
    } failures[] = {
        {WEFT_IOCTL_PROGRAM, ENOMEM, "it cannot take the program: "},
        {WEFT_IOCTL_ALLOCATE, ENOSPC, "it cannot give the memory of a region: No space left"},
        {WEFT_IOCTL_SUBMIT, EIO, "it cannot take the run: "},
        {WEFT_IOCTL_WAIT, ENODEV, "it cannot wait for the run: No such device"},
        {WEFT_IOCTL_FREE, ENOENT, "it cannot release the program: "},
    };
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
        for (unsigned skips = 0; skips < 2; skips++) {
            struct weft_session *session = opened(f.module, "linux", NULL);
            give(session, f.graph, 3);
            calls_plan = (struct calls_plan){
                .fails = failures[i].command, .error = failures[i].error, .skips = skips};
            assert_run_fails(session, WEFT_TARGET, failures[i].part);
            calls_plan = (struct calls_plan){0};
            session_run(session);
            assert_outputs(session, f.graph, 3);
            weft_session_close(session);
            assert_int_equal(calls_mappings(), 0);
        }
    }
}

static void memory_that_cannot_be_mapped_is_told(void **state) {
    struct fixture f = compiled(*state, network);
    struct weft_session *session = opened(f.module, "linux", NULL);
    give(session, f.graph, 3);
    calls_plan.mmap_error = ENOMEM;
    assert_run_fails(session, WEFT_TARGET, "its memory cannot be mapped: ");
    calls_plan.mmap_error = 0;
    session_run(session);
    assert_outputs(session, f.graph, 3);
    weft_session_close(session);
}

static void runs_that_do_not_end_well_are_no_success(void **state) {
    struct fixture f = compiled(*state, network);
    struct weft_session *session = opened(f.module, "linux", NULL);
    static const struct {
        uint32_t outcome;
        uint32_t fault;
        const char *part;
    } ends[] = {
        {WEFT_OUTCOME_TIME_OUT, 0, "the run was aborted, which took more than 10000 ms"},
        {WEFT_OUTCOME_ABORTED, 0, "the device is being removed"},
        {WEFT_OUTCOME_LOST, 0, "neither runs nor has it ended"},
        {WEFT_OUTCOME_FAULT, WEFT_FAULTS, "a fault that is not known"},
        {99, 0, "neither runs nor has it ended"},
    };
    give(session, f.graph, 4);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        calls_plan = (struct calls_plan){.outcome = ends[i].outcome, .fault = ends[i].fault};
        assert_run_fails(session, WEFT_TARGET, ends[i].part);
    }
    calls_plan = (struct calls_plan){0};
    session_run(session);
    assert_outputs(session, f.graph, 4);
    weft_session_close(session);
}

static void a_machine_that_does_not_stop_is_aborted(void **state) {
    struct fixture f = compiled(*state, network);
    struct weft_session *session = opened(f.module, "linux", NULL);
    give(session, f.graph, 5);
    calls_plan.hangs = true;
    assert_run_fails(session, WEFT_TARGET, "took more than 10000 ms");
    session_run(session);
    assert_outputs(session, f.graph, 5);
    weft_session_close(session);
}

static void the_watchdog_is_the_machines(void **state) {
    struct fixture f = compiled(*state, network);
    struct weft_session_options options = weft_session_defaults();
    options.watchdog = 100;
    struct weft_session *session = opened(f.module, "linux", &options);
    give(session, f.graph, 6);
    assert_run_fails(session, WEFT_FAULT, "watchdog limit reached");
    weft_session_close(session);
}

/* ---- assembled programs ---- */

static struct weft_bare *open_program(const struct weft_bare_setup *setup, const char *target) {
    struct weft_error error;
    struct weft_bare *bare = NULL;
    const struct weft_session_options options = weft_session_defaults();
    ASSERT_GOOD(weft_bare_open(target, setup, &options, &bare, &error), error);
    return bare;
}

/* 32 bytes of the inputs to the outputs. */
static const char copy[] = "load act_banks=0 memory=act region=3 run=32 signal=store\n"
                           "store wait=load act_banks=0 region=4 run=32\n"
                           "halt\n";
/* A load past the end of its region. */
static const char past[] = "load act_banks=0 memory=act region=3 run=64\n"
                           "halt\n";

static void an_assembled_program_runs(void **state) {
    (void)state;
    struct weft_config config = config_named("ref16");
    struct weft_error error;
    struct weft_program program = {0};
    ASSERT_GOOD(weft_assemble(copy, strlen(copy), &program, &error), error);
    struct weft_bare_setup setup = {.config = &config, .program = &program};
    setup.region_bytes[WEFT_REGION_INPUTS] = 32;
    setup.region_bytes[WEFT_REGION_OUTPUTS] = 40;
    struct weft_bare *bare = open_program(&setup, "linux");
    memset(weft_bare_region(bare, WEFT_REGION_OUTPUTS), 9, 40);
    for (uint8_t i = 0; i < 32; i++) {
        weft_bare_region(bare, WEFT_REGION_INPUTS)[i] = i;
    }
    ASSERT_GOOD(weft_bare_run(bare, &error), error);
    const uint8_t *outputs = weft_bare_region(bare, WEFT_REGION_OUTPUTS);
    for (int i = 0; i < 40; i++) {
        assert_int_equal(outputs[i], i < 32 ? i : 9);
    }
    uint8_t byte = 0;
    ASSERT_FAILS(weft_bare_read(bare, WEFT_MEMORY_ACT, &byte, &error), error, WEFT_TARGET);
    assert_error_mentions(&error, "nobody can read the memories");
    weft_bare_close(bare);
    weft_program_free(&program);
}

static void a_fault_is_that_of_the_simulator(void **state) {
    (void)state;
    struct weft_config config = config_named("ref16");
    struct weft_error errors[2];
    struct weft_counters counters[2];
    struct weft_program program = {0};
    ASSERT_GOOD(weft_assemble(past, strlen(past), &program, &errors[0]), errors[0]);
    struct weft_bare_setup setup = {.config = &config, .program = &program};
    setup.region_bytes[WEFT_REGION_INPUTS] = 32;
    for (int i = 0; i < 2; i++) {
        struct weft_bare *bare = open_program(&setup, i == 0 ? "cycle" : "linux");
        ASSERT_FAILS(weft_bare_run(bare, &errors[i]), errors[i], WEFT_FAULT);
        counters[i] = weft_bare_result(bare)->result.counters;
        weft_bare_close(bare);
    }
    assert_string_equal(errors[0].message, errors[1].message);
    assert_int_equal(errors[0].position, errors[1].position);
    assert_memory_equal(&counters[0], &counters[1], sizeof counters[0]);
    weft_program_free(&program);
}

/* ---- the command line ---- */

/* Runs weft with standard output in a file, which is returned. */
static char *run_weft(int argc, const char **argv, int status) {
    struct folder folder = folder_new();
    struct weft_error error;
    uint8_t *text = NULL;
    size_t length = 0;
    const char *path = folder_file(&folder, "out");
    fflush(stdout);
    int saved = dup(1);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(saved >= 0 && file >= 0 && dup2(file, 1) == 1);
    close(file);
    int ended = dispatch(argc, (char **)argv);
    fflush(stdout);
    assert_int_equal(dup2(saved, 1), 1);
    close(saved);
    assert_int_equal(ended, status);
    ASSERT_GOOD(weft_file_read(path, &text, &length, &error), error);
    folder_free(&folder);
    return (char *)text;
}

static void weft_run_shows_what_is_known_of_a_real_machine(void **state) {
    (void)state;
    const char *arguments[] = {"weft",
                               "run",
                               DIGITS_FOLDER "/digits.tflite",
                               "--input",
                               DIGITS_FOLDER "/3.png",
                               "--target",
                               "linux",
                               "--clock",
                               "500",
                               NULL};
    char *text = run_weft(9, arguments, 0);
    assert_non_null(strstr(text, "result class    3    0.95312"));
    assert_non_null(strstr(text, "digits on ref16, target linux: 7489 cycles"));
    assert_non_null(strstr(text, "at 500 MHz: "));
    /* Neither a bound nor layers: they hold for the modelled memory. */
    assert_null(strstr(text, "at most"));
    assert_null(strstr(text, "bound by"));
    free(text);
}

/* ---- on a server ---- */

static void a_server_can_have_a_real_machine(void **state) {
    struct fixture f = compiled(*state, network);
    const struct weft_server_options served = {.target = "linux"};
    const struct remote_server server = remote_server_start(&served);
    const struct weft_session_options options = remote_options(&server);
    struct weft_session *session = opened(f.module, "remote", &options);
    assert_false(weft_session_is_modelled(session));
    for (uint64_t seed = 1; seed < 3; seed++) {
        give(session, f.graph, seed);
        session_run(session);
        assert_outputs(session, f.graph, seed);
        assert_true(weft_session_counter(session, WEFT_COUNTER_INDEX_cycles) > 0);
    }
    weft_session_close(session);
    remote_server_stop(&server);
    session = opened(f.module, "cycle", NULL);
    assert_true(weft_session_is_modelled(session));
    weft_session_close(session);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_device, take_device)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_device_it_says_so),
        cmocka_unit_test(the_device_has_any_number_up_to_15),
        cmocka_unit_test(a_device_of_another_configuration_is_not_used),
        TEST(a_device_that_cannot_be_opened_says_why),
        TEST(options_without_effect_are_refused),
        cmocka_unit_test(digits_are_as_on_the_simulator),
        TEST(programs_around_the_host_run_again_and_again),
        TEST(two_sessions_share_the_machine),
        TEST(signals_do_not_disturb_a_run),
        TEST(calls_that_fail_are_told_and_leave_nothing),
        TEST(memory_that_cannot_be_mapped_is_told),
        TEST(runs_that_do_not_end_well_are_no_success),
        TEST(a_machine_that_does_not_stop_is_aborted),
        TEST(the_watchdog_is_the_machines),
        TEST(an_assembled_program_runs),
        TEST(a_fault_is_that_of_the_simulator),
        TEST(weft_run_shows_what_is_known_of_a_real_machine),
        TEST(a_server_can_have_a_real_machine),
    };
    return cmocka_run_group_tests(tests, open_digits, close_digits);
}
