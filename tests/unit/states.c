#include "tests/unit/states.h"

#include <string.h>

#include "isa/footprint.h"
#include "tests/unit/test.h"

struct weft_state state_of(const struct weft_config *config) {
    struct weft_state state;
    struct weft_error error;
    ASSERT_GOOD(weft_state_create(config, &state, &error), error);
    return state;
}

struct part {
    void *bytes;
    size_t length;
};

static struct part part_of(const struct weft_state *state, unsigned memory) {
    void *const bytes[WEFT_MEMORIES] = {state->act, state->wgt, state->acc, state->par, state->lut};
    return (struct part){bytes[memory], weft_memory_bytes(state->config, (enum weft_memory)memory)};
}

void state_randomise(struct weft_state *state, uint64_t *seed) {
    static const int32_t corners[] = {INT32_MIN, INT32_MIN + 1, -(1 << 30), -1, 0,
                                      1,         1 << 30,       INT32_MAX};
    for (unsigned memory = 0; memory < WEFT_MEMORIES; memory++) {
        struct part part = part_of(state, memory);
        random_bytes(seed, part.bytes, part.length);
    }
    size_t lanes = (size_t)weft_acc_entries(state->config) * state->config->block;
    for (size_t i = 0; i < lanes; i++) {
        uint64_t random = random_u64(seed) >> 8;
        state->acc[i] = random % 4 == 0   ? corners[(random >> 8) % LENGTH(corners)]
                        : random % 4 == 1 ? (int32_t)(random >> 8) % 4096
                                          : (int32_t)(uint32_t)(random >> 8);
    }
}

void state_copy(struct weft_state *to, const struct weft_state *from) {
    for (unsigned memory = 0; memory < WEFT_MEMORIES; memory++) {
        struct part part = part_of(from, memory);
        memcpy(part_of(to, memory).bytes, part.bytes, part.length);
    }
}

static bool same_state(const struct weft_state *a, const struct weft_state *b) {
    bool same = true;
    for (unsigned memory = 0; memory < WEFT_MEMORIES; memory++) {
        struct part part = part_of(a, memory);
        const uint8_t *x = part.bytes;
        const uint8_t *y = part_of(b, memory).bytes;
        for (size_t i = 0; same && i < part.length; i++) {
            if (x[i] != y[i]) {
                print_error("%s differs at byte %zu: %u and %u\n", weft_memory_names[memory], i,
                            x[i], y[i]);
                same = false;
            }
        }
    }
    return same;
}

void assert_same_state(const struct weft_state *a, const struct weft_state *b) {
    assert_true(same_state(a, b));
}

void assert_kernels_agree(const struct weft_state *state,
                          const struct weft_instruction *instruction) {
    struct weft_state plain = state_of(state->config);
    struct weft_state fast = state_of(state->config);
    state_copy(&plain, state);
    weft_execute(&plain, WEFT_HOST_PLAIN, instruction);
    for (unsigned host = WEFT_HOST_C; host < WEFT_HOSTS; host++) {
        if (!weft_host_available((enum weft_host)host)) {
            continue;
        }
        state_copy(&fast, state);
        weft_execute(&fast, (enum weft_host)host, instruction);
        if (!same_state(&plain, &fast)) {
            struct weft_text text = {0};
            weft_disassemble(instruction, &text);
            print_error("kernel %s, B = %u: %s\n", weft_host_names[host], state->config->block,
                        text.bytes);
            weft_text_free(&text);
            fail();
        }
    }
    weft_state_free(&plain);
    weft_state_free(&fast);
}

int64_t random_base(uint64_t *seed, int64_t low, int64_t high, int64_t size, int64_t unit) {
    int64_t first = (-low + unit - 1) / unit;
    int64_t last = size < high ? -1 : (size - high) / unit;
    return first > last ? -1 : random_between(seed, first, last);
}

bool random_vector_places(uint64_t *seed, const struct weft_config *config,
                          struct weft_instruction *instruction) {
    struct weft_vector_fields *v = &instruction->vector;
    struct weft_footprint footprint = weft_footprint_of(config, instruction);
    uint32_t *const places[] = {&v->out, &v->a, &v->b};
    unsigned lines = 0; /* the accesses come in the order out, a, b, PAR */
    for (unsigned i = 0; i < footprint.count; i++) {
        const struct weft_access *access = &footprint.access[i];
        int64_t low = 0;
        int64_t high = 0;
        weft_access_extent(access, &low, &high);
        int64_t size = weft_memory_bytes(config, (enum weft_memory)access->memory);
        int64_t unit = access->memory == WEFT_MEMORY_ACC ? 4 * config->block : config->block;
        int64_t base = random_base(seed, low, high, size, unit);
        if (base < 0) {
            return false;
        }
        if (access->memory == WEFT_MEMORY_PAR) {
            v->par = (uint32_t)base;
        } else if (access->memory != WEFT_MEMORY_LUT) {
            *places[lines++] = (uint32_t)base;
        }
    }
    return true;
}
