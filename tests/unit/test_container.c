/* compiler/container_*.c: .weft files are read back whole, and nothing damaged gets through. */
#include "tests/unit/modules.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/file.h"

enum {
    HEADER = 24,
    ENTRY = 32,
    SECTIONS = 7,
    TABLE_END = HEADER + SECTIONS * ENTRY,
    CONTAINER_VERSION = 4,
};
enum section {
    CONF,
    GRPH,
    BLOB,
    PROG,
    CNST,
    NAME,
    DECS
};

/* ---- files taken apart and put together ---- */

struct file {
    uint8_t *bytes;
    size_t length;
};

/* The sections of a file as they are before zlib, and what the header says. */
struct parts {
    uint8_t *raw[SECTIONS];
    size_t length[SECTIONS];
    uint64_t fingerprint;
};

static struct file digits_file(const char *config) {
    struct weft_error error;
    struct file file = {0};
    struct digits digits = digits_open(config);
    ASSERT_GOOD(weft_module_write(digits.module, &file.bytes, &file.length, &error), error);
    digits_close(&digits);
    return file;
}

static struct parts take_apart(const struct file *file) {
    struct parts parts = {.fingerprint = weft_read_u64(file->bytes + 16)};
    for (int i = 0; i < SECTIONS; i++) {
        const uint8_t *entry = file->bytes + HEADER + (size_t)i * ENTRY;
        uLongf raw = (uLongf)weft_read_u64(entry + 24);
        parts.raw[i] = malloc(raw + 64); /* room to grow */
        assert_non_null(parts.raw[i]);
        assert_int_equal(uncompress(parts.raw[i], &raw, file->bytes + weft_read_u64(entry + 8),
                                    (uLong)weft_read_u64(entry + 16)),
                         Z_OK);
        parts.length[i] = raw;
    }
    return parts;
}

static void free_parts(struct parts *parts) {
    for (int i = 0; i < SECTIONS; i++) {
        free(parts->raw[i]);
    }
}

/* With good checksums, whatever the sections hold. */
static struct file put_together(const struct parts *parts) {
    static const char tags[SECTIONS][5] = {"CONF", "GRPH", "BLOB", "PROG", "CNST", "NAME", "DECS"};
    struct file file = {.length = TABLE_END};
    size_t room = TABLE_END;
    for (int i = 0; i < SECTIONS; i++) {
        room += compressBound((uLong)parts->length[i]);
    }
    file.bytes = calloc(1, room);
    assert_non_null(file.bytes);
    memcpy(file.bytes, "WEFT\r\n\x1a\n", 8);
    weft_write_u32(file.bytes + 8, CONTAINER_VERSION);
    weft_write_u32(file.bytes + 12, SECTIONS);
    weft_write_u64(file.bytes + 16, parts->fingerprint);
    for (int i = 0; i < SECTIONS; i++) {
        uint8_t *entry = file.bytes + HEADER + (size_t)i * ENTRY;
        uLongf stored = (uLongf)(room - file.length);
        assert_int_equal(
            compress2(file.bytes + file.length, &stored, parts->raw[i], (uLong)parts->length[i], 1),
            Z_OK);
        memcpy(entry, tags[i], 4);
        weft_write_u32(entry + 4, (uint32_t)crc32(0, file.bytes + file.length, (uInt)stored));
        weft_write_u64(entry + 8, file.length);
        weft_write_u64(entry + 16, stored);
        weft_write_u64(entry + 24, parts->length[i]);
        file.length += stored;
    }
    return file;
}

/* ---- reading ---- */

static struct weft_module *read_file(const struct file *file) {
    struct weft_error error;
    struct weft_module *module = NULL;
    ASSERT_GOOD(weft_module_read(file->bytes, file->length, NULL, &module, &error), error);
    return module;
}

static enum weft_error_code code_of(const struct file *file) {
    struct weft_error error = {0};
    struct weft_module *module = NULL;
    if (weft_module_read(file->bytes, file->length, NULL, &module, &error)) {
        weft_module_free(module);
        return WEFT_OK;
    }
    assert_null(module);
    assert_true(strlen(error.message) > 0);
    assert_null(strchr(error.message, '\n'));
    return error.code;
}

