/* compiler/host: elements by their indices, and between them, and the end of a detector; numbers
 * worked out by hand. */
#include "tests/unit/graphs.h"

#include <string.h>

#include "compiler/host/host.h"

/* Runs a graph of one node. */
static void run(struct weft_arena *arena, const char *text, const void *const *inputs,
                void *const *outputs) {
    struct weft_error error;
    const struct weft_graph *graph = graph_of(arena, text);
    ASSERT_GOOD(weft_host_run(graph->nodes[0], inputs, outputs, &error), error);
}

static void parts_are_found(void **state) {
    const int16_t x[8] = {10, 11, 20, 21, 30, 31, 40, 41};
    const int32_t places[4] = {1, 1, 0, 1};
    const int64_t rows[3] = {3, 0, 3};
    int16_t got[6] = {0};
    run(*state,
        "graph g(%0: 2x2x2xi16, %1: 2x2xi32) { %2 = gather_nd(%0, %1) : 2x2xi16 return %2 }",
        (const void *[]){x, places}, (void *[]){got});
    assert_memory_equal(got, ((int16_t[4]){40, 41, 20, 21}), 8);
    run(*state, "graph g(%0: 4x2xi16, %1: 3x1xi64) { %2 = gather_nd(%0, %1) : 3x2xi16 return %2 }",
        (const void *[]){x, rows}, (void *[]){got});
    assert_memory_equal(got, ((int16_t[6]){40, 41, 10, 11, 40, 41}), 12);
}

/* A quarter of the way from 10 to 20 is 12.5: halves are rounded away from the zero point. */
static void elements_are_mixed(void **state) {
    const int8_t bytes[6] = {10, -10, 20, -20, 17, 4};
    const float floats[3] = {1, 2, 4};
    int8_t got[8] = {0};
    float mixed[2] = {0};
    run(*state,
        "graph g(%0: 3x2xi8{1, 0}) { %1 = interpolate_axis(%0) axis=0 elements=[0, 0, 2, 1]\n"
        "fractions=[268435456, 536870912, 0, 1073741823] : 4x2xi8{1, 0} return %1 }",
        (const void *[]){bytes}, (void *[]){got});
    assert_memory_equal(got, ((int8_t[8]){13, -13, 15, -15, 17, 4, 17, 4}), 8);
    run(*state,
        "graph g(%0: 6xi8{1, 3}) { %1 = interpolate_axis(%0) axis=0 elements=[4] "
        "fractions=[536870912] : 1xi8{1, 3} return %1 }",
        (const void *[]){bytes}, (void *[]){got});
    assert_int_equal(got[0], 11); /* 14 and 1, 7.5, and 3 */
    run(*state,
        "graph g(%0: 3xf32) { %1 = interpolate_axis(%0) axis=0 elements=[1, 0] "
        "fractions=[268435456, 0] : 2xf32 return %1 }",
        (const void *[]){floats}, (void *[]){mixed});
    assert_memory_equal(mixed, ((float[2]){2.5F, 1}), sizeof mixed);
}

/* Of three pixels, -1 is the first one, 0 the second, 0.5 between that and the third, 2 outside. */
static void pictures_are_sampled(void **state) {
    static const struct {
        const char *outside;
        float beyond;
    } cases[] = {{"zeros", 0}, {"border", 40}, {"reflection", 20}};
    const float pixels[3] = {10, 20, 40};
    const float places[8] = {-1, 0, 0, 0, 0.5F, 0, 2, 0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        float got[4] = {0};
        run(*state,
            weft_arena_print(*state,
                             "graph g(%%0: 1x1x3x1xf32, %%1: 1x2x2x2xf32) {\n"
                             "%%2 = grid_sample(%%0, %%1) mode=\"linear\" outside=\"%s\" "
                             "align_corners=1 : 1x2x2x1xf32 return %%2 }",
                             cases[i].outside),
            (const void *[]){pixels, places}, (void *[]){got});
        assert_memory_equal(got, ((float[4]){10, 20, 30, cases[i].beyond}), sizeof got);
    }
}

