#include "hw/tb/unit/vector/vector_random.h"

#include <cstring>

extern "C" {
#include "base/bytes.h"
#include "tests/unit/helpers.h"
#include "tests/unit/states.h"
}

namespace {

int32_t random_zero(uint64_t *seed) {
    static const int32_t corners[] = {-128, 127, 0, 1};
    return random_chance(seed, 50) ? corners[random_between(seed, 0, 3)]
                                   : (int32_t)random_between(seed, -128, 127);
}

int32_t random_shift(uint64_t *seed) {
    static const int32_t corners[] = {-31, 31, 0, -1, 1};
    return random_chance(seed, 20)   ? corners[random_between(seed, 0, 4)]
           : random_chance(seed, 60) ? (int32_t)random_between(seed, -12, 0)
                                     : (int32_t)random_between(seed, -31, 31);
}

void random_scaling(uint64_t *seed, struct weft_vector_fields *v) {
    static const uint32_t corners[] = {0, 1, 1U << 30, INT32_MAX, 3U << 29};
    v->multiplier = random_chance(seed, 30) ? corners[random_between(seed, 0, 4)]
                                            : (uint32_t)random_between(seed, 1 << 30, INT32_MAX);
    if (v->rounding == WEFT_ROUNDING_FLOAT && random_chance(seed, 50)) {
        v->multiplier &= 0x7fffff80; /* of 24 bits, as a float has */
    }
    v->shift = random_shift(seed);
    v->a_zero = random_zero(seed);
    v->b_zero = random_zero(seed);
    v->out_zero = random_zero(seed);
    if (random_chance(seed, 50)) {
        v->low = random_zero(seed);
        v->high = (int32_t)random_between(seed, v->low, INT8_MAX);
    }
}

void random_stride(uint64_t *seed, int32_t stride[3]) {
    int64_t reach = random_chance(seed, 70) ? 12 : 400;
    for (unsigned i = 0; i < 3; i++) {
        stride[i] = random_chance(seed, 15) ? 0 : (int32_t)random_between(seed, -reach, reach);
    }
}

void random_levels(uint64_t *seed, struct weft_vector_fields *v) {
    for (unsigned i = 0; i < 3; i++) {
        v->count[i] = random_chance(seed, 30) ? 1 : (uint32_t)random_between(seed, 1, 6);
    }
    if (random_chance(seed, 3)) {
        v->count[random_between(seed, 0, 2)] = (uint32_t)random_between(seed, 100, 300);
    }
    random_stride(seed, v->out_stride);
    random_stride(seed, v->a_stride);
    random_stride(seed, v->b_stride);
    for (unsigned i = 0; i < 2 && v->function == WEFT_FUNCTION_POOL; i++) {
        v->window_count[i] = (uint32_t)random_between(seed, 1, random_chance(seed, 90) ? 4 : 63);
        v->window_stride[i] = (int32_t)random_between(seed, -12, 12);
    }
}

/* What the verifier forbids and the machine runs all the same, as the definition says. */
void break_rules(uint64_t *seed, struct weft_vector_fields *v) {
    if (random_chance(seed, 30)) {
        v->shift = -32;
    }
    v->low = random_zero(seed);
    v->high = random_zero(seed);
    if (v->function != WEFT_FUNCTION_REQUANT) {
        v->rounding = (uint32_t)random_between(seed, 0, WEFT_ROUNDINGS - 1);
        v->per_channel = random_chance(seed, 50);
    }
    if (v->per_channel == 0 || v->function != WEFT_FUNCTION_REQUANT) {
        v->short_records = random_chance(seed, 50);
    }
    v->lanes = (uint32_t)random_between(seed, 0, 63);
    if (v->function != WEFT_FUNCTION_POOL) {
        v->window_count[0] = (uint32_t)random_between(seed, 1, 63);
        v->window_count[1] = (uint32_t)random_between(seed, 1, 63);
        v->window_stride[0] = (int32_t)random_between(seed, -12, 12);
        v->window_stride[1] = (int32_t)random_between(seed, -12, 12);
    }
}

} // namespace

struct weft_instruction vector_random(uint64_t *seed, const struct weft_config *config) {
    for (;;) {
        bool requant = random_chance(seed, 30);
        struct weft_instruction instruction = unclamped_vector(
            requant ? WEFT_FUNCTION_REQUANT
                    : (enum weft_function)random_between(seed, 0, WEFT_FUNCTIONS - 1));
        struct weft_vector_fields *v = &instruction.vector;
        random_levels(seed, v);
        if (v->function == WEFT_FUNCTION_REQUANT) {
            v->rounding = (uint32_t)random_between(seed, 0, WEFT_ROUNDINGS - 1);
            v->per_channel = random_chance(seed, 60);
            v->short_records = v->per_channel != 0 && random_chance(seed, 50);
        }
        random_scaling(seed, v);
        if (v->function == WEFT_FUNCTION_SOFTMAX) {
            v->lanes = (uint32_t)random_between(seed, 1, config->block);
        }
        if (!random_vector_places(seed, config, &instruction)) {
            continue;
        }
        if (v->function != WEFT_FUNCTION_REQUANT && random_chance(seed, 30)) {
            v->a = v->out; /* in place */
            memcpy(v->a_stride, v->out_stride, sizeof v->a_stride);
        }
        if (v->function != WEFT_FUNCTION_REQUANT && random_chance(seed, 20)) {
            v->b = v->out;
            memcpy(v->b_stride, v->out_stride, sizeof v->b_stride);
        }
        if (is_legal(config, &instruction)) {
            if (random_chance(seed, 5)) {
                break_rules(seed, v);
            }
            return instruction;
        }
    }
}

void vector_random_records(uint64_t *seed, struct weft_state *state) {
    static const uint32_t corners[] = {0, 1, 1U << 30, INT32_MAX, 1U << 31, UINT32_MAX};
    uint32_t block = state->config->block;
    for (uint32_t at = 0; at < state->config->par_bytes; at += 4) {
        if (random_chance(seed, 20)) {
            weft_write_u32(state->par + at, corners[random_between(seed, 0, 5)]);
        } else if (random_chance(seed, 60)) {
            auto multiplier = (uint32_t)random_between(seed, 1 << 30, INT32_MAX);
            weft_write_u32(state->par + at,
                           random_chance(seed, 50) ? multiplier : multiplier & 0x7fffff80);
        } else if (random_chance(seed, 50)) { /* a line of shifts, now and then */
            for (uint32_t i = 0; i < 4; i++) {
                state->par[at + i] = (uint8_t)random_shift(seed);
            }
        } else if (at % block == 0 && random_chance(seed, 50)) {
            memset(state->par + at, 0xe0, 4); /* -32 */
        }
    }
    if (random_chance(seed, 70)) { /* exponentials, so small that their sum has zeros in front */
        auto bits = (unsigned)random_between(seed, 1, 31);
        for (uint32_t at = 0; at < 256 * block; at += 4) {
            weft_write_u32(state->lut + at, weft_read_u32(state->lut + at) >> (32 - bits));
        }
    }
}
