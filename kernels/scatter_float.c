#include "kernels/element.h"
#include "kernels/index.h"

static float combined(enum weft_reduction reduction, float old, float element) {
    switch (reduction) {
    case WEFT_SCATTER_ADD:
        return old + element;
    case WEFT_SCATTER_MUL:
        return old * element;
    case WEFT_SCATTER_MIN:
        return element < old ? element : old;
    case WEFT_SCATTER_MAX:
        return element > old ? element : old;
    default:
        return element;
    }
}

enum weft_kernel_status weft_kernel_scatter_float(const struct weft_scatter_parameters *parameters,
                                                  const weft_unaligned_float *input,
                                                  const void *places,
                                                  const weft_unaligned_float *elements,
                                                  float *output) {
    const struct weft_scatter_parameters *p = parameters;
    memcpy(output, input, (size_t)p->size * sizeof *output);
    for (int32_t i = 0; i < p->count; i++) {
        int64_t place = load_integer(p->index, places, i);
        if (place < 0 || place >= p->size) {
            return WEFT_KERNEL_INDEX;
        }
        output[place] = combined(p->reduction, output[place], elements[i]);
    }
    return WEFT_KERNEL_OK;
}