static void parts_are_added(void **state) {
    const int32_t rows[3] = {2, 0, 2};
    const int8_t parts[6] = {100, 1, 5, 6, 100, 2};
    const float numbers[6] = {1.5F, 1, 5, 6, 0.25F, 2};
    int8_t got[6] = {0};
    float sums[6] = {0};
    run(*state,
        "graph g(%0: 3x1xi32, %1: 3x2xi8) { %2 = scatter_nd(%0, %1) sizes=[3, 2] : 3x2xi8 return "
        "%2 "
        "}",
        (const void *[]){rows, parts}, (void *[]){got});
    assert_memory_equal(got, ((int8_t[6]){5, 6, 0, 0, -56, 3}), 6); /* 200 wraps */
    run(*state,
        "graph g(%0: 3x1xi32, %1: 3x2xf32) { %2 = scatter_nd(%0, %1) sizes=[3, 2] : 3x2xf32 return "
        "%2 }",
        (const void *[]){rows, numbers}, (void *[]){sums});
    assert_memory_equal(sums, ((float[6]){5, 6, 0, 0, 1.75F, 3}), sizeof sums);
}

/* Every index, of each place, lies inside its own axis; nothing is written otherwise. */
static void parts_outside_are_told(void **state) {
    static const int32_t wrong[][2] = {{0, 3}, {2, 0}, {-1, 2}, {0, INT32_MIN}, {INT32_MAX, 0}};
    const struct weft_graph *gather = graph_of(
        *state, "graph g(%0: 2x3xi8, %1: 2xi32) { %2 = gather_nd(%0, %1) : i8 return %2 }");
    const struct weft_graph *scatter = graph_of(
        *state, "graph g(%0: 2xi32, %1: i8) { %2 = scatter_nd(%0, %1) sizes=[2, 3] : 2x3xi8 return "
                "%2 }");
    const int8_t x[6] = {0};
    struct weft_error error;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        int8_t got[6] = {9, 9, 9, 9, 9, 9};
        ASSERT_FAILS(
            weft_host_run(gather->nodes[0], (const void *[]){x, wrong[i]}, (void *[]){got}, &error),
            error, WEFT_TENSOR);
        ASSERT_FAILS(weft_host_run(scatter->nodes[0], (const void *[]){wrong[i], x},
                                   (void *[]){got}, &error),
                     error, WEFT_TENSOR);
        assert_memory_equal(got, ((int8_t[6]){9, 9, 9, 9, 9, 9}), 6);
    }
}

/* One after another: a place named twice counts twice. */
static void elements_are_placed(void **state) {
    const int8_t x[6] = {1, 2, 3, 4, 5, 6};
    const int64_t places[3] = {5, 0, 5};
    const int8_t bytes[3] = {100, -1, 3};
    const float numbers[4] = {1.5F, -2, 3, 4};
    const int32_t two[2] = {1, 1};
    const float factors[2] = {0.5F, 3};
#define SCATTER(reduction)                                                                         \
    "graph g(%0: 2x3xi8, %1: 3xi64, %2: 3xi8) { %3 = scatter(%0, %1, %2) reduction=\"" reduction   \
    "\" : 2x3xi8 return %3 }"
    assert_host_of_three(*state, SCATTER("none"), x, places, bytes,
                         ((int8_t[6]){-1, 2, 3, 4, 5, 3}));
    assert_host_of_three(*state, SCATTER("add"), x, places, bytes,
                         ((int8_t[6]){0, 2, 3, 4, 5, 109}));
    assert_host_of_three(*state, SCATTER("mul"), x, places, bytes, /* 6 * 100 * 3 wraps */
                         ((int8_t[6]){-1, 2, 3, 4, 5, 8}));
    assert_host_of_three(*state, SCATTER("min"), x, places, bytes,
                         ((int8_t[6]){-1, 2, 3, 4, 5, 3}));
    assert_host_of_three(*state, SCATTER("max"), x, places, bytes,
                         ((int8_t[6]){1, 2, 3, 4, 5, 100}));
    assert_host_of_three(*state,
                         "graph g(%0: 4xf32, %1: 2xi32, %2: 2xf32) { %3 = scatter(%0, %1, %2) "
                         "reduction=\"mul\" : 4xf32 return %3 }",
                         numbers, two, factors, ((float[4]){1.5F, -3, 3, 4}));
}

static void places_outside_are_told(void **state) {
    static const int64_t wrong[] = {-1, 6, INT64_MIN, INT64_MAX};
    const struct weft_graph *graph = graph_of(*state, SCATTER("add"));
    const int8_t x[6] = {0};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const int64_t places[3] = {0, wrong[i], 1};
        int8_t got[6];
        struct weft_error error;
        ASSERT_FAILS(
            weft_host_run(graph->nodes[0], (const void *[]){x, places, x}, (void *[]){got}, &error),
            error, WEFT_TENSOR);
    }
}

