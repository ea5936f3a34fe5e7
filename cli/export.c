/* weft export: models for firmware. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/streams.h"
#include "compiler/export/export.h"

struct arguments {
    const char *name, *source, *header, *blob; /* NULL: not asked for */
};

static bool stage(struct weft_file_batch *batch, const char *path, struct weft_text *text,
                  struct weft_error *error) {
    bool good = stream_stage(batch, path, text->bytes, text->length, error);
    weft_text_free(text);
    return good;
}

static bool stage_text(struct weft_file_batch *batch, const struct weft_export *made,
                       const struct arguments *a, bool is_header, struct weft_error *error) {
    struct weft_text text = {0};
    bool good = is_header ? weft_export_header(made, a->name, &text, error)
                          : weft_export_source(made, a->name, &text, error);
    if (!good) {
        weft_text_free(&text);
        return false;
    }
    return stage(batch, is_header ? a->header : a->source, &text, error);
}

/* Writes what was asked for, all or nothing. *path is where it failed. */
static bool write_files(const struct weft_export *made, const struct arguments *a,
                        const char **path, struct weft_error *error) {
    struct weft_file_batch batch = {0};
    bool good = true;
    if (a->blob != NULL) {
        *path = a->blob;
        good = stream_stage(&batch, a->blob, made->bytes, made->length, error);
    }
    if (good && a->source != NULL) {
        *path = a->source;
        good = stage_text(&batch, made, a, false, error);
    }
    if (good && a->header != NULL) {
        *path = a->header;
        good = stage_text(&batch, made, a, true, error);
    }
    if (!good) {
        weft_file_discard(&batch);
        return false;
    }
    return weft_file_commit(&batch, path, error);
}

static void print_figures(const struct weft_export *made) {
    const struct weft_module *module = made->module;
    printf("%s for %s: %zu bytes, arena %" PRId64 " bytes (at least %" PRId64
           " are in use at once), %" PRIu64 " cycles of the machine\n",
           module->model_name, module->config.name, made->length, made->arena_bytes,
           made->least_arena_bytes, weft_module_cycles(module));
    printf("steps: %u programs, %u operators, %u copies\n", made->segments, made->operators,
           made->copies);
    printf("kernels:");
    for (uint32_t i = 0; i < made->kernel_count; i++) {
        printf(" %s", weft_kernels[made->kernels[i]].name);
    }
    printf(made->kernel_count == 0 ? " none\n" : "\n");
}

int command_export(const struct given *given) {
    const struct arguments a = {.name = given_value(given, OPTION_C_NAME),
                                .source = given_value(given, OPTION_OUT_C),
                                .header = given_value(given, OPTION_HEADER),
                                .blob = given_value(given, OPTION_BLOB)};
    if ((a.name == NULL) != (a.source == NULL) || (a.header != NULL && a.name == NULL) ||
        (a.name == NULL && a.blob == NULL)) {
        return usage_error("export", "give %s", given->command->needs);
    }
    if (a.name != NULL && !weft_export_is_name(a.name)) {
        return usage_error("export",
                           "'%s' cannot begin names in C: expected letters, digits and _, at most "
                           "64, a letter at first, for those with _ are the compiler's, and not "
                           "weft",
                           a.name);
    }
    struct weft_error error;
    struct weft_export made = {0};
    uint8_t *bytes = NULL;
    const char *path = given->operand;
    const struct weft_compile_options options = {.keep_tensors = false};
    struct weft_module *module = open_given(given, options, &bytes);
    if (module == NULL) {
        return STATUS_ERROR;
    }
    bool good = weft_export(module, &made, &error) && write_files(&made, &a, &path, &error);
    if (good) {
        print_figures(&made);
    }
    weft_export_free(&made);
    weft_module_free(module);
    free(bytes);
    return good ? STATUS_GOOD : report(path, &error);
}
