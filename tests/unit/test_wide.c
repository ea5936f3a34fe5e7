/* Float products by blocks (kernels/wide) against the plain kernels: byte for byte, since every sum
 * is added up in the same order with the same roundings. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/wide/product.h"
#include "tests/unit/graphs.h"

enum {
    ROUNDS = 400 /* random products of each kind */
};

/* One product: parameters, operands, and the plain kernel's result. */
struct problem {
    enum weft_kernel kernel;
    union {
        struct weft_conv2d_parameters window;
        struct weft_dense_parameters dense;
        struct weft_batch_matmul_parameters matrices;
    } parameters;
    int64_t input_count, weights_count, output_count;
    float *input, *weights, *expected, *got;
};

static float random_float(uint64_t *seed) {
    float dividend = (float)random_in(seed, -1000, 1000);
    return dividend / (float)random_in(seed, 1, 300);
}

static float *random_floats(uint64_t *seed, int64_t count) {
    float *floats = malloc((size_t)count * sizeof *floats + 1);
    assert_non_null(floats);
    for (int64_t i = 0; i < count; i++) {
        floats[i] = random_float(seed);
    }
    return floats;
}

static void fill(struct problem *problem, uint64_t *seed) {
    size_t bytes = (size_t)problem->output_count * sizeof(float);
    problem->input = random_floats(seed, problem->input_count);
    problem->weights = random_floats(seed, problem->weights_count);
    problem->expected = random_floats(seed, problem->output_count);
    problem->got = malloc(bytes + 1);
    assert_non_null(problem->got);
    memset(problem->got, 0x55, bytes);
    assert_int_equal(weft_kernels[problem->kernel].run(
                         &problem->parameters, (const void *[]){problem->input, problem->weights},
                         (void *[]){problem->expected}, NULL, NULL),
                     WEFT_KERNEL_OK);
}

static void release(struct problem *problem) {
    free(problem->input);
    free(problem->weights);
    free(problem->expected);
    free(problem->got);
}

static int64_t product_of(const int32_t dim[4]) {
    return (int64_t)dim[0] * dim[1] * dim[2] * dim[3];
}

/* ---- random problems ---- */

static void random_window(struct weft_conv2d_parameters *w, bool transposed, uint64_t *seed) {
    w->groups = (int32_t)(transposed || random_once_in(seed, 2) ? 1 : random_in(seed, 2, 6));
    bool depthwise = w->groups > 1 && random_once_in(seed, 2);
    int32_t channels = depthwise ? 1 : (int32_t)random_in(seed, 1, 9);
    w->groups *= depthwise ? (int32_t)random_in(seed, 1, 30) : 1;
    int32_t outputs = depthwise ? 1 : (int32_t)random_in(seed, 1, 70);
    w->input[0] = (int32_t)random_in(seed, 1, 2);
    w->input[3] = channels * w->groups;
    w->weights[0] = outputs * w->groups;
    w->weights[3] = channels;
    w->output[0] = w->input[0];
    w->output[3] = w->weights[0];
    for (int i = 0; i < 2; i++) {
        w->input[1 + i] = (int32_t)random_in(seed, 1, 11);
        w->weights[1 + i] = (int32_t)random_in(seed, 1, 4);
        w->stride[i] = (int32_t)random_in(seed, 1, 3);
        w->dilation[i] = (int32_t)(transposed ? 1 : random_in(seed, 1, 3));
        w->padding[i] = (int32_t)random_in(seed, 0, 3);
        w->output[1 + i] = (int32_t)random_in(seed, 1, 12); /* windows may lie outside, too */
    }
}

static void make_window(struct problem *problem, bool transposed, uint64_t *seed) {
    struct weft_conv2d_parameters *w = &problem->parameters.window;
    problem->kernel = transposed ? WEFT_KERNEL_conv2d_transpose : WEFT_KERNEL_conv2d;
    random_window(w, transposed, seed);
    problem->input_count = product_of(w->input);
    problem->weights_count = product_of(w->weights);
    problem->output_count = product_of(w->output);
}

