/* Layers between the tiles of another, their host: plan/beside.c. */
#include "base/integer.h"
#include "compiler/emit/work.h"

/* ---- which layers ---- */

static bool is_alone(const struct plan *plan, int index) {
    return plan->chain_first[index] == plan->chain_last[index];
}

/* Is all that a layer reads and makes on chip as a whole? */
static bool is_whole(const struct plan *plan, int index) {
    const struct layer *layer = plan->layers[index];
    bool whole = is_alone(plan, index) && is_resident(plan, index, 2) && !layer->turned;
    for (int slot = 0; slot < (int)layer->input_count; slot++) {
        whole = whole && is_resident(plan, index, slot);
    }
    return whole;
}

static int next_of(const struct plan *plan, int layer) {
    return next_busy_layer(plan->region, layer);
}

int host_beside(const struct plan *plan, int first, int last) {
    int host = plan->host_of[first];
    bool good = host >= first && host <= last && is_alone(plan, host);
    for (int i = first; i < host && good; i = next_of(plan, i)) {
        good = is_whole(plan, i);
    }
    return good ? host : first;
}

int last_beside(const struct plan *plan, int host, int last) {
    int end = host;
    const struct layer *layer = plan->layers[host];
    for (int i = next_of(plan, host);
         i >= 0 && i <= last && is_alone(plan, host) && plan->host_of[i] == host &&
         is_whole(plan, i) && layer->out.n == 1 && plan->layers[i]->out.n == 1;
         i = next_of(plan, i)) {
        end = i;
    }
    return end;
}

/* ---- what comes before the host ---- */

/* Vectors in a row of a layer's result. */
static int64_t row_vectors(const struct plan *plan, int layer) {
    const struct shape *out = &plan->layers[layer]->out;
    return out->w * blocks_of(plan->config, out->c);
}

/* Emits rows of the layer that it is at, as many as `vectors` take, up to the end of an image. */
static void emit_some(struct beside *beside, int64_t vectors) {
    const struct plan *plan = beside->work.plan;
    const struct work work = work_for(&beside->work, beside->at);
    const struct layer *layer = layer_of(&work);
    int64_t each = row_vectors(plan, beside->at);
    int64_t first = beside->row % layer->out.h;
    int64_t rows = weft_min(weft_ceil_div(vectors, each), layer->out.h - first);
    emit_result_rows(&work, beside->row / layer->out.h, first, first + rows);
    beside->made += rows * each;
    beside->row += rows;
    if (beside->row == layer->out.n * layer->out.h) {
        beside->at = next_of(plan, beside->at);
        beside->row = 0;
    }
}

/* The share of one more tile. */
static void emit_share(struct beside *beside) {
    beside->tile++;
    int64_t wanted = beside->tile >= beside->tiles ? beside->vectors
                                                   : weft_ceil_div(beside->vectors * beside->tile,
                                                                   weft_max(beside->tiles, 1));
    while (beside->made < wanted && beside->at < beside->host) {
        emit_some(beside, wanted - beside->made);
    }
}

/* ---- what comes behind it ---- */

/* Rows of a tensor that are there: all of it, unless a layer before the host makes it, which may
 * not be done, or the host, or a layer behind it. */
static int64_t rows_there(const struct beside *beside, int tensor) {
    const struct region *region = beside->work.plan->region;
    int64_t rows = region->tensors[tensor].shape.h;
    for (int i = beside->at; i < beside->host; i++) {
        if (!layer_is_idle(region, i) && region->tensors_of[i][2] == tensor) {
            rows = i == beside->at ? beside->row : 0;
        }
    }
    for (int i = beside->host; i <= beside->last; i++) {
        if (!layer_is_idle(region, i) && region->tensors_of[i][2] == tensor) {
            rows = beside->rows[i - beside->host];
        }
    }
    return rows;
}

