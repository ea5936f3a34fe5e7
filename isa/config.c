#include "isa/config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/integer.h"
#include "isa/config_parse.h"

uint32_t weft_parameter_get(const struct weft_config *config,
                            const struct weft_parameter *parameter) {
    uint32_t value;
    memcpy(&value, (const char *)config + parameter->offset, sizeof value);
    return value;
}

/* What the address arithmetic and the pipelines of the machine rely on. */
static bool check_rules(const struct weft_config *c, struct weft_error *error) {
    const struct {
        bool holds;
        const char *text;
    } rules[] = {
#define WEFT_RULE(condition, text) {condition, text},
#include "isa/rules.def"
#undef WEFT_RULE
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (!rules[i].holds) {
            return weft_fail(error, WEFT_CONFIG, 0, "rule broken: %s", rules[i].text);
        }
    }
    return true;
}

bool weft_config_check(const struct weft_config *config, struct weft_error *error) {
    for (size_t i = 0; i < WEFT_PARAMETERS; i++) {
        const struct weft_parameter *parameter = &weft_parameter_list[i];
        uint32_t value = weft_parameter_get(config, parameter);
        if (value < parameter->low || value > parameter->high) {
            return weft_fail(error, WEFT_CONFIG, 0,
                             "\"%s\" is %" PRIu32 ", expected %" PRIu32 " to %" PRIu32,
                             parameter->name, value, parameter->low, parameter->high);
        }
    }
    return check_rules(config, error);
}

bool weft_config_parse(const char *text, size_t length, struct weft_config *config,
                       struct weft_error *error) {
    struct weft_config read = {0};
    if (!config_parse_json(text, length, &read, error) || !check_rules(&read, error)) {
        return false;
    }
    *config = read;
    return true;
}

bool weft_config_read(const char *path, struct weft_config *config, struct weft_error *error) {
    uint8_t *bytes = NULL;
    size_t length = 0;
    if (!weft_file_read(path, &bytes, &length, error)) {
        return false;
    }
    bool good = weft_config_parse((const char *)bytes, length, config, error);
    free(bytes);
    return good;
}

const struct weft_builtin_config *weft_config_builtin(const char *name) {
    for (size_t i = 0; weft_builtin_configs[i].name != NULL; i++) {
        if (strcmp(weft_builtin_configs[i].name, name) == 0) {
            return &weft_builtin_configs[i];
        }
    }
    return NULL;
}

static bool read_builtin(const struct weft_builtin_config *builtin, struct weft_config *config,
                         struct weft_error *error) {
    return weft_config_parse((const char *)builtin->text, builtin->length, config, error);
}

/* Is the file called NAME.json, or just NAME, in some folder? */
static bool is_file_of(const char *path, const char *name) {
    const char *slash = strrchr(path, '/');
    const char *file = slash == NULL ? path : slash + 1;
    size_t length = strlen(name);
    return strncmp(file, name, length) == 0 &&
           (file[length] == '\0' || strcmp(file + length, ".json") == 0);
}

bool weft_config_check_file(const char *path, struct weft_error *error) {
    for (size_t i = 0; weft_builtin_configs[i].name != NULL; i++) {
        const char *name = weft_builtin_configs[i].name;
        if (is_file_of(path, name)) {
            return weft_fail(error, WEFT_CONFIG, 0,
                             "it is called %s, as a built-in configuration is; give it another "
                             "name",
                             name);
        }
    }
    return true;
}

/* Who reads the name of a built-in configuration must be able to rely on it. */
static bool check_name(const char *path, const struct weft_config *config,
                       struct weft_error *error) {
    for (size_t i = 0; weft_builtin_configs[i].name != NULL; i++) {
        const char *name = weft_builtin_configs[i].name;
        struct weft_config builtin;
        if (strcmp(config->name, name) != 0 && !is_file_of(path, name)) {
            continue;
        }
        if (!read_builtin(&weft_builtin_configs[i], &builtin, error)) {
            return false;
        }
        for (size_t k = 0; k < WEFT_PARAMETERS; k++) {
            const struct weft_parameter *parameter = &weft_parameter_list[k];
            uint32_t value = weft_parameter_get(config, parameter);
            uint32_t known = weft_parameter_get(&builtin, parameter);
            if (value != known) {
                return weft_fail(error, WEFT_CONFIG, 0,
                                 "it is called %s, as a built-in configuration is, whose "
                                 "\"%s\" is %" PRIu32 ", not %" PRIu32
                                 "; give it another name, and its file, too",
                                 name, parameter->name, known, value);
            }
        }
    }
    return true;
}

