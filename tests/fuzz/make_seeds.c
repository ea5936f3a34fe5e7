/* Writes seeds for the fuzzers from the embedded model: usage: make_seeds MODEL.tflite PICTURE.png
 * DIR */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/log_file.h"
#include "compiler/export/export.h"
#include "report/traces.h"
#include "sweep/codesign.h"
#include "tests/unit/remote_bytes.h"

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

static bool after_pass(void *context, const char *pass, const struct weft_graph *graph,
                       struct weft_error *error) {
    struct weft_text text = {0};
    weft_graph_write(graph, &text);
    bool good = weft_text_finish(&text, error);
    if (good) {
        write_seed(context, "graph", pass, text.bytes, text.length);
        write_seed(context, "passes", pass, text.bytes, text.length);
    }
    weft_text_free(&text);
    return good;
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

static void write_trace(struct seeds *seeds, const struct weft_module *module) {
    const struct weft_session_options none = {0};
    struct weft_trace_file traces;
    uint8_t *bytes = NULL;
    size_t length = 0;
    check(traces_of(module, &none, 0, &traces, &seeds->error) &&
              weft_trace_write(&module->config, &traces, &bytes, &length, &seeds->error),
          seeds);
    write_seed(seeds, "trace", "file", bytes, length);
    weft_trace_file_free(&traces);
    free(bytes);
}

/* ---- BMP ---- */

struct bitmap {
    const char *name;
    int32_t width, height; /* negative: from top to bottom */
    uint16_t bits;         /* of a pixel; 8: with a palette */
    bool old;              /* the header of OS/2, 12 bytes */
};

static void put(struct weft_text *out, unsigned bytes, uint32_t value) {
    for (unsigned i = 0; i < bytes; i++) {
        const char byte = (char)(uint8_t)(value >> 8 * i);
        weft_text_add_bytes(out, &byte, 1);
    }
}

static void write_bitmap(struct seeds *seeds, const struct bitmap *bitmap) {
    enum {
        FILE_HEADER = 14,
        OLD_HEADER = 12,
        HEADER = 40,
        COLOURS = 256
    };
    struct weft_text file = {0};
    unsigned colour = bitmap->bits != 8 ? 0 : bitmap->old ? 3 : 4; /* bytes */
    uint32_t header = bitmap->old ? OLD_HEADER : HEADER;
    uint32_t offset = FILE_HEADER + header + colour * COLOURS;
    uint32_t height = (uint32_t)(bitmap->height < 0 ? -bitmap->height : bitmap->height);
    uint32_t pixels = ((uint32_t)bitmap->width * bitmap->bits + 31) / 32 * 4 * height;
    weft_text_add(&file, "BM");
    put(&file, 4, offset + pixels);
    put(&file, 4, 0);
    put(&file, 4, offset);
    put(&file, 4, header);
    put(&file, bitmap->old ? 2 : 4, (uint32_t)bitmap->width);
    put(&file, bitmap->old ? 2 : 4, (uint32_t)bitmap->height);
    put(&file, 2, 1);
    put(&file, 2, bitmap->bits);
    for (unsigned i = 0; i < 6 && !bitmap->old; i++) {
        put(&file, 4, i == 4 && colour != 0 ? COLOURS : 0);
    }
    for (uint32_t i = 0; i < colour * COLOURS + pixels; i++) {
        put(&file, 1, i * 37);
    }
    write_seed(seeds, "image", bitmap->name, file.bytes, file.length);
    weft_text_free(&file);
}

static void write_bitmaps(struct seeds *seeds) {
    static const struct bitmap bitmaps[] = {
        {"bmp-24", 5, 4, 24, false},         {"bmp-24-from-top", 5, -4, 24, false},
        {"bmp-palette", 7, 3, 8, false},     {"bmp-16", 5, 4, 16, false},
        {"bmp-32", 5, 4, 32, false},         {"bmp-old", 5, 4, 24, true},
        {"bmp-old-palette", 7, 3, 8, true},  {"bmp-of-no-columns", 0, 1, 24, false},
        {"bmp-of-no-rows", 1, 0, 24, false},
    };
    for (size_t i = 0; i < sizeof bitmaps / sizeof bitmaps[0]; i++) {
        write_bitmap(seeds, &bitmaps[i]);
    }
}

/* ---- decisions ---- */

static void write_decisions(struct seeds *seeds, const struct weft_module *module) {
    struct weft_text text = {0};
    check(weft_module_decisions(module, &text, &seeds->error), seeds);
    write_seed(seeds, "decisions", "decisions", text.bytes, text.length);
    weft_text_free(&text);
}

/* ---- logs of tuning ---- */

struct noted {
    struct tuning *tuning;
    struct weft_text text;
};

static void note_better(void *context, const struct tune_better *better) {
    struct noted *noted = context;
    tune_log_print_line(&noted->text, tuning_region(noted->tuning, better->region), better, 0);
}

static void write_tune_log(struct seeds *seeds, struct weft_module *module) {
    const struct tune_options options = {.seed = 1, .jobs = 1};
    struct weft_arena arena = {0};
    struct noted noted = {0};
    const struct tune_log_head head = tune_log_head_of(&arena, module, "climb", 1, 1);
    tune_log_print_head(&noted.text, &head);
    check(tuning_open(module, &options, &noted.tuning, &seeds->error), seeds);
    for (int i = 0; i < 16; i++) {
        check(tuning_step(noted.tuning, 16, note_better, &noted, &seeds->error), seeds);
    }
    check(weft_text_finish(&noted.text, &seeds->error), seeds);
    write_seed(seeds, "tune_log", "log", noted.text.bytes, noted.text.length);
    tuning_close(noted.tuning);
    weft_text_free(&noted.text);
    weft_arena_free(&arena);
}

struct source {
    const uint8_t *model;
    size_t length;
};

static bool compile(void *context, const struct weft_config *config, struct weft_module **module,
                    struct weft_error *error) {
    const struct source *source = context;
    const struct weft_compile_options options = {.decisions = NULL};
    return weft_compile(source->model, source->length, config, &options, module, error);
}

static bool write_lines(void *context, const struct weft_text *lines, struct weft_error *error) {
    struct weft_text *text = context;
    weft_text_add_bytes(text, lines->bytes, lines->length);
    return weft_text_finish(text, error);
}

/* As tests/fuzz/fuzz_machines_log.c searches. */
static void write_machines_log(struct seeds *seeds, const uint8_t *model, size_t length) {
    struct source source = {model, length};
    struct sweep_definition grid = {0};
    struct weft_area_model area;
    struct weft_text text = {0};
    struct codesign *codesign = NULL;
    bool more = true;
    check(weft_area_find("ecp5", &area, &seeds->error) &&
              sweep_add_config(&grid, seeds->config, &seeds->error) &&
              sweep_add_grid(&grid, "act_bytes=16K..128K", &seeds->error),
          seeds);
    const struct codesign_options options = {.grid = &grid,
                                             .area = &area,
                                             .most_area = 300000,
                                             .tune = {.seed = 1, .jobs = 1},
                                             .compile = compile,
                                             .context = &source,
                                             .write = write_lines,
                                             .write_context = &text};
    check(codesign_open(&options, &codesign, &seeds->error), seeds);
    codesign_log_head(codesign, &text);
    for (int i = 0; i < 16 && more; i++) {
        check(codesign_step(codesign, CODESIGN_SCHEDULES, &more, &seeds->error), seeds);
    }
    check(weft_text_finish(&text, &seeds->error), seeds);
    write_seed(seeds, "machines_log", "log", text.bytes, text.length);
    codesign_close(codesign);
    sweep_definition_free(&grid);
    weft_text_free(&text);
}

/* ---- models for firmware ---- */

static void write_export(struct seeds *seeds, const struct weft_module *module) {
    struct weft_export made;
    check(weft_export(module, &made, &seeds->error), seeds);
    write_seed(seeds, "model", "export", made.bytes, made.length);
    weft_export_free(&made);
}

/* ---- all ---- */

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
    write_decisions(seeds, module);
    write_programs(seeds, module);
    write_export(seeds, module);
    write_trace(seeds, module);
    write_tune_log(seeds, module);
    write_machines_log(seeds, model, length);
    weft_text_free(&text);
    weft_module_free(module);
    free(file);
}

/* What a client and a server say to each other. */
static void write_remote(struct seeds *seeds) {
    struct remote_program *made = remote_program_new();
    struct weft_text client = {0};
    struct weft_text server = {0};
    struct weft_text answers = {0};
    remote_bytes_of_client(made, &client);
    remote_bytes_of_server(made, &server);
    (void)remote_bytes_serve(client.bytes, client.length, &answers);
    write_seed(seeds, "remote_server", "session", client.bytes, client.length);
    write_seed(seeds, "remote_client", "session", server.bytes, server.length);
    write_seed(seeds, "remote_client", "answers", answers.bytes, answers.length);
    weft_text_free(&client);
    weft_text_free(&server);
    weft_text_free(&answers);
    remote_program_free(made);
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
    write_bitmaps(&seeds);
    write_remote(&seeds);
    static const char npy[] = "\x93NUMPY\x01\0v\0{'descr': '|u1', 'fortran_order': False, 'shape': "
                              "(10,), }                                                          "
                              "\n0123456789";
    write_seed(&seeds, "npy", "array", npy, sizeof npy - 1);
    free(model);
    free(picture);
    return 0;
}
