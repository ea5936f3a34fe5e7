/* sim/timing: MATRIX, VECTOR and semaphores, with cycles computed by hand from docs/timing.md.
 *
 * The configuration is ref16: B = 16, W = 8. As test_timing_dispatch.c says, instruction i enters
 * its queue in 116 + 8i and starts in 117 + 8i at the earliest. */
#include "tests/unit/test.h"

#include <string.h>

#include "sim/timing/duration.h"
#include "tests/unit/recording.h"

enum {
    LOAD = 1 << WEFT_UNIT_LOAD,
    MATRIX = 1 << WEFT_UNIT_MATRIX,
    VECTOR = 1 << WEFT_UNIT_VECTOR,
    STORE = 1 << WEFT_UNIT_STORE,
};

static const struct recording *run_one(const struct weft_config *config,
                                       const struct weft_instruction *instruction) {
    struct weft_instruction program[] = {*instruction, halt_of()};
    return record(config, program, 2);
}

/* ---- MATRIX ---- */

static void a_dense_pass_takes_a_cycle_for_each_pixel(void **state) {
    (void)state;
    /* M = 4 * 5 = 20, N = 2 * 20; u = 117 + 8 = 125; F = 125 + 40 - 1 + 7. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction matrix = dense_of(2, 4, 5);
    const struct recording *run = run_one(&config, &matrix);
    assert_int_equal(run->started[0], 117);
    assert_int_equal(run->finished[0], 171);
    assert_halted(run, 172);
    assert_int_equal(run->result.counters.matrix_stream, 40);
    assert_int_equal(run->result.counters.matrix_busy, 171 - 117 + 1);
}

static void all_tile_levels_count(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction matrix = dense_of(5, 3, 4);
    matrix.matrix.tile_count[0] = 2;
    matrix.matrix.tile_count[1] = 3;
    matrix.matrix.tile_count[2] = 4;
    const struct recording *run = run_one(&config, &matrix);
    assert_int_equal(run->result.counters.matrix_stream, 120 * 12);
    assert_int_equal(run->finished[0], 125 + 1440 - 1 + 7);
}

static void a_pass_takes_at_least_the_time_to_read_a_weight_tile(void **state) {
    (void)state;
    /* M = max(2, W): 8 on ref16, 4 on small8 (which starts in 125), 16 on large32 (in 111). */
    static const struct {
        const char *config;
        uint64_t start;
        uint64_t tile;
    } cases[] = {{"ref16", 117, 8}, {"small8", 125, 4}, {"large32", 111, 16}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct weft_config config = config_of(cases[i].config);
        struct weft_instruction matrix = dense_of(3, 1, 2);
        const struct recording *run = run_one(&config, &matrix);
        uint64_t tile = cases[i].tile;
        assert_int_equal(run->started[0], cases[i].start);
        assert_int_equal(run->finished[0], cases[i].start + tile + 3 * tile - 1 + 7);
        assert_int_equal(run->result.counters.matrix_stream, 3 * tile);
        matrix = dense_of(1, 1, (uint32_t)tile);
        run = run_one(&config, &matrix);
        assert_int_equal(run->result.counters.matrix_stream, tile);
        matrix = dense_of(1, 1, (uint32_t)tile + 1);
        run = run_one(&config, &matrix);
        assert_int_equal(run->result.counters.matrix_stream, tile + 1);
    }
}

static void a_depthwise_pass_takes_a_cycle_for_each_column_read(void **state) {
    (void)state;
    /* M = 3 * ((5 - 1) * 2 + 3) = 33; F = 125 + 2 * 33 - 1 + 7. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction matrix = dense_of(2, 3, 5);
    matrix.matrix.mode = WEFT_MODE_DEPTHWISE;
    matrix.matrix.window_rows = 4;
    matrix.matrix.window_columns = 3;
    matrix.matrix.window_step = 2;
    const struct recording *run = run_one(&config, &matrix);
    assert_int_equal(run->result.counters.matrix_stream, 66);
    assert_int_equal(run->finished[0], 197);
    /* One output: 3 columns, but at least W. */
    matrix = dense_of(1, 1, 1);
    matrix.matrix.mode = WEFT_MODE_DEPTHWISE;
    matrix.matrix.window_rows = 1;
    matrix.matrix.window_columns = 3;
    matrix.matrix.window_step = 15;
    run = run_one(&config, &matrix);
    assert_int_equal(run->result.counters.matrix_stream, 8);
}

