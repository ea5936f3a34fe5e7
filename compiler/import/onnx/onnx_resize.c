/* Resize and Upsample: along each axis, every element of the result is a sum of elements of the
 * operand with weights that are known, so a product with a matrix; of two neighbours, so
 * interpolate_axis; or one element, so a gather, or of whole pixels resize_nearest_neighbor. */
#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "compiler/host/nearest.h"
#include "compiler/import/onnx/onnx_importer.h"

/* How one axis is resized. */
struct axis {
    int64_t from, to;  /* sizes */
    double scale;      /* to / from, or what the model says */
    double start, end; /* of the part that tf_crop_and_resize takes, 0 to 1 */
    const char *positions;
    const char *mode;
    const char *nearest;
    bool
        is_old; /* version 10, whose nearest is the one before, or when it shrinks the one behind */
    double cubic; /* coefficient of the cubic */
    bool antialias, exclude_outside;
};

/* The one of coordinate_transformation_mode that takes a part, and more than there is. */
static const char crop[] = "tf_crop_and_resize";

/* The place in the operand of element i of the result, in float32, as ONNX Runtime finds it: which
 * of two elements is the nearest hangs on its last bit. */
static float position_of(const struct axis *axis, int64_t i) {
    const float at = (float)i;
    const float scale = (float)axis->scale;
    const float from = (float)axis->from;
    const float to = (float)axis->to;
    const char *how = axis->positions;
    if (strcmp(how, "asymmetric") == 0) {
        return at / scale;
    }
    if (strcmp(how, crop) == 0) {
        const float start = (float)axis->start;
        const float end = (float)axis->end;
        return axis->to > 1 ? start * (from - 1) + at * (end - start) * (from - 1) / (to - 1)
                            : 0.5F * (start + end) * (from - 1);
    }
    if (strcmp(how, "align_corners") == 0) {
        return axis->to == 1 ? 0 : at * (from - 1) / (to - 1);
    }
    if (strcmp(how, "pytorch_half_pixel") == 0 && axis->to == 1) {
        return 0;
    }
    if (strcmp(how, "tf_half_pixel_for_nn") == 0) {
        return (at + 0.5F) / scale;
    }
    float place = (at + 0.5F) / scale - 0.5F;
    if (strcmp(how, "half_pixel_symmetric") == 0) {
        place += from / 2 * (1 - to / (scale * from));
    }
    return place;
}

static int64_t nearest_of(const struct axis *axis, float place) {
    const char *how = axis->nearest;
    if (axis->is_old) {
        how = axis->scale < 1 ? "ceil" : "floor";
    }
    bool is_tie = place - floorf(place) == 0.5F;
    float rounded = strcmp(how, "floor") == 0               ? floorf(place)
                    : strcmp(how, "ceil") == 0              ? ceilf(place)
                    : !is_tie                               ? roundf(place)
                    : strcmp(how, "round_prefer_ceil") == 0 ? ceilf(place)
                                                            : floorf(place);
    return weft_clamp((int64_t)rounded, 0, axis->from - 1);
}

static struct weft_value *gather_nearest(struct onnx_importer *importer, struct weft_value *x,
                                         uint32_t number, const struct axis *axis) {
    int64_t *indices = WEFT_NEW_ARRAY(importer->arena, (size_t)axis->to, int64_t);
    for (int64_t i = 0; i < axis->to; i++) {
        indices[i] = nearest_of(axis, position_of(axis, i));
    }
    return onnx_gather(importer, x, onnx_data(importer, WEFT_I64, 1, &axis->to, indices), number);
}

/* ---- weights ---- */

static double linear(double distance) {
    return distance < 1 ? 1 - distance : 0;
}

static double cubic(double a, double d) {
    return d < 1   ? ((a + 2) * d - (a + 3)) * d * d + 1
           : d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
                   : 0;
}

/* The weights of one element of the result: a row of the matrix. Elements outside are those at the
 * edge, or none. */
