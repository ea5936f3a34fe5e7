/* weft trace */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/limit.h"
#include "cli/cli.h"
#include "cli/trace_json.h"

struct arguments {
    const char *model, *out, *raw, *print;
    struct open_options open;
    struct machine_options machine;
};

/* ---- --print ---- */

static bool print_segments(const struct weft_trace_file *file, struct weft_text *text,
                           struct weft_error *error) {
    for (size_t i = 0; i < file->count; i++) {
        weft_text_add(text, "; segment %zu of %zu\n", i, file->count);
        if (!weft_trace_print(&file->segments[i], text, error)) {
            return false;
        }
    }
    return weft_text_finish(text, error);
}

static int print_raw(const struct arguments *a) {
    struct weft_error error;
    struct weft_config config;
    struct weft_trace_file file = {0};
    struct weft_text text = {.limit = (size_t)weft_memory_limit(a->open.limits.bytes)};
    uint8_t *bytes = NULL;
    size_t length = 0;
    int status = STATUS_GOOD;
    if (!weft_file_read(a->model, &bytes, &length, &error) ||
        !weft_trace_read(bytes, length, a->open.limits.bytes, &config, &file, &error) ||
        !print_segments(&file, &text, &error)) {
        status = report(a->model, &error);
    } else if (a->out == NULL) {
        fputs(text.bytes, stdout);
    } else if (!weft_file_write(a->out, text.bytes, text.length, &error)) {
        status = report(a->out, &error);
    }
    weft_text_free(&text);
    weft_trace_file_free(&file);
    free(bytes);
    return status;
}

/* ---- recording ---- */

static bool write_raw(const char *path, const struct weft_module *module,
                      const struct weft_trace_file *traces, struct weft_error *error) {
    uint8_t *bytes = NULL;
    size_t length = 0;
    if (!weft_trace_write(&module->config, traces, &bytes, &length, error)) {
        return false;
    }
    bool good = weft_file_write(path, bytes, length, error);
    free(bytes);
    return good;
}

static int record(const struct arguments *a) {
    struct weft_error error;
    struct weft_trace_file traces = {0};
    const struct origin origin = {.machine = &a->machine};
    uint8_t *bytes = NULL;
    int status = STATUS_GOOD;
    struct weft_module *module = open_module(a->model, &a->open, &bytes);
    if (module == NULL) {
        return STATUS_ERROR;
    }
    if (!traces_of(module, &a->machine, a->open.limits.bytes, &traces, &error)) {
        status = report(error.code == WEFT_ARGUMENT ? "trace" : a->model, &error);
    } else if (!(a->raw != NULL ? write_raw(a->out, module, &traces, &error)
                                : write_chrome_trace(a->out, module, &traces, &origin, &error))) {
        status = report(a->out, &error);
    }
    weft_trace_file_free(&traces);
    weft_module_free(module);
    free(bytes);
    return status;
}

int command_trace(int argc, char **argv) {
    struct arguments a = {0};
    const struct option_spec specs[] = {
        {.name = "output", .letter = 'o', .value = &a.out},
        OPEN_OPTION_SPECS(&a.open),
        {.name = "raw", .is_flag = true, .value = &a.raw},
        {.name = "print", .is_flag = true, .value = &a.print},
        {.name = "latency", .value = &a.machine.latency},
        {.name = "interval", .value = &a.machine.interval},
    };
    const char *words[1];
    size_t count = 0;
    if (!read_options(argc, argv, specs, sizeof specs / sizeof specs[0], words, &count, 1) ||
        !read_limits("trace", &a.open)) {
        return STATUS_ERROR;
    }
    if (count != 1 || (a.out == NULL && a.print == NULL)) {
        return usage_error("trace", "give a model or a .weft file and -o OUT, or --print FILE");
    }
    bool records = a.open.config != NULL || a.open.cycle_limit != NULL || a.raw != NULL ||
                   a.machine.latency != NULL || a.machine.interval != NULL;
    if (a.print != NULL && records) {
        return usage_error("trace", "--print reads what was recorded; only -o goes with it");
    }
    a.model = words[0];
    return a.print != NULL ? print_raw(&a) : record(&a);
}
