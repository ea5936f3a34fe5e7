/* driver/device.h: the machine behind its registers, on a memory that keeps a record. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/integer.h"
#include "driver/bare.h"
#include "driver/device.h"
#include "tests/unit/fake_rtl.h"
#include "tests/unit/good_program.h"

static const char *const device_targets[] = {"cycle", "rtl"};

enum {
    MEMORY_BASE = 0x40000000,
    MEMORY_BYTES = 1 << 20,
    PLACE = 1 << 16, /* bytes of memory for each region */
    START_TIME = 1000,
};

/* A system: memory of 1 MB, a device, the regions of a program at multiples of PLACE. */
struct bench {
    struct weft_config config;
    struct weft_program program;
    struct weft_regions regions;
    struct weft_device_settings settings;
    struct weft_device *device;
    uint8_t *memory;
    uint8_t *written; /* for each byte, how often */
    uint64_t refused; /* address at which the bus answers with an error; 0: none */
    uint64_t reads;
    uint64_t now; /* of the next run that faults */
    struct weft_error error;
};

static bool covers(const struct bench *bench, uint64_t address, size_t length) {
    return address >= MEMORY_BASE && address - MEMORY_BASE <= MEMORY_BYTES &&
           length <= MEMORY_BYTES - (address - MEMORY_BASE) &&
           (bench->refused < address || bench->refused - address >= length);
}

static bool read_memory(void *context, uint64_t address, void *bytes, size_t length) {
    struct bench *bench = context;
    assert_true(length > 0);
    bench->reads++;
    if (!covers(bench, address, length)) {
        return false;
    }
    memcpy(bytes, bench->memory + (address - MEMORY_BASE), length);
    return true;
}

static bool write_memory(void *context, uint64_t address, const void *bytes, size_t length) {
    struct bench *bench = context;
    assert_true(length > 0);
    if (!covers(bench, address, length)) {
        return false;
    }
    memcpy(bench->memory + (address - MEMORY_BASE), bytes, length);
    for (size_t i = 0; i < length; i++) {
        bench->written[address - MEMORY_BASE + i]++;
    }
    return true;
}

static struct bench *bench_new(void) {
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    bench->config = shipped_config_of("ref16");
    bench->now = START_TIME;
    bench->settings = weft_device_defaults();
    bench->regions.writable = 1U << WEFT_REGION_SCRATCH | 1U << WEFT_REGION_OUTPUTS;
    bench->memory = calloc(MEMORY_BYTES, 1);
    bench->written = calloc(MEMORY_BYTES, 1);
    assert_true(bench->memory != NULL && bench->written != NULL);
    fake_plan = (struct fake_plan){0};
    assert_int_equal(setenv("WEFT_RTL_PATH", WEFT_FAKE_FOLDER, 1), 0);
    return bench;
}

static struct bench *bench_of(const char *source) {
    struct bench *bench = bench_new();
    ASSERT_GOOD(weft_assemble(source, strlen(source), &bench->program, &bench->error),
                bench->error);
    return bench;
}

static struct bench *good_bench(const char *config) {
    struct bench *bench = bench_new();
    bench->config = shipped_config_of(config);
    const struct good good = good_program(&bench->config);
    for (size_t i = 0; i < GOOD_COUNT; i++) {
        ASSERT_GOOD(weft_program_add(&bench->program, &good.program[i], &bench->error),
                    bench->error);
    }
    bench->regions = good.regions;
    return bench;
}

static void bench_free(struct bench *bench) {
    weft_device_close(bench->device);
    weft_program_free(&bench->program);
    free(bench->memory);
    free(bench->written);
    free(bench);
}

static void open_device(struct bench *bench, const char *target) {
    const struct weft_device_bus bus = {bench, read_memory, write_memory};
    weft_device_close(bench->device);
    bench->device = NULL;
    ASSERT_GOOD(weft_device_open(target, &bench->config, &bus, &bench->settings, &bench->device,
                                 &bench->error),
                bench->error);
}

static uint8_t *place(struct bench *bench, unsigned region) {
    return bench->memory + (size_t)region * PLACE;
}

/* ---- registers ---- */

static void put(struct bench *bench, uint32_t offset, uint32_t value, uint64_t now) {
    ASSERT_GOOD(weft_device_write32(bench->device, offset, value, now, &bench->error),
                bench->error);
}

static uint64_t get64(struct bench *bench, uint32_t offset, uint64_t now) {
    uint32_t low = weft_device_read32(bench->device, offset, now);
    return low | (uint64_t)weft_device_read32(bench->device, offset + 4, now) << 32;
}

static void put64(struct bench *bench, uint32_t offset, uint64_t value, uint64_t now) {
    put(bench, offset, (uint32_t)value, now);
    put(bench, offset + 4, (uint32_t)(value >> 32), now);
}

