/* The model of the processor: each instruction against what the manual says it does, worked out
 * here with wider numbers. */
#include "tests/unit/test.h"

#include <string.h>

#include "base/bytes.h"
#include "tests/cpu/code.h"
#include "tests/cpu/machine.h"

static struct machine *machine;

static int open_machine(void **state) {
    (void)state;
    machine = machine_create(MACHINE_RAM_BYTES);
    return 0;
}

static int close_machine(void **state) {
    (void)state;
    machine_free(machine);
    return 0;
}

/* Loads a program and clears everything else. */
#define LOAD(...)                                                                                  \
    do {                                                                                           \
        const uint32_t words[] = {__VA_ARGS__};                                                    \
        machine_clear(machine);                                                                    \
        machine_load(machine, 0, words, sizeof words / sizeof words[0]);                           \
    } while (0)

static uint32_t x(uint32_t number) {
    return weft_cpu_register(machine->cpu, number);
}

static void set(uint32_t number, uint32_t value) {
    weft_cpu_set_register(machine->cpu, number, value);
}

static void run(uint64_t instructions) {
    assert_int_equal(weft_cpu_run(machine->cpu, instructions), WEFT_CPU_INSTRUCTIONS);
}

static uint32_t random_state = 1;

static uint32_t random_word(void) {
    random_state = random_state * 1664525 + 1013904223;
    const uint32_t high = random_state >> 16;
    random_state = random_state * 1664525 + 1013904223;
    return high << 16 | random_state >> 16;
}

/* ---- arithmetic ---- */

/* Operands at which carries, signs and quotients change, and random ones. */
static const uint32_t corners[] = {0,          1,          2,          31,         32,
                                   33,         0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe,
                                   0xffffffff, 0x0000ffff, 0x00010000, 0x12345678, 0xdeadbeef};

enum {
    CORNERS = sizeof corners / sizeof corners[0],
    RANDOM_PAIRS = 200
};

/* What an instruction of two operands gives: by funct7 and funct3, in 64 bits. */
static uint32_t expected_of(uint32_t funct7, uint32_t funct3, uint32_t a, uint32_t b) {
    const int64_t sa = a < 0x80000000 ? (int64_t)a : (int64_t)a - (INT64_C(1) << 32);
    const int64_t sb = b < 0x80000000 ? (int64_t)b : (int64_t)b - (INT64_C(1) << 32);
    const uint32_t shift = b % 32;
    const int64_t power = INT64_C(1) << shift;
    switch (funct7 << 8 | funct3) {
    case 0x0000: /* add */
        return (uint32_t)(sa + sb);
    case 0x2000: /* sub */
        return (uint32_t)(sa - sb);
    case 0x0001: /* sll */
        return (uint32_t)(a * (uint64_t)power);
    case 0x0002: /* slt */
        return sa < sb;
    case 0x0003: /* sltu */
        return (int64_t)a < (int64_t)b;
    case 0x0004: /* xor */
        return (a | b) - (a & b);
    case 0x0005: /* srl */
        return (uint32_t)(a / (uint64_t)power);
    case 0x2005: /* sra: rounds down */
        return (uint32_t)((sa - ((sa % power) + power) % power) / power);
    case 0x0006: /* or */
        return a + b - (a & b);
    case 0x0007: /* and */
        return ~(~a | ~b);
    case 0x0100: /* mul */
        return (uint32_t)((uint64_t)a * b % (UINT64_C(1) << 32));
    case 0x0101: /* mulh */
        return (uint32_t)((__int128)sa * sb / 1 >> 32);
    case 0x0102: /* mulhsu */
        return (uint32_t)((__int128)sa * (int64_t)b >> 32);
    case 0x0103: /* mulhu */
        return (uint32_t)((unsigned __int128)a * b >> 32);
    case 0x0104: /* div */
        return b == 0 ? 0xffffffff : (uint32_t)(sa / sb);
    case 0x0105: /* divu */
        return b == 0 ? 0xffffffff : (uint32_t)((int64_t)a / (int64_t)b);
    case 0x0106: /* rem */
        return b == 0 ? a : (uint32_t)(sa % sb);
    default: /* remu */
        return b == 0 ? a : (uint32_t)((int64_t)a % (int64_t)b);
    }
}

static const uint32_t operations[][2] = {
    {0x00, 0}, {0x20, 0}, {0x00, 1}, {0x00, 2}, {0x00, 3}, {0x00, 4},
    {0x00, 5}, {0x20, 5}, {0x00, 6}, {0x00, 7}, {0x01, 0}, {0x01, 1},
    {0x01, 2}, {0x01, 3}, {0x01, 4}, {0x01, 5}, {0x01, 6}, {0x01, 7},
};

