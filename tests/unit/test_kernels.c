/* kernels/ and how compiler/host binds nodes to them. What kernels compute is in test_host.c. */
#include <stdlib.h>
#include <string.h>

#include "compiler/host/host.h"
#include "kernels/activation.h"
#include "kernels/binary.h"
#include "kernels/move.h"
#include "tests/unit/graphs.h"

/* The kernel of the graph's only node, called with its parameters at another place, of exactly
 * their bytes, when the binding is gone. */
static void run_moved(const struct weft_graph *graph, const void *const *inputs,
                      void *const *outputs) {
    struct weft_host_binding binding;
    struct weft_error error;
    ASSERT_GOOD(weft_host_bind(graph->nodes[0], &binding, &error), error);
    const struct weft_kernel_entry *kernel = &weft_kernels[binding.kernel];
    assert_true(binding.size >= kernel->parameter_size);
    assert_true(kernel->inputs < 0 || kernel->inputs == (int32_t)graph->nodes[0]->input_count);
    assert_true(kernel->outputs < 0 || kernel->outputs == (int32_t)graph->nodes[0]->result_count);
    void *parameters = malloc(binding.size);
    assert_non_null(parameters);
    memcpy(parameters, binding.parameters, binding.size);
    weft_host_binding_free(&binding);
    assert_null(binding.parameters);
    size_t bytes = kernel->scratch == NULL ? 0 : kernel->scratch(parameters);
    void *scratch = malloc(bytes + 1);
    assert_non_null(scratch);
    assert_int_equal(kernel->run(parameters, inputs, outputs, NULL, scratch), WEFT_KERNEL_OK);
    free(scratch);
    free(parameters);
}

/* Parameters are plain bytes, with arrays at their end: an exporter can write them to a file. */
static void parameters_can_be_moved(void **state) {
    static const char *const texts[] = {
        "graph g(%0: 1x4x4x2xi8{1, 3}, %1: 3x2x2x2xi8{axis=0; 1, 0; 2, 0; 3, 0}) {\n"
        "%2 = qnn.conv2d(%0, %1) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1 : "
        "1x3x3x3xi32{axis=3; 1, 0; 2, 0; 3, 0} return %2 }",
        "graph g(%0: 2x3xi32{axis=1; 1, 0; 2, 0; 3, 0}) {\n"
        "%1 = qnn.requantize(%0) rounding=\"gemmlowp\" : 2x3xi8{4096, 3} return %1 }",
        "graph g(%0: 2x3xi32{axis=1; 1, 0; 2, 0; 3, 0}) {\n"
        "%1 = qnn.requantize(%0) rounding=\"single\" : 2x3xi8{4096, 3} return %1 }",
        "graph g(%0: 2x3xi32{axis=1; 1, 0; 2, 0; 3, 0}) {\n"
        "%1 = qnn.requantize(%0) rounding=\"float\" : 2x3xi8{4096, 3} return %1 }",
        "graph g(%0: 2x3xi8{axis=0; 1, 0; 2, 0}) { %1 = qnn.dequantize(%0) : 2x3xf32 return %1 }",
        "graph g(%0: 2x3xi8{1, 3}, %1: 2x2xi8{2, 0}) {\n"
        "%2 = qnn.concatenate(%0, %1) axis=1 : 2x5xi8{3, 0} return %2 }",
        "graph g(%0: 2x3xi16{1, 0}, %1: 2x2xi16{2, 0}) {\n"
        "%2 = qnn.concatenate(%0, %1) axis=1 : 2x5xi16{3, 0} return %2 }",
        "graph g(%0: 2x5xi16) { %1, %2 = split(%0) axis=1 sizes=[2, 3] : 2x2xi16, 2x3xi16 return "
        "%1, %2 }",
        "graph g(%0: 1x2x3x2xi8) {\n"
        "%1 = resize_nearest_neighbor(%0) size=[5, 4] align_corners=0 half_pixel_centers=1 : "
        "1x5x4x2xi8 "
        "return %1 }",
        "graph g(%0: 2x3x2xi8{1, 3}) {\n"
        "%1 = interpolate_axis(%0) axis=1 elements=[0, 1] fractions=[268435456, 7] : "
        "2x2x2xi8{1, 3} return %1 }",
        "graph g(%0: 2x3x2xf32) {\n"
        "%1 = interpolate_axis(%0) axis=1 elements=[0, 2] fractions=[268435456, 0] : 2x2x2xf32 "
        "return %1 }",
        "graph g(%0: 2x5x3xi8{1, 3}) {\n"
        "%1 = qnn.mean(%0) axes=[1] keep_dims=0 : 2x3xi8{0.5, 0} return %1 }",
        "graph g(%0: 2x3xf32, %1: 2x3xi8{axis=0; 1, 0; 2, 0}, %2: 2xf32) {\n"
        "%3 = hybrid.dense(%0, %1, %2) asymmetric=1 : 2x2xf32 return %3 }",
        "graph g(%0: 1x4x4x2xf32, %1: 3x2x2x2xi8{axis=0; 1, 0; 2, 0; 3, 0}, %2: 3xf32) {\n"
        "%3 = hybrid.conv2d(%0, %1, %2) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1]\n"
        "groups=1 asymmetric=0 sum_first=1 : 1x3x3x3xf32 return %3 }",
        "graph g(%0: 7xi8{1, 3}) { %1 = qnn.tanh(%0) : 7xi8{0.0078125, 0} return %1 }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const struct weft_graph *graph = graph_of(*state, texts[i]);
        const void *const *inputs = random_inputs(graph, i + 1);
        void *const *expected = host_outputs(graph, inputs);
        void *const *got = output_room(graph);
        run_moved(graph, inputs, got);
        for (size_t k = 0; k < graph->output_count; k++) {
            assert_memory_equal(got[k], expected[k], weft_type_bytes(&graph->outputs[k]->type));
        }
    }
}

