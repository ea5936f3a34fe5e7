/* Compiled once for each kind of processor. */
#include "kernels/wide/panel.h"

#include <string.h>

#include "base/integer.h"

#define INLINE static inline __attribute__((always_inline))
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif

/* A tile of ROWS times 2 vectors of sums, two vectors of weights and what is multiplied fill the
 * registers. */
#if defined(__AVX512F__)
#define LOOPS weft_panel_loops_avx512
enum {
    LANES = 16,
    ROWS = 12
};
#elif defined(__AVX2__)
#define LOOPS weft_panel_loops_avx2
enum {
    LANES = 8,
    ROWS = 6
};
#else
#define LOOPS weft_panel_loops_any
enum {
    LANES = 4,
    ROWS = 6
};
#endif

enum {
    VECTORS = 2,
    WIDTH = VECTORS * LANES,
    TOGETHER = 3 /* rows that are reached from one address: processors add 0, 1 or 2 strides */
};

/* At any address; a float among others. */
typedef float vector __attribute__((vector_size(LANES * sizeof(float)), aligned(1), may_alias));

INLINE vector load(const weft_unaligned_float *from) {
    return *(const vector *)(const void *)from;
}

/* ---- tiles of products ---- */

/* The sums come by value: those of a tile have no address, so that they stay in registers. */
INLINE void store(const struct weft_panel_product *product, int32_t row, vector first,
                  vector second) {
    float *to = product->c + row * product->c_stride;
    const vector sums[VECTORS] = {first, second};
    if (product->columns == WIDTH) {
        memcpy(to, sums, sizeof sums);
    } else {
        memcpy(to, sums, (size_t)product->columns * sizeof *to);
    }
}

/* `count` rows from `first` on, a constant where this is inlined. */
INLINE void multiply_tile(const struct weft_panel_product *product, int32_t first, const int count,
                          const int vectors) {
    vector sums[ROWS][VECTORS] = {0};
    const weft_unaligned_float *rows[ROWS / TOGETHER];
    const int64_t stride = product->a_stride;
    const float *b = product->b;
    UNROLL for (int i = 0; i < ROWS / TOGETHER; i++) {
        int64_t row = i * TOGETHER < count ? i * TOGETHER : 0;
        rows[i] = product->a + (first + row) * stride;
    }
    for (int32_t k = 0; k < product->depth; k++, b += vectors * LANES) {
        vector weights[VECTORS];
        UNROLL for (int v = 0; v < vectors; v++) {
            weights[v] = load(b + v * LANES);
        }
        UNROLL for (int r = 0; r < count; r++) {
            float x = rows[r / TOGETHER][r % TOGETHER * stride];
            UNROLL for (int v = 0; v < vectors; v++) {
                sums[r][v] += x * weights[v];
            }
        }
        UNROLL for (int i = 0; i < ROWS / TOGETHER; i++) {
            rows[i]++;
        }
    }
    UNROLL for (int r = 0; r < count; r++) {
        store(product, first + r, sums[r][0], sums[r][1]);
    }
}

INLINE void multiply_rows(const struct weft_panel_product *product, int32_t first, int32_t count,
                          const int vectors) {
    switch (count) {
#define TILE(rows)                                                                                 \
    case rows:                                                                                     \
        multiply_tile(product, first, rows, vectors);                                              \
        break;
        TILE(1)
        TILE(2)
        TILE(3)
        TILE(4)
        TILE(5)
#if defined(__AVX512F__)
        TILE(6)
        TILE(7)
        TILE(8)
        TILE(9)
        TILE(10)
        TILE(11)
#endif
#undef TILE
    default:
        multiply_tile(product, first, ROWS, vectors);
        break;
    }
}

/* Tiles of about the same height: those of few rows take nearly as long as whole ones. */
static void multiply(const struct weft_panel_product *product) {
    int32_t tiles = (product->rows + ROWS - 1) / ROWS;
    int32_t first = 0;
    for (int32_t i = 0; i < tiles; i++) {
        int32_t count = (product->rows - first) / (tiles - i);
        if (product->width == WIDTH) {
            multiply_rows(product, first, count, VECTORS);
        } else {
            multiply_rows(product, first, count, 1);
        }
        first += count;
    }
}

