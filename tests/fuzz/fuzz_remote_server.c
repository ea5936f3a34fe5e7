/* What a server of weft serve is told by a client. Programs are served as in a worker, without the
 * processes around it; unit/remote_bytes.h has the program of the seeds. */
#include "tests/unit/remote_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    (void)remote_bytes_serve(data, size, NULL);
    return 0;
}
