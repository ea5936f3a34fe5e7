/* Whether a picture is all there. The decoder reads what it finds: a damaged PNG becomes a wrong
 * picture, a BMP that ends early a black one. It finds the end of a JPEG missing by itself. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/integer.h"
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

/* ---- JPEG: the decoder has room for 256 codes of a Huffman table, and does not count them ---- */

enum jpeg_marker {
    JPEG_TABLES = 0xc4,
    JPEG_RESTART = 0xd0, /* 8 of them, SOI and EOI: markers without a segment */
    JPEG_SCAN = 0xda
};

/* The tables of a segment: class and number, 16 counts of codes, and as many bytes as these add up
 * to. The last one may reach past the end of its segment: the decoder sees that too late. */
static bool jpeg_tables_fit(const uint8_t *file, size_t length, size_t at, size_t end,
                            struct weft_error *error) {
    enum {
        LENGTHS = 16,
        MOST_CODES = 256
    };
    while (at < end) {
        size_t codes = 0;
        for (size_t i = 1; i <= LENGTHS && at + i < length; i++) {
            codes += file[at + i];
        }
        if (codes > MOST_CODES) {
            return weft_fail(error, WEFT_IMAGE, at,
                             "byte %zu: a JPEG Huffman table of %zu codes, expected at most %d", at,
                             codes, MOST_CODES);
        }
        at += 1 + LENGTHS + codes;
    }
    return true;
}

/* Goes from marker to marker as the decoder does. Between them, and behind the header of a scan, is
 * what does not count: 0xff and 0 are data. */
static bool jpeg_is_bearable(const uint8_t *file, size_t length, struct weft_error *error) {
    size_t at = 0;
    while (length - at >= 4) {
        unsigned marker = file[at + 1];
        bool alone = marker == 0 || (marker >= JPEG_RESTART && marker < JPEG_SCAN);
        if (file[at] != 0xff || marker == 0xff || alone) {
            at += file[at] == 0xff && alone ? 2 : 1;
            continue;
        }
        size_t segment = (size_t)file[at + 2] << 8 | file[at + 3];
        size_t end = segment < length - at - 2 ? at + 2 + segment : length;
        if (marker == JPEG_TABLES && !jpeg_tables_fit(file, length, at + 4, end, error)) {
            return false;
        }
        at = end;
    }
    return true;
}

bool image_is_bearable(const uint8_t *file, size_t length, struct weft_error *error) {
    return image_kind(file, length) != IMAGE_JPEG || jpeg_is_bearable(file, length, error);
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

/* Every scan of a progressive JPEG goes over all of its pixels and may take a few bytes of the
 * file. A marker inside a segment, as in a thumbnail, counts too. */
static bool scans_are_bearable(const uint8_t *file, size_t length, int64_t width, int64_t height,
                               struct weft_error *error) {
    /* A scan visits up to three components of blocks that are sampled 4 x 4, the last ones whole.
     */
    const int64_t most_visits = INT64_C(12) << 30;
    int64_t visits = 3 * weft_round_up(width, 32) * weft_round_up(height, 32);
    int64_t scans = 0;
    for (size_t i = 0; i + 1 < length; i++) {
        scans += file[i] == 0xff && file[i + 1] == JPEG_SCAN;
    }
    return scans <= most_visits / visits ||
           weft_fail(error, WEFT_LIMIT, 0,
                     "a JPEG picture of %lld scans, at most %lld are read of one of this size",
                     (long long)scans, (long long)(most_visits / visits));
}

bool image_is_whole(const uint8_t *file, size_t length, int64_t width, int64_t height,
                    struct weft_error *error) {
    enum image_kind kind = image_kind(file, length);
    return (kind != IMAGE_PNG || png_is_whole(file, length, error)) &&
           (kind != IMAGE_JPEG || scans_are_bearable(file, length, width, height, error)) &&
           (kind != IMAGE_BMP || bmp_is_whole(file, length, width, height, error));
}
