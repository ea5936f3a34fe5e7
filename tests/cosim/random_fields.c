/* Numbers, loops and places that all kinds of instruction need. */
#include <string.h>

#include "base/integer.h"
#include "tests/cosim/generator.h"
#include "tests/unit/helpers.h"

uint32_t random_size(uint64_t *seed, int64_t most) {
    unsigned bits = 0;
    while (most >> bits > 1) {
        bits++;
    }
    int64_t ceiling = INT64_C(2) << random_between(seed, 0, bits);
    return (uint32_t)random_between(seed, weft_min(ceiling / 2, most), weft_min(ceiling, most));
}

uint32_t extreme_size(uint64_t *seed, int64_t most) {
    return (uint32_t)(random_chance(seed, 45) ? most : random_between(seed, 1, most));
}

int32_t random_byte(uint64_t *seed) {
    static const int32_t corners[] = {-128, -127, -1, 0, 1, 126, 127};
    return random_chance(seed, 40) ? PICK(seed, corners) : (int32_t)random_between(seed, -128, 127);
}

void choose_counts(uint64_t *seed, uint64_t steps, unsigned levels, uint32_t *count) {
    for (unsigned i = 0; i < levels; i++) {
        count[i] = 1;
    }
    if (steps >> levels != 0 && random_chance(seed, 15)) {
        for (unsigned i = 0; i < levels; i++) { /* all of them */
            count[i] = 2;
        }
        steps >>= levels;
        count[random_between(seed, 0, (int64_t)levels - 1)] *= (uint32_t)steps;
        return;
    }
    unsigned first = (unsigned)random_between(seed, 0, (int64_t)levels - 1);
    for (unsigned i = 0; i < levels && steps > 1; i++) {
        unsigned level = (first + i) % levels;
        bool last = i + 1 == levels || random_chance(seed, 40);
        count[level] = last ? (uint32_t)steps : random_size(seed, (int64_t)steps);
        steps /= count[level];
    }
}

/* ---- strides ---- */

/* A stride that is never used. */
static int64_t any_stride(uint64_t *seed, int64_t grain, unsigned width) {
    int64_t most = (INT64_C(1) << (width - 1)) - 1;
    int64_t low = -((most + 1) / grain);
    int64_t high = most / grain;
    switch (random_between(seed, 0, 7)) {
    case 0:
        return low * grain;
    case 1:
        return high * grain;
    case 2:
    case 3:
        return random_between(seed, low, high) * grain;
    case 4:
        return -grain;
    default:
        return 0;
    }
}

/* A stride of at most `most` either way; `packed` puts steps side by side. */
static int64_t used_stride(uint64_t *seed, int64_t most, int64_t packed, int64_t grain) {
    int64_t stride;
    switch (random_between(seed, 0, 9)) {
    case 0:
        return 0;
    case 1:
        stride = most;
        break;
    case 2:
        stride = grain;
        break;
    case 3:
    case 4:
    case 5:
        stride = random_between(seed, 0, most);
        break;
    case 6:
        stride = random_size(seed, most + 1);
        break;
    default:
        stride = packed;
        break;
    }
    stride = weft_min(stride, most) / grain * grain;
    return random_chance(seed, 40) ? -stride : stride;
}

void walk_measure(struct walk *walk) {
    walk->low = 0;
    walk->high = walk->span;
    for (unsigned i = 0; i < walk->levels; i++) {
        int64_t reach = (walk->count[i] - 1) * walk->stride[i];
        walk->low += weft_min(reach, 0);
        walk->high += weft_max(reach, 0);
    }
}

void choose_strides(uint64_t *seed, struct walk *walk, int64_t room, int64_t grain,
                    unsigned width) {
    int64_t field_most = (INT64_C(1) << (width - 1)) - 1;
    int64_t reach = walk->span;
    for (unsigned i = 0; i < walk->levels; i++) {
        if (walk->fixed[i]) {
            reach +=
                (walk->count[i] - 1) * (walk->stride[i] < 0 ? -walk->stride[i] : walk->stride[i]);
        }
    }
    bool inside_out = random_chance(seed, 70);
    for (unsigned k = 0; k < walk->levels; k++) {
        unsigned i = inside_out ? walk->levels - 1 - k : k;
        if (walk->fixed[i]) {
            continue;
        }
        if (walk->count[i] == 1) {
            walk->stride[i] = any_stride(seed, grain, width);
            continue;
        }
        int64_t most = weft_max(room - reach, 0) / (walk->count[i] - 1);
        int64_t stride = used_stride(seed, weft_min(most, field_most), reach, grain);
        walk->stride[i] = stride;
        reach += (walk->count[i] - 1) * (stride < 0 ? -stride : stride);
    }
    walk_measure(walk);
}

