/* Whole files, read at once and written whole or not at all. */
#ifndef WEFT_BASE_FILE_H
#define WEFT_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* The largest file that any reader takes: 2 GiB, the limit of a FlatBuffers model. */
#define WEFT_FILE_LIMIT ((size_t)1 << 31)

/* Reads a regular file of at most WEFT_FILE_LIMIT bytes. On success *bytes holds *length bytes and
 * a NUL after them; the caller frees it. Errors: WEFT_IO, WEFT_LIMIT, WEFT_OUT_OF_MEMORY. */
bool weft_file_read(const char *path, uint8_t **bytes, size_t *length, struct weft_error *error);

/* Reads a descriptor, which may be a pipe or a terminal, from where it is to its end; it stays
 * open. Otherwise as weft_file_read(). */
bool weft_descriptor_read(int descriptor, uint8_t **bytes, size_t *length,
                          struct weft_error *error);

/* Writes `length` bytes to a temporary file beside `path` and renames it, so that `path` holds
 * either what it held before or all of the new content. A link keeps its place: what it points to
 * is replaced. A device or a pipe is written to. Errors: WEFT_IO, WEFT_OUT_OF_MEMORY. */
bool weft_file_write(const char *path, const void *bytes, size_t length, struct weft_error *error);

/* Writes the content of a file to `file`; its own failures alone are for it to report, not those of
 * writing. */
typedef bool weft_file_content(void *context, FILE *file, struct weft_error *error);

/* Content that is there: the context is a struct weft_file_bytes. */
struct weft_file_bytes {
    const void *bytes;
    size_t length;
};
bool weft_file_write_bytes(void *context, FILE *file, struct weft_error *error);

/* Writes content to a descriptor, which stays open. Errors: WEFT_IO, WEFT_OUT_OF_MEMORY, those of
 * the content. */
bool weft_descriptor_write(int descriptor, weft_file_content *content, void *context,
                           struct weft_error *error);

/* weft_file_write() of content that is too large to be held at once. Errors: those of the content,
 * too. */
bool weft_file_write_content(const char *path, weft_file_content *content, void *context,
                             struct weft_error *error);

/* Files that are written together, once all of them are known to be whole. Starts as zeros. */
struct weft_file_batch {
    struct weft_staged_file *files;
    size_t count;
    size_t capacity;
};

/* Writes the temporary file of one more file; `path` must live until the batch is empty. Errors: as
 * weft_file_write(). */
bool weft_file_stage(struct weft_file_batch *batch, const char *path, const void *bytes,
                     size_t length, struct weft_error *error);
bool weft_file_stage_content(struct weft_file_batch *batch, const char *path,
                             weft_file_content *content, void *context, struct weft_error *error);

/* Could a file be written there? For who works long before it is. Nothing is left behind, and what
 * is no file, as a pipe, is not asked. Errors: those of weft_file_stage(). */
bool weft_file_check(const char *path, struct weft_error *error);

/* Gives all files their names and empties the batch. On failure *path is the one that is in the
 * way, as it was given; the files before it are there, those behind it are not. Error: WEFT_IO. */
bool weft_file_commit(struct weft_file_batch *batch, const char **path, struct weft_error *error);

/* Removes the temporary files and empties the batch. */
void weft_file_discard(struct weft_file_batch *batch);

#endif
