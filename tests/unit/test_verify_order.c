/* isa/verify: tokens, queues and races between instructions. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/verify/verify.h"
#include "tests/unit/good_program.h"
#include "tests/unit/helpers.h"

enum {
    LOAD = 1 << WEFT_UNIT_LOAD,
    MATRIX = 1 << WEFT_UNIT_MATRIX,
    VECTOR = 1 << WEFT_UNIT_VECTOR,
    STORE = 1 << WEFT_UNIT_STORE,
};

struct outcome {
    bool good;
    struct weft_proof proof;
    struct weft_error error;
};

static struct outcome verify(const struct weft_config *config,
                             const struct weft_instruction *program, size_t count) {
    struct weft_regions regions = same_regions(1 << 20);
    struct outcome outcome;
    memset(&outcome, 0, sizeof outcome);
    outcome.good = weft_verify(config, program, count, &regions, &outcome.proof, &outcome.error);
    return outcome;
}

static void assert_outcome(const struct outcome *outcome, enum weft_error_code code,
                           uint64_t position) {
    assert_string_equal(weft_error_name(outcome->good ? WEFT_OK : outcome->error.code),
                        weft_error_name(code));
    assert_int_equal(outcome->good ? 0 : outcome->error.position, position);
}

/* An instruction of a unit that touches nothing that matters, with tokens. */
static struct weft_instruction small(enum weft_unit unit, uint32_t wait, uint32_t signal) {
    static const enum weft_opcode opcodes[] = {WEFT_OPCODE_FILL, WEFT_OPCODE_MATRIX,
                                               WEFT_OPCODE_VECTOR, WEFT_OPCODE_STORE};
    /* An ACT bank for each unit; B = 16, banks of 8192 bytes. */
    struct weft_instruction instruction = weft_instruction_new(opcodes[unit]);
    instruction.wait = wait;
    instruction.signal = signal;
    instruction.banks[WEFT_MEMORY_ACT] = 1U << unit;
    instruction.banks[WEFT_MEMORY_WGT] = unit == WEFT_UNIT_MATRIX;
    instruction.banks[WEFT_MEMORY_ACC] = unit == WEFT_UNIT_MATRIX;
    switch (unit) {
    case WEFT_UNIT_LOAD:
        break;
    case WEFT_UNIT_MATRIX:
        instruction.matrix.act = 8192;
        break;
    case WEFT_UNIT_VECTOR:
        instruction.vector.function = WEFT_FUNCTION_FILL;
        instruction.vector.out = 2 * 512;
        break;
    default:
        instruction.store.region = WEFT_REGION_OUTPUTS;
        instruction.store.local = 3 * 8192;
        break;
    }
    return instruction;
}

static const struct weft_instruction *halt(void) {
    static struct weft_instruction instruction = {.opcode = WEFT_OPCODE_HALT};
    return &instruction;
}

/* ---- VERIFY_BALANCE ---- */

static void as_many_tokens_are_taken_as_given(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    for (unsigned producer = 0; producer < WEFT_UNITS; producer++) {
        for (unsigned consumer = 0; consumer < WEFT_UNITS; consumer++) {
            if (producer == consumer) {
                continue;
            }
            struct weft_instruction program[] = {small((enum weft_unit)producer, 0, 1U << consumer),
                                                 small((enum weft_unit)consumer, 1U << producer, 0),
                                                 *halt()};
            struct outcome outcome = verify(&config, program, 3);
            assert_outcome(&outcome, WEFT_OK, 0);
            assert_int_equal(outcome.proof.tokens, 1);
            assert_int_equal(outcome.proof.peak_tokens, 1);
            program[0].signal = 0;
            outcome = verify(&config, program, 3);
            assert_outcome(&outcome, WEFT_VERIFY_BALANCE, 2);
            assert_mentions(outcome.error.message, "0 tokens are given and 1 taken");
            assert_mentions(outcome.error.message, weft_unit_names[producer]);
            assert_mentions(outcome.error.message, weft_unit_names[consumer]);
            program[0].signal = 1U << consumer;
            program[1].wait = 0;
            outcome = verify(&config, program, 3);
            assert_outcome(&outcome, WEFT_VERIFY_BALANCE, 2);
            assert_mentions(outcome.error.message, "1 tokens are given and 0 taken");
        }
    }
}

