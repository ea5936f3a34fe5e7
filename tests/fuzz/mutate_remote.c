/* Frames of driver/remote: the tail or the fields of one frame are mutated, or its header, or a
 * frame is repeated, left out or cut; lengths follow. The image of a program keeps the hash that is
 * in LOAD, so that it is told from others by more than that. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sha256.h"
#include "driver/remote/protocol.h"
#include "tests/fuzz/mutate.h"

enum {
    MOST_FRAMES = 64,
    HASH_OFFSET = FRAME_LOAD_BYTES - WEFT_SHA256_BYTES,
};

struct piece {
    const uint8_t *bytes;
    size_t length; /* with the header */
};

/* The frames of an input, the last of which may be cut. */
static size_t split(const uint8_t *data, size_t size, struct piece pieces[MOST_FRAMES]) {
    size_t count = 0;
    while (size >= FRAME_HEADER_BYTES && count < MOST_FRAMES) {
        uint64_t rest = weft_read_u64(data + 8);
        size_t length = rest > size - FRAME_HEADER_BYTES ? size : FRAME_HEADER_BYTES + (size_t)rest;
        pieces[count++] = (struct piece){data, length};
        data += length;
        size -= length;
    }
    return count;
}

static void add_mutated(const struct piece *piece, unsigned *seed, struct weft_text *out) {
    uint8_t length[8];
    size_t begin = out->length;
    weft_text_add_bytes(out, (const char *)piece->bytes, FRAME_HEADER_BYTES);
    mutate_bytes(piece->bytes + FRAME_HEADER_BYTES, piece->length - FRAME_HEADER_BYTES, out);
    if (!out->failed && mutate_random(seed, 8) != 0) {
        weft_write_u64(length, out->length - begin - FRAME_HEADER_BYTES);
        memcpy(out->bytes + begin + 8, length, sizeof length);
    }
}

/* Lets the hash of each LOAD be that of the images behind it. */
static void mend_hashes(struct weft_text *out) {
    struct piece pieces[MOST_FRAMES];
    size_t count = split((const uint8_t *)out->bytes, out->length, pieces);
    for (size_t i = 0; i < count; i++) {
        struct weft_sha256 hash;
        if (weft_read_u32(pieces[i].bytes) != FRAME_LOAD ||
            pieces[i].length != FRAME_HEADER_BYTES + FRAME_LOAD_BYTES) {
            continue;
        }
        weft_sha256_start(&hash);
        for (size_t k = i + 1; k < count && weft_read_u32(pieces[k].bytes) == FRAME_IMAGE; k++) {
            size_t fields = FRAME_HEADER_BYTES + FRAME_IMAGE_BYTES;
            if (pieces[k].length > fields) {
                weft_sha256_add(&hash, pieces[k].bytes + fields, pieces[k].length - fields);
            }
        }
        weft_sha256_end(&hash,
                        (uint8_t *)(uintptr_t)pieces[i].bytes + FRAME_HEADER_BYTES + HASH_OFFSET);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    struct piece pieces[MOST_FRAMES];
    struct weft_text made = {0};
    size_t count = split(data, size, pieces);
    if (count == 0 || mutate_random(&seed, 16) == 0) {
        return LLVMFuzzerMutate(data, size, most);
    }
    size_t chosen = mutate_random(&seed, (uint32_t)count);
    uint32_t how = mutate_random(&seed, 10);
    for (size_t i = 0; i < count; i++) {
        if (i == chosen && how > 1) {
            add_mutated(&pieces[i], &seed, &made);
        } else if (i != chosen || how == 1) {
            weft_text_add_bytes(&made, (const char *)pieces[i].bytes, pieces[i].length);
        }
        if (i == chosen && how == 1) { /* once more; 0: it is left out */
            weft_text_add_bytes(&made, (const char *)pieces[i].bytes, pieces[i].length);
        }
    }
    if (!made.failed && made.length > 0) {
        mend_hashes(&made);
    }
    return mutate_finish(&made, !made.failed && made.length > 0, data, size, most);
}
