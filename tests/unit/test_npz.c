/* cli/npz and cli/dataset: zip files of arrays, and samples out of them. */
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cli/cli.h"
#include "cli/dataset.h"
#include "cli/npz.h"
#include "tests/unit/folder.h"

/* ---- zip files ---- */

struct file {
    uint8_t bytes[8192];
    size_t length;
};

static void append(struct file *file, const void *bytes, size_t length) {
    assert_true(length <= sizeof file->bytes - file->length);
    memcpy(file->bytes + file->length, bytes, length);
    file->length += length;
}

static void append_number(struct file *file, uint64_t number, int bytes) {
    for (int i = 0; i < bytes; i++) {
        const uint8_t byte = i < 8 ? (uint8_t)(number >> (8 * i)) : 0;
        append(file, &byte, 1);
    }
}

struct member {
    const char *name;
    const struct file *content;
    bool is_deflated;
    uint32_t at; /* of its header, once it is written */
    struct file packed;
};

static void pack(struct member *member) {
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)member->content->bytes,
                       .avail_in = (uInt)member->content->length,
                       .next_out = member->packed.bytes,
                       .avail_out = sizeof member->packed.bytes};
    if (!member->is_deflated) {
        member->packed = *member->content;
        return;
    }
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    member->packed.length = stream.total_out;
    deflateEnd(&stream);
}

/* What the headers before the file and in the directory have in common. */
static void append_facts(struct file *zip, const struct member *member, uint32_t extra) {
    append_number(zip, 20, 2);
    append_number(zip, 0, 2);
    append_number(zip, member->is_deflated ? 8 : 0, 2);
    append_number(zip, 0, 4);
    append_number(zip, (uint32_t)crc32(0, member->content->bytes, (uInt)member->content->length),
                  4);
    append_number(zip, (uint32_t)member->packed.length, 4);
    append_number(zip, (uint32_t)member->content->length, 4);
    append_number(zip, (uint32_t)strlen(member->name), 2);
    append_number(zip, extra, 2);
}

/* A zip file as numpy writes it: something extra in the headers before the files. */
static void make_zip(struct member *members, size_t count, struct file *zip) {
    zip->length = 0;
    for (size_t i = 0; i < count; i++) {
        members[i].at = (uint32_t)zip->length;
        pack(&members[i]);
        append(zip, "PK\3\4", 4);
        append_facts(zip, &members[i], 4);
        append(zip, members[i].name, strlen(members[i].name));
        append(zip, "\1\0\0\0", 4);
        append(zip, members[i].packed.bytes, members[i].packed.length);
    }
    uint32_t directory = (uint32_t)zip->length;
    for (size_t i = 0; i < count; i++) {
        append(zip, "PK\1\2\24\0", 6);
        append_facts(zip, &members[i], 0);
        append_number(zip, 0, 2 + 2 + 2 + 4);
        append_number(zip, members[i].at, 4);
        append(zip, members[i].name, strlen(members[i].name));
    }
    uint32_t size = (uint32_t)zip->length - directory;
    append(zip, "PK\5\6\0\0\0\0", 8);
    append_number(zip, (uint32_t)count, 2);
    append_number(zip, (uint32_t)count, 2);
    append_number(zip, size, 4);
    append_number(zip, directory, 4);
    append_number(zip, 0, 2);
}

static void make_array(const char *descr, const char *shape, const void *data, size_t length,
                       struct file *file) {
    char header[128];
    int size = snprintf(header, sizeof header,
                        "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape);
    const uint8_t start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (uint8_t)size, 0};
    file->length = 0;
    append(file, start, sizeof start);
    append(file, header, (size_t)size);
    append(file, data, length);
}

/* Two samples of 2 channels of 2 rows and 3 columns, and their labels. */
struct sample_file {
    struct file images, labels, zip;
};