static void fill_row(const struct axis *axis, int64_t i, float *row) {
    bool is_cubic = strcmp(axis->mode, "cubic") == 0;
    double place = (double)position_of(axis, i);
    double shrink = axis->antialias && axis->scale < 1 ? axis->scale : 1;
    double reach = (is_cubic ? 2 : 1) / shrink;
    double sum = 0;
    double edge =
        is_cubic || axis->antialias ? place : fmin(fmax(place, 0), (double)(axis->from - 1));
    int64_t first = (int64_t)floor(edge - reach);
    int64_t last = (int64_t)ceil(edge + reach);
    for (int64_t k = first; k <= last; k++) {
        double distance = fabs(edge - (double)k) * shrink;
        double weight = is_cubic ? cubic(axis->cubic, distance) : linear(distance);
        bool outside = k < 0 || k >= axis->from;
        if (outside && axis->exclude_outside) {
            continue;
        }
        sum += weight;
        row[weft_clamp(k, 0, axis->from - 1)] += (float)weight;
    }
    for (int64_t k = 0; sum != 0 && k < axis->from; k++) {
        row[k] = (float)((double)row[k] / sum);
    }
}

/* Between two neighbours each: linear, and no more elements than that where it shrinks. */
static struct weft_value *interpolate(struct onnx_importer *importer, struct weft_value *x,
                                      uint32_t number, const struct axis *axis) {
    double *places = WEFT_NEW_ARRAY(importer->arena, (size_t)axis->to, double);
    struct weft_attribute attributes[WEFT_INTERPOLATION_ATTRIBUTES];
    for (int64_t i = 0; i < axis->to; i++) {
        double place = (double)position_of(axis, i);
        places[i] = place >= 0 ? fmin(place, (double)(axis->from - 1)) : 0;
    }
    weft_attr_interpolation(importer->arena, number, (uint32_t)axis->to, places, attributes);
    return onnx_apply(importer, WEFT_OP_INTERPOLATE_AXIS, 1, &x, WEFT_INTERPOLATION_ATTRIBUTES,
                      attributes);
}

/* The axis becomes the last one, and is multiplied by the matrix [to, from]. */
static struct weft_value *multiply(struct onnx_importer *importer, struct weft_value *x,
                                   uint32_t number, const struct axis *axis) {
    const int64_t dims[2] = {axis->to, axis->from};
    uint32_t last = x->type.rank - 1;
    if (axis->to * axis->from > (1 << 26)) {
        return onnx_none(importer, WEFT_LIMIT, "an axis to resize is too long");
    }
    float *weights = WEFT_NEW_ARRAY(importer->arena, (size_t)(dims[0] * dims[1]), float);
    for (int64_t i = 0; i < axis->to; i++) {
        fill_row(axis, i, weights + i * axis->from);
    }
    x = onnx_swap(importer, x, number, last);
    if (x == NULL) {
        return NULL;
    }
    struct weft_type type = x->type;
    const int64_t rows[2] = {weft_type_elements(&type) / axis->from, axis->from};
    x = onnx_reshape(importer, x, 2, rows);
    x = onnx_binary(importer, WEFT_OP_DENSE, x, onnx_data(importer, WEFT_F32, 2, dims, weights));
    type.dim[last] = axis->to;
    x = onnx_reshape(importer, x, type.rank, type.dim);
    return onnx_swap(importer, x, number, last);
}

/* ---- what the operator says ---- */

struct request {
    int64_t sizes[WEFT_MAX_RANK];
    double scales[WEFT_MAX_RANK];
    double start[WEFT_MAX_RANK], end[WEFT_MAX_RANK]; /* as in struct axis */
};

/* Sizes of the result by scales. */
static bool from_scales(struct onnx_importer *importer, const struct weft_type *x, uint32_t count,
                        const int64_t *axes, const float *scales, struct request *request) {
    for (uint32_t i = 0; i < count; i++) {
        double part = request->end[axes[i]] - request->start[axes[i]];
        /* In float32, as ONNX Runtime: 5 elements times 1.4 are 7. */
        double size = (double)floorf(scales[i] * (float)part * (float)x->dim[axes[i]]);
        if (!(scales[i] > 0) || !(size >= 0 && size <= (double)WEFT_MAX_ELEMENTS)) {
            return onnx_wrong(importer, WEFT_MODEL, "a scale is not above 0, or too large");
        }
        request->sizes[axes[i]] = (int64_t)size;
        request->scales[axes[i]] = (double)scales[i];
    }
    return true;
}

