/* Rows and columns around a tensor, or between its own. */
#include <string.h>

#include "base/integer.h"
#include "compiler/emit/work.h"
#include "compiler/layers/layers.h"

/* ---- lowering ---- */

/* Channels are padded by a convolution with weights of 0 and 1: lanes move, bytes stay. */
static const char *pad_channels(const struct lowering *lowering, int64_t before, int32_t value) {
    enum {
        MOST = 1 << 24 /* weights */
    };
    struct layer *layer = lowering->layer;
    if (layer->out.c > MOST / layer->in.c) {
        return "channels are padded by a product with a square of weights, which would be too "
               "large";
    }
    int8_t *weights = WEFT_NEW_ARRAY(lowering->arena, (size_t)(layer->out.c * layer->in.c), int8_t);
    layer_moves_channels(lowering->arena, layer, 1);
    for (int64_t o = 0; o < layer->out.c; o++) {
        bool inside = o >= before && o < before + layer->in.c;
        layer->bias[o] = inside ? 0 : value;
        if (inside) {
            weights[o * layer->in.c + o - before] = 1;
        }
    }
    layer->weights = weights;
    return NULL;
}

static const char *lower_pad(const struct lowering *lowering, const struct weft_node *node,
                             const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    uint32_t rank = node->inputs[0]->type.rank;
    const char *reason = set_shapes(lowering, node->inputs[0], output);
    if (reason != NULL) {
        return reason;
    }
    layer->kind = LAYER_PAD;
    layer->name = "pad";
    if (node->input_count > 1) {
        const uint8_t *value = machine_bytes(lowering->arena, node->inputs[1]);
        if (value == NULL) {
            return "a padding that is not constant does not run on the machine";
        }
        layer->out_zero = (int32_t)weft_element(WEFT_I8, value, 0);
    }
    int64_t all[8] = {0};
    memcpy(all + 2 * (4 - rank), weft_node_ints(node, WEFT_ATTR_pads), 2 * rank * sizeof *all);
    if (all[0] != 0 || all[1] != 0) {
        return "images are not padded on the machine";
    }
    const int64_t pad[4] = {all[2], all[4], all[3], all[5]};
    memcpy(layer->pad, pad, sizeof pad);
    return all[6] == 0 && all[7] == 0 ? NULL
           : layer->in.h != layer->out.h || layer->in.w != layer->out.w
               ? "channels are not padded together with rows or columns on the machine"
               : pad_channels(lowering, all[6], layer->out_zero);
}

/* The value may be given. */
static struct weft_pattern *pad_with(struct weft_arena *arena, enum weft_operator operator) {
    struct weft_pattern *operands[2] = {weft_pattern_wildcard(arena), weft_pattern_constant(arena)};
    return weft_pattern_op(arena, operator, 2, operands);
}

static const struct layer_pattern patterns[] = {
    {"weft.pad", WEFT_OP_PAD, plain_function, lower_pad},
    {"weft.pad", WEFT_OP_PAD, pad_with, lower_pad},
};

/* ---- rows ---- */

static void rows_of_pad(const struct layer *layer, int64_t first, int64_t end, int64_t *in_first,
                        int64_t *in_end) {
    *in_first = weft_floor_div(first - layer->pad[TOP] - 1, layer->spread[0]) + 1;
    *in_end = weft_floor_div(end - 1 - layer->pad[TOP], layer->spread[0]) + 1;
}

static int64_t most_rows_of_pad(const struct layer *layer, int64_t rows) {
    return weft_ceil_div(rows, layer->spread[0]);
}

/* ---- instructions ---- */

static void fill_rectangle(const struct work *work, const struct view *out, int64_t image,
                           int64_t row, int64_t column, int64_t rows, int64_t columns) {
    if (rows > 0 && columns > 0) {
        const struct area area = all_blocks(work, image, row, column, rows, columns);
        struct weft_instruction fill = vector_of(work, WEFT_FUNCTION_FILL, out, &area);
        emit(work, &fill);
    }
}

/* What of the rows [first, end) of the result is not the operand, whose rows are [top, bottom). */
static void fill_around(const struct work *work, const struct view *out, int64_t image,
                        const struct stripe *stripe, int64_t top, int64_t bottom) {
    const struct layer *layer = layer_of(work);
    if (layer->spread[0] > 1 || layer->spread[1] > 1) {
        fill_rectangle(work, out, image, stripe->first, 0, stripe->end - stripe->first,
                       layer->out.w);
        return;
    }
    fill_rectangle(work, out, image, stripe->first, 0, top - stripe->first, layer->out.w);
    fill_rectangle(work, out, image, top, 0, bottom - top, layer->pad[LEFT]);
    fill_rectangle(work, out, image, top, layer->pad[LEFT] + layer->in.w, bottom - top,
                   layer->pad[RIGHT]);
    fill_rectangle(work, out, image, bottom, 0, stripe->end - bottom, layer->out.w);
}

/* Rows [first, end) of the operand. */
static void copy_rows(const struct work *work, const struct rows *rows, int64_t image,
                      int64_t first, int64_t end) {
    const struct layer *layer = layer_of(work);
    int64_t step = tiling_of(work)->rows;
    for (int64_t row = first; row < end; row += step) {
        const struct area from =
            all_blocks(work, image, row, 0, weft_min(step, end - row), layer->in.w);
        struct area to = from;
        to.first_row = layer->pad[TOP] + row * layer->spread[0];
        to.first_column = layer->pad[LEFT];
        struct weft_instruction copy = copy_of(work, &rows->in[0], &from, &rows->out, &to);
        copy.vector.out_stride[1] *= (int32_t)layer->spread[0];
        copy.vector.out_stride[2] *= (int32_t)layer->spread[1];
        emit(work, &copy);
    }
}

static void emit_pad(const struct work *work, const struct rows *rows) {
    const struct layer *layer = layer_of(work);
    const struct stripe *stripe = &rows->stripe;
    int64_t first = 0;
    int64_t end = 0;
    rows_of_pad(layer, stripe->first, stripe->end, &first, &end);
    first = weft_clamp(first, 0, layer->in.h);
    end = weft_clamp(end, first, layer->in.h);
    /* Where the operand's rows are, in the result; an empty range is inside the stripe too. */
    int64_t top = weft_clamp(layer->pad[TOP] + first, stripe->first, stripe->end);
    int64_t bottom = weft_clamp(layer->pad[TOP] + end, top, stripe->end);
    for (int64_t n = stripe->first_image; n < stripe->end_image; n++) {
        fill_around(work, &rows->out, n, stripe, top, bottom);
        copy_rows(work, rows, n, first, end);
    }
}

const struct layer_operations pad_operations = {.name = "pad",
                                                .pattern_count = COUNT_OF(patterns),
                                                .patterns = patterns,
                                                .reads_on_chip = true,
                                                .makes_on_chip = true,
                                                .in_chains = true,
                                                .by_vector = true,
                                                .rows_read = rows_of_pad,
                                                .most_rows_read = most_rows_of_pad,
                                                .choose = choose_stripes,
                                                .emit = emit_pad};
