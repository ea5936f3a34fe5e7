#include "compiler/import/onnx/onnx_depth.h"

#include "base/integer.h"

struct weft_value *onnx_depth_to_last(struct onnx_importer *importer, struct weft_value *x) {
    static const int64_t order[] = {0, 2, 3, 4, 1};
    return onnx_transpose(importer, x, order);
}

struct weft_value *onnx_depth_to_first(struct onnx_importer *importer, struct weft_value *images,
                                       int64_t n) {
    static const int64_t order[] = {0, 4, 1, 2, 3};
    if (images == NULL) {
        return NULL;
    }
    const int64_t *dim = images->type.dim;
    const int64_t dims[5] = {n, n == 0 ? 0 : dim[0] / n, dim[1], dim[2], dim[3]};
    return onnx_transpose(importer, onnx_reshape(importer, images, 5, dims), order);
}

/* x with as many zeros before and behind its depth as the taps reach out of it; how many before. */
static struct weft_value *pad(struct onnx_importer *importer, struct weft_value *x,
                              const struct onnx_taps *taps, int64_t *before) {
    int64_t pads[2 * 5] = {0};
    int64_t last = (taps->count - 1) * taps->step;
    for (uint32_t k = 0; k < taps->taps; k++) {
        pads[2] = weft_max(pads[2], -taps->offset[k]);
        pads[3] = weft_max(pads[3], taps->offset[k] + last + 1 - x->type.dim[1]);
    }
    *before = pads[2];
    return onnx_pad(importer, x, pads, NULL);
}

struct weft_value *onnx_fold_depth(struct onnx_importer *importer, struct weft_value *x,
                                   const struct onnx_taps *taps, int64_t groups) {
    struct weft_value *parts[ONNX_MOST_PARTS];
    int64_t before = 0;
    if (x == NULL || groups < 1 || x->type.dim[4] % groups != 0) {
        return x == NULL ? NULL
                         : onnx_none(importer, WEFT_MODEL, "channels and groups do not agree");
    }
    const int64_t n = x->type.dim[0];
    const int64_t h = x->type.dim[2];
    const int64_t w = x->type.dim[3];
    const int64_t channels = x->type.dim[4];
    const int64_t each[6] = {n * taps->count, h, w, groups, 1, channels / groups};
    const int64_t all[4] = {n * taps->count, h, w, taps->taps * channels};
    x = pad(importer, x, taps, &before);
    for (uint32_t k = 0; k < taps->taps; k++) {
        parts[k] = onnx_reshape(
            importer, onnx_part(importer, x, 1, taps->offset[k] + before, taps->step, taps->count),
            groups == 1 ? 4 : 6, groups == 1 ? (const int64_t[]){all[0], h, w, channels} : each);
    }
    x = onnx_concatenate(importer, taps->taps, parts, groups == 1 ? 3 : 4);
    return onnx_reshape(importer, x, 4, all);
}

struct weft_value *onnx_fold_weights(struct onnx_importer *importer, struct weft_value *weights) {
    static const int64_t order[] = {0, 3, 4, 2, 1};
    weights = onnx_transpose(importer, weights, order);
    if (weights == NULL) {
        return NULL;
    }
    const int64_t *dim = weights->type.dim;
    const int64_t dims[4] = {dim[0], dim[1], dim[2], dim[3] * dim[4]};
    return onnx_reshape_behind(importer, weights, 4, dims);
}
