#include "isa/isa.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"

const char *const weft_region_names[WEFT_REGIONS] = {
    [WEFT_REGION_PROGRAM] = "program",
    [WEFT_REGION_CONSTANTS] = "constants",
    [WEFT_REGION_SCRATCH] = "scratch",
    [WEFT_REGION_INPUTS] = "inputs",
    [WEFT_REGION_OUTPUTS] = "outputs",
    "5",
    "6",
    "7",
};

static uint32_t *element(struct weft_instruction *instruction, const struct weft_field *field,
                         unsigned index) {
    return (uint32_t *)(void *)((char *)instruction + field->offset) + index;
}

int64_t weft_field_get(const struct weft_instruction *instruction, const struct weft_field *field,
                       unsigned index) {
    uint32_t value;
    memcpy(&value, (const char *)instruction + field->offset + (size_t)index * sizeof value,
           sizeof value);
    return field->kind == WEFT_KIND_SIGNED ? (int64_t)(int32_t)value : (int64_t)value;
}

/* One bit range of an instruction, at most 32 bits. */
static uint32_t get_bits(const uint8_t *bytes, unsigned lsb, unsigned width) {
    uint64_t window = 0;
    unsigned first = lsb / 8;
    unsigned last = (lsb + width - 1) / 8;
    for (unsigned i = first; i <= last; i++) {
        window |= (uint64_t)bytes[i] << (8 * (i - first));
    }
    return (uint32_t)(window >> (lsb % 8) & weft_low_bits(width));
}

static void put_bits(uint8_t *bytes, unsigned lsb, unsigned width, uint32_t value) {
    uint64_t window = (value & weft_low_bits(width)) << (lsb % 8);
    for (unsigned i = lsb / 8; i <= (lsb + width - 1) / 8; i++, window >>= 8) {
        bytes[i] = (uint8_t)(bytes[i] | (window & 0xff));
    }
}

static int64_t largest(const struct weft_field *field) {
    switch (field->kind) {
    case WEFT_KIND_SIGNED:
        return (int64_t)weft_low_bits(field->width - 1);
    case WEFT_KIND_ENUM:
        return (int64_t)field->name_count - 1;
    default:
        return (int64_t)weft_low_bits(field->width);
    }
}

int64_t weft_field_largest(uint32_t opcode, const char *name) {
    const struct weft_format *format = weft_format_of(opcode);
    for (unsigned i = 0; format != NULL && i < format->field_count; i++) {
        if (strcmp(format->fields[i].name, name) == 0) {
            return largest(&format->fields[i]);
        }
    }
    return 0;
}

static bool check_element(const struct weft_format *format, const struct weft_field *field,
                          unsigned index, int64_t value, struct weft_error *error) {
    int64_t low = 0;
    int64_t high = largest(field);
    switch (field->kind) {
    case WEFT_KIND_SIGNED:
        low = -high - 1;
        break;
    case WEFT_KIND_COUNT:
        low = 1;
        break;
    case WEFT_KIND_UNITS:
        if ((value >> format->unit & 1) != 0) {
            return weft_fail(error, WEFT_ENCODING, field->lsb + format->unit,
                             "%s: %s names its own unit (%s)", format->name, field->name,
                             weft_unit_names[format->unit]);
        }
        break;
    case WEFT_KIND_UNSIGNED:
    case WEFT_KIND_BANKS:
    case WEFT_KIND_ENUM:
        break;
    }
    if (value >= low && value <= high) {
        return true;
    }
    char element[16] = "";
    if (field->repeat > 1) {
        (void)snprintf(element, sizeof element, "[%u]", index);
    }
    return weft_fail(error, WEFT_ENCODING, field->lsb + index * field->width,
                     "%s: %s%s is %" PRId64 ", expected %" PRId64 " to %" PRId64, format->name,
                     field->name, element, value, low, high);
}

/* The format of an opcode; NULL, with the error set, when there is none. */
static const struct weft_format *find_format(uint32_t opcode, struct weft_error *error) {
    const struct weft_format *format = weft_format_of(opcode);
    if (format == NULL) {
        weft_error_set(error, WEFT_ENCODING, 0, "there is no opcode %" PRIu32, opcode);
    }
    return format;
}

bool weft_instruction_check(const struct weft_instruction *instruction, struct weft_error *error) {
    const struct weft_format *format = find_format(instruction->opcode, error);
    if (format == NULL) {
        return false;
    }
    for (unsigned i = 0; i < format->field_count; i++) {
        const struct weft_field *field = &format->fields[i];
        for (unsigned j = 0; j < field->repeat; j++) {
            if (!check_element(format, field, j, weft_field_get(instruction, field, j), error)) {
                return false;
            }
        }
    }
    return true;
}

