/* weft report */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/report/report.h"

struct arguments {
    const char *model, *out;
    struct open_options open;
    struct machine_options machine;
    struct origin origin;
};

static bool make_data(const struct arguments *a, const struct weft_module *module,
                      const struct weft_trace_file *traces, json_t **data,
                      struct weft_error *error) {
    struct model_figures figures;
    if (!figures_of_traces(module, traces, &figures, error)) {
        return false;
    }
    const struct reported reported = {module, traces, &figures, &a->origin};
    *data = report_data(&reported, error);
    model_figures_free(&figures);
    return *data != NULL;
}

/* Traces and writes; prints its own errors. */
static int write_report(const struct arguments *a, const struct weft_module *module) {
    struct weft_error error;
    struct weft_trace_file traces = {0};
    int status = STATUS_GOOD;
    json_t *data = NULL;
    if (!traces_of(module, &a->machine, a->open.limits.bytes, &traces, &error)) {
        return report(error.code == WEFT_ARGUMENT ? "report" : a->model, &error);
    }
    if (!make_data(a, module, &traces, &data, &error)) {
        status = report(a->model, &error);
    } else if (!report_write(a->out, data, &error)) {
        status = report(a->out, &error);
    }
    json_decref(data);
    weft_trace_file_free(&traces);
    return status;
}

int command_report(const struct given *given) {
    struct arguments a = {.model = given->operand,
                          .out = given_value(given, OPTION_OUT_HTML),
                          .machine = machine_options_of(given)};
    uint8_t *bytes = NULL;
    struct weft_error error;
    if (!open_options_read(given, &a.open)) {
        return STATUS_ERROR;
    }
    if (a.out == NULL) {
        return usage_error("report", "give %s", given->command->needs);
    }
    a.origin.machine = &a.machine;
    if (!machine_clock(&a.machine, &a.origin.clock, &error)) {
        return report("report", &error);
    }
    struct weft_module *module = open_module(a.model, &a.open, &bytes);
    if (module == NULL) {
        return STATUS_ERROR;
    }
    int status = write_report(&a, module);
    weft_module_free(module);
    free(bytes);
    return status;
}
