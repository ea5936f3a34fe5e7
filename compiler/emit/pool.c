/* Pools. A window that reaches over an edge is cut there: the outputs are walked in rectangles
 * whose windows are cut alike. */
#include "base/integer.h"
#include "compiler/emit/work.h"

static struct span cut_window(const struct layer *layer, int axis, int64_t output) {
    const int64_t size[2] = {layer->in.h, layer->in.w};
    int64_t kernel = layer->kernel[axis];
    int64_t at = output * layer->stride[axis] - layer->pad[axis];
    bool cut = !layer->pads_inside;
    return (struct span){output, output + 1, cut ? weft_max(0, -at) : 0,
                         cut ? weft_min(kernel, size[axis] - at) : kernel};
}

/* The longest span from `first` on whose windows are cut alike. */
static struct span next_span(const struct layer *layer, int axis, int64_t first, int64_t end) {
    struct span span = cut_window(layer, axis, first);
    for (; span.end < end; span.end++) {
        struct span next = cut_window(layer, axis, span.end);
        if (next.low != span.low || next.high != span.high) {
            break;
        }
    }
    return span;
}

void emit_pool(const struct work *work, const struct rows *rows, emit_rectangle *emit_one) {
    const struct layer *layer = layer_of(work);
    const struct view in = layer_view(layer, &rows->in[0]);
    const struct view out = layer_view(layer, &rows->out);
    int64_t row = layer->turned ? 0 : rows->stripe.first;
    int64_t row_end = layer->turned ? 1 : rows->stripe.end;
    struct rectangle r;
    for (r.image = rows->stripe.first_image; r.image < rows->stripe.end_image; r.image++) {
        for (int64_t y = row; y < row_end; y = r.rows.end) {
            r.rows = next_span(layer, 0, y, row_end);
            for (int64_t x = 0; x < layer->out.w; x = r.columns.end) {
                r.columns = next_span(layer, 1, x, layer->out.w);
                emit_one(work, &in, &out, &r);
            }
        }
    }
}

int64_t first_tap(const struct layer *layer, const struct view *in, int64_t block,
                  const struct rectangle *r) {
    return view_pixel(in, r->image, block,
                      r->rows.first * layer->stride[0] - layer->pad[TOP] + r->rows.low,
                      r->columns.first * layer->stride[1] - layer->pad[LEFT] + r->columns.low);
}
