/* Traces as JSON in Chrome's trace event format. */
#ifndef WEFT_CLI_TRACE_JSON_H
#define WEFT_CLI_TRACE_JSON_H

#include "cli/origin.h"
#include "cli/traces.h"

/* Writes the traces as JSON that Perfetto and Chrome read: docs/trace.md. `traces` has a trace for
 * every segment. Errors: WEFT_IO, WEFT_LIMIT, WEFT_OUT_OF_MEMORY. */
bool write_chrome_trace(const char *path, const struct weft_module *module,
                        const struct weft_trace_file *traces, const struct origin *origin,
                        struct weft_error *error);

#endif
