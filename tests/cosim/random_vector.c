/* VECTOR: every function, operands apart, in place and interleaved. */
#include "base/integer.h"
#include "isa/record.h"
#include "sim/timing/duration.h"
#include "tests/cosim/generator.h"
#include "tests/unit/helpers.h"

enum {
    COUNT_MOST = (1 << 12) - 1,
    STRIDE_BITS = 18,
    WINDOW_STRIDE_BITS = 16,
    TRIES = 8,
};

static bool has_b(uint32_t function) {
    return (weft_vector_reads(function) & WEFT_READS_B) != 0;
}

/* ---- scalars ---- */

static void random_scaling(uint64_t *seed, struct weft_vector_fields *v) {
    static const uint32_t multipliers[] = {0,          1,          0x3fffffff, 0x40000000,
                                           0x40000001, 0x55555555, 0x7ffffffe, 0x7fffffff,
                                           0x60000000, 0x7fffff80};
    static const int32_t shifts[] = {-31, -30, -24, -16, -8, -1, 0, 1, 8, 30, 31};
    v->multiplier = random_chance(seed, 40)
                        ? PICK(seed, multipliers)
                        : (uint32_t)random_between(seed, 0x40000000, 0x7fffffff);
    if (random_chance(seed, 20)) {
        v->multiplier = (uint32_t)random_between(seed, 0, 0x7fffffff);
    }
    if (v->rounding == WEFT_ROUNDING_FLOAT && random_chance(seed, 60)) {
        v->multiplier &= 0x7fffff80; /* of 24 bits, as a float has */
    }
    v->shift =
        random_chance(seed, 40) ? PICK(seed, shifts) : (int32_t)random_between(seed, -31, 31);
    v->a_zero = random_byte(seed);
    v->b_zero = random_byte(seed);
    v->out_zero = random_byte(seed);
    int32_t one = random_chance(seed, 40) ? -128 : random_byte(seed);
    int32_t other = random_chance(seed, 40) ? 127 : random_byte(seed);
    v->low = (int32_t)weft_min(one, other);
    v->high = (int32_t)weft_max(one, other);
}

/* One that the configuration has. */
static void random_function(struct generator *generator, struct weft_instruction *vector) {
    uint64_t *seed = &generator->seed;
    struct weft_vector_fields *v = &vector->vector;
    do {
        v->rounding = v->per_channel = v->short_records = 0;
        v->function = random_chance(seed, 25)
                          ? WEFT_FUNCTION_REQUANT
                          : (uint32_t)random_between(seed, 0, WEFT_FUNCTIONS - 1);
        if (v->function == WEFT_FUNCTION_REQUANT) {
            v->rounding = (uint32_t)random_between(seed, 0, WEFT_ROUNDINGS - 1);
            v->per_channel = random_chance(seed, 60);
            v->short_records = v->per_channel != 0 && random_chance(seed, 50);
        }
    } while (weft_config_lacks(generator->config, vector) != NULL);
    if (v->function == WEFT_FUNCTION_POOL) {
        static const uint32_t odd[] = {1, 2, 3, 3, 7, 63};
        v->window_count[0] = PICK(seed, odd);
        v->window_count[1] = v->window_count[0] > 7 ? 1 : PICK(seed, odd);
    }
    if (v->function == WEFT_FUNCTION_SOFTMAX) {
        v->lanes = (uint32_t)random_between(seed, 1, generator->config->block);
    }
}

static uint32_t par_lines(const struct generator *generator) {
    return generator->config->par_bytes / generator->config->block;
}

static void random_vectors(struct generator *generator, uint32_t budget,
                           struct weft_vector_fields *v) {
    uint64_t *seed = &generator->seed;
    uint64_t slots = v->function == WEFT_FUNCTION_REQUANT || v->function == WEFT_FUNCTION_FILL ? 1
                     : v->function == WEFT_FUNCTION_POOL
                         ? (uint64_t)v->window_count[0] * v->window_count[1] + 1
                     : v->function == WEFT_FUNCTION_SOFTMAX ? (uint64_t)4 * WEFT_SOFTMAX_LEAST
                                                            : 3;
    /* ACT must be able to hold as many results side by side. */
    int64_t lines = generator->config->act_bytes / generator->config->block;
    int64_t most = weft_min(COUNT_MOST, lines);
    int64_t steps = random_size(seed, weft_clamp((int64_t)(budget / slots), 1, most));
    choose_counts(seed, (uint64_t)steps, 3, v->count);
    if (generator->extreme) {
        v->count[0] = v->count[1] = v->count[2] = 1;
        uint32_t count = extreme_size(seed, most);
        v->count[random_between(seed, 0, 2)] = count;
    }
    if (v->function == WEFT_FUNCTION_REQUANT) {
        uint32_t record = weft_vector_record_lines(v);
        v->count[0] = (uint32_t)weft_min(v->count[0], par_lines(generator) / record);
    }
}

