/* What a run took, as JSON. */
#ifndef WEFT_REPORT_STATISTICS_H
#define WEFT_REPORT_STATISTICS_H

#include <jansson.h>

#include "base/file.h"
#include "report/model_figures.h"
#include "report/origin.h"

/* Share of a whole, 0 to 1; 0 of nothing. */
double share(int64_t part, int64_t other);

/* Cycles that the programs of the last run take at most: the sum of their bounds. */
uint64_t bound_cycles(const struct weft_session *session, const struct weft_module *module);

/* Appends what the host does and its share of the whole inference. A lack of memory is noted in
 * `text`. */
void add_host_work(const struct weft_module *module, struct weft_text *text);

/* The type of an operator's first result, which stands for it. */
const struct weft_type *result_type(const struct weft_node *node);

/* [{number, op, operator, tensor, shape, macs, elements, before, reason}] of what the host carries
 * out; `before`: how many layers of the machine come before it. The caller owns it. */
json_t *host_operators(const struct weft_module *module);

/* Targets from outside, as plugins bring them: name, plugin, and how many regions each has. */
json_t *external_regions(const struct weft_module *module);

/* {operators, macs, macs_share, elements, elements_share} of the host; the caller owns it. */
json_t *host_work(const struct weft_module *module);

/* {busy, waits (by producer), empty}; the caller owns it. */
json_t *unit_cycles_json(enum weft_unit unit, const struct weft_unit_cycles *cycles);

/* What a layer, or a group of layers, of a segment cost: docs/trace.md; the caller owns it. */
json_t *layer_json(const struct weft_module *module, const struct model_figures *figures,
                   uint32_t segment, uint32_t index);
json_t *group_json(const struct weft_module *module, const struct model_figures *figures,
                   uint32_t segment, uint32_t index);

/* What one inference takes of the cycles that a whole program did, which is one of several with
 * --frames or --batch; at a clock in MHz, which is not 0. */
double inference_cycles(const struct weft_module *module, uint64_t cycles);
double inference_milliseconds(const struct weft_module *module, uint64_t cycles, double clock);
double inferences_per_second(const struct weft_module *module, uint64_t cycles, double clock);

/* Adds `inferences`, of which a program is, and clock_mhz, milliseconds (of one of them) and
 * inferences_per_second; a clock of 0: `inferences` alone. `cycles` are of the whole program. */
void add_inferences_json(json_t *object, const struct weft_module *module, uint64_t cycles,
                         double clock);

/* The statistics of the last run; the caller owns it. `figures` may be NULL where the target counts
 * no cycles. */
json_t *statistics_json(const struct weft_session *session, const struct weft_module *module,
                        const struct model_figures *figures, const struct origin *origin,
                        const char *target, double wall_seconds);

#endif
