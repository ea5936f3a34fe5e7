/* Writes seeds for the fuzzers from the embedded model: usage: make_seeds MODEL.tflite PICTURE.png
 * DIR */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/file.h"
#include "cli/cli.h"
#include "cli/traces.h"

struct seeds {
    const char *folder;
    const char *config;
    struct weft_error error;
};

static void check(bool good, const struct seeds *seeds) {
    if (!good) {
        fprintf(stderr, "make_seeds: %s\n", seeds->error.message);
        exit(1);
    }
}

static void write_seed(struct seeds *seeds, const char *fuzzer, const char *name, const void *bytes,
                       size_t length) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", seeds->folder, fuzzer);
    (void)mkdir(path, 0777);
    (void)snprintf(path, sizeof path, "%s/%s/%s-%s", seeds->folder, fuzzer, seeds->config, name);
    check(weft_file_write(path, bytes, length, &seeds->error), seeds);
}

static void after_pass(void *context, const char *pass, const char *text) {
    write_seed(context, "graph", pass, text, strlen(text));
    write_seed(context, "passes", pass, text, strlen(text));
}

/* The sections of a .weft file one after another, as fuzz_container.c packs them. */
static void write_sections(struct seeds *seeds, const uint8_t *file) {
    enum {
        SECTIONS = 6,
        HEADER = 24,
        ENTRY = 32
    };
    struct weft_text text = {0};
    for (int i = 0; i < SECTIONS; i++) {
        const uint8_t *entry = file + HEADER + i * ENTRY;
        uLongf raw = (uLongf)weft_read_u64(entry + 24);
        uint8_t *bytes = malloc(raw + 4);
        if (bytes == NULL || uncompress(bytes + 4, &raw, file + weft_read_u64(entry + 8),
                                        (uLong)weft_read_u64(entry + 16)) != Z_OK) {
            exit(1);
        }
        weft_write_u32(bytes, (uint32_t)raw);
        weft_text_add_bytes(&text, (const char *)bytes, raw + 4);
        free(bytes);
    }
    weft_text_add_bytes(&text, (const char *)file + 16, 8);
    write_seed(seeds, "container", "sections", text.bytes, text.length);
    weft_text_free(&text);
}

static void write_programs(struct seeds *seeds, const struct weft_module *module) {
    for (uint32_t i = 0; i < module->segment_count; i++) {
        const struct weft_program *program = &module->segments[i].program;
        struct weft_text text = {0};
        uint8_t *bytes = NULL;
        for (size_t k = 0; k < program->count; k++) {
            weft_disassemble(&program->instructions[k], &text);
            weft_text_add(&text, "\n");
        }
        write_seed(seeds, "assembly", "program", text.bytes, text.length);
        check(weft_program_encode(program, &bytes, &seeds->error), seeds);
        write_seed(seeds, "program", "program", bytes, program->count * WEFT_INSTRUCTION_BYTES);
        weft_text_free(&text);
        free(bytes);
    }
}

/* The instruction trace, as a file and as what is deflated in it. */
static void write_trace(struct seeds *seeds, const struct weft_module *module) {
    enum {
        HEADER = 24
    };
    const struct machine_options none = {0};
    struct weft_trace_file traces;
    uint8_t *bytes = NULL;
    size_t length = 0;
    check(traces_of(module, &none, &traces, &seeds->error) &&
              weft_trace_write(&module->config, &traces, &bytes, &length, &seeds->error),
          seeds);
    uLongf raw = (uLongf)weft_read_u64(bytes + 16);
    uint8_t *content = malloc(raw);
    if (content == NULL ||
        uncompress(content, &raw, bytes + HEADER, (uLong)(length - HEADER)) != Z_OK) {
        exit(1);
    }
    write_seed(seeds, "trace", "file", bytes, length);
    write_seed(seeds, "trace", "content", content, raw);
    weft_trace_file_free(&traces);
    free(content);
    free(bytes);
}

static void write_all(struct seeds *seeds, const uint8_t *model, size_t length) {
    struct weft_config config;
    struct weft_module *module = NULL;
    struct weft_text text = {0};
    uint8_t *file = NULL;
    size_t file_length = 0;
    struct weft_compile_options options = {.after_pass = after_pass, .context = seeds};
    check(weft_config_find(seeds->config, &config, &seeds->error) &&
              weft_config_print(&config, &text, &seeds->error) &&
              weft_compile(model, length, &config, &options, &module, &seeds->error) &&
              weft_module_write(module, &file, &file_length, &seeds->error),
          seeds);
    write_seed(seeds, "config", "config", text.bytes, text.length);
    write_seed(seeds, "container", "file", file, file_length);
    write_sections(seeds, file);
    write_programs(seeds, module);
    write_trace(seeds, module);
    weft_text_free(&text);
    weft_module_free(module);
    free(file);
}

int main(int argc, char **argv) {
    struct seeds seeds = {.folder = argc == 4 ? argv[3] : ""};
    uint8_t *model = NULL;
    uint8_t *picture = NULL;
    size_t length = 0;
    size_t picture_length = 0;
    if (argc != 4) {
        fprintf(stderr, "usage: make_seeds MODEL.tflite PICTURE.png DIR\n");
        return 2;
    }
    (void)mkdir(seeds.folder, 0777);
    check(weft_file_read(argv[1], &model, &length, &seeds.error), &seeds);
    check(weft_file_read(argv[2], &picture, &picture_length, &seeds.error), &seeds);
    for (size_t i = 0; weft_builtin_configs[i].name != NULL; i++) {
        seeds.config = weft_builtin_configs[i].name;
        write_all(&seeds, model, length);
    }
    write_seed(&seeds, "tflite", "model", model, length);
    write_seed(&seeds, "image", "picture", picture, picture_length);
    static const char npy[] = "\x93NUMPY\x01\0v\0{'descr': '|u1', 'fortran_order': False, 'shape': "
                              "(10,), }                                                          "
                              "\n0123456789";
    write_seed(&seeds, "npy", "array", npy, sizeof npy - 1);
    free(model);
    free(picture);
    return 0;
}
