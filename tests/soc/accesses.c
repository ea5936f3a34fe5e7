#include "tests/soc/accesses.h"

#include <string.h>

#include "firmware/boot.h"
#include "tests/soc/encode.h"

enum {
    ADDRESS = 5, /* registers */
    VALUE = 6,
    READ = 7,
    RESULT = 8,
    MSTATUS = 0x300,
    MIE = 0x304,
    MTVEC = 0x305,
};

struct assembly {
    uint8_t *ram;
    uint32_t at;
};

static void put(struct assembly *assembly, uint32_t word) {
    memcpy(assembly->ram + assembly->at, &word, sizeof word);
    assembly->at += sizeof word;
}

static void put_value(struct assembly *assembly, uint32_t rd, uint32_t value) {
    put(assembly, encode_u(OPCODE_LUI, rd, value + 0x800));
    put(assembly, encode_i(OPCODE_IMMEDIATE, 0, rd, rd, (int32_t)(value & 0xfff)));
}

static void put_result(struct assembly *assembly) {
    put(assembly, encode_s(2, RESULT, READ, 0));
    put(assembly, encode_i(OPCODE_IMMEDIATE, 0, RESULT, RESULT, 4));
}

/* mtvec is behind the wait, which nothing else leads out of. */
static void put_interrupted(struct assembly *assembly) {
    const uint32_t size = 8 * 4;
    put_value(assembly, VALUE, WEFT_SYSTEM_RAM + assembly->at + size);
    put(assembly, encode_i(OPCODE_SYSTEM, 1, 0, VALUE, MTVEC));
    put_value(assembly, VALUE, 1U << 11);
    put(assembly, encode_i(OPCODE_SYSTEM, 1, 0, VALUE, MIE));
    put(assembly, encode_i(OPCODE_SYSTEM, 6, 0, 8, MSTATUS)); /* csrsi mstatus, MIE */
    put(assembly, encode_j(0, 0));
}

static void put_access(struct assembly *assembly, const struct access *access) {
    put_value(assembly, ADDRESS, access->address);
    put_value(assembly, VALUE, access->value);
    switch (access->kind) {
    case ACCESS_WRITE:
        put(assembly, encode_s(2, ADDRESS, VALUE, 0));
        break;
    case ACCESS_WRITE_BYTE:
        put(assembly, encode_s(0, ADDRESS, VALUE, 0));
        break;
    case ACCESS_READ:
        put(assembly, encode_i(OPCODE_LOAD, 2, READ, ADDRESS, 0));
        put_result(assembly);
        break;
    case ACCESS_READ_BYTE:
        put(assembly, encode_i(OPCODE_LOAD, 4, READ, ADDRESS, 0));
        put_result(assembly);
        break;
    case ACCESS_WAIT:
        put(assembly, encode_i(OPCODE_LOAD, 2, READ, ADDRESS, 0));
        put(assembly, encode_r(OPCODE_REGISTER, 7, 0, READ, READ, VALUE));
        put(assembly, encode_b(1, READ, VALUE, -8));
        break;
    case ACCESS_INTERRUPTED:
        put_interrupted(assembly);
        break;
    case ACCESS_ILLEGAL:
        put(assembly, 0);
        break;
    }
}

void accesses_make(const struct access *accesses, size_t count, uint8_t *ram) {
    struct assembly assembly = {.ram = ram};
    put_value(&assembly, RESULT, WEFT_SYSTEM_RAM + ACCESS_RESULTS);
    for (size_t i = 0; i < count; i++) {
        put_access(&assembly, &accesses[i]);
    }
    put(&assembly, encode_j(0, 0));
}
