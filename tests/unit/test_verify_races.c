/* isa/verify: instructions of different units that can run at once. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <string.h>

#include "isa/verify/verify.h"
#include "tests/unit/good_program.h"
#include "tests/unit/helpers.h"

enum {
    LOAD = 1 << WEFT_UNIT_LOAD,
    MATRIX = 1 << WEFT_UNIT_MATRIX,
    VECTOR = 1 << WEFT_UNIT_VECTOR,
    STORE = 1 << WEFT_UNIT_STORE,
    BANK = 8192,       /* bytes of an ACT bank of ref16 */
    LINES = BANK / 16, /* lines of it */
};

static const uint32_t bit_of[WEFT_UNITS] = {LOAD, MATRIX, VECTOR, STORE};

/* An instruction of each unit that touches bank 0 of what `memory` is, and banks of its own
 * otherwise. */
static struct weft_instruction user(enum weft_unit unit, enum weft_memory memory) {
    static const enum weft_opcode opcodes[] = {WEFT_OPCODE_LOAD, WEFT_OPCODE_MATRIX,
                                               WEFT_OPCODE_VECTOR, WEFT_OPCODE_STORE};
    static const enum weft_target targets[WEFT_MEMORIES] = {
        [WEFT_MEMORY_WGT] = WEFT_TARGET_WGT,
        [WEFT_MEMORY_PAR] = WEFT_TARGET_PAR,
        [WEFT_MEMORY_LUT] = WEFT_TARGET_LUT,
    };
    struct weft_instruction instruction = weft_instruction_new(opcodes[unit]);
    uint32_t act = memory == WEFT_MEMORY_ACT ? 0 : unit + 1;
    instruction.banks[WEFT_MEMORY_ACT] = 1U << act;
    switch (unit) {
    case WEFT_UNIT_LOAD:
        instruction.load.memory = targets[memory];
        instruction.banks[WEFT_MEMORY_ACT] = memory == WEFT_MEMORY_ACT;
        instruction.banks[memory] = 1;
        instruction.load.region = WEFT_REGION_INPUTS;
        break;
    case WEFT_UNIT_MATRIX:
        instruction.matrix.act = act * BANK;
        instruction.banks[WEFT_MEMORY_WGT] = 1;
        instruction.banks[WEFT_MEMORY_ACC] = 1;
        break;
    case WEFT_UNIT_VECTOR:
        instruction.vector.function = memory == WEFT_MEMORY_LUT   ? WEFT_FUNCTION_LUT
                                      : memory == WEFT_MEMORY_ACT ? WEFT_FUNCTION_FILL
                                                                  : WEFT_FUNCTION_REQUANT;
        instruction.vector.apart = instruction.vector.function == WEFT_FUNCTION_FILL;
        instruction.vector.out = act * LINES;
        instruction.vector.a = memory == WEFT_MEMORY_LUT ? act * LINES : 0;
        instruction.banks[WEFT_MEMORY_ACC] = memory != WEFT_MEMORY_LUT && memory != WEFT_MEMORY_ACT;
        instruction.banks[WEFT_MEMORY_PAR] = instruction.banks[WEFT_MEMORY_ACC];
        instruction.banks[WEFT_MEMORY_LUT] = memory == WEFT_MEMORY_LUT;
        break;
    default:
        instruction.store.region = WEFT_REGION_OUTPUTS;
        instruction.store.local = act * BANK;
        break;
    }
    return instruction;
}

static bool verify(const struct weft_instruction *program, size_t count, struct weft_proof *proof,
                   struct weft_error *error) {
    struct weft_config config = config_of("ref16");
    struct weft_regions regions = same_regions(1 << 20);
    return weft_verify(&config, program, count, &regions, proof, error);
}

struct pair {
    enum weft_unit a;
    enum weft_unit b;
    enum weft_memory memory;
};

