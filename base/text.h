/* A growing text buffer. */
#ifndef WEFT_BASE_TEXT_H
#define WEFT_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Initialise with all zeros; release with weft_text_free(). A failed append sets `failed` and makes
 * later appends do nothing, so that a printer checks once, at its end, with weft_text_finish(). */
struct weft_text {
    char *bytes; /* NUL-terminated, or NULL while empty; owned by the buffer */
    size_t length;
    size_t capacity;
    size_t limit; /* bytes that `capacity` may reach; 0: no limit */
    bool failed;
    bool is_limited; /* failed because of the limit */
};

/* Appends printf-style. */
void weft_text_add(struct weft_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends `length` bytes as they are. */
void weft_text_add_bytes(struct weft_text *text, const char *bytes, size_t length);

/* True when every append succeeded (an empty buffer becomes ""), else WEFT_OUT_OF_MEMORY, or
 * WEFT_LIMIT. */
bool weft_text_finish(struct weft_text *text, struct weft_error *error);

/* Reads a text that is nothing but decimal digits, a number of at most `most`. False, and *number
 * as it was, when it is anything else. */
bool weft_read_number(const char *text, uint64_t most, uint64_t *number);

void weft_text_free(struct weft_text *text);

#endif
