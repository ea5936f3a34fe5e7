/* isa: what instructions touch, against loops that visit every byte. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "isa/footprint.h"
#include "tests/unit/helpers.h"

enum {
    REGION_BYTES = 1 << 16,
    PLACES = WEFT_MEMORIES + WEFT_REGIONS, /* memories, then regions */
    DIRECTIONS = 2,                        /* read, write */
};

/* The bytes touched of each place and direction. */
struct touched {
    const struct weft_config *config;
    uint8_t *bytes[PLACES][DIRECTIONS];
    int64_t size[PLACES];
};

static struct touched touched_new(const struct weft_config *config) {
    struct touched touched = {.config = config};
    for (unsigned place = 0; place < PLACES; place++) {
        touched.size[place] = place < WEFT_MEMORIES
                                  ? weft_memory_bytes(config, (enum weft_memory)place)
                                  : REGION_BYTES;
        for (unsigned i = 0; i < DIRECTIONS; i++) {
            touched.bytes[place][i] = calloc((size_t)touched.size[place], 1);
            assert_non_null(touched.bytes[place][i]);
        }
    }
    return touched;
}

static void touched_free(struct touched *touched) {
    for (unsigned place = 0; place < PLACES; place++) {
        free(touched->bytes[place][0]);
        free(touched->bytes[place][1]);
    }
}

static void touched_clear(struct touched *touched) {
    for (unsigned place = 0; place < PLACES; place++) {
        memset(touched->bytes[place][0], 0, (size_t)touched->size[place]);
        memset(touched->bytes[place][1], 0, (size_t)touched->size[place]);
    }
}

static void touch(struct touched *touched, unsigned place, bool write, int64_t at, int64_t length) {
    assert_true(at >= 0 && at + length <= touched->size[place]);
    memset(touched->bytes[place][write] + at, 1, (size_t)length);
}

/* ---- the loops of each instruction, from docs/isa.md and sim/exec ---- */

static void touch_runs(struct touched *touched, unsigned place, bool write, int64_t at, int64_t run,
                       const uint32_t count[3], const int32_t stride[3]) {
    for (int64_t i = 0; i < count[0]; i++) {
        for (int64_t j = 0; j < count[1]; j++) {
            for (int64_t k = 0; k < count[2]; k++) {
                touch(touched, place, write, at + i * stride[0] + j * stride[1] + k * stride[2],
                      run);
            }
        }
    }
}

static void touch_load(struct touched *touched, const struct weft_load_fields *load) {
    static const unsigned targets[] = {WEFT_MEMORY_ACT, WEFT_MEMORY_WGT, WEFT_MEMORY_PAR,
                                       WEFT_MEMORY_LUT};
    touch_runs(touched, WEFT_MEMORIES + load->region, false, load->address, load->run, load->count,
               load->address_stride);
    touch_runs(touched, targets[load->memory], true, load->local, load->run, load->count,
               load->local_stride);
}

static void touch_store(struct touched *touched, const struct weft_store_fields *store) {
    touch_runs(touched, WEFT_MEMORIES + store->region, true, store->address, store->run,
               store->count, store->address_stride);
    touch_runs(touched, WEFT_MEMORY_ACT, false, store->local, store->run, store->count,
               store->local_stride);
}

/* One weight tile; `act` is its first byte in ACT, `acc` its first entry. */
static void touch_pass(struct touched *touched, const struct weft_matrix_fields *m, int64_t act,
                       int64_t acc) {
    int64_t block = touched->config->block;
    for (int64_t y = 0; y < m->pixel_count[0]; y++) {
        int64_t row = act + y * m->pixel_act_stride[0];
        for (int64_t x = 0; x < m->pixel_count[1]; x++) {
            int64_t entry = acc + y * m->pixel_acc_stride[0] + x * m->pixel_acc_stride[1];
            touch(touched, WEFT_MEMORY_ACC, true, entry * block * 4, block * 4);
            if (m->mode == WEFT_MODE_DENSE) {
                touch(touched, WEFT_MEMORY_ACT, false, row + x * m->pixel_act_stride[1], block);
            }
        }
        if (m->mode == WEFT_MODE_DEPTHWISE) {
            /* Every column from the first window to the last is read, used or not. */
            int64_t columns = (m->pixel_count[1] - 1) * m->window_step + m->window_columns;
            for (int64_t column = 0; column < columns; column++) {
                for (int64_t i = 0; i < m->window_rows; i++) {
                    touch(touched, WEFT_MEMORY_ACT, false,
                          row + column * m->pixel_act_stride[1] + i * m->window_row_stride, block);
                }
            }
        }
    }
}

