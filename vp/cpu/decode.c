#include "vp/cpu/decode.h"

#include "vp/cpu/bits.h"
#include "vp/cpu/expand.h"
#include "vp/cpu/instructions.h"

enum format {
    REGISTER,
    IMMEDIATE,
    SHIFT,
    STORE,
    BRANCH,
    UPPER,
    JUMP,
    CSR
};

static const struct {
    uint32_t mask;
    uint32_t match;
    enum format format;
    cpu_run_instruction *run;
} instructions[] = {
#define CPU_INSTRUCTION(name, mask, match, format) {mask, match, format, cpu_run_##name},
#include "vp/cpu/instructions.def"
#undef CPU_INSTRUCTION
};

static uint32_t immediate_of(enum format format, uint32_t word) {
    switch (format) {
    case IMMEDIATE:
        return sign_extend(word >> 20, 12);
    case SHIFT:
        return word >> 20 & 31;
    case STORE:
        return sign_extend(bits_to(word, 25, 7, 5) | bits_to(word, 7, 5, 0), 12);
    case BRANCH:
        return sign_extend(bits_to(word, 31, 1, 12) | bits_to(word, 7, 1, 11) |
                               bits_to(word, 25, 6, 5) | bits_to(word, 8, 4, 1),
                           13);
    case UPPER:
        return word & UINT32_C(0xfffff000);
    case JUMP:
        return sign_extend(bits_to(word, 31, 1, 20) | bits_to(word, 12, 8, 12) |
                               bits_to(word, 20, 1, 11) | bits_to(word, 21, 10, 1),
                           21);
    case CSR:
        return word >> 20;
    case REGISTER:
        break;
    }
    return 0;
}

/* Whether an instruction can change pc, or what comes next in another way. */
static bool ends_block(uint32_t word) {
    switch (word & 0x7f) {
    case 0x63: /* branches */
    case 0x67: /* jalr */
    case 0x6f: /* jal */
    case 0x73: /* system */
        return true;
    default:
        return false;
    }
}

/* The halfword at an address of RAM; false: it is not there. */
static bool fetch(const struct weft_cpu *cpu, uint32_t address, uint32_t *halfword) {
    const uint32_t offset = address - cpu->options.ram_base;
    if (offset >= cpu->options.ram_bytes) {
        return false;
    }
    const uint8_t *bytes = cpu->options.ram + offset;
    *halfword = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
    return true;
}

/* The place of an instruction that cannot be fetched; `immediate` is the address that is not there.
 */
static bool no_instruction(struct cpu_instruction *instruction, uint32_t pc, uint32_t address) {
    *instruction = (struct cpu_instruction){.run = cpu_run_fetch_fault,
                                            .pc = pc,
                                            .immediate = address,
                                            .rd = CPU_NO_REGISTER,
                                            .length = 4};
    return false;
}

bool cpu_decode(const struct weft_cpu *cpu, uint32_t pc, struct cpu_instruction *instruction) {
    uint32_t low;
    uint32_t high = 0;
    if (!fetch(cpu, pc, &low)) {
        return no_instruction(instruction, pc, pc);
    }
    const bool compressed = (low & 3) != 3;
    if (!compressed && !fetch(cpu, pc + 2, &high)) {
        return no_instruction(instruction, pc, pc + 2);
    }
    const uint32_t bits = low | high << 16;
    const uint32_t word = compressed ? cpu_expand(bits) : bits;
    uint32_t i = 0;
    while ((word & instructions[i].mask) != instructions[i].match) {
        i++;
    }
    const uint8_t rd = word >> 7 & 31;
    *instruction = (struct cpu_instruction){
        .run = instructions[i].run,
        .pc = pc,
        .immediate = immediate_of(instructions[i].format, word),
        .bits = bits,
        .rd = rd == 0 ? CPU_NO_REGISTER : rd,
        .rs1 = word >> 15 & 31,
        .rs2 = word >> 20 & 31,
        .length = compressed ? 2 : 4,
    };
    return !ends_block(word) && instruction->run != cpu_run_illegal &&
           instruction->run != cpu_run_fence_i;
}
