/* The compiler from graph to program: graphs that the random ones of test_compile.c do not reach.
 */
#include "tests/unit/computes.h"
#include "tests/unit/modules.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "driver/energy.h"

static void assert_text_computes(struct weft_arena *arena, const char *text) {
    assert_true(computes(graph_of(arena, text), 1, NULL));
}

static void an_operand_of_a_sum_can_be_constant(void **state) {
    assert_text_computes(*state, "graph g(%0: 1x1x1x4xi8{0.5, 1}) {\n"
                                 "%k = constant() data=[1, -2, 30, -40] : 1x1x1x4xi8{0.25, 3}\n"
                                 "%1 = qnn.add(%0, %k) : 1x1x1x4xi8{0.5, 0} return %1 }");
    assert_text_computes(*state, "graph g(%0: 1x1x1x4xi8{0.5, 1}) {\n"
                                 "%k = constant() data=[1, -2, 30, -40] : 1x1x1x4xi8{0.25, 3}\n"
                                 "%1 = qnn.add(%k, %0) : 1x1x1x4xi8{0.5, 0} return %1 }");
}

static void operands_of_any_layer_can_be_constant(void **state) {
    static const char *const texts[] = {
        "graph g() { %k = constant() data=[1, -2, 30, -40] : 1x2x2x1xi8{0.5, 3}\n"
        "%1 = max_pool2d(%k) kernel=[2, 2] strides=[1, 1] padding=[1, 1, 0, 0]\n"
        ": 1x2x2x1xi8{0.5, 3} return %1 }",
        "graph g() { %k = constant() data=[1, -2, 30, -40] : 1x2x2x1xi8{0.5, 3}\n"
        "%1 = pad(%k) pads=[0, 0, 1, 2, 0, 1, 0, 0] : 1x5x3x1xi8{0.5, 3} return %1 }",
        "graph g() { %k = constant() data=[1, -2, 30, -40] : 2x2xi8{0.5, 3}\n"
        "%1 = reshape(%k) : 4xi8{0.5, 3} return %1, %k }",
        "graph g() { %k = constant() data=[1, -2, 30, -40] : 2x2xi8{0.5, 3}\n"
        "%1 = qnn.add(%k, %k) : 2x2xi8{1, 1} %2 = reshape(%1) : 4xi8{1, 1} return %1, %2 }",
        "graph g(%0: 2x2xi8{0.5, 1}) { %k = constant() data=[1, -2, 30, -40] : 2x2xi8{0.5, 3}\n"
        "%1 = qnn.add(%k, %0) : 2x2xi8{1, 1} %2 = qnn.add(%1, %k) : 2x2xi8{1, 1} return %2 }",
        "graph g() { %k = constant() data=[1, -2, 30, -40] : 1x2x2x1xi8{0.5, 3}\n"
        "%w = constant() data=[1, 2, 3, 4] : 1x2x2x1xi8{0.25, 0}\n"
        "%1 = qnn.conv2d(%k, %w) strides=[1, 1] padding=[1, 0, 0, 1] dilation=[1, 1] groups=1\n"
        ": 1x2x2x1xi32{0.125, 0}\n"
        "%2 = qnn.requantize(%1) rounding=\"gemmlowp\" : 1x2x2x1xi8{2, 0} return %2 }",
        "graph g() { %k = constant() data=[1, -2, 30, -40] : 1x2x2x1xi8{0.5, 3}\n"
        "%f = reshape(%k) : 1x4xi8{0.5, 3} %w = constant() data=[1, 2, 3, 4] : 1x4xi8{0.25, 0}\n"
        "%1 = qnn.dense(%f, %w) : 1x1xi32{0.125, 0}\n"
        "%2 = qnn.requantize(%1) rounding=\"single\" : 1x1xi8{2, 0} return %2 }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_text_computes(*state, texts[i]);
    }
}

/* It computes, and where no banks of ACT share a port nothing that lies between its layers is ever
 * in external memory. (Where they do, that can be faster; so it can where
 * windows are so large that what waits for external memory is not the work.) */
static void assert_stays_on_chip(struct weft_arena *arena, const char *text) {
    struct weft_error error;
    struct weft_module *module = NULL;
    const struct weft_graph *graph = graph_of(arena, text);
    assert_text_computes(arena, text);
    const char *config = WEFT_SOURCE_DIR "/tests/unit/own_rams8.json";
    ASSERT_GOOD(module_of(graph, config, &module, &error), error);
    assert_int_equal(module->segment_count, 1);
    assert_int_equal(module->segments[0].scratch_bytes, 0);
    assert_true(computes_on(graph, config, 1));
}

#define TALL_POOL(to, from, kernel, strides, padding, shape)                                       \
    "%" to " = max_pool2d(%" from ") kernel=" kernel " strides=" strides " padding=" padding       \
    " : " shape "xi8{0.5, 1}\n"

