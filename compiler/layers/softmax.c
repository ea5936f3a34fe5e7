/* Softmax over the channels of each pixel. */
#include "base/fixed_point.h"
#include "base/integer.h"
#include "compiler/emit/work.h"
#include "compiler/host/host.h"
#include "compiler/layers/layers.h"

/* ---- lowering ---- */

static const char *lower_softmax(const struct lowering *lowering, const struct weft_node *node,
                                 const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    struct weft_error error;
    const char *reason = set_any_shapes(lowering, node->inputs[0], output);
    if (reason != NULL) {
        return reason;
    }
    if (layer->in.c > WEFT_SOFTMAX_MOST) {
        return "a softmax of 512 elements and more in a row could have a sum for which the "
               "reference has no answer";
    }
    if (layer->in.n * layer->in.h * layer->in.w * layer->in.c < 256 * lowering->config->block) {
        return "a softmax as small as this is not worth loading its table of exponentials";
    }
    int32_t *exponentials = WEFT_NEW_ARRAY(lowering->arena, 256, int32_t);
    if (!weft_host_exponentials(node, exponentials, &error)) {
        return "the host's kernel does not cover this either";
    }
    layer->kind = LAYER_SOFTMAX;
    layer->name = "softmax";
    layer->exponentials = exponentials;
    return NULL;
}

static const struct layer_pattern patterns[] = {
    {"weft.softmax", WEFT_OP_QNN_SOFTMAX, clipped_function, lower_softmax},
};

/* ---- tables ---- */

static void pack(struct packing *packing, int index) {
    add_exponentials(packing, packing->plan->layers[index]->exponentials);
}

/* ---- instructions ---- */

/* From strides of channel blocks, rows and columns to those of rows, columns and channel blocks. */
static void blocks_last(int32_t stride[3]) {
    int32_t block = stride[0];
    stride[0] = stride[1];
    stride[1] = stride[2];
    stride[2] = block;
}

static void emit_area(const struct work *work, const struct rows *rows, const struct area *area) {
    const struct layer *layer = layer_of(work);
    struct weft_instruction instruction = vector_of(work, WEFT_FUNCTION_SOFTMAX, &rows->out, area);
    struct weft_vector_fields *v = &instruction.vector;
    v->a = line_of(work, &rows->in[0], area);
    set_strides(work, &rows->in[0], v->a_stride);
    blocks_last(v->a_stride);
    blocks_last(v->out_stride);
    v->count[0] = (uint32_t)area->rows;
    v->count[1] = (uint32_t)area->columns;
    v->count[2] = (uint32_t)area->blocks;
    v->lanes = (uint32_t)(layer->in.c - (area->blocks - 1) * work->plan->config->block);
    v->out_zero = INT8_MIN; /* the reference takes it for granted */
    emit_with(work, &instruction, PIECES_LUT, exponentials_piece(work->plan, layer->exponentials));
}

static void emit_softmax(const struct work *work, const struct rows *rows) {
    const struct stripe *stripe = &rows->stripe;
    for (int64_t n = stripe->first_image; n < stripe->end_image; n++) {
        int64_t width = layer_of(work)->out.w;
        int64_t part = weft_ceil_div(width, weft_max(rows->parts, 1));
        for (int64_t column = 0; column < width; column += part) {
            const struct area area =
                all_blocks(work, n, stripe->first, column, stripe->end - stripe->first,
                           weft_min(part, width - column));
            emit_area(work, rows, &area);
            stream_end_part(work->stream);
        }
    }
}

const struct layer_operations softmax_operations = {.name = "softmax",
                                                    .pattern_count = COUNT_OF(patterns),
                                                    .patterns = patterns,
                                                    .reads_on_chip = true,
                                                    .makes_on_chip = true,
                                                    .in_chains = true,
                                                    .by_vector = true,
                                                    .rows_read = same_rows,
                                                    .choose = choose_vectors,
                                                    .pack = pack,
                                                    .emit = emit_softmax};