static void touch_matrix(struct touched *touched, const struct weft_matrix_fields *m) {
    int64_t block = touched->config->block;
    int64_t tile =
        m->mode == WEFT_MODE_DENSE ? block * block : block * m->window_rows * m->window_columns;
    int64_t weights = m->wgt;
    for (int64_t i = 0; i < m->tile_count[0]; i++) {
        for (int64_t j = 0; j < m->tile_count[1]; j++) {
            for (int64_t k = 0; k < m->tile_count[2]; k++) {
                for (int64_t l = 0; l < m->tile_count[3]; l++) {
                    const int32_t *s = m->tile_act_stride;
                    const int32_t *t = m->tile_acc_stride;
                    touch_pass(touched, m, m->act + i * s[0] + j * s[1] + k * s[2] + l * s[3],
                               m->acc + i * t[0] + j * t[1] + k * t[2] + l * t[3]);
                    touch(touched, WEFT_MEMORY_WGT, false, weights, tile);
                    weights += tile;
                }
            }
        }
    }
}

static bool reads_b(uint32_t function) {
    return (function >= WEFT_FUNCTION_ADD && function <= WEFT_FUNCTION_MIN) ||
           function == WEFT_FUNCTION_SQUARED_DIFFERENCE;
}

static void touch_vector_at(struct touched *touched, const struct weft_vector_fields *v, int64_t c,
                            int64_t y, int64_t x) {
    int64_t block = touched->config->block;
    int64_t out = v->out + c * v->out_stride[0] + y * v->out_stride[1] + x * v->out_stride[2];
    int64_t a = v->a + c * v->a_stride[0] + y * v->a_stride[1] + x * v->a_stride[2];
    int64_t b = v->b + c * v->b_stride[0] + y * v->b_stride[1] + x * v->b_stride[2];
    touch(touched, WEFT_MEMORY_ACT, true, out * block, block);
    if (v->function == WEFT_FUNCTION_REQUANT) {
        int64_t lines = v->per_channel == 0 ? 4 : v->short_records != 0 ? 7 : 9;
        touch(touched, WEFT_MEMORY_ACC, false, a * block * 4, block * 4);
        touch(touched, WEFT_MEMORY_PAR, false, (v->par + c * lines) * block, lines * block);
    } else if (v->function == WEFT_FUNCTION_POOL) {
        for (int64_t i = 0; i < v->window_count[0]; i++) {
            for (int64_t j = 0; j < v->window_count[1]; j++) {
                int64_t line = a + i * v->window_stride[0] + j * v->window_stride[1];
                touch(touched, WEFT_MEMORY_ACT, false, line * block, block);
            }
        }
    } else if (v->function != WEFT_FUNCTION_FILL) {
        touch(touched, WEFT_MEMORY_ACT, false, a * block, block);
    }
    if (reads_b(v->function)) {
        touch(touched, WEFT_MEMORY_ACT, false, b * block, block);
    }
    if (v->function == WEFT_FUNCTION_ADD || v->function == WEFT_FUNCTION_SUB ||
        v->function == WEFT_FUNCTION_SQUARED_DIFFERENCE) {
        touch(touched, WEFT_MEMORY_PAR, false, v->par * block, block < 16 ? 16 : block);
    }
    if (v->function == WEFT_FUNCTION_LUT || v->function == WEFT_FUNCTION_SOFTMAX) {
        touch(touched, WEFT_MEMORY_LUT, false, 0, 256 * block);
    }
}

