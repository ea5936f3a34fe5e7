/* isa/verify: the bounds of memories and regions. */
#include "tests/unit/test.h"

#include <inttypes.h>

#include "isa/verify/verify.h"
#include "tests/unit/good_program.h"
#include "tests/unit/helpers.h"

enum {
    REGION = 1000
};

static bool verify(const struct weft_config *config, const struct weft_instruction *instruction,
                   struct weft_error *error) {
    struct weft_instruction program[] = {*instruction, weft_instruction_new(WEFT_OPCODE_HALT)};
    struct weft_regions regions = same_regions(REGION);
    struct weft_proof proof;
    return weft_verify(config, program, LENGTH(program), &regions, &proof, error);
}

/* `instruction` touches the last bytes of `memory`; with `field` one more it is outside. */
static void assert_edge(const struct weft_config *config, struct weft_instruction instruction,
                        const char *field_name, const char *memory) {
    struct weft_error error;
    ASSERT_GOOD(verify(config, &instruction, &error), error);
    const struct weft_field *field = field_of(instruction.opcode, field_name);
    field_set(&instruction, field, 0, weft_field_get(&instruction, field, 0) + 1);
    ASSERT_FAILS(verify(config, &instruction, &error), error, WEFT_VERIFY_BOUNDS);
    assert_int_equal(error.position, 0);
    assert_mentions(error.message, "instruction 0");
    assert_mentions(error.message, memory);
}

static void transfers_end_at_the_last_byte_of_each_memory(void **state) {
    (void)state;
    static const struct {
        enum weft_target target;
        enum weft_memory memory;
    } targets[] = {{WEFT_TARGET_ACT, WEFT_MEMORY_ACT},
                   {WEFT_TARGET_WGT, WEFT_MEMORY_WGT},
                   {WEFT_TARGET_PAR, WEFT_MEMORY_PAR},
                   {WEFT_TARGET_LUT, WEFT_MEMORY_LUT}};
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct weft_config config = config_of(shipped_configs[i]);
        for (size_t k = 0; k < LENGTH(targets); k++) {
            struct weft_instruction load = with_all_banks(WEFT_OPCODE_LOAD);
            load.load.memory = targets[k].target;
            load.load.run = 10;
            load.load.count[1] = 3;
            load.load.local_stride[1] = 20;
            load.load.local = weft_memory_bytes(&config, targets[k].memory) - 50;
            assert_edge(&config, load, "local", weft_memory_names[targets[k].memory]);
            assert_edge(&config, load, "run", weft_memory_names[targets[k].memory]);
        }
        struct weft_instruction fill = with_all_banks(WEFT_OPCODE_FILL);
        fill.fill.local = config.act_bytes - 1;
        assert_edge(&config, fill, "local", "act");
        struct weft_instruction store = with_all_banks(WEFT_OPCODE_STORE);
        store.store.region = 4;
        store.store.local = config.act_bytes - 7;
        store.store.run = 7;
        assert_edge(&config, store, "local", "act");
    }
}

static void transfers_begin_at_the_first_byte(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_error error;
    struct weft_instruction load = with_all_banks(WEFT_OPCODE_LOAD);
    load.load.local = 200;
    load.load.count[2] = 11;
    load.load.local_stride[2] = -20;
    ASSERT_GOOD(verify(&config, &load, &error), error);
    load.load.local--;
    ASSERT_FAILS(verify(&config, &load, &error), error, WEFT_VERIFY_BOUNDS);
    assert_mentions(error.message, "bytes -1 to 199 of act");
}

static void transfers_stay_inside_their_region(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    for (uint32_t region = 0; region < WEFT_REGIONS; region++) {
        struct weft_instruction load = with_all_banks(WEFT_OPCODE_LOAD);
        load.load.region = region;
        load.load.address = REGION - 30;
        load.load.run = 10;
        load.load.count[0] = 2;
        load.load.address_stride[0] = 20;
        assert_edge(&config, load, "address", "external");
        assert_edge(&config, load, "run", "external");
        assert_edge(&config, load, "address_stride", "external");
        if (region != WEFT_REGION_PROGRAM) {
            struct weft_instruction store = with_all_banks(WEFT_OPCODE_STORE);
            store.store.region = region;
            store.store.address = REGION - 1;
            assert_edge(&config, store, "address", "external");
        }
    }
}

