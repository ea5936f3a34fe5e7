/* Loads and stores: RAM by its pointer, everything else by the embedder's callbacks. */
#include "base/bytes.h"
#include "vp/cpu/instructions.h"
#include "vp/cpu/trap.h"

/* The value of an aligned address of RAM; bytes is a constant. */
static inline uint32_t read_ram(const uint8_t *ram, uint32_t bytes) {
    if (bytes == 1) {
        return ram[0];
    }
    return bytes == 2 ? (uint32_t)ram[0] | (uint32_t)ram[1] << 8 : weft_read_u32(ram);
}

static inline void write_ram(uint8_t *ram, uint32_t bytes, uint32_t value) {
    ram[0] = (uint8_t)value;
    if (bytes == 2) {
        ram[1] = (uint8_t)(value >> 8);
    } else if (bytes == 4) {
        weft_write_u32(ram, value);
    }
}

/* Of so many bytes, the last bit the sign. */
static inline uint32_t extend(uint32_t value, uint32_t bytes, bool is_signed) {
    if (!is_signed || bytes == 4) {
        return value;
    }
    return bytes == 1 ? (uint32_t)(int8_t)value : (uint32_t)(int16_t)value;
}

/* A load that is not an aligned one from RAM. Lines may have changed afterwards, so the block ends.
 */
static bool load_elsewhere(struct weft_cpu *cpu, const struct cpu_instruction *instruction,
                           uint32_t address, uint32_t bytes, bool is_signed) {
    if ((address & (bytes - 1)) != 0) {
        return cpu_trap(cpu, instruction, CPU_LOAD_MISALIGNED, address);
    }
    uint32_t value = 0;
    cpu_arrive(cpu, instruction);
    if (!cpu->options.read(cpu->options.context, address, bytes, &value)) {
        return cpu_trap(cpu, instruction, CPU_LOAD_FAULT, address);
    }
    cpu->x[instruction->rd] = extend(value, bytes, is_signed);
    return cpu_leave(cpu, instruction);
}

static inline bool load(struct weft_cpu *cpu, const struct cpu_instruction *instruction,
                        uint32_t bytes, bool is_signed) {
    const uint32_t address = cpu->x[instruction->rs1] + instruction->immediate;
    const uint32_t offset = address - cpu->options.ram_base;
    if (offset >= cpu->options.ram_bytes || (address & (bytes - 1)) != 0) {
        return load_elsewhere(cpu, instruction, address, bytes, is_signed);
    }
    cpu->x[instruction->rd] = extend(read_ram(cpu->options.ram + offset, bytes), bytes, is_signed);
    return true;
}

/* A store that is not an aligned one to RAM. */
static bool store_elsewhere(struct weft_cpu *cpu, const struct cpu_instruction *instruction,
                            uint32_t address, uint32_t bytes) {
    if ((address & (bytes - 1)) != 0) {
        return cpu_trap(cpu, instruction, CPU_STORE_MISALIGNED, address);
    }
    const uint32_t value = cpu->x[instruction->rs2] & UINT32_MAX >> (32 - 8 * bytes);
    cpu_arrive(cpu, instruction);
    if (!cpu->options.write(cpu->options.context, address, bytes, value)) {
        return cpu_trap(cpu, instruction, CPU_STORE_FAULT, address);
    }
    cpu->events |= CPU_EVENT_WROTE;
    return cpu_leave(cpu, instruction);
}

static inline bool store(struct weft_cpu *cpu, const struct cpu_instruction *instruction,
                         uint32_t bytes) {
    const uint32_t address = cpu->x[instruction->rs1] + instruction->immediate;
    const uint32_t offset = address - cpu->options.ram_base;
    if (offset >= cpu->options.ram_bytes || (address & (bytes - 1)) != 0) {
        return store_elsewhere(cpu, instruction, address, bytes);
    }
    write_ram(cpu->options.ram + offset, bytes, cpu->x[instruction->rs2]);
    if (cpu->code[offset / CPU_CODE_PIECE] != 0) {
        cpu->events |= CPU_EVENT_CODE_CHANGED;
        return cpu_leave(cpu, instruction);
    }
    return true;
}

#define LOAD(name, bytes, is_signed)                                                               \
    bool cpu_run_##name(struct weft_cpu *cpu, const struct cpu_instruction *instruction) {         \
        return load(cpu, instruction, bytes, is_signed);                                           \
    }
#define STORE(name, bytes)                                                                         \
    bool cpu_run_##name(struct weft_cpu *cpu, const struct cpu_instruction *instruction) {         \
        return store(cpu, instruction, bytes);                                                     \
    }

LOAD(lb, 1, true)
LOAD(lh, 2, true)
LOAD(lw, 4, true)
LOAD(lbu, 1, false)
LOAD(lhu, 2, false)
STORE(sb, 1)
STORE(sh, 2)
STORE(sw, 4)
