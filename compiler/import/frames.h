/* A model for several frames at once. */
#ifndef WEFT_COMPILER_IMPORT_FRAMES_H
#define WEFT_COMPILER_IMPORT_FRAMES_H

#include "compiler/ir/ir.h"

/* A copy of an imported graph, in its arena, in which the first axis of every tensor that depends
 * on an input is `frames` (1 to 2^31) times as long: elements of one frame after those
 * of the other, none of which an operator mixes. Error: WEFT_GRAPH, position = number of the node,
 * when an operator would, or when a tensor has no axis or gets too large. */
bool weft_repeat_frames(const struct weft_graph *graph, int64_t frames, struct weft_graph **made,
                        struct weft_error *error);

#endif
