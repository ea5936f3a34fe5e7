/* Writes a random program of RV32IMC as an image for 0x80000000 of machines like QEMU's virt: it
 * computes, loads, stores, branches and loops, then sends registers x1 to x30 and the memory that
 * it used over the UART at 0x10000000, and ends by the finisher at 0x00100000. Two processors that
 * send the same bytes did the same.
 *
 * usage: random_program SEED STEPS IMAGE [--traps]
 * A step is one or a few instructions. --traps adds exceptions on purpose, with a handler that sums
 * up what it sees; the program then needs machine mode. Without it nothing beyond RV32IMC occurs.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "tests/cpu/code.h"

#define DATA                                                                                       \
    UINT32_C(0x80100000) /* a window of WINDOW bytes; then what the handler keeps, and registers   \
                          */

enum {
    IMAGE_BYTES = 1 << 20,
    WINDOW = 2048,
    KEPT = -160,      /* x30, x29, the sum, x28 */
    REGISTERS = -128, /* x1 to x30 */
    NO_REGISTER = 32,
    MSCRATCH = 0x340,
    MEPC = 0x341,
    MCAUSE = 0x342,
    MTVAL = 0x343,
    MTVEC = 0x305
};

static struct {
    uint8_t bytes[IMAGE_BYTES];
    uint32_t at;
    uint64_t random;
    uint32_t counter; /* a register that must keep its value; NO_REGISTER: none */
    bool traps;
} program = {.counter = NO_REGISTER};

/* splitmix64: 0 to below - 1. */
static uint32_t draw(uint32_t below) {
    program.random += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = program.random;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) >> 32) % below;
}

static uint32_t draw_word(void) {
    const uint32_t upper = draw(1U << 16);
    return upper << 16 | draw(1U << 16);
}

static void emit(uint32_t word) {
    weft_write_u32(program.bytes + program.at, word);
    program.at += 4;
}

static void emit_half(uint32_t halfword) {
    program.bytes[program.at] = (uint8_t)halfword;
    program.bytes[program.at + 1] = (uint8_t)(halfword >> 8);
    program.at += 2;
}

/* A register to write; x31 is the one that the end needs. */
static uint32_t draw_destination(void) {
    uint32_t rd;
    do {
        rd = draw(31);
    } while (rd == program.counter);
    return rd;
}

static int32_t draw_immediate(void) {
    return (int32_t)draw(4096) - 2048;
}

/* rd becomes a value. */
static void emit_constant(uint32_t rd, uint32_t value) {
    emit(rv_lui(rd, (value + 0x800) >> 12 & 0xfffff));
    emit(rv_addi(rd, rd, (int32_t)(value << 20) >> 20));
}

/* ---- steps without jumps ---- */

static void step_registers(void) {
    static const uint32_t operations[][2] = {
        {0x00, 0}, {0x20, 0}, {0x00, 1}, {0x00, 2}, {0x00, 3}, {0x00, 4},
        {0x00, 5}, {0x20, 5}, {0x00, 6}, {0x00, 7}, {0x01, 0}, {0x01, 1},
        {0x01, 2}, {0x01, 3}, {0x01, 4}, {0x01, 5}, {0x01, 6}, {0x01, 7},
    };
    const uint32_t *operation = operations[draw(18)];
    const uint32_t rs2 = draw(32);
    const uint32_t rs1 = draw(32);
    emit(r_type(operation[0], rs2, rs1, operation[1], draw_destination(), 0x33));
}

static void step_immediate(void) {
    const uint32_t funct3 = draw(8);
    const uint32_t funct7 = funct3 == 5 && draw(2) != 0 ? 0x20 : 0;
    const bool is_shift = funct3 == 1 || funct3 == 5;
    const int32_t operand = is_shift ? (int32_t)draw(32) : draw_immediate();
    const uint32_t rs1 = draw(32);
    const uint32_t rd = draw_destination();
    emit(is_shift ? r_type(funct7, (uint32_t)operand, rs1, funct3, rd, 0x13)
                  : i_type(operand, rs1, funct3, rd, 0x13));
}

