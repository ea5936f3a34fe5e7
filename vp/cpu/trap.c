#include "vp/cpu/trap.h"

#define INTERRUPT UINT32_C(0x80000000)

/* MIE goes to MPIE, and comes back with MRET. */
static void enter(struct weft_cpu *cpu, uint32_t pc, uint32_t cause, uint32_t value,
                  uint32_t handler) {
    cpu->mepc = pc;
    cpu->mcause = cause;
    cpu->mtval = value;
    cpu->mstatus = (cpu->mstatus & CPU_MSTATUS_MIE) != 0 ? CPU_MSTATUS_MPIE : 0;
    cpu->pc = handler;
}

static uint32_t base_of(uint32_t mtvec) {
    return mtvec & ~UINT32_C(3);
}

bool cpu_trap(struct weft_cpu *cpu, const struct cpu_instruction *instruction, enum cpu_cause cause,
              uint32_t value) {
    cpu->trapped++;
    enter(cpu, instruction->pc, cause, value, base_of(cpu->mtvec));
    return false;
}

bool cpu_trap_illegal(struct weft_cpu *cpu, const struct cpu_instruction *instruction) {
    return cpu_trap(cpu, instruction, CPU_ILLEGAL, instruction->bits);
}

/* The interrupt that comes first, of those pending. */
static uint32_t highest(uint32_t pending) {
    if ((pending >> WEFT_CPU_EXTERNAL & 1) != 0) {
        return WEFT_CPU_EXTERNAL;
    }
    return (pending >> WEFT_CPU_SOFTWARE & 1) != 0 ? WEFT_CPU_SOFTWARE : WEFT_CPU_TIMER;
}

void cpu_take_interrupt(struct weft_cpu *cpu) {
    const uint32_t pending = cpu->lines & cpu->mie;
    if (pending == 0 || (cpu->mstatus & CPU_MSTATUS_MIE) == 0) {
        return;
    }
    const uint32_t cause = highest(pending);
    const uint32_t vector = (cpu->mtvec & 1) != 0 ? 4 * cause : 0;
    enter(cpu, cpu->pc, INTERRUPT | cause, 0, base_of(cpu->mtvec) + vector);
}
