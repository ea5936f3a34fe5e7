/* compiler/ir: the text form of graphs. */
#include "tests/unit/graphs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* ---- round trips ---- */

static const char *const operator_files[WEFT_OPERATORS] = {
#define WEFT_OP(name, text, least, most, results, attributes, infer, doc)                          \
    WEFT_SOURCE_DIR "/tests/fuzz/seeds/graph/" text ".txt",
#include "compiler/ir/operators.def"
#undef WEFT_OP
};

static char *seed_text(int op) {
    struct weft_error error;
    uint8_t *bytes = NULL;
    size_t length = 0;
    ASSERT_GOOD(weft_file_read(operator_files[op], &bytes, &length, &error), error);
    return (char *)bytes;
}

static void every_operator_prints_as_it_was_read(void **state) {
    for (int op = 0; op < WEFT_OPERATORS; op++) {
        char *text = seed_text(op);
        struct weft_graph *graph = graph_of(*state, text);
        assert_true(count_of(graph, (enum weft_operator)op) > 0);
        assert_text(graph, text);
        free(text);
    }
}

static void a_graph_that_ends_early_is_refused(void **state) {
    for (int op = 0; op < WEFT_OPERATORS; op++) {
        struct weft_error error;
        struct weft_graph *graph = NULL;
        char *text = seed_text(op);
        size_t length = strlen(text) - 1; /* the newline at the end is not needed */
        for (size_t end = 0; end < length; end++) {
            ASSERT_FAILS(weft_graph_parse(*state, text, end, NULL, &graph, &error), error,
                         WEFT_GRAPH);
        }
        assert_null(graph);
        ASSERT_GOOD(weft_graph_parse(*state, text, length, NULL, &graph, &error), error);
        free(text);
    }
}

static void spaces_and_lines_are_free(void **state) {
    struct weft_graph *graph = graph_of(
        *state, "\n graph\tmain ( %a : 2xi8{ 0.5 , 1 } #3 , %b:2xi8\r\n{1,0}\n)\n{ %c , %d\n =\n"
                "region ( %a ,%b ) target = \"t\" body ( %x : 2xi8{0.5,1},%y:2xi8{1,0}){return\n"
                "%y , %x } : 2xi8{1, 0} , 2xi8{0.5, 1}#9\n return %d\n}\n\n");
    assert_text(graph, "graph main(%a: 2xi8{0.5, 1} #3, %b: 2xi8{1, 0}) {\n"
                       "  %c, %d = region(%a, %b) target=\"t\" body(%x: 2xi8{0.5, 1}, "
                       "%y: 2xi8{1, 0}) {\n"
                       "    return %y, %x\n"
                       "  } : 2xi8{1, 0}, 2xi8{0.5, 1} #9\n"
                       "  return %d\n"
                       "}\n");
    assert_int_equal(value_named(graph, "a")->tensor, 3);
    assert_int_equal(value_named(graph, "c")->tensor, -1);
    assert_int_equal(value_named(graph, "d")->tensor, 9);
}

static void values_are_read_exactly(void **state) {
    struct weft_graph *graph = graph_of(
        *state, "graph g(%0: 2x3xi32{axis=1; 0.1, 0; 1e-3, -7; 0.00390625, 2147483647}) {\n"
                "  %1 = constant() data=[-9223372036854775807] : 1xi64\n"
                "  %2 = constant() data=[0.1, 1e3] : 2xf32\n"
                "  return %0, %1, %2\n}\n");
    const struct weft_quantization *q = &graph->inputs[0]->type.quantization;
    assert_int_equal(q->count, 3);
    assert_int_equal(q->axis, 1);
    assert_true(q->scale[0] == 0.1 && q->scale[1] == 0.001 && q->scale[2] == 1.0 / 256);
    assert_int_equal(q->zero[1], -7);
    assert_int_equal(q->zero[2], INT32_MAX);
    int64_t wide = 0;
    memcpy(&wide, weft_value_data(graph->outputs[1]), sizeof wide);
    assert_true(wide == -INT64_C(9223372036854775807));
    float numbers[2];
    memcpy(numbers, weft_value_data(graph->outputs[2]), sizeof numbers);
    assert_true(numbers[0] == 0.1F && numbers[1] == 1000.0F);
}

