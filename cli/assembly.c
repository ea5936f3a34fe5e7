/* weft asm and weft disasm: programs between text and binary form. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/limit.h"
#include "cli/cli.h"

/* ---- asm ---- */

int command_asm(int argc, char **argv) {
    const char *out = NULL;
    const struct option_spec specs[] = {{.name = "output", .letter = 'o', .value = &out}};
    const char *words[1];
    size_t count = 0;
    struct weft_error error;
    uint8_t *source = NULL;
    uint8_t *binary = NULL;
    size_t length = 0;
    struct weft_program program = {0};
    if (!read_options(argc, argv, specs, 1, words, &count, 1)) {
        return STATUS_ERROR;
    }
    if (count != 1 || out == NULL) {
        return usage_error("asm", "give IN.asm and -o PROGRAM.bin");
    }
    int status = STATUS_GOOD;
    if (!weft_file_read(words[0], &source, &length, &error) ||
        !weft_assemble((const char *)source, length, &program, &error)) {
        status = report(words[0], &error);
    } else if (!weft_program_encode(&program, &binary, &error) ||
               !weft_file_write(out, binary, program.count * WEFT_INSTRUCTION_BYTES, &error)) {
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

static bool disassemble(const uint8_t *bytes, size_t length, const struct open_options *given,
                        const char *segment, struct weft_text *text, struct weft_error *error) {
    if (weft_is_module(bytes, length)) {
        return disassemble_module(bytes, length, &given->limits, segment, text, error) &&
               weft_text_finish(text, error);
    }
    struct weft_program program = {0};
    if (segment != NULL || given->cycle_limit != NULL || given->host_limit != NULL) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "a binary program has no segments, cycles or operators of the host");
    }
    if (!weft_program_decode(bytes, length, &program, error)) {
        return false;
    }
    print_program(&program, NULL, text);
    weft_program_free(&program);
    return weft_text_finish(text, error);
}

int command_disasm(int argc, char **argv) {
    const char *out = NULL;
    const char *segment = NULL;
    struct open_options open = {0};
    const struct option_spec specs[] = {{.name = "output", .letter = 'o', .value = &out},
                                        {.name = "segment", .value = &segment},
                                        LIMIT_OPTION_SPECS(&open)};
    const char *words[1];
    size_t count = 0;
    struct weft_error error;
    uint8_t *bytes = NULL;
    size_t length = 0;
    struct weft_text text = {0};
    if (!read_options(argc, argv, specs, sizeof specs / sizeof specs[0], words, &count, 1) ||
        !read_limits("disasm", &open)) {
        return STATUS_ERROR;
    }
    text.limit = (size_t)weft_memory_limit(open.limits.bytes);
    if (count != 1) {
        return usage_error("disasm", "give a .weft file or a binary program");
    }
    int status = STATUS_GOOD;
    if (!weft_file_read(words[0], &bytes, &length, &error) ||
        !disassemble(bytes, length, &open, segment, &text, &error)) {
        status = report(words[0], &error);
    } else if (out == NULL) {
        fputs(text.bytes, stdout);
    } else if (!weft_file_write(out, text.bytes, text.length, &error)) {
        status = report(out, &error);
    }
    weft_text_free(&text);
    free(bytes);
    return status;
}
