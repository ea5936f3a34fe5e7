/* sim/timing: random programs on random machines, against the cycle-by-cycle reference. */
#include "tests/unit/test.h"

#include <string.h>

#include "tests/unit/good_program.h"
#include "tests/unit/reference_timing.h"

enum {
    MOST = 40,
};

static struct weft_config random_config(uint64_t *seed) {
    struct weft_config config = config_of(shipped_configs[random_between(seed, 0, 2)]);
    config.memory_width = 4U << random_between(seed, 0,
                                               config.block == 8    ? 1
                                               : config.block == 16 ? 2
                                                                    : 3);
    config.memory_burst = 64U << random_between(seed, 0, 3);
    config.fetch_buffer = 8U << random_between(seed, 0, 1);
    config.fetch_bursts = (uint32_t)random_between(seed, 1, 4);
    config.queue_depth = (uint32_t)random_between(seed, 2, 5);
    config.semaphore_max = (uint32_t)random_between(seed, 1, 4);
    config.load_instructions = (uint32_t)random_between(seed, 2, 4);
    config.load_bursts = (uint32_t)random_between(seed, 2, 6);
    config.load_beats = (uint32_t)random_between(seed, 128, 200);
    config.store_instructions = (uint32_t)random_between(seed, 2, 4);
    config.store_bursts = (uint32_t)random_between(seed, 2, 6);
    config.store_beats = (uint32_t)random_between(seed, 128, 200);
    config.matrix_instructions = (uint32_t)random_between(seed, 2, 4);
    return config;
}

static struct weft_timing_settings random_settings(uint64_t *seed, size_t count) {
    struct weft_timing_settings settings = {0};
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        settings.regions.limit[i] = 1 << 20;
    }
    settings.regions.writable = 0xff;
    settings.regions.limit[WEFT_REGION_PROGRAM] = count * WEFT_INSTRUCTION_BYTES;
    settings.memory.latency = (uint64_t)random_between(seed, 1, random_chance(seed, 50) ? 40 : 200);
    settings.memory.interval = random_chance(seed, 60) ? 1 : (uint64_t)random_between(seed, 2, 5);
    return settings;
}

static void random_runs(uint64_t *seed, uint32_t *address, uint32_t *run, uint32_t count[3],
                        int32_t stride[3]) {
    *address = (uint32_t)random_between(seed, 5000, 6000);
    *run = (uint32_t)random_between(seed, 1, random_chance(seed, 70) ? 80 : 1500);
    for (unsigned i = 0; i < 3; i++) {
        count[i] = random_chance(seed, 70) ? 1 : (uint32_t)random_between(seed, 2, 3);
        stride[i] = (int32_t)random_between(seed, -800, 800);
    }
}

static struct weft_instruction random_matrix(uint64_t *seed) {
    struct weft_instruction instruction = weft_instruction_new(WEFT_OPCODE_MATRIX);
    struct weft_matrix_fields *m = &instruction.matrix;
    for (unsigned i = 0; i < 4; i++) {
        m->tile_count[i] = random_chance(seed, 80) ? 1 : (uint32_t)random_between(seed, 2, 3);
    }
    m->pixel_count[0] = (uint32_t)random_between(seed, 1, 6);
    m->pixel_count[1] = (uint32_t)random_between(seed, 1, 10);
    if (random_chance(seed, 40)) {
        m->mode = WEFT_MODE_DEPTHWISE;
        m->window_rows = 1;
        m->window_columns = (uint32_t)random_between(seed, 1, 6);
        m->window_step = (uint32_t)random_between(seed, 1, 3);
    }
    instruction.banks[WEFT_MEMORY_ACC] = (uint32_t)random_between(seed, 0, 15);
    return instruction;
}

static struct weft_instruction random_vector(uint64_t *seed) {
    struct weft_instruction instruction = weft_instruction_new(WEFT_OPCODE_VECTOR);
    struct weft_vector_fields *v = &instruction.vector;
    v->function = (uint32_t)random_between(seed, 0, WEFT_FUNCTIONS - 1);
    v->per_channel = v->function == WEFT_FUNCTION_REQUANT && random_chance(seed, 60);
    v->short_records = v->per_channel != 0 && random_chance(seed, 50);
    for (unsigned i = 0; i < 3; i++) {
        v->count[i] = (uint32_t)random_between(seed, 1, 4);
    }
    if (v->function == WEFT_FUNCTION_POOL) {
        v->window_count[0] = (uint32_t)random_between(seed, 1, 3);
        v->window_count[1] = (uint32_t)random_between(seed, 1, 3);
    }
    return instruction;
}

