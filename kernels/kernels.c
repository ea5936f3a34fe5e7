#include "kernels/kernels.h"

#include "kernels/call.h"

/* Parameters are the same bytes wherever enumerations have four. */
_Static_assert(sizeof(enum weft_dtype) == 4, "enumerations must have four bytes");

enum {
    many = -1 /* NOLINT(readability-identifier-naming): a word of kernels.def */
};

#define ENTRY(kernel, structure, in, out, computes)                                                \
    .name = #kernel, .arithmetic = WEFT_ARITHMETIC_##computes,                                     \
    .parameter_size = sizeof(struct weft_##structure##_parameters), .inputs = in, .outputs = out,  \
    .run = weft_call_##kernel

const struct weft_kernel_entry weft_kernels[WEFT_KERNELS] = {
#define WEFT_KERNEL(...) {ENTRY(__VA_ARGS__)},
#define WEFT_KERNEL_SCRATCH(kernel, ...)                                                           \
    {ENTRY(kernel, __VA_ARGS__), .scratch = weft_scratch_##kernel},
#define WEFT_KERNEL_STATE(kernel, ...)                                                             \
    {ENTRY(kernel, __VA_ARGS__), .scratch = weft_scratch_##kernel, .state = weft_state_##kernel,   \
     .reset = weft_reset_##kernel},
#include "kernels/kernels.def"
};
