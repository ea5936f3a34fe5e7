#include <stdbool.h>

#include "kernels/element.h"
#include "kernels/index.h"

static int64_t combined(enum weft_reduction reduction, int64_t old, int64_t element) {
    switch (reduction) {
    case WEFT_SCATTER_ADD:
        return (int64_t)((uint64_t)old + (uint64_t)element);
    case WEFT_SCATTER_MUL:
        return (int64_t)((uint64_t)old * (uint64_t)element);
    case WEFT_SCATTER_MIN:
        return weft_min(old, element);
    case WEFT_SCATTER_MAX:
        return weft_max(old, element);
    default:
        return element;
    }
}

enum weft_kernel_status weft_kernel_scatter(const struct weft_scatter_parameters *parameters,
                                            const void *input, const void *places,
                                            const void *elements, void *output) {
    const struct weft_scatter_parameters *p = parameters;
    memcpy(output, input, (size_t)p->size * weft_dtype_bytes(p->dtype));
    for (int32_t i = 0; i < p->count; i++) {
        int64_t place = load_integer(p->index, places, i);
        if (place < 0 || place >= p->size) {
            return WEFT_KERNEL_INDEX;
        }
        int64_t result = combined(p->reduction, load_integer(p->dtype, output, place),
                                  load_integer(p->dtype, elements, i));
        store_integer(p->dtype, output, place, p->dtype == WEFT_BOOL ? result != 0 : result);
    }
    return WEFT_KERNEL_OK;
}