/* Sizes as they are given, or, to keep the ratio, the scale that all of them allow. */
static bool from_sizes(struct onnx_importer *importer, const struct weft_type *x, uint32_t count,
                       const int64_t *axes, const int64_t *sizes, struct request *request) {
    const char *policy = onnx_text(importer, "keep_aspect_ratio_policy", "stretch");
    bool smaller = strcmp(policy, "not_larger") == 0;
    double common = smaller ? INFINITY : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (sizes[i] < 0 || sizes[i] > WEFT_MAX_ELEMENTS || x->dim[axes[i]] < 1) {
            return onnx_wrong(importer, WEFT_MODEL, "a size is below 0, or of an axis of nothing");
        }
        double scale = (double)sizes[i] / (double)x->dim[axes[i]];
        common = smaller ? fmin(common, scale) : fmax(common, scale);
    }
    for (uint32_t i = 0; i < count; i++) {
        double dim = (double)x->dim[axes[i]];
        bool stretch = strcmp(policy, "stretch") == 0;
        double size = stretch ? (double)sizes[i] : floor(common * dim + 0.5);
        if (size > (double)WEFT_MAX_ELEMENTS) {
            return onnx_wrong(importer, WEFT_MODEL, "a size is too large");
        }
        request->sizes[axes[i]] = (int64_t)size;
        request->scales[axes[i]] = stretch ? (double)sizes[i] / dim : common;
    }
    return true;
}

static bool read_axes(struct onnx_importer *importer, uint32_t rank, uint32_t *count,
                      int64_t *axes) {
    const Onnx__AttributeProto *attribute = onnx_attribute(importer, "axes");
    uint32_t mask = 0;
    if (attribute != NULL && attribute->n_ints > rank) {
        return onnx_wrong(importer, WEFT_MODEL, "more axes than the input has");
    }
    *count = attribute == NULL ? rank : (uint32_t)attribute->n_ints;
    for (uint32_t i = 0; i < *count; i++) {
        axes[i] = attribute == NULL ? i : attribute->ints[i];
    }
    if (!onnx_axes(importer, *count, axes, rank, &mask)) {
        return false;
    }
    for (uint32_t i = 0; i < *count; i++) {
        axes[i] += axes[i] < 0 ? rank : 0;
    }
    return true;
}

static bool check_count(const struct onnx_importer *importer, uint32_t found, uint32_t count) {
    return found == count ||
           onnx_wrong(importer, WEFT_MODEL, "there is not a size or scale for each axis");
}

/* The part that is taken: input 1 has the starts of all axes, then the ends. */
static bool read_part(struct onnx_importer *importer, uint32_t count, const int64_t *axes,
                      struct request *request) {
    const char *positions = onnx_text(importer, "coordinate_transformation_mode", "");
    float ends[2 * WEFT_MAX_RANK];
    uint32_t found = 0;
    if (strcmp(positions, crop) != 0) {
        return true;
    }
    if (!onnx_floats(importer, 1, 2 * WEFT_MAX_RANK, ends, &found) ||
        !check_count(importer, found, 2 * count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!isfinite(ends[i]) || !isfinite(ends[count + i]) || fabsf(ends[i]) > 1e6F ||
            fabsf(ends[count + i]) > 1e6F) {
            return onnx_wrong(importer, WEFT_MODEL, "the part to take is too large");
        }
        request->start[axes[i]] = (double)ends[i];
        request->end[axes[i]] = (double)ends[count + i];
    }
    return true;
}

