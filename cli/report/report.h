/* Shared by the files that make the page of weft report. */
#ifndef WEFT_CLI_REPORT_REPORT_H
#define WEFT_CLI_REPORT_REPORT_H

#include <jansson.h>

#include "cli/model_figures.h"
#include "cli/origin.h"

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

/* Writes the page. Errors: WEFT_IO, WEFT_OUT_OF_MEMORY. */
bool report_write(const char *path, json_t *data, struct weft_error *error);

/* The page before and after its data: made by cli/CMakeLists.txt from cli/report/page. */
extern const unsigned char report_page_head[];
extern const size_t report_page_head_length;
extern const unsigned char report_page_tail[];
extern const size_t report_page_tail_length;

#endif
