/* Shared by the files that write a trace as JSON. */
#ifndef WEFT_CLI_TRACE_JSON_H
#define WEFT_CLI_TRACE_JSON_H

#include <stdio.h>

#include "cli/traces.h"

/* Numbers of the threads: groups of rows in the order in which they are shown. */
enum {
    ROWS = 100, /* of a group */
    OPERATORS = 1 * ROWS,
    DISPATCH = 2 * ROWS,
    UNITS = 3 * ROWS,  /* a group for each unit */
    LANES = 10 * ROWS, /* a row for each lane */
    PORT = 11 * ROWS,  /* a row for each master */
    BANKS = 12 * ROWS, /* a group for each memory, a row for each bank */
};

struct writer {
    FILE *file;
    bool is_first;
    unsigned process; /* the segment's number + 1 */
    const struct weft_module *module;
    const struct weft_trace_file *traces;
    const struct weft_segment *segment;
    const struct weft_trace *trace;
    char **names; /* of the layers, as JSON strings */
    bool failed;  /* a text had no memory */
};

/* Puts the comma before an event. */
void begin_event(struct writer *out);

void name_thread(struct writer *out, unsigned thread, const char *name);

/* A slice of the cycles first to last, up to its "args", which the caller writes and ends with
 * end_slice(). `name` is a JSON string. */
void begin_slice(struct writer *out, unsigned thread, const char *category, const char *name,
                 uint64_t first, uint64_t last);
void end_slice(struct writer *out);

/* The name of a layer as a JSON string. */
const char *layer_name(const struct writer *out, int32_t layer);

/* ---- trace_json_memory.c ---- */

/* Who has the memory port. */
void write_port(struct writer *out);

/* Who owns the banks, of `count` instructions in the order of their starts. */
void write_banks(struct writer *out, const uint32_t *order, size_t count);

/* A curve of the bytes in use. Error: WEFT_OUT_OF_MEMORY. */
bool write_occupancy(struct writer *out, enum weft_memory memory, struct weft_error *error);

#endif
