/* Layers between the tiles of others, and functions of one byte that need no table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compiler/schedule/saved.h"
#include "tests/unit/computes.h"
#include "tests/unit/modules.h"
#include "tests/unit/random_graphs.h"

/* ---- what tests share ---- */

static struct weft_text printed(const struct saved_file *file) {
    struct weft_text text = {0};
    struct weft_error error;
    saved_print(&text, file);
    ASSERT_GOOD(weft_text_finish(&text, &error), error);
    return text;
}

/* ---- layers beside others ---- */

/* Carries every layer that can be out between the tiles of another in the way `way`; returns how
 * many can be. */
static int put_beside(const struct weft_graph *graph, const char *config, struct saved_file *file,
                      int64_t way) {
    int count = 0;
    for (size_t i = 0; i < file->schedule_count; i++) {
        struct saved_schedule *schedule = &file->schedules[i];
        for (size_t k = 0; k < schedule->layer_count; k++) {
            int64_t before = schedule->layers[k].cut.beside;
            struct weft_module *module = NULL;
            struct weft_error error;
            schedule->layers[k].cut.beside = way;
            struct weft_text text = printed(file);
            if (compile_with_decisions(graph, config, &text, &module, &error)) {
                count++;
                weft_module_free(module);
            } else {
                assert_int_equal(error.code, WEFT_DECISIONS);
                schedule->layers[k].cut.beside = before;
            }
            weft_text_free(&text);
        }
    }
    return count;
}

static void layers_beside_others_compute_the_same(void **state) {
    struct weft_arena *arena = *state;
    int put = 0;
    int moved = 0;
    const int count = random_share(240);
    for (uint64_t seed = 1; seed <= (uint64_t)count; seed++) {
        const struct weft_graph *graph = random_layers(arena, &random_small, seed);
        const char *config = test_configs[seed % 3];
        struct weft_module *module = NULL;
        struct weft_module *changed = NULL;
        struct weft_error error;
        struct saved_file file;
        ASSERT_GOOD(compile_with_decisions(graph, config, NULL, &module, &error), error);
        struct weft_text text = decisions_of(module);
        ASSERT_GOOD(saved_parse(arena, text.bytes, text.length, &file, &error), error);
        assert_true(module_computes(graph, config, module, seed));
        put += put_beside(graph, config, &file, 1 + (int64_t)(seed / 3 % 2));
        weft_text_free(&text);
        text = printed(&file);
        ASSERT_GOOD(compile_with_decisions(graph, config, &text, &changed, &error), error);
        assert_true(module_computes(graph, config, changed, seed));
        for (size_t i = 0; i < module->segment_count; i++) {
            moved += module->segments[i].cycles != changed->segments[i].cycles;
        }
        weft_text_free(&text);
        weft_module_free(changed);
        weft_module_free(module);
    }
    print_message("%d layers, which changed the cycles of %d programs\n", put, moved);
    assert_true(put > count / 3);
    assert_true(moved > count / 60);
}

/* A sum before a convolution that does not need it, and a function of that sum behind it. */
static const struct weft_graph *sum_around(struct weft_arena *arena) {
    struct weft_text text = {0};
    weft_text_add(&text,
                  "graph g(%%0: 1x32x32x16xi8{0.1, 3}, %%1: 1x32x32x16xi8{0.2, -7}) {\n"
                  "%%s = qnn.add(%%0, %%1) : 1x32x32x16xi8{0.3, 1}\n%%w = constant() data=[");
    for (int i = 0; i < 16 * 9 * 16; i++) {
        weft_text_add(&text, i == 0 ? "%d" : ", %d", i * 37 % 251 - 125);
    }
    weft_text_add(&text, "] : 16x3x3x16xi8{0.01, 0}\n"
                         "%%p = qnn.conv2d(%%0, %%w) strides=[1, 1] padding=[1, 1, 1, 1] "
                         "dilation=[1, 1] groups=1 : 1x32x32x16xi32{0.001, 0}\n"
                         "%%c = qnn.requantize(%%p) rounding=\"gemmlowp\" : "
                         "1x32x32x16xi8{0.5, 0}\n"
                         "%%r = qnn.relu(%%s) : 1x32x32x16xi8{0.2, -100}\n"
                         "%%m = qnn.mul(%%c, %%r) : 1x32x32x16xi8{0.7, 5}\n"
                         "return %%m, %%s, %%c }");
    const struct weft_graph *graph = graph_of(arena, text.bytes);
    weft_text_free(&text);
    return graph;
}

/* What is behind a convolution waits for what is before it, too, though both are between its tiles.
 */
