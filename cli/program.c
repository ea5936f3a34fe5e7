#include "cli/program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "cli/memories.h"
#include "cli/streams.h"

/* ---- reading ---- */

/* Instructions are larger than their bytes, or their text. */
static bool check_size(const struct operand *operand, uint64_t memory_limit,
                       struct weft_error *error) {
    size_t count = operand->kind == OPERAND_TEXT
                       ? weft_assembly_count((const char *)operand->bytes, operand->length)
                       : operand->length / WEFT_INSTRUCTION_BYTES;
    uint64_t bytes = (uint64_t)count * sizeof(struct weft_instruction);
    uint64_t limit = weft_memory_limit(memory_limit);
    return bytes <= limit || weft_limit_passed(error, "the program", bytes, limit);
}

static bool read_program(const struct operand *operand, struct weft_program *program,
                         struct weft_error *error) {
    return operand->kind == OPERAND_TEXT
               ? weft_assemble((const char *)operand->bytes, operand->length, program, error)
               : weft_program_decode(operand->bytes, operand->length, program, error);
}

static int wrong_size(const struct given *given, const char *value) {
    return usage_error(given->command->name, "--region '%.100s': expected bytes, as @4096 or @64K",
                       value);
}

/* Reads NAME=FILE or NAME=@BYTES. */
static bool read_region(const struct given *given, const char *value, bool *seen,
                        struct assembled *assembled) {
    struct memory_name name;
    struct weft_error error;
    const char *file = value_file(VALUE_REGION_IN, value);
    if (!memory_name_read(given, OPTION_REGION, value, true, &name)) {
        return false;
    }
    if (seen[name.region]) {
        usage_error(given->command->name, "--region %s is given twice",
                    weft_region_names[name.region]);
        return false;
    }
    seen[name.region] = true;
    uint64_t *bytes = &assembled->setup.region_bytes[name.region];
    if (file == NULL) {
        return read_bytes(strchr(value, '@') + 1, bytes) || wrong_size(given, value) == STATUS_GOOD;
    }
    size_t length = 0;
    if (!stream_read(file, &assembled->content[name.region], &length, &error)) {
        return report(file, &error) == STATUS_GOOD;
    }
    *bytes = length;
    return true;
}

static bool read_regions(const struct given *given, struct assembled *assembled) {
    const char *const *values = given_values(given, OPTION_REGION);
    bool seen[WEFT_REGIONS] = {false};
    struct weft_error error;
    for (size_t i = 0; i < given_count(given, OPTION_REGION); i++) {
        if (!read_region(given, values[i], seen, assembled)) {
            return false;
        }
        if (!weft_bare_check(&assembled->setup, &error)) { /* before there are more of them */
            return assembled_report(assembled, &error) == STATUS_GOOD;
        }
    }
    return weft_bare_check(&assembled->setup, &error) ||
           assembled_report(assembled, &error) == STATUS_GOOD;
}

bool assembled_read(const struct given *given, const struct open_options *open,
                    const struct operand *operand, struct assembled *assembled) {
    struct weft_error error;
    *assembled = (struct assembled){.operand = operand};
    assembled->setup = (struct weft_bare_setup){.config = &assembled->config,
                                                .program = &assembled->program,
                                                .memory_limit = open->limits.bytes,
                                                .cycle_limit = open->limits.cycles};
    const char *config = open->config == NULL ? DEFAULT_CONFIG : open->config;
    if (!find_config(config, &assembled->config, &error) ||
        !check_size(operand, open->limits.bytes, &error) ||
        !read_program(operand, &assembled->program, &error)) {
        report(operand->path, &error);
        return false;
    }
    if (!read_regions(given, assembled)) {
        assembled_free(assembled);
        return false;
    }
    return true;
}

void assembled_free(struct assembled *assembled) {
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        free(assembled->content[i]);
        assembled->content[i] = NULL;
    }
    weft_program_free(&assembled->program);
}

bool assembled_open(struct assembled *assembled, const char *target,
                    const struct weft_session_options *options, struct weft_bare **bare,
                    struct weft_error *error) {
    struct weft_bare *made = NULL;
    if (!weft_bare_open(target, &assembled->setup, options, &made, error)) {
        return false;
    }
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        uint64_t bytes = assembled->setup.region_bytes[i];
        if (assembled->content[i] != NULL && bytes > 0) {
            memcpy(weft_bare_region(made, (enum weft_region)i), assembled->content[i],
                   (size_t)bytes);
            free(assembled->content[i]); /* once is enough */
            assembled->content[i] = NULL;
        }
    }
    *bare = made;
    return true;
}

/* ---- messages ---- */

void assembled_name(const struct assembled *assembled, char *name, size_t size) {
    file_stem(assembled->operand->path, name, size);
}

/* Is the position of an error the number of an instruction? */
static bool is_about_instruction(enum weft_error_code code) {
    return code == WEFT_FAULT || (code >= WEFT_VERIFY_PROGRAM && code <= WEFT_VERIFY_MEMORY_RACE);
}

int assembled_report(const struct assembled *assembled, const struct weft_error *error) {
    const struct operand *operand = assembled->operand;
    struct weft_error placed = *error;
    uint64_t line = 0;
    if (operand->kind == OPERAND_TEXT && is_about_instruction(error->code)) {
        line = weft_assembly_line((const char *)operand->bytes, operand->length,
                                  (size_t)error->position);
    }
    if (line != 0) {
        weft_error_prefix(&placed, "line %" PRIu64, line);
    }
    return report(operand->path, &placed);
}
