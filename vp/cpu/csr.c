#include "vp/cpu/csr.h"

#include <stddef.h>

#include "vp/cpu/instructions.h"
#include "vp/cpu/trap.h"

/* Numbers of the registers. */
enum {
    MSTATUS = 0x300,
    MISA = 0x301,
    MIE = 0x304,
    MTVEC = 0x305,
    MSTATUSH = 0x310,
    MCOUNTINHIBIT = 0x320,
    MHPMEVENT3 = 0x323,
    MHPMEVENT31 = 0x33f,
    MSCRATCH = 0x340,
    MEPC = 0x341,
    MCAUSE = 0x342,
    MTVAL = 0x343,
    MIP = 0x344,
    MCYCLE = 0xb00,
    MINSTRET = 0xb02,
    MHPMCOUNTER3 = 0xb03,
    MHPMCOUNTER31 = 0xb1f,
    MCYCLEH = 0xb80,
    MINSTRETH = 0xb82,
    MHPMCOUNTER3H = 0xb83,
    MHPMCOUNTER31H = 0xb9f,
    CYCLE = 0xc00,
    TIME = 0xc01,
    INSTRET = 0xc02,
    CYCLEH = 0xc80,
    TIMEH = 0xc81,
    INSTRETH = 0xc82,
    MVENDORID = 0xf11,
    MARCHID = 0xf12,
    MIMPID = 0xf13,
    MHARTID = 0xf14,
    MCONFIGPTR = 0xf15
};

#define MISA_RV32IMC UINT32_C(0x40001104)
#define INTERRUPTS   (1U << WEFT_CPU_SOFTWARE | 1U << WEFT_CPU_TIMER | 1U << WEFT_CPU_EXTERNAL)

static bool within(uint32_t number, uint32_t first, uint32_t last) {
    return number >= first && number <= last;
}

/* Registers that are there and always read 0. */
static bool is_zero(uint32_t number) {
    return number == MSTATUSH || number == MCOUNTINHIBIT || within(number, MVENDORID, MIMPID) ||
           number == MCONFIGPTR || within(number, MHPMEVENT3, MHPMEVENT31) ||
           within(number, MHPMCOUNTER3, MHPMCOUNTER31) ||
           within(number, MHPMCOUNTER3H, MHPMCOUNTER31H);
}

static uint64_t cycles(const struct weft_cpu *cpu) {
    return cpu->options.cycles(cpu->options.context) + cpu->cycle_offset;
}

static uint64_t instructions(const struct weft_cpu *cpu) {
    return cpu->executed - cpu->trapped + cpu->instret_offset;
}

/* The counter whose low half has this number, of a user or of machine mode. */
static bool read_counter(const struct weft_cpu *cpu, uint32_t number, uint64_t *value) {
    switch (number) {
    case MCYCLE:
    case CYCLE:
        *value = cycles(cpu);
        return true;
    case MINSTRET:
    case INSTRET:
        *value = instructions(cpu);
        return true;
    case TIME:
        if (cpu->options.time == NULL) {
            return false;
        }
        *value = cpu->options.time(cpu->options.context);
        return true;
    default:
        return false;
    }
}

static bool read_trap_csr(const struct weft_cpu *cpu, uint32_t number, uint32_t *value) {
    switch (number) {
    case MSTATUS:
        *value = cpu->mstatus | CPU_MSTATUS_MPP;
        return true;
    case MIE:
        *value = cpu->mie;
        return true;
    case MTVEC:
        *value = cpu->mtvec;
        return true;
    case MSCRATCH:
        *value = cpu->mscratch;
        return true;
    case MEPC:
        *value = cpu->mepc;
        return true;
    case MCAUSE:
        *value = cpu->mcause;
        return true;
    case MTVAL:
        *value = cpu->mtval;
        return true;
    case MIP:
        *value = cpu->lines;
        return true;
    default:
        return false;
    }
}

