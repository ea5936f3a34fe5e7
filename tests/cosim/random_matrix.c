/* MATRIX: weight tiles in four levels, pixels in two. */
#include "base/integer.h"
#include "tests/cosim/generator.h"
#include "tests/unit/helpers.h"

enum {
    COUNT_MOST = (1 << 14) - 1,
    ACT_STRIDE_BITS = 24,
    ACC_STRIDE_BITS = 15,
    LEVELS = 6, /* of ACC: four of tiles, two of pixels */
};

/* ---- counts ---- */

static void random_window(struct generator *generator, struct weft_matrix_fields *m) {
    uint64_t *seed = &generator->seed;
    static const uint32_t steps[] = {1, 1, 1, 2, 2, 3, 14, 15};
    uint32_t block = generator->config->block;
    m->mode = WEFT_MODE_DEPTHWISE;
    m->window_rows = (uint32_t)random_between(seed, 1, 4);
    uint32_t most = block / m->window_rows;
    m->window_columns = random_chance(seed, 25)   ? most
                        : random_chance(seed, 40) ? (uint32_t)weft_min(3, most)
                                                  : random_size(seed, most);
    m->window_step =
        random_chance(seed, 80) ? PICK(seed, steps) : (uint32_t)random_between(seed, 1, 15);
}

/* Dense pixels in two rows of a window: rows as long as compilers make them, and any. */
static void random_dense_rows(struct generator *generator, struct weft_matrix_fields *m) {
    uint64_t *seed = &generator->seed;
    static const uint32_t bytes[] = {1, 2, 9, 15, 21, 63};
    uint32_t block = generator->config->block;
    uint32_t near = (uint32_t)random_between(seed, block / 2, 2 * block - 1) & 63;
    m->window_rows = (uint32_t)random_between(seed, 2, 7);
    m->window_columns = random_chance(seed, 60)   ? (uint32_t)weft_max(near, 1)
                        : random_chance(seed, 50) ? PICK(seed, bytes)
                                                  : (uint32_t)random_between(seed, 1, 63);
    m->window_first = random_chance(seed, 50)   ? m->window_columns
                      : random_chance(seed, 70) ? (uint32_t)random_between(seed, 0, block)
                                                : (uint32_t)random_between(seed, 0, 63);
}

/* Cycles that a row of outputs takes. */
static int64_t columns_of(const struct weft_matrix_fields *m) {
    return m->mode == WEFT_MODE_DENSE
               ? m->pixel_count[1]
               : (int64_t)(m->pixel_count[1] - 1) * m->window_step + m->window_columns;
}

static void random_pixels(struct generator *generator, uint64_t pixels,
                          struct weft_matrix_fields *m) {
    uint64_t *seed = &generator->seed;
    uint64_t entries = weft_acc_entries(generator->config);
    choose_counts(seed, (uint64_t)weft_clamp((int64_t)pixels, 1, (int64_t)entries), 2,
                  m->pixel_count);
    /* Columns that are read must lie in ACT, two bytes apart at least in the worst case of a
     * walk, so keep them few enough. */
    int64_t lines = generator->config->act_bytes / generator->config->block;
    while (columns_of(m) > lines / 4) {
        m->pixel_count[1] = (m->pixel_count[1] + 1) / 2;
    }
}

static int64_t tiles_of(const struct weft_matrix_fields *m) {
    int64_t tiles = 1;
    for (unsigned i = 0; i < 4; i++) {
        tiles *= m->tile_count[i];
    }
    return tiles;
}

static void random_tiles(struct generator *generator, int64_t budget,
                         struct weft_matrix_fields *m) {
    uint64_t *seed = &generator->seed;
    int64_t pass = weft_max(m->pixel_count[0] * columns_of(m), generator->config->block / 2);
    int64_t most =
        (int64_t)generator->config->wgt_bytes / weft_weight_tile_bytes(generator->config, m);
    int64_t steps =
        random_chance(seed, 45) ? 1 : random_size(seed, weft_clamp(budget / pass, 1, most));
    if (random_chance(seed, 30)) {
        steps = weft_min(random_between(seed, 2, 24), most);
    }
    choose_counts(seed, (uint64_t)weft_min(steps, COUNT_MOST), 4, m->tile_count);
}

/* As many columns as windows can lie apart. */
static void one_wide_row(struct generator *generator, struct weft_matrix_fields *m) {
    for (unsigned i = 0; i < 4; i++) {
        m->tile_count[i] = 1;
    }
    m->window_step = 15;
    m->pixel_count[0] = 1;
    m->pixel_count[1] = extreme_size(&generator->seed, weft_acc_entries(generator->config));
}

