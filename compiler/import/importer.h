/* What the files import_*.c share: the state of an import, and its helpers.
 *
 * Tensors of uint8 models are int8 in the graph: every element and zero point 128 less, which is
 * the same byte with its top bit flipped. A tensor of the file therefore has two values: the one
 * that operators compute with (importer_value()), and the one with the file's own type
 * (importer_raw()), which inputs and outputs of the model and operators on bare bytes (CAST) use.
 * They differ for quantised uint8 tensors alone; a qnn.requantize that only moves the zero point
 * leads from one to the other. Where uint8 rounds otherwise than int8, the operator works on the
 * raw values (avg_pool2d, resize_bilinear, qnn.concatenate), or has the attribute `uint8`
 * (convolutions).
 */
#ifndef WEFT_COMPILER_IMPORT_IMPORTER_H
#define WEFT_COMPILER_IMPORT_IMPORTER_H

#include "compiler/import/import.h"
#include "compiler/import/tflite_file.h"

enum {
    /* Entries that all levels of a model's sparse constants may have: what walking them costs. */
    IMPORTER_MOST_STEPS = 1 << 28,
    IMPORTER_MOST_PARTS = 1024, /* operands of concatenate and pack, results of split and unpack */
};

struct importer {
    struct weft_arena *arena;
    struct tflite_file file;
    struct weft_graph *graph;
    struct weft_value **raw;    /* by tensor of the file */
    struct weft_value **values; /* by tensor of the file */
    uint32_t *uses; /* by tensor of the file: inputs of operators, and ends of the model */
    int64_t steps;  /* entries of sparse constants so far */
    uint32_t index; /* of the operator */
    const struct tflite_operator *op;
    struct weft_error *error;
};

/* Which operator is being read: "operator 3 (ADD version 1)". */
const char *importer_context(const struct importer *importer);

/* Fails; the message names the operator, its version and its index. */
bool importer_wrong(const struct importer *importer, enum weft_error_code code, const char *what);

/* The same, for an operator that does not take its element types: the message ends with those of
 * all its tensors, named as in the file. */
bool importer_wrong_type(const struct importer *importer, enum weft_error_code code,
                         const char *what);

/* ---- constants ---- */

/* How the file holds elements of a type, and what they are in the graph. Packed ones, which have
 * fewer bits in the file than in the graph, only constants have. */
struct importer_storage {
    int32_t type; /* TFLITE_... */
    enum weft_dtype dtype;
    uint32_t bits; /* of an element in the file */
};

/* NULL: not supported. */
const struct importer_storage *importer_storage(int32_t type);
bool importer_is_packed(const struct importer_storage *storage);

/* Makes the raw value of a tensor that the file holds the elements of: unpacked and, if it is
 * sparse, with all its elements. */
bool importer_add_constant(struct importer *importer, int32_t tensor);

/* ---- tensors ---- */

/* The type of a tensor of the file, as the file says it, of packed elements what they become. */
bool importer_file_type(struct importer *importer, int32_t tensor, struct weft_type *type);

/* The same, of a constant that may have no elements. */
bool importer_empty_type(struct importer *importer, int32_t tensor, struct weft_type *type);

/* The same, of a tensor that inputs or operators fill: its elements can not be packed. */
bool importer_raw_type(struct importer *importer, int32_t tensor, struct weft_type *type);

/* The type that operators compute with: of uint8, int8. */
struct weft_type importer_computed(struct importer *importer, const struct weft_type *raw);

/* The value of a tensor: made by an operator before, an input, or a constant. */
bool importer_raw(struct importer *importer, int32_t tensor, struct weft_value **value);
bool importer_value(struct importer *importer, int32_t tensor, struct weft_value **value);

/* Inputs and results of the operator, by their number. */
bool importer_has_input(const struct importer *importer, uint32_t number);
bool importer_input(struct importer *importer, uint32_t number, struct weft_value **value);
bool importer_raw_input(struct importer *importer, uint32_t number, struct weft_value **value);
/* Inputs [0, count). */
bool importer_inputs(struct importer *importer, uint32_t count, struct weft_value **values);
bool importer_result_type(struct importer *importer, uint32_t number, struct weft_type *type);

/* Is input `number` a state: a variable of this element type (TFLITE_...) and number of elements
 * that nothing else uses, but perhaps an operator that fills it with zeros? Fails where it is not.
 */
bool importer_need_state(const struct importer *importer, uint32_t number, int32_t type,
                         int64_t elements);

/* Is input `number` a quantised tensor of unsigned elements in the file? */
bool importer_was_uint8(const struct importer *importer, uint32_t number);

/* The integers of a constant int32 or int64 input; at most `most`. */
bool importer_integers(struct importer *importer, uint32_t number, uint32_t most, int64_t *values,
                       uint32_t *count);

/* An axis in [0, rank), of one that may count from the end. */
bool importer_axis(const struct importer *importer, int64_t axis, uint32_t rank, int64_t *result);

