/* Walks the layers of a plan, stripe by stripe. */
#include "base/integer.h"
#include "compiler/emit/emit.h"
#include "compiler/emit/work.h"

/* ---- what comes ahead ---- */

/* The first input of the stripe after the one that is being made. What VECTOR does to it comes
 * before the last of the present stripe, so that MATRIX goes on without a pause. */
struct ahead {
    bool is_ready;
    struct view view;
    struct stream stream; /* with a part for each tile of the present stripe */
};

/* Loads it in the middle of the present stripe of `tiles` tiles; false: there is nothing to do. */
static bool load_ahead(const struct work *work, int64_t number, int64_t tiles,
                       const struct stripe *results, struct ahead *ahead) {
    if (results->first >= results->end || !comes_ahead(work)) {
        return false;
    }
    ahead->stream.count = ahead->stream.part_count = 0;
    struct work work_ahead = *work;
    work_ahead.stream = &ahead->stream;
    for (int64_t tile = 1; tile <= tiles; tile++) {
        if (tile == weft_ceil_div(tiles, 2)) {
            ahead->view = load_input(&work_ahead, 0, number, results);
        }
        stream_end_part(&ahead->stream);
    }
    ahead->is_ready = true;
    return true;
}

/* ---- stripes ---- */

/* The rows of the output tensor that a stripe of results is. */
static struct stripe output_stripe(const struct work *work, const struct stripe *results) {
    struct stripe stripe = *results;
    if (layer_of(work)->side_by_side[2]) {
        return stripe_of_heads(work->plan->config, layer_of(work), 2, results);
    }
    if (layer_of(work)->turned) {
        stripe.first = 0;
        stripe.end = tensor_at(work->plan, work->layer, 2)->shape.h;
    }
    return stripe;
}

/* Makes the groups of a stripe that are made together: loads what a sum adds to them, makes them,
 * and stores them. */
static void emit_groups(const struct work *work, int64_t number, const struct stripe *results,
                        struct rows *rows) {
    const struct layer *layer = layer_of(work);
    const struct stripe stripe = output_stripe(work, results);
    int out = operand_of(work, 2);
    if (layer->input_count > 1 && reads_on_chip(layer, 1)) {
        if (operations_of(layer)->has_products) { /* which need their weights before that */
            emit_use(work, PIECES_WGT, first_weights_of(work, rows->first_group));
        }
        rows->in[1] = input_view(work, 1, number, results);
    }
    if (!operations_of(layer)->makes_on_chip) {
        operations_of(layer)->emit(work, rows);
        return;
    }
    rows->out = output_view(work, number, &stripe);
    operations_of(layer)->emit(work, rows);
    emit_result_table(work, &rows->out, &stripe);
    if (work->plan->locations[out].external) {
        emit_store_rows(work, out, &rows->out, &stripe);
    }
    sum_stripe(work, work->sum, &rows->out, &stripe);
}

/* Loads what a stripe of results needs, unless it came ahead, and makes it group by group. *part
 * counts what emit_groups() makes. */
static void emit_stripe(const struct work *work, int64_t number, int64_t *part,
                        const struct stripe *results, struct ahead *ahead) {
    const struct tiling *tiling = tiling_of(work);
    bool cut = is_cut_in_groups(work->plan, work->layer, 2);
    struct stripe stripe = *results;
    struct rows rows = {.stripe = *results, .end_group = tiling->groups};
    if (operations_of(layer_of(work))->reads_on_chip) {
        rows.in[0] = ahead->is_ready ? ahead->view : input_view(work, 0, number, results);
        ahead->is_ready = false;
    }
    for (int64_t group = 0; group < tiling->groups; group = rows.end_group) {
        if (cut) {
            rows.first_group = group;
            rows.end_group =
                weft_min(group + cut_of(work->plan, work->layer)->stripe_groups, tiling->groups);
            stripe.first_block = rows.first_group * tiling->blocks;
            stripe.end_block = rows.end_group * tiling->blocks;
        }
        emit_groups(work, (*part)++, &stripe, &rows);
    }
}

static void emit_layer(const struct work *work) {
    const struct shape *out = &layer_of(work)->out;
    const struct cut *cut = cut_of(work->plan, work->layer);
    struct stripe stripe = {.row_step = 1, .end_block = ALL_BLOCKS};
    struct stream own = {.arena = work->stream->arena};
    struct ahead ahead = {.stream.arena = work->stream->arena};
    struct work apart = *work;
    apart.stream = &own;
    struct sum sum = {0};
    apart.sum = &sum;
    int64_t number = 0;
    int64_t part = 0;
    for (stripe.first_image = 0; stripe.first_image < out->n;
         stripe.first_image = stripe.end_image) {
        stripe.end_image = weft_min(stripe.first_image + cut->stripe_images, out->n);
        for (stripe.first = 0; stripe.first < out->h; stripe.first = stripe.end) {
            stripe.end = weft_min(stripe.first + cut->stripe_rows, out->h);
            struct stripe next = stripe;
            next.first = stripe.end;
            next.end = weft_min(next.first + cut->stripe_rows, out->h);
            own.count = own.part_count = 0;
            emit_stripe(&apart, number, &part, &stripe, &ahead);
            number++;
            bool guest = load_ahead(work, number, tiles_of(work, &stripe), &next, &ahead);
            stream_merge(work->stream, &own, guest, &ahead.stream);
        }
    }
    sum_finish(work, &sum);
}

/* Emits the layers of a window for a group of images. */
static void emit_group(struct work *work, const struct window *window) {
    const struct plan *plan = work->plan;
    const struct region *region = plan->region;
    for (int i = 0; i < region->layer_count; i++) {
        bool in_window = i <= window->last && plan->chain_last[i] >= window->first;
        if (!in_window || layer_is_idle(region, i) || plan->chain_first[i] != i) {
            continue;
        }
        work->layer = i;
        if (is_abreast(region, i)) {
            const struct run run = {i, (int)weft_min(region->runs[i].last, window->last)};
            i = emit_abreast(work, &run);
            continue;
        }
        int last = emit_attention(work, window->last);
        if (last > i) {
            i = last;
            continue;
        }
        /* Inputs can be much longer than weights, and the layer begins when the first part of them
         * is there. */
        if (operations_of(layer_of(work))->has_products) {
            emit_use(work, PIECES_WGT, first_weights_of(work, 0));
        }
        (plan->chain_last[i] == i ? emit_layer : emit_chain)(work);
    }
}

void emit_steps(const struct plan *plan, const struct window *window, int64_t groups,
                struct stream *stream) {
    struct work work = {.plan = plan, .stream = stream};
    for (work.group = 0; work.group < groups; work.group++) {
        work.on_chip = WEFT_NEW_ARRAY(stream->arena, (size_t)plan->region->tensor_count, bool);
        emit_group(&work, window);
    }
}
