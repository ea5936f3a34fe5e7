/* compiler/ir: the text form as a file: scales and constants behind the graph, comments, constants
 * in files, and what messages say. */
#include "tests/unit/graphs.h"

#include <string.h>

/* ---- the whole text ---- */

static const char *written(const struct weft_graph *graph) {
    struct weft_error error;
    struct weft_text text = {0};
    weft_graph_write(graph, &text);
    ASSERT_GOOD(weft_text_finish(&text, &error), error);
    const char *copy = weft_arena_string(graph->arena, text.bytes, text.length);
    weft_text_free(&text);
    return copy;
}

/* Scales of more than 16 channels are in a table, which all types that share them use; long
 * constants are in base 64 behind the graph. */
static void long_lists_are_behind_the_graph(void **state) {
    struct weft_arena *arena = *state;
    double scales[17];
    int32_t zeros[17] = {0};
    int8_t data[2][17];
    for (int i = 0; i < 17; i++) {
        scales[i] = 0.1 * (i + 1);
        data[0][i] = (int8_t)(i - 8);
        data[1][i] = (int8_t)-i;
    }
    struct weft_graph *graph = weft_graph_new(arena, "g");
    struct weft_type type = weft_type_make(WEFT_I8, 1, (const int64_t[]){17});
    type.quantization = (struct weft_quantization){17, 0, scales, zeros};
    weft_graph_add_output(graph, weft_graph_add_constant(graph, &type, data[0], "a", -1));
    weft_graph_add_output(graph, weft_graph_add_constant(graph, &type, data[1], "b", -1));
    const char *text = written(graph);
    assert_non_null(strstr(text, "%a = constant() data=blob 0 : 17xi8{axis=0; scales 0}\n"));
    assert_non_null(strstr(text, "%b = constant() data=blob 1 : 17xi8{axis=0; scales 0}\n"));
    assert_non_null(strstr(text, "}\nscales 0 = {0.10000000000000001, 0;\n"));
    assert_null(strstr(text, "scales 1"));
    assert_non_null(strstr(text, "blob 0 =\n  \"+Pn6+/z9/v8AAQIDBAUGBwg=\"\n"));
    const struct weft_graph *again = graph_of(arena, text);
    assert_string_equal(written(again), text);
    for (int i = 0; i < 2; i++) {
        assert_true(weft_type_equal(&again->outputs[i]->type, &type));
        assert_memory_equal(weft_value_data(again->outputs[i]), data[i], 17);
    }
    assert_ptr_equal(again->outputs[0]->type.quantization.scale,
                     again->outputs[1]->type.quantization.scale);
}

/* Layers of 70,000 channels have as many scales. */
static void lists_may_be_very_long(void **state) {
    const int64_t count = 70000;
    struct weft_graph *graph = weft_graph_new(*state, "g");
    struct weft_type type = weft_type_make(WEFT_I8, 1, &count);
    double *scales = WEFT_NEW_ARRAY(*state, (size_t)count, double);
    for (int64_t i = 0; i < count; i++) {
        scales[i] = 0.5 + (double)i;
    }
    type.quantization = (struct weft_quantization){(uint32_t)count, 0, scales,
                                                   WEFT_NEW_ARRAY(*state, (size_t)count, int32_t)};
    const uint8_t *data = WEFT_NEW_ARRAY(*state, (size_t)count, uint8_t);
    weft_graph_add_output(graph, weft_graph_add_constant(graph, &type, data, "a", -1));
    assert_true(weft_type_equal(&graph_of(*state, written(graph))->outputs[0]->type, &type));
}

/* Every length of the last line and group. */
static void blobs_of_any_length_survive(void **state) {
    for (int64_t length = 17; length < 240; length++) {
        uint8_t *data = WEFT_NEW_ARRAY(*state, (size_t)length, uint8_t);
        for (int64_t i = 0; i < length; i++) {
            data[i] = (uint8_t)(i * 91 + length);
        }
        struct weft_graph *graph = weft_graph_new(*state, "g");
        struct weft_type type = weft_type_make(WEFT_U8, 1, &length);
        weft_graph_add_output(graph, weft_graph_add_constant(graph, &type, data, "a", -1));
        const struct weft_graph *again = graph_of(*state, written(graph));
        assert_memory_equal(weft_value_data(again->outputs[0]), data, (size_t)length);
    }
}

static void comments_are_skipped(void **state) {
    struct weft_graph *graph =
        graph_of(*state, "// after import\n//\ngraph g(%a: 2xi8 // the input\n) { // }\n"
                         "  %b = clip(%a) min=0 // max=7\n max=1 : 2xi8\n return %b }// end");
    assert_text(graph, "graph g(%a: 2xi8) {\n  %b = clip(%a) min=0 max=1 : 2xi8\n"
                       "  return %b\n}\n");
}

