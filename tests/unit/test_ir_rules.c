/* compiler/ir: what makes a graph well formed: verify.c and infer.c. */
#include "tests/unit/graphs.h"

#include <math.h>
#include <string.h>

/* A graph that breaks a rule, and words of the message that say which. */
struct broken {
    const char *text;
    const char *words;
};

static void assert_broken(struct weft_arena *arena, size_t count, const struct broken *graphs) {
    for (size_t i = 0; i < count; i++) {
        struct weft_error error = {0};
        struct weft_graph *graph = NULL;
        bool good =
            weft_graph_parse(arena, graphs[i].text, strlen(graphs[i].text), NULL, &graph, &error);
        if (good || error.code != WEFT_GRAPH || strstr(error.message, graphs[i].words) == NULL) {
            print_error("%s\nexpected '%s', got %s: %s\n", graphs[i].text, graphs[i].words,
                        good ? "no error" : weft_error_name(error.code), error.message);
            fail();
        }
        assert_null(strchr(error.message, '\n'));
    }
}
#define ASSERT_BROKEN(state, graphs)                                                               \
    assert_broken(*(state), sizeof(graphs) / sizeof((graphs)[0]), graphs)

/* ---- types ---- */

static void types_of_inputs_are_checked(void **state) {
    static const struct broken graphs[] = {
        {"graph g(%0: 2147483648xi8) { return %0 }", "too many elements"},
        {"graph g(%0: 65536x32768xi8) { return %0 }", "too many elements"},
        {"graph g(%0: 2xi8{0, 0}) { return %0 }", "scale is not a positive"},
        {"graph g(%0: 2xi8{-0.5, 0}) { return %0 }", "scale is not a positive"},
        {"graph g(%0: 2xi8{0.5, 128}) { return %0 }", "zero point is outside"},
        {"graph g(%0: 2xi8{0.5, -129}) { return %0 }", "zero point is outside"},
        {"graph g(%0: 2xu8{0.5, -1}) { return %0 }", "zero point is outside"},
        {"graph g(%0: 2xu8{0.5, 256}) { return %0 }", "zero point is outside"},
        {"graph g(%0: 2xi16{0.5, 32768}) { return %0 }", "zero point is outside"},
        {"graph g(%0: 2xi8{axis=0; 0.5, 0; 0.5, 128}) { return %0 }", "zero point is outside"},
        {"graph g(%0: 2xi8{axis=0; 0.5, 0; 0, 0}) { return %0 }", "scale is not a positive"},
        {"graph g(%0: 3xi8{axis=0; 0.5, 0; 0.5, 0}) { return %0 }", "as many scales"},
        {"graph g(%0: 2x3xi8{axis=1; 0.5, 0; 0.5, 0}) { return %0 }", "as many scales"},
        {"graph g(%0: 2xi8{axis=1; 0.5, 0; 0.5, 0}) { return %0 }", "as many scales"},
        {"graph g(%0: i8{0.5, 0; 0.5, 0}) { return %0 }", "as many scales"},
        {"graph g(%0: 2xf32{0.5, 0}) { return %0 }", "only integers"},
        {"graph g(%0: 2xbool{0.5, 0}) { return %0 }", "only integers"},
    };
    ASSERT_BROKEN(state, graphs);
}

static void types_at_their_limits_are_good(void **state) {
    (void)graph_of(*state, "graph g(%0: 2147483647xi8, %1: 0x9999999999xi8, %2: i8{0.5, -128},\n"
                           "%3: 2xu8{1e-300, 255}, %4: 2xi32{axis=7; 0.5, -2147483648},\n"
                           "%5: 1x1x1x1x1x1x1x2xi8{axis=7; 1, 0; 1e300, 0}) { return %0 }");
}

static void types_of_results_are_checked(void **state) {
    static const struct broken graphs[] = {
        {"graph g() { %1 = opaque() : 2147483648xi8 return %1 }", "too many elements"},
        {"graph g() { %1 = opaque() : 2xi8{0.5, 128} return %1 }", "zero point is outside"},
        {"graph g() { %1 = constant() data=[1] : 1xi8{0, 0} return %1 }", "scale is not"},
        {"graph g(%0: 2xi8) { %1 = clip(%0) min=0 max=1 : 3xi8 return %1 }", "not what follows"},
        {"graph g(%0: 2xi8) { %1 = clip(%0) min=0 max=1 : 2x1xi8 return %1 }", "not what follows"},
        {"graph g(%0: 2xi8) { %1 = clip(%0) min=0 max=1 : 2xu8 return %1 }", "not what follows"},
        {"graph g(%0: 2xi8) { %1 = clip(%0) min=0 max=1 : 2xi8{1, 0} return %1 }",
         "not what follows"},
    };
    ASSERT_BROKEN(state, graphs);
}

