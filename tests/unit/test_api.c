/* api/weft.h, and what is behind it: options, machines, tensors, networks, the quantiser. Runs are
 * in test_api_runs.c. */
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "tests/unit/api_calls.h"

/* A float network of one layer, small enough to be calibrated at once. */
static const char float_graph[] =
    "graph main(%x: 1x8xf32) {\n"
    "  %w = constant() data=[0.5, -1, 0.25, 1, -0.75, 0.125, 2, -0.5, 1, 1, -1, 0.5, 0.25, -2, "
    "1.5, 0.75] : 2x8xf32\n"
    "  %y = dense(%x, %w) : 1x2xf32\n"
    "  return %y\n"
    "}\n";

/* ---- failures ---- */

static void codes_have_names(void **state) {
    (void)state;
    assert_string_equal(weft_failure_name(WEFT_FAILURE_NONE), "NONE");
    assert_string_equal(weft_failure_name(WEFT_FAILURE_OUT_OF_MEMORY), "OUT_OF_MEMORY");
    assert_string_equal(weft_failure_name(WEFT_FAILURE_VERIFY_MEMORY_RACE), "VERIFY_MEMORY_RACE");
    assert_string_equal(weft_failure_name(WEFT_FAILURE_INTERNAL), "INTERNAL");
    assert_string_equal(weft_failure_name(WEFT_FAILURE_TECHNOLOGY + 1), "unknown");
    assert_string_equal(weft_failure_name(-1), "unknown");
    int count = 0;
    while (strcmp(weft_failure_name(count), "unknown") != 0) {
        count++;
    }
    assert_int_equal(count, WEFT_ERROR_CODES); /* none is missing */
}

/* Programs that were compiled with an older header go on. */
static void the_binary_interface_stays(void **state) {
    (void)state;
    _Static_assert(sizeof(struct weft_failure) == 528, "size of a failure");
    _Static_assert(offsetof(struct weft_failure, position) == 8, "position of a failure");
    _Static_assert(offsetof(struct weft_failure, message) == 16, "message of a failure");
    _Static_assert(WEFT_FAILURE_INTERNAL == 43 && WEFT_FAILURE_FAULT == 22, "codes");
    char version[64];
    (void)snprintf(version, sizeof version, "%d.%d.%d", WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR,
                   WEFT_VERSION_PATCH);
    assert_string_equal(weft_library_version(), version);
}

static void a_failure_may_be_left_out(void **state) {
    (void)state;
    struct weft_network *network = NULL;
    struct weft_machine *machine = NULL;
    assert_false(weft_network_load("/nowhere", NULL, NULL, &network, NULL));
    assert_false(weft_machine_find("ref17", &machine, NULL));
    assert_null(network);
    assert_null(machine);
    weft_network_free(NULL);
    weft_runner_close(NULL);
    weft_machine_free(NULL);
    weft_options_free(NULL);
    weft_quantizer_free(NULL);
    weft_free(NULL);
}

/* ---- options ---- */

static void options_are_checked_when_they_are_set(void **state) {
    (void)state;
    static const struct {
        const char *name, *value, *part;
    } wrong[] = {
        {"efort", "1", "there is no option 'efort'"},
        {"effort", "65", "expected a number from 1 to 64"},
        {"effort", "0", "expected a number from 1 to 64"},
        {"effort", "", "expected a number"},
        {"effort", "1x", "expected a number"},
        {"frames", "-1", "expected a number from 1 to 4096"},
        {"frames", "99999999999999999999", "expected a number"},
        {"keep_tensors", "2", "expected 0 or 1"},
        {"keep_tensors", "true", "expected 0 or 1"},
        {"percentile", "49", "expected a number from 50 to 100"},
        {"percentile", "nan", "expected a number"},
        {"percentile", "99.9.9", "expected a number"},
        {"kernels", "neo", "option kernels is 'neo'"},
        {"calibration", "most", "option calibration is 'most'"},
        {"weights", "int2", "option weights is 'int2'"},
        {"activations", "int4", "option activations is 'int4'"},
        {"dim", "N", "expected NAME=N"},
        {"dim", "=4", "expected NAME=N"},
        {"dim", "N=0", "expected NAME=N"},
    };
    struct weft_failure failure;
    struct weft_options *options = NULL;
    ASSERT_DONE(weft_options_create(&options, &failure), failure);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ASSERT_REFUSED(weft_options_set(options, wrong[i].name, wrong[i].value, &failure), failure,
                       WEFT_FAILURE_ARGUMENT, wrong[i].part);
    }
    struct weft_network *network = NULL; /* the set is as it was */
    ASSERT_DONE(weft_network_load(MODEL, NULL, options, &network, &failure), failure);
    weft_network_free(network);
    weft_options_free(options);
}

