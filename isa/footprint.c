#include "isa/footprint.h"

#include "base/integer.h"
#include "isa/coding.h"
#include "isa/record.h"

static struct weft_access *add(struct weft_footprint *footprint, uint32_t memory, bool write,
                               int64_t base, int64_t span) {
    struct weft_access *access = &footprint->access[footprint->count++];
    /* Its levels are set one by one: to clear all that there may be would take as long as the rest.
     */
    access->memory = memory;
    access->region = 0;
    access->write = write;
    access->base = base;
    access->span = span;
    access->levels = 0;
    return access;
}

static void level(struct weft_access *access, int64_t count, int64_t stride) {
    access->count[access->levels] = count;
    access->stride[access->levels] = stride;
    access->levels++;
}

static uint32_t memory_of_target(uint32_t target) {
    switch (target) {
    case WEFT_TARGET_WGT:
        return WEFT_MEMORY_WGT;
    case WEFT_TARGET_PAR:
        return WEFT_MEMORY_PAR;
    case WEFT_TARGET_LUT:
        return WEFT_MEMORY_LUT;
    default:
        return WEFT_MEMORY_ACT;
    }
}

static void load(struct weft_footprint *footprint, const struct weft_config *config,
                 const struct weft_load_fields *f) {
    struct weft_access *external = add(footprint, WEFT_EXTERNAL, false, f->address, f->run);
    external->region = f->region;
    if (weft_load_is_coded(f)) {
        add(footprint, WEFT_MEMORY_WGT, true, f->local,
            (int64_t)f->units * weft_unit_weights(config));
        return;
    }
    struct weft_access *local = add(footprint, memory_of_target(f->memory), true, f->local, f->run);
    for (unsigned i = 0; i < 3; i++) {
        level(external, f->count[i], f->address_stride[i]);
        level(local, f->count[i], f->local_stride[i]);
    }
}

static void fill(struct weft_footprint *footprint, const struct weft_fill_fields *f) {
    struct weft_access *local = add(footprint, WEFT_MEMORY_ACT, true, f->local, f->run);
    for (unsigned i = 0; i < 3; i++) {
        level(local, f->count[i], f->local_stride[i]);
    }
}

static void store(struct weft_footprint *footprint, const struct weft_store_fields *f) {
    struct weft_access *external = add(footprint, WEFT_EXTERNAL, true, f->address, f->run);
    external->region = f->region;
    struct weft_access *local = add(footprint, WEFT_MEMORY_ACT, false, f->local, f->run);
    for (unsigned i = 0; i < 3; i++) {
        level(external, f->count[i], f->address_stride[i]);
        level(local, f->count[i], f->local_stride[i]);
    }
}

/* So many weight tiles are outside every memory; counting on could overflow. */
#define BEYOND_ANY_MEMORY (INT64_C(1) << 40)

static void matrix(struct weft_footprint *footprint, const struct weft_config *config,
                   const struct weft_matrix_fields *f) {
    int64_t block = config->block;
    struct weft_access *act = add(footprint, WEFT_MEMORY_ACT, false, f->act, block);
    struct weft_access *acc = add(footprint, WEFT_MEMORY_ACC, true, f->acc * block * 4, block * 4);
    int64_t tiles = 1;
    for (unsigned i = 0; i < 4; i++) {
        tiles = weft_min(tiles * f->tile_count[i], BEYOND_ANY_MEMORY);
        level(act, f->tile_count[i], f->tile_act_stride[i]);
        level(acc, f->tile_count[i], f->tile_acc_stride[i] * block * 4);
    }
    for (unsigned i = 0; i < 2; i++) {
        level(acc, f->pixel_count[i], f->pixel_acc_stride[i] * block * 4);
    }
    level(act, f->pixel_count[0], f->pixel_act_stride[0]);
    if (f->mode == WEFT_MODE_DENSE) {
        level(act, f->pixel_count[1], f->pixel_act_stride[1]);
        level(act, weft_max(f->window_rows, 1), f->window_row_stride);
    } else {
        int64_t columns = (int64_t)(f->pixel_count[1] - 1) * f->window_step + f->window_columns;
        level(act, weft_max(columns, 1), f->pixel_act_stride[1]);
        level(act, weft_max(f->window_rows, 1), f->window_row_stride);
    }
    struct weft_access *wgt =
        add(footprint, WEFT_MEMORY_WGT, false, f->wgt, weft_weight_tile_bytes(config, f));
    level(wgt, tiles, wgt->span);
}

