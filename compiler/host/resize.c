/* Resizing rows and columns of [N, H, W, C]. */
#include <math.h>

#include "base/integer.h"
#include "compiler/host/kernels.h"

static bool is_set(const struct weft_node *node, enum weft_attribute_key key) {
    return weft_node_int(node, key) != 0;
}

/* First element of a pixel. */
static int64_t pixel(const struct weft_type *type, int64_t n, int64_t y, int64_t x) {
    return ((n * type->dim[1] + y) * type->dim[2] + x) * type->dim[3];
}

/* Steps of the operand for one of the result, in float32 as the reference. */
static float ratio(const struct weft_node *node, int axis) {
    int64_t in = node->inputs[0]->type.dim[axis];
    int64_t out = node->results[0]->type.dim[axis];
    bool corners = is_set(node, WEFT_ATTR_align_corners) && out > 1;
    return corners ? (float)(in - 1) / (float)(out - 1) : (float)in / (float)out;
}

/* ---- nearest ---- */

/* Source: TFLite's GetNearestNeighbor(). */
int64_t weft_host_nearest(const struct weft_node *node, int axis, int64_t position) {
    bool centers = is_set(node, WEFT_ATTR_half_pixel_centers);
    float place = ((float)position + (centers ? 0.5F : 0.0F)) * ratio(node, axis);
    float rounded = is_set(node, WEFT_ATTR_align_corners) ? roundf(place) : floorf(place);
    return weft_clamp((int64_t)rounded, 0, node->inputs[0]->type.dim[axis] - 1);
}

bool kernel_resize_nearest(const struct kernel_call *call) {
    const struct weft_type *in = input_type(call, 0);
    const struct weft_type *out = result_type(call, 0);
    size_t size = weft_dtype_bytes(out->dtype);
    struct weft_type pixels = *out;
    pixels.rank = 3;
    struct walk walk = walk_start(&pixels);
    for (int64_t i = 0; i < weft_type_elements(&pixels); i++, walk_next(&walk)) {
        int64_t from = pixel(in, walk.at[0], weft_host_nearest(call->node, 1, walk.at[1]),
                             weft_host_nearest(call->node, 2, walk.at[2]));
        memcpy((char *)call->results[0] + (size_t)(i * out->dim[3]) * size,
               (const char *)call->inputs[0] + (size_t)from * size, (size_t)out->dim[3] * size);
    }
    return true;
}

/* ---- bilinear ---- */

/* The two elements along an axis that a position lies between, and how far it is from the first: in
 * float32, or in 1/1024. */
struct between {
    int64_t low, high;
    float fraction;
    int64_t fixed;
};

static struct between between_floats(const struct kernel_call *call, int axis, int64_t position) {
    float scale = ratio(call->node, axis);
    float place = is_set(call->node, WEFT_ATTR_half_pixel_centers)
                      ? ((float)position + 0.5F) * scale - 0.5F
                      : (float)position * scale;
    struct between between = {
        .low = weft_max((int64_t)floorf(place), 0),
        .high = weft_min((int64_t)ceilf(place), input_type(call, 0)->dim[axis] - 1)};
    between.fraction = place - (float)between.low;
    return between;
}

/* Source: TFLite's ResizeBilinear() of int8: scale and place have 10 fraction bits. */
static struct between between_fixed(const struct kernel_call *call, int axis, int64_t position) {
    int64_t in = input_type(call, 0)->dim[axis];
    int64_t out = result_type(call, 0)->dim[axis];
    bool corners = is_set(call->node, WEFT_ATTR_align_corners) && out > 1;
    int64_t scale =
        corners ? (1024 * (in - 1) + (out - 1) / 2) / (out - 1) : (1024 * in + out / 2) / out;
    int64_t place = position * scale;
    if (is_set(call->node, WEFT_ATTR_half_pixel_centers)) {
        place += scale / 2 - 512;
    }
    struct between between = {.low = weft_max(place / 1024, 0),
                              .high = weft_min((place + 1023) / 1024, in - 1)};
    between.fixed = place - 1024 * between.low;
    return between;
}

