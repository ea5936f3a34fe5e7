#include "compiler/import/onnx/onnx_window.h"

#include <string.h>

#include "base/integer.h"

enum {
    MOST = 1 << 24, /* of a size, stride, dilation or pad */
};

/* Numbers that stay far from any overflow. */
static bool are_sane(const int64_t *values, uint32_t count, int64_t least) {
    bool sane = true;
    for (uint32_t i = 0; i < count; i++) {
        sane = sane && values[i] >= least && values[i] <= MOST;
    }
    return sane;
}

int64_t onnx_reach(const struct onnx_window *window, uint32_t i) {
    return (window->kernel[i] - 1) * window->dilation[i] + 1;
}

/* SAME_UPPER and SAME_LOWER: as many windows as strides begin in the axis. */
static void pad_same(struct onnx_window *window, const struct weft_type *x, bool lower) {
    for (uint32_t i = 0; i < window->axes; i++) {
        int64_t size = x->dim[2 + i];
        int64_t windows = weft_ceil_div(size, window->stride[i]);
        int64_t total =
            weft_max((windows - 1) * window->stride[i] + onnx_reach(window, i) - size, 0);
        window->before[i] = lower ? total - total / 2 : total / 2;
        window->after[i] = total - window->before[i];
    }
}

static bool read_padding(struct onnx_importer *importer, const struct weft_type *x,
                         struct onnx_window *window) {
    const char *mode = onnx_text(importer, "auto_pad", "NOTSET");
    int64_t pads[2 * ONNX_MOST_AXES];
    bool same = strcmp(mode, "SAME_UPPER") == 0 || strcmp(mode, "SAME_LOWER") == 0;
    if (same) {
        pad_same(window, x, strcmp(mode, "SAME_LOWER") == 0);
        return true;
    }
    if (strcmp(mode, "NOTSET") != 0 && strcmp(mode, "VALID") != 0) {
        return onnx_wrong(importer, WEFT_MODEL,
                          "auto_pad must be NOTSET, SAME_UPPER, SAME_LOWER or VALID");
    }
    if (strcmp(mode, "VALID") == 0) {
        return true;
    }
    if (!onnx_ints(importer, "pads", 2 * window->axes, 0, pads)) {
        return false;
    }
    if (!are_sane(pads, 2 * window->axes, 0)) {
        return onnx_wrong(importer, WEFT_OPERATOR, "pads below 0, or too large, are not supported");
    }
    memcpy(window->before, pads, window->axes * sizeof pads[0]);
    memcpy(window->after, pads + window->axes, window->axes * sizeof pads[0]);
    return true;
}

/* With ceil_mode a last window may begin in the axis or before it and end outside. */
static bool fit(struct onnx_importer *importer, const struct weft_type *x,
                struct onnx_window *window) {
    bool ceil = onnx_int(importer, "ceil_mode", 0) != 0;
    for (uint32_t i = 0; i < window->axes; i++) {
        int64_t padded = x->dim[2 + i] + window->before[i] + window->after[i];
        int64_t rest = padded - onnx_reach(window, i);
        if (rest < 0 && !(ceil && rest > -window->stride[i])) {
            return onnx_wrong(importer, WEFT_MODEL, "its window does not fit the padded input");
        }
        int64_t windows = weft_ceil_div(rest + window->stride[i], window->stride[i]);
        if (ceil && (windows - 1) * window->stride[i] >= x->dim[2 + i] + window->before[i]) {
            windows--;
        }
        int64_t end = (windows - 1) * window->stride[i] + onnx_reach(window, i);
        window->extra[i] = ceil ? weft_max(end - padded, 0) : 0;
    }
    return true;
}

bool onnx_window(struct onnx_importer *importer, const struct weft_type *x, const int64_t *kernel,
                 struct onnx_window *window) {
    *window = (struct onnx_window){.axes = x->rank < 3 ? 0 : x->rank - 2};
    if (window->axes < 1 || window->axes > ONNX_MOST_AXES) {
        return onnx_wrong(importer, WEFT_OPERATOR,
                          "windows over 1, 2 and 3 axes behind batch and channels are supported");
    }
    if (!onnx_ints(importer, "kernel_shape", window->axes, 0, window->kernel) ||
        !onnx_ints(importer, "strides", window->axes, 1, window->stride) ||
        !onnx_ints(importer, "dilations", window->axes, 1, window->dilation)) {
        return false;
    }
    for (uint32_t i = 0; kernel != NULL && i < window->axes; i++) {
        if (onnx_attribute(importer, "kernel_shape") != NULL && window->kernel[i] != kernel[i]) {
            return onnx_wrong(importer, WEFT_MODEL, "kernel_shape is not that of the weights");
        }
        window->kernel[i] = kernel[i];
    }
    if (!are_sane(window->kernel, window->axes, 1) || !are_sane(window->stride, window->axes, 1) ||
        !are_sane(window->dilation, window->axes, 1)) {
        return onnx_wrong(importer, WEFT_MODEL,
                          "kernels, strides and dilations must be at least 1");
    }
    return read_padding(importer, x, window) && fit(importer, x, window);
}

struct weft_value *onnx_window_pad(struct onnx_importer *importer, struct weft_value *x,
                                   const struct onnx_window *window, struct weft_value *element) {
    int64_t pads[2 * WEFT_MAX_RANK] = {0};
    for (uint32_t i = 0; i < window->axes; i++) {
        pads[2 * (2 + i)] = window->before[i];
        pads[2 * (2 + i) + 1] = window->after[i] + window->extra[i];
    }
    return onnx_pad(importer, x, pads, element);
}

/* ---- one axis as two ---- */

struct weft_value *onnx_widen(struct onnx_importer *importer, struct weft_value *x) {
    if (x == NULL || x->type.rank != 3) {
        return x;
    }
    const int64_t dims[4] = {x->type.dim[0], x->type.dim[1], 1, x->type.dim[2]};
    return onnx_reshape_behind(importer, x, 4, dims);
}

static void shift(int64_t *values, int64_t first) {
    values[1] = values[0];
    values[0] = first;
}

void onnx_widen_window(struct onnx_window *window) {
    if (window->axes == 1) {
        shift(window->kernel, 1);
        shift(window->stride, 1);
        shift(window->dilation, 1);
        shift(window->before, 0);
        shift(window->after, 0);
        shift(window->extra, 0);
        window->axes = 2;
    }
}

static void drop_first(int64_t *values) {
    values[0] = values[1];
    values[1] = values[2];
}

void onnx_drop_depth(struct onnx_window *window) {
    drop_first(window->kernel);
    drop_first(window->stride);
    drop_first(window->dilation);
    drop_first(window->before);
    drop_first(window->after);
    drop_first(window->extra);
    window->axes = 2;
}

struct weft_value *onnx_narrow(struct onnx_importer *importer, struct weft_value *x,
                               uint32_t axes) {
    if (x == NULL || axes != 1) {
        return x;
    }
    const int64_t dims[3] = {x->type.dim[0], x->type.dim[1], x->type.dim[3]};
    return onnx_reshape(importer, x, 3, dims);
}