/* The product of scales can pass the range of double, or of float for uint8. */
static void inferred_scales_are_checked(void **state) {
    static const struct broken graphs[] = {
        {"graph g(%0: 1x2xi8{1e200, 0}, %1: 1x2xi8{1e200, 0}) {\n"
         "%2 = qnn.dense(%0, %1) : 1x1xi32{1, 0} return %2 }",
         "not what follows"},
        {"graph g(%0: 1x2xi8{1e-200, 0}, %1: 1x2xi8{1e-200, 0}) {\n"
         "%2 = qnn.dense(%0, %1) : 1x1xi32{1, 0} return %2 }",
         "not what follows"},
        {"graph g(%0: 1x2xu8{1e-30, 0}, %1: 1x2xu8{1e-30, 0}) {\n"
         "%2 = qnn.dense(%0, %1) : 1x1xi32{1, 0} return %2 }",
         "not what follows"},
    };
    ASSERT_BROKEN(state, graphs);
}

/* ---- inputs and attributes ---- */

static void numbers_of_inputs_and_results_are_checked(void **state) {
    static const struct broken graphs[] = {
        {"graph g(%0: 2xi8) { %1 = clip() min=0 max=1 : 2xi8 return %1 }", "number of inputs"},
        {"graph g(%0: 2xi8) { %1 = clip(%0, %0) min=0 max=1 : 2xi8 return %1 }",
         "number of inputs"},
        {"graph g(%0: 1xi8) { %1 = constant(%0) data=[1] : 1xi8 return %1 }", "number of inputs"},
        {"graph g(%0: 1xi8{1, 0}) { %1 = qnn.add(%0) : 1xi8{1, 0} return %1 }", "number of inputs"},
        {"graph g() { %1 = composite() name=\"n\" body() { %x = opaque() : i8 return %x } : i8\n"
         "return %1 }",
         "number of inputs"},
        {"graph g() { %1 = region() target=\"n\" body() { %x = opaque() : i8 return %x } : i8\n"
         "return %1 }",
         "number of inputs"},
        {"graph g(%0: 2xi8) { %1, %2 = clip(%0) min=0 max=1 : 2xi8, 2xi8 return %1 }",
         "number of results"},
        {"graph g() { %1, %2 = constant() data=[1] : 1xi8, 1xi8 return %1 }", "number of results"},
        {"graph g(%0: 2xi8) { %1, %2 = split(%0) axis=0 sizes=[1, 0, 1] : 1xi8, 1xi8 return %1 }",
         "number of results"},
        {"graph g(%0: 2x3xi8) { %1, %2, %3 = unpack(%0) axis=0 : 3xi8, 3xi8, 3xi8 return %1 }",
         "number of results"},
        {"graph g(%0: 2x3xi8) { %1 = unpack(%0) axis=2 : 3xi8 return %1 }", "number of results"},
    };
    ASSERT_BROKEN(state, graphs);
}

static void attributes_are_checked(void **state) {
    static const struct broken graphs[] = {
        {"graph g(%0: 2xi8) { %1 = clip(%0) max=1 : 2xi8 return %1 }", "attribute min is missing"},
        {"graph g(%0: 2xi8) { %1 = clip(%0) min=1 : 2xi8 return %1 }", "attribute max is missing"},
        {"graph g(%0: 2xi8) { %1 = pad(%0) : 2xi8 return %1 }", "attribute pads is missing"},
        {"graph g(%0: 2xi8{1, 0}) { %1 = qnn.softmax(%0) : 2xi8{1, 0} return %1 }",
         "attribute beta is missing"},
        {"graph g(%0: 2xi8) { %1 = composite(%0) body(%x: 2xi8) { return %x } : 2xi8 return %1 }",
         "attribute name is missing"},
        {"graph g(%0: 2xi8) { %1 = region(%0) body(%x: 2xi8) { return %x } : 2xi8 return %1 }",
         "attribute target is missing"},
        {"graph g() { %1 = constant() : 0xi8 return %1 }", "attribute data is missing"},
        {"graph g(%0: 2xi8) { %1 = clip(%0) min=0 max=1 data=[1] : 2xi8 return %1 }",
         "attribute has no value"},
        {"graph g(%0: 2xi8) { %1 = clip(%0) min=0 max=1 strides=[1] : 2xi8 return %1 }",
         "wrong number of elements"},
        {"graph g(%0: 1x1x1x1xi8) { %1 = max_pool2d(%0) kernel=[1] strides=[1, 1]\n"
         "padding=[0, 0, 0, 0] : 1x1x1x1xi8 return %1 }",
         "wrong number of elements"},
        {"graph g(%0: 1x1x1x1xi8) { %1 = max_pool2d(%0) kernel=[1, 1] strides=[1, 1, 1]\n"
         "padding=[0, 0, 0, 0] : 1x1x1x1xi8 return %1 }",
         "wrong number of elements"},
        {"graph g(%0: 1x1x1x1xi8) { %1 = max_pool2d(%0) kernel=[1, 1] strides=[1, 1]\n"
         "padding=[0, 0] : 1x1x1x1xi8 return %1 }",
         "wrong number of elements"},
    };
    ASSERT_BROKEN(state, graphs);
}