static void touch_vector(struct touched *touched, const struct weft_vector_fields *v) {
    for (int64_t c = 0; c < v->count[0]; c++) {
        for (int64_t y = 0; y < v->count[1]; y++) {
            for (int64_t x = 0; x < v->count[2]; x++) {
                touch_vector_at(touched, v, c, y, x);
            }
        }
    }
}

static void touch_instruction(struct touched *touched, const struct weft_instruction *instruction) {
    switch (instruction->opcode) {
    case WEFT_OPCODE_LOAD:
        touch_load(touched, &instruction->load);
        break;
    case WEFT_OPCODE_FILL:
        touch_runs(touched, WEFT_MEMORY_ACT, true, instruction->fill.local, instruction->fill.run,
                   instruction->fill.count, instruction->fill.local_stride);
        break;
    case WEFT_OPCODE_STORE:
        touch_store(touched, &instruction->store);
        break;
    case WEFT_OPCODE_MATRIX:
        touch_matrix(touched, &instruction->matrix);
        break;
    case WEFT_OPCODE_VECTOR:
        touch_vector(touched, &instruction->vector);
        break;
    default:
        break;
    }
}

/* ---- comparison ---- */

static unsigned place_of(const struct weft_access *access) {
    return access->memory == WEFT_EXTERNAL ? WEFT_MEMORIES + access->region : access->memory;
}

/* The formula of struct weft_access, visited from the innermost level. */
static void touch_access(struct touched *touched, const struct weft_access *access, unsigned level,
                         int64_t at) {
    if (level == access->levels) {
        touch(touched, place_of(access), access->write, at, access->span);
        return;
    }
    for (int64_t i = 0; i < access->count[level]; i++) {
        touch_access(touched, access, level + 1, at + i * access->stride[level]);
    }
}

static void assert_extent(struct touched *scratch, const struct weft_access *access) {
    touched_clear(scratch);
    touch_access(scratch, access, 0, access->base);
    const uint8_t *bytes = scratch->bytes[place_of(access)][access->write];
    int64_t size = scratch->size[place_of(access)];
    int64_t first = 0;
    int64_t last = size - 1;
    while (bytes[first] == 0) {
        first++;
    }
    while (bytes[last] == 0) {
        last--;
    }
    int64_t low = 0;
    int64_t high = 0;
    weft_access_extent(access, &low, &high);
    assert_true(low == first);
    assert_true(high == last + 1);
}

static void assert_banks(const struct touched *touched, const struct weft_footprint *footprint) {
    uint32_t banks[WEFT_MEMORIES];
    weft_footprint_banks(touched->config, footprint, banks);
    for (unsigned memory = 0; memory < WEFT_MEMORIES; memory++) {
        uint32_t expected = 0;
        int64_t bank =
            touched->size[memory] / weft_banks(touched->config, (enum weft_memory)memory);
        for (int64_t i = 0; i < touched->size[memory]; i++) {
            if ((touched->bytes[memory][0][i] | touched->bytes[memory][1][i]) != 0) {
                expected |= (uint32_t)1 << (i / bank);
            }
        }
        assert_int_equal(banks[memory], expected);
    }
}

static void assert_footprint(struct touched *loops, struct touched *formulas,
                             const struct weft_instruction *instruction) {
    struct weft_footprint footprint = weft_footprint_of(loops->config, instruction);
    for (unsigned i = 0; i < footprint.count; i++) {
        assert_extent(formulas, &footprint.access[i]);
    }
    touched_clear(formulas);
    for (unsigned i = 0; i < footprint.count; i++) {
        touch_access(formulas, &footprint.access[i], 0, footprint.access[i].base);
    }
    touched_clear(loops);
    touch_instruction(loops, instruction);
    for (unsigned place = 0; place < PLACES; place++) {
        for (unsigned i = 0; i < DIRECTIONS; i++) {
            assert_memory_equal(loops->bytes[place][i], formulas->bytes[place][i],
                                (size_t)loops->size[place]);
        }
    }
    assert_banks(loops, &footprint);
}

