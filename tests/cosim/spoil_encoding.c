/* Illegal encodings. */
#include <string.h>

#include "tests/cosim/spoil.h"
#include "tests/unit/helpers.h"

static void set_bit(uint8_t *bytes, unsigned bit) {
    bytes[bit / 8] |= (uint8_t)(1U << bit % 8);
}

/* Sets an element of a field to any bits, legal or not. */
static void set_field(uint8_t *bytes, const struct weft_field *field, unsigned index,
                      uint32_t value) {
    for (unsigned i = 0; i < field->width; i++) {
        unsigned bit = field->lsb + index * field->width + i;
        bytes[bit / 8] &= (uint8_t) ~(1U << bit % 8);
        if ((value >> i & 1) != 0) {
            set_bit(bytes, bit);
        }
    }
}

static void illegal_opcode(uint8_t *bytes, uint64_t *seed) {
    static const uint8_t opcodes[] = {0, 8, 9, 10, 11, 12, 13, 14, 15};
    bytes[0] = (uint8_t)((bytes[0] & 0xf0) |
                         opcodes[random_between(seed, 0, (int64_t)LENGTH(opcodes) - 1)]);
}

static void reserved_bit(uint8_t *bytes, const struct weft_format *format, uint64_t *seed) {
    unsigned last = random_chance(seed, 25) ? format->end : WEFT_INSTRUCTION_BITS - 1;
    set_bit(bytes, (unsigned)random_between(seed, format->end, last));
}

/* Spoils a field as its kind allows; false when every value is legal. */
static bool illegal_field(uint8_t *bytes, const struct weft_format *format, uint64_t *seed) {
    const struct weft_field *field =
        &format->fields[random_between(seed, 0, (int64_t)format->field_count - 1)];
    switch (field->kind) {
    case WEFT_KIND_COUNT:
        set_field(bytes, field, (unsigned)random_between(seed, 0, (int64_t)field->repeat - 1), 0);
        return true;
    case WEFT_KIND_UNITS:
        set_bit(bytes, field->lsb + format->unit);
        return true;
    case WEFT_KIND_ENUM:
        if (field->name_count == 1U << field->width) {
            return false;
        }
        set_field(bytes, field, 0,
                  (uint32_t)random_between(seed, field->name_count, (1 << field->width) - 1));
        return true;
    default:
        return false;
    }
}

static bool lacks_banks(const struct weft_config *config) {
    bool lacks = false;
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        lacks = lacks || weft_banks(config, (enum weft_memory)i) < weft_memory_banks[i];
    }
    return lacks;
}

/* Names a bank that the configuration does not have, which the encoding could say; false when it
 * has all of the memory, or the opcode has no masks. */
static bool missing_bank(const struct weft_config *config, struct weft_instruction *instruction,
                         uint64_t *seed) {
    enum weft_memory memory =
        (enum weft_memory)random_between(seed, WEFT_MEMORY_ACT, WEFT_MEMORY_PAR);
    uint32_t banks = weft_banks(config, memory);
    uint32_t most = weft_memory_banks[memory];
    if (banks == most || weft_format_of(instruction->opcode)->unit == WEFT_UNITS) {
        return false;
    }
    uint32_t bank =
        random_chance(seed, 40) ? banks : (uint32_t)random_between(seed, banks, most - 1);
    instruction->banks[memory] |= 1U << bank;
    return true;
}

/* Makes the instruction one that needs a feature which the configuration lacks; false when the pick
 * is one of another opcode, or one that the configuration has. */
static bool missing_feature(const struct weft_config *config, struct weft_instruction *instruction,
                            const uint8_t *encoded, uint64_t *seed) {
    unsigned count = 0;
    while (weft_features[count].name != NULL) {
        count++;
    }
    const struct weft_feature *feature =
        &weft_features[random_between(seed, 0, (int64_t)count - 1)];
    if (feature->opcode != instruction->opcode || weft_config_has(config, feature)) {
        return false;
    }
    uint8_t bytes[WEFT_INSTRUCTION_BYTES];
    struct weft_error ignored;
    memcpy(bytes, encoded, sizeof bytes);
    for (unsigned i = 0; i < LENGTH(feature->conditions); i++) {
        const struct weft_field *field = feature->conditions[i].field;
        if (field != NULL) {
            uint32_t value = (uint32_t)feature->conditions[i].value;
            uint32_t other = (uint32_t)random_between(seed, 1, (INT64_C(1) << field->width) - 1);
            set_field(bytes, field, 0, feature->conditions[i].is ? value : value ^ other);
        }
    }
    return weft_decode(bytes, instruction, &ignored);
}

static bool lacks_features(const struct weft_config *config) {
    bool lacks = false;
    for (unsigned i = 0; weft_features[i].name != NULL; i++) {
        lacks = lacks || !weft_config_has(config, &weft_features[i]);
    }
    return lacks;
}

bool spoil_encoding_of(struct cosim_case *test, uint32_t number, uint64_t *seed) {
    uint8_t bytes[WEFT_INSTRUCTION_BYTES];
    struct weft_error ignored;
    struct weft_instruction *instruction = &test->program.instructions[number];
    if (test->raws == CASE_RAWS || !weft_encode(instruction, bytes, &ignored)) {
        return false;
    }
    if (lacks_banks(test->config) && random_chance(seed, 30) &&
        missing_bank(test->config, instruction, seed)) {
        return true;
    }
    if (lacks_features(test->config) && random_chance(seed, 40)) {
        for (unsigned i = 0; i < 20; i++) {
            if (missing_feature(test->config, instruction, bytes, seed)) {
                return true;
            }
        }
    }
    const struct weft_format *format = weft_format_of(instruction->opcode);
    unsigned way = (unsigned)random_between(seed, 0, 9);
    if (way <= 1) {
        illegal_opcode(bytes, seed);
    } else if (way <= 3 || format->field_count == 0) {
        reserved_bit(bytes, format, seed);
    } else {
        while (!illegal_field(bytes, format, seed)) {
        }
    }
    case_set_raw(test, number, bytes);
    return true;
}

bool spoil_encoding(struct cosim_case *test, const struct weft_trace *trace, uint64_t *seed) {
    (void)trace;
    uint32_t count = (uint32_t)test->program.count;
    uint32_t number = (uint32_t)random_between(seed, 0, (int64_t)count - 1);
    /* FENCEs are few. */
    bool fence = random_chance(seed, 10);
    for (uint32_t i = 0; i < count && fence; i++) {
        fence = test->program.instructions[i].opcode != WEFT_OPCODE_FENCE;
        number = fence ? number : i;
    }
    return spoil_encoding_of(test, number, seed);
}
