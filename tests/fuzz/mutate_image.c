/* Pictures. Of a PNG chunks are mutated, and pixels before they are deflated; of a BMP the header,
 * after which the file gets as long as the header says. */
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "cli/cli.h"
#include "tests/fuzz/mutate.h"

/* ---- PNG ---- */

enum {
    SIGNATURE = 8,
    AROUND = 12, /* bytes of a chunk that are not data */
    CHUNKS = 64
};

struct chunk {
    const uint8_t *name; /* data follow */
    size_t length;       /* of the data */
};

static uint32_t read_big(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void add_big(struct weft_text *out, uint32_t value) {
    const uint8_t bytes[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8),
                              (uint8_t)value};
    weft_text_add_bytes(out, (const char *)bytes, sizeof bytes);
}

static unsigned take_apart(const uint8_t *file, size_t length, struct chunk chunks[CHUNKS]) {
    unsigned count = 0;
    size_t at = SIGNATURE;
    while (count < CHUNKS && length - at >= AROUND && read_big(file + at) <= length - at - AROUND) {
        chunks[count] = (struct chunk){file + at + 4, read_big(file + at)};
        at += AROUND + chunks[count++].length;
    }
    return count;
}

static void add_chunk(struct weft_text *out, const uint8_t *name, const char *data, size_t length) {
    add_big(out, (uint32_t)length);
    size_t start = out->length;
    weft_text_add_bytes(out, (const char *)name, 4);
    weft_text_add_bytes(out, data, length);
    if (!out->failed) {
        const Bytef *bytes = (const Bytef *)out->bytes + start;
        add_big(out, (uint32_t)crc32_z(0, bytes, out->length - start));
    }
}

static bool is_data(const struct chunk *chunk) {
    return memcmp(chunk->name, "IDAT", 4) == 0;
}

/* The pixels of all IDAT chunks, mutated and deflated again. */
static bool mutate_pixels(const struct chunk *chunks, unsigned count, struct weft_text *stored) {
    struct weft_text all = {0};
    struct weft_text pixels = {0};
    struct weft_text mutated = {0};
    for (unsigned i = 0; i < count; i++) {
        if (is_data(&chunks[i])) {
            weft_text_add_bytes(&all, (const char *)chunks[i].name + 4, chunks[i].length);
        }
    }
    bool good = all.length > 0 && mutate_inflate((uint8_t *)all.bytes, all.length, &pixels);
    if (good) {
        mutate_bytes((const uint8_t *)pixels.bytes, pixels.length, &mutated);
        good = mutated.length > 0 && mutate_deflate(mutated.bytes, mutated.length, stored);
    }
    weft_text_free(&all);
    weft_text_free(&pixels);
    weft_text_free(&mutated);
    return good;
}

/* All chunks with one IDAT in the place of the first. */
static bool with_pixels(const struct chunk *chunks, unsigned count, struct weft_text *out) {
    struct weft_text stored = {0};
    bool good = mutate_pixels(chunks, count, &stored);
    bool done = false;
    for (unsigned i = 0; good && i < count; i++) {
        if (!is_data(&chunks[i])) {
            add_chunk(out, chunks[i].name, (const char *)chunks[i].name + 4, chunks[i].length);
        } else if (!done) {
            add_chunk(out, chunks[i].name, stored.bytes, stored.length);
            done = true;
        }
    }
    weft_text_free(&stored);
    return good;
}

