/* Calls of kernels with the one signature of struct weft_kernel_entry: weft_call_NAME(), and
 * weft_scratch_NAME(), weft_state_NAME(), weft_reset_NAME() where kernels.def says so. Static
 * functions, so that who calls a few kernels links no others. */
#ifndef WEFT_KERNELS_CALL_H
#define WEFT_KERNELS_CALL_H

#include "kernels/activation.h"
#include "kernels/binary.h"
#include "kernels/convert.h"
#include "kernels/detect.h"
#include "kernels/index.h"
#include "kernels/kernels.h"
#include "kernels/move.h"
#include "kernels/normalize.h"
#include "kernels/pool.h"
#include "kernels/product.h"
#include "kernels/reduce.h"
#include "kernels/resize.h"
#include "kernels/sequence.h"

/* The arguments of a kernel of so many inputs and outputs. */
#define WEFT_ARGUMENTS_1_1 parameters, inputs[0], outputs[0]
#define WEFT_ARGUMENTS_2_1 parameters, inputs[0], inputs[1], outputs[0]
#define WEFT_ARGUMENTS_3_1 parameters, inputs[0], inputs[1], inputs[2], outputs[0]
#define WEFT_ARGUMENTS_3_4                                                                         \
    parameters, inputs[0], inputs[1], inputs[2], outputs[0], outputs[1], outputs[2], outputs[3]
#define WEFT_ARGUMENTS_1_2    parameters, inputs[0], outputs[0], outputs[1]
#define WEFT_ARGUMENTS_many_1 parameters, inputs, outputs[0]
#define WEFT_ARGUMENTS_1_many parameters, inputs[0], outputs

#define WEFT_KERNEL(name, structure, in, out, arithmetic)                                          \
    static inline enum weft_kernel_status weft_call_##name(                                        \
        const void *parameters, const void *const *inputs, void *const *outputs, void *state,      \
        void *scratch) {                                                                           \
        (void)state;                                                                               \
        (void)scratch;                                                                             \
        return weft_kernel_##name(WEFT_ARGUMENTS_##in##_##out);                                    \
    }
#define WEFT_KERNEL_SCRATCH(name, structure, in, out, arithmetic)                                  \
    static inline enum weft_kernel_status weft_call_##name(                                        \
        const void *parameters, const void *const *inputs, void *const *outputs, void *state,      \
        void *scratch) {                                                                           \
        (void)state;                                                                               \
        return weft_kernel_##name(WEFT_ARGUMENTS_##in##_##out, scratch);                           \
    }                                                                                              \
    static inline size_t weft_scratch_##name(const void *parameters) {                             \
        return weft_kernel_##name##_scratch(parameters);                                           \
    }
#define WEFT_KERNEL_STATE(name, structure, in, out, arithmetic)                                    \
    static inline enum weft_kernel_status weft_call_##name(                                        \
        const void *parameters, const void *const *inputs, void *const *outputs, void *state,      \
        void *scratch) {                                                                           \
        return weft_kernel_##name(WEFT_ARGUMENTS_##in##_##out, state, scratch);                    \
    }                                                                                              \
    static inline size_t weft_scratch_##name(const void *parameters) {                             \
        return weft_kernel_##name##_scratch(parameters);                                           \
    }                                                                                              \
    static inline size_t weft_state_##name(const void *parameters) {                               \
        return weft_kernel_##name##_state(parameters);                                             \
    }                                                                                              \
    static inline void weft_reset_##name(const void *parameters, void *state) {                    \
        weft_kernel_##name##_reset(parameters, state);                                             \
    }
#include "kernels/kernels.def"

/* Bytes of the parameters of each kernel, without an array at their end. */
enum {
#define WEFT_KERNEL(name, structure, in, out, arithmetic)                                          \
    WEFT_PARAMETERS_##name = sizeof(struct weft_##structure##_parameters),
#include "kernels/kernels.def"
};

/* What an entry of weft_kernels begins with, from the words of a line of kernels.def. */
#define WEFT_KERNEL_ENTRY(kernel, structure, in, out, computes)                                    \
    .name = #kernel, .arithmetic = WEFT_ARITHMETIC_##computes,                                     \
    .parameter_size = sizeof(struct weft_##structure##_parameters), .inputs = WEFT_OPERANDS_##in,  \
    .outputs = WEFT_OPERANDS_##out, .run = weft_call_##kernel
#define WEFT_OPERANDS_1    1
#define WEFT_OPERANDS_2    2
#define WEFT_OPERANDS_3    3
#define WEFT_OPERANDS_4    4
#define WEFT_OPERANDS_many (-1)

#endif