static void options_are_listed(void **state) {
    (void)state;
    size_t count = 0;
    const char *help = NULL;
    while (weft_options_describe(count, &help) != NULL) {
        assert_true(strlen(help) > 0 && strchr(help, '\n') == NULL);
        count++;
    }
    assert_true(count > 30);
    assert_string_equal(weft_options_describe(0, NULL), "memory_limit");
}

static void a_call_refuses_options_of_others(void **state) {
    (void)state;
    struct weft_failure failure;
    struct weft_network *network = load();
    struct weft_network *other = NULL;
    struct weft_runner *runner = NULL;
    struct weft_quantizer *quantizer = NULL;
    struct weft_options *run = options_of("timing_only", "1");
    struct weft_options *compile = options_of("effort", "2");
    struct weft_options *read = options_of("cycle_limit", "1000");
    ASSERT_REFUSED(weft_network_load(MODEL, NULL, run, &other, &failure), failure,
                   WEFT_FAILURE_ARGUMENT, "option timing_only is for running alone");
    ASSERT_REFUSED(weft_network_load(MODEL, NULL, read, &other, &failure), failure,
                   WEFT_FAILURE_ARGUMENT, "option cycle_limit is for reading .weft files alone");
    ASSERT_REFUSED(weft_runner_open(network, "cycle", compile, &runner, &failure), failure,
                   WEFT_FAILURE_ARGUMENT, "option effort is for compiling alone");
    ASSERT_REFUSED(weft_quantizer_load(MODEL, run, &quantizer, &failure), failure,
                   WEFT_FAILURE_ARGUMENT, "option timing_only is for running alone");
    assert_true(other == NULL && runner == NULL && quantizer == NULL);
    weft_options_free(run);
    weft_options_free(compile);
    weft_options_free(read);
    weft_network_free(network);
}

/* ---- machines ---- */

static void configurations_are_found_read_and_changed(void **state) {
    (void)state;
    struct weft_failure failure;
    struct weft_machine *machine = NULL;
    struct weft_machine *again = NULL;
    struct weft_machine *small = NULL;
    const char *const names[] = {"act_bytes", "memory_latency"};
    const uint32_t values[] = {65536, 20};
    uint32_t value = 0;
    char *json = NULL;
    ASSERT_DONE(weft_machine_find("ref16", &machine, &failure), failure);
    assert_string_equal(weft_machine_name(machine), "ref16");
    ASSERT_DONE(weft_machine_parameter(machine, "block", &value, &failure), failure);
    assert_int_equal(value, 16);
    ASSERT_DONE(weft_machine_json(machine, &json, &failure), failure);
    ASSERT_DONE(weft_machine_parse(json, strlen(json), &again, &failure), failure);
    assert_true(weft_machine_fingerprint(again) == weft_machine_fingerprint(machine));
    ASSERT_DONE(weft_machine_change(machine, "mine", 2, names, values, &small, &failure), failure);
    assert_string_equal(weft_machine_name(small), "mine");
    ASSERT_DONE(weft_machine_parameter(small, "act_bytes", &value, &failure), failure);
    assert_int_equal(value, 65536);
    assert_true(weft_machine_fingerprint(small) != weft_machine_fingerprint(machine));
    weft_free(json);
    weft_machine_free(machine);
    weft_machine_free(again);
    weft_machine_free(small);
}

