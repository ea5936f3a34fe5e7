/* LOAD, STORE and FILL: runs of bytes along three levels. */
#include "base/integer.h"
#include "isa/coding.h"
#include "tests/cosim/generator.h"
#include "tests/unit/helpers.h"

enum {
    MOST_RUNS = 65535,
    STRIDE_BITS = 24,
    ADDRESS_STRIDE_BITS = 32,
};

struct runs {
    uint32_t run;
    uint32_t count[3];
};

/* Lengths at which lines, beats and bursts begin to count. */
static uint32_t random_run(struct generator *generator, int64_t most) {
    uint64_t *seed = &generator->seed;
    const struct weft_config *config = generator->config;
    uint32_t corners[] = {1,
                          2,
                          config->memory_width - 1,
                          config->memory_width,
                          config->memory_width + 1,
                          config->block - 1,
                          config->block,
                          config->block + 1,
                          2 * config->block,
                          config->memory_burst - 1,
                          config->memory_burst,
                          config->memory_burst + 1,
                          3 * config->memory_burst};
    int64_t run = random_chance(seed, 40) ? PICK(seed, corners) : random_size(seed, most);
    return (uint32_t)weft_min(run, most);
}

/* The most runs that the fields can say, or the longest that the memory can hold. */
static struct runs extreme_runs(uint64_t *seed, int64_t most) {
    struct runs runs = {1, {1, 1, 1}};
    if (random_chance(seed, 40)) {
        runs.run = random_chance(seed, 50) ? extreme_size(seed, most)
                                           : (uint32_t)random_between(seed, 1, most);
    } else {
        uint32_t count = extreme_size(seed, MOST_RUNS);
        runs.count[random_between(seed, 0, 2)] = count;
    }
    return runs;
}

/* Runs that take about `budget` cycles at `width` bytes a cycle, none longer than `most`. */
static struct runs random_runs(struct generator *generator, uint32_t budget, uint32_t width,
                               int64_t most) {
    uint64_t *seed = &generator->seed;
    int64_t bytes = (int64_t)budget * width;
    if (generator->extreme) {
        return extreme_runs(seed, most);
    }
    struct runs runs = {.run = random_run(generator, weft_min(weft_max(bytes, 1), most))};
    int64_t steps = 1;
    if (random_chance(seed, 60)) {
        steps = random_size(seed, weft_clamp(bytes / runs.run, 1, budget));
    }
    /* Now and then so many short runs that bursts, not beats, are what is limited. */
    if (budget > 64 && random_chance(seed, 3)) {
        runs.run = (uint32_t)weft_min(random_between(seed, 1, 9), most);
        steps = random_between(seed, 100, 1000);
    }
    choose_counts(seed, (uint64_t)steps, 3, runs.count);
    return runs;
}

static struct walk walk_of(const struct runs *runs) {
    struct walk walk = {.levels = 3, .span = runs->run};
    for (unsigned i = 0; i < 3; i++) {
        walk.count[i] = runs->count[i];
    }
    return walk;
}

static void copy_strides(const struct walk *walk, int32_t stride[3]) {
    for (unsigned i = 0; i < 3; i++) {
        stride[i] = (int32_t)walk->stride[i];
    }
}

/* The on-chip side; returns the address. */
static uint32_t random_local(struct generator *generator, enum weft_unit unit,
                             enum weft_memory memory, const struct runs *runs, int32_t stride[3]) {
    uint64_t *seed = &generator->seed;
    struct walk walk = walk_of(runs);
    int64_t size = weft_memory_bytes(generator->config, memory);
    int64_t room = weft_max(choose_room(generator, memory), runs->run);
    /* Whole lines are what compilers make; any byte is what the machine can. */
    int64_t grain = random_chance(seed, 40) ? generator->config->block : 1;
    choose_strides(seed, &walk, weft_min(room, size), grain, STRIDE_BITS);
    int64_t base = choose_base(generator, unit, memory, &walk, grain);
    if (base < 0) {
        base = choose_base(generator, unit, memory, &walk, 1);
    }
    copy_strides(&walk, stride);
    return (uint32_t)base;
}

/* ---- external memory ---- */

static uint32_t random_region(struct generator *generator, bool store, int64_t run) {
    uint64_t *seed = &generator->seed;
    for (;;) {
        uint32_t region = (uint32_t)random_between(seed, store ? 1 : 0, WEFT_REGIONS - 1);
        const struct weft_regions *regions = &generator->plan.regions;
        if ((int64_t)regions->limit[region] >= run &&
            (!store || weft_region_is_writable(regions, region))) {
            return region;
        }
    }
}

static uint32_t random_address(struct generator *generator, uint32_t region,
                               const struct runs *runs, int32_t stride[3]) {
    uint64_t *seed = &generator->seed;
    struct walk walk = walk_of(runs);
    int64_t size = (int64_t)generator->plan.regions.limit[region];
    int64_t room = random_chance(seed, 10) ? size : random_size(seed, size);
    int64_t grain = random_chance(seed, 30) ? generator->config->memory_width : 1;
    choose_strides(seed, &walk, weft_clamp(room, runs->run, size), grain, ADDRESS_STRIDE_BITS);
    copy_strides(&walk, stride);
    int64_t first = -walk.low;
    int64_t last = size - walk.high;
    switch (random_between(seed, 0, 9)) {
    case 0:
        return (uint32_t)first;
    case 1:
        return (uint32_t)last;
    case 2:
    case 3:
        return (uint32_t)weft_clamp(last / grain * grain, first, last);
    default:
        return (uint32_t)weft_clamp(random_between(seed, first, last) / grain * grain, first, last);
    }
}

