/* Averages: depthwise sums with unit weights, divided by requantising. */
#include <string.h>

#include "base/integer.h"
#include "compiler/emit/work.h"
#include "compiler/layers/layers.h"
#include "isa/record.h"

enum {
    SUMMED_LINES = 256 /* of unit weights, for sums behind another layer */
};

static const struct layer_pattern patterns[] = {
    {"weft.avg_pool2d", WEFT_OP_AVG_POOL2D, clipped_function, lower_pool},
    {"weft.mean", WEFT_OP_QNN_MEAN, clipped_function, lower_mean},
};

/* Each channel block is walked on its own. */
static void choose(const struct plan *plan, int index, const struct hint *hint, struct cut *cut) {
    (void)plan;
    (void)index;
    (void)hint;
    cut->tile_blocks = 1;
}

/* ---- weights and parameters ---- */

/* What is added to the sum of a window of `taps` elements. */
static int32_t average_bias(const struct layer *layer, int64_t taps) {
    int64_t each = layer->average == AVERAGE_UINT8  ? 128
                   : layer->average == AVERAGE_MEAN ? -(int64_t)layer->zero[0]
                                                    : 0;
    return (int32_t)(uint32_t)(uint64_t)(each * taps);
}

/* The number of the record that holds average_bias(). Only windows that are cut by an edge
 * have fewer elements than the kernel. */
static int64_t average_record(const struct layer *layer, int64_t taps) {
    bool cut =
        !layer->pads_inside && layer->pad[0] + layer->pad[1] + layer->pad[2] + layer->pad[3] > 0;
    return layer->average == AVERAGE_UINT8 && cut ? taps - 1 : 0;
}

/* Unit weights for the largest window of an average pool, or as many as fit a bank; every smaller
 * one uses the beginning. */
static void unit_weights(struct packing *packing, int index) {
    const struct layer *layer = packing->plan->layers[index];
    const struct piece_of of = {.form = 0};
    int64_t bytes = layer->kernel[0] * layer->kernel[1] * packing->plan->config->block;
    bytes = weft_min(bytes, weft_bank_bytes(&packing->plan->as_if, WEFT_MEMORY_WGT));
    if (layer->is_behind) { /* of which a stripe has few, beside the weights of a chain */
        bytes = weft_min(bytes, SUMMED_LINES * (int64_t)packing->plan->config->block);
    }
    uint8_t *to = add_weights(packing, index, &of, bytes);
    if (to != NULL) {
        memset(to, 1, (size_t)bytes);
    }
}

/* A REQUANT record for each number of elements that a window can have, or one for all. */
static void average_records(struct packing *packing, const struct layer *layer) {
    int64_t lanes = packing->plan->config->block;
    int64_t most = layer->kernel[0] * layer->kernel[1];
    for (int64_t taps = most - average_record(layer, most); taps <= most; taps++) {
        uint8_t *to = add_piece(packing, PIECES_PAR, weft_record_lines(false, false) * lanes);
        for (int64_t lane = 0; to != NULL && lane < lanes; lane++) {
            weft_record_write_bias(to, (uint32_t)lane, average_bias(layer, taps));
        }
    }
}

static void pack(struct packing *packing, int index) {
    unit_weights(packing, index);
    average_records(packing, packing->plan->layers[index]);
}

/* ---- instructions ---- */

/* Channel blocks or rows of a rectangle whose windows are summed at once. */
struct sums {
    const struct view *in;
    const struct rectangle *rectangle;
    int64_t blocks;
    int64_t act; /* the first tap of the first window */
    int64_t accumulators;
};

/* Sums a part of each window: depthwise with weights of 1. The outer pixel level walks rows, or,
 * when there is one output only, channel blocks, whose sums need no weights of their own. */
static void emit_part(const struct work *work, const struct sums *sums,
                      const struct window_part *part, bool accumulate) {
    const struct layer *layer = layer_of(work);
    const struct view *in = sums->in;
    const struct rectangle *r = sums->rectangle;
    bool blocks = sums->blocks > 1;
    int64_t columns = r->columns.end - r->columns.first;
    struct weft_instruction instruction = weft_instruction_new(WEFT_OPCODE_MATRIX);
    struct weft_matrix_fields *m = &instruction.matrix;
    m->mode = WEFT_MODE_DEPTHWISE;
    m->accumulate = accumulate;
    m->act = (uint32_t)(sums->act + part->first_row * in->pitch + part->first_column * in->pixel);
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
    emit_with_accumulators(work, &instruction, PIECES_WGT, work->plan->first_weights[work->layer],
                           accumulate ? 0 : sums->accumulators);
}

/* As many groups of a part at once as there are unit weights. */
static void emit_groups(const struct work *work, const struct sums *sums,
                        const struct window_part *part, bool accumulate) {
    const struct plan *plan = work->plan;
    int piece = plan->first_weights[work->layer];
    int64_t lines = plan->pieces[PIECES_WGT][piece].bytes / plan->config->block;
    int64_t most = lines / (part->rows * part->columns);
    struct window_part some = *part;
    if (part->row_groups * part->column_groups <= most) {
        emit_part(work, sums, part, accumulate);
        return;
    }
    some.row_groups = 1;
    for (int64_t row = 0; row < part->row_groups; row++) {
        some.first_row = part->first_row + row * part->rows;
        for (int64_t at = 0; at < part->column_groups; at += some.column_groups) {
            some.first_column = part->first_column + at * part->columns;
            some.column_groups = weft_min(most, part->column_groups - at);
            emit_part(work, sums, &some, accumulate || row + at > 0);
        }
    }
}

