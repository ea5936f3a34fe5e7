/* All kinds of layers. */
#include "compiler/lower/operations.h"

#define WEFT_LAYER_KIND(NAME, name, doc) extern const struct layer_operations name##_operations;
#include "compiler/lower/kinds.def"

const struct layer_operations *const layer_operations[LAYER_KINDS] = {
#define WEFT_LAYER_KIND(NAME, name, doc) [LAYER_##NAME] = &name##_operations,
#include "compiler/lower/kinds.def"
};
