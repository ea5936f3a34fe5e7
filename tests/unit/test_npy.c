/* cli/npy: arrays in numpy's format. The files here are written out byte by byte. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "tests/unit/folder.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

/* ---- files ---- */

struct file {
    uint8_t bytes[1024];
    size_t length;
};

static void append(struct file *file, const void *bytes, size_t length) {
    assert_true(length <= sizeof file->bytes - file->length);
    memcpy(file->bytes + file->length, bytes, length);
    file->length += length;
}

/* A file of a version with a header and data as they are given. */
static struct file file_of(uint8_t version, const char *header, const void *data, size_t length) {
    struct file file = {.length = 0};
    size_t size = strlen(header);
    const uint8_t start[12] = {0x93, 'N',     'U', 'M',           'P',
                               'Y',  version, 0,   (uint8_t)size, (uint8_t)(size >> 8)};
    append(&file, start, version == 1 ? 10 : 12);
    append(&file, header, size);
    append(&file, data, length);
    return file;
}

static const char shape_2x3[] =
    "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }                 \n";
static const char data_2x3[6] = {1, -2, 3, 127, -128, 0};

static struct weft_type type_2x3(void) {
    return weft_type_make(WEFT_I8, 2, (const int64_t[]){2, 3});
}

/* ---- what must become of them ---- */

static bool parse(const struct file *file, const struct weft_type *type, uint8_t **bytes,
                  struct weft_error *error) {
    /* A copy of the exact size, so that AddressSanitizer sees a byte too many. */
    uint8_t *copy = malloc(file->length == 0 ? 1 : file->length);
    assert_non_null(copy);
    memcpy(copy, file->bytes, file->length);
    bool good = npy_parse(copy, file->length, type, bytes, error);
    free(copy);
    return good;
}

static void assert_array(const struct file *file, const struct weft_type *type, const void *data) {
    struct weft_error error;
    uint8_t *bytes = NULL;
    ASSERT_GOOD(parse(file, type, &bytes, &error), error);
    assert_memory_equal(bytes, data, weft_type_bytes(type));
    free(bytes);
}

static void assert_wrong(const struct file *file, const struct weft_type *type,
                         enum weft_error_code code, const char *message) {
    struct weft_error error;
    uint8_t *bytes = NULL;
    ASSERT_FAILS(parse(file, type, &bytes, &error), error, code);
    assert_string_equal(error.message, message);
    assert_null(bytes);
}

/* A header is refused, whatever the message says. */
static void assert_no_header(const char *header) {
    struct weft_type type = type_2x3();
    struct file file = file_of(1, header, data_2x3, sizeof data_2x3);
    struct weft_error error;
    uint8_t *bytes = NULL;
    if (parse(&file, &type, &bytes, &error)) {
        print_error("read: %s\n", header);
        fail();
    }
    assert_string_equal(weft_error_name(error.code), "NPY");
    assert_non_null(strstr(error.message, "expected a header {'descr': ..., "));
    assert_null(bytes);
}

/* ---- reading ---- */

static void all_versions_are_read(void **state) {
    (void)state;
    struct weft_type type = type_2x3();
    for (uint8_t version = 1; version <= 3; version++) {
        struct file file = file_of(version, shape_2x3, data_2x3, sizeof data_2x3);
        assert_array(&file, &type, data_2x3);
    }
    struct file file = file_of(1, shape_2x3, data_2x3, sizeof data_2x3);
    static const uint8_t others[][2] = {{0, 0}, {4, 0}, {255, 0}, {1, 1}, {2, 1}, {3, 255}};
    for (size_t i = 0; i < LENGTH(others); i++) {
        file.bytes[6] = others[i][0];
        file.bytes[7] = others[i][1];
        assert_wrong(&file, &type, WEFT_NPY, "byte 6: unknown version, expected 1.0, 2.0 or 3.0");
    }
}

