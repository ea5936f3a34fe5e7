#include "kernels/move.h"

#include "kernels/element.h"
#include "kernels/lines.h"

enum weft_kernel_status weft_kernel_copy(const struct weft_copy_parameters *parameters,
                                         const void *input, void *output) {
    memcpy(output, input, (size_t)parameters->bytes);
    return WEFT_KERNEL_OK;
}

/* Elements that are `step` bytes apart. Of the usual sizes without a call for each. */
static void copy_line(char *to, const char *from, int64_t step, int64_t count, int32_t bytes) {
    if (step == bytes) {
        memcpy(to, from, (size_t)(count * bytes));
    } else if (bytes == 4) {
        for (int64_t i = 0; i < count; i++) {
            copy_element(to + i * 4, from + i * step, 4);
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            copy_element(to + i * bytes, from + i * step, bytes);
        }
    }
}

enum weft_kernel_status
weft_kernel_strided_copy(const struct weft_strided_copy_parameters *parameters, const void *input,
                         void *output) {
    struct lines lines = lines_of(&parameters->output, parameters->step, NULL);
    bool empty = lines.count == 0 || lines.length == 0;
    const char *from = (const char *)input + (empty ? 0 : parameters->offset);
    char *to = output;
    for (int64_t i = 0; i < lines.count && !empty; i++, walk_next(&lines.walk)) {
        copy_line(to, from + lines.walk.offset[0], lines.step[0], lines.length, parameters->bytes);
        to += lines.length * parameters->bytes;
    }
    return WEFT_KERNEL_OK;
}

/* ---- pad ---- */

/* Walks the input line by line; each lands where it is in the output. */
static enum weft_kernel_status pad(const struct weft_pad_parameters *parameters, const void *input,
                                   const void *value, void *output) {
    struct lines lines = lines_of(&parameters->input, parameters->step, NULL);
    int32_t bytes = parameters->bytes;
    const char *from = input;
    for (int64_t i = 0; i < parameters->output_count; i++) {
        copy_element((char *)output + i * bytes, value, bytes);
    }
    for (int64_t i = 0; i < lines.count; i++, walk_next(&lines.walk)) {
        char *to = (char *)output + (parameters->offset + lines.walk.offset[0]) * bytes;
        if (lines.length > 0 && lines.step[0] == 1) {
            memcpy(to, from, (size_t)(lines.length * bytes));
        } else {
            for (int64_t k = 0; k < lines.length; k++) {
                copy_element(to + k * lines.step[0] * bytes, from + k * bytes, bytes);
            }
        }
        from += lines.length * bytes;
    }
    return WEFT_KERNEL_OK;
}

enum weft_kernel_status weft_kernel_pad(const struct weft_pad_parameters *parameters,
                                        const void *input, void *output) {
    return pad(parameters, input, parameters->value, output);
}

enum weft_kernel_status weft_kernel_pad_value(const struct weft_pad_parameters *parameters,
                                              const void *input, const void *value, void *output) {
    return pad(parameters, input, value, output);
}

/* ---- joining and splitting ---- */

enum weft_kernel_status weft_kernel_concatenate(const struct weft_parts_parameters *parameters,
                                                const void *const *inputs, void *output) {
    char *to = output;
    for (int64_t row = 0; row < parameters->rows; row++) {
        for (int32_t i = 0; i < parameters->count; i++) {
            int64_t bytes = parameters->part[i];
            memcpy(to, (const char *)inputs[i] + row * bytes, (size_t)bytes);
            to += bytes;
        }
    }
    return WEFT_KERNEL_OK;
}

enum weft_kernel_status weft_kernel_split(const struct weft_parts_parameters *parameters,
                                          const void *input, void *const *outputs) {
    const char *from = input;
    for (int64_t row = 0; row < parameters->rows; row++) {
        for (int32_t i = 0; i < parameters->count; i++) {
            int64_t bytes = parameters->part[i];
            memcpy((char *)outputs[i] + row * bytes, from, (size_t)bytes);
            from += bytes;
        }
    }
    return WEFT_KERNEL_OK;
}

enum weft_kernel_status
weft_kernel_qnn_concatenate(const struct weft_qnn_concatenate_parameters *parameters,
                            const void *const *inputs, void *output) {
    uint8_t *to = output;
    for (int64_t row = 0; row < parameters->rows; row++) {
        for (int32_t i = 0; i < parameters->count; i++) {
            const struct weft_table_part *part = &parameters->part[i];
            const uint8_t *from = (const uint8_t *)inputs[i] + row * part->bytes;
            for (int32_t k = 0; k < part->bytes; k++) {
                *to++ = part->table[from[k]];
            }
        }
    }
    return WEFT_KERNEL_OK;
}

/* ---- gather ---- */

static enum weft_kernel_status check_indices(const struct weft_gather_parameters *p,
                                             const void *indices) {
    int64_t count = (int64_t)p->batch * p->indices;
    for (int64_t i = 0; i < count; i++) {
        int64_t index = load_integer(p->index, indices, i);
        if (index < 0 || index >= p->axis) {
            return WEFT_KERNEL_INDEX;
        }
    }
    return WEFT_KERNEL_OK;
}

enum weft_kernel_status weft_kernel_gather(const struct weft_gather_parameters *parameters,
                                           const void *input, const void *indices, void *output) {
    int64_t bytes = parameters->bytes;
    const char *from = input;
    char *to = output;
    if (check_indices(parameters, indices) != WEFT_KERNEL_OK) {
        return WEFT_KERNEL_INDEX;
    }
    for (int64_t batch = 0; batch < parameters->batch; batch++) {
        for (int64_t outer = 0; outer < parameters->outer; outer++) {
            for (int64_t k = 0; k < parameters->indices; k++, to += bytes) {
                int64_t index =
                    load_integer(parameters->index, indices, batch * parameters->indices + k);
                memcpy(to, from + index * bytes, (size_t)bytes);
            }
            from += parameters->axis * bytes;
        }
    }
    return WEFT_KERNEL_OK;
}
