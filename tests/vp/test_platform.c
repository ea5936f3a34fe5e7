/* The platform of `weft vp` and its peripherals, as programs on its processor meet them
 * (tests/vp/guest.c). */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "driver/bare.h"
#include "firmware/boot.h"
#include "tests/unit/folder.h"
#include "tests/vp/guest.h"
#include "vp/process.h"

enum {
    RAM_BYTES = 4 << 20,
    TEXT_BYTES = 4096,
    COPIED = 700, /* bytes */
};

static const uint64_t quanta[] = {0, 100, 1000, 10000, 100000}; /* ns */

/* The accelerator's program. */
static const char copy[] = "load act_banks=0 memory=act region=3 run=700 signal=store\n"
                           "store wait=load act_banks=0 region=4 run=700\n"
                           "halt\n";

struct bench {
    struct weft_vp vp;
    struct guest_shared *shared;
    char text[TEXT_BYTES]; /* that the UART sent */
    size_t length;
    struct weft_error error;
};

static void collect(void *context, const char *bytes, size_t length) {
    struct bench *bench = context;
    assert_true(bench->length + length < TEXT_BYTES);
    memcpy(bench->text + bench->length, bytes, length);
    bench->length += length;
}

static void load_program(struct bench *bench) {
    struct weft_program program = {0};
    uint8_t *code = NULL;
    ASSERT_GOOD(weft_assemble(copy, sizeof copy - 1, &program, &bench->error), bench->error);
    ASSERT_GOOD(weft_program_encode(&program, &code, &bench->error), bench->error);
    bench->shared->limits[WEFT_REGION_PROGRAM] = (uint32_t)program.count * WEFT_INSTRUCTION_BYTES;
    memcpy(bench->vp.ram + (GUEST_PLACES - GUEST_BASE), code,
           bench->shared->limits[WEFT_REGION_PROGRAM]);
    bench->shared->limits[WEFT_REGION_INPUTS] = COPIED;
    bench->shared->limits[WEFT_REGION_OUTPUTS] = COPIED;
    bench->shared->writable = 1U << WEFT_REGION_OUTPUTS;
    free(code);
    weft_program_free(&program);
}

static struct bench *bench_of(enum guest_command command, uint32_t parameter) {
    struct bench *bench = calloc(1, sizeof *bench);
    uint8_t *image = NULL;
    size_t length = 0;
    assert_non_null(bench);
    ASSERT_GOOD(weft_vp_create(RAM_BYTES, &bench->vp, &bench->error), bench->error);
    ASSERT_GOOD(weft_file_read(WEFT_GUEST, &image, &length, &bench->error), bench->error);
    assert_true(length > 0 && length < GUEST_SHARED - GUEST_BASE);
    memcpy(bench->vp.ram, image, length);
    free(image);
    bench->shared = (struct guest_shared *)(void *)(bench->vp.ram + (GUEST_SHARED - GUEST_BASE));
    bench->shared->command = command;
    bench->shared->parameter = parameter;
    load_program(bench);
    return bench;
}

static void bench_free(struct bench *bench) {
    weft_vp_free(&bench->vp);
    free(bench);
}

static void run(struct bench *bench) {
    ASSERT_GOOD(weft_vp_run(&bench->vp, collect, bench, &bench->error), bench->error);
}

/* Passes with every quantum, and sends the same each time. */
static void assert_passes(enum guest_command command, uint32_t parameter, const char *text) {
    for (size_t i = 0; i < sizeof quanta / sizeof quanta[0]; i++) {
        struct bench *bench = bench_of(command, parameter);
        bench->vp.job->quantum_ns = quanta[i];
        run(bench);
        assert_int_equal(bench->vp.job->finisher, WEFT_FINISHER_PASS);
        assert_string_equal(bench->text, text);
        assert_true(bench->vp.job->instructions > 0);
        assert_true(bench->vp.job->cycles >= bench->vp.job->instructions - 1);
        bench_free(bench);
    }
}

