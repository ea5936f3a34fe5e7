/* What a model calls its tensors. */
#ifndef WEFT_COMPILER_IMPORT_NAMES_H
#define WEFT_COMPILER_IMPORT_NAMES_H

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

#ifdef __cplusplus
}
#endif

/* The name of the tensor `tensor`, or, where that is -1, of the first one that operator `source`
 * makes; NULL when there is neither, or it has no name. */
const char *weft_model_name_of(const struct weft_model_names *names, int32_t tensor,
                               int32_t source);

#endif
