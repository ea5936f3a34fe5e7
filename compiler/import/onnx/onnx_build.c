/* Nodes, and small groups of them. */
#include <string.h>

#include "base/checked.h"
#include "compiler/import/fold.h"
#include "compiler/import/onnx/onnx_importer.h"

/* ---- nodes ---- */

struct weft_node *onnx_node(struct onnx_importer *importer, enum weft_operator op,
                            uint32_t input_count, struct weft_value *const *inputs,
                            uint32_t attribute_count, const struct weft_attribute *attributes) {
    for (uint32_t i = 0; i < input_count; i++) {
        if (inputs[i] == NULL) {
            return NULL;
        }
    }
    if (importer->graph->node_count >= ONNX_MOST_NODES) {
        onnx_wrong(importer, WEFT_LIMIT, "the model becomes more than 2^20 steps");
        return NULL;
    }
    struct weft_node *node =
        weft_graph_add_node(importer->graph, op, input_count, inputs, attribute_count, attributes);
    node->source = (int32_t)importer->index;
    return node;
}

/* Its types; an error becomes one of the operator. */
static bool infer(struct onnx_importer *importer, const struct weft_node *node,
                  struct weft_type *type) {
    if (!weft_node_infer(importer->arena, node, type, importer->error)) {
        importer->error->code = WEFT_MODEL;
        importer->error->position = importer->index;
        return weft_fail_context(importer->error, "%s", onnx_context(importer));
    }
    return onnx_is_bearable(type) ||
           onnx_wrong(importer, WEFT_MODEL, "a tensor has more than 2^31 - 1 elements");
}

struct weft_value *onnx_apply(struct onnx_importer *importer, enum weft_operator op,
                              uint32_t input_count, struct weft_value *const *inputs,
                              uint32_t attribute_count, const struct weft_attribute *attributes) {
    struct weft_type type = {0};
    struct weft_node *node =
        onnx_node(importer, op, input_count, inputs, attribute_count, attributes);
    if (node == NULL || !infer(importer, node, &type)) {
        return NULL;
    }
    return fold_plain(importer->graph, weft_node_add_result(importer->graph, node, &type, -1),
                      &importer->steps);
}

struct weft_value *onnx_declare(struct onnx_importer *importer, enum weft_operator op,
                                uint32_t input_count, struct weft_value *const *inputs,
                                uint32_t attribute_count, const struct weft_attribute *attributes,
                                const struct weft_type *type) {
    struct weft_type inferred = {0};
    struct weft_node *node =
        onnx_node(importer, op, input_count, inputs, attribute_count, attributes);
    if (node == NULL) {
        return NULL;
    }
    struct weft_value *value = weft_node_add_result(importer->graph, node, type, -1);
    if (!infer(importer, node, &inferred)) {
        return NULL;
    }
    if (!weft_type_equal(type, &inferred)) {
        return onnx_none(importer, WEFT_MODEL, "its result is not of the type that follows");
    }
    return fold_plain(importer->graph, value, &importer->steps);
}

struct weft_value *onnx_unary(struct onnx_importer *importer, enum weft_operator op,
                              struct weft_value *x) {
    return onnx_apply(importer, op, 1, &x, 0, NULL);
}

struct weft_value *onnx_binary(struct onnx_importer *importer, enum weft_operator op,
                               struct weft_value *a, struct weft_value *b) {
    struct weft_value *inputs[] = {a, b};
    return onnx_apply(importer, op, 2, inputs, 0, NULL);
}

struct weft_value *onnx_compare(struct onnx_importer *importer, const char *relation,
                                struct weft_value *a, struct weft_value *b) {
    struct weft_value *inputs[] = {a, b};
    struct weft_attribute attribute = weft_attr_text(WEFT_ATTR_relation, relation);
    return onnx_apply(importer, WEFT_OP_COMPARE, 2, inputs, 1, &attribute);
}

struct weft_value *onnx_select(struct onnx_importer *importer, struct weft_value *condition,
                               struct weft_value *a, struct weft_value *b) {
    struct weft_value *inputs[] = {condition, a, b};
    return onnx_apply(importer, WEFT_OP_SELECT, 3, inputs, 0, NULL);
}

/* ---- constants ---- */

struct weft_value *onnx_data(struct onnx_importer *importer, enum weft_dtype dtype, uint32_t rank,
                             const int64_t *dims, const void *data) {
    static const uint8_t nothing[8];
    struct weft_type type = weft_type_make(dtype, rank, dims);
    data = data == NULL ? nothing : data; /* of no elements */
    struct weft_value *value = weft_graph_add_constant(importer->graph, &type, data, NULL, -1);
    value->producer->source = (int32_t)importer->index;
    return value;
}

