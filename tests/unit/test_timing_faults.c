/* sim/timing: every fault in its exact cycle, computed by hand from docs/timing.md.
 *
 * The configuration is ref16. As test_timing_dispatch.c says, instruction i is tried first in 116 +
 * 8i, and starts in 117 + 8i at the earliest. */
#include "tests/unit/test.h"

#include "tests/unit/recording.h"

enum {
    LOAD = 1 << WEFT_UNIT_LOAD,
    MATRIX = 1 << WEFT_UNIT_MATRIX,
    VECTOR = 1 << WEFT_UNIT_VECTOR,
    STORE = 1 << WEFT_UNIT_STORE,
};

static struct weft_instruction illegal(void) {
    return (struct weft_instruction){.opcode = 0};
}

static struct weft_instruction with_act_banks(struct weft_instruction instruction, uint32_t banks) {
    instruction.banks[WEFT_MEMORY_ACT] = banks;
    return instruction;
}

/* ---- ENCODING ---- */

static void illegal_encodings_fault_when_they_are_tried(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {illegal(), halt_of()};
    const struct recording *run = record(&config, program, 2);
    assert_fault(run, WEFT_FAULT_ENCODING, 0, 116);
    assert_int_equal(run->result.counters.instructions, 0);
    program[0].opcode = 15;
    assert_fault(record(&config, program, 2), WEFT_FAULT_ENCODING, 0, 116);
    struct weft_instruction later[] = {load_of(64), illegal(), halt_of()};
    run = record(&config, later, 3);
    assert_fault(run, WEFT_FAULT_ENCODING, 1, 124);
    assert_int_equal(run->finished[0], 0);
}

static void illegal_encodings_do_not_wait_for_queues(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    config.queue_depth = 2;
    struct weft_instruction program[] = {slots_of(500), slots_of(1), slots_of(1), illegal()};
    assert_fault(record(&config, program, 4), WEFT_FAULT_ENCODING, 3, 140);
}

static void banks_that_are_not_there_are_illegal_encodings(void **state) {
    (void)state;
    struct weft_config ref16 = config_of("ref16");
    struct weft_config config = few_banks_config();
    for (unsigned memory = WEFT_MEMORY_ACT; memory <= WEFT_MEMORY_PAR; memory++) {
        uint32_t banks = weft_banks(&config, (enum weft_memory)memory);
        struct weft_instruction program[] = {load_of(64), load_of(64), halt_of()};
        for (uint32_t bank = 0; bank < weft_memory_banks[memory]; bank++) {
            program[1].banks[memory] = 1U << bank;
            assert_int_equal(record(&ref16, program, 3)->result.fault, WEFT_FAULT_NONE);
            const struct recording *run = record(&config, program, 3);
            if (bank < banks) {
                assert_int_equal(run->result.fault, WEFT_FAULT_NONE);
            } else {
                assert_fault(run, WEFT_FAULT_ENCODING, 1, 124);
            }
        }
    }
}

static void features_that_are_not_there_are_illegal_encodings(void **state) {
    (void)state;
    for (size_t i = 0; i < NEEDING; i++) {
        const char *parameter = NULL;
        struct weft_instruction program[] = {load_of(64), needing(i, &parameter), halt_of()};
        struct weft_config config = config_of("ref16");
        assert_int_not_equal(record(&config, program, 3)->result.fault, WEFT_FAULT_ENCODING);
        set_parameter(&config, parameter, 0);
        assert_fault(record(&config, program, 3), WEFT_FAULT_ENCODING, 1, 124);
    }
}

/* ---- ADDRESS ---- */

