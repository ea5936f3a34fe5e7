/* What each value of each axis does to the cycles, from rows that differ in many axes at once. */
#ifndef WEFT_SWEEP_FIT_H
#define WEFT_SWEEP_FIT_H

#include "sweep/analyse.h"

/* Sets `fitted` of the effects: the logarithm of the cycles is taken for a sum of a term for each
 * model and one for each value of each axis, which are fitted to all rows with figures by least
 * squares. What axes do together is not in it. Effects stay NAN where rows or memory for so many
 * terms are missing. Error: WEFT_OUT_OF_MEMORY. */
bool sweep_fit_steps(const struct sweep_row *rows, size_t count, struct sweep_effect *effects,
                     size_t effect_count, struct weft_error *error);

#endif