/* Version 10 of the operators has scales as input 1; later they are input 2 and sizes input 3. */
static bool read_request(struct onnx_importer *importer, const struct weft_type *x,
                         struct request *request) {
    uint32_t scales = importer->opset < 11 ? 1 : 2;
    float factors[WEFT_MAX_RANK];
    int64_t sizes[WEFT_MAX_RANK];
    int64_t axes[WEFT_MAX_RANK];
    uint32_t count = 0;
    uint32_t found = 0;
    for (uint32_t i = 0; i < x->rank; i++) {
        request->sizes[i] = x->dim[i];
        request->scales[i] = 1;
        request->end[i] = 1;
    }
    if (!read_axes(importer, x->rank, &count, axes) || !read_part(importer, count, axes, request)) {
        return false;
    }
    if (scales == 2 && onnx_has(importer, 3)) {
        return onnx_integers(importer, 3, WEFT_MAX_RANK, sizes, &found) &&
               check_count(importer, found, count) &&
               from_sizes(importer, x, count, axes, sizes, request);
    }
    return onnx_floats(importer, scales, WEFT_MAX_RANK, factors, &found) &&
           check_count(importer, found, count) &&
           from_scales(importer, x, count, axes, factors, request);
}

static bool is_one_of(const char *text, const char *const *words) {
    while (*words != NULL && strcmp(*words, text) != 0) {
        words++;
    }
    return *words != NULL;
}

/* Elements of the result that lie outside of the operand along an axis become another one. */
static struct weft_value *replace_outside(struct onnx_importer *importer, struct weft_value *x,
                                          uint32_t number, const struct axis *axis) {
    int64_t dims[WEFT_MAX_RANK];
    uint8_t *inside = WEFT_NEW_ARRAY(importer->arena, (size_t)axis->to, uint8_t);
    bool all = true;
    for (int64_t i = 0; i < axis->to; i++) {
        double place = (double)position_of(axis, i);
        inside[i] = place >= 0 && place <= (double)(axis->from - 1);
        all = all && inside[i] != 0;
    }
    if (x == NULL || all) {
        return x;
    }
    for (uint32_t i = 0; i < x->type.rank; i++) {
        dims[i] = i == number ? axis->to : 1;
    }
    struct weft_value *other =
        onnx_cast(importer, onnx_scalar(importer, onnx_float(importer, "extrapolation_value", 0)),
                  x->type.dtype);
    return onnx_select(importer, onnx_data(importer, WEFT_BOOL, x->type.rank, dims, inside), x,
                       other);
}

/* How axis i of the type is resized. */
static struct axis axis_of(struct axis how, const struct request *request,
                           const struct weft_type *type, uint32_t i) {
    how.from = type->dim[i];
    how.to = request->sizes[i];
    how.scale = request->scales[i];
    how.start = request->start[i];
    how.end = request->end[i];
    return how;
}

static bool is_kept(const struct axis *axis) {
    return axis->from == axis->to && axis->scale == 1 && axis->start == 0 && axis->end == 1;
}

/* Does resize_nearest_neighbor, of rows and columns, take the elements that this axis asks for? */
static bool takes_same(const struct weft_node *node, int number, const struct axis *axis) {
    bool same = axis->from > 0 && axis->to > 0;
    for (int64_t i = 0; same && i < axis->to; i++) {
        same = weft_host_nearest(node, number, i) == nearest_of(axis, position_of(axis, i));
    }
    return same;
}

/* Pixels of [N, C, H, W] by resize_nearest_neighbor, in the one of its three modes in which it
 * takes the same elements; NULL: there is none. */