static void any_scale_survives(void **state) {
    static const double scales[] = {0.1, 1.0 / 3, 1e-300, 1e300, 5e-324, 0.0039215688593685627};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        struct weft_graph *graph = weft_graph_new(*state, "g");
        struct weft_type type = weft_type_make(WEFT_I8, 1, (const int64_t[]){3});
        type.quantization = weft_quantization_make(*state, scales[i], -5);
        weft_graph_add_output(graph, weft_graph_add_input(graph, &type, "x", 7));
        const struct weft_graph *again = graph_of(*state, text_of(graph));
        assert_true(weft_type_equal(&again->inputs[0]->type, &type));
        assert_int_equal(again->inputs[0]->tensor, 7);
    }
}

static void long_constants_become_blobs(void **state) {
    struct weft_error error;
    struct weft_graph *graph = weft_graph_new(*state, "g");
    uint8_t data[2][34];
    struct weft_blobs blobs = {0};
    struct weft_text text = {0};
    struct weft_graph *again = NULL;
    memset(data[0], 1, sizeof data[0]);
    memset(data[1], 2, sizeof data[1]);
    struct weft_type bytes = weft_type_make(WEFT_I8, 1, (const int64_t[]){34});
    struct weft_type words = weft_type_make(WEFT_I16, 1, (const int64_t[]){17});
    weft_graph_add_output(graph, weft_graph_add_constant(graph, &bytes, data[0], "a", -1));
    weft_graph_add_output(graph, weft_graph_add_constant(graph, &words, data[1], "b", -1));
    weft_graph_print(graph, &text, &blobs);
    ASSERT_GOOD(weft_text_finish(&text, &error), error);
    assert_string_equal(text.bytes, "graph g() {\n"
                                    "  %a = constant() data=blob 0 : 34xi8\n"
                                    "  %b = constant() data=blob 1 : 17xi16\n"
                                    "  return %a, %b\n}\n");
    assert_int_equal(blobs.count, 2);
    assert_int_equal(blobs.blob[1].length, 34);
    ASSERT_GOOD(weft_graph_parse(*state, text.bytes, text.length, &blobs, &again, &error), error);
    assert_memory_equal(weft_value_data(again->outputs[0]), data[0], 34);
    assert_memory_equal(weft_value_data(again->outputs[1]), data[1], 34);
    blobs.blob[1].length = 33;
    ASSERT_FAILS(weft_graph_parse(*state, text.bytes, text.length, &blobs, &again, &error), error,
                 WEFT_GRAPH);
    blobs.count = 1;
    ASSERT_FAILS(weft_graph_parse(*state, text.bytes, text.length, &blobs, &again, &error), error,
                 WEFT_GRAPH);
    assert_int_equal(error.position, 3);
    weft_text_free(&text);
}

static void control_characters_become_spaces(void **state) {
    struct weft_graph *graph =
        graph_of(*state, "graph g(%0: 2xi8) {\n  %1 = clip(%0) min=0 max=1 : 2xi8\n  return %1\n}");
    struct weft_node *node = node_named(graph, "1");
    weft_node_add_attribute(*state, node, weft_attr_text(WEFT_ATTR_reason, "a\n\"b\\\tc"));
    struct weft_graph *again = graph_of(*state, text_of(graph));
    assert_string_equal(weft_node_text(node_named(again, "1"), WEFT_ATTR_reason), "a \"b\\ c");
}

static void floats_that_are_no_numbers_survive(void **state) {
    const float data[] = {INFINITY, -INFINITY, NAN};
    struct weft_graph *graph = weft_graph_new(*state, "g");
    struct weft_type type = weft_type_make(WEFT_F32, 1, (const int64_t[]){3});
    weft_graph_add_output(graph, weft_graph_add_constant(graph, &type, data, "a", -1));
    const struct weft_graph *again = graph_of(*state, text_of(graph));
    float read[3];
    memcpy(read, weft_value_data(again->outputs[0]), sizeof read);
    assert_true(isinf(read[0]) && read[0] > 0 && isinf(read[1]) && read[1] < 0 && isnan(read[2]));
}

