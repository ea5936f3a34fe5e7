/* Configurations of a grid: ref16 with other sizes. */
#ifndef WEFT_TESTS_GRID_POINT_H
#define WEFT_TESTS_GRID_POINT_H

#include "isa/config.h"

/* Sets a parameter of isa/config.def by its name; false when there is none of that name. */
bool grid_set(struct weft_config *config, const char *name, uint32_t value);
/* Its value, 0 when there is none of that name. */
uint32_t grid_get(const struct weft_config *config, const char *name);

/* Gives each memory as many banks as are legal with its size, at most those that ref16 has; false
 * when the configuration is not legal whatever their number. Error: why. */
bool grid_choose_banks(struct weft_config *config, struct weft_error *error);

/* ref16 with another block, ACT and WGT; everything else stays, but for banks. Error: WEFT_CONFIG
 * when there is no such machine. */
bool grid_config(uint32_t block, uint32_t act_bytes, uint32_t wgt_bytes, struct weft_config *config,
                 struct weft_error *error);

#endif
