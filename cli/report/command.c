/* weft report */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/command_line.h"
#include "cli/machine.h"
#include "cli/report/report.h"
#include "cli/technology.h"

struct arguments {
    const char *model, *out;
    struct open_options open;
    struct weft_session_options options;
    struct origin origin;
    struct weft_technology technology;
};

static bool make_data(const struct weft_module *module, const struct origin *origin,
                      const struct weft_trace_file *traces, json_t **data,
                      struct weft_error *error) {
    struct model_figures figures;
    if (!figures_of_traces(module, traces, &figures, error)) {
        return false;
    }
    const struct reported reported = {module, traces, &figures, origin};
    *data = report_data(&reported, error);
    model_figures_free(&figures);
    return *data != NULL;
}

bool report_module(const struct weft_module *module, const struct weft_session_options *options,
                   const struct origin *origin, uint64_t memory_limit, const char *path,
                   struct weft_error *error) {
    const struct page_frame page = {report_page_head, report_page_head_length, report_page_tail,
                                    report_page_tail_length};
    struct weft_trace_file traces = {0};
    json_t *data = NULL;
    if (!traces_of(module, options, memory_limit, &traces, error)) {
        return false;
    }
    bool good =
        make_data(module, origin, &traces, &data, error) && page_write(path, &page, data, error);
    json_decref(data);
    weft_trace_file_free(&traces);
    return good;
}

/* Traces and writes; prints its own errors. */
static int write_report(const struct arguments *a, const struct weft_module *module) {
    struct weft_error error;
    if (report_module(module, &a->options, &a->origin, a->open.limits.bytes, a->out, &error)) {
        return STATUS_GOOD;
    }
    return report(error.code == WEFT_ARGUMENT ? "report"
                  : error.code == WEFT_IO     ? a->out
                                              : a->model,
                  &error);
}

int command_report(const struct given *given) {
    struct arguments a = {.model = given->operand, .out = given_value(given, OPTION_OUT_HTML)};
    const struct machine_options machine = machine_options_of(given);
    uint8_t *bytes = NULL;
    struct weft_error error;
    if (!open_options_read(given, &a.open)) {
        return STATUS_ERROR;
    }
    if (a.out == NULL) {
        return usage_error("report", "give %s", given->command->needs);
    }
    bool has_technology = false;
    const struct weft_area_model *area = NULL;
    if (!technology_read(given, &a.technology, &has_technology) || !area_read(given, NULL, &area)) {
        return STATUS_ERROR;
    }
    a.origin = origin_of_command(&a.options);
    a.origin.technology = has_technology ? &a.technology : NULL;
    a.origin.area = area;
    if (!machine_options_apply(&machine, &a.options, &error) ||
        !machine_clock(&machine, &a.origin.clock, &error)) {
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
