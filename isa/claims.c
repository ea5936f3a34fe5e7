/* What an instruction owns: banks, and ports of the RAMs of ACT. */
#include "isa/claims.h"

#include "base/integer.h"

const char *weft_claim_name(size_t kind) {
    return kind < WEFT_MEMORIES          ? weft_memory_names[kind]
           : kind == WEFT_CLAIM_ACT_READ ? "the read port of act"
                                         : "the write port of act";
}

uint32_t weft_claim_bits(const struct weft_config *config, unsigned kind) {
    return weft_banks(config, kind < WEFT_MEMORIES ? (enum weft_memory)kind : WEFT_MEMORY_ACT);
}

uint32_t weft_act_ram_heads(const struct weft_config *config) {
    uint32_t each = config->act_banks / weft_act_rams(config);
    return (uint32_t)weft_low_bits(config->act_banks) / (uint32_t)weft_low_bits(each);
}

uint32_t weft_act_neighbours(const struct weft_config *config, uint32_t banks) {
    uint32_t each = config->act_banks / weft_act_rams(config); /* both are powers of two */
    uint32_t ram = (uint32_t)weft_low_bits(each);
    uint32_t any = banks & (uint32_t)weft_low_bits(config->act_banks);
    for (uint32_t distance = 1; distance < each; distance *= 2) {
        any |= any >> distance;
    }
    return banks | (any & weft_act_ram_heads(config)) * ram;
}

/* Banks of ACT that it may read; of other instructions than VECTOR all or none. What function of
 * VECTOR it is does not matter: one that reads nothing there says so with `apart`. */
static uint32_t read_banks(const struct weft_instruction *instruction) {
    uint32_t banks = instruction->banks[WEFT_MEMORY_ACT];
    switch (weft_format_of(instruction->opcode)->unit) {
    case WEFT_UNIT_MATRIX:
    case WEFT_UNIT_STORE:
        return banks;
    case WEFT_UNIT_VECTOR:
        return instruction->vector.apart != 0 ? banks & instruction->vector.input_banks : banks;
    default:
        return 0;
    }
}

static uint32_t written_banks(const struct weft_instruction *instruction) {
    uint32_t banks = instruction->banks[WEFT_MEMORY_ACT];
    switch (weft_format_of(instruction->opcode)->unit) {
    case WEFT_UNIT_LOAD:
        return banks;
    case WEFT_UNIT_VECTOR:
        return banks & ~instruction->vector.input_banks;
    default:
        return 0;
    }
}

void weft_claims_of(const struct weft_config *config, const struct weft_instruction *instruction,
                    uint32_t claims[WEFT_CLAIMS]) {
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        claims[i] = instruction->banks[i];
    }
    claims[WEFT_CLAIM_ACT_READ] = weft_act_neighbours(config, read_banks(instruction));
    claims[WEFT_CLAIM_ACT_WRITE] = weft_act_neighbours(config, written_banks(instruction));
}

/* In a VECTOR, of which banks of ACT are read and which are written. */
static void tell_apart(uint32_t read, uint32_t written, struct weft_instruction *instruction) {
    if (instruction->opcode == WEFT_OPCODE_VECTOR) {
        instruction->vector.input_banks = read & ~written;
        instruction->vector.apart = (read & written) == 0;
    }
}

void weft_claims_tell_apart(const struct weft_config *config,
                            const struct weft_footprint *footprint,
                            struct weft_instruction *instruction) {
    uint32_t act[2] = {0, 0}; /* read, written */
    for (unsigned i = 0; i < footprint->count; i++) {
        const struct weft_access *access = &footprint->access[i];
        if (access->memory == WEFT_MEMORY_ACT) {
            act[access->write] |= weft_access_banks(config, access);
        }
    }
    tell_apart(act[0], act[1], instruction);
}

void weft_claims_give(const struct weft_config *config, const struct weft_footprint *footprint,
                      struct weft_instruction *instruction) {
    uint32_t banks[2][WEFT_MEMORIES] = {0}; /* read, written */
    for (unsigned i = 0; i < footprint->count; i++) {
        const struct weft_access *access = &footprint->access[i];
        if (access->memory != WEFT_EXTERNAL) {
            banks[access->write][access->memory] |= weft_access_banks(config, access);
        }
    }
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        instruction->banks[i] = banks[0][i] | banks[1][i];
    }
    tell_apart(banks[0][WEFT_MEMORY_ACT], banks[1][WEFT_MEMORY_ACT], instruction);
}

bool weft_claims_meet(const uint32_t a[WEFT_CLAIMS], const uint32_t b[WEFT_CLAIMS]) {
    for (unsigned i = 0; i < WEFT_CLAIMS; i++) {
        if ((a[i] & b[i]) != 0) {
            return true;
        }
    }
    return false;
}
