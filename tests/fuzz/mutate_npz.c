/* .npz files: an array is mutated, and the zip file is made again around it. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cli/npz.h"
#include "tests/fuzz/mutate.h"

enum {
    MOST_BYTES = 1 << 18, /* of an array */
    ZLIB_HEADER = 2,      /* around what is deflated in a stream of zlib */
    ZLIB_END = 4
};

static void add16(struct weft_text *out, size_t number) {
    const uint8_t bytes[2] = {(uint8_t)number, (uint8_t)(number >> 8)};
    weft_text_add_bytes(out, (const char *)bytes, sizeof bytes);
}

static void add32(struct weft_text *out, size_t number) {
    add16(out, number);
    add16(out, number >> 16);
}

/* What local header and directory have in common: version, flags, method, time, sizes, name. */
static void add_sizes(struct weft_text *out, const struct npz_array *array, size_t stored) {
    add16(out, 20);
    add16(out, 0);
    add16(out, array->is_deflated ? 8 : 0);
    add32(out, 0);
    add32(out, array->checksum);
    add32(out, stored);
    add32(out, array->raw);
    add16(out, strlen(array->name) + 4);
    add16(out, 0);
}

static void add_name(struct weft_text *out, const struct npz_array *array) {
    weft_text_add(out, "%s.npy", array->name);
}

/* An array of these bytes, and its entry in the directory. */
static bool add_array(struct npz_array array, const struct weft_text *raw, struct weft_text *file,
                      struct weft_text *directory) {
    struct weft_text stream = {0};
    size_t local = file->length;
    bool good = !array.is_deflated || mutate_deflate(raw->bytes, raw->length, &stream);
    size_t stored = array.is_deflated ? stream.length - ZLIB_HEADER - ZLIB_END : raw->length;
    array.raw = raw->length;
    array.checksum = (uint32_t)crc32(0, (const uint8_t *)raw->bytes, (uInt)raw->length);
    if (good) {
        weft_text_add_bytes(file, "PK\3\4", 4);
        add_sizes(file, &array, stored);
        add_name(file, &array);
        weft_text_add_bytes(file, array.is_deflated ? stream.bytes + ZLIB_HEADER : raw->bytes,
                            stored);
        weft_text_add_bytes(directory, "PK\1\2", 4);
        add16(directory, 20);
        add_sizes(directory, &array, stored);
        add16(directory, 0);
        add32(directory, 0);
        add32(directory, 0);
        add32(directory, local);
        add_name(directory, &array);
    }
    weft_text_free(&stream);
    return good;
}

/* All arrays, one of them mutated. */
static bool rebuild(const struct npz *npz, size_t mutated, struct weft_text *file) {
    struct weft_text directory = {0};
    struct weft_error error;
    bool good = true;
    for (size_t i = 0; good && i < npz->count; i++) {
        struct weft_text raw = {0};
        uint8_t *bytes = NULL;
        good = npz_read(npz, &npz->arrays[i], MOST_BYTES, &bytes, &error);
        if (good && i == mutated) {
            mutate_bytes(bytes, npz->arrays[i].raw, &raw);
        } else if (good) {
            weft_text_add_bytes(&raw, (const char *)bytes, npz->arrays[i].raw);
        }
        good = good && raw.bytes != NULL && add_array(npz->arrays[i], &raw, file, &directory);
        weft_text_free(&raw);
        free(bytes);
    }
    size_t start = file->length;
    if (good && directory.bytes != NULL) {
        weft_text_add_bytes(file, directory.bytes, directory.length);
        weft_text_add_bytes(file, "PK\5\6\0\0\0\0", 8);
        add16(file, npz->count);
        add16(file, npz->count);
        add32(file, directory.length);
        add32(file, start);
        add16(file, 0);
    }
    weft_text_free(&directory);
    return good;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    static struct npz npz;
    struct weft_text file = {0};
    struct weft_error error;
    if (mutate_random(&seed, 8) == 0 || !npz_is(data, size) ||
        !npz_open(data, size, &npz, &error) || npz.count == 0) {
        return LLVMFuzzerMutate(data, size, most);
    }
    bool good = rebuild(&npz, mutate_random(&seed, (uint32_t)npz.count), &file);
    return mutate_finish(&file, good, data, size, most);
}
