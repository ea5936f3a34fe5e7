#include "tests/soc/program.h"

#include <stdlib.h>
#include <string.h>

#include "firmware/boot.h"
#include "tests/soc/encode.h"

enum {
    MOST_ITEMS = 8192,
    MOST_HALFWORDS = 8,    /* of an item */
    CHECKPOINT_EVERY = 48, /* items */
    MOST_SKIPPED = 9,      /* items that a branch goes over */
    SP = 2,                /* the window, for c.lwsp and c.swsp */
    NEAR = 8,              /* the window, for c.lw and c.sw */
    MIDDLE = 30,           /* the middle of one of the windows */
    CHECKPOINT = 31,       /* where the next checkpoint goes */
    FIRST_COMPRESSED = 8,  /* of the eight registers that compressed instructions know */
};

/* Instructions that only their first one leads to. */
struct item {
    uint16_t halfwords[MOST_HALFWORDS];
    uint32_t count;
    /* A jump or branch forward over some items behind this one. */
    uint32_t skipped; /* 0: none */
    uint32_t (*patch)(uint32_t bits, int32_t offset);
    uint32_t patch_at; /* halfword of the instruction that gets the distance */
    uint32_t patch_halfwords;
};

struct maker {
    const struct program_options *options;
    uint64_t state;
    struct item items[MOST_ITEMS];
    uint32_t count;
};

/* What a mistake in this file would break, whatever the build. */
static void require(bool good) {
    if (!good) {
        abort();
    }
}

/* ---- chance ---- */

/* splitmix64 */
static uint32_t draw(struct maker *maker) {
    uint64_t z = maker->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) >> 32);
}

static uint32_t below(struct maker *maker, uint32_t limit) {
    return draw(maker) % limit;
}

static uint32_t any_value(struct maker *maker) {
    static const uint32_t corners[] = {0, 1, 2, UINT32_MAX, 0x80000000U, 0x7fffffffU, 0xffff8000U};
    return below(maker, 4) == 0 ? corners[below(maker, sizeof corners / sizeof corners[0])]
                                : draw(maker);
}

static uint32_t source(struct maker *maker) {
    return below(maker, 32);
}

/* A register that is no base of anything; register 0 now and then. */
static uint32_t target(struct maker *maker) {
    uint32_t number = 0;
    do {
        number = below(maker, 32);
    } while (number == SP || number == NEAR || number == MIDDLE || number == CHECKPOINT);
    return number;
}

/* The same of the eight registers, as a number of 3 bits. */
static uint32_t compressed_source(struct maker *maker) {
    return below(maker, 8);
}

static uint32_t compressed_target(struct maker *maker) {
    return 1 + below(maker, 7);
}

/* ---- items ---- */

static struct item *add(struct maker *maker) {
    require(maker->count < MOST_ITEMS);
    struct item *item = &maker->items[maker->count++];
    *item = (struct item){.count = 0};
    return item;
}

static void put(struct item *item, uint32_t word) {
    require(item->count + 2 <= MOST_HALFWORDS);
    item->halfwords[item->count++] = (uint16_t)word;
    item->halfwords[item->count++] = (uint16_t)(word >> 16);
}

static void put_compressed(struct item *item, uint32_t halfword) {
    require(item->count < MOST_HALFWORDS);
    item->halfwords[item->count++] = (uint16_t)halfword;
}

/* 32 bits into a register. */
static void put_value(struct maker *maker, uint32_t rd, uint32_t value) {
    struct item *item = add(maker);
    put(item, encode_u(OPCODE_LUI, rd, value + 0x800));
    put(item, encode_i(OPCODE_IMMEDIATE, 0, rd, rd, (int32_t)(value & 0xfff)));
}

