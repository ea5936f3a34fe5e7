/* Traces as cli/traces.h makes them, recorded by a server. */
#ifndef WEFT_CLI_REMOTE_TRACES_H
#define WEFT_CLI_REMOTE_TRACES_H

#include "report/traces.h"

/* As traces_of(), and trace_program(). `options` have the server, and the memory of the machine.
 * Errors: also those of weft_remote_open() and weft_remote_trace(). */
bool remote_traces_of(const struct weft_module *module, const struct weft_session_options *options,
                      uint64_t memory_limit, struct weft_trace_file *file,
                      struct weft_error *error);
bool remote_trace_program(const struct weft_config *config, const struct weft_program *program,
                          const struct weft_regions *regions,
                          const struct weft_session_options *options, uint64_t memory_limit,
                          struct weft_trace *trace, struct weft_error *error);

#endif
