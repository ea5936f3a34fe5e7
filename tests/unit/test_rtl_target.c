/* The targets rtl and lockstep, the loader of the RTL, weft cosim and weft run --target rtl, all on
 * a fake RTL in a library. */
#include "tests/unit/graphs.h"
#include "tests/unit/modules.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/dispatch.h"
#include "driver/lockstep.h"
#include "driver/rtl_library.h"
#include "tests/unit/fake_rtl.h"
#include "tests/unit/folder.h"

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

/* Each test begins with a fake that does nothing otherwise, found where the environment says. */
static int use_fake(void **state) {
    (void)state;
    fake_plan = (struct fake_plan){0};
    fake_resets = 0;
    return setenv("WEFT_RTL_PATH", WEFT_FAKE_FOLDER, 1);
}

static void assert_mentions(const char *text, const char *part) {
    if (strstr(text, part) == NULL) {
        print_error("'%s' does not mention '%s'\n", text, part);
        fail();
    }
}

/* ---- the loader ---- */

static void assert_not_loaded(const char *config, bool wave, enum weft_error_code code,
                              const char *part) {
    struct weft_config named = config_named(config);
    struct weft_rtl_library library;
    struct weft_error error;
    ASSERT_FAILS(weft_rtl_load(&named, wave, &library, &error), error, code);
    assert_mentions(error.message, part);
}

static void a_library_is_loaded_and_released(void **state) {
    (void)state;
    struct weft_config config = config_named("ref16");
    struct weft_rtl_library library;
    struct weft_error error;
    ASSERT_GOOD(weft_rtl_load(&config, false, &library, &error), error);
    assert_string_equal(library.interface->config_name, "ref16");
    weft_rtl_unload(&library);
    assert_null(library.interface);
    weft_rtl_unload(&library);
}

static void a_missing_library_says_how_to_build_it(void **state) {
    (void)state;
    assert_not_loaded("large32", false, WEFT_TARGET,
                      "the RTL of configuration large32 is not built (no file ");
    assert_not_loaded("large32", false, WEFT_TARGET,
                      "/fake/weft_rtl_large32.so); scripts/build --rtl large32 builds it");
    assert_not_loaded("ref16", true, WEFT_TARGET,
                      "the RTL of configuration ref16 is not built with waveforms (no file ");
    assert_not_loaded("ref16", true, WEFT_TARGET, "scripts/build --wave ref16 builds it");
    /* Without the environment: beside the executable, in ../lib. */
    assert_int_equal(unsetenv("WEFT_RTL_PATH"), 0);
    struct weft_config config = config_named("ref16");
    (void)snprintf(config.name, sizeof config.name, "nowhere");
    struct weft_rtl_library library;
    struct weft_error error;
    ASSERT_FAILS(weft_rtl_load(&config, false, &library, &error), error, WEFT_TARGET);
    assert_mentions(error.message, "/lib/weft_rtl_nowhere.so)");
    assert_null(strstr(error.message, "/bin/lib/"));
}

static void a_wrong_library_is_refused(void **state) {
    (void)state;
    assert_not_loaded("small8", false, WEFT_TARGET,
                      "weft_rtl_small8.so is no library of the RTL: ");
    struct folder folder = folder_new();
    (void)folder_write(&folder, "weft_rtl_ref16.so", "garbage", 7);
    assert_int_equal(setenv("WEFT_RTL_PATH", folder.path, 1), 0);
    assert_not_loaded("ref16", false, WEFT_TARGET, "weft_rtl_ref16.so is no library of the RTL: ");
    folder_free(&folder);
    char *far = malloc(5001);
    assert_non_null(far);
    memset(far, 'x', 5000);
    far[5000] = '\0';
    assert_int_equal(setenv("WEFT_RTL_PATH", far, 1), 0);
    free(far);
    assert_not_loaded("ref16", false, WEFT_TARGET, "the path of weft_rtl_ref16.so is too long");
}

