/* Where figures come from: what a file of figures says about itself. */
#ifndef WEFT_REPORT_ORIGIN_H
#define WEFT_REPORT_ORIGIN_H

#include <jansson.h>

#include "driver/area.h"
#include "driver/energy.h"
#include "driver/session.h"

struct origin {
    /* Of the machine: what is not 0 was given instead of what the configuration says. */
    const struct weft_session_options *options;
    double clock;                             /* MHz; 0: not given */
    const struct weft_technology *technology; /* NULL: not given */
    const struct weft_area_model *area;       /* the same */
    int word_count;                           /* of the command; 0: there was none */
    char *const *words;                       /* of the command */
};

/* Adds to an object: version (of Weft), command (its words), model, model_fingerprint, config,
 * config_fingerprint, parameters (all of the configuration) and overrides (of the machine, that
 * were given). A lack of memory leaves something out, as jansson does. */
void add_origin_json(json_t *object, const struct weft_module *module, const struct origin *origin);

#endif
