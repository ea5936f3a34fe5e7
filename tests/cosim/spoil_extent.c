/* Extents of MATRIX that lie inside when they are added up in too few bits. */
#include "base/integer.h"
#include "tests/cosim/spoil.h"
#include "tests/unit/helpers.h"

/* Leaves nothing of ACT and ACC that moves with the weight tiles. */
static void keep_in_place(struct weft_matrix_fields *m) {
    for (unsigned i = 0; i < 4; i++) {
        m->tile_act_stride[i] = 0;
        m->tile_acc_stride[i] = 0;
    }
}

/* Weight tiles, a power of two that no memory holds: in fewer bits it is 0. */
static void many_tiles(struct weft_matrix_fields *m, uint64_t *seed) {
    static const unsigned powers[] = {25, 31, 32, 39, 40, 41, 52};
    enum {
        MOST = 13 /* 2^13 is the largest power of two that a count holds */
    };
    unsigned power = powers[random_between(seed, 0, (int64_t)LENGTH(powers) - 1)];
    for (unsigned i = 0; i < 4; i++) {
        unsigned rest = (3 - i) * MOST;
        unsigned least = power > rest ? power - rest : 0;
        unsigned bits = (unsigned)random_between(seed, least, weft_min(power, MOST));
        m->tile_count[i] = UINT32_C(1) << bits;
        power -= bits;
    }
    keep_in_place(m);
}

/* A row of at least 2^14 columns: more than a count holds. The accumulator stays where it is, and
 * ACT ends within the row, but behind its first columns. */
static void many_columns(const struct weft_config *config, struct weft_matrix_fields *m,
                         uint64_t *seed) {
    enum {
        COLUMNS = 1 << 14,
        STEP = 15
    };
    int64_t block = config->block;
    int64_t act_lines = config->act_bytes / block;
    int64_t stride = block * (act_lines / COLUMNS + 1);
    bool down = random_chance(seed, 50);
    keep_in_place(m);
    m->mode = WEFT_MODE_DEPTHWISE;
    m->window_rows = 1;
    m->window_columns = (uint32_t)random_between(seed, 1, block);
    m->window_step = STEP;
    m->pixel_count[0] = 1;
    m->pixel_count[1] = (uint32_t)random_between(seed, COLUMNS / STEP + 2, COLUMNS / STEP + 40);
    m->pixel_act_stride[1] = (int32_t)(down ? -stride : stride);
    m->pixel_acc_stride[1] = 0;
    m->act = (uint32_t)(down ? config->act_bytes - block : 0);
}

/* The number of a MATRIX, or the count of the program. */
static uint32_t find_matrix(const struct cosim_case *test, uint64_t *seed) {
    uint32_t count = (uint32_t)test->program.count;
    uint32_t first = (uint32_t)random_between(seed, 0, (int64_t)count - 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = (first + i) % count;
        if (test->program.instructions[number].opcode == WEFT_OPCODE_MATRIX) {
            return number;
        }
    }
    return count;
}

bool spoil_extent(struct cosim_case *test, uint64_t *seed) {
    uint32_t number = find_matrix(test, seed);
    if (number == test->program.count) {
        return false;
    }
    struct weft_matrix_fields *m = &test->program.instructions[number].matrix;
    if (random_chance(seed, 50)) {
        many_tiles(m, seed);
    } else {
        many_columns(test->config, m, seed);
    }
    return true;
}
