#include "vp/cpu/expand.h"

#include <stdbool.h>

#include "vp/cpu/bits.h"

/* Opcodes, with their function where it is always the same. */
#define LW     UINT32_C(0x00002003)
#define SW     UINT32_C(0x00002023)
#define LUI    UINT32_C(0x00000037)
#define ADDI   UINT32_C(0x00000013)
#define SLLI   UINT32_C(0x00001013)
#define SRLI   UINT32_C(0x00005013)
#define SRAI   UINT32_C(0x40005013)
#define ANDI   UINT32_C(0x00007013)
#define ADD    UINT32_C(0x00000033)
#define SUB    UINT32_C(0x40000033)
#define XOR    UINT32_C(0x00004033)
#define OR     UINT32_C(0x00006033)
#define AND    UINT32_C(0x00007033)
#define JAL    UINT32_C(0x0000006f)
#define JALR   UINT32_C(0x00000067)
#define BEQ    UINT32_C(0x00000063)
#define BNE    UINT32_C(0x00001063)
#define EBREAK UINT32_C(0x00100073)
#define NONE   UINT32_C(0)

enum {
    RA = 1,
    SP = 2
};

static uint32_t with_registers(uint32_t opcode, uint32_t rd, uint32_t rs1, uint32_t rs2) {
    return opcode | rd << 7 | rs1 << 15 | rs2 << 20;
}

static uint32_t with_immediate(uint32_t opcode, uint32_t rd, uint32_t rs1, uint32_t immediate) {
    return opcode | rd << 7 | rs1 << 15 | immediate << 20;
}

static uint32_t store(uint32_t rs1, uint32_t rs2, uint32_t offset) {
    return SW | rs1 << 15 | rs2 << 20 | bits_to(offset, 0, 5, 7) | bits_to(offset, 5, 7, 25);
}

static uint32_t jump(uint32_t rd, uint32_t offset) {
    return JAL | rd << 7 | bits_to(offset, 12, 8, 12) | bits_to(offset, 11, 1, 20) |
           bits_to(offset, 1, 10, 21) | bits_to(offset, 20, 1, 31);
}

static uint32_t branch(uint32_t opcode, uint32_t rs1, uint32_t offset) {
    return opcode | rs1 << 15 | bits_to(offset, 11, 1, 7) | bits_to(offset, 1, 4, 8) |
           bits_to(offset, 5, 6, 25) | bits_to(offset, 12, 1, 31);
}

/* The three-bit registers x8 to x15. */
static uint32_t low_register(uint32_t h) {
    return 8 + (h >> 2 & 7);
}

static uint32_t high_register(uint32_t h) {
    return 8 + (h >> 7 & 7);
}

/* The six-bit immediate of most instructions, signed. */
static uint32_t immediate6(uint32_t h) {
    return sign_extend(bits_to(h, 12, 1, 5) | bits_to(h, 2, 5, 0), 6);
}

/* Quadrant 0: c.addi4spn, c.lw, c.sw. */
static uint32_t expand_quadrant0(uint32_t h) {
    const uint32_t offset = bits_to(h, 10, 3, 3) | bits_to(h, 6, 1, 2) | bits_to(h, 5, 1, 6);
    const uint32_t frame =
        bits_to(h, 11, 2, 4) | bits_to(h, 7, 4, 6) | bits_to(h, 6, 1, 2) | bits_to(h, 5, 1, 3);
    switch (h >> 13) {
    case 0:
        return frame == 0 ? NONE : with_immediate(ADDI, low_register(h), SP, frame);
    case 2:
        return with_immediate(LW, low_register(h), high_register(h), offset);
    case 6:
        return store(high_register(h), low_register(h), offset);
    default:
        return NONE;
    }
}

/* c.addi16sp and c.lui. */
static uint32_t expand_upper(uint32_t h, uint32_t rd) {
    if (immediate6(h) == 0) {
        return NONE;
    }
    if (rd != SP) {
        return LUI | rd << 7 | immediate6(h) << 12;
    }
    const uint32_t frame = bits_to(h, 12, 1, 9) | bits_to(h, 6, 1, 4) | bits_to(h, 5, 1, 6) |
                           bits_to(h, 3, 2, 7) | bits_to(h, 2, 1, 5);
    return with_immediate(ADDI, SP, SP, sign_extend(frame, 10));
}