static struct weft_instruction random_work(uint64_t *seed) {
    struct weft_instruction instruction;
    int32_t unused[3];
    uint32_t start;
    switch (random_between(seed, 0, 5)) {
    case 0:
        instruction = load_of(1);
        random_runs(seed, &instruction.load.address, &instruction.load.run, instruction.load.count,
                    instruction.load.address_stride);
        break;
    case 1:
        instruction = store_of(1);
        random_runs(seed, &instruction.store.address, &instruction.store.run,
                    instruction.store.count, instruction.store.address_stride);
        break;
    case 2:
        instruction = weft_instruction_new(WEFT_OPCODE_FILL);
        random_runs(seed, &start, &instruction.fill.run, instruction.fill.count, unused);
        instruction.fill.local = start;
        instruction.fill.local_stride[0] = unused[0];
        instruction.fill.local_stride[1] = unused[1];
        break;
    case 3:
        instruction = random_matrix(seed);
        break;
    case 4:
        instruction = random_vector(seed);
        break;
    default:
        instruction = random_chance(seed, 30) ? fence_of() : random_vector(seed);
        break;
    }
    return instruction;
}

/* Tokens from an instruction to one behind it, or in front of it, which short queues may hold up.
 */
static void add_tokens(uint64_t *seed, struct weft_instruction *program, size_t count,
                       unsigned backwards) {
    for (size_t i = 0; i < 3 * count; i++) {
        size_t giver = (size_t)random_between(seed, 0, (int64_t)count - 1);
        int64_t ahead = (int64_t)(giver < 3 ? 0 : giver - 3);
        size_t taker = random_chance(seed, backwards)
                           ? (size_t)random_between(seed, ahead, (int64_t)giver)
                           : (size_t)random_between(seed, (int64_t)giver, (int64_t)count - 1);
        unsigned from = weft_format_of(program[giver].opcode)->unit;
        unsigned to = weft_format_of(program[taker].opcode)->unit;
        if (from != WEFT_UNITS && to != WEFT_UNITS && from != to &&
            (program[giver].signal >> to & 1) == 0 && (program[taker].wait >> from & 1) == 0) {
            program[giver].signal |= 1U << to;
            program[taker].wait |= 1U << from;
        }
    }
}

static size_t random_program(uint64_t *seed, struct weft_instruction *program, unsigned backwards) {
    size_t count = (size_t)random_between(seed, 1, MOST - 1);
    for (size_t i = 0; i < count; i++) {
        program[i] = random_work(seed);
        program[i].banks[WEFT_MEMORY_ACT] |=
            weft_format_of(program[i].opcode)->unit == WEFT_UNIT_LOAD
                ? (uint32_t)random_between(seed, 0, 7)
                : 0;
    }
    if (random_chance(seed, 80)) {
        add_tokens(seed, program, count, backwards);
    }
    program[count] = halt_of();
    return count + 1;
}

static void print_program(const struct weft_instruction *program, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct weft_text text = {0};
        weft_disassemble(&program[i], &text);
        print_error("%3zu %s\n", i, text.bytes);
        weft_text_free(&text);
    }
}

/* Returns the fault on which both agree. Counters of work in progress are compared after HALT only:
 * test_timing_counters.c says what they are after a fault. */
static enum weft_fault compare(const struct weft_config *config,
                               const struct weft_instruction *program, size_t count,
                               const struct weft_timing_settings *settings) {
    struct reference_run expected = reference_run(config, program, count, settings);
    const struct recording *run = record_with(config, program, count, settings);
    const struct weft_run_result *result = &run->result;
    bool halted = expected.result.fault == WEFT_FAULT_NONE;
    bool open_number = expected.result.fault == WEFT_FAULT_WATCHDOG && expected.passed_last;
    bool same = result->fault == expected.result.fault &&
                (open_number || result->fault_instruction == expected.result.fault_instruction);
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        bool progress = i == WEFT_COUNTER_INDEX_matrix_stream ||
                        i == WEFT_COUNTER_INDEX_vector_slots || i == WEFT_COUNTER_INDEX_fill_lines;
        uint64_t wanted = weft_counter_get(&expected.result.counters, i);
        uint64_t got = weft_counter_get(&result->counters, i);
        if (got != wanted && (halted || !progress)) {
            print_error("%s is %llu, expected %llu\n", weft_counter_names[i],
                        (unsigned long long)got, (unsigned long long)wanted);
            same = false;
        }
    }
    same = same && memcmp(run->finished, expected.finished, sizeof run->finished) == 0;
    for (size_t i = 0; i < count; i++) {
        same = same && (run->started[i] == expected.started[i] || settings->watchdog != 0);
    }
    if (!same) {
        print_error("fault %s at %u, expected %s at %u\n", weft_fault_names[result->fault],
                    result->fault_instruction, weft_fault_names[expected.result.fault],
                    expected.result.fault_instruction);
        print_program(program, count);
    }
    assert_true(same);
    return result->fault;
}