bool weft_config_check_name(const struct weft_config *config, struct weft_error *error) {
    return check_name("", config, error);
}

bool weft_config_find(const char *name, struct weft_config *config, struct weft_error *error) {
    struct weft_config read;
    const struct weft_builtin_config *builtin = weft_config_builtin(name);
    if (builtin != NULL) {
        return read_builtin(builtin, config, error);
    }
    if (!weft_config_read(name, &read, error) || !check_name(name, &read, error)) {
        return weft_fail_context(error, "configuration %.100s", name);
    }
    *config = read;
    return true;
}

bool weft_config_print(const struct weft_config *config, struct weft_text *text,
                       struct weft_error *error) {
    weft_text_add(text, "{\n    \"name\": \"%s\"", config->name);
    for (size_t i = 0; i < WEFT_PARAMETERS; i++) {
        const struct weft_parameter *parameter = &weft_parameter_list[i];
        weft_text_add(text, ",\n    \"%s\": %" PRIu32, parameter->name,
                      weft_parameter_get(config, parameter));
    }
    weft_text_add(text, "\n}\n");
    return weft_text_finish(text, error);
}

uint64_t weft_config_fingerprint(const struct weft_config *config) {
    uint64_t hash = weft_hash_u64(WEFT_HASH_START, WEFT_ISA_HASH);
    for (size_t i = 0; i < WEFT_PARAMETERS; i++) {
        hash = weft_hash_u64(hash, weft_parameter_get(config, &weft_parameter_list[i]));
    }
    return hash;
}

uint32_t weft_bank_mask(const struct weft_config *config, enum weft_memory memory) {
    return (uint32_t)weft_low_bits(weft_banks(config, memory));
}

bool weft_config_has(const struct weft_config *config, const struct weft_feature *feature) {
    uint32_t has;
    memcpy(&has, (const char *)config + feature->offset, sizeof has);
    return has != 0;
}

bool weft_feature_is_needed(const struct weft_feature *feature,
                            const struct weft_instruction *instruction) {
    if (feature->opcode != instruction->opcode) {
        return false;
    }
    for (size_t i = 0; i < 2 && feature->conditions[i].field != NULL; i++) {
        int64_t value = weft_field_get(instruction, feature->conditions[i].field, 0);
        if ((value == feature->conditions[i].value) != feature->conditions[i].is) {
            return false;
        }
    }
    return true;
}

const struct weft_feature *weft_config_lacks(const struct weft_config *config,
                                             const struct weft_instruction *instruction) {
    for (const struct weft_feature *feature = weft_features; feature->name != NULL; feature++) {
        if (!weft_config_has(config, feature) && weft_feature_is_needed(feature, instruction)) {
            return feature;
        }
    }
    return NULL;
}

bool weft_config_takes(const struct weft_config *config,
                       const struct weft_instruction *instruction) {
    bool takes = weft_format_of(instruction->opcode) != NULL;
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        uint32_t mask = weft_bank_mask(config, (enum weft_memory)i);
        takes = takes && (instruction->banks[i] & ~mask) == 0;
    }
    return takes && weft_config_lacks(config, instruction) == NULL;
}

uint32_t weft_sum_record_lines(const struct weft_config *config) {
    return (WEFT_SUM_RECORD_BYTES + config->block - 1) / config->block;
}

uint32_t weft_weight_tile_bytes(const struct weft_config *config,
                                const struct weft_matrix_fields *matrix) {
    return matrix->mode == WEFT_MODE_DENSE
               ? config->block * config->block
               : matrix->window_rows * matrix->window_columns * config->block;
}

enum {
    END_MASK = 63 /* hardware counts the bytes to the end of a row in six bits */
};

struct weft_dense_tile weft_dense_tile_of(const struct weft_config *config,
                                          const struct weft_matrix_fields *matrix, int64_t index) {
    uint32_t block = config->block;
    uint32_t end = matrix->window_first;
    uint32_t ends = matrix->window_rows > 1 ? matrix->window_rows - 1 : 0; /* not yet passed */
    int64_t skipped = 0;
    for (int64_t i = 0; i < index && ends > 0; i++) {
        if (end <= block) {
            skipped += matrix->window_row_stride;
            end += matrix->window_columns;
            ends--;
        }
        end = (end - block) & END_MASK;
    }
    return (struct weft_dense_tile){skipped, ends > 0 && end < block ? end : block};
}