static void addresses_do_not_wrap_at_32_bits(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_error error;
    struct weft_instruction load = with_all_banks(WEFT_OPCODE_LOAD);
    load.load.address = UINT32_MAX;
    load.load.run = 2;
    ASSERT_FAILS(verify(&config, &load, &error), error, WEFT_VERIFY_BOUNDS);
    load.load.address = 0;
    load.load.run = 1;
    load.load.count[0] = 3;
    load.load.address_stride[0] = INT32_MIN;
    ASSERT_FAILS(verify(&config, &load, &error), error, WEFT_VERIFY_BOUNDS);
}

/* Every region that the mask names, and no other; the program not even then. */
static void stores_go_to_regions_that_can_be_written(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_error error;
    struct weft_instruction store = with_all_banks(WEFT_OPCODE_STORE);
    struct weft_regions regions = same_regions(REGION);
    struct weft_proof proof;
    for (uint32_t mask = 0; mask <= 0xff; mask++) {
        regions.writable = mask;
        for (uint32_t region = 0; region < WEFT_REGIONS; region++) {
            store.store.region = region;
            struct weft_instruction program[] = {store, weft_instruction_new(WEFT_OPCODE_HALT)};
            bool good = weft_verify(&config, program, LENGTH(program), &regions, &proof, &error);
            assert_int_equal(good, region != WEFT_REGION_PROGRAM && (mask >> region & 1) != 0);
            assert_true(good || error.code == WEFT_VERIFY_WRITE);
        }
    }
    assert_mentions(error.message, "instruction 0 (store): stores to region 0");
    store.store.region = WEFT_REGION_CONSTANTS;
    store.store.address = REGION;
    ASSERT_FAILS(verify(&config, &store, &error), error, WEFT_VERIFY_BOUNDS);
    struct weft_instruction load = with_all_banks(WEFT_OPCODE_LOAD);
    ASSERT_GOOD(verify(&config, &load, &error), error);
}

static void matrix_stays_inside_its_memories(void **state) {
    (void)state;
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct weft_config config = config_of(shipped_configs[i]);
        int32_t block = (int32_t)config.block;
        struct weft_instruction matrix = with_all_banks(WEFT_OPCODE_MATRIX);
        matrix.matrix.pixel_count[0] = 2;
        matrix.matrix.pixel_count[1] = 3;
        matrix.matrix.pixel_act_stride[0] = 100;
        matrix.matrix.pixel_act_stride[1] = 7;
        matrix.matrix.pixel_acc_stride[0] = 10;
        matrix.matrix.pixel_acc_stride[1] = 2;
        matrix.matrix.tile_count[1] = 4;
        matrix.matrix.tile_act_stride[1] = 1000;
        matrix.matrix.act = config.act_bytes - (3000 + 100 + 14 + config.block);
        assert_edge(&config, matrix, "act", "act");
        matrix.matrix.act = 0;
        matrix.matrix.acc = weft_acc_entries(&config) - 15;
        assert_edge(&config, matrix, "acc", "acc");
        matrix.matrix.acc = 0;
        matrix.matrix.wgt = config.wgt_bytes - (uint32_t)(4 * block * block);
        struct weft_error error;
        ASSERT_GOOD(verify(&config, &matrix, &error), error);
        matrix.matrix.wgt += 2 * config.block;
        ASSERT_FAILS(verify(&config, &matrix, &error), error, WEFT_VERIFY_BOUNDS);
        assert_mentions(error.message, "wgt");
    }
}

static void depthwise_counts_every_column_that_is_read(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_error error;
    struct weft_instruction matrix = with_all_banks(WEFT_OPCODE_MATRIX);
    struct weft_matrix_fields *m = &matrix.matrix;
    m->mode = WEFT_MODE_DEPTHWISE;
    m->pixel_count[1] = 3;
    m->pixel_act_stride[1] = 16;
    m->pixel_acc_stride[1] = 1;
    m->window_rows = 3;
    m->window_columns = 2;
    m->window_row_stride = 16 * 101;
    m->window_step = 5;
    /* Columns 0 to 11 of rows 0 to 2. */
    m->act = 262144 - (2 * 101 + 12) * 16;
    ASSERT_GOOD(verify(&config, &matrix, &error), error);
    m->act += 16;
    ASSERT_FAILS(verify(&config, &matrix, &error), error, WEFT_VERIFY_BOUNDS);
}

