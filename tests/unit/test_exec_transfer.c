/* sim/exec: LOAD, FILL and STORE. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/states.h"

enum {
    REGION = 8192,
};

/* A walk in the middle of its memory, in which every level is used and one goes backwards. */
struct shape {
    uint32_t run;
    uint32_t count[3];
    int32_t external[3];
    int32_t local[3];
};

static const struct shape shape = {
    .run = 5, .count = {2, 3, 4}, .external = {-700, 90, 11}, .local = {300, -40, 7}};

enum {
    EXTERNAL = 2000,
    LOCAL = 1000,
};

static void regions_of(struct weft_state *state, uint8_t *bytes) {
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        state->region[i].bytes = bytes + (size_t)i * REGION;
        state->region[i].limit = REGION;
    }
}

/* Calls with the offsets of every byte of the shape. */
static void for_each_byte(void (*visit)(void *context, int64_t external, int64_t local),
                          void *context) {
    for (int64_t i = 0; i < 2; i++) {
        for (int64_t j = 0; j < 3; j++) {
            for (int64_t k = 0; k < 4; k++) {
                for (int64_t byte = 0; byte < 5; byte++) {
                    visit(context, EXTERNAL - 700 * i + 90 * j + 11 * k + byte,
                          LOCAL + 300 * i - 40 * j + 7 * k + byte);
                }
            }
        }
    }
}

struct copy {
    uint8_t *to;
    const uint8_t *from;
};

static void copy_in(void *context, int64_t external, int64_t local) {
    const struct copy *copy = context;
    copy->to[local] = copy->from[external];
}

static void copy_out(void *context, int64_t external, int64_t local) {
    const struct copy *copy = context;
    copy->to[external] = copy->from[local];
}

static void load_copies_runs_into_each_memory(void **state) {
    (void)state;
    struct weft_config config = tiny_config(16);
    uint64_t seed = 24;
    uint8_t *bytes = calloc(WEFT_REGIONS, REGION);
    assert_non_null(bytes);
    random_bytes(&seed, bytes, (size_t)WEFT_REGIONS * REGION);
    config.par_bytes = 4096;
    for (uint32_t target = 0; target < 4; target++) {
        struct weft_state memory = state_of(&config);
        struct weft_state expected = state_of(&config);
        regions_of(&memory, bytes);
        state_randomise(&memory, &seed);
        state_copy(&expected, &memory);
        struct weft_instruction load = weft_instruction_new(WEFT_OPCODE_LOAD);
        load.load = (struct weft_load_fields){
            .memory = target, .region = 6, .address = EXTERNAL, .local = LOCAL, .run = shape.run};
        memcpy(load.load.count, shape.count, sizeof shape.count);
        memcpy(load.load.address_stride, shape.external, sizeof shape.external);
        memcpy(load.load.local_stride, shape.local, sizeof shape.local);
        uint8_t *const memories[] = {(uint8_t *)expected.act, (uint8_t *)expected.wgt, expected.par,
                                     expected.lut};
        struct copy copy = {memories[target], bytes + 6 * (size_t)REGION};
        for_each_byte(copy_in, &copy);
        weft_execute(&memory, WEFT_HOST_PLAIN, &load);
        assert_same_state(&memory, &expected);
        weft_state_free(&memory);
        weft_state_free(&expected);
    }
    free(bytes);
}

static void store_copies_runs_out_of_act(void **state) {
    (void)state;
    struct weft_config config = tiny_config(16);
    uint64_t seed = 25;
    uint8_t *bytes = calloc(2 * (size_t)WEFT_REGIONS, REGION);
    assert_non_null(bytes);
    uint8_t *expected = bytes + (size_t)WEFT_REGIONS * REGION;
    random_bytes(&seed, bytes, (size_t)WEFT_REGIONS * REGION);
    memcpy(expected, bytes, (size_t)WEFT_REGIONS * REGION);
    struct weft_state memory = state_of(&config);
    struct weft_state before = state_of(&config);
    regions_of(&memory, bytes);
    state_randomise(&memory, &seed);
    state_copy(&before, &memory);
    struct weft_instruction store = weft_instruction_new(WEFT_OPCODE_STORE);
    store.store = (struct weft_store_fields){
        .region = 5, .address = EXTERNAL, .local = LOCAL, .run = shape.run};
    memcpy(store.store.count, shape.count, sizeof shape.count);
    memcpy(store.store.address_stride, shape.external, sizeof shape.external);
    memcpy(store.store.local_stride, shape.local, sizeof shape.local);
    struct copy copy = {expected + 5 * (size_t)REGION, (const uint8_t *)before.act};
    for_each_byte(copy_out, &copy);
    weft_execute(&memory, WEFT_HOST_PLAIN, &store);
    assert_memory_equal(bytes, expected, (size_t)WEFT_REGIONS * REGION);
    assert_same_state(&memory, &before);
    weft_state_free(&memory);
    weft_state_free(&before);
    free(bytes);
}

