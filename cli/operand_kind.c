#include "cli/operand_kind.h"

#include <string.h>

#include "compiler/import/import_model.h"
#include "compiler/module.h"

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path);
    size_t end = strlen(ending);
    return length > end && strcmp(path + length - end, ending) == 0;
}

static bool is_binary(const uint8_t *bytes, size_t length) {
    struct weft_instruction instruction;
    struct weft_error error;
    return length >= WEFT_INSTRUCTION_BYTES && weft_decode(bytes, &instruction, &error);
}

enum operand_kind operand_kind_of(const char *path, const uint8_t *bytes, size_t length) {
    if (weft_is_module(bytes, length) || weft_is_model(bytes, length) ||
        weft_is_graph_text(bytes, length)) {
        return OPERAND_MODEL;
    }
    if (ends_with(path, ".bin") || is_binary(bytes, length)) {
        return OPERAND_BINARY;
    }
    return ends_with(path, ".asm") || weft_is_assembly((const char *)bytes, length) ? OPERAND_TEXT
                                                                                    : OPERAND_MODEL;
}