static void put_checkpoint(struct maker *maker) {
    for (uint32_t i = 1; i < 32; i++) {
        put(add(maker), encode_s(2, CHECKPOINT, i, (int32_t)(4 * i)));
    }
    put(add(maker),
        encode_i(OPCODE_IMMEDIATE, 0, CHECKPOINT, CHECKPOINT, PROGRAM_CHECKPOINT_BYTES));
}

/* ---- what computes ---- */

static void make_register(struct maker *maker) {
    static const uint32_t shifts_and_sub[] = {0, 5};
    uint32_t funct3 = below(maker, 8);
    uint32_t funct7 = 0;
    if (below(maker, 4) == 0) {
        funct3 = shifts_and_sub[below(maker, 2)];
        funct7 = 0x20;
    }
    const uint32_t rd = target(maker);
    const uint32_t rs1 = source(maker);
    put(add(maker), encode_r(OPCODE_REGISTER, funct3, funct7, rd, rs1, source(maker)));
}

static void make_multiply(struct maker *maker) {
    const uint32_t funct3 = below(maker, 8);
    const uint32_t rd = target(maker);
    const uint32_t rs1 = source(maker);
    put(add(maker), encode_r(OPCODE_REGISTER, funct3, 1, rd, rs1, source(maker)));
}

static void make_immediate(struct maker *maker) {
    const uint32_t funct3 = below(maker, 8);
    int32_t immediate = (int32_t)below(maker, 4096);
    if (funct3 == 1 || funct3 == 5) {
        immediate &= 31;
        immediate |= funct3 == 5 && below(maker, 2) == 0 ? 0x400 : 0;
    }
    const uint32_t rd = target(maker);
    put(add(maker), encode_i(OPCODE_IMMEDIATE, funct3, rd, source(maker), immediate));
}

static void make_upper(struct maker *maker) {
    const uint32_t opcode = below(maker, 2) == 0 ? OPCODE_LUI : OPCODE_AUIPC;
    const uint32_t rd = target(maker);
    put(add(maker), encode_u(opcode, rd, draw(maker)));
}

static void make_value(struct maker *maker) {
    const uint32_t rd = target(maker);
    put_value(maker, rd, any_value(maker));
}

static void make_csr(struct maker *maker) {
    static const uint32_t operations[] = {1, 2, 3, 5, 6, 7};
    const uint32_t mscratch = 0x340;
    const uint32_t funct3 = operations[below(maker, 6)];
    const uint32_t rd = target(maker);
    put(add(maker), encode_i(OPCODE_SYSTEM, funct3, rd, source(maker), (int32_t)mscratch));
}

static void make_fence(struct maker *maker) {
    put(add(maker), 0x0ff0000fU);
}

/* ---- what goes to memory ---- */

static void make_window(struct maker *maker) {
    const uint32_t window = below(maker, 2) == 0 ? PROGRAM_WINDOW : PROGRAM_FAR_WINDOW;
    put_value(maker, MIDDLE, WEFT_SYSTEM_RAM + window + PROGRAM_WINDOW_BYTES / 2);
}

/* An offset from the middle of a window that is a multiple of 1 << size. */
static int32_t window_offset(struct maker *maker, uint32_t size) {
    return (int32_t)(below(maker, PROGRAM_WINDOW_BYTES) & ~((1U << size) - 1)) -
           PROGRAM_WINDOW_BYTES / 2;
}

static void make_load(struct maker *maker) {
    static const uint32_t kinds[] = {0, 1, 2, 4, 5};
    const uint32_t kind = kinds[below(maker, 5)];
    const uint32_t rd = target(maker);
    put(add(maker), encode_i(OPCODE_LOAD, kind, rd, MIDDLE, window_offset(maker, kind & 3)));
}

static void make_store(struct maker *maker) {
    const uint32_t size = below(maker, 3);
    const uint32_t rs2 = source(maker);
    put(add(maker), encode_s(size, MIDDLE, rs2, window_offset(maker, size)));
}

