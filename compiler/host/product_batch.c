/* Matrix products of batches whose leading axes are broadcast. */
#include "compiler/host/dot.h"

/* One matrix of an operand: the first element, and the steps along its rows and columns. */
struct matrix {
    int64_t first, row, column;
};

static struct matrix matrix_of(const struct weft_type *type, int64_t first, bool transposed) {
    int64_t width = type->dim[type->rank - 1];
    return transposed ? (struct matrix){first, 1, width} : (struct matrix){first, width, 1};
}

typedef void product(const struct kernel_call *call, const struct matrix *a, const struct matrix *b,
                     int64_t depth, int64_t result);

static void product_quantized(const struct kernel_call *call, const struct matrix *a,
                              const struct matrix *b, int64_t depth, int64_t result) {
    const struct weft_type *x = input_type(call, 0);
    const struct weft_type *y = input_type(call, 1);
    int64_t sum = 0;
    for (int64_t k = 0; k < depth; k++) {
        int64_t left = load_element(x->dtype, call->inputs[0], a->first + k * a->column) -
                       weft_type_zero(x, 0);
        int64_t right =
            load_element(y->dtype, call->inputs[1], b->first + k * b->row) - weft_type_zero(y, 0);
        sum += left * right;
    }
    store_sum(result_type(call, 0), call->results[0], result, sum);
}

static void product_float(const struct kernel_call *call, const struct matrix *a,
                          const struct matrix *b, int64_t depth, int64_t result) {
    float sum = 0.0F;
    for (int64_t k = 0; k < depth; k++) {
        sum += load_float(call->inputs[0], a->first + k * a->column) *
               load_float(call->inputs[1], b->first + k * b->row);
    }
    store_float(call->results[0], result, sum);
}

/* The product of one pair of matrices, into result elements from `first` on. */
static void multiply(const struct kernel_call *call, struct matrix a, struct matrix b,
                     int64_t first, product *element) {
    const struct weft_type *x = input_type(call, 0);
    const struct weft_type *out = result_type(call, 0);
    bool transposed = weft_node_int(call->node, WEFT_ATTR_transpose_a) != 0;
    int64_t depth = x->dim[x->rank - (transposed ? 2 : 1)];
    int64_t rows = out->dim[out->rank - 2];
    int64_t columns = out->dim[out->rank - 1];
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t k = 0; k < columns; k++) {
            struct matrix left = {a.first + i * a.row, a.row, a.column};
            struct matrix right = {b.first + k * b.column, b.row, b.column};
            element(call, &left, &right, depth, first + i * columns + k);
        }
    }
}

/* The steps of an operand's matrices along the leading axes. */
static void broadcast_matrices(struct walk *walk, int operand, const struct weft_type *type) {
    struct weft_type leading = *type;
    leading.rank -= 2;
    int64_t size = type->dim[type->rank - 1] * type->dim[type->rank - 2];
    walk_broadcast(walk, operand, &leading);
    for (uint32_t i = 0; i < walk->rank; i++) {
        walk->step[operand][i] *= size;
    }
}

static bool multiply_all(const struct kernel_call *call, product *element) {
    const struct weft_type *x = input_type(call, 0);
    const struct weft_type *y = input_type(call, 1);
    struct weft_type batch = *result_type(call, 0);
    batch.rank -= 2;
    int64_t size = batch.dim[batch.rank] * batch.dim[batch.rank + 1];
    struct walk walk = walk_start(&batch);
    broadcast_matrices(&walk, 0, x);
    broadcast_matrices(&walk, 1, y);
    bool transpose_a = weft_node_int(call->node, WEFT_ATTR_transpose_a) != 0;
    bool transpose_b = weft_node_int(call->node, WEFT_ATTR_transpose_b) != 0;
    for (int64_t i = 0; i < weft_type_elements(&batch); i++, walk_next(&walk)) {
        multiply(call, matrix_of(x, walk.offset[0], transpose_a),
                 matrix_of(y, walk.offset[1], transpose_b), i * size, element);
    }
    return true;
}

bool kernel_qnn_batch_matmul(const struct kernel_call *call) {
    return multiply_all(call, product_quantized);
}

bool kernel_batch_matmul(const struct kernel_call *call) {
    return multiply_all(call, product_float);
}
