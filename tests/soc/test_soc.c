/* A system as RTL, by what its CPU meets on the bus: test_soc CPU CONFIG. Skipped where it is not
 * built. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "driver/soc_library.h"
#include "firmware/boot.h"
#include "isa/isa.h"
#include "isa/registers.h"
#include "tests/soc/accesses.h"

enum {
    STATUS_SKIPPED = 77,
    RAM_BYTES = WEFT_SOC_RAM_LEAST,
    PROGRAM = 0x80000, /* offset in RAM of a program of the machine */
    LATENCY = 20,
    MOST_CYCLES = 20000,
    SENT = 64,
    LSR = 5,
    PLIC_PRIORITY = WEFT_SYSTEM_PLIC + 4 * WEFT_SYSTEM_INTERRUPT,
    PLIC_PENDING = WEFT_SYSTEM_PLIC + 0x1004,
    PLIC_ENABLE = WEFT_SYSTEM_PLIC + 0x2004,
    PLIC_BIT = 1 << (WEFT_SYSTEM_INTERRUPT - 32),
    PLIC_THRESHOLD = WEFT_SYSTEM_PLIC + 0x200000,
    PLIC_CLAIM = WEFT_SYSTEM_PLIC + 0x200004,
    CLINT_MTIMECMP = WEFT_SYSTEM_CLINT + 0x4000,
    CLINT_MTIME = WEFT_SYSTEM_CLINT + 0xbff8,
};

#define REGISTER(name) (WEFT_SYSTEM_ACCELERATOR + WEFT_REGISTER_##name)
#define PASS                                                                                       \
    { ACCESS_WRITE, WEFT_SYSTEM_FINISHER, WEFT_FINISHER_PASS }

static const char *cpu;
static struct weft_config config;
static struct weft_soc_library library;

struct fixture {
    uint8_t *ram;
    char sent[SENT];
    size_t count;
    struct weft_soc_run run;
    struct weft_soc_result result;
    struct weft_error error;
};

static void keep(void *context, uint8_t letter) {
    struct fixture *fixture = context;
    assert_true(fixture->count < SENT - 1);
    fixture->sent[fixture->count++] = (char)letter;
}

static int begin(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    fixture->ram = calloc(1, RAM_BYTES);
    assert_non_null(fixture->ram);
    fixture->run =
        (struct weft_soc_run){fixture->ram, RAM_BYTES, LATENCY, MOST_CYCLES, keep, fixture};
    *state = fixture;
    return 0;
}

static int end(void **state) {
    struct fixture *fixture = *state;
    free(fixture->ram);
    free(fixture);
    return 0;
}

static bool run(struct fixture *fixture, const struct access *accesses, size_t count) {
    accesses_make(accesses, count, fixture->ram);
    return library.interface->run(&fixture->run, &fixture->result, &fixture->error);
}

static void must_run(struct fixture *fixture, const struct access *accesses, size_t count) {
    if (!run(fixture, accesses, count)) {
        fail_msg("%s", fixture->error.message);
    }
    assert_int_equal(fixture->result.finish, WEFT_FINISHER_PASS);
}

#define RUN(fixture, accesses) must_run(fixture, accesses, sizeof(accesses) / sizeof(accesses)[0])

static uint32_t result(const struct fixture *fixture, size_t index) {
    uint32_t word = 0;
    memcpy(&word, fixture->ram + ACCESS_RESULTS + sizeof word * index, sizeof word);
    return word;
}

/* ---- devices ---- */

static void test_uart_and_finisher(void **state) {
    struct fixture *fixture = *state;
    const struct access accesses[] = {
        {ACCESS_READ_BYTE, WEFT_SYSTEM_UART + LSR, 0},
        {ACCESS_WRITE_BYTE, WEFT_SYSTEM_UART, 'h'},
        {ACCESS_WRITE_BYTE, WEFT_SYSTEM_UART + 3, 0x80}, /* the divisor, which is not printed */
        {ACCESS_WRITE_BYTE, WEFT_SYSTEM_UART, 'x'},
        {ACCESS_WRITE_BYTE, WEFT_SYSTEM_UART + 3, 3},
        {ACCESS_WRITE_BYTE, WEFT_SYSTEM_UART, 'i'},
        {ACCESS_WRITE, WEFT_SYSTEM_FINISHER, WEFT_FINISHER_FAIL | 5U << 16},
        PASS, /* the first word counts */
    };
    assert_true(run(fixture, accesses, sizeof accesses / sizeof accesses[0]));
    assert_string_equal(fixture->sent, "hi");
    assert_int_equal(result(fixture, 0), 0x60);
    assert_int_equal(fixture->result.finish, WEFT_FINISHER_FAIL | 5U << 16);
    assert_in_range(fixture->result.cycles, 1, MOST_CYCLES);
}

