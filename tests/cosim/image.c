#include "tests/cosim/image.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/unit/helpers.h"

bool image_create(const struct weft_config *config, struct image *image, struct weft_error *error) {
    *image = (struct image){0};
    return weft_state_create(config, &image->state, error);
}

void image_free(struct image *image) {
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        free(image->state.region[i].bytes);
    }
    weft_state_free(&image->state);
}

struct part {
    uint8_t *bytes;
    size_t length;
};

static struct part part_of(const struct weft_state *state, unsigned memory) {
    void *const bytes[WEFT_MEMORIES] = {state->act, state->wgt, state->acc, state->par, state->lut};
    return (struct part){bytes[memory], weft_memory_bytes(state->config, (enum weft_memory)memory)};
}

/* ---- contents ---- */

/* Fields of 32 bits at which scaling changes: multipliers around 2^30, the product that saturates,
 * sums that wrap. */
static uint32_t corner_word(uint64_t random) {
    static const uint32_t corners[] = {0x80000000, 0x80000001, 0xc0000000, 0xffffffff, 0,
                                       1,          0x3fffffff, 0x40000000, 0x40000001, 0x7fffffff,
                                       0x7f7f7f7f, 0x80808080, 0x60000000, 0x7fffffc0};
    return corners[random % LENGTH(corners)];
}

/* A sum of either sign that lies between two floats of 24 bits: 25 bits, the last of them set, and
 * up to 6 zeros. */
static uint32_t tie_of_floats(uint32_t random) {
    uint32_t sum = (1U << 24 | (random & 0xffffff) | 1) << (random >> 24) % 7;
    return random >> 31 != 0 ? 0 - sum : sum;
}

/* Words by turns: random; corners of 32 bits; corners of bytes; small; a multiplier; a multiplier
 * as a float has it; a tie. */
static uint32_t random_word(uint64_t random) {
    uint32_t bits = (uint32_t)(random >> 16);
    switch (random % 8) {
    case 0:
        return corner_word(random >> 8);
    case 1: {
        static const uint32_t bytes[] = {0x80, 0xff, 0, 1, 0x7f};
        return bytes[bits % 5] | bytes[(bits >> 8) % 5] << 8 | bytes[(bits >> 16) % 5] << 16 |
               bytes[(bits >> 24) % 5] << 24;
    }
    case 2:
        return (uint32_t)((int32_t)(bits % 8192) - 4096);
    case 3:
        return 0x40000000 | (bits & 0x3fffffff);
    case 4:
        return 0x40000000 | (bits & 0x3fffff80);
    case 5:
        return tie_of_floats(bits);
    default:
        return bits;
    }
}

static void fill_bytes(uint64_t *seed, uint8_t *bytes, size_t length) {
    size_t i = 0;
    for (; i + sizeof(uint32_t) <= length; i += sizeof(uint32_t)) {
        uint32_t word = random_word(random_u64(seed));
        memcpy(bytes + i, &word, sizeof word);
    }
    for (; i < length; i++) {
        bytes[i] = (uint8_t)random_u64(seed);
    }
}

static bool make_regions(struct weft_state *state, const struct weft_regions *regions,
                         struct weft_error *error) {
    state->writable = regions->writable;
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        uint64_t limit = regions->limit[i];
        if (state->region[i].limit != limit || limit == 0) {
            free(state->region[i].bytes);
            state->region[i].limit = limit;
            state->region[i].bytes =
                limit == 0 ? NULL : weft_allocate((size_t)limit, 1, "a region", error);
            if (limit != 0 && state->region[i].bytes == NULL) {
                return false;
            }
        }
    }
    return true;
}

static bool place_program(struct weft_state *state, const struct cosim_case *test,
                          struct weft_error *error) {
    size_t length = test->program.count * WEFT_INSTRUCTION_BYTES;
    uint8_t *bytes = weft_allocate(length, 1, "a program", error);
    bool good = bytes != NULL && case_encode(test, bytes, error);
    uint64_t limit = state->region[WEFT_REGION_PROGRAM].limit;
    if (good && limit != 0) {
        memcpy(state->region[WEFT_REGION_PROGRAM].bytes, bytes, limit < length ? limit : length);
    }
    free(bytes);
    return good;
}

bool image_fill(struct image *image, const struct cosim_case *test, struct weft_error *error) {
    struct weft_state *state = &image->state;
    if (!make_regions(state, &test->regions, error)) {
        return false;
    }
    uint64_t seed = test->data_seed | 1; /* xorshift never leaves 0 */
    for (unsigned memory = 0; memory < WEFT_MEMORIES; memory++) {
        struct part part = part_of(state, memory);
        fill_bytes(&seed, part.bytes, part.length);
    }
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        fill_bytes(&seed, state->region[i].bytes, (size_t)state->region[i].limit);
    }
    return place_program(state, test, error);
}

bool image_copy(struct image *to, const struct image *from, struct weft_error *error) {
    struct weft_regions regions = weft_state_regions(&from->state);
    if (!make_regions(&to->state, &regions, error)) {
        return false;
    }
    for (unsigned memory = 0; memory < WEFT_MEMORIES; memory++) {
        struct part part = part_of(&from->state, memory);
        memcpy(part_of(&to->state, memory).bytes, part.bytes, part.length);
    }
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        if (regions.limit[i] != 0) {
            memcpy(to->state.region[i].bytes, from->state.region[i].bytes,
                   (size_t)regions.limit[i]);
        }
    }
    return true;
}

/* ---- comparison ---- */

static bool same_bytes(const uint8_t *a, const uint8_t *b, size_t length, const char *name,
                       unsigned index, struct weft_text *text) {
    if (length == 0 || memcmp(a, b, length) == 0) {
        return true;
    }
    size_t at = 0;
    while (a[at] == b[at]) {
        at++;
    }
    weft_text_add(text, "%s %u differs at byte %zu: 0x%02x and 0x%02x\n", name, index, at, a[at],
                  b[at]);
    return false;
}

bool image_same(const struct image *a, const struct image *b, struct weft_text *text) {
    for (unsigned memory = 0; memory < WEFT_MEMORIES; memory++) {
        struct part part = part_of(&a->state, memory);
        if (!same_bytes(part.bytes, part_of(&b->state, memory).bytes, part.length,
                        weft_memory_names[memory], 0, text)) {
            return false;
        }
    }
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        if (!same_bytes(a->state.region[i].bytes, b->state.region[i].bytes,
                        (size_t)a->state.region[i].limit, "region", i, text)) {
            return false;
        }
    }
    return true;
}