/* One instruction on two operands, with rd and sources that are also equal. */
static void check_register(uint32_t funct7, uint32_t funct3, uint32_t a, uint32_t b) {
    const uint32_t expected = expected_of(funct7, funct3, a, b);
    weft_cpu_set_pc(machine->cpu, MACHINE_RAM);
    set(A1, a);
    set(A2, b);
    run(3);
    assert_int_equal(x(A0), expected);
    assert_int_equal(x(A1), expected_of(funct7, funct3, a, expected));
    assert_int_equal(x(ZERO), 0);
    assert_int_equal(x(A2), b);
    assert_int_equal(weft_cpu_pc(machine->cpu), MACHINE_RAM + 12);
}

static void test_registers(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        const uint32_t funct7 = operations[i][0];
        const uint32_t funct3 = operations[i][1];
        LOAD(r_type(funct7, A2, A1, funct3, A0, 0x33), r_type(funct7, A0, A1, funct3, A1, 0x33),
             r_type(funct7, A2, A1, funct3, ZERO, 0x33));
        for (size_t pair = 0; pair < (size_t)CORNERS * CORNERS; pair++) {
            check_register(funct7, funct3, corners[pair / CORNERS], corners[pair % CORNERS]);
        }
        for (size_t pair = 0; pair < RANDOM_PAIRS; pair++) {
            const uint32_t a = random_word();
            check_register(funct7, funct3, a, random_word());
        }
    }
}

static void test_immediates(void **state) {
    (void)state;
    static const int32_t immediates[] = {0, 1, -1, 31, 2047, -2048, 0x555, -0x556};
    static const uint32_t functions[] = {0, 2, 3, 4, 6, 7};
    for (size_t i = 0; i < 6 * 8 * (size_t)CORNERS; i++) {
        const uint32_t funct3 = functions[i % 6];
        const int32_t immediate = immediates[i / 6 % 8];
        const uint32_t a = corners[i / 48];
        LOAD(i_type(immediate, A1, funct3, A0, 0x13));
        set(A1, a);
        run(1);
        assert_int_equal(x(A0), expected_of(0, funct3, a, (uint32_t)immediate));
    }
    for (uint32_t i = 0; i < 3 * 32 * CORNERS; i++) {
        static const uint32_t shifts[][2] = {{0x00, 1}, {0x00, 5}, {0x20, 5}};
        const uint32_t *shift = shifts[i % 3];
        const uint32_t a = corners[i / 96];
        LOAD(r_type(shift[0], i / 3 % 32, A1, shift[1], A0, 0x13));
        set(A1, a);
        run(1);
        assert_int_equal(x(A0), expected_of(shift[0], shift[1], a, i / 3 % 32));
    }
}

static void test_upper(void **state) {
    (void)state;
    LOAD(rv_lui(A0, 0xfffff), rv_lui(A1, 0x12345), rv_auipc(A2, 0xfffff), rv_auipc(A3, 1),
         rv_lui(ZERO, 7));
    run(5);
    assert_int_equal(x(A0), 0xfffff000);
    assert_int_equal(x(A1), 0x12345000);
    assert_int_equal(x(A2), MACHINE_RAM + 8 - 4096);
    assert_int_equal(x(A3), MACHINE_RAM + 12 + 4096);
    assert_int_equal(x(ZERO), 0);
}

/* ---- branches and jumps ---- */

static bool taken(uint32_t funct3, uint32_t a, uint32_t b) {
    const int64_t sa = (int32_t)a;
    const int64_t sb = (int32_t)b;
    switch (funct3) {
    case 0:
        return a == b;
    case 1:
        return a != b;
    case 4:
        return sa - sb < 0;
    case 5:
        return sa - sb >= 0;
    case 6:
        return (int64_t)a - (int64_t)b < 0;
    default:
        return (int64_t)a - (int64_t)b >= 0;
    }
}