static void make_samples(struct sample_file *made, bool is_deflated) {
    static const uint8_t classes[2] = {3, 1};
    uint8_t pixels[24];
    for (int i = 0; i < 24; i++) {
        pixels[i] = (uint8_t)(10 * i);
    }
    make_array("|u1", "(2, 2, 2, 3)", pixels, sizeof pixels, &made->images);
    make_array("|u1", "(2,)", classes, sizeof classes, &made->labels);
    struct member *members = calloc(2, sizeof *members);
    assert_non_null(members);
    members[0] = (struct member){"x.npy", &made->images, is_deflated, 0, {.length = 0}};
    members[1] = (struct member){"x_labels.npy", &made->labels, is_deflated, 0, {.length = 0}};
    make_zip(members, 2, &made->zip);
    free(members);
}

/* ---- reading ---- */

static void arrays_are_found_stored_and_deflated(void **state) {
    static struct sample_file made;
    static struct npz npz;
    struct weft_error error;
    (void)state;
    for (int deflated = 0; deflated < 2; deflated++) {
        uint8_t *bytes = NULL;
        make_samples(&made, deflated == 1);
        assert_true(npz_is(made.zip.bytes, made.zip.length));
        ASSERT_GOOD(npz_open(made.zip.bytes, made.zip.length, &npz, &error), error);
        assert_int_equal(npz.count, 2);
        assert_null(npz_find(&npz, "y"));
        const struct npz_array *array = npz_find(&npz, "x");
        assert_non_null(array);
        ASSERT_GOOD(npz_read(&npz, array, 0, &bytes, &error), error);
        assert_int_equal(array->raw, made.images.length);
        assert_memory_equal(bytes, made.images.bytes, array->raw);
        free(bytes);
        ASSERT_FAILS(npz_read(&npz, array, 16, &bytes, &error), error, WEFT_LIMIT);
    }
}

/* Reads all arrays of a damaged file, in a copy of its exact size; none of that may crash. */
static bool read_all(const uint8_t *bytes, size_t length) {
    static struct npz npz;
    struct weft_error error;
    uint8_t *copy = malloc(length == 0 ? 1 : length);
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    bool good = npz_open(copy, length, &npz, &error);
    for (size_t i = 0; good && i < npz.count; i++) {
        uint8_t *array = NULL;
        good = npz_read(&npz, &npz.arrays[i], 1 << 20, &array, &error);
        free(array);
    }
    if (!good) {
        assert_true(error.code == WEFT_NPY || error.code == WEFT_LIMIT);
    }
    free(copy);
    return good;
}

static void damaged_files_are_refused(void **state) {
    static struct sample_file made;
    (void)state;
    for (int deflated = 0; deflated < 2; deflated++) {
        make_samples(&made, deflated == 1);
        assert_true(read_all(made.zip.bytes, made.zip.length));
        for (size_t length = 0; length < made.zip.length; length++) {
            assert_false(read_all(made.zip.bytes, length));
        }
        size_t refused = 0;
        for (size_t i = 0; i < 8 * made.zip.length; i++) {
            made.zip.bytes[i / 8] ^= (uint8_t)(1 << i % 8);
            refused += !read_all(made.zip.bytes, made.zip.length);
            made.zip.bytes[i / 8] ^= (uint8_t)(1 << i % 8);
        }
        assert_true(refused > 2 * made.zip.length);
    }
}

/* ---- data sets ---- */

static int make_folder(void **state) {
    static struct folder folder;
    folder = folder_new();
    *state = &folder;
    return 0;
}

static int remove_folder(void **state) {
    folder_free(*state);
    return 0;
}

#define FOLDER_TEST(function) cmocka_unit_test_setup_teardown(function, make_folder, remove_folder)

