#include "compiler/import/onnx/onnx_pool.h"

#include <string.h>

#include "compiler/import/onnx/onnx_depth.h"
#include "compiler/import/onnx/onnx_window.h"

/* ---- pools of the graph ---- */

/* Can the graph's pools carry it out: no dilation, and padding inside the window? */
static bool is_plain(const struct onnx_window *window) {
    bool plain = true;
    for (uint32_t i = 0; i < window->axes; i++) {
        plain = plain && window->dilation[i] == 1 && window->before[i] < window->kernel[i] &&
                window->after[i] + window->extra[i] < window->kernel[i];
    }
    return plain;
}

/* x [N, H, W, C]. `padding_counts`: it was made elements of x, but for what ceil_mode adds. */
static struct weft_value *pool_last(struct onnx_importer *importer, enum weft_operator op,
                                    struct weft_value *x, const struct onnx_window *window,
                                    bool padding_counts) {
    const int64_t padding[4] = {window->before[0], window->before[1],
                                window->after[0] + window->extra[0],
                                window->after[1] + window->extra[1]};
    const struct weft_attribute attributes[] = {
        weft_attr_ints(importer->arena, WEFT_ATTR_kernel, 2, window->kernel),
        weft_attr_ints(importer->arena, WEFT_ATTR_strides, 2, window->stride),
        weft_attr_ints(importer->arena, WEFT_ATTR_padding, 4, padding),
        weft_attr_ints(importer->arena, WEFT_ATTR_hanging, 2, window->extra)};
    bool hangs = padding_counts && (window->extra[0] > 0 || window->extra[1] > 0);
    return onnx_apply(importer, op, 1, &x, hangs ? 4 : 3, attributes);
}

/* x [N, C, ...] over one or two axes. */
static struct weft_value *pool(struct onnx_importer *importer, enum weft_operator op,
                               struct weft_value *x, struct onnx_window window,
                               bool padding_counts) {
    uint32_t axes = window.axes;
    onnx_widen_window(&window);
    x = onnx_to_last(importer, onnx_widen(importer, x));
    x = pool_last(importer, op, x, &window, padding_counts);
    return onnx_narrow(importer, onnx_to_first(importer, x), axes);
}

/* The largest over three axes: over rows and columns of each plane, then over planes. */
static struct weft_value *pool_depth(struct onnx_importer *importer, struct weft_value *x,
                                     const struct onnx_window *window) {
    struct weft_value *y = onnx_depth_to_last(importer, x);
    struct onnx_window plane = *window;
    onnx_drop_depth(&plane);
    struct onnx_window column = {
        .axes = 2,
        .kernel = {window->kernel[0], 1},
        .stride = {window->stride[0], 1},
        .dilation = {1, 1},
        .before = {window->before[0], 0},
        .after = {window->after[0], 0},
        .extra = {window->extra[0], 0},
    };
    const int64_t *dim = x->type.dim;
    const int64_t planes[4] = {dim[0] * dim[2], dim[3], dim[4], dim[1]};
    y = pool_last(importer, WEFT_OP_MAX_POOL2D, onnx_reshape(importer, y, 4, planes), &plane,
                  false);
    if (y == NULL) {
        return NULL;
    }
    const int64_t rows = y->type.dim[1];
    const int64_t columns = y->type.dim[2];
    const int64_t flat[4] = {dim[0], dim[2], rows * columns, dim[1]};
    y = pool_last(importer, WEFT_OP_MAX_POOL2D, onnx_reshape(importer, y, 4, flat), &column, false);
    if (y == NULL) {
        return NULL;
    }
    const int64_t images[4] = {dim[0] * y->type.dim[1], rows, columns, dim[1]};
    return onnx_depth_to_first(importer, onnx_reshape(importer, y, 4, images), dim[0]);
}

/* What lies under element k of all windows along axis i of a padded tensor. */
static struct weft_value *under(struct onnx_importer *importer, struct weft_value *x,
                                const struct onnx_window *window, uint32_t i, int64_t k) {
    if (x == NULL) {
        return NULL;
    }
    int64_t windows = (x->type.dim[2 + i] - onnx_reach(window, i)) / window->stride[i] + 1;
    return onnx_part(importer, x, 2 + i, k * window->dilation[i], window->stride[i], windows);
}

/* Windows of any kind, axis by axis: elements that a window covers are combined one after another.
 */
static struct weft_value *combine(struct onnx_importer *importer, enum weft_operator op,
                                  struct weft_value *x, const struct onnx_window *window,
                                  struct weft_value *element) {
    x = onnx_window_pad(importer, x, window, element);
    for (uint32_t i = 0; x != NULL && i < window->axes; i++) {
        struct weft_value *sum = under(importer, x, window, i, 0);
        for (int64_t k = 1; sum != NULL && k < window->kernel[i]; k++) {
            sum = onnx_binary(importer, op, sum, under(importer, x, window, i, k));
        }
        x = sum;
    }
    return x;
}

