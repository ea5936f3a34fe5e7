/* Documents of jansson, inside the limit of memory, as files. */
#ifndef WEFT_CLI_JSON_FILE_H
#define WEFT_CLI_JSON_FILE_H

#include <jansson.h>

#include "base/file.h"
#include "compiler/module.h"

/* What jansson has no memory for, it leaves out, and goes on: json_begin() before a document is
 * made, when `memory` bytes of the module's limit (without a module: of the default) are in use,
 * and json_complete() when it is made: false where it is NULL or something was left out. Errors:
 * WEFT_LIMIT, WEFT_OUT_OF_MEMORY. */
void json_begin(const struct weft_module *module, uint64_t memory);
bool json_complete(const void *made, struct weft_error *error);

/* A string for JSON, which is UTF-8: bytes of a name that is not become '?'. The caller owns it. */
json_t *text_json(const char *text);

/* Notes that something is left out when `made` is NULL. */
void json_note(const void *made);

/* Writes and releases `root`, made since json_begin(), alone or as one more file of a batch.
 * Errors: those of weft_file_write(). */
bool write_json_file(const char *path, json_t *root, struct weft_error *error);
bool stage_json_file(struct weft_file_batch *batch, const char *path, json_t *root,
                     struct weft_error *error);

#endif