static void test_branches(void **state) {
    (void)state;
    static const uint32_t functions[] = {0, 1, 4, 5, 6, 7};
    static const int32_t offsets[] = {8, -16, 4094, -4096, 2048, 1026};
    for (size_t i = 0; i < 6 * (size_t)CORNERS * CORNERS; i++) {
        const uint32_t funct3 = functions[i % 6];
        const int32_t offset = offsets[i / 6 % 6];
        const uint32_t a = corners[i / 6 % CORNERS];
        const uint32_t b = corners[i / 6 / CORNERS];
        const uint32_t word = b_type(offset, A2, A1, funct3);
        machine_load(machine, 0x2000, &word, 1);
        set(A1, a);
        set(A2, b);
        weft_cpu_set_pc(machine->cpu, MACHINE_RAM + 0x2000);
        run(1);
        assert_int_equal(weft_cpu_pc(machine->cpu),
                         MACHINE_RAM + 0x2000 + (taken(funct3, a, b) ? (uint32_t)offset : 4));
    }
}

static void test_jumps(void **state) {
    (void)state;
    static const int32_t offsets[] = {2, 4, -2, 0xffffe, -0x100000, 0x800, 0x55554, -0x2aaaa};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        const uint32_t word = rv_jal(A0, offsets[i]);
        machine_clear(machine);
        machine_load(machine, 0x2000, &word, 1);
        weft_cpu_set_pc(machine->cpu, MACHINE_RAM + 0x2000);
        run(1);
        assert_int_equal(x(A0), MACHINE_RAM + 0x2004);
        assert_int_equal(weft_cpu_pc(machine->cpu), MACHINE_RAM + 0x2000 + (uint32_t)offsets[i]);
    }
    /* jalr clears the lowest bit, and may take its target from the register that it writes. */
    LOAD(rv_jalr(A0, A0, -3));
    set(A0, MACHINE_RAM + 0x104);
    run(1);
    assert_int_equal(x(A0), MACHINE_RAM + 4);
    assert_int_equal(weft_cpu_pc(machine->cpu), MACHINE_RAM + 0x100);
}

/* ---- memory ---- */

static void test_loads(void **state) {
    (void)state;
    static const struct {
        uint32_t funct3;
        uint32_t bytes;
        bool is_signed;
    } loads[] = {{0, 1, true}, {1, 2, true}, {2, 4, false}, {4, 1, false}, {5, 2, false}};
    static const uint8_t bytes[8] = {0x80, 0x7f, 0xff, 0x01, 0xfe, 0xdc, 0x00, 0x90};
    for (size_t i = 0; i < 5 * 8; i++) {
        const uint32_t offset = (uint32_t)i / 5;
        const uint32_t length = loads[i % 5].bytes;
        if (offset % length != 0) {
            continue;
        }
        uint64_t expected = 0;
        for (uint32_t byte = 0; byte < length; byte++) {
            expected |= (uint64_t)bytes[offset + byte] << 8 * byte;
        }
        if (loads[i % 5].is_signed && bytes[offset + length - 1] >= 0x80) {
            expected -= UINT64_C(1) << 8 * length;
        }
        LOAD(i_type((int32_t)offset - 2000, A1, loads[i % 5].funct3, A0, 0x03),
             i_type((int32_t)offset - 2000, A1, loads[i % 5].funct3, ZERO, 0x03));
        memcpy(machine->ram + 0x1000, bytes, sizeof bytes);
        set(A1, MACHINE_RAM + 0x1000 + 2000);
        run(2);
        assert_int_equal(x(A0), (uint32_t)expected);
        assert_int_equal(x(ZERO), 0);
    }
}

static void test_stores(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 3 * 8; i++) {
        const uint32_t funct3 = i % 3;
        const uint32_t length = 1U << funct3;
        const uint32_t offset = i / 3;
        uint8_t expected[8];
        if (offset % length != 0) {
            continue;
        }
        LOAD(s_type((int32_t)offset + 1000, A0, A1, funct3));
        memset(machine->ram + 0x1000, 0xaa, 8);
        memset(expected, 0xaa, sizeof expected);
        memcpy(expected + offset, (const uint8_t[]){0x78, 0x56, 0x34, 0x92}, length);
        set(A0, 0x92345678);
        set(A1, MACHINE_RAM + 0x1000 - 1000);
        run(1);
        assert_memory_equal(machine->ram + 0x1000, expected, sizeof expected);
    }
}

static void test_last_bytes_of_ram(void **state) {
    (void)state;
    LOAD(rv_sw(A0, A1, -4), i_type(-1, A1, 4, A2, 0x03), rv_lw(A3, A1, -4));
    set(A0, 0xfedcba98);
    set(A1, MACHINE_RAM + MACHINE_RAM_BYTES);
    run(3);
    assert_int_equal(x(A2), 0xfe);
    assert_int_equal(x(A3), 0xfedcba98);
}