static void vector_stays_inside_its_memories(void **state) {
    (void)state;
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct weft_config config = config_of(shipped_configs[i]);
        uint32_t lines = config.act_bytes / config.block;
        struct weft_instruction max = unclamped_vector(WEFT_FUNCTION_MAX);
        max.vector.a = 10;
        max.vector.b = 20;
        max.vector.out = lines - 1;
        assert_edge(&config, max, "out", "act");
        max.vector.out = 0;
        max.vector.a = lines - 1;
        assert_edge(&config, max, "a", "act");
        max.vector.a = 10;
        max.vector.b = lines - 1;
        assert_edge(&config, max, "b", "act");
        struct weft_instruction requant = unclamped_vector(WEFT_FUNCTION_REQUANT);
        requant.vector.a = weft_acc_entries(&config) - 1;
        assert_edge(&config, requant, "a", "acc");
        requant.vector.a = 0;
        requant.vector.count[0] = 2;
        requant.vector.out_stride[0] = 1;
        uint32_t par_lines = config.par_bytes / config.block;
        requant.vector.par = par_lines - 8;
        assert_edge(&config, requant, "par", "par");
        requant.vector.per_channel = 1;
        requant.vector.par = par_lines - 18;
        assert_edge(&config, requant, "par", "par");
        requant.vector.short_records = 1;
        requant.vector.par = par_lines - 14;
        assert_edge(&config, requant, "par", "par");
        struct weft_instruction add = unclamped_vector(WEFT_FUNCTION_ADD);
        add.vector.a = 10;
        add.vector.b = 20;
        add.vector.par = par_lines - (config.block == 8 ? 2 : 1);
        assert_edge(&config, add, "par", "par");
    }
}

static void pool_stays_inside_act(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction pool = unclamped_vector(WEFT_FUNCTION_POOL);
    pool.vector.window_count[0] = 3;
    pool.vector.window_count[1] = 2;
    pool.vector.window_stride[0] = 10;
    pool.vector.window_stride[1] = 1;
    pool.vector.a = 16384 - 22;
    assert_edge(&config, pool, "a", "act");
}

static void outside_bytes_are_named(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_error error;
    struct weft_instruction load = with_all_banks(WEFT_OPCODE_LOAD);
    load.load.region = 3;
    load.load.address = 995;
    load.load.run = 6;
    ASSERT_FAILS(verify(&config, &load, &error), error, WEFT_VERIFY_BOUNDS);
    assert_mentions(error.message, "instruction 0 (load)");
    assert_mentions(error.message, "bytes 995 to 1000 of external (region 3), which has 1000");
}

static void every_region_of_the_good_program_is_used_to_its_end(void **state) {
    (void)state;
    static const uint32_t used[] = {WEFT_REGION_CONSTANTS, WEFT_REGION_SCRATCH, WEFT_REGION_INPUTS,
                                    WEFT_REGION_OUTPUTS};
    static const uint64_t first[] = {GOOD_LOAD_TABLE, GOOD_STORE_SCRATCH, GOOD_LOAD_INPUT,
                                     GOOD_STORE_ACCUMULATED};
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct weft_config config = config_of(shipped_configs[i]);
        for (size_t k = 0; k < LENGTH(used); k++) {
            struct good good = good_program(&config);
            good.regions.limit[used[k]]--;
            struct weft_proof proof;
            struct weft_error error;
            ASSERT_FAILS(
                weft_verify(&config, good.program, GOOD_COUNT, &good.regions, &proof, &error),
                error, WEFT_VERIFY_BOUNDS);
            assert_int_equal(error.position, first[k]);
        }
    }
}

static void weight_tiles_beyond_64_bits_are_outside(void **state) {
    (void)state;
    struct weft_config config = config_of("large32");
    struct weft_error error;
    struct weft_instruction matrix = weights_beyond_64_bits();
    ASSERT_FAILS(verify(&config, &matrix, &error), error, WEFT_VERIFY_BOUNDS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transfers_end_at_the_last_byte_of_each_memory),
        cmocka_unit_test(transfers_begin_at_the_first_byte),
        cmocka_unit_test(transfers_stay_inside_their_region),
        cmocka_unit_test(addresses_do_not_wrap_at_32_bits),
        cmocka_unit_test(stores_go_to_regions_that_can_be_written),
        cmocka_unit_test(matrix_stays_inside_its_memories),
        cmocka_unit_test(depthwise_counts_every_column_that_is_read),
        cmocka_unit_test(vector_stays_inside_its_memories),
        cmocka_unit_test(pool_stays_inside_act),
        cmocka_unit_test(outside_bytes_are_named),
        cmocka_unit_test(every_region_of_the_good_program_is_used_to_its_end),
        cmocka_unit_test(weight_tiles_beyond_64_bits_are_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
