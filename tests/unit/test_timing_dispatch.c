/* sim/timing: fetch, dispatch and queues, with cycles computed by hand from docs/timing.md.
 *
 * The configuration is ref16 where nothing else is said: beats of 8 bytes, latency 100, bursts of
 * 256 bytes, CHECK 6. The first burst is granted in cycle 1, its first beat is in 101, an
 * instruction takes 8 beats, so instruction 0 is in the buffer in 109. Dispatch takes it in 109 and
 * tries it in 109 + CHECK + 1 = 116. An instruction arrives every 8 cycles, which is what dispatch
 * needs for one: instruction i is tried first in 116 + 8i. */
#include "tests/unit/test.h"

#include <string.h>

#include "tests/unit/recording.h"

enum {
    TRY = 116,
    EACH = 8,
};

static void halt_alone_takes_the_way_through_fetch_and_dispatch(void **state) {
    (void)state;
    static const struct {
        const char *config;
        uint64_t beats;
        uint64_t cycles;
    } cases[] = {
        /* 1 + 100 + beats of 64 bytes, then CHECK + 1. */
        {"small8", 16, 124},
        {"ref16", 8, 116},
        {"large32", 2, 110},
    };
    struct weft_instruction program[] = {halt_of()};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct weft_config config = config_of(cases[i].config);
        const struct recording *run = record(&config, program, 1);
        assert_halted(run, cases[i].cycles);
        const struct weft_counters *counters = &run->result.counters;
        assert_int_equal(run->dispatched[0], cases[i].cycles);
        assert_int_equal(counters->instructions, 1);
        assert_int_equal(counters->fetch_bytes, 64);
        assert_int_equal(counters->fetch_beats, cases[i].beats);
        assert_int_equal(counters->fetch_lost, 0);
        /* Taken in cycles - 7. */
        assert_int_equal(counters->dispatch_empty, cases[i].cycles - 8);
        assert_int_equal(counters->dispatch_fence, 0);
        assert_int_equal(counters->load_empty, cases[i].cycles);
        assert_int_equal(counters->vector_empty, cases[i].cycles);
        assert_int_equal(run->bursts, 1);
        assert_int_equal(run->burst[0].master, WEFT_MASTER_FETCH);
        assert_int_equal(run->burst[0].address, 0);
        assert_int_equal(run->burst[0].bytes, 64);
        assert_int_equal(run->burst[0].cycle, 1);
        assert_int_equal(run->burst[0].first, 101);
    }
}

static void latency_and_interval_of_memory_can_be_set(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {halt_of()};
    static const struct {
        uint64_t latency;
        uint64_t interval;
        uint64_t cycles;
    } cases[] = {
        {0, 0, 116},     {100, 1, 116}, {10, 0, 26}, /* beats 11 to 18, taken in 19 */
        {1, 1, 17},                                  /* beats 2 to 9, taken in 10 */
        {0, 3, 130},                                 /* beats 101, 104, ... 122, taken in 123 */
        {1000, 5, 1044},                             /* beats 1001, 1006, ... 1036, taken in 1037 */
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct weft_timing_settings settings = {.memory.latency = cases[i].latency,
                                                .memory.interval = cases[i].interval};
        const struct recording *run = record_with(&config, program, 1, &settings);
        assert_halted(run, cases[i].cycles);
    }
}

static void dispatch_takes_eight_cycles_for_an_instruction(void **state) {
    (void)state;
    /* large32: an instruction arrives every 2 cycles from 103 on; taken in 103 + 8i. */
    struct weft_config config = config_of("large32");
    struct weft_instruction program[9];
    for (size_t i = 0; i < 8; i++) {
        program[i] = fence_of();
    }
    program[8] = halt_of();
    const struct recording *run = record(&config, program, 9);
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(run->dispatched[i], 110 + 8 * i);
    }
    assert_halted(run, 174);
    assert_int_equal(run->result.counters.instructions, 9);
    assert_int_equal(run->result.counters.dispatch_empty, 102);
}

static void dispatch_waits_for_slow_memory(void **state) {
    (void)state;
    /* large32, a beat every 8 cycles: the last beat of instruction i is in 101 + 8(2i + 1), it is
     * taken in 110 + 16i and passes in 117 + 16i; in between dispatch is idle for 8 cycles. */
    struct weft_config config = config_of("large32");
    struct weft_instruction program[] = {fence_of(), fence_of(), halt_of()};
    struct weft_timing_settings settings = {.memory.interval = 8};
    const struct recording *run = record_with(&config, program, 3, &settings);
    assert_int_equal(run->dispatched[0], 117);
    assert_int_equal(run->dispatched[1], 133);
    assert_halted(run, 149);
    assert_int_equal(run->result.counters.dispatch_empty, 109 + 8 + 8);
}

