/* A heap in the output's indices, its worst element first; then the heap sorted. */
#include <stdbool.h>

#include "kernels/element.h"
#include "kernels/index.h"

struct row {
    const struct weft_topk_parameters *parameters;
    const void *input;
    int64_t first; /* element of the input */
    void *indices; /* the heap: elements [at, at + size) */
    int64_t at;
};

/* Larger elements have larger keys. A float's bits below 0 rise as it falls. */
static int64_t key_of(const struct row *row, int64_t index) {
    int64_t key =
        load_integer(row->parameters->dtype == WEFT_F32 ? WEFT_I32 : row->parameters->dtype,
                     row->input, row->first + index);
    return row->parameters->dtype == WEFT_F32 && key < 0 ? INT32_MIN - key : key;
}

static int64_t get(const struct row *row, int64_t place) {
    return load_integer(row->parameters->index, row->indices, row->at + place);
}

static void put(const struct row *row, int64_t place, int64_t index) {
    store_integer(row->parameters->index, row->indices, row->at + place, index);
}

/* Does index `a` come behind index `b`? */
static bool is_behind(const struct row *row, int64_t a, int64_t b) {
    int64_t key_a = key_of(row, a);
    int64_t key_b = key_of(row, b);
    return key_a < key_b || (key_a == key_b && a > b);
}

/* Lets an index sink from a place of a heap of `size` to where it belongs. */
static void sink(const struct row *row, int64_t size, int64_t place, int64_t index) {
    for (int64_t child = 2 * place + 1; child < size; child = 2 * place + 1) {
        if (child + 1 < size && is_behind(row, get(row, child + 1), get(row, child))) {
            child++;
        }
        if (!is_behind(row, get(row, child), index)) {
            break;
        }
        put(row, place, get(row, child));
        place = child;
    }
    put(row, place, index);
}

static void find_largest(const struct row *row) {
    int64_t depth = row->parameters->depth;
    for (int64_t i = 0; i < depth; i++) {
        put(row, i, i);
    }
    for (int64_t place = depth / 2; place-- > 0;) {
        sink(row, depth, place, get(row, place));
    }
    for (int64_t i = depth; depth > 0 && i < row->parameters->length; i++) {
        if (is_behind(row, get(row, 0), i)) {
            sink(row, depth, 0, i);
        }
    }
    for (int64_t size = depth; size-- > 1;) {
        int64_t last = get(row, size);
        put(row, size, get(row, 0));
        sink(row, size, 0, last);
    }
}

enum weft_kernel_status weft_kernel_topk(const struct weft_topk_parameters *parameters,
                                         const void *input, void *elements, void *indices) {
    int32_t bytes = (int32_t)weft_dtype_bytes(parameters->dtype);
    char *to = elements;
    for (int64_t i = 0; i < parameters->rows; i++) {
        const struct row row = {parameters, input, i * parameters->length, indices,
                                i * parameters->depth};
        find_largest(&row);
        for (int64_t k = 0; k < parameters->depth; k++, to += bytes) {
            copy_element(to, (const char *)input + (row.first + get(&row, k)) * bytes, bytes);
        }
    }
    return WEFT_KERNEL_OK;
}