static uint64_t counter(struct bench *bench, unsigned index, uint64_t now) {
    return get64(bench, WEFT_REGISTER_counter + 8 * index, now);
}

static void set_regions(struct bench *bench, uint64_t now) {
    put(bench, WEFT_REGISTER_region_writable, bench->regions.writable, now);
    for (uint32_t i = 0; i < WEFT_REGIONS; i++) {
        put64(bench, WEFT_REGISTER_region_base + 8 * i, MEMORY_BASE + (uint64_t)i * PLACE, now);
        put64(bench, WEFT_REGISTER_region_limit + 8 * i, bench->regions.limit[i], now);
    }
}

/* The program into memory, and the registers. */
static void set_up(struct bench *bench, const char *target, uint64_t now) {
    uint8_t *bytes = NULL;
    ASSERT_GOOD(weft_program_encode(&bench->program, &bytes, &bench->error), bench->error);
    memcpy(place(bench, WEFT_REGION_PROGRAM), bytes, bench->program.count * WEFT_INSTRUCTION_BYTES);
    free(bytes);
    bench->regions.limit[WEFT_REGION_PROGRAM] = bench->program.count * WEFT_INSTRUCTION_BYTES;
    open_device(bench, target);
    set_regions(bench, now);
    put(bench, WEFT_REGISTER_interrupt, WEFT_INTERRUPT_ENABLED, now);
}

static void start(struct bench *bench, uint64_t now) {
    put(bench, WEFT_REGISTER_start, WEFT_START_RUN, now);
}

static void assert_not_started(struct bench *bench, enum weft_error_code code, const char *part) {
    uint64_t now = START_TIME;
    ASSERT_FAILS(
        weft_device_write32(bench->device, WEFT_REGISTER_start, WEFT_START_RUN, now, &bench->error),
        bench->error, code);
    assert_mentions(bench->error.message, part);
    assert_int_equal(get64(bench, WEFT_REGISTER_status, now), 0);
    assert_int_equal(weft_device_next_event(bench->device), UINT64_MAX);
    assert_false(weft_device_interrupt(bench->device, now));
}

/* ---- programs ---- */

/* 32 bytes of the inputs to ACT 0 and, over ACT 64, to the outputs. */
static const char copy[] =
    "load act_banks=0 memory=act region=3 run=32 signal=vector\n"
    "vector wait=load signal=store act_banks=0 function=copy out=4 low=-128 high=127\n"
    "store wait=vector act_banks=0 region=4 local=64 run=16\n"
    "halt\n";
enum {
    COPY_INPUTS = 32,
    COPY_OUTPUTS = 16,
};

static struct bench *copy_bench(void) {
    struct bench *bench = bench_of(copy);
    uint64_t seed = 3;
    bench->regions.limit[WEFT_REGION_INPUTS] = COPY_INPUTS;
    bench->regions.limit[WEFT_REGION_OUTPUTS] = COPY_OUTPUTS;
    random_bytes(&seed, place(bench, WEFT_REGION_INPUTS), COPY_INPUTS);
    return bench;
}

/* What driver/bare.h makes of the same program and the same bytes: the oracle. */
static struct weft_run_result bare_run(struct bench *bench, uint8_t *regions[WEFT_REGIONS]) {
    struct weft_bare_setup setup = {.config = &bench->config, .program = &bench->program};
    struct weft_session_options options = weft_session_defaults();
    struct weft_bare *bare = NULL;
    options.memory.latency = bench->settings.memory.latency;
    memcpy(setup.region_bytes, bench->regions.limit, sizeof setup.region_bytes);
    ASSERT_GOOD(weft_bare_open("cycle", &setup, &options, &bare, &bench->error), bench->error);
    for (unsigned i = WEFT_REGION_CONSTANTS; i < WEFT_REGIONS; i++) {
        if (bench->regions.limit[i] > 0) {
            memcpy(weft_bare_region(bare, (enum weft_region)i), place(bench, i),
                   bench->regions.limit[i]);
        }
    }
    ASSERT_GOOD(weft_bare_run(bare, &bench->error), bench->error);
    for (unsigned i = WEFT_REGION_CONSTANTS; i < WEFT_REGIONS; i++) {
        regions[i] = calloc(bench->regions.limit[i] + 1, 1);
        assert_non_null(regions[i]);
        if (bench->regions.limit[i] > 0) {
            memcpy(regions[i], weft_bare_region(bare, (enum weft_region)i),
                   bench->regions.limit[i]);
        }
    }
    const struct weft_run_result result = weft_bare_result(bare)->result;
    weft_bare_close(bare);
    return result;
}