static void version_and_fingerprint_must_match(void **state) {
    (void)state;
    fake_plan.what = FAKE_VERSION;
    assert_not_loaded("ref16", false, WEFT_TARGET, "of the interface, expected ");
    fake_plan.what = FAKE_FINGERPRINT;
    assert_not_loaded("ref16", false, WEFT_FINGERPRINT,
                      "is the RTL of another configuration ref16");
}

/* ---- sessions ---- */

static struct weft_session *session_of(const char *target,
                                       const struct weft_session_options *options) {
    struct weft_session *session = NULL;
    struct weft_error error;
    ASSERT_GOOD(weft_session_open(target, digits.module, options, &session, &error), error);
    return session;
}

static void give_picture(struct weft_session *session, int digit) {
    struct weft_error error;
    uint8_t *picture = digits_picture(&digits, digit);
    ASSERT_GOOD(weft_session_set_input(session, 0, picture,
                                       weft_type_bytes(&digits.module->graph->inputs[0]->type),
                                       &error),
                error);
    free(picture);
}

static void assert_golden(const struct weft_session *session, int digit) {
    struct weft_error error;
    const void *bytes = NULL;
    size_t length = 0;
    uint8_t *golden = digits_golden(&digits, digit);
    ASSERT_GOOD(weft_session_output(session, 0, &bytes, &length, &error), error);
    assert_memory_equal(bytes, golden, length);
    free(golden);
}

static void rtl_and_lockstep_are_targets_like_others(void **state) {
    (void)state;
    static const char *const targets[] = {"rtl", "lockstep"};
    struct weft_lockstep_report report = {0};
    struct weft_session_options options = weft_session_defaults();
    options.lockstep = &report;
    struct weft_session *cycle = session_of("cycle", &options);
    struct weft_error error;
    give_picture(cycle, 3);
    ASSERT_GOOD(weft_session_run(cycle, &error), error);
    for (size_t i = 0; i < 2; i++) {
        struct weft_session *session = session_of(targets[i], &options);
        for (int digit = 3; digit < 6; digit++) {
            give_picture(session, digit);
            ASSERT_GOOD(weft_session_run(session, &error), error);
            assert_golden(session, digit);
            const struct weft_segment_run *run = weft_session_segment(session, 0);
            assert_memory_equal(&run->result, &weft_session_segment(cycle, 0)->result,
                                sizeof run->result);
        }
        weft_session_close(session);
    }
    assert_int_equal(report.programs, 3);
    assert_int_equal(fake_resets, 0); /* as a driver: from HALT to the next start */
    weft_session_close(cycle);
    weft_lockstep_report_free(&report);
}

static void rtl_tells_when_layers_finish(void **state) {
    (void)state;
    struct weft_session_options options = weft_session_defaults();
    struct weft_session *rtl = session_of("rtl", &options);
    struct weft_session *cycle = session_of("cycle", &options);
    struct weft_error error;
    give_picture(rtl, 1);
    give_picture(cycle, 1);
    ASSERT_GOOD(weft_session_run(rtl, &error) && weft_session_run(cycle, &error), error);
    assert_memory_equal(weft_session_segment(rtl, 0)->layer_finish,
                        weft_session_segment(cycle, 0)->layer_finish,
                        digits.module->segments[0].layer_count * sizeof(uint64_t));
    weft_session_close(rtl);
    weft_session_close(cycle);
}

static void the_bound_is_the_watchdog_where_the_options_have_none(void **state) {
    (void)state;
    struct weft_session_options options = weft_session_defaults();
    struct weft_session *session = session_of("rtl", &options);
    struct weft_error error;
    give_picture(session, 1);
    ASSERT_GOOD(weft_session_run(session, &error), error);
    assert_int_equal(fake_last_run.watchdog, digits.module->segments[0].bound);
    assert_int_equal(weft_session_segment(session, 0)->bound, fake_last_run.watchdog);
    weft_session_close(session);
    options.memory.latency = 1000;
    session = session_of("rtl", &options);
    give_picture(session, 1);
    ASSERT_GOOD(weft_session_run(session, &error), error);
    assert_true(fake_last_run.watchdog > digits.module->segments[0].bound);
    assert_int_equal(weft_session_segment(session, 0)->bound, fake_last_run.watchdog);
    weft_session_close(session);
}