static void each_token_of_the_good_program_is_taken(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    for (size_t at = 0; at < GOOD_COUNT; at++) {
        for (unsigned bit = 0; bit < 2 * WEFT_UNITS; bit++) {
            struct good good = good_program(&config);
            struct weft_instruction *mutant = &good.program[at];
            uint32_t *mask = bit < WEFT_UNITS ? &mutant->wait : &mutant->signal;
            const struct weft_format *format = weft_format_of(mutant->opcode);
            if (format->unit == WEFT_UNITS || format->unit == bit % WEFT_UNITS) {
                continue;
            }
            *mask ^= 1U << bit % WEFT_UNITS;
            struct weft_proof proof;
            struct weft_error error;
            ASSERT_FAILS(
                weft_verify(&config, good.program, GOOD_COUNT, &good.regions, &proof, &error),
                error, WEFT_VERIFY_BALANCE);
            assert_int_equal(error.position, GOOD_HALT);
        }
    }
}

/* ---- VERIFY_DEADLOCK ---- */

static void circular_waits_deadlock(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {small(WEFT_UNIT_LOAD, 0, 0),
                                         small(WEFT_UNIT_LOAD, MATRIX, MATRIX),
                                         small(WEFT_UNIT_MATRIX, LOAD, LOAD), *halt()};
    struct outcome outcome = verify(&config, program, 4);
    assert_outcome(&outcome, WEFT_VERIFY_DEADLOCK, 1);
    assert_mentions(outcome.error.message, "load instruction 1 waits for matrix");
    assert_mentions(outcome.error.message, "matrix instruction 2 waits for load");
    assert_mentions(outcome.error.message, "dispatch cannot pass instruction 3");
}

static void waits_around_all_units_deadlock(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {
        small(WEFT_UNIT_STORE, VECTOR, LOAD), small(WEFT_UNIT_LOAD, STORE, MATRIX),
        small(WEFT_UNIT_MATRIX, LOAD, VECTOR), small(WEFT_UNIT_VECTOR, MATRIX, STORE), *halt()};
    struct outcome outcome = verify(&config, program, 5);
    assert_outcome(&outcome, WEFT_VERIFY_DEADLOCK, 0);
    program[2].wait = 0;
    program[1].signal = 0;
    outcome = verify(&config, program, 5);
    assert_outcome(&outcome, WEFT_OK, 0);
}

static void a_cycle_in_the_good_program_deadlocks(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct good good = good_program(&config);
    good.program[GOOD_STORE_ACCUMULATED].signal = LOAD;
    good.program[GOOD_LOAD_PARAMETERS].wait = STORE;
    struct weft_proof proof;
    struct weft_error error;
    ASSERT_FAILS(weft_verify(&config, good.program, GOOD_COUNT, &good.regions, &proof, &error),
                 error, WEFT_VERIFY_DEADLOCK);
    /* The first STORE gives the second token: LOAD_SCRATCH takes it, and then waits for one more.
     */
    assert_int_equal(error.position, GOOD_LOAD_PARAMETERS);
    assert_mentions(error.message, "load instruction 2 waits for store");
}

/* `waiting` LOADs wait for a MATRIX behind them. */
static struct outcome queue_of(const struct weft_config *config, size_t waiting) {
    struct weft_instruction program[80];
    for (size_t i = 0; i < waiting; i++) {
        program[i] = small(WEFT_UNIT_LOAD, MATRIX, 0);
        program[waiting + i] = small(WEFT_UNIT_MATRIX, 0, LOAD);
    }
    program[2 * waiting] = *halt();
    return verify(config, program, 2 * waiting + 1);
}

