/* Decoding and resizing pictures: stb behind a wall. Whatever stb allocates is counted and released
 * here, and neither an assertion nor a lack of memory leads anywhere but to an error. */
#ifndef WEFT_CLI_PIXELS_H
#define WEFT_CLI_PIXELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
    PIXELS_MAX_SIDE = 16384 /* of a picture, decoded or resized */
};

/* A picture: rows from the top, channels of a pixel side by side. */
struct pixels_size {
    int64_t width;
    int64_t height;
    int64_t channels; /* 1 or 3 */
};

/* Reads the width and the height (of either sign) of a PNG, JPEG or BMP picture; they may be
 * anything. Errors: WEFT_IMAGE, WEFT_OUT_OF_MEMORY. */
bool pixels_read_size(const uint8_t *file, size_t length, struct pixels_size *size,
                      struct weft_error *error);

/* What is made of a picture. */
struct pixels_wanted {
    struct pixels_size size;
    int orientation;     /* EXIF: 1 as it is in the file, up to 8 */
    bool may_have_holes; /* pixels that are not opaque, which are blended on white */
};

/* Decodes a picture whose sides are known to be 1 to PIXELS_MAX_SIDE, into as many channels as
 * `wanted` has, blends and turns it, and resizes it to `wanted` at `out`. stb, and turning, never
 * hold more than `limit` bytes. *blended: was any pixel not opaque? Errors: WEFT_IMAGE, WEFT_LIMIT,
 * WEFT_OUT_OF_MEMORY; `out` is then anything. */
bool pixels_read(const uint8_t *file, size_t length, const struct pixels_wanted *wanted,
                 uint64_t limit, uint8_t *out, bool *blended, struct weft_error *error);

#endif