static void emit_sums(const struct work *work, const struct view *in, const struct rectangle *r,
                      int64_t block, int64_t blocks, bool accumulate, int64_t accumulators) {
    const struct layer *layer = layer_of(work);
    const struct sums sums = {in, r, blocks, first_tap(layer, in, block, r), accumulators};
    struct window_part parts[MAX_WINDOW_PARTS];
    int count =
        window_parts(work->plan->config, layer, r->rows.high - r->rows.low,
                     r->columns.high - r->columns.low, r->columns.end - r->columns.first, parts);
    for (int i = 0; i < count; i++) {
        emit_groups(work, &sums, &parts[i], accumulate || i > 0);
    }
}

/* The factor that makes a mean of the sum of `taps` bytes. floor(2^31 / n) + 1 rounds exactly as
 * the reference's division for n of 2 to 1024, with one rounding as with gemmlowp's two. */
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
static void emit_division(const struct work *work, const struct view *out,
                          const struct rectangle *r, int64_t block, int64_t blocks) {
    const struct layer *layer = layer_of(work);
    int64_t lanes = work->plan->config->block;
    int64_t taps = (r->rows.high - r->rows.low) * (r->columns.high - r->columns.low);
    int64_t columns = r->columns.end - r->columns.first;
    struct weft_instruction instruction = weft_instruction_new(WEFT_OPCODE_VECTOR);
    struct weft_vector_fields *v = &instruction.vector;
    v->function = WEFT_FUNCTION_REQUANT;
    v->rounding = layer->average == AVERAGE_MEAN ? WEFT_ROUNDING_GEMMLOWP
                                                 : exact_rounding(work->plan->config);
    set_divisor(v, layer, taps);
    v->out = (uint32_t)(view_pixel(out, r->image, block, r->rows.first, r->columns.first) / lanes);
    v->count[1] = (uint32_t)(blocks > 1 ? blocks : r->rows.end - r->rows.first);
    v->count[2] = (uint32_t)columns;
    v->out_stride[1] = (int32_t)((blocks > 1 ? out->plane : out->pitch) / lanes);
    v->out_stride[2] = (int32_t)(out->pixel / lanes);
    v->a_stride[1] = (int32_t)columns;
    v->a_stride[2] = 1;
    v->low = layer->low;
    v->high = layer->high;
    emit_with(work, &instruction, PIECES_PAR,
              work->plan->first_parameters[work->layer] + (int)average_record(layer, taps));
}

static void emit_average_rectangle(const struct work *work, const struct view *in,
                                   const struct view *out, const struct rectangle *whole) {
    int64_t entries = weft_acc_bank_entries(work->plan->config);
    int64_t blocks = blocks_of(work->plan->config, layer_of(work)->out.c);
    int64_t rows = whole->rows.end - whole->rows.first;
    int64_t columns = weft_min(whole->columns.end - whole->columns.first, entries);
    if (rows * columns == 1) {
        for (int64_t block = 0; block < blocks; block += entries) {
            int64_t count = weft_min(entries, blocks - block);
            emit_sums(work, in, whole, block, count, false, count);
            emit_division(work, out, whole, block, count);
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
                emit_sums(work, in, &r, block, 1, false, entries);
                emit_division(work, out, &r, block, 1);
            }
        }
    }
}

static void emit_average(const struct work *work, const struct rows *rows) {
    emit_pool(work, rows, emit_average_rectangle);
}

/* ---- behind another layer ---- */

/* The one window, of which there are the rows [first, end). */
static struct rectangle only_window(const struct layer *layer, int64_t image, int64_t first,
                                    int64_t end) {
    return (struct rectangle){image, {0, 1, first, end}, {0, 1, 0, layer->in.w}};
}

static void emit_rows_of_sums(const struct work *work, const struct view *in,
                              const struct stripe *stripe) {
    const struct layer *layer = layer_of(work);
    int64_t blocks = blocks_of(work->plan->config, layer->in.c);
    const struct rectangle r = only_window(layer, stripe->first_image, stripe->first, stripe->end);
    emit_sums(work, in, &r, stripe->first_block,
              weft_min(stripe->end_block, blocks) - stripe->first_block, stripe->first > 0, 0);
}

static void emit_mean(const struct work *work, const struct view *out) {
    const struct layer *layer = layer_of(work);
    const struct rectangle r = only_window(layer, 0, 0, layer->in.h);
    emit_division(work, out, &r, 0, blocks_of(work->plan->config, layer->out.c));
}

const struct layer_operations average_pool_operations = {.name = "average pool",
                                                         .pattern_count = COUNT_OF(patterns),
                                                         .patterns = patterns,
                                                         .reads_on_chip = true,
                                                         .makes_on_chip = true,
                                                         .in_chains = true,
                                                         .has_window = true,
                                                         .reads_rows_at_once = true,
                                                         .rows_read = rows_of_window,
                                                         .choose = choose,
                                                         .pack = pack,
                                                         .emit_sums = emit_rows_of_sums,
                                                         .emit_mean = emit_mean,
                                                         .emit = emit_average};
