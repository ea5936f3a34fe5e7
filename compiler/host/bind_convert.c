/* From one type or quantisation to another. */
#include <string.h>

#include "base/multiplier.h"
#include "compiler/host/bind.h"
#include "kernels/convert.h"

/* How many elements of a tensor follow each other with one scale. */
static int32_t inner_of(const struct weft_type *type) {
    int64_t inner = 1;
    for (uint32_t i = type->quantization.axis + 1; type->quantization.count > 1 && i < type->rank;
         i++) {
        inner *= type->dim[i];
    }
    return (int32_t)inner;
}

bool bind_quantize(const struct bind *bind) {
    const struct weft_type *to = bind_result(bind, 0);
    uint32_t channels = to->quantization.count;
    struct weft_quantize_parameters *parameters =
        bind_kernel(bind, WEFT_KERNEL_quantize, channels * sizeof parameters->channel[0]);
    if (parameters == NULL) {
        return false;
    }
    parameters->output = to->dtype;
    parameters->count = bind_count(to);
    parameters->inner = inner_of(to);
    parameters->channels = (int32_t)channels;
    parameters->ties_to_even = weft_node_attribute(bind->node, WEFT_ATTR_rounding) != NULL;
    for (uint32_t c = 0; c < channels; c++) {
        parameters->channel[c] =
            (struct weft_scale_and_zero){(float)weft_type_scale(to, c), weft_type_zero(to, c)};
    }
    return true;
}

bool bind_dequantize(const struct bind *bind) {
    const struct weft_type *from = bind_input(bind, 0);
    uint32_t channels = from->quantization.count;
    struct weft_dequantize_parameters *parameters =
        bind_kernel(bind, WEFT_KERNEL_dequantize, channels * sizeof parameters->channel[0]);
    if (parameters == NULL) {
        return false;
    }
    parameters->input = from->dtype;
    parameters->count = bind_count(from);
    parameters->inner = inner_of(from);
    parameters->channels = (int32_t)channels;
    for (uint32_t c = 0; c < channels; c++) {
        parameters->channel[c] = (struct weft_double_and_zero){.scale = weft_type_scale(from, c),
                                                               .zero = weft_type_zero(from, c)};
    }
    return true;
}

/* ---- qnn.requantize ---- */

/* Rows of elements that have one scale each. */
static int32_t rows_of(const struct weft_type *type) {
    return bind_count(type) / (int32_t)type->quantization.count;
}

static bool bind_single(const struct bind *bind) {
    const struct weft_type *from = bind_input(bind, 0);
    const struct weft_type *to = bind_result(bind, 0);
    uint32_t channels = from->quantization.count;
    struct weft_requantize_single_parameters *parameters =
        bind_kernel(bind, WEFT_KERNEL_requantize_single, channels * sizeof parameters->channel[0]);
    if (parameters == NULL) {
        return false;
    }
    parameters->input = from->dtype;
    parameters->output = to->dtype;
    parameters->output_zero = weft_type_zero(to, 0);
    parameters->rows = rows_of(from);
    parameters->channels = (int32_t)channels;
    for (uint32_t c = 0; c < channels; c++) {
        parameters->channel[c].scale = weft_type_scale(from, c) / weft_type_scale(to, 0);
        parameters->channel[c].zero = weft_type_zero(from, c);
    }
    return true;
}

/* The attribute `factor`, or the quotient of scales. */
static struct weft_factor float_factor(const struct bind *bind, double from, double to) {
    const struct weft_attribute *factor = weft_node_attribute(bind->node, WEFT_ATTR_factor);
    int32_t multiplier = 0;
    int shift = 0;
    weft_float_multiplier(factor != NULL ? factor->number : from, factor != NULL ? 1 : to,
                          &multiplier, &shift);
    return (struct weft_factor){multiplier, shift};
}

static enum weft_kernel requantize_kernel(enum weft_dtype from, bool as_float) {
    return as_float           ? WEFT_KERNEL_requantize_as_float
           : from == WEFT_I64 ? WEFT_KERNEL_requantize_reduced
                              : WEFT_KERNEL_requantize;
}

bool bind_requantize(const struct bind *bind) {
    const struct weft_type *from = bind_input(bind, 0);
    const struct weft_type *to = bind_result(bind, 0);
    uint32_t channels = from->quantization.count;
    const char *rounding = weft_node_text(bind->node, WEFT_ATTR_rounding);
    bool as_float = strcmp(rounding, "float") == 0;
    if (strcmp(rounding, "single") == 0) {
        return bind_single(bind);
    }
    struct weft_requantize_parameters *parameters = bind_kernel(
        bind, requantize_kernel(from->dtype, as_float), channels * sizeof parameters->channel[0]);
    if (parameters == NULL) {
        return false;
    }
    parameters->input = from->dtype;
    parameters->output = to->dtype;
    parameters->output_zero = weft_type_zero(to, 0);
    parameters->rows = rows_of(from);
    parameters->channels = (int32_t)channels;
    for (uint32_t c = 0; c < channels; c++) {
        struct weft_factor *factor = &parameters->channel[c].factor;
        *factor = as_float ? float_factor(bind, weft_type_scale(from, c), weft_type_scale(to, 0))
                           : bind_factor(weft_type_scale(from, c) / weft_type_scale(to, 0));
        parameters->channel[c].zero = weft_type_zero(from, c);
    }
    return true;
}

/* ---- others ---- */

static bool is_float(enum weft_dtype dtype) {
    return dtype == WEFT_F32 || dtype == WEFT_F16;
}

bool bind_cast(const struct bind *bind) {
    enum weft_dtype from = bind_input(bind, 0)->dtype;
    enum weft_dtype to = bind_result(bind, 0)->dtype;
    struct weft_cast_parameters *parameters =
        bind_kernel(bind,
                    from == WEFT_F64 || to == WEFT_F64 ? WEFT_KERNEL_cast_double
                    : is_float(from) || is_float(to)   ? WEFT_KERNEL_cast_float
                                                       : WEFT_KERNEL_cast,
                    0);
    if (parameters == NULL) {
        return false;
    }
    *parameters = (struct weft_cast_parameters){from, to, bind_count(bind_input(bind, 0))};
    return true;
}

bool bind_clip(const struct bind *bind) {
    const struct weft_type *type = bind_result(bind, 0);
    struct weft_clip_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_clip, 0);
    if (parameters == NULL) {
        return false;
    }
    *parameters = (struct weft_clip_parameters){.low = weft_node_int(bind->node, WEFT_ATTR_min),
                                                .high = weft_node_int(bind->node, WEFT_ATTR_max),
                                                .dtype = type->dtype,
                                                .count = bind_count(type)};
    return true;
}
