/* Where figures come from: what a file of figures says about itself. */
#ifndef WEFT_CLI_ORIGIN_H
#define WEFT_CLI_ORIGIN_H

#include <jansson.h>

#include "cli/machine.h"
#include "driver/weft.h"

struct origin {
    const struct machine_options *machine;
    double clock; /* MHz; 0: not given */
};

/* Keeps the command line, which must stay: main() calls it before anything else. */
void note_command_line(int argc, char *const *argv);

/* Adds to an object: version (of Weft), command (its words), model, model_fingerprint, config,
 * config_fingerprint, parameters (all of the configuration) and overrides (of the machine, that
 * were given). A lack of memory leaves something out, as jansson does. */
void add_origin_json(json_t *object, const struct weft_module *module, const struct origin *origin);

#endif
