/* api/weft.h, and what is behind it: runs of the digits network, and what they came to. */
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/file.h"
#include "tests/unit/api_calls.h"
#include "tests/unit/fake_rtl.h"
#include "tests/unit/folder.h"

static void every_target_gives_the_answer_of_litert(void **state) {
    (void)state;
    static const char *const targets[] = {"func", "cycle"};
    struct weft_failure failure;
    struct digits digits = digits_open("ref16");
    struct weft_network *network = load();
    uint64_t predicted = 0;
    ASSERT_DONE(weft_network_figure(network, "cycles", &predicted, &failure), failure);
    for (int digit = 0; digit < 10; digit++) {
        uint8_t *picture = digits_picture(&digits, digit);
        uint8_t *golden = digits_golden(&digits, digit);
        for (size_t i = 0; i < 2; i++) {
            struct weft_runner *runner = open_runner(network, targets[i]);
            const void *bytes = NULL;
            size_t length = 0;
            uint64_t cycles = 0;
            ASSERT_DONE(weft_runner_set_input(runner, 0, picture, 256, &failure), failure);
            ASSERT_DONE(weft_runner_run(runner, &failure), failure);
            ASSERT_DONE(weft_runner_output(runner, 0, &bytes, &length, &failure), failure);
            assert_int_equal(length, 10);
            assert_memory_equal(bytes, golden, 10);
            assert_int_equal(weft_runner_cycles(runner), i == 0 ? 0 : predicted);
            ASSERT_DONE(weft_runner_counter(runner, "cycles", &cycles, &failure), failure);
            assert_int_equal(cycles, weft_runner_cycles(runner));
            assert_true(weft_runner_memory(runner) > 0);
            weft_runner_close(runner);
        }
        free(picture);
        free(golden);
    }
    weft_network_free(network);
    digits_close(&digits);
}

static void calls_that_cannot_be_carried_out_are_refused(void **state) {
    (void)state;
    struct weft_failure failure;
    struct weft_network *network = load();
    struct weft_runner *runner = open_runner(network, "cycle");
    const int8_t picture[256] = {0};
    const void *bytes = NULL;
    size_t length = 0;
    uint64_t value = 0;
    ASSERT_REFUSED(weft_runner_run(runner, &failure), failure, WEFT_FAILURE_STATE, "input");
    ASSERT_REFUSED(weft_runner_output(runner, 0, &bytes, &length, &failure), failure,
                   WEFT_FAILURE_STATE, "");
    ASSERT_REFUSED(weft_runner_set_input(runner, 1, picture, 256, &failure), failure,
                   WEFT_FAILURE_ARGUMENT, "input");
    ASSERT_REFUSED(weft_runner_set_input(runner, 0, picture, 255, &failure), failure,
                   WEFT_FAILURE_TENSOR, "255");
    ASSERT_REFUSED(weft_runner_counter(runner, "cycle", &value, &failure), failure,
                   WEFT_FAILURE_ARGUMENT, "there is no counter 'cycle'");
    ASSERT_REFUSED(weft_network_figure(network, "cycle", &value, &failure), failure,
                   WEFT_FAILURE_ARGUMENT, "there is no figure 'cycle'");
    ASSERT_DONE(weft_runner_set_input(runner, 0, picture, 256, &failure), failure);
    ASSERT_DONE(weft_runner_run(runner, &failure), failure);
    ASSERT_DONE(weft_runner_reset(runner, &failure), failure);
    ASSERT_REFUSED(weft_runner_output(runner, 1, &bytes, &length, &failure), failure,
                   WEFT_FAILURE_ARGUMENT, "output");
    weft_runner_close(runner);
    weft_network_free(network);
}