static void layers_between_which_nothing_fits_are_carried_out_together(void **state) {
    static const char *const texts[] = {
        /* Rows of the first result are kept from stripe to stripe. */
        "graph g(%0: 1x500x40x8xi8{0.5, 1}) {\n" TALL_POOL("1", "0", "[2, 1]", "[1, 1]",
                                                           "[1, 0, 0, 0]", "1x500x40x8")
            TALL_POOL("2", "1", "[3, 1]", "[2, 1]", "[1, 0, 1, 0]", "1x250x40x8") "return %2 }",
        /* Three layers, two images, rows that nobody needs. */
        "graph g(%0: 2x301x40x8xi8{0.5, 1}) {\n" TALL_POOL("1", "0", "[2, 3]", "[1, 1]",
                                                           "[0, 1, 0, 1]", "2x300x40x8")
            TALL_POOL("2", "1", "[1, 1]", "[3, 1]", "[0, 0, 0, 0]", "2x100x40x8")
                TALL_POOL("3", "2", "[4, 1]", "[1, 1]", "[3, 0, 2, 0]", "2x102x40x8") "return %3 }",
        /* A window with padding on all sides, and a sum behind a product of the chain. */
        "graph g(%0: 1x400x40x8xi8{0.5, 1}) {\n"
        "%w = constant() data=[1, 2, 3, -4, 5, 6, 7, -8, 9, 1, 2, 3, -4, 5, 6, 7, -8, 9,\n"
        "1, 2, 3, -4, 5, 6, 7, -8, 9, -1, -2, -3, 4, -5, -6, -7, 8, -9, 1, 2, 3, 4, 5, 6, 7, 8, "
        "9,\n"
        "9, 8, 7, 6, 5, 4, 3, 2, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0]\n"
        ": 8x3x3x1xi8{0.25, 0}\n"
        "%1 = qnn.conv2d(%0, %w) strides=[1, 1] padding=[1, 1, 1, 1] dilation=[1, 1] groups=8\n"
        ": 1x400x40x8xi32{0.125, 0}\n"
        "%2 = qnn.requantize(%1) rounding=\"gemmlowp\" : 1x400x40x8xi8{2, 0}\n"
        "%3 = qnn.conv2d(%2, %w) strides=[1, 1] padding=[1, 1, 1, 1] dilation=[1, 1] groups=8\n"
        ": 1x400x40x8xi32{0.5, 0}\n"
        "%4 = qnn.requantize(%3) rounding=\"gemmlowp\" : 1x400x40x8xi8{4, 0}\n"
        "%5 = qnn.add(%0, %4) : 1x400x40x8xi8{4, 3} return %5 }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_stays_on_chip(*state, texts[i]);
    }
}

/* In small tensors with few channels a window can be wider than a row with its padding. */
static void windows_can_be_wider_than_a_padded_row(void **state) {
    assert_text_computes(
        *state, "graph g(%0: 1x2x1x1xi8{0.5, 50}) {\n"
                "%w = constant() data=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10] : 1x2x5x1xi8{0.25, 0}\n"
                "%1 = qnn.conv2d(%0, %w) strides=[1, 1] padding=[0, 2, 0, 2] dilation=[1, 1]\n"
                "groups=1 : 1x1x1x1xi32{0.125, 0}\n"
                "%2 = qnn.requantize(%1) rounding=\"gemmlowp\" : 1x1x1x1xi8{2, 0} return %2 }");
}

/* Tensors that do not stay on chip are carried out in stripes of rows; some of them read nothing
 * but padding. */
static void stripes_of_a_pad_can_lie_in_the_padding(void **state) {
    assert_text_computes(*state, "graph g(%0: 1x60x60x20xi8{0.5, 50}) {\n"
                                 "%1 = pad(%0) pads=[0, 0, 60, 70, 0, 1, 0, 0]\n"
                                 ": 1x190x61x20xi8{0.5, 50} return %1 }");
}

static void stripes_of_a_convolution_can_lie_in_the_padding(void **state) {
    assert_text_computes(
        *state, "graph g(%0: 1x60x60x16xi8{0.5, 50}) {\n"
                "%w = constant() data=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]\n"
                ": 16x1x1x1xi8{0.25, 0}\n"
                "%1 = qnn.conv2d(%0, %w) strides=[1, 1] padding=[70, 0, 60, 0] dilation=[1, 1]\n"
                "groups=16 : 1x190x60x16xi32{0.125, 0}\n"
                "%2 = qnn.requantize(%1) rounding=\"gemmlowp\" : 1x190x60x16xi8{2, 0}\n"
                "return %2 }");
}

/* Counts of VECTOR have 12 bits. */
static void rows_can_be_longer_than_4095(void **state) {
    static const char *const texts[] = {
        "graph g(%0: 1x1x5000x3xi8{0.5, 1}) {\n"
        "%1 = max_pool2d(%0) kernel=[1, 2] strides=[1, 1] padding=[0, 0, 0, 1]\n"
        ": 1x1x5000x3xi8{0.5, 1} return %1 }",
        "graph g(%0: 1x1x5000x3xi8{0.5, 1}) {\n"
        "%1 = qnn.add(%0, %0) : 1x1x5000x3xi8{1, 1} return %1 }",
        "graph g(%0: 1x1x5000x3xi8{0.5, 1}) {\n"
        "%1 = pad(%0) pads=[0, 0, 1, 0, 0, 0, 0, 0] : 1x2x5000x3xi8{0.5, 1} return %1 }",
        "graph g(%0: 1x1x5000x3xi8{0.5, 1}) {\n"
        "%1 = avg_pool2d(%0) kernel=[1, 2] strides=[1, 1] padding=[0, 0, 0, 1]\n"
        ": 1x1x5000x3xi8{0.5, 1} return %1 }",
        "graph g(%0: 5000x3xi8{0.5, 1}) {\n"
        "%w = constant() data=[1, 2, 3] : 1x3xi8{0.25, 0}\n"
        "%1 = qnn.dense(%0, %w) : 5000x1xi32{0.125, 0}\n"
        "%2 = qnn.requantize(%1) rounding=\"single\" : 5000x1xi8{2, 0} return %2 }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_text_computes(*state, texts[i]);
    }
}

