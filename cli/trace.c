/* weft trace */
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "cli/cli.h"
#include "cli/command_line.h"
#include "cli/machine.h"
#include "cli/program.h"
#include "cli/remote_target.h"
#include "cli/remote_traces.h"
#include "cli/streams.h"
#include "report/trace_json.h"

struct arguments {
    const struct given *given;
    const char *model, *out;
    const char *target; /* NULL: the cycle model here */
    bool raw;
    struct open_options open;
    struct machine_options machine;
    struct weft_session_options options;
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

static bool write_json(const char *path, const struct weft_module *module,
                       const struct weft_trace_file *traces, const struct origin *origin,
                       struct weft_error *error) {
    struct chrome_trace trace;
    if (!chrome_trace_make(module, traces, origin, &trace, error)) {
        return false;
    }
    bool good = stream_write_content(path, chrome_trace_write, &trace, error);
    chrome_trace_free(&trace);
    return good;
}

static int write_traces(const struct arguments *a, const struct weft_module *module,
                        const struct weft_trace_file *traces) {
    struct weft_error error;
    const struct origin origin = origin_of_command(&a->options);
    return (a->raw ? write_raw(a->out, module, traces, &error)
                   : write_json(a->out, module, traces, &origin, &error))
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
    uint64_t limit = a->open.limits.bytes;
    bool good = a->target == NULL ? traces_of(module, &a->options, limit, &traces, &error)
                                  : remote_traces_of(module, &a->options, limit, &traces, &error);
    int status = good ? write_traces(a, module, &traces)
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
    const struct weft_regions regions = weft_bare_regions(&assembled->setup);
    struct weft_trace_room room = {.limit = weft_memory_limit(a->open.limits.bytes)};
    if (!weft_bare_verify(&assembled->setup, &a->options, &proof, &bound, error)) {
        return false;
    }
    return a->target == NULL
               ? trace_program(&assembled->config, &assembled->program, &regions, &a->options,
                               &room, trace, error)
               : remote_trace_program(&assembled->config, &assembled->program, &regions,
                                      &a->options, a->open.limits.bytes, trace, error);
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

/* What the machine is, and where. */
static bool prepare(struct arguments *a) {
    struct weft_error error;
    a->options = weft_session_defaults();
    if (a->target != NULL && !is_remote(a->target)) {
        usage_error("trace", "--target is for " REMOTE_PREFIX "HOST:PORT");
        return false;
    }
    if (!machine_options_apply(&a->machine, &a->options, &error)) {
        return report("trace", &error) == STATUS_GOOD;
    }
    return remote_target_apply(a->given, a->target, &a->options);
}

int command_trace(const struct given *given) {
    struct arguments a = {.given = given,
                          .model = given->operand,
                          .out = given_value(given, OPTION_OUT_TRACE),
                          .target = given_value(given, OPTION_REMOTE),
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
                   a.machine.interval != NULL || a.target != NULL ||
                   given_count(given, OPTION_KEY_FILE) > 0;
    if (prints && records) {
        return usage_error("trace", "--print reads what was recorded; only -o goes with it");
    }
    return prints ? print_raw(&a) : prepare(&a) ? record(&a) : STATUS_ERROR;
}
