/* Chains of layers, stripe by stripe. */
#include <string.h>

#include "base/integer.h"
#include "compiler/emit/emitter.h"

struct chain {
    struct emitter *emitter;
    int first, last;
    struct chain_hosts hosts;
    int64_t image;
    const struct chain_row *most; /* by layer, of any stripe */
    struct chain_row *rows;       /* of this stripe */
    struct chain_row *next_rows;  /* of the next one */
    bool has_next;
    struct view *views;   /* by layer: what it made for this stripe */
    struct view *before;  /* and for the one before */
    bool *is_prepared;    /* by layer: `views` has where it makes the stripe that comes next */
    int64_t *kept_blocks; /* by layer: of which rows have been copied there */
    bool *has_sides;      /* the columns beside its rows are filled */
};

/* Copies the rows that the stripe before has made already. They lie in the same memory, `shift`
 * rows further down, so no more than as many are copied at once. */
static void keep_rows(struct chain *chain, const struct chain_row *row, int64_t first_block,
                      int64_t end_block) {
    struct emitter *emitter = chain->emitter;
    const struct view *before = &chain->before[emitter->layer];
    const struct view *now = &chain->views[emitter->layer];
    int64_t shift = now->first_row - before->first_row;
    int64_t end = weft_min(row->done, row->first);
    for (int64_t first = weft_max(row->need_first, 0); shift > 0 && first < end; first += shift) {
        const struct area area = {.image = chain->image,
                                  .first_block = first_block,
                                  .blocks = end_block - first_block,
                                  .first_row = first,
                                  .rows = weft_min(shift, end - first),
                                  .columns = operand(emitter, 2)->shape.w};
        emit_copy(emitter, before, now, &area);
    }
}

/* Prepares the rows that the next layer reads, but for those that this one is to make now: finds
 * where they are, fills what is outside, and copies what is there already. Several calls may copy a
 * part each, up to channel block `end`. */
static void prepare(struct chain *chain, int index, const struct chain_row *row, int64_t end) {
    struct emitter *emitter = chain->emitter;
    emitter->layer = index;
    const struct tensor *tensor = operand(emitter, 2);
    if (!chain->is_prepared[index]) {
        const struct stripe stripe = rows_of_image(chain->image, row->need_first,
                                                   row->need_first + chain->most[index].need_end);
        int64_t bytes = 0;
        chain->before[index] = chain->views[index];
        chain->views[index] = view_at(emitter->segment, tensor,
                                      emitter->buffers[index].address[2][0], &stripe, &bytes);
        if (!chain->has_sides[index]) {
            chain->has_sides[index] = true;
            emit_side_halo(emitter, tensor, &chain->views[index], &stripe, false);
        }
        chain->is_prepared[index] = true;
        chain->kept_blocks[index] = 0;
    }
    end = weft_min(end, blocks_of(emitter->segment, tensor->shape.c));
    if (end <= chain->kept_blocks[index]) {
        return;
    }
    struct stripe stripe = rows_of_image(chain->image, row->need_first, row->need_end);
    stripe.first_block = chain->kept_blocks[index];
    stripe.end_block = end;
    if (row->done > 0) {
        keep_rows(chain, row, stripe.first_block, end);
    }
    emit_rows_outside(emitter, tensor, &chain->views[index], &stripe);
    chain->kept_blocks[index] = end;
}

/* ---- what comes ahead ---- */

/* Prepares the layers that the current one is the host of: those after it for this stripe, those
 * before it for the next; and of itself the channel blocks that it makes next, before anything is
 * written over what is to be copied. */
static void prepare_guests(void *context, int64_t step, int64_t steps) {
    struct chain *chain = context;
    const struct segment *segment = chain->emitter->segment;
    int host = chain->emitter->layer;
    if (host != chain->last) {
        prepare(chain, host, &chain->rows[host], (step + 1) * segment->tilings[host].blocks);
    }
    for (int i = chain->first; i != chain->last; i = next_in_chain(segment, i)) {
        if (i != host && chain->hosts.of[i] == host && (i > host || chain->has_next)) {
            int64_t blocks = blocks_of(segment, segment->layers[i].out.c);
            prepare(chain, i, i > host ? &chain->rows[i] : &chain->next_rows[i],
                    blocks * step / steps);
        }
    }
}

/* Finds what the stripe after this one makes. */
static void look_ahead(struct chain *chain, const struct stripe *stripe) {
    const struct segment *segment = chain->emitter->segment;
    int64_t height = segment->layers[chain->last].out.h;
    struct stripe next = *stripe;
    next.first = stripe->end;
    next.end = weft_min(next.first + stripe->end - stripe->first, height);
    chain->has_next = next.first < next.end;
    if (chain->has_next) {
        memcpy(chain->next_rows, chain->rows, (size_t)segment->layer_count * sizeof *chain->rows);
        chain_rows_made(segment, chain->first, chain->next_rows);
        chain_rows(segment, chain->first, &next, chain->next_rows);
    }
}