/* Graphs that the text form cannot say. */
static struct weft_graph *clip_graph(struct weft_arena *arena) {
    return graph_of(arena, "graph g(%0: 2xi8) { %1 = clip(%0) min=0 max=1 : 2xi8\n"
                           "%2 = clip(%1) min=0 max=1 reason=\"r\" : 2xi8 return %2 }");
}

static void assert_verify_fails(const struct weft_graph *graph, uint64_t position,
                                const char *words) {
    struct weft_error error = {0};
    ASSERT_FAILS(weft_graph_verify(graph, &error), error, WEFT_GRAPH);
    assert_non_null(strstr(error.message, words));
    assert_int_equal(error.position, position);
}

static void values_must_be_made_before_they_are_used(void **state) {
    struct weft_graph *graph = clip_graph(*state);
    struct weft_node *first = graph->nodes[0];
    graph->nodes[0] = graph->nodes[1];
    graph->nodes[1] = first;
    assert_verify_fails(graph, 0, "used before it is made");
    graph = clip_graph(*state);
    graph->node_count = 1;
    assert_verify_fails(graph, 1, "an output is not made in the graph");
    struct weft_graph *other = clip_graph(*state);
    graph = clip_graph(*state);
    graph->nodes[1]->inputs[0] = other->inputs[0];
    assert_verify_fails(graph, 1, "used before it is made");
}

static void values_of_a_body_are_not_seen_outside(void **state) {
    struct weft_graph *graph = graph_of(
        *state, "graph g(%0: 2xi8) { %1 = region(%0) target=\"t\" body(%x: 2xi8) { return %x }\n"
                ": 2xi8 return %1 }");
    struct weft_value *outside = graph->inputs[0];
    graph->outputs[0] = graph->nodes[0]->body->inputs[0];
    assert_verify_fails(graph, 1, "an output is not made");
    graph->outputs[0] = graph->nodes[0]->results[0];
    graph->nodes[0]->body->outputs[0] = outside;
    assert_verify_fails(graph, 0, "an output is not made");
}

static void attributes_without_a_value_are_refused(void **state) {
    struct weft_graph *graph = clip_graph(*state);
    graph->nodes[1]->attributes[2].text = NULL;
    assert_verify_fails(graph, 1, "attribute has no value");
    graph = clip_graph(*state);
    graph->nodes[1]->attributes[0].count = 2;
    assert_verify_fails(graph, 1, "wrong number of elements");
    graph = clip_graph(*state);
    weft_node_add_attribute(*state, graph->nodes[0], weft_attr_float(WEFT_ATTR_beta, NAN));
    assert_verify_fails(graph, 0, "attribute has no value");
    graph = clip_graph(*state);
    weft_node_add_attribute(*state, graph->nodes[0], weft_attr_float(WEFT_ATTR_beta, INFINITY));
    assert_verify_fails(graph, 0, "attribute has no value");
}

static void types_that_the_text_cannot_say_are_refused(void **state) {
    static const double infinite = INFINITY;
    static const int32_t zero = 0;
    struct weft_graph *graph = clip_graph(*state);
    graph->inputs[0]->type.dim[0] = -2;
    assert_verify_fails(graph, 0, "negative dimension");
    graph = clip_graph(*state);
    graph->nodes[1]->results[0]->type.rank = WEFT_MAX_RANK + 1;
    assert_verify_fails(graph, 1, "a shape has");
    graph = clip_graph(*state);
    graph->nodes[1]->results[0]->type.dtype = WEFT_DTYPES;
    assert_verify_fails(graph, 1, "a shape has");
    graph = clip_graph(*state);
    graph->nodes[0]->results[0]->type.quantization =
        (struct weft_quantization){.count = 1, .scale = &infinite, .zero = &zero};
    assert_verify_fails(graph, 0, "scale is not a positive");
}

/* What only a mistake in a pass can make. */
static void nodes_must_be_consistent(void **state) {
    struct weft_graph *graph = clip_graph(*state);
    graph->nodes[1]->results[0]->producer = graph->nodes[0];
    assert_verify_fails(graph, 1, "belongs to another node");
    graph = clip_graph(*state);
    graph->nodes[1]->results[0]->index = 1;
    assert_verify_fails(graph, 1, "belongs to another node");
    graph = clip_graph(*state);
    graph->nodes[1] = graph->nodes[0];
    assert_verify_fails(graph, 1, "made twice");
    graph = clip_graph(*state);
    graph->nodes[1]->result_count = 0;
    assert_verify_fails(graph, 1, "number of results");
    graph = clip_graph(*state);
    graph->inputs[0]->producer = graph->nodes[0];
    assert_verify_fails(graph, 0, "an input is made by a node");
    graph = clip_graph(*state);
    weft_node_add_attribute(*state, graph->nodes[0], weft_attr_int(*state, WEFT_ATTR_min, 0));
    assert_verify_fails(graph, 0, "there twice");
    graph = clip_graph(*state);
    graph->nodes[0]->body = weft_graph_new(*state, "body");
    assert_verify_fails(graph, 0, "has no body");
    graph = clip_graph(*state);
    graph->nodes[1]->op = WEFT_OPERATORS;
    assert_verify_fails(graph, 1, "no such operator");
}

