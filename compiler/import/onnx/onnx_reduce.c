/* Reductions, and the largest elements. */
#include <string.h>

#include "compiler/import/onnx/onnx_importer.h"

/* What is done before a reduction, which one, and what after it. */
struct kind {
    const char *name;
    enum weft_operator before; /* CONSTANT: nothing */
    enum weft_operator reduce;
    enum weft_operator after;
    bool is_float; /* also of integers */
};

static const struct kind *kind_of(const struct onnx_importer *importer) {
    static const struct kind kinds[] = {
        {"ReduceL1", WEFT_OP_ABS, WEFT_OP_SUM, WEFT_OP_CONSTANT, false},
        {"ReduceL2", WEFT_OP_SQUARE, WEFT_OP_SUM, WEFT_OP_SQRT, true},
        {"ReduceLogSum", WEFT_OP_CONSTANT, WEFT_OP_SUM, WEFT_OP_LOG, true},
        {"ReduceLogSumExp", WEFT_OP_EXP, WEFT_OP_SUM, WEFT_OP_LOG, true},
        {"ReduceMax", WEFT_OP_CONSTANT, WEFT_OP_REDUCE_MAX, WEFT_OP_CONSTANT, false},
        {"ReduceMean", WEFT_OP_CONSTANT, WEFT_OP_MEAN, WEFT_OP_CONSTANT, false},
        {"ReduceMin", WEFT_OP_CONSTANT, WEFT_OP_REDUCE_MIN, WEFT_OP_CONSTANT, false},
        {"ReduceProd", WEFT_OP_CONSTANT, WEFT_OP_REDUCE_PROD, WEFT_OP_CONSTANT, false},
        {"ReduceSum", WEFT_OP_CONSTANT, WEFT_OP_SUM, WEFT_OP_CONSTANT, false},
        {NULL, WEFT_OP_MUL, WEFT_OP_SUM, WEFT_OP_CONSTANT, false}, /* ReduceSumSquare */
    };
    const struct kind *kind = kinds;
    while (kind->name != NULL && strcmp(kind->name, importer->node->op_type) != 0) {
        kind++;
    }
    return kind;
}

/* Axes are an attribute, later an input; none are all, or, if so asked, none. */
static bool read_axes(struct onnx_importer *importer, uint32_t rank, uint32_t *mask, bool *none) {
    int64_t axes[WEFT_MAX_RANK];
    uint32_t count = 0;
    if (!onnx_named_axes(importer, axes, &count)) {
        return false;
    }
    *none = count == 0 && onnx_int(importer, "noop_with_empty_axes", 0) != 0;
    *mask = (UINT32_C(1) << rank) - 1;
    return count == 0 || onnx_axes(importer, count, axes, rank, mask);
}

/* What a reduction of nothing gives. */
static struct weft_value *identity_of(struct onnx_importer *importer, enum weft_operator op,
                                      const struct weft_value *x) {
    bool is_float = x->type.dtype == WEFT_F32;
    enum weft_dtype dtype = x->type.dtype;
    switch (op) {
    case WEFT_OP_REDUCE_MAX:
        return is_float ? onnx_scalar(importer, -__builtin_inff())
                        : onnx_integer(importer, dtype, weft_dtype_min(dtype));
    case WEFT_OP_REDUCE_MIN:
        return is_float ? onnx_scalar(importer, __builtin_inff())
                        : onnx_integer(importer, dtype, weft_dtype_max(dtype));
    case WEFT_OP_MEAN:
        return is_float ? onnx_scalar(importer, __builtin_nanf(""))
                        : onnx_integer(importer, dtype, 0);
    default:
        return onnx_number(importer, x, op == WEFT_OP_REDUCE_PROD);
    }
}