static void set_byte(void *context, int64_t external, int64_t local) {
    (void)external;
    ((int8_t *)context)[local] = -77;
}

static void fill_writes_runs_of_act(void **state) {
    (void)state;
    struct weft_config config = tiny_config(16);
    uint64_t seed = 26;
    struct weft_state memory = state_of(&config);
    struct weft_state expected = state_of(&config);
    state_randomise(&memory, &seed);
    state_copy(&expected, &memory);
    struct weft_instruction fill = weft_instruction_new(WEFT_OPCODE_FILL);
    fill.fill = (struct weft_fill_fields){.value = -77, .local = LOCAL, .run = shape.run};
    memcpy(fill.fill.count, shape.count, sizeof shape.count);
    memcpy(fill.fill.local_stride, shape.local, sizeof shape.local);
    for_each_byte(set_byte, expected.act);
    weft_execute(&memory, WEFT_HOST_PLAIN, &fill);
    assert_same_state(&memory, &expected);
    weft_state_free(&memory);
    weft_state_free(&expected);
}

static void later_runs_overwrite_earlier_ones(void **state) {
    (void)state;
    struct weft_config config = tiny_config(16);
    struct weft_state memory = state_of(&config);
    uint8_t bytes[REGION];
    for (int i = 0; i < 100; i++) {
        bytes[i] = (uint8_t)i;
    }
    memory.region[1].bytes = bytes;
    memory.region[1].limit = REGION;
    struct weft_instruction load = weft_instruction_new(WEFT_OPCODE_LOAD);
    load.load.region = 1;
    load.load.run = 4;
    load.load.count[2] = 3;
    load.load.address_stride[2] = 10;
    load.load.local_stride[2] = 2;
    weft_execute(&memory, WEFT_HOST_PLAIN, &load);
    static const int8_t expected[] = {0, 1, 10, 11, 20, 21, 22, 23, 0};
    assert_memory_equal(memory.act, expected, sizeof expected);
    weft_state_free(&memory);
}

static void the_last_byte_of_a_memory_can_be_reached(void **state) {
    (void)state;
    struct weft_config config = tiny_config(8);
    struct weft_state memory = state_of(&config);
    uint8_t bytes[4] = {9, 8, 7, 6};
    memory.region[3].bytes = bytes;
    memory.region[3].limit = sizeof bytes;
    struct weft_instruction load = weft_instruction_new(WEFT_OPCODE_LOAD);
    load.load.region = 3;
    load.load.run = 4;
    load.load.local = config.act_bytes - 4;
    weft_execute(&memory, WEFT_HOST_PLAIN, &load);
    assert_int_equal(memory.act[config.act_bytes - 1], 6);
    weft_state_free(&memory);
}

static void fence_and_halt_change_nothing(void **state) {
    (void)state;
    struct weft_config config = tiny_config(8);
    uint64_t seed = 27;
    struct weft_state memory = state_of(&config);
    struct weft_state before = state_of(&config);
    state_randomise(&memory, &seed);
    state_copy(&before, &memory);
    struct weft_instruction fence = weft_instruction_new(WEFT_OPCODE_FENCE);
    struct weft_instruction halt = weft_instruction_new(WEFT_OPCODE_HALT);
    weft_execute(&memory, WEFT_HOST_PLAIN, &fence);
    weft_execute(&memory, WEFT_HOST_PLAIN, &halt);
    assert_same_state(&memory, &before);
    weft_state_free(&memory);
    weft_state_free(&before);
}

static void new_states_are_cleared(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_state memory = state_of(&config);
    for (size_t i = 0; i < config.act_bytes; i++) {
        assert_int_equal(memory.act[i], 0);
    }
    for (size_t i = 0; i < config.acc_bytes / 4; i++) {
        assert_int_equal(memory.acc[i], 0);
    }
    for (size_t i = 0; i < WEFT_REGIONS; i++) {
        assert_null(memory.region[i].bytes);
        assert_int_equal(memory.region[i].limit, 0);
    }
    weft_state_free(&memory);
    assert_null(memory.act);
    weft_state_free(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(load_copies_runs_into_each_memory),
        cmocka_unit_test(store_copies_runs_out_of_act),
        cmocka_unit_test(fill_writes_runs_of_act),
        cmocka_unit_test(later_runs_overwrite_earlier_ones),
        cmocka_unit_test(the_last_byte_of_a_memory_can_be_reached),
        cmocka_unit_test(fence_and_halt_change_nothing),
        cmocka_unit_test(new_states_are_cleared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