/* Nothing walks a graph by recursion over its nodes. */
static void long_chains_are_checked(void **state) {
    enum {
        LENGTH = 100000
    };
    struct weft_error error;
    struct weft_graph *graph = weft_graph_new(*state, "g");
    const struct weft_type type = weft_type_make(WEFT_F32, 1, (const int64_t[]){2});
    struct weft_value *value = weft_graph_add_input(graph, &type, "x", -1);
    for (int i = 0; i < LENGTH; i++) {
        value = weft_node_add_result(
            graph, weft_graph_add_node(graph, WEFT_OP_RELU, 1, &value, 0, NULL), &type, -1);
    }
    weft_graph_add_output(graph, value);
    weft_graph_name(graph);
    ASSERT_GOOD(weft_graph_verify(graph, &error), error);
    const struct weft_graph *again = graph_of(*state, text_of(graph));
    assert_int_equal(again->node_count, LENGTH);
}

/* ---- bodies ---- */

static void bodies_must_fit_their_nodes(void **state) {
    static const struct broken graphs[] = {
        {"graph g(%0: 2xi8) { %1 = composite(%0) name=\"n\" : 2xi8 return %1 }",
         "the body must have"},
        {"graph g(%0: 2xi8) { %1 = region(%0) target=\"n\" : 2xi8 return %1 }",
         "the body must have"},
        {"graph g(%0: 2xi8) { %1 = composite(%0) name=\"n\" body(%x: 2xi8, %y: 2xi8) {\n"
         "return %x } : 2xi8 return %1 }",
         "the body must have"},
        {"graph g(%0: 2xi8) { %1 = composite(%0) name=\"n\" body(%x: 2xi8) { return %x, %x }\n"
         ": 2xi8 return %1 }",
         "the body must have"},
        {"graph g(%0: 2xi8) { %1 = composite(%0) name=\"n\" body(%x: 2xi8) { return }\n"
         ": 2xi8 return %1 }",
         "the body must have"},
        {"graph g(%0: 2xi8) { %1, %2 = region(%0) target=\"n\" body(%x: 2xi8) { return %x }\n"
         ": 2xi8, 2xi8 return %1 }",
         "the body must have"},
        {"graph g(%0: 2xi8) { %1 = composite(%0) name=\"n\" body(%x: 3xi8) { return %x }\n"
         ": 3xi8 return %1 }",
         "another type"},
        {"graph g(%0: 2xi8{0.5, 0}) { %1 = composite(%0) name=\"n\" body(%x: 2xi8{0.25, 0}) {\n"
         "return %x } : 2xi8{0.5, 0} return %1 }",
         "another type"},
        {"graph g(%0: 2xi8) { %1 = composite(%0) name=\"n\" body(%x: 2xi8) { return %x }\n"
         ": 2xu8 return %1 }",
         "not what follows"},
        {"graph g(%0: 2xi8) { %1 = composite(%0) name=\"n\" body(%x: 2xi8) {\n"
         "%y = clip(%x) min=1 max=0 : 2xi8 return %y } : 2xi8 return %1 }",
         "min <= max"},
    };
    ASSERT_BROKEN(state, graphs);
}

static void bodies_nested_too_deep_are_refused(void **state) {
    struct weft_graph *graph =
        graph_of(*state, "graph g(%0: 2xi8) { %1 = region(%0) target=\"t\" body(%x: 2xi8) {\n"
                         "%y = composite(%x) name=\"n\" body(%x: 2xi8) {\n"
                         "%y = clip(%x) min=0 max=1 : 2xi8 return %y } : 2xi8\n"
                         "return %y } : 2xi8 return %1 }");
    struct weft_error error;
    ASSERT_GOOD(weft_graph_verify(graph, &error), error);
    graph->nodes[0]->body->nodes[0]->body->nodes[0]->body = weft_graph_new(*state, "body");
    assert_verify_fails(graph, 0, "nested too deep");
}

/* ---- inference: one table for each operator ---- */

#define CONV(input, weights, attributes)                                                           \
    "graph g(%0: " input ", %1: " weights ") {\n%2 = qnn.conv2d(%0, %1) " attributes               \
    " : 1x1x1x1xi32{0.25, 0} return %2 }"