static struct weft_value *resize_pixels(struct onnx_importer *importer, struct weft_value *x,
                                        const struct request *request, struct axis how) {
    static const int64_t modes[3][2] = {{0, 0}, {0, 1}, {1, 0}};
    const struct axis batch = axis_of(how, request, &x->type, 0);
    const struct axis channels = axis_of(how, request, &x->type, 1);
    const struct axis rows = axis_of(how, request, &x->type, 2);
    const struct axis columns = axis_of(how, request, &x->type, 3);
    const int64_t dims[4] = {batch.from, rows.from, columns.from, channels.from};
    const int64_t to_dims[4] = {batch.from, rows.to, columns.to, channels.from};
    const struct weft_type from = weft_type_make(x->type.dtype, 4, dims);
    const struct weft_type to = weft_type_make(x->type.dtype, 4, to_dims);
    struct weft_graph *aside = weft_graph_new(importer->arena, "aside");
    struct weft_value *operand = weft_graph_add_input(aside, &from, NULL, -1);
    if (!is_kept(&batch) || !is_kept(&channels) || strcmp(how.positions, crop) == 0) {
        return NULL;
    }
    for (int i = 0; i < 3; i++) {
        const struct weft_attribute attributes[] = {
            weft_attr_ints(importer->arena, WEFT_ATTR_size, 2, to_dims + 1),
            weft_attr_int(importer->arena, WEFT_ATTR_align_corners, modes[i][0]),
            weft_attr_int(importer->arena, WEFT_ATTR_half_pixel_centers, modes[i][1])};
        struct weft_node *node =
            weft_graph_add_node(aside, WEFT_OP_RESIZE_NEAREST_NEIGHBOR, 1, &operand, 3, attributes);
        weft_node_add_result(aside, node, &to, -1);
        if (takes_same(node, 1, &rows) && takes_same(node, 2, &columns)) {
            x = onnx_to_last(importer, x);
            x = onnx_apply(importer, WEFT_OP_RESIZE_NEAREST_NEIGHBOR, 1, &x, 3, attributes);
            return onnx_to_first(importer, x);
        }
    }
    return NULL;
}

/* Samples of [N, C, W] as pixels of one row; NULL: as above. */
static struct weft_value *resize_samples(struct onnx_importer *importer, struct weft_value *x,
                                         const struct request *request, struct axis how) {
    const int64_t dims[4] = {x->type.dim[0], x->type.dim[1], 1, x->type.dim[2]};
    const int64_t to_dims[3] = {x->type.dim[0], x->type.dim[1], request->sizes[2]};
    struct request row = *request;
    row.sizes[2] = 1;
    row.scales[2] = 1;
    row.start[2] = 0;
    row.end[2] = 1;
    row.sizes[3] = request->sizes[2];
    row.scales[3] = request->scales[2];
    row.start[3] = request->start[2];
    row.end[3] = request->end[2];
    x = resize_pixels(importer, onnx_reshape(importer, x, 4, dims), &row, how);
    return x == NULL ? NULL : onnx_reshape(importer, x, 3, to_dims);
}

static struct weft_value *resize(struct onnx_importer *importer, struct weft_value *x,
                                 const struct request *request, struct axis how) {
    bool nearest = strcmp(how.mode, "nearest") == 0;
    const struct weft_type type = x->type;
    struct weft_value *pixels = nearest && type.rank == 4 ? resize_pixels(importer, x, request, how)
                                : nearest && type.rank == 3
                                    ? resize_samples(importer, x, request, how)
                                    : NULL;
    if (pixels != NULL) {
        return pixels;
    }
    for (uint32_t i = 0; x != NULL && i < type.rank; i++) {
        how = axis_of(how, request, &type, i);
        if (is_kept(&how)) {
            continue;
        }
        if (how.from < 1 || how.to < 1) {
            return onnx_none(importer, WEFT_OPERATOR, "an axis of nothing");
        }
        bool linear = strcmp(how.mode, "linear") == 0 && !how.antialias;
        x = nearest  ? gather_nearest(importer, x, i, &how)
            : linear ? interpolate(importer, x, i, &how)
                     : multiply(importer, x, i, &how);
        if (strcmp(how.positions, crop) == 0) {
            x = replace_outside(importer, x, i, &how);
        }
    }
    return x;
}