static void fetch_waits_for_room_in_its_buffer(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[21];
    for (size_t i = 0; i < 20; i++) {
        program[i] = fence_of();
    }
    program[20] = halt_of();
    const struct recording *run = record(&config, program, 21);
    /* Four bursts of four fill the buffer in 1 to 4; their beats are 101 to 228. Instruction 3 is
     * taken in 133, so the fifth burst of four has room in 134 and beats from 234 on. The sixth
     * waits until the second is no longer outstanding, in 165; its beats follow, 266 to 273. */
    static const struct recorded_burst expected[] = {
        {0, 1, 101, 256, WEFT_MASTER_FETCH},      {256, 2, 133, 256, WEFT_MASTER_FETCH},
        {512, 3, 165, 256, WEFT_MASTER_FETCH},    {768, 4, 197, 256, WEFT_MASTER_FETCH},
        {1024, 134, 234, 256, WEFT_MASTER_FETCH}, {1280, 165, 266, 64, WEFT_MASTER_FETCH},
    };
    assert_int_equal(run->bursts, LENGTH(expected));
    for (size_t i = 0; i < LENGTH(expected); i++) {
        assert_int_equal(run->burst[i].address, expected[i].address);
        assert_int_equal(run->burst[i].bytes, expected[i].bytes);
        assert_int_equal(run->burst[i].cycle, expected[i].cycle);
        assert_int_equal(run->burst[i].first, expected[i].first);
    }
    assert_int_equal(run->dispatched[15], TRY + 15 * EACH);
    /* Instruction 16 arrives in 242: dispatch idles in 237 to 241. */
    assert_int_equal(run->dispatched[16], 249);
    assert_int_equal(run->dispatched[19], 273);
    assert_halted(run, 281);
    assert_int_equal(run->result.counters.dispatch_empty, 108 + 5);
    assert_int_equal(run->result.counters.fetch_bytes, 21 * 64);
}

static void fetch_has_a_limit_of_bursts(void **state) {
    (void)state;
    /* One burst at a time: the first has its last beat in 132, the second is requested in 133 and
     * has beats 233 to 240; instruction 4 is taken in 241. */
    struct weft_config config = config_of("ref16");
    config.fetch_bursts = 1;
    struct weft_instruction program[] = {fence_of(), fence_of(), fence_of(), fence_of(), halt_of()};
    const struct recording *run = record(&config, program, 5);
    assert_int_equal(run->bursts, 2);
    assert_int_equal(run->burst[1].cycle, 133);
    assert_int_equal(run->burst[1].first, 233);
    assert_int_equal(run->dispatched[3], TRY + 3 * EACH);
    assert_halted(run, 248);
}

static void programs_end_at_their_region(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {fence_of(), fence_of(), halt_of()};
    struct weft_timing_settings settings = {.regions.limit = {3 * 64 + 63}};
    const struct recording *run = record_with(&config, program, 3, &settings);
    assert_halted(run, TRY + 2 * EACH);
    /* Instructions in part do not count: dispatch is idle with nothing to come in 125. */
    settings.regions.limit[0] = 2 * 64 + 63;
    run = record_with(&config, program, 3, &settings);
    assert_fault(run, WEFT_FAULT_PROGRAM_END, 2, TRY + EACH + 1);
    assert_int_equal(run->result.counters.fetch_bytes, 128);
    settings.regions.limit[0] = 1 << 20;
    run = record_with(&config, program, 3, &settings);
    assert_halted(run, TRY + 2 * EACH);
    assert_int_equal(run->result.counters.fetch_bytes, 192);
}

static void instructions_start_in_the_cycle_after_they_were_queued(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {load_of(64), dense_of(1, 1, 1), slots_of(1), store_of(64),
                                         halt_of()};
    const struct recording *run = record(&config, program, 5);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(run->dispatched[i], TRY + EACH * i);
        assert_int_equal(run->started[i], TRY + EACH * i + 1);
    }
    assert_int_equal(run->result.fault, WEFT_FAULT_NONE);
}

static void full_queues_hold_dispatch_up(void **state) {
    (void)state;
    /* V0 starts in 117 and finishes in 117 + 133 + 1 = 251. V1 and V2 fill the queue in 124 and
     * 132. V3 is tried from 140 on; V1 starts in 252 and leaves room from 253 on. */
    struct weft_config config = config_of("ref16");
    config.queue_depth = 2;
    struct weft_instruction program[] = {slots_of(133), slots_of(1), slots_of(1), slots_of(1),
                                         halt_of()};
    const struct recording *run = record(&config, program, 5);
    assert_int_equal(run->finished[0], 251);
    assert_int_equal(run->started[1], 252);
    assert_int_equal(run->dispatched[2], 132);
    assert_int_equal(run->dispatched[3], 253);
    assert_int_equal(run->result.counters.dispatch_full_vector, 113);
    assert_int_equal(run->result.counters.dispatch_full_load, 0);
    /* V1 finishes in 254, V2 in 257, V3 in 260. HALT is taken in 254, tried in 261 and passes. */
    assert_int_equal(run->finished[3], 260);
    assert_halted(run, 261);
    assert_int_equal(run->result.counters.dispatch_fence, 0);
}

