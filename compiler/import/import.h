/* Reading models into the graph IR. */
#ifndef WEFT_COMPILER_IMPORT_IMPORT_H
#define WEFT_COMPILER_IMPORT_IMPORT_H

#include "compiler/ir/ir.h"

/* Imports a TFLite model in the quantised dialect: each operator becomes the plain steps that its
 * kernel takes, e.g. CONV_2D: qnn.conv2d, bias_add, qnn.requantize and, where an activation is
 * fused, clip. The value that is the operator's result carries the index of its tensor in the file.
 * `bytes` must live as long as the graph. Errors: WEFT_MODEL (position: operator or tensor),
 * WEFT_OPERATOR (position: operator), WEFT_GRAPH. */
bool weft_import_tflite(struct weft_arena *arena, const uint8_t *bytes, size_t length,
                        struct weft_graph **graph, struct weft_error *error);

#endif