static void full_queues_deadlock(void **state) {
    (void)state;
    static const uint32_t depths[] = {2, 3, 8, 32};
    for (size_t i = 0; i < LENGTH(depths); i++) {
        struct weft_config config = config_of("ref16");
        config.queue_depth = depths[i];
        struct outcome outcome = queue_of(&config, depths[i]);
        assert_outcome(&outcome, WEFT_OK, 0);
        outcome = queue_of(&config, depths[i] + 1);
        assert_outcome(&outcome, WEFT_VERIFY_DEADLOCK, 0);
        char part[64];
        (void)snprintf(part, sizeof part, "dispatch cannot pass instruction %u", depths[i]);
        assert_mentions(outcome.error.message, part);
    }
}

static void a_fence_before_the_giver_deadlocks(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {
        small(WEFT_UNIT_LOAD, 0, VECTOR),        small(WEFT_UNIT_STORE, MATRIX, 0),
        weft_instruction_new(WEFT_OPCODE_FENCE), small(WEFT_UNIT_MATRIX, 0, STORE),
        small(WEFT_UNIT_VECTOR, LOAD, 0),        *halt()};
    struct outcome outcome = verify(&config, program, LENGTH(program));
    assert_outcome(&outcome, WEFT_VERIFY_DEADLOCK, 1);
    assert_mentions(outcome.error.message, "store instruction 1 waits for matrix");
    assert_mentions(outcome.error.message, "dispatch cannot pass instruction 2");
    struct weft_instruction fence = program[2];
    program[2] = program[3];
    program[3] = fence;
    outcome = verify(&config, program, LENGTH(program));
    assert_outcome(&outcome, WEFT_OK, 0);
}

/* ---- VERIFY_OVERFLOW ---- */

/* `count` FILLs give a token each before the first VECTOR can take one. */
static struct outcome tokens_of(const struct weft_config *config, size_t count) {
    static struct weft_instruction program[600];
    for (size_t i = 0; i < count; i++) {
        program[i] = small(WEFT_UNIT_LOAD, 0, VECTOR);
        program[count + i] = small(WEFT_UNIT_VECTOR, LOAD, 0);
    }
    program[2 * count] = *halt();
    return verify(config, program, 2 * count + 1);
}

static void semaphores_hold_no_more_than_fit(void **state) {
    (void)state;
    static const uint32_t most[] = {1, 2, 63, 255};
    for (size_t i = 0; i < LENGTH(most); i++) {
        struct weft_config config = config_of("ref16");
        config.semaphore_max = most[i];
        struct outcome outcome = tokens_of(&config, most[i]);
        assert_outcome(&outcome, WEFT_OK, 0);
        assert_int_equal(outcome.proof.peak_tokens, most[i]);
        outcome = tokens_of(&config, most[i] + 1);
        assert_outcome(&outcome, WEFT_VERIFY_OVERFLOW, most[i]);
        assert_mentions(outcome.error.message, "semaphore load to vector");
        char part[64];
        (void)snprintf(part, sizeof part, "instruction %u may not have taken", most[i] + 1);
        assert_mentions(outcome.error.message, part);
    }
}

static void tokens_known_to_be_taken_make_room(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    config.semaphore_max = 1;
    struct weft_instruction program[] = {
        small(WEFT_UNIT_LOAD, 0, VECTOR),
        small(WEFT_UNIT_VECTOR, LOAD, LOAD),
        small(WEFT_UNIT_LOAD, VECTOR, VECTOR),
        small(WEFT_UNIT_VECTOR, LOAD, 0),
        *halt(),
    };
    struct outcome outcome = verify(&config, program, LENGTH(program));
    assert_outcome(&outcome, WEFT_OK, 0);
    assert_int_equal(outcome.proof.peak_tokens, 1);
    program[1].signal = 0;
    program[2].wait = 0;
    outcome = verify(&config, program, LENGTH(program));
    assert_outcome(&outcome, WEFT_VERIFY_OVERFLOW, 2);
    struct weft_instruction fenced[] = {
        program[0], program[1], weft_instruction_new(WEFT_OPCODE_FENCE),
        program[2], program[3], *halt()};
    outcome = verify(&config, fenced, LENGTH(fenced));
    assert_outcome(&outcome, WEFT_OK, 0);
}

