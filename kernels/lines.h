/* Walking a shape line by line: loops over the last axis, which a compiler can turn into vector
 * instructions; used in kernels/ alone. */
#ifndef WEFT_KERNELS_LINES_H
#define WEFT_KERNELS_LINES_H

#include "kernels/walk.h"

/* For functions that take one as a parameter: inlined, so that there is no call in the loop. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* All lines of a shape in row-major order: walk.offset are the places of the first element. */
struct lines {
    struct walk walk;
    int64_t count, length;
    int64_t step[2]; /* from one element of a line to the next */
};

static inline struct lines lines_of(const struct weft_shape *shape, const int64_t *first,
                                    const int64_t *second) {
    struct lines lines = {.walk = walk_start(shape, first, second), .count = 1, .length = 1};
    if (shape->rank > 0) {
        int32_t last = --lines.walk.rank;
        lines.length = shape->dim[last];
        lines.step[0] = first[last];
        lines.step[1] = second == NULL ? 0 : second[last];
    }
    for (int32_t axis = 0; axis < lines.walk.rank; axis++) {
        lines.count *= shape->dim[axis];
    }
    return lines;
}

#endif
