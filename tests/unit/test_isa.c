/* isa: the binary form of instructions. */
#include "tests/unit/test.h"

#include <string.h>

#include "tests/unit/helpers.h"

enum {
    ROUNDS = 4000
};

/* Calls `visit` on every element of every field of every opcode. */
struct element {
    uint32_t opcode;
    const struct weft_format *format;
    const struct weft_field *field;
    unsigned index;
    unsigned lsb;
};

static void for_each_element(void (*visit)(const struct element *element)) {
    for (uint32_t opcode = 0; opcode < WEFT_FORMATS; opcode++) {
        const struct weft_format *format = weft_format_of(opcode);
        for (unsigned i = 0; format != NULL && i < format->field_count; i++) {
            const struct weft_field *field = &format->fields[i];
            for (unsigned j = 0; j < field->repeat; j++) {
                struct element element = {opcode, format, field, j, field->lsb + j * field->width};
                visit(&element);
            }
        }
    }
}

/* Bit by bit, so that it shares nothing with the decoder. */
static uint64_t bits_of(const uint8_t *bytes, unsigned lsb, unsigned width) {
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++) {
        unsigned bit = lsb + i;
        value |= (uint64_t)(bytes[bit / 8] >> (bit % 8) & 1) << i;
    }
    return value;
}

static void set_bits(uint8_t *bytes, unsigned lsb, unsigned width, uint64_t value) {
    for (unsigned i = 0; i < width; i++) {
        unsigned bit = lsb + i;
        uint8_t mask = (uint8_t)(1U << (bit % 8));
        bytes[bit / 8] =
            (uint8_t)((value >> i & 1) != 0 ? bytes[bit / 8] | mask : bytes[bit / 8] & ~mask);
    }
}

static void encode_default(uint32_t opcode, uint8_t bytes[WEFT_INSTRUCTION_BYTES]) {
    struct weft_instruction instruction = weft_instruction_new((enum weft_opcode)opcode);
    struct weft_error error;
    ASSERT_GOOD(weft_encode(&instruction, bytes, &error), error);
}

static void assert_decode_fails_at(const uint8_t *bytes, unsigned bit) {
    struct weft_instruction instruction;
    struct weft_error error;
    ASSERT_FAILS(weft_decode(bytes, &instruction, &error), error, WEFT_ENCODING);
    assert_int_equal(error.position, bit);
}

static void fields_fill_an_instruction_without_gap_or_overlap(void **state) {
    (void)state;
    for (uint32_t opcode = 0; opcode < WEFT_FORMATS; opcode++) {
        const struct weft_format *format = weft_format_of(opcode);
        if (format == NULL) {
            continue;
        }
        unsigned at = WEFT_OPCODE_BITS;
        for (unsigned i = 0; i < format->field_count; i++) {
            const struct weft_field *field = &format->fields[i];
            assert_int_equal(field->lsb, at);
            assert_in_range(field->width, 1, 32);
            assert_in_range(field->repeat, 1, 8);
            at += field->width * field->repeat;
        }
        assert_int_equal(format->end, at);
        assert_true(format->end <= WEFT_INSTRUCTION_BITS);
    }
}

static void fields_have_storage_of_their_own(void **state) {
    (void)state;
    for (uint32_t opcode = 0; opcode < WEFT_FORMATS; opcode++) {
        const struct weft_format *format = weft_format_of(opcode);
        bool used[sizeof(struct weft_instruction)] = {false};
        for (size_t i = 0; i < sizeof(uint32_t); i++) {
            used[offsetof(struct weft_instruction, opcode) + i] = true;
        }
        for (unsigned i = 0; format != NULL && i < format->field_count; i++) {
            const struct weft_field *field = &format->fields[i];
            size_t end = field->offset + field->repeat * sizeof(uint32_t);
            assert_true(end <= sizeof(struct weft_instruction));
            for (size_t byte = field->offset; byte < end; byte++) {
                assert_false(used[byte]);
                used[byte] = true;
            }
        }
    }
}