static void make_dense(struct problem *problem, uint64_t *seed) {
    struct weft_dense_parameters *dense = &problem->parameters.dense;
    dense->rows = (int32_t)random_in(seed, 1, 40);
    dense->depth = (int32_t)random_in(seed, 1, 90);
    dense->outputs = (int32_t)random_in(seed, 1, 90);
    problem->kernel = WEFT_KERNEL_dense;
    problem->input_count = (int64_t)dense->rows * dense->depth;
    problem->weights_count = (int64_t)dense->outputs * dense->depth;
    problem->output_count = (int64_t)dense->rows * dense->outputs;
}

/* Two axes of batches, of which each operand may repeat one. */
static void make_matrices(struct problem *problem, uint64_t *seed) {
    struct weft_batch_matmul_parameters *m = &problem->parameters.matrices;
    int64_t counts[2] = {0};
    problem->kernel = WEFT_KERNEL_batch_matmul;
    m->batch.rank = (int32_t)random_in(seed, 0, 2);
    m->rows = (int32_t)random_in(seed, 1, 30);
    m->depth = (int32_t)random_in(seed, 1, 40);
    m->columns = (int32_t)random_in(seed, 1, 70);
    int64_t batches = 1;
    for (int32_t i = 0; i < m->batch.rank; i++) {
        m->batch.dim[i] = (int32_t)random_in(seed, 1, 4);
        batches *= m->batch.dim[i];
    }
    for (int operand = 0; operand < 2; operand++) {
        int64_t step = m->depth * (int64_t)(operand == 0 ? m->rows : m->columns);
        m->transposed[operand] = random_once_in(seed, 2);
        for (int32_t i = m->batch.rank; i-- > 0;) {
            bool repeated = random_once_in(seed, 3);
            m->batch_step[operand][i] = repeated ? 0 : step;
            step *= repeated ? 1 : m->batch.dim[i];
        }
        counts[operand] = step;
    }
    problem->input_count = counts[0];
    problem->weights_count = counts[1];
    problem->output_count = batches * m->rows * m->columns;
}

/* ---- carrying them out ---- */

/* Divides every batch into blocks of a random size. */
static void run_blocks(const struct weft_wide_product *product, const struct problem *problem,
                       const float *packed, uint64_t *seed) {
    int64_t result[2] = {0};
    weft_wide_result(product, &result[0], &result[1]);
    assert_int_equal(result[0] * result[1], problem->output_count);
    int32_t rows = (int32_t)random_in(seed, 1, product->rows);
    int32_t panels = (int32_t)random_in(seed, 1, 3);
    int32_t columns = panels * product->loops->width;
    if (product->kind == WEFT_WIDE_DEPTHWISE || columns > product->columns) {
        columns = product->columns;
    }
    float *scratch = malloc((size_t)weft_wide_scratch(product, rows) * sizeof *scratch + 1);
    assert_non_null(scratch);
    struct weft_wide_block block = {0};
    for (block.batch = 0; block.batch < product->batches; block.batch++) {
        for (int32_t r = 0; r < product->rows; r += rows) {
            for (int32_t c = 0; c < product->columns; c += columns) {
                int64_t at[2] = {0};
                block.first_row = r;
                block.rows = product->rows - r < rows ? product->rows - r : rows;
                block.first_column = c;
                block.columns = product->columns - c < columns ? product->columns - c : columns;
                weft_wide_place(product, &block, &at[0], &at[1]);
                weft_wide_compute(product, &block, problem->input, packed,
                                  problem->got + at[0] * result[1] + at[1], result[1], scratch);
            }
        }
    }
    free(scratch);
}

/* True when the problem was one for blocks. */
static bool check_problem(const struct problem *problem, enum weft_vectors vectors,
                          uint64_t *seed) {
    struct weft_wide_product product;
    if (!weft_wide_describe(problem->kernel, &problem->parameters, vectors, &product)) {
        return false;
    }
    assert_true(weft_wide_suits(&product, problem->weights, problem->weights_count));
    float *packed = malloc((size_t)weft_wide_packed(&product) * sizeof *packed);
    assert_non_null(packed);
    for (int64_t i = 0; i < weft_wide_pieces(&product); i++) {
        weft_wide_pack(&product, problem->weights, i, packed);
    }
    run_blocks(&product, problem, packed, seed);
    assert_memory_equal(problem->got, problem->expected,
                        (size_t)problem->output_count * sizeof(float));
    free(packed);
    return true;
}

