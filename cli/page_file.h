/* Pages as files of the command line, "-" is standard output. */
#ifndef WEFT_CLI_PAGE_FILE_H
#define WEFT_CLI_PAGE_FILE_H

#include "base/file.h"
#include "report/page/page.h"

/* Writes a page with its data. Errors: WEFT_IO, WEFT_OUT_OF_MEMORY. */
bool page_write(const char *path, const struct page_frame *frame, const json_t *data,
                struct weft_error *error);

/* The same as one of several files, of data that was made since json_begin() and is released. */
bool page_stage(struct weft_file_batch *batch, const char *path, const struct page_frame *frame,
                json_t *data, struct weft_error *error);

/* Traces a module and writes its report, in at most `memory_limit` bytes (0: the default). Errors:
 * those of report_data_of_module() and page_write(). */
bool report_module(const struct weft_module *module, const struct weft_session_options *options,
                   const struct origin *origin, uint64_t memory_limit, const char *path,
                   struct weft_error *error);

#endif
