/* Traps on purpose, the way back, waiting, fences, and what is no instruction. */
#include "vp/cpu/instructions.h"
#include "vp/cpu/trap.h"

bool cpu_run_fence(struct weft_cpu *cpu, const struct cpu_instruction *instruction) {
    (void)cpu;
    (void)instruction;
    return true;
}

bool cpu_run_fence_i(struct weft_cpu *cpu, const struct cpu_instruction *instruction) {
    cpu->events |= CPU_EVENT_CODE_CHANGED;
    return cpu_leave(cpu, instruction);
}

bool cpu_run_ecall(struct weft_cpu *cpu, const struct cpu_instruction *instruction) {
    return cpu_trap(cpu, instruction, CPU_ECALL, 0);
}

bool cpu_run_ebreak(struct weft_cpu *cpu, const struct cpu_instruction *instruction) {
    return cpu_trap(cpu, instruction, CPU_BREAKPOINT, 0);
}

bool cpu_run_mret(struct weft_cpu *cpu, const struct cpu_instruction *instruction) {
    (void)instruction;
    const bool enable = (cpu->mstatus & CPU_MSTATUS_MPIE) != 0;
    cpu->mstatus = CPU_MSTATUS_MPIE | (enable ? CPU_MSTATUS_MIE : 0);
    cpu->pc = cpu->mepc;
    return false;
}

bool cpu_run_wfi(struct weft_cpu *cpu, const struct cpu_instruction *instruction) {
    if ((cpu->lines & cpu->mie) == 0) {
        cpu->waits = true;
        cpu->events |= CPU_EVENT_WAITS;
    }
    return cpu_leave(cpu, instruction);
}

bool cpu_run_illegal(struct weft_cpu *cpu, const struct cpu_instruction *instruction) {
    return cpu_trap_illegal(cpu, instruction);
}

bool cpu_run_fetch_fault(struct weft_cpu *cpu, const struct cpu_instruction *instruction) {
    return cpu_trap(cpu, instruction, CPU_FETCH_FAULT, instruction->immediate);
}
