/* compiler/container_*.c: programs of .weft files that are not those of its graph, or break a rule.
 */
#include "tests/unit/containers.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

/* ---- programs and the regions of the graph ---- */

/* PROG: how many programs, then for each its size, its bytes, six numbers, and the bindings of
 * inputs and outputs: how many, then region, offset and bytes of each. */
enum {
    PROGRAM_AT = 12,
    NUMBERS = 6 * 8,
    BINDING = 20
};

static size_t sizes_at(const struct parts *parts) {
    return PROGRAM_AT + (size_t)weft_read_u64(parts->raw[PROG] + 4);
}

static uint8_t *input_binding(const struct parts *parts) {
    return parts->raw[PROG] + sizes_at(parts) + NUMBERS + 4;
}

static uint8_t *output_binding(const struct parts *parts) {
    return input_binding(parts) + BINDING + 4;
}

static void work_is_not_negative(void **state) {
    (void)state;
    struct parts parts = take_apart(&good);
    weft_write_u64(parts.raw[PROG] + sizes_at(&parts) + NUMBERS - 8, UINT64_MAX);
    assert_parts(&parts, WEFT_CONTAINER);
}

static void numbers_of_programs_must_agree(void **state) {
    (void)state;
    struct parts parts = take_apart(&good);
    weft_write_u32(parts.raw[PROG], 0);
    parts.length[PROG] = 4;
    parts.length[CNST] = 0;
    parts.length[NAME] = 8 + strlen("digits") + 16;
    assert_parts(&parts, WEFT_CONTAINER); /* a region has no program */
    parts = take_apart(&good);
    weft_write_u32(parts.raw[PROG], UINT32_MAX);
    assert_parts(&parts, WEFT_CONTAINER);
}

static void a_program_without_a_region_is_refused(void **state) {
    (void)state;
    static const char graph[] = "graph main(%0: 1x16x16x1xi8{0.0039215688593685627, -128} #0) {\n"
                                "  return %0\n}\n";
    struct parts parts = take_apart(&good);
    memcpy(parts.raw[GRPH], graph, sizeof graph - 1);
    parts.length[GRPH] = sizeof graph - 1;
    assert_parts(&parts, WEFT_CONTAINER);
}

/* What was decided is shown with the layers of the programs. */
static void decisions_must_be_of_the_programs(void **state) {
    (void)state;
    struct parts parts = take_apart(&good);
    replace(&parts, DECS, "\"weft_decisions\": 7", "\"weft_decisions\": 3");
    assert_parts(&parts, WEFT_CONTAINER);
    static const char empty[] =
        "{\"weft_decisions\": 7, \"model\": \"m\", \"config\": \"c\", \"regions\": []}";
    parts = take_apart(&good);
    memcpy(parts.raw[DECS], empty, sizeof empty - 1);
    parts.length[DECS] = sizeof empty - 1;
    assert_parts(&parts, WEFT_CONTAINER);
}

static void bindings_must_fit_the_region(void **state) {
    (void)state;
    struct parts parts = take_apart(&good);
    uint64_t input_bytes = weft_read_u64(input_binding(&parts) + 12);
    assert_int_equal(input_bytes, 256);
    weft_write_u64(input_binding(&parts) + 12, 255);
    assert_parts(&parts, WEFT_CONTAINER);
    static const uint32_t regions[] = {WEFT_REGION_PROGRAM, WEFT_REGION_CONSTANTS, 5, 8,
                                       UINT32_MAX};
    for (size_t i = 0; i < sizeof regions / sizeof regions[0]; i++) {
        parts = take_apart(&good);
        weft_write_u32(input_binding(&parts), regions[i]);
        assert_parts(&parts, WEFT_CONTAINER);
        parts = take_apart(&good);
        weft_write_u32(output_binding(&parts), regions[i]);
        assert_parts(&parts, WEFT_CONTAINER);
    }
    static const uint64_t offsets[] = {1, 1 << 20, UINT64_MAX, UINT64_MAX - 255};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        parts = take_apart(&good);
        weft_write_u64(input_binding(&parts) + 4, offsets[i]);
        assert_parts(&parts, WEFT_CONTAINER);
    }
}

