/* The model of the processor: exceptions, interrupts, waiting, and control and status registers. */
#include "tests/unit/test.h"

#include "tests/cpu/code.h"
#include "tests/cpu/machine.h"

/* Numbers of registers, from the manual. */
enum {
    MSTATUS = 0x300,
    MISA = 0x301,
    MIE = 0x304,
    MTVEC = 0x305,
    MSCRATCH = 0x340,
    MEPC = 0x341,
    MCAUSE = 0x342,
    MTVAL = 0x343,
    MIP = 0x344,
    MCYCLE = 0xb00,
    MINSTRET = 0xb02,
    MCYCLEH = 0xb80,
    MINSTRETH = 0xb82,
    CYCLE = 0xc00,
    TIME = 0xc01,
    INSTRET = 0xc02,
    CYCLEH = 0xc80,
    TIMEH = 0xc81,
    MHARTID = 0xf14,

    HANDLER = 0x800, /* offset in RAM */
    DATA = 0x4000
};

#define MTIP (UINT32_C(1) << WEFT_CPU_TIMER)
#define MSIP (UINT32_C(1) << WEFT_CPU_SOFTWARE)
#define MEIP (UINT32_C(1) << WEFT_CPU_EXTERNAL)

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

static uint32_t x(uint32_t number) {
    return weft_cpu_register(machine->cpu, number);
}

static void set(uint32_t number, uint32_t value) {
    weft_cpu_set_register(machine->cpu, number, value);
}

static uint32_t csr(uint32_t number) {
    return machine_csr(machine, number);
}

static void run(uint64_t instructions) {
    assert_int_equal(weft_cpu_run(machine->cpu, instructions), WEFT_CPU_INSTRUCTIONS);
}

static void line(enum weft_cpu_interrupt interrupt, bool level) {
    weft_cpu_set_interrupt(machine->cpu, interrupt, level);
}

/* Writes a register with an instruction somewhere else in RAM. */
static void set_csr(uint32_t number, uint32_t value) {
    const uint32_t word = rv_csrrw(ZERO, number, T4);
    const uint32_t pc = weft_cpu_pc(machine->cpu);
    const uint32_t t4 = x(T4);
    machine_load(machine, 0x7000, &word, 1);
    set(T4, value);
    weft_cpu_set_pc(machine->cpu, MACHINE_RAM + 0x7000);
    run(1);
    set(T4, t4);
    weft_cpu_set_pc(machine->cpu, pc);
}

/* Loads a program, clears everything else, and puts a handler that counts in t3. */
#define LOAD(...)                                                                                  \
    do {                                                                                           \
        const uint32_t program[] = {__VA_ARGS__};                                                  \
        const uint32_t handler[] = {rv_addi(T3, T3, 1), RV_MRET};                                  \
        machine_clear(machine);                                                                    \
        machine_load(machine, 0, program, sizeof program / sizeof program[0]);                     \
        machine_load(machine, HANDLER, handler, 2);                                                \
        set_csr(MTVEC, MACHINE_RAM + HANDLER);                                                     \
    } while (0)

/* ---- exceptions ---- */

/* One instruction at the start of RAM traps; nothing else changes. */
static void check_trap(uint32_t word, uint32_t cause, uint32_t value) {
    LOAD(word);
    set(A1, MACHINE_RAM + DATA);
    set(A0, 0x55);
    set_csr(MSTATUS, 1U << 3);
    const uint32_t retired = csr(MINSTRET);
    run(1);
    assert_int_equal(weft_cpu_pc(machine->cpu), MACHINE_RAM + HANDLER);
    assert_int_equal(csr(MEPC), MACHINE_RAM);
    assert_int_equal(csr(MCAUSE), cause);
    assert_int_equal(csr(MTVAL), value);
    assert_int_equal(csr(MSTATUS), 0x1880); /* MPP, MPIE; MIE is 0 */
    assert_int_equal(csr(MINSTRET), retired);
    assert_int_equal(x(A0), 0x55);
    assert_int_equal(machine_word(machine, DATA), 0);
    run(2);
    assert_int_equal(weft_cpu_pc(machine->cpu), MACHINE_RAM);
    assert_int_equal(csr(MSTATUS), 0x1888);
}

