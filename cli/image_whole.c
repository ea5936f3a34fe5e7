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

enum {
    PNG_SIGNATURE = 8,
    PNG_COLOUR = 25, /* byte of the header: how a pixel is stored */
    PNG_AROUND = 12  /* bytes of a chunk that are not data */
};

static bool png_is_whole(const uint8_t *file, size_t length, struct weft_error *error) {
    size_t at = PNG_SIGNATURE;
    while (length - at >= PNG_AROUND && read_big(file + at) <= length - at - PNG_AROUND) {
        const uint8_t *name = file + at + 4;
        size_t data = read_big(file + at);
        if (crc32(0, name, (uInt)(4 + data)) != read_big(name + 4 + data)) {
            return weft_fail(error, WEFT_IMAGE, at, "byte %zu: wrong checksum of a PNG chunk", at);
        }
        if (memcmp(name, "IEND", 4) == 0) {
            return true;
        }
        at += PNG_AROUND + data;
    }
    return weft_fail(error, WEFT_IMAGE, at, "byte %zu: the file ends inside a PNG chunk", at);
}

/* Pixels with alpha, or a chunk that says which colours are transparent. */
static bool png_may_have_holes(const uint8_t *file, size_t length) {
    enum {
        ALPHA = 4
    };
    bool found = length > PNG_COLOUR && (file[PNG_COLOUR] & ALPHA) != 0;
    for (size_t at = PNG_SIGNATURE; !found && length - at >= PNG_AROUND;) {
        size_t data = read_big(file + at);
        found = memcmp(file + at + 4, "tRNS", 4) == 0;
        if (data > length - at - PNG_AROUND) {
            break;
        }
        at += PNG_AROUND + data;
    }
    return found;
}

/* ---- BMP: rows of whole 32-bit words, without compression ---- */

enum {
    BMP_OFFSET = 10,
    BMP_HEADER_SIZE = 14,
    BMP_OLD_HEADER = 12,
    BMP_OLD_BITS = 24,
    BMP_BITS = 28,
    BMP_SHORTEST = 30
};

/* Bits of a pixel. */
static unsigned bmp_bits(const uint8_t *file) {
    bool old = weft_read_u32(file + BMP_HEADER_SIZE) == BMP_OLD_HEADER;
    const uint8_t *bits = file + (old ? BMP_OLD_BITS : BMP_BITS);
    return bits[0] | (unsigned)bits[1] << 8;
}

static bool bmp_is_whole(const uint8_t *file, size_t length, int64_t width, int64_t height,
                         struct weft_error *error) {
    if (length < BMP_SHORTEST) {
        return weft_fail(error, WEFT_IMAGE, length, "the file ends inside the BMP header");
    }
    uint64_t row = ((uint64_t)width * bmp_bits(file) + 31) / 32 * 4;
    uint64_t end = weft_read_u32(file + BMP_OFFSET) + row * (uint64_t)height;
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

/* How a file of some kind begins: `bytes` at `offset`. */
struct magic {
    enum image_kind kind;
    size_t offset, length;
    const char *bytes;
    const char *name;
};

static const struct magic *find_magic(const struct magic *list, size_t count, const uint8_t *file,
                                      size_t length) {
    for (size_t i = 0; i < count; i++) {
        if (length >= list[i].offset + list[i].length &&
            memcmp(file + list[i].offset, list[i].bytes, list[i].length) == 0) {
            return &list[i];
        }
    }
    return NULL;
}

enum image_kind image_kind(const uint8_t *file, size_t length) {
    static const struct magic kinds[] = {{IMAGE_PNG, 0, 8, "\x89PNG\r\n\x1a\n", NULL},
                                         {IMAGE_JPEG, 0, 3, "\xff\xd8\xff", NULL},
                                         {IMAGE_BMP, 0, 2, "BM", NULL}};
    const struct magic *magic = find_magic(kinds, sizeof kinds / sizeof kinds[0], file, length);
    return magic == NULL ? IMAGE_UNKNOWN : magic->kind;
}

const char *image_foreign(const uint8_t *file, size_t length) {
    static const struct magic formats[] = {
        {IMAGE_UNKNOWN, 0, 6, "GIF87a", "a GIF picture"},
        {IMAGE_UNKNOWN, 0, 6, "GIF89a", "a GIF picture"},
        {IMAGE_UNKNOWN, 8, 4, "WEBP", "a WebP picture"},
        {IMAGE_UNKNOWN, 0, 4, "II*\0", "a TIFF picture"},
        {IMAGE_UNKNOWN, 0, 4, "MM\0*", "a TIFF picture"},
        {IMAGE_UNKNOWN, 4, 8, "ftypheic", "a HEIF picture"},
        {IMAGE_UNKNOWN, 4, 8, "ftypavif", "an AVIF picture"},
    };
    const struct magic *magic =
        find_magic(formats, sizeof formats / sizeof formats[0], file, length);
    return magic == NULL ? NULL : magic->name;
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

bool image_may_have_holes(const uint8_t *file, size_t length) {
    enum image_kind kind = image_kind(file, length);
    return (kind == IMAGE_PNG && png_may_have_holes(file, length)) ||
           (kind == IMAGE_BMP && (bmp_bits(file) == 16 || bmp_bits(file) == 32));
}
