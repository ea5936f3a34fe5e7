/* Windows and reductions. */
#include "base/integer.h"
#include "compiler/import/importer.h"

/* The average of uint8 rounds half up, that of int8 half away from zero: it works on raw values. */
static bool pool_operand(struct importer *importer, struct weft_value **x) {
    bool raw = importer->op->code == TFLITE_AVERAGE_POOL_2D;
    if (!importer_need_options(importer, TFLITE_TABLE_POOL_2D) ||
        !(raw ? importer_raw_input(importer, 0, x) : importer_input(importer, 0, x))) {
        return false;
    }
    if ((*x)->type.rank != 4) {
        return importer_wrong(importer, WEFT_MODEL, "expected an input of 4 dimensions");
    }
    return true;
}

bool import_pool(struct importer *importer) {
    const struct tflite_options *options = &importer->op->options;
    struct weft_value *x = NULL;
    if (!pool_operand(importer, &x)) {
        return false;
    }
    int64_t kernel[2] = {options->filter_h, options->filter_w};
    int64_t strides[2] = {options->stride_h, options->stride_w};
    int64_t padding[4];
    for (int i = 0; i < 2; i++) {
        if (!importer_padding(importer, x->type.dim[1 + i], kernel[i], 1, strides[i], &padding[i],
                              &padding[2 + i])) {
            return false;
        }
    }
    struct weft_attribute attributes[] = {
        weft_attr_ints(importer->arena, WEFT_ATTR_kernel, 2, kernel),
        weft_attr_ints(importer->arena, WEFT_ATTR_strides, 2, strides),
        weft_attr_ints(importer->arena, WEFT_ATTR_padding, 4, padding),
    };
    enum weft_operator op =
        importer->op->code == TFLITE_MAX_POOL_2D ? WEFT_OP_MAX_POOL2D : WEFT_OP_AVG_POOL2D;
    struct weft_value *value = NULL;
    return importer_infer(importer, op, 1, &x, 3, attributes, &value) &&
           importer_finish_activated(importer, value);
}

/* Axes may count from the end and be named twice. */
static bool read_axes(struct importer *importer, uint32_t rank, struct weft_attribute *axes) {
    enum {
        MOST = 4 * WEFT_MAX_RANK
    };
    int64_t values[MOST];
    int64_t sorted[WEFT_MAX_RANK];
    uint32_t count = 0;
    uint32_t seen = 0;
    if (!importer_integers(importer, 1, MOST, values, &count)) {
        return false;
    }
    for (uint32_t i = 0; rank > 0 && i < count; i++) {
        if (!importer_axis(importer, values[i], rank, &values[i])) {
            return false;
        }
        seen |= UINT32_C(1) << values[i];
    }
    count = 0;
    for (uint32_t i = 0; i < rank; i++) {
        if ((seen >> i & 1) != 0) {
            sorted[count++] = i;
        }
    }
    *axes = weft_attr_ints(importer->arena, WEFT_ATTR_axes, count, sorted);
    return true;
}

/* The operator of the graph for quantised tensors and for plain ones. Any of bool is the largest of
 * 0 and 1, all of them the smallest. */
static enum weft_operator reduce_operator(const struct importer *importer,
                                          const struct weft_type *type) {
    bool plain = type->dtype == WEFT_F32 || type->dtype == WEFT_I32 || type->dtype == WEFT_I64;
    switch (importer->op->code) {
    case TFLITE_REDUCE_ANY:
    case TFLITE_REDUCE_MAX:
        return WEFT_OP_REDUCE_MAX;
    case TFLITE_REDUCE_ALL:
    case TFLITE_REDUCE_MIN:
        return WEFT_OP_REDUCE_MIN;
    case TFLITE_REDUCE_PROD:
        return WEFT_OP_REDUCE_PROD;
    case TFLITE_SUM:
        return plain ? WEFT_OP_SUM : WEFT_OP_QNN_SUM;
    default:
        return plain ? WEFT_OP_MEAN : WEFT_OP_QNN_MEAN;
    }
}

bool import_reduce(struct importer *importer) {
    struct weft_value *x = NULL;
    struct weft_value *value = NULL;
    struct weft_type type = {0};
    struct weft_attribute attributes[2];
    if (!importer_input(importer, 0, &x) || !importer_result_type(importer, 0, &type) ||
        !read_axes(importer, x->type.rank, &attributes[0])) {
        return false;
    }
    attributes[1] =
        weft_attr_int(importer->arena, WEFT_ATTR_keep_dims, importer->op->options.keep_dims);
    enum weft_operator op = reduce_operator(importer, &x->type);
    if (op == WEFT_OP_QNN_MEAN || op == WEFT_OP_QNN_SUM) {
        return importer_need_quantized(importer, x) &&
               importer_declare(importer, op, 1, &x, 2, attributes, &type, &value) &&
               importer_finish(importer, 0, value);
    }
    if (op != WEFT_OP_REDUCE_MAX && op != WEFT_OP_REDUCE_MIN) {
        struct weft_type plain = x->type;
        plain.quantization = (struct weft_quantization){0};
        x = importer_relabel(importer, x, &plain);
    }
    return importer_infer(importer, op, 1, &x, 2, attributes, &value) &&
           importer_finish(importer, 0, value);
}

bool import_arg_max(struct importer *importer) {
    struct weft_value *x = NULL;
    struct weft_value *value = NULL;
    struct weft_type type = {0};
    int64_t axis = 0;
    uint32_t count = 0;
    if (!importer_input(importer, 0, &x) || !importer_integers(importer, 1, 1, &axis, &count) ||
        !importer_result_type(importer, 0, &type)) {
        return false;
    }
    if (count != 1) {
        return importer_wrong(importer, WEFT_MODEL, "expected one axis");
    }
    if (!importer_axis(importer, axis, x->type.rank, &axis)) {
        return false;
    }
    struct weft_attribute attribute = weft_attr_int(importer->arena, WEFT_ATTR_axis, axis);
    enum weft_operator op = importer->op->code == TFLITE_ARG_MIN ? WEFT_OP_ARGMIN : WEFT_OP_ARGMAX;
    return importer_declare(importer, op, 1, &x, 1, &attribute, &type, &value) &&
           importer_finish(importer, 0, value);
}