#define PLAIN "strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1"

static void convolutions_are_checked(void **state) {
    static const struct broken graphs[] = {
        {CONV("1x4x4x1xi8", "1x1x1x1xi8{0.5, 0}", PLAIN), "must be quantised"},
        {CONV("1x4x4x1xi8{0.5, 0}", "1x1x1x1xi8", PLAIN), "must be quantised"},
        {CONV("1x4x4x1xi64{0.5, 0}", "1x1x1x1xi8{0.5, 0}", PLAIN), "must be quantised"},
        {CONV("1x4x4x2xi8{axis=3; 0.5, 0; 0.5, 0}", "1x1x1x2xi8{0.5, 0}", PLAIN),
         "first per tensor"},
        {CONV("1x4x4x1xi8{0.5, 0}", "1x2x1x1xi8{axis=1; 0.5, 0; 0.5, 0}", PLAIN),
         "along their first axis"},
        {CONV("4x4x1xi8{0.5, 0}", "1x1x1x1xi8{0.5, 0}", PLAIN), "4 dimensions"},
        {CONV("1x4x4x1xi8{0.5, 0}", "1x1x1xi8{0.5, 0}", PLAIN), "4 dimensions"},
        {CONV("1x4x4x2xi8{0.5, 0}", "1x1x1x1xi8{0.5, 0}", PLAIN), "do not agree"},
        {CONV("1x4x4x2xi8{0.5, 0}", "2x1x1x2xi8{0.5, 0}",
              "strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=0"),
         "do not agree"},
        {CONV("1x4x4x2xi8{0.5, 0}", "2x1x1x2xi8{0.5, 0}",
              "strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=-1"),
         "do not agree"},
        {CONV("1x4x4x4xi8{0.5, 0}", "3x1x1x2xi8{0.5, 0}",
              "strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=2"),
         "do not agree"},
        {CONV("1x4x4x3xi8{0.5, 0}", "2x1x1x1xi8{0.5, 0}",
              "strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=2"),
         "do not agree"},
        {CONV("1x4x4x1xi8{0.5, 0}", "1x5x1x1xi8{0.5, 0}", PLAIN), "does not fit"},
        {CONV("1x4x4x1xi8{0.5, 0}", "1x1x0x1xi8{0.5, 0}", PLAIN), "does not fit"},
        {CONV("1x4x4x1xi8{0.5, 0}", "1x3x3x1xi8{0.5, 0}",
              "strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 2] groups=1"),
         "does not fit"},
        {CONV("1x4x4x1xi8{0.5, 0}", "1x3x3x1xi8{0.5, 0}",
              "strides=[0, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1"),
         "does not fit"},
        {CONV("1x4x4x1xi8{0.5, 0}", "1x3x3x1xi8{0.5, 0}",
              "strides=[1, 1] padding=[0, 0, 0, 0] dilation=[0, 1] groups=1"),
         "does not fit"},
        {CONV("1x4x4x1xi8{0.5, 0}", "1x3x3x1xi8{0.5, 0}",
              "strides=[1, 1] padding=[0, -1, 0, 0] dilation=[1, 1] groups=1"),
         "does not fit"},
        {CONV("1x4x4x1xi8{0.5, 0}", "1x3x3x1xi8{0.5, 0}",
              "strides=[1, 1] padding=[0, 0, -1, 0] dilation=[1, 1] groups=1"),
         "does not fit"},
        {CONV("1x4x4x1xi8{0.5, 0}", "1x3x3x1xi8{0.5, 0}",
              "strides=[1, 1] padding=[9223372036854775807, 0, 0, 0] dilation=[1, 1] groups=1"),
         "does not fit"},
        {CONV("1x4x4x1xi8{0.5, 0}", "1x3x3x1xi8{0.5, 0}",
              "strides=[1, 1] padding=[0, 0, 0, 0] dilation=[9223372036854775807, 1] groups=1"),
         "does not fit"},
        {CONV("1x4x4x1xi8{0.5, 0}", "1x1x1x1xi8{0.5, 0}",
              "strides=[1, 1] padding=[999999999, 999999999, 0, 0] dilation=[1, 1] groups=1"),
         "not what follows"},
        {CONV("1x1x1x1xi8{0.5, 0}", "1x1x1x1xi8{0.25, 0}", PLAIN), "not what follows"},
    };
    ASSERT_BROKEN(state, graphs);
}