static void every_type_is_read(void **state) {
    (void)state;
    static const struct {
        enum weft_dtype dtype;
        const char *descr;
        size_t size;
    } types[] = {{WEFT_I8, "|i1", 1},   {WEFT_U8, "|u1", 1},  {WEFT_I16, "<i2", 2},
                 {WEFT_I32, "<i4", 4},  {WEFT_I64, "<i8", 8}, {WEFT_F32, "<f4", 4},
                 {WEFT_BOOL, "|b1", 1}, {WEFT_U16, "<u2", 2}, {WEFT_U32, "<u4", 4},
                 {WEFT_U64, "<u8", 8},  {WEFT_F16, "<f2", 2}, {WEFT_F64, "<f8", 8}};
    assert_int_equal(LENGTH(types), WEFT_DTYPES);
    uint8_t data[3 * 8];
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (uint8_t)(37 * i + 1);
    }
    for (size_t i = 0; i < WEFT_DTYPES; i++) {
        for (size_t k = 0; k < WEFT_DTYPES; k++) {
            char header[128];
            char message[128];
            struct weft_type type = weft_type_make(types[k].dtype, 1, (const int64_t[]){3});
            (void)snprintf(header, sizeof header,
                           "{'descr': '%s', 'fortran_order': False, 'shape': (3,), }\n",
                           types[i].descr);
            (void)snprintf(message, sizeof message,
                           "holds 3 of type %s, expected 3 of type %s (%s)", types[i].descr,
                           types[k].descr, weft_dtype_file_name(types[k].dtype));
            struct file file = file_of(1, header, data, 3 * types[i].size);
            if (i == k) {
                assert_array(&file, &type, data);
            } else {
                assert_wrong(&file, &type, WEFT_TENSOR, message);
            }
        }
    }
}

static void other_types_are_refused(void **state) {
    (void)state;
    static const char *const others[] = {"|i4", "=i4", "<i3", "<f8",  "|S4", ">u4",
                                         "<c8", "i4",  "",    "<i4 ", ">"};
    struct weft_type type = weft_type_make(WEFT_I32, 1, (const int64_t[]){1});
    for (size_t i = 0; i < LENGTH(others); i++) {
        char header[128];
        char message[128];
        (void)snprintf(header, sizeof header,
                       "{'descr': '%s', 'fortran_order': False, 'shape': (1,)}", others[i]);
        (void)snprintf(message, sizeof message,
                       "holds 1 of type %s, expected 1 of type <i4 (INT32)", others[i]);
        struct file file = file_of(1, header, "abcd", 4);
        assert_wrong(&file, &type, WEFT_TENSOR, message);
    }
    assert_no_header("{'descr': [('a', '|i1')], 'fortran_order': False, 'shape': (2, 3), }");
    assert_no_header("{'descr': '<M8[25us]', 'fortran_order': False, 'shape': (2, 3), }");
}

static void python_may_write_the_header_as_it_likes(void **state) {
    (void)state;
    static const char *const headers[] = {
        "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3)}",
        "{'shape': (2, 3), 'fortran_order': False, 'descr': '|i1'}",
        "{\"descr\":\"|i1\",\"fortran_order\":False,\"shape\":(2,3)}",
        "  { 'descr' : '|i1' , 'fortran_order' : False , 'shape' : ( 2 , 3 , ) , }  \n\t ",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (0000002, 03), }",
    };
    struct weft_type type = type_2x3();
    for (size_t i = 0; i < LENGTH(headers); i++) {
        struct file file = file_of(1, headers[i], data_2x3, sizeof data_2x3);
        assert_array(&file, &type, data_2x3);
    }
}

