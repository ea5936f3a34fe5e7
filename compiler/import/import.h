/* Reading models into the graph IR. */
#ifndef WEFT_COMPILER_IMPORT_IMPORT_H
#define WEFT_COMPILER_IMPORT_IMPORT_H

#include "compiler/ir/ir.h"

/* Operators of a model that are not supported for one reason. */
struct weft_unsupported {
    const char *name; /* of the operator */
    int32_t version;
    const char *reason;
    uint32_t count;
    uint32_t first; /* index of the first one in the file */
};

struct weft_unsupported_list {
    size_t count;
    const struct weft_unsupported *kinds; /* in the order of the first ones */
};

/* Imports a TFLite model in the quantised dialect: each operator becomes the plain steps that its
 * kernel takes, e.g. CONV_2D: qnn.conv2d, bias_add, qnn.requantize and, where an activation is
 * fused, clip. The value that is the operator's result carries the index of its tensor in the file.
 * `bytes` must live as long as the graph. When operators are not supported, *unsupported says which
 * ones, all of them (of very many kinds the first), in the arena; it is empty otherwise, and may be
 * NULL. Errors:
 * WEFT_MODEL (position: operator or tensor), WEFT_OPERATOR (position: operator), WEFT_GRAPH,
 * WEFT_LIMIT. */
bool weft_import_tflite(struct weft_arena *arena, const uint8_t *bytes, size_t length,
                        struct weft_unsupported_list *unsupported, struct weft_graph **graph,
                        struct weft_error *error);

#endif
