#include "report/statistics.h"

#include <inttypes.h>

#include "base/checked.h"
#include "report/area.h"
#include "report/energy.h"
#include "report/json.h"

/* ---- what the host does ---- */

double share(int64_t part, int64_t other) {
    double whole = (double)part + (double)other;
    return whole > 0 ? (double)part / whole : 0;
}

uint64_t bound_cycles(const struct weft_session *session, const struct weft_module *module) {
    uint64_t bound = 0;
    for (uint32_t i = 0; i < module->segment_count; i++) {
        const struct weft_segment_run *run = weft_session_segment(session, i);
        bound = weft_add_saturated(bound, run == NULL ? 0 : run->bound);
    }
    return bound;
}

/* Regions of the target of region `index`, if it is the target's first one; else 0. */
static uint32_t count_regions(const struct weft_module *module, uint32_t index) {
    const struct weft_external_target *target = module->externals[index].target;
    uint32_t count = 0;
    for (uint32_t i = 0; i < module->external_count; i++) {
        bool same = module->externals[i].target == target;
        if (same && i < index) {
            return 0;
        }
        count += same;
    }
    return count;
}

/* What is in neither share: nobody knows what it costs. */
static void add_external_work(const struct weft_module *module, struct weft_text *text) {
    for (uint32_t i = 0; i < module->external_count; i++) {
        uint32_t count = count_regions(module, i);
        if (count > 0) {
            weft_text_add(text, "; on target %s %" PRIu32 " region%s, not counted",
                          module->externals[i].target->patterns->name, count,
                          count == 1 ? "" : "s");
        }
    }
}

void add_host_work(const struct weft_module *module, struct weft_text *text) {
    struct weft_work machine;
    struct weft_work host;
    weft_module_work(module, &machine, &host);
    if (host.operators == 0) {
        weft_text_add(text, "nothing on the host");
    } else {
        weft_text_add(text,
                      "on the host %zu operator%s: %" PRId64 " MAC (%.1f %%), %" PRId64
                      " elements (%.1f %%)",
                      host.operators, host.operators == 1 ? "" : "s", host.macs,
                      100 * share(host.macs, machine.macs), host.elements,
                      100 * share(host.elements, machine.elements));
    }
    add_external_work(module, text);
}

json_t *external_regions(const struct weft_module *module) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < module->external_count; i++) {
        const struct weft_external_target *target = module->externals[i].target;
        uint32_t count = count_regions(module, i);
        if (count > 0) {
            json_array_append_new(
                list, json_pack("{s:o, s:o, s:I}", "target", text_json(target->patterns->name),
                                "plugin", text_json(target->plugin == NULL ? "" : target->plugin),
                                "regions", (json_int_t)count));
        }
    }
    return list;
}

const struct weft_type *result_type(const struct weft_node *node) {
    static const struct weft_type none = {0};
    return node->result_count == 0 ? &none : &node->results[0]->type;
}

/* ---- JSON ---- */

static json_t *shape_json(uint32_t rank, const int64_t *dims) {
    json_t *shape = json_array();
    for (uint32_t i = 0; i < rank; i++) {
        json_array_append_new(shape, json_integer((json_int_t)dims[i]));
    }
    return shape;
}

static json_t *host_operator(const struct weft_node *node, const char *tensor, size_t before,
                             size_t number) {
    const struct weft_type *type = result_type(node);
    return json_pack(
        "{s:I, s:s, s:i, s:o, s:o, s:I, s:I, s:I, s:I, s:o}", "number", (json_int_t)number, "op",
        weft_operator_name(node->op), "operator", node->source, "tensor",
        text_json(tensor == NULL ? "" : tensor), "shape", shape_json(type->rank, type->dim), "macs",
        (json_int_t)weft_node_model_macs(node), "cut_macs", (json_int_t)weft_node_cut_macs(node),
        "elements", (json_int_t)weft_node_elements(node), "before", (json_int_t)before, "reason",
        text_json(weft_node_text(node, WEFT_ATTR_reason)));
}

json_t *host_operators(const struct weft_module *module) {
    json_t *list = json_array();
    uint32_t next = 0;
    size_t before = 0;
    for (size_t i = 0; i < module->graph->node_count; i++) {
        const struct weft_node *node = module->graph->nodes[i];
        if (weft_is_machine_region(node)) {
            before += module->segments[next++].layer_count;
        } else if (weft_is_host_operator(node)) {
            json_array_append_new(list, host_operator(node, module->tensors[i], before,
                                                      before + json_array_size(list) + 1));
        }
    }
    return list;
}

json_t *host_work(const struct weft_module *module) {
    struct weft_work machine;
    struct weft_work host;
    weft_module_work(module, &machine, &host);
    return json_pack("{s:I, s:I, s:I, s:f, s:I, s:f}", "operators", (json_int_t)host.operators,
                     "macs", (json_int_t)host.macs, "cut_macs", (json_int_t)host.cut_macs,
                     "macs_share", share(host.macs, machine.macs), "elements",
                     (json_int_t)host.elements, "elements_share",
                     share(host.elements, machine.elements));
}

