/* Inflating what zlib deflated, from files that are not trusted. */
#ifndef WEFT_BASE_INFLATE_H
#define WEFT_BASE_INFLATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Can `stored` bytes become as many as `raw`? zlib packs at most about 1030 to 1; more is a lie
 * about the size. */
static inline bool weft_inflate_is_possible(uint64_t stored, uint64_t raw) {
    return raw / 1100 <= stored;
}

/* Inflates all of `stored` into exactly `raw_length` bytes at `raw`. Errors: `damaged` when it
 * holds more, less or something else ("the compressed data is damaged"), WEFT_OUT_OF_MEMORY. */
bool weft_inflate(const uint8_t *stored, size_t stored_length, uint8_t *raw, size_t raw_length,
                  enum weft_error_code damaged, struct weft_error *error);

/* The same of data without zlib's header and checksum, as zip files have it. */
bool weft_inflate_raw(const uint8_t *stored, size_t stored_length, uint8_t *raw, size_t raw_length,
                      enum weft_error_code damaged, struct weft_error *error);

#endif