static void options_reach_the_machine(void **state) {
    (void)state;
    struct weft_session_options options = weft_session_defaults();
    options.memory.latency = 33;
    options.memory.interval = 2;
    options.watchdog = 2000;
    struct weft_session *session = session_of("rtl", &options);
    struct weft_error error;
    give_picture(session, 1);
    ASSERT_FAILS(weft_session_run(session, &error), error, WEFT_FAULT);
    assert_mentions(error.message, "watchdog limit reached");
    assert_int_equal(fake_last_run.memory.latency, 33);
    assert_int_equal(fake_last_run.memory.interval, 2);
    assert_int_equal(fake_last_run.watchdog, 2000);
    assert_true(fake_last_run.give_up > 2000);
    /* After a fault the machine needs a reset. */
    assert_int_equal(fake_resets, 0);
    ASSERT_FAILS(weft_session_run(session, &error), error, WEFT_FAULT);
    assert_int_equal(fake_resets, 1);
    weft_session_close(session);
}

static void assert_not_opened(const char *target, const struct weft_session_options *options,
                              enum weft_error_code code, const char *part) {
    struct weft_session *session = NULL;
    struct weft_error error;
    ASSERT_FAILS(weft_session_open(target, digits.module, options, &session, &error), error, code);
    assert_mentions(error.message, part);
    assert_null(session);
}

static void what_a_target_cannot_do_is_refused(void **state) {
    (void)state;
    struct weft_lockstep_report report = {0};
    struct weft_session_options options = weft_session_defaults();
    assert_not_opened("lockstep", &options, WEFT_TARGET, "needs a place for its report");
    options.lockstep = &report;
    options.timing_only = true;
    assert_not_opened("rtl", &options, WEFT_TARGET, "target rtl cannot leave out the data");
    assert_not_opened("lockstep", &options, WEFT_TARGET, "target lockstep cannot leave out");
    options = weft_session_defaults();
    options.wave = "wave.fst";
    assert_not_opened("cycle", &options, WEFT_TARGET, "target cycle writes no waveforms");
    assert_not_opened("rtl", &options, WEFT_TARGET, "is not built with waveforms");
    options.wave_segment = 1;
    assert_not_opened("rtl", &options, WEFT_ARGUMENT, "there is no segment 1 for waveforms");
    options = weft_session_defaults();
    fake_plan.what = FAKE_NO_CREATE;
    assert_not_opened("rtl", &options, WEFT_INTERNAL, "the RTL of ref16: told to");
}

