/* Instructions of RISC-V as words, for the tests of the processor: written from the formats of the
 * manual, not from what the model decodes. */
#ifndef WEFT_TESTS_CPU_CODE_H
#define WEFT_TESTS_CPU_CODE_H

#include <stdint.h>

/* Names of registers that the tests use. */
enum {
    ZERO = 0,
    RA = 1,
    SP = 2,
    T0 = 5,
    T1 = 6,
    T2 = 7,
    S0 = 8,
    S1 = 9,
    A0 = 10,
    A1 = 11,
    A2 = 12,
    A3 = 13,
    A4 = 14,
    A5 = 15,
    T3 = 28,
    T4 = 29
};

/* funct7 | rs2 | rs1 | funct3 | rd | opcode */
static inline uint32_t r_type(uint32_t funct7, uint32_t rs2, uint32_t rs1, uint32_t funct3,
                              uint32_t rd, uint32_t opcode) {
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

/* imm[11:0] | rs1 | funct3 | rd | opcode */
static inline uint32_t i_type(int32_t immediate, uint32_t rs1, uint32_t funct3, uint32_t rd,
                              uint32_t opcode) {
    return ((uint32_t)immediate & 0xfff) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

/* imm[11:5] | rs2 | rs1 | funct3 | imm[4:0] | opcode */
static inline uint32_t s_type(int32_t immediate, uint32_t rs2, uint32_t rs1, uint32_t funct3) {
    const uint32_t bits = (uint32_t)immediate;
    return (bits >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (bits & 0x1f) << 7 |
           0x23;
}

/* imm[12] | imm[10:5] | rs2 | rs1 | funct3 | imm[4:1] | imm[11] | opcode */
static inline uint32_t b_type(int32_t offset, uint32_t rs2, uint32_t rs1, uint32_t funct3) {
    const uint32_t bits = (uint32_t)offset;
    return (bits >> 12 & 1) << 31 | (bits >> 5 & 0x3f) << 25 | rs2 << 20 | rs1 << 15 |
           funct3 << 12 | (bits >> 1 & 0xf) << 8 | (bits >> 11 & 1) << 7 | 0x63;
}

/* imm[20] | imm[10:1] | imm[11] | imm[19:12] | rd | opcode */
static inline uint32_t j_type(int32_t offset, uint32_t rd) {
    const uint32_t bits = (uint32_t)offset;
    return (bits >> 20 & 1) << 31 | (bits >> 1 & 0x3ff) << 21 | (bits >> 11 & 1) << 20 |
           (bits >> 12 & 0xff) << 12 | rd << 7 | 0x6f;
}

/* imm[31:12] | rd | opcode */
static inline uint32_t rv_lui(uint32_t rd, uint32_t upper) {
    return upper << 12 | rd << 7 | 0x37;
}

static inline uint32_t rv_auipc(uint32_t rd, uint32_t upper) {
    return upper << 12 | rd << 7 | 0x17;
}

static inline uint32_t rv_addi(uint32_t rd, uint32_t rs1, int32_t immediate) {
    return i_type(immediate, rs1, 0, rd, 0x13);
}

static inline uint32_t rv_lw(uint32_t rd, uint32_t rs1, int32_t offset) {
    return i_type(offset, rs1, 2, rd, 0x03);
}

static inline uint32_t rv_sw(uint32_t rs2, uint32_t rs1, int32_t offset) {
    return s_type(offset, rs2, rs1, 2);
}

static inline uint32_t rv_jal(uint32_t rd, int32_t offset) {
    return j_type(offset, rd);
}

static inline uint32_t rv_jalr(uint32_t rd, uint32_t rs1, int32_t offset) {
    return i_type(offset, rs1, 0, rd, 0x67);
}

static inline uint32_t rv_bne(uint32_t rs1, uint32_t rs2, int32_t offset) {
    return b_type(offset, rs2, rs1, 1);
}

static inline uint32_t rv_csrrw(uint32_t rd, uint32_t csr, uint32_t rs1) {
    return i_type((int32_t)csr, rs1, 1, rd, 0x73);
}

static inline uint32_t rv_csrrs(uint32_t rd, uint32_t csr, uint32_t rs1) {
    return i_type((int32_t)csr, rs1, 2, rd, 0x73);
}

static inline uint32_t rv_csrrsi(uint32_t rd, uint32_t csr, uint32_t immediate) {
    return i_type((int32_t)csr, immediate, 6, rd, 0x73);
}

#define RV_ECALL   UINT32_C(0x00000073)
#define RV_EBREAK  UINT32_C(0x00100073)
#define RV_MRET    UINT32_C(0x30200073)
#define RV_WFI     UINT32_C(0x10500073)
#define RV_FENCE_I UINT32_C(0x0000100f)
#define RV_HERE    UINT32_C(0x0000006f) /* jumps to itself */

#endif
