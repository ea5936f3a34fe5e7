/* --technology and --area of weft run, report and sweep. */
#ifndef WEFT_CLI_TECHNOLOGY_H
#define WEFT_CLI_TECHNOLOGY_H

#include "cli/arguments.h"
#include "driver/area.h"
#include "driver/energy.h"

/* What --technology names; *is_given: whether it does. False after a message. */
bool technology_read(const struct given *given, struct weft_technology *technology, bool *is_given);

/* What --area names, or `fallback`; where there is neither, *model is NULL. It lives as long as the
 * program. False after a message. */
bool area_read(const struct given *given, const char *fallback,
               const struct weft_area_model **model);

#endif
