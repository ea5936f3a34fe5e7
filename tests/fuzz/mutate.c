#include "tests/fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    MOST_INFLATED = 1 << 20,
    ROOM = 4096 /* by which a part may grow at once */
};

uint32_t mutate_random(unsigned *seed, uint32_t count) {
    *seed = *seed * 1664525U + 1013904223U;
    return (uint32_t)((uint64_t)*seed * count >> 32);
}

void mutate_bytes(const uint8_t *bytes, size_t length, struct weft_text *out) {
    uint8_t *copy = malloc(length + ROOM);
    if (copy == NULL) {
        out->failed = true;
        return;
    }
    if (length > 0) {
        memcpy(copy, bytes, length);
    }
    size_t mutated = LLVMFuzzerMutate(copy, length, length + ROOM);
    weft_text_add_bytes(out, (const char *)copy, mutated);
    free(copy);
}

bool mutate_inflate(const uint8_t *stored, size_t length, struct weft_text *out) {
    char *bytes = malloc(MOST_INFLATED);
    uLongf got = MOST_INFLATED;
    bool good = bytes != NULL &&
                uncompress((Bytef *)bytes, &got, (const Bytef *)stored, (uLong)length) == Z_OK;
    if (good) {
        weft_text_add_bytes(out, bytes, got);
    }
    free(bytes);
    return good && !out->failed;
}

bool mutate_deflate(const char *bytes, size_t length, struct weft_text *out) {
    uLongf stored = compressBound((uLong)length);
    Bytef *deflated = malloc(stored);
    bool good = deflated != NULL &&
                compress2(deflated, &stored, (const Bytef *)bytes, (uLong)length, 1) == Z_OK;
    if (good) {
        weft_text_add_bytes(out, (const char *)deflated, stored);
    }
    free(deflated);
    return good && !out->failed;
}

size_t mutate_finish(struct weft_text *made, bool good, uint8_t *data, size_t size, size_t most) {
    size_t length = made->length;
    good = good && !made->failed && length > 0 && length <= most;
    if (good) {
        memcpy(data, made->bytes, length);
    }
    weft_text_free(made);
    return good ? length : LLVMFuzzerMutate(data, size, most);
}
