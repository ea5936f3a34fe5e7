/* Addresses past a memory or region, by one byte or by far, through every operand. */
#include <string.h>

#include "base/integer.h"
#include "isa/footprint.h"
#include "tests/cosim/spoil.h"
#include "tests/unit/helpers.h"

/* The field that holds the base of an access, and what it counts in bytes. */
struct operand {
    const char *field; /* NULL: the access is where it is */
    const char *strides[2];
    const char *counts[2];
    int64_t unit;  /* bytes that the field counts */
    int64_t grain; /* of the field: what the verifier wants it to be a multiple of */
};

static struct operand transfer_operand(const struct weft_access *access) {
    if (access->memory == WEFT_EXTERNAL) {
        return (struct operand){"address", {"address_stride"}, {"count"}, 1, 1};
    }
    return (struct operand){"local", {"local_stride"}, {"count"}, 1, 1};
}

static struct operand matrix_operand(const struct weft_config *config,
                                     const struct weft_access *access, bool dense) {
    int64_t block = config->block;
    switch (access->memory) {
    case WEFT_MEMORY_ACT:
        return (struct operand){"act",
                                {"tile_act_stride", "pixel_act_stride"},
                                {"tile_count", "pixel_count"},
                                1,
                                dense ? 1 : block};
    case WEFT_MEMORY_ACC:
        return (struct operand){"acc",
                                {"tile_acc_stride", "pixel_acc_stride"},
                                {"tile_count", "pixel_count"},
                                4 * block,
                                1};
    default:
        return (struct operand){"wgt", {NULL}, {"tile_count"}, 1, 2 * block};
    }
}

static struct operand vector_operand(const struct weft_config *config,
                                     const struct weft_access *access, unsigned index) {
    int64_t block = config->block;
    switch (access->memory) {
    case WEFT_MEMORY_PAR:
        return (struct operand){"par", {NULL}, {"count"}, block, 1};
    case WEFT_MEMORY_ACC:
        return (struct operand){"a", {"a_stride"}, {"count"}, 4 * block, 1};
    case WEFT_MEMORY_LUT:
        return (struct operand){0};
    default:
        return index == 0   ? (struct operand){"out", {"out_stride"}, {"count"}, block, 1}
               : index == 1 ? (struct operand){"a", {"a_stride"}, {"count"}, block, 1}
                            : (struct operand){"b", {"b_stride"}, {"count"}, block, 1};
    }
}

static struct operand operand_of(const struct weft_config *config,
                                 const struct weft_instruction *instruction,
                                 const struct weft_access *access, unsigned index) {
    switch (instruction->opcode) {
    case WEFT_OPCODE_MATRIX:
        return matrix_operand(config, access, instruction->matrix.mode == WEFT_MODE_DENSE);
    case WEFT_OPCODE_VECTOR:
        return vector_operand(config, access, index);
    default:
        return transfer_operand(access);
    }
}

/* ---- ways out ---- */

/* Moves the base so that the access begins below zero or ends past `size`, by little or by much. */
static void move_base(struct weft_instruction *instruction, const struct operand *operand,
                      const struct weft_access *access, int64_t size, uint64_t *seed) {
    const struct weft_field *field = field_of(instruction->opcode, operand->field);
    int64_t low = 0;
    int64_t high = 0;
    weft_access_extent(access, &low, &high);
    int64_t step = operand->unit * operand->grain;
    int64_t below = access->base - low; /* with a base of 0, the access begins so far below */
    int64_t first = (size - (high - access->base)) / step + 1; /* the first base past the end */
    int64_t most = field_high(instruction->opcode, field) / operand->grain;
    int64_t base = first;
    if (below > 0 && random_chance(seed, 50)) {
        base = (below - 1) / step;
        base = random_chance(seed, 50) ? base : random_between(seed, 0, base);
    } else if (random_chance(seed, 40)) {
        base = random_between(seed, first, weft_max(first, most));
    }
    field_set(instruction, field, 0, weft_min(base, most) * operand->grain);
}

/* Moves the base so near the end of its field that the access ends past it: in as many bits as the
 * field has, it would end near zero. */
static void move_around(struct weft_instruction *instruction, const struct operand *operand,
                        const struct weft_access *access, uint64_t *seed) {
    const struct weft_field *field = field_of(instruction->opcode, operand->field);
    int64_t low = 0;
    int64_t high = 0;
    weft_access_extent(access, &low, &high);
    int64_t most = field_high(instruction->opcode, field) / operand->grain;
    int64_t steps = (high - access->base) / (operand->unit * operand->grain);
    int64_t back = random_between(seed, 0, weft_clamp(steps - 1, 0, most));
    field_set(instruction, field, 0, (most - back) * operand->grain);
}