static void check_kind(void (*make)(struct problem *problem, uint64_t *seed)) {
    uint64_t seed = 1;
    for (enum weft_vectors vectors = WEFT_VECTORS_ANY; vectors < WEFT_VECTORS; vectors++) {
        int done = 0;
        for (int i = 0; weft_vectors_available(vectors) && i < ROUNDS; i++) {
            struct problem problem = {0};
            make(&problem, &seed);
            fill(&problem, &seed);
            done += check_problem(&problem, vectors, &seed) ? 1 : 0;
            release(&problem);
        }
        assert_true(!weft_vectors_available(vectors) || done > ROUNDS / 4);
    }
}

static void make_conv2d(struct problem *problem, uint64_t *seed) {
    make_window(problem, false, seed);
}

static void make_conv2d_transpose(struct problem *problem, uint64_t *seed) {
    make_window(problem, true, seed);
}

static void convolutions_are_exact(void **state) {
    (void)state;
    check_kind(make_conv2d);
}

static void transposed_convolutions_are_exact(void **state) {
    (void)state;
    check_kind(make_conv2d_transpose);
}

static void dense_products_are_exact(void **state) {
    (void)state;
    check_kind(make_dense);
}

static void matrix_products_are_exact(void **state) {
    (void)state;
    check_kind(make_matrices);
}

/* ---- what is left to the kernels ---- */

static const struct weft_conv2d_parameters padded = {.input = {1, 8, 8, 4},
                                                     .weights = {8, 3, 3, 4},
                                                     .output = {1, 8, 8, 8},
                                                     .stride = {1, 1},
                                                     .padding = {1, 1},
                                                     .dilation = {1, 1},
                                                     .groups = 1};

static void weights_that_are_not_finite_are_not_padded(void **state) {
    float weights[8 * 3 * 3 * 4] = {0};
    struct weft_conv2d_parameters inside = padded;
    struct weft_wide_product product;
    (void)state;
    inside.padding[0] = inside.padding[1] = 0;
    inside.output[1] = inside.output[2] = 6;
    for (int i = 0; i < 3; i++) {
        weights[17] = i == 0 ? 1.0F : i == 1 ? INFINITY : NAN;
        assert_true(weft_wide_describe(WEFT_KERNEL_conv2d, &padded, weft_vectors_best(), &product));
        assert_int_equal(weft_wide_suits(&product, weights, 8 * 3 * 3 * 4), i == 0);
        assert_true(weft_wide_describe(WEFT_KERNEL_conv2d, &inside, weft_vectors_best(), &product));
        assert_true(weft_wide_suits(&product, weights, 8 * 3 * 3 * 4));
    }
}

static void small_and_odd_sizes_are_left_to_the_kernels(void **state) {
    const struct weft_dense_parameters small = {2, 8, 8};
    const struct weft_dense_parameters deep = {4, 1 << 17, 1};
    const struct weft_dense_parameters empty = {0, 64, 64};
    const struct weft_count_parameters count = {64};
    struct weft_wide_product product;
    (void)state;
    assert_false(weft_wide_describe(WEFT_KERNEL_dense, &small, WEFT_VECTORS_ANY, &product));
    assert_false(weft_wide_describe(WEFT_KERNEL_dense, &deep, WEFT_VECTORS_ANY, &product));
    assert_false(weft_wide_describe(WEFT_KERNEL_dense, &empty, WEFT_VECTORS_ANY, &product));
    assert_false(weft_wide_describe(WEFT_KERNEL_relu, &count, WEFT_VECTORS_ANY, &product));
    /* 4,096 groups of one output would be packed to 8 columns each at least. */
    struct weft_conv2d_parameters narrow = padded;
    narrow.input[3] = 2 * 4096;
    narrow.groups = narrow.weights[0] = narrow.output[3] = 4096;
    narrow.weights[3] = 2;
    assert_false(weft_wide_describe(WEFT_KERNEL_conv2d, &narrow, WEFT_VECTORS_AVX512, &product) &&
                 weft_wide_packed(&product) > 2 * (int64_t)narrow.weights[0] * 18);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions_are_exact),
        cmocka_unit_test(transposed_convolutions_are_exact),
        cmocka_unit_test(dense_products_are_exact),
        cmocka_unit_test(matrix_products_are_exact),
        cmocka_unit_test(weights_that_are_not_finite_are_not_padded),
        cmocka_unit_test(small_and_odd_sizes_are_left_to_the_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
