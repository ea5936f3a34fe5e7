#include "tests/unit/models.h"

#include <cstdlib>
#include <cstring>
#include <vector>

#include "tflite_generated.h"

namespace fb = weft::tflite;

namespace {

using Options = flatbuffers::Offset<void>;

template <typename T>
flatbuffers::Offset<flatbuffers::Vector<T>> vector(flatbuffers::FlatBufferBuilder &builder,
                                                   const T *values, uint32_t count) {
    return builder.CreateVector(values, count);
}

Options window_options(flatbuffers::FlatBufferBuilder &builder, const tflite_options &o) {
    auto padding = static_cast<fb::Padding>(o.padding);
    auto activation = static_cast<fb::ActivationFunctionType>(o.activation);
    switch (o.table) {
    case TFLITE_TABLE_CONV_2D:
        return fb::CreateConv2DOptions(builder, padding, o.stride_w, o.stride_h, activation,
                                       o.dilation_w, o.dilation_h)
            .Union();
    case TFLITE_TABLE_DEPTHWISE_CONV_2D:
        return fb::CreateDepthwiseConv2DOptions(builder, padding, o.stride_w, o.stride_h,
                                                activation, o.dilation_w, o.dilation_h)
            .Union();
    case TFLITE_TABLE_TRANSPOSE_CONV:
        return fb::CreateTransposeConvOptions(builder, padding, o.stride_w, o.stride_h, activation)
            .Union();
    default:
        return fb::CreatePool2DOptions(builder, padding, o.stride_w, o.stride_h, o.filter_w,
                                       o.filter_h, activation)
            .Union();
    }
}

Options element_options(flatbuffers::FlatBufferBuilder &builder, const tflite_options &o) {
    auto activation = static_cast<fb::ActivationFunctionType>(o.activation);
    switch (o.table) {
    case TFLITE_TABLE_FULLY_CONNECTED:
        return fb::CreateFullyConnectedOptions(builder, activation,
                                               static_cast<int8_t>(o.weights_format))
            .Union();
    case TFLITE_TABLE_ADD:
        return fb::CreateAddOptions(builder, activation).Union();
    case TFLITE_TABLE_SUB:
        return fb::CreateSubOptions(builder, activation).Union();
    case TFLITE_TABLE_MUL:
        return fb::CreateMulOptions(builder, activation).Union();
    case TFLITE_TABLE_L2_NORMALIZATION:
        return fb::CreateL2NormOptions(builder, activation).Union();
    case TFLITE_TABLE_SOFTMAX:
        return fb::CreateSoftmaxOptions(builder, o.beta).Union();
    case TFLITE_TABLE_LEAKY_RELU:
        return fb::CreateLeakyReluOptions(builder, o.alpha).Union();
    case TFLITE_TABLE_BATCH_MATMUL:
        return fb::CreateBatchMatMulOptions(builder, o.transpose_a, o.transpose_b).Union();
    default:
        return fb::CreateReducerOptions(builder, o.keep_dims).Union();
    }
}

Options move_options(flatbuffers::FlatBufferBuilder &builder, const tflite_options &o) {
    auto activation = static_cast<fb::ActivationFunctionType>(o.activation);
    switch (o.table) {
    case TFLITE_TABLE_CONCATENATION:
        return fb::CreateConcatenationOptions(builder, o.axis, activation).Union();
    case TFLITE_TABLE_RESIZE_BILINEAR:
        return fb::CreateResizeBilinearOptions(builder, o.align_corners, o.half_pixel_centers)
            .Union();
    case TFLITE_TABLE_RESIZE_NEAREST_NEIGHBOR:
        return fb::CreateResizeNearestNeighborOptions(builder, o.align_corners,
                                                      o.half_pixel_centers)
            .Union();
    case TFLITE_TABLE_GATHER:
        return fb::CreateGatherOptions(builder, o.axis, o.batch_dims).Union();
    case TFLITE_TABLE_SQUEEZE:
        return fb::CreateSqueezeOptions(builder, vector(builder, o.axes, o.axis_count)).Union();
    case TFLITE_TABLE_STRIDED_SLICE:
        return fb::CreateStridedSliceOptions(builder, o.begin_mask, o.end_mask, o.ellipsis_mask,
                                             o.new_axis_mask, o.shrink_axis_mask, o.end_is_offset)
            .Union();
    case TFLITE_TABLE_PACK:
        return fb::CreatePackOptions(builder, o.axis).Union();
    case TFLITE_TABLE_SPACE_TO_DEPTH:
        return fb::CreateSpaceToDepthOptions(builder, o.block_size).Union();
    case TFLITE_TABLE_DEPTH_TO_SPACE:
        return fb::CreateDepthToSpaceOptions(builder, o.block_size).Union();
    case TFLITE_TABLE_MIRROR_PAD:
        return fb::CreateMirrorPadOptions(builder, static_cast<int8_t>(o.mirror_mode)).Union();
    case TFLITE_TABLE_UNIDIRECTIONAL_SEQUENCE_LSTM:
        return fb::CreateUnidirectionalSequenceLSTMOptions(
                   builder, static_cast<fb::ActivationFunctionType>(o.activation), o.cell_clip,
                   o.projection_clip, o.time_major, o.asymmetric_inputs)
            .Union();
    case TFLITE_TABLE_SVDF:
        return fb::CreateSVDFOptions(builder, o.rank,
                                     static_cast<fb::ActivationFunctionType>(o.activation),
                                     o.asymmetric_inputs)
            .Union();
    default:
        return fb::CreateUnpackOptions(builder, o.axis).Union();
    }
}

Options options_of(flatbuffers::FlatBufferBuilder &builder, const tflite_options &o) {
    switch (o.table) {
    case 0:
        return 0;
    case TFLITE_TABLE_CONV_2D:
    case TFLITE_TABLE_DEPTHWISE_CONV_2D:
    case TFLITE_TABLE_TRANSPOSE_CONV:
    case TFLITE_TABLE_POOL_2D:
        return window_options(builder, o);
    case TFLITE_TABLE_FULLY_CONNECTED:
    case TFLITE_TABLE_ADD:
    case TFLITE_TABLE_SUB:
    case TFLITE_TABLE_MUL:
    case TFLITE_TABLE_L2_NORMALIZATION:
    case TFLITE_TABLE_SOFTMAX:
    case TFLITE_TABLE_LEAKY_RELU:
    case TFLITE_TABLE_BATCH_MATMUL:
    case TFLITE_TABLE_REDUCER:
        return element_options(builder, o);
    default:
        return move_options(builder, o);
    }
}

struct Parts {
    std::vector<flatbuffers::Offset<fb::Buffer>> buffers;
    std::vector<flatbuffers::Offset<fb::Tensor>> tensors;
    std::vector<flatbuffers::Offset<fb::OperatorCode>> codes;
    std::vector<flatbuffers::Offset<fb::Operator>> operators;
};

template <typename T>
flatbuffers::Offset<flatbuffers::Vector<T>> numbers(flatbuffers::FlatBufferBuilder &builder,
                                                    const tflite_vector &from) {
    return builder.CreateVector(reinterpret_cast<const T *>(from.data), from.count);
}

// A vector of indices in the form that its numbers have.
Options index_vector(flatbuffers::FlatBufferBuilder &builder, const tflite_vector &from) {
    switch (from.bytes) {
    case 1:
        return fb::CreateUint8Vector(builder, numbers<uint8_t>(builder, from)).Union();
    case 2:
        return fb::CreateUint16Vector(builder, numbers<uint16_t>(builder, from)).Union();
    default:
        return fb::CreateInt32Vector(builder, numbers<int32_t>(builder, from)).Union();
    }
}

fb::SparseIndexVector form_of(const tflite_vector &from) {
    return from.data == nullptr ? fb::SparseIndexVector_NONE
           : from.bytes == 1    ? fb::SparseIndexVector_Uint8Vector
           : from.bytes == 2    ? fb::SparseIndexVector_Uint16Vector
                                : fb::SparseIndexVector_Int32Vector;
}

flatbuffers::Offset<fb::SparsityParameters> sparsity_of(flatbuffers::FlatBufferBuilder &builder,
                                                        const tflite_sparsity &from) {
    std::vector<flatbuffers::Offset<fb::DimensionMetadata>> levels;
    for (uint32_t i = 0; i < from.level_count; i++) {
        const tflite_level &level = from.levels[i % TFLITE_MOST_LEVELS];
        auto segments = index_vector(builder, level.segments);
        auto indices = index_vector(builder, level.indices);
        levels.push_back(fb::CreateDimensionMetadata(
            builder, static_cast<fb::DimensionType>(level.format), level.size,
            form_of(level.segments), segments, form_of(level.indices), indices));
    }
    auto order = numbers<int32_t>(builder, from.order);
    auto block_map = numbers<int32_t>(builder, from.block_map);
    return fb::CreateSparsityParameters(builder, order, block_map, builder.CreateVector(levels));
}

void add_tensor(flatbuffers::FlatBufferBuilder &builder, const tflite_tensor &tensor,
                Parts &parts) {
    uint32_t buffer = 0;
    if (tensor.data != nullptr) {
        buffer = static_cast<uint32_t>(parts.buffers.size());
        builder.ForceVectorAlignment(tensor.length, 1, 16);
        auto data = builder.CreateVector(tensor.data, tensor.length);
        parts.buffers.push_back(fb::CreateBuffer(builder, data));
    }
    auto scale = vector(builder, tensor.scale, tensor.scale_count);
    auto zero = vector(builder, tensor.zero, tensor.zero_count);
    auto quantization = fb::CreateQuantizationParameters(builder, scale, zero, tensor.axis);
    auto shape = vector(builder, tensor.shape, tensor.rank);
    auto name = builder.CreateString(tensor.name == nullptr ? "" : tensor.name);
    auto sparsity = tensor.sparsity == nullptr ? flatbuffers::Offset<fb::SparsityParameters>()
                                               : sparsity_of(builder, *tensor.sparsity);
    std::vector<int32_t> open(tensor.shape, tensor.shape + tensor.rank);
    if (tensor.is_open) {
        open.back() = -1;
    }
    auto signature = builder.CreateVector(open);
    parts.tensors.push_back(
        fb::CreateTensor(builder, shape, static_cast<fb::TensorType>(tensor.type), buffer, name,
                         quantization, tensor.is_variable, sparsity, signature));
}

void add_operator(flatbuffers::FlatBufferBuilder &builder, const tflite_operator &op,
                  Parts &parts) {
    auto number = static_cast<uint32_t>(parts.codes.size());
    auto name = builder.CreateString(op.name == nullptr ? "" : op.name);
    parts.codes.push_back(fb::CreateOperatorCode(
        builder, static_cast<int8_t>(op.code < 127 ? op.code : 127), name, op.version, op.code));
    auto inputs = vector(builder, op.inputs, op.input_count);
    auto outputs = vector(builder, op.outputs, op.output_count);
    auto intermediates = vector(builder, op.intermediates, op.intermediate_count);
    auto options = options_of(builder, op.options);
    parts.operators.push_back(fb::CreateOperator(builder, number, inputs, outputs,
                                                 static_cast<fb::BuiltinOptions>(op.options.table),
                                                 options, 0, intermediates));
}

} // namespace

