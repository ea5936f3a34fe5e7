/* Programs of targets from outside in .weft files: they come back, and lies about them are refused.
 */
#include "tests/unit/containers.h"
#include "tests/unit/graphs.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

#define X "4xi8{0.5, 0}"

static const char text[] = "graph main(%x: " X ", %z: " X ") {\n"
                           "  %a = qnn.add(%x, %z) : " X "\n"
                           "  %y = qnn.tanh(%a) : 4xi8{0.0078125, 0}\n"
                           "  return %y\n"
                           "}\n";

/* ---- a target ---- */

static bool compile_four(void *context, struct weft_arena *arena, const struct weft_graph *body,
                         void **program, struct weft_error *error) {
    (void)context;
    (void)body;
    (void)error;
    *program = weft_arena_string(arena, "four", 4);
    return true;
}

static bool run_nothing(void *context, const void *program, const void *const *inputs,
                        void *const *results, struct weft_error *error) {
    (void)context;
    (void)program;
    (void)error;
    memcpy(results[0], inputs[0], 4);
    return true;
}

static bool write_four(void *context, const void *program, struct weft_text *bytes,
                       struct weft_error *error) {
    (void)error;
    if (context != NULL) {
        return false; /* says nothing */
    }
    weft_text_add_bytes(bytes, program, 4);
    return true;
}

static bool read_four(void *context, struct weft_arena *arena, const struct weft_graph *body,
                      const uint8_t *bytes, size_t length, void **program,
                      struct weft_error *error) {
    (void)context;
    assert_int_equal(body->input_count, 1);
    if (length != 4 || memcmp(bytes, "four", 4) != 0) {
        return weft_fail(error, WEFT_CONTAINER, 0, "not my bytes");
    }
    *program = weft_arena_string(arena, "four", 4);
    return true;
}

/* Takes qnn.tanh, and gives its operand back. */
static struct weft_external_target make_target(struct weft_arena *arena) {
    struct weft_pattern *any = weft_pattern_wildcard(arena);
    struct weft_pattern_entry *entry = WEFT_NEW(arena, struct weft_pattern_entry);
    struct weft_pattern_table *table = WEFT_NEW(arena, struct weft_pattern_table);
    *entry = (struct weft_pattern_entry){"fake.tanh",
                                         weft_pattern_op(arena, WEFT_OP_QNN_TANH, 1, &any), NULL};
    *table = (struct weft_pattern_table){.name = "fake", .entry_count = 1, .entries = entry};
    return (struct weft_external_target){.patterns = table,
                                         .compile = compile_four,
                                         .run = run_nothing,
                                         .write = write_four,
                                         .read = read_four};
}

static struct weft_module *compile_for(struct weft_arena *arena,
                                       const struct weft_external_target *target) {
    struct weft_error error;
    struct weft_module *module = NULL;
    const struct weft_config config = config_named("ref16");
    const struct weft_compile_options options = {.target_count = 1, .targets = target};
    ASSERT_GOOD(weft_compile_graph(graph_of(arena, text), &config, &options, &module, &error),
                error);
    assert_int_equal(module->external_count, 1);
    return module;
}

static void programs_of_a_target_come_back_from_a_file(void **state) {
    struct weft_error error;
    struct weft_external_target target = make_target(*state);
    target.plugin = "fake-plugin";
    struct weft_module *module = compile_for(*state, &target);
    struct weft_module *again = NULL;
    uint8_t *bytes = NULL;
    size_t length = 0;
    ASSERT_GOOD(weft_module_write(module, &bytes, &length, &error), error);
    ASSERT_FAILS(weft_module_read(bytes, length, NULL, &again, &error), error, WEFT_PLUGIN);
    assert_string_equal(error.message, "a region is for target fake of plugin fake-plugin, which "
                                       "--plugin must name");
    const struct weft_read_options options = {.target_count = 1, .targets = &target};
    ASSERT_GOOD(weft_module_read(bytes, length, &options, &again, &error), error);
    assert_int_equal(again->external_count, 1);
    assert_ptr_equal(again->externals[0].target, &target);
    const void **inputs = random_inputs(module->graph, 3);
    void **expected = output_room(module->graph);
    void **outputs = output_room(module->graph);
    ASSERT_GOOD(module_run(module, "func", inputs, expected, &error), error);
    ASSERT_GOOD(module_run(again, "func", inputs, outputs, &error), error);
    assert_memory_equal(outputs[0], expected[0], 4);
    weft_module_free(again);
    weft_module_free(module);
    free(bytes);
}

/* Where section EXTN has what; a count comes before all of it. */
enum {
    NAME_LENGTH = 4,
    NAME_TEXT = NAME_LENGTH + 8,
    PLUGIN_LENGTH = NAME_TEXT + 4,        /* "fake" */
    BYTES_LENGTH = PLUGIN_LENGTH + 8 + 4, /* "mine" */
    BYTES = BYTES_LENGTH + 8,
    EXTN_END = BYTES + 4
};

/* A file with one region for the target, taken apart. */
static struct parts fake_parts(struct weft_arena *arena, struct weft_external_target *target) {
    struct weft_error error;
    struct file file = {0};
    *target = make_target(arena);
    target->plugin = "mine";
    struct weft_module *module = compile_for(arena, target);
    ASSERT_GOOD(weft_module_write(module, &file.bytes, &file.length, &error), error);
    struct parts parts = take_apart(&file);
    assert_int_equal(parts.length[EXTN], EXTN_END);
    weft_module_free(module);
    free(file.bytes);
    return parts;
}

