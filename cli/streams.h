/* Files as the command line names them: "-" is standard input or standard output. */
#ifndef WEFT_CLI_STREAMS_H
#define WEFT_CLI_STREAMS_H

#include "base/file.h"

/* Is it "-"? */
bool is_stream(const char *path);

/* Once, before anything else is opened: descriptors 0 to 2 that are closed get a place where
 * nothing can be read or written, so that no file gets their number; a file that grows larger than
 * the process may write is an error of writing. */
void streams_open(void);

/* Once, when a file of the command is written to standard output: what the command prints goes to
 * standard error from now on, and a reader that goes away is an error as any other. Error: WEFT_IO.
 */
bool streams_give_output(struct weft_error *error);

/* As weft_file_read(), weft_file_stage(), weft_file_write() and weft_file_write_content(), and of
 * "-". What goes to standard output is written at once, before the files of a batch get their
 * names. */
bool stream_read(const char *path, uint8_t **bytes, size_t *length, struct weft_error *error);
bool stream_stage(struct weft_file_batch *batch, const char *path, const void *bytes, size_t length,
                  struct weft_error *error);
bool stream_stage_content(struct weft_file_batch *batch, const char *path,
                          weft_file_content *content, void *context, struct weft_error *error);
bool stream_write(const char *path, const void *bytes, size_t length, struct weft_error *error);
bool stream_write_content(const char *path, weft_file_content *content, void *context,
                          struct weft_error *error);

#endif
