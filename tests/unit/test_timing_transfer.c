/* sim/timing: LOAD, FILL, STORE and the memory port, with cycles computed by hand from
 * docs/timing.md.
 *
 * The configuration is ref16: beats of 8 bytes, latency 100, bursts of 256 bytes. As
 * test_timing_dispatch.c says, instruction i enters its queue in 116 + 8i and starts in 117 + 8i at
 * the earliest; its first burst is granted in 118 + 8i at the earliest. */
#include "tests/unit/test.h"

#include <string.h>

#include "tests/unit/recording.h"

/* The n-th burst of a master. */
static const struct recorded_burst *burst_of(const struct recording *run, enum weft_master master,
                                             unsigned n) {
    for (unsigned i = 0; i < run->bursts; i++) {
        if (run->burst[i].master == master && n-- == 0) {
            return &run->burst[i];
        }
    }
    fail();
    return NULL;
}

static void assert_burst(const struct recording *run, enum weft_master master, unsigned n,
                         uint64_t address, uint32_t bytes, uint64_t cycle, uint64_t first) {
    const struct recorded_burst *burst = burst_of(run, master, n);
    assert_int_equal(burst->address, address);
    assert_int_equal(burst->bytes, bytes);
    assert_int_equal(burst->cycle, cycle);
    assert_int_equal(burst->first, first);
}

/* ---- LOAD ---- */

static void a_load_pays_the_latency(void **state) {
    (void)state;
    /* Granted in 118, beats 218 to 225, last write in 226. HALT is tried from 124 on. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {load_of(64), halt_of()};
    const struct recording *run = record(&config, program, 2);
    assert_int_equal(run->started[0], 117);
    assert_burst(run, WEFT_MASTER_LOAD, 0, 0, 64, 118, 218);
    assert_int_equal(run->finished[0], 226);
    assert_halted(run, 227);
    const struct weft_counters *counters = &run->result.counters;
    assert_int_equal(counters->load_bytes, 64);
    assert_int_equal(counters->load_beats, 8);
    assert_int_equal(counters->load_busy, 226 - 117 + 1);
    assert_int_equal(counters->load_empty, 116 + 1);
    assert_int_equal(counters->load_lost, 0);
    assert_int_equal(counters->load_limit, 0);
    assert_int_equal(counters->dispatch_fence, 227 - 124);
}

static void bursts_end_at_boundaries_and_beats_are_aligned(void **state) {
    (void)state;
    /* [250,256) touches beat 31; [256,512) beats 32 to 63; [512,550) beats 64 to 68. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {load_of(300), halt_of()};
    program[0].load.address = 250;
    const struct recording *run = record(&config, program, 2);
    assert_int_equal(run->bursts, 1 + 3);
    assert_burst(run, WEFT_MASTER_LOAD, 0, 250, 6, 118, 218);
    assert_burst(run, WEFT_MASTER_LOAD, 1, 256, 256, 119, 219);
    assert_burst(run, WEFT_MASTER_LOAD, 2, 512, 38, 120, 251);
    assert_int_equal(run->finished[0], 256);
    assert_int_equal(run->result.counters.load_beats, 1 + 32 + 5);
    assert_int_equal(run->result.counters.load_bytes, 300);
}

static void runs_are_walked_in_loop_order(void **state) {
    (void)state;
    /* Runs of 16 bytes at 8, 108, 208, 1008, 1108, 1208: 2, 3, 2, 2, 3 and 2 beats. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {load_of(16), halt_of()};
    program[0].load.address = 8;
    program[0].load.count[0] = 2;
    program[0].load.count[2] = 3;
    program[0].load.address_stride[0] = 1000;
    program[0].load.address_stride[2] = 100;
    const struct recording *run = record(&config, program, 2);
    static const uint64_t address[] = {8, 108, 208, 1008, 1108, 1208};
    static const uint64_t first[] = {218, 220, 223, 225, 227, 230};
    for (unsigned i = 0; i < 6; i++) {
        assert_burst(run, WEFT_MASTER_LOAD, i, address[i], 16, 118 + i, first[i]);
    }
    assert_int_equal(run->finished[0], 231 + 1);
}

static void runs_may_go_backwards(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {load_of(8), halt_of()};
    program[0].load.address = 1000;
    program[0].load.count[1] = 3;
    program[0].load.address_stride[1] = -500;
    const struct recording *run = record(&config, program, 2);
    assert_burst(run, WEFT_MASTER_LOAD, 0, 1000, 8, 118, 218);
    assert_burst(run, WEFT_MASTER_LOAD, 1, 500, 8, 119, 219);
    /* [500,508) touches beats 62 and 63. */
    assert_burst(run, WEFT_MASTER_LOAD, 2, 0, 8, 120, 221);
    assert_int_equal(run->finished[0], 222);
}