static void wrong_configurations_are_refused(void **state) {
    (void)state;
    struct weft_failure failure;
    struct weft_machine *machine = NULL;
    struct weft_machine *changed = NULL;
    const char *unknown[] = {"act_byte"};
    const char *known[] = {"act_bytes"};
    uint32_t value = 1;
    ASSERT_DONE(weft_machine_find("ref16", &machine, &failure), failure);
    ASSERT_REFUSED(weft_machine_find("/nowhere.json", &changed, &failure), failure, WEFT_FAILURE_IO,
                   "nowhere");
    ASSERT_REFUSED(weft_machine_parse("{", 1, &changed, &failure), failure, WEFT_FAILURE_CONFIG,
                   "line 1");
    ASSERT_REFUSED(weft_machine_parameter(machine, "acts", &value, &failure), failure,
                   WEFT_FAILURE_ARGUMENT, "there is no parameter 'acts'");
    ASSERT_REFUSED(weft_machine_change(machine, "x", 1, unknown, &value, &changed, &failure),
                   failure, WEFT_FAILURE_ARGUMENT, "there is no parameter 'act_byte'");
    ASSERT_REFUSED(weft_machine_change(machine, "x", 1, known, &value, &changed, &failure), failure,
                   WEFT_FAILURE_CONFIG, "act_bytes");
    uint32_t smaller = 131072;
    ASSERT_REFUSED(weft_machine_change(machine, "ref16", 1, known, &smaller, &changed, &failure),
                   failure, WEFT_FAILURE_CONFIG, "it is called ref16, as a built-in configuration");
    ASSERT_REFUSED(weft_machine_change(machine, "a name", 0, NULL, NULL, &changed, &failure),
                   failure, WEFT_FAILURE_CONFIG, "name");
    ASSERT_REFUSED(weft_machine_change(machine, "n2345678901234567890123456789012", 0, NULL, NULL,
                                       &changed, &failure),
                   failure, WEFT_FAILURE_CONFIG, "too long");
    assert_null(changed);
    weft_machine_free(machine);
}

static void what_there_is_can_be_listed(void **state) {
    (void)state;
    struct weft_failure failure;
    struct weft_network *network = load();
    struct weft_runner *runner = open_runner(network, "func");
    uint32_t low = 0;
    uint32_t high = 0;
    uint64_t value = 0;
    size_t count = 0;
    for (; weft_machine_builtin(count) != NULL; count++) {
        struct weft_machine *machine = NULL;
        ASSERT_DONE(weft_machine_find(weft_machine_builtin(count), &machine, &failure), failure);
        weft_machine_free(machine);
    }
    assert_true(count >= 3);
    assert_string_equal(weft_machine_parameter_name(0, &low, &high), "block");
    assert_int_equal(low, 8);
    assert_int_equal(high, 32);
    assert_null(weft_machine_parameter_name(1000, NULL, NULL));
    for (count = 0; weft_network_figure_name(count) != NULL; count++) {
        ASSERT_DONE(weft_network_figure(network, weft_network_figure_name(count), &value, &failure),
                    failure);
    }
    assert_int_equal(count, 12);
    for (count = 0; weft_runner_counter_name(count) != NULL; count++) {
        ASSERT_DONE(weft_runner_counter(runner, weft_runner_counter_name(count), &value, &failure),
                    failure);
    }
    assert_true(count > 10);
    assert_string_equal(weft_runner_target(0), "func");
    assert_null(weft_runner_target(100));
    weft_runner_close(runner);
    weft_network_free(network);
}

/* ---- tensors ---- */

static void tensors_say_what_they_are(void **state) {
    (void)state;
    struct weft_network *network = load();
    const struct weft_tensor *input = weft_network_input(network, 0);
    const struct weft_tensor *output = weft_network_output(network, 0);
    size_t axis = 7;
    assert_int_equal(weft_network_inputs(network), 1);
    assert_int_equal(weft_network_outputs(network), 1);
    assert_null(weft_network_input(network, 1));
    assert_null(weft_network_output(network, SIZE_MAX));
    assert_string_equal(weft_tensor_name(input), "input");
    assert_string_equal(weft_tensor_name(output), "probabilities");
    assert_string_equal(weft_tensor_element(input), "int8");
    assert_int_equal(weft_tensor_rank(input), 4);
    assert_int_equal(weft_tensor_dim(input, 1), 16);
    assert_int_equal(weft_tensor_dim(input, 4), 0);
    assert_int_equal(weft_tensor_elements(input), 256);
    assert_int_equal(weft_tensor_bytes(output), 10);
    assert_int_equal(weft_tensor_scales(output, &axis), 1);
    assert_int_equal(axis, 0);
    assert_true(weft_tensor_scale(output, 0) == 1.0 / 256);
    assert_int_equal(weft_tensor_zero_point(output, 0), -128);
    assert_true(weft_tensor_scale(output, 1) == 1);
    assert_int_equal(weft_tensor_zero_point(output, 1), 0);
    weft_network_free(network);
}

