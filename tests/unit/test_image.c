/* cli/image: what must become of pictures. test_image_refused.c has those that are none, or too
 * much. */
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tests/unit/folder.h"
#include "tests/unit/pictures.h"

/* ---- what must become of them ---- */

static uint8_t *parse(const struct picture *picture, const struct weft_type *type,
                      const struct image_options *options) {
    struct weft_error error;
    uint8_t *bytes = NULL;
    ASSERT_GOOD(image_parse(picture->bytes, picture->length, type, options, &bytes, &error), error);
    return bytes;
}

/* The greys that come out, whatever the type. */
static uint8_t *greys_of(const struct picture *picture, const struct weft_type *type) {
    uint8_t *bytes = parse(picture, type, &plain);
    for (size_t i = 0; type->dtype == WEFT_I8 && i < weft_type_bytes(type); i++) {
        bytes[i] ^= 0x80;
    }
    return bytes;
}

static void assert_greys(const struct picture *picture, const struct weft_type *type,
                         const uint8_t *expected) {
    uint8_t *greys = greys_of(picture, type);
    assert_memory_equal(greys, expected, weft_type_bytes(type));
    free(greys);
}

/* ---- formats and channels ---- */

static void lossless_formats_give_every_pixel(void **state) {
    (void)state;
    uint8_t pixels[PIXELS * 3];
    noise(pixels, sizeof pixels);
    struct picture pictures[] = {png_of(pixels, 3), bmp_of(pixels, false), bmp_of(pixels, true)};
    for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++) {
        struct weft_type type = input_type(WEFT_U8, HEIGHT, WIDTH, 3);
        assert_greys(&pictures[i], &type, pixels);
        type = input_type(WEFT_I8, HEIGHT, WIDTH, 3);
        assert_greys(&pictures[i], &type, pixels);
    }
}

static void greys_become_all_colours(void **state) {
    (void)state;
    uint8_t grey[PIXELS];
    uint8_t expected[PIXELS * 3];
    noise(grey, sizeof grey);
    for (size_t i = 0; i < sizeof expected; i++) {
        expected[i] = grey[i / 3];
    }
    struct picture picture = png_of(grey, 1);
    struct weft_type type = input_type(WEFT_I8, HEIGHT, WIDTH, 1);
    assert_greys(&picture, &type, grey);
    type = input_type(WEFT_I8, HEIGHT, WIDTH, 3);
    assert_greys(&picture, &type, expected);
}

static void colours_become_their_luminance(void **state) {
    (void)state;
    uint8_t pixels[PIXELS * 3];
    noise(pixels, sizeof pixels);
    struct picture picture = png_of(pixels, 3);
    struct weft_type type = input_type(WEFT_U8, HEIGHT, WIDTH, 1);
    uint8_t *greys = greys_of(&picture, &type);
    for (size_t i = 0; i < PIXELS; i++) {
        double luminance =
            0.299 * pixels[3 * i] + 0.587 * pixels[3 * i + 1] + 0.114 * pixels[3 * i + 2];
        assert_true(fabs(greys[i] - luminance) <= 1.5);
    }
    free(greys);
}

static void jpeg_comes_close(void **state) {
    (void)state;
    uint8_t pixels[PIXELS * 3];
    for (int i = 0; i < PIXELS * 3; i++) {
        pixels[i] = (uint8_t)(60 * (i % 3) + 4 * (i / 3 % WIDTH));
    }
    struct picture picture = jpeg_of(pixels, 3);
    struct weft_type type = input_type(WEFT_U8, HEIGHT, WIDTH, 3);
    uint8_t *greys = greys_of(&picture, &type);
    for (int i = 0; i < PIXELS * 3; i++) {
        assert_in_range(greys[i] - pixels[i] + 8, 0, 16);
    }
    free(greys);
}

static void endings_say_what_is_a_picture(void **state) {
    (void)state;
    static const char *const pictures[] = {"a.png", "a.PNG", "x.y/a.b.Jpg", "a.jpeg", "a.bmp"};
    static const char *const others[] = {"a.npy", "a", "png", "a.png.npy", "a.gif", "", "a.pn"};
    for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++) {
        assert_true(is_image(pictures[i]));
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_false(is_image(others[i]));
    }
}

/* ---- sizes ---- */

