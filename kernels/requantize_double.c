#include <math.h>

#include "kernels/convert.h"
#include "kernels/element.h"
#include "kernels/scale.h"

static int64_t scale_single(int64_t value, double scale) {
    double rounded = round((double)value * scale);
    return (int64_t)fmin(fmax(rounded, INT32_MIN), INT32_MAX);
}

enum weft_kernel_status
weft_kernel_requantize_single(const struct weft_requantize_single_parameters *parameters,
                              const void *input, void *output) {
    int64_t i = 0;
    for (int32_t row = 0; row < parameters->rows; row++) {
        for (int32_t c = 0; c < parameters->channels; c++, i++) {
            const struct weft_double_and_zero *channel = &parameters->channel[c];
            int64_t value = load_integer(parameters->input, input, i) - channel->zero;
            store_element(parameters->output, output, i,
                          saturate(parameters->output, parameters->output_zero,
                                   scale_single(value, channel->scale)));
        }
    }
    return WEFT_KERNEL_OK;
}