static void indices_become_rows(void **state) {
    const int32_t indices[3] = {1, -1, 0};
    const int8_t on = 7;
    const int8_t off = -7;
    int8_t got[6] = {0};
    run(*state,
        "graph g(%0: 3xi32, %1: i8, %2: i8) { %3 = one_hot(%0, %1, %2) axis=1 depth=2 : 3x2xi8 "
        "return %3 }",
        (const void *[]){indices, &on, &off}, (void *[]){got});
    assert_memory_equal(got, ((int8_t[6]){-7, 7, -7, -7, 7, -7}), 6);
    run(*state,
        "graph g(%0: 3xi32, %1: i8, %2: i8) { %3 = one_hot(%0, %1, %2) axis=0 depth=2 : 2x3xi8 "
        "return %3 }",
        (const void *[]){indices, &on, &off}, (void *[]){got});
    assert_memory_equal(got, ((int8_t[6]){-7, -7, 7, 7, -7, -7}), 6);
}

static void the_largest_fall(void **state) {
    const int8_t x[12] = {3, 9, 3, 9, -1, 0, 1, 2, 3, 4, 5, 6};
    const float y[4] = {-0.0F, -2.5F, 0.0F, -1e-40F};
    int8_t elements[8] = {0};
    float numbers[4] = {0};
    int64_t wide[4] = {0};
    int32_t indices[8] = {0};
    run(*state, "graph g(%0: 2x6xi8) { %1, %2 = topk(%0) depth=4 : 2x4xi8, 2x4xi32 return %1, %2 }",
        (const void *[]){x}, (void *[]){elements, indices});
    assert_memory_equal(elements, ((int8_t[8]){9, 9, 3, 3, 6, 5, 4, 3}), 8);
    assert_memory_equal(indices, ((int32_t[8]){1, 3, 0, 2, 5, 4, 3, 2}), sizeof indices);
    run(*state, "graph g(%0: 4xf32) { %1, %2 = topk(%0) depth=4 : 4xf32, 4xi64 return %1, %2 }",
        (const void *[]){y}, (void *[]){numbers, wide});
    assert_memory_equal(wide, ((int64_t[4]){0, 2, 3, 1}), sizeof wide); /* 0 and -0 are equal */
}

static void the_smallest_are_found(void **state) {
    const int8_t x[6] = {5, -128, 5, 127, -128, 4};
    const float y[3] = {2, -3, -3};
    int32_t got[3] = {0};
    run(*state, "graph g(%0: 2x3xi8) { %1 = argmin(%0) axis=1 : 2xi32 return %1 }",
        (const void *[]){x}, (void *[]){got});
    assert_memory_equal(got, ((int32_t[2]){1, 1}), 8);
    run(*state, "graph g(%0: 2x3xi8) { %1 = argmin(%0) axis=0 : 3xi32 return %1 }",
        (const void *[]){x}, (void *[]){got});
    assert_memory_equal(got, ((int32_t[3]){0, 0, 1}), 12);
    run(*state, "graph g(%0: 3xf32) { %1 = argmin(%0) axis=0 : i32 return %1 }",
        (const void *[]){y}, (void *[]){got});
    assert_int_equal(got[0], 1);
}

static void tensors_are_repeated(void **state) {
    const int32_t x[4] = {1, 2, 3, 4};
    int32_t got[16] = {0};
    run(*state, "graph g(%0: 2x2xi32) { %1 = tile(%0) multiples=[2, 2] : 4x4xi32 return %1 }",
        (const void *[]){x}, (void *[]){got});
    assert_memory_equal(got, ((int32_t[16]){1, 2, 1, 2, 3, 4, 3, 4, 1, 2, 1, 2, 3, 4, 3, 4}),
                        sizeof got);
    run(*state, "graph g(%0: 2x2xi32) { %1 = tile(%0) multiples=[2, 1] : 4x2xi32 return %1 }",
        (const void *[]){x}, (void *[]){got});
    assert_memory_equal(got, ((int32_t[8]){1, 2, 3, 4, 1, 2, 3, 4}), 32);
}

/* ---- the end of a detector ---- */

/* Three anchors: the first two lie on each other but for a quarter, the third is far off. With
 * encodings of 0 a box is its anchor. */
