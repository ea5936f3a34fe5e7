/* .weft files. Sections are deflated and have checksums: mutate_container.c. */
#include "compiler/module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct weft_error error;
    struct weft_module *module = NULL;
    if (weft_module_read(data, size, NULL, &module, &error)) {
        weft_module_free(module);
    }
    return 0;
}
