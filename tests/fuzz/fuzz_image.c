/* Pictures. Checksums of a PNG keep most changes from the decoder, so the fuzzer also mends them.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cli/cli.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *mend(const uint8_t *data, size_t size) {
    uint8_t *file = malloc(size + 1);
    if (file == NULL) {
        return NULL;
    }
    memcpy(file, data, size);
    for (size_t at = 8; size >= 20 && at <= size - 12;) {
        size_t length = (size_t)file[at] << 24 | (size_t)file[at + 1] << 16 |
                        (size_t)file[at + 2] << 8 | file[at + 3];
        if (length > size - 12 - at) {
            break;
        }
        uint8_t *end = file + at + 8 + length;
        uLong checksum = crc32(0, file + at + 4, (uInt)(4 + length));
        for (unsigned i = 0; i < 4; i++) {
            end[i] = (uint8_t)(checksum >> (24 - 8 * i));
        }
        at += 12 + length;
    }
    return file;
}

static void parse(const uint8_t *data, size_t size) {
    static const double scale = 1.0 / 255;
    static const int32_t zero = -128;
    const struct image_options options = {.mean = "127.5", .std = "127.5"};
    for (int64_t channels = 1; channels <= 3; channels += 2) {
        struct weft_error error;
        uint8_t *bytes = NULL;
        struct weft_type type = {.dtype = WEFT_I8, .rank = 4, .dim = {1, 16, 16, channels}};
        type.quantization = (struct weft_quantization){.count = 1, .scale = &scale, .zero = &zero};
        if (image_parse(data, size, &type, &options, &bytes, &error)) {
            free(bytes);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    parse(data, size);
    if (image_kind(data, size) == IMAGE_PNG) {
        uint8_t *mended = mend(data, size);
        parse(mended, mended == NULL ? 0 : size);
        free(mended);
    }
    return 0;
}
