#include "cli/operand.h"

#include <stdlib.h>

#include "cli/streams.h"

/* ---- options ---- */

static const enum option_id for_models[] = {
    OPTION_INPUT,     OPTION_OUT_NPY,    OPTION_DUMP_TENSORS, OPTION_LAYOUT,       OPTION_MEAN,
    OPTION_STD,       OPTION_SHOW,       OPTION_HOST_LIMIT,   OPTION_WAVE_SEGMENT, OPTION_PLUGIN,
    OPTION_NO_FUSION, OPTION_HOST,       OPTION_DIM,          OPTION_FRAMES,       OPTION_BATCH,
    OPTION_EFFORT,    OPTION_TECHNOLOGY, OPTION_AREA,
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
