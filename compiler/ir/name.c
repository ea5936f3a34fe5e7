/* Names of values: those that they have, made different from each other. */
#include <inttypes.h>
#include <string.h>

#include "compiler/ir/scope.h"

/* The name with `_` for what the text form has no place for: control characters. */
static const char *printable(struct weft_arena *arena, const char *name) {
    const char *end = name;
    while ((unsigned char)*end >= ' ') {
        end++;
    }
    if (*end == '\0') {
        return name;
    }
    char *copy = weft_arena_string(arena, name, strlen(name));
    for (char *c = copy; *c != '\0'; c++) {
        *c = (unsigned char)*c < ' ' ? '_' : *c;
    }
    return copy;
}

/* A value keeps a name that no value before it has. */
static void keep_name(struct weft_arena *arena, struct scope *taken, struct weft_value *value) {
    if (value->name != NULL) {
        value->name = printable(arena, value->name);
    }
    if (value->name != NULL && !scope_add(arena, taken, value->name, value)) {
        value->name = NULL;
    }
}

/* Without one it is called by the number of its tensor, or by a number of its own. */
static void give_name(struct weft_arena *arena, struct scope *taken, size_t *next,
                      struct weft_value *value) {
    if (value->name != NULL) {
        return;
    }
    if (value->tensor >= 0) {
        value->name = weft_arena_print(arena, "%" PRId32, value->tensor);
    }
    while (value->name == NULL || !scope_add(arena, taken, value->name, value)) {
        value->name = weft_arena_print(arena, "v%zu", (*next)++);
    }
}

void weft_graph_name(struct weft_graph *graph) {
    size_t next = 0;
    struct scope taken = {0};
    for (size_t i = 0; i < graph->input_count; i++) {
        keep_name(graph->arena, &taken, graph->inputs[i]);
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        for (uint32_t j = 0; j < graph->nodes[i]->result_count; j++) {
            keep_name(graph->arena, &taken, graph->nodes[i]->results[j]);
        }
    }
    for (size_t i = 0; i < graph->input_count; i++) {
        give_name(graph->arena, &taken, &next, graph->inputs[i]);
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        struct weft_node *node = graph->nodes[i];
        for (uint32_t j = 0; j < node->result_count; j++) {
            give_name(graph->arena, &taken, &next, node->results[j]);
        }
        if (node->body != NULL) {
            weft_graph_name(node->body);
        }
    }
}
