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
    stream_clear(&ahead->stream);
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

/* Merges what a stripe made with what comes between its tiles: what comes ahead, and layers beside
 * it. */
static void merge_stripe(const struct work *work, const struct stream *own,
                         const struct stripe *stripe, const struct stream *ahead,
                         struct beside *beside) {
    struct stream between[2];
    size_t count = 0;
    if (ahead != NULL) {
        between[count++] = *ahead;
    }
    if (beside != NULL) {
        beside_emit(beside, stripe, own->part_count);
        between[count++] = beside->stream;
    }
    stream_merge(work->stream, own, count, between);
}

/* A layer that is in no chain, with others between its tiles, if there are any: `beside`. */
static void emit_layer(const struct work *work, struct beside *beside) {
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
            stream_clear(&own);
            emit_layer_stripe(&apart, number, &part, &stripe, ahead.is_ready ? &ahead.view : NULL);
            ahead.is_ready = false;
            number++;
            bool comes = load_ahead(work, number, tiles_of(work, &stripe), &next, &ahead);
            merge_stripe(work, &own, &stripe, comes ? &ahead.stream : NULL, beside);
        }
    }
    if (beside != NULL) {
        beside_end(beside, work->stream);
    }
    sum_finish(work, &sum);
}

/* Emits a layer, from the first of those that are carried out between its tiles on; returns the
 * last of these. */
static int emit_with_others(const struct work *work, int first, int host, int last) {
    const struct work of_host = work_for(work, host);
    struct beside beside = beside_begin(work, first, host, last);
    emit_use(&of_host, PIECES_WGT, first_weights_of(&of_host, 0));
    emit_layer(&of_host, &beside);
    return last;
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
        int host = host_beside(plan, i, window->last);
        int end = last_beside(plan, host, window->last);
        if (end > i) {
            i = emit_with_others(work, i, host, end);
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
        if (plan->chain_last[i] == i) {
            emit_layer(work, NULL);
        } else {
            emit_chain(work);
        }
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
