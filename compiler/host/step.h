/* Operators of the host that are prepared once and run many times: bound to their kernels, the
 * constant weights of float products packed, memory to work in known beforehand; one, or a group
 * (compiler/host/group.h). */
#ifndef WEFT_COMPILER_HOST_STEP_H
#define WEFT_COMPILER_HOST_STEP_H

#include "base/team.h"
#include "compiler/host/bind_node.h"

struct weft_host_step;

/* Is it so much work that it is worth threads that are started for it alone? */
bool weft_host_step_is_large(const struct weft_node *node);

struct weft_host_step_options {
    struct weft_team *team; /* runs are on it; NULL: on one thread */
    /* Runs will have the constants of the graph as operands: what is made of them can be kept. */
    bool is_kept;
    /* Bytes that may be taken for packed weights and what products work in; those that would take
     * more are left to their kernels, which are slower. */
    uint64_t room;
};

/* Prepares the nodes of a group in the order of the graph, or one as weft_host_bind() takes it.
 * They must outlive the step. Errors: those of weft_host_bind(). */
bool weft_host_step_open(struct weft_node *const *nodes, uint32_t count,
                         const struct weft_host_step_options *options, struct weft_host_step **step,
                         struct weft_error *error);

/* The values that a run needs: of one operator its operands. */
uint32_t weft_host_step_operands(const struct weft_host_step *step);
const struct weft_value *weft_host_step_operand(const struct weft_host_step *step, uint32_t index);

/* Bytes that the step keeps, and those that a run takes beside them: of one step at a time. */
size_t weft_host_step_memory(const struct weft_host_step *step);
size_t weft_host_step_scratch(const struct weft_host_step *step);

/* Carries the step out as weft_host_continue() does: operands as weft_host_step_operand() numbers
 * them, results and state of the last node. `scratch`: memory of weft_host_step_scratch() bytes,
 * aligned to 8, not NULL even if these are 0. Errors: WEFT_TENSOR, WEFT_OPERATOR. */
bool weft_host_step_run(const struct weft_host_step *step, const void *const *operands,
                        void *const *results, void *state, void *scratch, struct weft_error *error);

/* Releases the step; NULL is allowed. */
void weft_host_step_close(struct weft_host_step *step);

#endif