/* The most pixels that ACC holds, or tiles that WGT holds, along one level. */
static void extreme_counts(struct generator *generator, struct weft_matrix_fields *m) {
    uint64_t *seed = &generator->seed;
    m->pixel_count[0] = m->pixel_count[1] = 1;
    if (random_chance(seed, 20)) {
        uint32_t most = weft_acc_entries(generator->config);
        uint32_t pixels = extreme_size(seed, most);
        m->pixel_count[random_between(seed, 0, 1)] = pixels;
        m->window_step = m->mode == WEFT_MODE_DEPTHWISE;
        if (m->mode == WEFT_MODE_DEPTHWISE && random_chance(seed, 50)) {
            one_wide_row(generator, m);
        }
        return;
    }
    m->mode = WEFT_MODE_DEPTHWISE;
    m->window_rows = m->window_columns = m->window_step = 1;
    m->window_first = 0;
    for (unsigned i = 0; i < 4; i++) {
        m->tile_count[i] = 1;
    }
    int64_t most = generator->config->wgt_bytes / generator->config->block;
    uint32_t tiles = extreme_size(seed, weft_min(most, COUNT_MOST));
    m->tile_count[random_between(seed, 0, 3)] = tiles;
}

/* ---- accumulators ---- */

struct level {
    int64_t count;
    int32_t *stride;
};

/* The levels that move the accumulator, in a random order. */
static unsigned moving_levels(struct generator *generator, struct weft_matrix_fields *m,
                              const bool reduction[4], struct level *levels) {
    unsigned count = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (m->tile_count[i] > 1 && !reduction[i]) {
            levels[count++] = (struct level){m->tile_count[i], &m->tile_acc_stride[i]};
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        if (m->pixel_count[i] > 1) {
            levels[count++] = (struct level){m->pixel_count[i], &m->pixel_acc_stride[i]};
        }
    }
    for (unsigned i = 0; i + 1 < count && random_chance(&generator->seed, 50); i++) {
        unsigned other = (unsigned)random_between(&generator->seed, i, (int64_t)count - 1);
        struct level kept = levels[i];
        levels[i] = levels[other];
        levels[other] = kept;
    }
    return count;
}

/* Strides that nest, last level innermost: each longer than the reach of those inside. */
static int64_t nest(uint64_t *seed, const struct level *levels, unsigned count, int64_t gap) {
    int64_t reach = 0;
    for (unsigned k = count; k > 0; k--) {
        const struct level *level = &levels[k - 1];
        int64_t stride = reach + 1 + (gap > 0 ? random_between(seed, 0, gap) : 0);
        *level->stride = (int32_t)(random_chance(seed, 25) ? -stride : stride);
        reach += (level->count - 1) * stride;
    }
    return reach + 1;
}

static void unused_strides(uint64_t *seed, struct weft_matrix_fields *m) {
    static const int32_t any[] = {0, 0, 1, -1, 16383, -16384, 5};
    for (unsigned i = 0; i < 4; i++) {
        m->tile_acc_stride[i] = m->tile_count[i] > 1 ? 0 : PICK(seed, any);
    }
    for (unsigned i = 0; i < 2; i++) {
        m->pixel_acc_stride[i] = PICK(seed, any);
    }
}

/* Chooses reductions and strides; levels that do not fit become reductions. */
static struct walk random_accumulators(struct generator *generator, struct weft_matrix_fields *m) {
    uint64_t *seed = &generator->seed;
    int64_t entries = weft_acc_entries(generator->config);
    uint64_t reductions = random_u64(seed) >> 8;
    bool reduction[4];
    int64_t needed = (int64_t)m->pixel_count[0] * m->pixel_count[1];
    for (unsigned i = 0; i < 4; i++) {
        reduction[i] = (reductions >> i & 1) != 0 || needed * m->tile_count[i] > entries;
        needed *= reduction[i] ? 1 : m->tile_count[i];
    }
    unused_strides(seed, m);
    struct level levels[LEVELS];
    unsigned count = moving_levels(generator, m, reduction, levels);
    int64_t room = weft_max(needed, choose_room(generator, WEFT_MEMORY_ACC) /
                                        (4 * (int64_t)generator->config->block));
    int64_t gap = random_chance(seed, 40) ? random_between(seed, 0, 5) : 0;
    if (nest(seed, levels, count, gap) > weft_min(room, entries)) {
        nest(seed, levels, count, 0);
    }
    struct walk walk = {.levels = LEVELS, .span = 1};
    for (unsigned i = 0; i < 4; i++) {
        walk.count[i] = m->tile_count[i];
        walk.stride[i] = m->tile_acc_stride[i];
    }
    for (unsigned i = 0; i < 2; i++) {
        walk.count[4 + i] = m->pixel_count[i];
        walk.stride[4 + i] = m->pixel_acc_stride[i];
    }
    return walk;
}

/* A walk counted in entries or lines, in bytes. */
static void scale(struct walk *walk, int64_t bytes) {
    walk->span *= bytes;
    for (unsigned i = 0; i < walk->levels; i++) {
        walk->stride[i] *= bytes;
    }
    walk_measure(walk);
}