static void targets_that_are_not_there_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *target, *option, *value;
        enum weft_failure_code code;
        const char *part;
    } cases[] = {
        {"fpga", NULL, NULL, WEFT_FAILURE_TARGET, "there is no target 'fpga'"},
        {"func", "timing_only", "1", WEFT_FAILURE_TARGET, "knows no time"},
        {"remote", NULL, NULL, WEFT_FAILURE_ARGUMENT, "needs remote://HOST:PORT"},
        {"remote://nowhere", NULL, NULL, WEFT_FAILURE_ARGUMENT, "nowhere"},
        {"remote://127.0.0.1:1", "kernels", "c", WEFT_FAILURE_ARGUMENT, "option kernels"},
        {"cycle", "key_file", "x", WEFT_FAILURE_ARGUMENT, "option key_file"},
        {"rtl", "wave_from", "1", WEFT_FAILURE_ARGUMENT, "need option wave"},
        {"cycle", "wave", "x.fst", WEFT_FAILURE_TARGET, "writes no waveforms"},
    };
    struct weft_network *network = load();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct weft_failure failure;
        struct weft_runner *runner = NULL;
        struct weft_options *options =
            cases[i].option == NULL ? NULL : options_of(cases[i].option, cases[i].value);
        ASSERT_REFUSED(weft_runner_open(network, cases[i].target, options, &runner, &failure),
                       failure, cases[i].code, cases[i].part);
        assert_null(runner);
        weft_options_free(options);
    }
    weft_network_free(network);
}

static void options_change_the_machine(void **state) {
    (void)state;
    struct weft_failure failure;
    struct weft_network *network = load();
    struct weft_runner *runner = NULL;
    struct weft_options *options = options_of("timing_only", "1");
    uint64_t predicted = 0;
    ASSERT_DONE(weft_network_figure(network, "cycles", &predicted, &failure), failure);
    ASSERT_DONE(weft_options_set(options, "memory_latency", "400", &failure), failure);
    ASSERT_DONE(weft_runner_open(network, "cycle", options, &runner, &failure), failure);
    weft_options_free(options); /* it was copied */
    weft_network_free(network); /* the runner keeps what it needs */
    ASSERT_DONE(weft_runner_run(runner, &failure), failure);
    assert_true(weft_runner_cycles(runner) > predicted);
    assert_true(weft_runner_is_modelled(runner));
    weft_runner_close(runner);
}

static uint64_t cycles_with(struct weft_network *network, const char *dram) {
    struct weft_failure failure;
    struct weft_runner *runner = NULL;
    struct weft_options *options = options_of("timing_only", "1");
    ASSERT_DONE(dram == NULL || weft_options_set(options, "dram", dram, &failure), failure);
    ASSERT_DONE(weft_runner_open(network, "cycle", options, &runner, &failure), failure);
    ASSERT_DONE(weft_runner_run(runner, &failure), failure);
    uint64_t cycles = weft_runner_cycles(runner);
    weft_runner_close(runner);
    weft_options_free(options);
    return cycles;
}

static void dram_takes_cycles_by_the_clock(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "",
        "ddr3-1600",
        "ddr3-1600@",
        "ddr3-1600@9.9999",
        "none@100",
        "ddr3-1600@1e3",
        "lpddr4-3200@10000.1",
        "ddr3-1600@400 ",
        "@400",
        "ddr3-1600@400.",
        "ddr3-1600@.5",
        "ddr3-1600@-400",
        "ddr3@400",
        "ddr3-1600@4,5",
        "ddr3-1600@400.0.0",
        "ddr3-1600@+400",
        "DDR3@400",
        "ddr3-1600x@400",
        "ddr3-1600@0x190",
        "ddr3-1600@nan",
        "ddr3-1600@18446744073709551626",
        "ddr3-1600@99999999999999999999999999",
    };
    struct weft_failure failure;
    struct weft_network *network = load();
    struct weft_options *options = options_of("dram", "ddr3-1600@400");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ASSERT_REFUSED(weft_options_set(options, "dram", wrong[i], &failure), failure,
                       WEFT_FAILURE_ARGUMENT, "expected NAME@MHZ");
    }
    struct weft_network *other = NULL;
    ASSERT_REFUSED(weft_network_load(MODEL, NULL, options, &other, &failure), failure,
                   WEFT_FAILURE_ARGUMENT, "option dram is for running alone");
    weft_options_free(options);
    uint64_t plain = cycles_with(network, NULL);
    uint64_t slow = cycles_with(network, "ddr3-1600@10");
    uint64_t fast = cycles_with(network, "ddr3-1600@800");
    assert_true(plain < slow && slow < fast); /* rows take more cycles, the shorter those are */
    assert_int_equal(fast, cycles_with(network, "ddr3-1600@800.0004"));
    assert_int_equal(cycles_with(network, "ddr3-1600@10000"),
                     cycles_with(network, "ddr3-1600@9999.99960000"));
    assert_true(fast < cycles_with(network, "lpddr4-3200@10000.000"));
    weft_network_free(network);
}

