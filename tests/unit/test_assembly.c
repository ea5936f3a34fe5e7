/* isa: the text form of instructions, and whole programs. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/helpers.h"

static char *text_of(const struct weft_instruction *instruction) {
    struct weft_text text = {0};
    struct weft_error error;
    weft_disassemble(instruction, &text);
    ASSERT_GOOD(weft_text_finish(&text, &error), error);
    return text.bytes;
}

static struct weft_program assemble(const char *source) {
    struct weft_program program;
    struct weft_error error;
    ASSERT_GOOD(weft_assemble(source, strlen(source), &program, &error), error);
    return program;
}

static void assert_rejected(const char *source, size_t length, uint64_t line) {
    struct weft_program program;
    struct weft_error error;
    assert_false(weft_assemble(source, length, &program, &error));
    if (error.code != WEFT_ASSEMBLY || error.position != line) {
        print_error("'%s': %s at %llu: %s\n", source, weft_error_name(error.code),
                    (unsigned long long)error.position, error.message);
    }
    assert_int_equal(error.code, WEFT_ASSEMBLY);
    assert_int_equal(error.position, line);
    assert_null(program.instructions);
    assert_int_equal(program.count, 0);
}

/* The lines before and after are good. */
static void assert_line_rejected(const char *line) {
    char source[512];
    (void)snprintf(source, sizeof source, "halt\n; comment\n\n%s", line);
    assert_rejected(source, strlen(source), 4);
    (void)snprintf(source, sizeof source, "halt\n; comment\n\n%s\nhalt\n", line);
    assert_rejected(source, strlen(source), 4);
}

static void random_instructions_are_read_back(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (uint32_t opcode = WEFT_OPCODE_LOAD; opcode <= WEFT_OPCODE_HALT; opcode++) {
        for (int i = 0; i < 1000; i++) {
            struct weft_instruction before = random_instruction(&seed, opcode);
            char *text = text_of(&before);
            struct weft_program program = assemble(text);
            assert_int_equal(program.count, 1);
            assert_memory_equal(&program.instructions[0], &before, sizeof before);
            weft_program_free(&program);
            free(text);
        }
    }
}

static void assert_text(const struct weft_instruction *instruction, const char *expected) {
    char *text = text_of(instruction);
    assert_string_equal(text, expected);
    free(text);
    struct weft_program program = assemble(expected);
    assert_int_equal(program.count, 1);
    assert_memory_equal(&program.instructions[0], instruction, sizeof *instruction);
    weft_program_free(&program);
}

static void transfers_have_this_text(void **state) {
    (void)state;
    struct weft_instruction load = weft_instruction_new(WEFT_OPCODE_LOAD);
    load.wait = 1U << WEFT_UNIT_MATRIX | 1U << WEFT_UNIT_STORE;
    load.signal = 1U << WEFT_UNIT_VECTOR;
    load.banks[WEFT_MEMORY_WGT] = 0xe1;
    load.load = (struct weft_load_fields){.memory = WEFT_TARGET_WGT,
                                          .region = 1,
                                          .address = UINT32_MAX,
                                          .local = 64,
                                          .run = 4096,
                                          .count = {1, 2, 65535},
                                          .address_stride = {0, INT32_MIN, 7},
                                          .local_stride = {0, 0, -8388608}};
    assert_text(&load, "load wait=matrix+store signal=vector wgt_banks=0+5-7 memory=wgt region=1 "
                       "address=4294967295 local=64 run=4096 count=1,2,65535 "
                       "address_stride=0,-2147483648,7 local_stride=0,0,-8388608");
    struct weft_instruction fill = weft_instruction_new(WEFT_OPCODE_FILL);
    fill.banks[WEFT_MEMORY_ACT] = UINT32_MAX;
    fill.fill.value = -128;
    fill.fill.run = 16;
    assert_text(&fill, "fill act_banks=0-31 value=-128 run=16");
    struct weft_instruction store = weft_instruction_new(WEFT_OPCODE_STORE);
    store.wait = 1U << WEFT_UNIT_LOAD | 1U << WEFT_UNIT_MATRIX | 1U << WEFT_UNIT_VECTOR;
    store.banks[WEFT_MEMORY_ACT] = 0x80000002;
    store.store.region = 4;
    store.store.count[0] = 3;
    store.store.address_stride[0] = 100;
    assert_text(&store, "store wait=load+matrix+vector act_banks=1+31 region=4 count=3,1,1 "
                        "address_stride=100,0,0");
}