static void test_exceptions(void **state) {
    (void)state;
    check_trap(RV_ECALL, 11, 0);
    check_trap(RV_EBREAK, 3, 0);
    check_trap(0x9002, 3, 0);                                          /* c.ebreak */
    check_trap(i_type(2, A1, 2, A0, 0x03), 4, MACHINE_RAM + DATA + 2); /* lw */
    check_trap(i_type(1, A1, 1, A0, 0x03), 4, MACHINE_RAM + DATA + 1); /* lh */
    check_trap(i_type(3, A1, 5, A0, 0x03), 4, MACHINE_RAM + DATA + 3); /* lhu */
    check_trap(s_type(3, A1, A1, 2), 6, MACHINE_RAM + DATA + 3);       /* sw */
    check_trap(s_type(1, A1, A1, 1), 6, MACHINE_RAM + DATA + 1);       /* sh */
    check_trap(rv_lw(A0, ZERO, 16), 5, 16);
    check_trap(rv_sw(A1, ZERO, 16), 7, 16);
    check_trap(rv_lw(A0, ZERO, 17), 4, 17); /* alignment comes first */
    check_trap(rv_sw(A1, ZERO, 18), 6, 18);
}

/* What MIE was comes back with MRET, which leaves MPIE 1; a second trap forgets the first one's. */
static void test_stack_of_mie(void **state) {
    (void)state;
    LOAD(RV_ECALL, RV_HERE);
    const uint32_t nested[] = {RV_ECALL, RV_MRET};
    run(1);
    assert_int_equal(csr(MSTATUS), 0x1800);
    run(2);
    assert_int_equal(csr(MSTATUS), 0x1880);
    LOAD(RV_ECALL, RV_HERE);
    machine_load(machine, HANDLER, nested, 2);
    set_csr(MSTATUS, 1U << 3);
    run(1);
    assert_int_equal(csr(MSTATUS), 0x1880);
    run(1);
    assert_int_equal(csr(MSTATUS), 0x1800);
}

static void test_illegal(void **state) {
    (void)state;
    static const uint32_t words[] = {
        0x00000000,             /* 16 bits of 0 */
        0xffffffff, 0x0000100b, /* custom-0 */
        0x0000202f,             /* amoadd.w */
        0x00002007,             /* flw */
        0x40001013,             /* slli with funct7 */
        0x02001013,             /* slli by 32 */
        0x40004033,             /* xor with funct7 of sub */
        0x00003003,             /* ld */
        0x00006003,             /* lwu */
        0x00003023,             /* sd */
        0x00002063,             /* branch of funct3 2 */
        0x00001067,             /* jalr of funct3 1 */
        0x0000200f,             /* fence of funct3 2 */
        0x00200073,             /* uret */
        0x10200073,             /* sret */
        0x12000073,             /* sfence.vma */
        0x00004073,             /* system of funct3 4 */
        0x7b200073,             /* dret */
        0x000000f3,             /* ecall with rd */
        0x3a002573,             /* csrr a0, pmpcfg0 */
        0x18002573,             /* csrr a0, satp */
        0x30202573,             /* csrr a0, medeleg */
        0x30602573,             /* csrr a0, mcounteren: there is no user mode */
        0xc8302573,             /* csrr a0, hpmcounter3h */
        0xf1459073,             /* csrw mhartid, a1 */
        0xc000e073,             /* csrrsi zero, cycle, 1 */
        0xc0001073,             /* csrrw zero, cycle, zero: writes */
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const uint32_t bits = (words[i] & 3) == 3 ? words[i] : words[i] & 0xffff;
        check_trap(words[i], 2, bits);
    }
    LOAD(0xc0006073, 0xc0003573); /* without a bit set, or cleared, they only read */
    run(2);
    assert_int_equal(weft_cpu_pc(machine->cpu), MACHINE_RAM + 8);
}

static void test_illegal_compressed(void **state) {
    (void)state;
    static const uint32_t halfwords[] = {
        0x0000, /* all zeros */
        0x0004, /* c.addi4spn of 0 */
        0x2000, /* c.fld */
        0x6000, /* c.flw */
        0xe000, /* c.fsw */
        0x8000, /* reserved */
        0x6101, /* c.addi16sp of 0 */
        0x6081, /* c.lui of 0 */
        0x9001, /* c.srli by 32 */
        0x9401, /* c.srai by 32 */
        0x9c01, /* c.subw */
        0x9c41, /* reserved */
        0x1002, /* c.slli by 32 */
        0x4002, /* c.lwsp to zero */
        0x8002, /* c.jr of zero */
        0x2002, /* c.fldsp */
        0xe002, /* c.fswsp */
    };
    for (size_t i = 0; i < sizeof halfwords / sizeof halfwords[0]; i++) {
        check_trap(halfwords[i], 2, halfwords[i]);
    }
}