/* c.srli, c.srai, c.andi, c.sub, c.xor, c.or, c.and. */
static uint32_t expand_arithmetic(uint32_t h) {
    static const uint32_t of_two[4] = {SUB, XOR, OR, AND};
    const uint32_t rd = high_register(h);
    const bool bit12 = (h >> 12 & 1) != 0; /* shift of 32 and more, arithmetic of RV64 */
    switch (h >> 10 & 3) {
    case 0:
        return bit12 ? NONE : with_immediate(SRLI, rd, rd, h >> 2 & 31);
    case 1:
        return bit12 ? NONE : with_immediate(SRAI, rd, rd, h >> 2 & 31);
    case 2:
        return with_immediate(ANDI, rd, rd, immediate6(h));
    default:
        return bit12 ? NONE : with_registers(of_two[h >> 5 & 3], rd, rd, low_register(h));
    }
}

/* Quadrant 1: c.addi, c.jal, c.li, c.lui, arithmetic, c.j, c.beqz, c.bnez. */
static uint32_t expand_quadrant1(uint32_t h) {
    const uint32_t rd = h >> 7 & 31;
    const uint32_t jump_offset = sign_extend(
        bits_to(h, 12, 1, 11) | bits_to(h, 11, 1, 4) | bits_to(h, 9, 2, 8) | bits_to(h, 8, 1, 10) |
            bits_to(h, 7, 1, 6) | bits_to(h, 6, 1, 7) | bits_to(h, 3, 3, 1) | bits_to(h, 2, 1, 5),
        12);
    const uint32_t branch_offset =
        sign_extend(bits_to(h, 12, 1, 8) | bits_to(h, 10, 2, 3) | bits_to(h, 5, 2, 6) |
                        bits_to(h, 3, 2, 1) | bits_to(h, 2, 1, 5),
                    9);
    switch (h >> 13) {
    case 0:
        return with_immediate(ADDI, rd, rd, immediate6(h));
    case 1:
        return jump(RA, jump_offset);
    case 2:
        return with_immediate(ADDI, rd, 0, immediate6(h));
    case 3:
        return expand_upper(h, rd);
    case 4:
        return expand_arithmetic(h);
    case 5:
        return jump(0, jump_offset);
    case 6:
        return branch(BEQ, high_register(h), branch_offset);
    default:
        return branch(BNE, high_register(h), branch_offset);
    }
}

/* c.jr, c.mv, c.ebreak, c.jalr, c.add. */
static uint32_t expand_register(uint32_t h, uint32_t rd, uint32_t rs2) {
    const bool links = (h >> 12 & 1) != 0;
    if (rs2 != 0) {
        return with_registers(ADD, rd, links ? rd : 0, rs2);
    }
    if (rd == 0) {
        return links ? EBREAK : NONE;
    }
    return with_registers(JALR, links ? RA : 0, rd, 0);
}

/* Quadrant 2: c.slli, c.lwsp, registers, c.swsp. */
static uint32_t expand_quadrant2(uint32_t h) {
    const uint32_t rd = h >> 7 & 31;
    const uint32_t rs2 = h >> 2 & 31;
    const uint32_t load_offset = bits_to(h, 12, 1, 5) | bits_to(h, 4, 3, 2) | bits_to(h, 2, 2, 6);
    const uint32_t store_offset = bits_to(h, 9, 4, 2) | bits_to(h, 7, 2, 6);
    switch (h >> 13) {
    case 0:
        return (h >> 12 & 1) != 0 ? NONE : with_immediate(SLLI, rd, rd, rs2);
    case 2:
        return rd == 0 ? NONE : with_immediate(LW, rd, SP, load_offset);
    case 4:
        return expand_register(h, rd, rs2);
    case 6:
        return store(SP, rs2, store_offset);
    default:
        return NONE;
    }
}

uint32_t cpu_expand(uint32_t halfword) {
    switch (halfword & 3) {
    case 0:
        return expand_quadrant0(halfword);
    case 1:
        return expand_quadrant1(halfword);
    default:
        return expand_quadrant2(halfword);
    }
}