static void matrix_has_this_text(void **state) {
    (void)state;
    struct weft_instruction matrix = weft_instruction_new(WEFT_OPCODE_MATRIX);
    matrix.wait = 1U << WEFT_UNIT_LOAD;
    matrix.banks[WEFT_MEMORY_ACT] = 0xf;
    matrix.banks[WEFT_MEMORY_WGT] = 1;
    matrix.banks[WEFT_MEMORY_ACC] = 0xc;
    matrix.matrix.mode = WEFT_MODE_DEPTHWISE;
    matrix.matrix.accumulate = 1;
    matrix.matrix.weight_zero = -1;
    matrix.matrix.tile_count[3] = 2;
    matrix.matrix.tile_acc_stride[3] = 16;
    matrix.matrix.pixel_count[0] = 7;
    matrix.matrix.pixel_act_stride[1] = 8;
    matrix.matrix.window_rows = 3;
    matrix.matrix.window_step = 2;
    assert_text(&matrix, "matrix wait=load act_banks=0-3 wgt_banks=0 acc_banks=2-3 mode=depthwise "
                         "accumulate=1 weight_zero=-1 tile_count=1,1,1,2 tile_acc_stride=0,0,0,16 "
                         "pixel_count=7,1 pixel_act_stride=0,8 window_rows=3 window_step=2");
}

static void vector_has_this_text(void **state) {
    (void)state;
    struct weft_instruction vector = weft_instruction_new(WEFT_OPCODE_VECTOR);
    vector.banks[WEFT_MEMORY_PAR] = 3;
    vector.banks[WEFT_MEMORY_LUT] = 1;
    vector.vector.multiplier = 1073741824;
    vector.vector.shift = -7;
    vector.vector.low = -128;
    vector.vector.high = 127;
    assert_text(&vector, "vector par_banks=0-1 lut_banks=0 function=requant rounding=gemmlowp "
                         "multiplier=1073741824 shift=-7 low=-128 high=127");
    vector.vector.rounding = WEFT_ROUNDING_FLOAT;
    assert_text(&vector, "vector par_banks=0-1 lut_banks=0 function=requant rounding=float "
                         "multiplier=1073741824 shift=-7 low=-128 high=127");
}

static void dispatch_instructions_are_bare(void **state) {
    (void)state;
    struct weft_instruction fence = weft_instruction_new(WEFT_OPCODE_FENCE);
    struct weft_instruction halt = weft_instruction_new(WEFT_OPCODE_HALT);
    assert_text(&fence, "fence");
    assert_text(&halt, "halt");
}

static void unknown_opcodes_become_comments(void **state) {
    (void)state;
    struct weft_instruction unknown = {.opcode = 9};
    char *text = text_of(&unknown);
    assert_int_equal(text[0], ';');
    struct weft_program program = assemble(text);
    assert_int_equal(program.count, 0);
    weft_program_free(&program);
    free(text);
}

static void comments_and_blank_lines_are_skipped(void **state) {
    (void)state;
    struct weft_program program = assemble("; a comment\n"
                                           "\n"
                                           "   \t\n"
                                           "fence;at once\n"
                                           "  load   run=3\taddress=5 ; run=7\r\n"
                                           "\r\n"
                                           ";;;\n"
                                           "halt");
    assert_int_equal(program.count, 3);
    assert_int_equal(program.instructions[0].opcode, WEFT_OPCODE_FENCE);
    assert_int_equal(program.instructions[1].load.run, 3);
    assert_int_equal(program.instructions[1].load.address, 5);
    assert_int_equal(program.instructions[2].opcode, WEFT_OPCODE_HALT);
    weft_program_free(&program);
    program = assemble("");
    assert_int_equal(program.count, 0);
    weft_program_free(&program);
}

static void numbers_may_be_hexadecimal(void **state) {
    (void)state;
    struct weft_program program =
        assemble("load address=0xfFfFfFfE run=0x10 address_stride=-0x80,0,0x7fffffff "
                 "act_banks=0x1-0xf\n");
    const struct weft_instruction *load = &program.instructions[0];
    assert_int_equal(load->load.address, 0xfffffffe);
    assert_int_equal(load->load.run, 16);
    assert_int_equal(load->load.address_stride[0], -128);
    assert_int_equal(load->load.address_stride[2], INT32_MAX);
    assert_int_equal(load->banks[WEFT_MEMORY_ACT], 0xfffe);
    weft_program_free(&program);
}

static void decimal_numbers_may_begin_with_zero(void **state) {
    (void)state;
    struct weft_program program = assemble("load run=010\n");
    assert_int_equal(program.instructions[0].load.run, 10);
    weft_program_free(&program);
}