static void step_upper(void) {
    const uint32_t upper = draw(1U << 20);
    const uint32_t rd = draw_destination();
    emit(draw(2) != 0 ? rv_lui(rd, upper) : rv_auipc(rd, upper));
}

/* Values at which carries, signs and quotients change. */
static void step_corner(void) {
    static const uint32_t corners[] = {0, 1, UINT32_MAX, 0x7fffffff, 0x80000000, 2, 31, 0xffff8000};
    const uint32_t which = draw(12);
    const uint32_t rd = draw_destination();
    emit_constant(rd, which < 8 ? corners[which] : draw_word());
}

/* The register that a compressed instruction of arithmetic writes. */
static uint32_t destination_of(uint32_t h) {
    if ((h & 3) == 0) {
        return 8 + (h >> 2 & 7);
    }
    return (h & 3) == 1 && h >> 13 == 4 ? 8 + (h >> 7 & 7) : h >> 7 & 31;
}

/* Whether a halfword is one of arithmetic, and legal. */
static bool is_arithmetic(uint32_t h) {
    const uint32_t funct3 = h >> 13;
    const bool bit12 = (h >> 12 & 1) != 0;
    const uint32_t rd = h >> 7 & 31;
    const uint32_t low = h >> 2 & 31;
    switch (h & 3) {
    case 0:
        return funct3 == 0 && (h >> 5 & 0xff) != 0;
    case 1:
        if (funct3 == 3) {
            return bit12 || low != 0;
        }
        return funct3 == 0 || funct3 == 2 || (funct3 == 4 && ((h >> 10 & 3) == 2 || !bit12));
    case 2:
        return (funct3 == 0 && !bit12) || (funct3 == 4 && low != 0 && rd != 31);
    default:
        return false;
    }
}

static void step_compressed(void) {
    uint32_t h;
    do {
        h = draw(1U << 16);
    } while (!is_arithmetic(h) || destination_of(h) == program.counter || destination_of(h) == 31);
    emit_half(h);
}

/* A register that points into the window, and an aligned access at it. */
static void step_memory(void) {
    static const uint32_t loads[] = {0, 1, 2, 4, 5};
    uint32_t base;
    do {
        base = draw_destination();
    } while (base == 0);
    const bool is_store = draw(2) != 0;
    const uint32_t funct3 = is_store ? draw(3) : loads[draw(5)];
    const uint32_t word = draw(WINDOW / 4) * 4;
    const uint32_t offset = word + (draw(4) & ~((1U << (funct3 & 3)) - 1));
    const int32_t immediate = draw_immediate();
    emit_constant(base, DATA + offset - (uint32_t)immediate);
    if (is_store) {
        emit(s_type(immediate, draw(32), base, funct3));
    } else {
        emit(i_type(immediate, base, funct3, draw_destination(), 0x03));
    }
}

/* c.lw, c.sw, c.lwsp, c.swsp, 64 words from a pointer on. */
static void step_compressed_memory(void) {
    const uint32_t offset = draw(WINDOW / 4 - 64) * 4;
    const uint32_t fields = draw(64);
    const bool is_store = draw(2) != 0;
    uint32_t rd;
    uint32_t base;
    if (draw(2) != 0 && program.counter != SP) {
        do {
            rd = draw_destination();
        } while (rd == 0);
        emit_constant(SP, DATA + offset);
        emit_half(is_store ? 0xc002 | fields << 7 | rd << 2
                           : 0x4002 | (fields & 1) << 12 | rd << 7 | (fields >> 1) << 2);
        return;
    }
    do {
        base = draw(8);
        rd = draw(8);
    } while (8 + base == program.counter || 8 + rd == program.counter);
    emit_constant(8 + base, DATA + offset);
    emit_half((is_store ? 0xc000U : 0x4000U) | (fields & 7) << 10 | base << 7 |
              (fields >> 3 & 3) << 5 | rd << 2);
}