/* ---- operands ---- */

static struct walk walk_of(const struct weft_vector_fields *v) {
    struct walk walk = {.levels = 3, .span = 1};
    for (unsigned i = 0; i < 3; i++) {
        walk.count[i] = v->count[i];
    }
    return walk;
}

/* A walk over lines (entries) of `bytes`: where it begins, or -1. */
static int64_t place(struct generator *generator, enum weft_memory memory, struct walk *walk,
                     int64_t bytes, int32_t stride[3]) {
    uint64_t *seed = &generator->seed;
    int64_t room = choose_room(generator, memory) / bytes;
    choose_strides(seed, walk, weft_max(room, 1), 1, STRIDE_BITS);
    struct walk in_bytes = *walk;
    in_bytes.span *= bytes;
    for (unsigned i = 0; i < walk->levels; i++) {
        in_bytes.stride[i] *= bytes;
    }
    walk_measure(&in_bytes);
    for (unsigned i = 0; i < 3; i++) {
        stride[i] = (int32_t)walk->stride[i];
    }
    int64_t base = choose_base(generator, WEFT_UNIT_VECTOR, memory, &in_bytes, bytes);
    return base < 0 ? -1 : base / bytes;
}

/* The window's strides are part of operand a's walk. */
static void place_pool(struct generator *generator, struct weft_vector_fields *v) {
    int64_t block = generator->config->block;
    struct walk walk = walk_of(v);
    int64_t base = -1;
    while (base < 0) {
        walk.levels = 5;
        for (unsigned i = 0; i < 2; i++) {
            int64_t stride = random_between(&generator->seed, -9, 9);
            walk.count[3 + i] = v->window_count[i];
            walk.stride[3 + i] = v->window_count[i] > 1                ? stride
                                 : random_chance(&generator->seed, 50) ? INT16_MIN
                                                                       : INT16_MAX;
            walk.fixed[3 + i] = true;
            v->window_stride[i] = (int32_t)walk.stride[3 + i];
        }
        base = place(generator, WEFT_MEMORY_ACT, &walk, block, v->a_stride);
    }
    v->a = (uint32_t)base;
}

static void place_a(struct generator *generator, struct weft_vector_fields *v) {
    int64_t block = generator->config->block;
    bool requant = v->function == WEFT_FUNCTION_REQUANT;
    struct walk walk = walk_of(v);
    if (v->function == WEFT_FUNCTION_POOL) {
        place_pool(generator, v);
    } else {
        v->a = (uint32_t)place(generator, requant ? WEFT_MEMORY_ACC : WEFT_MEMORY_ACT, &walk,
                               requant ? 4 * block : block, v->a_stride);
    }
}

static void place_par(struct generator *generator, struct weft_vector_fields *v) {
    int64_t block = generator->config->block;
    int64_t lines = v->function == WEFT_FUNCTION_REQUANT ? weft_vector_record_lines(v) * v->count[0]
                                                         : weft_sum_record_lines(generator->config);
    struct walk walk = {.span = lines * block};
    walk_measure(&walk);
    v->par =
        (uint32_t)(choose_base(generator, WEFT_UNIT_VECTOR, WEFT_MEMORY_PAR, &walk, block) / block);
}

/* Does the result overlap an operand in ACT that is not worked on in place? */
static bool overlaps(const struct generator *generator, const struct weft_instruction *vector) {
    struct weft_footprint footprint = weft_footprint_of(generator->config, vector);
    for (unsigned i = 1; i < footprint.count; i++) {
        if (footprint.access[i].memory == WEFT_MEMORY_ACT &&
            weft_access_overlap(&footprint.access[0], &footprint.access[i], NULL)) {
            return true;
        }
    }
    return false;
}

