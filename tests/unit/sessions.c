#include "tests/unit/sessions.h"

#include <string.h>

const char network[] = "graph network(%a: 1x6x6x8xi8{0.5, 3}, %b: 1x6x6x8xi8{0.25, -2}) {\n"
                       "%s = qnn.add(%a, %b) : 1x6x6x8xi8{0.5, 1}\n"
                       "%p = qnn.softmax(%s) beta=1 : 1x6x6x8xi8{0.00390625, -128}\n"
                       "%m = max_pool2d(%p) kernel=[2, 2] strides=[2, 2]\n"
                       "padding=[0, 0, 0, 0] : 1x3x3x8xi8{0.00390625, -128}\n"
                       "return %m, %s }";

const char *const simulators[] = {"func", "cycle", NULL};

struct fixture compiled(struct weft_arena *arena, const char *text) {
    struct weft_error error;
    struct fixture fixture = {.graph = graph_of(arena, text)};
    ASSERT_GOOD(module_of(fixture.graph, "ref16", &fixture.module, &error), error);
    return fixture;
}

struct weft_session *opened(const struct weft_module *module, const char *target,
                            const struct weft_session_options *options) {
    struct weft_error error;
    struct weft_session *session = NULL;
    const struct weft_session_options defaults = weft_session_defaults();
    ASSERT_GOOD(
        weft_session_open(target, module, options == NULL ? &defaults : options, &session, &error),
        error);
    assert_non_null(session);
    return session;
}

void give(struct weft_session *session, const struct weft_graph *graph, uint64_t seed) {
    struct weft_error error;
    const void **inputs = random_inputs(graph, seed);
    for (size_t i = 0; i < graph->input_count; i++) {
        ASSERT_GOOD(weft_session_set_input(session, i, inputs[i],
                                           weft_type_bytes(&graph->inputs[i]->type), &error),
                    error);
    }
}

void session_run(struct weft_session *session) {
    struct weft_error error;
    ASSERT_GOOD(weft_session_run(session, &error), error);
}

void assert_outputs(const struct weft_session *session, const struct weft_graph *graph,
                    uint64_t seed) {
    struct weft_error error;
    void **expected = host_outputs(graph, random_inputs(graph, seed));
    for (size_t i = 0; i < graph->output_count; i++) {
        const void *bytes = NULL;
        size_t length = 0;
        ASSERT_GOOD(weft_session_output(session, i, &bytes, &length, &error), error);
        assert_int_equal(length, weft_type_bytes(&graph->outputs[i]->type));
        assert_memory_equal(bytes, expected[i], length);
    }
}

void assert_no_output(const struct weft_session *session) {
    struct weft_error error;
    const void *bytes = NULL;
    size_t length = 0;
    ASSERT_FAILS(weft_session_output(session, 0, &bytes, &length, &error), error, WEFT_STATE);
    assert_null(bytes);
    assert_int_equal(length, 0);
}

void assert_error_mentions(const struct weft_error *error, const char *part) {
    if (strstr(error->message, part) == NULL) {
        print_error("'%s' does not mention '%s'\n", error->message, part);
        fail();
    }
}
