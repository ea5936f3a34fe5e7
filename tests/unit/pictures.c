#include "tests/unit/pictures.h"

#include <stb/stb_image_write.h>
#include <string.h>

#include "tests/unit/test.h"

const struct image_options plain = {0};

struct weft_type input_type(enum weft_dtype dtype, int64_t height, int64_t width,
                            int64_t channels) {
    static const double scale = 1.0 / 255;
    static const int32_t zero = -128;
    struct weft_type type = {.dtype = dtype, .rank = 4, .dim = {1, height, width, channels}};
    type.quantization = (struct weft_quantization){.count = 1, .scale = &scale, .zero = &zero};
    return type;
}

void picture_append(void *context, void *data, int size) {
    struct picture *picture = context;
    assert_true((size_t)size <= sizeof picture->bytes - picture->length);
    memcpy(picture->bytes + picture->length, data, (size_t)size);
    picture->length += (size_t)size;
}

void noise(uint8_t *pixels, size_t length) {
    uint32_t seed = 1;
    for (size_t i = 0; i < length; i++) {
        seed = seed * 1664525 + 1013904223;
        pixels[i] = (uint8_t)(seed >> 24);
    }
}

struct picture png_of(const uint8_t *pixels, int channels) {
    struct picture picture = {.length = 0};
    assert_true(stbi_write_png_to_func(picture_append, &picture, WIDTH, HEIGHT, channels, pixels,
                                       WIDTH * channels));
    return picture;
}

struct picture jpeg_of(const uint8_t *pixels, int channels) {
    struct picture picture = {.length = 0};
    assert_true(stbi_write_jpg_to_func(picture_append, &picture, WIDTH, HEIGHT, channels, pixels,
                                       100) != 0);
    return picture;
}

void picture_put(struct picture *picture, unsigned bytes, uint32_t value) {
    for (unsigned i = 0; i < bytes; i++) {
        picture->bytes[picture->length++] = (uint8_t)(value >> 8 * i);
    }
}

struct picture bmp_of(const uint8_t *rgb, bool from_top) {
    struct picture picture = {.length = 0};
    uint32_t row = (WIDTH * 3 + 3) / 4 * 4;
    picture_put(&picture, 1, 'B');
    picture_put(&picture, 1, 'M');
    picture_put(&picture, 4, 54 + row * HEIGHT);
    picture_put(&picture, 4, 0);
    picture_put(&picture, 4, 54);
    picture_put(&picture, 4, 40);
    picture_put(&picture, 4, WIDTH);
    picture_put(&picture, 4, from_top ? (uint32_t)-HEIGHT : HEIGHT);
    picture_put(&picture, 2, 1);
    picture_put(&picture, 2, 24);
    for (int i = 0; i < 6; i++) {
        picture_put(&picture, 4, 0);
    }
    for (int y = 0; y < HEIGHT; y++) {
        const uint8_t *from = rgb + (from_top ? y : HEIGHT - 1 - y) * WIDTH * 3;
        for (int x = 0; x < WIDTH; x++) {
            picture_put(&picture, 1, from[3 * x + 2]);
            picture_put(&picture, 1, from[3 * x + 1]);
            picture_put(&picture, 1, from[3 * x]);
        }
        picture_put(&picture, row - WIDTH * 3, 0);
    }
    return picture;
}
