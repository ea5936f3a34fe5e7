/* Jumps and branches. All targets are even, and instructions may lie there: none of these traps. */
#include "vp/cpu/instructions.h"

/* Goes to the target if the condition, of a, which is rs1, and b, which is rs2, holds. */
#define BRANCH(name, condition)                                                                    \
    bool cpu_run_##name(struct weft_cpu *cpu, const struct cpu_instruction *instruction) {         \
        const uint32_t a = cpu->x[instruction->rs1];                                               \
        const uint32_t b = cpu->x[instruction->rs2];                                               \
        cpu->pc = instruction->pc + ((condition) ? instruction->immediate : instruction->length);  \
        return false;                                                                              \
    }

BRANCH(beq, a == b)
BRANCH(bne, a != b)
BRANCH(blt, (int32_t)a < (int32_t)b)
BRANCH(bge, (int32_t)a >= (int32_t)b)
BRANCH(bltu, a < b)
BRANCH(bgeu, a >= b)

bool cpu_run_jal(struct weft_cpu *cpu, const struct cpu_instruction *instruction) {
    cpu->x[instruction->rd] = instruction->pc + instruction->length;
    cpu->pc = instruction->pc + instruction->immediate;
    return false;
}

bool cpu_run_jalr(struct weft_cpu *cpu, const struct cpu_instruction *instruction) {
    const uint32_t target = cpu->x[instruction->rs1] + instruction->immediate;
    cpu->x[instruction->rd] = instruction->pc + instruction->length;
    cpu->pc = target & ~UINT32_C(1);
    return false;
}