/* A window of one column is turned into one row when the tensors are small enough. */
static void columns_can_be_longer_than_4095(void **state) {
    static const char *const texts[] = {
        "graph g(%0: 1x5000x1x1xi8{0.5, 1}) {\n"
        "%1 = max_pool2d(%0) kernel=[3, 1] strides=[1, 1] padding=[1, 0, 1, 0]\n"
        ": 1x5000x1x1xi8{0.5, 1} return %1 }",
        "graph g(%0: 1x5000x1x1xi8{0.5, 1}) {\n"
        "%1 = avg_pool2d(%0) kernel=[3, 1] strides=[1, 1] padding=[1, 0, 1, 0]\n"
        ": 1x5000x1x1xi8{0.5, 1} return %1 }",
        "graph g(%0: 1x5000x1x1xi8{0.5, 1}) {\n"
        "%w = constant() data=[1, 2, 3] : 1x3x1x1xi8{0.25, 0}\n"
        "%1 = qnn.conv2d(%0, %w) strides=[1, 1] padding=[1, 0, 1, 0] dilation=[1, 1] groups=1\n"
        ": 1x5000x1x1xi32{0.125, 0}\n"
        "%2 = qnn.requantize(%1) rounding=\"gemmlowp\" : 1x5000x1x1xi8{2, 0} return %2 }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_text_computes(*state, texts[i]);
    }
}

/* Counts of LOAD and FILL have 16 bits. */
static void columns_can_be_longer_than_65535(void **state) {
    assert_text_computes(
        *state, "graph g(%0: 1x70000x1x1xi8{0.5, 1}) {\n"
                "%w = constant() data=[1, 2, 3] : 1x1x3x1xi8{0.25, 0}\n"
                "%1 = qnn.conv2d(%0, %w) strides=[9, 1] padding=[0, 1, 0, 1] dilation=[1, 1]\n"
                "groups=1 : 1x7778x1x1xi32{0.125, 0}\n"
                "%2 = qnn.requantize(%1) rounding=\"gemmlowp\" : 1x7778x1x1xi8{2, 0} return %2 }");
}

/* A batch is cut into images before these are cut into rows. */
static void batches_can_be_larger_than_the_memory(void **state) {
    static const char *const texts[] = {
        "graph g(%0: 40x9x20x20xi8{0.5, 1}) {\n"
        "%1 = max_pool2d(%0) kernel=[2, 3] strides=[1, 1] padding=[0, 1, 1, 1]\n"
        ": 40x9x20x20xi8{0.5, 1}\n"
        "%2 = qnn.add(%0, %1) : 40x9x20x20xi8{1, 1} return %2 }",
        "graph g(%0: 3x40x60x20xi8{0.5, 1}) {\n"
        "%1 = avg_pool2d(%0) kernel=[3, 3] strides=[1, 1] padding=[1, 1, 1, 1]\n"
        ": 3x40x60x20xi8{0.5, 1}\n"
        "%2 = pad(%1) pads=[0, 0, 0, 1, 0, 1, 0, 0] : 3x41x61x20xi8{0.5, 1} return %2 }",
        "graph g(%0: 50x40x1x24xi8{0.5, 1}) {\n"
        "%1 = avg_pool2d(%0) kernel=[3, 1] strides=[1, 1] padding=[1, 0, 1, 0]\n"
        ": 50x40x1x24xi8{0.5, 1} return %1 }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_text_computes(*state, texts[i]);
    }
}

/* Stripes of one layer can all be stored before the next layer loads its first one; semaphores hold
 * fewer tokens than there are stripes. */
static void stripes_can_be_more_than_tokens(void **state) {
    assert_text_computes(*state, "graph g(%0: 1x160x90x64xi8{0.5, 1}) {\n"
                                 "%1 = max_pool2d(%0) kernel=[1, 1] strides=[1, 1]\n"
                                 "padding=[0, 0, 0, 0] : 1x160x90x64xi8{0.5, 1}\n"
                                 "%2 = max_pool2d(%1) kernel=[1, 1] strides=[1, 1]\n"
                                 "padding=[0, 0, 0, 0] : 1x160x90x64xi8{0.5, 1} return %2 }");
}