/* c.lw, c.sw, c.lwsp, c.swsp; never a load to register 0, which is reserved. */
static void make_compressed_memory(struct maker *maker) {
    const uint32_t offset = 4 * below(maker, 32);
    const uint32_t other = compressed_target(maker) << 2;
    const uint32_t bits = (offset >> 3 & 7) << 10 | (offset >> 2 & 1) << 6 |
                          (offset >> 6 & 1) << 5 | (NEAR - FIRST_COMPRESSED) << 7;
    const uint32_t far = 4 * below(maker, 64);
    uint32_t rd = 0;
    switch (below(maker, 4)) {
    case 0:
        put_compressed(add(maker), 0x4000 | bits | other);
        break;
    case 1:
        put_compressed(add(maker), 0xc000 | bits | other);
        break;
    case 2:
        while (rd == 0) {
            rd = target(maker);
        }
        put_compressed(add(maker), 0x4002 | (far >> 5 & 1) << 12 | rd << 7 | (far >> 2 & 7) << 4 |
                                       (far >> 6 & 3) << 2);
        break;
    default:
        put_compressed(add(maker),
                       0xc002 | (far >> 2 & 15) << 9 | (far >> 6 & 3) << 7 | source(maker) << 2);
        break;
    }
}

/* ---- compressed instructions that compute ---- */

/* c.addi, c.li, c.lui, c.slli, c.mv, c.add: on any register but 0. */
static void make_compressed_any(struct maker *maker) {
    uint32_t rd = 0;
    uint32_t rs = 1 + below(maker, 31);
    const uint32_t immediate = 1 + below(maker, 31); /* not 0, which is a hint or reserved */
    const uint32_t sign = below(maker, 2) << 12;
    while (rd == 0) {
        rd = target(maker);
    }
    switch (below(maker, 6)) {
    case 0:
        put_compressed(add(maker), 0x0001 | sign | rd << 7 | immediate << 2);
        break;
    case 1:
        put_compressed(add(maker), 0x4001 | sign | rd << 7 | immediate << 2);
        break;
    case 2:
        put_compressed(add(maker), 0x6001 | sign | rd << 7 | immediate << 2);
        break;
    case 3:
        put_compressed(add(maker), 0x0002 | rd << 7 | immediate << 2);
        break;
    case 4:
        put_compressed(add(maker), 0x8002 | rd << 7 | rs << 2);
        break;
    default:
        put_compressed(add(maker), 0x9002 | rd << 7 | rs << 2);
        break;
    }
}

/* c.srli, c.srai, c.andi, c.sub, c.xor, c.or, c.and, c.addi4spn: on the eight registers. */
static void make_compressed_eight(struct maker *maker) {
    const uint32_t rd = compressed_target(maker) << 7;
    const uint32_t immediate = 1 + below(maker, 31);
    uint32_t bits = 0;
    switch (below(maker, 5)) {
    case 0:
        put_compressed(add(maker), 0x8001 | rd | immediate << 2);
        break;
    case 1:
        put_compressed(add(maker), 0x8401 | rd | immediate << 2);
        break;
    case 2:
        put_compressed(add(maker), 0x8801 | below(maker, 2) << 12 | rd | immediate << 2);
        break;
    case 3:
        bits = below(maker, 4) << 5;
        put_compressed(add(maker), 0x8c01 | rd | bits | compressed_source(maker) << 2);
        break;
    default:
        bits = (1 + below(maker, 255)) << 5;
        put_compressed(add(maker), 0x0000 | bits | compressed_target(maker) << 2);
        break;
    }
}

/* ---- jumps forward ---- */

static uint32_t patch_branch(uint32_t bits, int32_t offset) {
    return bits | encode_b(0, 0, 0, offset);
}

static uint32_t patch_jal(uint32_t bits, int32_t offset) {
    return bits | encode_j(0, offset);
}

static uint32_t patch_immediate(uint32_t bits, int32_t offset) {
    return bits | encode_i(0, 0, 0, 0, offset);
}