static void only_named_opcodes_have_a_format(void **state) {
    (void)state;
    assert_null(weft_format_of(0));
    assert_null(weft_format_of(WEFT_FORMATS));
    assert_null(weft_format_of(UINT32_MAX));
    static const struct {
        const char *name;
        enum weft_opcode opcode;
        enum weft_unit unit;
    } expected[] = {
        {"load", WEFT_OPCODE_LOAD, WEFT_UNIT_LOAD},
        {"fill", WEFT_OPCODE_FILL, WEFT_UNIT_LOAD},
        {"store", WEFT_OPCODE_STORE, WEFT_UNIT_STORE},
        {"matrix", WEFT_OPCODE_MATRIX, WEFT_UNIT_MATRIX},
        {"vector", WEFT_OPCODE_VECTOR, WEFT_UNIT_VECTOR},
        {"fence", WEFT_OPCODE_FENCE, WEFT_UNITS},
        {"halt", WEFT_OPCODE_HALT, WEFT_UNITS},
    };
    for (size_t i = 0; i < LENGTH(expected); i++) {
        const struct weft_format *format = weft_format_of(expected[i].opcode);
        assert_non_null(format);
        assert_string_equal(format->name, expected[i].name);
        assert_int_equal(format->unit, expected[i].unit);
    }
}

static void random_instructions_survive(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (uint32_t opcode = WEFT_OPCODE_LOAD; opcode <= WEFT_OPCODE_HALT; opcode++) {
        for (int i = 0; i < ROUNDS; i++) {
            struct weft_instruction before = random_instruction(&seed, opcode);
            struct weft_instruction after;
            uint8_t bytes[WEFT_INSTRUCTION_BYTES];
            uint8_t again[WEFT_INSTRUCTION_BYTES];
            struct weft_error error;
            ASSERT_GOOD(weft_encode(&before, bytes, &error), error);
            ASSERT_GOOD(weft_decode(bytes, &after, &error), error);
            assert_memory_equal(&before, &after, sizeof before);
            ASSERT_GOOD(weft_encode(&after, again, &error), error);
            assert_memory_equal(bytes, again, sizeof bytes);
        }
    }
}

static void bytes_that_decode_encode_to_themselves(void **state) {
    (void)state;
    uint64_t seed = 2;
    int decoded = 0;
    for (int i = 0; i < 10 * ROUNDS; i++) {
        uint8_t bytes[WEFT_INSTRUCTION_BYTES];
        uint8_t again[WEFT_INSTRUCTION_BYTES];
        for (size_t k = 0; k < sizeof bytes; k++) {
            bytes[k] = (uint8_t)(random_u64(&seed) >> 20);
        }
        uint32_t opcode = (uint32_t)random_between(&seed, 1, 7);
        set_bits(bytes, 0, WEFT_OPCODE_BITS, opcode);
        for (unsigned bit = weft_format_of(opcode)->end; bit < WEFT_INSTRUCTION_BITS; bit++) {
            set_bits(bytes, bit, 1, 0);
        }
        struct weft_instruction instruction;
        struct weft_error error;
        if (weft_decode(bytes, &instruction, &error)) {
            decoded++;
            ASSERT_GOOD(weft_encode(&instruction, again, &error), error);
            assert_memory_equal(bytes, again, sizeof bytes);
        }
    }
    assert_true(decoded > ROUNDS);
}

static void try_value(const struct element *element, int64_t value) {
    struct weft_instruction before = weft_instruction_new((enum weft_opcode)element->opcode);
    struct weft_instruction after;
    uint8_t plain[WEFT_INSTRUCTION_BYTES];
    uint8_t bytes[WEFT_INSTRUCTION_BYTES];
    struct weft_error error;
    encode_default(element->opcode, plain);
    field_set(&before, element->field, element->index, value);
    ASSERT_GOOD(weft_encode(&before, bytes, &error), error);
    uint64_t mask = (UINT64_C(1) << element->field->width) - 1;
    assert_int_equal(bits_of(bytes, element->lsb, element->field->width), (uint64_t)value & mask);
    ASSERT_GOOD(weft_decode(bytes, &after, &error), error);
    assert_true(weft_field_get(&after, element->field, element->index) == value);
    assert_memory_equal(&before, &after, sizeof before);
    set_bits(plain, element->lsb, element->field->width, (uint64_t)value);
    assert_memory_equal(bytes, plain, sizeof bytes);
}

