/* What packing the constants of a layer came to: many plans of a search cut most layers alike. */
#ifndef WEFT_COMPILER_PLAN_PACKED_H
#define WEFT_COMPILER_PLAN_PACKED_H

#include "compiler/plan/plan.h"

/* Room for what is known of the layers of a region as they were listed; it is in the arena. */
struct packed_layers *packed_start(struct weft_arena *arena, const struct region *listed);

/* Is packing a layer known, and in PACK_PLAN its pieces? Then they are added to the packing, in
 * whose mode nothing is filled. Several threads may ask, and add. */
bool packed_find(struct packing *packing, int index);

/* Are pieces of both layers cut alike, so that they are the same bytes where constants are? */
bool packed_alike(const struct plan *plan, int a, int b);

/* Adds what packing a layer came to: bytes[] of each kind and, in PACK_PLAN, the pieces of the plan
 * from first[] on. Nothing is added where there is no room, or where constants are not those of
 * the layer as it was listed, or depend on more than its tiling. */
void packed_add(struct packing *packing, int index, const int64_t bytes[PIECES],
                const int first[PIECES]);

#endif