static const char *const malformed_lines[] = {
    "loda run=1",                                      /* unknown mnemonic */
    "LOAD",                                            /* names are in lower case */
    "load,run=1",                                      /* a mnemonic ends with a space */
    "load length=1",                                   /* unknown field */
    "fill region=1",                                   /* field of another opcode */
    "halt wait=load",                                  /* HALT has no fields */
    "load run",                                        /* no = */
    "load run 1",                                      /* no = */
    "load =1",                                         /* no name */
    "load run=1 run=1",                                /* twice */
    "load run=1 address=0 run=2",                      /* twice */
    "load count=1,2",                                  /* too few values */
    "load count=1",                                    /* too few values */
    "load count=1,2,3,4",                              /* too many values */
    "load run=1,2",                                    /* too many values */
    "load run=",                                       /* no number */
    "load run=x",                                      /* no number */
    "load run=abc",                                    /* no number, though hexadecimal digits */
    "load run=1x",                                     /* garbage in a number */
    "load run=0x",                                     /* no digits */
    "load run=0X10",                                   /* 0x in lower case */
    "load run=--1",                                    /* no number */
    "load run=+1",                                     /* no number */
    "load run=-",                                      /* no number */
    "load run=1.0",                                    /* no number */
    "load count=1,,1",                                 /* no number */
    "load count=1,2,3,",                               /* garbage after the values */
    "load run=0",                                      /* a count */
    "load run=16777216",                               /* 24 bits */
    "load address=4294967296",                         /* 32 bits */
    "load address=-1",                                 /* unsigned */
    "load address=99999999999999999999999",            /* more than 64 bits */
    "load address=1111111111111111111111111111111111", /* longer than any number */
    "load region=8",                                   /* 3 bits */
    "load address_stride=2147483648,0,0",              /* 32 bits, signed */
    "load address_stride=-2147483649,0,0",             /* 32 bits, signed */
    "load local_stride=8388608,0,0",                   /* 24 bits, signed */
    "load local_stride=0xffffffff,0,0",                /* not -1 */
    "fill value=-129",                                 /* 8 bits, signed */
    "fill value=128",                                  /* 8 bits, signed */
    "fill value=255",                                  /* 8 bits, signed */
    "matrix accumulate=2",                             /* 1 bit */
    "vector multiplier=2147483648",                    /* 31 bits */
    "load act_banks=32",                               /* 32 banks */
    "load act_banks=0-32",                             /* 32 banks */
    "load act_banks=3-1",                              /* backwards */
    "load act_banks=-1",                               /* no number */
    "load act_banks=1-",                               /* no number */
    "load act_banks=1+",                               /* no number */
    "load act_banks=1--2",                             /* no number */
    "load act_banks=1-2-3",                            /* not a range */
    "load act_banks=",                                 /* no number */
    "load wgt_banks=8",                                /* 8 banks */
    "load wgt_banks=0-8",                              /* 8 banks */
    "load acc_banks=4",                                /* 4 banks */
    "load par_banks=2",                                /* 2 banks */
    "load lut_banks=1",                                /* 1 bank */
    "load memory=acc",                                 /* not a target */
    "load memory=",                                    /* no name */
    "load memory=0",                                   /* a number */
    "vector function=requan",                          /* prefix of a name */
    "vector function=requants",                        /* more than a name */
    "load wait=dma",                                   /* not a unit */
    "load wait=",                                      /* no unit */
    "load wait=matrix+",                               /* no unit */
    "load wait=+matrix",                               /* no unit */
    "load wait=2",                                     /* a number */
    "load wait=load",                                  /* own unit */
    "load signal=matrix+load",                         /* own unit */
    "fill wait=load",                                  /* own unit of FILL is load */
    "matrix wait=matrix",                              /* own unit */
    "vector signal=vector",                            /* own unit */
    "store wait=store",                                /* own unit */
    "load run=1=2",                                    /* garbage after a value */
    "load wait=matrix,store",                          /* garbage after a value */
    "load act_banks=1,2",                              /* garbage after a value */
};