unsigned weft_vector_reads(uint32_t function) {
    switch ((enum weft_function)function) {
    case WEFT_FUNCTION_REQUANT:
        return WEFT_READS_ACC | WEFT_READS_REQUANT;
    case WEFT_FUNCTION_ADD:
    case WEFT_FUNCTION_SUB:
    case WEFT_FUNCTION_SQUARED_DIFFERENCE:
        return WEFT_READS_A | WEFT_READS_B | WEFT_READS_SUM;
    case WEFT_FUNCTION_MUL:
    case WEFT_FUNCTION_MAX:
    case WEFT_FUNCTION_MIN:
        return WEFT_READS_A | WEFT_READS_B;
    case WEFT_FUNCTION_POOL:
        return WEFT_READS_A | WEFT_READS_WINDOW;
    case WEFT_FUNCTION_LUT:
    case WEFT_FUNCTION_SOFTMAX:
        return WEFT_READS_A | WEFT_READS_LUT;
    case WEFT_FUNCTION_COPY:
    case WEFT_FUNCTION_RESCALE:
        return WEFT_READS_A;
    case WEFT_FUNCTION_FILL:
        return 0;
    }
    return 0; /* no legal instruction */
}

static void vector(struct weft_footprint *footprint, const struct weft_config *config,
                   const struct weft_vector_fields *f) {
    int64_t block = config->block;
    unsigned reads = weft_vector_reads(f->function);
    struct weft_access *out = add(footprint, WEFT_MEMORY_ACT, true, f->out * block, block);
    for (unsigned i = 0; i < 3; i++) {
        level(out, f->count[i], f->out_stride[i] * block);
    }
    if ((reads & (WEFT_READS_ACC | WEFT_READS_A)) != 0) {
        bool is_acc = (reads & WEFT_READS_ACC) != 0;
        int64_t unit = is_acc ? block * 4 : block;
        struct weft_access *a =
            add(footprint, is_acc ? WEFT_MEMORY_ACC : WEFT_MEMORY_ACT, false, f->a * unit, unit);
        for (unsigned i = 0; i < 3; i++) {
            level(a, f->count[i], f->a_stride[i] * unit);
        }
        for (unsigned i = 0; i < 2 && (reads & WEFT_READS_WINDOW) != 0; i++) {
            level(a, f->window_count[i], f->window_stride[i] * block);
        }
    }
    if ((reads & WEFT_READS_B) != 0) {
        struct weft_access *b = add(footprint, WEFT_MEMORY_ACT, false, f->b * block, block);
        for (unsigned i = 0; i < 3; i++) {
            level(b, f->count[i], f->b_stride[i] * block);
        }
    }
    if ((reads & WEFT_READS_REQUANT) != 0) {
        int64_t record = weft_vector_record_lines(f) * block;
        add(footprint, WEFT_MEMORY_PAR, false, f->par * block, record * f->count[0]);
    }
    if ((reads & WEFT_READS_SUM) != 0) {
        add(footprint, WEFT_MEMORY_PAR, false, f->par * block,
            weft_sum_record_lines(config) * block);
    }
    if ((reads & WEFT_READS_LUT) != 0) {
        add(footprint, WEFT_MEMORY_LUT, false, 0, 256 * block);
    }
}

