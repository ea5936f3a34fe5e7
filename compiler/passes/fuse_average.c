/* Averages between qnn.dequantize and qnn.quantize, in the order in which ONNX Runtime computes
 * them. */
#include <float.h>
#include <math.h>

#include "compiler/passes/fuse.h"

enum {
    MOST_ELEMENTS = 1 << 20,  /* of an image whose sum fits 32 bits */
    MOST_OF_WINDOW = 1 << 10, /* elements, of each of whose sums the mean is looked at */
    VALUES = 256,             /* of a byte */
};

static float scale_of(const struct weft_type *type) {
    return (float)weft_type_scale(type, 0);
}

/* All ones, [C, H, W, 1], that a depthwise convolution adds up with. */
static struct weft_value *ones(struct weft_rewrite *rewrite, const int64_t dims[4]) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    struct weft_type type = weft_type_make(WEFT_I8, 4, dims);
    type.quantization = weft_quantization_make(arena, 1, 0);
    int64_t count = weft_type_elements(&type);
    int8_t *data = WEFT_NEW_ARRAY(arena, (size_t)count, int8_t);
    for (int64_t i = 0; i < count; i++) {
        data[i] = 1;
    }
    return weft_rewrite_constant(rewrite, &type, data);
}

/* Sums of windows of so many rows and columns of [N, H, W, C]. */
static struct weft_value *add_up(struct weft_rewrite *rewrite, struct weft_value *x,
                                 const int64_t kernel[2], const int64_t strides[2]) {
    const int64_t channels = x->type.dim[3];
    const int64_t of_weights[4] = {channels, kernel[0], kernel[1], 1};
    struct weft_attribute attributes[RULE_WINDOW_ATTRIBUTES];
    struct weft_value *inputs[2] = {x, ones(rewrite, of_weights)};
    rule_window(weft_rewrite_arena(rewrite), strides, channels, attributes);
    return fuse_sums(rewrite, WEFT_OP_QNN_CONV2D, inputs, RULE_WINDOW_ATTRIBUTES, attributes);
}

/* Axes in another order: axis i of the result is axis order[i] of x. */
static struct weft_value *turn(struct weft_rewrite *rewrite, struct weft_value *x,
                               const int64_t order[4]) {
    struct weft_type type = x->type;
    struct weft_attribute permutation =
        weft_attr_ints(weft_rewrite_arena(rewrite), WEFT_ATTR_permutation, 4, order);
    for (int i = 0; i < 4; i++) {
        type.dim[i] = x->type.dim[order[i]];
    }
    return weft_rewrite_node(rewrite, WEFT_OP_TRANSPOSE, 1, &x, 1, &permutation, &type);
}

/* The means of such windows; NULL: there is no factor for them. */
static struct weft_value *means_of(struct weft_rewrite *rewrite, struct weft_value *x,
                                   const int64_t kernel[2], const int64_t strides[2],
                                   const struct weft_type *to) {
    int64_t elements = kernel[0] * kernel[1];
    float factor = scale_of(&x->type) / (scale_of(to) * (float)elements);
    bool fits = elements > 0 && elements <= MOST_ELEMENTS && factor > 0 && !isinf(factor);
    struct weft_value *sums = fits ? add_up(rewrite, x, kernel, strides) : NULL;
    if (sums == NULL) {
        return NULL;
    }
    struct weft_type type = fuse_shaped(*to, &sums->type);
    return fuse_rescale(rewrite, sums, &factor, &type);
}

/* Of all rows and columns of [N, H, W, C]. */
static struct weft_value *mean_of_image(struct weft_rewrite *rewrite, struct weft_value *x,
                                        const struct weft_type *to) {
    static const int64_t once[2] = {1, 1};
    return means_of(rewrite, x, x->type.dim + 1, once, to);
}

/* The first axis of a mean over all axes between the first and the channels, or of all behind the
 * channels; 0: it is another mean. */
static uint32_t first_of_image(const struct weft_node *mean, uint32_t rank) {
    const struct weft_attribute *axes = weft_node_attribute(mean, WEFT_ATTR_axes);
    bool fits = rank >= 3 && axes->count == rank - 2 && (axes->ints[0] == 1 || axes->ints[0] == 2);
    for (uint32_t i = 1; fits && i < axes->count; i++) {
        fits = axes->ints[i] == axes->ints[i - 1] + 1;
    }
    return fits ? (uint32_t)axes->ints[0] : 0;
}

struct weft_value *fuse_mean(struct weft_rewrite *rewrite, const struct weft_node *mean,
                             const struct weft_type *to) {
    static const int64_t to_last[4] = {0, 2, 3, 1};
    static const int64_t to_first[4] = {0, 3, 1, 2};
    struct weft_value *x = fuse_integers(mean->inputs[0]);
    uint32_t rank = x == NULL ? 0 : x->type.rank;
    uint32_t first = rank == 0 ? 0 : first_of_image(mean, rank);
    if (first == 0 || x->type.quantization.count != 1) {
        return NULL;
    }
    if (rank != 4) { /* an image of one row, or of all rows of its planes */
        int64_t size = 1;
        for (uint32_t i = first; i < first + rank - 2; i++) {
            size *= x->type.dim[i];
        }
        const int64_t channels_first[4] = {x->type.dim[0], x->type.dim[1], 1, size};
        const int64_t channels_last[4] = {x->type.dim[0], 1, size, x->type.dim[rank - 1]};
        const struct weft_type flat =
            rule_shaped(&x->type, 4, first == 1 ? channels_last : channels_first);
        x = rule_reshape(rewrite, x, &flat);
    }
    struct weft_value *y = mean_of_image(rewrite, first == 1 ? x : turn(rewrite, x, to_last), to);
    return y == NULL ? NULL
                     : rule_reshape(rewrite, first == 1 ? y : turn(rewrite, y, to_first), to);
}