/* ---- layers ---- */

static json_t *uses_json(const uint64_t *used) {
    json_t *uses = json_object();
    for (unsigned use = 0; use < WEFT_USES; use++) {
        json_object_set_new(uses, weft_use_names[use], json_integer((json_int_t)used[use]));
    }
    return uses;
}

/* {bound, share}: bound is a use of cycles, "wait" (then with waits_for, the number of a layer) or
 * "hidden"; null: there are no instructions. */
static json_t *verdict_json(const struct weft_verdict *verdict, uint32_t first) {
    bool waits = verdict->layer >= 0;
    if (verdict->use == WEFT_USES && !waits && !verdict->is_hidden) {
        return json_null();
    }
    json_t *json = json_pack("{s:s, s:f}", "bound",
                             waits                ? "wait"
                             : verdict->is_hidden ? "hidden"
                                                  : weft_use_names[verdict->use],
                             "share", verdict->share);
    if (waits) {
        json_object_set_new(json, "waits_for", json_integer((json_int_t)first + verdict->layer));
    }
    return json;
}

json_t *unit_cycles_json(enum weft_unit unit, const struct weft_unit_cycles *cycles) {
    json_t *waits = json_object();
    for (unsigned producer = 0; producer < WEFT_UNITS; producer++) {
        if (producer != unit) {
            json_object_set_new(waits, weft_unit_names[producer],
                                json_integer((json_int_t)cycles->wait[producer]));
        }
    }
    return json_pack("{s:I, s:o, s:I}", "busy", (json_int_t)cycles->busy, "waits", waits, "empty",
                     (json_int_t)cycles->empty);
}

static json_t *on_unit_json(const struct weft_layer_figures *layer) {
    return layer->unit == WEFT_UNITS ? json_null() : unit_cycles_json(layer->unit, &layer->on_unit);
}

json_t *layer_json(const struct weft_module *module, const struct model_figures *figures,
                   uint32_t segment, uint32_t index) {
    const struct weft_layer_info *info = &module->segments[segment].layers[index];
    const struct weft_layer_figures *layer = &figures->segments[segment].layers[index];
    const struct weft_verdict verdict = weft_layer_verdict(layer);
    uint32_t first = figures->numbers[segment];
    return json_pack("{s:I, s:o, s:i, s:o, s:o, s:s, s:I, s:o, s:o, s:I, s:f, s:I, s:o, s:i, s:I}",
                     "number", (json_int_t)first + index, "op", text_json(info->name), "operator",
                     info->source, "tensor", text_json(info->tensor), "shape",
                     shape_json(4, info->shape), "unit",
                     layer->unit == WEFT_UNITS ? "-" : weft_unit_names[layer->unit], "cycles",
                     (json_int_t)layer->cycles, "uses", uses_json(layer->used), "on_unit",
                     on_unit_json(layer), "macs", (json_int_t)info->macs, "utilisation",
                     weft_utilisation(&module->config, info->macs, layer->cycles), "external_bytes",
                     (json_int_t)layer->external_bytes, "verdict", verdict_json(&verdict, first),
                     "segment", (int)segment, "group", (json_int_t)layer->group);
}

json_t *group_json(const struct weft_module *module, const struct model_figures *figures,
                   uint32_t segment, uint32_t index) {
    const struct weft_group_figures *group = &figures->segments[segment].groups[index];
    const struct weft_verdict verdict = weft_group_verdict(group);
    uint32_t first = figures->numbers[segment];
    return json_pack("{s:i, s:I, s:I, s:I, s:I, s:o, s:I, s:f, s:I, s:o}", "segment", (int)segment,
                     "group", (json_int_t)index, "first", (json_int_t)first + group->first,
                     "layers", (json_int_t)group->count, "cycles", (json_int_t)group->cycles,
                     "uses", uses_json(group->used), "macs", (json_int_t)group->macs, "utilisation",
                     weft_utilisation(&module->config, group->macs, group->cycles),
                     "external_bytes", (json_int_t)group->external_bytes, "verdict",
                     verdict_json(&verdict, first));
}

/* Layers of the machine and operators of the host, in the order in which they are carried out. */
static json_t *layers_json(const struct weft_module *module, const struct model_figures *figures) {
    json_t *list = json_array();
    json_t *hosts = host_operators(module);
    uint32_t segment = 0;
    size_t host = 0;
    for (size_t i = 0; i < module->graph->node_count; i++) {
        const struct weft_node *node = module->graph->nodes[i];
        if (weft_is_machine_region(node)) {
            for (uint32_t k = 0; figures != NULL && k < module->segments[segment].layer_count;
                 k++) {
                json_array_append_new(list, layer_json(module, figures, segment, k));
            }
            segment++;
        } else if (weft_is_host_operator(node)) {
            json_t *row = json_copy(json_array_get(hosts, host++));
            json_note(row);
            json_object_set_new(row, "unit", json_string("host"));
            json_array_append_new(list, row);
        }
    }
    json_decref(hosts);
    return list;
}