/* Fetching outside RAM, and an instruction of which RAM holds one half. */
static void test_fetch_faults(void **state) {
    (void)state;
    LOAD(rv_jalr(RA, A1, 0));
    set(A1, MACHINE_RAM - 2);
    run(2);
    assert_int_equal(csr(MCAUSE), 1);
    assert_int_equal(csr(MEPC), MACHINE_RAM - 2);
    assert_int_equal(csr(MTVAL), MACHINE_RAM - 2);
    const uint32_t half = (rv_addi(A0, A0, 1) & 0xffff) << 16;
    machine_load(machine, MACHINE_RAM_BYTES - 4, &half, 1);
    weft_cpu_set_pc(machine->cpu, MACHINE_RAM + MACHINE_RAM_BYTES - 2);
    run(1);
    assert_int_equal(csr(MCAUSE), 1);
    assert_int_equal(csr(MEPC), MACHINE_RAM + MACHINE_RAM_BYTES - 2);
    assert_int_equal(csr(MTVAL), MACHINE_RAM + MACHINE_RAM_BYTES);
    /* A handler that is not there: it traps for ever, and each time counts. */
    set_csr(MTVEC, 0x100);
    run(1000);
    assert_int_equal(csr(MEPC), 0x100);
}

/* ---- interrupts ---- */

static void test_priorities(void **state) {
    (void)state;
    static const struct {
        enum weft_cpu_interrupt interrupt;
        uint32_t cause;
    } order[] = {{WEFT_CPU_EXTERNAL, 11}, {WEFT_CPU_SOFTWARE, 3}, {WEFT_CPU_TIMER, 7}};
    for (uint32_t vectored = 0; vectored < 2; vectored++) {
        LOAD(RV_HERE);
        set_csr(MTVEC, (MACHINE_RAM + HANDLER) | vectored);
        set_csr(MIE, UINT32_MAX);
        assert_int_equal(csr(MIE), MEIP | MTIP | MSIP);
        line(WEFT_CPU_EXTERNAL, true);
        line(WEFT_CPU_SOFTWARE, true);
        line(WEFT_CPU_TIMER, true);
        assert_int_equal(csr(MIP), MEIP | MTIP | MSIP);
        set_csr(MSTATUS, 1U << 3);
        for (size_t i = 0; i < 3; i++) {
            const uint32_t nothing = rv_addi(ZERO, ZERO, 0);
            machine_load(machine, HANDLER + 4 * order[i].cause, &nothing, 1);
            weft_cpu_set_pc(machine->cpu, MACHINE_RAM);
            set_csr(MSTATUS, 0);
            run(1);
            assert_int_equal(weft_cpu_pc(machine->cpu), MACHINE_RAM);
            set_csr(MSTATUS, 1U << 3);
            run(1); /* of the handler, whose first instruction follows at once */
            assert_int_equal(csr(MCAUSE), 0x80000000 | order[i].cause);
            assert_int_equal(csr(MEPC), MACHINE_RAM);
            assert_int_equal(csr(MTVAL), 0);
            assert_int_equal(csr(MSTATUS), 0x1880);
            const uint32_t handler = HANDLER + (vectored != 0 ? 4 * order[i].cause : 0);
            assert_int_equal(weft_cpu_pc(machine->cpu), MACHINE_RAM + handler + 4);
            line(order[i].interrupt, false);
        }
    }
}

static void test_vectored(void **state) {
    (void)state;
    LOAD(RV_HERE);
    set_csr(MTVEC, (MACHINE_RAM + HANDLER) | 1);
    assert_int_equal(csr(MTVEC), (MACHINE_RAM + HANDLER) | 1);
    const uint32_t word = rv_addi(A5, A5, 9);
    machine_load(machine, HANDLER + 4 * WEFT_CPU_TIMER, &word, 1);
    set_csr(MIE, MTIP);
    set_csr(MSTATUS, 1U << 3);
    line(WEFT_CPU_TIMER, true);
    run(1);
    assert_int_equal(x(A5), 9);
    /* Exceptions go to the base all the same. */
    const uint32_t ecall = RV_ECALL;
    machine_load(machine, 0, &ecall, 1);
    weft_cpu_set_pc(machine->cpu, MACHINE_RAM);
    run(2);
    assert_int_equal(x(T3), 1);
}