struct weft_value *onnx_scalar(struct onnx_importer *importer, float number) {
    float *data = WEFT_NEW(importer->arena, float);
    *data = number;
    return onnx_data(importer, WEFT_F32, 0, NULL, data);
}

struct weft_value *onnx_integer(struct onnx_importer *importer, enum weft_dtype dtype,
                                int64_t number) {
    int64_t *data =
        WEFT_NEW(importer->arena, int64_t); /* the low bytes are those of shorter ones */
    *data = number;
    return onnx_data(importer, dtype, 0, NULL, data);
}

struct weft_value *onnx_number(struct onnx_importer *importer, const struct weft_value *like,
                               int64_t number) {
    return like == NULL                   ? NULL
           : like->type.dtype == WEFT_F32 ? onnx_scalar(importer, (float)number)
                                          : onnx_integer(importer, like->type.dtype, number);
}

struct weft_value *onnx_list(struct onnx_importer *importer, uint32_t rank, const int64_t *dims,
                             const int64_t *numbers) {
    struct weft_type type = weft_type_make(WEFT_I64, rank, dims);
    size_t count = (size_t)weft_type_elements(&type);
    int64_t *data = WEFT_NEW_ARRAY(importer->arena, count, int64_t);
    if (count > 0) {
        memcpy(data, numbers, count * sizeof *numbers);
    }
    return onnx_data(importer, WEFT_I64, rank, dims, data);
}

/* ---- types ---- */

static struct weft_value *retype(struct onnx_importer *importer, struct weft_value *x,
                                 const struct weft_type *type) {
    return weft_type_equal(&x->type, type)
               ? x
               : onnx_declare(importer, WEFT_OP_CAST, 1, &x, 0, NULL, type);
}

struct weft_value *onnx_cast(struct onnx_importer *importer, struct weft_value *x,
                             enum weft_dtype dtype) {
    if (x == NULL) {
        return NULL;
    }
    struct weft_type type = weft_type_make(dtype, x->type.rank, x->type.dim);
    return retype(importer, x, &type);
}

struct weft_value *onnx_plain(struct onnx_importer *importer, struct weft_value *x) {
    return x == NULL ? NULL : onnx_cast(importer, x, x->type.dtype);
}

struct weft_value *onnx_computed(struct onnx_importer *importer, struct weft_value *x) {
    static const enum weft_dtype computed[WEFT_DTYPES] = {
        [WEFT_I8] = WEFT_I32,    [WEFT_U8] = WEFT_I32,  [WEFT_I16] = WEFT_I32,
        [WEFT_I32] = WEFT_I32,   [WEFT_I64] = WEFT_I64, [WEFT_F32] = WEFT_F32,
        [WEFT_BOOL] = WEFT_BOOL, [WEFT_U16] = WEFT_I32, [WEFT_U32] = WEFT_I64,
        [WEFT_U64] = WEFT_I64,   [WEFT_F16] = WEFT_F32, [WEFT_F64] = WEFT_F32,
    };
    return x == NULL ? NULL : onnx_cast(importer, x, computed[x->type.dtype]);
}

struct weft_value *onnx_relabel(struct onnx_importer *importer, struct weft_value *x,
                                struct weft_quantization quantization) {
    if (x == NULL) {
        return NULL;
    }
    struct weft_type type = x->type;
    const uint8_t *data = weft_value_data(x);
    type.quantization = quantization;
    if (data == NULL || weft_type_equal(&x->type, &type)) {
        return retype(importer, x, &type);
    }
    struct weft_value *value = weft_graph_add_constant(importer->graph, &type, data, NULL, -1);
    value->producer->source = (int32_t)importer->index;
    return value;
}

/* ---- shapes ---- */

struct weft_value *onnx_reshape(struct onnx_importer *importer, struct weft_value *x, uint32_t rank,
                                const int64_t *dims) {
    if (x == NULL) {
        return NULL;
    }
    struct weft_type type = weft_type_make(x->type.dtype, rank, dims);
    type.quantization = x->type.quantization;
    if (weft_shape_equal(&type, &x->type)) {
        return x;
    }
    if (type.quantization.count > 1) {
        return onnx_none(importer, WEFT_OPERATOR, "many scales along an axis that it changes");
    }
    return weft_type_elements(&type) == weft_type_elements(&x->type)
               ? onnx_declare(importer, WEFT_OP_RESHAPE, 1, &x, 0, NULL, &type)
               : onnx_none(importer, WEFT_MODEL, "the shape has another number of elements");
}

