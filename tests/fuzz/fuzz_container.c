/* .weft files. Checksums keep most changes from getting far, so the fuzzer also gets at the
 * sections behind them: input that does not begin like a .weft file is taken as the raw content of
 * one and packed first. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "compiler/module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    SECTIONS = 6,
    HEADER = 24,
    ENTRY = 32
};

static void read_back(const uint8_t *bytes, size_t length) {
    struct weft_error error;
    struct weft_module *module = NULL;
    if (weft_module_read(bytes, length, NULL, &module, &error)) {
        weft_module_free(module);
    }
}

/* Content: for each section a length of 4 bytes and its bytes; then a fingerprint of 8 bytes. */
static void pack(const uint8_t *data, size_t size) {
    static const char tags[SECTIONS][5] = {"CONF", "GRPH", "BLOB", "PROG", "CNST", "NAME"};
    size_t room = HEADER + SECTIONS * (ENTRY + 64) + 2 * size + 1024;
    uint8_t *file = calloc(1, room);
    size_t end = HEADER + SECTIONS * ENTRY;
    if (file == NULL) {
        return;
    }
    memcpy(file, "WEFT\r\n\x1a\n", 8);
    weft_write_u32(file + 8, 1);
    weft_write_u32(file + 12, SECTIONS);
    for (int i = 0; i < SECTIONS; i++) {
        uint32_t length = size < 4 ? 0 : weft_read_u32(data);
        data += size < 4 ? 0 : 4;
        size -= size < 4 ? 0 : 4;
        length = length > size ? (uint32_t)size : length;
        uint8_t *entry = file + HEADER + i * ENTRY;
        uLongf stored = (uLongf)(room - end);
        if (compress2(file + end, &stored, data, length, 1) != Z_OK) {
            break;
        }
        memcpy(entry, tags[i], 4);
        weft_write_u32(entry + 4, (uint32_t)crc32(0, file + end, (uInt)stored));
        weft_write_u64(entry + 8, end);
        weft_write_u64(entry + 16, stored);
        weft_write_u64(entry + 24, length);
        end += stored;
        data += length;
        size -= length;
    }
    if (size >= 8) {
        memcpy(file + 16, data, 8);
    }
    read_back(file, end);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (weft_is_module(data, size)) {
        read_back(data, size);
    } else {
        pack(data, size);
    }
    return 0;
}
