/* Whole files, read at once and written whole or not at all. */
#ifndef WEFT_BASE_FILE_H
#define WEFT_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The largest file that any reader takes: 2 GiB, the limit of a FlatBuffers model. */
#define WEFT_FILE_LIMIT ((size_t)1 << 31)

/* Reads a regular file of at most WEFT_FILE_LIMIT bytes. On success *bytes holds *length bytes and
 * a NUL after them; the caller frees it. Errors: WEFT_IO, WEFT_LIMIT, WEFT_OUT_OF_MEMORY. */
bool weft_file_read(const char *path, uint8_t **bytes, size_t *length, struct weft_error *error);

/* Writes `length` bytes to a temporary file beside `path` and renames it, so that `path` holds
 * either what it held before or all of the new content. Errors: WEFT_IO. */
bool weft_file_write(const char *path, const void *bytes, size_t length, struct weft_error *error);

#endif
