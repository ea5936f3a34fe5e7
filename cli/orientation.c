#include "cli/orientation.h"

#include <stdbool.h>
#include <string.h>

enum {
    MARKER_APP1 = 0xe1,
    MARKER_SCAN = 0xda,
    TAG_ORIENTATION = 0x0112,
    TYPE_SHORT = 3,
    ENTRY_BYTES = 12
};

/* A TIFF file inside a JPEG: numbers in its own byte order, offsets from its beginning. */
struct tiff {
    const uint8_t *bytes;
    size_t length;
    bool is_big;
};

/* A number of `size` bytes; 0 behind the end. */
static uint32_t number_at(const struct tiff *tiff, size_t at, unsigned size) {
    uint32_t number = 0;
    if (at > tiff->length || tiff->length - at < size) {
        return 0;
    }
    for (unsigned i = 0; i < size; i++) {
        number = number << 8 | tiff->bytes[at + (tiff->is_big ? i : size - 1 - i)];
    }
    return number;
}

/* The tag in the first directory. */
static int tiff_orientation(const uint8_t *bytes, size_t length) {
    bool is_big = length >= 8 && memcmp(bytes, "MM\0*", 4) == 0;
    bool is_little = length >= 8 && memcmp(bytes, "II*\0", 4) == 0;
    const struct tiff tiff = {bytes, is_big || is_little ? length : 0, is_big};
    size_t directory = number_at(&tiff, 4, 4);
    size_t entries = number_at(&tiff, directory, 2);
    for (size_t i = 0; i < entries; i++) {
        size_t at = directory + 2 + i * ENTRY_BYTES;
        if (number_at(&tiff, at, 2) == TAG_ORIENTATION &&
            number_at(&tiff, at + 2, 2) == TYPE_SHORT && number_at(&tiff, at + 4, 4) == 1) {
            uint32_t value = number_at(&tiff, at + 8, 2);
            return value >= 1 && value <= 8 ? (int)value : 1;
        }
    }
    return 1;
}

int jpeg_orientation(const uint8_t *file, size_t length) {
    static const uint8_t name[] = {'E', 'x', 'i', 'f', 0, 0};
    size_t at = 2;
    if (length < 4 || file[0] != 0xff || file[1] != 0xd8) {
        return 1;
    }
    /* Segments: 0xff, the marker, and a length that counts itself, up to the first scan. */
    while (length - at >= 4 && file[at] == 0xff && file[at + 1] != MARKER_SCAN) {
        size_t segment = (size_t)file[at + 2] << 8 | file[at + 3];
        if (file[at + 1] == 0xff) {
            at++; /* fill */
            continue;
        }
        if (segment < 2 || segment > length - at - 2) {
            break;
        }
        const uint8_t *data = file + at + 4;
        size_t bytes = segment - 2;
        if (file[at + 1] == MARKER_APP1 && bytes > sizeof name &&
            memcmp(data, name, sizeof name) == 0) {
            return tiff_orientation(data + sizeof name, bytes - sizeof name);
        }
        at += 2 + segment;
    }
    return 1;
}
