#include <math.h>
#include <stdbool.h>

#include "base/float_element.h"
#include "kernels/convert.h"
#include "kernels/element.h"
#include "kernels/scale.h"

/* Beyond int32 the reference's conversion is not defined; here it saturates. */
static int64_t steps_of(float value, float scale, bool ties_to_even) {
    float quotient = value / scale;
    float steps = ties_to_even ? weft_round_to_even(quotient) : roundf(quotient);
    return isnan(steps)              ? 0
           : steps >= 2147483648.0F  ? INT32_MAX
           : steps <= -2147483648.0F ? INT32_MIN
                                     : (int64_t)steps;
}

/* Source: TFLite's AffineQuantize(). */
enum weft_kernel_status weft_kernel_quantize(const struct weft_quantize_parameters *parameters,
                                             const weft_unaligned_float *input, void *output) {
    enum weft_dtype dtype = parameters->output;
    for (int32_t i = 0; i < parameters->count; i++) {
        const struct weft_scale_and_zero *channel =
            &parameters->channel[i / parameters->inner % parameters->channels];
        store_element(dtype, output, i,
                      saturate(dtype, channel->zero,
                               steps_of(input[i], channel->scale, parameters->ties_to_even != 0)));
    }
    return WEFT_KERNEL_OK;
}