static void windows_of_no_columns_and_no_step_take_their_time_too(void **state) {
    (void)state;
    /* 3 * ((5 - 1) * step + columns), none of them being 16 and 64. */
    const struct {
        uint32_t columns, step;
        uint64_t cycles;
    } cases[] = {{3, 2, 33}, {0, 2, 216}, {3, 0, 201}, {0, 0, 384}};
    struct weft_config config = config_of("ref16");
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct weft_instruction matrix = dense_of(1, 3, 5);
        matrix.matrix.mode = WEFT_MODE_DEPTHWISE;
        matrix.matrix.window_rows = 1;
        matrix.matrix.window_columns = cases[i].columns;
        matrix.matrix.window_step = cases[i].step;
        const struct recording *run = run_one(&config, &matrix);
        assert_int_equal(run->result.counters.matrix_stream, cases[i].cycles);
    }
}

static void matrix_streams_without_a_bubble(void **state) {
    (void)state;
    /* The first: u = 125, N = 40, M = 20. Its last pass begins in 145, so the second starts then
     * and reads its weights in 146 to 153. It streams from max(153, 165) = 165 on. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {dense_of(2, 4, 5), dense_of(2, 4, 5), halt_of()};
    program[0].banks[WEFT_MEMORY_ACC] = 1;
    program[1].banks[WEFT_MEMORY_ACC] = 2;
    const struct recording *run = record(&config, program, 3);
    assert_int_equal(run->finished[0], 171);
    assert_int_equal(run->started[1], 145);
    assert_int_equal(run->finished[1], 165 + 40 - 1 + 7);
    assert_int_equal(run->result.counters.matrix_busy, 211 - 117 + 1);
}

static void shared_accumulators_wait_for_the_drain(void **state) {
    (void)state;
    /* As above, but the second streams from 171 + 1 on. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {dense_of(2, 4, 5), dense_of(2, 4, 5), halt_of()};
    program[0].banks[WEFT_MEMORY_ACC] = 3;
    program[1].banks[WEFT_MEMORY_ACC] = 6;
    const struct recording *run = record(&config, program, 3);
    assert_int_equal(run->started[1], 145);
    assert_int_equal(run->finished[1], 172 + 40 - 1 + 7);
}

static void accumulators_of_older_instructions_count_too(void **state) {
    (void)state;
    /* N = M = 8 each. 0: u = 125, F = 139. 1: starts in 125, u = 133, F = 147. 2 shares with 0:
     * starts in 133, u = max(141, 141, 140) = 141, F = 155. 3 shares with 1 and 2: starts in 141,
     * u = max(149, 149, 156) = 156, F = 170. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {dense_of(1, 1, 1), dense_of(1, 1, 1), dense_of(1, 1, 1),
                                         dense_of(1, 1, 1), halt_of()};
    static const uint32_t banks[] = {1, 2, 1, 7};
    for (size_t i = 0; i < 4; i++) {
        program[i].banks[WEFT_MEMORY_ACC] = banks[i];
    }
    const struct recording *run = record(&config, program, 5);
    static const uint64_t start[] = {117, 125, 133, 141};
    static const uint64_t finish[] = {139, 147, 155, 170};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(run->started[i], start[i]);
        assert_int_equal(run->finished[i], finish[i]);
    }
}

static void only_instructions_in_flight_hold_accumulators(void **state) {
    (void)state;
    /* The first finishes in 139; the second starts when FENCE has passed in 140, been followed by
     * its dispatch in 148, in 149. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {dense_of(1, 1, 1), fence_of(), dense_of(1, 1, 1),
                                         halt_of()};
    program[0].banks[WEFT_MEMORY_ACC] = program[2].banks[WEFT_MEMORY_ACC] = 1;
    const struct recording *run = record(&config, program, 4);
    assert_int_equal(run->dispatched[1], 140);
    assert_int_equal(run->started[2], 149);
    assert_int_equal(run->finished[2], 149 + 8 + 8 - 1 + 7);
}

static void weights_are_read_behind_a_long_pass(void **state) {
    (void)state;
    /* The first has one pass of 100: it streams in 125 to 224, and the second starts in 125. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {dense_of(1, 10, 10), dense_of(1, 1, 1), halt_of()};
    const struct recording *run = record(&config, program, 3);
    assert_int_equal(run->started[1], 125);
    assert_int_equal(run->finished[0], 125 + 100 - 1 + 7);
    assert_int_equal(run->finished[1], 225 + 8 - 1 + 7);
}

static void late_instructions_read_their_weights_first(void **state) {
    (void)state;
    /* The first streams in 125 to 132. The second starts in 141, because a VECTOR and a FILL stand
     * before it, and streams from 149 on. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {dense_of(1, 1, 1), slots_of(1), slots_of(1),
                                         dense_of(1, 1, 1), halt_of()};
    const struct recording *run = record(&config, program, 5);
    assert_int_equal(run->started[3], 141);
    assert_int_equal(run->finished[3], 149 + 8 - 1 + 7);
}

static void matrix_instructions_in_flight_are_limited(void **state) {
    (void)state;
    /* N = M = 8. 0: u = 125, F = 139; 1: starts in 125, u = 133, F = 147. 2 could start in 133, but
     * waits for 139: starts in 140, u = max(148, 141) = 148, F = 162. */
    struct weft_config config = config_of("ref16");
    config.matrix_instructions = 2;
    struct weft_instruction program[] = {dense_of(1, 1, 1), dense_of(1, 1, 1), dense_of(1, 1, 1),
                                         halt_of()};
    const struct recording *run = record(&config, program, 4);
    assert_int_equal(run->started[2], 140);
    assert_int_equal(run->finished[2], 162);
    config.matrix_instructions = 3;
    run = record(&config, program, 4);
    assert_int_equal(run->started[2], 133);
}

