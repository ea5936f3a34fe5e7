#include "tests/unit/helpers.h"

#include <stdio.h>
#include <string.h>

#include "isa/verify/verify.h"
#include "tests/unit/test.h"

const char *const shipped_configs[SHIPPED_CONFIGS] = {"small8", "ref16", "large32"};

struct weft_config shipped_config_of(const char *name) {
    char path[512];
    struct weft_config config = {0};
    struct weft_error error;
    (void)snprintf(path, sizeof path, WEFT_SOURCE_DIR "/hw/configs/%s.json", name);
    ASSERT_GOOD(weft_config_read(path, &config, &error), error);
    return config;
}

struct weft_config config_of(const char *name) {
    struct weft_config config = shipped_config_of(name);
    config.act_rams = config.act_banks;
    return config;
}

struct weft_config tiny_config(uint32_t block) {
    struct weft_config config = config_of(block == 8    ? "small8"
                                          : block == 16 ? "ref16"
                                                        : "large32");
    config.act_bytes = config.act_banks * 16 * block;
    config.wgt_bytes = block < 32 ? 4096 : 8192;
    config.acc_bytes = block < 32 ? 4096 : 16384;
    config.par_bytes = 1024;
    return config;
}

struct weft_config few_banks_config(void) {
    struct weft_config config = config_of("ref16");
    config.act_banks = 4;
    config.wgt_banks = 2;
    config.acc_banks = 2;
    config.par_banks = 1;
    return config;
}

uint64_t random_u64(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

int64_t random_between(uint64_t *seed, int64_t low, int64_t high) {
    return low + (int64_t)(random_u64(seed) % ((uint64_t)(high - low) + 1));
}

bool random_chance(uint64_t *seed, unsigned percent) {
    return random_u64(seed) % 100 < percent;
}

void random_bytes(uint64_t *seed, void *bytes, size_t length) {
    static const uint8_t corners[] = {0x80, 0xff, 0, 1, 0x7f};
    uint8_t *out = bytes;
    for (size_t i = 0; i < length; i++) {
        uint64_t random = random_u64(seed) >> 16;
        out[i] =
            (random & 1) != 0 ? corners[(random >> 8) % LENGTH(corners)] : (uint8_t)(random >> 8);
    }
}

const struct weft_field *field_of(uint32_t opcode, const char *name) {
    const struct weft_format *format = weft_format_of(opcode);
    assert_non_null(format);
    for (unsigned i = 0; i < format->field_count; i++) {
        if (strcmp(format->fields[i].name, name) == 0) {
            return &format->fields[i];
        }
    }
    print_error("%s has no field %s\n", format->name, name);
    fail();
    return NULL;
}

void field_set(struct weft_instruction *instruction, const struct weft_field *field, unsigned index,
               int64_t value) {
    uint32_t bits = (uint32_t)value;
    memcpy((char *)instruction + field->offset + (size_t)index * sizeof bits, &bits, sizeof bits);
}

int64_t field_low(const struct weft_field *field) {
    switch (field->kind) {
    case WEFT_KIND_SIGNED:
        return -(INT64_C(1) << (field->width - 1));
    case WEFT_KIND_COUNT:
        return 1;
    default:
        return 0;
    }
}

int64_t field_high(uint32_t opcode, const struct weft_field *field) {
    int64_t ones = (INT64_C(1) << field->width) - 1;
    switch (field->kind) {
    case WEFT_KIND_SIGNED:
        return ones >> 1;
    case WEFT_KIND_UNITS:
        return ones & ~(INT64_C(1) << weft_format_of(opcode)->unit);
    case WEFT_KIND_ENUM:
        return (int64_t)field->name_count - 1;
    default:
        return ones;
    }
}

struct weft_instruction random_instruction(uint64_t *seed, uint32_t opcode) {
    struct weft_instruction instruction;
    memset(&instruction, 0, sizeof instruction);
    instruction.opcode = opcode;
    const struct weft_format *format = weft_format_of(opcode);
    for (unsigned i = 0; i < format->field_count; i++) {
        const struct weft_field *field = &format->fields[i];
        int64_t low = field_low(field);
        int64_t high = field_high(opcode, field);
        for (unsigned j = 0; j < field->repeat; j++) {
            int64_t value = random_between(seed, low, high);
            if (field->kind == WEFT_KIND_UNITS) {
                value &= high;
            }
            uint64_t corner = random_u64(seed) % 8;
            value = corner == 0 ? low : corner == 1 ? high : value;
            field_set(&instruction, field, j, value);
        }
    }
    return instruction;
}

bool same_instruction(const struct weft_instruction *a, const struct weft_instruction *b) {
    const struct weft_format *format = weft_format_of(a->opcode);
    bool same = a->opcode == b->opcode;
    for (unsigned i = 0; same && i < format->field_count; i++) {
        const struct weft_field *field = &format->fields[i];
        for (unsigned j = 0; j < field->repeat; j++) {
            same = same && weft_field_get(a, field, j) == weft_field_get(b, field, j);
        }
    }
    return same;
}

struct weft_instruction with_all_banks(enum weft_opcode opcode) {
    struct weft_instruction instruction = weft_instruction_new(opcode);
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        instruction.banks[i] = (uint32_t)((UINT64_C(1) << weft_memory_banks[i]) - 1);
    }
    return instruction;
}

