/* What a run took, as a table for people. */
#ifndef WEFT_CLI_TABLE_H
#define WEFT_CLI_TABLE_H

#include "base/text.h"
#include "report/model_figures.h"

/* Appends a line for each layer, chain and host operator, in the order in which they are carried
 * out; the cycles of layers, and those of chains and layers outside of them, add up to those of the
 * run. `figures` may be NULL for a model without segments. A lack of memory is noted in `text`. */
void layer_table(const struct weft_module *module, const struct model_figures *figures,
                 struct weft_text *text);

#endif
