// The options of an operator, from the table of the union that holds them.
#include "compiler/import/tflite_options.h"

namespace fb = weft::tflite;

namespace {

// Strides, padding and activation are the same fields in every table of windows.
template <typename Table> void read_window(const Table *table, tflite_options *options) {
    options->padding = table->padding();
    options->stride_h = table->stride_h();
    options->stride_w = table->stride_w();
    options->activation = table->fused_activation_function();
}

template <typename Table> void read_dilated(const Table *table, tflite_options *options) {
    read_window(table, options);
    options->dilation_h = table->dilation_h_factor();
    options->dilation_w = table->dilation_w_factor();
}

void read_convolution(const fb::Conv2DOptions *table, tflite_options *options) {
    read_dilated(table, options);
    options->bias_type = table->quantized_bias_type();
}

void read_transposed(const fb::TransposeConvOptions *table, tflite_options *options) {
    read_window(table, options);
    options->bias_type = table->quantized_bias_type();
}

void read_pool(const fb::Pool2DOptions *table, tflite_options *options) {
    read_window(table, options);
    options->filter_h = table->filter_height();
    options->filter_w = table->filter_width();
}

template <typename Table> void read_resize(const Table *table, tflite_options *options) {
    options->align_corners = table->align_corners();
    options->half_pixel_centers = table->half_pixel_centers();
}

void read_slice(const fb::StridedSliceOptions *table, tflite_options *options) {
    options->begin_mask = table->begin_mask();
    options->end_mask = table->end_mask();
    options->ellipsis_mask = table->ellipsis_mask();
    options->new_axis_mask = table->new_axis_mask();
    options->shrink_axis_mask = table->shrink_axis_mask();
    options->end_is_offset = table->offset();
}

void read_gather(const fb::GatherOptions *table, tflite_options *options) {
    options->axis = table->axis();
    options->batch_dims = table->batch_dims();
}

void read_concatenation(const fb::ConcatenationOptions *table, tflite_options *options) {
    options->axis = table->axis();
    options->activation = table->fused_activation_function();
}

void read_dense(const fb::FullyConnectedOptions *table, tflite_options *options) {
    options->activation = table->fused_activation_function();
    options->weights_format = table->weights_format();
    options->asymmetric_inputs = table->asymmetric_quantize_inputs();
    options->bias_type = table->quantized_bias_type();
}

void read_batch_matmul(const fb::BatchMatMulOptions *table, tflite_options *options) {
    options->transpose_a = table->adj_x();
    options->transpose_b = table->adj_y();
}

void read_lstm(const fb::UnidirectionalSequenceLSTMOptions *table, tflite_options *options) {
    options->activation = table->fused_activation_function();
    options->cell_clip = table->cell_clip();
    options->projection_clip = table->proj_clip();
    options->time_major = table->time_major();
    options->asymmetric_inputs = table->asymmetric_quantize_inputs();
}

void read_svdf(const fb::SVDFOptions *table, tflite_options *options) {
    options->rank = table->rank();
    options->activation = table->fused_activation_function();
    options->asymmetric_inputs = table->asymmetric_quantize_inputs();
}

void read_smaller(const fb::Operator *from, tflite_options *options) {
    switch (from->builtin_options_type()) {
    case fb::BuiltinOptions_DivOptions:
        options->activation = from->builtin_options_as_DivOptions()->fused_activation_function();
        break;
    case fb::BuiltinOptions_SpaceToDepthOptions:
        options->block_size = from->builtin_options_as_SpaceToDepthOptions()->block_size();
        break;
    case fb::BuiltinOptions_DepthToSpaceOptions:
        options->block_size = from->builtin_options_as_DepthToSpaceOptions()->block_size();
        break;
    case fb::BuiltinOptions_UnidirectionalSequenceLSTMOptions:
        read_lstm(from->builtin_options_as_UnidirectionalSequenceLSTMOptions(), options);
        break;
    case fb::BuiltinOptions_SVDFOptions:
        read_svdf(from->builtin_options_as_SVDFOptions(), options);
        break;
    case fb::BuiltinOptions_OneHotOptions:
        options->axis = from->builtin_options_as_OneHotOptions()->axis();
        break;
    case fb::BuiltinOptions_MirrorPadOptions:
        options->mirror_mode = from->builtin_options_as_MirrorPadOptions()->mode();
        break;
    case fb::BuiltinOptions_CumsumOptions:
        options->exclusive = from->builtin_options_as_CumsumOptions()->exclusive();
        options->reverse = from->builtin_options_as_CumsumOptions()->reverse();
        break;
    case fb::BuiltinOptions_GeluOptions:
        options->approximate = from->builtin_options_as_GeluOptions()->approximate();
        break;
    default:
        break;
    }
}

// Tables of one field, or of fields that only one operator reads.
void read_small(const fb::Operator *from, tflite_options *options) {
    switch (from->builtin_options_type()) {
    case fb::BuiltinOptions_SoftmaxOptions:
        options->beta = from->builtin_options_as_SoftmaxOptions()->beta();
        break;
    case fb::BuiltinOptions_LeakyReluOptions:
        options->alpha = from->builtin_options_as_LeakyReluOptions()->alpha();
        break;
    case fb::BuiltinOptions_AddOptions:
        options->activation = from->builtin_options_as_AddOptions()->fused_activation_function();
        options->pot_scale_int16 = from->builtin_options_as_AddOptions()->pot_scale_int16();
        break;
    case fb::BuiltinOptions_SubOptions:
        options->activation = from->builtin_options_as_SubOptions()->fused_activation_function();
        options->pot_scale_int16 = from->builtin_options_as_SubOptions()->pot_scale_int16();
        break;
    case fb::BuiltinOptions_MulOptions:
        options->activation = from->builtin_options_as_MulOptions()->fused_activation_function();
        break;
    case fb::BuiltinOptions_L2NormOptions:
        options->activation = from->builtin_options_as_L2NormOptions()->fused_activation_function();
        break;
    case fb::BuiltinOptions_ReducerOptions:
        options->keep_dims = from->builtin_options_as_ReducerOptions()->keep_dims();
        break;
    case fb::BuiltinOptions_PackOptions:
        options->axis = from->builtin_options_as_PackOptions()->axis();
        break;
    case fb::BuiltinOptions_UnpackOptions:
        options->axis = from->builtin_options_as_UnpackOptions()->axis();
        break;
    default:
        return read_smaller(from, options);
    }
}

} // namespace