/* Outside RAM the callbacks see address, bytes and a value without anything above it; loads extend
 * what comes. */
static void test_mmio(void **state) {
    (void)state;
    LOAD(i_type(1, A1, 0, A0, 0x03), i_type(2, A1, 5, A2, 0x03), i_type(0, A1, 2, A3, 0x03),
         s_type(3, A4, A1, 0), rv_addi(T0, ZERO, 1), s_type(4, A4, A1, 1), s_type(8, A4, A1, 2));
    set(A1, MACHINE_WORDS);
    set(A4, 0x12345678);
    machine->words[0] = 0xa1b2c3d4;
    const uint64_t before = weft_cpu_executed(machine->cpu);
    run(3);
    assert_int_equal(x(A0), 0xffffffc3);
    assert_int_equal(x(A2), 0xa1b2);
    assert_int_equal(x(A3), 0xa1b2c3d4);
    assert_int_equal(machine->last_bytes, 4);
    /* A write ends the run behind it. */
    assert_int_equal(weft_cpu_run(machine->cpu, 100), WEFT_CPU_WROTE);
    assert_int_equal(machine->words[0], 0x78b2c3d4);
    assert_int_equal(machine->last_address, MACHINE_WORDS + 3);
    assert_int_equal(weft_cpu_pc(machine->cpu), MACHINE_RAM + 16);
    assert_int_equal(x(T0), 0);
    assert_int_equal(weft_cpu_run(machine->cpu, 100), WEFT_CPU_WROTE);
    assert_int_equal(x(T0), 1);
    assert_int_equal(machine->words[1], 0x5678);
    assert_int_equal(weft_cpu_run(machine->cpu, 100), WEFT_CPU_WROTE);
    assert_int_equal(machine->words[2], 0x12345678);
    assert_int_equal(weft_cpu_executed(machine->cpu) - before, 7);
}

static void stop(struct machine *accessed) {
    weft_cpu_stop(accessed->cpu);
}

static void test_stop(void **state) {
    (void)state;
    LOAD(rv_addi(A2, ZERO, 5), rv_lw(A0, A1, 0), rv_addi(A2, ZERO, 6), rv_sw(A0, A1, 4));
    set(A1, MACHINE_WORDS);
    machine->accessed = stop;
    assert_int_equal(weft_cpu_run(machine->cpu, 100), WEFT_CPU_STOPPED);
    assert_int_equal(x(A2), 5);
    assert_int_equal(weft_cpu_run(machine->cpu, 100), WEFT_CPU_STOPPED); /* and wrote */
    assert_int_equal(x(A2), 6);
}

/* What the callbacks see of the processor is that before their instruction. */
static uint64_t seen_executed;
static uint32_t seen_pc;

static void look(struct machine *accessed) {
    seen_executed = weft_cpu_executed(accessed->cpu);
    seen_pc = weft_cpu_pc(accessed->cpu);
}

static void test_callbacks_see(void **state) {
    (void)state;
    LOAD(rv_addi(A2, ZERO, 5), rv_addi(A2, ZERO, 6), rv_lw(A0, A1, 0), rv_addi(A2, ZERO, 7));
    set(A1, MACHINE_WORDS);
    machine->accessed = look;
    const uint64_t before = weft_cpu_executed(machine->cpu);
    run(4);
    assert_int_equal(seen_executed - before, 2);
    assert_int_equal(seen_pc, MACHINE_RAM + 8);
    assert_int_equal(weft_cpu_executed(machine->cpu) - before, 4);
}

/* ---- decoded instructions ---- */

/* Any number of instructions at a time comes to the same. */
static void test_pieces(void **state) {
    (void)state;
    const uint32_t words[] = {rv_addi(A0, ZERO, 100), rv_addi(A1, A1, 3), rv_addi(A0, A0, -1),
                              rv_bne(A0, ZERO, -8), rv_addi(A2, A1, 1)};
    for (uint64_t piece = 1; piece < 9; piece++) {
        machine_clear(machine);
        machine_load(machine, 0, words, 5);
        const uint64_t before = weft_cpu_executed(machine->cpu);
        while (weft_cpu_pc(machine->cpu) != MACHINE_RAM + 20) {
            const uint64_t begin = weft_cpu_executed(machine->cpu);
            run(piece > 302 - (begin - before) ? 302 - (begin - before) : piece);
        }
        assert_int_equal(weft_cpu_executed(machine->cpu) - before, 302);
        assert_int_equal(x(A2), 301);
    }
}