/* ---- depthwise convolutions ---- */

/* The taps of a pixel that are inside the input. */
struct taps {
    int32_t first[2], end[2]; /* rows, columns */
    int64_t input;            /* element of tap (0, 0), which may lie outside */
    int64_t step[2];          /* elements from tap to tap */
};

static void find_taps(const struct weft_depthwise_pixels *pixels, int64_t pixel,
                      struct taps *taps) {
    const struct weft_conv2d_parameters *w = pixels->window;
    int64_t line = pixel / w->output[2];
    int64_t place[2] = {line % w->output[1], pixel % w->output[2]};
    for (int i = 0; i < 2; i++) {
        place[i] = place[i] * w->stride[i] - w->padding[i];
        int64_t dilation = w->dilation[i];
        int64_t outside = place[i] < 0 ? (-place[i] + dilation - 1) / dilation : 0;
        int64_t inside =
            place[i] < w->input[1 + i] ? (w->input[1 + i] - place[i] + dilation - 1) / dilation : 0;
        taps->end[i] = (int32_t)weft_min(w->weights[1 + i], inside);
        taps->first[i] = (int32_t)weft_min(outside, taps->end[i]);
    }
    int64_t channels = w->input[3];
    int64_t image = line / w->output[1];
    int64_t column = place[1] * channels;
    int64_t row = (image * w->input[1] + place[0]) * w->input[2] * channels;
    taps->step[0] = (int64_t)w->dilation[0] * w->input[2] * channels;
    taps->step[1] = w->dilation[1] * channels;
    taps->input = row + column;
}

/* `vectors` vectors of channels from `channel` on. */
INLINE void sum_channels(const struct weft_depthwise_pixels *pixels, const struct taps *taps,
                         int64_t channel, const int vectors, float *to) {
    const struct weft_conv2d_parameters *w = pixels->window;
    vector sums[4] = {0};
    for (int32_t ky = taps->first[0]; ky < taps->end[0]; ky++) {
        const float *weights = pixels->weights +
                               ((int64_t)ky * w->weights[2] + taps->first[1]) * w->input[3] +
                               channel;
        const weft_unaligned_float *x = pixels->input + taps->input + ky * taps->step[0] +
                                        taps->first[1] * taps->step[1] + channel;
        for (int32_t kx = taps->first[1]; kx < taps->end[1]; kx++) {
            UNROLL for (int v = 0; v < vectors; v++) {
                sums[v] += load(x + v * LANES) * load(weights + v * LANES);
            }
            weights += w->input[3];
            x += taps->step[1];
        }
    }
    memcpy(to + channel, sums, (size_t)vectors * sizeof *sums);
}

/* One channel. */
static void sum_channel(const struct weft_depthwise_pixels *pixels, const struct taps *taps,
                        int64_t channel, float *to) {
    const struct weft_conv2d_parameters *w = pixels->window;
    float sum = 0.0F;
    for (int32_t ky = taps->first[0]; ky < taps->end[0]; ky++) {
        for (int32_t kx = taps->first[1]; kx < taps->end[1]; kx++) {
            sum += pixels->input[taps->input + ky * taps->step[0] + kx * taps->step[1] + channel] *
                   pixels->weights[((int64_t)ky * w->weights[2] + kx) * w->input[3] + channel];
        }
    }
    to[channel] = sum;
}

static void depthwise(const struct weft_depthwise_pixels *pixels) {
    int64_t channels = pixels->window->input[3];
    for (int64_t i = 0; i < pixels->count; i++) {
        float *to = pixels->output + i * channels;
        struct taps taps;
        find_taps(pixels, pixels->first + i, &taps);
        int64_t c = 0;
        for (; c + 4 * LANES <= channels; c += 4 * LANES) {
            sum_channels(pixels, &taps, c, 4, to);
        }
        for (; c + LANES <= channels; c += LANES) {
            sum_channels(pixels, &taps, c, 1, to);
        }
        for (; c < channels; c++) {
            sum_channel(pixels, &taps, c, to);
        }
    }
}

const struct weft_panel_loops LOOPS = {ROWS, WIDTH, multiply, depthwise};
