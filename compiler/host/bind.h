/* Nodes bound to kernels: one function for each operator, by family in bind_*.c; used in
 * compiler/host alone. */
#ifndef WEFT_COMPILER_HOST_BIND_H
#define WEFT_COMPILER_HOST_BIND_H

#include "compiler/host/binding.h"
#include "compiler/ir/ir.h"
#include "kernels/binary.h"

struct bind {
    const struct weft_node *node;
    struct weft_host_binding *binding;
    struct weft_error *error;
};

/* Chooses the kernel and fills its parameters. Dimensions and attributes fit in 32 bits (but min
 * and max of clip). Errors: those of weft_host_bind(). */
typedef bool bind_function(const struct bind *bind);

bind_function bind_qnn_conv2d;
bind_function bind_qnn_conv2d_transpose;
bind_function bind_qnn_dense;
bind_function bind_qnn_batch_matmul;
bind_function bind_conv2d;
bind_function bind_conv2d_transpose;
bind_function bind_dense;
bind_function bind_batch_matmul;
bind_function bind_hybrid_conv2d;
bind_function bind_hybrid_dense;
bind_function bind_bias_add;

bind_function bind_quantize;
bind_function bind_dequantize;
bind_function bind_requantize;
bind_function bind_cast;
bind_function bind_clip;

bind_function bind_qnn_add;
bind_function bind_qnn_subtract;
bind_function bind_qnn_mul;
bind_function bind_unary;
bind_function bind_binary;
bind_function bind_maximum;
bind_function bind_minimum;
bind_function bind_qnn_divide;
bind_function bind_qnn_squared_difference;
bind_function bind_qnn_prelu;
bind_function bind_prelu;
bind_function bind_power;
bind_function bind_qnn_compare;
bind_function bind_compare;
bind_function bind_select;

bind_function bind_qnn_relu;
bind_function bind_qnn_relu6;
bind_function bind_qnn_relu_n1_to_1;
bind_function bind_qnn_leaky_relu;
bind_function bind_qnn_hard_swish;
bind_function bind_qnn_logistic;
bind_function bind_qnn_tanh;
bind_function bind_float_clip;
bind_function bind_leaky_relu;

bind_function bind_qnn_abs;
bind_function bind_qnn_exp;
bind_function bind_qnn_table;
bind_function bind_qnn_log;
bind_function bind_qnn_sqrt;
bind_function bind_qnn_rsqrt;
bind_function bind_qnn_elu;
bind_function bind_qnn_gelu;
bind_function bind_gelu;

bind_function bind_qnn_softmax;
bind_function bind_qnn_log_softmax;
bind_function bind_qnn_l2_normalize;
bind_function bind_softmax;
bind_function bind_log_softmax;
bind_function bind_l2_normalize;
bind_function bind_layer_norm;

bind_function bind_avg_pool2d;
bind_function bind_max_pool2d;
bind_function bind_qnn_mean;
bind_function bind_mean;
bind_function bind_reduce_max;
bind_function bind_qnn_sum;
bind_function bind_sum;
bind_function bind_reduce_prod;
bind_function bind_reduce_min;
bind_function bind_cumsum;
bind_function bind_argmax;
bind_function bind_argmin;

bind_function bind_pad;
bind_function bind_reshape; /* and squeeze, expand_dims */
bind_function bind_transpose;
bind_function bind_concatenate; /* and pack */
bind_function bind_qnn_concatenate;
bind_function bind_split; /* and unpack */
bind_function bind_strided_slice;
bind_function bind_gather;
bind_function bind_tile;
bind_function bind_gather_nd;
bind_function bind_scatter_nd;
bind_function bind_scatter;
bind_function bind_one_hot;
bind_function bind_topk;
bind_function bind_detection_postprocess;
bind_function bind_qnn_lstm;
bind_function bind_lstm;
bind_function bind_hybrid_lstm;
bind_function bind_qnn_svdf;
bind_function bind_svdf;
bind_function bind_hybrid_svdf;
bind_function bind_resize_nearest_neighbor;
bind_function bind_resize_bilinear;
bind_function bind_grid_sample;
bind_function bind_interpolate_axis;

/* ---- bind_activation.c, bind_function.c: functions of one element ---- */

static inline bool bind_is_bytes(const struct bind *bind) {
    return weft_dtype_bytes(bind->node->inputs[0]->type.dtype) == 1;
}

/* The table of a function of bytes. */
bool bind_table(const struct bind *bind, const uint8_t table[256]);

/* A kernel of integers: as it is, or as the table that it makes of the 256 bytes. `count` is the
 * place of the number of elements among the parameters. */
bool bind_elements(const struct bind *bind, enum weft_kernel kernel, void *parameters,
                   int32_t *count);

/* A function computed in float32. Where `is_positive`, of x > 0 alone: others give `otherwise`. */
struct float_function {
    float (*of_float)(float x);
    bool is_positive;
    float otherwise;
};

/* Its table, of 8-bit tensors alone; and that, or the interpolated one of int16. */
bool bind_float_table(const struct bind *bind, const struct float_function *function);
bool bind_float_function(const struct bind *bind, const struct float_function *function);

/* ---- bind.c: what they share ---- */

/* Sets the kernel; returns its parameters, zeroed, with `tail` bytes after them, or NULL with
 * WEFT_OUT_OF_MEMORY. */
void *bind_kernel(const struct bind *bind, enum weft_kernel kernel, size_t tail);

/* Fails with WEFT_OPERATOR. */
bool bind_unsupported(const struct bind *bind, const char *what);

/* Types of input and result `index`. */
static inline const struct weft_type *bind_input(const struct bind *bind, uint32_t index) {
    return &bind->node->inputs[index]->type;
}
static inline const struct weft_type *bind_result(const struct bind *bind, uint32_t index) {
    return &bind->node->results[index]->type;
}

/* Elements of a type. */
static inline int32_t bind_count(const struct weft_type *type) {
    return (int32_t)weft_type_elements(type);
}

/* An attribute. */
static inline int32_t bind_int(const struct bind *bind, enum weft_attribute_key key) {
    return (int32_t)weft_node_int(bind->node, key);
}

/* The first `count` elements of an attribute, and the first `count` dimensions of a type. */
void bind_ints(const struct bind *bind, enum weft_attribute_key key, int count, int32_t *ints);
void bind_dims(const struct weft_type *type, int count, int32_t *dims);

/* The zero point, 0 when the type is not quantised. */
static inline int32_t bind_zero(const struct weft_type *type) {
    return type->quantization.count > 0 ? weft_type_zero(type, 0) : 0;
}

/* The zero points of all channels; there is room for quantization.count. */
void bind_zeros(const struct weft_type *type, int32_t *zeros);

/* A real factor; the reference's shift by 32 and more is not defined. */
struct weft_factor bind_factor(double scale);

/* Elements from one index to the next along each axis. */
void bind_strides(const struct weft_type *type, int64_t strides[WEFT_KERNEL_RANK]);

/* The shape of a type that a kernel walks through with one or two tensors, whose steps are given
 * (`second` may be NULL): axes without which the walk is the same are joined to their neighbours.
 */
struct weft_shape bind_walk(const struct weft_type *type, int64_t first[WEFT_KERNEL_RANK],
                            int64_t second[WEFT_KERNEL_RANK]);

/* The steps of an operand that is broadcast to `rank` axes. */
void bind_broadcast_steps(const struct weft_type *operand, uint32_t rank,
                          int64_t steps[WEFT_KERNEL_RANK]);

/* The walk through two operands, the first inputs. */
void bind_broadcast(const struct bind *bind, struct weft_broadcast *broadcast);

#endif
