/* Instruction traces. Checksums keep most changes from getting far, so the fuzzer also gets at what
 * is behind them: input that does not begin like a trace is taken as the content of one and packed
 * first. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "sim/trace/raw.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    HEADER = 24
};
static const char magic[] = "WTRC\r\n\x1a\n";

static void read_back(const uint8_t *bytes, size_t length) {
    struct weft_error error;
    struct weft_config config;
    struct weft_trace_file file;
    if (!weft_trace_read(bytes, length, 0, &config, &file, &error)) {
        return;
    }
    struct weft_text text = {0};
    uint8_t *again = NULL;
    size_t again_length = 0;
    for (size_t i = 0; i < file.count; i++) {
        if (!weft_trace_print(&file.segments[i], &text, &error)) {
            abort();
        }
    }
    /* What was read can be written. */
    if (!weft_trace_write(&config, &file, &again, &again_length, &error) &&
        error.code != WEFT_LIMIT) {
        abort();
    }
    free(again);
    weft_text_free(&text);
    weft_trace_file_free(&file);
}

static void pack(const uint8_t *data, size_t size) {
    uLongf stored = compressBound((uLong)size);
    uint8_t *file = malloc(HEADER + stored);
    if (file != NULL && compress2(file + HEADER, &stored, data, (uLong)size, 1) == Z_OK) {
        memcpy(file, magic, 8);
        weft_write_u32(file + 8, 1);
        weft_write_u32(file + 12, (uint32_t)crc32_z(0, file + HEADER, stored));
        weft_write_u64(file + 16, size);
        read_back(file, HEADER + stored);
    }
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size >= 8 && memcmp(data, magic, 8) == 0) {
        read_back(data, size);
    } else {
        pack(data, size);
    }
    return 0;
}
