/* An assembled program as a module. */
#include <stdlib.h>

#include "base/limit.h"
#include "base/memory.h"
#include "driver/bare.h"
#include "sim/timing/bound.h"

/* A graph of one region, which the program is. */
static struct weft_graph *graph_of(struct weft_arena *arena, const char *name) {
    struct weft_graph *graph = weft_graph_new(arena, name);
    const struct weft_attribute target = weft_attr_text(WEFT_ATTR_target, "weft");
    (void)weft_graph_add_node(graph, WEFT_OP_REGION, 0, NULL, 1, &target);
    return graph;
}

static void fill_segment(struct weft_module *module, const struct weft_bare_setup *setup) {
    const struct weft_timing_settings settings = {.memory.latency = 0};
    struct weft_segment *segment = &module->segments[0];
    *segment = (struct weft_segment){
        .program = {.instructions = setup->program->instructions, .count = setup->program->count},
        .layer_of = WEFT_NEW_ARRAY(&module->arena, setup->program->count, int32_t),
        .constant_bytes = setup->region_bytes[WEFT_REGION_CONSTANTS],
        .scratch_bytes = setup->region_bytes[WEFT_REGION_SCRATCH],
        .input_bytes = setup->region_bytes[WEFT_REGION_INPUTS],
        .output_bytes = setup->region_bytes[WEFT_REGION_OUTPUTS],
        .bound = weft_bound(setup->config, &settings, setup->program->instructions,
                            setup->program->count)};
    for (size_t i = 0; i < setup->program->count; i++) {
        segment->layer_of[i] = -1;
    }
}

static bool fill_module(struct weft_module *module, const struct weft_bare_setup *setup,
                        const char *name, const uint8_t *bytes, struct weft_error *error) {
    struct weft_arena *arena = &module->arena;
    if (setjmp(arena->on_failure) != 0) {
        return weft_arena_failed(arena, error);
    }
    module->config = *setup->config;
    module->model_name = weft_arena_print(arena, "%s", name);
    module->fingerprint = weft_fingerprint(bytes, setup->program->count * WEFT_INSTRUCTION_BYTES);
    module->graph = graph_of(arena, module->model_name);
    module->tensors = WEFT_NEW_ARRAY(arena, 1, const char *);
    module->tensors[0] = "";
    module->segment_count = 1;
    module->segments = WEFT_NEW_ARRAY(arena, 1, struct weft_segment);
    fill_segment(module, setup);
    return true;
}

bool weft_bare_module(const struct weft_bare_setup *setup, const char *name,
                      struct weft_module **module, struct weft_error *error) {
    uint8_t *bytes = NULL;
    struct weft_module *made = weft_allocate(1, sizeof *made, "a module", error);
    if (made == NULL) {
        return false;
    }
    made->arena.limit = (size_t)weft_memory_limit(setup->memory_limit);
    bool good = weft_program_encode(setup->program, &bytes, error) &&
                fill_module(made, setup, name, bytes, error);
    free(bytes);
    if (!good) {
        weft_module_free(made);
        return false;
    }
    *module = made;
    return true;
}
