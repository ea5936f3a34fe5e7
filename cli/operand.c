#include "cli/operand.h"

#include <stdlib.h>
#include <string.h>

#include "cli/streams.h"

/* ---- what it is ---- */

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path);
    size_t end = strlen(ending);
    return length > end && strcmp(path + length - end, ending) == 0;
}

/* A TFLite model has its identifier in bytes 4 to 7. */
static bool is_model(const uint8_t *bytes, size_t length) {
    return length >= 8 && memcmp(bytes + 4, "TFL3", 4) == 0;
}

static bool is_binary(const uint8_t *bytes, size_t length) {
    struct weft_instruction instruction;
    struct weft_error error;
    return length >= WEFT_INSTRUCTION_BYTES && weft_decode(bytes, &instruction, &error);
}

enum operand_kind operand_kind_of(const char *path, const uint8_t *bytes, size_t length) {
    if (weft_is_module(bytes, length) || is_model(bytes, length)) {
        return OPERAND_MODEL;
    }
    if (ends_with(path, ".bin") || is_binary(bytes, length)) {
        return OPERAND_BINARY;
    }
    return ends_with(path, ".asm") || weft_is_assembly((const char *)bytes, length) ? OPERAND_TEXT
                                                                                    : OPERAND_MODEL;
}

/* ---- options ---- */

static const enum option_id for_models[] = {
    OPTION_INPUT, OPTION_OUT_NPY, OPTION_DUMP_TENSORS, OPTION_MEAN,
    OPTION_STD,   OPTION_SHOW,    OPTION_HOST_LIMIT,   OPTION_WAVE_SEGMENT,
};
static const enum option_id for_programs[] = {OPTION_REGION, OPTION_DUMP_MEMORY};

static bool refuses(const struct given *given, const enum option_id *options, size_t count,
                    const char *why) {
    for (size_t i = 0; i < count; i++) {
        if (given_count(given, options[i]) > 0) {
            usage_error(given->command->name, "%s: --%s %s", given->operand,
                        option_list[options[i]].name, why);
            return true;
        }
    }
    return false;
}

#define SIZE(array) (sizeof(array) / sizeof((array)[0]))

static bool check_options(const struct given *given, enum operand_kind kind) {
    return kind == OPERAND_MODEL
               ? !refuses(given, for_programs, SIZE(for_programs),
                          "is for assembled programs, X.bin or X.asm; this is none")
               : !refuses(given, for_models, SIZE(for_models),
                          "is for models; this is an assembled program, which has regions "
                          "(--region) and memories (--dump-memory)");
}

/* ---- reading ---- */

bool operand_read(const struct given *given, struct operand *operand) {
    struct weft_error error;
    struct operand read = {.path = given->operand};
    if (!stream_read(read.path, &read.bytes, &read.length, &error)) {
        report(read.path, &error);
        return false;
    }
    read.kind = operand_kind_of(read.path, read.bytes, read.length);
    if (!check_options(given, read.kind)) {
        operand_free(&read);
        return false;
    }
    *operand = read;
    return true;
}

void operand_free(struct operand *operand) {
    free(operand->bytes);
    *operand = (struct operand){.bytes = NULL};
}