static void addresses_outside_fault_at_the_start(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction cases[9] = {
        load_of(64),       load_of(64),         store_of(64),
        store_of(64),      fill_of(&config, 1), dense_of(1, 1, 1),
        dense_of(1, 1, 1), slots_of(1),         weft_instruction_new(WEFT_OPCODE_VECTOR),
    };
    cases[0].load.address = (1 << 20) - 63;
    cases[1].load.local = 262144 - 63;
    cases[2].store.address = (1 << 20) - 63;
    cases[3].store.local_stride[1] = -1;
    cases[3].store.count[1] = 2;
    cases[4].fill.local = 262144;
    cases[5].matrix.act = 262144 - 15;
    cases[6].matrix.acc = 1024;
    cases[7].vector.out = 16384;
    cases[8].vector.par = 1024 - 3;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct weft_instruction program[] = {cases[i], halt_of()};
        const struct recording *run = record(&config, program, 2);
        assert_fault(run, WEFT_FAULT_ADDRESS, 0, 117);
        assert_int_equal(run->started[0], 0);
        assert_int_equal(run->result.counters.instructions, 1);
    }
}

static void addresses_are_not_looked_at_before_the_start(void **state) {
    (void)state;
    /* The LOAD finishes in 226. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {load_of(64), slots_of(1), halt_of()};
    program[0].signal = VECTOR;
    program[1].wait = LOAD;
    program[1].vector.out = 16384;
    assert_fault(record(&config, program, 3), WEFT_FAULT_ADDRESS, 1, 227);
}

static void addresses_are_held_against_the_limit_of_their_region(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {load_of(64), halt_of()};
    struct weft_timing_settings settings = {0};
    settings.regions.limit[WEFT_REGION_INPUTS] = 64;
    assert_halted(record_with(&config, program, 2, &settings), 227);
    settings.regions.limit[WEFT_REGION_INPUTS] = 63;
    assert_fault(record_with(&config, program, 2, &settings), WEFT_FAULT_ADDRESS, 0, 117);
}

/* ---- BANK ---- */

static void banks_of_another_unit_fault_at_the_start(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    for (unsigned memory = 0; memory < WEFT_MEMORIES; memory++) {
        uint32_t last = 1U << (weft_banks(&config, (enum weft_memory)memory) - 1);
        struct weft_instruction program[] = {load_of(64), slots_of(1), halt_of()};
        program[0].banks[memory] = last;
        program[1].banks[memory] = last;
        const struct recording *run = record(&config, program, 3);
        assert_fault(run, WEFT_FAULT_BANK, 1, 125);
        assert_int_equal(run->started[1], 0);
        program[1].banks[memory] = last >> 1;
        assert_int_equal(record(&config, program, 3)->result.fault, WEFT_FAULT_NONE);
    }
}

static void every_pair_of_units_can_meet(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction units[] = {load_of(64), dense_of(1, 9, 9), slots_of(100), store_of(64)};
    for (unsigned first = 0; first < WEFT_UNITS; first++) {
        for (unsigned second = 0; second < WEFT_UNITS; second++) {
            struct weft_instruction program[] = {with_act_banks(units[first], 0x30),
                                                 with_act_banks(units[second], 0x60), halt_of()};
            const struct recording *run = record(&config, program, 3);
            if (first == second) {
                assert_int_equal(run->result.fault, WEFT_FAULT_NONE);
            } else {
                assert_fault(run, WEFT_FAULT_BANK, 1, 125);
            }
        }
    }
}

/* Two instructions on banks 4 and 5, which lie in one RAM, or on 3 and 4, which do not. */
static bool ports_meet(struct weft_instruction first, struct weft_instruction second,
                       bool one_ram) {
    struct weft_config config = config_of("ref16");
    config.act_rams = 8;
    struct weft_instruction program[] = {with_act_banks(first, 1U << (one_ram ? 5 : 3)),
                                         with_act_banks(second, 1U << 4), halt_of()};
    const struct recording *run = record(&config, program, 3);
    if (run->result.fault != WEFT_FAULT_NONE) {
        assert_fault(run, WEFT_FAULT_BANK, 1, 125);
    }
    return run->result.fault != WEFT_FAULT_NONE;
}

static void banks_of_one_ram_share_its_ports(void **state) {
    (void)state;
    struct weft_instruction copy = slots_of(100);
    struct weft_instruction fill = slots_of(100);
    copy.vector.function = WEFT_FUNCTION_COPY;
    fill.vector.apart = 1;
    const struct {
        struct weft_instruction instruction;
        bool reads, writes;
    } users[] = {
        {load_of(64), false, true}, {dense_of(1, 9, 9), true, false}, {fill, false, true},
        {copy, true, true},         {store_of(64), true, false},
    };
    for (size_t i = 0; i < LENGTH(users); i++) {
        for (size_t k = 0; k < LENGTH(users); k++) {
            bool same_unit = weft_format_of(users[i].instruction.opcode)->unit ==
                             weft_format_of(users[k].instruction.opcode)->unit;
            bool meet = !same_unit && ((users[i].reads && users[k].reads) ||
                                       (users[i].writes && users[k].writes));
            assert_int_equal(ports_meet(users[i].instruction, users[k].instruction, true), meet);
            assert_false(ports_meet(users[i].instruction, users[k].instruction, false));
        }
    }
}

/* A VECTOR on banks 5 and 8, of RAMs 1 and 2, says what it does with them. */
static void vector_says_what_it_reads_and_writes(void **state) {
    (void)state;
    struct weft_instruction copy = slots_of(100);
    copy.vector.function = WEFT_FUNCTION_COPY;
    const struct {
        struct weft_instruction other;
        uint32_t banks, input_banks, apart;
        bool meet;
    } cases[] = {
        {load_of(64), 1U << 4, 0, 0, true},           {load_of(64), 1U << 4, 1U << 5, 0, false},
        {load_of(64), 1U << 9, 1U << 5, 1, true},     {store_of(64), 1U << 4, 1U << 5, 1, true},
        {store_of(64), 1U << 9, 1U << 5, 0, true},    {store_of(64), 1U << 9, 1U << 5, 1, false},
        {store_of(64), 1U << 5, 0, 1, true},          {store_of(64), 1U << 4, 0, 1, false},
        {load_of(64), 1U << 9, UINT32_MAX, 0, false},
    };
    struct weft_config config = config_of("ref16");
    config.act_rams = 8;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        copy.vector.input_banks = cases[i].input_banks;
        copy.vector.apart = cases[i].apart;
        struct weft_instruction program[] = {with_act_banks(copy, 1U << 5 | 1U << 8),
                                             with_act_banks(cases[i].other, cases[i].banks),
                                             halt_of()};
        const struct recording *run = record(&config, program, 3);
        assert_int_equal(run->result.fault, cases[i].meet ? WEFT_FAULT_BANK : WEFT_FAULT_NONE);
    }
}