static void test_ram_bytes(void **state) {
    struct fixture *fixture = *state;
    const uint32_t word = WEFT_SYSTEM_RAM + RAM_BYTES - 8;
    const struct access accesses[] = {
        {ACCESS_WRITE, word, 0x11223344},
        {ACCESS_WRITE, word + 4, 0x55667788},
        {ACCESS_WRITE_BYTE, word + 6, 0},
        {ACCESS_READ, word, 0},
        {ACCESS_READ, word + 4, 0},
        {ACCESS_READ_BYTE, word + 7, 0},
        PASS,
    };
    RUN(fixture, accesses);
    assert_int_equal(result(fixture, 0), 0x11223344);
    assert_int_equal(result(fixture, 1), 0x55007788);
    assert_int_equal(result(fixture, 2), 0x55);
    assert_int_equal(fixture->ram[RAM_BYTES - 1], 0x55);
}

static void test_clint(void **state) {
    struct fixture *fixture = *state;
    const struct access accesses[] = {
        {ACCESS_READ, CLINT_MTIME, 0},
        {ACCESS_READ, CLINT_MTIME, 0},
        {ACCESS_READ, CLINT_MTIME + 4, 0},
        {ACCESS_READ, CLINT_MTIMECMP, 0},
        {ACCESS_WRITE, CLINT_MTIMECMP, 0x12345678},
        {ACCESS_WRITE, CLINT_MTIMECMP + 4, 0x9abcdef0},
        {ACCESS_READ, CLINT_MTIMECMP, 0},
        {ACCESS_READ, CLINT_MTIMECMP + 4, 0},
        {ACCESS_WRITE, WEFT_SYSTEM_CLINT, 0xffffffff},
        {ACCESS_READ, WEFT_SYSTEM_CLINT, 0},
        PASS,
    };
    RUN(fixture, accesses);
    assert_in_range(result(fixture, 0), 1, result(fixture, 1) - 1);
    assert_in_range(result(fixture, 1), 2, fixture->result.cycles);
    assert_int_equal(result(fixture, 2), 0);
    assert_int_equal(result(fixture, 3), UINT32_MAX);
    assert_int_equal(result(fixture, 4), 0x12345678);
    assert_int_equal(result(fixture, 5), 0x9abcdef0);
    assert_int_equal(result(fixture, 6), 1);
}

/* ---- the machine ---- */

static void test_register_halves(void **state) {
    struct fixture *fixture = *state;
    const struct access accesses[] = {
        {ACCESS_READ, REGISTER(identity), 0},
        {ACCESS_READ, REGISTER(identity) + 4, 0},
        {ACCESS_READ, REGISTER(configuration), 0},
        {ACCESS_READ, REGISTER(configuration) + 4, 0},
        {ACCESS_WRITE, REGISTER(region_limit) + 8 + 4, 7},
        {ACCESS_WRITE, REGISTER(region_limit) + 8, 0x2000},
        {ACCESS_READ, REGISTER(region_limit) + 8, 0},
        {ACCESS_READ, REGISTER(region_limit) + 8 + 4, 0},
        PASS,
    };
    RUN(fixture, accesses);
    const uint64_t fingerprint = weft_config_fingerprint(&config);
    assert_int_equal(result(fixture, 0), WEFT_REGISTER_MAGIC);
    assert_int_equal(result(fixture, 1), WEFT_REGISTER_MAP_VERSION);
    assert_int_equal(result(fixture, 2), fingerprint & UINT32_MAX);
    assert_int_equal(result(fixture, 3), fingerprint >> 32);
    assert_int_equal(result(fixture, 4), 0x2000);
    assert_int_equal(result(fixture, 5), 7);
}

static void put_halt(struct fixture *fixture) {
    const struct weft_instruction halt = {.opcode = WEFT_OPCODE_HALT};
    assert_true(weft_encode(&halt, fixture->ram + PROGRAM, &fixture->error));
}

/* What starts the machine on a program of `bytes` at an address. */
#define START(address, bytes)                                                                      \
    {ACCESS_WRITE, REGISTER(region_base), address}, {ACCESS_WRITE, REGISTER(region_base) + 4, 0},  \
        {ACCESS_WRITE, REGISTER(region_limit), bytes},                                             \
        {ACCESS_WRITE, REGISTER(region_limit) + 4, 0}, {                                           \
        ACCESS_WRITE, REGISTER(start), WEFT_START_RUN                                              \
    }

