/* NonMaxSuppression: how many boxes are left depends on the boxes, so they must be known. */
#include <stdlib.h>
#include <string.h>

#include "compiler/import/onnx/onnx_importer.h"

struct detection {
    const uint8_t *boxes;  /* [batches, count, 4] */
    const uint8_t *scores; /* [batches, classes, count] */
    int64_t batches, classes, count;
    bool are_centers; /* x, y, width, height; else two corners, y before x */
    bool has_least;
    float overlap, least;
    int64_t most; /* of each class */
};

/* A box that may be selected. */
struct candidate {
    float score;
    int64_t index;
};

struct corners {
    float low[2], high[2];
};

static float number_at(const uint8_t *data, int64_t index) {
    float number;
    memcpy(&number, data + index * (int64_t)sizeof number, sizeof number);
    return number;
}

/* The highest score first, of equal ones the first one. */
static int compare(const void *a, const void *b) {
    const struct candidate *first = a;
    const struct candidate *second = b;
    if (first->score != second->score) {
        return first->score > second->score ? -1 : 1;
    }
    return first->index < second->index ? -1 : 1;
}

static struct corners corners_of(const struct detection *d, int64_t box) {
    struct corners corners;
    for (int64_t i = 0; i < 2; i++) {
        float a = number_at(d->boxes, 4 * box + i);
        float b = number_at(d->boxes, 4 * box + 2 + i);
        float from = d->are_centers ? a - b / 2 : a;
        float to = d->are_centers ? a + b / 2 : b;
        corners.low[i] = from < to ? from : to;
        corners.high[i] = from < to ? to : from;
    }
    return corners;
}

static float area_of(const struct corners *box) {
    return (box->high[0] - box->low[0]) * (box->high[1] - box->low[1]);
}

/* Is what two boxes have in common more than the threshold of what they cover together? */
static bool overlap(const struct detection *d, int64_t first, int64_t second) {
    struct corners a = corners_of(d, first);
    struct corners b = corners_of(d, second);
    float common = 1;
    for (int i = 0; i < 2; i++) {
        float low = a.low[i] > b.low[i] ? a.low[i] : b.low[i];
        float high = a.high[i] < b.high[i] ? a.high[i] : b.high[i];
        common *= high > low ? high - low : 0;
    }
    float together = area_of(&a) + area_of(&b) - common;
    return area_of(&a) > 0 && area_of(&b) > 0 && together > 0 && common / together > d->overlap;
}

/* Those of one class, by falling scores; how many there are. */
static int64_t find_candidates(const struct detection *d, int64_t row,
                               struct candidate *candidates) {
    int64_t found = 0;
    for (int64_t i = 0; i < d->count; i++) {
        float score = number_at(d->scores, row * d->count + i);
        if (score == score && (!d->has_least || score > d->least)) {
            candidates[found++] = (struct candidate){score, i};
        }
    }
    qsort(candidates, (size_t)found, sizeof *candidates, compare);
    return found;
}

/* The boxes of one class that no better one overlaps move to the front; how many they are. */
static int64_t select_boxes(const struct detection *d, int64_t batch, int64_t found,
                            struct candidate *candidates) {
    int64_t kept = 0;
    for (int64_t i = 0; i < found && kept < d->most; i++) {
        bool is_free = true;
        for (int64_t k = 0; is_free && k < kept; k++) {
            is_free = !overlap(d, batch * d->count + candidates[i].index,
                               batch * d->count + candidates[k].index);
        }
        if (is_free) {
            candidates[kept++] = candidates[i];
        }
    }
    return kept;
}

/* Rows of batch, class and box. */
static struct weft_value *detect(struct onnx_importer *importer, const struct detection *d) {
    int64_t rows = d->batches * d->classes;
    struct candidate *candidates =
        WEFT_NEW_ARRAY(importer->arena, (size_t)d->count, struct candidate);
    size_t capacity = 0;
    int64_t(*selected)[3] = NULL;
    int64_t dims[2] = {0, 3};
    for (int64_t row = 0; row < rows; row++) {
        int64_t found = find_candidates(d, row, candidates);
        int64_t kept = select_boxes(d, row / d->classes, found, candidates);
        for (int64_t i = 0; i < kept; i++) {
            selected = weft_arena_grow(importer->arena, selected, (size_t)dims[0], &capacity,
                                       sizeof *selected);
            selected[dims[0]][0] = row / d->classes;
            selected[dims[0]][1] = row % d->classes;
            selected[dims[0]][2] = candidates[i].index;
            dims[0]++;
        }
    }
    return onnx_list(importer, 2, dims, selected == NULL ? NULL : selected[0]);
}

/* ---- reading ---- */

/* The elements of floats that are known; NULL after an error. */
static const uint8_t *known_floats(struct onnx_importer *importer, uint32_t number,
                                   struct weft_type *type) {
    const struct weft_value *value = onnx_known_input(importer, number);
    const uint8_t *data = value == NULL ? NULL : weft_value_data(value);
    if (value != NULL && (data == NULL || value->type.dtype != WEFT_F32 || value->type.rank != 3)) {
        onnx_wrong(importer, WEFT_OPERATOR,
                   "boxes and scores must be floats of 3 dimensions, known when the model is read");
        return NULL;
    }
    if (value != NULL) {
        *type = value->type;
    }
    return data;
}

static bool read_limits(struct onnx_importer *importer, struct detection *d) {
    uint32_t count = 0;
    d->most = 0;
    d->overlap = 0;
    d->has_least = onnx_has(importer, 4);
    return (!onnx_has(importer, 2) || onnx_integers(importer, 2, 1, &d->most, &count)) &&
           (!onnx_has(importer, 3) || onnx_floats(importer, 3, 1, &d->overlap, &count)) &&
           (!d->has_least || onnx_floats(importer, 4, 1, &d->least, &count));
}

/* Every box may be compared with every other one. */
static bool take_steps(struct onnx_importer *importer, const struct detection *d) {
    uint64_t pairs = (uint64_t)d->count * (uint64_t)d->count;
    uint64_t rows = (uint64_t)(d->batches * d->classes);
    if (pairs > importer->steps || rows * pairs > importer->steps) {
        return onnx_wrong(importer, WEFT_LIMIT, "too many boxes");
    }
    importer->steps -= rows * pairs;
    return true;
}

bool onnx_suppress(struct onnx_importer *importer) {
    struct detection d = {.are_centers = onnx_int(importer, "center_point_box", 0) != 0};
    struct weft_type boxes = {0};
    struct weft_type scores = {0};
    d.boxes = known_floats(importer, 0, &boxes);
    d.scores = d.boxes == NULL ? NULL : known_floats(importer, 1, &scores);
    if (d.scores == NULL || !read_limits(importer, &d)) {
        return false;
    }
    d.batches = boxes.dim[0];
    d.classes = scores.dim[1];
    d.count = boxes.dim[1];
    if (boxes.dim[2] != 4 || scores.dim[0] != d.batches || scores.dim[2] != d.count) {
        return onnx_wrong(importer, WEFT_MODEL,
                          "expected boxes [B, N, 4] and scores [B, classes, N]");
    }
    return take_steps(importer, &d) && onnx_finish(importer, detect(importer, &d));
}