/* A column of which not even one block of channels leaves room for the rest is divided. */
static void a_column_need_not_fit_the_memory(void **state) {
    assert_text_computes(*state, "graph main(%a: 1x200x1x4000xi8{0.5, 0}) {\n"
                                 "  %b = max_pool2d(%a) kernel=[60, 1] strides=[1, 1] "
                                 "padding=[0, 0, 0, 0] "
                                 ": 1x141x1x4000xi8{0.5, 0}\n"
                                 "  return %b\n"
                                 "}\n");
}

/* What surrounds a tensor is not known before all that read it are. */
static void a_row_with_its_padding_need_not_fit_the_memory(void **state) {
    assert_text_computes(*state,
                         "graph main(%a: 1x1x100x8xi8{0.5, 0}) {\n"
                         "%w = constant() data=[1, 2, 3, 4, 5, 6, 7, 8] : 1x1x1x8xi8{0.25, 0}\n"
                         "%b = qnn.conv2d(%a, %w) strides=[1, 5000] padding=[0, 5000, 0, 5000]\n"
                         "dilation=[1, 1] groups=1 : 1x1x3x1xi32{0.125, 0}\n"
                         "%c = qnn.requantize(%b) rounding=\"gemmlowp\" : 1x1x3x1xi8{2, 0}\n"
                         "return %c }");
}

/* All rows from the first to the last of the window do not fit ACT, those that it has do: above,
 * inside and below the picture, which is whole behind zero points. */
static void rows_of_a_window_can_be_far_apart(void **state) {
    const struct weft_graph *graph =
        graph_filled(*state, "graph g(%0: 2x70x4x1024xi8{0.5, 3}) {\n"
                             "%w = constant() data=$27648 : 3x3x3x1024xi8{0.25, 0}\n"
                             "%1 = qnn.conv2d(%0, %w) strides=[3, 1] padding=[40, 2, 41, 2]\n"
                             "dilation=[40, 2] groups=1 : 2x24x4x3xi32{0.125, 0}\n"
                             "%2 = qnn.requantize(%1) rounding=\"gemmlowp\" : 2x24x4x3xi8{600, 9}\n"
                             "return %2 }");
    struct weft_error error;
    struct weft_module *module = NULL;
    assert_true(computes(graph, 1, NULL));
    ASSERT_GOOD(module_of(graph, "ref16", &module, &error), error);
    assert_int_equal(module->segment_count, 1);
    assert_int_equal(module->graph->node_count, 1); /* nothing is the host's */
}

/* The lines of ACT that MATRIX reads in the program of a graph. */
static uint64_t lines_read(struct weft_arena *arena, const char *text, const char *config) {
    struct weft_error error;
    struct weft_module *module = NULL;
    struct weft_matrix_traffic traffic = {0};
    ASSERT_GOOD(module_of(graph_filled(arena, text), config, &module, &error), error);
    assert_int_equal(module->segment_count, 1);
    const struct weft_program *program = &module->segments[0].program;
    weft_matrix_traffic_add(&module->config, program->instructions, program->count, &traffic);
    return traffic.act_bytes / module->config.block;
}

#define OVER_8_BY_8(dilation, padding)                                                             \
    "graph g(%0: 1x8x8x64xi8{0.5, 3}) {\n"                                                         \
    "%w = constant() data=$18432 : 32x3x3x64xi8{0.25, 2}\n"                                        \
    "%1 = qnn.conv2d(%0, %w) strides=[1, 1] padding=" padding " dilation=" dilation                \
    " groups=1 : 1x8x8x32xi32{0.125, 0}\n"                                                         \
    "%2 = qnn.requantize(%1) rounding=\"gemmlowp\" : 1x8x8x32xi8{90, 9}\n"                         \
    "return %2 }"

/* Of 24 rows of taps 2, or 2 x `dilation`, meet padding, and so do columns; of 4 channel blocks
 * for each of 2. A machine without zero points of activations has the padding in its sums. */
static void products_with_padding_are_left_out(void **state) {
    static const char *const texts[] = {OVER_8_BY_8("[1, 1]", "[1, 1, 1, 1]"),
                                        OVER_8_BY_8("[3, 5]", "[3, 5, 3, 5]")};
    assert_int_equal(lines_read(*state, texts[0], "ref16"), 2 * 4 * 22 * 22);
    assert_int_equal(lines_read(*state, texts[1], "ref16"), 2 * 4 * (24 - 6) * (24 - 10));
    assert_int_equal(
        lines_read(*state, texts[0], WEFT_SOURCE_DIR "/tests/unit/no_activation_zero16.json"),
        2 * 4 * 24 * 24);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_true(computes(graph_filled(*state, texts[i]), 1, NULL));
    }
}

