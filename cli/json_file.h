/* Documents of jansson as files. */
#ifndef WEFT_CLI_JSON_FILE_H
#define WEFT_CLI_JSON_FILE_H

#include "base/file.h"
#include "report/json.h"

/* Writes and releases `root`, made since json_begin(), alone or as one more file of a batch.
 * Errors: those of weft_file_write(). */
bool write_json_file(const char *path, json_t *root, struct weft_error *error);
bool stage_json_file(struct weft_file_batch *batch, const char *path, json_t *root,
                     struct weft_error *error);

#endif