struct told {
    uint64_t calls, cycle, last;
};

static void note_progress(void *context, uint64_t cycle, uint64_t last) {
    struct told *told = context;
    assert_true(cycle >= told->cycle && cycle <= last);
    *told = (struct told){told->calls + 1, cycle, last};
}

/* The RTL of ref16 is part of every build but those for other processors. */
static void runs_of_the_rtl_tell_how_far_they_are(void **state) {
    (void)state;
    struct weft_failure failure;
    struct weft_runner *runner = NULL;
    struct weft_network *network = load();
    const int8_t picture[256] = {0};
    struct told told = {0};
    if (!weft_runner_open(network, "rtl", NULL, &runner, &failure)) {
        assert_int_equal(failure.code, WEFT_FAILURE_TARGET);
        weft_network_free(network);
        print_message("skipped: %s\n", failure.message);
        skip();
    }
    weft_runner_on_progress(runner, note_progress, &told);
    ASSERT_DONE(weft_runner_set_input(runner, 0, picture, 256, &failure), failure);
    ASSERT_DONE(weft_runner_run(runner, &failure), failure);
    assert_true(told.calls > 10); /* instructions */
    assert_true(told.cycle <= weft_runner_cycles(runner));
    assert_true(told.last >= weft_runner_cycles(runner));
    uint64_t calls = told.calls;
    weft_runner_on_progress(runner, NULL, NULL);
    ASSERT_DONE(weft_runner_run(runner, &failure), failure);
    assert_int_equal(told.calls, calls);
    weft_runner_close(runner);
    weft_network_free(network);
}

/* On an RTL that is the cycle simulator, until it is told to start an instruction late. */
static void lockstep_compares_both_simulators(void **state) {
    (void)state;
    struct weft_failure failure;
    struct weft_network *network = load();
    const int8_t picture[256] = {0};
    uint64_t predicted = 0;
    assert_int_equal(setenv("WEFT_RTL_PATH", WEFT_FAKE_FOLDER, 1), 0);
    fake_plan = (struct fake_plan){FAKE_NOTHING, 0, 0};
    struct weft_runner *runner = open_runner(network, "lockstep");
    assert_int_equal(unsetenv("WEFT_RTL_PATH"), 0);
    ASSERT_DONE(weft_network_figure(network, "cycles", &predicted, &failure), failure);
    ASSERT_DONE(weft_runner_set_input(runner, 0, picture, 256, &failure), failure);
    ASSERT_DONE(weft_runner_run(runner, &failure), failure);
    assert_int_equal(weft_runner_cycles(runner), predicted);
    fake_plan = (struct fake_plan){FAKE_LATE_START, 7, 0};
    ASSERT_REFUSED(weft_runner_run(runner, &failure), failure, WEFT_FAILURE_DIVERGENCE, "cycle");
    assert_true(failure.position > 0 && failure.position < predicted);
    fake_plan = (struct fake_plan){FAKE_NOTHING, 0, 0};
    ASSERT_DONE(weft_runner_run(runner, &failure), failure);
    weft_runner_close(runner);
    weft_network_free(network);
}