/* ---- VECTOR ---- */

struct vector_case {
    enum weft_function function;
    uint32_t per_channel;
    uint32_t window[2];
    struct {
        uint64_t slots; /* for counts 2, 3 and 4: 24 vectors, and the latch */
        uint64_t drain;
    } of[2]; /* without and with a deep pipeline */
};

static void every_function_takes_its_slots_and_its_drain(void **state) {
    (void)state;
    static const struct vector_case cases[] = {
        {WEFT_FUNCTION_REQUANT, 0, {1, 1}, {{32, 8}, {32, 10}}},
        {WEFT_FUNCTION_REQUANT, 1, {1, 1}, {{42, 8}, {42, 10}}},
        {WEFT_FUNCTION_ADD, 0, {1, 1}, {{73, 15}, {72, 22}}},
        {WEFT_FUNCTION_SUB, 0, {1, 1}, {{73, 15}, {72, 22}}},
        {WEFT_FUNCTION_MUL, 0, {1, 1}, {{72, 12}, {72, 18}}},
        {WEFT_FUNCTION_MAX, 0, {1, 1}, {{72, 2}, {72, 3}}},
        {WEFT_FUNCTION_MIN, 0, {1, 1}, {{72, 2}, {72, 3}}},
        {WEFT_FUNCTION_POOL, 0, {1, 1}, {{48, 2}, {72, 3}}},
        {WEFT_FUNCTION_POOL, 0, {1, 2}, {{72, 2}, {72, 3}}},
        {WEFT_FUNCTION_POOL, 0, {3, 5}, {{384, 2}, {384, 3}}},
        {WEFT_FUNCTION_LUT, 0, {1, 1}, {{48, 2}, {48, 3}}},
        {WEFT_FUNCTION_COPY, 0, {1, 1}, {{48, 2}, {48, 3}}},
        {WEFT_FUNCTION_RESCALE, 0, {1, 1}, {{48, 7}, {48, 10}}},
        {WEFT_FUNCTION_FILL, 0, {1, 1}, {{24, 1}, {24, 1}}},
        {WEFT_FUNCTION_SQUARED_DIFFERENCE, 0, {1, 1}, {{121, 18}, {120, 28}}},
        {WEFT_FUNCTION_SOFTMAX, 0, {1, 1}, {{172, 11}, {172, 19}}},
    };
    struct weft_config config = config_of("ref16");
    for (size_t i = 0; i < 2 * LENGTH(cases); i++) {
        const struct vector_case *c = &cases[i / 2];
        config.deep_pipeline = i % 2;
        struct weft_instruction vector = weft_instruction_new(WEFT_OPCODE_VECTOR);
        vector.vector.function = c->function;
        vector.vector.per_channel = c->per_channel;
        vector.vector.count[0] = 2;
        vector.vector.count[1] = 3;
        vector.vector.count[2] = 4;
        memcpy(vector.vector.window_count, c->window, sizeof c->window);
        const struct recording *run = run_one(&config, &vector);
        assert_int_equal(run->started[0], 117);
        assert_int_equal(run->finished[0], 117 + c->of[i % 2].slots + c->of[i % 2].drain);
        assert_halted(run, run->finished[0] + 1 > 124 ? run->finished[0] + 1 : 124);
        assert_int_equal(run->result.counters.vector_slots, c->of[i % 2].slots);
    }
}

