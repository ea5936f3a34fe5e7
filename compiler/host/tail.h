/* Operators by element carried out tile by tile, and perhaps a reduction of the last axis behind
 * them; used in compiler/host alone.
 *
 * All their results have one shape, which is looked at as rows of its last axis. A tile is some
 * rows and columns of that; between the operators are tiles of a thread's own memory, small enough
 * for its cache. Every tile is computed by the kernels that compute whole tensors, so the results
 * are the same bytes. */
#ifndef WEFT_COMPILER_HOST_TAIL_H
#define WEFT_COMPILER_HOST_TAIL_H

#include <stdatomic.h>

#include "base/team.h"
#include "compiler/host/product.h"
#include "compiler/ir/ir.h"

/* Is the node an operator by element whose result has the shape of `type`, with operands that tiles
 * can be taken of? */
bool host_tail_takes(const struct weft_node *node, const struct weft_type *type);

/* Is it a reduction of the last axis of a tensor of that shape? */
bool host_tail_ends(const struct weft_node *node, const struct weft_type *type);

/* Is it a product with a result that a tail can follow? */
bool host_tail_follows(const struct weft_node *node);

struct host_tail;

/* Binds nodes, of which each is taken. `head` is a value that is given tile by tile, which `tiling`
 * says; NULL: there is none, and the tail makes tiles itself. Operands from outside are numbered in
 * the order in which the nodes have them. Errors: those of weft_host_bind(). */
bool host_tail_open(struct weft_node *const *nodes, uint32_t count, const struct weft_value *head,
                    const struct host_tiling *tiling, struct host_tail **tail,
                    struct weft_error *error);

/* Bytes that a tail keeps, and those that it works in with so many threads. */
size_t host_tail_memory(const struct host_tail *tail);
size_t host_tail_scratch(const struct host_tail *tail, unsigned threads);

/* A run: operands from outside, in order, the result, and memory to work in. */
struct host_tail_run {
    const struct host_tail *tail;
    const void *const *operands;
    void *result;
    void *scratch;
    atomic_uint outcome; /* 0 at the start; for host_tail_outcome() */
};

/* How a run ended, and the node that ended it so, or NULL. */
const struct weft_node *host_tail_outcome(struct host_tail_run *run,
                                          enum weft_kernel_status *status);

/* Carries the operators out on one tile of the head's; finish() of host_product_run(). `context`: a
 * struct host_tail_run. */
void host_tail_finish(void *context, const struct host_tile *tile);

/* Carries them out on all tiles, without a head. */
void host_tail_all(struct host_tail_run *run, struct weft_team *team);

void host_tail_close(struct host_tail *tail);

#endif