/* The parts, put together, must be refused with `expected`; the parts are freed. */
static void assert_parts(struct parts *parts, enum weft_error_code expected) {
    struct file file = put_together(parts);
    assert_string_equal(weft_error_name(code_of(&file)), weft_error_name(expected));
    free(file.bytes);
    free_parts(parts);
}

static struct file good; /* the digits network for ref16 */

static int open_good(void **state) {
    (void)state;
    good = digits_file("ref16");
    return 0;
}

static int close_good(void **state) {
    (void)state;
    free(good.bytes);
    return 0;
}

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

static void bytes_left_over_are_refused(void **state) {
    (void)state;
    static const enum weft_error_code expected[SECTIONS] = {
        [CONF] = WEFT_CONFIG,    [GRPH] = WEFT_GRAPH,     [BLOB] = WEFT_CONTAINER,
        [PROG] = WEFT_CONTAINER, [CNST] = WEFT_CONTAINER, [NAME] = WEFT_CONTAINER,
        [DECS] = WEFT_CONTAINER};
    for (int i = 0; i < SECTIONS; i++) {
        struct parts parts = take_apart(&good);
        parts.raw[i][parts.length[i]++] = 'x';
        assert_parts(&parts, expected[i]);
    }
}

static void sections_that_end_early_are_refused(void **state) {
    (void)state;
    static const enum weft_error_code expected[SECTIONS] = {
        [CONF] = WEFT_CONFIG,    [GRPH] = WEFT_GRAPH,     [BLOB] = WEFT_CONTAINER,
        [PROG] = WEFT_CONTAINER, [CNST] = WEFT_CONTAINER, [NAME] = WEFT_CONTAINER,
        [DECS] = WEFT_CONTAINER};
    for (int i = 0; i < SECTIONS; i++) {
        for (size_t quarter = 0; quarter < 4; quarter++) {
            struct parts parts = take_apart(&good);
            parts.length[i] = quarter * parts.length[i] / 4;
            assert_parts(&parts, expected[i]);
        }
    }
}