static void scalars_and_empty_arrays_are_arrays(void **state) {
    (void)state;
    struct weft_type scalar = weft_type_make(WEFT_I32, 0, (const int64_t[]){0});
    struct file file =
        file_of(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (), }", "abcd", 4);
    assert_array(&file, &scalar, "abcd");
    struct weft_type empty = weft_type_make(WEFT_I32, 2, (const int64_t[]){0, 7});
    file = file_of(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (0, 7), }", "", 0);
    assert_array(&file, &empty, "");
    struct weft_type deep =
        weft_type_make(WEFT_U8, WEFT_MAX_RANK, (const int64_t[]){1, 1, 2, 1, 1, 1, 1, 2});
    file =
        file_of(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 2, 1, 1, 1, 1, 2), }",
                "abcd", 4);
    assert_array(&file, &deep, "abcd");
}

static void big_endian_elements_are_turned(void **state) {
    (void)state;
    static const struct {
        const char *descr;
        enum weft_dtype dtype;
        const char *data, *expected;
    } cases[] = {
        {">i2", WEFT_I16, "abcdefgh", "badcfehg"}, {">i4", WEFT_I32, "abcdefgh", "dcbahgfe"},
        {">f4", WEFT_F32, "abcdefgh", "dcbahgfe"}, {">i8", WEFT_I64, "abcdefgh", "hgfedcba"},
        {">i1", WEFT_I8, "abcdefgh", "abcdefgh"},  {"<u1", WEFT_U8, "abcdefgh", "abcdefgh"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char header[128];
        int64_t count = 8 / (int64_t)weft_dtype_bytes(cases[i].dtype);
        struct weft_type type = weft_type_make(cases[i].dtype, 1, (const int64_t[]){count});
        (void)snprintf(header, sizeof header,
                       "{'descr': '%s', 'fortran_order': False, 'shape': (%d,)}", cases[i].descr,
                       (int)count);
        struct file file = file_of(1, header, cases[i].data, 8);
        assert_array(&file, &type, cases[i].expected);
    }
}

static void fortran_order_becomes_c_order(void **state) {
    (void)state;
    struct weft_type rows = type_2x3();
    struct file file =
        file_of(1, "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }", "adbecf", 6);
    assert_array(&file, &rows, "abcdef");
    struct weft_type cube = weft_type_make(WEFT_I16, 3, (const int64_t[]){2, 1, 3});
    file = file_of(1, "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 1, 3), }",
                   "aAdDbBeEcCfF", 12);
    assert_array(&file, &cube, "AaBbCcDdEeFf");
    struct weft_type scalar = weft_type_make(WEFT_I32, 0, (const int64_t[]){0});
    file = file_of(1, "{'descr': '<i4', 'fortran_order': True, 'shape': (), }", "abcd", 4);
    assert_array(&file, &scalar, "abcd");
    struct weft_type empty = weft_type_make(WEFT_I32, 2, (const int64_t[]){7, 0});
    file = file_of(1, "{'descr': '<i4', 'fortran_order': True, 'shape': (7, 0), }", "", 0);
    assert_array(&file, &empty, "");
    file = file_of(1, "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }", "adbec", 5);
    assert_wrong(&file, &rows, WEFT_NPY, "byte 68: 5 bytes of data, the shape needs 6");
}

static void the_shape_must_be_the_models(void **state) {
    (void)state;
    static const struct {
        const char *text, *shown;
    } shapes[] = {{"(3, 2)", "3x2"},      {"(6,)", "6"},
                  {"(2, 3, 1)", "2x3x1"}, {"()", "a scalar"},
                  {"(1, 2, 3)", "1x2x3"}, {"(2, 4)", "2x4"},
                  {"(0, 3)", "0x3"},      {"(2147483647,)", "2147483647"}};
    struct weft_type type = type_2x3();
    for (size_t i = 0; i < LENGTH(shapes); i++) {
        char header[128];
        char message[128];
        (void)snprintf(header, sizeof header,
                       "{'descr': '|i1', 'fortran_order': False, 'shape': %s, }", shapes[i].text);
        (void)snprintf(message, sizeof message,
                       "holds %s of type |i1, expected 2x3 of type |i1 (INT8)", shapes[i].shown);
        struct file file = file_of(1, header, data_2x3, sizeof data_2x3);
        assert_wrong(&file, &type, WEFT_TENSOR, message);
    }
}

static void absurd_shapes_are_refused(void **state) {
    (void)state;
    static const char *const shapes[] = {"(99999999999999999999999999, 3)",
                                         "(18446744073709551618, 3)", /* 2^64 + 2 */
                                         "(4294967298, 3, 1, 1, 1, 1, 1, 1, 1)",
                                         "(2, 3, 1, 1, 1, 1, 1, 1, 1)", /* rank 9 */
                                         "(-2, 3)",
                                         "(-2, -3)",
                                         "(2.0, 3)",
                                         "(2 3)",
                                         "(,)",
                                         "(2, , 3)",
                                         "(2, 3",
                                         "[2, 3]",
                                         "2, 3",
                                         "(0x2, 3)",
                                         "(2L, 3L)",
                                         "(None, 3)"};
    for (size_t i = 0; i < LENGTH(shapes); i++) {
        char header[128];
        (void)snprintf(header, sizeof header,
                       "{'descr': '|i1', 'fortran_order': False, 'shape': %s, }", shapes[i]);
        assert_no_header(header);
    }
    /* 4294967298 is 2^32 + 2: its last 32 bits must not count. */
    struct weft_type type = type_2x3();
    struct file file = file_of(
        1, "{'descr': '|i1', 'fortran_order': False, 'shape': (4294967298, 3), }", data_2x3, 6);
    assert_wrong(&file, &type, WEFT_TENSOR,
                 "holds 4294967298x3 of type |i1, expected 2x3 of type |i1 (INT8)");
}

/* 2^31 - 1 elements of 8 bytes are what a type can have; nothing is allocated for a short file. */
static void the_largest_type_needs_its_bytes(void **state) {
    (void)state;
    struct weft_type type = weft_type_make(WEFT_I64, 1, (const int64_t[]){WEFT_MAX_ELEMENTS});
    struct file file = file_of(
        1, "{'descr': '<i8', 'fortran_order': False, 'shape': (2147483647,), }", data_2x3, 6);
    assert_wrong(&file, &type, WEFT_NPY, "byte 76: 6 bytes of data, the shape needs 17179869176");
}

static void headers_must_be_whole_dictionaries(void **state) {
    (void)state;
    static const char *const headers[] = {
        "",
        "{}",
        "\n",
        "{",
        "{'descr': '|i1', 'fortran_order': False}",
        "{'descr': '|i1', 'shape': (2, 3)}",
        "{'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3)",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3)} x",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3)}}",
        "{'descr': '|i1' 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), 'other': 1}",
        "{'descr': '|i1', 'descr': '|i1', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '|i1', 'fortran_order': False, 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), 'shape': (2, 3)}",
        "{'descr': '|i1', 'fortran_order': 0, 'shape': (2, 3)}",
        "{'descr': '|i1', 'fortran_order': 'False', 'shape': (2, 3)}",
        "{'descr': '|i1\", 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': |i1, 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr' '|i1', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '|i1",
        "{'descr': '",
        "{'descr",
        "{'a very long key that is none of the three': 1}",
    };
    for (size_t i = 0; i < LENGTH(headers); i++) {
        assert_no_header(headers[i]);
    }
}

