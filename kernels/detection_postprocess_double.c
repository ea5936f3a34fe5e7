/* Source: TFLite's detection_postprocess.cc. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/detect.h"
#include "kernels/order_float.h"

struct box {
    float top, left, bottom, right;
};

/* What is worked with, in the memory to work in. */
struct detect {
    const struct weft_detection_postprocess_parameters *parameters;
    const weft_unaligned_float *scores;
    struct box *boxes;
    float *class_scores; /* of each box, of one class or the best one */
    int32_t *kept;       /* of each box */
    int32_t kept_count;
    float *best_scores; /* regular: of the boxes of all classes so far, and one class more */
    int32_t *best, *order, *room;
    int32_t best_count;
    float *found_boxes, *found_classes, *found_scores;
};

/* Elements of `best`, `order`, `room` and `best_scores`. */
static size_t most_found(const struct weft_detection_postprocess_parameters *p) {
    size_t found = (size_t)p->boxes + (size_t)p->detections;
    return found > (size_t)p->classes ? found : (size_t)p->classes;
}

size_t weft_kernel_detection_postprocess_scratch(
    const struct weft_detection_postprocess_parameters *parameters) {
    return 4 * (6 * (size_t)parameters->boxes + 4 * most_found(parameters));
}

static struct detect start(const struct weft_detection_postprocess_parameters *p, void *scratch) {
    struct detect detect = {.parameters = p, .boxes = scratch};
    size_t found = most_found(p);
    detect.class_scores = (float *)(detect.boxes + p->boxes);
    detect.best_scores = detect.class_scores + p->boxes;
    detect.kept = (int32_t *)(detect.best_scores + found);
    detect.best = detect.kept + p->boxes;
    detect.order = detect.best + found;
    detect.room = detect.order + found;
    return detect;
}

/* ---- boxes ---- */

static float center(float place, float scale, float size, float anchor) {
    return (float)((double)place / (double)scale * (double)size + (double)anchor);
}

static float half(float size, float scale, float anchor) {
    return (float)(0.5 * exp((double)size / (double)scale) * (double)anchor);
}

static enum weft_kernel_status decode(const struct detect *detect,
                                      const weft_unaligned_float *encodings,
                                      const weft_unaligned_float *anchors) {
    const struct weft_detection_postprocess_parameters *p = detect->parameters;
    for (int64_t i = 0; i < p->boxes; i++) {
        const weft_unaligned_float *from = encodings + i * p->encoding;
        const weft_unaligned_float *anchor = anchors + 4 * i;
        float y = center(from[0], p->scale[0], anchor[2], anchor[0]);
        float x = center(from[1], p->scale[1], anchor[3], anchor[1]);
        float height = half(from[2], p->scale[2], anchor[2]);
        float width = half(from[3], p->scale[3], anchor[3]);
        struct box box = {y - height, x - width, y + height, x + width};
        if (box.top > box.bottom || box.left > box.right) {
            return WEFT_KERNEL_UNDEFINED;
        }
        detect->boxes[i] = box;
    }
    return WEFT_KERNEL_OK;
}

static float larger(float a, float b) {
    return a < b ? b : a;
}

static float smaller(float a, float b) {
    return b < a ? b : a;
}

/* Intersection over union. */
static float overlap(const struct box *a, const struct box *b) {
    float area_a = (a->bottom - a->top) * (a->right - a->left);
    float area_b = (b->bottom - b->top) * (b->right - b->left);
    if (area_a <= 0.0F || area_b <= 0.0F) {
        return 0.0F;
    }
    float height = smaller(a->bottom, b->bottom) - larger(a->top, b->top);
    float width = smaller(a->right, b->right) - larger(a->left, b->left);
    float shared = larger(height, 0.0F) * larger(width, 0.0F);
    return shared / (area_a + area_b - shared);
}

/* ---- suppression ---- */

/* Takes away what overlaps with box `kept[number]` too much. */
static void suppress(const struct detect *detect, int32_t count, int32_t number) {
    const struct box *taken = &detect->boxes[detect->kept[number]];
    for (int32_t i = number + 1; i < count; i++) {
        if (detect->kept[i] >= 0 && overlap(taken, &detect->boxes[detect->kept[i]]) >
                                        detect->parameters->overlap_threshold) {
            detect->kept[i] = -1;
        }
    }
}

/* Leaves in `kept` the boxes of the best class_scores that do not overlap, at most `most`. */
static void choose_boxes(struct detect *detect, int32_t most) {
    int32_t count = 0;
    detect->kept_count = 0;
    for (int32_t i = 0; i < detect->parameters->boxes; i++) {
        if (detect->class_scores[i] >= detect->parameters->score_threshold) {
            detect->kept[count++] = i;
        }
    }
    sort_indices(detect->class_scores, count, detect->kept, detect->room);
    for (int32_t i = 0; i < count && detect->kept_count < most; i++) {
        if (detect->kept[i] >= 0) {
            suppress(detect, count, i);
            detect->kept[detect->kept_count++] = detect->kept[i];
        }
    }
}