static const float anchors[12] = {0.5F, 0.5F, 1, 1, 0.5F, 0.75F, 1, 1, 4, 4, 2, 2};
static const float scores[9] = {0, 0.25F, 0.5F, 0, 0.75F, 0.125F, 0, 0.0625F, 0.375F};

#define DETECT(numbers)                                                                            \
    "graph g(%0: 1x3x4xf32, %1: 1x3x3xf32, %2: 3x4xf32) { %3, %4, %5, %6 = "                       \
    "detection_postprocess(%0, %1, %2) detections=3 classes=2 per_box=1 " numbers                  \
    " overlap_threshold=0.5 y_scale=10 x_scale=10 h_scale=5 w_scale=5 : 1x3x4xf32, 1x3xf32, "      \
    "1x3xf32, 1xf32 return %3, %4, %5, %6 }"

static void boxes_do_not_overlap(void **state) {
    const float encodings[12] = {0};
    float boxes[12];
    float classes[3];
    float found_scores[3];
    float found = 0;
    void *const outputs[] = {boxes, classes, found_scores, &found};
    /* 0.75 / 1.25 in common: the second box takes the first one's place. */
    run(*state, DETECT("per_class=3 regular=0 score_threshold=0.2"),
        (const void *[]){encodings, scores, anchors}, outputs);
    assert_true(found == 2);
    assert_memory_equal(boxes, ((float[12]){0, 0.25F, 1, 1.25F, 3, 3, 5, 5, 0, 0, 0, 0}),
                        sizeof boxes);
    assert_memory_equal(classes, ((float[3]){0, 1, 0}), sizeof classes);
    assert_memory_equal(found_scores, ((float[3]){0.75F, 0.375F, 0}), sizeof found_scores);
    /* Each class by itself: the first box is the best of the second class. */
    run(*state, DETECT("per_class=2 regular=1 score_threshold=0.2"),
        (const void *[]){encodings, scores, anchors}, outputs);
    assert_true(found == 3);
    assert_memory_equal(boxes, ((float[12]){0, 0.25F, 1, 1.25F, 0, 0, 1, 1, 3, 3, 5, 5}),
                        sizeof boxes);
    assert_memory_equal(classes, ((float[3]){0, 1, 1}), sizeof classes);
    assert_memory_equal(found_scores, ((float[3]){0.75F, 0.5F, 0.375F}), sizeof found_scores);
}

/* An anchor of negative height turns a box upside down: the reference refuses. */
static void boxes_upside_down_are_told(void **state) {
    const float encodings[12] = {0};
    float wrong[12];
    float boxes[12];
    float numbers[3];
    struct weft_error error;
    memcpy(wrong, anchors, sizeof wrong);
    wrong[2] = -1;
    const struct weft_graph *graph =
        graph_of(*state, DETECT("per_class=3 regular=0 score_threshold=0.2"));
    ASSERT_FAILS(weft_host_run(graph->nodes[0], (const void *[]){encodings, scores, wrong},
                               (void *[]){boxes, numbers, numbers, numbers}, &error),
                 error, WEFT_OPERATOR);
}

/* ---- sequences ---- */

#define MATRIX "1x1xi8{0.015625, 0}"
#define OPERANDS                                                                                   \
    "%0: 1x2x1xi8{0.015625, 0}, %1: " MATRIX ", %2: " MATRIX ", %3: " MATRIX ", %4: " MATRIX       \
    ", %5: " MATRIX ", %6: " MATRIX ", %7: " MATRIX ", %8: " MATRIX                                \
    ", %9: 1xi32, %10: 1xi32, %11: 1xi32, %12: 1xi32"
#define LSTM(clip)                                                                                 \
    "graph g(" OPERANDS ") { %13 = qnn.lstm(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "    \
    "%12) time_major=0 cell_bits=4 cell_clip=" clip " hidden_scale=0.0078125 hidden_zero=0 : "     \
    "1x2x1xi8{0.0078125, 0} return %13 }"

/* Scales of 1/64 make products steps of 2^-12. With weights of 0 three gates are one half and the
 * fourth is tanh(1) = 0.7616: the cell is 0.3808, then 0.3808 / 2 more, 0.5712; the output is half
 * of its tanh, 0.1817 and 0.2582, in steps of 1/128. */
