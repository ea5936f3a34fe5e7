/* Chains of layers, stripe by stripe. */
#include <string.h>

#include "base/integer.h"
#include "compiler/emit/emitter.h"

struct chain {
    struct emitter *emitter;
    int first, last;
    const struct chain_row *most; /* by layer, of any stripe */
    struct chain_row *rows;       /* of this stripe */
    struct chain_row *next_rows;  /* of the next one */
    struct view *views;           /* by layer: what it made for this stripe */
    bool *has_sides;              /* the columns beside its rows are filled */
};

/* Copies the rows that the stripe before has made already. They lie in the same memory, `shift`
 * rows further down, so no more than as many are copied at once. */
static void keep_rows(struct chain *chain, const struct view *before, const struct view *now,
                      int64_t image) {
    struct emitter *emitter = chain->emitter;
    const struct chain_row *row = &chain->rows[emitter->layer];
    const struct shape *shape = &operand(emitter, 2)->shape;
    int64_t shift = now->first_row - before->first_row;
    int64_t end = weft_min(row->done, row->first);
    for (int64_t first = weft_max(row->need_first, 0); shift > 0 && first < end; first += shift) {
        const struct area area = {.image = image,
                                  .blocks = blocks_of(emitter->segment, shape->c),
                                  .first_row = first,
                                  .rows = weft_min(shift, end - first),
                                  .columns = shape->w};
        emit_copy(emitter, before, now, &area);
    }
}

/* The rows that the next layer reads, but for those that this one is to make now. */
static struct view view_between(struct chain *chain, int64_t image) {
    struct emitter *emitter = chain->emitter;
    int index = emitter->layer;
    const struct tensor *tensor = operand(emitter, 2);
    const struct chain_row *row = &chain->rows[index];
    struct stripe stripe = {
        image, image + 1, row->need_first, row->need_first + chain->most[index].need_end,
        1,     0,         ALL_BLOCKS};
    int64_t bytes = 0;
    struct view view =
        view_at(emitter->segment, tensor, emitter->buffers[index].address[2][0], &stripe, &bytes);
    if (!chain->has_sides[index]) {
        chain->has_sides[index] = true;
        emit_side_halo(emitter, tensor, &view, &stripe, false);
    }
    if (row->done > 0) {
        keep_rows(chain, &chain->views[index], &view, image);
    }
    stripe.end = row->need_end;
    emit_rows_outside(emitter, tensor, &view, &stripe);
    return view;
}

/* The part of one layer in a stripe. */
static void emit_part(struct chain *chain, int before, int64_t number, int64_t image) {
    struct emitter *emitter = chain->emitter;
    int index = emitter->layer;
    const struct chain_row *row = &chain->rows[index];
    struct rows rows = {.stripe = {image, image + 1, row->first, row->end, 1, 0, ALL_BLOCKS},
                        .end_group = emitter->segment->tilings[index].groups};
    bool is_last = index == chain->last;
    rows.out = is_last ? output_view(emitter, number, &rows.stripe) : view_between(chain, image);
    chain->views[index] = rows.out;
    if (row->first >= row->end) {
        return;
    }
    rows.in[0] = before < 0 ? input_view(emitter, 0, number, &rows.stripe) : chain->views[before];
    if (emitter->segment->layers[index].input_count > 1) {
        rows.in[1] = input_view(emitter, 1, number, &rows.stripe);
    }
    emit_rows(emitter, &rows);
    emit_table(emitter, operand(emitter, 2), &rows.out, &rows.stripe);
    if (is_last && operand(emitter, 2)->external) {
        emit_store_rows(emitter, operand(emitter, 2), &rows.out, &rows.stripe);
    }
}

/* Wants the input of the stripe after this one ready before this one is complete. */
static void want_next(struct chain *chain, int64_t number, const struct stripe *stripe) {
    struct emitter *emitter = chain->emitter;
    const struct segment *segment = emitter->segment;
    int64_t height = segment->layers[chain->last].out.h;
    struct stripe next = *stripe;
    next.first = stripe->end;
    next.end = weft_min(next.first + stripe->end - stripe->first, height);
    if (next.first >= next.end) {
        return;
    }
    memcpy(chain->next_rows, chain->rows, (size_t)segment->layer_count * sizeof *chain->rows);
    chain_rows_made(segment, chain->first, chain->next_rows);
    chain_rows(segment, chain->first, &next, chain->next_rows);
    const struct chain_row *row = &chain->next_rows[chain->first];
    next.first = row->first;
    next.end = row->end;
    emitter->layer = chain->first;
    want_ahead(emitter, number + 1, 0, &next);
}

void emit_chain(struct emitter *emitter, int first) {
    const struct segment *segment = emitter->segment;
    size_t layers = (size_t)segment->layer_count;
    struct chain_row *most = WEFT_NEW_ARRAY(segment->arena, layers, struct chain_row);
    (void)chain_most_rows(segment, first, most);
    struct chain chain = {.emitter = emitter,
                          .first = first,
                          .last = segment->chain_last[first],
                          .most = most,
                          .rows = WEFT_NEW_ARRAY(segment->arena, layers, struct chain_row),
                          .next_rows = WEFT_NEW_ARRAY(segment->arena, layers, struct chain_row),
                          .views = WEFT_NEW_ARRAY(segment->arena, layers, struct view),
                          .has_sides = WEFT_NEW_ARRAY(segment->arena, layers, bool)};
    const struct shape *out = &segment->layers[chain.last].out;
    int64_t stripe_rows = segment->tilings[chain.last].stripe_rows;
    int64_t number = 0;
    emitter->layer = first;
    use_first_pieces(emitter);
    for (int64_t image = 0; image < out->n; image++) {
        for (int i = first; i >= 0; i = next_in_chain(segment, i)) {
            chain.rows[i].done = 0;
        }
        struct stripe stripe = {image, image + 1, 0, 0, 1, 0, ALL_BLOCKS};
        for (; stripe.first < out->h; stripe.first = stripe.end) {
            stripe.end = weft_min(stripe.first + stripe_rows, out->h);
            chain_rows(segment, first, &stripe, chain.rows);
            int before = -1;
            for (int i = first; i >= 0; i = next_in_chain(segment, i)) {
                emitter->layer = i;
                emit_part(&chain, before, number, image);
                if (before < 0) {
                    want_next(&chain, number, &stripe);
                    emit_ahead(emitter);
                }
                before = i;
            }
            chain_rows_made(segment, first, chain.rows);
            number++;
        }
    }
}
