/* The energy of a model's run. */
#ifndef WEFT_REPORT_ENERGY_H
#define WEFT_REPORT_ENERGY_H

#include <jansson.h>

#include "compiler/module.h"
#include "driver/energy.h"

/* Of counters[WEFT_COUNTERS], the sums over all segments, counted whatever the machine counts
 * itself: struct model_figures has them. */
struct weft_energy module_energy(const struct weft_module *module, const uint64_t *counters,
                                 const struct weft_technology *technology, double clock);

/* {technology, matrix, vector, ..., total}, in microjoules; the caller owns it. */
json_t *energy_json(const struct weft_energy *energy, const struct weft_technology *technology);

/* Appends a line, in microjoules: what an inference took, and what a program of several did. */
void add_energy(const struct weft_energy *energy, const struct weft_technology *technology,
                double clock, uint32_t inferences, struct weft_text *text);

#endif