static void random_programs_take_the_cycles_of_the_page(void **state) {
    (void)state;
    uint64_t seed = 14;
    unsigned halted = 0;
    for (int i = 0; i < 1500; i++) {
        struct weft_config config = random_config(&seed);
        struct weft_instruction program[MOST];
        size_t count = random_program(&seed, program, 0);
        struct weft_timing_settings settings = random_settings(&seed, count);
        config.queue_depth = 32;
        config.semaphore_max = 255;
        halted += compare(&config, program, count, &settings) == WEFT_FAULT_NONE;
    }
    assert_true(halted > 1200);
}

static void short_queues_and_small_semaphores_fault_as_the_page_says(void **state) {
    (void)state;
    uint64_t seed = 15;
    unsigned faults[WEFT_FAULTS] = {0};
    for (int i = 0; i < 1500; i++) {
        struct weft_config config = random_config(&seed);
        struct weft_instruction program[MOST];
        size_t count = random_program(&seed, program, 2);
        struct weft_timing_settings settings = random_settings(&seed, count);
        config.semaphore_max = random_chance(&seed, 50) ? 255 : config.semaphore_max;
        faults[compare(&config, program, count, &settings)]++;
    }
    assert_true(faults[WEFT_FAULT_NONE] > 100);
    assert_true(faults[WEFT_FAULT_SEMAPHORE] > 100);
    assert_true(faults[WEFT_FAULT_DEADLOCK] > 20);
}

/* Damages one thing of a program. */
static void damage(uint64_t *seed, struct weft_instruction *program, size_t count,
                   struct weft_timing_settings *settings) {
    size_t at = (size_t)random_between(seed, 0, (int64_t)count - 1);
    struct weft_instruction *instruction = &program[at];
    unsigned unit = weft_format_of(instruction->opcode)->unit;
    switch (random_between(seed, 0, 5)) {
    case 0:
        if (unit != WEFT_UNITS) {
            instruction->wait ^= 1U << (unit + 1) % WEFT_UNITS;
        }
        break;
    case 1:
        instruction->banks[WEFT_MEMORY_ACT] = unit == WEFT_UNITS ? 0 : 0xff;
        break;
    case 2:
        settings->regions.limit[WEFT_REGION_INPUTS] = 5500;
        break;
    case 3:
        settings->regions.writable = 1; /* the program alone */
        break;
    case 4:
        settings->watchdog = (uint64_t)random_between(seed, 1, 3000);
        break;
    default:
        settings->regions.limit[WEFT_REGION_PROGRAM] -= WEFT_INSTRUCTION_BYTES;
        break;
    }
}

static void damaged_programs_fault_as_the_page_says(void **state) {
    (void)state;
    uint64_t seed = 16;
    unsigned faults[WEFT_FAULTS] = {0};
    for (int i = 0; i < 2000; i++) {
        struct weft_config config = random_config(&seed);
        struct weft_instruction program[MOST];
        size_t count = random_program(&seed, program, 0);
        struct weft_timing_settings settings = random_settings(&seed, count);
        damage(&seed, program, count, &settings);
        config.queue_depth = 32;
        config.semaphore_max = 255;
        faults[compare(&config, program, count, &settings)]++;
    }
    assert_true(faults[WEFT_FAULT_ADDRESS] > 50);
    assert_true(faults[WEFT_FAULT_WRITE] > 50);
    assert_true(faults[WEFT_FAULT_BANK] > 50);
    assert_true(faults[WEFT_FAULT_PROGRAM_END] > 50);
    assert_true(faults[WEFT_FAULT_DEADLOCK] > 50);
    assert_true(faults[WEFT_FAULT_WATCHDOG] > 50);
}

static void illegal_encodings_fault_as_the_page_says(void **state) {
    (void)state;
    uint64_t seed = 18;
    unsigned faults[WEFT_FAULTS] = {0};
    for (int i = 0; i < 300; i++) {
        struct weft_config config = random_config(&seed);
        struct weft_instruction program[MOST];
        size_t count = random_program(&seed, program, 0);
        struct weft_timing_settings settings = random_settings(&seed, count);
        program[random_between(&seed, 0, (int64_t)count - 1)].opcode = 0;
        faults[compare(&config, program, count, &settings)]++;
    }
    assert_true(faults[WEFT_FAULT_ENCODING] > 100);
}

static void the_good_program_takes_the_cycles_of_the_page(void **state) {
    (void)state;
    uint64_t seed = 17;
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct weft_config config = config_of(shipped_configs[i]);
        struct good good = good_program(&config);
        for (int round = 0; round < 10; round++) {
            struct weft_timing_settings settings = random_settings(&seed, GOOD_COUNT);
            settings.regions = good.regions;
            assert_int_equal(compare(&config, good.program, GOOD_COUNT, &settings),
                             WEFT_FAULT_NONE);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_take_the_cycles_of_the_page),
        cmocka_unit_test(short_queues_and_small_semaphores_fault_as_the_page_says),
        cmocka_unit_test(damaged_programs_fault_as_the_page_says),
        cmocka_unit_test(illegal_encodings_fault_as_the_page_says),
        cmocka_unit_test(the_good_program_takes_the_cycles_of_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
