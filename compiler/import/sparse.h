/* Sparse tensors of a file: the check of what says where the stored elements belong, and the way
 * from them to all elements.
 *
 * The levels of a sparse tensor are its dimensions and the blocks along some of them, in the order
 * in which its elements are stored. Of the elements along a DENSE level all are stored, of those
 * along a SPARSE_CSR level the ones that its indices name. Source:
 * tensorflow/lite/schema/schema.fbs and kernels/internal/utils/sparsity_format_converter.cc.
 */
#ifndef WEFT_COMPILER_IMPORT_SPARSE_H
#define WEFT_COMPILER_IMPORT_SPARSE_H

#include "compiler/import/tflite_file.h"
#include "compiler/ir/ir.h"

/* A checked description. */
struct sparse_layout {
    const struct tflite_sparsity *sparsity;
    int64_t stride[TFLITE_MOST_LEVELS]; /* of each level, in elements of the dense tensor */
    int64_t stored;                     /* elements that the file holds */
    int64_t steps;                      /* entries of all levels: what a walk over them costs */
};

/* Checks the sparsity of tensor `index` of the file, whose dense type is `type`: blocks divide the
 * dimensions, every level has the size that follows from the shape, segments rise from 0 to the
 * number of indices, every index lies inside of its level. Indices need not rise, and may repeat:
 * then the last element stored counts, as in LiteRT. Error: WEFT_MODEL. */
bool sparse_check(const struct tflite_tensor *tensor, int32_t index, const struct weft_type *type,
                  struct sparse_layout *layout, struct weft_error *error);

/* Copies the `layout->stored` elements at `values`, each of `size` bytes, to their places in
 * `dense`, which has the elements of the type; the others stay as they are. */
void sparse_scatter(const struct sparse_layout *layout, size_t size, const uint8_t *values,
                    uint8_t *dense);

#endif