/* Lines one after the other, either way, so that each is visited once. */
static void distinct_out(struct generator *generator, struct weft_vector_fields *v) {
    int64_t block = generator->config->block;
    bool back = random_chance(&generator->seed, 30);
    struct walk walk = walk_of(v);
    int64_t stride = 1;
    for (unsigned k = 3; k > 0; k--) {
        v->out_stride[k - 1] = (int32_t)(back ? -stride : stride);
        walk.stride[k - 1] = v->out_stride[k - 1] * block;
        stride *= v->count[k - 1];
    }
    walk.span = block;
    walk_measure(&walk);
    v->out =
        (uint32_t)(choose_base(generator, WEFT_UNIT_VECTOR, WEFT_MEMORY_ACT, &walk, block) / block);
}

static void same_place(const struct weft_vector_fields *v, uint32_t *operand, int32_t stride[3]) {
    *operand = v->out;
    for (unsigned i = 0; i < 3; i++) {
        stride[i] = v->out_stride[i];
    }
}

/* Works on an operand, or on both, in place. */
static void place_in_place(struct generator *generator, struct weft_instruction *vector) {
    struct weft_vector_fields *v = &vector->vector;
    distinct_out(generator, v);
    same_place(v, &v->a, v->a_stride);
    if (!has_b(v->function)) {
        return;
    }
    struct walk walk = walk_of(v);
    v->b =
        (uint32_t)place(generator, WEFT_MEMORY_ACT, &walk, generator->config->block, v->b_stride);
    struct weft_vector_fields swapped = *v;
    struct weft_instruction apart = *vector;
    same_place(&swapped, &swapped.b, swapped.b_stride);
    /* `apart` has b in the place of both operands: does it overlap? */
    apart.vector.a = v->b;
    for (unsigned i = 0; i < 3; i++) {
        apart.vector.a_stride[i] = v->b_stride[i];
    }
    if (overlaps(generator, &apart)) {
        *v = swapped;
    }
}

/* Values in fields that the function does not look at. */
static void unused_operands(struct generator *generator, struct weft_vector_fields *v) {
    uint64_t *seed = &generator->seed;
    int64_t last = (1 << STRIDE_BITS) - 1;
    v->a = (uint32_t)(random_chance(seed, 10) ? last : random_between(seed, 0, last));
    v->b = (uint32_t)(random_chance(seed, 10) ? last : random_between(seed, 0, last));
    v->par =
        random_chance(seed, 10) ? (1 << 14) - 1 : (uint32_t)random_between(seed, 0, (1 << 14) - 1);
    for (unsigned i = 0; i < 3; i++) {
        int32_t most = 1 << (STRIDE_BITS - 1);
        v->a_stride[i] = (int32_t)random_between(seed, -most, most - 1);
        v->b_stride[i] = (int32_t)random_between(seed, -most, most - 1);
    }
}

static void place_all(struct generator *generator, struct weft_instruction *vector) {
    uint64_t *seed = &generator->seed;
    struct weft_vector_fields *v = &vector->vector;
    bool can_be_in_place =
        v->function != WEFT_FUNCTION_REQUANT && v->function != WEFT_FUNCTION_POOL;
    if (can_be_in_place && v->function != WEFT_FUNCTION_FILL && random_chance(seed, 20)) {
        place_in_place(generator, vector);
        return;
    }
    for (unsigned i = 0; i == 0 || overlaps(generator, vector); i++) {
        if (i == TRIES && can_be_in_place) {
            place_in_place(generator, vector);
            return;
        }
        struct walk walk = walk_of(v);
        v->out = (uint32_t)place(generator, WEFT_MEMORY_ACT, &walk, generator->config->block,
                                 v->out_stride);
        if (v->function != WEFT_FUNCTION_FILL) {
            place_a(generator, v);
        }
        if (has_b(v->function)) {
            v->b = (uint32_t)place(generator, WEFT_MEMORY_ACT, &walk, generator->config->block,
                                   v->b_stride);
        }
    }
}

struct weft_instruction random_vector(struct generator *generator, uint32_t budget) {
    struct weft_instruction vector = weft_instruction_new(WEFT_OPCODE_VECTOR);
    struct weft_vector_fields *v = &vector.vector;
    random_function(generator, &vector);
    random_scaling(&generator->seed, v);
    random_vectors(generator, budget, v);
    unused_operands(generator, v);
    place_all(generator, &vector);
    if ((weft_vector_reads(v->function) & (WEFT_READS_REQUANT | WEFT_READS_SUM)) != 0) {
        place_par(generator, v);
    }
    return vector;
}