static void every_queue_has_a_counter(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    config.queue_depth = 2;
    config.load_instructions = 2;
    config.store_instructions = 2;
    config.matrix_instructions = 2;
    const struct weft_instruction heads[] = {load_of(64), dense_of(1, 20, 20), slots_of(400),
                                             store_of(64)};
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        struct weft_instruction program[7];
        for (size_t i = 0; i < 6; i++) {
            program[i] = heads[unit];
        }
        program[6] = halt_of();
        const struct recording *run = record(&config, program, 7);
        const struct weft_counters *counters = &run->result.counters;
        const uint64_t full[] = {counters->dispatch_full_load, counters->dispatch_full_matrix,
                                 counters->dispatch_full_vector, counters->dispatch_full_store};
        for (unsigned other = 0; other < WEFT_UNITS; other++) {
            assert_int_equal(full[other] != 0, other == unit);
        }
    }
}

static void fence_waits_until_every_unit_is_idle(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {slots_of(200), fence_of(), slots_of(3), halt_of()};
    const struct recording *run = record(&config, program, 4);
    /* V0 finishes in 117 + 201 = 318: FENCE is tried in 124 to 318 and passes in 319. V2 is taken
     * in 320, enters in 327, starts in 328, finishes in 328 + 4 = 332. HALT is taken in 328, tried
     * in 335. */
    assert_int_equal(run->finished[0], 318);
    assert_int_equal(run->dispatched[1], 319);
    assert_int_equal(run->dispatched[2], 327);
    assert_int_equal(run->started[2], 328);
    assert_int_equal(run->finished[2], 332);
    assert_halted(run, 335);
    assert_int_equal(run->result.counters.dispatch_fence, 319 - 124);
    assert_int_equal(run->started[1], 0);
    assert_int_equal(run->finished[1], 0);
}

static void fence_waits_for_queues_too(void **state) {
    (void)state;
    /* V1 waits for the LOAD and is in the queue while nothing else is. LOAD: started in 117, beats
     * 218 to 225, finishes in 226; V1 starts in 227, finishes in 229. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {load_of(64), slots_of(1), fence_of(), halt_of()};
    program[0].signal = 1U << WEFT_UNIT_VECTOR;
    program[1].wait = 1U << WEFT_UNIT_LOAD;
    const struct recording *run = record(&config, program, 4);
    assert_int_equal(run->finished[0], 226);
    assert_int_equal(run->finished[1], 229);
    assert_int_equal(run->dispatched[2], 230);
    /* HALT is taken in 231, tried in 238. */
    assert_halted(run, 238);
}

static void more_instructions_than_31_bits_count_are_rejected(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_timing_settings settings = {0};
    struct weft_run_result result;
    struct weft_error error;
    ASSERT_FAILS(
        weft_timing_run(&config, NULL, (size_t)INT32_MAX + 1, &settings, NULL, &result, &error),
        error, WEFT_ARGUMENT);
}

static void runs_need_no_observer(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {load_of(64), halt_of()};
    struct weft_timing_settings settings = {.regions.limit = {128, 0, 0, 1000}};
    struct weft_run_result with;
    struct weft_run_result without;
    struct weft_error error;
    static const struct weft_observer silent = {0};
    ASSERT_GOOD(weft_timing_run(&config, program, 2, &settings, &silent, &with, &error), error);
    ASSERT_GOOD(weft_timing_run(&config, program, 2, &settings, NULL, &without, &error), error);
    assert_memory_equal(&with, &without, sizeof with);
    assert_int_equal(with.counters.cycles, 227);
}

static void counters_are_read_by_their_index(void **state) {
    (void)state;
    struct weft_counters counters = {.cycles = 1, .fill_lines = 2, .load_lost = 3};
    assert_int_equal(WEFT_COUNTERS, sizeof counters / sizeof(uint64_t));
    assert_string_equal(weft_counter_names[WEFT_COUNTER_INDEX_load_lost], "load_lost");
    assert_int_equal(weft_counter_get(&counters, 0), 1);
    assert_int_equal(weft_counter_get(&counters, WEFT_COUNTERS - 1), 2);
    assert_int_equal(weft_counter_get(&counters, WEFT_COUNTER_INDEX_load_lost), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halt_alone_takes_the_way_through_fetch_and_dispatch),
        cmocka_unit_test(latency_and_interval_of_memory_can_be_set),
        cmocka_unit_test(dispatch_takes_eight_cycles_for_an_instruction),
        cmocka_unit_test(dispatch_waits_for_slow_memory),
        cmocka_unit_test(fetch_waits_for_room_in_its_buffer),
        cmocka_unit_test(fetch_has_a_limit_of_bursts),
        cmocka_unit_test(programs_end_at_their_region),
        cmocka_unit_test(instructions_start_in_the_cycle_after_they_were_queued),
        cmocka_unit_test(full_queues_hold_dispatch_up),
        cmocka_unit_test(every_queue_has_a_counter),
        cmocka_unit_test(fence_waits_until_every_unit_is_idle),
        cmocka_unit_test(fence_waits_for_queues_too),
        cmocka_unit_test(more_instructions_than_31_bits_count_are_rejected),
        cmocka_unit_test(runs_need_no_observer),
        cmocka_unit_test(counters_are_read_by_their_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
