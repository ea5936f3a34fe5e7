/* The page of weft report, and how pages are put together. */
#ifndef WEFT_REPORT_PAGE_PAGE_H
#define WEFT_REPORT_PAGE_PAGE_H

#include <jansson.h>
#include <stdio.h>

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

/* The same of traces, whose figures are counted for it. */
bool report_data_of_traces(const struct weft_module *module, const struct weft_trace_file *traces,
                           const struct origin *origin, json_t **data, struct weft_error *error);

/* The same of a module, which is traced for it, in at most `memory_limit` bytes (0: the default).
 * Errors: also those of traces_of(). */
bool report_data_of_module(const struct weft_module *module,
                           const struct weft_session_options *options, const struct origin *origin,
                           uint64_t memory_limit, json_t **data, struct weft_error *error);

/* Adds to the object of a segment what its layers took, and whose its cycles are. What jansson has
 * no memory for is left out: json_complete() says so. */
void report_layers(const struct reported *reported, uint32_t index, json_t *segment);

/* Adds what happened when to the object of a segment: instructions, the critical path, cycles by
 * cause, memory port, bytes in use. */
bool report_timeline(const struct reported *reported, uint32_t index, json_t *segment,
                     struct weft_error *error);

/* A page before and after its data: made by weft_page() of report/CMakeLists.txt. */
struct page_frame {
    const unsigned char *head;
    size_t head_length;
    const unsigned char *tail;
    size_t tail_length;
};
extern const struct page_frame report_page;

/* A page with its data, for page_print(), which is a weft_file_content. Error: WEFT_OUT_OF_MEMORY.
 */
struct page_content {
    const struct page_frame *frame;
    const json_t *data;
};
bool page_print(void *page, FILE *file, struct weft_error *error);

#endif