static void test_run_polled(void **state) {
    struct fixture *fixture = *state;
    const struct access accesses[] = {
        START(WEFT_SYSTEM_RAM + PROGRAM, WEFT_INSTRUCTION_BYTES),
        {ACCESS_WAIT, REGISTER(status), WEFT_STATUS_ENDED},
        {ACCESS_READ, REGISTER(status), 0},
        {ACCESS_READ, REGISTER(counter) + 8, 0}, /* instructions */
        {ACCESS_READ, REGISTER(counter), 0},     /* cycles */
        {ACCESS_READ, REGISTER(counter) + 16, 0},
        PASS,
    };
    put_halt(fixture);
    RUN(fixture, accesses);
    assert_int_equal(result(fixture, 0), WEFT_STATUS_ENDED);
    assert_int_equal(result(fixture, 1), 1);
    /* The program's one burst, and what is around it. */
    assert_in_range(result(fixture, 2), LATENCY, LATENCY + 100);
    assert_int_equal(result(fixture, 3), WEFT_INSTRUCTION_BYTES);
}

/* Behind the end of RAM, and one that ends there. */
static void test_run_outside_ram(void **state) {
    struct fixture *fixture = *state;
    const struct access behind[] = {
        START(WEFT_SYSTEM_RAM + RAM_BYTES, WEFT_INSTRUCTION_BYTES),
        {ACCESS_WAIT, REGISTER(status), WEFT_STATUS_ENDED},
        {ACCESS_READ, REGISTER(status), 0},
        PASS,
    };
    const struct access last[] = {
        START(WEFT_SYSTEM_RAM + RAM_BYTES - 1024, 1024),
        {ACCESS_WAIT, REGISTER(status), WEFT_STATUS_ENDED},
        {ACCESS_READ, REGISTER(status), 0},
        PASS,
    };
    RUN(fixture, behind);
    assert_int_equal(result(fixture, 0) >> WEFT_STATUS_FAULT_SHIFT & 15, WEFT_FAULT_BUS);
    put_halt(fixture);
    memmove(fixture->ram + RAM_BYTES - 1024, fixture->ram + PROGRAM, WEFT_INSTRUCTION_BYTES);
    RUN(fixture, last);
    assert_int_equal(result(fixture, 0), WEFT_STATUS_ENDED);
}

/* The interrupt as far as the PLIC: claimed it does not ask again, completed it does while it is
 * there. */
static void test_plic(void **state) {
    struct fixture *fixture = *state;
    const struct access accesses[] = {
        {ACCESS_WRITE, PLIC_PRIORITY, 1},
        {ACCESS_WRITE, PLIC_ENABLE, UINT32_MAX},
        {ACCESS_READ, PLIC_ENABLE, 0}, /* 0: no other source is there */
        {ACCESS_READ, PLIC_CLAIM, 0},  /* 1: none yet */
        {ACCESS_WRITE, REGISTER(interrupt), WEFT_INTERRUPT_ENABLED},
        START(WEFT_SYSTEM_RAM + PROGRAM, WEFT_INSTRUCTION_BYTES),
        {ACCESS_WAIT, PLIC_PENDING, PLIC_BIT},
        {ACCESS_READ, PLIC_CLAIM, 0},   /* 2 */
        {ACCESS_READ, PLIC_CLAIM, 0},   /* 3: in service */
        {ACCESS_READ, PLIC_PENDING, 0}, /* 4 */
        {ACCESS_WRITE, PLIC_CLAIM, WEFT_SYSTEM_INTERRUPT},
        {ACCESS_READ, PLIC_CLAIM, 0}, /* 5: the machine still asks */
        {ACCESS_WRITE, REGISTER(interrupt), WEFT_INTERRUPT_ENABLED | WEFT_INTERRUPT_PENDING},
        {ACCESS_WRITE, PLIC_CLAIM, WEFT_SYSTEM_INTERRUPT},
        {ACCESS_READ, PLIC_CLAIM, 0}, /* 6 */
        PASS,
    };
    put_halt(fixture);
    RUN(fixture, accesses);
    assert_int_equal(result(fixture, 0), PLIC_BIT);
    assert_int_equal(result(fixture, 1), 0);
    assert_int_equal(result(fixture, 2), WEFT_SYSTEM_INTERRUPT);
    assert_int_equal(result(fixture, 3), 0);
    assert_int_equal(result(fixture, 4), 0);
    assert_int_equal(result(fixture, 5), WEFT_SYSTEM_INTERRUPT);
    assert_int_equal(result(fixture, 6), 0);
}