/* ---- the largest ---- */

/* An element below all others. */
static struct weft_value *least(struct onnx_importer *importer, const struct weft_type *type) {
    struct weft_value *element =
        type->dtype == WEFT_F32 ? onnx_scalar(importer, -__builtin_inff())
                                : onnx_integer(importer, type->dtype, weft_dtype_min(type->dtype));
    return type->quantization.count == 1 ? onnx_relabel(importer, element, type->quantization)
                                         : element;
}

static int64_t product(const int64_t *dims, uint32_t count) {
    int64_t result = 1;
    for (uint32_t i = 0; i < count; i++) {
        result *= dims[i];
    }
    return result;
}

/* Element `number` of the window, from its first place, in elements of the axes of the operand. */
static int64_t step_of(const struct onnx_window *window, const int64_t *sizes, bool columns_first,
                       int64_t number) {
    int64_t row = number / window->kernel[1] * window->dilation[0];
    int64_t column = number % window->kernel[1] * window->dilation[1];
    return columns_first ? row + column * sizes[0] : row * sizes[1] + column;
}

/* The place, among all elements of x, where each window of each channel begins. */
static struct weft_value *begins(struct onnx_importer *importer, const struct weft_type *x,
                                 const struct weft_type *y, const struct onnx_window *window,
                                 bool columns_first) {
    int64_t count = weft_type_elements(y);
    int64_t *places = WEFT_NEW_ARRAY(importer->arena, (size_t)count, int64_t);
    int64_t plane = product(y->dim + 2, 2);
    for (int64_t i = 0; i < count; i++) {
        int64_t row = i % plane / y->dim[3] * window->stride[0] - window->before[0];
        int64_t column = i % y->dim[3] * window->stride[1] - window->before[1];
        places[i] = i / plane * x->dim[2] * x->dim[3] +
                    (columns_first ? row + column * x->dim[2] : row * x->dim[3] + column);
    }
    return onnx_data(importer, WEFT_I64, 4, y->dim, places);
}

/* The places of the largest elements: which one of a window it is, then where that lies. x has 4
 * axes, y is the result. */
static struct weft_value *places_of_largest(struct onnx_importer *importer, struct weft_value *x,
                                            const struct weft_type *y,
                                            const struct onnx_window *window) {
    bool columns_first = onnx_int(importer, "storage_order", 0) != 0;
    int64_t count = product(window->kernel, 2);
    struct weft_value *parts[ONNX_MOST_PARTS];
    int64_t steps[ONNX_MOST_PARTS];
    const struct weft_type type = x->type;
    if (count > ONNX_MOST_PARTS) {
        return onnx_none(importer, WEFT_OPERATOR, "indices of windows of more than 1024 elements");
    }
    x = onnx_window_pad(importer, x, window, least(importer, &type));
    for (int64_t k = 0; k < count; k++) {
        struct weft_value *rows = under(importer, x, window, 0, k / window->kernel[1]);
        parts[k] = under(importer, rows, window, 1, k % window->kernel[1]);
        steps[k] = step_of(window, type.dim + 2, columns_first, k);
    }
    struct weft_attribute axis = weft_attr_int(importer->arena, WEFT_ATTR_axis, 4);
    struct weft_value *all = onnx_apply(importer, WEFT_OP_PACK, (uint32_t)count, parts, 1, &axis);
    struct weft_value *which = onnx_apply(importer, WEFT_OP_ARGMAX, 1, &all, 1, &axis);
    struct weft_value *step =
        onnx_gather(importer, onnx_list(importer, 1, &count, steps), which, 0);
    return onnx_binary(importer, WEFT_OP_ADD, step,
                       begins(importer, &type, y, window, columns_first));
}

static bool finish_places(struct onnx_importer *importer, struct weft_value *x,
                          const struct weft_value *y, struct onnx_window window) {
    uint32_t axes = window.axes;
    struct weft_type type = y->type;
    if (axes > 2) {
        return onnx_wrong(importer, WEFT_OPERATOR, "indices of windows over 3 axes");
    }
    if (axes == 1) {
        type.dim[3] = type.dim[2];
        type.dim[2] = 1;
        type.rank = 4;
    }
    onnx_widen_window(&window);
    struct weft_value *places =
        places_of_largest(importer, onnx_widen(importer, x), &type, &window);
    return onnx_finish_at(importer, 1, onnx_narrow(importer, places, axes));
}