bool onnx_resize(struct onnx_importer *importer) {
    static const char *const modes[] = {"nearest", "linear", "cubic", NULL};
    static const char *const positions[] = {"half_pixel",
                                            "half_pixel_symmetric",
                                            "pytorch_half_pixel",
                                            "align_corners",
                                            "asymmetric",
                                            "tf_half_pixel_for_nn",
                                            crop,
                                            NULL};
    bool old = importer->opset < 11;
    struct axis how = {.positions = onnx_text(importer, "coordinate_transformation_mode",
                                              old ? "asymmetric" : "half_pixel"),
                       .mode = onnx_text(importer, "mode", "nearest"),
                       .nearest = onnx_text(importer, "nearest_mode", "round_prefer_floor"),
                       .is_old = old,
                       .cubic = (double)onnx_float(importer, "cubic_coeff_a", -0.75F),
                       .antialias = onnx_int(importer, "antialias", 0) != 0,
                       .exclude_outside = onnx_int(importer, "exclude_outside", 0) != 0};
    struct request request = {.sizes = {0}};
    bool nearest = strcmp(how.mode, "nearest") == 0;
    struct weft_value *x = nearest ? onnx_input(importer, 0) : onnx_float_input(importer, 0);
    if (!is_one_of(how.mode, modes) || !is_one_of(how.positions, positions)) {
        return onnx_wrong(importer, WEFT_OPERATOR,
                          "its mode or coordinate_transformation_mode is not supported");
    }
    if (how.antialias && strcmp(how.positions, crop) == 0) {
        return onnx_wrong(importer, WEFT_OPERATOR, "antialias of a part is not supported");
    }
    return x != NULL && read_request(importer, &x->type, &request) &&
           onnx_finish_like(importer, resize(importer, x, &request, how));
}

/* Scales are an attribute up to version 8 of the operators, then input 1. */
bool onnx_upsample(struct onnx_importer *importer) {
    const Onnx__AttributeProto *attribute = onnx_attribute(importer, "scales");
    const struct axis how = {.positions = "asymmetric",
                             .mode = onnx_text(importer, "mode", "nearest"),
                             .nearest = "floor"};
    struct weft_value *x = onnx_float_input(importer, 0);
    static const int64_t axes[WEFT_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct request request = {.sizes = {0}};
    float scales[WEFT_MAX_RANK];
    uint32_t count = 0;
    if (x == NULL) {
        return false;
    }
    if (attribute != NULL && attribute->n_floats <= WEFT_MAX_RANK) {
        for (; count < attribute->n_floats; count++) {
            scales[count] = attribute->floats[count];
        }
    } else if (!onnx_floats(importer, 1, WEFT_MAX_RANK, scales, &count)) {
        return false;
    }
    if (strcmp(how.mode, "nearest") != 0 && strcmp(how.mode, "linear") != 0) {
        return onnx_wrong(importer, WEFT_MODEL, "mode must be nearest or linear");
    }
    for (uint32_t i = 0; i < WEFT_MAX_RANK; i++) {
        request.end[i] = 1;
    }
    return check_count(importer, count, x->type.rank) &&
           from_scales(importer, &x->type, count, axes, scales, &request) &&
           onnx_finish_like(importer, resize(importer, x, &request, how));
}

/* From version 20 on of volumes, too, which are not supported. */
bool onnx_grid_sample(struct onnx_importer *importer) {
    static const char *const modes[] = {"linear", "nearest", "cubic", NULL};
    static const char *const outsides[] = {"zeros", "border", "reflection", NULL};
    const char *mode = onnx_text(importer, "mode", importer->opset < 20 ? "bilinear" : "linear");
    const char *outside = onnx_text(importer, "padding_mode", "zeros");
    struct weft_value *x = onnx_float_input(importer, 0);
    struct weft_value *grid = onnx_float_input(importer, 1);
    mode = importer->opset < 20 && strncmp(mode, "bi", 2) == 0 ? mode + 2 : mode;
    if (!is_one_of(mode, modes) || !is_one_of(outside, outsides)) {
        return onnx_wrong(importer, WEFT_OPERATOR, "its mode or padding_mode is not supported");
    }
    if (x == NULL || grid == NULL) {
        return false;
    }
    if (x->type.rank != 4 || grid->type.rank != 4) {
        return onnx_wrong(importer, WEFT_OPERATOR, "only pictures of 4 dimensions are sampled");
    }
    struct weft_value *inputs[2] = {onnx_to_last(importer, x), grid};
    const struct weft_attribute attributes[] = {
        weft_attr_text(WEFT_ATTR_mode, mode), weft_attr_text(WEFT_ATTR_outside, outside),
        weft_attr_int(importer->arena, WEFT_ATTR_align_corners,
                      onnx_int(importer, "align_corners", 0) != 0)};
    return onnx_finish_like(importer,
                            onnx_to_first(importer, onnx_apply(importer, WEFT_OP_GRID_SAMPLE, 2,
                                                               inputs, 3, attributes)));
}