/* Writes the samples to a file of the test's folder, and opens them for an input. */
static struct dataset *open_samples(const struct folder *folder, const struct weft_type *type,
                                    const struct dataset_options *options) {
    static struct sample_file made;
    struct weft_error error;
    struct dataset *dataset = NULL;
    struct weft_value input = {.type = *type, .name = "in"};
    struct weft_value *inputs[1] = {&input};
    make_samples(&made, true);
    const char *path = folder_write(folder, "data.npz", made.zip.bytes, made.zip.length);
    ASSERT_GOOD(dataset_open(path, 1, inputs, options, &dataset, &error), error);
    return dataset;
}

static void samples_have_the_axes_of_the_input(void **state) {
    const struct weft_type first = weft_type_make(WEFT_F32, 4, (const int64_t[]){1, 2, 2, 3});
    const struct weft_type last = weft_type_make(WEFT_F32, 4, (const int64_t[]){1, 2, 3, 2});
    const struct dataset_options options = {.usual = "calibration", .mean = "10,20", .std = "2"};
    struct weft_error error;
    float values[12];
    void *inputs[1] = {values};
    for (int order = 0; order < 2; order++) {
        struct dataset *dataset = open_samples(*state, order == 0 ? &first : &last, &options);
        const struct weft_samples *samples = dataset_samples(dataset);
        assert_int_equal(samples->count, 2);
        assert_true(dataset_has_labels(dataset));
        assert_int_equal(dataset_label(dataset, 0), 3);
        assert_int_equal(dataset_label(dataset, 1), 1);
        ASSERT_GOOD(samples->fill(samples->context, 1, inputs, &error), error);
        for (int i = 0; i < 12; i++) {
            int channel = order == 0 ? i / 6 : i % 2;
            int pixel = order == 0 ? i % 6 : i / 2;
            float grey = (float)(10 * (12 + 6 * channel + pixel));
            assert_true(values[i] == (grey - (channel == 0 ? 10.0F : 20.0F)) / 2.0F);
        }
        dataset_close(dataset);
    }
}

static void samples_become_quantised(void **state) {
    static const double scale = 2;
    static const int32_t zero = -100;
    struct weft_type type = weft_type_make(WEFT_I8, 4, (const int64_t[]){1, 2, 2, 3});
    const struct dataset_options options = {.array = "x", .most = 1};
    struct weft_error error;
    int8_t values[12];
    void *inputs[1] = {values};
    type.quantization = (struct weft_quantization){1, 0, &scale, &zero};
    struct dataset *dataset = open_samples(*state, &type, &options);
    const struct weft_samples *samples = dataset_samples(dataset);
    assert_int_equal(samples->count, 1);
    ASSERT_GOOD(samples->fill(samples->context, 0, inputs, &error), error);
    for (int i = 0; i < 12; i++) {
        assert_int_equal(values[i], 10 * i / 2 - 100);
    }
    dataset_close(dataset);
}

static void what_does_not_fit_is_refused(void **state) {
    const struct folder *folder = *state;
    const struct weft_type type = weft_type_make(WEFT_F32, 4, (const int64_t[]){1, 2, 2, 3});
    const struct weft_type other = weft_type_make(WEFT_F32, 2, (const int64_t[]){1, 11});
    static const struct {
        struct dataset_options options;
        bool other;
        enum weft_error_code code;
        const char *words;
    } cases[] = {
        {{.array = "y"}, false, WEFT_ARGUMENT, "no array 'y'"},
        {{.labels = "y"}, false, WEFT_ARGUMENT, "no array 'y'"},
        {{.labels = "x"}, false, WEFT_TENSOR, "a label for each sample"},
        {{.array = "x"}, true, WEFT_TENSOR, "shape of the model's input"},
        {{.mean = "1,2,"}, false, WEFT_ARGUMENT, "numbers that commas join"},
        {{.mean = "1,2", .std = "1,2,3"}, false, WEFT_ARGUMENT, "different channels"},
        {{.std = "0"}, false, WEFT_ARGUMENT, "divided by 0"},
    };
    const struct dataset_options good = {.array = "x"};
    dataset_close(open_samples(folder, &type, &good));
    const char *path = folder_file(folder, "data.npz");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct weft_error error;
        struct dataset *dataset = NULL;
        struct weft_value input = {.type = cases[i].other ? other : type, .name = "in"};
        struct weft_value *inputs[1] = {&input};
        ASSERT_FAILS(dataset_open(path, 1, inputs, &cases[i].options, &dataset, &error), error,
                     cases[i].code);
        if (strstr(error.message, cases[i].words) == NULL) {
            fail_msg("%s", error.message);
        }
    }
    /* Of several inputs each has the array of its name. */
    struct weft_value input = {.type = type, .name = "x"};
    struct weft_value *inputs[2] = {&input, &input};
    struct dataset *dataset = NULL;
    struct weft_error error;
    ASSERT_FAILS(dataset_open(path, 2, inputs, &good, &dataset, &error), error, WEFT_ARGUMENT);
    assert_non_null(strstr(error.message, "--array is for a model of one input"));
}