static void replace(struct parts *parts, enum section section, const char *old,
                    const char *replacement) {
    char *at = NULL;
    size_t length = strlen(old);
    for (size_t i = 0; at == NULL && i + length <= parts->length[section]; i++) {
        if (memcmp(parts->raw[section] + i, old, length) == 0) {
            at = (char *)parts->raw[section] + i;
        }
    }
    assert_non_null(at);
    assert_true(strlen(replacement) <= length + 60);
    size_t rest = parts->length[section] - (size_t)(at - (char *)parts->raw[section]) - length;
    memmove(at + strlen(replacement), at + length, rest);
    memcpy(at, replacement, strlen(replacement));
    parts->length[section] += strlen(replacement) - length;
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
    replace(&parts, GRPH, " reason=\"the machine has no operation for qnn.softmax\"", "");
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

/* ---- programs and the regions of the graph ---- */

/* PROG: how many programs, then for each its size, its bytes, six numbers, and the bindings of
 * inputs and outputs: how many, then region, offset and bytes of each. */
enum {
    PROGRAM_AT = 12,
    NUMBERS = 6 * 8,
    BINDING = 20
};

static size_t sizes_at(const struct parts *parts) {
    return PROGRAM_AT + (size_t)weft_read_u64(parts->raw[PROG] + 4);
}

static uint8_t *input_binding(const struct parts *parts) {
    return parts->raw[PROG] + sizes_at(parts) + NUMBERS + 4;
}

static uint8_t *output_binding(const struct parts *parts) {
    return input_binding(parts) + BINDING + 4;
}

static void work_is_not_negative(void **state) {
    (void)state;
    struct parts parts = take_apart(&good);
    weft_write_u64(parts.raw[PROG] + sizes_at(&parts) + NUMBERS - 8, UINT64_MAX);
    assert_parts(&parts, WEFT_CONTAINER);
}

static void numbers_of_programs_must_agree(void **state) {
    (void)state;
    struct parts parts = take_apart(&good);
    weft_write_u32(parts.raw[PROG], 0);
    parts.length[PROG] = 4;
    parts.length[CNST] = 0;
    parts.length[NAME] = 8 + strlen("digits") + 8;
    assert_parts(&parts, WEFT_CONTAINER); /* a region has no program */
    parts = take_apart(&good);
    weft_write_u32(parts.raw[PROG], UINT32_MAX);
    assert_parts(&parts, WEFT_CONTAINER);
}

static void a_program_without_a_region_is_refused(void **state) {
    (void)state;
    static const char graph[] = "graph main(%0: 1x16x16x1xi8{0.0039215688593685627, -128} #0) {\n"
                                "  return %0\n}\n";
    struct parts parts = take_apart(&good);
    memcpy(parts.raw[GRPH], graph, sizeof graph - 1);
    parts.length[GRPH] = sizeof graph - 1;
    assert_parts(&parts, WEFT_CONTAINER);
}

/* What was decided is shown with the layers of the programs. */
static void decisions_must_be_of_the_programs(void **state) {
    (void)state;
    struct parts parts = take_apart(&good);
    replace(&parts, DECS, "\"weft_decisions\": 1", "\"weft_decisions\": 2");
    assert_parts(&parts, WEFT_CONTAINER);
    static const char empty[] =
        "{\"weft_decisions\": 1, \"model\": \"m\", \"config\": \"c\", \"regions\": []}";
    parts = take_apart(&good);
    memcpy(parts.raw[DECS], empty, sizeof empty - 1);
    parts.length[DECS] = sizeof empty - 1;
    assert_parts(&parts, WEFT_CONTAINER);
}

static void bindings_must_fit_the_region(void **state) {
    (void)state;
    struct parts parts = take_apart(&good);
    uint64_t input_bytes = weft_read_u64(input_binding(&parts) + 12);
    assert_int_equal(input_bytes, 256);
    weft_write_u64(input_binding(&parts) + 12, 255);
    assert_parts(&parts, WEFT_CONTAINER);
    static const uint32_t regions[] = {WEFT_REGION_PROGRAM, WEFT_REGION_CONSTANTS, 5, 8,
                                       UINT32_MAX};
    for (size_t i = 0; i < sizeof regions / sizeof regions[0]; i++) {
        parts = take_apart(&good);
        weft_write_u32(input_binding(&parts), regions[i]);
        assert_parts(&parts, WEFT_CONTAINER);
        parts = take_apart(&good);
        weft_write_u32(output_binding(&parts), regions[i]);
        assert_parts(&parts, WEFT_CONTAINER);
    }
    static const uint64_t offsets[] = {1, 1 << 20, UINT64_MAX, UINT64_MAX - 255};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        parts = take_apart(&good);
        weft_write_u64(input_binding(&parts) + 4, offsets[i]);
        assert_parts(&parts, WEFT_CONTAINER);
    }
}

static void numbers_of_bindings_must_agree(void **state) {
    (void)state;
    struct parts parts = take_apart(&good);
    uint8_t *count = input_binding(&parts) - 4;
    weft_write_u32(count, 0);
    memmove(count + 4, count + 4 + BINDING,
            parts.length[PROG] - (size_t)(count + 4 + BINDING - parts.raw[PROG]));
    parts.length[PROG] -= BINDING;
    assert_parts(&parts, WEFT_CONTAINER);
    parts = take_apart(&good);
    weft_write_u32(input_binding(&parts) - 4, 2);
    assert_parts(&parts, WEFT_CONTAINER);
    parts = take_apart(&good);
    weft_write_u32(input_binding(&parts) - 4, UINT32_MAX);
    assert_parts(&parts, WEFT_CONTAINER);
}

