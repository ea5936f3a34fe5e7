/* Windows that slide over the axes behind batch and channels: of convolutions and pools. */
#ifndef WEFT_COMPILER_IMPORT_ONNX_ONNX_WINDOW_H
#define WEFT_COMPILER_IMPORT_ONNX_ONNX_WINDOW_H

#include "compiler/import/onnx/onnx_importer.h"

enum {
    ONNX_MOST_AXES = 3, /* that a window slides over */
};

struct onnx_window {
    uint32_t axes;
    int64_t kernel[ONNX_MOST_AXES];
    int64_t stride[ONNX_MOST_AXES];
    int64_t dilation[ONNX_MOST_AXES];
    int64_t before[ONNX_MOST_AXES]; /* padding */
    int64_t after[ONNX_MOST_AXES];
    int64_t extra[ONNX_MOST_AXES]; /* after that, which ceil_mode adds and nothing counts */
};

/* The window of the operator over x, [N, C, ...]; `kernel` is the size of the weights' window,
 * NULL: the attribute kernel_shape is. Fails where a window does not fit. */
bool onnx_window(struct onnx_importer *importer, const struct weft_type *x, const int64_t *kernel,
                 struct onnx_window *window);

/* From the first place of a window along axis i to behind its last one. */
int64_t onnx_reach(const struct onnx_window *window, uint32_t i);

/* x surrounded by the window's padding, of an element; NULL: zeros. */
struct weft_value *onnx_window_pad(struct onnx_importer *importer, struct weft_value *x,
                                   const struct onnx_window *window, struct weft_value *element);

/* Windows over one axis become such over two, the first of one element; x and weights are reshaped
 * so. */
struct weft_value *onnx_widen(struct onnx_importer *importer, struct weft_value *x);
void onnx_widen_window(struct onnx_window *window);
/* The last two axes of a window over three. */
void onnx_drop_depth(struct onnx_window *window);
/* A result [N, C, 1, W] back to as many axes as the window has. */
struct weft_value *onnx_narrow(struct onnx_importer *importer, struct weft_value *x, uint32_t axes);

#endif