static void programs_print_and_end(void **state) {
    (void)state;
    assert_passes(GUEST_HELLO, 0, "hello, world\n");
    struct bench *bench = bench_of(GUEST_FAIL, 77);
    run(bench);
    assert_int_equal(bench->vp.job->finisher, WEFT_FINISHER_FAIL | 77 << 16);
    assert_int_equal(bench->length, 0);
    bench_free(bench);
}

static void time_goes_on_while_the_processor_waits(void **state) {
    (void)state;
    assert_passes(GUEST_TIMER, 20, "timer 20\n");
}

static void peripherals_are_those_of_qemu_virt(void **state) {
    (void)state;
    assert_passes(GUEST_SOFTWARE, 0, "software\n");
    assert_passes(GUEST_UART, 0, "uart\n");
    assert_passes(GUEST_PLIC, 0, "plic\n");
    assert_passes(GUEST_TRAPS, 0, "trapped\n");
}

/* ---- the accelerator ---- */

/* Cycles of the copy as driver/bare.h has them. */
static uint64_t copy_cycles(const struct weft_config *config) {
    struct weft_program program = {0};
    struct weft_error error;
    struct weft_bare *bare = NULL;
    struct weft_bare_setup setup = {.config = config, .program = &program};
    struct weft_session_options options = weft_session_defaults();
    setup.region_bytes[WEFT_REGION_INPUTS] = COPIED;
    setup.region_bytes[WEFT_REGION_OUTPUTS] = COPIED;
    ASSERT_GOOD(weft_assemble(copy, sizeof copy - 1, &program, &error), error);
    ASSERT_GOOD(weft_bare_open("cycle", &setup, &options, &bare, &error), error);
    ASSERT_GOOD(weft_bare_run(bare, &error), error);
    uint64_t cycles = weft_bare_result(bare)->result.counters.cycles;
    weft_bare_close(bare);
    weft_program_free(&program);
    return cycles;
}

static void the_accelerator_runs_at_its_addresses(void **state) {
    (void)state;
    struct bench *bench = bench_of(GUEST_HELLO, 0);
    char polled[64];
    char interrupted[64];
    const unsigned long long cycles = copy_cycles(&bench->vp.job->config);
    (void)snprintf(polled, sizeof polled, "polled %llu\n", cycles);
    (void)snprintf(interrupted, sizeof interrupted, "interrupted %llu\n", cycles);
    bench_free(bench);
    assert_passes(GUEST_REGISTERS, 0, "registers\n");
    assert_passes(GUEST_POLL, 20, polled);
    assert_passes(GUEST_INTERRUPT, 50, interrupted);
    assert_passes(GUEST_ABORT, 0, "aborted\n");
}

static void the_clock_is_that_of_the_job(void **state) {
    (void)state;
    static const uint64_t periods[] = {1000, 3333, 40000}; /* ps */
    for (size_t i = 0; i < 3; i++) {
        struct bench *bench = bench_of(GUEST_INTERRUPT, 4);
        bench->vp.job->cycle_ps = periods[i];
        run(bench);
        assert_int_equal(bench->vp.job->finisher, WEFT_FINISHER_PASS);
        assert_int_equal(bench->shared->cycles, copy_cycles(&bench->vp.job->config));
        assert_int_equal(bench->shared->interrupts, 4);
        bench_free(bench);
    }
}

static void the_rtl_does_the_same(void **state) {
    (void)state;
    struct bench *bench = bench_of(GUEST_INTERRUPT, 3);
    ASSERT_GOOD(weft_config_find("small8", &bench->vp.job->config, &bench->error), bench->error);
    strcpy(bench->vp.job->target, "rtl");
    if (!weft_vp_run(&bench->vp, collect, bench, &bench->error)) {
        assert_int_equal(bench->error.code, WEFT_TARGET);
        assert_non_null(strstr(bench->error.message, "is not built"));
        bench_free(bench);
        print_message("the RTL of small8 is not built\n");
        skip();
    }
    assert_int_equal(bench->vp.job->finisher, WEFT_FINISHER_PASS);
    assert_int_equal(bench->shared->cycles, copy_cycles(&bench->vp.job->config));
    bench_free(bench);
}

