#include "compiler/host/host.h"

#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "compiler/host/step.h"
#include "kernels/normalize.h"

static const struct weft_kernel_entry *kernel_of(const struct weft_host_binding *binding) {
    return &weft_kernels[binding->kernel];
}

/* Tensors without elements need no state, but a kernel that has one adds to its address, which must
 * not be NULL then: 1 byte at least. */
static size_t state_bytes(const struct weft_host_binding *binding) {
    const struct weft_kernel_entry *kernel = kernel_of(binding);
    return kernel->state == NULL ? 0 : weft_max_u64(kernel->state(binding->parameters), 1);
}

bool weft_host_state(const struct weft_node *node, size_t *state, struct weft_error *error) {
    struct weft_host_binding binding = {0};
    bool good = weft_host_bind(node, &binding, error);
    *state = good ? state_bytes(&binding) : 0;
    weft_host_binding_free(&binding);
    return good;
}

bool weft_host_reset(const struct weft_node *node, void *state, struct weft_error *error) {
    struct weft_host_binding binding = {0};
    bool good = weft_host_bind(node, &binding, error);
    if (good && kernel_of(&binding)->reset != NULL) {
        kernel_of(&binding)->reset(binding.parameters, state);
    }
    weft_host_binding_free(&binding);
    return good;
}

bool weft_host_continue(const struct weft_node *node, const void *const *inputs,
                        void *const *results, void *state, struct weft_error *error) {
    struct weft_team *team = weft_host_step_is_large(node) ? weft_team_open(weft_cores()) : NULL;
    struct weft_host_step *step = NULL;
    void *scratch = NULL;
    struct weft_node *const nodes[1] = {(struct weft_node *)(uintptr_t)node};
    const struct weft_host_step_options options = {.team = team, .room = UINT64_MAX};
    bool good = weft_host_step_open(nodes, 1, &options, &step, error);
    if (good) {
        scratch = weft_allocate(weft_host_step_scratch(step), 1, "sums", error);
        good = scratch != NULL;
    }
    good = good && weft_host_step_run(step, inputs, results, state, scratch, error);
    free(scratch);
    weft_host_step_close(step);
    weft_team_close(team);
    return good;
}

bool weft_host_run(const struct weft_node *node, const void *const *inputs, void *const *results,
                   struct weft_error *error) {
    size_t bytes = 0;
    void *state = NULL;
    bool good = weft_host_state(node, &bytes, error);
    if (good && bytes > 0) {
        state = weft_allocate(bytes, 1, "a state", error);
        good = state != NULL && weft_host_reset(node, state, error);
    }
    good = good && weft_host_continue(node, inputs, results, state, error);
    free(state);
    return good;
}

static bool run_node(const struct weft_graph *graph, const struct weft_node *node,
                     struct weft_map *tensors, struct weft_error *error) {
    struct weft_arena *arena = graph->arena;
    const void **inputs = weft_arena_allocate(arena, node->input_count, sizeof *inputs);
    void **results = weft_arena_allocate(arena, node->result_count, sizeof *results);
    for (uint32_t i = 0; i < node->input_count; i++) {
        inputs[i] = weft_map_get(tensors, node->inputs[i]);
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        results[i] = node->op == WEFT_OP_CONSTANT
                         ? (void *)(uintptr_t)weft_value_data(node->results[i])
                         : weft_arena_allocate(arena, weft_type_bytes(&node->results[i]->type), 1);
        weft_map_set(tensors, node->results[i], results[i]);
    }
    if (node->op == WEFT_OP_CONSTANT) {
        return true;
    }
    return node->body != NULL ? weft_host_run_graph(node->body, inputs, results, error)
                              : weft_host_run(node, inputs, results, error);
}

bool weft_host_run_graph(const struct weft_graph *graph, const void *const *inputs,
                         void *const *outputs, struct weft_error *error) {
    struct weft_map *tensors = weft_map_new(graph->arena);
    for (size_t i = 0; i < graph->input_count; i++) {
        weft_map_set(tensors, graph->inputs[i], (void *)(uintptr_t)inputs[i]);
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        if (!run_node(graph, graph->nodes[i], tensors, error)) {
            return false;
        }
    }
    for (size_t i = 0; i < graph->output_count; i++) {
        memcpy(outputs[i], weft_map_get(tensors, graph->outputs[i]),
               weft_type_bytes(&graph->outputs[i]->type));
    }
    return true;
}

/* The type with 256 elements along its last axis. */
static void make_vector(struct weft_type *type) {
    type->rank = type->rank == 0 ? 1 : type->rank;
    for (uint32_t i = 0; i < type->rank; i++) {
        type->dim[i] = i + 1 == type->rank ? 256 : 1;
    }
}

bool weft_host_table(const struct weft_node *node, uint32_t input, int8_t table[256],
                     struct weft_error *error) {
    struct weft_value x = *node->inputs[input];
    struct weft_value y = *node->results[0];
    struct weft_value *inputs[1] = {&x};
    struct weft_value *results[1] = {&y};
    struct weft_node one = *node;
    uint8_t bytes[256];
    const void *in[1] = {bytes};
    void *out[1] = {table};
    make_vector(&x.type);
    make_vector(&y.type);
    one.inputs = inputs;
    one.results = results;
    one.input_count = 1;
    for (int i = 0; i < 256; i++) {
        bytes[i] = (uint8_t)i;
    }
    return weft_host_run(&one, in, out, error);
}

bool weft_host_exponentials(const struct weft_node *node, int32_t exponentials[256],
                            struct weft_error *error) {
    struct weft_host_binding binding = {0};
    bool good = weft_host_bind(node, &binding, error);
    for (int32_t below = 0; below < 256 && good; below++) {
        exponentials[below] = weft_softmax_exponential(binding.parameters, -below);
    }
    weft_host_binding_free(&binding);
    return good;
}