void tflite_options_read(const fb::Operator *from, tflite_options *options) {
    *options = {};
    if (from->builtin_options() == nullptr) {
        return;
    }
    options->table = from->builtin_options_type();
    switch (from->builtin_options_type()) {
    case fb::BuiltinOptions_Conv2DOptions:
        return read_convolution(from->builtin_options_as_Conv2DOptions(), options);
    case fb::BuiltinOptions_DepthwiseConv2DOptions:
        return read_dilated(from->builtin_options_as_DepthwiseConv2DOptions(), options);
    case fb::BuiltinOptions_TransposeConvOptions:
        return read_transposed(from->builtin_options_as_TransposeConvOptions(), options);
    case fb::BuiltinOptions_Pool2DOptions:
        return read_pool(from->builtin_options_as_Pool2DOptions(), options);
    case fb::BuiltinOptions_ResizeBilinearOptions:
        return read_resize(from->builtin_options_as_ResizeBilinearOptions(), options);
    case fb::BuiltinOptions_ResizeNearestNeighborOptions:
        return read_resize(from->builtin_options_as_ResizeNearestNeighborOptions(), options);
    case fb::BuiltinOptions_StridedSliceOptions:
        return read_slice(from->builtin_options_as_StridedSliceOptions(), options);
    case fb::BuiltinOptions_GatherOptions:
        return read_gather(from->builtin_options_as_GatherOptions(), options);
    case fb::BuiltinOptions_ConcatenationOptions:
        return read_concatenation(from->builtin_options_as_ConcatenationOptions(), options);
    case fb::BuiltinOptions_FullyConnectedOptions:
        return read_dense(from->builtin_options_as_FullyConnectedOptions(), options);
    case fb::BuiltinOptions_BatchMatMulOptions:
        return read_batch_matmul(from->builtin_options_as_BatchMatMulOptions(), options);
    default:
        return read_small(from, options);
    }
}
