#include "kernels/element.h"
#include "kernels/reduce.h"
#include "kernels/scale.h"
#include "kernels/walk.h"

/* Sums, which wrap, for each element of the output. */
static void add_up(const struct weft_reduce_parameters *reduce, const void *input, uint64_t *sums) {
    struct walk walk = walk_start(&reduce->input, reduce->step, NULL);
    int64_t count = shape_elements(&reduce->input);
    memset(sums, 0, (size_t)reduce->results * sizeof *sums);
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        sums[walk.offset[0]] += (uint64_t)load_integer(reduce->dtype, input, i);
    }
}

size_t weft_kernel_mean_scratch(const struct weft_reduce_parameters *parameters) {
    return (size_t)parameters->results * sizeof(uint64_t);
}

enum weft_kernel_status weft_kernel_mean(const struct weft_reduce_parameters *parameters,
                                         const void *input, void *output, void *scratch) {
    const uint64_t *sums = scratch;
    add_up(parameters, input, scratch);
    for (int32_t i = 0; i < parameters->results; i++) {
        store_integer(parameters->dtype, output, i, (int64_t)sums[i] / parameters->count);
    }
    return WEFT_KERNEL_OK;
}

size_t weft_kernel_qnn_mean_scratch(const struct weft_qnn_mean_parameters *parameters) {
    return weft_kernel_mean_scratch(&parameters->reduce);
}

enum weft_kernel_status weft_kernel_qnn_mean(const struct weft_qnn_mean_parameters *parameters,
                                             const void *input, void *output, void *scratch) {
    const struct weft_reduce_parameters *reduce = &parameters->reduce;
    const uint64_t *sums = scratch;
    uint64_t zeros = (uint64_t)((int64_t)parameters->input_zero * reduce->count);
    add_up(reduce, input, scratch);
    for (int32_t i = 0; i < reduce->results; i++) {
        int32_t scaled = scale_by((int32_t)(uint32_t)(sums[i] - zeros), parameters->factor);
        store_element(reduce->dtype, output, i,
                      saturate(reduce->dtype, parameters->output_zero, scaled));
    }
    return WEFT_KERNEL_OK;
}
