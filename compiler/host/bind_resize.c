/* Resizing rows and columns of [N, H, W, C], and one axis of any tensor; pictures at places. */
#include <string.h>

#include "base/multiplier.h"
#include "compiler/host/bind.h"
#include "compiler/host/nearest.h"
#include "kernels/resize.h"

/* ---- nearest ---- */

bool bind_resize_nearest_neighbor(const struct bind *bind) {
    const struct weft_type *in = bind_input(bind, 0);
    const struct weft_type *out = bind_result(bind, 0);
    size_t sources = bind_count(out) == 0 ? 0 : (size_t)out->dim[1] + (size_t)out->dim[2];
    size_t bytes = weft_dtype_bytes(out->dtype) * (size_t)out->dim[3];
    if (bytes > INT32_MAX) {
        return bind_unsupported(bind, "a pixel of more than 31 bits of bytes");
    }
    struct weft_resize_nearest_parameters *parameters = bind_kernel(
        bind, WEFT_KERNEL_resize_nearest_neighbor, sources * sizeof parameters->source[0]);
    if (parameters == NULL) {
        return false;
    }
    parameters->images = sources == 0 ? 0 : (int32_t)out->dim[0];
    parameters->input[0] = (int32_t)in->dim[1];
    parameters->input[1] = (int32_t)in->dim[2];
    parameters->output[0] = (int32_t)out->dim[1];
    parameters->output[1] = (int32_t)out->dim[2];
    parameters->bytes = (int32_t)bytes;
    for (int64_t i = 0; i < (int64_t)sources; i++) {
        parameters->source[i] =
            (int32_t)(i < out->dim[1] ? weft_host_nearest(bind->node, 1, i)
                                      : weft_host_nearest(bind->node, 2, i - out->dim[1]));
    }
    return true;
}

/* ---- bilinear ---- */