static void a_layer_behind_waits_for_one_before(void **state) {
    struct weft_arena *arena = *state;
    const struct weft_graph *graph = sum_around(arena);
    struct weft_module *module = NULL;
    struct weft_error error;
    struct saved_file file;
    ASSERT_GOOD(compile_with_decisions(graph, "ref16", NULL, &module, &error), error);
    struct weft_text text = decisions_of(module);
    weft_module_free(module);
    ASSERT_GOOD(saved_parse(arena, text.bytes, text.length, &file, &error), error);
    weft_text_free(&text);
    struct saved_schedule *schedule = &file.schedules[0];
    assert_int_equal(schedule->run_count, 0); /* as listed: the sum comes first */
    for (size_t i = 0; i < schedule->layer_count; i++) {
        struct saved_layer *layer = &schedule->layers[i];
        layer->cut.beside = strcmp(layer->name, "add") == 0    ? BESIDE_NEXT
                            : strcmp(layer->name, "relu") == 0 ? BESIDE_LAST
                                                               : BESIDE_NONE;
        layer->cut.linked = false;
    }
    const struct weft_config config = config_named("ref16");
    schedule->as_if = (struct as_if){config.act_bytes, config.wgt_bytes, config.par_bytes};
    /* All that is made, and both inputs, which come first, are on chip as a whole. */
    for (size_t t = 0; t < schedule->tensor_count; t++) {
        struct saved_tensor *tensor = &schedule->tensors[t];
        tensor->keep.resident = t < 2 || tensor->producer >= 0;
        tensor->keep.stretch = 1;
    }
    text = printed(&file);
    ASSERT_GOOD(compile_with_decisions(graph, "ref16", &text, &module, &error), error);
    assert_true(module_computes(graph, "ref16", module, 1));
    weft_text_free(&text);
    weft_module_free(module);
}

/* ---- functions of one byte ---- */

static int count_functions(const struct weft_module *module, uint32_t function) {
    int count = 0;
    for (size_t i = 0; i < module->segment_count; i++) {
        const struct weft_program *program = &module->segments[i].program;
        for (size_t k = 0; k < program->count; k++) {
            const struct weft_instruction *instruction = &program->instructions[k];
            count += instruction->opcode == WEFT_OPCODE_VECTOR &&
                     instruction->vector.function == function;
        }
    }
    return count;
}

/* A function of one byte, which is no other layer's, and who computes it. */
static void assert_function(struct weft_arena *arena, const char *operator, const char * from,
                            const char *to, enum weft_function function) {
    static const enum weft_function functions[] = {WEFT_FUNCTION_LUT, WEFT_FUNCTION_COPY,
                                                   WEFT_FUNCTION_RESCALE};
    struct weft_text text = {0};
    struct weft_module *module = NULL;
    struct weft_error error;
    weft_text_add(&text,
                  "graph g(%%0: 1x8x8x40xi8{%s}) {\n%%a = qnn.%s(%%0) : 1x8x8x40xi8{%s}\n"
                  "return %%0, %%a }",
                  from, operator, to);
    const struct weft_graph *graph = graph_of(arena, text.bytes);
    ASSERT_GOOD(compile_with_decisions(graph, "ref16", NULL, &module, &error), error);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        int count = count_functions(module, functions[i]);
        if ((count > 0) != (functions[i] == function)) {
            fail_msg("%s from {%s} to {%s}: %d instructions of function %d", operator, from, to,
                     count, (int)functions[i]);
        }
    }
    assert_true(computes(graph, 1, NULL));
    weft_module_free(module);
    weft_text_free(&text);
}

static void functions_that_clamp_and_scale_need_no_table(void **state) {
    assert_function(*state, "relu", "0.1, 3", "0.1, 3", WEFT_FUNCTION_COPY);
    assert_function(*state, "relu", "0.1, 3", "0.0537, -128", WEFT_FUNCTION_RESCALE);
    assert_function(*state, "relu", "0.1, -128", "0.0937, -128", WEFT_FUNCTION_RESCALE);
    assert_function(*state, "relu", "0.02, -7", "0.9, 17", WEFT_FUNCTION_RESCALE);
    assert_function(*state, "logistic", "0.1, 3", "0.00390625, -128", WEFT_FUNCTION_LUT);
    assert_function(*state, "tanh", "0.1, 3", "0.0078125, 0", WEFT_FUNCTION_LUT);
}

/* A scale and a zero point. */
static void random_scale(uint64_t *random, char *text, size_t size) {
    double scale = 0.0001 * (double)random_in(random, 1, 20000);
    (void)snprintf(text, size, "%g, %d", scale, (int)random_in(random, -128, 127));
}

/* A ReLU of any two scales and zero points is one that scales. */
static void all_scales_are_found(void **state) {
    struct weft_arena *arena = *state;
    uint64_t random = 1;
    for (int i = 0; i < random_share(200); i++) {
        char from[64];
        char to[64];
        random_scale(&random, from, sizeof from);
        random_scale(&random, to, sizeof to);
        struct weft_text text = {0};
        struct weft_module *module = NULL;
        struct weft_error error;
        weft_text_add(&text,
                      "graph g(%%0: 1x4x4x20xi8{%s}) {\n%%a = qnn.relu(%%0) : 1x4x4x20xi8{%s}\n"
                      "return %%0, %%a }",
                      from, to);
        const struct weft_graph *graph = graph_of(arena, text.bytes);
        ASSERT_GOOD(compile_with_decisions(graph, "small8", NULL, &module, &error), error);
        if (count_functions(module, WEFT_FUNCTION_LUT) > 0) {
            fail_msg("from {%s} to {%s}", from, to);
        }
        assert_true(module_computes(graph, "small8", module, (uint64_t)i));
        weft_module_free(module);
        weft_text_free(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(layers_beside_others_compute_the_same),
        ARENA_TEST(a_layer_behind_waits_for_one_before),
        ARENA_TEST(functions_that_clamp_and_scale_need_no_table),
        ARENA_TEST(all_scales_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
