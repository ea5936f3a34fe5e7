/* The data of a page from traces, or from a module that is traced for it. */
#include "report/page/page.h"

#include "report/traces.h"

bool report_data_of_traces(const struct weft_module *module, const struct weft_trace_file *traces,
                           const struct origin *origin, json_t **data, struct weft_error *error) {
    struct model_figures figures;
    if (!figures_of_traces(module, traces, &figures, error)) {
        return false;
    }
    const struct reported reported = {module, traces, &figures, origin};
    *data = report_data(&reported, error);
    model_figures_free(&figures);
    return *data != NULL;
}

bool report_data_of_module(const struct weft_module *module,
                           const struct weft_session_options *options, const struct origin *origin,
                           uint64_t memory_limit, json_t **data, struct weft_error *error) {
    struct weft_trace_file traces = {0};
    if (!traces_of(module, options, memory_limit, &traces, error)) {
        return false;
    }
    bool good = report_data_of_traces(module, &traces, origin, data, error);
    weft_trace_file_free(&traces);
    return good;
}
