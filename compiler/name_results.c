#include "compiler/name_results.h"

#include "compiler/import/names.h"

static const char *name_or(const char *name, const char *other) {
    return name != NULL ? name : other != NULL ? other : "";
}

/* Without a model's name that of a graph in text form, and of tensors in no file none. */
static const char **names_of(struct weft_arena *arena, const struct weft_model_names *names,
                             size_t count, struct weft_value *const *values) {
    const char **list = WEFT_NEW_ARRAY(arena, count, const char *);
    for (size_t i = 0; i < count; i++) {
        const struct weft_node *node = values[i]->producer;
        int32_t source = node == NULL ? -1 : node->source;
        list[i] = name_or(weft_model_name_of(names, values[i]->tensor, source), values[i]->name);
    }
    return list;
}

void name_results(struct weft_module *module, const struct source *source) {
    const struct weft_model_names *names = &source->names;
    module->tensors = WEFT_NEW_ARRAY(&module->arena, module->graph->node_count, const char *);
    for (size_t i = 0; i < module->graph->node_count; i++) {
        const struct weft_node *node = module->graph->nodes[i];
        const struct weft_value *result = node->result_count == 0 ? NULL : node->results[0];
        module->tensors[i] =
            result == NULL
                ? ""
                : name_or(weft_model_name_of(names, result->tensor, node->source), result->name);
    }
    module->inputs =
        names_of(&module->arena, names, module->graph->input_count, module->graph->inputs);
    module->outputs =
        names_of(&module->arena, names, module->graph->output_count, module->graph->outputs);
    for (uint32_t i = 0; i < module->segment_count; i++) {
        struct weft_segment *segment = &module->segments[i];
        for (uint32_t k = 0; k < segment->layer_count; k++) {
            struct weft_layer_info *layer = &segment->layers[k];
            layer->tensor =
                name_or(weft_model_name_of(names, layer->result, layer->source), layer->tensor);
        }
    }
}