static const weft_unaligned_float *scores_of(const struct detect *detect, int64_t box) {
    int64_t columns = detect->parameters->columns;
    return detect->scores + box * columns + (columns - detect->parameters->classes);
}

static void tell(const struct detect *detect, int64_t place, int32_t box, int32_t class_number,
                 float score) {
    memcpy(detect->found_boxes + 4 * place, &detect->boxes[box], sizeof(struct box));
    detect->found_classes[place] = (float)class_number;
    detect->found_scores[place] = score;
}

/* ---- each class by itself ---- */

/* Adds the boxes of a class to the best ones, and leaves the best of all. Each is a place in the
 * table of [boxes, classes]. */
static void add_class(struct detect *detect, int32_t class_number) {
    const struct weft_detection_postprocess_parameters *p = detect->parameters;
    for (int32_t i = 0; i < p->boxes; i++) {
        detect->class_scores[i] = scores_of(detect, i)[class_number];
    }
    choose_boxes(detect, p->per_class);
    for (int32_t i = 0; i < detect->kept_count; i++) {
        detect->best[detect->best_count] = detect->kept[i] * p->classes + class_number;
        detect->best_scores[detect->best_count++] = detect->class_scores[detect->kept[i]];
    }
    int32_t left = detect->best_count < p->detections ? detect->best_count : p->detections;
    for (int32_t i = 0; i < detect->best_count; i++) {
        detect->order[i] = i;
    }
    sort_indices(detect->best_scores, detect->best_count, detect->order, detect->room);
    /* The results serve as room; they are filled when all classes are done. */
    for (int32_t i = 0; i < left; i++) {
        detect->found_scores[i] = detect->best_scores[detect->order[i]];
        detect->order[i] = detect->best[detect->order[i]];
    }
    memcpy(detect->best, detect->order, (size_t)left * sizeof *detect->best);
    memcpy(detect->best_scores, detect->found_scores, (size_t)left * sizeof(float));
    detect->best_count = left;
}

static int32_t detect_regular(struct detect *detect) {
    int32_t classes = detect->parameters->classes;
    for (int32_t i = 0; i < classes; i++) {
        add_class(detect, i);
    }
    for (int32_t i = 0; i < detect->best_count; i++) {
        tell(detect, i, detect->best[i] / classes, detect->best[i] % classes,
             detect->best_scores[i]);
    }
    return detect->best_count;
}

/* ---- boxes with their best classes ---- */

/* The best `told` classes; a single one is the first of the best. */
static void choose_classes(const weft_unaligned_float *scores, int32_t classes, int32_t told,
                           int32_t *order) {
    if (told > 1) {
        find_largest(scores, classes, told, order);
        return;
    }
    order[0] = 0;
    for (int32_t i = 1; i < classes; i++) {
        order[0] = scores[i] > scores[order[0]] ? i : order[0];
    }
}

static int32_t detect_fast(struct detect *detect) {
    const struct weft_detection_postprocess_parameters *p = detect->parameters;
    int32_t told = p->per_box < p->classes ? p->per_box : p->classes;
    for (int32_t i = 0; i < p->boxes; i++) {
        const weft_unaligned_float *scores = scores_of(detect, i);
        detect->class_scores[i] = scores[0];
        for (int32_t k = 1; k < p->classes; k++) {
            detect->class_scores[i] = larger(detect->class_scores[i], scores[k]);
        }
    }
    choose_boxes(detect, p->detections);
    for (int32_t i = 0; i < detect->kept_count; i++) {
        const weft_unaligned_float *scores = scores_of(detect, detect->kept[i]);
        choose_classes(scores, p->classes, told, detect->order);
        for (int32_t k = 0; k < told; k++) {
            tell(detect, (int64_t)i * p->per_box + k, detect->kept[i], detect->order[k],
                 scores[detect->order[k]]);
        }
    }
    return detect->kept_count;
}

enum weft_kernel_status weft_kernel_detection_postprocess(
    const struct weft_detection_postprocess_parameters *parameters,
    const weft_unaligned_float *encodings, const weft_unaligned_float *scores,
    const weft_unaligned_float *anchors, float *found_boxes, float *found_classes,
    float *found_scores, float *found, void *scratch) {
    struct detect detect = start(parameters, scratch);
    size_t count = (size_t)parameters->detections * (size_t)parameters->per_box;
    detect.scores = scores;
    detect.found_boxes = found_boxes;
    detect.found_classes = found_classes;
    detect.found_scores = found_scores;
    if (decode(&detect, encodings, anchors) != WEFT_KERNEL_OK) {
        return WEFT_KERNEL_UNDEFINED;
    }
    memset(found_boxes, 0, 4 * count * sizeof *found_boxes);
    memset(found_classes, 0, count * sizeof *found_classes);
    memset(found_scores, 0, count * sizeof *found_scores);
    found[0] = (float)(parameters->regular != 0 ? detect_regular(&detect) : detect_fast(&detect));
    return WEFT_KERNEL_OK;
}