static void one_colour_stays_so_at_any_size(void **state) {
    (void)state;
    static const int64_t sizes[][2] = {{1, 1}, {7, 10}, {14, 20}, {14, 21}, {64, 3}, {5, 200}};
    uint8_t pixels[PIXELS * 3];
    for (int i = 0; i < PIXELS * 3; i++) {
        pixels[i] = (uint8_t)(10 + 100 * (i % 3));
    }
    struct picture picture = png_of(pixels, 3);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        struct weft_type type = input_type(WEFT_U8, sizes[k][0], sizes[k][1], 3);
        uint8_t *greys = greys_of(&picture, &type);
        for (size_t i = 0; i < weft_type_bytes(&type); i++) {
            assert_int_equal(greys[i], 10 + 100 * (i % 3));
        }
        free(greys);
    }
}

/* A picture that is dark on one side of an edge keeps its orientation: far from the edge the two
 * greys are what they were. */
static void assert_edge(bool vertical, int64_t height, int64_t width) {
    uint8_t pixels[PIXELS];
    for (int i = 0; i < PIXELS; i++) {
        pixels[i] = (vertical ? i % WIDTH < WIDTH / 2 : i / WIDTH < HEIGHT / 2) ? 40 : 200;
    }
    struct picture picture = png_of(pixels, 1);
    struct weft_type type = input_type(WEFT_U8, height, width, 1);
    uint8_t *greys = greys_of(&picture, &type);
    for (int64_t y = 0; y < height; y++) {
        for (int64_t x = 0; x < width; x++) {
            double place =
                vertical ? ((double)x + 0.5) / (double)width : ((double)y + 0.5) / (double)height;
            uint8_t grey = greys[y * width + x];
            if (place < 0.2) {
                assert_int_equal(grey, 40);
            } else if (place > 0.8) {
                assert_int_equal(grey, 200);
            }
        }
    }
    free(greys);
}

static void resizing_keeps_the_orientation(void **state) {
    (void)state;
    static const int64_t sizes[][2] = {{7, 10}, {28, 40}, {9, 33}, {14, 10}, {7, 20}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_edge(true, sizes[i][0], sizes[i][1]);
        assert_edge(false, sizes[i][0], sizes[i][1]);
    }
}

/* ---- quantisation ---- */

/* A picture whose greys are 0, 1, ..., 255 and then 0 again, and what they become. */
static uint8_t *quantise(const struct weft_type *type, const char *mean, const char *std) {
    uint8_t pixels[PIXELS];
    for (int i = 0; i < PIXELS; i++) {
        pixels[i] = (uint8_t)i;
    }
    struct picture picture = png_of(pixels, 1);
    struct image_options options = {.mean = mean, .std = std};
    return parse(&picture, type, &options);
}

