/* Several frames in one program: the bytes of each by itself, and what one of them takes. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "compiler/import/frames.h"
#include "compiler/schedule/saved.h"
#include "driver/figures.h"
#include "sim/trace/trace.h"
#include "tests/unit/containers.h"

enum {
    FRAMES = 5
};

/* ---- the digits network ---- */

static struct weft_module *digits_of(const char *config, uint32_t frames, bool one_by_one,
                                     struct digits *digits) {
    struct weft_error error = {0};
    struct weft_module *module = NULL;
    const struct weft_config machine = config_named(config);
    const struct weft_compile_options options = {.frames = frames, .one_by_one = one_by_one};
    *digits = digits_open(config);
    ASSERT_GOOD(
        weft_compile(digits->model, digits->model_length, &machine, &options, &module, &error),
        error);
    return module;
}

/* Pictures of one digit after the other go in, LiteRT's answers come out. */
static void frames_give_the_answers_of_each(void **state) {
    (void)state;
    for (size_t i = 0; test_configs[i] != NULL; i++) {
        for (int order = 0; order < 2; order++) {
            struct digits digits;
            struct weft_module *module = digits_of(test_configs[i], FRAMES, order != 0, &digits);
            uint8_t pictures[FRAMES * 256];
            uint8_t answers[FRAMES * 10];
            uint8_t expected[FRAMES * 10];
            struct weft_error error = {0};
            assert_int_equal(module->graph->inputs[0]->type.dim[0], FRAMES);
            for (int frame = 0; frame < FRAMES; frame++) {
                uint8_t *picture = digits_picture(&digits, frame);
                uint8_t *golden = digits_golden(&digits, frame);
                memcpy(pictures + frame * 256, picture, 256);
                memcpy(expected + frame * 10, golden, 10);
                free(picture);
                free(golden);
            }
            static const char *const targets[] = {"func", "cycle"};
            for (size_t t = 0; t < 2; t++) {
                memset(answers, 0x55, sizeof answers);
                ASSERT_GOOD(module_run(module, targets[t], (const void *[]){pictures},
                                       (void *[]){answers}, &error),
                            error);
                assert_memory_equal(answers, expected, sizeof answers);
            }
            weft_module_free(module);
            digits_close(&digits);
        }
    }
}

/* Cycles from one frame's end to the next one's. */
static double period_of(const struct weft_module *module) {
    struct weft_error error = {0};
    struct weft_trace trace;
    const struct weft_segment *segment = &module->segments[0];
    struct weft_timing_settings settings = {.memory.latency = 0}; /* the configuration's */
    weft_segment_regions(segment, &settings.regions);
    ASSERT_GOOD(weft_trace_record(&module->config, segment->program.instructions,
                                  segment->program.count, &settings, NULL, &trace, &error),
                error);
    double period = weft_frame_period(segment, &trace, module->frames);
    weft_trace_free(&trace);
    return period;
}

static void the_next_frame_begins_under_this_one(void **state) {
    (void)state;
    for (size_t i = 0; test_configs[i] != NULL; i++) {
        struct digits digits;
        struct weft_module *module = digits_of(test_configs[i], FRAMES, true, &digits);
        double one = (double)weft_module_cycles(digits.module);
        double all = (double)weft_module_cycles(module);
        double period = period_of(module);
        assert_true(period > 0 && period < one);
        /* Ends of frames lie inside the run, which begins with what only the first one waits for.
         */
        assert_true(period * (double)(FRAMES - 1) < all && all < one * (double)FRAMES);
        weft_module_free(module);
        digits_close(&digits);
        module = digits_of(test_configs[i], 1, true, &digits);
        assert_true(period_of(module) == 0);
        assert_int_equal(weft_module_cycles(module), weft_module_cycles(digits.module));
        weft_module_free(module);
        digits_close(&digits);
    }
}

