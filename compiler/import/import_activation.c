/* Activations that are fused to operators. */
#include <math.h>

#include "compiler/import/importer.h"

/* The real limits of an activation. */
static void real_limits(int32_t activation, double *low, double *high) {
    *low = activation == TFLITE_ACTIVATION_RELU_N1_TO_1 ? -1.0 : 0.0;
    *high = activation == TFLITE_ACTIVATION_RELU_N1_TO_1 ? 1.0
            : activation == TFLITE_ACTIVATION_RELU6      ? 6.0
                                                         : (double)INFINITY;
}

/* A real limit as the type holds it. */
static int64_t limit_of(const struct weft_type *type, double limit) {
    return type->quantization.count > 0 ? weft_type_limit(type, (float)limit)
           : isinf(limit)               ? weft_dtype_max(type->dtype)
                                        : (int64_t)limit;
}

static bool clip(struct importer *importer, int32_t activation, struct weft_value **value) {
    const struct weft_type *type = &(*value)->type;
    double low = 0.0;
    double high = 0.0;
    real_limits(activation, &low, &high);
    struct weft_attribute limits[] = {
        weft_attr_int(importer->arena, WEFT_ATTR_min, limit_of(type, low)),
        weft_attr_int(importer->arena, WEFT_ATTR_max, limit_of(type, high)),
    };
    return importer_infer(importer, WEFT_OP_CLIP, 1, value, 2, limits, value);
}

static bool activate(struct importer *importer, int32_t activation, struct weft_value **value) {
    enum weft_operator op = activation == TFLITE_ACTIVATION_RELU    ? WEFT_OP_RELU
                            : activation == TFLITE_ACTIVATION_RELU6 ? WEFT_OP_RELU6
                                                                    : WEFT_OP_RELU_N1_TO_1;
    if (activation == TFLITE_ACTIVATION_NONE) {
        return true;
    }
    if (activation != TFLITE_ACTIVATION_RELU && activation != TFLITE_ACTIVATION_RELU6 &&
        activation != TFLITE_ACTIVATION_RELU_N1_TO_1) {
        return importer_wrong(importer, WEFT_OPERATOR, "its fused activation is not supported");
    }
    if ((*value)->type.quantization.count > 1) {
        return importer_wrong(importer, WEFT_MODEL,
                              "an activation is fused to a tensor without one scale");
    }
    return (*value)->type.dtype == WEFT_F32 ? importer_infer(importer, op, 1, value, 0, NULL, value)
                                            : clip(importer, activation, value);
}

bool importer_finish_activated(struct importer *importer, struct weft_value *value) {
    struct weft_type type = {0};
    if (!importer_result_type(importer, 0, &type)) {
        return false;
    }
    /* The limits are those of the output's own scale. */
    if (type.dtype == value->type.dtype) {
        value = importer_relabel(importer, value, &type);
    }
    return activate(importer, importer->op->options.activation, &value) &&
           importer_finish(importer, 0, value);
}
