/* Elements in memory, little-endian; used in kernels/ alone. What a kernel reads may lie at any
 * address, what it writes is aligned for its elements. */
#ifndef WEFT_KERNELS_ELEMENT_H
#define WEFT_KERNELS_ELEMENT_H

#include <string.h>

#include "base/bytes.h"
#include "base/dtype.h"
#include "base/integer.h"

/* Element `index` of integers of up to 32 bits. */
static inline int32_t load_element(enum weft_dtype dtype, const void *data, int64_t index) {
    const uint8_t *bytes = data;
    switch (dtype) {
    case WEFT_I8:
        return (int8_t)bytes[index];
    case WEFT_U8:
    case WEFT_BOOL:
        return bytes[index];
    case WEFT_I16:
        return (int16_t)(bytes[2 * index] | bytes[2 * index + 1] << 8);
    case WEFT_U16:
    case WEFT_F16:
        return bytes[2 * index] | bytes[2 * index + 1] << 8;
    default:
        return weft_read_i32(bytes + 4 * index);
    }
}

static inline void store_element(enum weft_dtype dtype, void *data, int64_t index, int32_t value) {
    switch (dtype) {
    case WEFT_I8:
        ((int8_t *)data)[index] = (int8_t)value;
        break;
    case WEFT_U8:
    case WEFT_BOOL:
        ((uint8_t *)data)[index] = (uint8_t)value;
        break;
    case WEFT_I16:
    case WEFT_U16:
    case WEFT_F16:
        ((int16_t *)data)[index] = (int16_t)value;
        break;
    default:
        ((int32_t *)data)[index] = value;
        break;
    }
}

/* The largest of `count` elements from `first` on, at least one. */
static inline int32_t largest_element(enum weft_dtype dtype, const void *data, int64_t first,
                                      int32_t count) {
    int64_t largest = INT32_MIN;
    for (int32_t i = 0; i < count; i++) {
        largest = weft_max(largest, load_element(dtype, data, first + i));
    }
    return (int32_t)largest;
}

/* The same with 64-bit integers. */
static inline int64_t load_integer(enum weft_dtype dtype, const void *data, int64_t index) {
    const uint8_t *bytes = data;
    if (weft_dtype_bytes(dtype) == 8) {
        return (int64_t)weft_read_u64(bytes + 8 * index);
    }
    return dtype == WEFT_U32 ? (int64_t)weft_read_u32(bytes + 4 * index)
                             : load_element(dtype, data, index);
}

static inline void store_integer(enum weft_dtype dtype, void *data, int64_t index, int64_t value) {
    if (weft_dtype_bytes(dtype) == 8) {
        ((int64_t *)data)[index] = value;
    } else {
        store_element(dtype, data, index, (int32_t)value);
    }
}

/* Copies one element of `size` bytes; not by a call where there is no need for one. */
static inline void copy_element(void *to, const void *from, int32_t size) {
    switch (size) {
    case 1:
        *(uint8_t *)to = *(const uint8_t *)from;
        break;
    case 2:
        __builtin_memcpy(to, from, 2);
        break;
    case 4:
        __builtin_memcpy(to, from, 4);
        break;
    case 8:
        __builtin_memcpy(to, from, 8);
        break;
    default:
        memcpy(to, from, (size_t)size);
        break;
    }
}

#endif
