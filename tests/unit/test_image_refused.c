/* cli/image: pictures that are damaged, or too large, and files that are none. */
#include "tests/unit/test.h"

#include <limits.h>
#include <stb/stb_image_write.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tests/unit/pictures.h"

static void assert_bad(const uint8_t *file, size_t length, enum weft_error_code code,
                       const char *part) {
    struct weft_type type = input_type(WEFT_I8, HEIGHT, WIDTH, 3);
    struct weft_error error;
    uint8_t *bytes = NULL;
    /* A copy of the exact size, so that AddressSanitizer sees a byte too many. */
    uint8_t *copy = malloc(length == 0 ? 1 : length);
    assert_non_null(copy);
    memcpy(copy, file, length);
    ASSERT_FAILS(image_parse(copy, length, &type, &plain, &bytes, &error), error, code);
    assert_null(bytes);
    if (strstr(error.message, part) == NULL) {
        print_error("'%s' does not mention '%s'\n", error.message, part);
        fail();
    }
    free(copy);
}

/* ---- what is no picture for an input ---- */

static void only_inputs_of_pictures_take_pictures(void **state) {
    (void)state;
    uint8_t pixels[PIXELS * 3];
    noise(pixels, sizeof pixels);
    struct picture picture = png_of(pixels, 3);
    struct weft_type good = input_type(WEFT_I8, HEIGHT, WIDTH, 3);
    struct weft_type types[] = {good, good, good, good, good, good, good};
    types[0].rank = 3;
    types[1].dim[0] = 2;
    types[2].dim[3] = 2;
    types[3].dim[3] = 4;
    types[4].dtype = WEFT_I16;
    types[5].dtype = WEFT_F32;
    types[6].quantization.count = 3; /* along an axis */
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct weft_error error;
        uint8_t *bytes = NULL;
        ASSERT_FAILS(image_parse(picture.bytes, picture.length, &types[i], &plain, &bytes, &error),
                     error, WEFT_TENSOR);
        assert_null(bytes);
        assert_non_null(strstr(error.message, types[i].dtype == WEFT_F32   ? "found FLOAT32"
                                              : types[i].dtype == WEFT_I16 ? "found INT16"
                                                                           : "found INT8"));
    }
}

static void other_files_are_no_pictures(void **state) {
    (void)state;
    uint8_t bytes[64];
    struct picture tga = {.length = 0};
    uint8_t pixels[PIXELS * 3];
    noise(bytes, sizeof bytes);
    noise(pixels, sizeof pixels);
    assert_bad(bytes, sizeof bytes, WEFT_IMAGE, "not a PNG, JPEG or BMP picture");
    assert_bad((const uint8_t *)"GIF89", 5, WEFT_IMAGE, "not a PNG, JPEG or BMP picture");
    assert_bad((const uint8_t *)"GIF89a", 6, WEFT_IMAGE,
               "a GIF picture; pictures are read as PNG, JPEG or BMP");
    assert_bad((const uint8_t *)"RIFF----WEBP", 12, WEFT_IMAGE, "a WebP picture; ");
    assert_bad((const uint8_t *)"II*", 4, WEFT_IMAGE, "a TIFF picture; ");
    /* The decoder knows this format, which has no mark at all: any file could be one. */
    assert_true(stbi_write_tga_to_func(picture_append, &tga, WIDTH, HEIGHT, 3, pixels) != 0);
    assert_bad(tga.bytes, tga.length, WEFT_IMAGE, "not a PNG, JPEG or BMP picture");
    assert_bad((const uint8_t *)"\x93NUMPY", 6, WEFT_IMAGE, "not a PNG, JPEG or BMP picture");
}

/* ---- damage ---- */

static void pictures_that_end_early_are_refused(void **state) {
    (void)state;
    uint8_t pixels[PIXELS * 3];
    noise(pixels, sizeof pixels);
    struct picture pictures[] = {png_of(pixels, 3), bmp_of(pixels, false), jpeg_of(pixels, 3)};
    for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++) {
        for (size_t length = 0; length < pictures[i].length; length++) {
            assert_bad(pictures[i].bytes, length, WEFT_IMAGE, "");
        }
    }
    assert_bad(pictures[0].bytes, pictures[0].length - 1, WEFT_IMAGE, "ends inside a PNG chunk");
    assert_bad(pictures[1].bytes, pictures[1].length - 1, WEFT_IMAGE, "893 of 894 bytes");
}