/* ---- exceptions ---- */

static uint32_t draw_illegal(void) {
    static const uint32_t words[] = {
        0x00000007, 0x00002027, 0x0000002f, 0x00000043, 0x00000047, 0x0000004b,
        0x0000004f, 0x00000053, 0x0000000b, 0x0000002b, 0x0000005b, 0x0000007b,
        0x0000001b, 0x0000003b, 0x0000006b, 0x00000057, 0x00000077, /* opcodes that are not there */
        0x00003003, 0x00006003, 0x00007003,                         /* loads */
        0x00003023, 0x00004023, 0x00007023,                         /* stores */
        0x00002063, 0x00003063,                                     /* branches */
        0x00001067, 0x00007067,                                     /* jalr */
        0x00004073,                                                 /* system */
    };
    const uint32_t word = words[draw(sizeof words / sizeof words[0])];
    return word | (draw_word() & 0xffff8f80);
}

/* A shift, or another operation, with a funct7 that is not its own. */
static uint32_t draw_wrong_function(void) {
    const uint32_t funct7 = 2 + draw(30);
    const uint32_t rs2 = draw(32);
    const uint32_t rs1 = draw(32);
    const uint32_t funct3 = draw(2) != 0 ? 1 : 5;
    const uint32_t rd = draw(31);
    return r_type(funct7, rs2, rs1, funct3, rd, draw(2) != 0 ? 0x13 : 0x33);
}

/* A CSR instruction of any kind. */
static uint32_t draw_csr(void) {
    static const uint32_t registers[] = {MEPC, MCAUSE, MTVAL};
    const uint32_t number = registers[draw(3)];
    const uint32_t rs1 = draw(32);
    const uint32_t kind = 1 + draw(3);
    const uint32_t funct3 = kind + 4 * draw(2);
    return i_type((int32_t)number, rs1, funct3, draw_destination(), 0x73);
}

static void step_trap(void) {
    static const uint32_t halfwords[] = {0x0000, 0x2000, 0x6000, 0xa000, 0xe000, 0x8000,
                                         0x6101, 0x6081, 0x9c01, 0x9c41, 0x4002, 0x8002,
                                         0x2002, 0x6002, 0xa002, 0xe002};
    switch (draw(5)) {
    case 0:
        emit(RV_ECALL);
        break;
    case 1:
        emit(RV_EBREAK);
        break;
    case 2:
        emit_half(halfwords[draw(16)]);
        break;
    case 3:
        emit(draw_wrong_function());
        break;
    default:
        emit(draw_illegal());
    }
    if (draw(4) == 0) { /* what it reads is compared */
        emit(draw_csr());
    }
}

static void step_simple(void) {
    static void (*const steps[])(void) = {
        step_registers,  step_registers, step_immediate,        step_immediate,
        step_upper,      step_corner,    step_compressed,       step_compressed,
        step_compressed, step_memory,    step_compressed_memory};
    if (program.traps && draw(12) == 0) {
        step_trap();
    } else {
        steps[draw(11)]();
    }
}

/* ---- steps with jumps ---- */

static void patch(uint32_t at, uint32_t word, uint32_t bytes) {
    const uint32_t end = program.at;
    program.at = at;
    if (bytes == 2) {
        emit_half(word);
    } else {
        emit(word);
    }
    program.at = end;
}

/* Something that a branch may go around. */
static void emit_body(uint32_t steps) {
    for (uint32_t i = 0; i < steps; i++) {
        step_simple();
    }
}

