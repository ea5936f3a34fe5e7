/* Traces as JSON in Chrome's trace event format, which Perfetto reads too: docs/trace.md. */
#ifndef WEFT_REPORT_TRACE_JSON_H
#define WEFT_REPORT_TRACE_JSON_H

#include <stdio.h>

#include "report/model_figures.h"
#include "report/origin.h"
#include "report/traces.h"

/* What is written; figures belong to it. */
struct chrome_trace {
    const struct weft_module *module;
    const struct weft_trace_file *traces; /* one for every segment */
    const struct origin *origin;
    struct model_figures figures;
};

/* All must live until it is written. Release *trace with chrome_trace_free(). Error:
 * WEFT_OUT_OF_MEMORY. */
bool chrome_trace_make(const struct weft_module *module, const struct weft_trace_file *traces,
                       const struct origin *origin, struct chrome_trace *trace,
                       struct weft_error *error);
void chrome_trace_free(struct chrome_trace *trace);

/* Writes a struct chrome_trace: a weft_file_content. Errors: WEFT_LIMIT, WEFT_OUT_OF_MEMORY. */
bool chrome_trace_write(void *context, FILE *file, struct weft_error *error);

#endif
