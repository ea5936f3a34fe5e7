/* The area of a machine, as data and as text. */
#ifndef WEFT_REPORT_AREA_H
#define WEFT_REPORT_AREA_H

#include <jansson.h>

#include "base/text.h"
#include "driver/area.h"

/* {target, unit, total, resources: {name: count}, parts: {name: {name: count}}, rams: [{memory,
 * count, width, words}]}; `ram` is the last part. The caller owns it. */
json_t *area_json(const struct weft_area_model *model, const struct weft_config *config);

/* Appends a line. */
void add_area(const struct weft_area_model *model, const struct weft_config *config,
              struct weft_text *text);

/* Appends a table of the parts. */
void add_area_table(const struct weft_area_model *model, const struct weft_config *config,
                    struct weft_text *text);

#endif
