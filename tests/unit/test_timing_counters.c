/* sim/timing: the counters of whole runs, and what they are when a run is cut short. */
#include "tests/unit/test.h"

#include "sim/timing/duration.h"
#include "tests/unit/good_program.h"
#include "tests/unit/recording.h"

static const struct recording *run_good(const struct weft_config *config, const struct good *good,
                                        uint64_t latency, uint64_t interval) {
    struct weft_timing_settings settings = {.memory.latency = latency, .memory.interval = interval};
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        settings.regions.limit[i] = good->regions.limit[i];
    }
    const struct recording *run = record_with(config, good->program, GOOD_COUNT, &settings);
    assert_int_equal(run->result.fault, WEFT_FAULT_NONE);
    return run;
}

static void cycles_alone_are_counted_without_counters(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct good good = good_program(&config);
    uint64_t cycles = run_good(&config, &good, 0, 0)->result.counters.cycles;
    config.performance_counters = 0;
    const struct weft_counters *counters = &run_good(&config, &good, 0, 0)->result.counters;
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        assert_int_equal(weft_counter_get(counters, i),
                         i == WEFT_COUNTER_INDEX_cycles ? cycles : 0);
    }
}

static uint64_t transfer_bytes(const struct weft_instruction *instruction) {
    const struct weft_load_fields *load = &instruction->load;
    const struct weft_store_fields *store = &instruction->store;
    switch (instruction->opcode) {
    case WEFT_OPCODE_LOAD:
        return (uint64_t)load->run * load->count[0] * load->count[1] * load->count[2];
    case WEFT_OPCODE_STORE:
        return (uint64_t)store->run * store->count[0] * store->count[1] * store->count[2];
    default:
        return 0;
    }
}

static void work_is_counted_whatever_the_memory(void **state) {
    (void)state;
    static const uint64_t memories[][2] = {{0, 0}, {1, 1}, {7, 2}, {300, 1}, {50, 4}};
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct weft_config config = config_of(shipped_configs[i]);
        struct good good = good_program(&config);
        uint64_t bytes[WEFT_UNITS] = {0};
        uint64_t stream = 0;
        uint64_t slots = 0;
        for (size_t k = 0; k < GOOD_COUNT; k++) {
            const struct weft_instruction *instruction = &good.program[k];
            unsigned unit = weft_format_of(instruction->opcode)->unit;
            if (unit == WEFT_UNITS) {
                continue;
            }
            bytes[unit] += transfer_bytes(instruction);
            stream += instruction->opcode == WEFT_OPCODE_MATRIX
                          ? weft_matrix_duration(&config, &instruction->matrix).stream
                          : 0;
            slots += instruction->opcode == WEFT_OPCODE_VECTOR
                         ? weft_vector_duration(&config, &instruction->vector).slots
                         : 0;
        }
        for (size_t k = 0; k < LENGTH(memories); k++) {
            const struct recording *run = run_good(&config, &good, memories[k][0], memories[k][1]);
            const struct weft_counters *counters = &run->result.counters;
            assert_int_equal(counters->instructions, GOOD_COUNT);
            assert_int_equal(counters->fetch_bytes, GOOD_COUNT * WEFT_INSTRUCTION_BYTES);
            assert_int_equal(counters->load_bytes, bytes[WEFT_UNIT_LOAD]);
            assert_int_equal(counters->store_bytes, bytes[WEFT_UNIT_STORE]);
            assert_int_equal(counters->matrix_stream, stream);
            assert_int_equal(counters->vector_slots, slots);
            assert_int_equal(counters->fill_lines, 8);
        }
    }
}

static void bursts_add_up_to_bytes_and_beats(void **state) {
    (void)state;
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct weft_config config = config_of(shipped_configs[i]);
        struct good good = good_program(&config);
        const struct recording *run = run_good(&config, &good, 0, 0);
        uint64_t bytes[WEFT_MASTERS] = {0};
        uint64_t beats[WEFT_MASTERS] = {0};
        uint64_t free = 0;
        uint64_t before = 0;
        for (unsigned k = 0; k < run->bursts; k++) {
            const struct recorded_burst *burst = &run->burst[k];
            uint64_t own = (burst->address + burst->bytes - 1) / config.memory_width -
                           burst->address / config.memory_width + 1;
            bytes[burst->master] += burst->bytes;
            beats[burst->master] += own;
            assert_true(burst->cycle > before);
            assert_int_equal(burst->address / config.memory_burst,
                             (burst->address + burst->bytes - 1) / config.memory_burst);
            uint64_t soonest = burst->cycle + config.memory_latency;
            assert_int_equal(burst->first, soonest > free ? soonest : free);
            free = burst->first + own;
            before = burst->cycle;
        }
        const struct weft_counters *counters = &run->result.counters;
        assert_int_equal(counters->fetch_bytes, bytes[WEFT_MASTER_FETCH]);
        assert_int_equal(counters->load_bytes, bytes[WEFT_MASTER_LOAD]);
        assert_int_equal(counters->store_bytes, bytes[WEFT_MASTER_STORE]);
        assert_int_equal(counters->fetch_beats, beats[WEFT_MASTER_FETCH]);
        assert_int_equal(counters->load_beats, beats[WEFT_MASTER_LOAD]);
        assert_int_equal(counters->store_beats, beats[WEFT_MASTER_STORE]);
    }
}