static void loads_back_to_back_pay_the_latency_once(void **state) {
    (void)state;
    /* 32 beats each: 218 to 249, and from max(126 + 100, 250) on. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {load_of(256), load_of(256), halt_of()};
    const struct recording *run = record(&config, program, 3);
    assert_int_equal(run->started[1], 125);
    assert_burst(run, WEFT_MASTER_LOAD, 1, 0, 256, 126, 250);
    assert_int_equal(run->finished[0], 250);
    assert_int_equal(run->finished[1], 282);
    assert_halted(run, 283);
    assert_int_equal(run->result.counters.load_busy, 282 - 117 + 1);
}

static void the_next_load_starts_when_the_last_burst_is_granted(void **state) {
    (void)state;
    /* 20 bursts of 8 beats are granted in 118 to 137; the issue stage is idle from 138 on. */
    struct weft_config config = config_of("ref16");
    config.memory_burst = 64;
    struct weft_instruction program[] = {load_of(20 * 64), load_of(8), halt_of()};
    const struct recording *run = record(&config, program, 3);
    assert_int_equal(run->started[1], 138);
    assert_int_equal(run->finished[0], 218 + 160);
    assert_int_equal(run->finished[1], 218 + 160 + 1);
}

static void outstanding_bursts_are_limited(void **state) {
    (void)state;
    /* Bursts of 8 beats are granted in 118 and 119, with beats 218 to 225 and 226 to 233. The first
     * is no longer outstanding in 226, so the third is granted then: beats 326 to 333. The fourth
     * is granted in 234: beats 334 to 341. */
    struct weft_config config = config_of("ref16");
    config.memory_burst = 64;
    config.load_bursts = 2;
    struct weft_instruction program[] = {load_of(256), halt_of()};
    const struct recording *run = record(&config, program, 2);
    assert_burst(run, WEFT_MASTER_LOAD, 2, 128, 64, 226, 326);
    assert_burst(run, WEFT_MASTER_LOAD, 3, 192, 64, 234, 334);
    assert_int_equal(run->finished[0], 342);
    /* Pending from 120 to 225 and from 227 to 233. */
    assert_int_equal(run->result.counters.load_limit, 106 + 7);
    assert_int_equal(run->result.counters.load_lost, 0);
}

static void outstanding_beats_are_limited(void **state) {
    (void)state;
    /* 64 beats are two bursts of 32: 218 to 249 and 250 to 281. The third is granted in 250. */
    struct weft_config config = config_of("ref16");
    config.load_beats = 64;
    struct weft_instruction program[] = {load_of(768), halt_of()};
    const struct recording *run = record(&config, program, 2);
    assert_burst(run, WEFT_MASTER_LOAD, 2, 512, 256, 250, 350);
    assert_int_equal(run->finished[0], 382);
    assert_int_equal(run->result.counters.load_limit, 250 - 120);
}

static void loads_in_flight_are_limited(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    config.load_instructions = 2;
    struct weft_instruction program[] = {load_of(64), load_of(64), load_of(64), halt_of()};
    const struct recording *run = record(&config, program, 4);
    assert_int_equal(run->finished[0], 226);
    assert_int_equal(run->started[2], 227);
    /* Granted in 228: beats 328 to 335. */
    assert_int_equal(run->finished[2], 336);
    config.load_instructions = 3;
    run = record(&config, program, 4);
    assert_int_equal(run->started[2], 133);
}

