/* What a model calls its tensors. */
#ifndef WEFT_COMPILER_IMPORT_NAMES_H
#define WEFT_COMPILER_IMPORT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weft_model_names {
    uint32_t tensor_count;
    const char **tensors; /* "" where the model has no name; bytes as in the file */
    uint32_t operator_count;
    int32_t *results; /* by operator: the first tensor that it makes, or -1 */
};

/* The names of a model that weft_import_tflite() has taken, in the arena. */
void weft_tflite_names(struct weft_arena *arena, const uint8_t *bytes,
                       struct weft_model_names *names);

/* What weft_import_tflite() has taken of a model and what it has left out, all subgraphs but the
 * first one, each with its signature, or its own name where it has none, as many as fit: "of 3
 * subgraphs the first one is taken, signature "encode", and not signature "decode", subgraph 2".
 * False: nothing is left out, and the text stays as it is. */
bool weft_tflite_left_out(const uint8_t *bytes, char *text, size_t size);

#ifdef __cplusplus
}
#endif

/* The name of the tensor `tensor`, or, where that is -1, of the first one that operator `source`
 * makes; NULL when there is neither, or it has no name. */
const char *weft_model_name_of(const struct weft_model_names *names, int32_t tensor,
                               int32_t source);

#endif