bool cpu_read_csr(const struct weft_cpu *cpu, uint32_t number, uint32_t *value) {
    uint64_t counter;
    if (read_trap_csr(cpu, number, value)) {
        return true;
    }
    if (number == MISA || number == MHARTID || is_zero(number)) {
        *value = number == MISA ? MISA_RV32IMC : number == MHARTID ? cpu->options.hart : 0;
        return true;
    }
    if (!read_counter(cpu, number & ~UINT32_C(0x80), &counter)) {
        return false;
    }
    *value = (uint32_t)((number & 0x80) != 0 ? counter >> 32 : counter);
    return true;
}

/* A counter with one half replaced. */
static uint64_t with_half(uint64_t counter, bool high, uint32_t value) {
    return high ? (counter & UINT32_MAX) | (uint64_t)value << 32
                : (counter & ~(uint64_t)UINT32_MAX) | value;
}

/* The instruction that writes minstret is not one more of those that the new value counts. */
static void write_counter(struct weft_cpu *cpu, uint32_t number, uint32_t value) {
    const bool high = (number & 0x80) != 0;
    if (number == MCYCLE || number == MCYCLEH) {
        const uint64_t now = cycles(cpu);
        cpu->cycle_offset += with_half(now, high, value) - now;
    } else if (number == MINSTRET || number == MINSTRETH) {
        const uint64_t now = instructions(cpu);
        cpu->instret_offset += with_half(now, high, value) - now - 1;
    }
}

/* Writes a register that is there; those that cannot be changed stay as they are. */
static void write_csr(struct weft_cpu *cpu, uint32_t number, uint32_t value) {
    switch (number) {
    case MSTATUS:
        cpu->mstatus = value & (CPU_MSTATUS_MIE | CPU_MSTATUS_MPIE);
        break;
    case MIE:
        cpu->mie = value & INTERRUPTS;
        break;
    case MTVEC:
        cpu->mtvec = value & ~UINT32_C(2);
        break;
    case MSCRATCH:
        cpu->mscratch = value;
        break;
    case MEPC:
        cpu->mepc = value & ~UINT32_C(1);
        break;
    case MCAUSE:
        cpu->mcause = value;
        break;
    case MTVAL:
        cpu->mtval = value;
        break;
    default:
        write_counter(cpu, number, value);
    }
}

enum operation {
    WRITE,
    SET,
    CLEAR
};

/* SET and CLEAR with register 0, or the immediate 0, do not write, so they may name what cannot be
 * written. The block ends: interrupts may be allowed now. */
static bool change(struct weft_cpu *cpu, const struct cpu_instruction *instruction,
                   enum operation operation, uint32_t operand) {
    const uint32_t number = instruction->immediate;
    const bool writes = operation == WRITE || instruction->rs1 != 0;
    uint32_t old;
    cpu_arrive(cpu, instruction);
    if ((writes && number >> 10 == 3) || !cpu_read_csr(cpu, number, &old)) {
        return cpu_trap_illegal(cpu, instruction);
    }
    if (writes) {
        const uint32_t changed = operation == SET ? old | operand : old & ~operand;
        write_csr(cpu, number, operation == WRITE ? operand : changed);
    }
    cpu->x[instruction->rd] = old;
    return cpu_leave(cpu, instruction);
}

#define CSR(name, operation, operand)                                                              \
    bool cpu_run_##name(struct weft_cpu *cpu, const struct cpu_instruction *instruction) {         \
        return change(cpu, instruction, operation, operand);                                       \
    }

CSR(csrrw, WRITE, cpu->x[instruction->rs1])
CSR(csrrs, SET, cpu->x[instruction->rs1])
CSR(csrrc, CLEAR, cpu->x[instruction->rs1])
CSR(csrrwi, WRITE, instruction->rs1)
CSR(csrrsi, SET, instruction->rs1)
CSR(csrrci, CLEAR, instruction->rs1)
