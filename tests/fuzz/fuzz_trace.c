/* Instruction traces. They are deflated and have a checksum: mutate_trace.c. */
#include <stdlib.h>

#include "sim/trace/raw.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct weft_error error;
    struct weft_config config;
    struct weft_trace_file file;
    if (!weft_trace_read(data, size, 0, &config, &file, &error)) {
        return 0;
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
    return 0;
}
