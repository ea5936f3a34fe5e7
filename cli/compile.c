/* weft compile */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/hint.h"
#include "cli/progress.h"
#include "cli/streams.h"

struct dump {
    const char *pass;
    bool seen;
};

static void print_pass(void *context, const char *pass, const char *text) {
    struct dump *dump = context;
    if (strcmp(dump->pass, pass) == 0 || strcmp(dump->pass, "all") == 0) {
        printf("// after %s\n%s", pass, text);
        dump->seen = true;
    }
}

static bool is_pass(const char *name) {
    bool found = strcmp(name, "all") == 0;
    for (size_t i = 0; !found && weft_pass_names[i] != NULL; i++) {
        found = strcmp(name, weft_pass_names[i]) == 0;
    }
    return found;
}

static int unknown_pass(const char *pass) {
    char list[512] = "";
    char text[HINT_BYTES];
    struct hint hint = hint_of(pass);
    for (size_t i = 0; weft_pass_names[i] != NULL; i++) {
        size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s, ", weft_pass_names[i]);
        hint_consider(&hint, weft_pass_names[i]);
    }
    return usage_error("compile", "there is no pass '%s'%s (passes: %sor all)", pass,
                       hint_text(&hint, "", text), list);
}

struct arguments {
    const char *model, *out, *decisions, *use;
    bool keep;
    struct open_options open;
    struct dump dump;
};

static bool stage_module(struct weft_file_batch *batch, struct weft_module *module,
                         const struct arguments *a) {
    struct weft_error error;
    uint8_t *packed = NULL;
    size_t length = 0;
    if (a->out == NULL) {
        return true;
    }
    if (!weft_module_write(module, &packed, &length, &error)) {
        report(a->model, &error);
        return false;
    }
    bool good = stream_stage(batch, a->out, packed, length, &error);
    free(packed);
    if (!good) {
        report(a->out, &error);
    }
    return good;
}

static bool stage_decisions(struct weft_file_batch *batch, const struct weft_module *module,
                            const struct arguments *a) {
    struct weft_error error;
    struct weft_text text = {0};
    bool good = a->decisions == NULL ||
                (weft_module_decisions(module, &text, &error) &&
                 stream_stage(batch, a->decisions, text.bytes, text.length, &error));
    weft_text_free(&text);
    if (!good) {
        report(a->decisions, &error);
    }
    return good;
}

/* Writes what was asked for, all or nothing; prints its own errors. */
static int write_files(struct weft_module *module, const struct arguments *a) {
    struct weft_error error;
    struct weft_file_batch batch = {0};
    const char *path = NULL;
    if (!stage_module(&batch, module, a) || !stage_decisions(&batch, module, a)) {
        weft_file_discard(&batch);
        return STATUS_ERROR;
    }
    return weft_file_commit(&batch, &path, &error) ? STATUS_GOOD : report(path, &error);
}

/* Compiles the bytes of a model; prints its own errors. */
static int compile_bytes(struct arguments *a, const uint8_t *bytes, size_t length,
                         const struct weft_config *config, struct weft_compile_options *options) {
    struct weft_error error;
    struct weft_module *module = NULL;
    int status = STATUS_GOOD;
    struct progress progress;
    progress_start(&progress, options);
    bool good = weft_compile(bytes, length, config, options, &module, &error);
    progress_end(&progress);
    if (!good) {
        status = report(error.code == WEFT_DECISIONS ? a->use : a->model, &error);
    } else if (a->dump.pass != NULL && !a->dump.seen) {
        status = usage_error("compile", "pass '%s' does not run %s --keep-tensors", a->dump.pass,
                             a->keep ? "with" : "without");
    } else {
        note_float_model(a->model, module);
        status = write_files(module, a);
    }
    weft_module_free(module);
    return status;
}

/* Reads, compiles and writes; prints its own errors. */
static int compile(struct arguments *a) {
    struct weft_error error;
    struct weft_config config;
    uint8_t *bytes = NULL;
    uint8_t *decisions = NULL;
    size_t length = 0;
    char stem[128];
    int status = STATUS_ERROR;
    file_stem(a->model, stem, sizeof stem);
    /* Printing a graph takes longer than some passes. */
    struct weft_compile_options options = {.model_name = stem,
                                           .keep_tensors = a->keep,
                                           .after_pass = a->dump.pass == NULL ? NULL : print_pass,
                                           .context = &a->dump,
                                           .bytes = a->open.limits.bytes};
    if (!find_config(a->open.config == NULL ? DEFAULT_CONFIG : a->open.config, &config, &error)) {
        return report(a->model, &error);
    }
    if (a->use != NULL && !stream_read(a->use, &decisions, &options.decisions_length, &error)) {
        return report(a->use, &error);
    }
    options.decisions = (const char *)decisions;
    if (stream_read(a->model, &bytes, &length, &error)) {
        status = compile_bytes(a, bytes, length, &config, &options);
    } else {
        report(a->model, &error);
    }
    free(bytes);
    free(decisions);
    return status;
}

int command_compile(const struct given *given) {
    struct arguments a = {.model = given->operand,
                          .out = given_value(given, OPTION_OUT_WEFT),
                          .decisions = given_value(given, OPTION_DECISIONS),
                          .use = given_value(given, OPTION_USE),
                          .keep = given_count(given, OPTION_KEEP_TENSORS) > 0,
                          .dump.pass = given_value(given, OPTION_DUMP_AFTER)};
    if (!open_options_read(given, &a.open)) {
        return STATUS_ERROR;
    }
    if (a.out == NULL && a.decisions == NULL && a.dump.pass == NULL) {
        return usage_error("compile", "give %s", given->command->needs);
    }
    if (a.dump.pass != NULL && !is_pass(a.dump.pass)) {
        return unknown_pass(a.dump.pass);
    }
    return compile(&a);
}