static void numbers_become_elements_and_back(void **state) {
    (void)state;
    struct weft_failure failure;
    struct weft_network *network = load();
    const struct weft_tensor *output = weft_network_output(network, 0);
    float numbers[10] = {0, 1, -1, 0.5F, 1.0F / 512, 3.0F / 512, 100, -100, 0.25F, 255.0F / 256};
    const int8_t expected[10] = {-128, 127, -128, 0, -127, -126, 127, -128, -64, 127};
    int8_t elements[10];
    float back[10];
    ASSERT_DONE(weft_tensor_quantize(output, numbers, 10, elements, 10, &failure), failure);
    assert_memory_equal(elements, expected, 10);
    ASSERT_DONE(weft_tensor_dequantize(output, elements, 10, back, 10, &failure), failure);
    assert_true(back[3] == 0.5F && back[8] == 0.25F && back[0] == 0 && back[9] == 255.0F / 256);
    ASSERT_REFUSED(weft_tensor_quantize(output, numbers, 9, elements, 10, &failure), failure,
                   WEFT_FAILURE_ARGUMENT, "9 numbers");
    ASSERT_REFUSED(weft_tensor_dequantize(output, elements, 11, back, 10, &failure), failure,
                   WEFT_FAILURE_ARGUMENT, "11 bytes");
    numbers[4] = NAN;
    ASSERT_REFUSED(weft_tensor_quantize(output, numbers, 10, elements, 10, &failure), failure,
                   WEFT_FAILURE_ARGUMENT, "number 4 is not finite");
    assert_int_equal(failure.position, 4);
    weft_network_free(network);
}

/* ---- networks ---- */

static void a_network_is_written_and_read(void **state) {
    (void)state;
    struct weft_failure failure;
    struct weft_network *network = load();
    struct weft_network *read = NULL;
    struct weft_network *again = NULL;
    struct weft_machine *other = NULL;
    struct weft_options *effort = options_of("effort", "2");
    struct weft_options *limit = options_of("cycle_limit", "10");
    void *bytes = NULL;
    size_t length = 0;
    char *text = NULL;
    char path[] = "/tmp/weft_test_api_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    ASSERT_DONE(weft_network_write(network, &bytes, &length, &failure), failure);
    ASSERT_DONE(weft_network_save(network, path, &failure), failure);
    ASSERT_DONE(weft_network_make(bytes, length, NULL, NULL, &read, &failure), failure);
    ASSERT_DONE(weft_network_load(path, weft_network_machine(network), NULL, &again, &failure),
                failure);
    assert_string_equal(weft_tensor_name(weft_network_input(read, 0)), "input");
    assert_string_equal(weft_tensor_name(weft_network_output(read, 0)), "probabilities");
    assert_string_equal(weft_network_name(again), "digits");
    ASSERT_DONE(weft_network_verify(again, &text, &failure), failure);
    assert_non_null(strstr(text, "program 0: proved for ref16: 117 instructions"));
    weft_free(text);
    ASSERT_DONE(weft_network_verify(again, NULL, &failure), failure);
    ASSERT_DONE(weft_machine_find("small8", &other, &failure), failure);
    struct weft_network *none = NULL;
    ASSERT_REFUSED(weft_network_make(bytes, length, other, NULL, &none, &failure), failure,
                   WEFT_FAILURE_FINGERPRINT, "compiled for configuration ref16, not for small8");
    ASSERT_REFUSED(weft_network_make(bytes, length, NULL, effort, &none, &failure), failure,
                   WEFT_FAILURE_ARGUMENT, "option effort is for compiling alone");
    ASSERT_REFUSED(weft_network_make(bytes, length, NULL, limit, &none, &failure), failure,
                   WEFT_FAILURE_LIMIT, "cycles");
    ASSERT_REFUSED(weft_network_make(bytes, length - 1, NULL, NULL, &none, &failure), failure,
                   WEFT_FAILURE_CONTAINER, "");
    ASSERT_REFUSED(weft_network_make(NULL, 0, NULL, NULL, &none, &failure), failure,
                   WEFT_FAILURE_MODEL, "");
    ASSERT_REFUSED(weft_network_save(network, "/nowhere/x.weft", &failure), failure,
                   WEFT_FAILURE_IO, "");
    assert_null(none);
    (void)unlink(path);
    weft_free(bytes);
    weft_options_free(effort);
    weft_options_free(limit);
    weft_machine_free(other);
    weft_network_free(network);
    weft_network_free(read);
    weft_network_free(again);
}

