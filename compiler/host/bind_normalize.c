/* Along the last axis. */
#include <math.h>

#include "base/multiplier.h"
#include "compiler/host/bind.h"
#include "kernels/normalize.h"

enum {
    DIFFERENCE_BITS = 5 /* integer bits of differences of elements */
};

static struct weft_rows_parameters rows_of(const struct bind *bind) {
    const struct weft_type *type = bind_input(bind, 0);
    int32_t depth = (int32_t)type->dim[type->rank - 1];
    return (struct weft_rows_parameters){depth == 0 ? 0 : bind_count(type) / depth, depth};
}

static bool is_bytes(const struct bind *bind) {
    return weft_dtype_bytes(bind_input(bind, 0)->dtype) == 1;
}

/* Differences below this one leave Q5 when they are scaled with a left shift. Source: TFLite's
 * CalculateInputRadius(). */
static int32_t least_difference(int shift) {
    double radius = (double)((1 << DIFFERENCE_BITS) - 1) *
                    (double)(INT64_C(1) << (31 - DIFFERENCE_BITS)) / ldexp(1.0, shift);
    return (int32_t)-floor(radius);
}

/* ---- quantised ---- */

/* A function of [low, high] in 512 lines between entries of [-32768, 32767], as shares of
 * [-1, 1]; half of what a line is off in its middle goes to its beginning. Source: TFLite's
 * LUTPopulate() of int16. */
static void fill_lines(double low, double high, double (*function)(double x), int16_t table[513]) {
    const double steps = 65536.0 / 2.0;
    double step = (high - low) / 512.0;
    for (int i = 0; i <= 512; i++) {
        double x = low + i * step;
        double entry = round(function(i == 512 ? high : x) * steps);
        if (i < 512) {
            double middle = round((function(low + (i + 1) * step) * steps + entry) / 2.0);
            entry -= round((middle - round(function(x + step / 2.0) * steps)) / 2.0);
        }
        table[i] = (int16_t)fmin(fmax(entry, INT16_MIN), INT16_MAX);
    }
}

static double reciprocal_of_one_plus(double x) {
    return 1.0 / (1.0 + x);
}

static bool bind_softmax_int16(const struct bind *bind) {
    const struct weft_type *in = bind_input(bind, 0);
    if (weft_type_zero(in, 0) != 0 || weft_type_zero(bind_result(bind, 0), 0) != 0) {
        return bind_unsupported(bind, "of int16, zero points must be 0");
    }
    float scale =
        (float)weft_type_scale(in, 0) * (float)weft_node_float(bind->node, WEFT_ATTR_beta);
    struct weft_qnn_softmax_int16_parameters *parameters =
        bind_kernel(bind, WEFT_KERNEL_qnn_softmax_int16, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->shape = rows_of(bind);
    parameters->factor = bind_factor((double)scale / (10.0 / 65535.0));
    fill_lines(-10.0, 0.0, exp, parameters->exponential);
    fill_lines(0.0, 1.0, reciprocal_of_one_plus, parameters->reciprocal_of_one_plus);
    return true;
}

/* Source: TFLite's PreprocessSoftmaxScaling(). */
bool bind_qnn_softmax(const struct bind *bind) {
    double scale = weft_node_float(bind->node, WEFT_ATTR_beta) *
                   weft_type_scale(bind_input(bind, 0), 0) * (1 << (31 - DIFFERENCE_BITS));
    scale = fmin(scale, (double)INT32_MAX);
    if (!is_bytes(bind)) {
        return bind_softmax_int16(bind);
    }
    if (scale <= 1.0) {
        return bind_unsupported(bind, "the input's scale is too small");
    }
    struct weft_qnn_softmax_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_qnn_softmax, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->shape = rows_of(bind);
    parameters->dtype = bind_input(bind, 0)->dtype;
    parameters->factor = bind_factor(scale);
    parameters->least_difference = least_difference(parameters->factor.shift);
    return true;
}

static bool check_log_softmax(const struct bind *bind, double scale) {
    const struct weft_type *out = bind_result(bind, 0);
    if (!is_bytes(bind)) {
        return bind_unsupported(bind, "only 8-bit tensors");
    }
    if (weft_type_scale(out, 0) != 1.0 / 16 ||
        weft_type_zero(out, 0) != weft_dtype_max(out->dtype)) {
        return bind_unsupported(bind, "the result must have the scale 1/16 up to 0");
    }
    return scale > 1.0 || bind_unsupported(bind, "the input's scale is too small");
}

/* The reference takes for granted that the result's scale is 1/16 and its zero point the largest
 * value. Source of the factors: PreprocessLogSoftmaxScalingExp(). */
bool bind_qnn_log_softmax(const struct bind *bind) {
    const struct weft_type *in = bind_input(bind, 0);
    double scale = fmin(weft_type_scale(in, 0) * (1 << (31 - DIFFERENCE_BITS)), (double)INT32_MAX);
    struct weft_qnn_log_softmax_parameters *parameters =
        check_log_softmax(bind, scale) ? bind_kernel(bind, WEFT_KERNEL_qnn_log_softmax, 0) : NULL;
    if (parameters == NULL) {
        return false;
    }
    parameters->shape = rows_of(bind);
    parameters->dtype = in->dtype;
    parameters->factor = bind_factor(scale);
    parameters->inverse = bind_factor((double)(INT64_C(1) << (31 - parameters->factor.shift)) /
                                      parameters->factor.multiplier);
    parameters->least_difference = least_difference(parameters->factor.shift);
    return true;
}

/* The reference takes for granted that the result's scale is 1/128 and its zero point the middle.
 */
bool bind_qnn_l2_normalize(const struct bind *bind) {
    const struct weft_type *out = bind_result(bind, 0);
    bool middle = weft_type_zero(out, 0) == (out->dtype == WEFT_U8 ? 128 : 0);
    if (!is_bytes(bind)) {
        return bind_unsupported(bind, "only 8-bit tensors");
    }
    if (weft_type_scale(out, 0) != 1.0 / 128 || !middle) {
        return bind_unsupported(bind, "the result must have the scale 1/128 around the middle");
    }
    struct weft_qnn_l2_normalize_parameters *parameters =
        bind_kernel(bind, WEFT_KERNEL_qnn_l2_normalize, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->shape = rows_of(bind);
    parameters->dtype = out->dtype;
    parameters->input_zero = weft_type_zero(bind_input(bind, 0), 0);
    parameters->output_zero = weft_type_zero(out, 0);
    return true;
}

/* ---- floats ---- */

bool bind_softmax(const struct bind *bind) {
    struct weft_softmax_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_softmax, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->shape = rows_of(bind);
    parameters->beta = (float)weft_node_float(bind->node, WEFT_ATTR_beta);
    return true;
}

static bool bind_rows(const struct bind *bind, enum weft_kernel kernel) {
    struct weft_rows_parameters *parameters = bind_kernel(bind, kernel, 0);
    if (parameters == NULL) {
        return false;
    }
    *parameters = rows_of(bind);
    return true;
}

bool bind_log_softmax(const struct bind *bind) {
    return bind_rows(bind, WEFT_KERNEL_log_softmax);
}

bool bind_l2_normalize(const struct bind *bind) {
    return bind_rows(bind, WEFT_KERNEL_l2_normalize);
}

bool bind_layer_norm(const struct bind *bind) {
    struct weft_layer_norm_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_layer_norm, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->shape = rows_of(bind);
    parameters->epsilon = (float)weft_node_float(bind->node, WEFT_ATTR_epsilon);
    return true;
}