static void an_rtl_that_breaks_its_contract_fails_the_run(void **state) {
    (void)state;
    static const struct {
        struct fake_plan plan;
        enum weft_error_code code;
        const char *part;
    } cases[] = {
        {{FAKE_ASSERTION, 0, 50}, WEFT_INTERNAL, "the RTL: cycle 50: an assertion"},
        {{FAKE_NO_END, 0, 0}, WEFT_INTERNAL, "the RTL: the machine does not end"},
        {{FAKE_UNKNOWN_START, 3, 0},
         WEFT_INTERNAL,
         "the RTL: instruction 1000000 on the trace port, the program has "},
        {{FAKE_NO_WAVE_FILE, 0, 0}, WEFT_IO, "told to"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct weft_session_options options = weft_session_defaults();
        struct weft_session *session = session_of("rtl", &options);
        struct weft_error error;
        give_picture(session, 1);
        fake_plan = cases[i].plan;
        ASSERT_FAILS(weft_session_run(session, &error), error, cases[i].code);
        assert_mentions(error.message, cases[i].part);
        fake_plan = (struct fake_plan){0};
        ASSERT_GOOD(weft_session_run(session, &error), error);
        assert_golden(session, 1);
        weft_session_close(session);
    }
}

static void count_progress(void *context, uint64_t cycle, uint64_t last) {
    assert_true(cycle <= last);
    ++*(unsigned *)context;
}

static void progress_is_told(void **state) {
    (void)state;
    struct weft_lockstep_report report = {0};
    unsigned calls = 0;
    struct weft_session_options options = weft_session_defaults();
    options.lockstep = &report;
    options.progress = count_progress;
    options.progress_context = &calls;
    struct weft_error error;
    static const char *const targets[] = {"rtl", "lockstep"};
    for (unsigned i = 0; i < 2; i++) {
        struct weft_session *session = session_of(targets[i], &options);
        calls = 0;
        give_picture(session, 1);
        ASSERT_GOOD(weft_session_run(session, &error), error);
        assert_true(calls > 20);
        weft_session_close(session);
    }
    weft_lockstep_report_free(&report);
}

/* Two programs with a host operator between them. */
static void every_segment_is_compared(void **state) {
    struct weft_error error;
    struct weft_module *module = NULL;
#define X    "1x2x2x4xi8{0.00390625, -128}"
#define UNIT " kernel=[1, 1] strides=[1, 1] padding=[0, 0, 0, 0] : "
    const struct weft_graph *graph = graph_of(
        *state, "graph g(%0: " X ") { %a = max_pool2d(%0)" UNIT X
                " %b = qnn.softmax(%a) beta=1 : " X " %c = max_pool2d(%b)" UNIT X " return %c }");
    ASSERT_GOOD(module_of(graph, "ref16", &module, &error), error);
    assert_int_equal(module->segment_count, 2);
    struct weft_lockstep_report report = {0};
    struct weft_session_options options = weft_session_defaults();
    struct weft_session *session = NULL;
    options.lockstep = &report;
    ASSERT_GOOD(weft_session_open("lockstep", module, &options, &session, &error), error);
    const uint8_t input[16] = {1, 2, 3};
    ASSERT_GOOD(weft_session_set_input(session, 0, input, sizeof input, &error), error);
    ASSERT_GOOD(weft_session_run(session, &error), error);
    assert_int_equal(report.programs, 2);
    assert_int_equal(report.cycles, weft_session_counter(session, WEFT_COUNTER_INDEX_cycles));
    weft_session_close(session);
    weft_lockstep_report_free(&report);
}

/* ---- the command line ---- */

struct output {
    int status;
    uint8_t *out; /* what it printed */
    uint8_t *errors;
};

/* Runs a subcommand with standard output and error in files. */
static struct output call(int argc, const char **argv) {
    struct folder folder = folder_new();
    const char *const paths[2] = {folder_file(&folder, "out"), folder_file(&folder, "errors")};
    int saved[2];
    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        int file = open(paths[i], O_WRONLY | O_CREAT | O_TRUNC, 0600);
        saved[i] = dup(i + 1);
        assert_true(file >= 0 && saved[i] >= 0 && dup2(file, i + 1) >= 0);
        close(file);
    }
    struct output output = {.status = dispatch(argc, (char **)argv)};
    fflush(stdout);
    uint8_t **const texts[2] = {&output.out, &output.errors};
    for (int i = 0; i < 2; i++) {
        struct weft_error error;
        size_t length = 0;
        assert_true(dup2(saved[i], i + 1) >= 0);
        close(saved[i]);
        ASSERT_GOOD(weft_file_read(paths[i], texts[i], &length, &error), error);
    }
    folder_free(&folder);
    return output;
}

static void assert_output(struct output output, int status, const char *out, const char *errors) {
    if (output.status != status) {
        print_error("%s%s", (char *)output.out, (char *)output.errors);
    }
    assert_int_equal(output.status, status);
    assert_mentions((const char *)output.out, out);
    assert_mentions((const char *)output.errors, errors);
    assert_true((errors[0] == '\0') == (output.errors[0] == '\0'));
    free(output.out);
    free(output.errors);
}

