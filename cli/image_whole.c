/* Whether a picture is all there. The decoder reads what it finds: a damaged PNG becomes a wrong
 * picture, a BMP that ends early a black one. It finds the end of a JPEG missing by itself. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "cli/cli.h"

static uint32_t read_big(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* ---- PNG: chunks of a length, a name, data and a checksum, to the chunk IEND ---- */

static bool png_is_whole(const uint8_t *file, size_t length, struct weft_error *error) {
    enum {
        SIGNATURE = 8,
        AROUND = 12 /* bytes of a chunk that are not data */
    };
    size_t at = SIGNATURE;
    while (length - at >= AROUND && read_big(file + at) <= length - at - AROUND) {
        const uint8_t *name = file + at + 4;
        size_t data = read_big(file + at);
        if (crc32(0, name, (uInt)(4 + data)) != read_big(name + 4 + data)) {
            return weft_fail(error, WEFT_IMAGE, at, "byte %zu: wrong checksum of a PNG chunk", at);
        }
        if (memcmp(name, "IEND", 4) == 0) {
            return true;
        }
        at += AROUND + data;
    }
    return weft_fail(error, WEFT_IMAGE, at, "byte %zu: the file ends inside a PNG chunk", at);
}

/* ---- BMP: rows of whole 32-bit words, without compression ---- */

static bool bmp_is_whole(const uint8_t *file, size_t length, int64_t width, int64_t height,
                         struct weft_error *error) {
    enum {
        OFFSET = 10,
        HEADER_SIZE = 14,
        OLD_HEADER = 12,
        OLD_BITS = 24,
        BITS = 28,
        SHORTEST = 30
    };
    if (length < SHORTEST) {
        return weft_fail(error, WEFT_IMAGE, length, "the file ends inside the BMP header");
    }
    bool old = weft_read_u32(file + HEADER_SIZE) == OLD_HEADER;
    const uint8_t *bits = file + (old ? OLD_BITS : BITS);
    uint64_t row = ((uint64_t)width * (bits[0] | (uint64_t)bits[1] << 8) + 31) / 32 * 4;
    uint64_t end = weft_read_u32(file + OFFSET) + row * (uint64_t)height;
    return length >= end ||
           weft_fail(error, WEFT_IMAGE, length, "the BMP picture has %zu of %llu bytes", length,
                     (unsigned long long)end);
}

enum image_kind image_kind(const uint8_t *file, size_t length) {
    static const struct {
        enum image_kind kind;
        size_t length;
        const char *bytes;
    } kinds[] = {
        {IMAGE_PNG, 8, "\x89PNG\r\n\x1a\n"}, {IMAGE_JPEG, 3, "\xff\xd8\xff"}, {IMAGE_BMP, 2, "BM"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (length >= kinds[i].length && memcmp(file, kinds[i].bytes, kinds[i].length) == 0) {
            return kinds[i].kind;
        }
    }
    return IMAGE_UNKNOWN;
}

bool image_is_whole(const uint8_t *file, size_t length, int64_t width, int64_t height,
                    struct weft_error *error) {
    enum image_kind kind = image_kind(file, length);
    return (kind != IMAGE_PNG || png_is_whole(file, length, error)) &&
           (kind != IMAGE_BMP || bmp_is_whole(file, length, width, height, error));
}
