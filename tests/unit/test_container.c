/* compiler/container_*.c: .weft files are read back whole, and nothing damaged gets through.
 * test_container_programs.c has what is wrong with their programs. */
#include "tests/unit/containers.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

/* ---- round trips ---- */

static const char *graph_text(struct weft_graph *graph) {
    weft_graph_name(graph);
    return text_of(graph);
}

static void assert_bindings(uint32_t count, const struct weft_binding *a,
                            const struct weft_binding *b) {
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(a[i].region, b[i].region);
        assert_int_equal(a[i].offset, b[i].offset);
        assert_int_equal(a[i].bytes, b[i].bytes);
    }
}

static void assert_segments(const struct weft_segment *a, const struct weft_segment *b) {
    struct weft_error error;
    uint8_t *code[2];
    assert_int_equal(a->program.count, b->program.count);
    ASSERT_GOOD(weft_program_encode(&a->program, &code[0], &error), error);
    ASSERT_GOOD(weft_program_encode(&b->program, &code[1], &error), error);
    assert_memory_equal(code[0], code[1], a->program.count * WEFT_INSTRUCTION_BYTES);
    assert_memory_equal(a->layer_of, b->layer_of, a->program.count * sizeof *a->layer_of);
    assert_int_equal(a->constant_bytes, b->constant_bytes);
    assert_memory_equal(a->constants, b->constants, a->constant_bytes);
    assert_int_equal(a->scratch_bytes, b->scratch_bytes);
    assert_int_equal(a->input_bytes, b->input_bytes);
    assert_int_equal(a->output_bytes, b->output_bytes);
    assert_int_equal(a->cycles, b->cycles);
    assert_int_equal(a->input_count, b->input_count);
    assert_int_equal(a->output_count, b->output_count);
    assert_bindings(a->input_count, a->inputs, b->inputs);
    assert_bindings(a->output_count, a->outputs, b->outputs);
    assert_int_equal(a->layer_count, b->layer_count);
    for (uint32_t i = 0; i < a->layer_count; i++) {
        assert_string_equal(a->layers[i].name, b->layers[i].name);
        assert_string_equal(a->layers[i].tensor, b->layers[i].tensor);
        assert_memory_equal(a->layers[i].shape, b->layers[i].shape, sizeof a->layers[i].shape);
        assert_int_equal(a->layers[i].macs, b->layers[i].macs);
        assert_int_equal(a->layers[i].source, b->layers[i].source);
    }
    free(code[0]);
    free(code[1]);
}

static void what_is_written_is_read_back(void **state) {
    (void)state;
    for (size_t c = 0; test_configs[c] != NULL; c++) {
        struct weft_error error;
        struct digits digits = digits_open(test_configs[c]);
        struct file file = {0};
        ASSERT_GOOD(weft_module_write(digits.module, &file.bytes, &file.length, &error), error);
        assert_true(weft_is_module(file.bytes, file.length));
        struct weft_module *module = read_file(&file);
        assert_string_equal(module->model_name, "digits");
        assert_string_equal(module->config.name, test_configs[c]);
        assert_memory_equal(&module->config, &digits.module->config, sizeof module->config);
        assert_int_equal(module->segment_count, digits.module->segment_count);
        for (uint32_t i = 0; i < module->segment_count; i++) {
            assert_segments(&module->segments[i], &digits.module->segments[i]);
        }
        assert_int_equal(module->graph->node_count, digits.module->graph->node_count);
        weft_module_free(module);
        free(file.bytes);
        digits_close(&digits);
    }
}

/* Constants of a megabyte and more are deflated in pieces, which are one stream to who reads it. */
static void large_constants_are_read_back(void **state) {
    (void)state;
    static const size_t sizes[] = {(1U << 20) - 64, 1U << 20, (1U << 20) + 64, 5U << 19};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct weft_error error;
        struct digits digits = digits_open("ref16");
        struct weft_segment *segment = &digits.module->segments[0];
        uint8_t *constants = malloc(sizes[i]);
        assert_non_null(constants);
        for (size_t k = 0; k < sizes[i]; k++) {
            constants[k] = k < segment->constant_bytes ? segment->constants[k]
                                                       : (uint8_t)(k * 2654435761U >> 27);
        }
        segment->constants = constants;
        segment->constant_bytes = sizes[i];
        struct file file = {0};
        ASSERT_GOOD(weft_module_write(digits.module, &file.bytes, &file.length, &error), error);
        struct weft_module *module = read_file(&file);
        assert_segments(&module->segments[0], segment);
        weft_module_free(module);
        free(file.bytes);
        digits_close(&digits);
        free(constants);
    }
}

/* The graph in a file is shorter: what composites do is in the programs. Reading and writing again
 * must change nothing any more. */
