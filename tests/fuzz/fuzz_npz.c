/* .npz files as data for inputs of a few types: the directory, every array, and samples of it as
 * elements of the input. */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/npz.h"
#include "cli/sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    MOST_BYTES = 1 << 20,
    INPUT_BYTES = 4 * 48 /* of the largest input */
};

static const struct weft_type inputs[] = {
    {.dtype = WEFT_F32, .rank = 4, .dim = {1, 4, 4, 3}},
    {.dtype = WEFT_I8, .rank = 4, .dim = {1, 3, 4, 4}},
    {.dtype = WEFT_U8, .rank = 2, .dim = {1, 10}},
    {.dtype = WEFT_I32, .rank = 1, .dim = {1}},
};

/* The first and the last sample, scaled. */
static void use_samples(const struct weft_type *input, const struct weft_type *array,
                        const uint8_t *elements) {
    static const struct sample_scaling scaling = {true, 1, {0.5}, {3}};
    uint8_t bytes[INPUT_BYTES];
    struct sample_form form = {.input = *input, .data = *array};
    bool readable = !weft_dtype_is_storage(array->dtype) || array->dtype == WEFT_F64;
    if (array->rank < 1 || !readable || array->dim[0] < 1 ||
        !sample_find_order(input, array, 1, &form.order)) {
        return;
    }
    size_t last = (size_t)array->dim[0] - 1;
    form.data.dim[0] = 1;
    sample_convert(&form, &scaling, elements, bytes);
    sample_convert(&form, &scaling, elements + last * weft_type_bytes(&form.data), bytes);
}

static void use_array(const uint8_t *file, size_t length) {
    struct weft_error error;
    struct weft_type type;
    uint8_t *elements = NULL;
    if (!npy_type(file, length, &type, &error) ||
        !npy_parse(file, length, &type, &elements, &error)) {
        return;
    }
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        use_samples(&inputs[i], &type, elements);
    }
    free(elements);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct npz npz;
    struct weft_error error;
    if (!npz_is(data, size) || !npz_open(data, size, &npz, &error)) {
        return 0;
    }
    for (size_t i = 0; i < npz.count; i++) {
        uint8_t *file = NULL;
        if (npz_read(&npz, &npz.arrays[i], MOST_BYTES, &file, &error)) {
            use_array(file, npz.arrays[i].raw);
            free(file);
        }
    }
    return 0;
}
