#include "compiler/import/onnx/onnx_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- making the list ---- */

static int compare(const void *a, const void *b) {
    const struct onnx_tensor *first = a;
    const struct onnx_tensor *second = b;
    int order = strcmp(first->name, second->name);
    return order != 0 ? order : first->index - second->index;
}

static void add(struct onnx_names *names, const char *name, struct onnx_tensor tensor) {
    tensor.name = onnx_string(name);
    tensor.index = (int32_t)names->count;
    names->tensors[names->count++] = tensor;
}

/* All of them, those twice that are twice. Results without a name are left out: nobody wants them.
 */
static void add_all(const Onnx__GraphProto *graph, struct onnx_names *names) {
    for (size_t i = 0; i < graph->n_input; i++) {
        add(names, graph->input[i]->name,
            (struct onnx_tensor){.input = graph->input[i], .producer = -1});
    }
    for (size_t i = 0; i < graph->n_initializer; i++) {
        add(names, graph->initializer[i]->name,
            (struct onnx_tensor){.initializer = graph->initializer[i], .producer = -1});
    }
    for (size_t i = 0; i < graph->n_node; i++) {
        const Onnx__NodeProto *node = graph->node[i];
        for (size_t k = 0; k < node->n_output; k++) {
            if (node->output[k][0] != '\0') {
                add(names, node->output[k], (struct onnx_tensor){.producer = (int64_t)i});
            }
        }
    }
}

static size_t count_all(const Onnx__GraphProto *graph) {
    size_t count = graph->n_input + graph->n_initializer;
    for (size_t i = 0; i < graph->n_node; i++) {
        count += graph->node[i]->n_output;
    }
    return count;
}

/* Two of one name: an input and its initializer become one. */
static bool join(struct onnx_tensor *first, const struct onnx_tensor *second,
                 struct weft_error *error) {
    if (first->input == NULL || first->initializer != NULL || second->initializer == NULL) {
        return weft_fail(error, WEFT_MODEL, (uint64_t)second->index,
                         "the tensor '%.80s' is made twice", first->name);
    }
    first->initializer = second->initializer;
    return true;
}

bool onnx_names_make(struct weft_arena *arena, const Onnx__GraphProto *graph,
                     struct onnx_names *names, struct weft_error *error) {
    size_t most = count_all(graph);
    if (most > INT32_MAX / 2) {
        return weft_fail(error, WEFT_MODEL, 0, "more than 2^30 tensors");
    }
    *names = (struct onnx_names){0, WEFT_NEW_ARRAY(arena, most, struct onnx_tensor), NULL};
    add_all(graph, names);
    qsort(names->tensors, names->count, sizeof *names->tensors, compare);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < names->count; i++) {
        struct onnx_tensor *tensor = &names->tensors[i];
        if (tensor->name[0] == '\0') {
            return weft_fail(error, WEFT_MODEL, (uint64_t)tensor->index,
                             "an input or initializer has no name");
        }
        if (kept > 0 && strcmp(names->tensors[kept - 1].name, tensor->name) == 0) {
            if (!join(&names->tensors[kept - 1], tensor, error)) {
                return false;
            }
        } else {
            names->tensors[kept++] = *tensor;
        }
    }
    names->count = kept;
    return true;
}

/* ---- using it ---- */

static struct onnx_tensor *find(const struct onnx_names *names, const char *name) {
    uint32_t low = 0;
    uint32_t high = names->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(names->tensors[middle].name, name);
        if (order == 0) {
            return &names->tensors[middle];
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return NULL;
}

struct onnx_tensor *onnx_names_find(const struct onnx_names *names, const char *name) {
    struct onnx_tensor *tensor = NULL;
    for (; names != NULL && tensor == NULL; names = names->outer) {
        tensor = find(names, name);
    }
    return tensor;
}

void onnx_names_list(struct weft_arena *arena, const Onnx__GraphProto *graph,
                     const struct onnx_names *names, struct weft_model_names *list) {
    size_t most = count_all(graph);
    *list = (struct weft_model_names){.tensor_count = (uint32_t)most,
                                      .tensors = WEFT_NEW_ARRAY(arena, most, const char *),
                                      .operator_count = (uint32_t)graph->n_node,
                                      .results = WEFT_NEW_ARRAY(arena, graph->n_node, int32_t)};
    for (size_t i = 0; i < most; i++) {
        list->tensors[i] = "";
    }
    for (uint32_t i = 0; i < names->count; i++) {
        list->tensors[names->tensors[i].index] = names->tensors[i].name;
    }
    for (size_t i = 0; i < graph->n_node; i++) {
        const Onnx__NodeProto *node = graph->node[i];
        const struct onnx_tensor *first =
            node->n_output == 0 ? NULL : onnx_names_find(names, node->output[0]);
        list->results[i] = first == NULL ? -1 : first->index;
    }
}