/* Makes strides, or counts, so large that sums leave 32 bits. */
static void move_levels(struct weft_instruction *instruction, const struct operand *operand,
                        uint64_t *seed) {
    for (unsigned i = 0; i < 2 && operand->counts[i] != NULL; i++) {
        const struct weft_field *count = field_of(instruction->opcode, operand->counts[i]);
        for (unsigned k = 0; k < count->repeat; k++) {
            if (random_chance(seed, 60)) {
                field_set(instruction, count, k, field_high(instruction->opcode, count));
            }
        }
    }
    bool down = random_chance(seed, 50);
    for (unsigned i = 0; i < 2 && operand->strides[i] != NULL; i++) {
        const struct weft_field *stride = field_of(instruction->opcode, operand->strides[i]);
        for (unsigned k = 0; k < stride->repeat; k++) {
            int64_t most = down ? field_low(stride) : field_high(instruction->opcode, stride);
            int64_t value =
                random_chance(seed, 70) ? most : random_between(seed, 0, 1000) * (down ? -1 : 1);
            field_set(instruction, stride, k, value / operand->grain * operand->grain);
        }
    }
}

static bool is_outside(const struct cosim_case *test, const struct weft_instruction *instruction) {
    struct weft_footprint footprint = weft_footprint_of(test->config, instruction);
    return !weft_footprint_inside(test->config, &footprint, test->regions.limit, NULL);
}

static int64_t size_of(const struct cosim_case *test, const struct weft_access *access) {
    return access->memory == WEFT_EXTERNAL
               ? (int64_t)test->regions.limit[access->region]
               : weft_memory_bytes(test->config, (enum weft_memory)access->memory);
}

bool spoil_address_of(struct cosim_case *test, uint32_t number, uint64_t *seed) {
    struct weft_instruction *instruction = &test->program.instructions[number];
    struct weft_footprint footprint = weft_footprint_of(test->config, instruction);
    if (footprint.count == 0) {
        return false;
    }
    for (unsigned tries = 0; tries < 20; tries++) {
        unsigned index = (unsigned)random_between(seed, 0, (int64_t)footprint.count - 1);
        const struct weft_access *access = &footprint.access[index];
        struct operand operand = operand_of(test->config, instruction, access, index);
        struct weft_instruction spoiled = *instruction;
        if (operand.field == NULL) {
            continue;
        }
        if (random_chance(seed, 10)) {
            move_around(&spoiled, &operand, access, seed);
        } else if (random_chance(seed, 75)) {
            move_base(&spoiled, &operand, access, size_of(test, access), seed);
        } else {
            move_levels(&spoiled, &operand, seed);
        }
        if (is_outside(test, &spoiled)) {
            *instruction = spoiled;
            return true;
        }
    }
    return false;
}

/* Moves the base so that the access is outside only because of one of its levels. False: it has no
 * such level, or it cannot be. */
static bool move_by_level(struct weft_instruction *instruction, const struct operand *operand,
                          const struct weft_access *access, unsigned level, int64_t size,
                          uint64_t *seed) {
    const struct weft_field *field = field_of(instruction->opcode, operand->field);
    int64_t reach = (access->count[level] - 1) * access->stride[level];
    int64_t step = operand->unit * operand->grain;
    int64_t low = 0;
    int64_t high = 0;
    weft_access_extent(access, &low, &high);
    /* The first bases that are past the end, or the last ones below zero: as many as the level
     * reaches. */
    int64_t fits = size - (high - access->base);
    int64_t below = access->base - low;
    int64_t first = reach > 0 ? fits / step + 1 : weft_max(weft_ceil_div(below + reach, step), 0);
    int64_t last = reach > 0 ? (fits + reach) / step : weft_ceil_div(below, step) - 1;
    last = weft_min(last, field_high(instruction->opcode, field) / operand->grain);
    if (reach == 0 || fits < 0 || first > last) {
        return false;
    }
    bool edge = random_chance(seed, 40);
    int64_t nearest = reach > 0 ? first : last;
    field_set(instruction, field, 0,
              (edge ? nearest : random_between(seed, first, last)) * operand->grain);
    return true;
}

