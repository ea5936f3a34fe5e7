/* compiler/host: softmax, which nobody computes by hand. */
#include "tests/unit/graphs.h"

#include <math.h>
#include <string.h>

#include "compiler/host/host.h"

enum {
    ROW = 6
};

static void softmax_rows(struct weft_arena *arena, const char *dtype, double beta, const void *in,
                         uint8_t *out, int rows) {
    const char *text =
        weft_arena_print(arena,
                         "graph g(%%0: %dx%dx%s{0.0625, 3}) {\n"
                         "%%1 = qnn.softmax(%%0) beta=%g : %dx%dx%s{0.00390625, 0} return %%1 }",
                         rows, ROW, dtype, beta, rows, ROW, dtype);
    const struct weft_graph *graph = graph_of(arena, text);
    memcpy(out, host_outputs(graph, &in)[0], (size_t)rows * ROW);
}

/* Against exp() in double: one step of rounding apart at most. */
static void softmax_is_close_to_the_real_one(void **state) {
    enum {
        ROWS = 50
    };
    uint64_t seed = 5;
    int8_t in[ROWS * ROW];
    uint8_t out[ROWS * ROW];
    random_fill(&seed, in, sizeof in);
    softmax_rows(*state, "i8", 0.75, in, out, ROWS);
    for (int row = 0; row < ROWS; row++) {
        double sum = 0;
        for (int i = 0; i < ROW; i++) {
            sum += exp(0.75 * 0.0625 * in[row * ROW + i]);
        }
        for (int i = 0; i < ROW; i++) {
            double exact = 256 * exp(0.75 * 0.0625 * in[row * ROW + i]) / sum;
            double got = (int8_t)out[row * ROW + i] + 128;
            assert_true(fabs(got - fmin(exact, 255)) <= 1.0);
        }
    }
}

static void softmax_is_monotone_and_sums_to_one(void **state) {
    enum {
        ROWS = 50
    };
    uint64_t seed = 6;
    int8_t in[ROWS * ROW];
    uint8_t out[ROWS * ROW];
    random_fill(&seed, in, sizeof in);
    softmax_rows(*state, "i8", 1, in, out, ROWS);
    for (int row = 0; row < ROWS; row++) {
        int sum = 0;
        for (int i = 0; i < ROW; i++) {
            int value = (int8_t)out[row * ROW + i] + 128;
            sum += value;
            for (int k = 0; k < ROW; k++) {
                int other = (int8_t)out[row * ROW + k] + 128;
                bool above = in[row * ROW + i] >= in[row * ROW + k];
                assert_true(above ? value >= other : value <= other);
            }
        }
        assert_true(sum >= 256 - ROW && sum <= 256 + ROW);
    }
}

static void softmax_of_unsigned_bytes_is_the_same_less_the_offset(void **state) {
    uint64_t seed = 7;
    int8_t in[ROW];
    uint8_t flipped[ROW];
    uint8_t out[ROW];
    uint8_t other[ROW];
    random_fill(&seed, in, sizeof in);
    for (int i = 0; i < ROW; i++) {
        flipped[i] = (uint8_t)(in[i] + 128);
    }
    softmax_rows(*state, "i8", 1, in, out, 1);
    softmax_rows(*state, "u8", 1, flipped, other, 1);
    for (int i = 0; i < ROW; i++) {
        assert_int_equal((int8_t)out[i] + 128, other[i]);
    }
}

/* `count` equal inputs share 256 steps. False when the kernel refuses them. */
static bool equal_softmax(struct weft_arena *arena, int count) {
    struct weft_error error = {0};
    const struct weft_graph *graph =
        graph_of(arena, weft_arena_print(arena,
                                         "graph g(%%0: %dxi8{0.5, 0}) {\n"
                                         "%%1 = qnn.softmax(%%0) beta=1 : %dxi8{0.00390625, -128}\n"
                                         "return %%1 }",
                                         count, count));
    int8_t *in = WEFT_NEW_ARRAY(arena, (size_t)count, int8_t);
    memset(in, 9, (size_t)count);
    const void *inputs[] = {in};
    void **outputs = output_room(graph);
    if (!weft_host_run_graph(graph, inputs, outputs, &error)) {
        assert_int_equal(error.code, WEFT_OPERATOR);
        return false;
    }
    int expected = (int)fmin(floor(256.0 / count + 0.5), 255) - 128;
    for (int i = 0; i < count; i++) {
        int got = ((const int8_t *)outputs[0])[i];
        if (got != expected) {
            print_error("%d equal inputs: expected %d, got %d\n", count, expected, got);
            fail();
        }
    }
    return true;
}

static void softmax_of_equal_inputs_is_equal(void **state) {
    static const int counts[] = {1, 2, 3, 10, 100, 256, 300, 511};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        assert_true(equal_softmax(*state, counts[i]));
    }
}

/* LiteRT 2.3.0 aborts from 512 equal inputs on (classifiers have 1000): an error or the right
 * answer, but not a wrong one. From multiples of 8192 the sum of their exponentials wraps to 0. */
static void softmax_of_many_equal_inputs_is_right_or_refused(void **state) {
    static const int counts[] = {512, 513, 1000, 1001, 2048, 4000, 5000, 8192, 16384};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        (void)equal_softmax(*state, counts[i]);
    }
}

static void softmax_of_empty_rows_is_nothing(void **state) {
    const struct weft_graph *graph =
        graph_of(*state, "graph g(%0: 2x0xi8{0.5, 0}) {\n"
                         "%1 = qnn.softmax(%0) beta=1 : 2x0xi8{0.5, 0} return %1 }");
    (void)host_outputs(graph, random_inputs(graph, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(softmax_is_close_to_the_real_one),
        ARENA_TEST(softmax_is_monotone_and_sums_to_one),
        ARENA_TEST(softmax_of_unsigned_bytes_is_the_same_less_the_offset),
        ARENA_TEST(softmax_of_equal_inputs_is_equal),
        ARENA_TEST(softmax_of_many_equal_inputs_is_right_or_refused),
        ARENA_TEST(softmax_of_empty_rows_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
