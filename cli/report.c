/* weft report */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/command_line.h"
#include "cli/machine.h"
#include "cli/page_file.h"
#include "cli/technology.h"

struct arguments {
    const char *model, *out;
    struct open_options open;
    struct weft_session_options options;
    struct origin origin;
    struct weft_technology technology;
};

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
        !machine_clock(&machine, &a.origin.clock, &error) ||
        !machine_one_clock(&a.options.memory, &a.origin.clock, &error)) {
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
