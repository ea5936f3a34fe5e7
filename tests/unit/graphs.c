#include "tests/unit/graphs.h"

#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "compiler/host/host.h"

int arena_setup(void **state) {
    *state = calloc(1, sizeof(struct weft_arena));
    return *state == NULL;
}

int arena_teardown(void **state) {
    weft_arena_free(*state);
    free(*state);
    return 0;
}

/* ---- text form ---- */

struct weft_graph *graph_of(struct weft_arena *arena, const char *text) {
    struct weft_error error;
    struct weft_graph *graph = NULL;
    ASSERT_GOOD(weft_graph_parse(arena, text, strlen(text), NULL, &graph, &error), error);
    return graph;
}

struct weft_graph *graph_filled(struct weft_arena *arena, const char *text) {
    struct weft_error error;
    struct weft_text filled = {0};
    while (*text != 0) {
        size_t plain = strcspn(text, "$#");
        weft_text_add(&filled, "%.*s", (int)plain, text);
        text += plain;
        if (*text != 0) {
            bool is_small = *text == '#';
            char *end = NULL;
            long count = strtol(text + 1, &end, 10);
            for (long i = 0; i < count; i++) {
                weft_text_add(&filled, "%s%ld", i == 0 ? "[" : ", ",
                              is_small ? i % 3 - 1 : i * 37 % 251 - 125);
            }
            weft_text_add(&filled, "]");
            text = end;
        }
    }
    ASSERT_GOOD(weft_text_finish(&filled, &error), error);
    struct weft_graph *graph = graph_of(arena, filled.bytes);
    weft_text_free(&filled);
    return graph;
}

const char *text_of(const struct weft_graph *graph) {
    struct weft_error error;
    struct weft_text text = {0};
    struct weft_blobs blobs = {0};
    weft_graph_print(graph, &text, &blobs);
    ASSERT_GOOD(weft_text_finish(&text, &error), error);
    const char *copy = weft_arena_string(graph->arena, text.bytes, text.length);
    weft_text_free(&text);
    return copy;
}

void assert_text(const struct weft_graph *graph, const char *expected) {
    const char *text = text_of(graph);
    if (strcmp(text, expected) != 0) {
        print_error("expected:\n%s\ngot:\n%s\n", expected, text);
        fail();
    }
}

/* ---- looking into graphs ---- */

struct weft_value *value_named(const struct weft_graph *graph, const char *name) {
    for (size_t i = 0; i < graph->input_count; i++) {
        if (strcmp(graph->inputs[i]->name, name) == 0) {
            return graph->inputs[i];
        }
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        for (uint32_t k = 0; k < graph->nodes[i]->result_count; k++) {
            if (strcmp(graph->nodes[i]->results[k]->name, name) == 0) {
                return graph->nodes[i]->results[k];
            }
        }
    }
    print_error("there is no %%%s in\n%s\n", name, text_of(graph));
    fail();
    return NULL;
}

struct weft_node *node_named(const struct weft_graph *graph, const char *name) {
    struct weft_node *node = value_named(graph, name)->producer;
    assert_non_null(node);
    return node;
}

size_t count_of(const struct weft_graph *graph, enum weft_operator op) {
    size_t count = 0;
    for (size_t i = 0; i < graph->node_count; i++) {
        count += graph->nodes[i]->op == op;
    }
    return count;
}

/* ---- random numbers ---- */

uint64_t random_next(uint64_t *seed) {
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * UINT64_C(2685821657736338717);
}

int64_t random_in(uint64_t *seed, int64_t low, int64_t high) {
    return low + (int64_t)((random_next(seed) >> 16) % (uint64_t)(high - low + 1));
}

bool random_once_in(uint64_t *seed, int64_t times) {
    return random_in(seed, 1, times) == 1;
}

void random_fill(uint64_t *seed, void *bytes, size_t length) {
    uint8_t *at = bytes;
    for (size_t i = 0; i < length; i++) {
        at[i] = (uint8_t)(random_next(seed) >> 32);
    }
}

int random_share(int count) {
    const char *text = getenv("WEFT_ONE_IN");
    int share = text == NULL ? 1 : atoi(text);
    return share < 1 ? count : (count + share - 1) / share;
}

/* ---- running ---- */

const void **random_inputs(const struct weft_graph *graph, uint64_t seed) {
    const void **inputs = WEFT_NEW_ARRAY(graph->arena, graph->input_count, const void *);
    for (size_t i = 0; i < graph->input_count; i++) {
        size_t length = weft_type_bytes(&graph->inputs[i]->type);
        uint8_t *bytes = WEFT_NEW_ARRAY(graph->arena, length, uint8_t);
        random_fill(&seed, bytes, length);
        inputs[i] = bytes;
    }
    return inputs;
}

void **output_room(const struct weft_graph *graph) {
    void **outputs = WEFT_NEW_ARRAY(graph->arena, graph->output_count, void *);
    for (size_t i = 0; i < graph->output_count; i++) {
        outputs[i] =
            WEFT_NEW_ARRAY(graph->arena, weft_type_bytes(&graph->outputs[i]->type), uint8_t);
    }
    return outputs;
}

void **host_outputs(const struct weft_graph *graph, const void *const *inputs) {
    struct weft_error error;
    void **outputs = output_room(graph);
    ASSERT_GOOD(weft_host_run_graph(graph, inputs, outputs, &error), error);
    return outputs;
}

void assert_host_of_three(struct weft_arena *arena, const char *text, const void *a, const void *b,
                          const void *c, const void *expected) {
    const struct weft_graph *graph = graph_of(arena, text);
    const void *inputs[3] = {a, b, c};
    void **outputs = host_outputs(graph, inputs);
    assert_memory_equal(outputs[0], expected, weft_type_bytes(&graph->outputs[0]->type));
}

void assert_host(struct weft_arena *arena, const char *text, const void *a, const void *b,
                 const void *expected) {
    assert_host_of_three(arena, text, a, b, NULL, expected);
}

void assert_same_results(const struct weft_graph *a, const struct weft_graph *b) {
    assert_int_equal(a->input_count, b->input_count);
    assert_true(a->output_count <= b->output_count);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const void **inputs = random_inputs(a, seed);
        void **expected = host_outputs(a, inputs);
        void **got = host_outputs(b, inputs);
        for (size_t i = 0; i < a->output_count; i++) {
            assert_true(weft_type_equal(&a->outputs[i]->type, &b->outputs[i]->type));
            assert_memory_equal(got[i], expected[i], weft_type_bytes(&a->outputs[i]->type));
        }
    }
}

void assert_pass(struct weft_arena *arena, struct weft_graph *(*pass)(const struct weft_graph *),
                 const char *before, const char *after) {
    struct weft_error error;
    const struct weft_graph *graph = graph_of(arena, before);
    const struct weft_graph *made = pass(graph);
    ASSERT_GOOD(weft_graph_verify(made, &error), error);
    assert_text(made, after);
    assert_text(graph, before);
    assert_same_results(graph, made);
}

void assert_stays(struct weft_arena *arena, struct weft_graph *(*pass)(const struct weft_graph *),
                  const char *text) {
    assert_pass(arena, pass, text, text);
}
