/* Rows and columns repeated or left out. */
#include "compiler/emit/work.h"
#include "compiler/host/nearest.h"
#include "compiler/layers/layers.h"

/* ---- lowering ---- */

/* Finds how elements along an axis are repeated or left out evenly; false when they are not. */
static bool find_steps(const struct weft_node *node, int axis, struct layer *layer) {
    int64_t count = node->results[0]->type.dim[axis];
    int64_t first = weft_host_nearest(node, axis, 0);
    int64_t repeat = 1;
    while (repeat < count && weft_host_nearest(node, axis, repeat) == first) {
        repeat++;
    }
    int64_t step = repeat < count ? weft_host_nearest(node, axis, repeat) - first : 1;
    for (int64_t i = 0; i < count; i++) {
        if (weft_host_nearest(node, axis, i) != first + i / repeat * step) {
            return false;
        }
    }
    layer->begin[axis] = first;
    layer->repeat[axis - 1] = repeat;
    layer->stride[axis - 1] = step;
    return true;
}

static const char *lower_resize(const struct lowering *lowering, const struct weft_node *node,
                                const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    const char *reason = set_shapes(lowering, node->inputs[0], output);
    if (reason != NULL) {
        return reason;
    }
    layer->kind = LAYER_RESIZE;
    layer->name = "resize_nearest_neighbor";
    return find_steps(node, 1, layer) && find_steps(node, 2, layer)
               ? NULL
               : "rows and columns that are not all repeated, or left out, alike do not run on the "
                 "machine";
}

static const struct layer_pattern patterns[] = {
    {"weft.resize_nearest_neighbor", WEFT_OP_RESIZE_NEAREST_NEIGHBOR, plain_function, lower_resize},
};

/* ---- rows ---- */

/* Output row y is input row begin[1] + y / repeat[0] * stride[0]. */
static void rows_of_resize(const struct layer *layer, int64_t first, int64_t end, int64_t *in_first,
                           int64_t *in_end) {
    *in_first = layer->begin[1] + first / layer->repeat[0] * layer->stride[0];
    *in_end = layer->begin[1] + (end - 1) / layer->repeat[0] * layer->stride[0] + 1;
}

static int64_t most_rows_of_resize(const struct layer *layer, int64_t rows) {
    return (rows + layer->repeat[0] - 2) / layer->repeat[0] * layer->stride[0] + 1;
}

/* ---- instructions ---- */

/* Outputs of one axis that are a first, second, ... repetition of an input, in [first, end). */
struct phase {
    int64_t first, count;
};

static struct phase phase_of(int64_t number, int64_t repeat, int64_t first, int64_t end) {
    int64_t at = first + (number - first % repeat + repeat) % repeat;
    return (struct phase){at, at < end ? (end - 1 - at) / repeat + 1 : 0};
}

/* Copies the inputs of a phase of rows and one of columns. */
static void copy_phase(const struct work *work, const struct rows *rows, int64_t image,
                       const struct phase *y, const struct phase *x) {
    const struct layer *layer = layer_of(work);
    const struct area to = all_blocks(work, image, y->first, x->first, y->count, x->count);
    struct area from = to;
    from.first_row = layer->begin[1] + y->first / layer->repeat[0] * layer->stride[0];
    from.first_column = layer->begin[2] + x->first / layer->repeat[1] * layer->stride[1];
    struct weft_instruction copy = copy_of(work, &rows->in[0], &from, &rows->out, &to);
    struct weft_vector_fields *v = &copy.vector;
    v->out_stride[1] *= (int32_t)layer->repeat[0];
    v->out_stride[2] *= (int32_t)layer->repeat[1];
    v->a_stride[1] *= (int32_t)layer->stride[0];
    v->a_stride[2] *= (int32_t)layer->stride[1];
    emit(work, &copy);
}

static void emit_resize(const struct work *work, const struct rows *rows) {
    const struct layer *layer = layer_of(work);
    const struct stripe *stripe = &rows->stripe;
    for (int64_t n = stripe->first_image; n < stripe->end_image; n++) {
        for (int64_t i = 0; i < layer->repeat[0]; i++) {
            struct phase y = phase_of(i, layer->repeat[0], stripe->first, stripe->end);
            for (int64_t k = 0; k < layer->repeat[1] && y.count > 0; k++) {
                struct phase x = phase_of(k, layer->repeat[1], 0, layer->out.w);
                if (x.count > 0) {
                    copy_phase(work, rows, n, &y, &x);
                }
            }
        }
    }
}

const struct layer_operations resize_operations = {.name = "resize",
                                                   .pattern_count = COUNT_OF(patterns),
                                                   .patterns = patterns,
                                                   .reads_on_chip = true,
                                                   .makes_on_chip = true,
                                                   .in_chains = true,
                                                   .by_vector = true,
                                                   .rows_read = rows_of_resize,
                                                   .most_rows_read = most_rows_of_resize,
                                                   .choose = choose_stripes,
                                                   .emit = emit_resize};