static void files_say_how_many_frames_there_are(void **state) {
    (void)state;
    struct digits digits;
    struct weft_error error = {0};
    struct weft_module *module = digits_of("small8", FRAMES, true, &digits);
    struct file file = {0};
    ASSERT_GOOD(weft_module_write(module, &file.bytes, &file.length, &error), error);
    struct weft_module *read = read_file(&file);
    assert_int_equal(read->frames, FRAMES);
    assert_true(read->one_by_one);
    weft_module_free(read);
    static const struct {
        uint32_t frames, order;
        enum weft_error_code code;
    } cases[] = {{0, 1, WEFT_CONTAINER},
                 {WEFT_MOST_FRAMES + 1, 1, WEFT_CONTAINER},
                 {UINT32_MAX, 1, WEFT_CONTAINER},
                 {FRAMES, 2, WEFT_CONTAINER},
                 {FRAMES + 1, 0, WEFT_CONTAINER}, /* no tensor has so many */
                 {FRAMES, 0, WEFT_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct parts parts = take_apart(&file);
        uint8_t *at = parts.raw[NAME] + 8 + strlen("model") + 8;
        assert_int_equal(weft_read_u32(at), FRAMES);
        weft_write_u32(at, cases[i].frames);
        weft_write_u32(at + 4, cases[i].order);
        assert_parts(&parts, cases[i].code);
    }
    free(file.bytes);
    weft_module_free(module);
    digits_close(&digits);
}

static void too_many_frames_are_refused(void **state) {
    (void)state;
    struct digits digits = digits_open("small8");
    struct weft_error error = {0};
    struct weft_module *module = NULL;
    const struct weft_config machine = config_named("small8");
    const struct weft_compile_options options = {.frames = WEFT_MOST_FRAMES + 1};
    assert_false(
        weft_compile(digits.model, digits.model_length, &machine, &options, &module, &error));
    assert_int_equal(error.code, WEFT_ARGUMENT);
    digits_close(&digits);
}

/* ---- operators ---- */

#define GRAPH(inputs, nodes, result) "graph main(" inputs ") {\n" nodes "  return " result "\n}\n"
#define I8                           "xi8{0.5, 0}"

/* Graphs whose frames are independent. */
static const char *const kept[] = {
    GRAPH("%a: 1x4x4x3" I8,
          "  %b = transpose(%a) permutation=[0, 3, 1, 2] : 1x3x4x4" I8 "\n"
          "  %c = reshape(%b) : 3x16" I8 "\n",
          "%c"),
    GRAPH("%a: 2x6" I8,
          "  %b = strided_slice(%a) begin=[0, 1] steps=[1, 2] sizes=[2, 2] : 2x2" I8 "\n", "%b"),
    GRAPH("%a: 2x3" I8 ", %b: 2x5" I8, "  %c = concatenate(%a, %b) axis=1 : 2x8" I8 "\n", "%c"),
    GRAPH("%a: 1x3x4" I8 ", %b: 1x4x2" I8,
          "  %c = qnn.batch_matmul(%a, %b) transpose_a=0 transpose_b=0 : 1x3x2xi32{0.25, 0}\n",
          "%c"),
    GRAPH("%a: 1x2xi32",
          "  %t = constant() data=[1, 2, 3, 4, 5, 6] : 3x2" I8 "\n"
          "  %b = gather(%t, %a) axis=0 batch_dims=0 : 1x2x2" I8 "\n",
          "%b"),
    GRAPH("%a: 1x4x2" I8,
          "  %i = constant() data=[3, 0] : 2xi32\n"
          "  %b = gather(%a, %i) axis=1 batch_dims=0 : 1x2x2" I8 "\n",
          "%b"),
    GRAPH("%a: 2x4" I8,
          "  %s = constant() data=[1, 2, 3, 4] : 4" I8 "\n"
          "  %b = qnn.add(%a, %s) : 2x4xi8{1, 0}\n"
          "  %c = qnn.softmax(%b) beta=1 : 2x4xi8{0.00390625, -128}\n",
          "%c"),
    GRAPH("%a: 1x2x2x3" I8,
          "  %b = pad(%a) pads=[0, 0, 1, 1, 0, 1, 0, 0] : 1x4x3x3" I8 "\n"
          "  %c = qnn.mean(%b) axes=[1, 2] keep_dims=0 : 1x3" I8 "\n",
          "%c"),
    GRAPH("%a: 2x3xf32",
          "  %b = exp(%a) : 2x3xf32\n"
          "  %c = argmax(%b) axis=1 : 2xi32\n",
          "%c"),
    /* What depends on no input comes for each frame, too. */
    GRAPH("%a: 1x2" I8, "  %k = constant() data=[3, 4, 5, 6] : 2x2" I8 "\n", "%k"),
};

/* Graphs in which an operator sees several frames, or elements of a frame lie apart. */
static const char *const mixed[] = {
    GRAPH("%a: 4x3" I8, "  %b = transpose(%a) permutation=[1, 0] : 3x4" I8 "\n", "%b"),
    GRAPH("%a: 4x3" I8, "  %b = qnn.mean(%a) axes=[0] keep_dims=1 : 1x3" I8 "\n", "%b"),
    GRAPH("%a: 4" I8, "  %b = qnn.softmax(%a) beta=1 : 4xi8{0.00390625, -128}\n", "%b"),
    GRAPH("%a: 4x3" I8,
          "  %b = strided_slice(%a) begin=[1, 0] steps=[1, 1] sizes=[3, 3] : 3x3" I8 "\n", "%b"),
    GRAPH("%a: 4x3" I8,
          "  %b = strided_slice(%a) begin=[3, 0] steps=[-1, 1] sizes=[4, 3] : 4x3" I8 "\n", "%b"),
    GRAPH("%a: 2x3" I8 ", %b: 4x3" I8, "  %c = concatenate(%a, %b) axis=0 : 6x3" I8 "\n", "%c"),
    GRAPH("%a: 2x3" I8, "  %b = pad(%a) pads=[1, 0, 0, 0] : 3x3" I8 "\n", "%b"),
    GRAPH("%a: 4x3xi32", "  %b = cumsum(%a) axis=0 exclusive=0 reverse=0 : 4x3xi32\n", "%b"),
    GRAPH("%a: 3x4" I8 ", %b: 4x2" I8,
          "  %c = qnn.batch_matmul(%a, %b) transpose_a=0 transpose_b=0 : 3x2xi32{0.25, 0}\n", "%c"),
    GRAPH("%a: 3x3" I8 ", %b: 3x3" I8,
          "  %c = qnn.batch_matmul(%a, %b) transpose_a=0 transpose_b=0 : 3x3xi32{0.25, 0}\n", "%c"),
    /* Broadcast: what is the same for all frames along the last axis is not what grows. */
    GRAPH("%a: 1x2x4" I8 ", %b: 1" I8, "  %c = qnn.add(%a, %b) : 1x2x4" I8 "\n", "%c"),
    GRAPH("%a: 4x2" I8,
          "  %s = constant() data=[1, 2, 3, 4, 5, 6, 7, 8] : 4x2" I8 "\n"
          "  %b = qnn.add(%a, %s) : 4x2" I8 "\n",
          "%b"),
    GRAPH("%a: 3x4" I8 ", %b: 1x4" I8, "  %c = qnn.add(%a, %b) : 3x4" I8 "\n", "%c"),
    GRAPH("%a: 2x2" I8 ", %i: 1x2xi32", "  %b = gather(%a, %i) axis=0 batch_dims=0 : 1x2x2" I8 "\n",
          "%b"),
    GRAPH("%a: i32", "  %b = negate(%a) : i32\n", "%b"),
    GRAPH("%a: 1x2xi32", "  %k = constant() data=[3] : i32\n", "%k"),
};

/* Elements of a frame: indices are small. */
static void fill(uint64_t *seed, const struct weft_type *type, uint8_t *bytes) {
    size_t size = weft_dtype_bytes(type->dtype);
    for (size_t i = 0; i < weft_type_bytes(type); i++) {
        bool is_first = i % size == 0;
        bytes[i] = type->dtype == WEFT_I32 ? (uint8_t)(is_first ? random_in(seed, 0, 2) : 0)
                   : type->dtype == WEFT_F32 && i % size == 3 ? 0x3f
                                                              : (uint8_t)(random_in(seed, 0, 99));
    }
}

static void operators_keep_frames_apart(void **state) {
    struct weft_arena *arena = *state;
    for (size_t g = 0; g < sizeof kept / sizeof kept[0]; g++) {
        struct weft_error error = {0};
        uint64_t seed = g + 1;
        struct weft_graph *one = graph_of(arena, kept[g]);
        struct weft_graph *all = NULL;
        ASSERT_GOOD(weft_repeat_frames(one, FRAMES, &all, &error), error);
        const void **inputs = WEFT_NEW_ARRAY(arena, one->input_count, const void *);
        size_t length = weft_type_bytes(&one->outputs[0]->type);
        uint8_t *expected = weft_arena_allocate(arena, FRAMES * length, 1);
        for (size_t i = 0; i < one->input_count; i++) {
            inputs[i] = weft_arena_allocate(arena, weft_type_bytes(&all->inputs[i]->type), 1);
        }
        for (size_t frame = 0; frame < FRAMES; frame++) {
            const void **own = WEFT_NEW_ARRAY(arena, one->input_count, const void *);
            for (size_t i = 0; i < one->input_count; i++) {
                const struct weft_type *type = &one->inputs[i]->type;
                uint8_t *bytes = (uint8_t *)(uintptr_t)inputs[i] + frame * weft_type_bytes(type);
                fill(&seed, type, bytes);
                own[i] = bytes;
            }
            memcpy(expected + frame * length, host_outputs(one, own)[0], length);
        }
        assert_int_equal(weft_type_bytes(&all->outputs[0]->type), FRAMES * length);
        assert_memory_equal(host_outputs(all, inputs)[0], expected, FRAMES * length);
    }
}

static void operators_that_mix_frames_are_refused(void **state) {
    for (size_t g = 0; g < sizeof mixed / sizeof mixed[0]; g++) {
        struct weft_error error = {0};
        struct weft_graph *all = NULL;
        assert_false(weft_repeat_frames(graph_of(*state, mixed[g]), FRAMES, &all, &error));
        assert_int_equal(error.code, WEFT_GRAPH);
        assert_non_null(strstr(error.message, "5 frames"));
        assert_true(strstr(error.message, "does not keep what lies along its first axis apart") ||
                    strstr(error.message, "without axes is of one frame"));
    }
}

static void frames_that_are_too_large_are_refused(void **state) {
    struct weft_error error = {0};
    struct weft_graph *all = NULL;
    struct weft_graph *one = graph_of(
        *state, GRAPH("%a: 1x40000x40000" I8, "  %b = qnn.abs(%a) : 1x40000x40000" I8 "\n", "%b"));
    assert_false(weft_repeat_frames(one, 2, &all, &error));
    assert_int_equal(error.code, WEFT_GRAPH);
    error = (struct weft_error){0};
    assert_false(weft_repeat_frames(one, INT32_MAX, &all, &error));
    assert_int_equal(error.code, WEFT_GRAPH);
}

/* ---- weights that stay ---- */

/* Two dense layers whose weights, of 48 KB, are more than WGT of small8 holds; those of the first
 * are FIRST. */
#define DENSE(first)                                                                               \
    GRAPH("%a: 1x256" I8,                                                                          \
          "  %v = constant() data=" first " : 96x256" I8 "\n"                                      \
          "  %b = qnn.dense(%a, %v) : 1x96xi32{0.25, 0}\n"                                         \
          "  %c = qnn.requantize(%b) rounding=\"single\" : 1x96xi8{64, 0}\n"                       \
          "  %w = constant() data=$24576 : 256x96" I8 "\n"                                         \
          "  %d = qnn.dense(%c, %w) : 1x256xi32{32, 0}\n"                                          \
          "  %e = qnn.requantize(%d) rounding=\"single\" : 1x256xi8{64, 0}\n",                     \
          "%e")

/* The cycles of frames of a graph on small8, whose bytes are those of the host. */
static uint64_t checked_cycles(struct weft_graph *graph, uint32_t frames, bool one_by_one) {
    struct weft_error error = {0};
    struct weft_module *module = NULL;
    struct weft_graph *all = NULL;
    const struct weft_config machine = config_named("small8");
    const struct weft_compile_options options = {.frames = frames, .one_by_one = one_by_one};
    ASSERT_GOOD(weft_compile_graph(graph, &machine, &options, &module, &error), error);
    uint64_t cycles = weft_module_cycles(module);
    const void **inputs = random_inputs(module->graph, 7);
    void **got = output_room(module->graph);
    ASSERT_GOOD(module_run(module, "cycle", inputs, got, &error), error);
    ASSERT_GOOD(weft_repeat_frames(graph, frames, &all, &error), error);
    assert_memory_equal(got[0], host_outputs(all, inputs)[0],
                        weft_type_bytes(&all->outputs[0]->type));
    weft_module_free(module);
    return cycles;
}

static void weights_stay_from_frame_to_frame(void **state) {
    struct weft_graph *graph = graph_filled(*state, DENSE("$24576"));
    assert_true(config_named("small8").wgt_bytes < 2 * 96 * 256);
    uint64_t one = checked_cycles(graph, 1, true);
    assert_true(checked_cycles(graph, FRAMES, true) * 10 < one * FRAMES * 9);
}

/* Which weights stay is decided: those that are loaded first, or those that take longest. */
static void what_takes_longest_to_load_can_stay(void **state) {
    struct weft_graph *graph = graph_filled(*state, DENSE("#24576"));
    const struct weft_config machine = config_named("small8");
    uint64_t cycles[2];
    uint64_t searched = checked_cycles(graph, FRAMES, true);
    assert_int_equal(machine.compression, 1);
    for (int longest = 0; longest < 2; longest++) {
        struct weft_error error = {0};
        struct weft_compile_options options = {.frames = FRAMES, .one_by_one = true};
        struct weft_module *module = NULL;
        struct saved_file file;
        ASSERT_GOOD(weft_compile_graph(graph, &machine, &options, &module, &error), error);
        struct weft_text text = decisions_of(module);
        weft_module_free(module);
        ASSERT_GOOD(saved_parse(*state, text.bytes, text.length, &file, &error), error);
        weft_text_free(&text);
        file.schedules[0].kept_banks = (int64_t)weft_banks(&machine, WEFT_MEMORY_WGT) - 2;
        file.schedules[0].keep_longest = longest != 0;
        saved_print(&text, &file);
        options.decisions = text.bytes;
        options.decisions_length = text.length;
        ASSERT_GOOD(weft_compile_graph(graph, &machine, &options, &module, &error), error);
        cycles[longest] = weft_module_cycles(module);
        weft_module_free(module);
        weft_text_free(&text);
    }
    assert_true(cycles[1] * 10 < cycles[0] * 9);
    assert_true(searched <= cycles[1]);
}

/* ---- room ---- */

/* A mean of images of which ACT of small8 has room for one row by row, and for five not. */
static const char large_mean[] = GRAPH(
    "%a: 1x112x112x32" I8, "  %b = qnn.mean(%a) axes=[1, 2] keep_dims=0 : 1x32" I8 "\n", "%b");

static void frames_have_the_room_of_one(void **state) {
    struct weft_graph *graph = graph_of(*state, large_mean);
    uint64_t one = checked_cycles(graph, 1, true);
    assert_true(one > 0);
    for (int order = 0; order < 2; order++) {
        uint64_t all = checked_cycles(graph, FRAMES, order != 0);
        assert_true(all > one * (FRAMES - 1) && all <= one * FRAMES);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(frames_give_the_answers_of_each),
                                       cmocka_unit_test(the_next_frame_begins_under_this_one),
                                       cmocka_unit_test(files_say_how_many_frames_there_are),
                                       cmocka_unit_test(too_many_frames_are_refused),
                                       ARENA_TEST(operators_keep_frames_apart),
                                       ARENA_TEST(operators_that_mix_frames_are_refused),
                                       ARENA_TEST(frames_that_are_too_large_are_refused),
                                       ARENA_TEST(weights_stay_from_frame_to_frame),
                                       ARENA_TEST(what_takes_longest_to_load_can_stay),
                                       ARENA_TEST(frames_have_the_room_of_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
