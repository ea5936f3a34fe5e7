/* Networks that went wrong once: on machines of odd sizes, or of odd shapes themselves. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "tests/unit/computes.h"
#include "tests/unit/folder.h"
#include "tests/unit/modules.h"

static void add_data(struct weft_text *out, int count) {
    for (int i = 0; i < count; i++) {
        weft_text_add(out, "%s%d", i == 0 ? "[" : ", ", i * 37 % 251 - 125);
    }
    weft_text_add(out, "]");
}

static struct weft_graph *graph_of_text(struct weft_arena *arena, struct weft_text *text) {
    struct weft_error error;
    ASSERT_GOOD(weft_text_finish(text, &error), error);
    struct weft_graph *graph = graph_of(arena, text->bytes);
    weft_text_free(text);
    return graph;
}

/* Writes the configuration, which needs a name of its own, to a file. */
static const char *config_file(const struct folder *folder, struct weft_config *config) {
    struct weft_text text = {0};
    struct weft_error error;
    (void)snprintf(config->name, sizeof config->name, "odd");
    ASSERT_GOOD(weft_config_print(config, &text, &error), error);
    const char *path = folder_write(folder, "odd.json", text.bytes, text.length);
    weft_text_free(&text);
    return path;
}

/* A piece of weights in several banks of WGT stays or goes as a whole where banks keep what they
 * have. */
static void pieces_in_several_banks_are_kept_whole(void **state) {
    struct folder folder = folder_new();
    struct weft_config config = config_named("small8");
    struct weft_text text = {0};
    config.wgt_bytes = 2048;
    config.memory_width = 8;
    weft_text_add(&text, "graph main(%%x: 2x1x9x2xi8{0.05, 0}) {\n  %%w = constant() data=");
    add_data(&text, 10 * 6 * 17);
    weft_text_add(&text, " : 10x6x17x1xi8{0.01, 0}\n"
                         "  %%c = qnn.conv2d(%%x, %%w) strides=[1, 1] padding=[2, 5, 3, 3] "
                         "dilation=[1, 1] groups=2 : 2x1x1x10xi32{0.0005, 0}\n"
                         "  %%r = qnn.requantize(%%c) rounding=\"gemmlowp\" : 2x1x1x10xi8{0.4, 0}\n"
                         "  return %%r\n}\n");
    const struct weft_graph *graph = graph_of_text(*state, &text);
    const char *path = config_file(&folder, &config);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        assert_true(computes_on(graph, path, seed));
    }
    folder_free(&folder);
}

/* All columns of the window lie beside the operand: there is nothing to divide by columns, nor a
 * part of the operand to take. */
static void a_window_beside_its_operand(void **state) {
    struct weft_text text = {0};
    weft_text_add(&text, "graph main(%%x: 1x2x1x369xi8{0.05, 0}) {\n  %%w = constant() data=");
    add_data(&text, 9 * 5 * 2 * 369);
    weft_text_add(&text, " : 9x5x2x369xi8{0.01, 0}\n"
                         "  %%c = qnn.conv2d(%%x, %%w) strides=[1, 2] padding=[15, 4, 16, 0] "
                         "dilation=[8, 1] groups=1 : 1x1x2x9xi32{0.0005, 0}\n"
                         "  %%r = qnn.requantize(%%c) rounding=\"gemmlowp\" : 1x1x2x9xi8{2.4, 0}\n"
                         "  return %%r\n}\n");
    assert_true(computes(graph_of_text(*state, &text), 1, NULL));
}

/* The mean of a product is summed behind it, and reads several rows of it at once. */
static void means_behind_products(void **state) {
    static const int shapes[][4] = {{2, 16, 4, 64}, {4, 16, 16, 16}, {2, 8, 64, 8}, {3, 5, 7, 40}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const int *s = shapes[i];
        struct weft_text text = {0};
        weft_text_add(&text,
                      "graph main(%%a: 1x%dx%dx%dxi8{0.5, 1}, %%b: 1x%dx%dx%dxi8{0.25, -2}) {\n",
                      s[0], s[1], s[2], s[0], s[2], s[3]);
        weft_text_add(&text,
                      "  %%p = qnn.batch_matmul(%%a, %%b) transpose_a=0 transpose_b=0 : "
                      "1x%dx%dx%dxi32{0.125, 0}\n"
                      "  %%q = qnn.requantize(%%p) rounding=\"gemmlowp\" : "
                      "1x%dx%dx%dxi8{64, 3}\n"
                      "  %%m = qnn.mean(%%q) axes=[1, 2] keep_dims=0 : 1x%dxi8{8, -4}\n"
                      "  return %%m\n}\n",
                      s[0], s[1], s[3], s[0], s[1], s[3], s[3]);
        assert_true(computes(graph_of_text(*state, &text), 1, NULL));
    }
}

/* What needs more tokens than semaphores hold is another way's, or the host's. */
static void semaphores_that_hold_few_tokens(void **state) {
    struct folder folder = folder_new();
    struct weft_config config = config_named("small8");
    struct weft_text text = {0};
    config.wgt_banks = 2;
    config.queue_depth = 2;
    weft_text_add(&text,
                  "graph main(%%x: 4x8x1x8xi8{0.1, 127}) {\n"
                  "  %%p = avg_pool2d(%%x) kernel=[1, 1] strides=[3, 3] padding=[0, 0, 0, 0] : "
                  "4x3x1x8xi8{0.1, 127}\n  %%w = constant() data=");
    add_data(&text, 8 * 3);
    weft_text_add(&text, " : 8x1x3x1xi8{0.25, 0}\n"
                         "  %%c = qnn.conv2d(%%p, %%w) strides=[1, 5] padding=[0, 2, 0, 2] "
                         "dilation=[2, 2] groups=8 : 4x3x1x8xi32{0.025, 0}\n"
                         "  %%r = qnn.requantize(%%c) rounding=\"gemmlowp\" : 4x3x1x8xi8{0.5, 5}\n"
                         "  return %%r\n}\n");
    const struct weft_graph *graph = graph_of_text(*state, &text);
    for (config.semaphore_max = 1; config.semaphore_max <= 3; config.semaphore_max++) {
        const char *path = config_file(&folder, &config);
        struct weft_module *module = NULL;
        struct weft_error error;
        ASSERT_GOOD(compile_with_decisions(graph, path, NULL, &module, &error), error);
        assert_true(module_computes(graph, path, module, 1));
        weft_module_free(module);
    }
    folder_free(&folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(pieces_in_several_banks_are_kept_whole),
        ARENA_TEST(a_window_beside_its_operand),
        ARENA_TEST(means_behind_products),
        ARENA_TEST(semaphores_that_hold_few_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