static void assert_bank_race(const struct pair *pair) {
    struct weft_instruction program[] = {user(pair->a, pair->memory), user(pair->b, pair->memory),
                                         weft_instruction_new(WEFT_OPCODE_HALT)};
    struct weft_proof proof;
    struct weft_error error;
    ASSERT_FAILS(verify(program, 3, &proof, &error), error, WEFT_VERIFY_BANK_RACE);
    assert_int_equal(error.position, 1);
    char part[64];
    (void)snprintf(part, sizeof part, "%s instruction 0", weft_unit_names[pair->a]);
    assert_mentions(error.message, part);
    (void)snprintf(part, sizeof part, "%s instruction 1", weft_unit_names[pair->b]);
    assert_mentions(error.message, part);
    (void)snprintf(part, sizeof part, "%s bank 0", weft_memory_names[pair->memory]);
    assert_mentions(error.message, part);
    program[0].signal = bit_of[pair->b];
    program[1].wait = bit_of[pair->a];
    ASSERT_GOOD(verify(program, 3, &proof, &error), error);
    struct weft_instruction fenced[] = {user(pair->a, pair->memory),
                                        weft_instruction_new(WEFT_OPCODE_FENCE),
                                        user(pair->b, pair->memory), program[2]};
    ASSERT_GOOD(verify(fenced, 4, &proof, &error), error);
}

static void no_two_units_own_a_bank_at_once(void **state) {
    (void)state;
    static const struct pair pairs[] = {
        {WEFT_UNIT_LOAD, WEFT_UNIT_MATRIX, WEFT_MEMORY_ACT},
        {WEFT_UNIT_LOAD, WEFT_UNIT_MATRIX, WEFT_MEMORY_WGT},
        {WEFT_UNIT_LOAD, WEFT_UNIT_VECTOR, WEFT_MEMORY_ACT},
        {WEFT_UNIT_LOAD, WEFT_UNIT_VECTOR, WEFT_MEMORY_PAR},
        {WEFT_UNIT_LOAD, WEFT_UNIT_VECTOR, WEFT_MEMORY_LUT},
        {WEFT_UNIT_LOAD, WEFT_UNIT_STORE, WEFT_MEMORY_ACT},
        {WEFT_UNIT_MATRIX, WEFT_UNIT_VECTOR, WEFT_MEMORY_ACT},
        {WEFT_UNIT_MATRIX, WEFT_UNIT_VECTOR, WEFT_MEMORY_ACC},
        {WEFT_UNIT_MATRIX, WEFT_UNIT_STORE, WEFT_MEMORY_ACT},
        {WEFT_UNIT_VECTOR, WEFT_UNIT_STORE, WEFT_MEMORY_ACT},
    };
    for (size_t i = 0; i < LENGTH(pairs); i++) {
        struct pair turned = {pairs[i].b, pairs[i].a, pairs[i].memory};
        assert_bank_race(&pairs[i]);
        struct weft_instruction program[] = {user(turned.a, turned.memory),
                                             user(turned.b, turned.memory),
                                             weft_instruction_new(WEFT_OPCODE_HALT)};
        struct weft_proof proof;
        struct weft_error error;
        ASSERT_FAILS(verify(program, 3, &proof, &error), error, WEFT_VERIFY_BANK_RACE);
        assert_int_equal(error.position, 1);
        program[0].signal = bit_of[turned.b];
        program[1].wait = bit_of[turned.a];
        ASSERT_GOOD(verify(program, 3, &proof, &error), error);
    }
}