static void regions_must_not_be_huge(void **state) {
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct parts parts = take_apart(&good);
        weft_write_u64(parts.raw[PROG] + sizes_at(&parts) + 8 * i, (UINT64_C(1) << 30) + 1);
        assert_parts(&parts, WEFT_LIMIT);
    }
}

/* ---- cycles ---- */

enum {
    CYCLES_AT = 24, /* behind the sizes of three regions */
    BOUND_AT = 32,
};

static void a_bound_must_be_the_one_of_the_program(void **state) {
    (void)state;
    static const uint64_t wrong[] = {1, 100, UINT64_MAX, UINT64_C(1) << 63};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct parts parts = take_apart(&good);
        uint8_t *bound = parts.raw[PROG] + sizes_at(&parts) + BOUND_AT;
        weft_write_u64(bound, weft_read_u64(bound) + wrong[i]);
        assert_parts(&parts, WEFT_CONTAINER);
    }
    struct parts parts = take_apart(&good);
    uint8_t *cycles = parts.raw[PROG] + sizes_at(&parts) + CYCLES_AT;
    weft_write_u64(cycles, weft_read_u64(cycles + 8));
    assert_parts(&parts, WEFT_OK);
    parts = take_apart(&good);
    cycles = parts.raw[PROG] + sizes_at(&parts) + CYCLES_AT;
    weft_write_u64(cycles, weft_read_u64(cycles + 8) + 1);
    assert_parts(&parts, WEFT_CONTAINER);
}

static void cycles_have_a_limit_that_the_caller_may_set(void **state) {
    (void)state;
    struct weft_error error;
    struct weft_module *module = read_file(&good);
    const uint64_t bound = weft_module_bound(module);
    assert_int_equal(bound, module->segments[0].bound);
    assert_true(bound >= weft_module_cycles(module));
    weft_module_free(module);
    struct weft_read_options options = {.cycles = bound};
    ASSERT_GOOD(weft_module_read(good.bytes, good.length, &options, &module, &error), error);
    weft_module_free(module);
    options.cycles--;
    module = NULL;
    ASSERT_FAILS(weft_module_read(good.bytes, good.length, &options, &module, &error), error,
                 WEFT_LIMIT);
    assert_null(module);
}

static void regions_must_be_large_enough_for_the_program(void **state) {
    (void)state;
    struct parts parts = take_apart(&good);
    weft_write_u64(parts.raw[CNST], weft_read_u64(parts.raw[CNST]) - 256);
    parts.length[CNST] -= 256;
    assert_parts(&parts, WEFT_VERIFY_BOUNDS);
}

/* ---- instructions ---- */

static void illegal_instructions_are_refused(void **state) {
    (void)state;
    struct parts parts = take_apart(&good);
    parts.raw[PROG][PROGRAM_AT] = 0; /* no opcode */
    assert_parts(&parts, WEFT_ENCODING);
    parts = take_apart(&good);
    parts.raw[PROG][PROGRAM_AT + 63] |= 0x80; /* a reserved bit */
    assert_parts(&parts, WEFT_ENCODING);
    parts = take_apart(&good);
    weft_write_u64(parts.raw[PROG] + 4, weft_read_u64(parts.raw[PROG] + 4) - 1);
    assert_parts(&parts, WEFT_CONTAINER);
}

/* Changes the program and packs it again. */
typedef void change(struct weft_program *program);

static void assert_changed_program(change *edit, enum weft_error_code expected) {
    struct weft_error error;
    struct weft_program program;
    uint8_t *code = NULL;
    struct parts parts = take_apart(&good);
    size_t size = (size_t)weft_read_u64(parts.raw[PROG] + 4);
    ASSERT_GOOD(weft_program_decode(parts.raw[PROG] + PROGRAM_AT, size, &program, &error), error);
    edit(&program);
    ASSERT_GOOD(weft_program_encode(&program, &code, &error), error);
    memcpy(parts.raw[PROG] + PROGRAM_AT, code, size);
    free(code);
    weft_program_free(&program);
    assert_parts(&parts, expected);
}

