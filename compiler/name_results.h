/* Results of a compilation under the names that their model gives them. */
#ifndef WEFT_COMPILER_NAME_RESULTS_H
#define WEFT_COMPILER_NAME_RESULTS_H

#include "compiler/source.h"

/* Fills module->tensors, and `tensor` of all layers: what the model calls a result, else what the
 * graph does, else "". The names are in the arena of the module, which jumps when there is no
 * memory. */
void name_results(struct weft_module *module, const struct source *source);

#endif