/* Who reads and who writes ACT, of banks that are not the same but lie in one RAM. */
static void no_two_units_own_a_port_at_once(void **state) {
    (void)state;
    static const struct {
        enum weft_unit a, b;
        const char *port; /* NULL: they share none */
    } pairs[] = {
        {WEFT_UNIT_LOAD, WEFT_UNIT_MATRIX, NULL},
        {WEFT_UNIT_LOAD, WEFT_UNIT_VECTOR, "the write port of act bank 0"},
        {WEFT_UNIT_LOAD, WEFT_UNIT_STORE, NULL},
        {WEFT_UNIT_MATRIX, WEFT_UNIT_VECTOR, NULL}, /* it only writes: FILL */
        {WEFT_UNIT_MATRIX, WEFT_UNIT_STORE, "the read port of act bank 0"},
        {WEFT_UNIT_VECTOR, WEFT_UNIT_STORE, NULL},
    };
    struct weft_config config = config_of("ref16");
    struct weft_regions regions = same_regions(1 << 20);
    for (size_t i = 0; i < LENGTH(pairs); i++) {
        struct weft_instruction program[] = {user(pairs[i].a, WEFT_MEMORY_ACT),
                                             user(pairs[i].b, WEFT_MEMORY_ACT),
                                             weft_instruction_new(WEFT_OPCODE_HALT)};
        struct weft_proof proof;
        struct weft_error error;
        program[0].banks[WEFT_MEMORY_ACT] |= 1U << 1;
        program[1].banks[WEFT_MEMORY_ACT] = 1U << 2;
        if (pairs[i].b == WEFT_UNIT_MATRIX) {
            program[1].matrix.act = 2 * BANK;
        } else if (pairs[i].b == WEFT_UNIT_VECTOR) {
            program[1].vector.out = 2 * LINES;
        } else {
            program[1].store.local = 2 * BANK;
        }
        config.act_rams = 32;
        ASSERT_GOOD(weft_verify(&config, program, 3, &regions, &proof, &error), error);
        config.act_rams = 8;
        if (pairs[i].port == NULL) {
            ASSERT_GOOD(weft_verify(&config, program, 3, &regions, &proof, &error), error);
            continue;
        }
        ASSERT_FAILS(weft_verify(&config, program, 3, &regions, &proof, &error), error,
                     WEFT_VERIFY_BANK_RACE);
        assert_mentions(error.message, pairs[i].port);
        program[0].signal = bit_of[pairs[i].b];
        program[1].wait = bit_of[pairs[i].a];
        ASSERT_GOOD(weft_verify(&config, program, 3, &regions, &proof, &error), error);
    }
}

static void banks_that_are_owned_but_not_touched_race_too(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    for (unsigned memory = 0; memory < WEFT_MEMORIES; memory++) {
        uint32_t banks = weft_banks(&config, (enum weft_memory)memory);
        for (uint32_t bank = 0; bank < banks; bank++) {
            struct weft_instruction program[] = {user(WEFT_UNIT_LOAD, WEFT_MEMORY_WGT),
                                                 user(WEFT_UNIT_STORE, WEFT_MEMORY_WGT),
                                                 weft_instruction_new(WEFT_OPCODE_HALT)};
            struct weft_proof proof;
            struct weft_error error;
            ASSERT_GOOD(verify(program, 3, &proof, &error), error);
            program[0].banks[memory] |= 1U << bank;
            program[1].banks[memory] |= 1U << bank;
            ASSERT_FAILS(verify(program, 3, &proof, &error), error, WEFT_VERIFY_BANK_RACE);
            char part[64];
            (void)snprintf(part, sizeof part, "%s bank %u", weft_memory_names[memory], bank);
            assert_mentions(error.message, part);
        }
    }
}

static void one_unit_may_share_its_banks(void **state) {
    (void)state;
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        struct weft_instruction program[] = {user((enum weft_unit)unit, WEFT_MEMORY_ACT),
                                             user((enum weft_unit)unit, WEFT_MEMORY_ACT),
                                             weft_instruction_new(WEFT_OPCODE_HALT)};
        struct weft_proof proof;
        struct weft_error error;
        ASSERT_GOOD(verify(program, 3, &proof, &error), error);
    }
}

static void order_is_passed_on_through_other_units(void **state) {
    (void)state;
    struct weft_instruction program[] = {
        user(WEFT_UNIT_LOAD, WEFT_MEMORY_ACT),   user(WEFT_UNIT_MATRIX, WEFT_MEMORY_LUT),
        user(WEFT_UNIT_VECTOR, WEFT_MEMORY_LUT), user(WEFT_UNIT_STORE, WEFT_MEMORY_ACT),
        weft_instruction_new(WEFT_OPCODE_HALT),
    };
    program[0].signal = MATRIX;
    program[1].wait = LOAD;
    program[1].signal = VECTOR;
    program[2].wait = MATRIX;
    program[2].signal = STORE;
    program[3].wait = VECTOR;
    struct weft_proof proof;
    struct weft_error error;
    ASSERT_GOOD(verify(program, LENGTH(program), &proof, &error), error);
    program[1].signal = 0;
    program[2].wait = 0;
    ASSERT_FAILS(verify(program, LENGTH(program), &proof, &error), error, WEFT_VERIFY_BANK_RACE);
    assert_int_equal(error.position, 3);
    assert_mentions(error.message, "load instruction 0 and store instruction 3 can own act bank 0");
}

