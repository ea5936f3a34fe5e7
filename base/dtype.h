/* Types of elements. */
#ifndef WEFT_BASE_DTYPE_H
#define WEFT_BASE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weft_dtype {
    WEFT_I8,
    WEFT_U8,
    WEFT_I16,
    WEFT_I32,
    WEFT_I64,
    WEFT_F32,
    WEFT_BOOL,
    /* Types of storage: models have them at their ends and between operators; nothing computes with
     * them, they are cast. */
    WEFT_U16,
    WEFT_U32,
    WEFT_U64,
    WEFT_F16,
    WEFT_F64,
    WEFT_DTYPES,
};

/* Bytes of an element. */
static inline size_t weft_dtype_bytes(enum weft_dtype dtype) {
    switch (dtype) {
    case WEFT_I16:
    case WEFT_U16:
    case WEFT_F16:
        return 2;
    case WEFT_I32:
    case WEFT_F32:
    case WEFT_U32:
        return 4;
    case WEFT_I64:
    case WEFT_U64:
    case WEFT_F64:
        return 8;
    default:
        return 1;
    }
}

/* Is it a type that operators only move and cast? */
static inline bool weft_dtype_is_storage(enum weft_dtype dtype) {
    return dtype > WEFT_BOOL;
}

/* The smallest and largest value of an integer type. Of U64, F16 and F64 those of their bits read
 * as an integer, as the text form of graphs writes them; of others 0. */
static inline int64_t weft_dtype_min(enum weft_dtype dtype) {
    switch (dtype) {
    case WEFT_I8:
        return INT8_MIN;
    case WEFT_I16:
        return INT16_MIN;
    case WEFT_I32:
        return INT32_MIN;
    case WEFT_I64:
    case WEFT_U64:
    case WEFT_F64:
        return INT64_MIN;
    default:
        return 0;
    }
}

static inline int64_t weft_dtype_max(enum weft_dtype dtype) {
    switch (dtype) {
    case WEFT_I8:
        return INT8_MAX;
    case WEFT_U8:
        return UINT8_MAX;
    case WEFT_I16:
        return INT16_MAX;
    case WEFT_I32:
        return INT32_MAX;
    case WEFT_U16:
    case WEFT_F16:
        return UINT16_MAX;
    case WEFT_U32:
        return UINT32_MAX;
    case WEFT_I64:
    case WEFT_U64:
    case WEFT_F64:
        return INT64_MAX;
    case WEFT_BOOL:
        return 1;
    default:
        return 0;
    }
}

#endif