static void dense_products_are_checked(void **state) {
    static const struct broken graphs[] = {
        {"graph g(%0: 1x2xi8, %1: 1x2xi8{0.5, 0}) {\n"
         "%2 = qnn.dense(%0, %1) : 1x1xi32{0.25, 0} return %2 }",
         "must be quantised"},
        {"graph g(%0: 1x2xi8{0.5, 0}, %1: 1x2xi8{axis=1; 0.5, 0; 0.5, 0}) {\n"
         "%2 = qnn.dense(%0, %1) : 1x1xi32{0.25, 0} return %2 }",
         "along their first axis"},
        {"graph g(%0: 1x1x2xi8{0.5, 0}, %1: 1x2xi8{0.5, 0}) {\n"
         "%2 = qnn.dense(%0, %1) : 1x1xi32{0.25, 0} return %2 }",
         "[N, K] and [O, K]"},
        {"graph g(%0: 1x2xi8{0.5, 0}, %1: 2xi8{0.5, 0}) {\n"
         "%2 = qnn.dense(%0, %1) : 1x1xi32{0.25, 0} return %2 }",
         "[N, K] and [O, K]"},
        {"graph g(%0: 1x2xi8{0.5, 0}, %1: 1x3xi8{0.5, 0}) {\n"
         "%2 = qnn.dense(%0, %1) : 1x1xi32{0.25, 0} return %2 }",
         "[N, K] and [O, K]"},
        {"graph g(%0: 1x2xi8{0.5, 0}, %1: 1x2xi8{0.5, 0}) {\n"
         "%2 = qnn.dense(%0, %1) : 1x1xi32{0.25, 1} return %2 }",
         "not what follows"},
    };
    ASSERT_BROKEN(state, graphs);
}

#define BIAS(x, bias)                                                                              \
    "graph g(%0: " x ", %1: " bias ") {\n%2 = bias_add(%0, %1) : 2xi32 return %2 }"
#define REQUANTIZE(x, rounding, result)                                                            \
    "graph g(%0: " x ") {\n%1 = qnn.requantize(%0) rounding=\"" rounding "\" : " result            \
    " return %1 }"

static void biases_and_requantizations_are_checked(void **state) {
    static const struct broken graphs[] = {
        {BIAS("2xi8", "2xi32"), "expected int32"},
        {BIAS("2xi32", "2xi8"), "expected int32"},
        {BIAS("i32", "i32"), "expected int32"},
        {BIAS("1x2xi32", "1x2xi32"), "expected int32"},
        {BIAS("2x3xi32", "2xi32"), "expected int32"},
        {BIAS("2xi32{0.5, 0}", "2xi32"), "not what follows"},
        {REQUANTIZE("2xi8{0.5, 0}", "single", "2xi8{0.5, 0}"), "8 and 16 bits must be gemmlowp"},
        {REQUANTIZE("2xi8{0.5, 0}", "float", "2xi8{0.5, 0}"), "8 and 16 bits must be gemmlowp"},
        {REQUANTIZE("2xi64{0.5, 0}", "float", "2xi8{0.5, 0}"), "int64 must be reduced or single"},
        {REQUANTIZE("2xi64{0.5, 0}", "gemmlowp", "2xi8{0.5, 0}"),
         "int64 must be reduced or single"},
        {REQUANTIZE("2xi32{0.5, 0}", "reduced", "2xi8{0.5, 0}"), "gemmlowp, single or float"},
        {REQUANTIZE("2xi32", "single", "2xi8{0.5, 0}"), "quantised integer"},
        {REQUANTIZE("2xf32", "single", "2xi8{0.5, 0}"), "quantised integer"},
        {REQUANTIZE("2x3xi32{axis=0; 0.5, 0; 1, 0}", "single", "2x3xi8{0.5, 0}"), "last axis"},
        {REQUANTIZE("2xi32{0.5, 0}", "single", "2xi8"), "per tensor"},
        {REQUANTIZE("2xi32{0.5, 0}", "single", "2xf32"), "per tensor"},
        {REQUANTIZE("2xi32{0.5, 0}", "single", "2xi64{0.5, 0}"), "per tensor"},
        {REQUANTIZE("2xi32{0.5, 0}", "single", "2xi8{axis=0; 0.5, 0; 0.5, 0}"), "per tensor"},
        {REQUANTIZE("2xi32{0.5, 0}", "Single", "2xi8{0.5, 0}"), "gemmlowp, single or float"},
        {REQUANTIZE("2xi32{0.5, 0}", "", "2xi8{0.5, 0}"), "gemmlowp, single or float"},
        {REQUANTIZE("2xi32{0.5, 0}", "single", "2x1xi8{0.5, 0}"), "not what follows"},
    };
    ASSERT_BROKEN(state, graphs);
}

#define CLIP(type, limits)                                                                         \
    "graph g(%0: " type ") {\n%1 = clip(%0) " limits " : " type " return %1 }"
#define ADD(a, b, result)                                                                          \
    "graph g(%0: " a ", %1: " b ") {\n%2 = qnn.add(%0, %1) : " result " return %2 }"

