/* Layers that are carried out abreast: neighbours that make each pixel of the same pixel alone, as
 * those of a normalisation and the dense layers before and behind it, so that VECTOR can be at some
 * parts of the pixels while MATRIX is at others. They get a row for each part:
 * compiler/emit/abreast.c. */
#include "base/integer.h"
#include "compiler/plan/region.h"

enum {
    TURNS = 2 /* rows that what lies between layers that are not heavy has room for: one is made
                 while one is read */
};

/* ---- which layers ---- */

/* Does an operand have the pixels of the result in one row, or one pixel for all? */
static bool has_pixels(const struct tensor *tensor, int64_t pixels) {
    const struct shape *s = &tensor->shape;
    return s->n == 1 && s->h == 1 && (s->w == pixels || s->w == 1);
}

/* Is it a product of each pixel alone? */
static bool is_of_pixels(const struct layer *layer) {
    bool pads = false;
    for (int side = 0; side < 4; side++) {
        pads = pads || layer->pad[side] != 0;
    }
    return layer->kind == LAYER_CONV && layer->kernel[0] == 1 && layer->kernel[1] == 1 &&
           layer->stride[0] == 1 && layer->stride[1] == 1 && layer->spread[0] == 1 &&
           layer->spread[1] == 1 && !pads;
}

/* The pixels of a layer that makes each of its results of the same pixel of its operands; 0: it
 * does not, or they cannot be parted. */
static int64_t pixels_of(const struct region *region, int index) {
    const struct layer *layer = &region->layers[index];
    const struct shape *out = &layer->out;
    bool good =
        (layer->kind == LAYER_BINARY || layer->kind == LAYER_TABLE || is_of_pixels(layer)) &&
        out->n == 1 && out->h == 1 && layer->summed == 0 && out->w % region->parts == 0 &&
        out->w / region->parts >= (int64_t)region->config->block / 2;
    for (uint32_t k = 0; k < layer->input_count && good; k++) {
        good = has_pixels(&region->tensors[region->tensors_of[index][k]], out->w);
    }
    return good ? out->w : 0;
}

bool is_heavy(const struct region *region, int index) {
    const struct layer *layer = &region->layers[index];
    return layer->kind == LAYER_CONV && blocks_of(region->config, layer->in.c) > 1 &&
           blocks_of(region->config, layer->out.c) > 1;
}

/* ---- runs ---- */

/* The next layer that is any work and can be abreast with one; -1: there is none. */
static int next_abreast(const struct region *region, int index) {
    int next = next_busy_layer(region, index);
    for (int i = index + 1; i < next; i++) {
        /* What is reshaped in external memory is there when all of it has been stored. */
        if (region->layers[i].kind == LAYER_RESHAPE && !is_done(region, i)) {
            return -1;
        }
    }
    return next >= 0 && pixels_of(region, next) == pixels_of(region, index) ? next : -1;
}

/* The layers from `first` on that are as heavy as it, or all no heavier: the last of them. */
static int last_alike(const struct region *region, int first) {
    int last = first;
    for (int next = first; next >= 0 && is_heavy(region, next) == is_heavy(region, first);
         next = next_abreast(region, next)) {
        last = next;
    }
    return last;
}

/* Of heavy layers [first, last] between two groups of others, the last of those that go with the
 * group before them: half. */
static int last_of_half(const struct region *region, int first, int last) {
    int count = 0;
    for (int i = first; i >= 0 && i <= last; i = next_busy_layer(region, i)) {
        count++;
    }
    int half = first;
    for (int i = 1; i < (count + 1) / 2; i++) {
        half = next_busy_layer(region, half);
    }
    return half;
}

/* The last layer of the run that begins with `first`: heavy layers, a group of others, heavy
 * layers. */
static int last_of_run(const struct region *region, int first) {
    int last = last_alike(region, first);
    int next = next_abreast(region, last);
    if (is_heavy(region, first) && next >= 0) {
        last = last_alike(region, next);
        next = next_abreast(region, last);
    }
    if (next < 0) {
        return last;
    }
    last = last_alike(region, next);
    return next_abreast(region, last) < 0 ? last : last_of_half(region, next, last);
}

/* Does MATRIX have something to do while VECTOR is at a normalisation? */
static bool pays(const struct region *region, int first, int last) {
    bool heavy = false;
    bool by_vector = false;
    for (int i = first; i >= 0 && i <= last; i = next_busy_layer(region, i)) {
        heavy = heavy || is_heavy(region, i);
        by_vector = by_vector || operations_of(&region->layers[i])->by_vector;
    }
    return heavy && by_vector;
}

/* ---- their tensors ---- */