static void an_lstm_remembers(void **state) {
    const int8_t rows[2] = {100, -100};
    const int8_t no = 0;
    const int32_t zero = 0;
    const int32_t one = 1 << 12;
    int8_t got[2] = {0};
    const void *inputs[13] = {rows, &no, &no,   &no,   &no,  &no,  &no,
                              &no,  &no, &zero, &zero, &one, &zero};
    run(*state, LSTM("0"), inputs, (void *[]){got});
    assert_memory_equal(got, ((int8_t[2]){23, 33}), 2);
    /* Cells of at most 1/4: half of tanh(1/4) = 0.2449. */
    run(*state, LSTM("0.25"), inputs, (void *[]){got});
    assert_memory_equal(got, ((int8_t[2]){16, 16}), 2);
    /* The cell gate sees the input, 100 and -100 / 64 of weight 1: tanh(1 + 1.5625) = 0.9882,
     * tanh(1 - 1.5625) = -0.5098: cells of 0.4941 and -0.0079. */
    const int8_t weight = 64;
    inputs[3] = &weight;
    run(*state, LSTM("0"), inputs, (void *[]){got});
    assert_memory_equal(got, ((int8_t[2]){29, 0}), 2);
}

/* What parameters could not hold, or kernels would not be defined for, is no graph. */
static void wrong_attributes_are_refused(void **state) {
    static const char *const texts[] = {
        DETECT("per_class=0 regular=0 score_threshold=0"),
        DETECT("per_class=1 regular=2 score_threshold=0"),
        "graph g(%0: 1x3x4xf32, %1: 1x3x3xf32, %2: 3x4xf32) { %3, %4, %5, %6 = "
        "detection_postprocess(%0, %1, %2) detections=3 classes=1 per_box=1 per_class=1 regular=0 "
        "score_threshold=0 overlap_threshold=0.5 y_scale=10 x_scale=10 h_scale=5 w_scale=5 : "
        "1x3x4xf32, 1x3xf32, 1x3xf32, 1xf32 return %3, %4, %5, %6 }",
        "graph g(%0: 2x5xi8) { %1, %2 = topk(%0) depth=6 : 2x6xi8, 2x6xi32 return %1, %2 }",
        "graph g(" OPERANDS ") { %13 = qnn.lstm(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "
        "%12) time_major=0 cell_bits=7 cell_clip=0 hidden_scale=0.0078125 hidden_zero=0 : "
        "1x2x1xi8{0.0078125, 0} return %13 }",
        "graph g(" OPERANDS ") { %13 = qnn.lstm(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "
        "%12) time_major=0 cell_bits=4 cell_clip=0 hidden_scale=0 hidden_zero=0 : "
        "1x2x1xi8{0.0078125, 0} return %13 }",
        "graph g(%0: 4xf32, %1: 2xi32, %2: 2xf32) { %3 = scatter(%0, %1, %2) reduction=\"sub\" : "
        "4xf32 return %3 }",
        "graph g(%0: 4xf32, %1: 2xi32, %2: 3xf32) { %3 = scatter(%0, %1, %2) reduction=\"add\" : "
        "4xf32 return %3 }",
        "graph g(%0: 4xf32, %1: 2xf32, %2: 2xf32) { %3 = scatter(%0, %1, %2) reduction=\"add\" : "
        "4xf32 return %3 }",
        "graph g(%0: 2xf32) { %1 = qnn.quantize(%0) rounding=\"up\" : 2xi8{1, 0} return %1 }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct weft_graph *graph = NULL;
        struct weft_error error = {0};
        ASSERT_FAILS(weft_graph_parse(*state, texts[i], strlen(texts[i]), NULL, &graph, &error),
                     error, WEFT_GRAPH);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(parts_are_found),
        ARENA_TEST(elements_are_mixed),
        ARENA_TEST(pictures_are_sampled),
        ARENA_TEST(parts_are_added),
        ARENA_TEST(parts_outside_are_told),
        ARENA_TEST(elements_are_placed),
        ARENA_TEST(places_outside_are_told),
        ARENA_TEST(indices_become_rows),
        ARENA_TEST(the_largest_fall),
        ARENA_TEST(the_smallest_are_found),
        ARENA_TEST(tensors_are_repeated),
        ARENA_TEST(boxes_do_not_overlap),
        ARENA_TEST(boxes_upside_down_are_told),
        ARENA_TEST(an_lstm_remembers),
        ARENA_TEST(wrong_attributes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