static void numbers_of_bindings_must_agree(void **state) {
    (void)state;
    struct parts parts = take_apart(&good);
    uint8_t *count = input_binding(&parts) - 4;
    weft_write_u32(count, 0);
    memmove(count + 4, count + 4 + BINDING,
            parts.length[PROG] - (size_t)(count + 4 + BINDING - parts.raw[PROG]));
    parts.length[PROG] -= BINDING;
    assert_parts(&parts, WEFT_CONTAINER);
    parts = take_apart(&good);
    weft_write_u32(input_binding(&parts) - 4, 2);
    assert_parts(&parts, WEFT_CONTAINER);
    parts = take_apart(&good);
    weft_write_u32(input_binding(&parts) - 4, UINT32_MAX);
    assert_parts(&parts, WEFT_CONTAINER);
}

static void regions_must_not_be_huge(void **state) {
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct parts parts = take_apart(&good);
        weft_write_u64(parts.raw[PROG] + sizes_at(&parts) + 8 * i, (UINT64_C(1) << 30) + 1);
        assert_parts(&parts, WEFT_LIMIT);
    }
}

/* ---- cycles ---- */

enum {
    CYCLES_AT = 24, /* behind the sizes of three regions */
    BOUND_AT = 32,
};

static void a_bound_must_be_the_one_of_the_program(void **state) {
    (void)state;
    static const uint64_t wrong[] = {1, 100, UINT64_MAX, UINT64_C(1) << 63};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct parts parts = take_apart(&good);
        uint8_t *bound = parts.raw[PROG] + sizes_at(&parts) + BOUND_AT;
        weft_write_u64(bound, weft_read_u64(bound) + wrong[i]);
        assert_parts(&parts, WEFT_CONTAINER);
    }
    struct parts parts = take_apart(&good);
    uint8_t *cycles = parts.raw[PROG] + sizes_at(&parts) + CYCLES_AT;
    weft_write_u64(cycles, weft_read_u64(cycles + 8));
    assert_parts(&parts, WEFT_OK);
    parts = take_apart(&good);
    cycles = parts.raw[PROG] + sizes_at(&parts) + CYCLES_AT;
    weft_write_u64(cycles, weft_read_u64(cycles + 8) + 1);
    assert_parts(&parts, WEFT_CONTAINER);
}

static void cycles_have_a_limit_that_the_caller_may_set(void **state) {
    (void)state;
    struct weft_error error;
    struct weft_module *module = read_file(&good);
    const uint64_t bound = weft_module_bound(module);
    assert_int_equal(bound, module->segments[0].bound);
    assert_true(bound >= weft_module_cycles(module));
    weft_module_free(module);
    struct weft_read_options options = {.cycles = bound};
    ASSERT_GOOD(weft_module_read(good.bytes, good.length, &options, &module, &error), error);
    weft_module_free(module);
    options.cycles--;
    module = NULL;
    ASSERT_FAILS(weft_module_read(good.bytes, good.length, &options, &module, &error), error,
                 WEFT_LIMIT);
    assert_null(module);
}

static void regions_must_be_large_enough_for_the_program(void **state) {
    (void)state;
    struct parts parts = take_apart(&good);
    weft_write_u64(parts.raw[CNST], weft_read_u64(parts.raw[CNST]) - 256);
    parts.length[CNST] -= 256;
    assert_parts(&parts, WEFT_VERIFY_BOUNDS);
}

/* ---- instructions ---- */

static void illegal_instructions_are_refused(void **state) {
    (void)state;
    struct parts parts = take_apart(&good);
    parts.raw[PROG][PROGRAM_AT] = 0; /* no opcode */
    assert_parts(&parts, WEFT_ENCODING);
    parts = take_apart(&good);
    parts.raw[PROG][PROGRAM_AT + 63] |= 0x80; /* a reserved bit */
    assert_parts(&parts, WEFT_ENCODING);
    parts = take_apart(&good);
    weft_write_u64(parts.raw[PROG] + 4, weft_read_u64(parts.raw[PROG] + 4) - 1);
    assert_parts(&parts, WEFT_CONTAINER);
}

/* Changes the program and packs it again. */
typedef void change(struct weft_program *program);

