/* weft trace */
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "cli/cli.h"
#include "cli/streams.h"
#include "cli/trace_json.h"

struct arguments {
    const char *model, *out;
    bool raw;
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
    if (!stream_read(a->model, &bytes, &length, &error) ||
        !weft_trace_read(bytes, length, a->open.limits.bytes, &config, &file, &error) ||
        !print_segments(&file, &text, &error)) {
        status = report(a->model, &error);
    } else if (a->out == NULL) {
        fputs(text.bytes, stdout);
    } else if (!stream_write(a->out, text.bytes, text.length, &error)) {
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
    bool good = stream_write(path, bytes, length, error);
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
    } else if (!(a->raw ? write_raw(a->out, module, &traces, &error)
                        : write_chrome_trace(a->out, module, &traces, &origin, &error))) {
        status = report(a->out, &error);
    }
    weft_trace_file_free(&traces);
    weft_module_free(module);
    free(bytes);
    return status;
}

int command_trace(const struct given *given) {
    struct arguments a = {.model = given->operand,
                          .out = given_value(given, OPTION_OUT_TRACE),
                          .raw = given_count(given, OPTION_RAW) > 0,
                          .machine = machine_options_of(given)};
    bool prints = given_count(given, OPTION_PRINT) > 0;
    if (!open_options_read(given, &a.open)) {
        return STATUS_ERROR;
    }
    if (a.out == NULL && !prints) {
        return usage_error("trace", "give %s", given->command->needs);
    }
    bool records = a.open.config != NULL || a.open.has_weft_limits || a.raw ||
                   a.machine.latency != NULL || a.machine.interval != NULL;
    if (prints && records) {
        return usage_error("trace", "--print reads what was recorded; only -o goes with it");
    }
    return prints ? print_raw(&a) : record(&a);
}
