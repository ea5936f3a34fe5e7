/* .weft files: one section is inflated, mutated and deflated again. Sections are whatever the table
 * names. */
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "compiler/module.h"
#include "tests/fuzz/mutate.h"

enum {
    COUNT = 12, /* where the header has the number of sections */
    FINGERPRINT = 16,
    HEADER = 24,
    ENTRY = 32, /* tag, checksum, offset, stored length, raw length */
    MOST = 64
};

/* Does the table lie in the file, and every section? */
static bool is_whole(const uint8_t *data, size_t size) {
    if (!weft_is_module(data, size) || size < HEADER) {
        return false;
    }
    uint32_t count = weft_read_u32(data + COUNT);
    if (count == 0 || count > MOST || size < HEADER + (size_t)count * ENTRY) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t offset = weft_read_u64(data + HEADER + i * ENTRY + 8);
        uint64_t stored = weft_read_u64(data + HEADER + i * ENTRY + 16);
        if (offset > size || stored > size - offset) {
            return false;
        }
    }
    return true;
}

/* Another configuration has another fingerprint, if it is one at all. */
static void mend_fingerprint(const struct weft_text *raw, uint8_t *header) {
    struct weft_error ignored;
    struct weft_config config = {0};
    if (weft_config_parse(raw->bytes, raw->length, &config, &ignored)) {
        weft_write_u64(header + FINGERPRINT, weft_config_fingerprint(&config));
    }
}

/* Appends a section; of the one that is mutated the entry gets a new raw length. */
static bool add_section(const uint8_t *data, uint8_t *header, uint8_t *entry, bool mutated,
                        struct weft_text *sections) {
    const uint8_t *stored = data + weft_read_u64(entry + 8);
    size_t length = (size_t)weft_read_u64(entry + 16);
    struct weft_text old = {0};
    struct weft_text raw = {0};
    bool good = true;
    if (!mutated) {
        weft_text_add_bytes(sections, (const char *)stored, length);
    } else if ((good = mutate_inflate(stored, length, &old))) {
        mutate_bytes((const uint8_t *)old.bytes, old.length, &raw);
        good = mutate_deflate(raw.length == 0 ? "" : raw.bytes, raw.length, sections);
        weft_write_u64(entry + 24, raw.length);
        if (memcmp(entry, "CONF", 4) == 0 && raw.length > 0) {
            mend_fingerprint(&raw, header);
        }
    }
    weft_text_free(&old);
    weft_text_free(&raw);
    return good;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    if (mutate_random(&seed, 16) == 0 || !is_whole(data, size)) {
        return LLVMFuzzerMutate(data, size, most);
    }
    uint8_t header[HEADER + MOST * ENTRY];
    uint32_t count = weft_read_u32(data + COUNT);
    uint32_t chosen = mutate_random(&seed, count);
    size_t table = HEADER + (size_t)count * ENTRY;
    struct weft_text sections = {0};
    struct weft_text file = {0};
    bool good = true;
    memcpy(header, data, table);
    for (uint32_t i = 0; good && i < count; i++) {
        uint8_t *entry = header + HEADER + i * ENTRY;
        size_t before = sections.length;
        good = add_section(data, header, entry, i == chosen, &sections) && !sections.failed;
        if (good) {
            const Bytef *stored = (const Bytef *)sections.bytes + before;
            weft_write_u32(entry + 4, (uint32_t)crc32_z(0, stored, sections.length - before));
            weft_write_u64(entry + 8, table + before);
            weft_write_u64(entry + 16, sections.length - before);
        }
    }
    weft_text_add_bytes(&file, (const char *)header, table);
    weft_text_add_bytes(&file, sections.bytes == NULL ? "" : sections.bytes, sections.length);
    weft_text_free(&sections);
    return mutate_finish(&file, good, data, size, most);
}
