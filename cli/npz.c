#include "cli/npz.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/inflate.h"
#include "base/limit.h"
#include "base/memory.h"

/* Source: PKWARE's APPNOTE 6.3: sizes and signatures of the records. */
enum {
    END_BYTES = 22,
    END_COMMENT = 65535,
    ENTRY_BYTES = 46,
    LOCAL_BYTES = 30,
    STORED = 0,
    DEFLATED = 8,
};
static const uint8_t end_mark[4] = {'P', 'K', 5, 6};
static const uint8_t entry_mark[4] = {'P', 'K', 1, 2};
static const uint8_t local_mark[4] = {'P', 'K', 3, 4};

static uint32_t read16(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}

static uint32_t read32(const uint8_t *bytes) {
    return read16(bytes) | read16(bytes + 2) << 16;
}

static bool bad(struct weft_error *error, size_t position, const char *what) {
    return weft_fail(error, WEFT_NPY, position, "byte %zu: %s", position, what);
}

bool npz_is(const uint8_t *bytes, size_t length) {
    return length >= sizeof local_mark && (memcmp(bytes, local_mark, sizeof local_mark) == 0 ||
                                           memcmp(bytes, end_mark, sizeof end_mark) == 0);
}

/* The record at the end of the file, before a comment; `length`: there is none. */
static size_t find_end(const uint8_t *bytes, size_t length) {
    size_t at = length < END_BYTES ? 0 : length - END_BYTES + 1;
    size_t first = at > END_COMMENT ? at - END_COMMENT : 0;
    while (at > first) {
        at--;
        if (memcmp(bytes + at, end_mark, sizeof end_mark) == 0 &&
            at + END_BYTES + read16(bytes + at + 20) == length) {
            return at;
        }
    }
    return length;
}

/* The name without .npy. */
static void copy_name(const uint8_t *bytes, size_t length, char name[NPZ_NAME]) {
    static const char ending[] = ".npy";
    size_t end = sizeof ending - 1;
    length -= length >= end && memcmp(bytes + length - end, ending, end) == 0 ? end : 0;
    length = length < NPZ_NAME ? length : NPZ_NAME - 1;
    memcpy(name, bytes, length);
    name[length] = '\0';
}

/* Where the bytes of an entry begin: behind the header that stands before them. */
static bool find_data(const struct npz *npz, size_t local, struct npz_array *array,
                      struct weft_error *error) {
    if (local > npz->length || npz->length - local < LOCAL_BYTES ||
        memcmp(npz->bytes + local, local_mark, sizeof local_mark) != 0) {
        return bad(error, local, "expected the header of a file in the zip file");
    }
    size_t skipped = LOCAL_BYTES + (size_t)read16(npz->bytes + local + 26) +
                     (size_t)read16(npz->bytes + local + 28);
    if (npz->length - local < skipped || npz->length - local - skipped < array->stored) {
        return bad(error, local, "a file in the zip file reaches beyond its end");
    }
    array->at = local + skipped;
    return true;
}

/* One entry of the directory, at *at, which ends at `end`. */
static bool read_entry(struct npz *npz, size_t *at, size_t end, struct weft_error *error) {
    const uint8_t *entry = npz->bytes + *at;
    struct npz_array *array = &npz->arrays[npz->count];
    if (end - *at < ENTRY_BYTES || memcmp(entry, entry_mark, sizeof entry_mark) != 0) {
        return bad(error, *at, "expected an entry of the zip file's directory");
    }
    size_t name = read16(entry + 28);
    size_t length = ENTRY_BYTES + name + read16(entry + 30) + read16(entry + 32);
    uint32_t method = read16(entry + 10);
    if (end - *at < length) {
        return bad(error, *at, "an entry reaches beyond the zip file's directory");
    }
    if ((read16(entry + 8) & 1) != 0 || (method != STORED && method != DEFLATED)) {
        return bad(error, *at, "expected files that are stored or deflated, and not encrypted");
    }
    *array = (struct npz_array){.is_deflated = method == DEFLATED,
                                .checksum = read32(entry + 16),
                                .stored = read32(entry + 20),
                                .raw = read32(entry + 24)};
    copy_name(entry + ENTRY_BYTES, name, array->name);
    if (array->stored == UINT32_MAX || array->raw == UINT32_MAX) {
        return bad(error, *at, "files of 4 GB and more are not read");
    }
    if (array->is_deflated ? !weft_inflate_is_possible(array->stored, array->raw)
                           : array->stored != array->raw) {
        return bad(error, *at, "the sizes of a file in the zip file cannot be true");
    }
    *at += length;
    npz->count++;
    return find_data(npz, read32(entry + 42), array, error);
}

bool npz_open(const uint8_t *bytes, size_t length, struct npz *npz, struct weft_error *error) {
    size_t end = find_end(bytes, length);
    if (end == length) {
        return bad(error, 0, "not a .npz file: there is no directory at its end");
    }
    size_t count = read16(bytes + end + 10);
    size_t at = read32(bytes + end + 16);
    if (count > NPZ_MOST_ARRAYS || at > end) {
        return bad(error, end, "the directory is outside the file, or has more than 1024 files");
    }
    *npz = (struct npz){.bytes = bytes, .length = length};
    for (size_t i = 0; i < count; i++) {
        if (!read_entry(npz, &at, end, error)) {
            return false;
        }
    }
    return true;
}

const struct npz_array *npz_find(const struct npz *npz, const char *name) {
    for (size_t i = 0; i < npz->count; i++) {
        if (strcmp(npz->arrays[i].name, name) == 0) {
            return &npz->arrays[i];
        }
    }
    return NULL;
}

bool npz_read(const struct npz *npz, const struct npz_array *array, uint64_t limit, uint8_t **bytes,
              struct weft_error *error) {
    const uint8_t *stored = npz->bytes + array->at;
    if (array->raw > weft_memory_limit(limit)) {
        return weft_limit_passed(error, "an array", array->raw, weft_memory_limit(limit));
    }
    uint8_t *raw = weft_allocate(array->raw, 1, "an array", error);
    if (raw == NULL) {
        return false;
    }
    bool good = true;
    if (array->is_deflated) {
        good = weft_inflate_raw(stored, array->stored, raw, array->raw, WEFT_NPY, error);
    } else {
        memcpy(raw, stored, array->raw);
    }
    if (good && crc32(0, raw, (uInt)array->raw) != array->checksum) {
        good = bad(error, array->at, "the checksum of a file in the zip file is wrong");
    }
    if (!good) {
        free(raw);
        return weft_fail_context(error, "%s.npy", array->name);
    }
    *bytes = raw;
    return true;
}