static void try_extremes(const struct element *element) {
    try_value(element, field_low(element->field));
    try_value(element, field_high(element->opcode, element->field));
}

static void every_field_survives_at_its_extremes(void **state) {
    (void)state;
    for_each_element(try_extremes);
}

static void all_fields_survive_at_their_extremes_at_once(void **state) {
    (void)state;
    for (uint32_t opcode = WEFT_OPCODE_LOAD; opcode <= WEFT_OPCODE_HALT; opcode++) {
        for (int high = 0; high < 2; high++) {
            struct weft_instruction before = weft_instruction_new((enum weft_opcode)opcode);
            struct weft_instruction after;
            const struct weft_format *format = weft_format_of(opcode);
            for (unsigned i = 0; i < format->field_count; i++) {
                const struct weft_field *field = &format->fields[i];
                int64_t value = high != 0 ? field_high(opcode, field) : field_low(field);
                for (unsigned j = 0; j < field->repeat; j++) {
                    field_set(&before, field, j, value);
                }
            }
            uint8_t bytes[WEFT_INSTRUCTION_BYTES];
            struct weft_error error;
            ASSERT_GOOD(weft_encode(&before, bytes, &error), error);
            ASSERT_GOOD(weft_decode(bytes, &after, &error), error);
            assert_memory_equal(&before, &after, sizeof before);
        }
    }
}

static void every_reserved_bit_must_be_zero(void **state) {
    (void)state;
    for (uint32_t opcode = WEFT_OPCODE_LOAD; opcode <= WEFT_OPCODE_HALT; opcode++) {
        for (unsigned bit = weft_format_of(opcode)->end; bit < WEFT_INSTRUCTION_BITS; bit++) {
            uint8_t bytes[WEFT_INSTRUCTION_BYTES];
            encode_default(opcode, bytes);
            set_bits(bytes, bit, 1, 1);
            assert_decode_fails_at(bytes, bit);
        }
    }
}

static void the_lowest_reserved_bit_is_reported(void **state) {
    (void)state;
    uint8_t bytes[WEFT_INSTRUCTION_BYTES];
    encode_default(WEFT_OPCODE_FENCE, bytes);
    memset(bytes + 10, 0xff, 20);
    assert_decode_fails_at(bytes, 80);
}

static void try_zero_count(const struct element *element) {
    if (element->field->kind != WEFT_KIND_COUNT) {
        return;
    }
    uint8_t bytes[WEFT_INSTRUCTION_BYTES];
    encode_default(element->opcode, bytes);
    set_bits(bytes, element->lsb, element->field->width, 0);
    assert_decode_fails_at(bytes, element->lsb);
}

static void counts_of_zero_are_illegal(void **state) {
    (void)state;
    for_each_element(try_zero_count);
}

static void unknown_opcodes_are_illegal(void **state) {
    (void)state;
    for (uint32_t opcode = 0; opcode < 1 << WEFT_OPCODE_BITS; opcode++) {
        if (opcode >= WEFT_OPCODE_LOAD && opcode <= WEFT_OPCODE_HALT) {
            continue;
        }
        uint8_t bytes[WEFT_INSTRUCTION_BYTES] = {(uint8_t)opcode};
        assert_decode_fails_at(bytes, 0);
        struct weft_instruction instruction = {.opcode = opcode};
        struct weft_error error;
        ASSERT_FAILS(weft_encode(&instruction, bytes, &error), error, WEFT_ENCODING);
    }
    struct weft_instruction instruction = {.opcode = UINT32_MAX};
    uint8_t bytes[WEFT_INSTRUCTION_BYTES];
    struct weft_error error;
    ASSERT_FAILS(weft_encode(&instruction, bytes, &error), error, WEFT_ENCODING);
}