/* If the verifier lets such a region pass, its text must be readable. */
static void a_region_without_results_survives(void **state) {
    struct weft_graph *graph =
        graph_of(*state, "graph g(%0: 2xi8) {\n  %1 = region(%0) target=\"t\" body(%x: 2xi8) {\n"
                         "    return %x\n  } : 2xi8\n  return %0\n}\n");
    struct weft_error error;
    graph->nodes[0]->result_count = 0;
    graph->nodes[0]->body->output_count = 0;
    if (weft_graph_verify(graph, &error)) {
        (void)graph_of(*state, text_of(graph));
    }
}

static void naming_makes_names_unique(void **state) {
    struct weft_graph *graph = graph_of(
        *state, "graph g(%x: 2xi8 #5, %v0: 2xi8 #5) {\n"
                "  %v1 = clip(%x) min=0 max=1 : 2xi8 #7\n"
                "  %y = region(%v1) target=\"t\" body(%p: 2xi8) {\n    return %p\n  } : 2xi8 #5\n"
                "  %z = clip(%v0) min=0 max=1 : 2xi8\n"
                "  return %y, %z\n}\n");
    value_named(graph, "y")->name = "x"; /* taken */
    value_named(graph, "z")->name = NULL;
    value_named(graph, "v1")->name = NULL;
    graph->nodes[1]->body->inputs[0]->name = "a\tb";
    weft_graph_name(graph);
    assert_text(graph, "graph g(%x: 2xi8 #5, %v0: 2xi8 #5) {\n"
                       "  %7 = clip(%x) min=0 max=1 : 2xi8 #7\n"
                       "  %5 = region(%7) target=\"t\" body(%a_b: 2xi8) {\n    return %a_b\n"
                       "  } : 2xi8 #5\n"
                       "  %v1 = clip(%v0) min=0 max=1 : 2xi8\n"
                       "  return %5, %v1\n}\n");
}

/* Whatever a model calls its tensors, and where it has its operators. */
static void names_of_any_kind_survive(void **state) {
    static const char text[] = "graph g(%\"a/b:0\": 2xi8) {\n"
                               "  %\"\" = clip(%\"a/b:0\") min=0 max=1 : 2xi8 @12\n"
                               "  %\"\\\"q\\\\ ~\" = clip(%\"\") min=0 max=1 : 2xi8 #3 @0\n"
                               "  return %\"\\\"q\\\\ ~\"\n}\n";
    struct weft_graph *graph = graph_of(*state, text);
    assert_text(graph, text);
    assert_string_equal(graph->inputs[0]->name, "a/b:0");
    assert_string_equal(graph->outputs[0]->name, "\"q\\ ~");
    assert_int_equal(graph->nodes[0]->source, 12);
    assert_int_equal(graph->nodes[1]->source, 0);
}

/* Errors say which operator of the model they are about, if there is one. */
static void errors_say_the_operator(void **state) {
    static const char text[] = "graph g(%x: 2xi8) {\n"
                               "  %y = clip(%x) min=0 max=1 : 2xi8 @12\n"
                               "  %z = clip(%y) min=0 max=1 : 2xi8\n"
                               "  return %z\n}\n";
    struct weft_graph *graph = graph_of(*state, text);
    struct weft_error error;
    weft_error_set(&error, WEFT_OPERATOR, 0, "wrong");
    weft_node_error_prefix(graph->nodes[0], &error);
    assert_string_equal(error.message, "operator 12 (clip): wrong");
    assert_int_equal(error.position, 12);
    weft_error_set(&error, WEFT_OPERATOR, 0, "wrong");
    weft_node_error_prefix(graph->nodes[1], &error);
    assert_string_equal(error.message, "clip: wrong");
    assert_int_equal(error.position, 0);
}

/* ---- syntax errors ---- */

struct mistake {
    uint64_t line;
    const char *text;
};

