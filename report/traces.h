/* Traces of programs, of a model's segments or assembled. Of the options the watchdog and the
 * memory count. */
#ifndef WEFT_REPORT_TRACES_H
#define WEFT_REPORT_TRACES_H

#include "driver/session.h"
#include "sim/trace/raw.h"

/* Traces every segment of a module, in at most `memory_limit` bytes (0: the default). Release *file
 * with weft_trace_file_free(). Errors: those of weft_trace_record(); WEFT_FAULT. */
bool traces_of(const struct weft_module *module, const struct weft_session_options *options,
               uint64_t memory_limit, struct weft_trace_file *file, struct weft_error *error);

/* Traces a program, in what `room` has left. Release *trace with weft_trace_free(). Errors: as
 * traces_of(). */
bool trace_program(const struct weft_config *config, const struct weft_program *program,
                   const struct weft_regions *regions, const struct weft_session_options *options,
                   struct weft_trace_room *room, struct weft_trace *trace,
                   struct weft_error *error);

/* Traces one segment, in what `room` has left. Release *trace with weft_trace_free(). Errors: as
 * traces_of(). */
bool trace_segment(const struct weft_module *module, uint32_t index,
                   const struct weft_session_options *options, struct weft_trace_room *room,
                   struct weft_trace *trace, struct weft_error *error);

#endif
