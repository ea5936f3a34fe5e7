#include "report/energy.h"

#include <inttypes.h>

struct weft_energy module_energy(const struct weft_module *module, const uint64_t *counters,
                                 const struct weft_technology *technology, double clock) {
    struct weft_work machine;
    struct weft_work host;
    weft_module_work(module, &machine, &host);
    struct weft_activity activity = {.macs = (uint64_t)(machine.macs - machine.cut_macs),
                                     .counters = counters};
    for (uint32_t i = 0; i < module->segment_count; i++) {
        const struct weft_program *program = &module->segments[i].program;
        weft_matrix_traffic_add(&module->config, program->instructions, program->count,
                                &activity.matrix);
    }
    return weft_energy_of(technology, &module->config, &activity, clock);
}

json_t *energy_json(const struct weft_energy *energy, const struct weft_technology *technology) {
    json_t *object = json_object();
    json_object_set_new(object, "technology", json_string(technology->name));
    for (unsigned part = 0; part < WEFT_ENERGY_PARTS; part++) {
        json_object_set_new(object, weft_energy_names[part],
                            json_real(weft_energy_part(energy, part)));
    }
    return object;
}

void add_energy(const struct weft_energy *energy, const struct weft_technology *technology,
                double clock, uint32_t inferences, struct weft_text *text) {
    weft_text_add(text, "energy of %s: %.4g uJ", technology->name, energy->total / inferences);
    if (inferences > 1) {
        weft_text_add(text, " an inference (%.4g for all %" PRIu32 ")", energy->total, inferences);
    }
    weft_text_add(text, "%s", clock > 0 ? "" : " without leakage, which --clock gives");
    for (unsigned part = 0; part + 1 < WEFT_ENERGY_PARTS && energy->total > 0; part++) {
        weft_text_add(text, "%s %s %.1f %%", part == 0 ? ":" : ",", weft_energy_names[part],
                      100 * weft_energy_part(energy, part) / energy->total);
    }
    weft_text_add(text, "\n");
}