static void try_unknown_names(const struct element *element) {
    const struct weft_field *field = element->field;
    if (field->kind != WEFT_KIND_ENUM) {
        return;
    }
    for (unsigned value = field->name_count; value < 1U << field->width; value++) {
        uint8_t bytes[WEFT_INSTRUCTION_BYTES];
        encode_default(element->opcode, bytes);
        set_bits(bytes, element->lsb, field->width, value);
        assert_decode_fails_at(bytes, element->lsb);
    }
    struct weft_instruction instruction = weft_instruction_new((enum weft_opcode)element->opcode);
    field_set(&instruction, field, element->index, field->name_count);
    struct weft_error error;
    ASSERT_FAILS(weft_instruction_check(&instruction, &error), error, WEFT_ENCODING);
}

static void unknown_enumeration_values_are_illegal(void **state) {
    (void)state;
    for_each_element(try_unknown_names);
}

static void try_own_unit(const struct element *element) {
    if (element->field->kind != WEFT_KIND_UNITS) {
        return;
    }
    unsigned own = element->format->unit;
    struct weft_instruction instruction = weft_instruction_new((enum weft_opcode)element->opcode);
    struct weft_error error;
    for (unsigned others = 0; others < 1U << WEFT_UNITS; others++) {
        field_set(&instruction, element->field, 0, (int64_t)(others | 1U << own));
        ASSERT_FAILS(weft_instruction_check(&instruction, &error), error, WEFT_ENCODING);
    }
    uint8_t bytes[WEFT_INSTRUCTION_BYTES];
    encode_default(element->opcode, bytes);
    set_bits(bytes, element->lsb + own, 1, 1);
    struct weft_instruction decoded;
    ASSERT_FAILS(weft_decode(bytes, &decoded, &error), error, WEFT_ENCODING);
}

static void own_units_cannot_be_waited_for_or_signalled(void **state) {
    (void)state;
    for_each_element(try_own_unit);
}

/* isa.h: position = the first wrong bit. */
static void the_own_units_bit_is_the_position(void **state) {
    (void)state;
    uint8_t bytes[WEFT_INSTRUCTION_BYTES];
    encode_default(WEFT_OPCODE_STORE, bytes);
    unsigned bit = field_of(WEFT_OPCODE_STORE, "wait")->lsb + WEFT_UNIT_STORE;
    set_bits(bytes, bit, 1, 1);
    assert_decode_fails_at(bytes, bit);
}

/* isa.h: position = the first wrong bit. */
static void a_wrong_field_is_before_a_wrong_reserved_bit(void **state) {
    (void)state;
    uint8_t bytes[WEFT_INSTRUCTION_BYTES];
    const struct weft_field *run = field_of(WEFT_OPCODE_LOAD, "run");
    encode_default(WEFT_OPCODE_LOAD, bytes);
    set_bits(bytes, run->lsb, run->width, 0);
    set_bits(bytes, WEFT_INSTRUCTION_BITS - 1, 1, 1);
    assert_decode_fails_at(bytes, run->lsb);
}

static void assert_encode_rejects(const struct element *element, int64_t value) {
    struct weft_instruction instruction = weft_instruction_new((enum weft_opcode)element->opcode);
    field_set(&instruction, element->field, element->index, value);
    uint8_t bytes[WEFT_INSTRUCTION_BYTES];
    uint8_t before[WEFT_INSTRUCTION_BYTES];
    memset(bytes, 0xa5, sizeof bytes);
    memcpy(before, bytes, sizeof bytes);
    struct weft_error error;
    ASSERT_FAILS(weft_encode(&instruction, bytes, &error), error, WEFT_ENCODING);
    assert_int_equal(error.position, element->lsb);
    assert_mentions(error.message, element->field->name);
    assert_memory_equal(bytes, before, sizeof bytes);
}

static void try_outside(const struct element *element) {
    const struct weft_field *field = element->field;
    if (field->width == 32) {
        return; /* every value of the structure fits */
    }
    if (field->kind == WEFT_KIND_SIGNED) {
        int64_t half = INT64_C(1) << (field->width - 1);
        assert_encode_rejects(element, half);
        assert_encode_rejects(element, -half - 1);
        assert_encode_rejects(element, INT32_MAX);
        assert_encode_rejects(element, INT32_MIN);
    } else {
        assert_encode_rejects(element, INT64_C(1) << field->width);
        assert_encode_rejects(element, INT64_C(1) << 31);
    }
}

static void values_wider_than_their_field_are_illegal(void **state) {
    (void)state;
    for_each_element(try_outside);
}