static void records_take_as_many_slots_as_lines(void **state) {
    (void)state;
    /* 16 bytes are 2 lines of small8, 1 of the others, the last of which takes no slot. small8
     * starts in 125, large32 in 111. */
    static const struct {
        const char *config;
        uint64_t start;
        uint64_t latch;
    } cases[] = {{"small8", 125, 1}, {"ref16", 117, 0}, {"large32", 111, 0}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct weft_config config = config_of(cases[i].config);
        struct weft_instruction add = weft_instruction_new(WEFT_OPCODE_VECTOR);
        add.vector.function = WEFT_FUNCTION_ADD;
        add.vector.count[1] = 7;
        const struct recording *run = run_one(&config, &add);
        assert_int_equal(run->finished[0], cases[i].start + 21 + cases[i].latch + 22);
        struct weft_instruction requant = weft_instruction_new(WEFT_OPCODE_VECTOR);
        requant.vector.per_channel = 1;
        requant.vector.count[0] = 5;
        run = run_one(&config, &requant);
        assert_int_equal(run->finished[0], cases[i].start + 5 + 45 + 10);
        requant.vector.short_records = 1;
        run = run_one(&config, &requant);
        assert_int_equal(run->finished[0], cases[i].start + 5 + 35 + 10);
        requant.vector.short_records = 0;
        requant.vector.rounding = WEFT_ROUNDING_SINGLE;
        run = run_one(&config, &requant);
        assert_int_equal(run->finished[0], cases[i].start + 5 + 45 + 12);
        requant.vector.rounding = WEFT_ROUNDING_FLOAT;
        run = run_one(&config, &requant);
        assert_int_equal(run->finished[0], cases[i].start + 5 + 45 + 12);
        config.deep_pipeline = 0;
        run = run_one(&config, &requant);
        assert_int_equal(run->finished[0], cases[i].start + 5 + 45 + 9);
        requant.vector.rounding = WEFT_ROUNDING_SINGLE;
        run = run_one(&config, &requant);
        assert_int_equal(run->finished[0], cases[i].start + 5 + 45 + 8);
    }
}

static void one_vector_runs_at_a_time(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {slots_of(50), slots_of(2), halt_of()};
    const struct recording *run = record(&config, program, 3);
    assert_int_equal(run->finished[0], 168);
    assert_int_equal(run->started[1], 169);
    assert_int_equal(run->finished[1], 172);
    assert_int_equal(run->result.counters.vector_busy, 172 - 117 + 1);
    assert_int_equal(run->result.counters.vector_slots, 52);
}

/* ---- semaphores ---- */