static void decisions_make_the_same_programs(void **state) {
    (void)state;
    struct weft_failure failure;
    struct weft_network *network = load();
    struct weft_network *again = NULL;
    uint64_t values[2] = {0, 0};
    char *json = NULL;
    ASSERT_DONE(weft_network_decisions(network, &json, &failure), failure);
    struct weft_options *options = options_of("decisions", json);
    ASSERT_DONE(weft_network_load(MODEL, NULL, options, &again, &failure), failure);
    for (size_t i = 0; weft_network_figure_name(i) != NULL; i++) {
        const char *name = weft_network_figure_name(i);
        ASSERT_DONE(weft_network_figure(network, name, &values[0], &failure), failure);
        ASSERT_DONE(weft_network_figure(again, name, &values[1], &failure), failure);
        assert_true(values[0] == values[1]);
    }
    ASSERT_DONE(weft_options_set(options, "decisions", "{}", &failure), failure);
    struct weft_network *none = NULL;
    ASSERT_REFUSED(weft_network_load(MODEL, NULL, options, &none, &failure), failure,
                   WEFT_FAILURE_DECISIONS, "");
    weft_free(json);
    weft_options_free(options);
    weft_network_free(network);
    weft_network_free(again);
}

static void options_of_compiling_take_effect(void **state) {
    (void)state;
    struct weft_failure failure;
    struct weft_network *network = NULL;
    struct weft_options *options = options_of("frames", "3");
    uint64_t value = 0;
    ASSERT_DONE(weft_options_set(options, "model_name", "three", &failure), failure);
    ASSERT_DONE(weft_network_load(MODEL, NULL, options, &network, &failure), failure);
    assert_string_equal(weft_network_name(network), "three");
    assert_int_equal(weft_tensor_dim(weft_network_input(network, 0), 0), 3);
    assert_string_equal(weft_tensor_name(weft_network_input(network, 0)), "input");
    weft_network_free(network);
    weft_options_free(options);
    options = options_of("host_only", "1");
    ASSERT_DONE(weft_network_load(MODEL, NULL, options, &network, &failure), failure);
    ASSERT_DONE(weft_network_figure(network, "segments", &value, &failure), failure);
    assert_int_equal(value, 0);
    weft_network_free(network);
    weft_options_free(options);
    network = NULL;
    options = options_of("memory_limit", "1000");
    ASSERT_REFUSED(weft_network_load(MODEL, NULL, options, &network, &failure), failure,
                   WEFT_FAILURE_LIMIT, "");
    weft_options_free(options);
    options = options_of("dim", "N=4");
    ASSERT_REFUSED(weft_network_load(MODEL, NULL, options, &network, &failure), failure,
                   WEFT_FAILURE_ARGUMENT, "ONNX");
    for (int i = 0; i < 64; i++) {
        ASSERT_DONE(weft_options_set(options, "dim", "N=4", &failure), failure);
    }
    ASSERT_REFUSED(weft_network_load(MODEL, NULL, options, &network, &failure), failure,
                   WEFT_FAILURE_ARGUMENT, "65 times");
    weft_options_free(options);
    assert_null(network);
}

/* What would change nothing is refused: nothing that was asked for is dropped. */
static void options_that_change_nothing_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *names[2], *values[2], *part;
    } cases[] = {
        {{"decisions", "effort"}, {"{}", "64"}, "option effort is for a search"},
        {{"host_only", "effort"}, {"1", "64"}, "option effort is for programs of the machine"},
        {{"host_only", "one_by_one"},
         {"1", "1"},
         "option one_by_one is for programs of the machine"},
        {{"one_by_one", "effort"}, {"1", "2"}, "option one_by_one needs frames"},
        {{"one_by_one", "frames"}, {"1", "1"}, "option one_by_one needs frames"},
    };
    struct weft_failure failure;
    struct weft_network *network = NULL;
    struct weft_quantizer *quantizer = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct weft_options *options = options_of(cases[i].names[0], cases[i].values[0]);
        ASSERT_DONE(weft_options_set(options, cases[i].names[1], cases[i].values[1], &failure),
                    failure);
        ASSERT_REFUSED(weft_network_load(MODEL, NULL, options, &network, &failure), failure,
                       WEFT_FAILURE_ARGUMENT, cases[i].part);
        weft_options_free(options);
    }
    /* A graph in text form leaves no dimension open. */
    struct weft_options *dim = options_of("dim", "N=7");
    ASSERT_REFUSED(
        weft_network_make(float_graph, strlen(float_graph), NULL, dim, &network, &failure), failure,
        WEFT_FAILURE_ARGUMENT, "sizes of dimensions by name are for ONNX models");
    ASSERT_REFUSED(weft_quantizer_make(float_graph, strlen(float_graph), dim, &quantizer, &failure),
                   failure, WEFT_FAILURE_ARGUMENT,
                   "sizes of dimensions by name are for ONNX models");
    assert_true(network == NULL && quantizer == NULL);
    weft_options_free(dim);
}

