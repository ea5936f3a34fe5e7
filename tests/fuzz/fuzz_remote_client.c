/* What a client of weft serve is told by a server. */
#include "tests/unit/remote_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct weft_error error;
    struct remote_program *made = remote_program_new();
    (void)remote_bytes_be_client(made, data, size, &error);
    remote_program_free(made);
    return 0;
}