/* What a line that is wrong is told, after "line 1: ". */
static void messages_say_what_was_expected(void **state) {
    (void)state;
    static const struct {
        const char *line, *message;
    } cases[] = {
        {"load wait=matrix,vector",
         "units are joined by +, as in load+vector; expected + or a space at ',vector'"},
        {"load act_banks=0,1 run=1",
         "banks are joined by + and -, as in 0+2-3; expected these or a space at ',1'"},
        {"load run=1,2", "it has one value; expected a space at ',2'"},
        {"load count=1,2,3,4", "too many values; expected a space at ',4'"},
        {"load run=1=2", "expected a number, not '1=2'"},
        {"load wait=matrix=2", "unknown name 'matrix=2'"},
        {"load act_banks=1-2-3", "expected a space at '-3'"},
        {"load run=16777216", "load: run is 16777216, expected 1 to 16777215"},
        {"load count=1,0,1", "load: count[1] is 0, expected 1 to 65535"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct weft_program program;
        struct weft_error error;
        char expected[200];
        (void)snprintf(expected, sizeof expected, "line 1: %s", cases[i].message);
        ASSERT_FAILS(weft_assemble(cases[i].line, strlen(cases[i].line), &program, &error), error,
                     WEFT_ASSEMBLY);
        assert_string_equal(error.message, expected);
    }
}

/* Fields of every kind before the end of a line. */
static void lines_may_end_in_crlf(void **state) {
    (void)state;
    struct weft_program plain =
        assemble("load run=16\nload wait=matrix\nload act_banks=1-2\n"
                 "load act_banks=1\nload memory=wgt\nload count=1,2,3\nhalt\n");
    struct weft_program crlf =
        assemble("load run=16\r\nload wait=matrix\r\nload act_banks=1-2\r\n"
                 "load act_banks=1\r\nload memory=wgt\r\nload count=1,2,3\r\nhalt\r\n");
    assert_int_equal(crlf.count, plain.count);
    assert_memory_equal(crlf.instructions, plain.instructions,
                        plain.count * sizeof *plain.instructions);
    weft_program_free(&plain);
    weft_program_free(&crlf);
}

static void malformed_lines_are_rejected(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH(malformed_lines); i++) {
        assert_line_rejected(malformed_lines[i]);
    }
}

static void nul_bytes_are_rejected(void **state) {
    (void)state;
    static const char in_number[] = "halt\nload run=1\0";
    static const char in_mnemonic[] = "halt\0\n";
    static const char alone[] = "\n\n\0";
    assert_rejected(in_number, sizeof in_number - 1, 2);
    assert_rejected(in_mnemonic, sizeof in_mnemonic - 1, 1);
    assert_rejected(alone, sizeof alone - 1, 3);
}

static void the_source_need_not_end_in_nul(void **state) {
    (void)state;
    static const char source[] = {'h', 'a', 'l', 't'};
    char *exact = malloc(sizeof source);
    assert_non_null(exact);
    memcpy(exact, source, sizeof source);
    struct weft_program program;
    struct weft_error error;
    ASSERT_GOOD(weft_assemble(exact, sizeof source, &program, &error), error);
    assert_int_equal(program.count, 1);
    weft_program_free(&program);
    memcpy(exact, "a=1;", sizeof source);
    assert_rejected(exact, sizeof source, 1);
    free(exact);
}

static void long_words_do_not_overflow_messages(void **state) {
    (void)state;
    char line[4000];
    memset(line, 'x', sizeof line);
    assert_rejected(line, sizeof line, 1);
    static const char field[] = {'l', 'o', 'a', 'd', ' ', 'r', 'u', 'n', '='};
    memcpy(line, field, sizeof field);
    assert_rejected(line, sizeof line, 1);
}

static void programs_survive(void **state) {
    (void)state;
    uint64_t seed = 4;
    struct weft_program before = {0};
    struct weft_program after;
    struct weft_error error;
    for (int i = 0; i < 500; i++) {
        struct weft_instruction instruction =
            random_instruction(&seed, (uint32_t)random_between(&seed, 1, 7));
        ASSERT_GOOD(weft_program_add(&before, &instruction, &error), error);
    }
    uint8_t *bytes = NULL;
    ASSERT_GOOD(weft_program_encode(&before, &bytes, &error), error);
    ASSERT_GOOD(weft_program_decode(bytes, 32000, &after, &error), error);
    assert_int_equal(after.count, before.count);
    assert_memory_equal(after.instructions, before.instructions,
                        before.count * sizeof before.instructions[0]);
    free(bytes);
    weft_program_free(&after);
    weft_program_free(&before);
    assert_null(before.instructions);
}

static void empty_programs_survive(void **state) {
    (void)state;
    struct weft_program program = {0};
    struct weft_error error;
    uint8_t *bytes = NULL;
    ASSERT_GOOD(weft_program_encode(&program, &bytes, &error), error);
    ASSERT_GOOD(weft_program_decode(bytes, 0, &program, &error), error);
    assert_int_equal(program.count, 0);
    free(bytes);
    weft_program_free(&program);
}

