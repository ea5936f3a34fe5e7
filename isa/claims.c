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

/* Banks by memory: those that are read, and those that are written. */
struct touched {
    uint32_t banks[2][WEFT_MEMORIES];
};

static struct touched touched_by(const struct weft_config *config,
                                 const struct weft_footprint *footprint) {
    struct touched touched = {0};
    for (unsigned i = 0; i < footprint->count; i++) {
        const struct weft_access *access = &footprint->access[i];
        if (access->memory != WEFT_EXTERNAL) {
            touched.banks[access->write][access->memory] |= weft_access_banks(config, access);
        }
    }
    return touched;
}

static void tell_apart(const struct touched *touched, struct weft_instruction *instruction) {
    uint32_t read = touched->banks[0][WEFT_MEMORY_ACT];
    uint32_t written = touched->banks[1][WEFT_MEMORY_ACT];
    if (instruction->opcode == WEFT_OPCODE_VECTOR) {
        instruction->vector.input_banks = read & ~written;
        instruction->vector.apart = (read & written) == 0;
    }
}

void weft_claims_tell_apart(const struct weft_config *config,
                            const struct weft_footprint *footprint,
                            struct weft_instruction *instruction) {
    const struct touched touched = touched_by(config, footprint);
    tell_apart(&touched, instruction);
}

void weft_claims_give(const struct weft_config *config, const struct weft_footprint *footprint,
                      struct weft_instruction *instruction) {
    const struct touched touched = touched_by(config, footprint);
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        instruction->banks[i] = touched.banks[0][i] | touched.banks[1][i];
    }
    tell_apart(&touched, instruction);
}

bool weft_claims_meet(const uint32_t a[WEFT_CLAIMS], const uint32_t b[WEFT_CLAIMS]) {
    for (unsigned i = 0; i < WEFT_CLAIMS; i++) {
        if ((a[i] & b[i]) != 0) {
            return true;
        }
    }
    return false;
}
