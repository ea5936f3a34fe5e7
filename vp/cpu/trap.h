/* Traps: exceptions and interrupts. */
#ifndef WEFT_VP_CPU_TRAP_H
#define WEFT_VP_CPU_TRAP_H

#include "vp/cpu/state.h"

/* An instruction that was to run causes an exception. Always false. */
bool cpu_trap(struct weft_cpu *cpu, const struct cpu_instruction *instruction, enum cpu_cause cause,
              uint32_t value);

/* Illegal instruction. Always false. */
bool cpu_trap_illegal(struct weft_cpu *cpu, const struct cpu_instruction *instruction);

/* Goes to the handler if an interrupt is pending and allowed. */
void cpu_take_interrupt(struct weft_cpu *cpu);

#endif
