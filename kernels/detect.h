/* The end of a detector: boxes and scores of all anchors to the best boxes. */
#ifndef WEFT_KERNELS_DETECT_H
#define WEFT_KERNELS_DETECT_H

#include "kernels/kernel.h"

/* Boxes are [y, x, height, width] around anchors, in parts of the anchor's own size times scale[];
 * results are [top, left, bottom, right]. */
struct weft_detection_postprocess_parameters {
    int32_t boxes;    /* anchors, at least 1 */
    int32_t encoding; /* elements of a box, of which the first 4 count */
    int32_t columns;  /* scores of a box: classes, perhaps with the background before them */
    int32_t classes;
    int32_t detections; /* at most, at least 1 */
    int32_t per_box;    /* fast: classes told of each box, at least 1 */
    int32_t per_class;  /* regular: boxes of each class, at least 1 */
    int32_t regular;    /* 1: each class has its own boxes, 0: a box is taken for its best class */
    float score_threshold;
    float overlap_threshold; /* of intersection over union: above 0, at most 1 */
    float scale[4];          /* y, x, height, width */
};

size_t weft_kernel_detection_postprocess_scratch(
    const struct weft_detection_postprocess_parameters *parameters);

/* Inputs: [boxes, encoding], scores [boxes, columns], anchors [boxes, 4]. Outputs, of detections *
 * (regular: 1, fast: per_box): boxes, classes, scores, each filled up with zeros; and how many
 * boxes there are. WEFT_KERNEL_UNDEFINED when a box's bottom is above its top, or its right side
 * left of the left one. */
enum weft_kernel_status weft_kernel_detection_postprocess(
    const struct weft_detection_postprocess_parameters *parameters,
    const weft_unaligned_float *encodings, const weft_unaligned_float *scores,
    const weft_unaligned_float *anchors, float *found_boxes, float *found_classes,
    float *found_scores, float *found, void *scratch);

#endif