static void assert_changed_program(change *edit, enum weft_error_code expected) {
    struct weft_error error;
    struct weft_program program;
    uint8_t *code = NULL;
    struct parts parts = take_apart(&good);
    size_t size = (size_t)weft_read_u64(parts.raw[PROG] + 4);
    ASSERT_GOOD(weft_program_decode(parts.raw[PROG] + PROGRAM_AT, size, &program, &error), error);
    edit(&program);
    ASSERT_GOOD(weft_program_encode(&program, &code, &error), error);
    memcpy(parts.raw[PROG] + PROGRAM_AT, code, size);
    free(code);
    weft_program_free(&program);
    assert_parts(&parts, expected);
}

static struct weft_instruction *first_of(struct weft_program *program, enum weft_opcode opcode) {
    for (size_t i = 0; i < program->count; i++) {
        if (program->instructions[i].opcode == opcode) {
            return &program->instructions[i];
        }
    }
    fail();
    return NULL;
}

static void halt_first(struct weft_program *program) {
    program->instructions[0] = weft_instruction_new(WEFT_OPCODE_HALT);
}

static void store_past_the_outputs(struct weft_program *program) {
    first_of(program, WEFT_OPCODE_STORE)->store.address = 1 << 20;
}

static void store_into_the_constants(struct weft_program *program) {
    struct weft_instruction *store = first_of(program, WEFT_OPCODE_STORE);
    store->store.region = WEFT_REGION_CONSTANTS;
    store->store.address = 0;
}

static void store_into_the_program(struct weft_program *program) {
    struct weft_instruction *store = first_of(program, WEFT_OPCODE_STORE);
    store->store.region = WEFT_REGION_PROGRAM;
    store->store.address = 0;
}

static void drop_banks(struct weft_program *program) {
    first_of(program, WEFT_OPCODE_MATRIX)->banks[WEFT_MEMORY_ACC] = 0;
}

static void drop_wait(struct weft_program *program) {
    size_t i = 0;
    while (program->instructions[i].wait == 0) {
        i++; /* the last instructions wait for something */
    }
    program->instructions[i].wait = 0;
}

static void odd_weights(struct weft_program *program) {
    first_of(program, WEFT_OPCODE_MATRIX)->matrix.wgt++;
}

static void same_accumulators(struct weft_program *program) {
    first_of(program, WEFT_OPCODE_MATRIX)->matrix.pixel_acc_stride[1] = 0;
}

static void programs_are_verified(void **state) {
    (void)state;
    assert_changed_program(halt_first, WEFT_VERIFY_PROGRAM);
    assert_changed_program(store_past_the_outputs, WEFT_VERIFY_BOUNDS);
    assert_changed_program(store_into_the_constants, WEFT_VERIFY_WRITE);
    assert_changed_program(store_into_the_program, WEFT_VERIFY_WRITE);
    assert_changed_program(drop_banks, WEFT_VERIFY_BANKS);
    assert_changed_program(drop_wait, WEFT_VERIFY_BALANCE);
    assert_changed_program(odd_weights, WEFT_VERIFY_RESERVED);
    assert_changed_program(same_accumulators, WEFT_VERIFY_ACCUMULATOR);
}

static void layers_of_instructions_must_exist(void **state) {
    (void)state;
    static const uint32_t layers[] = {1000, INT32_MAX, (uint32_t)-2, UINT32_C(0x80000000)};
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        struct parts parts = take_apart(&good);
        weft_write_u32(parts.raw[NAME] + parts.length[NAME] - 4, layers[i]);
        assert_parts(&parts, WEFT_CONTAINER);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_not_negative),
        cmocka_unit_test(numbers_of_programs_must_agree),
        cmocka_unit_test(a_program_without_a_region_is_refused),
        cmocka_unit_test(decisions_must_be_of_the_programs),
        cmocka_unit_test(bindings_must_fit_the_region),
        cmocka_unit_test(numbers_of_bindings_must_agree),
        cmocka_unit_test(regions_must_not_be_huge),
        cmocka_unit_test(a_bound_must_be_the_one_of_the_program),
        cmocka_unit_test(cycles_have_a_limit_that_the_caller_may_set),
        cmocka_unit_test(regions_must_be_large_enough_for_the_program),
        cmocka_unit_test(illegal_instructions_are_refused),
        cmocka_unit_test(programs_are_verified),
        cmocka_unit_test(layers_of_instructions_must_exist),
    };
    return cmocka_run_group_tests(tests, open_good, close_good);
}