static void part(const struct region *region, struct shape *shape) {
    if (shape->w > 1) {
        shape->h = region->parts;
        shape->w /= region->parts;
    }
}

static bool is_in_run(const struct run *run, int layer) {
    return layer >= run->first && layer <= run->last;
}

/* Is a tensor read as weights alone, of matrices that lie side by side in its channels? Then its
 * rows make no difference. */
static bool is_gathered(const struct region *region, int index) {
    const struct tensor *tensor = &region->tensors[index];
    bool found = tensor->within < 0;
    for (int i = 0; i < region->layer_count && found; i++) {
        const struct layer *layer = &region->layers[i];
        const int *tensors = region->tensors_of[i];
        for (int slot = 0; slot < (int)layer->input_count; slot++) {
            found =
                found &&
                (tensors[slot] != index || is_done(region, i) ||
                 (operations_of(layer)->gathers_weights && slot == 1 && layer->side_by_side[1]));
        }
    }
    return found;
}

/* A tensor that is read in a run alone gets rows, if it is made there, or comes from memory: then
 * the first rows are there before the last ones. Of what is made between layers none of which is
 * heavy few of them are enough. */
static void part_tensor(struct region *region, const struct run *run, int index) {
    struct tensor *tensor = &region->tensors[index];
    bool is_made =
        is_in_run(run, tensor->producer) && (!tensor->nhwc || is_gathered(region, index));
    bool is_loaded = tensor->producer < 0 && tensor->within < 0 && tensor->shape.w > 1;
    bool is_inside = (is_made || is_loaded) && tensor->same_bytes < 0 && !tensor->joined;
    bool is_light = true;
    for (int i = region->first_user[index]; i < region->first_user[index + 1]; i++) {
        is_inside = is_inside && is_in_run(run, region->users[i]);
        is_light = is_light && !is_heavy(region, region->users[i]);
    }
    tensor->stays = true;
    if (is_inside && !tensor->rows_apart) {
        part(region, &tensor->shape);
        tensor->rows_apart = true;
        tensor->turns = is_light && is_made ? TURNS : 0;
    }
}

/* A function of one byte of one channel that is `zero` less the byte becomes a product, weight -1:
 * LUT keeps the table that it has for other rows. */
static void negate_by_product(const struct region *region, struct layer *layer) {
    if (layer->kind != LAYER_TABLE || layer->out.c != 1) {
        return;
    }
    int zero = (int)(int8_t)layer->table[0];
    for (int byte = INT8_MIN; byte <= INT8_MAX; byte++) {
        if ((int8_t)layer->table[(uint8_t)byte] != weft_clamp(zero - byte, INT8_MIN, INT8_MAX)) {
            return;
        }
    }
    int8_t *weights = WEFT_NEW_ARRAY(region->arena, 1, int8_t);
    weights[0] = -1;
    layer_moves_channels(region->arena, layer, 1);
    layer->spread[0] = layer->spread[1] = 1;
    layer->weights = weights;
    layer->out_zero = zero;
    layer->low = INT8_MIN;
    layer->high = INT8_MAX;
}

static void part_layer(struct region *region, const struct run *run, int index) {
    struct layer *layer = &region->layers[index];
    for (int slot = 0; slot < 3; slot++) {
        if (slot == 2 || slot < (int)layer->input_count) {
            part_tensor(region, run, region->tensors_of[index][slot]);
        }
    }
    negate_by_product(region, layer);
    for (struct layer *of = layer; of != NULL;
         of = of->behind >= 0 ? &region->layers[of->behind] : NULL) {
        part(region, &of->in);
        part(region, &of->out);
    }
}

void region_abreast(struct region *region) {
    region->runs = WEFT_NEW_ARRAY(region->arena, (size_t)region->layer_count, struct run);
    for (int i = 0; i < region->layer_count; i++) {
        region->runs[i] = (struct run){i, i};
    }
    for (int i = 0; i < region->layer_count && region->parts > 0; i++) {
        if (layer_is_idle(region, i) || pixels_of(region, i) == 0) {
            continue;
        }
        const struct run run = {i, last_of_run(region, i)};
        for (int k = i; k >= 0 && k <= run.last && pays(region, run.first, run.last);
             k = next_busy_layer(region, k)) {
            region->runs[k] = run;
        }
        i = run.last;
    }
    for (int i = 0; i < region->layer_count; i++) {
        if (is_abreast(region, i)) {
            part_layer(region, &region->runs[i], i);
        }
    }
}

bool has_abreast(const struct region *region) {
    bool found = false;
    for (int i = 0; i < region->layer_count && !found; i++) {
        found = is_abreast(region, i);
    }
    return found;
}
