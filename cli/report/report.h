/* Shared by the files that make the page of weft report. */
#ifndef WEFT_CLI_REPORT_REPORT_H
#define WEFT_CLI_REPORT_REPORT_H

#include <jansson.h>

#include "base/file.h"
#include "report/model_figures.h"
#include "report/origin.h"

/* A model with the traces of its segments. */
struct reported {
    const struct weft_module *module;
    const struct weft_trace_file *traces;
    const struct model_figures *figures; /* of these traces */
    const struct origin *origin;
};

/* Everything that the page shows, as docs/trace.md describes it; the caller owns it. NULL: error.
 * Errors: WEFT_OUT_OF_MEMORY. */
json_t *report_data(const struct reported *reported, struct weft_error *error);

/* Adds to the object of a segment what its layers took, and whose its cycles are. What jansson has
 * no memory for is left out: json_complete() says so. */
void report_layers(const struct reported *reported, uint32_t index, json_t *segment);

/* Adds what happened when to the object of a segment: instructions, the critical path, cycles by
 * cause, memory port, bytes in use. */
bool report_timeline(const struct reported *reported, uint32_t index, json_t *segment,
                     struct weft_error *error);

/* A page before and after its data: made by cli/CMakeLists.txt from a folder of parts. */
struct page_frame {
    const unsigned char *head;
    size_t head_length;
    const unsigned char *tail;
    size_t tail_length;
};

/* Writes a page with its data. Errors: WEFT_IO, WEFT_OUT_OF_MEMORY. */
bool page_write(const char *path, const struct page_frame *page, json_t *data,
                struct weft_error *error);

/* The same as one of several files, of data that was made since json_begin() and is released. */
bool page_stage(struct weft_file_batch *batch, const char *path, const struct page_frame *page,
                json_t *data, struct weft_error *error);

/* Traces a module and writes its report, in at most `memory_limit` bytes (0: the default). Errors:
 * those of traces_of() and page_write(). */
bool report_module(const struct weft_module *module, const struct weft_session_options *options,
                   const struct origin *origin, uint64_t memory_limit, const char *path,
                   struct weft_error *error);

extern const unsigned char report_page_head[];
extern const size_t report_page_head_length;
extern const unsigned char report_page_tail[];
extern const size_t report_page_tail_length;

#endif
