/* What each value of each axis does to the cycles, from rows that differ in many axes at once. */
#ifndef WEFT_SWEEP_FIT_H
#define WEFT_SWEEP_FIT_H

#include "sweep/analyse.h"

/* Sets `fitted` of the effects: the logarithm of the cycles is taken for a sum of a term for each
 * model and one for each value of each axis, which are fitted to all rows with figures by least
 * squares. What axes do together is not in it. Effects are NAN where there are not more
 * rows than terms, or too many terms, and where other axes change with that one in all rows, so
 * that nobody can say whose effect it is. Error: WEFT_OUT_OF_MEMORY. */
bool sweep_fit_steps(const struct sweep_row *rows, size_t count, struct sweep_effect *effects,
                     size_t effect_count, struct weft_error *error);

#endif