static void files_that_end_early_are_refused(void **state) {
    (void)state;
    struct weft_type type = type_2x3();
    for (uint8_t version = 1; version <= 3; version++) {
        struct file whole = file_of(version, shape_2x3, data_2x3, sizeof data_2x3);
        struct file part = whole;
        for (part.length = 0; part.length < whole.length; part.length++) {
            struct weft_error error;
            uint8_t *bytes = NULL;
            ASSERT_FAILS(parse(&part, &type, &bytes, &error), error, WEFT_NPY);
            assert_null(bytes);
        }
    }
    struct file file = file_of(1, shape_2x3, data_2x3, sizeof data_2x3);
    file.length = 60;
    assert_wrong(&file, &type, WEFT_NPY, "byte 8: the header is longer than the file");
    file.length = 9;
    assert_wrong(&file, &type, WEFT_NPY, "byte 0: not a .npy file (no \\x93NUMPY)");
}

static void bytes_after_the_data_are_refused(void **state) {
    (void)state;
    struct weft_type type = type_2x3();
    struct file file = file_of(1, shape_2x3, data_2x3, sizeof data_2x3);
    append(&file, "x", 1);
    char message[80];
    (void)snprintf(message, sizeof message, "byte %zu: 7 bytes of data, the shape needs 6",
                   10 + strlen(shape_2x3));
    assert_wrong(&file, &type, WEFT_NPY, message);
}