static void graphs_are_known_by_their_first_word(void **state) {
    static const struct {
        const char *text;
        bool is_graph;
    } cases[] = {{"graph g() {", true}, {" // x\n\tgraph\tg", true},
                 {"graph", false},      {"graphs g() {", false},
                 {"", false},           {"// graph g() {", false},
                 {"gra", false},        {"TFL3graph g", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *text = cases[i].text;
        assert_int_equal(weft_is_graph_text((const uint8_t *)text, strlen(text)),
                         cases[i].is_graph);
    }
}

/* ---- constants in files ---- */

/* Gives the elements 7, 8, ...; of a file "no" nothing. */
static bool read_file(void *context, const char *path, const struct weft_type *type, uint8_t *bytes,
                      struct weft_error *error) {
    ++*(int *)context;
    for (size_t i = 0; i < weft_type_bytes(type); i++) {
        bytes[i] = (uint8_t)(7 + i);
    }
    return strcmp(path, "no") != 0 || weft_fail(error, WEFT_IO, 0, "is not there");
}

static void constants_in_files_are_read(void **state) {
    static const char text[] = "graph g() {\n  %a = constant() data=\"w/a.npy\" : 3xi8\n"
                               "  return %a\n}\n";
    static const char missing[] =
        "graph g() {\n  %a = constant()\n data=\"no\" : 3xi8\n  return %a\n}\n";
    struct weft_error error;
    struct weft_graph *graph = NULL;
    int calls = 0;
    const struct weft_constant_reader reader = {read_file, &calls};
    ASSERT_GOOD(weft_graph_read(*state, text, strlen(text), &reader, &graph, &error), error);
    assert_int_equal(calls, 1);
    assert_memory_equal(weft_value_data(graph->outputs[0]), ((const uint8_t[]){7, 8, 9}), 3);
    ASSERT_FAILS(weft_graph_read(*state, missing, strlen(missing), &reader, &graph, &error), error,
                 WEFT_IO);
    assert_int_equal(error.position, 3);
    assert_string_equal(error.message, "line 3: no: is not there");
    ASSERT_FAILS(weft_graph_parse(*state, text, strlen(text), NULL, &graph, &error), error,
                 WEFT_GRAPH);
}

/* ---- messages ---- */

static void assert_message(struct weft_arena *arena, const char *text, const char *message) {
    struct weft_error error;
    struct weft_graph *graph = NULL;
    ASSERT_FAILS(weft_graph_parse(arena, text, strlen(text), NULL, &graph, &error), error,
                 WEFT_GRAPH);
    assert_string_equal(error.message, message);
}

static void mistakes_behind_a_graph_are_found(void **state) {
#define BLOB "graph g() {\n  %a = constant() data=blob 0 : 3xi8\n  return %a\n}\n"
    static const char *const cases[][2] = {
        {BLOB, "line 2: expected a blob 0; there are 0"},
        {BLOB "blob 0 = \"AA==\"",
         "line 2: blob 0 has 1 bytes, expected as many as its constant has"},
        {BLOB "blob 1 = \"AAAA\"",
         "line 5: expected blobs numbered from 0 in their order before at ' = \"AAAA\"'"},
        {BLOB "blob 0 \"AAAA\"", "line 5: expected = at '\"AAAA\"'"},
        {BLOB "blob 0 = \"AAA\"",
         "line 5: expected groups of four characters in base 64 at 'AAA\"'"},
        {BLOB "blob 0 = \"AA*A\"",
         "line 5: expected groups of four characters in base 64 at 'AA*A\"'"},
        {BLOB "blob 0 = \"AB==\"",
         "line 5: expected groups of four characters in base 64 at 'AB==\"'"},
        {BLOB "blob 0 = \"AA==AA==\"",
         "line 5: expected groups of four characters in base 64 at 'AA==\"'"},
        {BLOB "blob 0 = \"AAAA", "line 5: expected \" at ''"},
        {BLOB "scales 0 = {}", "line 5: expected a finite number at '}'"},
        {BLOB "x", "line 5: expected scales, a blob or nothing at 'x'"},
        {"graph g(%a: 2xi8{axis=0; scales s}) { return %a }",
         "line 1: expected a table of scales s behind the graph; there is none"},
        {"graph g(%a: 2xi8{axis=0; scales s}) { return %a }\nscales s = {1, 0}\nscales s = {1, 0}",
         "line 3: the table of scales s is there twice"},
        {"graph g(%a: 2xi8{axis=0; scales s}) { return %a }\nscales s = {1, 0; 2, 0; 3, 0}",
         "graph g, node 0 (outputs): as many scales are needed as the quantised axis has elements"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_message(*state, cases[i][0], cases[i][1]);
    }
}

static void types_are_said_in_full(void **state) {
    assert_message(*state,
                   "graph g(%a: 2x3xi8{0.5, 1}) {\n"
                   "  %b = transpose(%a) permutation=[1, 0] : 2x3xi8{0.5, 2}\n  return %b\n}\n",
                   "line 2: graph g, node 0 (transpose): the type of result 0 is not what follows "
                   "from the inputs: expected 3x2xi8{0.5, 1}, found 2x3xi8{0.5, 2}");
    assert_message(*state,
                   "graph g(%a: 2xi8{axis=0; 0.5, 1; 1, 0}) {\n\n"
                   "  %b =\n    pad(%a) pads=[0, 0] : 2xi8{axis=0; 0.5, 1; 1, 7}\n  return %b\n}\n",
                   "line 3: graph g, node 0 (pad): the type of result 0 is not what follows from "
                   "the inputs: expected 2xi8{axis=0; 2 scales, number 1: 1, 0}, found "
                   "2xi8{axis=0; 2 scales, number 1: 1, 7}");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(long_lists_are_behind_the_graph),      ARENA_TEST(lists_may_be_very_long),
        ARENA_TEST(blobs_of_any_length_survive),          ARENA_TEST(comments_are_skipped),
        ARENA_TEST(graphs_are_known_by_their_first_word), ARENA_TEST(constants_in_files_are_read),
        ARENA_TEST(mistakes_behind_a_graph_are_found),    ARENA_TEST(types_are_said_in_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
