/* The networks of the grids. */
#ifndef WEFT_TESTS_GRID_NETWORKS_H
#define WEFT_TESTS_GRID_NETWORKS_H

#include <stdbool.h>
#include <stddef.h>

/* Those that are taken when nobody names any, ended by NULL: models of ../shared/models. */
extern const char *const grid_networks[];

/* Is a model of so many bytes one that takes fewer points? */
bool grid_is_large(size_t bytes);

#endif