static void header_sizes_do_not_overflow(void **state) {
    (void)state;
    struct weft_type type = type_2x3();
    for (uint8_t version = 1; version <= 3; version++) {
        struct file file = file_of(version, shape_2x3, data_2x3, sizeof data_2x3);
        memset(file.bytes + 8, 0xff, version == 1 ? 2 : 4);
        assert_wrong(&file, &type, WEFT_NPY, "byte 8: the header is longer than the file");
        memset(file.bytes + 8, 0, 4);
        file.bytes[8] = (uint8_t)(file.length - (version == 1 ? 10 : 12) + 1);
        assert_wrong(&file, &type, WEFT_NPY, "byte 8: the header is longer than the file");
    }
    struct file file = file_of(2, shape_2x3, data_2x3, sizeof data_2x3);
    file.bytes[10] = 1; /* the third byte of four counts */
    assert_wrong(&file, &type, WEFT_NPY, "byte 8: the header is longer than the file");
}

static void other_files_are_no_arrays(void **state) {
    (void)state;
    struct weft_type type = type_2x3();
    for (size_t i = 0; i < 6; i++) {
        struct file file = file_of(1, shape_2x3, data_2x3, sizeof data_2x3);
        file.bytes[i] ^= 0x20;
        assert_wrong(&file, &type, WEFT_NPY, "byte 0: not a .npy file (no \\x93NUMPY)");
    }
}

static void messages_are_one_line_whatever_the_file_says(void **state) {
    (void)state;
    struct weft_type type = type_2x3();
    struct file file = file_of(
        1, "{'descr': '\n\t\x1b[1m', 'fortran_order': False, 'shape': (2, 3), }", data_2x3, 6);
    assert_wrong(&file, &type, WEFT_TENSOR,
                 "holds 2x3 of type ???[1m, expected 2x3 of type |i1 (INT8)");
}

/* ---- files on disk ---- */

static void written_files_are_numpys(void **state) {
    (void)state;
    static const struct {
        enum weft_dtype dtype;
        uint32_t rank;
        int64_t dims[4];
        const char *header; /* without its spaces */
    } cases[] = {
        {WEFT_I8, 2, {2, 3}, "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }"},
        {WEFT_U8, 1, {5}, "{'descr': '|u1', 'fortran_order': False, 'shape': (5,), }"},
        {WEFT_I16, 3, {1, 2, 1}, "{'descr': '<i2', 'fortran_order': False, 'shape': (1, 2, 1), }"},
        {WEFT_I32, 0, {0}, "{'descr': '<i4', 'fortran_order': False, 'shape': (), }"},
        {WEFT_I64, 1, {1}, "{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }"},
        {WEFT_F32,
         4,
         {1, 1, 1, 2},
         "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 2), }"},
        {WEFT_BOOL, 2, {0, 9}, "{'descr': '|b1', 'fortran_order': False, 'shape': (0, 9), }"},
    };
    static const char data[] = "any bytes at all";
    struct folder folder = folder_new();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct weft_type type = weft_type_make(cases[i].dtype, cases[i].rank, cases[i].dims);
        struct weft_file_batch batch = {0};
        struct weft_error error;
        const char *wrong = NULL;
        const char *path = folder_file(&folder, "a.npy");
        char padded[119];
        (void)snprintf(padded, sizeof padded, "%-117s\n", cases[i].header);
        struct file expected = file_of(1, padded, data, weft_type_bytes(&type));
        assert_int_equal((expected.length - weft_type_bytes(&type)) % 64, 0);
        ASSERT_GOOD(npy_stage(&batch, path, &type, data, &error), error);
        ASSERT_GOOD(weft_file_commit(&batch, &wrong, &error), error);
        assert_file_holds(path, expected.bytes, expected.length);
        uint8_t *bytes = NULL;
        ASSERT_GOOD(npy_read(path, &type, &bytes, &error), error);
        assert_memory_equal(bytes, data, weft_type_bytes(&type));
        free(bytes);
    }
    assert_folder_count(&folder, 1);
    folder_free(&folder);
}