static json_t *report_of(const struct weft_runner *runner) {
    struct weft_failure failure;
    char *text = NULL;
    ASSERT_DONE(weft_runner_report(runner, &text, &failure), failure);
    json_t *root = json_loads(text, 0, NULL);
    weft_free(text);
    assert_non_null(root);
    return root;
}

static void runs_are_reported(void **state) {
    (void)state;
    struct weft_failure failure;
    struct weft_network *network = load();
    const int8_t picture[256] = {0};
    const char *const targets[] = {"cycle", "func"};
    for (size_t i = 0; i < 2; i++) {
        struct weft_runner *runner = open_runner(network, targets[i]);
        char *none = NULL;
        ASSERT_REFUSED(weft_runner_report(runner, &none, &failure), failure, WEFT_FAILURE_STATE,
                       "a run that succeeded");
        assert_null(none);
        ASSERT_DONE(weft_runner_set_input(runner, 0, picture, 256, &failure), failure);
        ASSERT_DONE(weft_runner_run(runner, &failure), failure);
        json_t *root = report_of(runner);
        assert_string_equal(json_string_value(json_object_get(root, "target")), targets[i]);
        assert_string_equal(json_string_value(json_object_get(root, "model")), "digits");
        assert_true((uint64_t)json_integer_value(json_object_get(root, "cycles")) ==
                    weft_runner_cycles(runner));
        /* Layers of the machine are told of where cycles are; the operator of the host always. */
        assert_int_equal(json_array_size(json_object_get(root, "layers")), i == 0 ? 12 : 1);
        json_decref(root);
        weft_runner_close(runner);
    }
    weft_network_free(network);
}

/* DRAM is beside a clock, by which cycles are times. */
static void reports_have_times_where_the_clock_is_known(void **state) {
    (void)state;
    struct weft_failure failure;
    struct weft_error error;
    struct weft_network *network = load();
    struct weft_options *options = options_of("dram", "ddr3-1600@400");
    struct weft_runner *runner = NULL;
    const int8_t picture[256] = {0};
    struct folder folder = folder_new();
    const char *path = folder_file(&folder, "page.html");
    uint8_t *page = NULL;
    size_t length = 0;
    ASSERT_DONE(weft_runner_open(network, "cycle", options, &runner, &failure), failure);
    ASSERT_DONE(weft_runner_set_input(runner, 0, picture, 256, &failure), failure);
    ASSERT_DONE(weft_runner_run(runner, &failure), failure);
    json_t *root = report_of(runner);
    double cycles = (double)weft_runner_cycles(runner);
    assert_true(json_real_value(json_object_get(root, "clock_mhz")) == 400);
    assert_true(fabs(json_real_value(json_object_get(root, "milliseconds")) - cycles / 4e5) < 1e-8);
    assert_true(json_real_value(json_object_get(root, "inferences_per_second")) > 0);
    json_decref(root);
    ASSERT_DONE(weft_runner_page(runner, path, &failure), failure);
    ASSERT_GOOD(weft_file_read(path, &page, &length, &error), error);
    assert_non_null(strstr((const char *)page, "\"clock_mhz\":400"));
    free(page);
    folder_free(&folder);
    weft_runner_close(runner);
    weft_options_free(options);
    weft_network_free(network);
}

/* A program that uses jansson itself has all of its memory, in this thread and in others. */
static void reports_leave_jansson_as_it_is(void **state) {
    (void)state;
    struct weft_failure failure;
    struct weft_options *options = options_of("memory_limit", "4000000");
    struct weft_network *network = NULL;
    ASSERT_DONE(weft_network_load(MODEL, NULL, options, &network, &failure), failure);
    struct weft_runner *runner = open_runner(network, "func");
    const int8_t picture[256] = {0};
    ASSERT_DONE(weft_runner_set_input(runner, 0, picture, 256, &failure), failure);
    ASSERT_DONE(weft_runner_run(runner, &failure), failure);
    json_decref(report_of(runner));
    json_t *own = json_array();
    for (int i = 0; i < 200000; i++) {
        assert_int_equal(json_array_append_new(own, json_integer(i)), 0);
    }
    assert_int_equal(json_array_size(own), 200000);
    json_decref(own);
    weft_runner_close(runner);
    weft_network_free(network);
    weft_options_free(options);
}

