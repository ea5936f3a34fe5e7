/* firmware/: exported models on the machine behind its registers give what the driver gives. */
#include "tests/unit/firmware_bench.h"
#include "tests/unit/sessions.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"
#include "compiler/host/host.h"

#define ASSERT_OK(call) assert_string_equal(weft_firmware_text(call), "done")

static struct firmware_bench *ready(const struct weft_module *module, bool has_interrupts,
                                    bool has_cache) {
    struct firmware_bench *bench = bench_open(module, has_interrupts, has_cache);
    ASSERT_OK(bench_init(bench));
    return bench;
}

/* ---- the digits network ---- */

static void digits_equal_their_goldens(void **state) {
    (void)state;
    for (int i = 0; test_configs[i] != NULL; i++) {
        struct digits digits = digits_open(test_configs[i]);
        for (int way = 0; way < 4; way++) {
            struct firmware_bench *bench = ready(digits.module, (way & 1) != 0, (way & 2) != 0);
            for (int digit = 0; digit < 10; digit++) {
                uint8_t *picture = digits_picture(&digits, digit);
                uint8_t *golden = digits_golden(&digits, digit);
                memcpy(weft_firmware_input(&bench->firmware, 0), picture, 256);
                ASSERT_OK(weft_firmware_run(&bench->firmware, NULL, NULL));
                assert_memory_equal(weft_firmware_output(&bench->firmware, 0), golden, 10);
                assert_int_equal(bench->firmware.cycles, weft_module_cycles(digits.module));
                free(picture);
                free(golden);
            }
            bench_close(bench);
        }
        digits_close(&digits);
    }
}

/* A run with buffers that lie `skew` bytes behind a multiple of 1024. */
static void run_with_buffers(struct firmware_bench *bench, const struct digits *digits,
                             size_t skew) {
    uint8_t *picture = digits_picture(digits, 7);
    uint8_t *golden = digits_golden(digits, 7);
    uint8_t *input = bench_place(bench, 256, skew);
    uint8_t *output = bench_place(bench, 64, skew);
    const void *inputs[] = {input};
    void *outputs[] = {output};
    memcpy(input, picture, 256);
    memset(output, 0x77, 64);
    ASSERT_OK(weft_firmware_run(&bench->firmware, inputs, outputs));
    assert_memory_equal(output, golden, 10);
    for (int i = 10; i < 64; i++) {
        assert_int_equal(output[i], 0x77);
    }
    assert_memory_equal(input, picture, 256);
    bool is_used = bench->bases[WEFT_REGION_INPUTS] == bench_address(bench, input);
    assert_int_equal(is_used, skew == 0);
    free(picture);
    free(golden);
}

static void aligned_buffers_are_used_where_they_lie(void **state) {
    (void)state;
    struct digits digits = digits_open("ref16");
    for (int has_cache = 0; has_cache < 2; has_cache++) {
        struct firmware_bench *bench = ready(digits.module, true, has_cache != 0);
        run_with_buffers(bench, &digits, 0);
        run_with_buffers(bench, &digits, 1);
        run_with_buffers(bench, &digits, 512);
        run_with_buffers(bench, &digits, 0);
        bench_close(bench);
    }
    digits_close(&digits);
}

static void a_thousand_runs_in_a_row(void **state) {
    (void)state;
    struct digits digits = digits_open("ref16");
    struct firmware_bench *bench = ready(digits.module, true, true);
    uint8_t *pictures[2] = {digits_picture(&digits, 3), digits_picture(&digits, 8)};
    uint8_t *goldens[2] = {digits_golden(&digits, 3), digits_golden(&digits, 8)};
    for (int i = 0; i < 1000; i++) {
        memcpy(weft_firmware_input(&bench->firmware, 0), pictures[i % 2], 256);
        ASSERT_OK(weft_firmware_run(&bench->firmware, NULL, NULL));
        assert_memory_equal(weft_firmware_output(&bench->firmware, 0), goldens[i % 2], 10);
        assert_int_equal(bench->firmware.cycles, weft_module_cycles(digits.module));
    }
    for (int i = 0; i < 2; i++) {
        free(pictures[i]);
        free(goldens[i]);
    }
    bench_close(bench);
    digits_close(&digits);
}

/* ---- graphs ---- */