static void programs_are_whole_instructions(void **state) {
    (void)state;
    uint8_t bytes[2 * WEFT_INSTRUCTION_BYTES] = {WEFT_OPCODE_HALT};
    bytes[WEFT_INSTRUCTION_BYTES] = WEFT_OPCODE_FENCE;
    for (size_t length = 1; length < sizeof bytes; length++) {
        struct weft_program program;
        struct weft_error error;
        if (length == WEFT_INSTRUCTION_BYTES) {
            continue;
        }
        ASSERT_FAILS(weft_program_decode(bytes, length, &program, &error), error, WEFT_ENCODING);
        assert_int_equal(error.position, length / WEFT_INSTRUCTION_BYTES);
        assert_null(program.instructions);
    }
}

static void wrong_instructions_are_named_by_their_number(void **state) {
    (void)state;
    struct weft_program program = assemble("fence\nfence\nfence\nhalt\n");
    struct weft_program decoded;
    struct weft_error error;
    uint8_t *bytes = NULL;
    ASSERT_GOOD(weft_program_encode(&program, &bytes, &error), error);
    bytes[2 * WEFT_INSTRUCTION_BYTES + 63] = 0x80;
    ASSERT_FAILS(weft_program_decode(bytes, 256, &decoded, &error), error, WEFT_ENCODING);
    assert_int_equal(error.position, 2);
    assert_mentions(error.message, "511");
    assert_null(decoded.instructions);
    free(bytes);

    program.instructions[3].opcode = 0;
    bytes = NULL;
    ASSERT_FAILS(weft_program_encode(&program, &bytes, &error), error, WEFT_ENCODING);
    assert_int_equal(error.position, 3);
    assert_null(bytes);
    weft_program_free(&program);
}

static void instructions_have_lines(void **state) {
    (void)state;
    static const char source[] = "; text\n\nhalt\n  \t\r\n fence ; and\n;halt\nhalt";
    static const uint64_t lines[] = {3, 5, 7, 0, 0};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_int_equal(weft_assembly_line(source, strlen(source), i), lines[i]);
    }
    assert_int_equal(weft_assembly_line(source, strlen(source), SIZE_MAX), 0);
    assert_int_equal(weft_assembly_line(source, 5, 0), 0);
    assert_int_equal(weft_assembly_line("", 0, 0), 0);
    assert_int_equal(weft_assembly_count(source, strlen(source)), 3);
    assert_int_equal(weft_assembly_count("", 0), 0);
}

static void assembly_begins_with_an_instruction(void **state) {
    (void)state;
    static const struct {
        const char *source;
        bool is_assembly;
    } cases[] = {
        {"halt", true},
        {"; halt\n\n\t load run=x", true},
        {"halts", false},
        {"; halt", false},
        {"", false},
        {"\n\n", false},
        {"jump 7\nhalt", false},
        {"matrix;", true},
        {"{\n\"name\": 1}", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(weft_is_assembly(cases[i].source, strlen(cases[i].source)),
                         cases[i].is_assembly);
    }
    assert_false(weft_is_assembly("\0halt", 5));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_instructions_are_read_back),
        cmocka_unit_test(transfers_have_this_text),
        cmocka_unit_test(matrix_has_this_text),
        cmocka_unit_test(vector_has_this_text),
        cmocka_unit_test(dispatch_instructions_are_bare),
        cmocka_unit_test(unknown_opcodes_become_comments),
        cmocka_unit_test(comments_and_blank_lines_are_skipped),
        cmocka_unit_test(numbers_may_be_hexadecimal),
        cmocka_unit_test(decimal_numbers_may_begin_with_zero),
        cmocka_unit_test(messages_say_what_was_expected),
        cmocka_unit_test(lines_may_end_in_crlf),
        cmocka_unit_test(malformed_lines_are_rejected),
        cmocka_unit_test(nul_bytes_are_rejected),
        cmocka_unit_test(the_source_need_not_end_in_nul),
        cmocka_unit_test(long_words_do_not_overflow_messages),
        cmocka_unit_test(programs_survive),
        cmocka_unit_test(empty_programs_survive),
        cmocka_unit_test(programs_are_whole_instructions),
        cmocka_unit_test(wrong_instructions_are_named_by_their_number),
        cmocka_unit_test(instructions_have_lines),
        cmocka_unit_test(assembly_begins_with_an_instruction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
