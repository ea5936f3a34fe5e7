/* The bytes of an exported model. */
#ifndef WEFT_COMPILER_EXPORT_IMAGE_H
#define WEFT_COMPILER_EXPORT_IMAGE_H

#include "compiler/export/plan.h"

/* Appends the model to `image`, which is empty and limited to what 32 bits can count. Errors:
 * WEFT_LIMIT, WEFT_OUT_OF_MEMORY. */
bool export_image(struct export_plan *plan, struct weft_text *image, struct weft_error *error);

#endif
