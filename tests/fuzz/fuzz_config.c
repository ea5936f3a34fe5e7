/* Configurations: what is read must print to text that reads to the same. */
#include <stdlib.h>
#include <string.h>

#include "isa/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct weft_error error;
    struct weft_config first = {0};
    struct weft_config second = {0};
    struct weft_text text = {0};
    if (!weft_config_parse((const char *)data, size, &first, &error)) {
        return 0;
    }
    if (!weft_config_print(&first, &text, &error) ||
        !weft_config_parse(text.bytes, text.length, &second, &error) ||
        weft_config_fingerprint(&first) != weft_config_fingerprint(&second) ||
        strcmp(first.name, second.name) != 0) {
        abort();
    }
    weft_text_free(&text);
    return 0;
}