static void assert_result(struct bench *bench, const struct weft_run_result *expected,
                          uint64_t now) {
    assert_int_equal(get64(bench, WEFT_REGISTER_status, now),
                     WEFT_STATUS_ENDED | (uint64_t)expected->fault << WEFT_STATUS_FAULT_SHIFT |
                         (uint64_t)expected->fault_instruction << 32);
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        assert_int_equal(counter(bench, i, now), weft_counter_get(&expected->counters, i));
    }
}

/* ---- what the registers hold ---- */

static void registers_are_those_of_the_map(void **state) {
    (void)state;
    struct bench *bench = bench_new();
    open_device(bench, "cycle");
    assert_int_equal(get64(bench, WEFT_REGISTER_identity, 0),
                     WEFT_REGISTER_MAGIC | (uint64_t)WEFT_REGISTER_MAP_VERSION << 32);
    char name[5] = {0};
    weft_write_u32((uint8_t *)name, weft_device_read32(bench->device, 0, 0));
    assert_string_equal(name, "WEFT");
    assert_int_equal(get64(bench, WEFT_REGISTER_configuration, 0),
                     weft_config_fingerprint(&bench->config));
    for (uint32_t offset = WEFT_REGISTER_start; offset < WEFT_REGISTER_BYTES; offset += 4) {
        assert_int_equal(weft_device_read32(bench->device, offset, 0), 0);
    }
    bench_free(bench);
}

static void halves_are_written_alone(void **state) {
    (void)state;
    struct bench *bench = bench_new();
    open_device(bench, "cycle");
    for (uint32_t offset = 0; offset < WEFT_REGISTER_BYTES; offset += 4) {
        if (offset != WEFT_REGISTER_start && offset != WEFT_REGISTER_abort) {
            put(bench, offset, 0x12345678 + offset, 0);
        }
    }
    put(bench, WEFT_REGISTER_start + 4, 1, 0); /* neither starts nor aborts */
    put(bench, WEFT_REGISTER_abort + 4, 1, 0);
    put(bench, WEFT_REGISTER_region_base + 1, 7, 0); /* no address of a half */
    assert_int_equal(weft_device_read32(bench->device, WEFT_REGISTER_identity + 1, 0), 0);
    assert_int_equal(get64(bench, WEFT_REGISTER_status, 0), 0);
    assert_int_equal(get64(bench, WEFT_REGISTER_watchdog, 0), UINT64_C(0x123456a4123456a0));
    assert_int_equal(get64(bench, WEFT_REGISTER_region_writable, 0), 0xb0);
    for (uint32_t i = 0; i < WEFT_REGIONS; i++) {
        const uint32_t base = WEFT_REGISTER_region_base + 8 * i;
        const uint32_t limit = WEFT_REGISTER_region_limit + 8 * i;
        assert_int_equal(weft_device_read32(bench->device, base, 0),
                         (0x12345678 + base) & ~UINT32_C(1023));
        assert_int_equal(weft_device_read32(bench->device, base + 4, 0), 0x12345678 + base + 4);
        assert_int_equal(get64(bench, limit, 0),
                         (0x12345678 + limit) | (uint64_t)(0x12345678 + limit + 4) << 32);
    }
    assert_int_equal(get64(bench, WEFT_REGISTER_interrupt, 0), 0); /* 0x...98: bit 1 is 0 */
    assert_int_equal(counter(bench, 0, 0), 0);
    bench_free(bench);
}

/* ---- a run ---- */

static void nothing_is_seen_before_the_end(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH(device_targets); i++) {
        struct bench *bench = copy_bench();
        uint8_t *regions[WEFT_REGIONS] = {NULL};
        const struct weft_run_result expected = bare_run(bench, regions);
        set_up(bench, device_targets[i], START_TIME);
        assert_int_equal(weft_device_next_event(bench->device), UINT64_MAX);
        start(bench, START_TIME);
        const uint64_t end = weft_device_next_event(bench->device);
        assert_int_equal(end, START_TIME + expected.counters.cycles);
        static const uint8_t zeros[COPY_OUTPUTS] = {0};
        for (uint64_t now = START_TIME; now < end; now++) {
            assert_int_equal(get64(bench, WEFT_REGISTER_status, now), WEFT_STATUS_RUNNING);
            assert_int_equal(counter(bench, WEFT_COUNTER_INDEX_cycles, now), now - START_TIME);
            assert_int_equal(counter(bench, WEFT_COUNTER_INDEX_instructions, now), 0);
            assert_false(weft_device_interrupt(bench->device, now));
            assert_memory_equal(place(bench, WEFT_REGION_OUTPUTS), zeros, COPY_OUTPUTS);
        }
        assert_true(weft_device_interrupt(bench->device, end));
        assert_memory_equal(place(bench, WEFT_REGION_OUTPUTS), place(bench, WEFT_REGION_INPUTS),
                            COPY_OUTPUTS);
        assert_result(bench, &expected, end);
        assert_int_equal(weft_device_next_event(bench->device), UINT64_MAX);
        assert_int_equal(get64(bench, WEFT_REGISTER_interrupt, end), 3);
        put(bench, WEFT_REGISTER_interrupt, WEFT_INTERRUPT_PENDING, end);
        assert_int_equal(get64(bench, WEFT_REGISTER_interrupt, end), 0);
        for (unsigned k = 0; k < WEFT_REGIONS; k++) {
            free(regions[k]);
        }
        bench_free(bench);
    }
}