uint32_t onnx_without_axis(const struct weft_value *x, uint32_t axis, int64_t dims[WEFT_MAX_RANK]) {
    uint32_t rank = 0;
    for (uint32_t i = 0; i < x->type.rank; i++) {
        if (i != axis) {
            dims[rank++] = x->type.dim[i];
        }
    }
    return rank;
}

struct weft_value *onnx_reshape_behind(struct onnx_importer *importer, struct weft_value *x,
                                       uint32_t rank, const int64_t *dims) {
    struct weft_type type = weft_type_make(x->type.dtype, rank, dims);
    type.quantization = x->type.quantization;
    return onnx_declare(importer, WEFT_OP_RESHAPE, 1, &x, 0, NULL, &type);
}

struct weft_value *onnx_transpose(struct onnx_importer *importer, struct weft_value *x,
                                  const int64_t *order) {
    bool same = x != NULL;
    for (uint32_t i = 0; same && i < x->type.rank; i++) {
        same = order[i] == i;
    }
    if (x == NULL || same) {
        return x;
    }
    struct weft_attribute attribute =
        weft_attr_ints(importer->arena, WEFT_ATTR_permutation, x->type.rank, order);
    return onnx_apply(importer, WEFT_OP_TRANSPOSE, 1, &x, 1, &attribute);
}

struct weft_value *onnx_to_last(struct onnx_importer *importer, struct weft_value *x) {
    static const int64_t order[] = {0, 2, 3, 1};
    return onnx_transpose(importer, x, order);
}

struct weft_value *onnx_to_first(struct onnx_importer *importer, struct weft_value *x) {
    static const int64_t order[] = {0, 3, 1, 2};
    return onnx_transpose(importer, x, order);
}

struct weft_value *onnx_swap(struct onnx_importer *importer, struct weft_value *x, uint32_t a,
                             uint32_t b) {
    int64_t order[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < WEFT_MAX_RANK; i++) {
        order[i] = i == a ? b : i == b ? a : i;
    }
    return onnx_transpose(importer, x, order);
}

struct weft_value *onnx_reduce(struct onnx_importer *importer, enum weft_operator op,
                               struct weft_value *x, uint32_t axes, bool keep) {
    int64_t list[WEFT_MAX_RANK];
    uint32_t count = 0;
    for (uint32_t i = 0; i < WEFT_MAX_RANK; i++) {
        if ((axes >> i & 1) != 0) {
            list[count++] = i;
        }
    }
    if (x == NULL || count == 0) {
        return x;
    }
    const struct weft_attribute attributes[] = {
        weft_attr_ints(importer->arena, WEFT_ATTR_axes, count, list),
        weft_attr_int(importer->arena, WEFT_ATTR_keep_dims, keep)};
    return onnx_apply(importer, op, 1, &x, 2, attributes);
}

struct weft_value *onnx_pad(struct onnx_importer *importer, struct weft_value *x,
                            const int64_t *pads, struct weft_value *value) {
    struct weft_value *inputs[] = {x, value};
    bool none = x != NULL;
    for (uint32_t i = 0; none && i < 2 * x->type.rank; i++) {
        none = pads[i] == 0;
    }
    if (x == NULL || none) {
        return x;
    }
    struct weft_attribute attribute =
        weft_attr_ints(importer->arena, WEFT_ATTR_pads, 2 * x->type.rank, pads);
    return onnx_apply(importer, WEFT_OP_PAD, value == NULL ? 1 : 2, inputs, 1, &attribute);
}

struct weft_value *onnx_slice(struct onnx_importer *importer, struct weft_value *x,
                              const int64_t *begin, const int64_t *steps, const int64_t *sizes) {
    bool whole = x != NULL;
    for (uint32_t i = 0; whole && i < x->type.rank; i++) {
        whole = steps[i] == 1 && sizes[i] == x->type.dim[i];
    }
    if (x == NULL || whole) {
        return x;
    }
    const struct weft_attribute attributes[] = {
        weft_attr_ints(importer->arena, WEFT_ATTR_begin, x->type.rank, begin),
        weft_attr_ints(importer->arena, WEFT_ATTR_steps, x->type.rank, steps),
        weft_attr_ints(importer->arena, WEFT_ATTR_sizes, x->type.rank, sizes)};
    return onnx_apply(importer, WEFT_OP_STRIDED_SLICE, 1, &x, 3, attributes);
}

struct weft_value *onnx_part(struct onnx_importer *importer, struct weft_value *x, uint32_t axis,
                             int64_t begin, int64_t step, int64_t size) {
    int64_t begins[WEFT_MAX_RANK] = {0};
    int64_t steps[WEFT_MAX_RANK];
    int64_t sizes[WEFT_MAX_RANK];
    for (uint32_t i = 0; x != NULL && i < x->type.rank; i++) {
        steps[i] = 1;
        sizes[i] = x->type.dim[i];
    }
    begins[axis] = begin;
    steps[axis] = step;
    sizes[axis] = size;
    return onnx_slice(importer, x, begins, steps, sizes);
}