/* Has everything that the current layer is the host of prepared during its stripe. */
static void want_guests(struct chain *chain, int64_t number) {
    struct emitter *emitter = chain->emitter;
    int host = emitter->layer;
    const struct chain_row *row = &chain->rows[host];
    struct stripe now = rows_of_image(chain->image, row->first, row->end);
    int64_t tiles = tiles_of(emitter, &now);
    bool has_input = chain->has_next && chain->hosts.of_input == host;
    row = &chain->next_rows[chain->first];
    now.first = has_input ? row->first : 0;
    now.end = has_input ? row->end : 0;
    emitter->layer = chain->first;
    want_ahead(emitter, number + 1, tiles, &now);
    emitter->ahead.others = prepare_guests;
    emitter->ahead.context = chain;
    emitter->layer = host;
}

/* ---- stripes ---- */

/* The channel blocks of a layer that have to be prepared before its first tile. */
static int64_t first_blocks(const struct segment *segment, int layer, const struct chain_row *row) {
    enum layer_kind kind = segment->layers[layer].kind;
    bool has_tiles = (kind == LAYER_CONV || kind == LAYER_DEPTHWISE) && row->first < row->end;
    return has_tiles ? segment->tilings[layer].blocks : ALL_BLOCKS;
}

/* The part of one layer in a stripe. */
static void emit_part(struct chain *chain, int before, int64_t number) {
    struct emitter *emitter = chain->emitter;
    int index = emitter->layer;
    const struct chain_row *row = &chain->rows[index];
    struct rows rows = {.stripe = rows_of_image(chain->image, row->first, row->end),
                        .end_group = emitter->segment->tilings[index].groups};
    bool is_last = index == chain->last;
    if (is_last) {
        rows.out = output_view(emitter, number, &rows.stripe);
    } else {
        prepare(chain, index, row, first_blocks(emitter->segment, index, row));
        rows.out = chain->views[index];
    }
    chain->views[index] = rows.out;
    if (row->first >= row->end) {
        chain->is_prepared[index] = false;
        return;
    }
    rows.in[0] = before < 0 ? input_view(emitter, 0, number, &rows.stripe) : chain->views[before];
    if (emitter->segment->layers[index].input_count > 1) {
        rows.in[1] = input_view(emitter, 1, number, &rows.stripe);
    }
    want_guests(chain, number);
    emit_rows(emitter, &rows);
    end_ahead(emitter);
    chain->is_prepared[index] = false;
    emit_table(emitter, operand(emitter, 2), &rows.out, &rows.stripe);
    if (is_last && operand(emitter, 2)->external) {
        emit_store_rows(emitter, operand(emitter, 2), &rows.out, &rows.stripe);
    }
}

static void emit_chain_stripe(struct chain *chain, int64_t number, const struct stripe *stripe) {
    struct emitter *emitter = chain->emitter;
    const struct segment *segment = emitter->segment;
    int before = -1;
    chain_rows(segment, chain->first, stripe, chain->rows);
    look_ahead(chain, stripe);
    for (int i = chain->first; i >= 0; i = next_in_chain(segment, i)) {
        emitter->layer = i;
        emit_part(chain, before, number);
        before = i;
    }
    chain_rows_made(segment, chain->first, chain->rows);
}

void emit_chain(struct emitter *emitter, int first) {
    const struct segment *segment = emitter->segment;
    size_t layers = (size_t)segment->layer_count;
    struct chain_row *most = WEFT_NEW_ARRAY(segment->arena, layers, struct chain_row);
    int64_t in_rows = chain_most_rows(segment, first, most);
    struct chain chain = {.emitter = emitter,
                          .first = first,
                          .last = segment->chain_last[first],
                          .most = most,
                          .rows = WEFT_NEW_ARRAY(segment->arena, layers, struct chain_row),
                          .next_rows = WEFT_NEW_ARRAY(segment->arena, layers, struct chain_row),
                          .views = WEFT_NEW_ARRAY(segment->arena, layers, struct view),
                          .before = WEFT_NEW_ARRAY(segment->arena, layers, struct view),
                          .kept_blocks = WEFT_NEW_ARRAY(segment->arena, layers, int64_t),
                          .is_prepared = WEFT_NEW_ARRAY(segment->arena, layers, bool),
                          .has_sides = WEFT_NEW_ARRAY(segment->arena, layers, bool)};
    const struct shape *out = &segment->layers[chain.last].out;
    int64_t stripe_rows = segment->tilings[chain.last].stripe_rows;
    int64_t number = 0;
    emitter->layer = first;
    chain.hosts = find_hosts(segment, first, most, in_rows);
    use_first_weights(emitter);
    for (chain.image = 0; chain.image < out->n; chain.image++) {
        for (int i = first; i >= 0; i = next_in_chain(segment, i)) {
            chain.rows[i].done = 0;
        }
        struct stripe stripe = rows_of_image(chain.image, 0, 0);
        for (; stripe.first < out->h; stripe.first = stripe.end) {
            stripe.end = weft_min(stripe.first + stripe_rows, out->h);
            emit_chain_stripe(&chain, number++, &stripe);
        }
    }
}