static void every_flipped_bit_of_a_png_is_seen(void **state) {
    (void)state;
    uint8_t pixels[PIXELS * 3];
    noise(pixels, sizeof pixels);
    struct picture picture = png_of(pixels, 3);
    for (size_t i = 0; i < picture.length * 8; i++) {
        picture.bytes[i / 8] ^= (uint8_t)(1 << i % 8);
        assert_bad(picture.bytes, picture.length, WEFT_IMAGE, "");
        picture.bytes[i / 8] ^= (uint8_t)(1 << i % 8);
    }
    picture.bytes[picture.length / 2] ^= 1;
    assert_bad(picture.bytes, picture.length, WEFT_IMAGE, "wrong checksum");
}

/* A Huffman table of as many codes as the counts of its lengths say, 255 of each of the last ones.
 */
static struct picture tables_of(unsigned lengths, unsigned segment) {
    struct picture picture = {.length = 0};
    picture_put(&picture, 4, 0xc4ffd8ff);
    picture_put(&picture, 1, segment >> 8);
    picture_put(&picture, 1, segment);
    picture_put(&picture, 1, 0);
    for (unsigned i = 0; i < 16; i++) {
        picture_put(&picture, 1, i < 16 - lengths ? 0 : 255);
    }
    return picture;
}

/* The decoder writes past its tables: in the first segment, behind a scan and past the end of a
 * segment. */
static void jpegs_of_too_many_codes_are_refused(void **state) {
    (void)state;
    static const char many[] = "a JPEG Huffman table of 510 codes";
    struct picture picture = tables_of(2, 2 + 17 + 510);
    assert_bad(picture.bytes, picture.length, WEFT_IMAGE, many);
    picture = tables_of(2, 3);
    assert_bad(picture.bytes, picture.length, WEFT_IMAGE, many);
    picture = tables_of(1, 2 + 17 + 255);
    assert_bad(picture.bytes, picture.length, WEFT_IMAGE, "the picture's header is damaged");

    uint8_t pixels[PIXELS * 3];
    noise(pixels, sizeof pixels);
    struct picture whole = jpeg_of(pixels, 3);
    picture = tables_of(2, 2 + 17 + 510);
    memcpy(whole.bytes + whole.length - 2, picture.bytes + 2, picture.length - 2); /* EOI */
    whole.length += picture.length - 4;
    assert_bad(whole.bytes, whole.length, WEFT_IMAGE, many);
}

/* ---- sizes ---- */

static void pictures_have_a_largest_size(void **state) {
    (void)state;
    uint8_t pixels[PIXELS * 3];
    noise(pixels, sizeof pixels);
    static const uint32_t sides[] = {16385, 1 << 20, INT_MAX, (uint32_t)INT_MIN, (uint32_t)-16385};
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        struct picture picture = bmp_of(pixels, false);
        picture.length = 22;
        picture_put(&picture, 4, sides[i]);
        picture.length = sizeof picture.bytes;
        assert_bad(picture.bytes, picture.length, WEFT_IMAGE, "at most 16384 x 16384 pixels");
    }
    struct picture picture = bmp_of(pixels, false);
    picture.length = 18;
    picture_put(&picture, 4, 16384);
    picture_put(&picture, 4, 16384);
    assert_bad(picture.bytes, sizeof picture.bytes, WEFT_IMAGE, "of 805306422 bytes");
    /* Longer than the decoder can count: refused before a byte beyond the first is read. */
    struct weft_type type = input_type(WEFT_I8, HEIGHT, WIDTH, 3);
    struct weft_error error;
    uint8_t *bytes = NULL;
    ASSERT_FAILS(image_parse(picture.bytes, (size_t)INT_MAX + 1, &type, &plain, &bytes, &error),
                 error, WEFT_IMAGE);
    assert_null(bytes);
}