#define MODEL DIGITS_FOLDER "/digits.tflite"
#define IMAGE DIGITS_FOLDER "/3.png"
#define CALL(...)                                                                                  \
    call(1 + sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),                               \
         (const char *[]){"weft", __VA_ARGS__, NULL})

static void cosim_says_how_far_apart(void **state) {
    (void)state;
    char expected[64];
    (void)snprintf(expected, sizeof expected, "0 cycles apart: 1 programs, %zu instructions, ",
                   digits.module->segments[0].program.count);
    assert_output(CALL("cosim", MODEL, "--input", IMAGE), 0, expected, "");
    assert_output(CALL("cosim", MODEL, "--input", IMAGE, "--latency", "1", "--interval", "3"), 0,
                  expected, "");
    assert_int_equal(fake_last_run.memory.latency, 1);
    assert_int_equal(fake_last_run.memory.interval, 3);
    fake_plan = (struct fake_plan){FAKE_LATE_START, 7, 0};
    assert_output(CALL("cosim", MODEL, "--input", IMAGE), 1, "segment 0: cycle ", "");
    assert_output(CALL("cosim", MODEL, "--input", IMAGE), 1,
                  ": instruction 7 started on the cycle simulator; on the RTL in cycle ", "");
    /* The same fault on both: nothing is apart, but the run did not get to its end. */
    fake_plan = (struct fake_plan){0};
    assert_output(CALL("cosim", MODEL, "--input", IMAGE, "--watchdog", "2000"), 2, "0 cycles apart",
                  "watchdog limit reached");
}

static void cosim_and_run_take_assembled_programs(void **state) {
    (void)state;
    static const char source[] = "fill act_banks=0 run=16 value=5 signal=store\n"
                                 "store wait=load act_banks=0 region=4 run=16\n"
                                 "halt\n";
    struct folder folder = folder_new();
    char program[600]; /* what the folder returns is not kept for long */
    char dump[600];
    (void)snprintf(program, sizeof program, "%s",
                   folder_write(&folder, "x.asm", source, strlen(source)));
    (void)snprintf(dump, sizeof dump, "outputs=%s", folder_file(&folder, "out"));
    assert_output(
        CALL("cosim", program, "--region", "outputs=@16", "--dump-memory", dump, "--latency", "9"),
        0, "0 cycles apart: 1 programs, 3 instructions, ", "");
    assert_int_equal(fake_last_run.memory.latency, 9);
    assert_folder_count(&folder, 2);
    assert_output(CALL("run", program, "--region", "outputs=@16", "--target", "rtl"), 0,
                  "x on ref16, target rtl: done, ", "");
    /* The first difference, status 1, and no dump. */
    fake_plan = (struct fake_plan){FAKE_LATE_START, 1, 0};
    (void)snprintf(dump, sizeof dump, "act=%s", folder_file(&folder, "act"));
    assert_output(CALL("cosim", program, "--region", "outputs=@16", "--dump-memory", dump), 1,
                  ": instruction 1 started on the cycle simulator; on the RTL in cycle ", "");
    fake_plan = (struct fake_plan){FAKE_REGION, 4, 3};
    assert_output(CALL("cosim", program, "--region", "outputs=@16"), 1,
                  "region 4: 1 bytes differ, first byte 0x3", "");
    fake_plan = (struct fake_plan){FAKE_ASSERTION, 0, 50};
    assert_output(CALL("run", program, "--region", "outputs=@16", "--target", "rtl"), 2, "",
                  "x.asm: the RTL: cycle 50: an assertion");
    fake_plan = (struct fake_plan){0};
    assert_output(CALL("cosim", program, "--dump-memory", dump), 2, "0 cycles apart",
                  "x.asm: line 2: fault at instruction 1: address past a memory or region");
    assert_folder_count(&folder, 2);
    folder_free(&folder);
}

