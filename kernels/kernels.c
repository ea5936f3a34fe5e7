#include "kernels/kernels.h"

#include "kernels/activation.h"
#include "kernels/binary.h"
#include "kernels/convert.h"
#include "kernels/detect.h"
#include "kernels/index.h"
#include "kernels/move.h"
#include "kernels/normalize.h"
#include "kernels/pool.h"
#include "kernels/product.h"
#include "kernels/reduce.h"
#include "kernels/resize.h"
#include "kernels/sequence.h"

/* Parameters are the same bytes wherever enumerations have four. */
_Static_assert(sizeof(enum weft_dtype) == 4, "enumerations must have four bytes");

/* The arguments of a kernel of so many inputs and outputs. */
#define ARGUMENTS_1_1 parameters, inputs[0], outputs[0]
#define ARGUMENTS_2_1 parameters, inputs[0], inputs[1], outputs[0]
#define ARGUMENTS_3_1 parameters, inputs[0], inputs[1], inputs[2], outputs[0]
#define ARGUMENTS_3_4                                                                              \
    parameters, inputs[0], inputs[1], inputs[2], outputs[0], outputs[1], outputs[2], outputs[3]
#define ARGUMENTS_1_2    parameters, inputs[0], outputs[0], outputs[1]
#define ARGUMENTS_many_1 parameters, inputs, outputs[0]
#define ARGUMENTS_1_many parameters, inputs[0], outputs

#define WEFT_KERNEL(name, structure, in, out)                                                      \
    static enum weft_kernel_status run_##name(const void *parameters, const void *const *inputs,   \
                                              void *const *outputs, void *state, void *scratch) {  \
        (void)state;                                                                               \
        (void)scratch;                                                                             \
        return weft_kernel_##name(ARGUMENTS_##in##_##out);                                         \
    }
#define WEFT_KERNEL_SCRATCH(name, structure, in, out)                                              \
    static enum weft_kernel_status run_##name(const void *parameters, const void *const *inputs,   \
                                              void *const *outputs, void *state, void *scratch) {  \
        (void)state;                                                                               \
        return weft_kernel_##name(ARGUMENTS_##in##_##out, scratch);                                \
    }                                                                                              \
    static size_t scratch_##name(const void *parameters) {                                         \
        return weft_kernel_##name##_scratch(parameters);                                           \
    }
#define WEFT_KERNEL_STATE(name, structure, in, out)                                                \
    static enum weft_kernel_status run_##name(const void *parameters, const void *const *inputs,   \
                                              void *const *outputs, void *state, void *scratch) {  \
        return weft_kernel_##name(ARGUMENTS_##in##_##out, state, scratch);                         \
    }                                                                                              \
    static size_t scratch_##name(const void *parameters) {                                         \
        return weft_kernel_##name##_scratch(parameters);                                           \
    }                                                                                              \
    static size_t state_##name(const void *parameters) {                                           \
        return weft_kernel_##name##_state(parameters);                                             \
    }                                                                                              \
    static void reset_##name(const void *parameters, void *state) {                                \
        weft_kernel_##name##_reset(parameters, state);                                             \
    }
#include "kernels/kernels.def"

enum {
    many = -1 /* NOLINT(readability-identifier-naming): a word of kernels.def */
};

const struct weft_kernel_entry weft_kernels[WEFT_KERNELS] = {
#define WEFT_KERNEL(name, structure, in, out)                                                      \
    {#name, sizeof(struct weft_##structure##_parameters), in, out, run_##name, NULL, NULL, NULL},
#define WEFT_KERNEL_SCRATCH(name, structure, in, out)                                              \
    {                                                                                              \
        #name,      sizeof(struct weft_##structure##_parameters),                                  \
        in,         out,                                                                           \
        run_##name, scratch_##name,                                                                \
        NULL,       NULL},
#define WEFT_KERNEL_STATE(name, structure, in, out)                                                \
    {#name,        sizeof(struct weft_##structure##_parameters),                                   \
     in,           out,                                                                            \
     run_##name,   scratch_##name,                                                                 \
     state_##name, reset_##name},
#include "kernels/kernels.def"
};