/* The decoder and the resizer assert that there are pixels. */
static void pictures_without_pixels_are_refused(void **state) {
    (void)state;
    static const uint32_t sizes[][2] = {{0, HEIGHT}, {WIDTH, 0}, {0, 0}, {0, (uint32_t)-HEIGHT}};
    uint8_t pixels[PIXELS * 3];
    noise(pixels, sizeof pixels);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct picture picture = bmp_of(pixels, false);
        size_t length = picture.length;
        picture.length = 18;
        picture_put(&picture, 4, sizes[i][0]);
        picture_put(&picture, 4, sizes[i][1]);
        assert_bad(picture.bytes, length, WEFT_IMAGE, "expected 1 x 1 to at most");
    }
    /* The same of a PNG (with its checksum) and of a JPEG, which the decoder sees itself. */
    for (unsigned i = 0; i < 3; i++) {
        struct picture png = png_of(pixels, 3);
        memset(png.bytes + (i == 1 ? 20 : 16), 0, i == 2 ? 8 : 4);
        uint32_t sum = (uint32_t)crc32(0, png.bytes + 12, 17);
        for (unsigned k = 0; k < 4; k++) {
            png.bytes[29 + k] = (uint8_t)(sum >> (24 - 8 * k));
        }
        assert_bad(png.bytes, png.length, WEFT_IMAGE, "the picture's header is damaged");
        struct picture jpeg = jpeg_of(pixels, 3);
        size_t at = 0;
        while (jpeg.bytes[at] != 0xff || jpeg.bytes[at + 1] != 0xc0) {
            at++;
        }
        memset(jpeg.bytes + at + (i == 1 ? 7 : 5), 0, i == 2 ? 4 : 2);
        assert_bad(jpeg.bytes, jpeg.length, WEFT_IMAGE, "the picture's header is damaged");
    }
}

/* A header of 16384 x 16384 pixels, and starts of scans behind it. */
static void jpegs_of_too_many_scans_are_refused(void **state) {
    (void)state;
    enum {
        HEADER = 21,
        MOST = 16
    };
    uint8_t file[HEADER + 2 * (MOST + 1) + 2] = {
        0xff, 0xd8, 0xff, 0xc2, 0, 17, 8, 0x40, 0, 0x40, 0, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0};
    for (size_t i = 0; i <= MOST; i++) {
        file[HEADER + 2 * i] = 0xff;
        file[HEADER + 2 * i + 1] = 0xda;
    }
    assert_bad(file, sizeof file, WEFT_LIMIT, "a JPEG picture of 17 scans, at most 16");
    assert_bad(file, sizeof file - 4, WEFT_LIMIT, "bytes of memory");
}

/* The limit holds for what the decoder and the resizer take, and for the tensors beside it. */
static void pictures_keep_to_the_limit_of_memory(void **state) {
    (void)state;
    uint8_t pixels[PIXELS * 3];
    noise(pixels, sizeof pixels);
    struct picture pictures[] = {png_of(pixels, 3), bmp_of(pixels, false), jpeg_of(pixels, 3)};
    struct weft_type type = input_type(WEFT_I8, 2 * HEIGHT, 2 * WIDTH, 3);
    for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++) {
        struct image_options options = {.memory_limit = 1 << 20};
        struct weft_error error;
        uint8_t *bytes = NULL;
        ASSERT_GOOD(
            image_parse(pictures[i].bytes, pictures[i].length, &type, &options, &bytes, &error),
            error);
        free(bytes);
        bytes = NULL;
        options.memory_limit = 2 * PIXELS * 3 * 4 + 200;
        ASSERT_FAILS(
            image_parse(pictures[i].bytes, pictures[i].length, &type, &options, &bytes, &error),
            error, WEFT_LIMIT);
        options.memory_limit = 1 << 20;
        options.memory_used = (1 << 20) - 200;
        ASSERT_FAILS(
            image_parse(pictures[i].bytes, pictures[i].length, &type, &options, &bytes, &error),
            error, WEFT_LIMIT);
        assert_null(bytes);
    }
}

/* Its sizes would overflow in the resizer. */
static void inputs_too_large_for_resizing_are_refused(void **state) {
    (void)state;
    uint8_t pixels[PIXELS * 3];
    noise(pixels, sizeof pixels);
    struct picture picture = png_of(pixels, 3);
    struct weft_type type = input_type(WEFT_I8, 1, 1 << 20, 3);
    struct weft_error error;
    uint8_t *bytes = NULL;
    ASSERT_FAILS(image_parse(picture.bytes, picture.length, &type, &plain, &bytes, &error), error,
                 WEFT_LIMIT);
    assert_null(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_inputs_of_pictures_take_pictures),
        cmocka_unit_test(pictures_that_end_early_are_refused),
        cmocka_unit_test(every_flipped_bit_of_a_png_is_seen),
        cmocka_unit_test(other_files_are_no_pictures),
        cmocka_unit_test(pictures_have_a_largest_size),
        cmocka_unit_test(pictures_without_pixels_are_refused),
        cmocka_unit_test(jpegs_of_too_many_scans_are_refused),
        cmocka_unit_test(jpegs_of_too_many_codes_are_refused),
        cmocka_unit_test(pictures_keep_to_the_limit_of_memory),
        cmocka_unit_test(inputs_too_large_for_resizing_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
