/* Pools. A window that reaches over an edge is cut there: the outputs are walked in rectangles
 * whose windows are cut alike. */
#include "base/integer.h"
#include "compiler/emit/emitter.h"

/* Outputs [first, end) of one axis whose windows cover the taps [low, high). */
struct span {
    int64_t first, end;
    int64_t low, high;
};

struct rectangle {
    int64_t image;
    struct span rows, columns;
};

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

typedef void emit_rectangle(struct emitter *emitter, const struct view *in, const struct view *out,
                            const struct rectangle *rectangle);

static void emit_pool(struct emitter *emitter, const struct rows *rows, emit_rectangle *emit_one) {
    const struct layer *layer = &emitter->segment->layers[emitter->layer];
    struct view in = rows->in[0];
    struct view out = rows->out;
    struct rectangle r;
    int64_t row = rows->stripe.first;
    int64_t row_end = rows->stripe.end;
    if (layer->turned) {
        in.base -= in.first_row * in.pitch;
        out.base -= out.first_row * out.pitch;
        in.first_row = out.first_row = 0;
        in.pixel = in.pitch;
        out.pixel = out.pitch;
        row = 0;
        row_end = 1;
    }
    for (r.image = rows->stripe.first_image; r.image < rows->stripe.end_image; r.image++) {
        for (int64_t y = row; y < row_end; y = r.rows.end) {
            r.rows = next_span(y, row_end, layer->stride[0], layer->pad[TOP], layer->kernel[0],
                               layer->in.h);
            for (int64_t x = 0; x < layer->out.w; x = r.columns.end) {
                r.columns = next_span(x, layer->out.w, layer->stride[1], layer->pad[LEFT],
                                      layer->kernel[1], layer->in.w);
                emit_one(emitter, &in, &out, &r);
            }
        }
    }
}

/* The address of the first tap of the first window of a rectangle. */
static int64_t first_tap(const struct layer *layer, const struct view *in, int64_t block,
                         const struct rectangle *r) {
    return view_pixel(in, r->image, block,
                      r->rows.first * layer->stride[0] - layer->pad[TOP] + r->rows.low,
                      r->columns.first * layer->stride[1] - layer->pad[LEFT] + r->columns.low);
}

/* ---- average ---- */

/* Channel blocks or rows of a rectangle whose windows are summed at once. */
struct sums {
    const struct view *in;
    const struct rectangle *rectangle;
    int64_t blocks;
    int64_t act, acc; /* the first tap of the first window, and its accumulator */
};

/* Sums a part of each window: depthwise with weights of 1. The outer pixel level walks rows, or,
 * when there is one output only, channel blocks, whose sums need no weights of their own. */
static void emit_part(struct emitter *emitter, const struct sums *sums,
                      const struct window_part *part, bool accumulate) {
    const struct layer *layer = &emitter->segment->layers[emitter->layer];
    const struct view *in = sums->in;
    const struct rectangle *r = sums->rectangle;
    bool blocks = sums->blocks > 1;
    int64_t columns = r->columns.end - r->columns.first;
    struct weft_instruction instruction = weft_instruction_new(WEFT_OPCODE_MATRIX);
    struct weft_matrix_fields *m = &instruction.matrix;
    m->mode = WEFT_MODE_DEPTHWISE;
    m->accumulate = accumulate;
    m->act = (uint32_t)(sums->act + part->first_row * in->pitch + part->first_column * in->pixel);
    m->wgt =
        (uint32_t)use_piece(emitter, PIECES_WGT, emitter->segment->first_weights[emitter->layer]);
    m->acc = (uint32_t)sums->acc;
    m->tile_count[0] = (uint32_t)part->row_groups;
    m->tile_act_stride[0] = (int32_t)(part->rows * in->pitch);
    m->tile_count[1] = (uint32_t)part->column_groups;
    m->tile_act_stride[1] = (int32_t)(part->columns * in->pixel);
    m->pixel_count[0] = (uint32_t)(blocks ? sums->blocks : r->rows.end - r->rows.first);
    m->pixel_count[1] = (uint32_t)columns;
    m->pixel_act_stride[0] = (int32_t)(blocks ? in->plane : layer->stride[0] * in->pitch);
    m->pixel_act_stride[1] =
        (int32_t)(part->columns == 1 ? layer->stride[1] * in->pixel : in->pixel);
    m->pixel_acc_stride[0] = (int32_t)columns;
    m->pixel_acc_stride[1] = 1;
    m->window_rows = (uint32_t)part->rows;
    m->window_columns = (uint32_t)part->columns;
    m->window_row_stride = (int32_t)in->pitch;
    m->window_step = part->columns == 1 ? 1 : (uint32_t)layer->stride[1];
    emit(emitter, &instruction);
}