bool onnx_max_pool(struct onnx_importer *importer) {
    struct onnx_window window;
    struct weft_value *x = onnx_input(importer, 0);
    bool is_storage = x != NULL && weft_dtype_is_storage(x->type.dtype);
    x = is_storage ? onnx_computed(importer, x) : x;
    if (x == NULL || !onnx_window(importer, &x->type, NULL, &window)) {
        return false;
    }
    bool plain = is_plain(&window) && x->type.dtype != WEFT_I32 && x->type.dtype != WEFT_I64;
    struct weft_value *y =
        plain && window.axes == 3 ? pool_depth(importer, x, &window)
        : plain                   ? pool(importer, WEFT_OP_MAX_POOL2D, x, window, false)
                : combine(importer, WEFT_OP_MAXIMUM, x, &window, least(importer, &x->type));
    if (y == NULL || (onnx_wants(importer, 1) && !finish_places(importer, x, y, window))) {
        return false;
    }
    return is_storage ? onnx_finish_like(importer, y) : onnx_finish(importer, y);
}

/* ---- means ---- */

/* How many elements each window covers that count: of a tensor of ones. */
static struct weft_value *counts(struct onnx_importer *importer, const struct weft_type *x,
                                 const struct onnx_window *window, bool with_padding) {
    struct weft_type type = *x;
    struct onnx_window rest = *window;
    type.dim[0] = type.dim[1] = 1;
    size_t count = (size_t)weft_type_elements(&type);
    float *ones = WEFT_NEW_ARRAY(importer->arena, count, float);
    for (size_t i = 0; i < count; i++) {
        ones[i] = 1;
    }
    struct weft_value *all = onnx_data(importer, WEFT_F32, type.rank, type.dim, ones);
    if (with_padding) {
        struct onnx_window padding = *window;
        memset(padding.extra, 0, sizeof padding.extra);
        memset(rest.before, 0, sizeof rest.before);
        memset(rest.after, 0, sizeof rest.after);
        all = onnx_window_pad(importer, all, &padding, onnx_scalar(importer, 1));
    }
    return combine(importer, WEFT_OP_ADD, all, &rest, NULL);
}

struct weft_value *onnx_average(struct onnx_importer *importer, struct weft_value *x,
                                bool with_extra) {
    struct onnx_window window;
    bool with_padding = onnx_int(importer, "count_include_pad", 0) != 0;
    if (x == NULL || !onnx_window(importer, &x->type, NULL, &window)) {
        return NULL;
    }
    for (uint32_t i = 0; with_padding && with_extra && i < window.axes; i++) {
        window.after[i] += window.extra[i];
        window.extra[i] = 0;
    }
    if (!is_plain(&window) || window.axes == 3) {
        struct weft_value *sums = combine(importer, WEFT_OP_ADD, x, &window, NULL);
        return onnx_binary(importer, WEFT_OP_DIVIDE, sums,
                           counts(importer, &x->type, &window, with_padding));
    }
    if (with_padding) { /* elements of their own then, but what ceil_mode adds */
        struct onnx_window padding = window;
        memset(padding.extra, 0, sizeof padding.extra);
        memset(window.before, 0, sizeof window.before);
        memset(window.after, 0, sizeof window.after);
        x = onnx_window_pad(importer, x, &padding, NULL);
    }
    return pool(importer, WEFT_OP_AVG_POOL2D, x, window, with_padding);
}

bool onnx_average_pool(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    return onnx_finish_like(importer, onnx_average(importer, x, false));
}

/* The p-th root of the sum of p-th powers. */
bool onnx_lp_pool(struct onnx_importer *importer) {
    struct onnx_window window;
    struct weft_value *x = onnx_float_input(importer, 0);
    struct weft_value *p = onnx_scalar(importer, (float)onnx_int(importer, "p", 2));
    struct weft_value *inverse = onnx_scalar(importer, 1.0F / (float)onnx_int(importer, "p", 2));
    if (x == NULL || !onnx_window(importer, &x->type, NULL, &window)) {
        return false;
    }
    struct weft_value *powers =
        onnx_binary(importer, WEFT_OP_POWER, onnx_unary(importer, WEFT_OP_ABS, x), p);
    struct weft_value *sums = combine(importer, WEFT_OP_ADD, powers, &window, NULL);
    return onnx_finish_like(importer, onnx_binary(importer, WEFT_OP_POWER, sums, inverse));
}

bool onnx_global_pool(struct onnx_importer *importer) {
    bool is_max = strcmp(importer->node->op_type, "GlobalMaxPool") == 0;
    struct weft_value *x = onnx_float_input(importer, 0);
    if (x == NULL) {
        return false;
    }
    if (x->type.rank < 3) {
        return onnx_wrong(importer, WEFT_MODEL, "expected axes behind batch and channels");
    }
    uint32_t axes = ((UINT32_C(1) << x->type.rank) - 1) & ~UINT32_C(3);
    enum weft_operator op = is_max ? WEFT_OP_REDUCE_MAX : WEFT_OP_MEAN;
    return onnx_finish_like(importer, onnx_reduce(importer, op, x, axes, true));
}