struct weft_footprint weft_footprint_of(const struct weft_config *config,
                                        const struct weft_instruction *instruction) {
    struct weft_footprint footprint;
    footprint.count = 0;
    switch (instruction->opcode) {
    case WEFT_OPCODE_LOAD:
        load(&footprint, config, &instruction->load);
        break;
    case WEFT_OPCODE_FILL:
        fill(&footprint, &instruction->fill);
        break;
    case WEFT_OPCODE_STORE:
        store(&footprint, &instruction->store);
        break;
    case WEFT_OPCODE_MATRIX:
        matrix(&footprint, config, &instruction->matrix);
        break;
    case WEFT_OPCODE_VECTOR:
        vector(&footprint, config, &instruction->vector);
        break;
    default:
        break;
    }
    return footprint;
}

void weft_access_extent(const struct weft_access *access, int64_t *low, int64_t *high) {
    *low = access->base;
    *high = access->base + access->span;
    for (unsigned i = 0; i < access->levels; i++) {
        int64_t reach = (access->count[i] - 1) * access->stride[i];
        *low += weft_min(reach, 0);
        *high += weft_max(reach, 0);
    }
}

/* More combinations than this and the banks are taken as one range. */
enum {
    FAR_COMBINATIONS = 4096
};

/* Does a level, of a bank's bytes or fewer in a step, never jump over a bank? */
static bool is_near(int64_t stride, int64_t bank) {
    return (uint64_t)(stride + bank) <= (uint64_t)(2 * bank);
}

static bool is_far(const struct weft_access *access, unsigned index, int64_t bank) {
    return access->count[index] > 1 && !is_near(access->stride[index], bank);
}

/* The banks of [low, high); a bank has a power of two of bytes. */
static uint32_t banks_between(int64_t bank, int64_t low, int64_t high) {
    int shift = __builtin_ctzll((uint64_t)bank);
    return (uint32_t)(weft_low_bits((unsigned)(((high - 1) >> shift) + 1)) &
                      ~weft_low_bits((unsigned)(low >> shift)));
}

/* Marks the banks of [low, high) moved by every combination of the far levels from `first` on. */
static uint32_t far_banks(const struct weft_access *access, int64_t bank, unsigned first,
                          int64_t low, int64_t high) {
    while (first < access->levels && !is_far(access, first, bank)) {
        first++;
    }
    if (first == access->levels) {
        return banks_between(bank, low, high);
    }
    uint32_t mask = 0;
    for (int64_t i = 0; i < access->count[first]; i++) {
        int64_t offset = i * access->stride[first];
        mask |= far_banks(access, bank, first + 1, low + offset, high + offset);
    }
    return mask;
}

uint32_t weft_access_banks(const struct weft_config *config, const struct weft_access *access) {
    int64_t bank = weft_bank_bytes(config, access->memory);
    int64_t combinations = 1;
    /* Steps of at most a bank never jump over one, so these levels only widen the range. */
    int64_t low = access->base;
    int64_t high = access->base + access->span;
    for (unsigned i = 0; i < access->levels; i++) {
        if (access->count[i] == 1) {
            continue;
        }
        if (is_near(access->stride[i], bank)) {
            int64_t reach = (access->count[i] - 1) * access->stride[i];
            low += weft_min(reach, 0);
            high += weft_max(reach, 0);
        } else {
            combinations *= combinations <= FAR_COMBINATIONS ? access->count[i] : 1;
        }
    }
    if (combinations == 1) {
        return banks_between(bank, low, high);
    }
    if (combinations > FAR_COMBINATIONS) {
        weft_access_extent(access, &low, &high);
        return banks_between(bank, low, high);
    }
    return far_banks(access, bank, 0, low, high);
}

