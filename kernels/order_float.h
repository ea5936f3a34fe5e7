/* Indices in the order of falling elements; used in kernels/ alone. */
#ifndef WEFT_KERNELS_ORDER_FLOAT_H
#define WEFT_KERNELS_ORDER_FLOAT_H

#include <string.h>

#include "kernels/kernel.h"

static inline void merge_indices(const weft_unaligned_float *elements, const int32_t *from,
                                 int64_t middle, int64_t end, int32_t *to) {
    int64_t left = 0;
    int64_t right = middle;
    for (int64_t i = 0; i < end; i++) {
        if (left < middle && (right >= end || !(elements[from[right]] > elements[from[left]]))) {
            to[i] = from[left++];
        } else {
            to[i] = from[right++];
        }
    }
}

/* Sorts `count` indices by their elements, of equal ones the first first; `room` has room for as
 * many. */
static inline void sort_indices(const weft_unaligned_float *elements, int64_t count,
                                int32_t *indices, int32_t *room) {
    for (int64_t run = 1; run < count; run *= 2) {
        for (int64_t first = 0; first < count; first += 2 * run) {
            int64_t rest = count - first;
            merge_indices(elements, indices + first, rest < run ? rest : run,
                          rest < 2 * run ? rest : 2 * run, room + first);
        }
        memcpy(indices, room, (size_t)count * sizeof *indices);
    }
}

/* ---- the first few: equal ones as libstdc++'s std::partial_sort leaves them ---- */

/* Puts an index into a heap with a hole: the hole goes down to a leaf, then up again. */
static inline void fill_hole(const weft_unaligned_float *elements, int32_t *heap, int64_t size,
                             int64_t hole, int32_t index) {
    int64_t top = hole;
    int64_t child = hole;
    while (child < (size - 1) / 2) {
        child = 2 * (child + 1);
        child -= elements[heap[child]] > elements[heap[child - 1]];
        heap[hole] = heap[child];
        hole = child;
    }
    if (size % 2 == 0 && child == (size - 2) / 2) {
        heap[hole] = heap[2 * child + 1];
        hole = 2 * child + 1;
    }
    while (hole > top && elements[heap[(hole - 1) / 2]] > elements[index]) {
        heap[hole] = heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap[hole] = index;
}

/* Of the indices 0 to count - 1, indices[0] to indices[first - 1] become those of the largest
 * elements, falling; the others are in no order. 1 <= first <= count. */
static inline void find_largest(const weft_unaligned_float *elements, int32_t count, int64_t first,
                                int32_t *indices) {
    for (int32_t i = 0; i < count; i++) {
        indices[i] = i;
    }
    for (int64_t i = first / 2; i-- > 0;) {
        fill_hole(elements, indices, first, i, indices[i]);
    }
    for (int64_t i = first; i < count; i++) {
        if (elements[indices[i]] > elements[indices[0]]) {
            int32_t index = indices[i];
            indices[i] = indices[0];
            fill_hole(elements, indices, first, 0, index);
        }
    }
    for (int64_t last = first; last-- > 1;) {
        int32_t index = indices[last];
        indices[last] = indices[0];
        fill_hole(elements, indices, last, 0, index);
    }
}

#endif