/* Reduces; of no elements there is nothing to compute. */
static struct weft_value *reduce(struct onnx_importer *importer, enum weft_operator op,
                                 struct weft_value *x, uint32_t axes, bool keep) {
    bool empty = false;
    int64_t dims[WEFT_MAX_RANK];
    uint32_t rank = 0;
    if (x == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < x->type.rank; i++) {
        bool reduced = (axes >> i & 1) != 0;
        empty = empty || (reduced && x->type.dim[i] == 0);
        if (!reduced || keep) {
            dims[rank++] = reduced ? 1 : x->type.dim[i];
        }
    }
    return empty ? onnx_expand(importer, identity_of(importer, op, x), rank, dims)
                 : onnx_reduce(importer, op, x, axes, keep);
}

/* log(sum(exp(x))), with the largest taken out, so that nothing overflows. */
static struct weft_value *log_sum_exp(struct onnx_importer *importer, struct weft_value *x,
                                      uint32_t axes, bool keep) {
    struct weft_value *top = reduce(importer, WEFT_OP_REDUCE_MAX, x, axes, true);
    struct weft_value *sum =
        reduce(importer, WEFT_OP_SUM,
               onnx_unary(importer, WEFT_OP_EXP, onnx_binary(importer, WEFT_OP_SUBTRACT, x, top)),
               axes, keep);
    struct weft_value *flat = top == NULL || sum == NULL
                                  ? NULL
                                  : onnx_reshape(importer, top, sum->type.rank, sum->type.dim);
    return onnx_binary(importer, WEFT_OP_ADD, onnx_unary(importer, WEFT_OP_LOG, sum), flat);
}

bool onnx_reduce_node(struct onnx_importer *importer) {
    const struct kind *kind = kind_of(importer);
    bool keep = onnx_int(importer, "keepdims", 1) != 0;
    struct weft_value *x =
        kind->is_float ? onnx_float_input(importer, 0) : onnx_computed_input(importer, 0);
    uint32_t axes = 0;
    bool none = false;
    if (x == NULL || !read_axes(importer, x->type.rank, &axes, &none)) {
        return false;
    }
    if (kind->before == WEFT_OP_EXP && !none && weft_type_elements(&x->type) > 0) {
        return onnx_finish_like(importer, log_sum_exp(importer, x, axes, keep));
    }
    if (kind->before == WEFT_OP_MUL) {
        x = onnx_binary(importer, WEFT_OP_MUL, x, x);
    } else if (kind->before != WEFT_OP_CONSTANT) {
        x = onnx_unary(importer, kind->before, x);
    }
    x = none ? x : reduce(importer, kind->reduce, x, axes, keep);
    if (kind->after != WEFT_OP_CONSTANT) {
        x = onnx_unary(importer, kind->after, x);
    }
    return onnx_finish_like(importer, x);
}

/* ---- places ---- */

/* The index of the largest or smallest element; the last one of equal ones is the first one from
 * the end. */
bool onnx_arg(struct onnx_importer *importer) {
    bool is_max = strcmp(importer->node->op_type, "ArgMax") == 0;
    bool last = onnx_int(importer, "select_last_index", 0) != 0;
    struct weft_value *x = onnx_computed_input(importer, 0);
    int64_t axis = 0;
    if (x == NULL || !onnx_axis(importer, onnx_int(importer, "axis", 0), x->type.rank, &axis)) {
        return false;
    }
    struct weft_type type = x->type;
    int64_t size = type.dim[axis];
    if (last && size > 0) {
        x = onnx_part(importer, x, (uint32_t)axis, size - 1, -1, size);
    }
    struct weft_attribute attribute = weft_attr_int(importer->arena, WEFT_ATTR_axis, axis);
    x = onnx_apply(importer, is_max ? WEFT_OP_ARGMAX : WEFT_OP_ARGMIN, 1, &x, 1, &attribute);
    x = onnx_cast(importer, x, WEFT_I64);
    if (last) {
        x = onnx_binary(importer, WEFT_OP_SUBTRACT, onnx_integer(importer, WEFT_I64, size - 1), x);
    }
    type.dim[axis] = 1;
    if (onnx_int(importer, "keepdims", 1) != 0) {
        x = onnx_reshape(importer, x, type.rank, type.dim);
    }
    return onnx_finish(importer, x);
}

