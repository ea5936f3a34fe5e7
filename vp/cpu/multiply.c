/* Extension M. Nothing traps: a division by zero, and the one quotient that does not fit, have
 * values. */
#include "vp/cpu/instructions.h"

static uint32_t divide(int32_t a, int32_t b) {
    if (b == 0) {
        return UINT32_MAX;
    }
    return b == -1 ? 0U - (uint32_t)a : (uint32_t)(a / b);
}

static uint32_t remainder_of(int32_t a, int32_t b) {
    if (b == 0) {
        return (uint32_t)a;
    }
    return b == -1 ? 0 : (uint32_t)(a % b);
}

/* rd becomes `value`, of a, which is rs1, and b, which is rs2. */
#define OF_REGISTERS(name, value)                                                                  \
    bool cpu_run_##name(struct weft_cpu *cpu, const struct cpu_instruction *instruction) {         \
        const uint32_t a = cpu->x[instruction->rs1];                                               \
        const uint32_t b = cpu->x[instruction->rs2];                                               \
        cpu->x[instruction->rd] = (value);                                                         \
        return true;                                                                               \
    }

OF_REGISTERS(mul, a *b)
OF_REGISTERS(mulh, (uint32_t)((uint64_t)((int64_t)(int32_t)a *(int32_t)b) >> 32))
OF_REGISTERS(mulhsu, (uint32_t)((uint64_t)((int64_t)(int32_t)a *(int64_t)b) >> 32))
OF_REGISTERS(mulhu, (uint32_t)((uint64_t)a *b >> 32))
OF_REGISTERS(div, divide((int32_t)a, (int32_t)b))
OF_REGISTERS(divu, b == 0 ? UINT32_MAX : a / b)
OF_REGISTERS(rem, remainder_of((int32_t)a, (int32_t)b))
OF_REGISTERS(remu, b == 0 ? a : a % b)
