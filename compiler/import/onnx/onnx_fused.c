/* Operators of floats that ONNX Runtime's optimiser puts in place of several: expressions of these
 * again. */
#include <string.h>

#include "compiler/import/onnx/onnx_product.h"

static bool is_named(const struct onnx_importer *importer, const char *name) {
    return strcmp(importer->node->op_type, name) == 0;
}

/* x plus input `number`, if it is there. */
static struct weft_value *plus(struct onnx_importer *importer, struct weft_value *x,
                               uint32_t number) {
    return onnx_has(importer, number)
               ? onnx_binary(importer, WEFT_OP_ADD, x, onnx_float_input(importer, number))
               : x;
}

/* FastGelu is that of tanh, and may have a bias. */
bool onnx_fused_gelu(struct onnx_importer *importer) {
    struct weft_value *x = plus(importer, onnx_float_input(importer, 0), 1);
    struct weft_attribute approximate =
        weft_attr_int(importer->arena, WEFT_ATTR_approximate, is_named(importer, "FastGelu"));
    return onnx_finish_like(importer, onnx_apply(importer, WEFT_OP_GELU, 1, &x, 1, &approximate));
}

/* x * logistic(alpha * x) */
bool onnx_quick_gelu(struct onnx_importer *importer) {
    struct weft_value *x = onnx_float_input(importer, 0);
    struct weft_value *scaled = onnx_binary(
        importer, WEFT_OP_MUL, x, onnx_scalar(importer, onnx_float(importer, "alpha", 1.702F)));
    return onnx_finish_like(importer, onnx_binary(importer, WEFT_OP_MUL, x,
                                                  onnx_unary(importer, WEFT_OP_LOGISTIC, scaled)));
}

/* Its rows become columns where the attribute says so; one axis alone stays. */
static struct weft_value *turned(struct onnx_importer *importer, uint32_t number,
                                 const char *attribute) {
    struct weft_value *x = onnx_float_input(importer, number);
    return x == NULL || x->type.rank < 2 || onnx_int(importer, attribute, 0) == 0
               ? x
               : onnx_swap(importer, x, x->type.rank - 2, x->type.rank - 1);
}

bool onnx_fused_matmul(struct onnx_importer *importer) {
    struct weft_value *a = turned(importer, 0, "transA");
    struct weft_value *b = turned(importer, 1, "transB");
    float alpha = onnx_float(importer, "alpha", 1);
    if (onnx_int(importer, "transBatchA", 0) != 0 || onnx_int(importer, "transBatchB", 0) != 0) {
        return onnx_wrong(importer, WEFT_OPERATOR, "transBatchA and transBatchB must be 0");
    }
    struct weft_value *y = onnx_multiply(importer, WEFT_OP_DENSE, WEFT_OP_BATCH_MATMUL, a, b);
    return onnx_finish_like(
        importer,
        alpha == 1 ? y : onnx_binary(importer, WEFT_OP_MUL, y, onnx_scalar(importer, alpha)));
}

/* The normalised sum of an input, another one and a bias; the sum is output 3. What would be for
 * training, outputs 1 and 2, ONNX Runtime does not compute either. */
bool onnx_skip_normalization(struct onnx_importer *importer) {
    bool is_simplified = is_named(importer, "SkipSimplifiedLayerNormalization");
    struct weft_value *sum = plus(importer, onnx_float_input(importer, 0), 1);
    float epsilon = onnx_float(importer, "epsilon", 1e-12F);
    struct weft_value *inverse = NULL;
    sum = plus(importer, sum, is_simplified ? 3 : 4);
    if (sum == NULL) {
        return false;
    }
    if (sum->type.rank < 1 || !weft_shape_equal(&sum->type, &onnx_input(importer, 0)->type)) {
        return onnx_wrong(importer, WEFT_MODEL,
                          "what is added to its input must have its shape, or be one for its rows");
    }
    uint32_t last = UINT32_C(1) << (sum->type.rank - 1);
    struct weft_value *y = is_simplified
                               ? onnx_normalize_size(importer, sum, last, epsilon, &inverse)
                               : onnx_normalize(importer, sum, last, epsilon, NULL, NULL);
    y = onnx_binary(importer, WEFT_OP_MUL, y, onnx_float_input(importer, 2));
    y = is_simplified ? y : plus(importer, y, 3);
    return onnx_finish_like(importer, y) &&
           (!onnx_wants(importer, 3) ||
            onnx_finish_at(importer, 3,
                           onnx_cast(importer, sum, onnx_input(importer, 0)->type.dtype)));
}
