/* firmware/: what a handler of interrupts does at any instruction of a run. The processor of the
 * host executes the run time step by step: its trap after each instruction is the interrupt. */
#define _GNU_SOURCE
#include "tests/unit/firmware_bench.h"

/* The instructions of a sanitizer are not the run time's, and too many. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED
#endif
#endif

#if defined(__x86_64__) && !defined(IS_SANITIZED)
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum {
    TRAP_FLAG = 0x100, /* of RFLAGS */
    PATIENCE = 100000,
    LATER = 3000 /* cycles from one look at the status to the next */
};

/* The system, with the interrupt that comes. */
static struct {
    struct firmware_bench *bench;
    struct weft_platform platform; /* the bench's own */
    const struct weft_kernel_entry *softmax;
    bool is_abort; /* else it is an interrupt of nobody */
    /* It comes after instruction `at`, counted from 1, of a part of the run: that after so many
     * calls of the platform and kernels. */
    unsigned long part, at;
    volatile unsigned long parts, steps; /* so far */
    volatile uint32_t status;            /* of the run, when it came; UINT32_MAX: it did not */
} test;

/* ---- steps ---- */

/* Nothing is at the stack's end: functions may have data below it. */
#define CHANGE_FLAGS(instruction)                                                                  \
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\t" instruction                            \
                     "\n\tpopfq\n\tlea 128(%%rsp), %%rsp" ::                                       \
                         : "memory", "cc")

static void next_part(void) {
    if (test.parts++ == test.part) {
        CHANGE_FLAGS("orq $0x100, (%%rsp)");
    }
}

static void end_part(void) {
    CHANGE_FLAGS("andq $-0x101, (%%rsp)");
}

static void trapped(int number, siginfo_t *information, void *context) {
    ucontext_t *interrupted = context;
    (void)number;
    (void)information;
    if (++test.steps != test.at) {
        return;
    }
    interrupted->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    test.status = test.bench->firmware.status;
    if (test.is_abort) {
        assert_int_equal(weft_firmware_abort(&test.bench->firmware), WEFT_FIRMWARE_OK);
    } else {
        (void)weft_firmware_interrupt(&test.bench->firmware);
    }
}

/* ---- what is not stepped through ---- */

static uint32_t read_quietly(void *context, uint32_t offset) {
    end_part();
    if (offset == WEFT_REGISTER_status && test.platform.wait == NULL) {
        test.bench->now += LATER;
    }
    uint32_t value = test.platform.read(context, offset);
    next_part();
    return value;
}

static void write_quietly(void *context, uint32_t offset, uint32_t value) {
    end_part();
    test.platform.write(context, offset, value);
    next_part();
}

static void wait_quietly(void *context, const volatile uint32_t *flag, uint32_t ticks) {
    end_part();
    test.platform.wait(context, flag, ticks);
    next_part();
}

static enum weft_kernel_status softmax_quietly(const void *parameters, const void *const *inputs,
                                               void *const *outputs, void *state, void *scratch) {
    end_part();
    enum weft_kernel_status status = test.softmax->run(parameters, inputs, outputs, state, scratch);
    next_part();
    return status;
}

/* ---- runs ---- */

static enum weft_firmware_status run(const uint8_t *picture) {
    memcpy(weft_firmware_input(&test.bench->firmware, 0), picture, 256);
    return weft_firmware_run(&test.bench->firmware, NULL, NULL);
}

/* With the interrupt, if it comes. */
static enum weft_firmware_status run_stepped(const uint8_t *picture, unsigned long part,
                                             unsigned long at) {
    test.part = part;
    test.at = at;
    test.parts = test.steps = 0;
    test.status = UINT32_MAX;
    next_part();
    enum weft_firmware_status status = run(picture);
    end_part();
    test.part = UINT64_MAX; /* what comes now is not stepped through */
    return status;
}

static void make_quiet(struct firmware_bench *bench, struct weft_kernel_entry *quiet) {
    test.bench = bench;
    test.platform = bench->platform;
    test.softmax = bench->kernels[0];
    bench->platform.read = read_quietly;
    bench->platform.write = write_quietly;
    bench->platform.wait = test.platform.wait == NULL ? NULL : wait_quietly;
    bench->platform.patience = PATIENCE;
    *quiet = *test.softmax;
    quiet->run = softmax_quietly;
    bench->kernels[0] = quiet;
}

/* Every instruction of every part. */
static void interrupt_every_instruction(bool has_interrupts, bool is_abort) {
    struct digits digits = digits_open("ref16");
    struct firmware_bench *bench = bench_open(digits.module, has_interrupts, false);
    struct weft_kernel_entry quiet;
    uint8_t *picture = digits_picture(&digits, 3);
    uint8_t *golden = digits_golden(&digits, 3);
    unsigned long instructions = 0;
    unsigned long aborts = 0;
    unsigned long at = 0;
    assert_int_equal(bench_init(bench), WEFT_FIRMWARE_OK);
    make_quiet(bench, &quiet);
    test.is_abort = is_abort;
    for (unsigned long part = 0; at != 1; part++) { /* until there is no such part */
        at = 0;
        do {
            enum weft_firmware_status status = run_stepped(picture, part, ++at);
            if (status != WEFT_FIRMWARE_OK) { /* an abort of no run does nothing */
                assert_int_equal(status, WEFT_FIRMWARE_ABORTED);
                assert_true(is_abort && test.status == WEFT_FIRMWARE_RUNNING);
                assert_int_equal(weft_device_next_event(bench->device), UINT64_MAX);
                aborts++;
                assert_int_equal(run(picture), WEFT_FIRMWARE_OK);
            }
            assert_memory_equal(weft_firmware_output(&bench->firmware, 0), golden, 10);
        } while (test.status != UINT32_MAX);
        instructions += at - 1;
    }
    print_message("%lu instructions, %lu aborts\n", instructions, aborts);
    assert_true(instructions > 500);
    assert_true(is_abort ? aborts > instructions / 2 : aborts == 0);
    free(picture);
    free(golden);
    bench_close(bench);
    digits_close(&digits);
}

static void a_handler_can_abort_at_any_instruction(void **state) {
    (void)state;
    interrupt_every_instruction(true, true);
    interrupt_every_instruction(false, true);
}

static void interrupts_of_nobody_change_nothing(void **state) {
    (void)state;
    interrupt_every_instruction(true, false);
    interrupt_every_instruction(false, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handler_can_abort_at_any_instruction),
        cmocka_unit_test(interrupts_of_nobody_change_nothing),
    };
    struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO};
    if (sigaction(SIGTRAP, &action, NULL) != 0) {
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
    print_message("skipped: this is not an x86-64, or there is a sanitizer\n");
    return 77;
}
#endif