void weft_footprint_banks(const struct weft_config *config, const struct weft_footprint *footprint,
                          uint32_t banks[WEFT_MEMORIES]) {
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        banks[i] = 0;
    }
    for (unsigned i = 0; i < footprint->count; i++) {
        const struct weft_access *access = &footprint->access[i];
        if (access->memory != WEFT_EXTERNAL) {
            banks[access->memory] |= weft_access_banks(config, access);
        }
    }
}

bool weft_footprint_inside(const struct weft_config *config, const struct weft_footprint *footprint,
                           const uint64_t limits[WEFT_REGIONS],
                           const struct weft_access **outside) {
    for (unsigned i = 0; i < footprint->count; i++) {
        const struct weft_access *access = &footprint->access[i];
        int64_t low = 0;
        int64_t high = 0;
        weft_access_extent(access, &low, &high);
        uint64_t size = access->memory == WEFT_EXTERNAL ? limits[access->region]
                                                        : weft_memory_bytes(config, access->memory);
        if (low < 0 || (uint64_t)high > size) {
            if (outside != NULL) {
                *outside = access;
            }
            return false;
        }
    }
    return true;
}

const char *weft_access_name(const struct weft_access *access) {
    return access->memory == WEFT_EXTERNAL ? "external" : weft_memory_names[access->memory];
}

/* How many steps an overlap test may take before it says yes without being sure. */
enum {
    OVERLAP_BUDGET = 1 << 20
};

/* An access, and by level how far its bytes lie from where that level and those inside it begin:
 * from low to before high. */
struct reach {
    struct weft_access access;
    int64_t low[WEFT_ACCESS_LEVELS + 1], high[WEFT_ACCESS_LEVELS + 1];
};

static struct reach reach_of(const struct weft_access *access) {
    struct reach reach = {.access = *access};
    reach.high[access->levels] = access->span;
    for (unsigned i = access->levels; i-- > 0;) {
        int64_t last = (access->count[i] - 1) * access->stride[i];
        reach.low[i] = reach.low[i + 1] + weft_min(last, 0);
        reach.high[i] = reach.high[i + 1] + weft_max(last, 0);
    }
    return reach;
}

/* The steps [begin, end] of a level that can reach [low, high) with the levels inside it, those
 * outside it fixed in `base`. */
static void reaching_steps(const struct reach *reach, unsigned level, int64_t base, int64_t low,
                           int64_t high, int64_t *begin, int64_t *end) {
    int64_t from = base + reach->low[level + 1];
    int64_t to = base + reach->high[level + 1];
    int64_t stride = reach->access.stride[level];
    *begin = 0;
    *end = stride == 0 ? 0 : reach->access.count[level] - 1;
    if (stride != 0) {
        /* from + i * stride < high and to + i * stride > low */
        int64_t size = stride > 0 ? stride : -stride;
        int64_t at_most = stride > 0 ? high - 1 - from : to - 1 - low;
        int64_t at_least = stride > 0 ? low + 1 - to : from - high + 1;
        *begin = weft_max(*begin, -weft_floor_div(-at_least, size));
        *end = weft_min(*end, weft_floor_div(at_most, size));
    }
}

/* Does a run with the levels from `first` on and the others fixed in `base` meet [low, high)? */
static bool meets(const struct reach *reach, unsigned first, int64_t base, int64_t low,
                  int64_t high, int64_t *budget) {
    if (first == reach->access.levels) {
        return base < high && base + reach->access.span > low;
    }
    int64_t begin = 0;
    int64_t end = 0;
    reaching_steps(reach, first, base, low, high, &begin, &end);
    for (int64_t i = begin; i <= end; i++) {
        int64_t at = base + i * reach->access.stride[first];
        if (--*budget < 0 || meets(reach, first + 1, at, low, high, budget)) {
            return true;
        }
    }
    return false;
}

