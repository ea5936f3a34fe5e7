/* What the files of weft_pass_sink_transposes() share. */
#ifndef WEFT_COMPILER_PASSES_SINK_H
#define WEFT_COMPILER_PASSES_SINK_H

#include "compiler/passes/rules.h"

/* reshape(layer_norm(reshape(transpose(x)))) with the transpose behind it; NULL: it does not go. */
struct weft_value *sink_norm(struct weft_rewrite *rewrite, const struct weft_site *site);

#endif