static void clips_and_sums_are_checked(void **state) {
    static const struct broken graphs[] = {
        {CLIP("2xf32", "min=0 max=0"), "min <= max"},
        {CLIP("2xi8", "min=1 max=0"), "min <= max"},
        {CLIP("2xi8", "min=-129 max=0"), "inside their type"},
        {CLIP("2xi8", "min=0 max=128"), "inside their type"},
        {CLIP("2xu8", "min=-1 max=1"), "inside their type"},
        {ADD("2xi8{1, 0}", "2x1xi8{1, 0}", "2xi8{1, 0}"), "not what follows"},
        {ADD("2xi8{1, 0}", "3xi8{1, 0}", "2xi8{1, 0}"), "shapes that fit"},
        {ADD("2xi8{1, 0}", "2xu8{1, 0}", "2xi8{1, 0}"), "one element type"},
        {ADD("2xi8{1, 0}", "2xi8{1, 0}", "2xu8{1, 0}"), "one element type"},
        {ADD("2xi32{1, 0}", "2xi32{1, 0}", "2xi32{1, 0}"), "int8, uint8 or int16"},
        {ADD("2xi8{1, 0}", "2xi8{1, 0}", "1x2xi8{1, 0}"), "not what follows"},
        {ADD("2xi8", "2xi8{1, 0}", "2xi8{1, 0}"), "quantised per tensor"},
        {ADD("2xi8{1, 0}", "2xi8", "2xi8{1, 0}"), "quantised per tensor"},
        {ADD("2xi8{1, 0}", "2xi8{1, 0}", "2xi8"), "quantised per tensor"},
        {ADD("2xi8{axis=0; 1, 0; 1, 0}", "2xi8{1, 0}", "2xi8{1, 0}"), "quantised per tensor"},
    };
    ASSERT_BROKEN(state, graphs);
}

#define POOL(input, attributes)                                                                    \
    "graph g(%0: " input ") {\n%1 = avg_pool2d(%0) " attributes " : 1x1x1x1xi8 return %1 }"

static void pools_are_checked(void **state) {
    static const struct broken graphs[] = {
        {POOL("4x4x1xi8", "kernel=[1, 1] strides=[1, 1] padding=[0, 0, 0, 0]"), "4 dimensions"},
        {POOL("1x4x4x1xi8", "kernel=[5, 1] strides=[1, 1] padding=[0, 0, 0, 0]"), "does not fit"},
        {POOL("1x4x4x1xi8", "kernel=[1, 5] strides=[1, 1] padding=[0, 0, 0, 0]"), "does not fit"},
        {POOL("1x4x4x1xi8", "kernel=[0, 1] strides=[1, 1] padding=[0, 0, 0, 0]"), "does not fit"},
        {POOL("1x4x4x1xi8", "kernel=[1, 1] strides=[1, 0] padding=[0, 0, 0, 0]"), "does not fit"},
        {POOL("1x4x4x1xi8", "kernel=[2, 2] strides=[1, 1] padding=[2, 0, 0, 0]"), "does not fit"},
        {POOL("1x4x4x1xi8", "kernel=[2, 2] strides=[1, 1] padding=[0, 2, 0, 0]"), "does not fit"},
        {POOL("1x4x4x1xi8", "kernel=[2, 2] strides=[1, 1] padding=[0, 0, 2, 0]"), "does not fit"},
        {POOL("1x4x4x1xi8", "kernel=[2, 2] strides=[1, 1] padding=[0, 0, 0, 2]"), "does not fit"},
        {POOL("1x4x4x1xi8", "kernel=[2, 2] strides=[1, 1] padding=[-1, 0, 0, 0]"), "does not fit"},
        {POOL("1x0x4x1xi8", "kernel=[2, 2] strides=[1, 1] padding=[1, 1, 1, 1]"), "a row and a"},
        {POOL("1x4x0x1xi8", "kernel=[2, 2] strides=[1, 1] padding=[1, 1, 1, 1]"), "a row and a"},
        {POOL("1x4x4x1xi8", "kernel=[2, 2] strides=[2, 2] padding=[0, 0, 0, 0]"),
         "not what follows"},
    };
    ASSERT_BROKEN(state, graphs);
}

#define PAD(input, pads, result)                                                                   \
    "graph g(%0: " input ") {\n%1 = pad(%0) pads=[" pads "] : " result " return %1 }"
#define RESHAPE(input, result) "graph g(%0: " input ") {\n%1 = reshape(%0) : " result " return %1 }"
#define SOFTMAX(input, result)                                                                     \
    "graph g(%0: " input ") {\n%1 = qnn.softmax(%0) beta=1 : " result " return %1 }"