/* ---- random instructions that lie inside ---- */

static uint32_t small_count(uint64_t *seed) {
    return (uint32_t)(random_chance(seed, 40) ? 1 : random_between(seed, 2, 4));
}

/* Mostly short, sometimes across banks, of both signs. */
static int32_t some_stride(uint64_t *seed, int64_t unit, int64_t far) {
    int64_t reach = random_chance(seed, 70) ? 12 * unit : far;
    return (int32_t)(random_between(seed, -reach, reach));
}

static void random_runs(uint64_t *seed, uint32_t *run, uint32_t count[3], int32_t stride[3]) {
    *run = (uint32_t)random_between(seed, 1, 70);
    for (unsigned i = 0; i < 3; i++) {
        count[i] = small_count(seed);
        stride[i] = some_stride(seed, 8, 6000);
    }
}

static void random_matrix(uint64_t *seed, const struct weft_config *config,
                          struct weft_matrix_fields *m) {
    int32_t block = (int32_t)config->block;
    m->mode = random_chance(seed, 50) ? WEFT_MODE_DENSE : WEFT_MODE_DEPTHWISE;
    bool dense = m->mode == WEFT_MODE_DENSE;
    int32_t line = dense ? 1 : block;
    for (unsigned i = 0; i < 4; i++) {
        m->tile_count[i] = (uint32_t)(random_chance(seed, 60) ? 1 : random_between(seed, 2, 3));
        m->tile_act_stride[i] = some_stride(seed, 4, 200) * line;
        m->tile_acc_stride[i] = random_chance(seed, 30) ? 0 : some_stride(seed, 1, 60);
    }
    for (unsigned i = 0; i < 2; i++) {
        m->pixel_count[i] = small_count(seed);
        m->pixel_act_stride[i] = some_stride(seed, 4, 200) * line;
        m->pixel_acc_stride[i] = some_stride(seed, 1, 30);
    }
    m->act = (uint32_t)random_between(seed, 0, config->act_bytes / (uint32_t)line) * (uint32_t)line;
    m->wgt = (uint32_t)random_between(seed, 0, config->wgt_bytes / config->block);
    m->acc = (uint32_t)random_between(seed, 0, weft_acc_entries(config));
    if (!dense) {
        m->window_rows = (uint32_t)random_between(seed, 1, 4);
        m->window_columns = (uint32_t)random_between(seed, 1, block / 4);
        m->window_row_stride = some_stride(seed, 3, 40) * line;
        m->window_step = (uint32_t)random_between(seed, 1, 5);
    }
}

static void random_vector(uint64_t *seed, const struct weft_config *config,
                          struct weft_vector_fields *v) {
    uint32_t lines = config->act_bytes / config->block;
    v->function = (uint32_t)random_between(seed, 0, WEFT_FUNCTIONS - 1);
    bool requant = v->function == WEFT_FUNCTION_REQUANT;
    v->per_channel = requant && random_chance(seed, 60);
    v->short_records = v->per_channel != 0 && random_chance(seed, 50);
    for (unsigned i = 0; i < 3; i++) {
        v->count[i] = small_count(seed);
        v->out_stride[i] = some_stride(seed, 2, 120);
        v->a_stride[i] = some_stride(seed, 2, requant ? 40 : 120);
        v->b_stride[i] = some_stride(seed, 2, 120);
    }
    for (unsigned i = 0; i < 2 && v->function == WEFT_FUNCTION_POOL; i++) {
        v->window_count[i] = small_count(seed);
        v->window_stride[i] = some_stride(seed, 2, 40);
    }
    v->out = (uint32_t)random_between(seed, 0, lines);
    v->a = (uint32_t)random_between(seed, 0, requant ? weft_acc_entries(config) : lines);
    v->b = (uint32_t)random_between(seed, 0, lines);
    v->par = (uint32_t)random_between(seed, 0, config->par_bytes / config->block);
}

