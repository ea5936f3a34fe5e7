#include "kernels/kernels.h"

#include "kernels/call.h"

/* Parameters are the same bytes wherever enumerations have four. */
_Static_assert(sizeof(enum weft_dtype) == 4, "enumerations must have four bytes");

const struct weft_kernel_entry weft_kernels[WEFT_KERNELS] = {
#define WEFT_KERNEL(...) {WEFT_KERNEL_ENTRY(__VA_ARGS__)},
#define WEFT_KERNEL_SCRATCH(kernel, ...)                                                           \
    {WEFT_KERNEL_ENTRY(kernel, __VA_ARGS__), .scratch = weft_scratch_##kernel},
#define WEFT_KERNEL_STATE(kernel, ...)                                                             \
    {WEFT_KERNEL_ENTRY(kernel, __VA_ARGS__), .scratch = weft_scratch_##kernel,                     \
     .state = weft_state_##kernel, .reset = weft_reset_##kernel},
#include "kernels/kernels.def"
};
