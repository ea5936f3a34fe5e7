/* Writes a model of three pairs of convolutions with a logarithm of a softmax behind each: the
 * machine carries out the pairs, in segments, and the host what is between them. usage:
 * make_segments OUT.tflite */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "tests/unit/models.h"

enum {
    BLOCKS = 3,
    SIZE = 16,     /* rows, columns and channels of all tensors */
    CONSTANTS = 2, /* weights, bias */
    MOST_TENSORS = 1 + BLOCKS * (2 * (CONSTANTS + 1) + 1),
    MOST_OPERATORS = BLOCKS * 3,
};

static const int32_t activation_shape[] = {1, SIZE, SIZE, SIZE};
static const int32_t weight_shape[] = {SIZE, 3, 3, SIZE};
static const int32_t bias_shape[] = {SIZE};
static const float scale = 0.05F;
static const float bias_scale = 0.0025F;
static const float softmax_scale = 1.0F / 16;
static const float after_softmax = 0.05F / 16; /* of a bias */
static const int64_t zero = 0;
static const int64_t softmax_zero = 127;
static uint8_t weights[SIZE * 3 * 3 * SIZE];
static uint8_t biases[4 * SIZE];

struct model {
    struct tflite_tensor tensors[MOST_TENSORS];
    struct tflite_operator operators[MOST_OPERATORS];
    int32_t indices[MOST_OPERATORS][4]; /* inputs, then the output */
    char names[MOST_TENSORS][32];
    uint32_t tensor_count, operator_count;
};

static int32_t add_tensor(struct model *model, struct tflite_tensor tensor, const char *name) {
    uint32_t index = model->tensor_count++;
    (void)snprintf(model->names[index], sizeof model->names[index], "block%u/%s",
                   model->operator_count / 3, name);
    tensor.name = model->names[index];
    tensor.scale_count = 1;
    tensor.zero_count = 1;
    tensor.zero = tensor.zero == NULL ? &zero : tensor.zero;
    model->tensors[index] = tensor;
    return (int32_t)index;
}

static int32_t add_activation(struct model *model, const float *its_scale, const int64_t *its_zero,
                              const char *name) {
    return add_tensor(model,
                      (struct tflite_tensor){.type = TFLITE_INT8,
                                             .rank = 4,
                                             .shape = activation_shape,
                                             .scale = its_scale,
                                             .zero = its_zero},
                      name);
}

static int32_t add_operator(struct model *model, int32_t code, uint32_t inputs,
                            const int32_t *operands, int32_t output,
                            struct tflite_options options) {
    uint32_t index = model->operator_count++;
    int32_t *indices = model->indices[index];
    for (uint32_t i = 0; i < inputs; i++) {
        indices[i] = operands[i];
    }
    indices[inputs] = output;
    model->operators[index] = (struct tflite_operator){.code = code,
                                                       .version = 3,
                                                       .input_count = inputs,
                                                       .inputs = indices,
                                                       .output_count = 1,
                                                       .outputs = indices + inputs,
                                                       .options = options};
    return output;
}

static int32_t add_convolution(struct model *model, int32_t input, const char *name) {
    struct tflite_tensor weight = {.type = TFLITE_INT8,
                                   .rank = 4,
                                   .shape = weight_shape,
                                   .scale = &scale,
                                   .data = weights,
                                   .length = sizeof weights};
    struct tflite_tensor bias = {.type = TFLITE_INT32,
                                 .rank = 1,
                                 .shape = bias_shape,
                                 .scale = model->tensors[input].scale == &scale ? &bias_scale
                                                                                : &after_softmax,
                                 .data = biases,
                                 .length = sizeof biases};
    int32_t operands[3] = {input, 0, 0};
    operands[1] = add_tensor(model, weight, "weights");
    operands[2] = add_tensor(model, bias, "bias");
    int32_t output = add_activation(model, &scale, &zero, name);
    return add_operator(model, TFLITE_CONV_2D, 3, operands, output,
                        (struct tflite_options){.table = TFLITE_TABLE_CONV_2D,
                                                .padding = TFLITE_PADDING_SAME,
                                                .stride_h = 1,
                                                .stride_w = 1,
                                                .dilation_h = 1,
                                                .dilation_w = 1});
}

static bool write_model(const struct model *model, int32_t output, const char *path) {
    static const int32_t input = 0;
    struct weft_error error;
    const struct tflite_file file = {.tensor_count = model->tensor_count,
                                     .tensors = model->tensors,
                                     .operator_count = model->operator_count,
                                     .operators = model->operators,
                                     .input_count = 1,
                                     .inputs = &input,
                                     .output_count = 1,
                                     .outputs = &output};
    size_t length = 0;
    uint8_t *bytes = model_bytes(&file, &length);
    bool good = weft_file_write(path, bytes, length, &error);
    if (!good) {
        fprintf(stderr, "%s: %s\n", path, error.message);
    }
    free(bytes);
    return good;
}

int main(int argc, char **argv) {
    static struct model model;
    if (argc != 2) {
        fprintf(stderr, "usage: make_segments OUT.tflite\n");
        return 1;
    }
    for (size_t i = 0; i < sizeof weights; i++) {
        weights[i] = (uint8_t)(i * 37 % 251 - 125);
    }
    int32_t at = add_activation(&model, &scale, &zero, "input");
    for (int block = 0; block < BLOCKS; block++) {
        at = add_convolution(&model, at, "first");
        at = add_convolution(&model, at, "second");
        int32_t softmax = add_activation(&model, &softmax_scale, &softmax_zero, "softmax");
        at = add_operator(&model, TFLITE_LOG_SOFTMAX, 1, &at, softmax, (struct tflite_options){0});
    }
    return write_model(&model, at, argv[1]) ? 0 : 1;
}