uint8_t *model_bytes(const tflite_file *file, size_t *length) {
    flatbuffers::FlatBufferBuilder builder;
    Parts parts;
    parts.buffers.push_back(fb::CreateBuffer(builder));
    for (uint32_t i = 0; i < file->tensor_count; i++) {
        add_tensor(builder, file->tensors[i], parts);
    }
    for (uint32_t i = 0; i < file->operator_count; i++) {
        add_operator(builder, file->operators[i], parts);
    }
    auto tensors = builder.CreateVector(parts.tensors);
    auto operators = builder.CreateVector(parts.operators);
    auto inputs = vector(builder, file->inputs, file->input_count);
    auto outputs = vector(builder, file->outputs, file->output_count);
    auto graph = fb::CreateSubGraph(builder, tensors, inputs, outputs, operators);
    auto codes = builder.CreateVector(parts.codes);
    auto graphs = builder.CreateVector(&graph, 1);
    auto buffers = builder.CreateVector(parts.buffers);
    builder.Finish(fb::CreateModel(builder, 3, codes, graphs, buffers), "TFL3");
    *length = builder.GetSize();
    auto *bytes = static_cast<uint8_t *>(std::malloc(*length));
    if (bytes != nullptr) {
        std::memcpy(bytes, builder.GetBufferPointer(), *length);
    }
    return bytes;
}
