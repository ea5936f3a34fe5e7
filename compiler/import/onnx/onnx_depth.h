/* Windows over three axes, as windows over two: the first of the three, the depth, becomes images
 * and channels. */
#ifndef WEFT_COMPILER_IMPORT_ONNX_ONNX_DEPTH_H
#define WEFT_COMPILER_IMPORT_ONNX_ONNX_DEPTH_H

#include "compiler/import/onnx/onnx_importer.h"

/* Places of the depth that a window takes together: result i of `count` takes, for tap k, place
 * i * step + offset[k], which is zero (the zero point) where it lies outside. */
struct onnx_taps {
    uint32_t taps; /* 1 to ONNX_MOST_PARTS */
    int64_t offset[ONNX_MOST_PARTS];
    int64_t step;
    int64_t count;
};

/* [N, C, D, H, W] to [N, D, H, W, C], and images [N * D, H, W, C] to [N, C, D, H, W]. */
struct weft_value *onnx_depth_to_last(struct onnx_importer *importer, struct weft_value *x);
struct weft_value *onnx_depth_to_first(struct onnx_importer *importer, struct weft_value *images,
                                       int64_t n);

/* x [N, D, H, W, C] to [N * count, H, W, taps * C]. In each of the groups the channels of one tap
 * lie together. */
struct weft_value *onnx_fold_depth(struct onnx_importer *importer, struct weft_value *x,
                                   const struct onnx_taps *taps, int64_t groups);

/* Weights [O, C, KD, KH, KW] to [O, KH, KW, KD * C]: of the channels that onnx_fold_depth() makes
 * of as many taps as KD. */
struct weft_value *onnx_fold_weights(struct onnx_importer *importer, struct weft_value *weights);

#endif