/* Finds an instruction of an opcode whose operand `index` can be outside because of a level. */
static bool spoil_one_level(struct cosim_case *test, uint32_t opcode, unsigned index,
                            unsigned level, uint64_t *seed) {
    uint32_t count = (uint32_t)test->program.count;
    uint32_t start = (uint32_t)random_between(seed, 0, (int64_t)count - 1);
    bool below = random_chance(seed, 50);
    for (uint32_t i = 0; i < count; i++) {
        struct weft_instruction *instruction = &test->program.instructions[(start + i) % count];
        struct weft_footprint footprint = weft_footprint_of(test->config, instruction);
        const struct weft_access *access = &footprint.access[index];
        if (instruction->opcode != opcode || index >= footprint.count || level >= access->levels ||
            (access->stride[level] < 0) != below) {
            continue;
        }
        struct operand operand = operand_of(test->config, instruction, access, index);
        if (operand.field != NULL &&
            move_by_level(instruction, &operand, access, level, size_of(test, access), seed)) {
            return true;
        }
    }
    return false;
}

/* Each level of an operand as often as any other. */
static bool spoil_level(struct cosim_case *test, uint64_t *seed) {
    static const struct {
        uint32_t opcode;
        unsigned index, levels;
    } operands[] = {
        {WEFT_OPCODE_LOAD, 0, 3},   {WEFT_OPCODE_LOAD, 1, 3},   {WEFT_OPCODE_FILL, 0, 3},
        {WEFT_OPCODE_STORE, 0, 3},  {WEFT_OPCODE_STORE, 1, 3},  {WEFT_OPCODE_MATRIX, 0, 7},
        {WEFT_OPCODE_MATRIX, 0, 7}, {WEFT_OPCODE_MATRIX, 1, 6}, {WEFT_OPCODE_MATRIX, 2, 1},
        {WEFT_OPCODE_VECTOR, 0, 3}, {WEFT_OPCODE_VECTOR, 1, 5}, {WEFT_OPCODE_VECTOR, 2, 3},
    };
    enum {
        LEVEL_TRIES = 8
    };
    for (unsigned tries = 0; tries < LEVEL_TRIES; tries++) {
        unsigned which = (unsigned)random_between(seed, 0, (int64_t)LENGTH(operands) - 1);
        unsigned level = (unsigned)random_between(seed, 0, (int64_t)operands[which].levels - 1);
        if (spoil_one_level(test, operands[which].opcode, operands[which].index, level, seed)) {
            return true;
        }
    }
    return false;
}

/* Takes the end of a region away from an instruction. */
static bool shrink_region(struct cosim_case *test, uint32_t number) {
    struct weft_footprint footprint =
        weft_footprint_of(test->config, &test->program.instructions[number]);
    for (unsigned i = 0; i < footprint.count; i++) {
        const struct weft_access *access = &footprint.access[i];
        if (access->memory == WEFT_EXTERNAL && access->region != WEFT_REGION_PROGRAM) {
            int64_t low = 0;
            int64_t high = 0;
            weft_access_extent(access, &low, &high);
            test->regions.limit[access->region] = (uint64_t)(high - 1);
            return true;
        }
    }
    return false;
}

bool spoil_address(struct cosim_case *test, const struct weft_trace *trace, uint64_t *seed) {
    (void)trace;
    if (random_chance(seed, 20)) {
        return spoil_extent(test, seed);
    }
    if (random_chance(seed, 50)) {
        return spoil_level(test, seed);
    }
    uint32_t number = (uint32_t)random_between(seed, 0, (int64_t)test->program.count - 1);
    return random_chance(seed, 10) ? shrink_region(test, number)
                                   : spoil_address_of(test, number, seed);
}

/* ---- regions that cannot be written ---- */

/* Another region takes the place of that of a STORE, or the STORE's own is closed. */
bool spoil_write_of(struct cosim_case *test, uint32_t number, uint64_t *seed) {
    struct weft_instruction *instruction = &test->program.instructions[number];
    if (instruction->opcode != WEFT_OPCODE_STORE) {
        return false;
    }
    struct weft_instruction moved = *instruction;
    moved.store.region = (uint32_t)random_between(seed, 0, WEFT_REGIONS - 1);
    if (random_chance(seed, 60) && !weft_region_is_writable(&test->regions, moved.store.region) &&
        !is_outside(test, &moved)) {
        *instruction = moved;
    } else {
        test->regions.writable &= ~(1U << instruction->store.region);
    }
    return true;
}

bool spoil_write(struct cosim_case *test, const struct weft_trace *trace, uint64_t *seed) {
    (void)trace;
    uint32_t count = (uint32_t)test->program.count;
    uint32_t first = (uint32_t)random_between(seed, 0, (int64_t)count - 1);
    for (uint32_t i = 0; i < count; i++) {
        if (spoil_write_of(test, (first + i) % count, seed)) {
            return true;
        }
    }
    return false;
}