/* What nothing helps is the host's, with the reason, and the model compiles. */
static void what_has_no_room_goes_to_the_host(void **state) {
    const struct weft_graph *graph =
        graph_of(*state, "graph g(%0: 1x30x30x8xi8{0.5, 1}) {\n"
                         "%1 = avg_pool2d(%0) kernel=[30, 30] strides=[1, 1]\n"
                         "padding=[0, 0, 0, 0] : 1x1x1x8xi8{0.5, 1} return %1 }");
    struct weft_config config = config_named("small8");
    const struct weft_compile_options options = {.keep_regions = true};
    struct weft_module *module = NULL;
    struct weft_error error = {0};
    config.act_bytes = 4096;
    ASSERT_GOOD(weft_compile_graph(graph, &config, &options, &module, &error), error);
    assert_int_equal(module->segment_count, 0);
    for (size_t i = 0; i < module->graph->node_count; i++) {
        assert_non_null(strstr(weft_node_text(module->graph->nodes[i], WEFT_ATTR_reason),
                               "does not fit the activation memory"));
    }
    const void **inputs = random_inputs(graph, 1);
    void **got = output_room(graph);
    ASSERT_GOOD(module_run(module, "func", inputs, got, &error), error);
    assert_true(same_outputs(graph, "ref16", "func", host_outputs(graph, inputs), got));
    weft_module_free(module);
}

/* Rows of a resize that are repeated do not begin with a stripe; those of a transposed convolution
 * are apart. */
static void stripes_need_not_begin_with_a_repetition(void **state) {
    assert_text_computes(*state,
                         "graph g(%0: 1x38x100x3xi8{0.5, 1}) {\n"
                         "%1 = resize_nearest_neighbor(%0) size=[190, 100] align_corners=0\n"
                         "half_pixel_centers=1 : 1x190x100x3xi8{0.5, 1} return %1 }");
    assert_text_computes(*state,
                         "graph g(%0: 1x30x100x3xi8{0.5, 1}) {\n"
                         "%w = constant() data=[1, 2, 3] : 1x1x1x3xi8{0.25, 0}\n"
                         "%1 = qnn.conv2d_transpose(%0, %w) strides=[3, 3]\n"
                         "padding=[0, 0, 0, 0] output_padding=[0, 1] : 1x88x299x1xi32{0.125, 0}\n"
                         "%2 = qnn.requantize(%1) rounding=\"gemmlowp\" : 1x88x299x1xi8{2, 0}\n"
                         "return %2 }");
}

/* Every fourth row is made alike, but for those at the edges; 90 places with as many shares; a row,
 * or a column, that is larger than the smallest activation memory. */
static void interpolated_rows_and_columns_compute_what_the_host_does(void **state) {
    static const struct {
        const char *shape;
        int axis, from, to;
        bool corners;
    } cases[] = {
        {"1x%dx40x20", 1, 7, 28, false},  {"1x40x%dx20", 2, 7, 28, false},
        {"1x%dx9x41", 1, 31, 90, true},   {"1x9x%dx41", 2, 31, 90, true},
        {"1x%dx90x70", 1, 5, 9, true},    {"1x90x%dx70", 2, 5, 9, true},
        {"1x%dx3x600", 1, 3, 6, false},   {"1x3x%dx600", 2, 3, 6, false},
        {"1x%dx5x16", 1, 200, 31, false}, {"1x5x%dx16", 2, 200, 31, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct weft_text text = {0};
        char in[32];
        char out[32];
        double ratio = cases[i].corners ? (cases[i].from - 1.0) / (cases[i].to - 1.0)
                                        : (double)cases[i].from / cases[i].to;
        (void)snprintf(in, sizeof in, cases[i].shape, cases[i].from);
        (void)snprintf(out, sizeof out, cases[i].shape, cases[i].to);
        weft_text_add(&text, "graph g(%%0: %sxi8{0.5, 5}) { %%1 = interpolate_axis(%%0) axis=%d ",
                      in, cases[i].axis);
        for (int k = 0; k < 2; k++) {
            weft_text_add(&text, k == 0 ? "elements=[" : "] fractions=[");
            for (int at = 0; at < cases[i].to; at++) {
                double centre = cases[i].corners ? 0 : 0.5;
                double place = fmin(fmax((at + centre) * ratio - centre, 0), cases[i].from - 1.0);
                int64_t fixed = llround(place * (double)WEFT_WHOLE_FRACTION);
                weft_text_add(&text, "%s%" PRId64, at == 0 ? "" : ", ",
                              k == 0 ? fixed / WEFT_WHOLE_FRACTION : fixed % WEFT_WHOLE_FRACTION);
            }
        }
        weft_text_add(&text, "] : %sxi8{0.5, 5} return %%1 }", out);
        assert_false(text.failed);
        assert_text_computes(*state, text.bytes);
        free(text.bytes);
    }
}

/* Sums of many elements take their unit weights several times. */
static void means_of_large_windows_compute_what_the_host_does(void **state) {
    assert_text_computes(*state, "graph g(%0: 1x90x90x4xi8{0.5, 1}) {\n"
                                 "%1 = qnn.mean(%0) axes=[1, 2] keep_dims=1 : 1x1x1x4xi8{0.01, 3}\n"
                                 "return %1 }");
}

static void operands_of_one_channel_are_repeated(void **state) {
    static const char *const functions[] = {"qnn.add", "qnn.subtract", "qnn.mul", "maximum",
                                            "minimum"};
    static const char *const shapes[] = {"2x9x7x1", "1x9x1x1", "2x1x1x1", "1x1x1x1", "1", "7x1"};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
            char text[512];
            (void)snprintf(text, sizeof text,
                           "graph g(%%0: 2x9x7x41xi8{0.5, 1}, %%1: %sxi8{0.5, -4}) {\n"
                           "%%2 = %s(%%%d, %%%d) : 2x9x7x41xi8{0.5, 1} return %%2 }",
                           shapes[k], functions[i], (int)(k % 2), (int)(1 - k % 2));
            assert_text_computes(*state, text);
        }
    }
}