/* A finish is known for all earlier instructions of its unit; a start is not. */
static void tokens_order_only_what_is_before_their_giver(void **state) {
    (void)state;
    struct weft_instruction program[] = {
        user(WEFT_UNIT_LOAD, WEFT_MEMORY_ACT), user(WEFT_UNIT_LOAD, WEFT_MEMORY_WGT),
        user(WEFT_UNIT_STORE, WEFT_MEMORY_ACT), weft_instruction_new(WEFT_OPCODE_HALT)};
    struct weft_proof proof;
    struct weft_error error;
    program[1].signal = STORE;
    program[2].wait = LOAD;
    ASSERT_GOOD(verify(program, LENGTH(program), &proof, &error), error);
    struct weft_instruction first = program[0];
    program[0] = program[1];
    program[1] = first;
    ASSERT_FAILS(verify(program, LENGTH(program), &proof, &error), error, WEFT_VERIFY_BANK_RACE);
    assert_mentions(error.message, "store instruction 2");
    assert_mentions(error.message, "load instruction 1");
    assert_mentions(error.message, "only waits for instruction 0");
}

/* ---- VERIFY_MEMORY_RACE ---- */

static void make_transfers(struct weft_instruction program[3], uint32_t region) {
    program[0] = user(WEFT_UNIT_STORE, WEFT_MEMORY_WGT);
    program[1] = user(WEFT_UNIT_LOAD, WEFT_MEMORY_ACT);
    program[2] = weft_instruction_new(WEFT_OPCODE_HALT);
    program[0].store.region = region;
    program[0].store.address = 100;
    program[0].store.run = 50;
    program[1].load.region = region;
    program[1].load.address = 120;
    program[1].load.run = 100;
}

static void transfers_of_the_same_bytes_are_ordered(void **state) {
    (void)state;
    struct weft_proof proof;
    struct weft_error error;
    struct weft_instruction program[3];
    for (uint32_t region = 1; region < WEFT_REGIONS; region++) {
        make_transfers(program, region);
        ASSERT_FAILS(verify(program, 3, &proof, &error), error, WEFT_VERIFY_MEMORY_RACE);
        assert_int_equal(error.position, 1);
        assert_mentions(error.message, "store instruction 0");
        assert_mentions(error.message, "load instruction 1");
        char part[64];
        (void)snprintf(part, sizeof part, "bytes 120 to 149 of region %u", region);
        assert_mentions(error.message, part);
        program[0].signal = LOAD;
        program[1].wait = STORE;
        ASSERT_GOOD(verify(program, 3, &proof, &error), error);
        assert_int_equal(proof.memory_pairs, 0);
    }
}

static void loads_before_stores_are_ordered_too(void **state) {
    (void)state;
    struct weft_proof proof;
    struct weft_error error;
    struct weft_instruction made[3];
    make_transfers(made, 2);
    struct weft_instruction program[] = {made[1], made[0], made[2]};
    ASSERT_FAILS(verify(program, 3, &proof, &error), error, WEFT_VERIFY_MEMORY_RACE);
    assert_int_equal(error.position, 1);
    program[0].signal = STORE;
    program[1].wait = LOAD;
    ASSERT_GOOD(verify(program, 3, &proof, &error), error);
    struct weft_instruction fenced[] = {made[1], weft_instruction_new(WEFT_OPCODE_FENCE), made[0],
                                        made[2]};
    ASSERT_GOOD(verify(fenced, 4, &proof, &error), error);
}

