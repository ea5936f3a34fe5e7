/* Elements brought to other steps in float32; used in kernels/, and where tables are filled.
 * Source: TFLite's ConcatenationWithScaling(). */
#ifndef WEFT_KERNELS_RESCALE_FLOAT_H
#define WEFT_KERNELS_RESCALE_FLOAT_H

#include <math.h>

#include "kernels/move.h"
#include "kernels/scale.h"

/* What an element of a part becomes in an output of the given type and zero point. */
static inline int32_t rescale_element(const struct weft_scaled_part *part, enum weft_dtype dtype,
                                      int32_t zero, int32_t value) {
    if (part->rescaled == 0) {
        return value;
    }
    float rounded = roundf((float)value * part->scale + part->bias);
    /* What is not a number, too, becomes the smallest. */
    int64_t steps = rounded >= 2147483648.0F   ? INT32_MAX
                    : rounded > -2147483648.0F ? (int64_t)rounded
                                               : INT32_MIN;
    return saturate(dtype, zero, steps);
}

#endif
