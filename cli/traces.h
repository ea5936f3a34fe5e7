/* Traces of a model's segments, for weft trace and weft report. */
#ifndef WEFT_CLI_TRACES_H
#define WEFT_CLI_TRACES_H

#include "cli/machine.h"
#include "driver/weft.h"
#include "sim/trace/raw.h"

/* Traces every segment of a module, in at most `memory_limit` bytes (0: the default). Release *file
 * with weft_trace_file_free(). Errors: those of weft_trace_record(); WEFT_FAULT. */
bool traces_of(const struct weft_module *module, const struct machine_options *given,
               uint64_t memory_limit, struct weft_trace_file *file, struct weft_error *error);

/* The finish of the last instruction of each layer; freed by the caller. NULL: WEFT_OUT_OF_MEMORY.
 */
uint64_t *layer_finishes(const struct weft_segment *segment, const struct weft_trace *trace,
                         struct weft_error *error);

/* Writes the traces as JSON that Perfetto and Chrome read: docs/trace.md. `traces` has a trace for
 * every segment. Errors: WEFT_IO, WEFT_OUT_OF_MEMORY. */
bool write_chrome_trace(const char *path, const struct weft_module *module,
                        const struct weft_trace_file *traces, struct weft_error *error);

#endif