/* The same as far as the CPU. */
static void test_run_interrupted(void **state) {
    struct fixture *fixture = *state;
    const struct access accesses[] = {
        {ACCESS_WRITE, PLIC_PRIORITY, 2},
        {ACCESS_WRITE, PLIC_THRESHOLD, 1},
        {ACCESS_WRITE, PLIC_ENABLE, PLIC_BIT},
        {ACCESS_WRITE, REGISTER(interrupt), WEFT_INTERRUPT_ENABLED},
        START(WEFT_SYSTEM_RAM + PROGRAM, WEFT_INSTRUCTION_BYTES),
        {ACCESS_INTERRUPTED, 0, 0},
        {ACCESS_READ, REGISTER(status), 0},
        {ACCESS_READ, PLIC_CLAIM, 0},
        PASS,
    };
    if (strcmp(cpu, "picorv32") == 0) {
        skip(); /* it has no machine mode */
    }
    put_halt(fixture);
    RUN(fixture, accesses);
    assert_int_equal(result(fixture, 0), WEFT_STATUS_ENDED);
    assert_int_equal(result(fixture, 1), WEFT_SYSTEM_INTERRUPT);
}

/* ---- what goes wrong ---- */

static void must_fail(struct fixture *fixture, const struct access *accesses, size_t count,
                      enum weft_error_code code, const char *text) {
    assert_false(run(fixture, accesses, count));
    assert_int_equal(fixture->error.code, code);
    assert_non_null(strstr(fixture->error.message, text));
}

static void test_nothing_answers(void **state) {
    struct fixture *fixture = *state;
    const struct access nowhere[] = {{ACCESS_READ, 0x20000000, 0}, PASS};
    const struct access behind[] = {{ACCESS_WRITE, WEFT_SYSTEM_RAM + RAM_BYTES, 1}, PASS};
    const struct access byte[] = {{ACCESS_WRITE_BYTE, REGISTER(watchdog), 1}, PASS};
    must_fail(fixture, nowhere, 2, WEFT_INTERNAL, "the CPU stopped");
    assert_non_null(strstr(fixture->error.message, "0x20000000"));
    must_fail(fixture, behind, 2, WEFT_INTERNAL, "the CPU stopped");
    must_fail(fixture, byte, 2, WEFT_INTERNAL, "the CPU stopped");
}

static void test_no_end(void **state) {
    struct fixture *fixture = *state;
    must_fail(fixture, NULL, 0, WEFT_LIMIT, "does not end: no write to the test finisher in 20000");
    assert_int_equal(fixture->result.cycles, MOST_CYCLES);
}

/* VexRiscv goes to mtvec, which PicoRV32 has not. */
static void test_illegal(void **state) {
    struct fixture *fixture = *state;
    const struct access illegal[] = {{ACCESS_ILLEGAL, 0, 0}, PASS};
    if (strcmp(cpu, "picorv32") != 0) {
        skip();
    }
    must_fail(fixture, illegal, 2, WEFT_INTERNAL, "illegal instruction");
}

static void test_arguments(void **state) {
    struct fixture *fixture = *state;
    fixture->run.ram_bytes = RAM_BYTES - 1024;
    must_fail(fixture, NULL, 0, WEFT_ARGUMENT, "bytes of RAM, expected");
    fixture->run.ram_bytes = RAM_BYTES + 8;
    must_fail(fixture, NULL, 0, WEFT_ARGUMENT, "bytes of RAM, expected");
    fixture->run.ram_bytes = UINT64_C(1) << 31;
    must_fail(fixture, NULL, 0, WEFT_ARGUMENT, "bytes of RAM, expected");
    fixture->run.ram_bytes = RAM_BYTES;
    fixture->run.memory_latency = 1;
    must_fail(fixture, NULL, 0, WEFT_ARGUMENT, "a latency of 1 cycles, expected 2 to 65535");
}

int main(int count, char **words) {
    struct weft_error error;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_uart_and_finisher, begin, end),
        cmocka_unit_test_setup_teardown(test_ram_bytes, begin, end),
        cmocka_unit_test_setup_teardown(test_clint, begin, end),
        cmocka_unit_test_setup_teardown(test_register_halves, begin, end),
        cmocka_unit_test_setup_teardown(test_run_polled, begin, end),
        cmocka_unit_test_setup_teardown(test_run_outside_ram, begin, end),
        cmocka_unit_test_setup_teardown(test_plic, begin, end),
        cmocka_unit_test_setup_teardown(test_run_interrupted, begin, end),
        cmocka_unit_test_setup_teardown(test_nothing_answers, begin, end),
        cmocka_unit_test_setup_teardown(test_no_end, begin, end),
        cmocka_unit_test_setup_teardown(test_illegal, begin, end),
        cmocka_unit_test_setup_teardown(test_arguments, begin, end),
    };
    if (count != 3 || !weft_config_find(words[2], &config, &error)) {
        fprintf(stderr, "usage: test_soc CPU CONFIG\n");
        return EXIT_FAILURE;
    }
    cpu = words[1];
    if (!weft_soc_load(cpu, &config, &library, &error)) {
        printf("skipped: %s\n", error.message);
        return STATUS_SKIPPED;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    weft_soc_unload(&library);
    return failed;
}