/* ---- checks ---- */

/* The operator must bring this table of options (TFLITE_TABLE_...). */
bool importer_need_options(const struct importer *importer, int32_t table);
/* Operands that are quantised, per tensor or (weights) along an axis. */
bool importer_need_quantized(const struct importer *importer, const struct weft_value *value);

/* ---- building ---- */

/* Adds a node with a result of a given type, which must be right. */
struct weft_value *importer_add(struct importer *importer, enum weft_operator op,
                                uint32_t input_count, struct weft_value *const *inputs,
                                uint32_t attribute_count, const struct weft_attribute *attributes,
                                const struct weft_type *type);

/* The types of a node's results; an error becomes one of the operator. */
bool importer_infer_node(struct importer *importer, const struct weft_node *node,
                         struct weft_type *types);

/* As importer_add(), for an operator whose one result type follows from its inputs. */
bool importer_infer(struct importer *importer, enum weft_operator op, uint32_t input_count,
                    struct weft_value *const *inputs, uint32_t attribute_count,
                    const struct weft_attribute *attributes, struct weft_value **value);

/* As importer_add(), for an operator that leaves the quantisation or element type of its result
 * open: fails when `type` is not what can follow from the inputs. */
bool importer_declare(struct importer *importer, enum weft_operator op, uint32_t input_count,
                      struct weft_value *const *inputs, uint32_t attribute_count,
                      const struct weft_attribute *attributes, const struct weft_type *type,
                      struct weft_value **value);

/* The value in another shape of as many elements. */
struct weft_value *importer_reshape(struct importer *importer, struct weft_value *value,
                                    uint32_t rank, const int64_t *dims);

/* The same bytes with the quantisation of another type. */
struct weft_value *importer_relabel(struct importer *importer, struct weft_value *value,
                                    const struct weft_type *type);

/* What is taken of each axis of a tensor. */
struct importer_slice {
    int64_t begin[WEFT_MAX_RANK];
    int64_t step[WEFT_MAX_RANK];
    int64_t size[WEFT_MAX_RANK];
};

/* All of a tensor. */
struct importer_slice importer_whole_slice(const struct weft_type *type);

/* A strided_slice of a value. */
bool importer_add_slice(struct importer *importer, struct weft_value *x,
                        const struct importer_slice *slice, struct weft_value **value);

/* SAME or VALID padding of one axis. */
bool importer_padding(const struct importer *importer, int64_t size, int64_t kernel,
                      int64_t dilation, int64_t stride, int64_t *before, int64_t *after);

/* Makes a value that a node of this operator made its result `number`. Its shape and element type
 * must be those of the tensor; scales that the operator ignores may differ. */
bool importer_finish(struct importer *importer, uint32_t number, struct weft_value *value);

/* importer_finish() of the one result, limited as the operator's fused activation says. */
bool importer_finish_activated(struct importer *importer, struct weft_value *value);

/* ---- operators: one function for each kind ---- */

typedef bool import_function(struct importer *importer);

import_function import_conv2d;
import_function import_depthwise;
import_function import_transpose_conv;
import_function import_fully_connected;
import_function import_batch_matmul;

import_function import_binary; /* two operands by element */
import_function import_unary;  /* activations, functions of one element */
import_function import_gelu;
import_function import_leaky_relu;
import_function import_softmax;
import_function import_normalize; /* LOG_SOFTMAX, L2_NORMALIZATION */
import_function import_quantize;
import_function import_dequantize;
import_function import_densify;
import_function import_cast;

import_function import_compare;
import_function import_logical_not;
import_function import_select; /* and SELECT_V2 */

import_function import_pool;
import_function import_reduce;  /* sums, products, the largest over axes */
import_function import_arg_max; /* and ARG_MIN */
import_function import_cumsum;
import_function import_topk;

import_function import_pad; /* and PADV2 */
import_function import_reshape;
import_function import_squeeze;
import_function import_expand_dims;
import_function import_transpose;
import_function import_concatenation;
import_function import_split;
import_function import_split_v;
import_function import_strided_slice;
import_function import_slice;
import_function import_reverse;
import_function import_mirror_pad;
import_function import_space_to_depth;
import_function import_depth_to_space;
import_function import_space_to_batch;
import_function import_batch_to_space;
import_function import_gather;
import_function import_pack;
import_function import_unpack;
import_function import_resize;
import_function import_tile;
import_function import_broadcast_to;
import_function import_fill;
import_function import_zeros_like;
import_function import_one_hot;
import_function import_gather_nd;
import_function import_scatter_nd;

import_function import_lstm;
import_function import_lstm_float;
import_function import_svdf;
import_function import_custom; /* operators that are not in the schema */

import_function import_shape;
import_function import_rank;
import_function import_range;
import_function import_broadcast_args;
import_function import_where;

#endif
