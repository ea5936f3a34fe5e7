/* Shared by the files that read configurations. */
#ifndef WEFT_ISA_CONFIG_INTERNAL_H
#define WEFT_ISA_CONFIG_INTERNAL_H

#include "isa/config.h"

/* Reads the JSON text of a configuration, every parameter inside its own range. Error: WEFT_CONFIG,
 * position = line of a syntax error, else 0; *config is then anything. */
bool config_parse_json(const char *text, size_t length, struct weft_config *config,
                       struct weft_error *error);

#endif
