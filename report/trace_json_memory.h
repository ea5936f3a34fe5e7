/* The part of a trace as JSON that is about memories: the port, the banks, the bytes in use. */
#ifndef WEFT_REPORT_TRACE_JSON_MEMORY_H
#define WEFT_REPORT_TRACE_JSON_MEMORY_H

#include "report/trace_json_writer.h"

/* Who has the memory port. */
void write_port(struct writer *out);

/* Who owns the banks, of `count` instructions in the order of their starts. */
void write_banks(struct writer *out, const uint32_t *order, size_t count);

/* A curve of the bytes in use. Error: WEFT_OUT_OF_MEMORY. */
bool write_occupancy(struct writer *out, enum weft_memory memory, struct weft_error *error);

#endif
