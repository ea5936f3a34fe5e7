/* A TFLite file as plain C structures: what the C++ reader (tflite_file.cpp) hands to the importer.
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
    TFLITE_INT32 = 2,
    TFLITE_UINT8 = 3,
    TFLITE_INT64 = 4,
    TFLITE_BOOL = 6,
    TFLITE_INT16 = 7,
    TFLITE_INT8 = 9,
    TFLITE_PADDING_SAME = 0,
    TFLITE_PADDING_VALID = 1,
    TFLITE_ACTIVATION_NONE = 0,
    TFLITE_ACTIVATION_RELU = 1,
    TFLITE_ACTIVATION_RELU_N1_TO_1 = 2,
    TFLITE_ACTIVATION_RELU6 = 3,
};

/* Values of BuiltinOperator that the importer knows. */
enum {
    TFLITE_ADD = 0,
    TFLITE_AVERAGE_POOL_2D = 1,
    TFLITE_CONV_2D = 3,
    TFLITE_DEPTHWISE_CONV_2D = 4,
    TFLITE_FULLY_CONNECTED = 9,
    TFLITE_MAX_POOL_2D = 17,
    TFLITE_RESHAPE = 22,
    TFLITE_SOFTMAX = 25,
    TFLITE_PAD = 34,
};

struct tflite_tensor {
    int32_t type;
    uint32_t rank;
    const int32_t *shape;
    const char *name;
    bool is_variable;
    const uint8_t *data; /* NULL: not a constant */
    size_t length;
    uint32_t scale_count;
    const float *scale;
    uint32_t zero_count;
    const int64_t *zero;
    int32_t axis;
};

/* The options of an operator; fields that its table does not have are 0. */
struct tflite_options {
    bool present; /* of the table that the operator needs */
    int32_t padding;
    int32_t stride_h, stride_w;
    int32_t dilation_h, dilation_w;
    int32_t filter_h, filter_w;
    int32_t depth_multiplier;
    int32_t activation;
    int32_t weights_format;
    bool keep_num_dims;
    float beta;
};

struct tflite_operator {
    int32_t code;
    int32_t version;
    const char *name; /* of the operator code; of a custom operator, its own */
    uint32_t input_count;
    const int32_t *inputs; /* -1: left out */
    uint32_t output_count;
    const int32_t *outputs;
    struct tflite_options options;
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
 * in the result is inside its array. Constant data point into `bytes`, the rest is in the arena.
 * Error: WEFT_MODEL. */
bool tflite_file_read(struct weft_arena *arena, const uint8_t *bytes, size_t length,
                      struct tflite_file *file, struct weft_error *error);

#ifdef __cplusplus
}
#endif

#endif
