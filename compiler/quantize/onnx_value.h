/* Values of a plan as tensors of ONNX; used by onnx_write.c alone.
 *
 * Tensors of rows, columns and channels have their channels first in ONNX. Each value is known by
 * the name of an ONNX tensor, and whether that one has its axes moved. */
#ifndef WEFT_COMPILER_QUANTIZE_ONNX_VALUE_H
#define WEFT_COMPILER_QUANTIZE_ONNX_VALUE_H

#include "compiler/quantize/onnx_message.h"
#include "compiler/quantize/plan.h"

/* For each axis of the other order the axis of this one. */
extern const int64_t onnx_to_first_axes[4];
extern const int64_t onnx_to_last_axes[4];

/* A value of the float graph as ONNX tensor; name NULL: not there yet. */
struct onnx_known {
    const char *name;
    bool is_moved; /* channels first, while they are last in the graph */
};

struct onnx_writer {
    const struct plan *plan;
    struct onnx_message message;
    struct onnx_known *known; /* by number of the value */
    size_t made;              /* names */
    struct weft_error *error;
};

/* A name that nothing else has. */
const char *onnx_new_name(struct onnx_writer *w, const char *stem);

/* The name that an input or output has in the model, and no end before it: an output may be an
 * input, or another output; else a new one. */
const char *onnx_input_name(struct onnx_writer *w, size_t number);
const char *onnx_output_name(struct onnx_writer *w, size_t number);

/* What is known of a value; it may be changed. */
struct onnx_known *onnx_known_of(const struct onnx_writer *w, const struct weft_value *value);

/* Elements with their axes in another order, in the arena: axis i of the result is
 * order[i] of the type; `dims` are those of the result. */
void *onnx_permute(const struct onnx_writer *w, const struct weft_type *type, const void *data,
                   const int64_t *order, int64_t *dims);

/* A float, or a list of int64, that is known: its name. */
const char *onnx_add_scalar(struct onnx_writer *w, const char *stem, double value);

const char *onnx_add_list(struct onnx_writer *w, const char *stem, uint32_t count,
                          const int64_t *values);

/* Elements with their scales, dequantised: the name of the floats. `axis` < 0: one scale. */
const char *onnx_add_dequantized(struct onnx_writer *w, const char *stem,
                                 const struct weft_type *type, const void *elements,
                                 const double *scales, uint32_t count, int64_t axis);

/* A constant: floats, or, of a quantised layer, the floats that its quantised form stands for. */
const char *onnx_add_constant(struct onnx_writer *w, const struct weft_value *value, bool moved);

/* The value with its axes moved, or not. */
const char *onnx_operand(struct onnx_writer *w, const struct weft_value *value, bool moved);

/* Has the tensor its axes moved, unlike constants? */
bool onnx_is_moved(const struct onnx_writer *w, const struct weft_value *value);

/* The product of floats, so that ONNX Runtime leaves it one. */
const char *onnx_keep_float(struct onnx_writer *w, const char *product);

/* QuantizeLinear and DequantizeLinear behind what is to be the value, where it has a scale: the
 * name of the floats. */
const char *onnx_add_pair(struct onnx_writer *w, const struct weft_value *value, const char *name);

/* The value is the tensor `name`, and what onnx_add_pair() puts behind it. */
void onnx_set_result(struct onnx_writer *w, const struct weft_value *value, const char *name,
                     bool moved);

/* Fails: the operator cannot be written. */
bool onnx_unsupported(const struct onnx_writer *w, const struct weft_node *node);

/* A node without attributes: the name of its result. */
const char *onnx_add_plain(struct onnx_writer *w, const char *op, uint32_t count,
                           const char *const *inputs);

/* An axis of the graph as ONNX counts it, where the axes may be moved. */
int64_t onnx_axis_of(int64_t axis, bool moved);

/* The result of a layer, its activation behind the operator. */
void onnx_finish_layer(struct onnx_writer *w, const struct layer *layer, const char *name,
                       bool moved);

#endif