/* A pixel of 700 channels, and its rows, are more than the smallest machine has room for at once.
 */
static void operands_of_one_channel_are_repeated_in_parts(void **state) {
    static const char *const shapes[] = {"1x3x50x1", "3x1x1", "50x1", "1x3x1x1"};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "graph g(%%0: 1x3x50x700xi8{0.5, 1}, %%1: %sxi8{0.5, -4}) {\n"
                       "%%2 = qnn.subtract(%%1, %%0) : 1x3x50x700xi8{0.5, 1}\n"
                       "%%3 = qnn.mul(%%2, %%1) : 1x3x50x700xi8{5, 1} return %%3 }",
                       shapes[k]);
        assert_text_computes(*state, text);
    }
}

/* The last stripe of rows that lie apart is so short that each could have a bank of its own, which
 * is more room than the longer ones have. */
static void the_last_stripe_has_no_more_room_than_others(void **state) {
    for (int rows = 33; rows < 41; rows++) {
        const char *text = weft_arena_print(
            *state,
            "graph g(%%0: 2x%dx10x11xi8{0.5, 49}) {\n"
            "%%1 = qnn.batch_matmul(%%0, %%0) transpose_a=0 transpose_b=1 : "
            "2x%dx10x10xi32{0.25, 0}\n"
            "%%2 = qnn.requantize(%%1) rounding=\"gemmlowp\" : 2x%dx10x10xi8{60, 9}\n"
            "return %%2 }",
            rows, rows, rows);
        assert_text_computes(*state, text);
    }
}

/* A tensor of one channel times a constant for each channel is a product: of every zero point that
 * either can have, also limited, of one pixel and many. */
static void products_with_constants_of_channels_compute(void **state) {
    static const char *const types[] = {"i8{0.02, -128}", "i8{0.5, 127}", "i8{0.1, 0}",
                                        "i8{0.1, 3}"};
    static const char *const shapes[] = {"1x4x9x", "2x1x1x", "13x"};
    for (size_t k = 0; k < 4 * 3 * 2; k++) {
        const char *shape = shapes[k / 4 % 3];
        const char *of_constant = types[k % 4];
        const char *operands = k < 12 ? "%0, %w" : "%w, %0";
        const char *text = weft_arena_print(
            *state,
            "graph g(%%0: %s1xi8{0.25, %d}) {\n"
            "%%w = constant() data=[-128, 127, 0, 5, -7, 100, 33, -90, -128, 127, 1, 2, 3, 4, 5, "
            "6, 77, -1] : 18x%s\n"
            "%%1 = qnn.mul(%s) : %s18xi8{0.7, -9}\n"
            "%%2 = clip(%%1) min=-100 max=90 : %s18xi8{0.7, -9} return %%2 }",
            shape, (int)(k * 37 % 256) - 128, of_constant, operands, shape, shape);
        assert_text_computes(*state, text);
    }
    assert_text_computes(*state, "graph g(%0: 1x5x1xu8{0.25, 130}) {\n"
                                 "%w = constant() data=[0, 255, 128, 7] : 4xu8{0.5, 250}\n"
                                 "%1 = qnn.mul(%0, %w) : 1x5x4xu8{0.9, 100} return %1 }");
}

static void elements_can_have_more_than_4_dimensions(void **state) {
    assert_text_computes(*state, "graph g(%0: 2x3x4x5x20xi8{0.5, 1}, %1: 5x20xi8{0.5, 2},\n"
                                 "%2: 2x3x4x5x1xi8{0.5, -3}, %3: 1x1x1x1x1x1xi8{0.25, 0}) {\n"
                                 "%4 = qnn.add(%0, %1) : 2x3x4x5x20xi8{1, 0}\n"
                                 "%5 = qnn.mul(%4, %2) : 2x3x4x5x20xi8{16, 7}\n"
                                 "%6 = qnn.hard_swish(%5) : 2x3x4x5x20xi8{16, 0}\n"
                                 "%7 = qnn.subtract(%6, %3) : 1x2x3x4x5x20xi8{16, 0}\n"
                                 "%8 = reshape(%7) : 6x20x20xi8{16, 0} return %8, %6 }");
}

/* Strides between results that are alone, and dilations between taps that are, can be any number.
 */
static void idle_strides_can_be_any_number(void **state) {
    assert_text_computes(*state,
                         "graph g(%0: 1x9x9x2xi8{0.5, 1}) {\n"
                         "%w = constant() data=[1, 2, 3, 4, 5, 6] : 2x1x3x1xi8{0.25, 0}\n"
                         "%1 = qnn.conv2d(%0, %w) strides=[1, 2147483647] padding=[0, 1, 0, 0]\n"
                         "dilation=[2147483647, 4] groups=2 : 1x9x1x2xi32{0.125, 0}\n"
                         "%2 = qnn.requantize(%1) rounding=\"gemmlowp\" : 1x9x1x2xi8{2, 0}\n"
                         "%3 = avg_pool2d(%2) kernel=[9, 1] strides=[1000000, 1000000]\n"
                         "padding=[0, 0, 0, 0] : 1x1x1x2xi8{2, 0} return %3 }");
}

