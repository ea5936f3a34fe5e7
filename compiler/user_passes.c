#include "compiler/user_passes.h"

#include <string.h>

enum {
    MOST_NAME = 64 /* characters */
};

/* ---- places ---- */

static bool find(const char *const *names, const char *name, size_t *number) {
    for (size_t i = 0; names[i] != NULL; i++) {
        if (strcmp(names[i], name) == 0) {
            *number = i;
            return true;
        }
    }
    return false;
}

static bool is_name(const char *name) {
    size_t length = name == NULL ? 0 : strlen(name);
    return length > 0 && length <= MOST_NAME &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

static bool check_name(const struct weft_user_pass *passes, size_t index, const char *const *names,
                       struct weft_error *error) {
    size_t number = 0;
    const char *name = passes[index].name;
    if (!is_name(name) || passes[index].run == NULL) {
        return weft_fail(error, WEFT_PLUGIN, index,
                         "pass %zu: expected a name of small letters, digits and '-', at most %d, "
                         "and a function",
                         index, MOST_NAME);
    }
    bool taken = strcmp(name, "all") == 0 || find(names, name, &number);
    for (size_t i = 0; i < index; i++) {
        taken = taken || strcmp(passes[i].name, name) == 0;
    }
    return !taken || weft_fail(error, WEFT_PLUGIN, index, "there is a pass %s already", name);
}

static bool find_neighbour(const struct weft_user_pass *pass, const char *name,
                           const char *const *names, size_t *number, struct weft_error *error) {
    return name == NULL || find(names, name, number) ||
           weft_fail(error, WEFT_PLUGIN, 0,
                     "pass %s: there is no pass '%.64s' to stand beside; weft passes lists them",
                     pass->name, name);
}

static bool place(const struct weft_user_pass *pass, const char *const *names, size_t last,
                  size_t *behind, struct weft_error *error) {
    size_t after = 0;
    size_t before = 0;
    if (!find_neighbour(pass, pass->after, names, &after, error) ||
        !find_neighbour(pass, pass->before, names, &before, error)) {
        return false;
    }
    if (pass->after == NULL && before == 0) {
        return weft_fail(error, WEFT_PLUGIN, 0,
                         "pass %s must say which pass it comes after, or before which one but %s",
                         pass->name, names[0]);
    }
    if (pass->after != NULL && pass->before != NULL && before <= after) {
        return weft_fail(error, WEFT_PLUGIN, 0,
                         "pass %s is to come after %s and before %s, which is not later",
                         pass->name, pass->after, pass->before);
    }
    size_t place = pass->after != NULL ? after : before - 1;
    if (place > last) {
        return weft_fail(
            error, WEFT_PLUGIN, 0,
            "pass %s is to come after %s, expected one before %s: what follows divides "
            "the graph between targets",
            pass->name, names[place], names[last + 1]);
    }
    *behind = place;
    return true;
}

/* "plugin NAME: " before the message, if it came with one. */
static bool from_plugin(const struct weft_user_pass *pass, struct weft_error *error) {
    return pass->plugin == NULL ? false : weft_fail_context(error, "plugin %s", pass->plugin);
}

bool user_passes_place(size_t count, const struct weft_user_pass *passes, const char *const *names,
                       size_t last, size_t *behind, struct weft_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (!check_name(passes, i, names, error) ||
            !place(&passes[i], names, last, &behind[i], error)) {
            error->position = i;
            return from_plugin(&passes[i], error);
        }
    }
    return true;
}

/* ---- what a pass leaves ---- */

static bool wrong(const char *what, size_t index, struct weft_error *error) {
    return weft_fail(error, WEFT_PLUGIN, index, "node %zu: %s", index, what);
}

static bool is_whole_value(const struct weft_value *value) {
    const struct weft_quantization *q = value == NULL ? NULL : &value->type.quantization;
    return q != NULL && (q->count == 0 || (q->scale != NULL && q->zero != NULL));
}

static bool are_whole_values(size_t count, struct weft_value *const *values) {
    bool good = count == 0 || values != NULL;
    for (size_t i = 0; good && i < count; i++) {
        good = is_whole_value(values[i]);
    }
    return good;
}