/* ---- activations ---- */

/* Rows of a window must lie in different sub-banks. */
static int64_t random_row_stride(struct generator *generator, const struct weft_matrix_fields *m) {
    uint64_t *seed = &generator->seed;
    int64_t lines = generator->config->act_bytes / generator->config->block;
    int64_t most = lines / 8;
    if (m->mode == WEFT_MODE_DENSE && m->window_rows == 0) {
        return 0;
    }
    if (m->window_rows == 1 && random_chance(seed, 10)) {
        return -(1 << (ACT_STRIDE_BITS - 1)); /* not used */
    }
    int64_t pitch =
        random_chance(seed, 60) ? random_between(seed, 0, 12) : random_size(seed, most) - 1;
    if (m->mode == WEFT_MODE_DENSE) {
        /* 1 or 2 modulo 4, in either direction */
        pitch = (random_chance(seed, 25) ? -pitch : pitch) / 4 * 4;
        pitch += random_between(seed, 1, 2);
        return pitch * generator->config->block;
    }
    if (m->window_rows > 2) {
        pitch |= 1;
    } else if (m->window_rows == 2 && pitch % 4 == 0) {
        pitch += random_between(seed, 1, 3);
    }
    return (random_chance(seed, 25) ? -pitch : pitch) * generator->config->block;
}

static void random_activations(struct generator *generator, struct weft_matrix_fields *m) {
    uint64_t *seed = &generator->seed;
    int64_t block = generator->config->block;
    bool dense = m->mode == WEFT_MODE_DENSE;
    struct walk walk = {.levels = 7, .span = block};
    for (unsigned i = 0; i < 4; i++) {
        walk.count[i] = m->tile_count[i];
    }
    walk.count[4] = m->pixel_count[0];
    walk.count[5] = columns_of(m);
    walk.count[6] = weft_max(m->window_rows, 1);
    walk.fixed[6] = true;
    walk.stride[6] = random_row_stride(generator, m);
    int64_t grain = dense && random_chance(seed, 60) ? 1 : block;
    choose_strides(seed, &walk, choose_room(generator, WEFT_MEMORY_ACT), grain, ACT_STRIDE_BITS);
    m->act = (uint32_t)choose_base(generator, WEFT_UNIT_MATRIX, WEFT_MEMORY_ACT, &walk, grain);
    for (unsigned i = 0; i < 4; i++) {
        m->tile_act_stride[i] = (int32_t)walk.stride[i];
    }
    m->pixel_act_stride[0] = (int32_t)walk.stride[4];
    m->pixel_act_stride[1] = (int32_t)walk.stride[5];
    m->window_row_stride = (int32_t)walk.stride[6];
}

/* ---- the instruction ---- */

static void random_addresses(struct generator *generator, struct weft_matrix_fields *m) {
    int64_t block = generator->config->block;
    struct walk acc = random_accumulators(generator, m);
    scale(&acc, 4 * block);
    m->acc = (uint32_t)(choose_base(generator, WEFT_UNIT_MATRIX, WEFT_MEMORY_ACC, &acc, 4 * block) /
                        (4 * block));
    struct walk wgt = {.span = tiles_of(m) * weft_weight_tile_bytes(generator->config, m)};
    walk_measure(&wgt);
    m->wgt = (uint32_t)choose_base(generator, WEFT_UNIT_MATRIX, WEFT_MEMORY_WGT, &wgt, 2 * block);
}

struct weft_instruction random_matrix(struct generator *generator, uint32_t budget) {
    uint64_t *seed = &generator->seed;
    struct weft_instruction matrix = weft_instruction_new(WEFT_OPCODE_MATRIX);
    struct weft_matrix_fields *m = &matrix.matrix;
    if (random_chance(seed, 50)) {
        random_window(generator, m);
    } else if (generator->config->dense_rows != 0 && random_chance(seed, 50)) {
        random_dense_rows(generator, m);
    }
    /* By turns one tile of many pixels, many tiles of few, and both in between. */
    random_pixels(generator, random_size(seed, budget), m);
    if (random_chance(seed, 25)) {
        random_pixels(generator, (uint64_t)random_between(seed, 1, 3), m);
    }
    random_tiles(generator, budget, m);
    if (generator->extreme) {
        extreme_counts(generator, m);
    }
    m->accumulate = random_chance(seed, 40);
    m->weight_zero = generator->config->weight_zero_point != 0 ? random_byte(seed) : 0;
    bool has_zero = generator->config->activation_zero_point != 0 && m->mode == WEFT_MODE_DENSE;
    m->act_zero = has_zero && random_chance(seed, 50) ? random_byte(seed) : 0;
    random_activations(generator, m);
    random_addresses(generator, m);
    return matrix;
}