/* Starts and polls, with something else between. */
static enum weft_firmware_status run_by_polls(struct firmware_bench *bench,
                                              const void *const *inputs, void *const *outputs) {
    enum weft_firmware_status status = weft_firmware_start(&bench->firmware, inputs, outputs);
    while (status == WEFT_FIRMWARE_RUNNING) {
        assert_int_equal(weft_firmware_start(&bench->firmware, NULL, NULL), WEFT_FIRMWARE_STATE);
        bench->now += 100;
        status = weft_firmware_poll(&bench->firmware);
    }
    assert_int_equal(weft_firmware_poll(&bench->firmware), status);
    return status;
}

/* Two programs with an operator between them, and two inputs in one region, which are copied there.
 */
static void programs_and_operators_take_turns(void **state) {
    struct weft_arena *arena = *state;
    const struct fixture fixture = compiled(arena, network);
    for (int way = 0; way < 8; way++) {
        struct firmware_bench *bench = ready(fixture.module, (way & 1) != 0, (way & 2) != 0);
        for (uint64_t seed = 1; seed < 5; seed++) {
            const void **given = random_inputs(fixture.graph, seed);
            void **expected = host_outputs(fixture.graph, given);
            const void *inputs[INPUTS];
            void *outputs[2];
            for (uint32_t i = 0; i < INPUTS; i++) {
                uint8_t *input = bench_place(bench, INPUT_BYTES, 0);
                memcpy(input, given[i], INPUT_BYTES);
                inputs[i] = input;
                outputs[i] = bench_place(bench, INPUT_BYTES, seed % 2);
            }
            ASSERT_OK((way & 4) != 0 ? run_by_polls(bench, inputs, outputs)
                                     : weft_firmware_run(&bench->firmware, inputs, outputs));
            for (uint32_t i = 0; i < 2; i++) {
                assert_memory_equal(outputs[i], expected[i], bench_tensor(bench, true, i)->bytes);
            }
            assert_int_equal(bench->firmware.cycles, weft_module_cycles(fixture.module));
        }
        bench_close(bench);
    }
}

/* Results that are operands in another form, and constants, and one tensor as several results. */
static void results_that_no_step_makes(void **state) {
    struct weft_arena *arena = *state;
    static const char text[] = "graph network(%a: 1x4xi8{0.5, 3}) {\n"
                               "%c = constant() data=[1, 2, 3, 4] : 1x4xi8{0.5, 3}\n"
                               "%r = reshape(%a) : 4x1xi8{0.5, 3}\n"
                               "return %a, %c, %r, %r }";
    const struct fixture fixture = compiled(arena, text);
    struct firmware_bench *bench = ready(fixture.module, true, true);
    static const uint8_t given[4] = {9, 8, 7, 250};
    static const uint8_t constant[4] = {1, 2, 3, 4};
    uint8_t *input = bench_place(bench, 64, 0);
    const void *inputs[] = {input};
    void *outputs[4];
    for (int i = 0; i < 4; i++) {
        outputs[i] = bench_place(bench, 64, 0);
    }
    memcpy(input, given, 4);
    ASSERT_OK(weft_firmware_run(&bench->firmware, inputs, outputs));
    for (uint32_t i = 0; i < 4; i++) {
        assert_memory_equal(outputs[i], i == 1 ? constant : given, 4);
        assert_memory_equal(weft_firmware_output(&bench->firmware, i), i == 1 ? constant : given,
                            4);
    }
    bench_close(bench);
}

/* ---- two models on one machine ---- */