static void greys_become_steps_of_the_scale(void **state) {
    (void)state;
    static const struct {
        const char *mean, *std;
        double scale;
        int32_t zero;
        enum weft_dtype dtype;
        int expected[4]; /* of greys 0, 1, 127 and 255 */
    } cases[] = {
        {NULL, "255", 1.0 / 255, -128, WEFT_I8, {-128, -127, -1, 127}},
        {"0", "255", 1.0 / 255, 0, WEFT_U8, {0, 1, 127, 255}},
        /* (g - 127.5) / 127.5 * 128: -128, -126.996, -0.502, 128 */
        {"127.5", "127.5", 1.0 / 128, 0, WEFT_I8, {-128, -127, -1, 127}},
        {"127.5", NULL, 1, 0, WEFT_I8, {-128, -127, -1, 127}}, /* -127.5 away from zero */
        {"128", "-1", 1, 0, WEFT_I8, {127, 127, 1, -127}},     /* 128 is cut */
        {NULL, "2", 1, 5, WEFT_I8, {5, 6, 69, 127}},           /* 0.5, 63.5, 127.5 */
        {"-1e300", "1e-300", 1, 0, WEFT_U8, {255, 255, 255, 255}},
        {"1e2", "1", 1, 0, WEFT_U8, {0, 0, 27, 155}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct weft_type type = input_type(cases[k].dtype, HEIGHT, WIDTH, 1);
        type.quantization.scale = &cases[k].scale;
        type.quantization.zero = &cases[k].zero;
        uint8_t *bytes = quantise(&type, cases[k].mean, cases[k].std);
        static const int greys[] = {0, 1, 127, 255};
        for (int i = 0; i < 4; i++) {
            int byte = bytes[greys[i]];
            assert_int_equal(cases[k].dtype == WEFT_I8 ? (int8_t)byte : byte, cases[k].expected[i]);
        }
        free(bytes);
    }
}

static void every_channel_has_its_own_mean(void **state) {
    (void)state;
    uint8_t pixels[PIXELS * 3];
    memset(pixels, 100, sizeof pixels);
    struct picture picture = png_of(pixels, 3);
    struct weft_type type = input_type(WEFT_I8, HEIGHT, WIDTH, 3);
    double scale = 1;
    int32_t zero = 0;
    type.quantization.scale = &scale;
    type.quantization.zero = &zero;
    struct image_options options = {.mean = "90,100,110", .std = "1,2,-5"};
    uint8_t *bytes = parse(&picture, &type, &options);
    for (size_t i = 0; i < sizeof pixels; i += 3) {
        assert_int_equal((int8_t)bytes[i], 10);
        assert_int_equal((int8_t)bytes[i + 1], 0);
        assert_int_equal((int8_t)bytes[i + 2], 2);
    }
    free(bytes);
}

/* Rows of rows, channel after channel, of floats as of bytes. */
static void channels_can_come_first(void **state) {
    (void)state;
    uint8_t pixels[PIXELS * 3];
    noise(pixels, sizeof pixels);
    struct picture picture = png_of(pixels, 3);
    struct weft_type bytes_type = {.dtype = WEFT_U8, .rank = 4, .dim = {1, 3, HEIGHT, WIDTH}};
    struct weft_type float_type = {.dtype = WEFT_F32, .rank = 4, .dim = {1, 3, HEIGHT, WIDTH}};
    const struct image_options options = {.mean = "10,20,30", .std = "2"};
    uint8_t *bytes = parse(&picture, &bytes_type, &plain);
    uint8_t *greys = parse(&picture, &float_type, &plain);
    uint8_t *floats = parse(&picture, &float_type, &options);
    for (size_t i = 0; i < sizeof pixels; i++) {
        size_t place = i % 3 * PIXELS + i / 3;
        float grey = 0;
        float number = 0;
        memcpy(&grey, greys + place * sizeof grey, sizeof grey);
        memcpy(&number, floats + place * sizeof number, sizeof number);
        assert_int_equal(bytes[place], pixels[i]);
        assert_true(grey == (float)pixels[i]);
        assert_true(number == ((float)pixels[i] - 10.0F * (float)(i % 3 + 1)) / 2.0F);
    }
    free(bytes);
    free(greys);
    free(floats);
}

/* [1, 3, 5, 3] can be both: channels are last unless the layout says otherwise. */
static void a_layout_says_which_axis_is_channels(void **state) {
    (void)state;
    uint8_t pixels[PIXELS * 3];
    memset(pixels, 7, sizeof pixels);
    for (size_t i = 0; i < sizeof pixels; i += 3) {
        pixels[i] = 9; /* red */
    }
    struct picture picture = png_of(pixels, 3);
    struct weft_type type = {.dtype = WEFT_U8, .rank = 4, .dim = {1, 3, 5, 3}};
    const struct image_options last = {.layout = "nhwc"};
    const struct image_options first = {.layout = "nchw"};
    const struct image_options *const options[] = {&plain, &last, &first};
    for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
        uint8_t *bytes = parse(&picture, &type, options[k]);
        for (size_t i = 0; i < weft_type_bytes(&type); i++) {
            bool is_red = options[k] == &first ? i < 15 : i % 3 == 0;
            assert_int_equal(bytes[i], is_red ? 9 : 7);
        }
        free(bytes);
    }
    struct weft_error error;
    uint8_t *bytes = NULL;
    type.dim[1] = 4;
    ASSERT_FAILS(image_parse(picture.bytes, picture.length, &type, &first, &bytes, &error), error,
                 WEFT_TENSOR);
    type = (struct weft_type){.dtype = WEFT_U8, .rank = 4, .dim = {1, 3, 5, 3}};
    const struct image_options scaled = {.mean = "1"}; /* to which scale? */
    ASSERT_FAILS(image_parse(picture.bytes, picture.length, &type, &scaled, &bytes, &error), error,
                 WEFT_TENSOR);
}