/* ---- waveforms ---- */

static size_t count_of(const char *text, const char *part) {
    size_t count = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        count++;
    }
    return count;
}

/* The code of a signal of a scope. */
static void find_code(const char *text, const char *scope, const char *signal, char code[8]) {
    char line[64];
    (void)snprintf(line, sizeof line, "$scope module %s $end\n", scope);
    const char *at = strstr(text, line);
    assert_non_null(at);
    (void)snprintf(line, sizeof line, " %s $end\n", signal);
    at = strstr(at + 1, line);
    assert_non_null(at);
    do {
        at--; /* back to the beginning of the line */
    } while (*at != '\n');
    assert_int_equal(sscanf(at, "\n$var wire %*d %7s", code), 1);
}

/* How often a number of a scope changes. */
static size_t changes_of(const char *text, const char *scope, const char *signal) {
    char code[8];
    char part[16];
    find_code(text, scope, signal, code);
    (void)snprintf(part, sizeof part, " %s\n", code);
    return count_of(strstr(text, "$enddefinitions"), part);
}

/* Of bursts of at most 256 bytes that cross no multiple of 256: program, inputs, and outputs, which
 * are read once and, since each of their bytes changes, written once. */
static size_t transactions_of_runs(size_t runs) {
    const size_t of_tensor = (COPIED + 255) / 256;
    return runs * (1 + 3 * of_tensor);
}

static void waveforms_show_the_buses(void **state) {
    (void)state;
    struct bench *bench = bench_of(GUEST_INTERRUPT, 5);
    struct bench *without = bench_of(GUEST_INTERRUPT, 5);
    uint8_t *bytes = NULL;
    size_t length = 0;
    char code[8];
    char part[16];
    FILE *file = tmpfile();
    assert_non_null(file);
    bench->vp.job->waves = fileno(file);
    run(bench);
    run(without);
    assert_string_equal(bench->text, without->text);
    assert_int_equal(bench->vp.job->cycles, without->vp.job->cycles);
    rewind(file);
    ASSERT_GOOD(weft_descriptor_read(fileno(file), &bytes, &length, &bench->error), bench->error);
    const char *text = (const char *)bytes;
    assert_non_null(strstr(text, "$timescale 1 ps $end\n"));
    assert_int_equal(count_of(text, "$scope module "), 3);
    assert_int_equal(count_of(text, "$upscope $end"), 3);
    find_code(text, "lines", "accelerator", code);
    (void)snprintf(part, sizeof part, "\n1%s\n", code);
    assert_int_equal(count_of(text, part), 5); /* an interrupt for each run */
    assert_int_equal(changes_of(text, "accelerator_bus", "count"), transactions_of_runs(5));
    assert_true(changes_of(text, "processor_bus", "count") > 5 * 5);
    uint64_t last = 0;
    for (const char *at = strstr(text, "\n#"); at != NULL; at = strstr(at + 1, "\n#")) {
        uint64_t time = strtoull(at + 2, NULL, 10);
        assert_true(last == 0 || time > last);
        last = time;
    }
    assert_true(last <= bench->vp.job->cycles * bench->vp.job->cycle_ps);
    free(bytes);
    (void)fclose(file);
    bench_free(bench);
    bench_free(without);
}

/* ---- what goes wrong ---- */

static void assert_fails(struct bench *bench, enum weft_error_code code, const char *part) {
    ASSERT_FAILS(weft_vp_run(&bench->vp, NULL, NULL, &bench->error), bench->error, code);
    if (strstr(bench->error.message, part) == NULL) {
        print_error("'%s' does not mention '%s'\n", bench->error.message, part);
        fail();
    }
}

