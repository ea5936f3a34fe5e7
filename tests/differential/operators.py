"""The random models of a single operator, by its name; and of a few that belong together."""
import attention
import detect
import elements
import functions
import indices
import moves
import products
import sequences
import slices
import windows

ALL = {name.upper(): getattr(module, name + "_" if hasattr(module, name + "_") else name)
       for module, names in (
    (products, "conv_2d depthwise_conv_2d transpose_conv fully_connected batch_matmul"),
    (elements, "add sub mul maximum minimum relu relu6 relu_n1_to_1 leaky_relu hard_swish logistic "
               "tanh softmax log_softmax l2_normalization quantize dequantize cast"),
    (windows, "average_pool_2d max_pool_2d mean sum reduce_prod reduce_max reduce_min reduce_any "
              "reduce_all arg_max arg_min"),
    (moves, "pad padv2 reshape squeeze expand_dims transpose concatenation split strided_slice "
            "gather pack unpack resize_nearest_neighbor resize_bilinear"),
    (slices, "slice split_v reverse_v2 mirror_pad space_to_depth depth_to_space space_to_batch_nd "
             "batch_to_space_nd"),
    (functions, "abs neg sign exp log sqrt rsqrt square sin cos ceil floor round elu gelu logical_not div "
                "squared_difference floor_div floor_mod logical_and logical_or pow prelu equal not_equal less "
                "less_equal greater greater_equal select select_v2"),
    (indices, "cumsum topk_v2 one_hot gather_nd scatter_nd tile broadcast_to fill zeros_like shape rank range "
              "broadcast_args where"),
    (attention, "attention"),
    (detect, "custom"),
    (sequences, "unidirectional_sequence_lstm svdf"),
) for name in names.split()}