static void assert_mistakes(struct weft_arena *arena, size_t count,
                            const struct mistake *mistakes) {
    for (size_t i = 0; i < count; i++) {
        struct weft_error error = {0};
        struct weft_graph *graph = NULL;
        bool good = weft_graph_parse(arena, mistakes[i].text, strlen(mistakes[i].text), NULL,
                                     &graph, &error);
        if (good || error.code != WEFT_GRAPH || error.position != mistakes[i].line ||
            strncmp(error.message, "line ", 5) != 0) {
            print_error("%s\nexpected an error in line %d, got %s in line %d: %s\n",
                        mistakes[i].text, (int)mistakes[i].line,
                        good ? "none" : weft_error_name(error.code), (int)error.position,
                        error.message);
            fail();
        }
        assert_null(strchr(error.message, '\n'));
    }
}
#define ASSERT_MISTAKES(state, mistakes)                                                           \
    assert_mistakes(*(state), sizeof(mistakes) / sizeof((mistakes)[0]), mistakes)

static void mistakes_around_a_graph_are_found(void **state) {
    static const struct mistake mistakes[] = {
        {1, ""},
        {3, "\n\n"},
        {1, "grph main() { return }"},
        {1, "graph ("},
        {2, "graph main\n%0"},
        {2, "graph main(\n0: 1xi8) { return }"},
        {2, "graph main(\n%: 1xi8) { return }"},
        {2, "graph main(%0\n1xi8) { return }"},
        {2, "graph main(%0: 1xi8\n%1: 1xi8) { return }"},
        {2, "graph main(%0: 1xi8,\n) { return }"},
        {2, "graph main(%0: 1xi8,\n%0: 1xi8) { return }"},
        {2, "graph main()\nreturn }"},
        {2, "graph main() {\n}"},
        {2, "graph main() {\nreturn"},
        {2, "graph main() {\nreturn %x }"},
        {3, "graph main(%0: 1xi8) {\n  return %0\n%0 }"},
        {3, "graph main() {\n  return\n} x"},
        {4, "graph main() {\n  return\n}\ngraph"},
    };
    ASSERT_MISTAKES(state, mistakes);
}

/* Puts each text into line 2 as a type. */
static void assert_wrong_types(struct weft_arena *arena, size_t count, const char *const *types) {
    for (size_t i = 0; i < count; i++) {
        const struct mistake mistake = {
            2, weft_arena_print(arena, "graph main(%%0:\n%s) { return }", types[i])};
        assert_mistakes(arena, 1, &mistake);
    }
}

static void mistakes_in_types_are_found(void **state) {
    static const char *const types[] = {
        "",
        "2x",
        "i9",
        "i",
        "i80",
        "2i8",
        "2 x i8",
        "-1xi8",
        "xi8",
        "2xxi8",
        "1x1x1x1x1x1x1x1x1xi8",
        "99999999999999999999999xi8",
        "2xi8{}",
        "2xi8{0.5}",
        "2xi8{0.5,}",
        "2xi8{0.5 0}",
        "2xi8{0.5, 0",
        "2xi8{0.5, 0;}",
        "2xi8{0.5, 0, 1}",
        "2xi8{x, 0}",
        "2xi8{nan, 0}",
        "2xi8{inf, 0}",
        "2xi8{1e999, 0}",
        "2xi8{0.5, 0.5}",
        "2xi8{0.5, 2147483648}",
        "2xi8{0.5, -2147483649}",
        "2xi8{axis=; 0.5, 0}",
        "2xi8{axis=0 0.5, 0}",
        "2xi8{axis=8; 0.5, 0}",
        "2xi8{axis=-1; 0.5, 0}",
        "2xi8 #",
        "2xi8 #x",
        "2xi8 #2147483648",
        "2xi8 #-2",
    };
    assert_wrong_types(*state, sizeof types / sizeof types[0], types);
}

/* Puts each text into line 2 as a node. */
static void assert_wrong_nodes(struct weft_arena *arena, size_t count, const char *const *nodes) {
    for (size_t i = 0; i < count; i++) {
        const struct mistake mistake = {
            2, weft_arena_print(arena, "graph main(%%0: 2xi8) {\n%s return }", nodes[i])};
        assert_mistakes(arena, 1, &mistake);
    }
}