static void every_opcode_gives_the_bytes_and_counters_of_a_bare_run(void **state) {
    (void)state;
    for (unsigned i = 0; i < SHIPPED_CONFIGS; i++) {
        struct bench *bench = good_bench(shipped_configs[i]);
        uint8_t *regions[WEFT_REGIONS] = {NULL};
        uint64_t seed = 11;
        random_bytes(&seed, bench->memory, MEMORY_BYTES);
        bench->settings.memory.latency = 37;
        const struct weft_run_result expected = bare_run(bench, regions);
        set_up(bench, "cycle", 0);
        uint8_t *before = malloc(MEMORY_BYTES);
        assert_non_null(before);
        memcpy(before, bench->memory, MEMORY_BYTES);
        start(bench, 5);
        const uint64_t end = weft_device_next_event(bench->device);
        assert_int_equal(end, 5 + expected.counters.cycles);
        assert_result(bench, &expected, end);
        for (unsigned k = WEFT_REGION_CONSTANTS; k < WEFT_REGIONS; k++) {
            assert_memory_equal(place(bench, k), regions[k], bench->regions.limit[k]);
            free(regions[k]);
        }
        for (size_t k = 0; k < MEMORY_BYTES; k++) { /* what is the same is not touched */
            assert_int_equal(bench->written[k], bench->memory[k] != before[k]);
        }
        free(before);
        bench_free(bench);
    }
}

static void runs_follow_each_other(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH(device_targets); i++) {
        struct bench *bench = copy_bench();
        uint64_t seed = 77;
        uint64_t now = START_TIME;
        set_up(bench, device_targets[i], now);
        uint64_t cycles = 0;
        for (unsigned run = 0; run < 100; run++) {
            random_bytes(&seed, place(bench, WEFT_REGION_INPUTS), COPY_INPUTS);
            start(bench, now);
            uint64_t end = weft_device_next_event(bench->device);
            assert_true(run == 0 || end - now == cycles);
            cycles = end - now;
            now = end + run;
            assert_true(weft_device_interrupt(bench->device, now));
            put(bench, WEFT_REGISTER_interrupt, 3, now);
            assert_false(weft_device_interrupt(bench->device, now));
            assert_memory_equal(place(bench, WEFT_REGION_OUTPUTS), place(bench, WEFT_REGION_INPUTS),
                                COPY_OUTPUTS);
        }
        bench_free(bench);
    }
}

/* More programs than are kept. */
static void the_program_of_a_run_is_the_one_in_memory(void **state) {
    (void)state;
    struct bench *bench = copy_bench();
    set_up(bench, "cycle", 0);
    uint64_t now = 0;
    for (uint32_t run = 0; run < 100; run++) {
        uint32_t bytes = 1 + run * 7 % 40 % COPY_OUTPUTS;
        bench->program.instructions[2].store.run = bytes;
        ASSERT_GOOD(weft_encode(&bench->program.instructions[2],
                                place(bench, WEFT_REGION_PROGRAM) + 2 * WEFT_INSTRUCTION_BYTES,
                                &bench->error),
                    bench->error);
        memset(place(bench, WEFT_REGION_OUTPUTS), 0x55, COPY_OUTPUTS);
        start(bench, now);
        now = weft_device_next_event(bench->device);
        assert_true(weft_device_interrupt(bench->device, now));
        assert_memory_equal(place(bench, WEFT_REGION_OUTPUTS), place(bench, WEFT_REGION_INPUTS),
                            bytes);
        for (uint32_t i = bytes; i < COPY_OUTPUTS; i++) {
            assert_int_equal(place(bench, WEFT_REGION_OUTPUTS)[i], 0x55);
        }
    }
    bench_free(bench);
}

static void what_follows_halt_does_not_matter(void **state) {
    (void)state;
    struct bench *bench = copy_bench();
    set_up(bench, "cycle", 0);
    memset(place(bench, WEFT_REGION_PROGRAM) + bench->regions.limit[0], 0xff, 1000);
    bench->regions.limit[0] += 999;
    set_regions(bench, 0);
    start(bench, 0);
    const uint64_t end = weft_device_next_event(bench->device);
    assert_int_equal(get64(bench, WEFT_REGISTER_status, end), WEFT_STATUS_ENDED);
    assert_memory_equal(place(bench, WEFT_REGION_OUTPUTS), place(bench, WEFT_REGION_INPUTS),
                        COPY_OUTPUTS);
    bench_free(bench);
}