static void a_file_is_written_again_as_it_was(void **state) {
    (void)state;
    struct weft_error error;
    struct file again = {0};
    struct weft_module *module = read_file(&good);
    ASSERT_GOOD(weft_module_write(module, &again.bytes, &again.length, &error), error);
    assert_int_equal(again.length, good.length);
    assert_memory_equal(again.bytes, good.bytes, good.length);
    struct weft_module *second = read_file(&again);
    assert_string_equal(graph_text(module->graph), graph_text(second->graph));
    weft_module_free(module);
    weft_module_free(second);
    free(again.bytes);
}

static void a_file_that_is_taken_apart_and_put_together_is_read(void **state) {
    (void)state;
    struct parts parts = take_apart(&good);
    assert_parts(&parts, WEFT_OK);
}

static void only_weft_files_look_like_weft_files(void **state) {
    (void)state;
    assert_true(weft_is_module(good.bytes, 8));
    assert_false(weft_is_module(good.bytes, 7));
    assert_false(weft_is_module(good.bytes + 1, 8));
    struct file file = {good.bytes + 1, good.length - 1};
    assert_int_equal(code_of(&file), WEFT_CONTAINER);
    file = (struct file){good.bytes, 0};
    assert_int_equal(code_of(&file), WEFT_CONTAINER);
}

/* ---- damage ---- */

/* Flips a bit, reads, and flips it back. */
static enum weft_error_code code_with_bit(size_t byte, unsigned bit) {
    good.bytes[byte] = (uint8_t)(good.bytes[byte] ^ 1U << bit);
    enum weft_error_code code = code_of(&good);
    good.bytes[byte] = (uint8_t)(good.bytes[byte] ^ 1U << bit);
    return code;
}

static void every_bit_of_the_header_counts(void **state) {
    (void)state;
    for (size_t byte = 0; byte < TABLE_END; byte++) {
        bool fingerprint = byte >= 16 && byte < HEADER;
        for (unsigned bit = 0; bit < 8; bit++) {
            enum weft_error_code code = code_with_bit(byte, bit);
            enum weft_error_code expected = fingerprint ? WEFT_FINGERPRINT : WEFT_CONTAINER;
            if (code != expected) {
                print_error("byte %zu, bit %u: %s\n", byte, bit, weft_error_name(code));
                fail();
            }
        }
    }
}

static void every_section_has_a_checksum(void **state) {
    (void)state;
    for (int i = 0; i < SECTIONS; i++) {
        const uint8_t *entry = good.bytes + HEADER + (size_t)i * ENTRY;
        size_t offset = (size_t)weft_read_u64(entry + 8);
        size_t stored = (size_t)weft_read_u64(entry + 16);
        for (size_t k = 0; k < 40; k++) {
            assert_int_equal(code_with_bit(offset + k * (stored - 1) / 39, (unsigned)k % 8),
                             WEFT_CONTAINER);
        }
    }
}

static void a_file_that_ends_early_is_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < 50; i++) {
        struct file file = {malloc(good.length * i / 50 + 1), good.length * i / 50};
        assert_non_null(file.bytes);
        memcpy(file.bytes, good.bytes, file.length);
        assert_int_equal(code_of(&file), WEFT_CONTAINER);
        free(file.bytes);
    }
    struct file file = {good.bytes, good.length - 1};
    assert_int_equal(code_of(&file), WEFT_CONTAINER);
}

/* ---- sections that are whole but wrong ---- */

/* By section: the error when it is too long or too short. */
static const enum weft_error_code length_errors[SECTIONS] = {
    [CONF] = WEFT_CONFIG,    [GRPH] = WEFT_GRAPH,     [BLOB] = WEFT_CONTAINER,
    [PROG] = WEFT_CONTAINER, [CNST] = WEFT_CONTAINER, [NAME] = WEFT_CONTAINER,
    [DECS] = WEFT_CONTAINER, [EXTN] = WEFT_CONTAINER};

static void bytes_left_over_are_refused(void **state) {
    (void)state;
    for (int i = 0; i < SECTIONS; i++) {
        struct parts parts = take_apart(&good);
        parts.raw[i][parts.length[i]++] = 'x';
        assert_parts(&parts, length_errors[i]);
    }
}

static void sections_that_end_early_are_refused(void **state) {
    (void)state;
    for (int i = 0; i < SECTIONS; i++) {
        for (size_t quarter = 0; quarter < 4; quarter++) {
            struct parts parts = take_apart(&good);
            parts.length[i] = quarter * parts.length[i] / 4;
            assert_parts(&parts, length_errors[i]);
        }
    }
}

static void the_configuration_must_be_the_one_of_the_fingerprint(void **state) {
    (void)state;
    struct parts parts = take_apart(&good);
    replace(&parts, CONF, "\"queue_depth\": 8", "\"queue_depth\": 9");
    assert_parts(&parts, WEFT_FINGERPRINT);
    parts = take_apart(&good);
    replace(&parts, CONF, "\"queue_depth\": 8", "\"queue_depth\": 1");
    assert_parts(&parts, WEFT_CONFIG);
    parts = take_apart(&good);
    replace(&parts, CONF, "\"name\": \"ref16\"", "\"name\": \"other\""); /* a name is no matter */
    assert_parts(&parts, WEFT_OK);
    parts = take_apart(&good);
    parts.fingerprint++;
    assert_parts(&parts, WEFT_FINGERPRINT);
}