static void pads_reshapes_and_softmaxes_are_checked(void **state) {
    static const struct broken graphs[] = {
        {PAD("2xi8", "1", "3xi8"), "two numbers for each dimension"},
        {PAD("2xi8", "", "2xi8"), "two numbers for each dimension"},
        {PAD("2xi8", "0, 0, 0, 0", "2xi8"), "two numbers for each dimension"},
        {PAD("2xi8", "-1, 0", "1xi8"), "must not be negative"},
        {PAD("2xi8", "0, -1", "1xi8"), "must not be negative"},
        {PAD("2xi8", "9223372036854775807, 0", "1xi8"), "nor too large"},
        {PAD("2xi8", "1, 9223372036854775806", "1xi8"), "nor too large"},
        {PAD("2xi8", "2147483646, 0", "1xi8"), "not what follows"},
        {PAD("2xi8", "1, 1", "3xi8"), "not what follows"},
        {RESHAPE("2x3xi8", "5xi8"), "as many elements of the same type"},
        {RESHAPE("2x3xi8", "6xu8"), "as many elements of the same type"},
        {RESHAPE("2x3xi8{0.5, 0}", "6xi8"), "as many elements of the same type"},
        {RESHAPE("2x3xi8{0.5, 0}", "6xi8{0.5, 1}"), "as many elements of the same type"},
        {SOFTMAX("i8{0.5, 0}", "i8{0.5, 0}"), "quantised per tensor"},
        {SOFTMAX("2xi8{0.5, 0}", "2xu8{0.5, 0}"), "quantised per tensor"},
        {SOFTMAX("2xi8", "2xi8{0.5, 0}"), "quantised per tensor"},
        {SOFTMAX("2xi8{0.5, 0}", "2xi8"), "quantised per tensor"},
        {SOFTMAX("2xi8{0.5, 0}", "3xi8{0.5, 0}"), "not what follows"},
    };
    ASSERT_BROKEN(state, graphs);
}

/* ---- results ---- */

/* The product's scale of a uint8 model is rounded to float. */
static void the_scale_of_a_product_follows_tflite(void **state) {
    static const double scale[2] = {0.1, 0.3};
    struct weft_error error;
    for (int dtype = WEFT_I8; dtype <= WEFT_U8; dtype++) {
        struct weft_graph *graph = weft_graph_new(*state, "g");
        struct weft_type type = weft_type_make((enum weft_dtype)dtype, 2, (const int64_t[]){1, 4});
        struct weft_value *inputs[2];
        for (int i = 0; i < 2; i++) {
            type.quantization = weft_quantization_make(*state, scale[i], 3);
            inputs[i] = weft_graph_add_input(graph, &type, "x", -1);
        }
        const struct weft_node *node =
            weft_graph_add_node(graph, WEFT_OP_QNN_DENSE, 2, inputs, 0, NULL);
        struct weft_type result;
        ASSERT_GOOD(weft_node_infer(*state, node, &result, &error), error);
        double exact = scale[0] * scale[1];
        assert_true(weft_type_scale(&result, 0) ==
                    (dtype == WEFT_I8 ? exact : (double)(float)exact));
        assert_int_equal(weft_type_zero(&result, 0), 0);
    }
}

static void windows_are_counted_as_tflite_does(void **state) {
    (void)graph_of(*state,
                   "graph g(%0: 3x7x6x2xi8{0.5, 0}, %1: 4x3x2x1xi8{0.5, 0}) {\n"
                   "%2 = qnn.conv2d(%0, %1) strides=[2, 3] padding=[1, 0, 0, 1] dilation=[2, 3]\n"
                   "groups=2 : 3x2x2x4xi32{0.25, 0}\n"
                   "%3 = max_pool2d(%0) kernel=[3, 6] strides=[3, 1] padding=[2, 5, 1, 5]\n"
                   ": 3x3x11x2xi8{0.5, 0} return %2, %3 }");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(types_of_inputs_are_checked),
        ARENA_TEST(types_at_their_limits_are_good),
        ARENA_TEST(types_of_results_are_checked),
        ARENA_TEST(inferred_scales_are_checked),
        ARENA_TEST(numbers_of_inputs_and_results_are_checked),
        ARENA_TEST(attributes_are_checked),
        ARENA_TEST(values_must_be_made_before_they_are_used),
        ARENA_TEST(values_of_a_body_are_not_seen_outside),
        ARENA_TEST(attributes_without_a_value_are_refused),
        ARENA_TEST(types_that_the_text_cannot_say_are_refused),
        ARENA_TEST(nodes_must_be_consistent),
        ARENA_TEST(long_chains_are_checked),
        ARENA_TEST(bodies_must_fit_their_nodes),
        ARENA_TEST(bodies_nested_too_deep_are_refused),
        ARENA_TEST(convolutions_are_checked),
        ARENA_TEST(dense_products_are_checked),
        ARENA_TEST(biases_and_requantizations_are_checked),
        ARENA_TEST(clips_and_sums_are_checked),
        ARENA_TEST(pools_are_checked),
        ARENA_TEST(pads_reshapes_and_softmaxes_are_checked),
        ARENA_TEST(the_scale_of_a_product_follows_tflite),
        ARENA_TEST(windows_are_counted_as_tflite_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