/* Regions may be larger than memory where the program does not reach. */
static void what_is_not_reached_is_not_read(void **state) {
    (void)state;
    struct bench *bench = copy_bench();
    set_up(bench, "cycle", 0);
    for (unsigned i = WEFT_REGION_CONSTANTS; i < WEFT_REGIONS; i++) {
        bench->regions.limit[i] = UINT64_MAX;
    }
    set_regions(bench, 0);
    bench->reads = 0;
    start(bench, 0);
    assert_int_equal(bench->reads, 3); /* program, inputs, outputs */
    const uint64_t end = weft_device_next_event(bench->device);
    assert_int_equal(get64(bench, WEFT_REGISTER_status, end), WEFT_STATUS_ENDED);
    bench_free(bench);
}

static void time_does_not_go_back(void **state) {
    (void)state;
    struct bench *bench = copy_bench();
    set_up(bench, "cycle", START_TIME);
    start(bench, START_TIME - 500);
    const uint64_t end = weft_device_next_event(bench->device);
    assert_true(end > START_TIME);
    assert_true(weft_device_interrupt(bench->device, end));
    assert_true(weft_device_interrupt(bench->device, 0));
    put(bench, WEFT_REGISTER_interrupt, 1, UINT64_MAX);
    start(bench, UINT64_MAX); /* ends at the end of time */
    assert_int_equal(get64(bench, WEFT_REGISTER_status, UINT64_MAX), WEFT_STATUS_ENDED);
    bench_free(bench);
}

/* ---- while it runs ---- */

static void a_run_keeps_its_registers(void **state) {
    (void)state;
    struct bench *bench = copy_bench();
    set_up(bench, "cycle", 0);
    start(bench, 0);
    const uint64_t end = weft_device_next_event(bench->device);
    for (uint32_t offset = 0; offset < WEFT_REGISTER_BYTES; offset += 4) {
        if (offset != WEFT_REGISTER_abort && offset != WEFT_REGISTER_interrupt) {
            put(bench, offset, 0xffffffff, 1);
        }
    }
    put(bench, WEFT_REGISTER_abort, 0xfffffffe, 1); /* bit 0 is what aborts */
    assert_int_equal(weft_device_next_event(bench->device), end);
    assert_int_equal(get64(bench, WEFT_REGISTER_watchdog, 1), 0);
    assert_int_equal(get64(bench, WEFT_REGISTER_region_base, 1), MEMORY_BASE);
    assert_int_equal(get64(bench, WEFT_REGISTER_region_writable, 1), bench->regions.writable);
    put(bench, WEFT_REGISTER_interrupt, 0, 2); /* but for this one */
    assert_false(weft_device_interrupt(bench->device, end));
    put(bench, WEFT_REGISTER_interrupt, WEFT_INTERRUPT_ENABLED, end);
    assert_true(weft_device_interrupt(bench->device, end));
    bench_free(bench);
}

static void abort_drops_the_run(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH(device_targets); i++) {
        struct bench *bench = copy_bench();
        uint8_t *memory = malloc(MEMORY_BYTES);
        assert_non_null(memory);
        set_up(bench, device_targets[i], 0);
        memcpy(memory, bench->memory, MEMORY_BYTES);
        put64(bench, WEFT_REGISTER_watchdog, UINT64_C(0x100000005), 0);
        start(bench, 0);
        const uint64_t end = weft_device_next_event(bench->device);
        put(bench, WEFT_REGISTER_abort, WEFT_ABORT_RUN, end - 1);
        for (uint64_t now = end - 1; now < end + 10; now++) {
            assert_int_equal(get64(bench, WEFT_REGISTER_status, now), 0);
            assert_int_equal(counter(bench, WEFT_COUNTER_INDEX_cycles, now), 0);
            assert_false(weft_device_interrupt(bench->device, now));
        }
        assert_memory_equal(memory, bench->memory, MEMORY_BYTES);
        assert_int_equal(get64(bench, WEFT_REGISTER_watchdog, end), UINT64_C(0x100000005));
        assert_int_equal(get64(bench, WEFT_REGISTER_interrupt, end), WEFT_INTERRUPT_ENABLED);
        assert_int_equal(get64(bench, WEFT_REGISTER_region_limit, end),
                         bench->regions.limit[WEFT_REGION_PROGRAM]);
        start(bench, end + 20);
        assert_int_equal(weft_device_next_event(bench->device), 2 * end + 20);
        assert_true(weft_device_interrupt(bench->device, 2 * end + 20));
        assert_memory_equal(place(bench, WEFT_REGION_OUTPUTS), place(bench, WEFT_REGION_INPUTS),
                            COPY_OUTPUTS);
        put(bench, WEFT_REGISTER_abort, WEFT_ABORT_RUN, 3 * end); /* after it: forgets the end */
        assert_int_equal(get64(bench, WEFT_REGISTER_status, 3 * end), 0);
        assert_false(weft_device_interrupt(bench->device, 3 * end));
        free(memory);
        bench_free(bench);
    }
}