/* Each must be pending, its bit of mie set, and MIE. */
static void test_masks(void **state) {
    (void)state;
    LOAD(RV_HERE);
    line(WEFT_CPU_SOFTWARE, true);
    set_csr(MSTATUS, 1U << 3);
    set_csr(MIE, MTIP | MEIP);
    run(10);
    assert_int_equal(weft_cpu_pc(machine->cpu), MACHINE_RAM);
    set_csr(MSTATUS, 0);
    set_csr(MIE, MSIP);
    run(10);
    assert_int_equal(weft_cpu_pc(machine->cpu), MACHINE_RAM);
    assert_int_equal(csr(MIP), MSIP);
    set_csr(MIP, 0); /* shows the line, whatever is written */
    assert_int_equal(csr(MIP), MSIP);
}

/* An interrupt comes right behind the instruction that allows it. */
static void test_at_once(void **state) {
    (void)state;
    LOAD(rv_csrrsi(ZERO, MSTATUS, 8), rv_addi(A0, ZERO, 1));
    set_csr(MIE, MSIP);
    line(WEFT_CPU_SOFTWARE, true);
    run(2);
    assert_int_equal(x(A0), 0);
    assert_int_equal(x(T3), 1);
    assert_int_equal(csr(MEPC), MACHINE_RAM + 4);
}

static void lower_line(struct machine *accessed) {
    weft_cpu_set_interrupt(accessed->cpu, WEFT_CPU_EXTERNAL, false);
}

static void raise_line(struct machine *accessed) {
    weft_cpu_set_interrupt(accessed->cpu, WEFT_CPU_EXTERNAL, true);
}

/* Lines that change in a load count from the next instruction on; a store ends the run, so that one
 * that it takes back does not fire again. */
static void test_lines_in_callbacks(void **state) {
    (void)state;
    LOAD(rv_lw(A0, A1, 0), rv_addi(A2, ZERO, 1), rv_sw(A0, A1, 0), rv_addi(A2, ZERO, 2), RV_HERE);
    set_csr(MIE, MEIP);
    set_csr(MSTATUS, 1U << 3);
    set(A1, MACHINE_WORDS);
    machine->accessed = raise_line;
    run(2); /* lw, and the handler's first */
    assert_int_equal(x(T3), 1);
    assert_int_equal(csr(MEPC), MACHINE_RAM + 4);
    line(WEFT_CPU_EXTERNAL, false);
    machine->accessed = lower_line;
    set_csr(MSTATUS, 0);
    weft_cpu_set_pc(machine->cpu, MACHINE_RAM + 4);
    run(1);
    line(WEFT_CPU_EXTERNAL, true);
    assert_int_equal(weft_cpu_run(machine->cpu, 10), WEFT_CPU_WROTE);
    set_csr(MSTATUS, 1U << 3);
    run(5);
    assert_int_equal(x(T3), 1);
    assert_int_equal(x(A2), 2);
}

static void test_wfi(void **state) {
    (void)state;
    LOAD(RV_WFI, rv_addi(A0, A0, 1), RV_WFI, rv_addi(A0, A0, 1));
    set_csr(MIE, MTIP);
    line(WEFT_CPU_EXTERNAL, true); /* mie does not allow it */
    assert_int_equal(weft_cpu_run(machine->cpu, 100), WEFT_CPU_WAITS);
    assert_true(weft_cpu_waits(machine->cpu));
    const uint64_t executed = weft_cpu_executed(machine->cpu);
    assert_int_equal(weft_cpu_run(machine->cpu, 100), WEFT_CPU_WAITS);
    assert_int_equal(weft_cpu_executed(machine->cpu), executed);
    assert_int_equal(csr(MCYCLE), 0);
    machine->cycles = 12345; /* time goes on */
    assert_int_equal(csr(MCYCLE), 12345);
    line(WEFT_CPU_TIMER, true); /* MIE is 0: goes on behind WFI */
    run(3);
    assert_false(weft_cpu_waits(machine->cpu));
    assert_int_equal(x(A0), 2); /* the second one did not wait */
    assert_int_equal(x(T3), 0);
    /* With MIE the handler comes first, and returns behind WFI. */
    LOAD(RV_WFI, rv_addi(A0, A0, 1));
    set_csr(MIE, MTIP);
    set_csr(MSTATUS, 1U << 3);
    assert_int_equal(weft_cpu_run(machine->cpu, 100), WEFT_CPU_WAITS);
    line(WEFT_CPU_TIMER, true);
    run(1);
    assert_int_equal(x(T3), 1);
    assert_int_equal(x(A0), 0);
    assert_int_equal(csr(MEPC), MACHINE_RAM + 4);
}