/* Samples and labels of floats for an input of two, opened. */
static bool open_floats(const struct folder *folder, const char *shape, const float *values,
                        const double *labels, struct dataset **dataset, struct weft_error *error) {
    static struct file arrays[2];
    static struct file zip;
    const struct dataset_options options = {.usual = "x"};
    const struct weft_type type = weft_type_make(WEFT_F32, 2, (const int64_t[]){1, 2});
    struct weft_value input = {.type = type, .name = "in"};
    struct weft_value *inputs[1] = {&input};
    size_t samples = shape[1] == '0' ? 0 : 2;
    make_array("<f4", shape, values, 2 * samples * sizeof *values, &arrays[0]);
    make_array("<f8", samples == 0 ? "(0,)" : "(2,)", labels, samples * sizeof *labels, &arrays[1]);
    struct member *members = calloc(2, sizeof *members);
    assert_non_null(members);
    members[0] = (struct member){"x.npy", &arrays[0], false, 0, {.length = 0}};
    members[1] = (struct member){"labels.npy", &arrays[1], false, 0, {.length = 0}};
    make_zip(members, 2, &zip);
    free(members);
    return dataset_open(folder_write(folder, "floats.npz", zip.bytes, zip.length), 1, inputs,
                        &options, dataset, error);
}

static void what_is_no_number_is_refused(void **state) {
    static const double labels[][2] = {{1, 0}, {0.5, 0}, {NAN, 0}, {1, INFINITY}, {-1e300, 0}};
    const float bad[4] = {1, 2, 3, NAN};
    struct dataset *dataset = NULL;
    struct weft_error error;
    float values[2];
    void *inputs[1] = {values};
    ASSERT_GOOD(open_floats(*state, "(2, 2)", bad, labels[0], &dataset, &error), error);
    const struct weft_samples *samples = dataset_samples(dataset);
    ASSERT_GOOD(samples->fill(samples->context, 0, inputs, &error), error);
    ASSERT_FAILS(samples->fill(samples->context, 1, inputs, &error), error, WEFT_ARGUMENT);
    assert_non_null(strstr(error.message, "sample 1: element 1 is not a finite number"));
    dataset_close(dataset);
    for (size_t i = 1; i < sizeof labels / sizeof labels[0]; i++) {
        ASSERT_FAILS(open_floats(*state, "(2, 2)", bad, labels[i], &dataset, &error), error,
                     WEFT_TENSOR);
        assert_non_null(strstr(error.message, "whole numbers"));
    }
    ASSERT_FAILS(open_floats(*state, "(0, 2)", bad, labels[0], &dataset, &error), error,
                 WEFT_ARGUMENT);
    assert_non_null(strstr(error.message, "no samples"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_found_stored_and_deflated),
        cmocka_unit_test(damaged_files_are_refused),
        FOLDER_TEST(samples_have_the_axes_of_the_input),
        FOLDER_TEST(samples_become_quantised),
        FOLDER_TEST(what_does_not_fit_is_refused),
        FOLDER_TEST(what_is_no_number_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
