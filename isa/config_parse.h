/* The JSON text of configurations, for isa/config.c alone. */
#ifndef WEFT_ISA_CONFIG_PARSE_H
#define WEFT_ISA_CONFIG_PARSE_H

#include "base/error.h"
#include "isa/parameters.h"

/* Reads the JSON text of a configuration, every parameter inside its own range. Error: WEFT_CONFIG,
 * position = line of a syntax error, else 0; *config is then anything. */
bool config_parse_json(const char *text, size_t length, struct weft_config *config,
                       struct weft_error *error);

#endif