static void every_instruction_is_dispatched_started_and_finished(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct good good = good_program(&config);
    const struct recording *run = run_good(&config, &good, 0, 0);
    for (size_t i = 0; i < GOOD_COUNT; i++) {
        assert_true(run->dispatched[i] != 0);
        assert_true(i == 0 || run->dispatched[i] > run->dispatched[i - 1]);
        if (weft_format_of(good.program[i].opcode)->unit == WEFT_UNITS) {
            assert_int_equal(run->started[i], 0);
            assert_int_equal(run->finished[i], 0);
        } else {
            assert_true(run->started[i] > run->dispatched[i]);
            assert_true(run->finished[i] > run->started[i]);
        }
    }
    assert_int_equal(run->dispatched[GOOD_HALT], run->result.counters.cycles);
}

static void runs_are_the_same_every_time(void **state) {
    (void)state;
    struct weft_config config = config_of("small8");
    struct good good = good_program(&config);
    struct weft_run_result first = run_good(&config, &good, 20, 3)->result;
    struct weft_run_result second = run_good(&config, &good, 20, 3)->result;
    assert_memory_equal(&first, &second, sizeof first);
}

/* ---- runs that are cut short: "every counter counts cycles 1 to the last one" ---- */

static const struct weft_counters *cut_in(const struct weft_instruction *instruction,
                                          uint64_t watchdog) {
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {*instruction, halt_of()};
    struct weft_timing_settings settings = {.watchdog = watchdog};
    const struct recording *run = record_with(&config, program, 2, &settings);
    assert_fault(run, WEFT_FAULT_WATCHDOG, 1, watchdog);
    return &run->result.counters;
}

static void a_stream_that_is_cut_counts_up_to_the_last_cycle(void **state) {
    (void)state;
    /* Addresses are issued in 125 to 224. */
    struct weft_instruction matrix = dense_of(1, 10, 10);
    assert_int_equal(cut_in(&matrix, 120)->matrix_stream, 0);
    assert_int_equal(cut_in(&matrix, 174)->matrix_stream, 50);
    assert_int_equal(cut_in(&matrix, 230)->matrix_stream, 100);
}

static void slots_that_are_cut_count_up_to_the_last_cycle(void **state) {
    (void)state;
    /* Slots are taken in 118 to 217. */
    struct weft_instruction vector = slots_of(100);
    assert_int_equal(cut_in(&vector, 117)->vector_slots, 0);
    assert_int_equal(cut_in(&vector, 150)->vector_slots, 33);
    assert_int_equal(cut_in(&vector, 218)->vector_slots, 100);
}

static void lines_that_are_cut_count_up_to_the_last_cycle(void **state) {
    (void)state;
    /* Lines are written in 118 to 217. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction fill = fill_of(&config, 100);
    assert_int_equal(cut_in(&fill, 117)->fill_lines, 0);
    assert_int_equal(cut_in(&fill, 150)->fill_lines, 33);
    assert_int_equal(cut_in(&fill, 217)->fill_lines, 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_counted_whatever_the_memory),
        cmocka_unit_test(cycles_alone_are_counted_without_counters),
        cmocka_unit_test(bursts_add_up_to_bytes_and_beats),
        cmocka_unit_test(every_instruction_is_dispatched_started_and_finished),
        cmocka_unit_test(runs_are_the_same_every_time),
        cmocka_unit_test(a_stream_that_is_cut_counts_up_to_the_last_cycle),
        cmocka_unit_test(slots_that_are_cut_count_up_to_the_last_cycle),
        cmocka_unit_test(lines_that_are_cut_count_up_to_the_last_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
