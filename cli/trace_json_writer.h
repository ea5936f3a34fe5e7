/* Events of a trace as JSON, one by one: for the files trace_json*.c alone. */
#ifndef WEFT_CLI_TRACE_JSON_WRITER_H
#define WEFT_CLI_TRACE_JSON_WRITER_H

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

#endif
