/* Pools. A window that reaches over an edge is cut there: the outputs are walked in rectangles
 * whose windows are cut alike. */
#include "base/integer.h"
#include "compiler/emit/work.h"

static struct span cut_window(int64_t output, int64_t stride, int64_t pad, int64_t kernel,
                              int64_t size) {
    int64_t at = output * stride - pad;
    return (struct span){output, output + 1, weft_max(0, -at), weft_min(kernel, size - at)};
}

/* The longest span from `first` on whose windows are cut alike. */
static struct span next_span(int64_t first, int64_t end, int64_t stride, int64_t pad,
                             int64_t kernel, int64_t size) {
    struct span span = cut_window(first, stride, pad, kernel, size);
    for (; span.end < end; span.end++) {
        struct span next = cut_window(span.end, stride, pad, kernel, size);
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
            r.rows = next_span(y, row_end, layer->stride[0], layer->pad[TOP], layer->kernel[0],
                               layer->in.h);
            for (int64_t x = 0; x < layer->out.w; x = r.columns.end) {
                r.columns = next_span(x, layer->out.w, layer->stride[1], layer->pad[LEFT],
                                      layer->kernel[1], layer->in.w);
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
