/* Maximum pools: work of the vector unit alone. */
#include "base/integer.h"
#include "compiler/emit/work.h"
#include "compiler/layers/layers.h"

static const struct layer_pattern patterns[] = {
    {"weft.max_pool2d", WEFT_OP_MAX_POOL2D, clipped_function, lower_pool},
};

static void emit_maximum_rectangle(const struct work *work, const struct view *in,
                                   const struct view *out, const struct rectangle *r) {
    const struct layer *layer = layer_of(work);
    int64_t lanes = work->plan->config->block;
    int64_t rows = tiling_of(work)->rows;
    for (int64_t y = r->rows.first; y < r->rows.end; y += rows) {
        struct rectangle tile = *r;
        tile.rows.first = y;
        struct weft_instruction instruction = weft_instruction_new(WEFT_OPCODE_VECTOR);
        struct weft_vector_fields *v = &instruction.vector;
        v->function = WEFT_FUNCTION_POOL;
        v->out = (uint32_t)(view_pixel(out, r->image, 0, y, r->columns.first) / lanes);
        v->a = (uint32_t)(first_tap(layer, in, 0, &tile) / lanes);
        const int64_t count[3] = {blocks_of(work->plan->config, layer->out.c),
                                  weft_min(rows, r->rows.end - y),
                                  r->columns.end - r->columns.first};
        const int64_t out_stride[3] = {out->plane, out->pitch, out->pixel};
        const int64_t in_stride[3] = {in->plane, layer->stride[0] * in->pitch,
                                      layer->stride[1] * in->pixel};
        for (int i = 0; i < 3; i++) {
            v->count[i] = (uint32_t)count[i];
            v->out_stride[i] = (int32_t)(out_stride[i] / lanes);
            v->a_stride[i] = (int32_t)(in_stride[i] / lanes);
        }
        v->window_count[0] = (uint32_t)(r->rows.high - r->rows.low);
        v->window_count[1] = (uint32_t)(r->columns.high - r->columns.low);
        v->window_stride[0] = (int32_t)(in->pitch / lanes);
        v->window_stride[1] = (int32_t)(in->pixel / lanes);
        v->low = layer->low;
        v->high = layer->high;
        emit(work, &instruction);
    }
}

static void emit_maximum(const struct work *work, const struct rows *rows) {
    emit_pool(work, rows, emit_maximum_rectangle);
}

const struct layer_operations maximum_pool_operations = {.name = "maximum pool",
                                                         .pattern_count = COUNT_OF(patterns),
                                                         .patterns = patterns,
                                                         .reads_on_chip = true,
                                                         .makes_on_chip = true,
                                                         .in_chains = true,
                                                         .by_vector = true,
                                                         .has_window = true,
                                                         .rows_read = rows_of_window,
                                                         .choose = choose_vectors,
                                                         .emit = emit_maximum};