/* ---- quantising ---- */

static bool fill(void *context, size_t sample, void *const *inputs) {
    float *numbers = inputs[0];
    const size_t *last = context;
    for (size_t i = 0; i < 8; i++) {
        numbers[i] = sinf((float)(sample * 8 + i));
    }
    return sample < *last;
}

/* The last number of the last sample is what the context says. */
static bool fill_with(void *context, size_t sample, void *const *inputs) {
    size_t all = SIZE_MAX;
    (void)fill(&all, sample, inputs);
    ((float *)inputs[0])[7] = sample == 3 ? *(const float *)context : 1;
    return true;
}

static void samples_are_finite(void **state) {
    (void)state;
    float bad[] = {NAN, INFINITY, -INFINITY};
    struct weft_failure failure;
    struct weft_quantizer *quantizer = NULL;
    ASSERT_DONE(weft_quantizer_make(float_graph, strlen(float_graph), NULL, &quantizer, &failure),
                failure);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ASSERT_REFUSED(weft_quantizer_run(quantizer, 4, fill_with, &bad[i], &failure), failure,
                       WEFT_FAILURE_ARGUMENT, "sample 3: element 7 is not a finite number");
    }
    weft_quantizer_free(quantizer);
}

static void a_float_model_is_quantised(void **state) {
    (void)state;
    struct weft_failure failure;
    struct weft_quantizer *quantizer = NULL;
    struct weft_network *network = NULL;
    struct weft_options *options = options_of("calibration", "min-max");
    size_t samples = 16;
    size_t none = 3;
    size_t kept = 99;
    double sqnr = 0;
    char *text = NULL;
    ASSERT_DONE(weft_options_set(options, "integer_ends", "1", &failure), failure);
    ASSERT_DONE(
        weft_quantizer_make(float_graph, strlen(float_graph), options, &quantizer, &failure),
        failure);
    assert_int_equal(weft_quantizer_inputs(quantizer), 1);
    assert_string_equal(weft_tensor_element(weft_quantizer_input(quantizer, 0)), "float32");
    assert_string_equal(weft_tensor_name(weft_quantizer_input(quantizer, 0)), "x");
    assert_null(weft_quantizer_input(quantizer, 1));
    ASSERT_REFUSED(weft_quantizer_sqnr(quantizer, &sqnr, NULL, &failure), failure,
                   WEFT_FAILURE_STATE, "not quantised yet");
    ASSERT_REFUSED(weft_quantizer_compile(quantizer, NULL, NULL, &network, &failure), failure,
                   WEFT_FAILURE_STATE, "not quantised yet");
    ASSERT_REFUSED(weft_quantizer_text(quantizer, &text, &failure), failure, WEFT_FAILURE_STATE,
                   "not quantised yet");
    ASSERT_REFUSED(weft_quantizer_run(quantizer, 0, fill, &samples, &failure), failure,
                   WEFT_FAILURE_ARGUMENT, "");
    ASSERT_REFUSED(weft_quantizer_run(quantizer, 16, fill, &none, &failure), failure,
                   WEFT_FAILURE_ARGUMENT, "was not filled");
    ASSERT_DONE(weft_quantizer_run(quantizer, samples, fill, &samples, &failure), failure);
    ASSERT_REFUSED(weft_quantizer_run(quantizer, samples, fill, &samples, &failure), failure,
                   WEFT_FAILURE_STATE, "quantised already");
    ASSERT_DONE(weft_quantizer_sqnr(quantizer, &sqnr, &kept, &failure), failure);
    assert_true(sqnr > 30);
    assert_int_equal(kept, 0);
    ASSERT_DONE(weft_quantizer_text(quantizer, &text, &failure), failure);
    assert_non_null(strstr(text, "qnn.dense"));
    struct weft_options *dim = options_of("dim", "batch=7");
    ASSERT_REFUSED(weft_quantizer_compile(quantizer, NULL, dim, &network, &failure), failure,
                   WEFT_FAILURE_ARGUMENT, "option dim is for the reading of the model");
    weft_options_free(dim);
    ASSERT_DONE(weft_quantizer_compile(quantizer, NULL, NULL, &network, &failure), failure);
    weft_quantizer_free(quantizer); /* the network keeps what it needs */
    weft_options_free(options);
    assert_string_equal(weft_tensor_element(weft_network_input(network, 0)), "int8");
    struct weft_runner *runner = open_runner(network, "func");
    float numbers[8] = {1, 0, 0, 0, 0, 0, 0, 0};
    int8_t elements[8];
    float results[2];
    const void *bytes = NULL;
    size_t length = 0;
    ASSERT_DONE(
        weft_tensor_quantize(weft_network_input(network, 0), numbers, 8, elements, 8, &failure),
        failure);
    ASSERT_DONE(weft_runner_set_input(runner, 0, elements, 8, &failure), failure);
    ASSERT_DONE(weft_runner_run(runner, &failure), failure);
    ASSERT_DONE(weft_runner_output(runner, 0, &bytes, &length, &failure), failure);
    ASSERT_DONE(weft_tensor_dequantize(weft_network_output(network, 0), bytes, length, results, 2,
                                       &failure),
                failure);
    assert_true(fabsf(results[0] - 0.5F) < 0.1F && fabsf(results[1] - 1.0F) < 0.1F);
    weft_free(text);
    weft_runner_close(runner);
    weft_network_free(network);
}

