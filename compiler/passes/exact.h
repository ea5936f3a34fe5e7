/* What the files of weft_pass_find_multipliers() share, exact_*.c. */
#ifndef WEFT_COMPILER_PASSES_EXACT_H
#define WEFT_COMPILER_PASSES_EXACT_H

#include "base/integer.h"
#include "compiler/passes/rules.h"

enum {
    BYTE_VALUES = 256, /* of a byte */
};

/* The bytes that a tensor can have, each counted from the smallest of its type. */
struct byte_set {
    bool has[BYTE_VALUES];
};

/* A value limited to what its type has. */
static inline int32_t exact_limited(enum weft_dtype dtype, int64_t value) {
    return (int32_t)weft_clamp(value, weft_dtype_min(dtype), weft_dtype_max(dtype));
}

struct byte_set exact_all_bytes(void);

/* Those of a constant, or that a table or a limit makes; else all. */
struct byte_set exact_bytes_of(const struct weft_value *value);

/* The factor of a qnn.mul that gives the bytes of one with rounding "float", of two operands that
 * have such bytes; 0: there is none. */
double exact_product(const struct weft_type *const types[3], const struct byte_set bytes[2]);

/* The corrections with which a qnn.add, or a qnn.subtract, gives the bytes of one with rounding
 * "float", but perhaps for two pairs of all 65,536, or as large a share of fewer, which are 1
 * apart. False: there are none. */
bool exact_sum(enum weft_operator op, const struct weft_type *const types[3],
               const struct byte_set bytes[2], int64_t corrections[2]);

#endif