static struct weft_instruction random_small(uint64_t *seed, const struct weft_config *config,
                                            enum weft_opcode opcode) {
    struct weft_instruction instruction = weft_instruction_new(opcode);
    int32_t ignored[3];
    switch (opcode) {
    case WEFT_OPCODE_LOAD:
        random_runs(seed, &instruction.load.run, instruction.load.count, ignored);
        random_runs(seed, &instruction.load.run, instruction.load.count,
                    instruction.load.local_stride);
        for (unsigned i = 0; i < 3; i++) {
            instruction.load.address_stride[i] = some_stride(seed, 8, 6000);
        }
        instruction.load.memory = (uint32_t)random_between(seed, 0, 3);
        instruction.load.region = (uint32_t)random_between(seed, 0, 7);
        instruction.load.address = (uint32_t)random_between(seed, 0, REGION_BYTES);
        instruction.load.local = (uint32_t)random_between(seed, 0, 1 << 13);
        break;
    case WEFT_OPCODE_FILL:
        random_runs(seed, &instruction.fill.run, instruction.fill.count,
                    instruction.fill.local_stride);
        instruction.fill.local = (uint32_t)random_between(seed, 0, config->act_bytes);
        break;
    case WEFT_OPCODE_STORE:
        random_runs(seed, &instruction.store.run, instruction.store.count,
                    instruction.store.local_stride);
        for (unsigned i = 0; i < 3; i++) {
            instruction.store.address_stride[i] = some_stride(seed, 8, 6000);
        }
        instruction.store.region = (uint32_t)random_between(seed, 0, 7);
        instruction.store.address = (uint32_t)random_between(seed, 0, REGION_BYTES);
        instruction.store.local = (uint32_t)random_between(seed, 0, config->act_bytes);
        break;
    case WEFT_OPCODE_MATRIX:
        random_matrix(seed, config, &instruction.matrix);
        break;
    case WEFT_OPCODE_VECTOR:
        random_vector(seed, config, &instruction.vector);
        break;
    default:
        break;
    }
    return instruction;
}

static void footprints_are_what_the_loops_touch(void **state) {
    (void)state;
    static const uint32_t blocks[] = {8, 16, 32};
    static const enum weft_opcode opcodes[] = {WEFT_OPCODE_LOAD, WEFT_OPCODE_FILL,
                                               WEFT_OPCODE_STORE, WEFT_OPCODE_MATRIX,
                                               WEFT_OPCODE_VECTOR};
    uint64_t seed = 5;
    struct weft_regions regions = same_regions(REGION_BYTES);
    for (size_t i = 0; i < LENGTH(blocks); i++) {
        struct weft_config config = tiny_config(blocks[i]);
        struct touched loops = touched_new(&config);
        struct touched formulas = touched_new(&config);
        for (size_t k = 0; k < LENGTH(opcodes); k++) {
            int inside = 0;
            for (int round = 0; round < 100000 && inside < 150; round++) {
                struct weft_instruction instruction = random_small(&seed, &config, opcodes[k]);
                struct weft_footprint footprint = weft_footprint_of(&config, &instruction);
                if (weft_footprint_inside(&config, &footprint, regions.limit, NULL)) {
                    assert_footprint(&loops, &formulas, &instruction);
                    inside++;
                }
            }
            assert_int_equal(inside, 150);
        }
        touched_free(&loops);
        touched_free(&formulas);
    }
}

static void fence_and_halt_touch_nothing(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction fence = weft_instruction_new(WEFT_OPCODE_FENCE);
    struct weft_instruction halt = weft_instruction_new(WEFT_OPCODE_HALT);
    assert_int_equal(weft_footprint_of(&config, &fence).count, 0);
    assert_int_equal(weft_footprint_of(&config, &halt).count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(footprints_are_what_the_loops_touch),
        cmocka_unit_test(fence_and_halt_touch_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
