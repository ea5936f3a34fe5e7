/* One kernel for each operator, and what they share; used in compiler/host alone. */
#ifndef WEFT_COMPILER_HOST_KERNELS_H
#define WEFT_COMPILER_HOST_KERNELS_H

#include <float.h>
#include <string.h>

#include "base/bytes.h"
#include "compiler/ir/ir.h"

struct kernel_call {
    const struct weft_node *node;
    const void *const *inputs;
    void *const *results;
    struct weft_error *error;
};

/* ---- elements: constants of a model file lie at any address ---- */

static inline int64_t load_wide(const void *data, int64_t index) {
    return (int64_t)weft_read_u64((const uint8_t *)data + 8 * index);
}

/* Element `index` of a tensor of integers of up to 32 bits. */
static inline int32_t load_element(enum weft_dtype dtype, const void *data, int64_t index) {
    const uint8_t *bytes = data;
    switch (dtype) {
    case WEFT_I8:
        return (int8_t)bytes[index];
    case WEFT_U8:
    case WEFT_BOOL:
        return bytes[index];
    case WEFT_I16:
        return (int16_t)(bytes[2 * index] | bytes[2 * index + 1] << 8);
    default:
        return weft_read_i32(bytes + 4 * index);
    }
}

static inline void store_element(enum weft_dtype dtype, void *data, int64_t index, int32_t value) {
    switch (dtype) {
    case WEFT_I8:
        ((int8_t *)data)[index] = (int8_t)value;
        break;
    case WEFT_U8:
    case WEFT_BOOL:
        ((uint8_t *)data)[index] = (uint8_t)value;
        break;
    case WEFT_I16:
        ((int16_t *)data)[index] = (int16_t)value;
        break;
    default:
        ((int32_t *)data)[index] = value;
        break;
    }
}

/* The same with 64-bit integers. */
static inline int64_t load_integer(enum weft_dtype dtype, const void *data, int64_t index) {
    return dtype == WEFT_I64 ? load_wide(data, index) : load_element(dtype, data, index);
}

static inline void store_integer(enum weft_dtype dtype, void *data, int64_t index, int64_t value) {
    if (dtype == WEFT_I64) {
        ((int64_t *)data)[index] = value;
    } else {
        store_element(dtype, data, index, (int32_t)value);
    }
}

static inline float load_float(const void *data, int64_t index) {
    float value;
    memcpy(&value, (const char *)data + 4 * index, sizeof value);
    return value;
}

static inline void store_float(void *data, int64_t index, float value) {
    ((float *)data)[index] = value;
}

/* Operators that an activation can be fused to are limited even where none is: the reference turns
 * infinities into the largest finite numbers. */
static inline float finite(float value) {
    return value > FLT_MAX ? FLT_MAX : value < -FLT_MAX ? -FLT_MAX : value;
}

/* Copies one element of `size` bytes. */
static inline void copy_element(size_t size, void *to, int64_t to_index, const void *from,
                                int64_t from_index) {
    memcpy((char *)to + to_index * (int64_t)size, (const char *)from + from_index * (int64_t)size,
           size);
}

/* ---- walking a shape ---- */

/* All elements of a shape in row-major order, with the places of up to two operands beside them. */
struct walk {
    uint32_t rank;
    int64_t dim[WEFT_MAX_RANK];
    int64_t at[WEFT_MAX_RANK];
    int64_t step[2][WEFT_MAX_RANK]; /* from one element to the next along an axis */
    int64_t offset[2];
};

/* At the first element; both operands stay where they are until their steps are set. */
struct walk walk_start(const struct weft_type *shape);

/* Elements from one index to the next along each axis of a tensor. */
void walk_strides(const struct weft_type *type, int64_t strides[WEFT_MAX_RANK]);

/* Operand `operand` is broadcast to the shape of the walk. */
void walk_broadcast(struct walk *walk, int operand, const struct weft_type *type);

