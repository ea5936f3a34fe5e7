/* Instruction traces: what is deflated is mutated. */
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "sim/trace/raw_format.h"
#include "tests/fuzz/mutate.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    struct weft_text old = {0};
    if (mutate_random(&seed, 16) == 0 || size < RAW_HEADER_BYTES ||
        !mutate_inflate(data + RAW_HEADER_BYTES, size - RAW_HEADER_BYTES, &old)) {
        weft_text_free(&old);
        return LLVMFuzzerMutate(data, size, most);
    }
    uint8_t header[RAW_HEADER_BYTES];
    struct weft_text raw = {0};
    struct weft_text stored = {0};
    struct weft_text file = {0};
    memcpy(header, data, sizeof header);
    mutate_bytes((const uint8_t *)old.bytes, old.length, &raw);
    bool good = raw.length > 0 && mutate_deflate(raw.bytes, raw.length, &stored);
    if (good) {
        weft_write_u32(header + RAW_MAGIC_BYTES + 4,
                       (uint32_t)crc32_z(0, (const Bytef *)stored.bytes, stored.length));
        weft_write_u64(header + RAW_MAGIC_BYTES + 8, raw.length);
        weft_text_add_bytes(&file, (const char *)header, sizeof header);
        weft_text_add_bytes(&file, stored.bytes, stored.length);
    }
    weft_text_free(&old);
    weft_text_free(&raw);
    weft_text_free(&stored);
    return mutate_finish(&file, good, data, size, most);
}
