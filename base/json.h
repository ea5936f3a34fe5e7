/* JSON text, read piece by piece, without jansson, whose reader runs past the end of its buffer
 * where memory runs out. Readers of files that are not trusted say what they expect next; nothing
 * is allocated, and nothing is read twice.
 *
 * Of strings this knows what the project writes: the escapes \" \\ \/ and \u00XX. */
#ifndef WEFT_BASE_JSON_H
#define WEFT_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* The text that is left. */
struct weft_json {
    const char *at;
    const char *end;
    uint64_t line;             /* of `at`, from 1 */
    enum weft_error_code code; /* of every error */
    struct weft_error *error;
};

/* "line N: expected WHAT"; position = line. Returns false. */
bool weft_json_malformed(const struct weft_json *in, const char *expected);

/* The next byte that is no space; 0: there is none. */
char weft_json_peek(struct weft_json *in);

/* Takes the next byte that is no space if it is this one. */
bool weft_json_take(struct weft_json *in, char byte);

/* Takes a string, with all escapes of JSON but \u0000, of which the first size - 1 bytes are kept
 * in `text`, with a NUL after them; the bytes of size 0 are not kept. */
bool weft_json_take_string(struct weft_json *in, char *text, size_t size);

/* Bytes up to the end of the string that comes next: no fewer than it has. */
size_t weft_json_string_room(const struct weft_json *in);

/* A number that is nothing but digits and a sign; where it has more of them than fit, *number is
 * INT64_MAX or its negative. False, without an error, when something else comes. */
bool weft_json_take_integer(struct weft_json *in, int64_t *number);

/* true or false. False, without an error, when something else comes. */
bool weft_json_take_boolean(struct weft_json *in, bool *value);

/* True when nothing but space is left. */
bool weft_json_finish(struct weft_json *in);

/* Appends a string with its quotes. Bytes that are not printable ASCII become \u00XX, so that any
 * bytes come back as they were. */
void weft_json_add_string(struct weft_text *out, const char *string);

#endif
