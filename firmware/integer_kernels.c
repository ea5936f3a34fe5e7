/* All kernels of integers, for firmware that runs models which it does not know. */
#include "firmware/weft_firmware.h"
#include "kernels/call.h"

#define INTEGER(...) {__VA_ARGS__},
#define FLOAT(...)

static const struct weft_kernel_entry entries[] = {
#define WEFT_KERNEL(kernel, structure, in, out, computes)                                          \
    computes(WEFT_KERNEL_ENTRY(kernel, structure, in, out, computes))
#define WEFT_KERNEL_SCRATCH(kernel, structure, in, out, computes)                                  \
    computes(WEFT_KERNEL_ENTRY(kernel, structure, in, out, computes),                              \
             .scratch = weft_scratch_##kernel)
#define WEFT_KERNEL_STATE(kernel, structure, in, out, computes)                                    \
    computes(WEFT_KERNEL_ENTRY(kernel, structure, in, out, computes),                              \
             .scratch = weft_scratch_##kernel, .state = weft_state_##kernel,                       \
             .reset = weft_reset_##kernel)
#include "kernels/kernels.def"
};

const struct weft_kernel_set weft_integer_kernels = {
    .entries = entries,
    .count = sizeof entries / sizeof entries[0],
};
