#include "report/area.h"

#include <inttypes.h>

static json_t *counts_json(const struct weft_area_model *model, const double *counts) {
    json_t *object = json_object();
    for (uint32_t k = 0; k < model->resource_count; k++) {
        json_object_set_new(object, model->resources[k].name, json_real(counts[k]));
    }
    return object;
}

static json_t *rams_json(const struct weft_area_model *model, const struct weft_config *config) {
    struct weft_area_rams rams[5];
    uint32_t count = weft_area_rams_of(config, rams);
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++) {
        double counts[WEFT_AREA_RESOURCES];
        weft_area_ram_counts(model, &rams[i], counts);
        json_array_append_new(
            list, json_pack("{s:s, s:I, s:I, s:I, s:o}", "memory", rams[i].memory, "count",
                            (json_int_t)rams[i].count, "width", (json_int_t)rams[i].width, "words",
                            (json_int_t)rams[i].words, "resources", counts_json(model, counts)));
    }
    return list;
}

json_t *area_json(const struct weft_area_model *model, const struct weft_config *config) {
    const struct weft_area area = weft_area_of(model, config);
    json_t *parts = json_object();
    for (uint32_t i = 0; i < model->part_count; i++) {
        json_object_set_new(parts, model->parts[i], counts_json(model, area.counts[i]));
    }
    json_object_set_new(parts, "ram", counts_json(model, area.rams));
    return json_pack("{s:s, s:s, s:f, s:o, s:o, s:o}", "target", model->name, "unit", model->unit,
                     "total", area.total, "resources", counts_json(model, area.totals), "parts",
                     parts, "rams", rams_json(model, config));
}

void add_area(const struct weft_area_model *model, const struct weft_config *config,
              struct weft_text *text) {
    const struct weft_area area = weft_area_of(model, config);
    weft_text_add(text, "area of %s on %s: %.0f %s:", config->name, model->name, area.total,
                  model->unit);
    for (uint32_t k = 0; k < model->resource_count; k++) {
        weft_text_add(text, "%s %.0f %s", k == 0 ? "" : ",", area.totals[k],
                      model->resources[k].name);
    }
    weft_text_add(text, "\n");
}

static void add_row(const struct weft_area_model *model, const char *name, const double *counts,
                    struct weft_text *text) {
    double total = 0;
    weft_text_add(text, "%-16s", name);
    for (uint32_t k = 0; k < model->resource_count; k++) {
        total += counts[k] * model->resources[k].weight;
        weft_text_add(text, " %12.0f", counts[k]);
    }
    weft_text_add(text, " %12.0f\n", total);
}

void add_area_table(const struct weft_area_model *model, const struct weft_config *config,
                    struct weft_text *text) {
    const struct weft_area area = weft_area_of(model, config);
    struct weft_area_rams rams[5];
    uint32_t ram_count = weft_area_rams_of(config, rams);
    weft_text_add(text, "%s on %s\n%-16s", config->name, model->name, "part");
    for (uint32_t k = 0; k < model->resource_count; k++) {
        weft_text_add(text, " %12s", model->resources[k].name);
    }
    weft_text_add(text, " %9s in %s\n", "all", model->unit);
    for (uint32_t i = 0; i < model->part_count; i++) {
        add_row(model, model->parts[i], area.counts[i], text);
    }
    add_row(model, "ram", area.rams, text);
    add_row(model, "total", area.totals, text);
    weft_text_add(text, "\nRAMs:");
    for (uint32_t i = 0; i < ram_count; i++) {
        weft_text_add(text, "%s %s %" PRIu32 " of %" PRIu32 " x %" PRIu32 " bits",
                      i == 0 ? "" : ",", rams[i].memory, rams[i].count, rams[i].words,
                      rams[i].width);
    }
    weft_text_add(text, "\n");
}
