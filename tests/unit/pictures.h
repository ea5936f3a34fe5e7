/* What the tests of pictures share: pictures that are made by another library or by hand. */
#ifndef WEFT_TESTS_UNIT_PICTURES_H
#define WEFT_TESTS_UNIT_PICTURES_H

#include "cli/cli.h"

enum {
    WIDTH = 20,
    HEIGHT = 14,
    PIXELS = WIDTH * HEIGHT,
};

struct picture {
    uint8_t bytes[16384];
    size_t length;
};

/* No option. */
extern const struct image_options plain;

/* A tensor [1, height, width, channels] of scale 1/255 with zero point -128. */
struct weft_type input_type(enum weft_dtype dtype, int64_t height, int64_t width, int64_t channels);

/* Pixels that differ everywhere. */
void noise(uint8_t *pixels, size_t length);

/* Pictures of WIDTH x HEIGHT pixels, rows from top to bottom. */
struct picture png_of(const uint8_t *pixels, int channels);
struct picture jpeg_of(const uint8_t *pixels, int channels);

/* A BMP of 24 bits by hand: rows from bottom to top (or from top to bottom), blue before red, each
 * padded to whole words. */
struct picture bmp_of(const uint8_t *rgb, bool from_top);

/* Bytes behind what the picture has: what stb_image_write calls, with a picture as context, and a
 * number of up to four bytes, little-endian. */
void picture_append(void *context, void *data, int size);
void picture_put(struct picture *picture, unsigned bytes, uint32_t value);

#endif