static void options_without_effect_are_refused(void **state) {
    (void)state;
    static const char *const cases[][4] = {
        {"percentile", "99", "mse", "option percentile has no effect"},
        {"levels", "128", "mse", "option levels has no effect"},
        {"bins", "128", "min-max", "option bins has no effect"},
    };
    for (size_t i = 0; i < 3; i++) {
        struct weft_failure failure;
        struct weft_quantizer *quantizer = NULL;
        struct weft_options *options = options_of(cases[i][0], cases[i][1]);
        ASSERT_DONE(weft_options_set(options, "calibration", cases[i][2], &failure), failure);
        ASSERT_REFUSED(
            weft_quantizer_make(float_graph, strlen(float_graph), options, &quantizer, &failure),
            failure, WEFT_FAILURE_ARGUMENT, cases[i][3]);
        assert_null(quantizer);
        weft_options_free(options);
    }
    struct weft_failure failure;
    struct weft_quantizer *quantizer = NULL;
    ASSERT_REFUSED(weft_quantizer_load("/nowhere", NULL, &quantizer, &failure), failure,
                   WEFT_FAILURE_IO, "");
    ASSERT_REFUSED(weft_quantizer_make("graph main(", 11, NULL, &quantizer, &failure), failure,
                   WEFT_FAILURE_GRAPH, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_have_names),
        cmocka_unit_test(the_binary_interface_stays),
        cmocka_unit_test(a_failure_may_be_left_out),
        cmocka_unit_test(options_are_checked_when_they_are_set),
        cmocka_unit_test(options_are_listed),
        cmocka_unit_test(a_call_refuses_options_of_others),
        cmocka_unit_test(configurations_are_found_read_and_changed),
        cmocka_unit_test(wrong_configurations_are_refused),
        cmocka_unit_test(what_there_is_can_be_listed),
        cmocka_unit_test(tensors_say_what_they_are),
        cmocka_unit_test(numbers_become_elements_and_back),
        cmocka_unit_test(a_network_is_written_and_read),
        cmocka_unit_test(decisions_make_the_same_programs),
        cmocka_unit_test(options_of_compiling_take_effect),
        cmocka_unit_test(options_that_change_nothing_are_refused),
        cmocka_unit_test(samples_are_finite),
        cmocka_unit_test(a_float_model_is_quantised),
        cmocka_unit_test(options_without_effect_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