static void numbers_must_be_one_or_one_for_each_channel(void **state) {
    (void)state;
    static const char *const wrong[] = {"",        ",",   "1,",   "1,2",  "1,2,3,",
                                        "1,2,3,4", "x",   "1x",   "1,,2", "1;2;3",
                                        "1,2,nan", "inf", "-inf", "1 2 3"};
    uint8_t pixels[PIXELS * 3];
    noise(pixels, sizeof pixels);
    struct picture picture = png_of(pixels, 3);
    struct weft_type type = input_type(WEFT_I8, HEIGHT, WIDTH, 3);
    struct weft_error error;
    uint8_t *bytes = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        for (int std = 0; std < 2; std++) {
            struct image_options options = {.mean = std ? NULL : wrong[i],
                                            .std = std ? wrong[i] : NULL};
            ASSERT_FAILS(
                image_parse(picture.bytes, picture.length, &type, &options, &bytes, &error), error,
                WEFT_ARGUMENT);
            assert_null(bytes);
        }
    }
    static const char *const zeros[] = {"0", "-0.0", "1,0,1"};
    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++) {
        struct image_options options = {.std = zeros[i]};
        ASSERT_FAILS(image_parse(picture.bytes, picture.length, &type, &options, &bytes, &error),
                     error, WEFT_ARGUMENT);
        assert_null(bytes);
    }
}

/* ---- what is in a file beside its pixels ---- */

static void bytes_after_the_end_do_not_matter(void **state) {
    (void)state;
    uint8_t pixels[PIXELS * 3];
    noise(pixels, sizeof pixels);
    struct picture pictures[] = {png_of(pixels, 3), bmp_of(pixels, false)};
    struct weft_type type = input_type(WEFT_I8, HEIGHT, WIDTH, 3);
    for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++) {
        picture_put(&pictures[i], 3, 0x123456);
        assert_greys(&pictures[i], &type, pixels);
    }
}

/* A JPEG with an EXIF orientation behind its first marker. */
static struct picture turned_jpeg(const uint8_t *pixels, uint8_t orientation) {
    const uint8_t exif[] = {0xff, 0xe1, 0, 34, 'E', 'x',         'i', 'f', 0, 0,  'M', 'M',
                            0,    42,   0, 0,  0,   8,           0,   1,   1, 18, 0,   3,
                            0,    0,    0, 1,  0,   orientation, 0,   0,   0, 0,  0,   0};
    struct picture jpeg = jpeg_of(pixels, 3);
    memmove(jpeg.bytes + 2 + sizeof exif, jpeg.bytes + 2, jpeg.length - 2);
    memcpy(jpeg.bytes + 2, exif, sizeof exif);
    jpeg.length += sizeof exif;
    return jpeg;
}

/* Upright, a picture that lies on its side has as many columns as the file has rows: nothing is
 * resized, and pixels are where they belong. */
static void orientations_are_obeyed(void **state) {
    (void)state;
    uint8_t pixels[PIXELS * 3];
    noise(pixels, sizeof pixels);
    struct weft_type as_stored = input_type(WEFT_U8, HEIGHT, WIDTH, 3);
    struct weft_type on_side = input_type(WEFT_U8, WIDTH, HEIGHT, 3);
    struct picture plain_jpeg = jpeg_of(pixels, 3);
    uint8_t *stored = greys_of(&plain_jpeg, &as_stored);
    for (uint8_t orientation = 0; orientation <= 9; orientation++) {
        bool lies = orientation >= 5 && orientation <= 8;
        int rows = lies ? WIDTH : HEIGHT;
        int columns = lies ? HEIGHT : WIDTH;
        struct picture jpeg = turned_jpeg(pixels, orientation);
        uint8_t *upright = greys_of(&jpeg, lies ? &on_side : &as_stored);
        for (int y = 0; y < rows; y++) {
            for (int x = 0; x < columns; x++) {
                const int right = columns - 1 - x;
                const int below = rows - 1 - y;
                /* Where each orientation has it in the file: column, row. */
                const int from[10][2] = {{x, y},     {x, y}, {right, y}, {right, below},
                                         {x, below}, {y, x}, {y, right}, {below, right},
                                         {below, x}, {x, y}};
                const int *at = from[orientation];
                assert_memory_equal(upright + (y * columns + x) * 3,
                                    stored + (at[1] * WIDTH + at[0]) * 3, 3);
            }
        }
        free(upright);
    }
    free(stored);
}