static struct weft_instruction *first_of(struct weft_program *program, enum weft_opcode opcode) {
    for (size_t i = 0; i < program->count; i++) {
        if (program->instructions[i].opcode == opcode) {
            return &program->instructions[i];
        }
    }
    fail();
    return NULL;
}

static void halt_first(struct weft_program *program) {
    program->instructions[0] = weft_instruction_new(WEFT_OPCODE_HALT);
}

static void store_past_the_outputs(struct weft_program *program) {
    first_of(program, WEFT_OPCODE_STORE)->store.address = 1 << 20;
}

static void store_into_the_constants(struct weft_program *program) {
    struct weft_instruction *store = first_of(program, WEFT_OPCODE_STORE);
    store->store.region = WEFT_REGION_CONSTANTS;
    store->store.address = 0;
}

static void store_into_the_program(struct weft_program *program) {
    struct weft_instruction *store = first_of(program, WEFT_OPCODE_STORE);
    store->store.region = WEFT_REGION_PROGRAM;
    store->store.address = 0;
}

static void drop_banks(struct weft_program *program) {
    first_of(program, WEFT_OPCODE_MATRIX)->banks[WEFT_MEMORY_ACC] = 0;
}

static void drop_wait(struct weft_program *program) {
    size_t i = 0;
    while (program->instructions[i].wait == 0) {
        i++; /* the last instructions wait for something */
    }
    program->instructions[i].wait = 0;
}

static void odd_weights(struct weft_program *program) {
    first_of(program, WEFT_OPCODE_MATRIX)->matrix.wgt++;
}

static void same_accumulators(struct weft_program *program) {
    first_of(program, WEFT_OPCODE_MATRIX)->matrix.pixel_acc_stride[1] = 0;
}

static void programs_are_verified(void **state) {
    (void)state;
    assert_changed_program(halt_first, WEFT_VERIFY_PROGRAM);
    assert_changed_program(store_past_the_outputs, WEFT_VERIFY_BOUNDS);
    assert_changed_program(store_into_the_constants, WEFT_VERIFY_WRITE);
    assert_changed_program(store_into_the_program, WEFT_VERIFY_WRITE);
    assert_changed_program(drop_banks, WEFT_VERIFY_BANKS);
    assert_changed_program(drop_wait, WEFT_VERIFY_BALANCE);
    assert_changed_program(odd_weights, WEFT_VERIFY_RESERVED);
    assert_changed_program(same_accumulators, WEFT_VERIFY_ACCUMULATOR);
}

static void layers_of_instructions_must_exist(void **state) {
    (void)state;
    static const uint32_t layers[] = {1000, INT32_MAX, (uint32_t)-2, UINT32_C(0x80000000)};
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        struct parts parts = take_apart(&good);
        weft_write_u32(parts.raw[NAME] + parts.length[NAME] - 4, layers[i]);
        assert_parts(&parts, WEFT_CONTAINER);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
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
        cmocka_unit_test(work_is_not_negative),
        cmocka_unit_test(graphs_without_outputs_are_refused),
        cmocka_unit_test(a_module_keeps_to_the_limit_of_memory),
        cmocka_unit_test(numbers_of_programs_must_agree),
        cmocka_unit_test(a_program_without_a_region_is_refused),
        cmocka_unit_test(decisions_must_be_of_the_programs),
        cmocka_unit_test(bindings_must_fit_the_region),
        cmocka_unit_test(numbers_of_bindings_must_agree),
        cmocka_unit_test(regions_must_not_be_huge),
        cmocka_unit_test(a_bound_must_be_the_one_of_the_program),
        cmocka_unit_test(cycles_have_a_limit_that_the_caller_may_set),
        cmocka_unit_test(regions_must_be_large_enough_for_the_program),
        cmocka_unit_test(illegal_instructions_are_refused),
        cmocka_unit_test(programs_are_verified),
        cmocka_unit_test(layers_of_instructions_must_exist),
    };
    return cmocka_run_group_tests(tests, open_good, close_good);
}