/* One chunk is mutated, left out, given another name or put in twice. */
static void with_chunk(const struct chunk *chunks, unsigned count, unsigned *seed,
                       struct weft_text *out) {
    static const char *const names[] = {"PLTE", "tRNS", "IDAT", "IEND", "IHDR", "CgBI"};
    unsigned chosen = mutate_random(seed, count);
    unsigned way = mutate_random(seed, 8);
    for (unsigned i = 0; i < count; i++) {
        const uint8_t *name = chunks[i].name;
        const char *data = (const char *)name + 4;
        struct weft_text mutated = {0};
        if (i == chosen && way < 5) {
            mutate_bytes(name + 4, chunks[i].length, &mutated);
            add_chunk(out, name, mutated.length == 0 ? "" : mutated.bytes, mutated.length);
        } else if (i == chosen && way == 5) {
            name = (const uint8_t *)names[mutate_random(seed, sizeof names / sizeof names[0])];
            add_chunk(out, name, data, chunks[i].length);
        } else if (i != chosen || way == 6) {
            add_chunk(out, name, data, chunks[i].length);
        }
        if (i == chosen && way == 6) {
            add_chunk(out, name, data, chunks[i].length);
        }
        weft_text_free(&mutated);
    }
}

static bool mutate_png(const uint8_t *data, size_t size, unsigned *seed, struct weft_text *out) {
    struct chunk chunks[CHUNKS];
    unsigned count = take_apart(data, size, chunks);
    weft_text_add_bytes(out, (const char *)data, SIGNATURE);
    if (count == 0) {
        return false;
    }
    if (mutate_random(seed, 2) == 0) {
        return with_pixels(chunks, count, out);
    }
    with_chunk(chunks, count, seed, out);
    return true;
}

/* ---- BMP ---- */

enum {
    BMP_HEADER = 54,
    BMP_MOST = 1 << 14 /* bytes of pixels: larger pictures take long and show nothing new */
};

/* How long a BMP is as its header says; UINT64_MAX: too long. */
static uint64_t bmp_length(const uint8_t header[BMP_HEADER]) {
    enum {
        OFFSET = 10,
        HEADER_SIZE = 14,
        OLD_HEADER = 12,
        WIDTH = 18,
        HEIGHT = 22,
        OLD_HEIGHT = 20,
        OLD_BITS = 24,
        BITS = 28
    };
    bool old = weft_read_u32(header + HEADER_SIZE) == OLD_HEADER;
    uint32_t width = weft_read_u32(header + WIDTH) & (old ? UINT16_MAX : UINT32_MAX);
    uint32_t height = weft_read_u32(header + (old ? OLD_HEIGHT : HEIGHT));
    height = old ? height & UINT16_MAX : (int32_t)height < 0 ? 0 - height : height;
    const uint8_t *bits = header + (old ? OLD_BITS : BITS);
    uint64_t row = ((uint64_t)width * (bits[0] | (uint64_t)bits[1] << 8) + 31) / 32 * 4;
    bool small = row <= BMP_MOST && height <= BMP_MOST && row * height <= BMP_MOST;
    return small ? weft_read_u32(header + OFFSET) + row * height : UINT64_MAX;
}

static bool mutate_bmp(const uint8_t *data, size_t size, size_t most, struct weft_text *out) {
    uint8_t header[BMP_HEADER] = {0};
    size_t length = size < BMP_HEADER ? size : BMP_HEADER;
    memcpy(header, data, length);
    (void)LLVMFuzzerMutate(header + 2, length - 2, length - 2);
    uint64_t end = bmp_length(header);
    if (end > most) {
        return false;
    }
    weft_text_add_bytes(out, (const char *)header, length);
    weft_text_add_bytes(out, (const char *)data + length, size - length);
    while (out->length < end && !out->failed) {
        static const char more[1024] = {0};
        size_t missing = (size_t)end - out->length;
        weft_text_add_bytes(out, more, missing < sizeof more ? missing : sizeof more);
    }
    return true;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    struct weft_text file = {0};
    enum image_kind kind = image_kind(data, size);
    bool good = false;
    if (mutate_random(&seed, 16) == 0) {
        return LLVMFuzzerMutate(data, size, most);
    }
    if (kind == IMAGE_PNG) {
        good = mutate_png(data, size, &seed, &file);
    } else if (kind == IMAGE_BMP && size > 2) {
        good = mutate_bmp(data, size, most, &file);
    }
    return mutate_finish(&file, good, data, size, most);
}
