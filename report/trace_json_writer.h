/* Events of a trace as JSON, one by one: for the files trace_json*.c alone. */
#ifndef WEFT_REPORT_TRACE_JSON_WRITER_H
#define WEFT_REPORT_TRACE_JSON_WRITER_H

#include <stdio.h>

#include "report/model_figures.h"

/* Numbers of the threads: groups of rows in the order in which they are shown. */
enum {
    ROWS = 100, /* of a group */
    SEGMENTS = 1 * ROWS,
    CHAINS = 2 * ROWS,
    OPERATORS = 3 * ROWS,
    PATH = 4 * ROWS,
    DISPATCH = 5 * ROWS,
    UNITS = 6 * ROWS,  /* a group for each unit */
    LANES = 13 * ROWS, /* a row for each lane */
    PORT = 14 * ROWS,  /* a row for each master */
    BANKS = 15 * ROWS, /* a group for each memory, a row for each bank */
    THREADS = 20 * ROWS,
    HOST = 1, /* of the process of the host */
};

enum {
    PROCESS_MACHINE = 1,
    PROCESS_HOST = 2,
};

/* Slices of a group that overlap are put in rows of their own. */
struct rows {
    uint64_t end[ROWS]; /* last cycle that is taken */
    unsigned used;
};

struct writer {
    FILE *file;
    bool is_first;
    unsigned process;
    uint64_t offset;      /* cycle c of what is written has the time offset + c */
    uint64_t host_length; /* cycles that an operator of the host is drawn with */
    const struct weft_module *module;
    const struct weft_trace_file *traces;
    const struct model_figures *all_figures;
    /* of the segment that is written: */
    uint32_t index;
    uint32_t number; /* of its first layer */
    const struct weft_segment *segment;
    const struct weft_trace *trace;
    const struct weft_history *history;
    const struct weft_figures *figures;
    char **names;                          /* of the layers, as JSON strings */
    unsigned *threads;                     /* by instruction: in which its slice is */
    uint64_t flows;                        /* that were written, of all segments */
    bool named[PROCESS_HOST + 1][THREADS]; /* threads, once for all segments */
    bool failed;                           /* a text had no memory */
};

/* Puts the comma before an event. */
void begin_event(struct writer *out);

/* Names a thread, if it has no name yet. */
void name_thread(struct writer *out, unsigned thread, const char *name);

/* The row of a group for a slice, of slices in the order of their first cycles. */
unsigned row_for(struct rows *rows, uint64_t first, uint64_t last);

/* Names the rows of a group that were used. */
void name_rows(struct writer *out, unsigned group, const struct rows *rows, const char *name);

/* A slice of the cycles first to last, up to its "args", which the caller writes and ends with
 * end_slice(). `name` is a JSON string. */
void begin_slice(struct writer *out, unsigned thread, const char *category, const char *name,
                 uint64_t first, uint64_t last);
void end_slice(struct writer *out);

/* The name of a layer as a JSON string. */
const char *layer_name(const struct writer *out, int32_t layer);

#endif