/* ---- control and status registers ---- */

static void test_operations(void **state) {
    (void)state;
    LOAD(rv_csrrw(A0, MSCRATCH, A1), rv_csrrs(A2, MSCRATCH, A3), i_type(MSCRATCH, A3, 3, A4, 0x73),
         i_type(MSCRATCH, 21, 5, A5, 0x73), rv_csrrsi(T0, MSCRATCH, 10),
         i_type(MSCRATCH, 1, 7, T1, 0x73), rv_csrrw(A1, MSCRATCH, A1));
    set_csr(MSCRATCH, 0xabcdef01);
    set(A1, 0xf0f0f0f0);
    set(A3, 0x0000ffff);
    run(7);
    assert_int_equal(x(A0), 0xabcdef01);
    assert_int_equal(x(A2), 0xf0f0f0f0);
    assert_int_equal(x(A4), 0xf0f0ffff);
    assert_int_equal(x(A5), 0xf0f00000);
    assert_int_equal(x(T0), 21);
    assert_int_equal(x(T1), 31);
    assert_int_equal(x(A1), 30); /* swapped */
    assert_int_equal(csr(MSCRATCH), 0xf0f0f0f0);
}

static void test_fields(void **state) {
    (void)state;
    static const struct {
        uint32_t number;
        uint32_t of_ones;
        uint32_t of_zeros;
    } fields[] = {
        {MSTATUS, 0x1888, 0x1800},
        {MISA, 0x40001104, 0x40001104},
        {MIE, 0x888, 0},
        {MTVEC, 0xfffffffd, 0},
        {MSCRATCH, 0xffffffff, 0},
        {MEPC, 0xfffffffe, 0},
        {MCAUSE, 0xffffffff, 0},
        {MTVAL, 0xffffffff, 0},
        {MIP, 0, 0},
        {0x310 /* mstatush */, 0, 0},
        {0x320 /* mcountinhibit */, 0, 0},
        {0x323, 0, 0},
        {0x33f, 0, 0},
        {0xb03, 0, 0},
        {0xb1f, 0, 0},
        {0xb83, 0, 0},
        {0xb9f, 0, 0},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        LOAD(RV_HERE);
        set_csr(fields[i].number, UINT32_MAX);
        assert_int_equal(csr(fields[i].number), fields[i].of_ones);
        set_csr(fields[i].number, 0);
        assert_int_equal(csr(fields[i].number), fields[i].of_zeros);
    }
    assert_int_equal(csr(MHARTID), 3);
    for (uint32_t number = 0xf11; number < 0xf16; number++) {
        assert_int_equal(csr(number), number == MHARTID ? 3 : 0);
    }
    uint32_t value;
    for (uint32_t number = 0; number < 0x1000; number++) {
        const bool is_there =
            number == MSTATUS || number == MISA || (number >= MIE && number <= MTVEC) ||
            number == 0x310 || number == 0x320 || (number >= 0x323 && number <= 0x33f) ||
            (number >= MSCRATCH && number <= MIP) || number == MCYCLE ||
            (number >= MINSTRET && number <= 0xb1f) || number == MCYCLEH ||
            (number >= MINSTRETH && number <= 0xb9f) || (number >= CYCLE && number <= INSTRET) ||
            (number >= CYCLEH && number <= 0xc82) || (number >= 0xf11 && number <= 0xf15);
        assert_int_equal(weft_cpu_csr(machine->cpu, number, &value), is_there);
    }
}

/* cycle and time follow the embedder's clock, from where they were written. */
static void test_clock(void **state) {
    (void)state;
    LOAD(rv_csrrs(A0, CYCLE, ZERO), rv_csrrs(A1, CYCLEH, ZERO), rv_csrrs(A2, TIME, ZERO),
         rv_csrrs(A3, TIMEH, ZERO));
    machine->cycles = UINT64_C(0x1234567890);
    run(4);
    assert_int_equal(x(A0), 0x34567890);
    assert_int_equal(x(A1), 0x12);
    assert_int_equal(x(A2), (uint32_t)(machine->cycles / 10));
    assert_int_equal(x(A3), (uint32_t)(machine->cycles / 10 >> 32));
    set_csr(MCYCLEH, 7);
    assert_int_equal(csr(CYCLE), 0x34567890);
    assert_int_equal(csr(CYCLEH), 7);
    set_csr(MCYCLE, 0xfffffff0);
    machine->cycles += 0x20;
    assert_int_equal(csr(MCYCLE), 0x10);
    assert_int_equal(csr(MCYCLEH), 8);
    const uint32_t time = csr(TIME);
    assert_int_equal(time, (uint32_t)(machine->cycles / 10));
}