static void consumers_start_in_the_cycle_after_the_finish(void **state) {
    (void)state;
    /* The LOAD finishes in 226. The VECTOR waits in 125 to 226, is busy in 227 to 229. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {load_of(64), slots_of(1), halt_of()};
    program[0].signal = VECTOR;
    program[1].wait = LOAD;
    const struct recording *run = record(&config, program, 3);
    assert_int_equal(run->finished[0], 226);
    assert_int_equal(run->started[1], 227);
    assert_halted(run, 230);
    const struct weft_counters *counters = &run->result.counters;
    assert_int_equal(counters->vector_wait_load, 102);
    assert_int_equal(counters->vector_busy, 3);
    assert_int_equal(counters->vector_empty, 124 + 1);
    assert_int_equal(counters->load_empty, 116 + 230 - 226);
}

static void tokens_given_earlier_do_not_wait(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {slots_of(1), slots_of(1), load_of(64), load_of(64),
                                         halt_of()};
    program[0].signal = program[1].signal = LOAD;
    program[2].wait = program[3].wait = VECTOR;
    const struct recording *run = record(&config, program, 5);
    assert_int_equal(run->started[2], 133);
    assert_int_equal(run->started[3], 141);
    assert_int_equal(run->result.counters.load_wait_vector, 0);
}

static void waits_count_for_the_first_producer_that_is_missing(void **state) {
    (void)state;
    /* LOAD finishes in 226. MATRIX: M = 162, u = 133, F = 133 + 161 + 7 = 301. VECTOR starts in
     * 133, F = 133 + 217 + 1 = 351. STORE is queued in 140: it waits for load in 141 to 226, for
     * matrix in 227 to 301, for vector in 302 to 351. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {load_of(64), dense_of(1, 2, 81), slots_of(217),
                                         store_of(64), halt_of()};
    program[0].signal = program[1].signal = program[2].signal = STORE;
    program[3].wait = LOAD | MATRIX | VECTOR;
    const struct recording *run = record(&config, program, 5);
    assert_int_equal(run->finished[1], 301);
    assert_int_equal(run->finished[2], 351);
    assert_int_equal(run->started[3], 352);
    assert_int_equal(run->result.counters.store_wait_load, 226 - 140);
    assert_int_equal(run->result.counters.store_wait_matrix, 301 - 226);
    assert_int_equal(run->result.counters.store_wait_vector, 351 - 301);
    assert_int_equal(run->result.counters.store_empty, 140 + 1);
}

static void every_pair_of_units_has_a_wait_counter(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    for (unsigned producer = 0; producer < WEFT_UNITS; producer++) {
        for (unsigned consumer = 0; consumer < WEFT_UNITS; consumer++) {
            struct weft_instruction units[] = {fill_of(&config, 40), dense_of(1, 8, 8),
                                               slots_of(40), store_of(64)};
            if (producer == consumer) {
                continue;
            }
            struct weft_instruction program[] = {units[producer], units[consumer], halt_of()};
            program[0].signal = 1U << consumer;
            program[1].wait = 1U << producer;
            const struct recording *run = record(&config, program, 3);
            assert_int_equal(run->started[1], run->finished[0] + 1);
            const struct weft_counters *c = &run->result.counters;
            const uint64_t waits[WEFT_UNITS][WEFT_UNITS] = {
                {0, c->matrix_wait_load, c->vector_wait_load, c->store_wait_load},
                {c->load_wait_matrix, 0, c->vector_wait_matrix, c->store_wait_matrix},
                {c->load_wait_vector, c->matrix_wait_vector, 0, c->store_wait_vector},
                {c->load_wait_store, c->matrix_wait_store, c->vector_wait_store, 0},
            };
            for (unsigned i = 0; i < WEFT_UNITS * WEFT_UNITS; i++) {
                unsigned from = i / WEFT_UNITS;
                unsigned to = i % WEFT_UNITS;
                bool waited = from == producer && to == consumer;
                assert_int_equal(waits[from][to], waited ? run->finished[0] - 124 : 0);
            }
        }
    }
}

static void waiting_behind_the_own_unit_is_not_a_wait(void **state) {
    (void)state;
    /* The second VECTOR waits for LOAD while the first runs: busy. LOAD finishes in 242: it is the
     * third to be dispatched, its beats are 234 to 241. The first finishes in 117 + 51 = 168. */
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {slots_of(50), slots_of(1), load_of(64), halt_of()};
    program[1].wait = LOAD;
    program[2].signal = VECTOR;
    const struct recording *run = record(&config, program, 4);
    assert_int_equal(run->finished[0], 168);
    assert_int_equal(run->finished[2], 242);
    assert_int_equal(run->started[1], 243);
    assert_int_equal(run->result.counters.vector_wait_load, 242 - 168);
    assert_int_equal(run->result.counters.vector_busy, 168 - 117 + 1 + 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dense_pass_takes_a_cycle_for_each_pixel),
        cmocka_unit_test(all_tile_levels_count),
        cmocka_unit_test(a_pass_takes_at_least_the_time_to_read_a_weight_tile),
        cmocka_unit_test(a_depthwise_pass_takes_a_cycle_for_each_column_read),
        cmocka_unit_test(windows_of_no_columns_and_no_step_take_their_time_too),
        cmocka_unit_test(matrix_streams_without_a_bubble),
        cmocka_unit_test(shared_accumulators_wait_for_the_drain),
        cmocka_unit_test(accumulators_of_older_instructions_count_too),
        cmocka_unit_test(only_instructions_in_flight_hold_accumulators),
        cmocka_unit_test(weights_are_read_behind_a_long_pass),
        cmocka_unit_test(late_instructions_read_their_weights_first),
        cmocka_unit_test(matrix_instructions_in_flight_are_limited),
        cmocka_unit_test(every_function_takes_its_slots_and_its_drain),
        cmocka_unit_test(records_take_as_many_slots_as_lines),
        cmocka_unit_test(one_vector_runs_at_a_time),
        cmocka_unit_test(consumers_start_in_the_cycle_after_the_finish),
        cmocka_unit_test(tokens_given_earlier_do_not_wait),
        cmocka_unit_test(waits_count_for_the_first_producer_that_is_missing),
        cmocka_unit_test(every_pair_of_units_has_a_wait_counter),
        cmocka_unit_test(waiting_behind_the_own_unit_is_not_a_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