/* Every entry of the table is whole. */
static void the_table_lists_kernels(void **state) {
    (void)state;
    for (int i = 0; i < WEFT_KERNELS; i++) {
        assert_non_null(weft_kernels[i].run);
        assert_true(weft_kernels[i].parameter_size >= 4);
        assert_true(weft_kernels[i].inputs != 0 && weft_kernels[i].inputs >= -1);
        assert_true(weft_kernels[i].outputs != 0 && weft_kernels[i].outputs >= -1);
    }
    assert_string_equal(weft_kernels[WEFT_KERNEL_gather].name, "gather");
}

static void kernels_can_be_called_by_name(void **state) {
    (void)state;
    const uint8_t input[3] = {0, 255, 7};
    uint8_t output[3] = {0};
    struct weft_table_parameters parameters = {.count = 3};
    for (int i = 0; i < 256; i++) {
        parameters.table[i] = (uint8_t)(255 - i);
    }
    assert_int_equal(weft_kernel_table(&parameters, input, output), WEFT_KERNEL_OK);
    assert_memory_equal(output, ((uint8_t[3]){255, 0, 248}), 3);
}

/* An index outside its axis is a status, and the output is left alone. */
static void indices_outside_are_told(void **state) {
    static const int32_t wrong[] = {-1, 3, INT32_MIN, INT32_MAX};
    const struct weft_graph *graph =
        graph_of(*state, "graph g(%0: 3x2xi8, %1: 2xi32) { %2 = gather(%0, %1) axis=0 batch_dims=0 "
                         ": 2x2xi8 return %2 }");
    const int8_t x[6] = {1, 2, 3, 4, 5, 6};
    struct weft_host_binding binding;
    struct weft_error error;
    ASSERT_GOOD(weft_host_bind(graph->nodes[0], &binding, &error), error);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const int32_t indices[2] = {2, wrong[i]};
        int8_t got[4] = {9, 9, 9, 9};
        assert_int_equal(weft_kernel_gather(binding.parameters, x, indices, got),
                         WEFT_KERNEL_INDEX);
        assert_memory_equal(got, ((int8_t[4]){9, 9, 9, 9}), 4);
        ASSERT_FAILS(
            weft_host_run(graph->nodes[0], (const void *[]){x, indices}, (void *[]){got}, &error),
            error, WEFT_TENSOR);
    }
    weft_host_binding_free(&binding);
}

/* What does not fit in parameters is refused. */
static void wide_shapes_and_attributes_are_refused(void **state) {
    static const char *const texts[] = {
        "graph g(%0: 0x4294967296xi8) { %1 = reshape(%0) : 0xi8 return %1 }",
        "graph g(%0: 0x65536x65536xi8) { %1 = reshape(%0) : 0xi8 return %1 }",
        "graph g(%0: 1x1x1x1xf32) {\n"
        "%1 = max_pool2d(%0) kernel=[1, 1] strides=[4294967297, 1] padding=[0, 0, 0, 0] : "
        "1x1x1x1xf32 return %1 "
        "}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const struct weft_graph *graph = graph_of(*state, texts[i]);
        struct weft_host_binding binding = {0};
        struct weft_error error;
        ASSERT_FAILS(weft_host_bind(graph->nodes[0], &binding, &error), error, WEFT_OPERATOR);
        assert_null(binding.parameters);
    }
}

/* Axes that all tensors walk through as one are joined, so that walking is fast. */
static void walks_are_joined(void **state) {
    static const struct {
        const char *text;
        int32_t rank;
    } cases[] = {
        {"graph g(%0: 2x3x4xi32, %1: 2x3x4xi32) { %2 = add(%0, %1) : 2x3x4xi32 return %2 }", 1},
        {"graph g(%0: 2x3x4xi32, %1: 4xi32) { %2 = add(%0, %1) : 2x3x4xi32 return %2 }", 2},
        {"graph g(%0: 2x3x4xi32, %1: 1xi32) { %2 = add(%0, %1) : 2x3x4xi32 return %2 }", 1},
        {"graph g(%0: 2x3x4xi32, %1: 2x1x4xi32) { %2 = add(%0, %1) : 2x3x4xi32 return %2 }", 3},
        {"graph g(%0: 1xi32, %1: 1xi32) { %2 = add(%0, %1) : 1xi32 return %2 }", 0},
        {"graph g(%0: 0x3x4xi32, %1: 4xi32) { %2 = add(%0, %1) : 0x3x4xi32 return %2 }", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct weft_graph *graph = graph_of(*state, cases[i].text);
        struct weft_host_binding binding;
        struct weft_error error;
        ASSERT_GOOD(weft_host_bind(graph->nodes[0], &binding, &error), error);
        const struct weft_binary_parameters *parameters = binding.parameters;
        assert_int_equal(parameters->broadcast.shape.rank, cases[i].rank);
        weft_host_binding_free(&binding);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(parameters_can_be_moved),
        cmocka_unit_test(the_table_lists_kernels),
        cmocka_unit_test(kernels_can_be_called_by_name),
        ARENA_TEST(indices_outside_are_told),
        ARENA_TEST(wide_shapes_and_attributes_are_refused),
        ARENA_TEST(walks_are_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
