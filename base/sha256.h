/* SHA-256 (FIPS 180-4): the hash of what is looked up by its content, where two inputs of one hash
 * must not be found. Where that does not matter base/hash.h is faster. */
#ifndef WEFT_BASE_SHA256_H
#define WEFT_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum {
    WEFT_SHA256_BYTES = 32,
    WEFT_SHA256_BLOCK = 64,
};

struct weft_sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes taken so far */
    uint8_t block[WEFT_SHA256_BLOCK];
};

void weft_sha256_start(struct weft_sha256 *hash);

/* Takes `length` bytes more; `bytes` may be NULL when there are none. */
void weft_sha256_add(struct weft_sha256 *hash, const void *bytes, size_t length);

void weft_sha256_end(struct weft_sha256 *hash, uint8_t digest[WEFT_SHA256_BYTES]);

#endif