/* Is there what the first `rows` rows of a layer's result are made of? */
static bool can_make(const struct beside *beside, int layer, int64_t rows) {
    const struct layer *of = beside->work.plan->layers[layer];
    bool can = true;
    for (int slot = 0; slot < (int)of->input_count; slot++) {
        int tensor = beside->work.plan->region->tensors_of[layer][slot];
        int64_t all = beside->work.plan->region->tensors[tensor].shape.h;
        int64_t first = 0;
        int64_t end = 0;
        operations_of(of)->rows_read(of, 0, rows, &first, &end);
        end = is_repeated(all, of->out.h) ? all : weft_min(end, all);
        can = can && end <= rows_there(beside, tensor);
    }
    return can;
}

/* What can be made of what is there. */
static void emit_behind(struct beside *beside) {
    const struct plan *plan = beside->work.plan;
    for (int i = beside->host; i < beside->last;) {
        i = next_of(plan, i);
        int64_t *made = &beside->rows[i - beside->host];
        int64_t end = *made;
        while (end < plan->layers[i]->out.h && can_make(beside, i, end + 1)) {
            end++;
        }
        if (end > *made) {
            const struct work work = work_for(&beside->work, i);
            emit_result_rows(&work, 0, *made, end);
            *made = end;
        }
    }
}

/* Rows of the host's result that are there when `count` of the `parts` parts of a stripe are. One
 * that is turned makes all of them in one stripe. */
static int64_t rows_after(const struct beside *beside, const struct stripe *stripe, int64_t count,
                          int64_t parts) {
    const struct work host = work_for(&beside->work, beside->host);
    const struct tiling *tiling = tiling_of(&host);
    bool turned = layer_of(&host)->turned;
    int64_t each = weft_ceil_div(layer_of(&host)->out.w, tiling->columns) * tiling->groups;
    bool in_order = parts == tiles_of(&host, stripe) && !turned &&
                    (tiling->groups == 1 || !cut_of(host.plan, host.layer)->weights_outer);
    int64_t rows = stripe->first + (in_order ? count / each * tiling->rows : 0);
    int64_t end = turned ? tensor_at(host.plan, host.layer, 2)->shape.h : stripe->end;
    return count == parts ? end : weft_min(rows, end);
}

/* ---- all ---- */

struct beside beside_begin(const struct work *work, int first, int host, int last) {
    struct beside beside = {.work = *work,
                            .at = first,
                            .host = host,
                            .last = last,
                            .stream.arena = work->stream->arena};
    const struct work of_host = work_for(work, host);
    const struct shape *out = &layer_of(&of_host)->out;
    for (int i = first; i < host; i = next_of(work->plan, i)) {
        const struct shape *made = &work->plan->layers[i]->out;
        beside.vectors += made->n * made->h * row_vectors(work->plan, i);
    }
    struct stripe stripe = {.end_image = out->n};
    for (; stripe.first < out->h; stripe.first = stripe.end) {
        stripe.end = weft_min(stripe.first + cut_of(work->plan, host)->stripe_rows, out->h);
        beside.tiles += tiles_of(&of_host, &stripe);
    }
    beside.rows = WEFT_NEW_ARRAY(work->stream->arena, (size_t)(last - host) + 1, int64_t);
    return beside;
}

void beside_emit(struct beside *beside, const struct stripe *stripe, size_t parts) {
    struct stream *stream = &beside->stream;
    beside->work.stream = stream;
    stream_clear(stream);
    for (size_t i = 0; i < parts; i++) {
        emit_share(beside);
        emit_behind(beside);
        stream_end_part(stream);
        beside->rows[0] = rows_after(beside, stripe, (int64_t)i + 1, (int64_t)parts);
    }
}

void beside_end(struct beside *beside, struct stream *stream) {
    beside->work.stream = stream;
    beside->tile = beside->tiles;
    beside->rows[0] = INT64_MAX; /* all are there */
    emit_share(beside);
    emit_behind(beside);
}
