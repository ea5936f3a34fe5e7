#include "compiler/module.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/hash.h"
#include "base/memory.h"
#include "compiler/schedule/saved.h"

uint64_t weft_fingerprint(const uint8_t *bytes, size_t length) {
    return bytes == NULL ? 0 : weft_hash_bytes(WEFT_HASH_START, bytes, length);
}

bool weft_is_machine_region(const struct weft_node *node) {
    return node->op == WEFT_OP_REGION &&
           strcmp(weft_node_text(node, WEFT_ATTR_target), "weft") == 0;
}

bool weft_is_host_operator(const struct weft_node *node) {
    return node->op != WEFT_OP_REGION && node->op != WEFT_OP_CONSTANT;
}

/* ---- what it asks for ---- */

uint64_t weft_module_bound(const struct weft_module *module) {
    uint64_t bound = 0;
    for (uint32_t i = 0; i < module->segment_count; i++) {
        bound = weft_add_saturated(bound, module->segments[i].bound);
    }
    return bound;
}

uint64_t weft_module_cycles(const struct weft_module *module) {
    uint64_t cycles = 0;
    for (uint32_t i = 0; i < module->segment_count; i++) {
        cycles += module->segments[i].cycles;
    }
    return cycles;
}

/* Both at least 0. */
static int64_t saturated_sum(int64_t a, int64_t b) {
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static void add_work(struct weft_work *work, const struct weft_work *more) {
    work->operators += more->operators;
    work->macs = saturated_sum(work->macs, more->macs);
    work->cut_macs = saturated_sum(work->cut_macs, more->cut_macs);
    work->elements = saturated_sum(work->elements, more->elements);
}

void weft_module_work(const struct weft_module *module, struct weft_work *machine,
                      struct weft_work *host) {
    *machine = *host = (struct weft_work){0};
    for (uint32_t i = 0; i < module->segment_count; i++) {
        const struct weft_segment *segment = &module->segments[i];
        add_work(machine, &(struct weft_work){.operators = segment->layer_count,
                                              .elements = segment->elements});
        for (uint32_t k = 0; k < segment->layer_count; k++) {
            const struct weft_layer_info *layer = &segment->layers[k];
            add_work(machine,
                     &(struct weft_work){.macs = layer->macs, .cut_macs = layer->cut_macs});
        }
    }
    for (size_t i = 0; i < module->graph->node_count; i++) {
        const struct weft_node *node = module->graph->nodes[i];
        if (weft_is_host_operator(node)) {
            add_work(host, &(struct weft_work){1, weft_node_model_macs(node),
                                               weft_node_cut_macs(node), weft_node_elements(node)});
        }
    }
}

enum {
    COPIED_IN_STEP = 64, /* bytes that the host copies between tensors and regions in a step */
};

uint64_t weft_module_host_steps(const struct weft_module *module) {
    uint64_t steps = 0;
    for (size_t i = 0; i < module->graph->node_count; i++) {
        const struct weft_node *node = module->graph->nodes[i];
        steps = weft_add_saturated(steps, weft_is_host_operator(node) ? weft_node_steps(node) : 0);
    }
    for (uint32_t i = 0; i < module->segment_count; i++) {
        const struct weft_segment *segment = &module->segments[i];
        for (uint32_t k = 0; k < segment->input_count; k++) {
            steps = weft_add_saturated(steps, segment->inputs[k].bytes / COPIED_IN_STEP);
        }
        for (uint32_t k = 0; k < segment->output_count; k++) {
            steps = weft_add_saturated(steps, segment->outputs[k].bytes / COPIED_IN_STEP);
        }
    }
    return steps;
}

/* ---- what was decided ---- */

bool weft_module_decisions(const struct weft_module *module, struct weft_text *text,
                           struct weft_error *error) {
    struct saved_schedule *schedules =
        weft_allocate(module->segment_count, sizeof *schedules, "decisions", error);
    if (schedules == NULL) {
        return false;
    }
    const struct saved_file file = {.version = SAVED_VERSION,
                                    .model = module->model_name,
                                    .config = module->config.name,
                                    .schedule_count = module->segment_count,
                                    .schedules = schedules};
    for (uint32_t i = 0; i < module->segment_count; i++) {
        schedules[i] = *module->segments[i].schedule;
    }
    saved_print(text, &file);
    free(schedules);
    return weft_text_finish(text, error);
}

void weft_module_free(struct weft_module *module) {
    if (module != NULL) {
        weft_arena_free(&module->arena);
        weft_arena_free(&module->notes);
        free(module);
    }
}