static void step_branch(void) {
    static const uint32_t functions[] = {0, 1, 4, 5, 6, 7};
    const uint32_t at = program.at;
    emit(0);
    emit_body(draw(4));
    const uint32_t rs2 = draw(32);
    const uint32_t rs1 = draw(32);
    patch(at, b_type((int32_t)(program.at - at), rs2, rs1, functions[draw(6)]), 4);
}

static void step_jump(void) {
    const uint32_t at = program.at;
    emit(0);
    emit_body(draw(4));
    patch(at, rv_jal(draw_destination(), (int32_t)(program.at - at)), 4);
}

/* auipc, addi, jalr; or c.jr, c.jalr. */
static void step_jump_register(void) {
    uint32_t rs1;
    do {
        rs1 = draw_destination();
    } while (rs1 == 0);
    const uint32_t at = program.at;
    const bool compressed = draw(2) != 0 && program.counter != RA;
    emit(rv_auipc(rs1, 0));
    emit(0);
    const int32_t immediate = compressed ? 0 : draw_immediate() / 2;
    if (compressed) {
        emit_half(0x8002 | draw(2) << 12 | rs1 << 7);
    } else {
        emit(rv_jalr(draw_destination(), rs1, immediate));
    }
    emit_body(draw(4));
    patch(at + 4, rv_addi(rs1, rs1, (int32_t)(program.at - at) - immediate), 4);
}

/* c.beqz, c.bnez, c.j, c.jal, at most 30 bytes ahead. */
static void step_compressed_branch(void) {
    const uint32_t at = program.at;
    emit_half(0);
    for (uint32_t i = draw(5); i > 0; i--) {
        step_compressed();
    }
    const uint32_t ahead = program.at - at;
    const uint32_t kind = draw(program.counter == RA ? 3 : 4);
    const uint32_t register_and_offset =
        draw(8) << 7 | (ahead >> 3 & 3) << 10 | (ahead >> 1 & 3) << 3;
    const uint32_t jump_offset = (ahead >> 4 & 1) << 11 | (ahead >> 1 & 7) << 3;
    static const uint32_t opcodes[] = {0xc001, 0xe001, 0xa001, 0x2001};
    patch(at, opcodes[kind] | (kind < 2 ? register_and_offset : jump_offset), 2);
}

/* A loop that runs a few times. */
static void step_loop(void) {
    do {
        program.counter = 1 + draw(30);
    } while (program.counter == RA);
    emit(rv_addi(program.counter, ZERO, (int32_t)(1 + draw(6))));
    const uint32_t begin = program.at;
    for (uint32_t i = 1 + draw(6); i > 0; i--) {
        switch (draw(6)) {
        case 0:
            step_branch();
            break;
        case 1:
            step_compressed_branch();
            break;
        default:
            step_simple();
        }
    }
    emit(rv_addi(program.counter, program.counter, -1));
    emit(rv_bne(program.counter, ZERO, (int32_t)(begin - program.at)));
    program.counter = NO_REGISTER;
}

static void step_any(void) {
    static void (*const steps[])(void) = {step_branch, step_jump, step_jump_register,
                                          step_compressed_branch, step_loop};
    const uint32_t kind = draw(20);
    if (kind < 5) {
        steps[kind]();
    } else {
        step_simple();
    }
}

/* ---- begin and end ---- */

/* sum = 33 * sum + x29, with x28 to work in. */
static void emit_sum(void) {
    emit(r_type(0, 5, 30, 1, 28, 0x13));  /* slli x28, x30, 5 */
    emit(r_type(0, 28, 30, 0, 30, 0x33)); /* add x30, x30, x28 */
    emit(r_type(0, 29, 30, 0, 30, 0x33)); /* add x30, x30, x29 */
}

/* Sums up mcause and mepc, and mtval of illegal instructions, and returns behind the instruction.
 */
