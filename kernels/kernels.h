/* All kernels in one table: for who reads parameters from somewhere and calls what they are for. */
#ifndef WEFT_KERNELS_KERNELS_H
#define WEFT_KERNELS_KERNELS_H

#include "kernels/kernel.h"

enum weft_kernel {
#define WEFT_KERNEL(name, parameters, inputs, outputs, arithmetic) WEFT_KERNEL_##name,
#include "kernels/kernels.def"
    WEFT_KERNELS
};

enum weft_arithmetic {
    WEFT_ARITHMETIC_INTEGER,
    WEFT_ARITHMETIC_FLOAT, /* of float or double: firmware has none of these */
};

struct weft_kernel_entry {
    const char *name; /* as in kernels.def */
    enum weft_arithmetic arithmetic;
    size_t parameter_size; /* bytes of the parameters, without an array at their end */
    int32_t inputs;        /* tensors; -1: as many as the parameters say */
    int32_t outputs;
    /* Calls the kernel. `scratch` is memory of scratch() bytes, `state` of state() bytes, both
     * aligned to 8; NULL where there is no such function, and only there, even if it says 0. */
    enum weft_kernel_status (*run)(const void *parameters, const void *const *inputs,
                                   void *const *outputs, void *state, void *scratch);
    size_t (*scratch)(const void *parameters);
    size_t (*state)(const void *parameters);
    void (*reset)(const void *parameters, void *state);
};

extern const struct weft_kernel_entry weft_kernels[WEFT_KERNELS];

#endif