static inline void walk_next(struct walk *walk) {
    for (uint32_t axis = walk->rank; axis-- > 0;) {
        walk->offset[0] += walk->step[0][axis];
        walk->offset[1] += walk->step[1][axis];
        if (++walk->at[axis] < walk->dim[axis]) {
            return;
        }
        walk->at[axis] = 0;
        walk->offset[0] -= walk->step[0][axis] * walk->dim[axis];
        walk->offset[1] -= walk->step[1][axis] * walk->dim[axis];
    }
}

/* ---- fixed point, beyond base/fixed_point.h ---- */

/* A real factor as multiplier and shift. */
struct factor {
    int32_t multiplier;
    int shift;
};
struct factor factor_of(double scale);
/* value * factor, gemmlowp's two roundings. */
int32_t scale_by(int32_t value, struct factor factor);

/* Limits to the type, with the zero point added. */
int32_t saturate(const struct weft_type *type, int64_t value);

/* Of softmax.c: exp(a) for a <= 0 in Q5, the result in Q0; 1 / (1 + a) for a in [0, 1), both Q0;
 * value * 2^exponent, saturated. */
int32_t fixed_exp_on_negative(int32_t a);
int32_t fixed_reciprocal_of_one_plus(int32_t a);
int32_t fixed_shift_left(int32_t value, int exponent);

/* ---- kernels ---- */

typedef bool kernel(const struct kernel_call *call);

kernel kernel_qnn_conv2d;
kernel kernel_qnn_conv2d_transpose;
kernel kernel_qnn_dense;
kernel kernel_qnn_batch_matmul;
kernel kernel_conv2d;
kernel kernel_conv2d_transpose;
kernel kernel_dense;
kernel kernel_batch_matmul;
kernel kernel_bias_add;

kernel kernel_quantize;
kernel kernel_dequantize;
kernel kernel_requantize;
kernel kernel_cast;
kernel kernel_clip;

kernel kernel_qnn_add;
kernel kernel_qnn_subtract;
kernel kernel_qnn_mul;
kernel kernel_add;
kernel kernel_subtract;
kernel kernel_mul;
kernel kernel_maximum;
kernel kernel_minimum;

kernel kernel_qnn_relu;
kernel kernel_qnn_relu6;
kernel kernel_qnn_relu_n1_to_1;
kernel kernel_qnn_leaky_relu;
kernel kernel_qnn_hard_swish;
kernel kernel_qnn_logistic;
kernel kernel_qnn_tanh;
kernel kernel_relu;
kernel kernel_relu6;
kernel kernel_relu_n1_to_1;
kernel kernel_leaky_relu;
kernel kernel_hard_swish;
kernel kernel_logistic;
kernel kernel_tanh;

kernel kernel_qnn_softmax;
kernel kernel_qnn_log_softmax;
kernel kernel_qnn_l2_normalize;
kernel kernel_softmax;
kernel kernel_log_softmax;
kernel kernel_l2_normalize;

kernel kernel_average_pool;
kernel kernel_maximum_pool;
kernel kernel_qnn_mean;
kernel kernel_mean;
kernel kernel_reduce_max;
kernel kernel_argmax;

kernel kernel_pad;
kernel kernel_reshape; /* and squeeze, expand_dims */
kernel kernel_transpose;
kernel kernel_concatenate; /* and pack */
kernel kernel_qnn_concatenate;
kernel kernel_split; /* and unpack */
kernel kernel_strided_slice;
kernel kernel_gather;
kernel kernel_resize_nearest;
kernel kernel_resize_bilinear;

/* Fails with WEFT_OPERATOR. */
bool kernel_unsupported(const struct kernel_call *call, const char *what);

/* Types of input and result `index`. */
static inline const struct weft_type *input_type(const struct kernel_call *call, uint32_t index) {
    return &call->node->inputs[index]->type;
}
static inline const struct weft_type *result_type(const struct kernel_call *call, uint32_t index) {
    return &call->node->results[index]->type;
}

#endif
