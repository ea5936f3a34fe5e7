/* Instructions on registers and immediates. */
#include "vp/cpu/instructions.h"

/* OF_IMMEDIATE(name, value): rd becomes `value`, of a, which is rs1, and b, the immediate. */
#define OF_IMMEDIATE(name, value)                                                                  \
    bool cpu_run_##name(struct weft_cpu *cpu, const struct cpu_instruction *instruction) {         \
        const uint32_t a = cpu->x[instruction->rs1];                                               \
        const uint32_t b = instruction->immediate;                                                 \
        cpu->x[instruction->rd] = (value);                                                         \
        return true;                                                                               \
    }

/* OF_REGISTERS(name, value): likewise, b is rs2. */
#define OF_REGISTERS(name, value)                                                                  \
    bool cpu_run_##name(struct weft_cpu *cpu, const struct cpu_instruction *instruction) {         \
        const uint32_t a = cpu->x[instruction->rs1];                                               \
        const uint32_t b = cpu->x[instruction->rs2];                                               \
        cpu->x[instruction->rd] = (value);                                                         \
        return true;                                                                               \
    }

OF_IMMEDIATE(addi, a + b)
OF_IMMEDIATE(slti, (int32_t)a < (int32_t)b)
OF_IMMEDIATE(sltiu, a < b)
OF_IMMEDIATE(xori, a ^ b)
OF_IMMEDIATE(ori, a | b)
OF_IMMEDIATE(andi, a &b)
OF_IMMEDIATE(slli, a << b)
OF_IMMEDIATE(srli, a >> b)
OF_IMMEDIATE(srai, (uint32_t)((int32_t)a >> b))

OF_REGISTERS(add, a + b)
OF_REGISTERS(sub, a - b)
OF_REGISTERS(sll, a << (b & 31))
OF_REGISTERS(slt, (int32_t)a < (int32_t)b)
OF_REGISTERS(sltu, a < b)
OF_REGISTERS(xor, a ^ b)
OF_REGISTERS(srl, a >> (b & 31))
OF_REGISTERS(sra, (uint32_t)((int32_t)a >> (b & 31)))
OF_REGISTERS(or, a | b)
OF_REGISTERS(and, a &b)

bool cpu_run_lui(struct weft_cpu *cpu, const struct cpu_instruction *instruction) {
    cpu->x[instruction->rd] = instruction->immediate;
    return true;
}

bool cpu_run_auipc(struct weft_cpu *cpu, const struct cpu_instruction *instruction) {
    cpu->x[instruction->rd] = instruction->pc + instruction->immediate;
    return true;
}
