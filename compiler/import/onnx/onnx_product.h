/* Convolutions and matrix products, of floats and of quantised operands. */
#ifndef WEFT_COMPILER_IMPORT_ONNX_ONNX_PRODUCT_H
#define WEFT_COMPILER_IMPORT_ONNX_ONNX_PRODUCT_H

#include "compiler/import/onnx/onnx_window.h"

/* The convolution that the operator's attributes say, by WEFT_OP_CONV2D or WEFT_OP_QNN_CONV2D: x
 * [N, C, ...] with weights [O, C / groups, ...], over one to three axes, to [N, H, W, O]: channels
 * last, and of three axes the first in N. */
struct weft_value *onnx_convolve(struct onnx_importer *importer, enum weft_operator op,
                                 struct weft_value *x, struct weft_value *weights);
/* The window that the attributes say, for weights that fit x; and the convolution by a window. */
bool onnx_convolution_window(struct onnx_importer *importer, const struct weft_value *x,
                             const struct weft_value *weights, struct onnx_window *window);
struct weft_value *onnx_convolve_window(struct onnx_importer *importer, enum weft_operator op,
                                        struct weft_value *x, struct weft_value *weights,
                                        struct onnx_window window);
/* Its result as ONNX has it, for an input of the type. */
struct weft_value *onnx_convolved(struct onnx_importer *importer, struct weft_value *product,
                                  const struct weft_type *x);

/* The product of matrices, or of stacks of them, by WEFT_OP_DENSE and WEFT_OP_BATCH_MATMUL or those
 * of quantised operands; one axis alone is a row, or a column, that is gone in the result. */
struct weft_value *onnx_multiply(struct onnx_importer *importer, enum weft_operator dense,
                                 enum weft_operator batch, struct weft_value *a,
                                 struct weft_value *b);

#endif
