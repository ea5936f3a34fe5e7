/* A file of ONNX as the structures that protobuf-c unpacks. */
#ifndef WEFT_COMPILER_IMPORT_ONNX_ONNX_READ_H
#define WEFT_COMPILER_IMPORT_ONNX_ONNX_READ_H

#include "base/arena.h"
#include "compiler/import/onnx/onnx_operators.h"
#include "onnx.pb-c.h"

enum {
    ONNX_LEAST_IR = 3,
    ONNX_MOST_IR = 14,    /* of the newest package `onnx` of PyPI, 1.23 */
    ONNX_MOST_DEPTH = 32, /* messages in messages */
};

/* Unpacks a file into the arena, which jumps when there is no room. The versions of format and
 * operators are those that Weft knows; the graph is there. *opset is the version of the operators.
 * Error: WEFT_MODEL. */
bool onnx_read(struct weft_arena *arena, const uint8_t *bytes, size_t length,
               const Onnx__ModelProto **model, int64_t *opset, struct weft_error *error);

/* Unpacks an attribute in the same way, from bytes that the graph's own do not lead to. Error:
 * WEFT_MODEL. */
bool onnx_read_attribute(struct weft_arena *arena, const uint8_t *bytes, size_t length,
                         Onnx__AttributeProto **attribute, struct weft_error *error);

/* A text of the file that may be missing. */
static inline const char *onnx_string(const char *text) {
    return text == NULL ? "" : text;
}

#endif