/* The same program on a machine that its configuration describes otherwise: the verifier runs.
 * Banks are smaller there, so that the first tensor lies in more of them than the program owns. */
static void programs_are_verified_for_the_configuration(void **state) {
    (void)state;
    struct weft_error error;
    struct weft_config config;
    struct parts parts = take_apart(&good);
    replace(&parts, CONF, "\"act_bytes\": 262144", "\"act_bytes\": 131072");
    ASSERT_GOOD(
        weft_config_parse((const char *)parts.raw[CONF], parts.length[CONF], &config, &error),
        error);
    parts.fingerprint = weft_config_fingerprint(&config);
    assert_parts(&parts, WEFT_VERIFY_BANKS);
}

static void the_graph_must_be_well_formed(void **state) {
    (void)state;
    struct parts parts = take_apart(&good);
    replace(&parts, GRPH, "qnn.softmax", "qnn.hardmax");
    assert_parts(&parts, WEFT_GRAPH);
    parts = take_apart(&good);
    replace(&parts, GRPH, "beta=1", "");
    assert_parts(&parts, WEFT_GRAPH);
}

/* Without outputs a run has nothing to give. */
static void graphs_without_outputs_are_refused(void **state) {
    (void)state;
    static const char empty[] = "graph main(%a: 1x4xi8{0.5, 0}) {\n  return\n}\n";
    struct parts parts = take_apart(&good);
    struct weft_error error = {0};
    struct weft_module *module = NULL;
    free(parts.raw[GRPH]);
    parts.raw[GRPH] = (uint8_t *)strdup(empty);
    parts.length[GRPH] = sizeof empty - 1;
    struct file file = put_together(&parts);
    ASSERT_FAILS(weft_module_read(file.bytes, file.length, NULL, &module, &error), error,
                 WEFT_CONTAINER);
    free(file.bytes);
    free_parts(&parts);
    assert_non_null(strstr(error.message, "no outputs"));
}

/* One limit for all sections, and what is made of them. */
static void a_module_keeps_to_the_limit_of_memory(void **state) {
    (void)state;
    struct weft_error error = {0};
    struct weft_module *module = read_file(&good);
    size_t needed = module->arena.total;
    size_t instructions = module->segments[0].program.count;
    weft_module_free(module);
    module = NULL;
    for (size_t limit = 1; limit < needed; limit += needed / 10) {
        const struct weft_read_options options = {.bytes = limit};
        ASSERT_FAILS(weft_module_read(good.bytes, good.length, &options, &module, &error), error,
                     WEFT_LIMIT);
        assert_null(module);
    }
    const struct weft_read_options options = {.bytes = needed + instructions * WEFT_VERIFY_BYTES};
    ASSERT_GOOD(weft_module_read(good.bytes, good.length, &options, &module, &error), error);
    weft_module_free(module);
}

/* module.h: "operators that the host carries out; the attribute `reason` says why". */
static void operators_of_the_host_must_have_a_reason(void **state) {
    (void)state;
    struct parts parts = take_apart(&good);
    replace(&parts, GRPH,
            " reason=\"a softmax as small as this is not worth loading its table of exponentials\"",
            "");
    struct file file = put_together(&parts);
    struct weft_error error;
    struct weft_module *module = NULL;
    bool read = weft_module_read(file.bytes, file.length, NULL, &module, &error);
    free(file.bytes);
    free_parts(&parts);
    for (size_t i = 0; read && i < module->graph->node_count; i++) {
        const struct weft_node *node = module->graph->nodes[i];
        if (node->op != WEFT_OP_REGION && node->op != WEFT_OP_CONSTANT) {
            assert_non_null(weft_node_attribute(node, WEFT_ATTR_reason));
        }
    }
    if (read) {
        weft_module_free(module);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(large_constants_are_read_back),
        cmocka_unit_test(a_file_is_written_again_as_it_was),
        cmocka_unit_test(a_file_that_is_taken_apart_and_put_together_is_read),
        cmocka_unit_test(only_weft_files_look_like_weft_files),
        cmocka_unit_test(every_bit_of_the_header_counts),
        cmocka_unit_test(every_section_has_a_checksum),
        cmocka_unit_test(a_file_that_ends_early_is_refused),
        cmocka_unit_test(bytes_left_over_are_refused),
        cmocka_unit_test(sections_that_end_early_are_refused),
        cmocka_unit_test(the_configuration_must_be_the_one_of_the_fingerprint),
        cmocka_unit_test(programs_are_verified_for_the_configuration),
        cmocka_unit_test(the_graph_must_be_well_formed),
        cmocka_unit_test(operators_of_the_host_must_have_a_reason),
        cmocka_unit_test(graphs_without_outputs_are_refused),
        cmocka_unit_test(a_module_keeps_to_the_limit_of_memory),
    };
    return cmocka_run_group_tests(tests, open_good, close_good);
}
