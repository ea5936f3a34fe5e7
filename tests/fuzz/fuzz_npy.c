/* .npy files for a few input types. */
#include <stdlib.h>

#include "cli/cli.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct weft_type types[] = {
        {.dtype = WEFT_I8, .rank = 4, .dim = {1, 4, 4, 3}},
        {.dtype = WEFT_U8, .rank = 1, .dim = {10}},
        {.dtype = WEFT_F32, .rank = 0},
        {.dtype = WEFT_I32, .rank = 2, .dim = {2, 8}},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct weft_error error;
        uint8_t *bytes = NULL;
        if (npy_parse(data, size, &types[i], &bytes, &error)) {
            free(bytes);
        }
    }
    return 0;
}