static void slow_memory_stretches_beats(void **state) {
    (void)state;
    /* A beat every 2 cycles: the program's 16 beats are in 101 to 131, and free is 133. Instruction
     * 0 has arrived in 116, starts in 124; its burst is granted in 125, beats 225 to 239. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {load_of(64), halt_of()};
    struct weft_timing_settings settings = {.memory.interval = 2};
    const struct recording *run = record_with(&config, program, 2, &settings);
    assert_int_equal(run->started[0], 124);
    assert_burst(run, WEFT_MASTER_LOAD, 0, 0, 64, 125, 225);
    assert_int_equal(run->finished[0], 240);
    assert_halted(run, 241);
    settings.memory.interval = 1;
    settings.memory.latency = 500;
    run = record_with(&config, program, 2, &settings);
    assert_int_equal(run->started[0], 517);
    assert_int_equal(run->finished[0], 518 + 500 + 7 + 1);
}

/* ---- FILL ---- */

static void a_fill_writes_a_line_a_cycle(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {fill_of(&config, 20), halt_of()};
    const struct recording *run = record(&config, program, 2);
    assert_int_equal(run->finished[0], 117 + 20);
    assert_halted(run, 138);
    assert_int_equal(run->result.counters.fill_lines, 20);
    assert_int_equal(run->result.counters.load_busy, 21);
    assert_int_equal(run->result.counters.load_bytes, 0);
}

static void fills_count_the_lines_that_each_run_touches(void **state) {
    (void)state;
    /* Runs of 20 bytes at 10, 30 and 50 touch 2, 3 and 2 lines of 16 bytes. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {fill_of(&config, 1), halt_of()};
    program[0].fill.local = 10;
    program[0].fill.run = 20;
    program[0].fill.count[1] = 3;
    program[0].fill.local_stride[1] = 20;
    const struct recording *run = record(&config, program, 2);
    assert_int_equal(run->finished[0], 117 + 7);
}

static void a_fill_finishes_after_the_load_before_it(void **state) {
    (void)state;
    /* The LOAD finishes in 226. FILL 1 is complete in 129, FILL 2 in 134; instructions finish in
     * order, one a cycle. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {load_of(64), fill_of(&config, 4), fill_of(&config, 1),
                                         halt_of()};
    program[0].banks[WEFT_MEMORY_ACT] = 1;
    program[1].banks[WEFT_MEMORY_ACT] = 2;
    const struct recording *run = record(&config, program, 4);
    assert_int_equal(run->started[1], 125);
    assert_int_equal(run->started[2], 133);
    assert_int_equal(run->finished[0], 226);
    assert_int_equal(run->finished[1], 227);
    assert_int_equal(run->finished[2], 228);
    assert_halted(run, 229);
}

static void a_fill_waits_for_a_load_that_shares_a_bank(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {load_of(64), load_of(64), fill_of(&config, 4), halt_of()};
    program[0].banks[WEFT_MEMORY_ACT] = 5;
    program[1].banks[WEFT_MEMORY_ACT] = 8;
    program[2].banks[WEFT_MEMORY_ACT] = 6;
    const struct recording *run = record(&config, program, 4);
    /* LOAD 1: beats 226 to 233, finishes in 234; the FILL completes in 231, finishes in 235. */
    assert_int_equal(run->finished[0], 226);
    assert_int_equal(run->started[2], 227);
    assert_int_equal(run->finished[1], 234);
    assert_int_equal(run->finished[2], 235);
    program[1].banks[WEFT_MEMORY_ACT] = 2;
    run = record(&config, program, 4);
    assert_int_equal(run->started[2], 235);
    assert_int_equal(run->finished[2], 239);
    program[0].banks[WEFT_MEMORY_ACT] = 0;
    program[1].banks[WEFT_MEMORY_ACT] = 0;
    program[1].banks[WEFT_MEMORY_WGT] = 6;
    run = record(&config, program, 4);
    assert_int_equal(run->started[2], 133);
}

static void a_load_starts_after_the_last_line_of_a_fill(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {fill_of(&config, 20), load_of(64), halt_of()};
    program[0].banks[WEFT_MEMORY_ACT] = 1;
    program[1].banks[WEFT_MEMORY_ACT] = 1;
    const struct recording *run = record(&config, program, 3);
    assert_int_equal(run->finished[0], 137);
    assert_int_equal(run->started[1], 138);
    assert_burst(run, WEFT_MASTER_LOAD, 0, 0, 64, 139, 239);
    program[0] = fill_of(&config, 4);
    run = record(&config, program, 3);
    assert_int_equal(run->started[1], 125);
    program[0] = fill_of(&config, 7); /* writes in 118 to 124 */
    run = record(&config, program, 3);
    assert_int_equal(run->started[1], 125);
    program[0] = fill_of(&config, 8);
    run = record(&config, program, 3);
    assert_int_equal(run->started[1], 126);
}

static void fills_run_one_after_the_other(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {fill_of(&config, 30), fill_of(&config, 5), halt_of()};
    const struct recording *run = record(&config, program, 3);
    assert_int_equal(run->finished[0], 147);
    assert_int_equal(run->started[1], 148);
    assert_int_equal(run->finished[1], 153);
}

static void a_fill_waits_for_a_load_that_writes_its_ram(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {load_of(64), fill_of(&config, 20), halt_of()};
    program[0].banks[WEFT_MEMORY_ACT] = 1U << 2;
    program[1].banks[WEFT_MEMORY_ACT] = 1U << 1;
    uint64_t apart = record(&config, program, 3)->started[1];
    config.act_rams = 8;
    const struct recording *run = record(&config, program, 3);
    assert_in_range(apart, 1, run->finished[0]);
    assert_int_equal(run->started[1], run->finished[0] + 1);
    config.act_rams = 16;
    assert_int_equal(record(&config, program, 3)->started[1], apart);
}

static void a_fill_counts_among_the_loads_in_flight(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    config.load_instructions = 2;
    struct weft_instruction program[] = {load_of(64), fill_of(&config, 1), load_of(64), halt_of()};
    const struct recording *run = record(&config, program, 4);
    /* The FILL is complete in 126 and in flight until 227, but the LOAD finishes in 226. */
    assert_int_equal(run->started[2], 227);
    assert_int_equal(run->finished[1], 227);
}

/* ---- STORE ---- */

static void a_store_finishes_after_its_data(void **state) {
    (void)state;
    /* Beats are asked for in 218 to 225, and the last data follow 3 cycles later. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {store_of(64), halt_of()};
    const struct recording *run = record(&config, program, 2);
    assert_int_equal(run->started[0], 117);
    assert_burst(run, WEFT_MASTER_STORE, 0, 0, 64, 118, 218);
    assert_int_equal(run->finished[0], 228);
    assert_halted(run, 229);
    assert_int_equal(run->result.counters.store_bytes, 64);
    assert_int_equal(run->result.counters.store_beats, 8);
    assert_int_equal(run->result.counters.store_busy, 228 - 117 + 1);
}

static void stores_have_their_own_limits(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    config.memory_burst = 64;
    config.store_bursts = 2;
    struct weft_instruction program[] = {store_of(256), halt_of()};
    const struct recording *run = record(&config, program, 2);
    assert_burst(run, WEFT_MASTER_STORE, 2, 128, 64, 226, 326);
    assert_int_equal(run->finished[0], 341 + 3);
    assert_int_equal(run->result.counters.store_limit, 106 + 7);
    assert_int_equal(run->result.counters.load_limit, 0);

    config = config_of("ref16");
    config.store_beats = 64;
    program[0] = store_of(768);
    run = record(&config, program, 2);
    assert_int_equal(run->finished[0], 381 + 3);

    config = config_of("ref16");
    config.store_instructions = 2;
    struct weft_instruction three[] = {store_of(64), store_of(64), store_of(64), halt_of()};
    run = record(&config, three, 4);
    assert_int_equal(run->finished[0], 228);
    assert_int_equal(run->started[2], 229);
}

/* ---- the memory port ---- */

static void stores_go_before_loads(void **state) {
    (void)state;
    /* Bursts of 64 bytes. The LOAD's first 8 are granted in 118 to 125; from 126 on the STORE has
     * the port for its 4, then the LOAD has its last 4 in 130 to 133. Beats: 218 to 281, 282 to
     * 313, 314 to 345. */
    struct weft_config config = config_of("ref16");
    config.memory_burst = 64;
    struct weft_instruction program[] = {load_of(12 * 64), store_of(4 * 64), halt_of()};
    const struct recording *run = record(&config, program, 3);
    assert_burst(run, WEFT_MASTER_LOAD, 7, 448, 64, 125, 274);
    assert_burst(run, WEFT_MASTER_STORE, 0, 0, 64, 126, 282);
    assert_burst(run, WEFT_MASTER_STORE, 3, 192, 64, 129, 306);
    assert_burst(run, WEFT_MASTER_LOAD, 8, 512, 64, 130, 314);
    assert_int_equal(run->finished[1], 316);
    assert_int_equal(run->finished[0], 346);
    assert_halted(run, 347);
    assert_int_equal(run->result.counters.load_lost, 4);
    assert_int_equal(run->result.counters.store_lost, 0);
    assert_int_equal(run->result.counters.load_limit, 0);
}

/* Fetch has one burst of one instruction at a time: granted in 1, 109 and, when the one of 109 has
 * arrived, in 217. The transfer's 110 bursts are granted in 118 to 216 and 218 to 228. Beats: 218
 * to 1009, fetch 1010 to 1017, 1018 to 1105. HALT is in the buffer in 1018. */
static void assert_fetch_goes_first(const struct weft_instruction *transfer,
                                    enum weft_master master, uint64_t finish) {
    struct weft_config config = config_of("ref16");
    config.memory_burst = 64;
    config.fetch_bursts = 1;
    config.load_bursts = config.store_bursts = 256;
    config.load_beats = config.store_beats = 4096;
    struct weft_instruction program[] = {*transfer, fence_of(), halt_of()};
    const struct recording *run = record(&config, program, 3);
    assert_burst(run, WEFT_MASTER_FETCH, 1, 64, 64, 109, 209);
    assert_burst(run, WEFT_MASTER_FETCH, 2, 128, 64, 217, 1010);
    assert_burst(run, master, 98, 6272, 64, 216, 1002);
    assert_burst(run, master, 99, 6336, 64, 218, 1018);
    assert_burst(run, master, 109, 6976, 64, 228, 1098);
    assert_int_equal(run->finished[0], finish);
    /* FENCE passes in the cycle after; HALT is taken in the next and tried 7 later. */
    assert_halted(run, finish + 1 + 1 + 7);
    const struct weft_counters *counters = &run->result.counters;
    assert_int_equal(counters->load_lost, master == WEFT_MASTER_LOAD);
    assert_int_equal(counters->store_lost, master == WEFT_MASTER_STORE);
    assert_int_equal(counters->fetch_lost, 0);
    assert_int_equal(counters->dispatch_fence, finish + 1 - 224);
    assert_int_equal(counters->dispatch_empty, 108 + 100);
}

static void fetch_goes_before_both(void **state) {
    (void)state;
    struct weft_instruction load = load_of(110 * 64);
    struct weft_instruction store = store_of(110 * 64);
    assert_fetch_goes_first(&load, WEFT_MASTER_LOAD, 1105 + 1);
    assert_fetch_goes_first(&store, WEFT_MASTER_STORE, 1105 + 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_pays_the_latency),
        cmocka_unit_test(bursts_end_at_boundaries_and_beats_are_aligned),
        cmocka_unit_test(runs_are_walked_in_loop_order),
        cmocka_unit_test(runs_may_go_backwards),
        cmocka_unit_test(loads_back_to_back_pay_the_latency_once),
        cmocka_unit_test(the_next_load_starts_when_the_last_burst_is_granted),
        cmocka_unit_test(outstanding_bursts_are_limited),
        cmocka_unit_test(outstanding_beats_are_limited),
        cmocka_unit_test(loads_in_flight_are_limited),
        cmocka_unit_test(slow_memory_stretches_beats),
        cmocka_unit_test(a_fill_writes_a_line_a_cycle),
        cmocka_unit_test(fills_count_the_lines_that_each_run_touches),
        cmocka_unit_test(a_fill_finishes_after_the_load_before_it),
        cmocka_unit_test(a_fill_waits_for_a_load_that_shares_a_bank),
        cmocka_unit_test(a_load_starts_after_the_last_line_of_a_fill),
        cmocka_unit_test(fills_run_one_after_the_other),
        cmocka_unit_test(a_fill_waits_for_a_load_that_writes_its_ram),
        cmocka_unit_test(a_fill_counts_among_the_loads_in_flight),
        cmocka_unit_test(a_store_finishes_after_its_data),
        cmocka_unit_test(stores_have_their_own_limits),
        cmocka_unit_test(stores_go_before_loads),
        cmocka_unit_test(fetch_goes_before_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
