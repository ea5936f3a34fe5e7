#include "tests/unit/containers.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"

struct file digits_file(const char *config) {
    struct weft_error error;
    struct file file = {0};
    struct digits digits = digits_open(config);
    ASSERT_GOOD(weft_module_write(digits.module, &file.bytes, &file.length, &error), error);
    digits_close(&digits);
    return file;
}

struct parts take_apart(const struct file *file) {
    struct parts parts = {.fingerprint = weft_read_u64(file->bytes + 16)};
    for (int i = 0; i < SECTIONS; i++) {
        const uint8_t *entry = file->bytes + HEADER + (size_t)i * ENTRY;
        uLongf raw = (uLongf)weft_read_u64(entry + 24);
        parts.raw[i] = malloc(raw + 64); /* room to grow */
        assert_non_null(parts.raw[i]);
        assert_int_equal(uncompress(parts.raw[i], &raw, file->bytes + weft_read_u64(entry + 8),
                                    (uLong)weft_read_u64(entry + 16)),
                         Z_OK);
        parts.length[i] = raw;
    }
    return parts;
}

void free_parts(struct parts *parts) {
    for (int i = 0; i < SECTIONS; i++) {
        free(parts->raw[i]);
    }
}

struct file put_together(const struct parts *parts) {
    static const char tags[SECTIONS][5] = {"CONF", "GRPH", "BLOB", "PROG",
                                           "CNST", "NAME", "DECS", "EXTN"};
    struct file file = {.length = TABLE_END};
    size_t room = TABLE_END;
    for (int i = 0; i < SECTIONS; i++) {
        room += compressBound((uLong)parts->length[i]);
    }
    file.bytes = calloc(1, room);
    assert_non_null(file.bytes);
    memcpy(file.bytes, "WEFT\r\n\x1a\n", 8);
    weft_write_u32(file.bytes + 8, CONTAINER_VERSION);
    weft_write_u32(file.bytes + 12, SECTIONS);
    weft_write_u64(file.bytes + 16, parts->fingerprint);
    for (int i = 0; i < SECTIONS; i++) {
        uint8_t *entry = file.bytes + HEADER + (size_t)i * ENTRY;
        uLongf stored = (uLongf)(room - file.length);
        assert_int_equal(
            compress2(file.bytes + file.length, &stored, parts->raw[i], (uLong)parts->length[i], 1),
            Z_OK);
        memcpy(entry, tags[i], 4);
        weft_write_u32(entry + 4, (uint32_t)crc32(0, file.bytes + file.length, (uInt)stored));
        weft_write_u64(entry + 8, file.length);
        weft_write_u64(entry + 16, stored);
        weft_write_u64(entry + 24, parts->length[i]);
        file.length += stored;
    }
    return file;
}

void replace(struct parts *parts, enum section section, const char *old, const char *replacement) {
    char *at = NULL;
    size_t length = strlen(old);
    for (size_t i = 0; at == NULL && i + length <= parts->length[section]; i++) {
        if (memcmp(parts->raw[section] + i, old, length) == 0) {
            at = (char *)parts->raw[section] + i;
        }
    }
    assert_non_null(at);
    assert_true(strlen(replacement) <= length + 60);
    size_t rest = parts->length[section] - (size_t)(at - (char *)parts->raw[section]) - length;
    memmove(at + strlen(replacement), at + length, rest);
    memcpy(at, replacement, strlen(replacement));
    parts->length[section] += strlen(replacement) - length;
}

struct weft_module *read_file(const struct file *file) {
    struct weft_error error;
    struct weft_module *module = NULL;
    ASSERT_GOOD(weft_module_read(file->bytes, file->length, NULL, &module, &error), error);
    return module;
}

enum weft_error_code code_of(const struct file *file) {
    struct weft_error error = {0};
    struct weft_module *module = NULL;
    if (weft_module_read(file->bytes, file->length, NULL, &module, &error)) {
        weft_module_free(module);
        return WEFT_OK;
    }
    assert_null(module);
    assert_true(strlen(error.message) > 0);
    assert_null(strchr(error.message, '\n'));
    return error.code;
}

void assert_parts(struct parts *parts, enum weft_error_code expected) {
    struct file file = put_together(parts);
    assert_string_equal(weft_error_name(code_of(&file)), weft_error_name(expected));
    free(file.bytes);
    free_parts(parts);
}

struct file good;

int open_good(void **state) {
    (void)state;
    good = digits_file("ref16");
    return 0;
}

int close_good(void **state) {
    (void)state;
    free(good.bytes);
    return 0;
}