bool weft_encode(const struct weft_instruction *instruction, uint8_t bytes[WEFT_INSTRUCTION_BYTES],
                 struct weft_error *error) {
    if (!weft_instruction_check(instruction, error)) {
        return false;
    }
    const struct weft_format *format = weft_format_of(instruction->opcode);
    memset(bytes, 0, WEFT_INSTRUCTION_BYTES);
    put_bits(bytes, 0, WEFT_OPCODE_BITS, instruction->opcode);
    for (unsigned i = 0; i < format->field_count; i++) {
        const struct weft_field *field = &format->fields[i];
        for (unsigned j = 0; j < field->repeat; j++) {
            put_bits(bytes, field->lsb + j * field->width, field->width,
                     (uint32_t)weft_field_get(instruction, field, j));
        }
    }
    return true;
}

static bool check_reserved(const uint8_t *bytes, const struct weft_format *format,
                           struct weft_error *error) {
    for (unsigned bit = format->end; bit < WEFT_INSTRUCTION_BITS; bit++) {
        if ((bytes[bit / 8] >> (bit % 8) & 1) != 0) {
            return weft_fail(error, WEFT_ENCODING, bit,
                             "%s: reserved bit %u is set, expected zeros from bit %u up",
                             format->name, bit, format->end);
        }
    }
    return true;
}

bool weft_decode(const uint8_t bytes[WEFT_INSTRUCTION_BYTES], struct weft_instruction *instruction,
                 struct weft_error *error) {
    memset(instruction, 0, sizeof *instruction);
    instruction->opcode = get_bits(bytes, 0, WEFT_OPCODE_BITS);
    const struct weft_format *format = find_format(instruction->opcode, error);
    if (format == NULL) {
        return false;
    }
    for (unsigned i = 0; i < format->field_count; i++) {
        const struct weft_field *field = &format->fields[i];
        for (unsigned j = 0; j < field->repeat; j++) {
            uint32_t value = get_bits(bytes, field->lsb + j * field->width, field->width);
            if (field->kind == WEFT_KIND_SIGNED && (value >> (field->width - 1) & 1) != 0) {
                value |= (uint32_t)~weft_low_bits(field->width);
            }
            *element(instruction, field, j) = value;
        }
    }
    return weft_instruction_check(instruction, error) && check_reserved(bytes, format, error);
}

struct weft_instruction weft_instruction_new(enum weft_opcode opcode) {
    struct weft_instruction instruction = {0};
    if (weft_format_of(opcode) != NULL) {
        instruction = weft_new_instructions[opcode];
    }
    instruction.opcode = opcode;
    return instruction;
}

bool weft_program_reserve(struct weft_program *program, size_t count, struct weft_error *error) {
    void *array = program->instructions;
    bool good = weft_reserve(&array, &program->capacity, count, sizeof *program->instructions,
                             "a program", error);
    program->instructions = array;
    return good;
}

bool weft_program_add(struct weft_program *program, const struct weft_instruction *instruction,
                      struct weft_error *error) {
    if (!weft_program_reserve(program, program->count + 1, error)) {
        return false;
    }
    program->instructions[program->count++] = *instruction;
    return true;
}

void weft_program_free(struct weft_program *program) {
    free(program->instructions);
    *program = (struct weft_program){0};
}

bool weft_program_decode(const uint8_t *bytes, size_t length, struct weft_program *program,
                         struct weft_error *error) {
    *program = (struct weft_program){0};
    if (length % WEFT_INSTRUCTION_BYTES != 0) {
        return weft_fail(error, WEFT_ENCODING, length / WEFT_INSTRUCTION_BYTES,
                         "program has %zu bytes, expected a multiple of %d", length,
                         WEFT_INSTRUCTION_BYTES);
    }
    if (!weft_program_reserve(program, length / WEFT_INSTRUCTION_BYTES, error)) {
        return false;
    }
    for (size_t i = 0; i < length / WEFT_INSTRUCTION_BYTES; i++) {
        struct weft_instruction instruction;
        bool good = weft_decode(bytes + i * WEFT_INSTRUCTION_BYTES, &instruction, error);
        if (!good) {
            error->position = i;
            weft_error_prefix(error, "instruction %zu", i);
        }
        if (!good || !weft_program_add(program, &instruction, error)) {
            weft_program_free(program);
            return false;
        }
    }
    return true;
}

bool weft_program_encode(const struct weft_program *program, uint8_t **bytes,
                         struct weft_error *error) {
    uint8_t *encoded =
        weft_allocate(program->count, WEFT_INSTRUCTION_BYTES, "an encoded program", error);
    for (size_t i = 0; encoded != NULL && i < program->count; i++) {
        if (!weft_encode(&program->instructions[i], encoded + i * WEFT_INSTRUCTION_BYTES, error)) {
            error->position = i;
            weft_error_prefix(error, "instruction %zu", i);
            free(encoded);
            return false;
        }
    }
    if (encoded != NULL) {
        *bytes = encoded;
    }
    return encoded != NULL;
}