/* A store into the block that runs, right behind itself, counts at once. */
static void test_stores_into_code(void **state) {
    (void)state;
    LOAD(rv_addi(A2, ZERO, 1), rv_sw(A0, A1, 0), rv_addi(A2, ZERO, 2), rv_addi(A3, A3, 1),
         rv_jal(ZERO, -16));
    set(A0, rv_addi(A2, ZERO, 77));
    set(A1, MACHINE_RAM + 8);
    run(3);
    assert_int_equal(x(A2), 77);
    run(4);
    assert_int_equal(x(A2), 1); /* the second round: addi, sw again next */
    assert_int_equal(x(A3), 1);
}

/* What somebody else wrote is seen when it was said, and with FENCE.I. */
static void test_code_changed(void **state) {
    (void)state;
    LOAD(rv_addi(A2, ZERO, 1), rv_jal(ZERO, -4), RV_FENCE_I, rv_jal(ZERO, -12));
    run(2);
    weft_write_u32(machine->ram, rv_addi(A2, ZERO, 2));
    run(2);
    assert_int_equal(x(A2), 1); /* decoded before */
    weft_cpu_set_pc(machine->cpu, MACHINE_RAM + 8);
    run(3);
    assert_int_equal(x(A2), 2);
    weft_write_u32(machine->ram, rv_addi(A2, ZERO, 3));
    weft_cpu_code_changed(machine->cpu);
    run(2);
    assert_int_equal(x(A2), 3);
}

/* More code than decoded instructions are kept of. */
static void test_much_code(void **state) {
    (void)state;
    enum {
        LENGTH = 200000
    };
    machine_clear(machine);
    for (uint32_t i = 0; i < LENGTH; i++) {
        weft_write_u32(machine->ram + (size_t)4 * i, rv_addi(A0, A0, 1));
    }
    weft_write_u32(machine->ram + (size_t)4 * LENGTH, rv_jal(ZERO, 4 * -LENGTH));
    weft_cpu_code_changed(machine->cpu);
    run(3 * (LENGTH + 1));
    assert_int_equal(x(A0), 3 * LENGTH);
    assert_int_equal(weft_cpu_pc(machine->cpu), MACHINE_RAM);
}

/* ---- options ---- */

static bool some_read(void *context, uint32_t address, uint32_t bytes, uint32_t *value) {
    (void)context;
    *value = address + bytes;
    return true;
}

static bool some_write(void *context, uint32_t address, uint32_t bytes, uint32_t value) {
    (void)context;
    return address + bytes + value != 0;
}

static uint64_t some_cycles(void *context) {
    (void)context;
    return 1;
}

static void test_options(void **state) {
    (void)state;
    uint8_t ram[64] = {0};
    struct weft_cpu *cpu = NULL;
    struct weft_error error;
    const struct weft_cpu_options good = {.ram = ram,
                                          .ram_base = 0xffffffc0,
                                          .ram_bytes = 64,
                                          .reset_vector = 0xffffffc2,
                                          .read = some_read,
                                          .write = some_write,
                                          .cycles = some_cycles};
    ASSERT_GOOD(weft_cpu_create(&good, &cpu, &error), error);
    assert_int_equal(weft_cpu_pc(cpu), 0xffffffc2);
    weft_cpu_destroy(cpu);
    weft_cpu_destroy(NULL);
#define REFUSED(member, value)                                                                     \
    do {                                                                                           \
        struct weft_cpu_options bad = good;                                                        \
        bad.member = (value);                                                                      \
        ASSERT_FAILS(weft_cpu_create(&bad, &cpu, &error), error, WEFT_ARGUMENT);                   \
    } while (0)
    REFUSED(ram, NULL);
    REFUSED(ram_bytes, 0);
    REFUSED(ram_bytes, 56);
    REFUSED(ram_bytes, 80);
    REFUSED(ram_base, 0xfffffff8);
    REFUSED(reset_vector, 0xffffffc1);
    REFUSED(read, NULL);
    REFUSED(write, NULL);
    REFUSED(cycles, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_immediates),
        cmocka_unit_test(test_upper),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_jumps),
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_stores),
        cmocka_unit_test(test_last_bytes_of_ram),
        cmocka_unit_test(test_mmio),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_callbacks_see),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_stores_into_code),
        cmocka_unit_test(test_code_changed),
        cmocka_unit_test(test_much_code),
        cmocka_unit_test(test_options),
    };
    return cmocka_run_group_tests(tests, open_machine, close_machine);
}