static void runs_are_traced(void **state) {
    (void)state;
    struct weft_failure failure;
    struct weft_network *network = load();
    struct weft_runner *runner = open_runner(network, "cycle");
    char path[] = "/tmp/weft_test_api_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    ASSERT_DONE(weft_runner_trace(runner, path, &failure), failure);
    json_t *root = json_load_file(path, 0, NULL);
    assert_non_null(root);
    assert_true(json_array_size(json_object_get(root, "traceEvents")) > 500);
    json_decref(root);
    ASSERT_REFUSED(weft_runner_trace(runner, "/nowhere/trace.json", &failure), failure,
                   WEFT_FAILURE_IO, "");
    (void)unlink(path);
    weft_runner_close(runner);
    struct weft_options *options = options_of("watchdog", "100");
    ASSERT_DONE(weft_runner_open(network, "cycle", options, &runner, &failure), failure);
    ASSERT_REFUSED(weft_runner_trace(runner, path, &failure), failure, WEFT_FAILURE_FAULT, "");
    const int8_t picture[256] = {0};
    ASSERT_DONE(weft_runner_set_input(runner, 0, picture, 256, &failure), failure);
    ASSERT_REFUSED(weft_runner_run(runner, &failure), failure, WEFT_FAILURE_FAULT, "instruction");
    weft_options_free(options);
    weft_runner_close(runner);
    weft_network_free(network);
}

/* The page is that of weft report: its data are between its head and its end. */
static void runs_become_pages(void **state) {
    (void)state;
    struct weft_failure failure;
    struct weft_network *network = load();
    struct weft_runner *runner = open_runner(network, "cycle");
    char path[] = "/tmp/weft_test_api_XXXXXX";
    struct weft_error error;
    uint8_t *page = NULL;
    size_t length = 0;
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    ASSERT_DONE(weft_runner_page(runner, path, &failure), failure);
    ASSERT_GOOD(weft_file_read(path, &page, &length, &error), error);
    assert_true(length > 10000);
    assert_true(strncmp((const char *)page, "<!doctype html>", 15) == 0 ||
                strncmp((const char *)page, "<!DOCTYPE html>", 15) == 0);
    assert_non_null(strstr((const char *)page, "\"model\":\"digits"));
    assert_non_null(strstr((const char *)page, "</html>"));
    free(page);
    ASSERT_REFUSED(weft_runner_page(runner, "/nowhere/page.html", &failure), failure,
                   WEFT_FAILURE_IO, "");
    (void)unlink(path);
    weft_runner_close(runner);
    struct weft_options *options = options_of("watchdog", "100");
    ASSERT_DONE(weft_runner_open(network, "cycle", options, &runner, &failure), failure);
    ASSERT_REFUSED(weft_runner_page(runner, path, &failure), failure, WEFT_FAILURE_FAULT, "");
    assert_int_equal(access(path, F_OK), -1);
    weft_options_free(options);
    weft_runner_close(runner);
    weft_network_free(network);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_target_gives_the_answer_of_litert),
        cmocka_unit_test(calls_that_cannot_be_carried_out_are_refused),
        cmocka_unit_test(targets_that_are_not_there_are_refused),
        cmocka_unit_test(options_change_the_machine),
        cmocka_unit_test(dram_takes_cycles_by_the_clock),
        cmocka_unit_test(runs_of_the_rtl_tell_how_far_they_are),
        cmocka_unit_test(lockstep_compares_both_simulators),
        cmocka_unit_test(runs_are_reported),
        cmocka_unit_test(reports_have_times_where_the_clock_is_known),
        cmocka_unit_test(reports_leave_jansson_as_it_is),
        cmocka_unit_test(runs_are_traced),
        cmocka_unit_test(runs_become_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
