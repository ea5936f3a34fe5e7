/* The order in which a program's instructions start when nothing takes time. */
#ifndef WEFT_ISA_VERIFY_ORDER_H
#define WEFT_ISA_VERIFY_ORDER_H

#include "base/error.h"
#include "isa/config.h"

/* How far a run without time gets. */
struct weft_order_end {
    size_t ordered;    /* instructions that start */
    size_t dispatched; /* instructions that pass dispatch */
};

/* Puts the numbers of all instructions into `order`, as they start in a run without time: each unit
 * starts its next instruction as soon as tokens allow. Every order that a run can have gives the
 * same result for programs that verify. FENCE and HALT are included. An instruction that
 * weft_config_takes() refuses ends the order. Errors: WEFT_VERIFY_DEADLOCK when not all can start
 * (*end is set), WEFT_OUT_OF_MEMORY. */
bool weft_start_order(const struct weft_config *config, const struct weft_instruction *instructions,
                      size_t count, uint32_t *order, struct weft_order_end *end,
                      struct weft_error *error);

#endif
