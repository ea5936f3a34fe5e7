"""The random models of a single operator, by its name."""
import elements
import moves
import products
import slices
import windows

ALL = {name.upper(): getattr(module, name if hasattr(module, name) else name + "_")
       for module, names in (
    (products, "conv_2d depthwise_conv_2d transpose_conv fully_connected batch_matmul"),
    (elements, "add sub mul maximum minimum relu relu6 relu_n1_to_1 leaky_relu hard_swish logistic "
               "tanh softmax log_softmax l2_normalization quantize dequantize cast"),
    (windows, "average_pool_2d max_pool_2d mean reduce_max reduce_any arg_max"),
    (moves, "pad padv2 reshape squeeze expand_dims transpose concatenation split strided_slice "
            "gather pack unpack resize_nearest_neighbor resize_bilinear"),
    (slices, "slice split_v reverse_v2 mirror_pad space_to_depth depth_to_space space_to_batch_nd "
             "batch_to_space_nd"),
) for name in names.split()}