static void who_does_not_end_is_ended(void **state) {
    (void)state;
    struct bench *bench = bench_of(GUEST_SLEEP, 0);
    assert_fails(bench, WEFT_STATE, "waits for an interrupt that does not come (pc 0x8000");
    bench_free(bench);
    bench = bench_of(GUEST_SPIN, 0);
    bench->vp.job->last_cycle = 1000000;
    assert_fails(bench, WEFT_LIMIT, "did not end within 1000000 cycles (pc 0x8000");
    bench_free(bench);
}

static void errors_of_the_platform_are_reported(void **state) {
    (void)state;
    struct bench *bench = bench_of(GUEST_POLL, 1);
    strcpy(bench->vp.job->target, "func");
    assert_fails(bench, WEFT_TARGET, "target func knows no time");
    strcpy(bench->vp.job->target, "cycle");
    bench->vp.job->memory_limit = 100;
    assert_fails(bench, WEFT_TARGET, "at most 100 are allowed");
    bench->vp.job->memory_limit = 0;
    bench->vp.job->waves = 1000;
    assert_fails(bench, WEFT_TARGET, "the file for waveforms is not open");
    bench->vp.job->waves = open("/dev/full", O_WRONLY);
    assert_fails(bench, WEFT_IO, "cannot write the waveforms");
    assert_int_equal(close(bench->vp.job->waves), 0);
    bench->vp.job->waves = -1;
    bench->vp.job->version++;
    assert_fails(bench, WEFT_TARGET, "has another version of the interface, expected 2: build");
    bench->vp.job->version--;
    bench->vp.job->bytes++;
    assert_fails(bench, WEFT_TARGET, "has another version of the interface, expected 2: build");
    bench->vp.job->bytes--;
    run(bench);
    assert_int_equal(bench->vp.job->finisher, WEFT_FINISHER_PASS);
    bench_free(bench);
    struct weft_vp vp;
    struct weft_error error;
    ASSERT_FAILS(weft_vp_create(0, &vp, &error), error, WEFT_ARGUMENT);
    ASSERT_FAILS(weft_vp_create(4097, &vp, &error), error, WEFT_ARGUMENT);
    ASSERT_FAILS(weft_vp_create(UINT64_C(1) << 31, &vp, &error), error, WEFT_ARGUMENT);
}

static void write_program(const struct folder *folder, const char *source) {
    const char *path = folder_write(folder, "weft_vp", source, strlen(source));
    assert_int_equal(chmod(path, 0755), 0);
}

static void the_process_may_be_missing_or_crash(void **state) {
    (void)state;
    struct bench *bench = bench_of(GUEST_HELLO, 0);
    struct folder folder = folder_new();
    assert_int_equal(setenv("WEFT_VP_PATH", folder.path, 1), 0);
    assert_fails(bench, WEFT_TARGET, "the virtual platform is not built (no file ");
    write_program(&folder, "#!/nowhere\n");
    assert_fails(bench, WEFT_TARGET, "could not be started (status 127)");
    write_program(&folder, "#!/bin/sh\n"); /* what does not know this job */
    assert_fails(bench, WEFT_TARGET, "has another version of the interface");
    write_program(&folder, "#!/bin/sh\nkill -SEGV $$\n");
    assert_fails(bench, WEFT_INTERNAL, "was ended by signal 11");
    assert_int_equal(unsetenv("WEFT_VP_PATH"), 0);
    folder_free(&folder);
    bench_free(bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_print_and_end),
        cmocka_unit_test(time_goes_on_while_the_processor_waits),
        cmocka_unit_test(peripherals_are_those_of_qemu_virt),
        cmocka_unit_test(the_accelerator_runs_at_its_addresses),
        cmocka_unit_test(the_clock_is_that_of_the_job),
        cmocka_unit_test(the_rtl_does_the_same),
        cmocka_unit_test(waveforms_show_the_buses),
        cmocka_unit_test(who_does_not_end_is_ended),
        cmocka_unit_test(errors_of_the_platform_are_reported),
        cmocka_unit_test(the_process_may_be_missing_or_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