static void transfers_of_other_bytes_may_run_at_once(void **state) {
    (void)state;
    struct weft_proof proof;
    struct weft_error error;
    struct weft_instruction program[3];
    make_transfers(program, 2);
    program[1].load.region = 3;
    ASSERT_GOOD(verify(program, 3, &proof, &error), error);
    assert_int_equal(proof.memory_pairs, 0);
    program[1].load.region = 2;
    program[1].load.address = 150;
    ASSERT_GOOD(verify(program, 3, &proof, &error), error);
    assert_int_equal(proof.memory_pairs, 1);
    program[1].load.address = 149;
    ASSERT_FAILS(verify(program, 3, &proof, &error), error, WEFT_VERIFY_MEMORY_RACE);
    /* Columns of one image, side by side. */
    program[0].store.address = 0;
    program[0].store.run = 16;
    program[0].store.count[2] = 20;
    program[0].store.address_stride[2] = 32;
    program[1].load.address = 16;
    program[1].load.run = 16;
    program[1].load.count[2] = 20;
    program[1].load.address_stride[2] = 32;
    ASSERT_GOOD(verify(program, 3, &proof, &error), error);
    program[1].load.run = 17;
    ASSERT_FAILS(verify(program, 3, &proof, &error), error, WEFT_VERIFY_MEMORY_RACE);
}

static void only_transfers_that_can_run_at_once_are_compared(void **state) {
    (void)state;
    struct weft_proof proof;
    struct weft_error error;
    struct weft_instruction made[3];
    make_transfers(made, 2);
    /* Stores 0 and 1, then loads 2 and 3; load 3 waits for store 1. */
    struct weft_instruction program[] = {made[0], made[0], made[1], made[1], made[2]};
    program[0].store.address = 5000;
    program[1].signal = LOAD;
    program[3].wait = STORE;
    ASSERT_FAILS(verify(program, 5, &proof, &error), error, WEFT_VERIFY_MEMORY_RACE);
    assert_int_equal(error.position, 2);
    assert_mentions(error.message, "store instruction 1 and load instruction 2");
    program[2].load.address = 0;
    ASSERT_GOOD(verify(program, 5, &proof, &error), error);
    assert_int_equal(proof.memory_pairs, 2);
}

/* 3,000 STOREs and 3,000 LOADs that nothing orders: they may be right, but nobody waits for it. */
static void proofs_have_an_end(void **state) {
    (void)state;
    enum {
        EACH = 3000
    };
    struct weft_proof proof;
    struct weft_error error;
    struct weft_instruction made[3];
    static struct weft_instruction program[2 * EACH + 1];
    make_transfers(made, 2);
    made[1].load.address = 4096;
    for (size_t i = 0; i < EACH; i++) {
        program[i] = made[0];
        program[EACH + i] = made[1];
    }
    program[2 * EACH] = made[2];
    ASSERT_FAILS(verify(program, 2 * EACH + 1, &proof, &error), error, WEFT_LIMIT);
    assert_mentions(error.message, "takes more than 134217728 steps");
}

static void the_scratch_token_of_the_good_program_orders_memory(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct good good = good_program(&config);
    struct weft_proof proof;
    struct weft_error error;
    good.program[GOOD_STORE_SCRATCH].signal &= ~(uint32_t)LOAD;
    good.program[GOOD_LOAD_SCRATCH].wait = 0;
    ASSERT_FAILS(weft_verify(&config, good.program, GOOD_COUNT, &good.regions, &proof, &error),
                 error, WEFT_VERIFY_MEMORY_RACE);
    assert_int_equal(error.position, GOOD_LOAD_SCRATCH);
    assert_mentions(error.message, "store instruction 13 and load instruction 16");
    assert_mentions(error.message, "bytes 0 to 2047 of region 2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_two_units_own_a_bank_at_once),
        cmocka_unit_test(no_two_units_own_a_port_at_once),
        cmocka_unit_test(banks_that_are_owned_but_not_touched_race_too),
        cmocka_unit_test(one_unit_may_share_its_banks),
        cmocka_unit_test(order_is_passed_on_through_other_units),
        cmocka_unit_test(tokens_order_only_what_is_before_their_giver),
        cmocka_unit_test(transfers_of_the_same_bytes_are_ordered),
        cmocka_unit_test(loads_before_stores_are_ordered_too),
        cmocka_unit_test(transfers_of_other_bytes_may_run_at_once),
        cmocka_unit_test(only_transfers_that_can_run_at_once_are_compared),
        cmocka_unit_test(proofs_have_an_end),
        cmocka_unit_test(the_scratch_token_of_the_good_program_orders_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