/* ---- places ---- */

int64_t choose_room(struct generator *generator, enum weft_memory memory) {
    uint64_t *seed = &generator->seed;
    int64_t bank = weft_bank_bytes(generator->config, memory);
    int64_t banks = weft_banks(generator->config, memory);
    if (random_chance(seed, 4)) {
        return bank * banks;
    }
    int64_t some = random_chance(seed, 60) ? 1 : random_between(seed, 1, weft_min(4, banks));
    return random_chance(seed, 50) ? bank * some : random_between(seed, bank / 4, bank * some);
}

/* A window of banks of the mask that has room for `length` bytes; all of the memory if none has. */
static void choose_window(uint64_t *seed, uint32_t mask, unsigned banks, int64_t bank,
                          int64_t length, int64_t *from, int64_t *to) {
    unsigned start = (unsigned)random_between(seed, 0, (int64_t)banks - 1);
    for (unsigned i = 0; i < banks; i++) {
        unsigned first = (start + i) % banks;
        unsigned end = first;
        while (end < banks && (mask >> end & 1) != 0) {
            end++;
        }
        if ((end - first) * bank >= length) {
            *from = first * bank;
            *to = end * bank;
            return;
        }
    }
    *from = 0;
    *to = banks * bank;
}

int64_t choose_base(struct generator *generator, enum weft_unit unit, enum weft_memory memory,
                    const struct walk *walk, int64_t grain) {
    uint64_t *seed = &generator->seed;
    int64_t bank = weft_bank_bytes(generator->config, memory);
    unsigned banks = weft_banks(generator->config, memory);
    uint32_t mask = random_chance(seed, 80) ? plan_free_banks(&generator->plan, unit, memory)
                                            : weft_bank_mask(generator->config, memory);
    int64_t from = 0;
    int64_t to = 0;
    choose_window(seed, mask, banks, bank, walk->high - walk->low, &from, &to);
    int64_t first = weft_ceil_div(from - walk->low, grain);
    int64_t last = (to - walk->high) / grain;
    if (to < walk->high || first > last) {
        return -1;
    }
    /* Near the beginning of the window, so that others find free banks beside it. */
    int64_t near = weft_min(last, first + bank / grain);
    switch (random_between(seed, 0, 9)) {
    case 0:
        return last * grain;
    case 1:
        return random_between(seed, first, last) * grain;
    case 2:
    case 3:
    case 4:
        return random_between(seed, first, near) * grain;
    default:
        return first * grain;
    }
}

void own_banks(struct generator *generator, struct weft_instruction *instruction) {
    uint64_t *seed = &generator->seed;
    struct weft_footprint footprint = weft_footprint_of(generator->config, instruction);
    weft_footprint_banks(generator->config, &footprint, instruction->banks);
    if (random_chance(seed, 80)) {
        weft_claims_tell_apart(generator->config, &footprint, instruction);
    }
    if (!random_chance(seed, 15)) {
        return;
    }
    enum weft_unit unit = weft_format_of(instruction->opcode)->unit;
    for (unsigned memory = 0; memory < WEFT_MEMORIES; memory++) {
        uint32_t more = (uint32_t)random_u64(seed) & (uint32_t)random_u64(seed);
        more = random_chance(seed, 5) ? UINT32_MAX : more;
        if (random_chance(seed, 70)) {
            more &= plan_free_banks(&generator->plan, unit, (enum weft_memory)memory);
        }
        bool exists = memory != WEFT_MEMORY_LUT || generator->config->lookup != 0;
        if (random_chance(seed, 50) && exists) {
            instruction->banks[memory] |=
                more & weft_bank_mask(generator->config, (enum weft_memory)memory);
        }
    }
}
