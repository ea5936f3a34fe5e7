/* What the files share that write a plan as ONNX: onnx_write.c calls for each layer what writes its
 * operator. Each adds nodes and says what the layer's results are called; false after an error.
 * Used in compiler/quantize alone. */
#ifndef WEFT_COMPILER_QUANTIZE_ONNX_WRITER_H
#define WEFT_COMPILER_QUANTIZE_ONNX_WRITER_H

#include "compiler/quantize/onnx_value.h"

/* onnx_elements.c: what has no other function. */
bool onnx_write_elements(struct onnx_writer *w, const struct layer *layer);

/* onnx_moves.c: squeeze and expand_dims are reshapes, unpack is a split. */
bool onnx_write_reshape(struct onnx_writer *w, const struct weft_node *node);
bool onnx_write_transpose(struct onnx_writer *w, const struct weft_node *node);
bool onnx_write_pad(struct onnx_writer *w, const struct weft_node *node);
bool onnx_write_tile(struct onnx_writer *w, const struct weft_node *node);
bool onnx_write_slice(struct onnx_writer *w, const struct weft_node *node);
bool onnx_write_split(struct onnx_writer *w, const struct weft_node *node);
bool onnx_write_pack(struct onnx_writer *w, const struct weft_node *node);
bool onnx_write_gather(struct onnx_writer *w, const struct weft_node *node);
bool onnx_write_arg(struct onnx_writer *w, const struct weft_node *node);
bool onnx_write_topk(struct onnx_writer *w, const struct weft_node *node);
bool onnx_write_cumsum(struct onnx_writer *w, const struct weft_node *node);
bool onnx_write_softmax(struct onnx_writer *w, const struct weft_node *node);
bool onnx_write_l2_normalize(struct onnx_writer *w, const struct weft_node *node);
bool onnx_write_layer_norm(struct onnx_writer *w, const struct weft_node *node);
bool onnx_write_matmul(struct onnx_writer *w, const struct weft_node *node);
bool onnx_write_resize(struct onnx_writer *w, const struct weft_node *node);
bool onnx_write_interpolation(struct onnx_writer *w, const struct weft_node *node);

#endif