static void mistakes_in_nodes_are_found(void **state) {
    static const char *const nodes[] = {
        "1 = clip(%0) min=0 max=1 : 2xi8",
        "% = clip(%0) min=0 max=1 : 2xi8",
        "%1 clip(%0) min=0 max=1 : 2xi8",
        "%1, = clip(%0) min=0 max=1 : 2xi8",
        "%1 = (%0) min=0 max=1 : 2xi8",
        "%1 = clop(%0) min=0 max=1 : 2xi8",
        "%1 = clip %0) min=0 max=1 : 2xi8",
        "%1 = clip(0) min=0 max=1 : 2xi8",
        "%1 = clip(%x) min=0 max=1 : 2xi8",
        "%1 = clip(%1) min=0 max=1 : 2xi8",
        "%1 = clip(%0 %0) min=0 max=1 : 2xi8",
        "%1 = clip(%0,) min=0 max=1 : 2xi8",
        "%1 = clip(%0 min=0 max=1 : 2xi8",
        "%1 = clip(%0) min=0 max=1 2xi8",
        "%1 = clip(%0) min=0 max=1",
        "%0 = clip(%0) min=0 max=1 : 2xi8",
        "%1, %1 = clip(%0) min=0 max=1 : 2xi8, 2xi8",
        "%1, %2 = clip(%0) min=0 max=1 : 2xi8",
        "%1 = clip(%0) min=0 max=1 : 2xi8, 2xi8",
        "%1 = clip(%0) min=0 max=1 body(%x: 2xi8) { return %x } : 2xi8",
        "%1 = composite(%0) name=\"n\" body : 2xi8",
        "%1 = composite(%0) name=\"n\" body() { : 2xi8",
        "%1 = composite(%0) name=\"n\" body(%x: 2xi8) { return %0 } : 2xi8",
    };
    assert_wrong_nodes(*state, sizeof nodes / sizeof nodes[0], nodes);
}

static void mistakes_in_attributes_are_found(void **state) {
    static const char *const nodes[] = {
        "%1 = clip(%0) min=0 max=1 most=2 : 2xi8",
        "%1 = clip(%0) min=0 max=1 min=0 : 2xi8",
        "%1 = clip(%0) min 0 max=1 : 2xi8",
        "%1 = clip(%0) min= max=1 : 2xi8",
        "%1 = clip(%0) min=x max=1 : 2xi8",
        "%1 = clip(%0) min=0.5 max=1 : 2xi8",
        "%1 = clip(%0) min=0x1 max=1 : 2xi8",
        "%1 = clip(%0) min=[0] max=1 : 2xi8",
        "%1 = clip(%0) min=\"0\" max=1 : 2xi8",
        "%1 = clip(%0) min=0 max=1, : 2xi8",
        "%1 = pad(%0) pads=0 : 2xi8",
        "%1 = pad(%0) pads=[0, 0 : 2xi8",
        "%1 = pad(%0) pads=[0 0] : 2xi8",
        "%1 = pad(%0) pads=[0,, 0] : 2xi8",
        "%1 = pad(%0) pads=[, 0] : 2xi8",
        "%1 = pad(%0) pads=[0, 0,] : 2xi8",
        "%1 = pad(%0) pads=[0, x] : 2xi8",
        "%1 = pad(%0) pads=[0, inf] : 2xi8",
        "%1 = qnn.softmax(%0) beta= : 2xi8",
        "%1 = qnn.softmax(%0) beta=nan : 2xi8",
        "%1 = qnn.softmax(%0) beta=1e400 : 2xi8",
        "%1 = opaque(%0) reason=why : 2xi8",
        "%1 = opaque(%0) reason=\"why : 2xi8",
        "%1 = opaque(%0) reason=\"why\\\" : 2xi8",
        "%1 = constant() data= : 1xi8",
        "%1 = constant() data=1 : 1xi8",
        "%1 = constant() data=[1] : 2xi8",
        "%1 = constant() data=[1, 2, 3] : 2xi8",
        "%1 = constant() data=[] : 2xi8",
        "%1 = constant() : 1xi8",
        "%1 = constant() data=blob : 1xi8",
        "%1 = constant() data=blob 0 : 1xi8",
        "%1 = constant() data=blob -1 : 1xi8",
    };
    assert_wrong_nodes(*state, sizeof nodes / sizeof nodes[0], nodes);
}

