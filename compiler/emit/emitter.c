/* Walks the layers of a segment, stripe by stripe. */
#include "compiler/emit/emitter.h"

#include "base/integer.h"

const struct tensor *operand(const struct emitter *emitter, int slot) {
    const struct segment *segment = emitter->segment;
    return &segment->tensors[segment->tensors_of[emitter->layer][slot]];
}

void emit_rows(struct emitter *emitter, const struct rows *rows) {
    switch (emitter->segment->layers[emitter->layer].kind) {
    case LAYER_CONV:
        emit_dense(emitter, rows);
        break;
    case LAYER_DEPTHWISE:
        emit_depthwise(emitter, rows);
        break;
    case LAYER_AVGPOOL:
        emit_average(emitter, rows);
        break;
    case LAYER_MAXPOOL:
        emit_maximum(emitter, rows);
        break;
    case LAYER_BINARY:
        emit_binary(emitter, rows);
        break;
    case LAYER_TABLE:
        emit_function(emitter, rows);
        break;
    case LAYER_PAD:
        emit_pad(emitter, rows);
        break;
    case LAYER_RESIZE:
        emit_resize(emitter, rows);
        break;
    case LAYER_SLICE:
        emit_slice(emitter, &rows->out, &rows->stripe);
        break;
    case LAYER_PLACE:
        emit_place(emitter, &rows->in[0], &rows->stripe);
        break;
    case LAYER_RESHAPE:
        break;
    }
}

/* The rows of the output tensor that a stripe of results is. */
static struct stripe output_stripe(const struct emitter *emitter, const struct stripe *results) {
    struct stripe stripe = *results;
    if (emitter->segment->layers[emitter->layer].turned) {
        stripe.first = 0;
        stripe.end = operand(emitter, 2)->shape.h;
    }
    return stripe;
}

/* Makes the groups of a stripe that are made together: loads what a sum adds to them, makes them,
 * and stores them. */
static void emit_groups(struct emitter *emitter, int64_t number, const struct stripe *results,
                        struct rows *rows) {
    const struct layer *layer = &emitter->segment->layers[emitter->layer];
    const struct stripe stripe = output_stripe(emitter, results);
    const struct tensor *out = operand(emitter, 2);
    if (layer->input_count > 1) {
        rows->in[1] = input_view(emitter, 1, number, results);
    }
    if (!makes_on_chip(layer->kind)) {
        emit_rows(emitter, rows);
        return;
    }
    rows->out = output_view(emitter, number, &stripe);
    emit_rows(emitter, rows);
    emit_table(emitter, out, &rows->out, &stripe);
    if (out->external) {
        emit_store_rows(emitter, out, &rows->out, &stripe);
    }
}

/* Loads what a stripe of results needs, makes it group by group. *part counts what emit_groups()
 * makes. */
static void emit_stripe(struct emitter *emitter, int64_t number, int64_t *part,
                        const struct stripe *results) {
    const struct tiling *tiling = &emitter->segment->tilings[emitter->layer];
    bool cut = is_cut_in_groups(emitter->segment, emitter->layer, 2);
    struct stripe stripe = *results;
    struct rows rows = {.stripe = *results, .end_group = tiling->groups};
    if (reads_on_chip(emitter->segment->layers[emitter->layer].kind)) {
        rows.in[0] = input_view(emitter, 0, number, results);
    }
    for (int64_t group = 0; group < tiling->groups; group = rows.end_group) {
        if (cut) {
            rows.first_group = group;
            rows.end_group = weft_min(group + tiling->stripe_groups, tiling->groups);
            stripe.first_block = rows.first_group * tiling->blocks;
            stripe.end_block = rows.end_group * tiling->blocks;
        }
        emit_groups(emitter, (*part)++, &stripe, &rows);
    }
}

int64_t tiles_of(const struct emitter *emitter, const struct stripe *stripe) {
    const struct tiling *tiling = &emitter->segment->tilings[emitter->layer];
    const struct shape *out = &emitter->segment->layers[emitter->layer].out;
    return (stripe->end_image - stripe->first_image) * tiling->groups *
           weft_ceil_div(stripe->end - stripe->first, tiling->rows) *
           weft_ceil_div(out->w, tiling->columns);
}

void use_first_weights(struct emitter *emitter) {
    const struct segment *segment = emitter->segment;
    enum layer_kind kind = segment->layers[emitter->layer].kind;
    if (kind == LAYER_CONV || kind == LAYER_DEPTHWISE) {
        (void)use_piece(emitter, PIECES_WGT, segment->first_weights[emitter->layer]);
    }
}

static void emit_layer(struct emitter *emitter) {
    const struct shape *out = &emitter->segment->layers[emitter->layer].out;
    const struct tiling *tiling = &emitter->segment->tilings[emitter->layer];
    struct stripe stripe = {.row_step = 1, .end_block = ALL_BLOCKS};
    int64_t number = 0;
    int64_t part = 0;
    use_first_weights(emitter);
    for (stripe.first_image = 0; stripe.first_image < out->n;
         stripe.first_image = stripe.end_image) {
        stripe.end_image = weft_min(stripe.first_image + tiling->stripe_images, out->n);
        for (stripe.first = 0; stripe.first < out->h; stripe.first = stripe.end) {
            stripe.end = weft_min(stripe.first + tiling->stripe_rows, out->h);
            struct stripe next = stripe;
            next.first = stripe.end;
            next.end = weft_min(next.first + tiling->stripe_rows, out->h);
            want_ahead(emitter, number + 1, tiles_of(emitter, &stripe), &next);
            emit_stripe(emitter, number++, &part, &stripe);
            end_ahead(emitter);
        }
    }
}

bool emit_segment(struct segment *segment, const struct stripe_buffers *buffers,
                  struct emitter *emitter) {
    *emitter = (struct emitter){.segment = segment, .buffers = buffers};
    emitter->on_chip = WEFT_NEW_ARRAY(segment->arena, (size_t)segment->tensor_count, bool);
    for (int i = 0; i < segment->layer_count; i++) {
        emitter->layer = i;
        bool in_window =
            i <= segment->window.last && segment->chain_last[i] >= segment->window.first;
        if (!in_window || layer_is_idle(segment, i) || segment->chain_first[i] != i) {
            continue;
        }
        if (segment->chain_last[i] == i) {
            emit_layer(emitter);
        } else {
            emit_chain(emitter, i);
        }
    }
    return !emitter->failed;
}