/* ---- faults ---- */

static void assert_fault(struct bench *bench, enum weft_fault fault, uint32_t instruction) {
    const uint64_t begin = bench->now;
    start(bench, begin);
    const uint64_t end = weft_device_next_event(bench->device);
    assert_true(end > begin);
    assert_int_equal(get64(bench, WEFT_REGISTER_status, end - 1), WEFT_STATUS_RUNNING);
    assert_int_equal(get64(bench, WEFT_REGISTER_status, end),
                     WEFT_STATUS_ENDED | (uint64_t)fault << WEFT_STATUS_FAULT_SHIFT |
                         (uint64_t)instruction << 32);
    assert_true(weft_device_interrupt(bench->device, end));
    assert_int_equal(counter(bench, WEFT_COUNTER_INDEX_cycles, end), end - begin);
    put(bench, WEFT_REGISTER_interrupt, 3, end);
    bench->now = end;
}

static void assert_program_faults(const char *source, enum weft_fault fault, uint32_t instruction) {
    for (size_t i = 0; i < LENGTH(device_targets); i++) {
        struct bench *bench = bench_of(source);
        bench->regions.limit[WEFT_REGION_INPUTS] = COPY_INPUTS;
        bench->regions.limit[WEFT_REGION_OUTPUTS] = COPY_OUTPUTS;
        set_up(bench, device_targets[i], 0);
        assert_fault(bench, fault, instruction);
        bench_free(bench);
    }
}

static void faults_of_programs_are_in_status(void **state) {
    (void)state;
    assert_program_faults("load act_banks=0 memory=act region=3 run=33\nhalt\n", WEFT_FAULT_ADDRESS,
                          0);
    assert_program_faults("load act_banks=0 memory=act region=3 run=32\n"
                          "vector act_banks=0 function=copy out=4 low=-128 high=127\nhalt\n",
                          WEFT_FAULT_BANK, 1);
    assert_program_faults("fence\n", WEFT_FAULT_PROGRAM_END, 1);
    assert_program_faults("load act_banks=0 wait=store memory=act region=3 run=32\nhalt\n",
                          WEFT_FAULT_DEADLOCK, 0);
    assert_program_faults("store act_banks=0 region=3 run=16\nhalt\n", WEFT_FAULT_WRITE, 0);
}

static void other_faults_too(void **state) {
    (void)state;
    struct bench *bench = copy_bench();
    set_up(bench, "cycle", 0);
    place(bench, WEFT_REGION_PROGRAM)[WEFT_INSTRUCTION_BYTES] = 0xff;
    assert_fault(bench, WEFT_FAULT_ENCODING, 1);
    put(bench, WEFT_REGISTER_region_limit, 0, 0); /* no program at all */
    assert_fault(bench, WEFT_FAULT_PROGRAM_END, 0);
    bench_free(bench);
    bench = copy_bench();
    bench->config.semaphore_max = 1;
    bench->program.instructions[1].wait = 0;
    ASSERT_GOOD(weft_program_add(&bench->program, &bench->program.instructions[3], &bench->error),
                bench->error);
    bench->program.instructions[1] = bench->program.instructions[0];
    set_up(bench, "cycle", 0);
    assert_fault(bench, WEFT_FAULT_SEMAPHORE, 1);
    bench_free(bench);
    bench = copy_bench();
    set_up(bench, "cycle", 0);
    put(bench, WEFT_REGISTER_watchdog, 150, 0);
    assert_fault(bench, WEFT_FAULT_WATCHDOG, 3);
    put(bench, WEFT_REGISTER_watchdog, 0, UINT32_MAX);
    start(bench, UINT32_MAX); /* a fault is no obstacle to the next run */
    const uint64_t end = weft_device_next_event(bench->device);
    assert_int_equal(get64(bench, WEFT_REGISTER_status, end), WEFT_STATUS_ENDED);
    bench_free(bench);
}

/* The number is that of the next instruction, which does not hang on there being counters. */
static void assert_refused_results(uint32_t performance_counters) {
    struct bench *bench = copy_bench();
    bench->config.performance_counters = performance_counters;
    set_up(bench, "cycle", 0);
    start(bench, START_TIME);
    bench->refused = MEMORY_BASE + WEFT_REGION_OUTPUTS * PLACE;
    const uint64_t end = weft_device_next_event(bench->device);
    assert_int_equal(get64(bench, WEFT_REGISTER_status, end),
                     WEFT_STATUS_ENDED | WEFT_FAULT_BUS << WEFT_STATUS_FAULT_SHIFT |
                         UINT64_C(4) << 32);
    assert_int_equal(get64(bench, WEFT_REGISTER_counter, end) > 0, true);
    assert_int_equal(get64(bench, WEFT_REGISTER_counter + 8 * WEFT_COUNTER_INDEX_instructions, end),
                     performance_counters != 0 ? 4 : 0);
    bench_free(bench);
}

