/* A TFLite file as plain C structures: what the C++ reader (tflite_read.cpp) hands to the importer.
 */
#ifndef WEFT_COMPILER_IMPORT_TFLITE_FILE_H
#define WEFT_COMPILER_IMPORT_TFLITE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Values of TensorType, Padding and ActivationFunctionType in tflite.fbs. */
enum {
    TFLITE_FLOAT32 = 0,
    TFLITE_FLOAT16 = 1,
    TFLITE_INT32 = 2,
    TFLITE_UINT8 = 3,
    TFLITE_INT64 = 4,
    TFLITE_BOOL = 6,
    TFLITE_INT16 = 7,
    TFLITE_INT8 = 9,
    TFLITE_INT4 = 17,
    TFLITE_INT2 = 19,
    TFLITE_UINT4 = 20,
    TFLITE_PADDING_SAME = 0,
    TFLITE_PADDING_VALID = 1,
    TFLITE_ACTIVATION_NONE = 0,
    TFLITE_ACTIVATION_RELU = 1,
    TFLITE_ACTIVATION_RELU_N1_TO_1 = 2,
    TFLITE_ACTIVATION_RELU6 = 3,
    TFLITE_ACTIVATION_TANH = 4,
};

/* Values of DimensionType. */
enum {
    TFLITE_DENSE = 0,
    TFLITE_SPARSE_CSR = 1
};

/* Values of BuiltinOperator: TFLITE_ADD, ... */
enum {
#define TFLITE_OPERATOR(code, NAME) TFLITE_##NAME = (code),
#include "compiler/import/tflite_operators.def"
};

/* Values of BuiltinOptions: which table of options an operator brings. */
enum {
    TFLITE_TABLE_CONV_2D = 1,
    TFLITE_TABLE_DEPTHWISE_CONV_2D = 2,
    TFLITE_TABLE_POOL_2D = 5,
    TFLITE_TABLE_SVDF = 6,
    TFLITE_TABLE_FULLY_CONNECTED = 8,
    TFLITE_TABLE_SOFTMAX = 9,
    TFLITE_TABLE_CONCATENATION = 10,
    TFLITE_TABLE_ADD = 11,
    TFLITE_TABLE_L2_NORMALIZATION = 12,
    TFLITE_TABLE_RESIZE_BILINEAR = 15,
    TFLITE_TABLE_SPACE_TO_DEPTH = 19,
    TFLITE_TABLE_MUL = 21,
    TFLITE_TABLE_GATHER = 23,
    TFLITE_TABLE_REDUCER = 27,
    TFLITE_TABLE_SUB = 28,
    TFLITE_TABLE_DIV = 29,
    TFLITE_TABLE_SQUEEZE = 30,
    TFLITE_TABLE_STRIDED_SLICE = 32,
    TFLITE_TABLE_TRANSPOSE_CONV = 49,
    TFLITE_TABLE_PACK = 59,
    TFLITE_TABLE_ONE_HOT = 61,
    TFLITE_TABLE_UNPACK = 64,
    TFLITE_TABLE_UNIDIRECTIONAL_SEQUENCE_LSTM = 71,
    TFLITE_TABLE_RESIZE_NEAREST_NEIGHBOR = 74,
    TFLITE_TABLE_LEAKY_RELU = 75,
    TFLITE_TABLE_MIRROR_PAD = 77,
    TFLITE_TABLE_DEPTH_TO_SPACE = 94,
    TFLITE_TABLE_BATCH_MATMUL = 101,
    TFLITE_TABLE_CUMSUM = 102,
    TFLITE_TABLE_GELU = 116,
};

/* Small numbers as the file holds them, each of `bytes` bytes, little-endian. */
struct tflite_vector {
    const uint8_t *data;
    uint32_t count;
    uint32_t bytes; /* 1 or 2: unsigned; 4: signed */
};

/* One level of a sparse tensor: the dimension, or block, that its place in the order names. */
struct tflite_level {
    int32_t format;                /* TFLITE_DENSE or TFLITE_SPARSE_CSR, when it is valid */
    int32_t size;                  /* of DENSE */
    struct tflite_vector segments; /* of SPARSE_CSR: where the indices of each parent begin; and the
                                      end of the last one's */
    struct tflite_vector indices;  /* of SPARSE_CSR: the elements that are stored */
};

enum {
    TFLITE_MOST_LEVELS = 16 /* of a sparse tensor: dimensions and blocks */
};

/* What a sparse tensor stores and in which order; not checked. */
struct tflite_sparsity {
    struct tflite_vector order;     /* dimensions, then blocks (rank, rank + 1, ...) */
    struct tflite_vector block_map; /* of each block, its dimension */
    uint32_t level_count;
    struct tflite_level levels[TFLITE_MOST_LEVELS];
};

struct tflite_tensor {
    int32_t type;
    const char *type_name; /* in the schema */
    uint32_t rank;
    const int32_t *shape;
    const char *name;
    bool is_variable;
    bool is_open; /* a dimension other than the first one is not known; the shape has it as 1 */
    const uint8_t *data; /* NULL: not a constant */
    size_t length;
    const struct tflite_sparsity *sparsity; /* NULL: all elements are stored */
    uint32_t scale_count;
    const float *scale;
    uint32_t zero_count;
    const int64_t *zero;
    int32_t axis;
};

/* The options of an operator; fields that its table does not have are 0. */
struct tflite_options {
    int32_t table; /* 0: the operator brings none */
    int32_t padding;
    int32_t stride_h, stride_w;
    int32_t dilation_h, dilation_w;
    int32_t filter_h, filter_w;
    int32_t activation;
    int32_t weights_format;
    int32_t bias_type; /* of int16 products; 0: not said */
    bool transpose_a, transpose_b;
    bool pot_scale_int16;
    bool asymmetric_inputs; /* of floats with int8 weights */
    float beta;
    float alpha;
    int32_t axis;
    int32_t batch_dims;
    bool keep_dims;
    uint32_t axis_count;
    const int32_t *axes;
    bool align_corners;
    bool half_pixel_centers;
    int32_t begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
    bool end_is_offset;
    int32_t block_size;
    int32_t mirror_mode; /* 0: without the edge itself, 1: with it */
    bool exclusive, reverse;
    bool approximate;
    float cell_clip;
    float projection_clip;
    bool time_major;
    int32_t rank; /* of SVDF: filters of each unit */
};

struct tflite_operator {
    int32_t code;
    int32_t version;
    const char *name; /* of the operator code; of a custom operator, its own */
    uint32_t input_count;
    const int32_t *inputs; /* -1: left out */
    uint32_t output_count;
    const int32_t *outputs;
    uint32_t intermediate_count;
    const int32_t *intermediates; /* tensors that only say how something is quantised; -1: none */
    struct tflite_options options;
    const uint8_t *custom; /* options of a custom operator, a FlexBuffer */
    uint32_t custom_length;
};

struct tflite_file {
    uint32_t tensor_count;
    const struct tflite_tensor *tensors;
    uint32_t operator_count;
    const struct tflite_operator *operators;
    uint32_t input_count;
    const int32_t *inputs;
    uint32_t output_count;
    const int32_t *outputs;
};

/* Reads the first subgraph of a model. The buffer is verified before anything is read; every index
 * in the result is inside its array. Constant data and what is stored of sparse tensors point into
 * `bytes`, the rest is in the arena.
 * Error: WEFT_MODEL. */
bool tflite_file_read(struct weft_arena *arena, const uint8_t *bytes, size_t length,
                      struct tflite_file *file, struct weft_error *error);

#ifdef __cplusplus
}
#endif

#endif