/* The longest run that a region can hold, for STORE one that can be written. */
static int64_t longest(const struct generator *generator, bool store) {
    const struct weft_regions *regions = &generator->plan.regions;
    uint64_t most = 0;
    for (unsigned i = 1; i < WEFT_REGIONS; i++) {
        if (!store || weft_region_is_writable(regions, i)) {
            most = weft_max_u64(most, regions->limit[i]);
        }
    }
    return (int64_t)most;
}

/* Units of coded weights. Every byte is a legal header, so that random memory is a stream; the run
 * is mostly long enough for them, and now and then ends before or behind them. */
static struct weft_instruction random_coded(struct generator *generator, uint32_t budget) {
    uint64_t *seed = &generator->seed;
    const struct weft_config *config = generator->config;
    uint32_t width = config->memory_width;
    struct weft_instruction load = weft_instruction_new(WEFT_OPCODE_LOAD);
    struct weft_load_fields *f = &load.load;
    int64_t unit = weft_unit_weights(config);
    int64_t most = weft_min(weft_max(choose_room(generator, WEFT_MEMORY_WGT), unit) / unit, 65535);
    f->memory = WEFT_TARGET_WGT;
    /* Many units of which the run has few take no longer. */
    bool many = random_chance(seed, 10);
    f->units = many ? (uint32_t)(random_chance(seed, 50) ? most : random_between(seed, 1, most))
                    : random_size(seed, weft_min(most, weft_max(budget / 4, 1)));
    struct walk walk = {.span = f->units * unit};
    walk_measure(&walk);
    f->local = (uint32_t)choose_base(generator, WEFT_UNIT_LOAD, WEFT_MEMORY_WGT, &walk,
                                     2 * (int64_t)config->block);
    int64_t longest_run = weft_min(longest(generator, false), config->act_bytes);
    int64_t run = (int64_t)f->units * width * random_between(seed, 4, 9) + 2 * width;
    longest_run = weft_min(longest_run, many ? weft_max(budget, 1) * width : longest_run);
    run = random_chance(seed, 20) ? random_run(generator, longest_run) : run;
    f->run = (uint32_t)weft_min(run, longest_run);
    f->base = random_chance(seed, 50) ? 0 : random_byte(seed);
    f->region = random_region(generator, false, f->run);
    const struct runs runs = {f->run, {1, 1, 1}};
    int32_t stride[3];
    f->address = random_address(generator, f->region, &runs, stride);
    return load;
}

struct weft_instruction random_load(struct generator *generator, uint32_t budget) {
    if (generator->config->compression != 0 && !generator->extreme &&
        random_chance(&generator->seed, 20)) {
        return random_coded(generator, budget);
    }
    static const enum weft_target targets[] = {WEFT_TARGET_ACT, WEFT_TARGET_ACT, WEFT_TARGET_ACT,
                                               WEFT_TARGET_ACT, WEFT_TARGET_WGT, WEFT_TARGET_WGT,
                                               WEFT_TARGET_PAR, WEFT_TARGET_LUT};
    static const enum weft_memory memories[] = {WEFT_MEMORY_ACT, WEFT_MEMORY_WGT, WEFT_MEMORY_PAR,
                                                WEFT_MEMORY_LUT};
    struct weft_instruction load = weft_instruction_new(WEFT_OPCODE_LOAD);
    struct weft_load_fields *f = &load.load;
    bool act = generator->extreme && random_chance(&generator->seed, 60); /* the largest */
    do {
        f->memory = act ? WEFT_TARGET_ACT : PICK(&generator->seed, targets);
    } while (weft_config_lacks(generator->config, &load) != NULL);
    enum weft_memory memory = memories[f->memory];
    int64_t most =
        weft_min(weft_memory_bytes(generator->config, memory), longest(generator, false));
    struct runs runs = random_runs(generator, budget, generator->config->memory_width, most);
    f->run = runs.run;
    for (unsigned i = 0; i < 3; i++) {
        f->count[i] = runs.count[i];
    }
    f->local = random_local(generator, WEFT_UNIT_LOAD, memory, &runs, f->local_stride);
    f->region = random_region(generator, false, runs.run);
    f->address = random_address(generator, f->region, &runs, f->address_stride);
    return load;
}

struct weft_instruction random_store(struct generator *generator, uint32_t budget) {
    struct weft_instruction store = weft_instruction_new(WEFT_OPCODE_STORE);
    struct weft_store_fields *f = &store.store;
    int64_t most = weft_min(generator->config->act_bytes, longest(generator, true));
    struct runs runs = random_runs(generator, budget, generator->config->memory_width, most);
    f->run = runs.run;
    for (unsigned i = 0; i < 3; i++) {
        f->count[i] = runs.count[i];
    }
    f->local = random_local(generator, WEFT_UNIT_STORE, WEFT_MEMORY_ACT, &runs, f->local_stride);
    f->region = random_region(generator, true, runs.run);
    f->address = random_address(generator, f->region, &runs, f->address_stride);
    return store;
}

struct weft_instruction random_fill(struct generator *generator, uint32_t budget) {
    struct weft_instruction fill = weft_instruction_new(WEFT_OPCODE_FILL);
    struct weft_fill_fields *f = &fill.fill;
    struct runs runs =
        random_runs(generator, budget, generator->config->block, generator->config->act_bytes);
    f->value = random_byte(&generator->seed);
    f->run = runs.run;
    for (unsigned i = 0; i < 3; i++) {
        f->count[i] = runs.count[i];
    }
    f->local = random_local(generator, WEFT_UNIT_LOAD, WEFT_MEMORY_ACT, &runs, f->local_stride);
    return fill;
}