/* Visits every run of `a` from level `first` on, at `base`, that comes near `b`. */
static bool any_run_meets(const struct reach *a, unsigned first, int64_t base,
                          const struct reach *b, int64_t *budget) {
    const struct weft_access *access = &a->access;
    if (first == access->levels) {
        return meets(b, 0, b->access.base, base, base + access->span, budget);
    }
    int64_t begin = 0;
    int64_t end = 0;
    reaching_steps(a, first, base, b->access.base + b->low[0], b->access.base + b->high[0], &begin,
                   &end);
    for (int64_t i = begin; i <= end; i++) {
        int64_t at = base + i * access->stride[first];
        if (--*budget < 0 || any_run_meets(a, first + 1, at, b, budget)) {
            return true;
        }
    }
    return false;
}

/* The same bytes with as few levels as possible: runs side by side become one. */
static struct weft_access packed(const struct weft_access *access) {
    struct weft_access result = {.base = access->base, .span = access->span};
    int64_t count[WEFT_ACCESS_LEVELS];
    int64_t stride[WEFT_ACCESS_LEVELS];
    unsigned first = WEFT_ACCESS_LEVELS; /* of those that are kept, which end at the innermost */
    for (unsigned i = access->levels; i-- > 0;) {
        bool innermost = first == WEFT_ACCESS_LEVELS;
        if (access->count[i] == 1 || access->stride[i] == 0) {
            continue;
        }
        if (access->stride[i] != (innermost ? result.span : count[first] * stride[first])) {
            count[--first] = access->count[i];
            stride[first] = access->stride[i];
        } else if (innermost) {
            result.span *= access->count[i];
        } else {
            count[first] *= access->count[i];
        }
    }
    result.levels = WEFT_ACCESS_LEVELS - first;
    for (unsigned i = 0; i < result.levels; i++) {
        result.count[i] = count[first + i];
        result.stride[i] = stride[first + i];
    }
    return result;
}

static int64_t runs_of(const struct weft_access *access) {
    int64_t runs = 1;
    for (unsigned i = 0; i < access->levels && runs < INT64_C(1) << 40; i++) {
        runs *= access->count[i];
    }
    return runs;
}

/* The largest number that all strides of an access, and `of`, are multiples of; 0: all are 0. */
static int64_t common_stride(const struct weft_access *access, int64_t of) {
    for (unsigned i = 0; i < access->levels; i++) {
        int64_t rest = access->stride[i] < 0 ? -access->stride[i] : access->stride[i];
        while (rest != 0) {
            int64_t next = of % rest;
            of = rest;
            rest = next;
        }
    }
    return of;
}

/* Are the bytes of the two apart in every stretch as long as the stride that all of theirs are
 * multiples of? So are the channels of operands that are stored side by side. */
static bool are_side_by_side(const struct weft_access *a, const struct weft_access *b) {
    int64_t stride = common_stride(a, common_stride(b, 0));
    int64_t distance = b->base - a->base;
    if (stride == 0) {
        return false;
    }
    distance -= weft_floor_div(distance, stride) * stride;
    return distance >= a->span && distance + b->span <= stride;
}

bool weft_access_overlap(const struct weft_access *a, const struct weft_access *b,
                         uint64_t *steps) {
    int64_t a_low = 0;
    int64_t a_high = 0;
    int64_t b_low = 0;
    int64_t b_high = 0;
    weft_access_extent(a, &a_low, &a_high);
    weft_access_extent(b, &b_low, &b_high);
    if (a_high <= b_low || b_high <= a_low) {
        return false;
    }
    int64_t budget = OVERLAP_BUDGET;
    const struct weft_access x = packed(a);
    const struct weft_access y = packed(b);
    if (are_side_by_side(&x, &y)) {
        return false;
    }
    const bool swap = runs_of(&x) > runs_of(&y);
    const struct reach few = reach_of(swap ? &y : &x);
    const struct reach many = reach_of(swap ? &x : &y);
    bool met = any_run_meets(&few, 0, few.access.base, &many, &budget);
    if (steps != NULL) {
        *steps += (uint64_t)(OVERLAP_BUDGET - budget);
    }
    return met;
}