static void new_instructions_have_counts_of_one_and_no_more(void **state) {
    (void)state;
    for (uint32_t opcode = WEFT_OPCODE_LOAD; opcode <= WEFT_OPCODE_HALT; opcode++) {
        struct weft_instruction instruction = weft_instruction_new((enum weft_opcode)opcode);
        const struct weft_format *format = weft_format_of(opcode);
        struct weft_error error;
        ASSERT_GOOD(weft_instruction_check(&instruction, &error), error);
        for (unsigned i = 0; i < format->field_count; i++) {
            for (unsigned j = 0; j < format->fields[i].repeat; j++) {
                assert_int_equal(weft_field_get(&instruction, &format->fields[i], j),
                                 format->fields[i].kind == WEFT_KIND_COUNT);
            }
        }
    }
}

/* Bits copied from docs/isa.md by hand. */
static void bits_lie_where_the_document_says(void **state) {
    (void)state;
    struct weft_instruction store = weft_instruction_new(WEFT_OPCODE_STORE);
    store.wait = 1U << WEFT_UNIT_VECTOR;
    store.banks[WEFT_MEMORY_ACT] = 0x80000001;
    store.store.region = 5;
    store.store.address = 0x89abcdef;
    store.store.local_stride[2] = -2;
    uint8_t bytes[WEFT_INSTRUCTION_BYTES];
    struct weft_error error;
    ASSERT_GOOD(weft_encode(&store, bytes, &error), error);
    assert_int_equal(bits_of(bytes, 0, 4), 3);
    assert_int_equal(bits_of(bytes, 4, 4), 4);
    assert_int_equal(bits_of(bytes, 12, 32), 0x80000001);
    assert_int_equal(bits_of(bytes, 59, 3), 5);
    assert_int_equal(bits_of(bytes, 62, 32), 0x89abcdef);
    assert_int_equal(bits_of(bytes, 118, 24), 1);
    assert_int_equal(bits_of(bytes, 174, 16), 1);
    assert_int_equal(bits_of(bytes, 334, 24), 0xfffffe);

    struct weft_instruction vector = weft_instruction_new(WEFT_OPCODE_VECTOR);
    vector.vector.function = WEFT_FUNCTION_RESCALE;
    vector.vector.rounding = WEFT_ROUNDING_FLOAT;
    vector.vector.multiplier = 0x7fffffff;
    vector.vector.shift = -31;
    vector.vector.high = -128;
    ASSERT_GOOD(weft_encode(&vector, bytes, &error), error);
    assert_int_equal(bits_of(bytes, 59, 4), 9);
    assert_int_equal(bits_of(bytes, 63, 2), 2);
    assert_int_equal(bits_of(bytes, 376, 31), 0x7fffffff);
    assert_int_equal(bits_of(bytes, 407, 6), 0x21);
    assert_int_equal(bits_of(bytes, 445, 8), 0x80);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_fill_an_instruction_without_gap_or_overlap),
        cmocka_unit_test(fields_have_storage_of_their_own),
        cmocka_unit_test(only_named_opcodes_have_a_format),
        cmocka_unit_test(random_instructions_survive),
        cmocka_unit_test(bytes_that_decode_encode_to_themselves),
        cmocka_unit_test(every_field_survives_at_its_extremes),
        cmocka_unit_test(all_fields_survive_at_their_extremes_at_once),
        cmocka_unit_test(every_reserved_bit_must_be_zero),
        cmocka_unit_test(the_lowest_reserved_bit_is_reported),
        cmocka_unit_test(counts_of_zero_are_illegal),
        cmocka_unit_test(unknown_opcodes_are_illegal),
        cmocka_unit_test(unknown_enumeration_values_are_illegal),
        cmocka_unit_test(own_units_cannot_be_waited_for_or_signalled),
        cmocka_unit_test(the_own_units_bit_is_the_position),
        cmocka_unit_test(a_wrong_field_is_before_a_wrong_reserved_bit),
        cmocka_unit_test(values_wider_than_their_field_are_illegal),
        cmocka_unit_test(new_instructions_have_counts_of_one_and_no_more),
        cmocka_unit_test(bits_lie_where_the_document_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