static void cosim_refuses_what_it_cannot_do(void **state) {
    (void)state;
    assert_output(CALL("cosim"), 2, "",
                  "weft: cosim: give a model, a .weft file or an assembled program");
    assert_output(CALL("cosim", MODEL), 2, "", "weft: cosim: the model has 1 inputs, 0 are given");
    assert_output(CALL("cosim", MODEL, "--target", "rtl"), 2, "",
                  "--target is for remote://HOST:PORT, a server of target lockstep");
    assert_output(CALL("cosim", MODEL, "--input", MODEL), 2, "", "digits.tflite: ");
    assert_output(CALL("cosim", MODEL, "--input", IMAGE, "--latency", "0"), 2, "",
                  "weft: cosim: --latency needs a number of cycles, 1 to 100000, not '0'");
    assert_output(CALL("cosim", MODEL, "--input", IMAGE, "--from", "5"), 2, "",
                  "--from, --to and --segment say what --wave FILE is to hold");
    assert_output(CALL("cosim", MODEL, "--input", IMAGE, "--wave", "x.fst"), 2, "",
                  "is not built with waveforms");
    assert_output(CALL("cosim", MODEL, "--input", IMAGE, "--config", "large32"), 2, "",
                  "scripts/build --rtl large32 builds it");
    assert_output(CALL("cosim", MODEL, "--input", "x.npy", "--mean", "1"), 2, "",
                  "--mean and --std need a picture as --input");
}

static void run_has_the_target_rtl(void **state) {
    (void)state;
    assert_output(CALL("run", MODEL, "--input", IMAGE, "--target", "rtl"), 0,
                  "digits on ref16, target rtl: ", "");
    assert_output(CALL("run", MODEL, "--target", "rtl", "--timing-only"), 2, "",
                  "target rtl cannot leave out the data; timing alone is for target cycle");
    assert_output(CALL("run", MODEL, "--input", IMAGE, "--target", "rtl", "--wave", "x.fst",
                       "--from", "10", "--to", "9"),
                  2, "", "--to needs a number of cycles, 10 to ");
    assert_output(CALL("run", MODEL, "--input", IMAGE, "--target", "rtl", "--wave", "x.fst",
                       "--segment", "1"),
                  2, "", "there is no segment 1 for waveforms, the model has 1");
    assert_output(CALL("run", MODEL, "--input", IMAGE, "--wave", "x.fst"), 2, "",
                  "target cycle writes no waveforms; target rtl does");
    assert_output(CALL("run", MODEL, "--input", IMAGE, "--target", "lockstep"), 2, "",
                  "there is no target 'lockstep'");
    fake_plan = (struct fake_plan){FAKE_ASSERTION, 0, 50};
    assert_output(CALL("run", MODEL, "--input", IMAGE, "--target", "rtl"), 2, "",
                  "digits.tflite: the RTL: cycle 50: an assertion");
}

int main(void) {
#define TEST(function) cmocka_unit_test_setup(function, use_fake)
    const struct CMUnitTest tests[] = {
        TEST(a_library_is_loaded_and_released),
        TEST(a_missing_library_says_how_to_build_it),
        TEST(a_wrong_library_is_refused),
        TEST(version_and_fingerprint_must_match),
        TEST(rtl_and_lockstep_are_targets_like_others),
        TEST(rtl_tells_when_layers_finish),
        TEST(the_bound_is_the_watchdog_where_the_options_have_none),
        TEST(options_reach_the_machine),
        TEST(what_a_target_cannot_do_is_refused),
        TEST(an_rtl_that_breaks_its_contract_fails_the_run),
        TEST(progress_is_told),
        ARENA_TEST(every_segment_is_compared),
        TEST(cosim_says_how_far_apart),
        TEST(cosim_and_run_take_assembled_programs),
        TEST(cosim_refuses_what_it_cannot_do),
        TEST(run_has_the_target_rtl),
    };
    return cmocka_run_group_tests(tests, open_digits, close_digits);
}