static void the_good_program_needs_two_tokens(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct good good = good_program(&config);
    struct weft_proof proof;
    struct weft_error error;
    config.semaphore_max = 2;
    ASSERT_GOOD(weft_verify(&config, good.program, GOOD_COUNT, &good.regions, &proof, &error),
                error);
    assert_int_equal(proof.peak_tokens, 2);
    config.semaphore_max = 1;
    ASSERT_FAILS(weft_verify(&config, good.program, GOOD_COUNT, &good.regions, &proof, &error),
                 error, WEFT_VERIFY_OVERFLOW);
    assert_int_equal(error.position, GOOD_FILL);
}

/* ---- proofs ---- */

static void every_token_of_the_good_program_is_needed(void **state) {
    (void)state;
    for (size_t c = 0; c < SHIPPED_CONFIGS; c++) {
        struct weft_config config = config_of(shipped_configs[c]);
        int dropped = 0;
        for (unsigned pair = 0; pair < WEFT_UNITS * WEFT_UNITS; pair++) {
            unsigned producer = pair / WEFT_UNITS;
            unsigned consumer = pair % WEFT_UNITS;
            for (unsigned token = 0;; token++) {
                struct good good = good_program(&config);
                unsigned given = 0;
                unsigned taken = 0;
                bool found = false;
                for (size_t i = 0; i < GOOD_COUNT; i++) {
                    struct weft_instruction *instruction = &good.program[i];
                    unsigned unit = weft_format_of(instruction->opcode)->unit;
                    if (unit == producer && (instruction->signal >> consumer & 1) != 0 &&
                        given++ == token) {
                        instruction->signal &= ~(1U << consumer);
                        found = true;
                    }
                    if (unit == consumer && (instruction->wait >> producer & 1) != 0 &&
                        taken++ == token) {
                        instruction->wait &= ~(1U << producer);
                    }
                }
                if (!found) {
                    break;
                }
                dropped++;
                struct weft_proof proof;
                struct weft_error error;
                assert_false(
                    weft_verify(&config, good.program, GOOD_COUNT, &good.regions, &proof, &error));
                assert_true(error.code == WEFT_VERIFY_BANK_RACE ||
                            error.code == WEFT_VERIFY_MEMORY_RACE);
            }
        }
        assert_int_equal(dropped, 18);
    }
}

static void the_fence_of_the_good_program_is_needed(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct good good = good_program(&config);
    memmove(&good.program[GOOD_FENCE], &good.program[GOOD_FENCE + 1],
            (GOOD_COUNT - GOOD_FENCE - 1) * sizeof good.program[0]);
    struct weft_proof proof;
    struct weft_error error;
    ASSERT_FAILS(weft_verify(&config, good.program, GOOD_COUNT - 1, &good.regions, &proof, &error),
                 error, WEFT_VERIFY_BANK_RACE);
}

static void the_proof_counts_what_was_proved(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct good good = good_program(&config);
    struct weft_proof proof;
    struct weft_error error;
    ASSERT_GOOD(weft_verify(&config, good.program, GOOD_COUNT, &good.regions, &proof, &error),
                error);
    assert_int_equal(proof.instructions, GOOD_COUNT);
    assert_int_equal(proof.tokens, 18);
    assert_int_equal(proof.peak_tokens, 2);
    assert_true(proof.bank_pairs > 0);
}