static void reshapes_between_inputs_and_outputs_are_done(void **state) {
    static const char *const texts[] = {
        "graph g(%0: 2x3xi8{0.5, 1}) { %1 = reshape(%0) : 6xi8{0.5, 1} return %1 }",
        "graph g(%0: 2x3xi8{0.5, 1}) { %1 = reshape(%0) : 1x1x2x3xi8{0.5, 1} return %1 }",
        "graph g(%0: 2x3xi8{0.5, 1}) { %1 = reshape(%0) : 6xi8{0.5, 1}\n"
        "%2 = reshape(%1) : 3x2xi8{0.5, 1} return %1, %2, %0 }",
        "graph g(%0: 2x3xi8{0.5, 1}) { %1 = qnn.add(%0, %0) : 2x3xi8{1, 1}\n"
        "%2 = reshape(%1) : 1x2x3xi8{1, 1} %3 = reshape(%2) : 6xi8{1, 1}\n"
        "return %1, %2, %3 }",
        "graph g(%0: 2x3xi8{0.5, 1}) { %1 = qnn.add(%0, %0) : 2x3xi8{1, 1}\n"
        "%2 = reshape(%1) : 3x2xi8{1, 1} %3 = reshape(%2) : 2x3xi8{1, 1}\n"
        "%4 = qnn.add(%3, %1) : 2x3xi8{1, 1} return %4, %2 }",
        "graph g(%0: 2x3xi8{0.5, 1}) { %1 = reshape(%0) : 3x2xi8{0.5, 1}\n"
        "%2 = qnn.add(%1, %1) : 3x2xi8{1, 1} %3 = reshape(%2) : 1x3x2xi8{1, 1}\n"
        "%4 = qnn.add(%3, %3) : 1x3x2xi8{1, 1} return %3, %4 }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_text_computes(*state, texts[i]);
    }
}

static void empty_tensors_compile(void **state) {
    assert_text_computes(*state, "graph g(%0: 0x2xi8{0.5, 1}) { %1 = qnn.add(%0, %0) :\n"
                                 "0x2xi8{0.5, 1} return %1 }");
}

/* ---- the rounding of floats ---- */

static void assert_machine_computes(struct weft_arena *arena, const char *text) {
    struct weft_error error;
    struct weft_module *module = NULL;
    ASSERT_GOOD(module_of(graph_of(arena, text), "ref16", &module, &error), error);
    assert_int_equal(module->segment_count, 1);
    assert_text_computes(arena, text);
}

/* Scales that floats hold and the machine does not, below 2^-32 and above 2^31; sums of more than
 * 24 bits; ties. */
#define SCALES                                                                                     \
    "2.98023223876953125e-08, 0; 4.470348358154296875e-08, 0; 9.31322574615478515625e-10, 0; "     \
    "1e-30, 0; 0.09, 0; 1e30, 0}"
#define TWICE                                                                                      \
    "5.9604644775390625e-08, 0; 8.94069671630859375e-08, 0; 1.86264514923095703125e-09, 0; "       \
    "2e-30, 0; 0.18, 0; 2e30, 0}"
#define SUMS "1x6x8x6xi32{axis=3; " SCALES

static void products_of_any_scale_round_as_floats(void **state) {
    assert_machine_computes(
        *state, "graph g(%0: 1x5x7x4xi8{0.5, 3}) {\n"
                "%w = constant() data=[1, 2, 3, 4, 5, -6, 7, 8, 9, 10, -11, 12, 13, 14, 15, -16,\n"
                "1, 0, -1, 1, 1, 1, 2, -127] : 6x1x1x4xi8{axis=0; " TWICE "\n"
                "%b = constant() data=[16777217, -83886083, 2147480000, -2147483648, 0, 5]\n"
                ": 6xi32{axis=0; " SCALES "\n"
                "%1 = qnn.conv2d(%0, %w) strides=[1, 1] padding=[1, 0, 0, 1] dilation=[1, 1]\n"
                "groups=1 : " SUMS "\n"
                "%2 = bias_add(%1, %b) : " SUMS "\n"
                "%3 = qnn.requantize(%2) rounding=\"float\" : 1x6x8x6xi8{1, -2} return %3 }");
}

static void products_of_powers_of_two_round_to_even(void **state) {
    assert_machine_computes(
        *state, "graph g(%0: 9x5xi8{0.5, -1}) {\n"
                "%w = constant() data=[1, 2, 3, -4, 5, 6, 7, 8, 9, 100] : 2x5xi8{0.25, 0}\n"
                "%1 = qnn.dense(%0, %w) : 9x2xi32{0.125, 0}\n"
                "%2 = qnn.requantize(%1) rounding=\"float\" : 9x2xu8{1, 100} return %2 }");
}