static void test_retired(void **state) {
    (void)state;
    LOAD(rv_csrrw(ZERO, MINSTRET, A1), rv_csrrs(A0, MINSTRET, ZERO), rv_addi(ZERO, ZERO, 0),
         rv_addi(ZERO, ZERO, 0), rv_csrrs(A2, INSTRET, ZERO), RV_ECALL);
    set(A1, 1000);
    run(5);
    assert_int_equal(x(A0), 1000); /* the writing instruction does not count */
    assert_int_equal(x(A2), 1003);
    run(1); /* traps: does not count */
    assert_int_equal(csr(MINSTRET), 1004);
    set_csr(MINSTRETH, 5);
    assert_int_equal(csr(MINSTRETH), 5);
    assert_int_equal(csr(0xc82), 5);
    /* Carries from half to half. */
    set_csr(MINSTRET, UINT32_MAX);
    run(1);
    assert_int_equal(csr(MINSTRET), 0);
    assert_int_equal(csr(MINSTRETH), 6);
}

/* Without the embedder's `time` there is no such counter. */
static bool refuse_read(void *context, uint32_t address, uint32_t bytes, uint32_t *value) {
    (void)context;
    (void)address;
    (void)bytes;
    (void)value;
    return false;
}

static bool refuse_write(void *context, uint32_t address, uint32_t bytes, uint32_t value) {
    (void)context;
    (void)address;
    (void)bytes;
    (void)value;
    return false;
}

static uint64_t five_cycles(void *context) {
    (void)context;
    return 5;
}

static void test_no_time(void **state) {
    (void)state;
    uint8_t ram[64] = {0};
    struct weft_cpu *cpu = NULL;
    struct weft_error error;
    uint32_t value = 0;
    const struct weft_cpu_options options = {.ram = ram,
                                             .ram_base = MACHINE_RAM,
                                             .ram_bytes = sizeof ram,
                                             .reset_vector = MACHINE_RAM,
                                             .read = refuse_read,
                                             .write = refuse_write,
                                             .cycles = five_cycles};
    ASSERT_GOOD(weft_cpu_create(&options, &cpu, &error), error);
    assert_false(weft_cpu_csr(cpu, TIME, &value));
    assert_false(weft_cpu_csr(cpu, TIMEH, &value));
    assert_true(weft_cpu_csr(cpu, CYCLE, &value));
    assert_int_equal(value, 5);
    weft_cpu_destroy(cpu);
}

static void test_reset(void **state) {
    (void)state;
    LOAD(RV_ECALL);
    for (uint32_t i = 1; i < 32; i++) {
        set(i, i);
    }
    set_csr(MIE, MTIP);
    set_csr(MSCRATCH, 9);
    run(1);
    line(WEFT_CPU_TIMER, true);
    weft_cpu_reset(machine->cpu);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(x(i), 0);
    }
    static const uint32_t cleared[] = {MIE, MTVEC, MSCRATCH, MEPC, MCAUSE, MTVAL};
    for (size_t i = 0; i < sizeof cleared / sizeof cleared[0]; i++) {
        assert_int_equal(csr(cleared[i]), 0);
    }
    assert_int_equal(csr(MSTATUS), 0x1800);
    assert_int_equal(csr(MIP), MTIP);
    assert_int_equal(weft_cpu_pc(machine->cpu), MACHINE_RAM);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exceptions),   cmocka_unit_test(test_illegal),
        cmocka_unit_test(test_stack_of_mie), cmocka_unit_test(test_illegal_compressed),
        cmocka_unit_test(test_fetch_faults), cmocka_unit_test(test_priorities),
        cmocka_unit_test(test_vectored),     cmocka_unit_test(test_masks),
        cmocka_unit_test(test_at_once),      cmocka_unit_test(test_lines_in_callbacks),
        cmocka_unit_test(test_wfi),          cmocka_unit_test(test_operations),
        cmocka_unit_test(test_fields),       cmocka_unit_test(test_clock),
        cmocka_unit_test(test_retired),      cmocka_unit_test(test_no_time),
        cmocka_unit_test(test_reset),
    };
    return cmocka_run_group_tests(tests, open_machine, close_machine);
}