/* As many groups of a part at once as there are unit weights. */
static void emit_groups(struct emitter *emitter, const struct sums *sums,
                        const struct window_part *part, bool accumulate) {
    const struct segment *segment = emitter->segment;
    int piece = segment->first_weights[emitter->layer];
    int64_t lines = segment->pieces[PIECES_WGT][piece].bytes / segment->config->block;
    int64_t most = lines / (part->rows * part->columns);
    struct window_part some = *part;
    if (part->row_groups * part->column_groups <= most) {
        emit_part(emitter, sums, part, accumulate);
        return;
    }
    some.row_groups = 1;
    for (int64_t row = 0; row < part->row_groups; row++) {
        some.first_row = part->first_row + row * part->rows;
        for (int64_t at = 0; at < part->column_groups; at += some.column_groups) {
            some.first_column = part->first_column + at * part->columns;
            some.column_groups = weft_min(most, part->column_groups - at);
            emit_part(emitter, sums, &some, accumulate || row + at > 0);
        }
    }
}

static void emit_sums(struct emitter *emitter, const struct view *in, const struct rectangle *r,
                      int64_t block, int64_t blocks, int64_t acc) {
    const struct layer *layer = &emitter->segment->layers[emitter->layer];
    const struct sums sums = {in, r, blocks, first_tap(layer, in, block, r), acc};
    struct window_part parts[MAX_WINDOW_PARTS];
    int count =
        window_parts(emitter->segment, layer, r->rows.high - r->rows.low,
                     r->columns.high - r->columns.low, r->columns.end - r->columns.first, parts);
    for (int i = 0; i < count; i++) {
        emit_groups(emitter, &sums, &parts[i], i > 0);
    }
}

/* The factor that makes a mean of the sum of `taps` bytes. floor(2^31 / n) + 1 rounds exactly as
 * the reference's division for n of 2 to 1024. */
static void set_divisor(struct weft_vector_fields *v, const struct layer *layer, int64_t taps) {
    v->multiplier = (uint32_t)(taps == 1 ? INT64_C(1) << 30 : (INT64_C(1) << 31) / taps + 1);
    v->shift = taps == 1 ? 1 : 0;
    v->out_zero = layer->average == AVERAGE_UINT8 ? -128 : 0;
    if (layer->average == AVERAGE_MEAN) {
        v->multiplier = (uint32_t)layer->mean_multiplier;
        v->shift = layer->mean_shift;
        v->out_zero = layer->out_zero;
    }
}