/* The four elements around a position, for one channel. */
struct corners {
    int64_t top_left, bottom_left, top_right, bottom_right;
};

static struct corners corners_of(const struct weft_type *in, int64_t n, const struct between *y,
                                 const struct between *x) {
    return (struct corners){pixel(in, n, y->low, x->low), pixel(in, n, y->high, x->low),
                            pixel(in, n, y->low, x->high), pixel(in, n, y->high, x->high)};
}

static float load_as_float(const struct kernel_call *call, int64_t index) {
    enum weft_dtype dtype = input_type(call, 0)->dtype;
    return dtype == WEFT_F32 ? load_float(call->inputs[0], index)
                             : (float)load_element(dtype, call->inputs[0], index);
}

/* Products and sums in the reference's order. At the end it adds what rounds integers half up: of
 * floats that is 0, which makes -0 to 0. */
static float mix_floats(const struct kernel_call *call, const struct corners *at, int64_t c,
                        float dy, float dx) {
    float sum = load_as_float(call, at->top_left + c) * (1.0F - dy) * (1.0F - dx) +
                load_as_float(call, at->bottom_left + c) * dy * (1.0F - dx) +
                load_as_float(call, at->top_right + c) * (1.0F - dy) * dx +
                load_as_float(call, at->bottom_right + c) * dy * dx;
    return sum + (input_type(call, 0)->dtype == WEFT_F32 ? 0.0F : 0.5F);
}

static int32_t mix_fixed(const struct kernel_call *call, const struct corners *at, int64_t c,
                         int64_t dy, int64_t dx) {
    enum weft_dtype dtype = input_type(call, 0)->dtype;
    const void *x = call->inputs[0];
    int64_t sum = load_element(dtype, x, at->top_left + c) * (1024 - dy) * (1024 - dx) +
                  load_element(dtype, x, at->bottom_left + c) * dy * (1024 - dx) +
                  load_element(dtype, x, at->top_right + c) * (1024 - dy) * dx +
                  load_element(dtype, x, at->bottom_right + c) * dy * dx;
    return (int32_t)((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));
}

static void mix_pixel(const struct kernel_call *call, const struct walk *walk, int64_t result) {
    const struct weft_type *in = input_type(call, 0);
    bool fixed = in->dtype == WEFT_I8 || in->dtype == WEFT_I16;
    struct between y =
        fixed ? between_fixed(call, 1, walk->at[1]) : between_floats(call, 1, walk->at[1]);
    struct between x =
        fixed ? between_fixed(call, 2, walk->at[2]) : between_floats(call, 2, walk->at[2]);
    struct corners at = corners_of(in, walk->at[0], &y, &x);
    for (int64_t c = 0; c < in->dim[3]; c++) {
        if (fixed) {
            store_element(in->dtype, call->results[0], result + c,
                          mix_fixed(call, &at, c, y.fixed, x.fixed));
        } else if (in->dtype == WEFT_F32) {
            store_float(call->results[0], result + c,
                        mix_floats(call, &at, c, y.fraction, x.fraction));
        } else {
            store_element(in->dtype, call->results[0], result + c,
                          (int32_t)mix_floats(call, &at, c, y.fraction, x.fraction));
        }
    }
}

bool kernel_resize_bilinear(const struct kernel_call *call) {
    enum weft_dtype dtype = input_type(call, 0)->dtype;
    struct weft_type pixels = *result_type(call, 0);
    pixels.rank = 3;
    if (dtype == WEFT_I32 || dtype == WEFT_I64 || dtype == WEFT_BOOL) {
        return kernel_unsupported(call, "only float, 8-bit and 16-bit tensors");
    }
    struct walk walk = walk_start(&pixels);
    for (int64_t i = 0; i < weft_type_elements(&pixels); i++, walk_next(&walk)) {
        mix_pixel(call, &walk, i * pixels.dim[3]);
    }
    return true;
}