struct weft_instruction unclamped_vector(enum weft_function function) {
    struct weft_instruction instruction = with_all_banks(WEFT_OPCODE_VECTOR);
    instruction.vector.function = function;
    instruction.vector.low = INT8_MIN;
    instruction.vector.high = INT8_MAX;
    return instruction;
}

struct weft_instruction weights_beyond_64_bits(void) {
    static const uint32_t counts[4] = {16295, 14463, 9571, 14198};
    struct weft_instruction matrix = with_all_banks(WEFT_OPCODE_MATRIX);
    memcpy(matrix.matrix.tile_count, counts, sizeof counts);
    matrix.matrix.mode = WEFT_MODE_DEPTHWISE;
    matrix.matrix.window_rows = 3;
    matrix.matrix.window_columns = 6;
    matrix.matrix.window_row_stride = 32;
    matrix.matrix.pixel_act_stride[1] = 32;
    matrix.matrix.window_step = 1;
    return matrix;
}

struct weft_regions same_regions(uint64_t limit) {
    struct weft_regions regions = {.writable = (1U << WEFT_REGIONS) - 1};
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        regions.limit[i] = limit;
    }
    return regions;
}

bool is_legal(const struct weft_config *config, const struct weft_instruction *instruction) {
    struct weft_instruction program[] = {*instruction, weft_instruction_new(WEFT_OPCODE_HALT)};
    struct weft_regions regions = same_regions(1 << 20);
    struct weft_proof proof;
    struct weft_error error;
    return weft_verify(config, program, LENGTH(program), &regions, &proof, &error);
}

void assert_mentions(const char *message, const char *part) {
    if (strstr(message, part) == NULL) {
        print_error("'%s' does not mention '%s'\n", message, part);
        fail();
    }
}

void assert_breaks(const struct weft_config *config, const struct weft_instruction *instruction,
                   enum weft_error_code code, const char *part) {
    struct weft_instruction program[] = {*instruction, weft_instruction_new(WEFT_OPCODE_HALT)};
    struct weft_regions regions = same_regions(1 << 20);
    struct weft_proof proof;
    struct weft_error error;
    ASSERT_FAILS(weft_verify(config, program, LENGTH(program), &regions, &proof, &error), error,
                 code);
    assert_int_equal(error.position, 0);
    assert_mentions(error.message, part);
}

struct weft_instruction needing(size_t number, const char **parameter) {
    static const struct {
        const char *parameter;
        enum weft_opcode opcode;
        const char *field;
        int64_t value;
    } all[NEEDING] = {
        {"weight_zero_point", WEFT_OPCODE_MATRIX, "weight_zero", -1},
        {"weight_zero_point", WEFT_OPCODE_MATRIX, "weight_zero", 127},
        {"lookup", WEFT_OPCODE_VECTOR, "function", WEFT_FUNCTION_LUT},
        {"lookup", WEFT_OPCODE_VECTOR, "function", WEFT_FUNCTION_SOFTMAX},
        {"lookup", WEFT_OPCODE_LOAD, "memory", WEFT_TARGET_LUT},
        {"lookup", WEFT_OPCODE_LOAD, "lut_banks", 1},
        {"lookup", WEFT_OPCODE_FILL, "lut_banks", 1},
        {"lookup", WEFT_OPCODE_STORE, "lut_banks", 1},
        {"lookup", WEFT_OPCODE_MATRIX, "lut_banks", 1},
        {"compression", WEFT_OPCODE_LOAD, "units", 1},
        {"compression", WEFT_OPCODE_LOAD, "base", -1},
        {"multiply", WEFT_OPCODE_VECTOR, "function", WEFT_FUNCTION_MUL},
        {"multiply", WEFT_OPCODE_VECTOR, "function", WEFT_FUNCTION_SQUARED_DIFFERENCE},
        {"softmax", WEFT_OPCODE_VECTOR, "function", WEFT_FUNCTION_SOFTMAX},
        {"gemmlowp", WEFT_OPCODE_VECTOR, "rounding", WEFT_ROUNDING_GEMMLOWP},
        {"gemmlowp", WEFT_OPCODE_VECTOR, "function", WEFT_FUNCTION_ADD},
        {"gemmlowp", WEFT_OPCODE_VECTOR, "function", WEFT_FUNCTION_SUB},
        {"gemmlowp", WEFT_OPCODE_VECTOR, "function", WEFT_FUNCTION_RESCALE},
        {"gemmlowp", WEFT_OPCODE_VECTOR, "function", WEFT_FUNCTION_SQUARED_DIFFERENCE},
        {"gemmlowp", WEFT_OPCODE_VECTOR, "function", WEFT_FUNCTION_SOFTMAX},
        {"dense_rows", WEFT_OPCODE_MATRIX, "window_rows", 2},
        {"activation_zero_point", WEFT_OPCODE_MATRIX, "act_zero", -128},
        {"short_records", WEFT_OPCODE_VECTOR, "short_records", 1},
    };
    struct weft_instruction instruction = weft_instruction_new(all[number].opcode);
    field_set(&instruction, field_of(all[number].opcode, all[number].field), 0, all[number].value);
    *parameter = all[number].parameter;
    return instruction;
}

void set_parameter(struct weft_config *config, const char *name, uint32_t value) {
    for (size_t i = 0; i < WEFT_PARAMETERS; i++) {
        if (strcmp(weft_parameter_list[i].name, name) == 0) {
            memcpy((char *)config + weft_parameter_list[i].offset, &value, sizeof value);
            return;
        }
    }
    fail();
}