static json_t *groups_json(const struct weft_module *module, const struct model_figures *figures) {
    json_t *list = json_array();
    for (uint32_t i = 0; figures != NULL && i < module->segment_count; i++) {
        for (uint32_t k = 0; k < figures->segments[i].group_count; k++) {
            json_array_append_new(list, group_json(module, figures, i, k));
        }
    }
    return list;
}

/* ---- the run ---- */

static json_t *counters_json(const struct weft_session *session) {
    json_t *counters = json_object();
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        json_object_set_new(counters, weft_counter_names[i],
                            json_integer((json_int_t)weft_session_counter(session, i)));
    }
    return counters;
}

/* What happened, also in a machine without counters where there are figures. */
static uint64_t counted(const struct weft_session *session, const struct model_figures *figures,
                        unsigned counter) {
    return figures != NULL ? figures->counters[counter] : weft_session_counter(session, counter);
}

static double seconds_of(const struct weft_session *session, const struct weft_module *module) {
    double seconds = 0;
    for (uint32_t i = 0; i < module->segment_count; i++) {
        const struct weft_segment_run *run = weft_session_segment(session, i);
        seconds += run == NULL ? 0 : run->seconds;
    }
    return seconds;
}

double inference_cycles(const struct weft_module *module, uint64_t cycles) {
    return (double)cycles / (double)module->frames;
}

double inference_milliseconds(const struct weft_module *module, uint64_t cycles, double clock) {
    return inference_cycles(module, cycles) / clock / 1e3;
}

double inferences_per_second(const struct weft_module *module, uint64_t cycles, double clock) {
    return cycles == 0 ? 0 : clock * 1e6 / inference_cycles(module, cycles);
}

void add_inferences_json(json_t *object, const struct weft_module *module, uint64_t cycles,
                         double clock) {
    json_object_set_new(object, "inferences", json_integer((json_int_t)module->frames));
    if (clock > 0) {
        json_object_set_new(object, "clock_mhz", json_real(clock));
        json_object_set_new(object, "milliseconds",
                            json_real(inference_milliseconds(module, cycles, clock)));
        json_object_set_new(object, "inferences_per_second",
                            json_real(inferences_per_second(module, cycles, clock)));
    }
}

json_t *statistics_json(const struct weft_session *session, const struct weft_module *module,
                        const struct model_figures *figures, const struct origin *origin,
                        const char *target, double wall_seconds) {
    uint64_t cycles = weft_session_counter(session, WEFT_COUNTER_INDEX_cycles);
    uint64_t read = counted(session, figures, WEFT_COUNTER_INDEX_fetch_bytes) +
                    counted(session, figures, WEFT_COUNTER_INDEX_load_bytes);
    struct weft_work machine;
    struct weft_work host;
    weft_module_work(module, &machine, &host);
    double seconds = seconds_of(session, module);
    json_begin(module, weft_session_memory(session));
    json_t *root = json_object();
    json_t *figures_of_run = json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:f, s:I, s:I, s:i, s:f, s:f, s:o, s:o, s:o, s:o, s:o}",
        "target", target, "cycles", (json_int_t)cycles, "bound_cycles",
        (json_int_t)bound_cycles(session, module), "macs", (json_int_t)machine.macs, "cut_macs",
        (json_int_t)machine.cut_macs, "utilisation",
        weft_utilisation(&module->config, machine.macs, cycles), "bytes_read", (json_int_t)read,
        "bytes_written", (json_int_t)counted(session, figures, WEFT_COUNTER_INDEX_store_bytes),
        "segments", (int)module->segment_count, "wall_seconds", wall_seconds,
        "simulated_cycles_per_second", seconds > 0 ? (double)cycles / seconds : 0.0, "host",
        host_work(module), "host_ops", host_operators(module), "counters", counters_json(session),
        "layers", layers_json(module, figures), "groups", groups_json(module, figures));
    if (module->frames > 1) {
        bool has_period = figures != NULL && figures->frame_period > 0;
        json_object_set_new(root, "frames", json_integer((json_int_t)module->frames));
        json_object_set_new(root, "one_by_one", json_boolean(module->one_by_one));
        json_object_set_new(root, "cycles_per_frame", json_real(inference_cycles(module, cycles)));
        json_object_set_new(root, "frame_period",
                            has_period ? json_real(figures->frame_period) : json_null());
    }
    add_origin_json(root, module, origin);
    add_inferences_json(root, module, cycles, origin->clock);
    if (origin->technology != NULL && figures != NULL) {
        const struct weft_energy energy =
            module_energy(module, figures->counters, origin->technology, origin->clock);
        json_object_set_new(root, "energy", energy_json(&energy, origin->technology));
    }
    if (origin->area != NULL) {
        json_object_set_new(root, "area", area_json(origin->area, &module->config));
    }
    json_t *targets = external_regions(module);
    json_note(targets);
    json_object_set_new(root, "other_targets", targets);
    json_object_update(root, figures_of_run);
    json_note(figures_of_run);
    json_decref(figures_of_run);
    return root;
}
