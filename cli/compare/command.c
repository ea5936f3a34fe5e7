/* weft compare */
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "cli/cli.h"
#include "cli/compare/compare.h"
#include "cli/json_file.h"
#include "cli/machine.h"
#include "cli/operand_kind.h"
#include "cli/page_file.h"
#include "cli/streams.h"

struct arguments {
    const char *a, *b;
    const char *other_config; /* of B; NULL: as A */
    const char *use;          /* decisions of B */
    const char *json, *page;
    struct open_options open;
    struct weft_session_options machine; /* its memory */
    bool has_memory;                     /* it was given */
};

/* A file of figures begins like an object. */
static bool is_figures(const uint8_t *bytes, size_t length) {
    size_t at = 0;
    while (at < length && strchr(" \t\r\n", bytes[at]) != NULL && bytes[at] != 0) {
        at++;
    }
    return at < length && bytes[at] == '{';
}

/* Compiles or reads one side; prints its own errors. */
static bool read_model(struct weft_arena *arena, const struct arguments *a, bool is_b,
                       const uint8_t *bytes, size_t length, struct compared_side *side) {
    struct weft_error error;
    uint8_t *decisions = NULL;
    struct weft_compile_options options = {.keep_tensors = false};
    struct open_options open = a->open;
    const char *path = is_b ? a->b : a->a;
    open.config = is_b && a->other_config != NULL ? a->other_config : open.config;
    if (is_b && a->use != NULL &&
        !stream_read(a->use, &decisions, &options.decisions_length, &error)) {
        report(a->use, &error);
        return false;
    }
    options.decisions = (const char *)decisions;
    struct weft_module *module = make_model(path, bytes, length, &open, options);
    bool good = module != NULL;
    if (good &&
        !side_of_module(arena, module, path, &a->machine, open.limits.bytes, side, &error)) {
        report(path, &error);
        good = false;
    }
    weft_module_free(module);
    free(decisions);
    return good;
}

/* Is there an option about how one side is compiled? */
static bool is_compiled_with(const struct arguments *a, bool is_b) {
    return a->open.config != NULL || a->open.effort > 0 || a->open.dim_count > 0 ||
           (is_b && (a->other_config != NULL || a->use != NULL));
}

static bool read_side(struct weft_arena *arena, const struct arguments *a, bool is_b,
                      struct compared_side *side, bool *is_compiled) {
    struct weft_error error;
    const char *path = is_b ? a->b : a->a;
    uint8_t *bytes = NULL;
    size_t length = 0;
    if (!stream_read(path, &bytes, &length, &error)) {
        report(path, &error);
        return false;
    }
    bool good = true;
    if (is_figures(bytes, length) && is_compiled_with(a, is_b)) {
        usage_error("compare",
                    "%.150s is a file of figures, which is not compiled: --config, --other-config, "
                    "--use, --effort and --dim are for models; %s",
                    path,
                    is_b ? "give it as A, and --other-config for B"
                         : "--other-config is for B alone");
        good = false;
    } else if (!is_figures(bytes, length)) {
        *is_compiled = true;
        good = read_model(arena, a, is_b, bytes, length, side);
    } else if (!side_of_json(arena, (const char *)bytes, length, path, side, &error)) {
        report(path, &error);
        good = false;
    }
    free(bytes);
    return good;
}

/* ---- what is written ---- */

static bool stage_page(const struct arguments *a, const struct comparison *comparison,
                       struct weft_file_batch *batch, struct weft_error *error) {
    json_begin(NULL, 0);
    return page_stage(batch, a->page, &compare_page, compare_json(comparison, true), error);
}

static bool stage_json(const struct arguments *a, const struct comparison *comparison,
                       struct weft_file_batch *batch, struct weft_error *error) {
    json_begin(NULL, 0);
    return stage_json_file(batch, a->json, compare_json(comparison, false), error);
}

/* All files, or none; *path is the one that is in the way. */
static bool write_files(const struct arguments *a, const struct comparison *comparison,
                        const char **path, struct weft_error *error) {
    struct weft_file_batch batch = {0};
    *path = a->json;
    bool good = a->json == NULL || stage_json(a, comparison, &batch, error);
    if (good && a->page != NULL) {
        *path = a->page;
        good = stage_page(a, comparison, &batch, error);
    }
    if (!good) {
        weft_file_discard(&batch);
    }
    return good && weft_file_commit(&batch, path, error);
}

static int write_all(const struct arguments *a, const struct comparison *comparison) {
    struct weft_error error;
    struct weft_text text = {0};
    const char *path = NULL;
    compare_print(comparison, &text);
    bool good = weft_text_finish(&text, &error) && write_files(a, comparison, &path, &error);
    if (good) {
        fputs(text.bytes, stdout);
    }
    weft_text_free(&text);
    return good ? STATUS_GOOD : report(path, &error);
}

static int compare(struct weft_arena *arena, const struct arguments *a) {
    struct weft_error error;
    struct comparison comparison = {.count = 0};
    if (setjmp(arena->on_failure)) {
        (void)weft_arena_failed(arena, &error);
        return report(NULL, &error);
    }
    bool is_compiled = false;
    if (!read_side(arena, a, false, &comparison.sides[0], &is_compiled) ||
        !read_side(arena, a, true, &comparison.sides[1], &is_compiled)) {
        return STATUS_ERROR;
    }
    if (a->has_memory && !is_compiled) {
        return usage_error("compare", "--latency, --interval and --dram are for models and "
                                      "programs, and both sides are files of figures");
    }
    compare_match(arena, &comparison);
    return write_all(a, &comparison);
}

int command_compare(const struct given *given) {
    struct weft_arena arena = {0};
    struct arguments a = {.a = given->operand,
                          .b = given->second == NULL ? given->operand : given->second,
                          .other_config = given_value(given, OPTION_OTHER_CONFIG),
                          .use = given_value(given, OPTION_OTHER_USE),
                          .json = given_value(given, OPTION_JSON),
                          .page = given_value(given, OPTION_OUT_HTML)};
    const struct machine_options machine = machine_options_of(given);
    struct weft_error error;
    a.machine = weft_session_defaults();
    a.has_memory = machine.latency != NULL || machine.interval != NULL || machine.dram != NULL;
    if (!open_options_read(given, &a.open)) {
        return STATUS_ERROR;
    }
    if (!machine_options_apply(&machine, &a.machine, &error)) {
        return report("compare", &error);
    }
    if (given->second == NULL && a.other_config == NULL && a.use == NULL) {
        return usage_error("compare", "give %s", given->command->needs);
    }
    arena.limit = (size_t)weft_memory_limit(a.open.limits.bytes);
    int status = compare(&arena, &a);
    weft_arena_free(&arena);
    return status;
}