static uint32_t patch_compressed_branch(uint32_t bits, int32_t offset) {
    const uint32_t o = (uint32_t)offset;
    return bits | (o >> 8 & 1) << 12 | (o >> 3 & 3) << 10 | (o >> 6 & 3) << 5 | (o >> 1 & 3) << 3 |
           (o >> 5 & 1) << 2;
}

static uint32_t patch_compressed_jump(uint32_t bits, int32_t offset) {
    const uint32_t o = (uint32_t)offset;
    return bits | (o >> 11 & 1) << 12 | (o >> 4 & 1) << 11 | (o >> 8 & 3) << 9 |
           (o >> 10 & 1) << 8 | (o >> 6 & 1) << 7 | (o >> 7 & 1) << 6 | (o >> 1 & 7) << 3 |
           (o >> 5 & 1) << 2;
}

/* The last instruction of the item so far is to be patched with the distance from the item. */
static void jump_forward(struct maker *maker, struct item *item,
                         uint32_t (*patch)(uint32_t bits, int32_t offset), uint32_t halfwords) {
    item->skipped = 1 + below(maker, MOST_SKIPPED);
    item->patch = patch;
    item->patch_at = item->count - halfwords;
    item->patch_halfwords = halfwords;
}

static void make_branch(struct maker *maker) {
    static const uint32_t kinds[] = {0, 1, 4, 5, 6, 7};
    struct item *item = add(maker);
    const uint32_t kind = kinds[below(maker, 6)];
    const uint32_t rs1 = source(maker);
    put(item, encode_b(kind, rs1, source(maker), 0));
    jump_forward(maker, item, patch_branch, 2);
}

static void make_compressed_branch(struct maker *maker) {
    struct item *item = add(maker);
    const uint32_t kind = below(maker, 2) << 13;
    put_compressed(item, 0xc001 | kind | compressed_source(maker) << 7);
    jump_forward(maker, item, patch_compressed_branch, 1);
}

/* jal; c.j; c.jal, which sets register 1; auipc with jalr. */
static void make_jump(struct maker *maker) {
    struct item *item = add(maker);
    uint32_t base = 0;
    switch (below(maker, 4)) {
    case 0:
        put(item, encode_j(target(maker), 0));
        jump_forward(maker, item, patch_jal, 2);
        break;
    case 1:
    case 2:
        put_compressed(item, below(maker, 2) == 0 ? 0xa001 : 0x2001);
        jump_forward(maker, item, patch_compressed_jump, 1);
        break;
    default:
        while (base == 0) {
            base = target(maker);
        }
        put(item, encode_u(OPCODE_AUIPC, base, 0));
        put(item, encode_i(OPCODE_JALR, 0, target(maker), base, 0));
        jump_forward(maker, item, patch_immediate, 2);
        break;
    }
}

/* auipc, addi, and c.jr or c.jalr. */
static void make_compressed_register_jump(struct maker *maker) {
    uint32_t base = 0;
    struct item *item = add(maker);
    while (base == 0) {
        base = target(maker);
    }
    put(item, encode_u(OPCODE_AUIPC, base, 0));
    put(item, encode_i(OPCODE_IMMEDIATE, 0, base, base, 0));
    jump_forward(maker, item, patch_immediate, 2);
    put_compressed(item, 0x8002 | below(maker, 2) << 12 | base << 7);
}

/* ---- programs ---- */

static void make_any(struct maker *maker) {
    typedef void make_function(struct maker *);
    static make_function *const makers[] = {
        make_register,
        make_register,
        make_register,
        make_immediate,
        make_immediate,
        make_multiply,
        make_multiply,
        make_upper,
        make_value,
        make_load,
        make_load,
        make_store,
        make_store,
        make_compressed_any,
        make_compressed_any,
        make_compressed_eight,
        make_compressed_eight,
        make_compressed_memory,
        make_compressed_memory,
        make_branch,
        make_branch,
        make_compressed_branch,
        make_jump,
        make_window,
        make_compressed_register_jump,
        make_fence,
    };
    const uint32_t kinds = sizeof makers / sizeof makers[0];
    const uint32_t kind = below(maker, kinds + (maker->options->has_csr ? 1 : 0));
    if (kind == kinds) {
        make_csr(maker);
    } else {
        makers[kind](maker);
    }
}