static void whole_numbers_must_be_whole(void **state) {
    static const char *const nodes[] = {
        "%1 = pad(%0) pads=[0.5, 0] : 2xi8",
        "%1 = pad(%0) pads=[0, 1e1] : 12xi8",
        "%1 = pad(%0) pads=[0, 0x1] : 2xi8",
        "%1 = constant() data=[1.5] : 1xi8",
    };
    assert_wrong_nodes(*state, sizeof nodes / sizeof nodes[0], nodes);
}

static void elements_must_fit_their_type(void **state) {
    static const char *const nodes[] = {
        "%1 = constant() data=[128] : 1xi8",
        "%1 = constant() data=[-1] : 1xu8",
        "%1 = constant() data=[32768] : 1xi16",
        "%1 = constant() data=[2147483648] : 1xi32",
        "%1 = constant() data=[2] : 1xbool",
        "%1 = constant() data=[1e39] : 1xf32",
        "%1 = constant() data=[1e19] : 1xi64",
        "%1 = constant() data=[9223372036854775808] : 1xi64",
    };
    assert_wrong_nodes(*state, sizeof nodes / sizeof nodes[0], nodes);
}

static void numbers_must_fit_64_bits(void **state) {
    static const char *const nodes[] = {
        "%1 = clip(%0) min=-99999999999999999999 max=1 : 2xi8",
        "%1 = pad(%0) pads=[0, 99999999999999999999] : 2xi8",
    };
    assert_wrong_nodes(*state, sizeof nodes / sizeof nodes[0], nodes);
}

static void a_comma_must_be_followed_by_an_output(void **state) {
    static const struct mistake mistakes[] = {{2, "graph main(%0: 1xi8) {\nreturn %0, }"}};
    ASSERT_MISTAKES(state, mistakes);
}

static void the_message_names_a_missing_comma(void **state) {
    struct weft_error error;
    struct weft_graph *graph = NULL;
    const char *text = "graph g(%0: 2xi8) { %1 = pad(%0) pads=[0 0] : 2xi8 return %1 }";
    ASSERT_FAILS(weft_graph_parse(*state, text, strlen(text), NULL, &graph, &error), error,
                 WEFT_GRAPH);
    assert_non_null(strstr(error.message, "expected , at '0]"));
}

static void bodies_deeper_than_three_are_refused(void **state) {
    static const struct mistake mistakes[] = {
        {4, "graph main(%0: 2xi8) {\n%1 = region(%0) target=\"t\" body(%x: 2xi8) {\n"
            "%y = composite(%x) name=\"n\" body(%x: 2xi8) {\n"
            "%y = composite(%x) name=\"n\" body(%x: 2xi8) { return %x } : 2xi8\n"
            "return %y } : 2xi8\nreturn %y } : 2xi8\nreturn %1 }"},
    };
    ASSERT_MISTAKES(state, mistakes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(every_operator_prints_as_it_was_read),
        ARENA_TEST(a_graph_that_ends_early_is_refused),
        ARENA_TEST(spaces_and_lines_are_free),
        ARENA_TEST(values_are_read_exactly),
        ARENA_TEST(any_scale_survives),
        ARENA_TEST(long_constants_become_blobs),
        ARENA_TEST(control_characters_become_spaces),
        ARENA_TEST(floats_that_are_no_numbers_survive),
        ARENA_TEST(a_region_without_results_survives),
        ARENA_TEST(naming_makes_names_unique),
        ARENA_TEST(names_of_any_kind_survive),
        ARENA_TEST(errors_say_the_operator),
        ARENA_TEST(mistakes_around_a_graph_are_found),
        ARENA_TEST(mistakes_in_types_are_found),
        ARENA_TEST(mistakes_in_nodes_are_found),
        ARENA_TEST(mistakes_in_attributes_are_found),
        ARENA_TEST(whole_numbers_must_be_whole),
        ARENA_TEST(elements_must_fit_their_type),
        ARENA_TEST(numbers_must_fit_64_bits),
        ARENA_TEST(a_comma_must_be_followed_by_an_output),
        ARENA_TEST(the_message_names_a_missing_comma),
        ARENA_TEST(bodies_deeper_than_three_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
