/* Type inference inside compiler/ir: what the files infer_*.c share. weft_node_infer() in ir.h is
 * the way in. */
#ifndef WEFT_COMPILER_IR_INFERENCE_H
#define WEFT_COMPILER_IR_INFERENCE_H

#include "compiler/ir/ir.h"

struct inference {
    struct weft_arena *arena;
    const struct weft_node *node;
    struct weft_type *results; /* to fill */
    struct weft_error *error;
};

/* Fails with WEFT_GRAPH and the operator's name. */
bool inference_wrong(const struct inference *inference, const char *what);

/* The same, for operands or a declared result of the wrong element type or quantisation: the
 * message ends with what they are. */
bool inference_wrong_type(const struct inference *inference, const char *what);

/* The type of an input. */
const struct weft_type *inference_input(const struct inference *inference, uint32_t index);

/* The result type that the node declares: inference keeps of it what the operator leaves open. A
 * type without dimensions and quantisation, of element type `missing`, when the node has no results
 * yet. */
struct weft_type inference_declared(const struct inference *inference, enum weft_dtype missing);

/* `type` with the shape of `shape`. */
struct weft_type inference_shaped(struct weft_type type, const struct weft_type *shape);

/* i8, u8 or i16, quantised per tensor. */
bool inference_is_per_tensor(const struct weft_type *type);

/* Is one scale enough along `axis`: not quantised along it? */
bool inference_axis_is_free(const struct weft_type *type, int64_t axis);

/* An attribute that is an axis below `limit`; fails otherwise. */
bool inference_axis(const struct inference *inference, int64_t limit, uint32_t *axis);

/* Output size of a sliding window over one axis; false when the window does not fit. */
bool inference_window(int64_t size, int64_t before, int64_t after, int64_t kernel, int64_t dilation,
                      int64_t stride, int64_t *out);

/* The shape of two operands broadcast against each other; `last` axes at the end are left out and
 * copied from neither. False when they do not fit. */
bool inference_broadcast(const struct weft_type *a, const struct weft_type *b, uint32_t last,
                         struct weft_type *shape);

/* One function for each way in which results follow; operators.def says which operator uses which.
 */
bool infer_declared(const struct inference *inference);
bool infer_body(const struct inference *inference);

bool infer_qnn_conv2d(const struct inference *inference);
bool infer_qnn_conv2d_transpose(const struct inference *inference);
bool infer_qnn_dense(const struct inference *inference);
bool infer_qnn_batch_matmul(const struct inference *inference);
bool infer_conv2d(const struct inference *inference);
bool infer_conv2d_transpose(const struct inference *inference);
bool infer_dense(const struct inference *inference);
bool infer_batch_matmul(const struct inference *inference);
bool infer_hybrid_conv2d(const struct inference *inference);
bool infer_hybrid_dense(const struct inference *inference);
bool infer_bias_add(const struct inference *inference);

bool infer_quantize(const struct inference *inference);
bool infer_dequantize(const struct inference *inference);
bool infer_requantize(const struct inference *inference);
bool infer_cast(const struct inference *inference);
bool infer_clip(const struct inference *inference);
bool infer_qnn_binary(const struct inference *inference);
bool infer_qnn_sum(const struct inference *inference);
bool infer_qnn_mul(const struct inference *inference);
bool infer_binary(const struct inference *inference);
bool infer_elements(const struct inference *inference);
bool infer_qnn_compare(const struct inference *inference);
bool infer_compare(const struct inference *inference);
bool infer_select(const struct inference *inference);
bool infer_negate(const struct inference *inference);
bool infer_qnn_unary(const struct inference *inference);
bool infer_qnn_table(const struct inference *inference);
bool infer_float_unary(const struct inference *inference);
bool infer_qnn_softmax(const struct inference *inference);
bool infer_float_softmax(const struct inference *inference);
bool infer_layer_norm(const struct inference *inference);

bool infer_pool(const struct inference *inference);
bool infer_qnn_mean(const struct inference *inference);
bool infer_mean(const struct inference *inference);
bool infer_reduce_max(const struct inference *inference);
bool infer_argmax(const struct inference *inference);
bool infer_cumsum(const struct inference *inference);
bool infer_topk(const struct inference *inference);

bool infer_qnn_lstm(const struct inference *inference);
bool infer_lstm(const struct inference *inference); /* and hybrid.lstm */
bool infer_svdf(const struct inference *inference); /* of all kinds */
bool infer_detection_postprocess(const struct inference *inference);

bool infer_pad(const struct inference *inference);
bool infer_reshape(const struct inference *inference);
bool infer_squeeze(const struct inference *inference);
bool infer_expand_dims(const struct inference *inference);
bool infer_transpose(const struct inference *inference);
bool infer_concatenate(const struct inference *inference);
bool infer_qnn_concatenate(const struct inference *inference);
bool infer_split(const struct inference *inference);
bool infer_strided_slice(const struct inference *inference);
bool infer_gather(const struct inference *inference);
bool infer_gather_nd(const struct inference *inference);
bool infer_scatter_nd(const struct inference *inference);
bool infer_scatter(const struct inference *inference);
bool infer_one_hot(const struct inference *inference);
bool infer_tile(const struct inference *inference);
bool infer_pack(const struct inference *inference);
bool infer_unpack(const struct inference *inference);
bool infer_resize(const struct inference *inference);
bool infer_grid_sample(const struct inference *inference);
bool infer_interpolate_axis(const struct inference *inference);

#endif