/* They take turns; the structure that does not run keeps its results. */
static void two_models_take_turns(void **state) {
    const struct fixture fixture = compiled(*state, network);
    struct digits digits = digits_open("ref16");
    struct firmware_bench *bench = ready(digits.module, false, true);
    struct firmware_bench *other = bench_open(fixture.module, false, true);
    static struct weft_firmware second;
    const struct weft_kernel_entry *kernels[BENCH_KERNELS];
    struct weft_model *model = bench_place(bench, other->model->bytes, 0);
    void *arena = bench_place(bench, other->model->arena_bytes, 0);
    memcpy(model, other->model, other->model->bytes);
    bench_close(other);
    ASSERT_OK(weft_model_check(model, model->bytes, &weft_integer_kernels, kernels, BENCH_KERNELS));
    ASSERT_OK(
        weft_firmware_init(&second, &bench->platform, model, kernels, arena, model->arena_bytes));
    for (uint64_t seed = 0; seed < 6; seed++) {
        uint8_t *picture = digits_picture(&digits, (int)seed);
        uint8_t *golden = digits_golden(&digits, (int)seed);
        const void **given = random_inputs(fixture.graph, seed);
        void **expected = host_outputs(fixture.graph, given);
        memcpy(weft_firmware_input(&bench->firmware, 0), picture, 256);
        for (uint32_t i = 0; i < INPUTS; i++) {
            memcpy(weft_firmware_input(&second, i), given[i], INPUT_BYTES);
        }
        assert_int_equal(weft_firmware_start(&bench->firmware, NULL, NULL), WEFT_FIRMWARE_RUNNING);
        if (seed % 2 == 1) { /* a program of the other one has the machine */
            assert_int_equal(weft_firmware_run(&second, NULL, NULL), WEFT_FIRMWARE_BUS_BUSY);
            for (uint32_t i = 0; i < INPUTS; i++) {
                memcpy(weft_firmware_input(&second, i), given[i], INPUT_BYTES);
            }
        }
        while (weft_firmware_poll(&bench->firmware) == WEFT_FIRMWARE_RUNNING) {
            bench->now += 1000;
        }
        ASSERT_OK(weft_firmware_run(&second, NULL, NULL));
        ASSERT_OK((enum weft_firmware_status)bench->firmware.status);
        assert_memory_equal(weft_firmware_output(&bench->firmware, 0), golden, 10);
        for (uint32_t i = 0; i < 2; i++) {
            assert_memory_equal(weft_firmware_output(&second, i), expected[i],
                                weft_type_bytes(&fixture.graph->outputs[i]->type));
        }
        free(picture);
        free(golden);
    }
    bench_close(bench);
    digits_close(&digits);
}

/* ---- C ---- */

/* Kernels may be called like functions of C, models may be called anything. */
static void sources_are_c_whatever_the_names(void **state) {
    struct fixture fixture =
        compiled(*state, "graph network(%a: 4xi32) { %b = abs(%a) : 4xi32 return %b }");
    struct weft_module module = *fixture.module;
    struct weft_error error;
    struct weft_export made;
    struct weft_text text = {0};
    module.model_name = "a */ int x; /* ?\?/\n\xc3\xa9";
    ASSERT_GOOD(weft_export(&module, &made, &error), error);
    ASSERT_GOOD(weft_export_source(&made, "b", &text, &error), error);
    assert_non_null(strstr(text.bytes, "/* b: model a __ int x_ __ ______ for configuration "));
    assert_non_null(strstr(text.bytes, "static const struct weft_kernel_entry entry_abs = {"));
    assert_non_null(strstr(text.bytes, "b_kernels[] = {&entry_abs};"));
    weft_text_free(&text);
    weft_export_free(&made);
}

/* ---- models from files ---- */

/* Runs of a module by the driver and by firmware, side by side; states go on from run to run. */
static void assert_same_runs(const struct weft_module *module, uint64_t seed, int runs) {
    const struct weft_graph *graph = module->graph;
    struct weft_session *session = opened(module, "cycle", NULL);
    struct firmware_bench *bench = ready(module, true, true);
    for (int run = 0; run <= runs; run++) {
        if (run == runs) { /* and from the beginning again */
            weft_firmware_reset(&bench->firmware);
            ASSERT_GOOD(weft_session_reset(session, &bench->error), bench->error);
        }
        for (uint32_t i = 0; i < graph->input_count; i++) {
            const struct weft_model_tensor *tensor = bench_tensor(bench, false, i);
            uint8_t *home = weft_firmware_input(&bench->firmware, i);
            for (uint32_t k = 0; k < tensor->bytes; k++) { /* small: some are indices */
                home[k] = (uint8_t)(tensor->dtype == WEFT_I8 || tensor->dtype == WEFT_U8
                                        ? random_in(&seed, 0, 255)
                                        : 0);
            }
            ASSERT_GOOD(weft_session_set_input(session, i, home, tensor->bytes, &bench->error),
                        bench->error);
        }
        ASSERT_OK(weft_firmware_run(&bench->firmware, NULL, NULL));
        session_run(session);
        for (uint32_t i = 0; i < graph->output_count; i++) {
            const void *expected = NULL;
            size_t length = 0;
            ASSERT_GOOD(weft_session_output(session, i, &expected, &length, &bench->error),
                        bench->error);
            assert_int_equal(length, bench_tensor(bench, true, i)->bytes);
            assert_memory_equal(weft_firmware_output(&bench->firmware, i), expected, length);
        }
        assert_int_equal(bench->firmware.cycles, weft_session_counter(session, 0));
    }
    bench_close(bench);
    weft_session_close(session);
}

