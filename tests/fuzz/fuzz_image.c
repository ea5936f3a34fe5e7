/* Pictures. A PNG is deflated and has checksums, a BMP says how long it is: mutate_image.c. */
#include <stdlib.h>

#include "cli/cli.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
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
    return 0;
}
