/* Models for firmware: mutated with a length and a checksum that fit. */
#include <stddef.h>
#include <string.h>
#include <zlib.h>

#include "firmware/weft_model.h"
#include "tests/fuzz/mutate.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    const size_t first = offsetof(struct weft_model, crc) + sizeof(uint32_t);
    struct weft_model model;
    size = LLVMFuzzerMutate(data, size, most);
    if (mutate_random(&seed, 16) == 0 || size < sizeof model) {
        return size;
    }
    memcpy(&model, data, sizeof model);
    memcpy(model.magic, WEFT_MODEL_MAGIC, sizeof model.magic);
    model.version = WEFT_MODEL_VERSION;
    model.bytes = (uint32_t)size;
    memcpy(data, &model, sizeof model);
    model.crc = (uint32_t)crc32_z(0, data + first, size - first);
    memcpy(data, &model, sizeof model);
    return size;
}
