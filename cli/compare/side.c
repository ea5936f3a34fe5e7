#include <inttypes.h>
#include <string.h>

#include "base/version.h"
#include "cli/compare/compare.h"
#include "report/model_figures.h"
#include "report/statistics.h"

static const char *copy(struct weft_arena *arena, const char *text) {
    return weft_arena_string(arena, text, strlen(text));
}

static struct compared_layer machine_layer(struct weft_arena *arena,
                                           const struct weft_layer_info *info,
                                           const struct weft_layer_figures *figures) {
    struct compared_layer layer = {
        .op = copy(arena, info->name),
        .tensor = copy(arena, info->tensor),
        .shape = weft_arena_print(arena, "%" PRId64 "x%" PRId64 "x%" PRId64 "x%" PRId64,
                                  info->shape[0], info->shape[1], info->shape[2], info->shape[3]),
        .cycles = figures->cycles,
        .bytes = figures->external_bytes};
    memcpy(layer.used, figures->used, sizeof layer.used);
    return layer;
}

static const char *host_shape(struct weft_arena *arena, const struct weft_type *type) {
    const char *shape = "";
    for (uint32_t i = 0; i < type->rank; i++) {
        shape = weft_arena_print(arena, "%s%s%" PRId64, shape, i == 0 ? "" : "x", type->dim[i]);
    }
    return shape;
}

static void add_segment(struct weft_arena *arena, const struct weft_segment *segment,
                        const struct weft_figures *figures, struct compared_side *side) {
    uint32_t first = (uint32_t)side->count;
    for (uint32_t i = 0; i < segment->layer_count; i++) {
        side->layers[side->count++] =
            machine_layer(arena, &segment->layers[i], &figures->layers[i]);
    }
    for (size_t i = 0; i < figures->owned_count; i++) {
        const struct weft_owned_cycles *owned = &figures->owned[i];
        side->owned = weft_arena_grow(arena, side->owned, side->owned_count, &side->owned_capacity,
                                      sizeof *side->owned);
        side->owned[side->owned_count++] = (struct compared_owned){
            owned->last - owned->first + 1, first + owned->layer, owned->use};
    }
    side->cycles += figures->cycles;
}

static void add_all(struct weft_arena *arena, const struct weft_module *module,
                    const struct model_figures *figures, struct compared_side *side) {
    size_t count = module->graph->node_count;
    uint32_t segment = 0;
    for (uint32_t i = 0; i < module->segment_count; i++) {
        count += module->segments[i].layer_count;
    }
    side->layers = WEFT_NEW_ARRAY(arena, count, struct compared_layer);
    for (size_t i = 0; i < module->graph->node_count; i++) {
        const struct weft_node *node = module->graph->nodes[i];
        if (weft_is_machine_region(node)) {
            add_segment(arena, &module->segments[segment], &figures->segments[segment], side);
            segment++;
        } else if (weft_is_host_operator(node)) {
            side->layers[side->count++] =
                (struct compared_layer){.op = weft_operator_name(node->op),
                                        .tensor = copy(arena, module->tensors[i]),
                                        .shape = host_shape(arena, result_type(node)),
                                        .on_host = true};
        }
    }
}

struct compared_memory compared_memory_of(struct compared_memory given, uint64_t latency) {
    given.latency = given.latency == latency ? 0 : given.latency;
    given.interval = given.interval == 1 ? 0 : given.interval;
    return given;
}

/* As a file of figures has it. */
static const char *dram_text(struct weft_arena *arena, const struct weft_memory_settings *memory) {
    return memory->dram == WEFT_DRAM_NONE
               ? ""
               : weft_arena_print(arena, "%s@%.10g", weft_dram_names[memory->dram],
                                  memory->clock / 1e3);
}

bool side_of_module(struct weft_arena *arena, const struct weft_module *module, const char *path,
                    const struct weft_session_options *options, uint64_t memory_limit,
                    struct compared_side *side, struct weft_error *error) {
    const struct compared_memory given = {.latency = options->memory.latency,
                                          .interval = options->memory.interval,
                                          .dram = dram_text(arena, &options->memory)};
    struct weft_trace_file traces = {0};
    struct model_figures figures = {0};
    *side =
        (struct compared_side){.path = path,
                               .model = copy(arena, module->model_name),
                               .config = copy(arena, module->config.name),
                               .version = weft_version,
                               .memory = compared_memory_of(given, module->config.memory_latency),
                               .inferences = module->frames,
                               .has_times = true};
    bool good = traces_of(module, options, memory_limit, &traces, error) &&
                figures_of_traces(module, &traces, &figures, error);
    if (good) {
        add_all(arena, module, &figures, side);
    }
    model_figures_free(&figures);
    weft_trace_file_free(&traces);
    return good;
}
