/* The part of a trace as JSON that is about layers, chains of them, and the critical path. */
#ifndef WEFT_REPORT_TRACE_JSON_LAYERS_H
#define WEFT_REPORT_TRACE_JSON_LAYERS_H

#include "report/trace_json_writer.h"

/* When layers, and chains of them, are worked on. Error: WEFT_OUT_OF_MEMORY. */
bool write_layers(struct writer *out, struct weft_error *error);

/* What the length of the run came from. Error: WEFT_OUT_OF_MEMORY. */
bool write_path(struct writer *out, struct weft_error *error);

#endif