static void emit_handler(void) {
    emit(rv_csrrw(31, MSCRATCH, 31));
    emit(rv_sw(30, 31, KEPT));
    emit(rv_sw(29, 31, KEPT + 4));
    emit(rv_lw(30, 31, KEPT + 8));
    emit(rv_sw(28, 31, KEPT + 12));
    emit(rv_csrrs(29, MCAUSE, ZERO));
    emit_sum();
    emit(rv_addi(29, 29, -2));
    emit(rv_bne(29, ZERO, 20));
    emit(rv_csrrs(29, MTVAL, ZERO));
    emit_sum();
    emit(rv_csrrs(29, MEPC, ZERO));
    emit_sum();
    emit(i_type(0, 29, 5, 28,
                0x03)); /* lhu x28, 0(x29): two lowest bits set are an instruction of 4 bytes */
    emit(i_type(3, 28, 7, 28, 0x13));
    emit(i_type(3, 28, 3, 28, 0x13)); /* sltiu: 1 for those of 2 bytes */
    emit(r_type(0, 1, 28, 1, 28, 0x13));
    emit(r_type(0x20, 28, 29, 0, 29, 0x33));
    emit(rv_addi(29, 29, 4));
    emit(rv_csrrw(ZERO, MEPC, 29));
    emit(rv_sw(30, 31, KEPT + 8));
    emit(rv_lw(28, 31, KEPT + 12));
    emit(rv_lw(29, 31, KEPT + 4));
    emit(rv_lw(30, 31, KEPT));
    emit(rv_csrrw(31, MSCRATCH, 31));
    emit(RV_MRET);
}

static void emit_begin(void) {
    if (program.traps) {
        emit(0);
        const uint32_t handler = program.at;
        emit_handler();
        patch(0, rv_jal(ZERO, (int32_t)program.at), 4);
        emit_constant(A0, UINT32_C(0x80000000) + handler);
        emit(rv_csrrw(ZERO, MTVEC, A0));
        emit_constant(A0, DATA);
        emit(rv_csrrw(ZERO, MSCRATCH, A0));
    }
    for (uint32_t rd = 1; rd < 32; rd++) {
        emit_constant(rd, draw_word());
    }
}

static void emit_end(void) {
    emit_constant(31, DATA);
    for (uint32_t rs2 = 1; rs2 < 31; rs2++) {
        emit(rv_sw(rs2, 31, REGISTERS + 4 * ((int32_t)rs2 - 1)));
    }
    emit_constant(A0, UINT32_C(0x10000000));
    emit_constant(31, DATA + (uint32_t)KEPT);
    emit_constant(A1, DATA + WINDOW);
    emit(i_type(0, 31, 4, A2, 0x03)); /* lbu a2, 0(x31) */
    emit(s_type(0, A2, A0, 0));       /* sb a2, 0(a0) */
    emit(rv_addi(31, 31, 1));
    emit(rv_bne(31, A1, -12));
    emit_constant(A0, UINT32_C(0x00100000));
    emit_constant(A1, 0x5555);
    emit(rv_sw(A1, A0, 0));
    emit(RV_HERE);
}

int main(int argc, char **argv) {
    if (argc < 4 || argc > 5 || (argc == 5 && strcmp(argv[4], "--traps") != 0)) {
        fprintf(stderr, "usage: random_program SEED STEPS IMAGE [--traps]\n");
        return 2;
    }
    program.random = strtoull(argv[1], NULL, 10);
    program.traps = argc == 5;
    const uint64_t steps = strtoull(argv[2], NULL, 10);
    emit_begin();
    for (uint64_t i = 0; i < steps; i++) {
        if (program.at > IMAGE_BYTES - 4096) {
            fprintf(stderr, "random_program: %s steps are too many for an image\n", argv[2]);
            return 1;
        }
        step_any();
    }
    emit_end();
    FILE *file = fopen(argv[3], "wb");
    if (file == NULL || fwrite(program.bytes, 1, program.at, file) != program.at ||
        fclose(file) != 0) {
        perror(argv[3]);
        return 1;
    }
    return 0;
}