static void what_the_bus_refuses_is_a_fault(void **state) {
    (void)state;
    assert_refused_results(0);
    assert_refused_results(1);
    for (unsigned region = 0; region < WEFT_REGIONS; region++) {
        if (region == WEFT_REGION_PROGRAM || region == WEFT_REGION_INPUTS ||
            region == WEFT_REGION_OUTPUTS) {
            struct bench *bench = copy_bench();
            set_up(bench, "cycle", 0);
            bench->refused = MEMORY_BASE + region * PLACE + 3;
            assert_fault(bench, WEFT_FAULT_BUS, 0);
            bench_free(bench);
        }
    }
    struct bench *bench = copy_bench();
    set_up(bench, "cycle", 0);
    start(bench, START_TIME);
    bench->refused = MEMORY_BASE + WEFT_REGION_OUTPUTS * PLACE;
    const uint64_t end = weft_device_next_event(bench->device);
    assert_int_equal(get64(bench, WEFT_REGISTER_status, end),
                     WEFT_STATUS_ENDED | WEFT_FAULT_BUS << WEFT_STATUS_FAULT_SHIFT |
                         UINT64_C(4) << 32);
    bench->refused = 0;
    put64(bench, WEFT_REGISTER_region_base + 8 * WEFT_REGION_INPUTS, UINT64_MAX, end);
    start(bench, end); /* where nothing answers */
    assert_int_equal(get64(bench, WEFT_REGISTER_status, UINT64_MAX),
                     WEFT_STATUS_ENDED | WEFT_FAULT_BUS << WEFT_STATUS_FAULT_SHIFT);
    bench_free(bench);
}

/* A region may end with the last address of the bus, which is asked then, and not behind it. */
static void regions_end_with_the_addresses(void **state) {
    (void)state;
    struct bench *bench = copy_bench();
    set_up(bench, "cycle", 0);
    put64(bench, WEFT_REGISTER_region_base + 8 * WEFT_REGION_PROGRAM, UINT64_MAX, 0);
    for (uint64_t more = 0; more < 2; more++) {
        bench->reads = 0;
        put64(bench, WEFT_REGISTER_region_limit + 8 * WEFT_REGION_PROGRAM,
              1024 + more * WEFT_INSTRUCTION_BYTES, bench->now);
        assert_fault(bench, WEFT_FAULT_BUS, 0);
        assert_int_equal(bench->reads, 1 - more);
    }
    bench_free(bench);
}

/* ---- what cannot be carried out ---- */

static void only_targets_with_time_are_devices(void **state) {
    (void)state;
    static const struct {
        const char *target;
        const char *part;
    } cases[] = {{"func", "knows no time"},
                 {"host", "there is no target 'host'"},
                 {"lockstep", "needs a place for its report"}};
    struct bench *bench = bench_new();
    const struct weft_device_bus bus = {bench, read_memory, write_memory};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        ASSERT_FAILS(weft_device_open(cases[i].target, &bench->config, &bus, NULL, &bench->device,
                                      &bench->error),
                     bench->error, WEFT_TARGET);
        assert_mentions(bench->error.message, cases[i].part);
        assert_null(bench->device);
    }
    ASSERT_GOOD(
        weft_device_open("cycle", &bench->config, &bus, NULL, &bench->device, &bench->error),
        bench->error);
    bench_free(bench);
    weft_device_close(NULL);
}

static void runs_have_limits(void **state) {
    (void)state;
    struct bench *bench = copy_bench();
    set_up(bench, "cycle", 0);
    put(bench, WEFT_REGISTER_region_limit + 4, 0xffffffff, 0);
    assert_not_started(bench, WEFT_LIMIT, "a run of the device needs ");
    put(bench, WEFT_REGISTER_region_limit + 4, 0, 0);
    bench->settings.memory_limit = 2000;
    set_up(bench, "cycle", 0);
    start(bench, 0);
    bench->settings.memory_limit = 500;
    set_up(bench, "cycle", 0);
    assert_not_started(bench, WEFT_LIMIT, "at most 500 are allowed");
    bench->settings = weft_device_defaults();
    bench->settings.cycle_limit = 10;
    set_up(bench, "cycle", 0);
    assert_not_started(bench, WEFT_LIMIT, " cycles, the device allows 10");
    put(bench, WEFT_REGISTER_watchdog, 11, 0);
    assert_not_started(bench, WEFT_LIMIT, " cycles, the device allows 10");
    put(bench, WEFT_REGISTER_watchdog, 9, 0);
    assert_fault(bench, WEFT_FAULT_WATCHDOG, 0);
    bench_free(bench);
}