/* Compiles, and runs what can be exported. Returns whether it could be; if not, it says which
 * operator. */
static bool try_file(const char *path, const char *config, bool host_only) {
    struct weft_error error;
    struct weft_module *module = NULL;
    struct weft_export made;
    uint8_t *bytes = NULL;
    size_t length = 0;
    struct weft_config named = config_named(config);
    const struct weft_compile_options options = {.model_name = "a", .host_only = host_only};
    ASSERT_GOOD(weft_file_read(path, &bytes, &length, &error), error);
    ASSERT_GOOD(weft_compile(bytes, length, &named, &options, &module, &error), error);
    bool good = weft_export(module, &made, &error);
    if (good) {
        weft_export_free(&made);
        assert_same_runs(module, length, 3);
    } else {
        assert_int_equal(error.code, WEFT_OPERATOR);
        assert_error_mentions(&error, "firmware has no kernel ");
    }
    weft_module_free(module);
    free(bytes);
    return good;
}

static void every_operator_runs_or_is_refused_by_name(void **state) {
    (void)state;
    const char *folder = WEFT_SOURCE_DIR "/tests/differential/examples";
    DIR *listing = opendir(folder);
    int ran = 0;
    int refused = 0;
    assert_non_null(listing);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        char path[1024];
        if (entry->d_name[0] == '.') {
            continue;
        }
        (void)snprintf(path, sizeof path, "%s/%s/model.tflite", folder, entry->d_name);
        for (int host_only = 0; host_only < 2; host_only++) {
            bool good = try_file(path, "ref16", host_only != 0);
            ran += good ? 1 : 0;
            refused += good ? 0 : 1;
        }
    }
    (void)closedir(listing);
    print_message("%d models ran, %d have operators of floats\n", ran, refused);
    assert_true(ran >= 100);
}

/* The operator, and the kernel. */
static void refusals_name_the_operator(void **state) {
    (void)state;
    struct weft_error error;
    struct weft_export made;
    struct digits digits = digits_open("ref16");
    struct weft_module *module = NULL;
    const struct weft_compile_options options = {.host_only = true};
    const struct weft_config config = config_named("ref16");
    ASSERT_GOOD(weft_compile(digits.model, digits.model_length, &config, &options, &module, &error),
                error);
    ASSERT_FAILS(weft_export(module, &made, &error), error, WEFT_OPERATOR);
    assert_string_equal(error.message, "operator 11 (qnn.requantize): firmware has no kernel "
                                       "requantize_single, which computes with floats");
    assert_int_equal(error.position, 11);
    weft_module_free(module);
    digits_close(&digits);
}

static void networks_equal_the_driver(void **state) {
    (void)state;
    static const char *const names[] = {"ad_autoencoder_int8", "kws_dscnn_int8", "ic_resnet8_int8",
                                        "vww_mobilenetv1_025_96_int8", "sww_ds1dcnn_int8"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[1024];
        (void)snprintf(path, sizeof path, WEFT_SOURCE_DIR "/../shared/models/%s.tflite", names[i]);
        FILE *file = fopen(path, "rb");
        if (file == NULL) {
            print_message("skipped: there is no ../shared/models\n");
            skip();
        }
        (void)fclose(file);
        assert_true(try_file(path, "ref16", false));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_equal_their_goldens),
        cmocka_unit_test(aligned_buffers_are_used_where_they_lie),
        cmocka_unit_test(a_thousand_runs_in_a_row),
        ARENA_TEST(programs_and_operators_take_turns),
        ARENA_TEST(results_that_no_step_makes),
        ARENA_TEST(two_models_take_turns),
        ARENA_TEST(sources_are_c_whatever_the_names),
        cmocka_unit_test(every_operator_runs_or_is_refused_by_name),
        cmocka_unit_test(refusals_name_the_operator),
        cmocka_unit_test(networks_equal_the_driver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