static bool has_padding(const struct weft_node *pool) {
    const int64_t *padding = weft_node_ints(pool, WEFT_ATTR_padding);
    return padding[0] != 0 || padding[1] != 0 || padding[2] != 0 || padding[3] != 0;
}

/* Does the sum of a window's integers tell its mean, whatever floats lose that are added up one
 * after another: is no sum's mean so near to a half? Each of the steps, a product for each element,
 * the sums, two quotients and the zero point, loses at most 2^-24 of the largest number there is.
 */
static bool sums_tell(const struct weft_type *x, int64_t elements, const struct weft_type *to) {
    const double scale = weft_type_scale(x, 0) / weft_type_scale(to, 0) / (double)elements;
    const int64_t zero = weft_type_zero(x, 0);
    const int64_t low = elements * (weft_dtype_min(x->dtype) - zero);
    const int64_t high = elements * (weft_dtype_max(x->dtype) - zero);
    const double largest = fmax(fabs((double)low), fabs((double)high)) * scale + (double)VALUES;
    const double lost = 2 * 0x1p-24 * (double)(elements + 4) * largest;
    bool tell = elements <= MOST_OF_WINDOW && /* and no sum of floats is infinite */
                weft_type_scale(x, 0) * (double)VALUES * (double)elements < (double)FLT_MAX;
    for (int64_t sum = low; tell && sum <= high; sum++) {
        double mean = (double)sum * scale;
        tell = fabs(mean) > (double)VALUES || fabs(mean - floor(mean) - 0.5) > lost;
    }
    return tell;
}

/* The pool over floats in which what windows hang over their operand counts, as zeros; itself where
 * nothing hangs. */
static struct weft_value *with_hanging(struct weft_rewrite *rewrite, const struct weft_node *pool,
                                       const struct weft_type *floats) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const struct weft_attribute *hanging = weft_node_attribute(pool, WEFT_ATTR_hanging);
    const int64_t *padding = weft_node_ints(pool, WEFT_ATTR_padding);
    bool fits = hanging != NULL && hanging->count == 2;
    for (int i = 0; fits && i < 2; i++) {
        fits = hanging->ints[i] >= 0 && hanging->ints[i] <= padding[2 + i];
    }
    if (!fits) {
        return weft_rewrite_copy(rewrite, pool, pool->inputs, floats);
    }
    int64_t pads[8] = {0};
    int64_t left[4] = {padding[0], padding[1], padding[2], padding[3]};
    struct weft_value *x = pool->inputs[0];
    struct weft_type type = x->type;
    for (int i = 0; i < 2; i++) {
        pads[2 * (1 + i) + 1] = hanging->ints[i];
        left[2 + i] -= hanging->ints[i];
        type.dim[1 + i] += hanging->ints[i];
    }
    if (weft_type_elements(&type) < 0) {
        return weft_rewrite_copy(rewrite, pool, pool->inputs, floats);
    }
    const struct weft_attribute around = weft_attr_ints(arena, WEFT_ATTR_pads, 8, pads);
    const struct weft_attribute attributes[] = {*weft_node_attribute(pool, WEFT_ATTR_kernel),
                                                *weft_node_attribute(pool, WEFT_ATTR_strides),
                                                weft_attr_ints(arena, WEFT_ATTR_padding, 4, left)};
    x = weft_rewrite_node(rewrite, WEFT_OP_PAD, 1, &x, 1, &around, &type);
    return weft_rewrite_node(rewrite, WEFT_OP_AVG_POOL2D, 1, &x, 3, attributes, floats);
}

/* Of whole images as fuse_mean(), and where sums of integers tell the means; else sums of floats,
 * in the order of the window. */
struct weft_value *fuse_average_pool(struct weft_rewrite *rewrite, const struct weft_node *pool,
                                     const struct weft_type *to) {
    struct weft_type floats = weft_type_make(WEFT_F32, to->rank, to->dim);
    struct weft_value *x = fuse_integers(pool->inputs[0]);
    if (x == NULL || x->type.quantization.count != 1) {
        return NULL;
    }
    const int64_t *kernel = weft_node_ints(pool, WEFT_ATTR_kernel);
    bool is_whole = kernel[0] == x->type.dim[1] && kernel[1] == x->type.dim[2];
    if (!has_padding(pool) && (is_whole || sums_tell(&x->type, kernel[0] * kernel[1], to))) {
        return means_of(rewrite, x, kernel, weft_node_ints(pool, WEFT_ATTR_strides), to);
    }
    struct weft_value *y = with_hanging(rewrite, pool, &floats);
    y = fuse_binary(rewrite, WEFT_OP_DIVIDE, y, fuse_number(rewrite, WEFT_F32, scale_of(to)),
                    &floats);
    return fuse_round_with_zero(rewrite, y, to);
}
