/* Places in the operand of a resize. */
#ifndef WEFT_COMPILER_HOST_NEAREST_H
#define WEFT_COMPILER_HOST_NEAREST_H

#include "compiler/ir/ir.h"

/* Which element of the operand along an axis (1: rows, 2: columns) resize_nearest_neighbor takes
 * for an element of the result. */
int64_t weft_host_nearest(const struct weft_node *node, int axis, int64_t position);

/* Corners of operand and result lie on each other along an axis. */
bool resize_has_corners(const struct weft_node *node, int axis);

/* Steps of the operand for one of the result, in float32 as the reference. */
float resize_ratio(const struct weft_node *node, int axis);

#endif
