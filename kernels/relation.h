/* Relations of two elements; used in kernels/ alone. */
#ifndef WEFT_KERNELS_RELATION_H
#define WEFT_KERNELS_RELATION_H

#include <stdbool.h>

#include "kernels/binary.h"

/* Does the relation hold between elements of which the first is less than, equal to or greater than
 * the second, or none of this? */
static inline bool relation_holds(enum weft_relation relation, bool less, bool equal,
                                  bool greater) {
    switch (relation) {
    case WEFT_EQUAL:
        return equal;
    case WEFT_NOT_EQUAL:
        return !equal;
    case WEFT_LESS:
        return less;
    case WEFT_LESS_EQUAL:
        return less || equal;
    case WEFT_GREATER:
        return greater;
    default:
        return greater || equal;
    }
}

#endif