static bool bind_floats(const struct bind *bind) {
    struct weft_resize_bilinear_float_parameters *parameters =
        bind_kernel(bind, WEFT_KERNEL_resize_bilinear_float, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->dtype = bind_input(bind, 0)->dtype;
    bind_dims(bind_input(bind, 0), 4, parameters->input);
    bind_dims(bind_result(bind, 0), 4, parameters->output);
    parameters->scale[0] = resize_ratio(bind->node, 1);
    parameters->scale[1] = resize_ratio(bind->node, 2);
    parameters->half_pixel_centers = bind_int(bind, WEFT_ATTR_half_pixel_centers);
    return true;
}

/* Source: TFLite's ResizeBilinear() of int8: scale and place have 10 fraction bits. */
static bool bind_integers(const struct bind *bind) {
    struct weft_resize_bilinear_parameters *parameters =
        bind_kernel(bind, WEFT_KERNEL_resize_bilinear, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->dtype = bind_input(bind, 0)->dtype;
    bind_dims(bind_input(bind, 0), 4, parameters->input);
    bind_dims(bind_result(bind, 0), 4, parameters->output);
    for (int i = 0; i < 2; i++) {
        int64_t in = bind_input(bind, 0)->dim[1 + i];
        int64_t out = bind_result(bind, 0)->dim[1 + i];
        int64_t scale = resize_has_corners(bind->node, 1 + i)
                            ? (1024 * (in - 1) + (out - 1) / 2) / (out - 1)
                            : (1024 * in + out / 2) / out;
        bool centers = bind_int(bind, WEFT_ATTR_half_pixel_centers) != 0;
        parameters->scale[i] = scale;
        parameters->offset[i] = centers ? scale / 2 - 512 : 0;
    }
    return true;
}

bool bind_resize_bilinear(const struct bind *bind) {
    switch (bind_input(bind, 0)->dtype) {
    case WEFT_I8:
    case WEFT_I16:
        return bind_integers(bind);
    case WEFT_U8:
    case WEFT_F32:
        return bind_floats(bind);
    default:
        return bind_unsupported(bind, "only float, 8-bit and 16-bit tensors");
    }
}

/* ---- along one axis ---- */

/* The sizes of [outer, axis, inner]. */
static void set_axis(const struct bind *bind, int32_t *outer, int32_t *axis, int32_t *inner) {
    const struct weft_type *x = bind_input(bind, 0);
    uint32_t along = (uint32_t)bind_int(bind, WEFT_ATTR_axis);
    *outer = 1;
    *inner = 1;
    *axis = (int32_t)x->dim[along];
    for (uint32_t i = 0; i < x->rank; i++) {
        *(i < along ? outer : inner) *= i == along ? 1 : (int32_t)x->dim[i];
    }
}

static int32_t high_of(int64_t low, int64_t fraction) {
    return (int32_t)(low + (fraction > 0 ? 1 : 0));
}

static bool bind_interpolated_floats(const struct bind *bind) {
    const struct weft_attribute *elements = weft_node_attribute(bind->node, WEFT_ATTR_elements);
    const int64_t *fractions = weft_node_ints(bind->node, WEFT_ATTR_fractions);
    struct weft_interpolate_axis_float_parameters *p = bind_kernel(
        bind, WEFT_KERNEL_interpolate_axis_float, elements->count * sizeof p->between[0]);
    if (p == NULL) {
        return false;
    }
    set_axis(bind, &p->outer, &p->axis, &p->inner);
    p->count = (int32_t)elements->count;
    for (uint32_t i = 0; i < elements->count; i++) {
        double share = (double)fractions[i] / (double)WEFT_WHOLE_FRACTION;
        p->between[i] = (struct weft_between_float){(int32_t)elements->ints[i],
                                                    high_of(elements->ints[i], fractions[i]),
                                                    {(float)(1 - share), (float)share}};
    }
    return true;
}

static bool bind_interpolated_bytes(const struct bind *bind) {
    const struct weft_attribute *elements = weft_node_attribute(bind->node, WEFT_ATTR_elements);
    const int64_t *fractions = weft_node_ints(bind->node, WEFT_ATTR_fractions);
    const struct weft_type *x = bind_input(bind, 0);
    struct weft_interpolate_axis_parameters *p =
        bind_kernel(bind, WEFT_KERNEL_interpolate_axis, elements->count * sizeof p->between[0]);
    if (p == NULL) {
        return false;
    }
    set_axis(bind, &p->outer, &p->axis, &p->inner);
    p->count = (int32_t)elements->count;
    p->dtype = x->dtype;
    p->bits = 20;
    p->zero = x->quantization.count == 0 ? 0 : weft_type_zero(x, 0);
    for (uint32_t i = 0; i < elements->count; i++) {
        struct weft_between *at = &p->between[i];
        int32_t multiplier[3];
        int shift[3];
        at->low = (int32_t)elements->ints[i];
        at->high = high_of(elements->ints[i], fractions[i]);
        weft_interpolation_multipliers((double)fractions[i] / (double)WEFT_WHOLE_FRACTION, p->bits,
                                       multiplier, shift);
        for (int k = 0; k < 3; k++) {
            at->factor[k] = (struct weft_factor){multiplier[k], shift[k]};
        }
    }
    return true;
}

bool bind_interpolate_axis(const struct bind *bind) {
    return bind_input(bind, 0)->dtype == WEFT_F32 ? bind_interpolated_floats(bind)
                                                  : bind_interpolated_bytes(bind);
}

/* ---- at places ---- */

bool bind_grid_sample(const struct bind *bind) {
    const struct weft_type *x = bind_input(bind, 0);
    const struct weft_type *out = bind_result(bind, 0);
    const char *mode = weft_node_text(bind->node, WEFT_ATTR_mode);
    const char *outside = weft_node_text(bind->node, WEFT_ATTR_outside);
    struct weft_grid_sample_float_parameters *p =
        bind_kernel(bind, WEFT_KERNEL_grid_sample_float, 0);
    if (p == NULL) {
        return false;
    }
    bool is_empty = bind_count(out) == 0;
    *p = (struct weft_grid_sample_float_parameters){
        .mode = strcmp(mode, "linear") == 0    ? WEFT_SAMPLE_LINEAR
                : strcmp(mode, "nearest") == 0 ? WEFT_SAMPLE_NEAREST
                                               : WEFT_SAMPLE_CUBIC,
        .outside = strcmp(outside, "zeros") == 0    ? WEFT_OUTSIDE_ZEROS
                   : strcmp(outside, "border") == 0 ? WEFT_OUTSIDE_BORDER
                                                    : WEFT_OUTSIDE_REFLECTION,
        .align_corners = bind_int(bind, WEFT_ATTR_align_corners),
        .images = is_empty ? 0 : (int32_t)out->dim[0],
        .points = is_empty ? 0 : (int32_t)(out->dim[1] * out->dim[2]),
        .channels = (int32_t)out->dim[3],
        .input = {(int32_t)x->dim[1], (int32_t)x->dim[2]}};
    return true;
}
