/* RV32IM instructions as words, from the formats of the manual, and the addresses that the tests'
 * programs use. */
#ifndef WEFT_TESTS_SOC_ENCODE_H
#define WEFT_TESTS_SOC_ENCODE_H

#include <stdint.h>

enum {
    OPCODE_LOAD = 0x03,
    OPCODE_FENCE = 0x0f,
    OPCODE_IMMEDIATE = 0x13,
    OPCODE_AUIPC = 0x17,
    OPCODE_STORE = 0x23,
    OPCODE_REGISTER = 0x33,
    OPCODE_LUI = 0x37,
    OPCODE_BRANCH = 0x63,
    OPCODE_JALR = 0x67,
    OPCODE_JAL = 0x6f,
    OPCODE_SYSTEM = 0x73,
};

static inline uint32_t encode_r(uint32_t opcode, uint32_t funct3, uint32_t funct7, uint32_t rd,
                                uint32_t rs1, uint32_t rs2) {
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

/* The immediates are taken modulo their bits. */
static inline uint32_t encode_i(uint32_t opcode, uint32_t funct3, uint32_t rd, uint32_t rs1,
                                int32_t immediate) {
    return ((uint32_t)immediate & 0xfff) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

static inline uint32_t encode_s(uint32_t funct3, uint32_t rs1, uint32_t rs2, int32_t immediate) {
    const uint32_t bits = (uint32_t)immediate & 0xfff;
    return bits >> 5 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (bits & 31) << 7 | OPCODE_STORE;
}

static inline uint32_t encode_b(uint32_t funct3, uint32_t rs1, uint32_t rs2, int32_t offset) {
    const uint32_t bits = (uint32_t)offset;
    return (bits >> 12 & 1) << 31 | (bits >> 5 & 63) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 |
           (bits >> 1 & 15) << 8 | (bits >> 11 & 1) << 7 | OPCODE_BRANCH;
}

static inline uint32_t encode_u(uint32_t opcode, uint32_t rd, uint32_t upper) {
    return (upper & 0xfffff000U) | rd << 7 | opcode;
}

static inline uint32_t encode_j(uint32_t rd, int32_t offset) {
    const uint32_t bits = (uint32_t)offset;
    return (bits >> 20 & 1) << 31 | (bits >> 1 & 1023) << 21 | (bits >> 11 & 1) << 20 |
           (bits >> 12 & 255) << 12 | rd << 7 | OPCODE_JAL;
}

#endif