/* Divides sums of `taps` bytes. */
static void emit_division(struct emitter *emitter, const struct view *out,
                          const struct rectangle *r, int64_t block, int64_t blocks, int64_t acc) {
    const struct layer *layer = &emitter->segment->layers[emitter->layer];
    int64_t lanes = emitter->segment->config->block;
    int64_t taps = (r->rows.high - r->rows.low) * (r->columns.high - r->columns.low);
    int64_t columns = r->columns.end - r->columns.first;
    struct weft_instruction instruction = weft_instruction_new(WEFT_OPCODE_VECTOR);
    struct weft_vector_fields *v = &instruction.vector;
    v->function = WEFT_FUNCTION_REQUANT;
    set_divisor(v, layer, taps);
    int piece = emitter->segment->first_parameters[emitter->layer];
    piece += (int)average_record(layer, taps);
    v->par = (uint32_t)(use_piece(emitter, PIECES_PAR, piece) / lanes);
    v->out = (uint32_t)(view_pixel(out, r->image, block, r->rows.first, r->columns.first) / lanes);
    v->a = (uint32_t)acc;
    v->count[1] = (uint32_t)(blocks > 1 ? blocks : r->rows.end - r->rows.first);
    v->count[2] = (uint32_t)columns;
    v->out_stride[1] = (int32_t)((blocks > 1 ? out->plane : out->pitch) / lanes);
    v->out_stride[2] = (int32_t)(out->pixel / lanes);
    v->a_stride[1] = (int32_t)columns;
    v->a_stride[2] = 1;
    v->low = layer->low;
    v->high = layer->high;
    emit(emitter, &instruction);
}

static void emit_average_rectangle(struct emitter *emitter, const struct view *in,
                                   const struct view *out, const struct rectangle *whole) {
    const struct segment *segment = emitter->segment;
    int64_t entries = weft_acc_entries(segment->config) / WEFT_ACC_BANKS;
    int64_t blocks = blocks_of(segment, segment->layers[emitter->layer].out.c);
    int64_t rows = whole->rows.end - whole->rows.first;
    int64_t columns = weft_min(whole->columns.end - whole->columns.first, entries);
    if (rows * columns == 1) {
        for (int64_t block = 0; block < blocks; block += entries) {
            int64_t count = weft_min(entries, blocks - block);
            int64_t acc = use_accumulators(emitter, count);
            emit_sums(emitter, in, whole, block, count, acc);
            emit_division(emitter, out, whole, block, count, acc);
        }
        return;
    }
    struct rectangle r = *whole;
    for (int64_t block = 0; block < blocks; block++) {
        for (r.rows.first = whole->rows.first; r.rows.first < whole->rows.end;
             r.rows.first = r.rows.end) {
            r.rows.end = weft_min(whole->rows.end, r.rows.first + entries / columns);
            for (r.columns.first = whole->columns.first; r.columns.first < whole->columns.end;
                 r.columns.first = r.columns.end) {
                r.columns.end = weft_min(whole->columns.end, r.columns.first + columns);
                int64_t acc = use_accumulators(emitter, entries);
                emit_sums(emitter, in, &r, block, 1, acc);
                emit_division(emitter, out, &r, block, 1, acc);
            }
        }
    }
}

void emit_average(struct emitter *emitter, const struct rows *rows) {
    emit_pool(emitter, rows, emit_average_rectangle);
}

/* ---- maximum ---- */

static void emit_maximum_rectangle(struct emitter *emitter, const struct view *in,
                                   const struct view *out, const struct rectangle *r) {
    const struct segment *segment = emitter->segment;
    const struct layer *layer = &segment->layers[emitter->layer];
    int64_t lanes = segment->config->block;
    int64_t rows = segment->tilings[emitter->layer].rows;
    for (int64_t y = r->rows.first; y < r->rows.end; y += rows) {
        struct rectangle tile = *r;
        tile.rows.first = y;
        struct weft_instruction instruction = weft_instruction_new(WEFT_OPCODE_VECTOR);
        struct weft_vector_fields *v = &instruction.vector;
        v->function = WEFT_FUNCTION_POOL;
        v->out = (uint32_t)(view_pixel(out, r->image, 0, y, r->columns.first) / lanes);
        v->a = (uint32_t)(first_tap(layer, in, 0, &tile) / lanes);
        const int64_t count[3] = {blocks_of(segment, layer->out.c), weft_min(rows, r->rows.end - y),
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
        emit(emitter, &instruction);
    }
}

void emit_maximum(struct emitter *emitter, const struct rows *rows) {
    emit_pool(emitter, rows, emit_maximum_rectangle);
}