static bool are_whole_attributes(const struct weft_node *node) {
    bool good = node->attribute_count == 0 || node->attributes != NULL;
    for (uint32_t i = 0; good && i < node->attribute_count; i++) {
        const struct weft_attribute *attribute = &node->attributes[i];
        good = attribute->key >= WEFT_ATTRIBUTES || attribute->count == 0 ||
               attribute->ints != NULL ||
               (weft_attribute_kind(attribute->key) != WEFT_ATTRIBUTE_INT &&
                weft_attribute_kind(attribute->key) != WEFT_ATTRIBUTE_INTS);
    }
    return good;
}

/* What weft_graph_verify() takes for granted. */
static bool check_pointers(const struct weft_graph *graph, struct weft_error *error) {
    if (graph->name == NULL || !are_whole_values(graph->input_count, graph->inputs) ||
        !are_whole_values(graph->output_count, graph->outputs) ||
        (graph->node_count > 0 && graph->nodes == NULL)) {
        return weft_fail(error, WEFT_PLUGIN, 0,
                         "it made a graph without a name, or with NULL for "
                         "an input, an output or its nodes");
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        if (node == NULL || !are_whole_values(node->input_count, node->inputs) ||
            !are_whole_values(node->result_count, node->results) || !are_whole_attributes(node)) {
            return wrong("it, an operand, a result or an attribute is NULL", i, error);
        }
    }
    return true;
}

/* Who carries out what is for the passes that follow to say. */
static bool check_undivided(const struct weft_graph *graph, struct weft_error *error) {
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        if (node->body != NULL || node->op == WEFT_OP_COMPOSITE || node->op == WEFT_OP_REGION ||
            node->op == WEFT_OP_OPAQUE) {
            return wrong("a composite, a region or an opaque node, which no pass of one's own may "
                         "leave",
                         i, error);
        }
        if (weft_node_attribute(node, WEFT_ATTR_target) != NULL ||
            weft_node_attribute(node, WEFT_ATTR_region) != NULL) {
            return wrong("an attribute target or region, which no pass of one's own may set", i,
                         error);
        }
    }
    return true;
}

static bool check_types(const char *what, size_t count, struct weft_value *const *values,
                        size_t expected_count, struct weft_value *const *expected,
                        struct weft_error *error) {
    if (count != expected_count) {
        return weft_fail(error, WEFT_PLUGIN, 0, "it left %zu %ss, expected the %zu that there were",
                         count, what, expected_count);
    }
    for (size_t i = 0; i < count; i++) {
        if (!weft_type_equal(&values[i]->type, &expected[i]->type)) {
            return weft_fail(error, WEFT_PLUGIN, 0, "it changed the type of %s %zu", what, i);
        }
    }
    return true;
}

static bool check_left(const struct weft_graph *graph, const struct weft_graph *left,
                       struct weft_error *error) {
    if (left == NULL || left->arena != graph->arena) {
        return weft_fail(error, WEFT_PLUGIN, 0, "it made %s",
                         left == NULL ? "no graph" : "a graph in another arena");
    }
    if (!check_pointers(left, error) || !check_undivided(left, error)) {
        return false;
    }
    if (!weft_graph_verify(left, error)) {
        error->code = WEFT_PLUGIN;
        return false;
    }
    return check_types("input", left->input_count, left->inputs, graph->input_count, graph->inputs,
                       error) &&
           check_types("output", left->output_count, left->outputs, graph->output_count,
                       graph->outputs, error);
}

bool user_pass_run(const struct weft_user_pass *pass, const char *behind,
                   const struct weft_graph *graph, struct weft_graph **made,
                   struct weft_error *error) {
    struct weft_graph *left = NULL;
    struct weft_error said = {0};
    bool good = pass->run(pass->context, graph, &left, &said);
    if (!good) {
        weft_error_settle(error, &said, WEFT_PLUGIN);
    } else if (check_left(graph, left, error)) {
        *made = left;
        return true;
    }
    weft_error_prefix(error, "pass %s, behind %s", pass->name, behind);
    return from_plugin(pass, error);
}