static void assert_file(struct parts *parts, const struct weft_external_target *target,
                        enum weft_error_code expected, const char *message) {
    struct weft_error error = {0};
    struct weft_module *module = NULL;
    const struct weft_read_options options = {.target_count = 1, .targets = target};
    struct file file = put_together(parts);
    bool is_read = weft_module_read(file.bytes, file.length, &options, &module, &error);
    if (is_read || error.code != expected || strstr(error.message, message) == NULL) {
        print_error("%s '%s' came, expected '%s'\n", weft_error_name(error.code), error.message,
                    message);
        fail();
    }
    free(file.bytes);
    free_parts(parts);
}

static void lies_about_programs_are_refused(void **state) {
    static const struct {
        size_t at, width;
        uint64_t value;
        const char *message;
    } lies[] = {
        {0, 4, 0, "section EXTN: 0 programs, the graph has 1 regions for them"},
        {0, 4, 2, "section EXTN: "},
        {0, 4, UINT32_MAX, "section EXTN: "},
        {NAME_LENGTH, 8, 3, "the program of a region for target fake is missing"},
        {NAME_LENGTH, 8, UINT64_MAX, "the program of a region for target fake is missing"},
        {NAME_TEXT, 1, 'm', "the program of a region for target fake is missing"},
        {PLUGIN_LENGTH, 8, UINT64_MAX - 20, "the program of a region for target fake is missing"},
        {BYTES_LENGTH, 8, 5, "the program of a region for target fake is missing"},
        {BYTES_LENGTH, 8, UINT64_MAX, "the program of a region for target fake is missing"},
        {BYTES_LENGTH, 8, 3, "target fake: not my bytes"},
        {BYTES_LENGTH, 8, 0, "target fake: not my bytes"},
        {BYTES, 1, 'F', "target fake: not my bytes"},
    };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        struct weft_external_target target;
        struct parts parts = fake_parts(*state, &target);
        uint8_t value[8];
        weft_write_u64(value, lies[i].value);
        memcpy(parts.raw[EXTN] + lies[i].at, value, lies[i].width);
        assert_file(&parts, &target, WEFT_CONTAINER, lies[i].message);
    }
}

static void lies_about_regions_are_refused(void **state) {
    struct weft_external_target target;
    struct parts parts = fake_parts(*state, &target);
    parts.raw[EXTN][parts.length[EXTN]++] = 'x';
    assert_file(&parts, &target, WEFT_CONTAINER, "section EXTN: has bytes left over");
    for (size_t length = 0; length < EXTN_END; length++) {
        parts = fake_parts(*state, &target);
        parts.length[EXTN] = length;
        assert_file(&parts, &target, WEFT_CONTAINER, "EXTN: ");
    }
    /* For a target that nobody brings, and for the machine, which has no program for it. */
    parts = fake_parts(*state, &target);
    replace(&parts, GRPH, "target=\"fake\"", "target=\"evil\"");
    assert_file(&parts, &target, WEFT_CONTAINER, "a region for target evil is missing");
    parts = fake_parts(*state, &target);
    replace(&parts, GRPH, "target=\"fake\"", "target=\"evil\"");
    replace(&parts, EXTN, "fake", "evil");
    assert_file(&parts, &target, WEFT_PLUGIN,
                "target evil of plugin mine, which --plugin must name");
    parts = fake_parts(*state, &target);
    replace(&parts, GRPH, "target=\"fake\"", "target=\"weft\"");
    assert_file(&parts, &target, WEFT_CONTAINER, "");
}

static void targets_without_a_written_form_say_so(void **state) {
    struct weft_error error;
    struct weft_external_target target = make_target(*state);
    uint8_t *bytes = NULL;
    size_t length = 0;
    target.context = &target;
    struct weft_module *module = compile_for(*state, &target);
    ASSERT_FAILS(weft_module_write(module, &bytes, &length, &error), error, WEFT_TARGET);
    assert_string_equal(error.message, "target fake: it failed, and does not say why");
    target.write = NULL;
    ASSERT_FAILS(weft_module_write(module, &bytes, &length, &error), error, WEFT_TARGET);
    assert_string_equal(error.message, "programs of target fake have no written form");
    weft_module_free(module);
}

static void targets_must_be_whole(void **state) {
    struct weft_error error;
    struct weft_module *module = NULL;
    const struct weft_config config = config_named("ref16");
    const struct weft_external_target whole = make_target(*state);
    struct weft_external_target wrong[] = {whole, whole, whole, whole};
    wrong[0].patterns = NULL;
    wrong[1].compile = NULL;
    wrong[2].run = NULL;
    wrong[3].read = NULL;
    for (size_t i = 0; i < 4; i++) {
        const struct weft_compile_options options = {.target_count = 1, .targets = &wrong[i]};
        ASSERT_FAILS(weft_compile_graph(graph_of(*state, text), &config, &options, &module, &error),
                     error, WEFT_ARGUMENT);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(programs_of_a_target_come_back_from_a_file),
        ARENA_TEST(lies_about_programs_are_refused),
        ARENA_TEST(lies_about_regions_are_refused),
        ARENA_TEST(targets_without_a_written_form_say_so),
        ARENA_TEST(targets_must_be_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