static void what_the_verifier_rejects_has_no_results(void **state) {
    (void)state;
    struct bench *bench = copy_bench();
    struct weft_vector_fields *vector = &bench->program.instructions[1].vector;
    vector->out = 1;
    vector->count[0] = 2;
    vector->out_stride[0] = vector->a_stride[0] = 1;
    set_up(bench, "cycle", 0);
    assert_not_started(bench, WEFT_VERIFY_OVERLAP,
                       "no fault, but the verifier rejects the program:");
    bench->settings.cycle_limit = 130;
    set_up(bench, "cycle", 0);
    assert_not_started(bench, WEFT_LIMIT, "does not end within 130 cycles");
    bench_free(bench);
}

static void the_rtl_has_errors_of_its_own(void **state) {
    (void)state;
    struct bench *bench = copy_bench();
    set_up(bench, "rtl", 0);
    fake_plan.what = FAKE_NO_MEMORY;
    assert_not_started(bench, WEFT_OUT_OF_MEMORY, "");
    fake_plan.what = FAKE_ASSERTION;
    assert_not_started(bench, WEFT_INTERNAL, "the RTL: ");
    fake_plan = (struct fake_plan){0};
    start(bench, START_TIME);
    const uint64_t end = weft_device_next_event(bench->device);
    assert_int_equal(get64(bench, WEFT_REGISTER_status, end), WEFT_STATUS_ENDED);
    bench_free(bench);
}

/* ---- anything ---- */

/* Instructions that are nearly those of the good program, and registers of any value. */
static void anything_ends(void **state) {
    (void)state;
    struct bench *bench = good_bench("ref16");
    uint64_t seed = 5;
    uint64_t now = 0;
    unsigned ended = 0;
    bench->settings.cycle_limit = 100000;
    random_bytes(&seed, bench->memory, MEMORY_BYTES);
    set_up(bench, "cycle", now);
    uint8_t *code = place(bench, WEFT_REGION_PROGRAM);
    uint8_t good[GOOD_COUNT * WEFT_INSTRUCTION_BYTES];
    memcpy(good, code, sizeof good);
    for (unsigned run = 0; run < 2000; run++) {
        memcpy(code, good, sizeof good);
        for (unsigned i = 0; i < run % 3; i++) {
            uint8_t bit = (uint8_t)(1U << random_u64(&seed) % 8);
            code[random_u64(&seed) % sizeof good] ^= bit;
        }
        set_regions(bench, now);
        if (run % 5 == 0) {
            uint32_t offset = (uint32_t)(random_u64(&seed) % 64 * 4 + 0x20);
            put(bench, offset, (uint32_t)random_u64(&seed), now);
        }
        put(bench, WEFT_REGISTER_watchdog, run % 7 == 0 ? run : 0, now);
        put(bench, WEFT_REGISTER_watchdog + 4, 0, now);
        if (weft_device_write32(bench->device, WEFT_REGISTER_start, 1, now, &bench->error)) {
            now = weft_device_next_event(bench->device);
            assert_true(now < UINT64_MAX);
            assert_int_equal(get64(bench, WEFT_REGISTER_status, now) & 3, WEFT_STATUS_ENDED);
            ended++;
        }
    }
    assert_true(ended > 1000);
    bench_free(bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_are_those_of_the_map),
        cmocka_unit_test(halves_are_written_alone),
        cmocka_unit_test(nothing_is_seen_before_the_end),
        cmocka_unit_test(every_opcode_gives_the_bytes_and_counters_of_a_bare_run),
        cmocka_unit_test(runs_follow_each_other),
        cmocka_unit_test(the_program_of_a_run_is_the_one_in_memory),
        cmocka_unit_test(what_follows_halt_does_not_matter),
        cmocka_unit_test(what_is_not_reached_is_not_read),
        cmocka_unit_test(time_does_not_go_back),
        cmocka_unit_test(a_run_keeps_its_registers),
        cmocka_unit_test(abort_drops_the_run),
        cmocka_unit_test(faults_of_programs_are_in_status),
        cmocka_unit_test(other_faults_too),
        cmocka_unit_test(what_the_bus_refuses_is_a_fault),
        cmocka_unit_test(regions_end_with_the_addresses),
        cmocka_unit_test(only_targets_with_time_are_devices),
        cmocka_unit_test(runs_have_limits),
        cmocka_unit_test(what_the_verifier_rejects_has_no_results),
        cmocka_unit_test(the_rtl_has_errors_of_its_own),
        cmocka_unit_test(anything_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