/* Load, matrix, vector and store on two sets of banks, each step waiting for who used its banks. */
static void add_step(struct weft_instruction *program, uint32_t i, uint32_t steps) {
    uint32_t back = i >= 2 ? 1 : 0;
    uint32_t forth = i + 2 < steps ? 1 : 0;
    uint32_t set = i % 2;
    struct weft_instruction fill = small(WEFT_UNIT_LOAD, back * MATRIX, MATRIX);
    fill.banks[WEFT_MEMORY_ACT] = 1U << set;
    fill.fill.local = set * 8192;
    struct weft_instruction matrix =
        small(WEFT_UNIT_MATRIX, LOAD | back * VECTOR, forth * LOAD | VECTOR);
    matrix.banks[WEFT_MEMORY_ACT] = 1U << set;
    matrix.banks[WEFT_MEMORY_ACC] = 1U << set;
    matrix.matrix.act = set * 8192;
    matrix.matrix.acc = set * 256;
    struct weft_instruction vector =
        small(WEFT_UNIT_VECTOR, MATRIX | back * STORE, forth * MATRIX | STORE);
    vector.banks[WEFT_MEMORY_ACT] = 4U << set;
    vector.banks[WEFT_MEMORY_ACC] = 1U << set;
    vector.banks[WEFT_MEMORY_PAR] = 1;
    vector.vector.function = WEFT_FUNCTION_REQUANT;
    vector.vector.a = set * 256;
    vector.vector.out = (2 + set) * 512;
    struct weft_instruction store = small(WEFT_UNIT_STORE, VECTOR, forth * VECTOR);
    store.banks[WEFT_MEMORY_ACT] = 4U << set;
    store.store.local = (2 + set) * 8192;
    store.store.run = 16;
    store.store.address = i * 16;
    program[0] = fill;
    program[1] = matrix;
    program[2] = vector;
    program[3] = store;
}

static void long_programs_verify(void **state) {
    (void)state;
    enum {
        STEPS = 5000,
        COUNT = 4 * STEPS + 1
    };
    struct weft_config config = config_of("ref16");
    struct weft_instruction *program = calloc(COUNT, sizeof *program);
    assert_non_null(program);
    for (uint32_t i = 0; i < STEPS; i++) {
        add_step(program + (size_t)4 * i, i, STEPS);
    }
    program[COUNT - 1] = *halt();
    struct outcome outcome = verify(&config, program, COUNT);
    assert_outcome(&outcome, WEFT_OK, 0);
    assert_int_equal(outcome.proof.instructions, COUNT);
    assert_int_equal(outcome.proof.peak_tokens, 2);
    /* One wait less in the middle. */
    program[4 * 2500 + 1].wait &= ~(uint32_t)VECTOR;
    program[4 * 2498 + 2].signal &= ~(uint32_t)MATRIX;
    outcome = verify(&config, program, COUNT);
    assert_outcome(&outcome, WEFT_VERIFY_BANK_RACE, 4 * 2500 + 1);
    free(program);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_tokens_are_taken_as_given),
        cmocka_unit_test(each_token_of_the_good_program_is_taken),
        cmocka_unit_test(circular_waits_deadlock),
        cmocka_unit_test(waits_around_all_units_deadlock),
        cmocka_unit_test(a_cycle_in_the_good_program_deadlocks),
        cmocka_unit_test(full_queues_deadlock),
        cmocka_unit_test(a_fence_before_the_giver_deadlocks),
        cmocka_unit_test(semaphores_hold_no_more_than_fit),
        cmocka_unit_test(tokens_known_to_be_taken_make_room),
        cmocka_unit_test(the_good_program_needs_two_tokens),
        cmocka_unit_test(every_token_of_the_good_program_is_needed),
        cmocka_unit_test(the_fence_of_the_good_program_is_needed),
        cmocka_unit_test(the_proof_counts_what_was_proved),
        cmocka_unit_test(long_programs_verify),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