/* Sums of 2^30 and more, of which nothing is left to round: limits, and no other byte. */
static void large_sums_of_scale_1_are_limits(void **state) {
    static const char *const roundings[] = {"float", "single", "gemmlowp"};
    for (size_t i = 0; i < sizeof roundings / sizeof roundings[0]; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "graph main(%%0: 1x16xi8{1, 0}) {\n"
                       "  %%w = constant() data=$64 : 4x16xi8{1, 0}\n"
                       "  %%d = qnn.dense(%%0, %%w) : 1x4xi32{1, 0}\n"
                       "  %%b = constant() data=[1073741824, 1073600000, -1073741825, -2000000000] "
                       ": 4xi32{1, 0}\n"
                       "  %%e = bias_add(%%d, %%b) : 1x4xi32{1, 0}\n"
                       "  %%r = qnn.requantize(%%e) rounding=\"%s\" : 1x4xi8{1, 0}\n"
                       "  return %%r\n}\n",
                       roundings[i]);
        assert_true(computes(graph_filled(*state, text), 1 + i, NULL));
    }
}

/* A concatenation of few channels among those of another one, read by a product: its rows are not
 * rows of its bytes. Along the rows they are. */
static void concatenations_lie_in_others(void **state) {
    static const char *const others[] = {
        "%r = concatenate(%j, %e) axis=3 : 1x6x12x12xi8{0.5, 3}",
        "%r = concatenate(%e, %j) axis=3 : 1x6x12x12xi8{0.5, 3}",
        "%r = concatenate(%j, %f) axis=1 : 1x12x12x11xi8{0.5, 3}",
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        char text[2048];
        (void)snprintf(
            text, sizeof text,
            "graph main(%%0: 1x6x12x3xi8{0.5, 3}) {\n"
            "  %%w = constant() data=$24 : 8x1x1x3xi8{0.25, 0}\n"
            "  %%c = qnn.conv2d(%%0, %%w) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] "
            "groups=1 : 1x6x12x8xi32{0.125, 0}\n"
            "  %%a = qnn.requantize(%%c) rounding=\"single\" : 1x6x12x8xi8{0.5, 3}\n"
            "  %%j = concatenate(%%a, %%0) axis=3 : 1x6x12x11xi8{0.5, 3}\n"
            "  %%u = constant() data=$11 : 1x1x1x11xi8{0.25, 0}\n"
            "  %%d = qnn.conv2d(%%j, %%u) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] "
            "groups=1 : 1x6x12x1xi32{0.125, 0}\n"
            "  %%e = qnn.requantize(%%d) rounding=\"single\" : 1x6x12x1xi8{0.5, 3}\n"
            "  %%v = constant() data=$121 : 11x1x1x11xi8{0.25, 0}\n"
            "  %%g = qnn.conv2d(%%j, %%v) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] "
            "groups=1 : 1x6x12x11xi32{0.125, 0}\n"
            "  %%f = qnn.requantize(%%g) rounding=\"single\" : 1x6x12x11xi8{0.5, 3}\n"
            "  %s\n  return %%r\n}\n",
            others[i]);
        assert_true(computes(graph_filled(*state, text), 1 + i, NULL));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(an_operand_of_a_sum_can_be_constant),
        ARENA_TEST(operands_of_any_layer_can_be_constant),
        ARENA_TEST(windows_can_be_wider_than_a_padded_row),
        ARENA_TEST(stripes_of_a_pad_can_lie_in_the_padding),
        ARENA_TEST(stripes_of_a_convolution_can_lie_in_the_padding),
        ARENA_TEST(rows_can_be_longer_than_4095),
        ARENA_TEST(layers_between_which_nothing_fits_are_carried_out_together),
        ARENA_TEST(columns_can_be_longer_than_4095),
        ARENA_TEST(columns_can_be_longer_than_65535),
        ARENA_TEST(batches_can_be_larger_than_the_memory),
        ARENA_TEST(stripes_can_be_more_than_tokens),
        ARENA_TEST(a_column_need_not_fit_the_memory),
        ARENA_TEST(a_row_with_its_padding_need_not_fit_the_memory),
        ARENA_TEST(rows_of_a_window_can_be_far_apart),
        ARENA_TEST(products_with_padding_are_left_out),
        ARENA_TEST(what_has_no_room_goes_to_the_host),
        ARENA_TEST(stripes_need_not_begin_with_a_repetition),
        ARENA_TEST(interpolated_rows_and_columns_compute_what_the_host_does),
        ARENA_TEST(means_of_large_windows_compute_what_the_host_does),
        ARENA_TEST(operands_of_one_channel_are_repeated),
        ARENA_TEST(operands_of_one_channel_are_repeated_in_parts),
        ARENA_TEST(products_with_constants_of_channels_compute),
        ARENA_TEST(the_last_stripe_has_no_more_room_than_others),
        ARENA_TEST(elements_can_have_more_than_4_dimensions),
        ARENA_TEST(idle_strides_can_be_any_number),
        ARENA_TEST(reshapes_between_inputs_and_outputs_are_done),
        ARENA_TEST(empty_tensors_compile),
        ARENA_TEST(products_of_any_scale_round_as_floats),
        ARENA_TEST(large_sums_of_scale_1_are_limits),
        ARENA_TEST(concatenations_lie_in_others),
        ARENA_TEST(products_of_powers_of_two_round_to_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
