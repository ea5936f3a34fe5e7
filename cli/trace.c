/* weft trace */
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "cli/cli.h"
#include "cli/program.h"
#include "cli/streams.h"
#include "cli/trace_json.h"

struct arguments {
    const struct given *given;
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

static int write_traces(const struct arguments *a, const struct weft_module *module,
                        const struct weft_trace_file *traces) {
    struct weft_error error;
    const struct origin origin = {.machine = &a->machine};
    return (a->raw ? write_raw(a->out, module, traces, &error)
                   : write_chrome_trace(a->out, module, traces, &origin, &error))
               ? STATUS_GOOD
               : report(a->out, &error);
}

static int record_model(const struct arguments *a, const struct operand *operand) {
    const struct weft_compile_options options = {.keep_tensors = false};
    struct weft_error error;
    struct weft_trace_file traces = {0};
    struct weft_module *module =
        make_model(operand->path, operand->bytes, operand->length, &a->open, options);
    if (module == NULL) {
        return STATUS_ERROR;
    }
    int status = traces_of(module, &a->machine, a->open.limits.bytes, &traces, &error)
                     ? write_traces(a, module, &traces)
                     : report(error.code == WEFT_ARGUMENT ? "trace" : a->model, &error);
    weft_trace_file_free(&traces);
    weft_module_free(module);
    return status;
}

/* Records a program that the verifier accepts: others may have no end, and no order that their
 * memories follow. */
static bool record_proved(const struct arguments *a, const struct assembled *assembled,
                          struct weft_trace *trace, struct weft_error *error) {
    struct weft_proof proof;
    uint64_t bound = 0;
    struct weft_session_options options = weft_session_defaults();
    const struct weft_regions regions = weft_bare_regions(&assembled->setup);
    struct weft_trace_room room = {.limit = weft_memory_limit(a->open.limits.bytes)};
    return machine_options_apply(&a->machine, &options, error) &&
           weft_bare_verify(&assembled->setup, &options, &proof, &bound, error) &&
           trace_program(&assembled->config, &assembled->program, &regions, &a->machine, &room,
                         trace, error);
}

static int record_program(const struct arguments *a, const struct operand *operand) {
    struct weft_error error;
    struct assembled assembled;
    struct weft_trace trace;
    struct weft_module *module = NULL;
    char name[128];
    if (!assembled_read(a->given, &a->open, operand, &assembled)) {
        return STATUS_ERROR;
    }
    assembled_name(&assembled, name, sizeof name);
    int status = STATUS_ERROR;
    if (!record_proved(a, &assembled, &trace, &error)) {
        status = error.code == WEFT_ARGUMENT ? report("trace", &error)
                                             : assembled_report(&assembled, &error);
    } else {
        const struct weft_trace_file traces = {.segments = &trace, .count = 1};
        status = weft_bare_module(&assembled.setup, name, &module, &error)
                     ? write_traces(a, module, &traces)
                     : assembled_report(&assembled, &error);
        weft_trace_free(&trace);
    }
    weft_module_free(module);
    assembled_free(&assembled);
    return status;
}

static int record(const struct arguments *a) {
    struct operand operand;
    if (!operand_read(a->given, &operand)) {
        return STATUS_ERROR;
    }
    int status =
        operand.kind == OPERAND_MODEL ? record_model(a, &operand) : record_program(a, &operand);
    operand_free(&operand);
    return status;
}

int command_trace(const struct given *given) {
    struct arguments a = {.given = given,
                          .model = given->operand,
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
                   given_count(given, OPTION_REGION) > 0 || a.machine.latency != NULL ||
                   a.machine.interval != NULL;
    if (prints && records) {
        return usage_error("trace", "--print reads what was recorded; only -o goes with it");
    }
    return prints ? print_raw(&a) : record(&a);
}