static void begin(struct maker *maker) {
    for (uint32_t i = 1; i < 32; i++) {
        put_value(maker, i, any_value(maker));
    }
    put_value(maker, SP, WEFT_SYSTEM_RAM + PROGRAM_WINDOW);
    put_value(maker, NEAR, WEFT_SYSTEM_RAM + PROGRAM_FAR_WINDOW);
    put_value(maker, MIDDLE, WEFT_SYSTEM_RAM + PROGRAM_WINDOW + PROGRAM_WINDOW_BYTES / 2);
    put_value(maker, CHECKPOINT, WEFT_SYSTEM_RAM + PROGRAM_CHECKPOINTS);
    if (maker->options->has_csr) {
        put(add(maker), encode_i(OPCODE_SYSTEM, 1, 0, 1, 0x340));
    }
}

static void end(struct maker *maker) {
    /* Branches of the last items land in what does nothing. */
    for (uint32_t i = 0; i < MOST_SKIPPED; i++) {
        put(add(maker), encode_i(OPCODE_IMMEDIATE, 0, 0, 0, 0));
    }
    put_checkpoint(maker);
    put_value(maker, 1, WEFT_SYSTEM_FINISHER);
    put_value(maker, 3, WEFT_FINISHER_PASS);
    put(add(maker), encode_s(2, 1, 3, 0));
    put(add(maker), encode_j(0, 0));
}

/* Puts the distance to where it goes into the jump of item `number`. */
static struct item patched(const struct maker *maker, uint32_t number) {
    struct item item = maker->items[number];
    if (item.skipped == 0) {
        return item;
    }
    uint16_t *const halfwords = item.halfwords + item.patch_at;
    uint32_t distance = item.count;
    for (uint32_t i = 1; i <= item.skipped && number + i < maker->count; i++) {
        distance += maker->items[number + i].count;
    }
    uint32_t bits = halfwords[0];
    bits |= item.patch_halfwords == 2 ? (uint32_t)halfwords[1] << 16 : 0;
    bits = item.patch(bits, (int32_t)(2 * distance));
    halfwords[0] = (uint16_t)bits;
    if (item.patch_halfwords == 2) {
        halfwords[1] = (uint16_t)(bits >> 16);
    }
    return item;
}

static void place(const struct maker *maker, uint8_t *ram) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < maker->count; i++) {
        const struct item item = patched(maker, i);
        for (uint32_t j = 0; j < item.count; j++) {
            ram[at++] = (uint8_t)item.halfwords[j];
            ram[at++] = (uint8_t)(item.halfwords[j] >> 8);
        }
    }
    require(at <= PROGRAM_WINDOW);
}

void program_make(const struct program_options *options, uint8_t *ram) {
    struct maker *maker = malloc(sizeof *maker);
    require(maker != NULL);
    *maker = (struct maker){.options = options, .state = options->seed};
    memset(ram, 0, PROGRAM_RAM_BYTES);
    for (uint32_t i = 0; i < PROGRAM_WINDOW_BYTES; i++) {
        ram[PROGRAM_WINDOW + i] = (uint8_t)draw(maker);
        ram[PROGRAM_FAR_WINDOW + i] = (uint8_t)draw(maker);
    }
    begin(maker);
    for (uint32_t i = 0; i < options->items; i++) {
        make_any(maker);
        if (i % CHECKPOINT_EVERY == CHECKPOINT_EVERY - 1) {
            put_checkpoint(maker);
        }
    }
    end(maker);
    place(maker, ram);
    free(maker);
}
