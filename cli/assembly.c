/* weft asm and weft disasm: programs between text and binary form. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "cli/cli.h"
#include "cli/streams.h"

/* ---- asm ---- */

/* The text of several segments, as weft disasm prints it, is not one program: what is behind a HALT
 * would never run. */
static bool check_end(const char *source, size_t length, const struct weft_program *program,
                      struct weft_error *error) {
    for (size_t i = 0; i + 1 < program->count; i++) {
        if (program->instructions[i].opcode == WEFT_OPCODE_HALT) {
            uint64_t line = weft_assembly_line(source, length, i + 1);
            return weft_fail(error, WEFT_ASSEMBLY, line,
                             "line %" PRIu64 ": expected nothing behind halt, where a program "
                             "ends; of several segments weft disasm --segment N prints one",
                             line);
        }
    }
    return true;
}

int command_asm(const struct given *given) {
    const char *out = given_value(given, OPTION_OUT_BIN);
    struct weft_error error;
    uint8_t *source = NULL;
    uint8_t *binary = NULL;
    size_t length = 0;
    struct weft_program program = {0};
    if (out == NULL) {
        return usage_error("asm", "give %s", given->command->needs);
    }
    int status = STATUS_GOOD;
    if (!stream_read(given->operand, &source, &length, &error) ||
        !weft_assemble((const char *)source, length, &program, &error) ||
        !check_end((const char *)source, length, &program, &error)) {
        status = report(given->operand, &error);
    } else if (!weft_program_encode(&program, &binary, &error) ||
               !stream_write(out, binary, program.count * WEFT_INSTRUCTION_BYTES, &error)) {
        status = report(out, &error);
    }
    weft_program_free(&program);
    free(binary);
    free(source);
    return status;
}

/* ---- disasm ---- */

static void print_program(const struct weft_program *program, const struct weft_segment *segment,
                          struct weft_text *text) {
    int32_t layer = -1;
    for (size_t i = 0; i < program->count; i++) {
        if (segment != NULL && segment->layer_of[i] != layer && segment->layer_of[i] >= 0) {
            layer = segment->layer_of[i];
            weft_text_add(text, "; layer %d: %s\n", layer, segment->layers[layer].name);
        }
        weft_disassemble(&program->instructions[i], text);
        weft_text_add(text, " ; %zu\n", i);
    }
}

static bool disassemble_module(const uint8_t *bytes, size_t length,
                               const struct weft_read_options *limits, const char *wanted,
                               struct weft_text *text, struct weft_error *error) {
    struct weft_module *module = NULL;
    if (!weft_module_read(bytes, length, limits, &module, error)) {
        return false;
    }
    uint64_t only = 0;
    bool good =
        wanted == NULL ||
        (read_number(wanted, UINT32_MAX, &only) && only < module->segment_count) ||
        weft_fail(error, WEFT_ARGUMENT, 0, "there is no segment '%.40s', the program has %u",
                  wanted, module->segment_count);
    for (uint32_t i = 0; good && i < module->segment_count; i++) {
        if (wanted == NULL || only == i) {
            weft_text_add(text, "; segment %u for %s\n", i, module->config.name);
            print_program(&module->segments[i].program, &module->segments[i], text);
        }
    }
    weft_module_free(module);
    return good;
}

static bool disassemble(const uint8_t *bytes, size_t length, const struct open_options *open,
                        const char *segment, struct weft_text *text, struct weft_error *error) {
    if (weft_is_module(bytes, length)) {
        return disassemble_module(bytes, length, &open->limits, segment, text, error) &&
               weft_text_finish(text, error);
    }
    struct weft_program program = {0};
    if (segment != NULL || open->has_weft_limits) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "a binary program has no segments, cycles or operators of the host");
    }
    if (weft_is_assembly((const char *)bytes, length)) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "it is a program as text already; weft asm makes the binary form of it");
    }
    if (!weft_program_decode(bytes, length, &program, error)) {
        return false;
    }
    print_program(&program, NULL, text);
    weft_program_free(&program);
    return weft_text_finish(text, error);
}

int command_disasm(const struct given *given) {
    const char *out = given_value(given, OPTION_OUT_ASM);
    struct open_options open;
    struct weft_error error;
    uint8_t *bytes = NULL;
    size_t length = 0;
    struct weft_text text = {0};
    if (!open_options_read(given, &open)) {
        return STATUS_ERROR;
    }
    text.limit = (size_t)weft_memory_limit(open.limits.bytes);
    int status = STATUS_GOOD;
    if (!stream_read(given->operand, &bytes, &length, &error) ||
        !disassemble(bytes, length, &open, given_value(given, OPTION_SEGMENT), &text, &error)) {
        status = report(given->operand, &error);
    } else if (out == NULL) {
        fputs(text.bytes, stdout);
    } else if (!stream_write(out, text.bytes, text.length, &error)) {
        status = report(out, &error);
    }
    weft_text_free(&text);
    free(bytes);
    return status;
}