static void starts_in_one_cycle_meet_in_the_order_of_units(void **state) {
    (void)state;
    /* MATRIX: u = 125, F = 125 + 7 + 7 = 139. Both others start in 140; vector comes after load,
     * whatever the program's order. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {dense_of(1, 1, 1), with_act_banks(slots_of(1), 8),
                                         with_act_banks(load_of(64), 8), halt_of()};
    program[0].signal = LOAD | VECTOR;
    program[1].wait = program[2].wait = MATRIX;
    const struct recording *run = record(&config, program, 4);
    assert_int_equal(run->started[2], 140);
    assert_fault(run, WEFT_FAULT_BANK, 1, 140);
    program[2] = with_act_banks(store_of(64), 8);
    program[2].wait = MATRIX;
    program[0].signal = VECTOR | STORE;
    assert_fault(record(&config, program, 4), WEFT_FAULT_BANK, 2, 140);
}

static void banks_are_owned_until_the_finish_inclusive(void **state) {
    (void)state;
    /* The VECTOR of n slots finishes in 117 + n + 1; the STORE starts in 125. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {with_act_banks(slots_of(6), 1),
                                         with_act_banks(store_of(64), 1), halt_of()};
    const struct recording *run = record(&config, program, 3);
    assert_int_equal(run->finished[0], 124);
    assert_int_equal(run->result.fault, WEFT_FAULT_NONE);
    program[0] = with_act_banks(slots_of(7), 1);
    assert_fault(record(&config, program, 3), WEFT_FAULT_BANK, 1, 125);
}

static void banks_of_every_instruction_in_flight_count(void **state) {
    (void)state;
    /* The first LOAD finishes in 226, the second in 234. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {with_act_banks(load_of(64), 1),
                                         with_act_banks(load_of(64), 2),
                                         with_act_banks(slots_of(1), 1), halt_of()};
    assert_fault(record(&config, program, 4), WEFT_FAULT_BANK, 2, 133);
    program[0].signal = VECTOR;
    program[2].wait = LOAD;
    const struct recording *run = record(&config, program, 4);
    assert_int_equal(run->result.fault, WEFT_FAULT_NONE);
    assert_int_equal(run->started[2], 227);
    program[2] = with_act_banks(slots_of(1), 2);
    program[2].wait = LOAD;
    assert_fault(record(&config, program, 4), WEFT_FAULT_BANK, 2, 227);
}

/* ---- SEMAPHORE ---- */

/* FILL 0 of 4 lines finishes in 121, FILL 1 of `lines` in 125 + lines; each gives vector a token,
 * and the VECTOR takes one in 133. */
static const struct recording *run_two_tokens(uint32_t most, uint32_t lines) {
    struct weft_config config = config_of("ref16");
    config.semaphore_max = most;
    struct weft_instruction program[] = {fill_of(&config, 4), fill_of(&config, lines), slots_of(1),
                                         halt_of()};
    program[0].signal = program[1].signal = VECTOR;
    program[2].wait = LOAD;
    return record(&config, program, 4);
}

static void one_token_too_many_faults_at_the_finish(void **state) {
    (void)state;
    assert_fault(run_two_tokens(1, 1), WEFT_FAULT_SEMAPHORE, 1, 126);
    assert_fault(run_two_tokens(1, 7), WEFT_FAULT_SEMAPHORE, 1, 132);
    assert_halted(run_two_tokens(2, 7), 140);
}

static void a_token_taken_in_the_same_cycle_makes_room(void **state) {
    (void)state;
    const struct recording *run = run_two_tokens(1, 8);
    assert_int_equal(run->finished[1], 133);
    assert_int_equal(run->started[2], 133);
    assert_halted(run, 140);
    assert_halted(run_two_tokens(1, 9), 140);
}

/* ---- PROGRAM_END ---- */

static void programs_must_not_run_out(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {fence_of()};
    const struct recording *run = record(&config, program, 1);
    assert_fault(run, WEFT_FAULT_PROGRAM_END, 1, 117);
    assert_int_equal(run->result.counters.dispatch_empty, 108 + 1);
    struct weft_instruction load[] = {load_of(64)};
    assert_fault(record(&config, load, 1), WEFT_FAULT_PROGRAM_END, 1, 117);
    struct weft_instruction stuck[] = {load_of(64)};
    stuck[0].wait = VECTOR;
    assert_fault(record(&config, stuck, 1), WEFT_FAULT_PROGRAM_END, 1, 117);
}

static void empty_programs_run_out_at_once(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    const struct recording *run = record(&config, NULL, 0);
    assert_fault(run, WEFT_FAULT_PROGRAM_END, 0, 1);
    assert_int_equal(run->bursts, 0);
    assert_int_equal(run->result.counters.dispatch_empty, 1);
}

/* ---- DEADLOCK ---- */

static void waiting_for_ever_is_noticed_at_once(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {slots_of(1), halt_of()};
    program[0].wait = LOAD;
    const struct recording *run = record(&config, program, 2);
    assert_fault(run, WEFT_FAULT_DEADLOCK, 0, 124);
    assert_int_equal(run->result.counters.vector_wait_load, 124 - 116);
    assert_int_equal(run->result.counters.dispatch_fence, 1);
}

static void deadlock_waits_until_nothing_is_in_flight(void **state) {
    (void)state;
    /* The LOAD finishes in 226. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {load_of(64), slots_of(1), halt_of()};
    program[1].wait = STORE;
    assert_fault(record(&config, program, 3), WEFT_FAULT_DEADLOCK, 1, 227);
}

static void full_queues_deadlock(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    config.queue_depth = 2;
    struct weft_instruction program[] = {slots_of(1), slots_of(1), slots_of(1), load_of(64),
                                         halt_of()};
    program[0].wait = LOAD;
    program[3].signal = VECTOR;
    const struct recording *run = record(&config, program, 5);
    assert_fault(run, WEFT_FAULT_DEADLOCK, 0, 132);
    assert_int_equal(run->result.counters.dispatch_full_vector, 1);
    config.queue_depth = 3;
    assert_int_equal(record(&config, program, 5)->result.fault, WEFT_FAULT_NONE);
}

static void deadlock_names_the_smallest_head(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {fence_of(),  store_of(64), slots_of(1),
                                         load_of(64), fence_of(),   halt_of()};
    program[1].wait = VECTOR;
    program[2].wait = LOAD;
    program[3].wait = STORE;
    assert_fault(record(&config, program, 6), WEFT_FAULT_DEADLOCK, 1, 116 + 4 * 8);
}

static void fetch_does_not_hide_a_deadlock(void **state) {
    (void)state;
    /* large32 with a latency of 15 and one burst of fetch at a time: beats of instructions 0 to 3
     * are 16 to 23; dispatch takes 0, 1 and 2 in 18, 26 and 34, and tries 2 in 41, when the queue
     * is full and nothing can ever start. The second burst of fetch is granted in 24, beats 39 to
     * 46: instruction 4 arrives in 41. */
    struct weft_config config = config_of("large32");
    config.fetch_bursts = 1;
    config.queue_depth = 2;
    struct weft_instruction program[8];
    for (size_t i = 0; i < 7; i++) {
        program[i] = slots_of(1);
        program[i].wait = LOAD;
    }
    program[7] = halt_of();
    struct weft_timing_settings settings = {.memory.latency = 15};
    const struct recording *run = record_with(&config, program, 8, &settings);
    assert_int_equal(run->dispatched[1], 33);
    assert_fault(run, WEFT_FAULT_DEADLOCK, 0, 41);
}

/* ---- WATCHDOG ---- */

static const struct recording *run_watched(uint64_t watchdog) {
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {load_of(64), slots_of(30), fence_of(), halt_of()};
    struct weft_timing_settings settings = {.watchdog = watchdog};
    return record_with(&config, program, 4, &settings);
}

static void the_watchdog_ends_a_run_in_its_cycle(void **state) {
    (void)state;
    /* VECTOR: 125 to 156. FENCE passes in 227; HALT is taken in 228, passes in 235. */
    assert_fault(run_watched(1), WEFT_FAULT_WATCHDOG, 0, 1);
    assert_fault(run_watched(112), WEFT_FAULT_WATCHDOG, 0, 112);
    assert_fault(run_watched(119), WEFT_FAULT_WATCHDOG, 1, 119);
    assert_fault(run_watched(140), WEFT_FAULT_WATCHDOG, 2, 140);
    assert_fault(run_watched(200), WEFT_FAULT_WATCHDOG, 2, 200);
    assert_fault(run_watched(230), WEFT_FAULT_WATCHDOG, 3, 230);
    assert_halted(run_watched(236), 235);
    assert_halted(run_watched(0), 235);
}

static void instructions_that_cannot_finish_in_time_are_not_reported(void **state) {
    (void)state;
    /* What finishes in the last cycle has finished. */
    assert_int_equal(run_watched(156)->started[1], 125);
    assert_int_equal(run_watched(156)->finished[1], 156);
    assert_int_equal(run_watched(155)->started[1], 0);
    assert_int_equal(run_watched(155)->finished[1], 0);
    assert_int_equal(run_watched(130)->started[1], 0);
    /* The finish of a LOAD is not known at its start. */
    assert_int_equal(run_watched(130)->started[0], 117);
}

/* ---- several at once ---- */

static void dispatch_is_reported_before_units(void **state) {
    (void)state;
    /* FILL 1 of 7 lines finishes in 132, when instruction 2 is tried. */
    struct weft_config config = config_of("ref16");
    config.semaphore_max = 1;
    struct weft_instruction program[] = {fill_of(&config, 4), fill_of(&config, 7), illegal()};
    program[0].signal = program[1].signal = VECTOR;
    assert_fault(record(&config, program, 3), WEFT_FAULT_ENCODING, 2, 132);
    /* And in 133 the program has ended. */
    program[1] = fill_of(&config, 8);
    program[1].signal = VECTOR;
    program[2] = fence_of();
    struct weft_instruction ended[] = {program[0], program[1], slots_of(1)};
    assert_fault(record(&config, ended, 3), WEFT_FAULT_PROGRAM_END, 3, 133);
}

static void units_are_reported_in_their_order(void **state) {
    (void)state;
    /* VECTOR 1 of 7 slots starts in 125 and finishes in 133, when MATRIX starts. */
    struct weft_config config = config_of("ref16");
    config.semaphore_max = 1;
    struct weft_instruction program[] = {slots_of(1), slots_of(7), dense_of(1, 1, 1), halt_of()};
    program[0].signal = program[1].signal = STORE;
    program[2].matrix.acc = 1024;
    assert_fault(record(&config, program, 4), WEFT_FAULT_ADDRESS, 2, 133);
    program[2] = store_of(64);
    program[2].store.local = 262144;
    assert_fault(record(&config, program, 4), WEFT_FAULT_SEMAPHORE, 1, 133);
}

static void a_finish_is_reported_before_a_start_of_its_unit(void **state) {
    (void)state;
    /* LOAD 1: beats 226 to 233, finishes in 234. VECTOR 2 starts in 133, finishes in 133 + 99 + 1 =
     * 233; LOAD 3 starts in 234. */
    struct weft_config config = config_of("ref16");
    config.semaphore_max = 1;
    struct weft_instruction program[] = {fill_of(&config, 4), load_of(64), slots_of(99),
                                         load_of(64), halt_of()};
    program[0].signal = program[1].signal = STORE;
    program[2].signal = LOAD;
    program[3].wait = VECTOR;
    program[3].load.local = 262144;
    const struct recording *run = record(&config, program, 5);
    assert_int_equal(run->finished[2], 233);
    assert_fault(run, WEFT_FAULT_SEMAPHORE, 1, 234);
}

static void an_address_is_reported_before_a_bank(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {with_act_banks(load_of(64), 1),
                                         with_act_banks(slots_of(1), 1), halt_of()};
    program[1].vector.out = 16384;
    assert_fault(record(&config, program, 3), WEFT_FAULT_ADDRESS, 1, 125);
}

static void stores_to_regions_that_cannot_be_written_fault_at_their_start(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {store_of(64), halt_of()};
    struct weft_timing_settings settings = {0};
    for (uint32_t region = 0; region < WEFT_REGIONS; region++) {
        program[0].store.region = region;
        settings.regions.writable = 1U << region;
        assert_int_equal(record_with(&config, program, 2, &settings)->result.fault,
                         WEFT_FAULT_NONE);
        settings.regions.writable ^= 0xff;
        assert_fault(record_with(&config, program, 2, &settings), WEFT_FAULT_WRITE, 0, 117);
    }
}

/* ADDRESS before WRITE before BANK; loads do not care. */
static void a_write_is_reported_after_an_address_and_before_a_bank(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_timing_settings settings = {.regions.writable = 1U << WEFT_REGION_INPUTS};
    struct weft_instruction program[] = {with_act_banks(load_of(64), 1),
                                         with_act_banks(store_of(64), 1), halt_of()};
    program[1].store.region = WEFT_REGION_INPUTS;
    assert_fault(record_with(&config, program, 3, &settings), WEFT_FAULT_BANK, 1, 125);
    program[1].store.region = WEFT_REGION_CONSTANTS;
    assert_fault(record_with(&config, program, 3, &settings), WEFT_FAULT_WRITE, 1, 125);
    program[1].store.local = 262144;
    assert_fault(record_with(&config, program, 3, &settings), WEFT_FAULT_ADDRESS, 1, 125);
}

static void deadlock_and_watchdog_come_last(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {slots_of(1), halt_of()};
    program[0].wait = LOAD;
    struct weft_timing_settings settings = {.watchdog = 124};
    assert_fault(record_with(&config, program, 2, &settings), WEFT_FAULT_DEADLOCK, 0, 124);
    settings.watchdog = 123;
    assert_fault(record_with(&config, program, 2, &settings), WEFT_FAULT_WATCHDOG, 1, 123);
    struct weft_instruction address[] = {load_of(64), halt_of()};
    address[0].load.local = 262144;
    settings.watchdog = 117;
    assert_fault(record_with(&config, address, 2, &settings), WEFT_FAULT_ADDRESS, 0, 117);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(illegal_encodings_fault_when_they_are_tried),
        cmocka_unit_test(illegal_encodings_do_not_wait_for_queues),
        cmocka_unit_test(banks_that_are_not_there_are_illegal_encodings),
        cmocka_unit_test(features_that_are_not_there_are_illegal_encodings),
        cmocka_unit_test(addresses_outside_fault_at_the_start),
        cmocka_unit_test(addresses_are_not_looked_at_before_the_start),
        cmocka_unit_test(addresses_are_held_against_the_limit_of_their_region),
        cmocka_unit_test(banks_of_another_unit_fault_at_the_start),
        cmocka_unit_test(every_pair_of_units_can_meet),
        cmocka_unit_test(banks_of_one_ram_share_its_ports),
        cmocka_unit_test(vector_says_what_it_reads_and_writes),
        cmocka_unit_test(starts_in_one_cycle_meet_in_the_order_of_units),
        cmocka_unit_test(banks_are_owned_until_the_finish_inclusive),
        cmocka_unit_test(banks_of_every_instruction_in_flight_count),
        cmocka_unit_test(one_token_too_many_faults_at_the_finish),
        cmocka_unit_test(a_token_taken_in_the_same_cycle_makes_room),
        cmocka_unit_test(programs_must_not_run_out),
        cmocka_unit_test(empty_programs_run_out_at_once),
        cmocka_unit_test(waiting_for_ever_is_noticed_at_once),
        cmocka_unit_test(deadlock_waits_until_nothing_is_in_flight),
        cmocka_unit_test(full_queues_deadlock),
        cmocka_unit_test(deadlock_names_the_smallest_head),
        cmocka_unit_test(fetch_does_not_hide_a_deadlock),
        cmocka_unit_test(the_watchdog_ends_a_run_in_its_cycle),
        cmocka_unit_test(instructions_that_cannot_finish_in_time_are_not_reported),
        cmocka_unit_test(dispatch_is_reported_before_units),
        cmocka_unit_test(units_are_reported_in_their_order),
        cmocka_unit_test(a_finish_is_reported_before_a_start_of_its_unit),
        cmocka_unit_test(an_address_is_reported_before_a_bank),
        cmocka_unit_test(stores_to_regions_that_cannot_be_written_fault_at_their_start),
        cmocka_unit_test(a_write_is_reported_after_an_address_and_before_a_bank),
        cmocka_unit_test(deadlock_and_watchdog_come_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