/* numpy has written the results of the embedded model. */
static void numpys_files_are_written_again_as_they_are(void **state) {
    (void)state;
    struct folder folder = folder_new();
    struct weft_type type = weft_type_make(WEFT_I8, 2, (const int64_t[]){1, 10});
    for (int digit = 0; digit < 10; digit++) {
        char golden[512];
        struct weft_file_batch batch = {0};
        struct weft_error error;
        const char *wrong = NULL;
        const char *path = folder_file(&folder, "a.npy");
        uint8_t *bytes = NULL;
        uint8_t *file = NULL;
        size_t length = 0;
        (void)snprintf(golden, sizeof golden, "%s/models/digits/goldens/%d.output.npy",
                       WEFT_SOURCE_DIR, digit);
        ASSERT_GOOD(npy_read(golden, &type, &bytes, &error), error);
        ASSERT_GOOD(weft_file_read(golden, &file, &length, &error), error);
        ASSERT_GOOD(npy_stage(&batch, path, &type, bytes, &error), error);
        ASSERT_GOOD(weft_file_commit(&batch, &wrong, &error), error);
        assert_file_holds(path, file, length);
        free(bytes);
        free(file);
    }
    folder_free(&folder);
}

static void a_missing_folder_leaves_nothing(void **state) {
    (void)state;
    struct folder folder = folder_new();
    struct weft_type type = type_2x3();
    struct weft_file_batch batch = {0};
    struct weft_error error;
    uint8_t *bytes = NULL;
    ASSERT_FAILS(npy_stage(&batch, folder_file(&folder, "missing/a.npy"), &type, data_2x3, &error),
                 error, WEFT_IO);
    assert_int_equal(batch.count, 0);
    assert_folder_count(&folder, 0);
    weft_file_discard(&batch);
    ASSERT_FAILS(npy_read(folder_file(&folder, "a.npy"), &type, &bytes, &error), error, WEFT_IO);
    assert_null(bytes);
    folder_free(&folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_versions_are_read),
        cmocka_unit_test(every_type_is_read),
        cmocka_unit_test(other_types_are_refused),
        cmocka_unit_test(python_may_write_the_header_as_it_likes),
        cmocka_unit_test(scalars_and_empty_arrays_are_arrays),
        cmocka_unit_test(big_endian_elements_are_turned),
        cmocka_unit_test(fortran_order_becomes_c_order),
        cmocka_unit_test(the_shape_must_be_the_models),
        cmocka_unit_test(absurd_shapes_are_refused),
        cmocka_unit_test(the_largest_type_needs_its_bytes),
        cmocka_unit_test(headers_must_be_whole_dictionaries),
        cmocka_unit_test(files_that_end_early_are_refused),
        cmocka_unit_test(bytes_after_the_data_are_refused),
        cmocka_unit_test(header_sizes_do_not_overflow),
        cmocka_unit_test(other_files_are_no_arrays),
        cmocka_unit_test(messages_are_one_line_whatever_the_file_says),
        cmocka_unit_test(written_files_are_numpys),
        cmocka_unit_test(numpys_files_are_written_again_as_they_are),
        cmocka_unit_test(a_missing_folder_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
