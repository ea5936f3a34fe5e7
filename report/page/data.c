/* What a report shows, but for the timeline. */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "report/area.h"
#include "report/energy.h"
#include "report/json.h"
#include "report/page/page.h"
#include "report/statistics.h"

static json_int_t integer(uint64_t value) {
    return (json_int_t)value;
}

static json_t *config_data(const struct reported *reported) {
    const struct weft_config *config = &reported->module->config;
    json_t *memories = json_array();
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        json_array_append_new(memories,
                              json_pack("{s:s, s:i, s:i}", "name", weft_memory_names[i], "bytes",
                                        (int)weft_memory_bytes(config, (enum weft_memory)i),
                                        "banks", (int)weft_banks(config, (enum weft_memory)i)));
    }
    bool any = reported->traces->count > 0;
    const struct weft_trace *first = any ? &reported->traces->segments[0] : NULL;
    return json_pack("{s:s, s:i, s:i, s:I, s:I, s:o}", "name", config->name, "block",
                     (int)config->block, "width", (int)config->memory_width, "latency",
                     any ? integer(weft_trace_latency(first)) : (json_int_t)config->memory_latency,
                     "interval", any ? integer(weft_trace_interval(first)) : (json_int_t)1,
                     "memories", memories);
}

static json_t *counter_names(void) {
    json_t *names = json_array();
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        json_array_append_new(names, json_string(weft_counter_names[i]));
    }
    return names;
}

static json_t *path_names(void) {
    json_t *names = json_array();
    for (unsigned i = 0; i < WEFT_PATH_KINDS; i++) {
        json_array_append_new(names, json_string(weft_path_names[i]));
    }
    return names;
}

static json_t *use_names(void) {
    json_t *names = json_array();
    for (unsigned i = 0; i < WEFT_USES; i++) {
        json_array_append_new(names, json_string(weft_use_names[i]));
    }
    return names;
}

static json_t *counters_data(const struct weft_trace *trace) {
    json_t *counters = json_array();
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        json_array_append_new(counters,
                              json_integer(integer(weft_counter_get(&trace->result.counters, i))));
    }
    return counters;
}

static json_t *regions_data(const struct weft_segment *segment) {
    static const char *const names[] = {"program", "constants", "scratch", "inputs", "outputs"};
    struct weft_regions external;
    json_t *regions = json_array();
    weft_segment_regions(segment, &external);
    for (unsigned i = 0; i <= WEFT_REGION_OUTPUTS; i++) {
        json_array_append_new(regions, json_pack("{s:s, s:I}", "name", names[i], "bytes",
                                                 integer(external.limit[i])));
    }
    return regions;
}

static json_t *segment_data(const struct reported *reported, uint32_t index,
                            struct weft_error *error) {
    const struct weft_segment *segment = &reported->module->segments[index];
    const struct weft_trace *trace = &reported->traces->segments[index];
    json_t *data =
        json_pack("{s:o, s:o, s:I}", "counters", counters_data(trace), "regions",
                  regions_data(segment), "instructions", integer(segment->program.count));
    report_layers(reported, index, data);
    if (!report_timeline(reported, index, data, error)) {
        json_decref(data);
        return NULL;
    }
    return data;
}

/* Adds the area of the machine where there is a target for it. */
static void add_area_data(const struct reported *reported, json_t *origin) {
    const struct weft_area_model *model = reported->origin->area;
    if (model != NULL) {
        json_object_set_new(origin, "area", area_json(model, &reported->module->config));
    }
}

/* Adds the energy of the run where there is a technology. */
static void add_energy_data(const struct reported *reported, json_t *origin) {
    const struct weft_technology *technology = reported->origin->technology;
    if (technology == NULL) {
        return;
    }
    const struct weft_energy energy = module_energy(reported->module, reported->figures->counters,
                                                    technology, reported->origin->clock);
    json_object_set_new(origin, "energy", energy_json(&energy, technology));
}

json_t *report_data(const struct reported *reported, struct weft_error *error) {
    const struct weft_module *module = reported->module;
    json_begin(module, module->arena.total);
    json_t *segments = json_array();
    for (uint32_t i = 0; i < module->segment_count; i++) {
        json_t *segment = segment_data(reported, i, error);
        if (segment == NULL) {
            (void)json_complete(segments, error); /* says so where jansson had no memory */
            json_decref(segments);
            return NULL;
        }
        json_array_append_new(segments, segment);
    }
    uint64_t cycles = 0;
    for (uint32_t i = 0; i < module->segment_count; i++) {
        cycles += reported->figures->segments[i].cycles;
    }
    json_t *origin = json_object();
    add_origin_json(origin, module, reported->origin);
    add_inferences_json(origin, module, cycles, reported->origin->clock);
    add_energy_data(reported, origin);
    add_area_data(reported, origin);
    json_t *data = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "model",
                             text_json(module->model_name), "origin", origin, "config",
                             config_data(reported), "counters", counter_names(), "uses",
                             use_names(), "pathKinds", path_names(), "host", host_work(module),
                             "hostOperators", host_operators(module), "segments", segments);
    if (!json_complete(data, error)) {
        json_decref(data);
        return NULL;
    }
    return data;
}