struct weft_value *onnx_concatenate(struct onnx_importer *importer, uint32_t count,
                                    struct weft_value *const *parts, uint32_t axis) {
    struct weft_attribute attribute = weft_attr_int(importer->arena, WEFT_ATTR_axis, axis);
    return count == 1 ? parts[0]
                      : onnx_apply(importer, WEFT_OP_CONCATENATE, count, parts, 1, &attribute);
}

bool onnx_plain_unless_alike(struct onnx_importer *importer, uint32_t count,
                             struct weft_value **parts) {
    bool alike = true;
    for (uint32_t i = 1; i < count; i++) {
        alike = alike &&
                weft_quantization_equal(&parts[i]->type.quantization, &parts[0]->type.quantization);
    }
    bool good = true;
    for (uint32_t i = 0; i < count && !alike; i++) {
        parts[i] = onnx_plain(importer, parts[i]);
        good = good && parts[i] != NULL;
    }
    return good;
}

/* Many parts by an operator that takes ONNX_MOST_PARTS, and what that makes side by side. */
static struct weft_value *join_by(struct onnx_importer *importer, enum weft_operator op,
                                  uint32_t count, struct weft_value *const *parts, uint32_t axis) {
    struct weft_value *joined[ONNX_MOST_STEPS / ONNX_MOST_PARTS];
    const struct weft_attribute attribute = weft_attr_int(importer->arena, WEFT_ATTR_axis, axis);
    uint32_t joins = 0;
    for (uint32_t from = 0; from < count; from += ONNX_MOST_PARTS) {
        uint32_t rest = count - from < ONNX_MOST_PARTS ? count - from : ONNX_MOST_PARTS;
        joined[joins++] = op == WEFT_OP_CONCATENATE && rest == 1
                              ? parts[from]
                              : onnx_apply(importer, op, rest, parts + from, 1, &attribute);
    }
    return onnx_concatenate(importer, joins, joined, axis);
}

struct weft_value *onnx_join(struct onnx_importer *importer, uint32_t count,
                             struct weft_value *const *parts, uint32_t axis) {
    return join_by(importer, WEFT_OP_CONCATENATE, count, parts, axis);
}

struct weft_value *onnx_stack(struct onnx_importer *importer, uint32_t count,
                              struct weft_value *const *parts, uint32_t axis) {
    return join_by(importer, WEFT_OP_PACK, count, parts, axis);
}

struct weft_value *onnx_gather(struct onnx_importer *importer, struct weft_value *x,
                               struct weft_value *indices, uint32_t axis) {
    struct weft_value *inputs[] = {x, indices};
    const struct weft_attribute attributes[] = {
        weft_attr_int(importer->arena, WEFT_ATTR_axis, axis),
        weft_attr_int(importer->arena, WEFT_ATTR_batch_dims, 0)};
    return onnx_apply(importer, WEFT_OP_GATHER, 2, inputs, 2, attributes);
}

struct weft_value *onnx_expand(struct onnx_importer *importer, struct weft_value *x, uint32_t rank,
                               const int64_t *dims) {
    int64_t multiples[WEFT_MAX_RANK] = {0};
    int64_t before[WEFT_MAX_RANK] = {0};
    bool same = true;
    for (uint32_t i = 0; x != NULL && i < rank; i++) {
        bool there = i + x->type.rank >= rank;
        before[i] = there ? x->type.dim[i + x->type.rank - rank] : 1;
        multiples[i] = before[i] == 1 ? dims[i] : 1;
        same = same && multiples[i] == 1;
    }
    x = onnx_reshape(importer, x, rank, before);
    if (x == NULL || same) {
        return x;
    }
    struct weft_attribute attribute =
        weft_attr_ints(importer->arena, WEFT_ATTR_multiples, rank, multiples);
    return onnx_apply(importer, WEFT_OP_TILE, 1, &x, 1, &attribute);
}

struct weft_value *onnx_along(struct onnx_importer *importer, enum weft_operator op,
                              struct weft_value *x, uint32_t axis, uint32_t attribute_count,
                              const struct weft_attribute *attributes) {
    if (x == NULL) {
        return NULL;
    }
    uint32_t last = x->type.rank - 1;
    x = onnx_swap(importer, x, axis, last);
    x = onnx_apply(importer, op, 1, &x, attribute_count, attributes);
    return onnx_swap(importer, x, axis, last);
}
