/* Nodes that stand for a float operator between qnn.dequantize and qnn.quantize. */
#include <math.h>
#include <string.h>

#include "compiler/passes/fuse.h"

struct weft_value *fuse_integers(const struct weft_value *value) {
    const struct weft_node *node = value->producer;
    struct weft_value *x =
        node != NULL && node->op == WEFT_OP_QNN_DEQUANTIZE ? node->inputs[0] : NULL;
    return x != NULL && (x->type.dtype == WEFT_I8 || x->type.dtype == WEFT_U8) ? x : NULL;
}

struct weft_type fuse_shaped(struct weft_type type, const struct weft_type *shape) {
    type.rank = shape->rank;
    memcpy(type.dim, shape->dim, sizeof type.dim);
    return type;
}

struct weft_value *fuse_number(struct weft_rewrite *rewrite, enum weft_dtype dtype, float number) {
    struct weft_type type = weft_type_make(dtype, 0, NULL);
    uint8_t *data = weft_arena_allocate(weft_rewrite_arena(rewrite), sizeof number, 4);
    int32_t integer = (int32_t)number;
    memcpy(data, dtype == WEFT_F32 ? (const void *)&number : &integer, sizeof number);
    return weft_rewrite_constant(rewrite, &type, data);
}

struct weft_value *fuse_binary(struct weft_rewrite *rewrite, enum weft_operator op,
                               struct weft_value *a, struct weft_value *b,
                               const struct weft_type *type) {
    struct weft_value *inputs[2] = {a, b};
    return weft_rewrite_node(rewrite, op, 2, inputs, 0, NULL, type);
}

struct weft_value *fuse_sums(struct weft_rewrite *rewrite, enum weft_operator op,
                             struct weft_value *const inputs[2], uint32_t attribute_count,
                             const struct weft_attribute *attributes) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    struct weft_graph *aside = weft_graph_new(arena, "aside");
    struct weft_error error;
    struct weft_type type;
    const struct weft_node *sums =
        weft_graph_add_node(aside, op, 2, inputs, attribute_count, attributes);
    bool fits = weft_node_infer(arena, sums, &type, &error);
    for (uint32_t i = 0; fits && i < type.quantization.count; i++) {
        double scale = type.quantization.scale[i];
        fits = scale > 0 && !isinf(scale); /* a product may be too small, or too large */
    }
    return fits ? weft_rewrite_node(rewrite, op, 2, inputs, attribute_count, attributes, &type)
                : NULL;
}

struct weft_value *fuse_rescale(struct weft_rewrite *rewrite, struct weft_value *sums,
                                const float *factor, const struct weft_type *to) {
    const struct weft_attribute attributes[2] = {
        weft_attr_text(WEFT_ATTR_rounding, "float"),
        weft_attr_float(WEFT_ATTR_factor, factor == NULL ? 0 : (double)*factor)};
    return weft_rewrite_node(rewrite, WEFT_OP_QNN_REQUANTIZE, 1, &sums, factor == NULL ? 1 : 2,
                             attributes, to);
}

struct weft_value *fuse_round(struct weft_rewrite *rewrite, struct weft_value *x, int32_t zero,
                              const struct weft_type *to) {
    struct weft_attribute even = weft_attr_text(WEFT_ATTR_rounding, "even");
    struct weft_type plain = *to;
    plain.quantization = weft_quantization_make(weft_rewrite_arena(rewrite), 1, zero);
    x = weft_rewrite_node(rewrite, WEFT_OP_QNN_QUANTIZE, 1, &x, 1, &even, &plain);
    return weft_type_equal(&plain, to)
               ? x
               : weft_rewrite_node(rewrite, WEFT_OP_CAST, 1, &x, 0, NULL, to);
}

struct weft_value *fuse_round_with_zero(struct weft_rewrite *rewrite, struct weft_value *x,
                                        const struct weft_type *to) {
    struct weft_type floats = weft_type_make(WEFT_F32, to->rank, to->dim);
    int32_t zero = weft_type_zero(to, 0);
    if (zero != 0) {
        x = fuse_binary(rewrite, WEFT_OP_ADD, x, fuse_number(rewrite, WEFT_F32, (float)zero),
                        &floats);
    }
    return fuse_round(rewrite, x, 0, to);
}

/* Does the operand have one element along the last axis of the result that has more? */
static bool repeats_last(const struct weft_type *operand, const struct weft_type *to) {
    uint32_t behind = 0; /* axes */
    while (behind < to->rank && to->dim[to->rank - 1 - behind] == 1) {
        behind++;
    }
    return behind < to->rank &&
           (behind >= operand->rank || operand->dim[operand->rank - 1 - behind] == 1);
}

struct weft_value *fuse_by_element(struct weft_rewrite *rewrite, enum weft_operator op,
                                   const struct weft_node *node, const struct weft_type *to) {
    struct weft_value *inputs[2] = {fuse_integers(node->inputs[0]), fuse_integers(node->inputs[1])};
    for (int i = 0; i < 2; i++) {
        if (inputs[i] == NULL || inputs[i]->type.quantization.count != 1 ||
            inputs[i]->type.dtype != to->dtype) {
            return NULL;
        }
    }
    if (op == WEFT_OP_QNN_ADD && repeats_last(&inputs[0]->type, to)) {
        /* ONNX Runtime adds a number to a row, whichever comes first. */
        struct weft_value *first = inputs[0];
        inputs[0] = inputs[1];
        inputs[1] = first;
    }
    const struct weft_attribute rounding = weft_attr_text(WEFT_ATTR_rounding, "float");
    return weft_rewrite_node(rewrite, op, 2, inputs, 1, &rounding, to);
}
