/* The layers of a report, and the chains that they are carried out in. */
#include "report/page/page.h"
#include "report/statistics.h"

static json_t *layers_data(const struct reported *reported, uint32_t index) {
    const struct weft_figures *figures = &reported->figures->segments[index];
    json_t *list = json_array();
    for (uint32_t i = 0; i < figures->layer_count; i++) {
        json_t *layer = layer_json(reported->module, reported->figures, index, i);
        json_object_set_new(layer, "first", json_integer((json_int_t)figures->layers[i].first));
        json_object_set_new(layer, "last", json_integer((json_int_t)figures->layers[i].last));
        json_array_append_new(list, layer);
    }
    return list;
}

static json_t *groups_data(const struct reported *reported, uint32_t index) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < reported->figures->segments[index].group_count; i++) {
        json_array_append_new(list, group_json(reported->module, reported->figures, index, i));
    }
    return list;
}

/* A flat list: cycles, layer, use; one after the other from cycle 1 on. */
static json_t *owned_data(const struct weft_figures *figures) {
    json_t *list = json_array();
    for (size_t i = 0; i < figures->owned_count; i++) {
        const struct weft_owned_cycles *owned = &figures->owned[i];
        uint64_t cycles = owned->last - owned->first + 1;
        json_array_append_new(list, json_integer((json_int_t)cycles));
        json_array_append_new(list, json_integer(owned->layer));
        json_array_append_new(list, json_integer(owned->use));
    }
    return list;
}

void report_layers(const struct reported *reported, uint32_t index, json_t *segment) {
    json_object_set_new(segment, "layers", layers_data(reported, index));
    json_object_set_new(segment, "groups", groups_data(reported, index));
    json_object_set_new(segment, "owned", owned_data(&reported->figures->segments[index]));
}
