/* FNV-1a of 64 bits: the hash of bytes that files and fingerprints keep, the same on every machine.
 * A hash begins with WEFT_HASH_START and takes bytes in turn: in one call or in many, it comes to
 * the same. Whoever wants two inputs of one hash finds them: nothing may trust that it is unique.
 */
#ifndef WEFT_BASE_HASH_H
#define WEFT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/* FNV's offset basis: the hash of no bytes. */
#define WEFT_HASH_START UINT64_C(0xcbf29ce484222325)

/* `hash`, and `length` bytes more; `bytes` may be NULL when there are none. */
static inline uint64_t weft_hash_bytes(uint64_t hash, const void *bytes, size_t length) {
    const uint8_t *next = (const uint8_t *)bytes; /* also C++ */
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ next[i]) * UINT64_C(0x100000001b3); /* FNV's prime */
    }
    return hash;
}

/* `hash`, and the eight bytes of a value, little-endian. */
static inline uint64_t weft_hash_u64(uint64_t hash, uint64_t value) {
    uint8_t bytes[8];
    weft_write_u64(bytes, value);
    return weft_hash_bytes(hash, bytes, sizeof bytes);
}

#endif
