/* Hardware configurations: struct weft_config is generated from isa/config.def, which says what
 * each parameter means. */
#ifndef WEFT_ISA_CONFIG_H
#define WEFT_ISA_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "isa/isa.h"
#include "isa/parameters.h"

uint32_t weft_parameter_get(const struct weft_config *config,
                            const struct weft_parameter *parameter);

/* Reads a configuration from JSON text of `length` bytes: exactly "name" (1 to 31 letters, digits,
 * `_` or
 * `-`) and every parameter of isa/config.def, inside its range and consistent with the others.
 * Error: WEFT_CONFIG, position = line of a syntax error, else 0. */
bool weft_config_parse(const char *text, size_t length, struct weft_config *config,
                       struct weft_error *error);

/* As weft_config_parse() on a file. Errors: also WEFT_IO, WEFT_LIMIT, WEFT_OUT_OF_MEMORY. */
bool weft_config_read(const char *path, struct weft_config *config, struct weft_error *error);

/* The configurations of hw/configs, built into the program; ended by a NULL name. */
struct weft_builtin_config {
    const char *name;
    const unsigned char *text; /* JSON */
    size_t length;
};
extern const struct weft_builtin_config weft_builtin_configs[];

/* The one of this name; NULL: there is none. */
const struct weft_builtin_config *weft_config_builtin(const char *name);

/* A configuration of hw/configs by its name ("ref16", ...); else, a file of that name, which must
 * not be called like one of hw/configs, by its file or by its "name", unless it is the same. The
 * message of an error begins with the name. Errors: those of weft_config_read(). */
bool weft_config_find(const char *name, struct weft_config *config, struct weft_error *error);

/* May a file of this name hold any configuration: is it not called like one of hw/configs? Error:
 * WEFT_CONFIG. */
bool weft_config_check_file(const char *path, struct weft_error *error);

/* Is it not called like one of hw/configs, or is it that one? Error: WEFT_CONFIG. */
bool weft_config_check_name(const struct weft_config *config, struct weft_error *error);

/* The JSON text of a configuration, as weft_config_parse() reads it. */
bool weft_config_print(const struct weft_config *config, struct weft_text *text,
                       struct weft_error *error);

/* Is every parameter inside its range, and do they fit together? What weft_config_parse() returns
 * does. Error: WEFT_CONFIG. */
bool weft_config_check(const struct weft_config *config, struct weft_error *error);

/* A hash of the instruction encoding and of every parameter, but not of the name: programs carry it
 * and run on machines with the same one only. */
uint64_t weft_config_fingerprint(const struct weft_config *config);

/* Size of an on-chip memory, in bytes; 0 of LUT when the configuration has no look-ups. */
static inline uint32_t weft_memory_bytes(const struct weft_config *config,
                                         enum weft_memory memory) {
    switch (memory) {
    case WEFT_MEMORY_ACT:
        return config->act_bytes;
    case WEFT_MEMORY_WGT:
        return config->wgt_bytes;
    case WEFT_MEMORY_ACC:
        return config->acc_bytes;
    case WEFT_MEMORY_PAR:
        return config->par_bytes;
    case WEFT_MEMORY_LUT:
        return config->lookup != 0 ? 256 * config->block : 0;
    case WEFT_MEMORIES:
        break;
    }
    return 0;
}

/* How many banks an on-chip memory has. */
static inline uint32_t weft_banks(const struct weft_config *config, enum weft_memory memory) {
    switch (memory) {
    case WEFT_MEMORY_ACT:
        return config->act_banks;
    case WEFT_MEMORY_WGT:
        return config->wgt_banks;
    case WEFT_MEMORY_ACC:
        return config->acc_banks;
    case WEFT_MEMORY_PAR:
        return config->par_banks;
    case WEFT_MEMORY_LUT:
        return weft_memory_banks[WEFT_MEMORY_LUT]; /* one, whatever the configuration */
    case WEFT_MEMORIES:
        break;
    }
    return 0;
}

/* How many RAMs the banks of ACT lie in: act_rams, or one for each bank. */
static inline uint32_t weft_act_rams(const struct weft_config *config) {
    return config->act_rams < config->act_banks ? config->act_rams : config->act_banks;
}

/* A mask of all banks of an on-chip memory. */
uint32_t weft_bank_mask(const struct weft_config *config, enum weft_memory memory);

/* Does an instruction need the feature? */
bool weft_feature_is_needed(const struct weft_feature *feature,
                            const struct weft_instruction *instruction);

/* Has the configuration the feature? */
bool weft_config_has(const struct weft_config *config, const struct weft_feature *feature);

/* What an instruction of a known opcode needs and the configuration lacks; NULL: nothing. */
const struct weft_feature *weft_config_lacks(const struct weft_config *config,
                                             const struct weft_instruction *instruction);

/* Does a machine of this configuration take an instruction that weft_decode() has read: is its
 * opcode known, and has the machine every bank that its masks name, and every feature that it
 * needs? Dispatch faults with ENCODING at every other one. */
bool weft_config_takes(const struct weft_config *config,
                       const struct weft_instruction *instruction);

/* Size of one bank of an on-chip memory, in bytes. */
static inline uint32_t weft_bank_bytes(const struct weft_config *config, enum weft_memory memory) {
    return weft_memory_bytes(config, memory) >> __builtin_ctz(weft_banks(config, memory));
}

/* ACC entries (B int32 each) in all. */
static inline uint32_t weft_acc_entries(const struct weft_config *config) {
    return config->acc_bytes >> __builtin_ctz(4 * config->block);
}

/* ACC entries in one bank. */
static inline uint32_t weft_acc_bank_entries(const struct weft_config *config) {
    return weft_acc_entries(config) >> __builtin_ctz(weft_banks(config, WEFT_MEMORY_ACC));
}

/* PAR lines of an ADD or SUB record: 16 bytes (int32 multipliers of a, b and result; int8 shifts of
 * a, b and result; one zero byte), padded to whole lines. */
uint32_t weft_sum_record_lines(const struct weft_config *config);
enum {
    WEFT_SUM_RECORD_BYTES = 16
};

/* Bytes of the weight tile of one MATRIX step: B*B dense, rows*columns*B depthwise. */
uint32_t weft_weight_tile_bytes(const struct weft_config *config,
                                const struct weft_matrix_fields *matrix);

/* Where the rows of a window lie in the dense tile with some index along the innermost level: all
 * of it reads `skipped` bytes further, and from lane `end` on, where a row ends, it reads
 * window_row_stride further still. B: none ends. */
struct weft_dense_tile {
    int64_t skipped;
    uint32_t end;
};

struct weft_dense_tile weft_dense_tile_of(const struct weft_config *config,
                                          const struct weft_matrix_fields *matrix, int64_t index);

#endif
