#include "cli/table.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/name_text.h"
#include "report/statistics.h"

/* ---- the table ---- */

enum {
    MOST_NAME = 80 /* characters of a tensor's name */
};

/* "1x16x16x16"; shapes of many dimensions are cut. */
static void shape_text(char *text, size_t size, uint32_t rank, const int64_t *dims) {
    size_t used = 0;
    (void)snprintf(text, size, "%s", rank == 0 ? "scalar" : "");
    for (uint32_t i = 0; i < rank && used < size; i++) {
        int length = snprintf(text + used, size - used, "%s%" PRId64, i == 0 ? "" : "x", dims[i]);
        used += length < 0 ? size : (size_t)length;
    }
}

/* Cycles, utilisation, bytes and verdict; what multiplies nothing has no utilisation. */
static void add_figures(const struct weft_config *config, int64_t macs, uint64_t cycles,
                        uint64_t bytes, const char *verdict, struct weft_text *text) {
    char peak[32] = "-";
    if (macs > 0 && cycles > 0) {
        (void)snprintf(peak, sizeof peak, "%.1f %%", 100 * weft_utilisation(config, macs, cycles));
    }
    weft_text_add(text, "%11" PRId64 " %10" PRIu64 " %9s %10" PRIu64 "  %-18s", macs, cycles, peak,
                  bytes, verdict);
}

static void add_layer(const struct weft_module *module, const struct weft_layer_info *info,
                      const struct weft_layer_figures *layer, uint32_t first, uint32_t number,
                      bool is_inside, struct weft_text *text) {
    char shape[64];
    char verdict[48];
    char name[64];
    char tensor[MOST_NAME + 1];
    const struct weft_verdict found = weft_layer_verdict(layer);
    verdict_text(verdict, sizeof verdict, &found, first);
    shape_text(shape, sizeof shape, 4, info->shape);
    (void)snprintf(name, sizeof name, "%s%.60s", is_inside ? "  " : "", info->name);
    weft_text_add(text, "%4" PRIu32 " %-18s %-16s %-7s ", number, name, shape,
                  layer->unit == WEFT_UNITS ? "-" : weft_unit_names[layer->unit]);
    add_figures(&module->config, info->macs, layer->cycles, layer->external_bytes, verdict, text);
    name_text(tensor, sizeof tensor, info->tensor);
    weft_text_add(text, " %s\n", tensor);
}

static void add_chain(const struct weft_module *module, const struct weft_group_figures *group,
                      uint32_t first, struct weft_text *text) {
    char name[64];
    char verdict[48];
    const struct weft_verdict found = weft_group_verdict(group);
    verdict_text(verdict, sizeof verdict, &found, first);
    (void)snprintf(name, sizeof name, "chain of %" PRIu32 " to %" PRIu32, first + group->first,
                   first + group->first + group->count - 1);
    weft_text_add(text, "%4s %-18s %-16s %-7s ", "", name, "", "");
    add_figures(&module->config, group->macs, group->cycles, group->external_bytes, verdict, text);
    weft_text_add(text, "\n");
}

static void add_segment(const struct weft_module *module, const struct weft_segment *segment,
                        const struct weft_figures *figures, uint32_t first,
                        struct weft_text *text) {
    for (uint32_t i = 0; i < figures->group_count; i++) {
        const struct weft_group_figures *group = &figures->groups[i];
        if (group->count > 1) {
            add_chain(module, group, first, text);
        }
        for (uint32_t k = group->first; k < group->first + group->count; k++) {
            add_layer(module, &segment->layers[k], &figures->layers[k], first, first + k,
                      group->count > 1, text);
        }
    }
}

static void add_host_operator(const struct weft_node *node, const char *tensor, uint32_t number,
                              struct weft_text *text) {
    const struct weft_type *type = result_type(node);
    char name[MOST_NAME + 1];
    char shape[64];
    name_text(name, sizeof name, tensor);
    shape_text(shape, sizeof shape, type->rank, type->dim);
    weft_text_add(text,
                  "%4" PRIu32 " %-18s %-16s %-7s %11" PRId64 " %10s %9s %10s  %-18s %s: %" PRId64
                  " elements: %s\n",
                  number, weft_operator_name(node->op), shape, "host", weft_node_model_macs(node),
                  "-", "-", "-", "-", name, weft_node_elements(node),
                  weft_node_text(node, WEFT_ATTR_reason));
}

void layer_table(const struct weft_module *module, const struct model_figures *figures,
                 struct weft_text *text) {
    uint32_t segment = 0;
    uint32_t number = 1;
    weft_text_add(text, "%4s %-18s %-16s %-7s %11s %10s %9s %10s  %-18s %s\n", "#", "operator",
                  "shape", "unit", "MAC", "cycles", "of peak", "ext. bytes", "bound by", "tensor");
    for (size_t i = 0; i < module->graph->node_count; i++) {
        const struct weft_node *node = module->graph->nodes[i];
        if (weft_is_machine_region(node)) {
            add_segment(module, &module->segments[segment], &figures->segments[segment], number,
                        text);
            number += module->segments[segment++].layer_count;
        } else if (weft_is_host_operator(node)) {
            add_host_operator(node, module->tensors[i], number++, text);
        }
    }
}