bool onnx_cumsum(struct onnx_importer *importer) {
    struct weft_value *x = onnx_computed_input(importer, 0);
    int64_t axis = 0;
    uint32_t count = 0;
    if (x == NULL || !onnx_integers(importer, 1, 1, &axis, &count) ||
        !onnx_axis(importer, count == 1 ? axis : INT64_MAX / 2, x->type.rank, &axis)) {
        return false;
    }
    const struct weft_attribute attributes[] = {
        weft_attr_int(importer->arena, WEFT_ATTR_axis, axis),
        weft_attr_int(importer->arena, WEFT_ATTR_exclusive,
                      onnx_int(importer, "exclusive", 0) != 0),
        weft_attr_int(importer->arena, WEFT_ATTR_reverse, onnx_int(importer, "reverse", 0) != 0)};
    return onnx_finish_like(importer, onnx_apply(importer, WEFT_OP_CUMSUM, 1, &x, 3, attributes));
}

/* ---- the largest elements ---- */

static bool read_k(struct onnx_importer *importer, int64_t size, int64_t *k) {
    uint32_t count = 1;
    *k = onnx_int(importer, "k", -1);
    if (onnx_has(importer, 1) && !onnx_integers(importer, 1, 1, k, &count)) {
        return false;
    }
    return (count == 1 && *k >= 0 && *k <= size) ||
           onnx_wrong(importer, WEFT_MODEL, "k must be at most the size of the axis");
}

/* So that the smallest are the largest: -x, of integers -1 - x, which does not overflow. */
static struct weft_value *turned(struct onnx_importer *importer, struct weft_value *x) {
    return x == NULL ? NULL
           : x->type.dtype == WEFT_F32
               ? onnx_unary(importer, WEFT_OP_NEGATE, x)
               : onnx_binary(importer, WEFT_OP_SUBTRACT, onnx_number(importer, x, -1), x);
}

/* Along the last axis. */
static bool add_topk(struct onnx_importer *importer, struct weft_value *x, int64_t k,
                     struct weft_value **values, struct weft_value **indices) {
    struct weft_attribute depth = weft_attr_int(importer->arena, WEFT_ATTR_depth, k);
    struct weft_node *node = onnx_node(importer, WEFT_OP_TOPK, 1, &x, 1, &depth);
    struct weft_type types[2] = {{0}, {0}};
    if (node == NULL || !weft_node_infer(importer->arena, node, types, importer->error)) {
        return node != NULL && weft_fail_context(importer->error, "%s", onnx_context(importer));
    }
    types[1].dtype = WEFT_I64;
    *values = weft_node_add_result(importer->graph, node, &types[0], -1);
    *indices = weft_node_add_result(importer->graph, node, &types[1], -1);
    return true;
}

bool onnx_topk(struct onnx_importer *importer) {
    bool largest = onnx_int(importer, "largest", 1) != 0;
    struct weft_value *x = onnx_computed_input(importer, 0);
    const struct weft_value *like = onnx_input(importer, 0);
    struct weft_value *indices = NULL;
    int64_t axis = 0;
    int64_t k = 0;
    if (x == NULL || !onnx_axis(importer, onnx_int(importer, "axis", -1), x->type.rank, &axis) ||
        !read_k(importer, x->type.dim[axis], &k)) {
        return false;
    }
    uint32_t last = x->type.rank - 1;
    x = onnx_swap(importer, x, (uint32_t)axis, last);
    x = largest ? x : turned(importer, x);
    if (!add_topk(importer, x, k, &x, &indices)) {
        return false;
    }
    x = onnx_swap(importer, largest ? x : turned(importer, x), (uint32_t)axis, last);
    indices = onnx_swap(importer, indices, (uint32_t)axis, last);
    return onnx_finish_as(importer, x, like->type.dtype) && onnx_finish_at(importer, 1, indices);
}