/* Colours and greys, with alpha, blended on white. */
static void what_is_not_opaque_is_blended(void **state) {
    (void)state;
    uint8_t pixels[PIXELS * 4];
    uint8_t expected[PIXELS * 3];
    noise(pixels, sizeof pixels);
    struct weft_type colours = input_type(WEFT_U8, HEIGHT, WIDTH, 3);
    struct weft_type greys = input_type(WEFT_U8, HEIGHT, WIDTH, 1);
    for (int channels = 2; channels <= 4; channels++) {
        bool blended = false;
        const struct image_options options = {.blended = &blended};
        struct picture picture = png_of(pixels, channels);
        const struct weft_type *type = channels == 2 ? &greys : &colours;
        int values = channels == 2 ? 1 : 3;
        for (int i = 0; i < PIXELS * values; i++) {
            const uint8_t *from = pixels + i / values * channels;
            double alpha = channels == 3 ? 1 : from[values] / 255.0;
            expected[i] = (uint8_t)lround(from[i % values] * alpha + 255 * (1 - alpha));
        }
        uint8_t *bytes = parse(&picture, type, &options);
        assert_memory_equal(bytes, expected, (size_t)(PIXELS * values));
        assert_int_equal(blended, channels != 3);
        free(bytes);
    }
}

/* ---- files ---- */

static void files_are_read_from_disk(void **state) {
    (void)state;
    struct folder folder = folder_new();
    struct weft_type type = input_type(WEFT_I8, HEIGHT, WIDTH, 3);
    struct weft_error error;
    uint8_t pixels[PIXELS * 3];
    uint8_t *bytes = NULL;
    noise(pixels, sizeof pixels);
    struct picture picture = png_of(pixels, 3);
    ASSERT_FAILS(image_read(folder_file(&folder, "a.png"), &type, &plain, &bytes, &error), error,
                 WEFT_IO);
    assert_null(bytes);
    const char *path = folder_write(&folder, "a.png", picture.bytes, picture.length);
    ASSERT_GOOD(image_read(path, &type, &plain, &bytes, &error), error);
    for (size_t i = 0; i < sizeof pixels; i++) {
        assert_int_equal((int8_t)bytes[i], pixels[i] - 128);
    }
    free(bytes);
    folder_free(&folder);
}

/* The pictures of the embedded model; CRC-32 of their pixels from another decoder. */
static void the_digits_are_read(void **state) {
    (void)state;
    static const uint32_t checksums[] = {0x8a112a98, 0xb1ccd807, 0x0b0c2072, 0x3dc4b8e2,
                                         0x933e0088, 0xd7c58f8d, 0xb86ca703, 0x2183b31d,
                                         0xebe1d9cd, 0xeddcb0df};
    struct weft_type type = input_type(WEFT_U8, 16, 16, 1);
    for (int digit = 0; digit < 10; digit++) {
        char path[512];
        struct weft_error error;
        uint8_t *bytes = NULL;
        (void)snprintf(path, sizeof path, "%s/models/digits/%d.png", WEFT_SOURCE_DIR, digit);
        ASSERT_GOOD(image_read(path, &type, &plain, &bytes, &error), error);
        assert_int_equal(crc32(0, bytes, 256), checksums[digit]);
        free(bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lossless_formats_give_every_pixel),
        cmocka_unit_test(greys_become_all_colours),
        cmocka_unit_test(colours_become_their_luminance),
        cmocka_unit_test(jpeg_comes_close),
        cmocka_unit_test(endings_say_what_is_a_picture),
        cmocka_unit_test(one_colour_stays_so_at_any_size),
        cmocka_unit_test(resizing_keeps_the_orientation),
        cmocka_unit_test(greys_become_steps_of_the_scale),
        cmocka_unit_test(every_channel_has_its_own_mean),
        cmocka_unit_test(channels_can_come_first),
        cmocka_unit_test(a_layout_says_which_axis_is_channels),
        cmocka_unit_test(numbers_must_be_one_or_one_for_each_channel),
        cmocka_unit_test(bytes_after_the_end_do_not_matter),
        cmocka_unit_test(orientations_are_obeyed),
        cmocka_unit_test(what_is_not_opaque_is_blended),
        cmocka_unit_test(files_are_read_from_disk),
        cmocka_unit_test(the_digits_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
