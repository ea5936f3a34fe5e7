#include "tests/bench/models.h"

#include <stdio.h>

#include "base/file.h"

uint8_t *read_model(const char *name, char *const *folders, size_t *length) {
    for (; *folders != NULL; folders++) {
        char path[1024];
        struct weft_error error;
        uint8_t *bytes = NULL;
        (void)snprintf(path, sizeof path, "%s/%s.tflite", *folders, name);
        if (weft_file_read(path, &bytes, length, &error)) {
            return bytes;
        }
    }
    return NULL;
}
