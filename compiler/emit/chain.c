/* Chains of layers, stripe by stripe. */
#include <string.h>

#include "base/integer.h"
#include "compiler/emit/work.h"

/* A layer of the chain. */
struct link {
    struct view view;    /* what it made for this stripe */
    struct view before;  /* and for the one before */
    bool is_prepared;    /* `view` is where it makes the stripe that comes next */
    int64_t kept_blocks; /* of which rows have been copied there */
    bool has_sides;      /* the columns beside its rows are filled */
};

struct chain {
    const struct work *work; /* for the whole chain */
    int first, last;
    struct chain_hosts hosts;
    int64_t image;
    /* By layer from the first on: of any stripe, of this one and of the next one. */
    struct chain_row *most, *rows, *next_rows;
    bool has_next;
    struct link *links;
    bool has_input; /* `input` has come ahead */
    struct view input;
};

static struct link *link_of(const struct chain *chain, int layer) {
    return &chain->links[layer - chain->first];
}

/* ---- between the layers ---- */

/* Copies the rows that the stripe before has made already. They lie in the same memory, `shift`
 * rows further down, so no more than as many are copied at once. */
static void keep_rows(const struct chain *chain, const struct work *work,
                      const struct chain_row *row, int64_t first_block, int64_t end_block) {
    const struct view *before = &link_of(chain, work->layer)->before;
    const struct view *now = &link_of(chain, work->layer)->view;
    int64_t shift = now->first_row - before->first_row;
    int64_t end = weft_min(row->done, row->first);
    for (int64_t first = weft_max(row->need_first, 0); shift > 0 && first < end; first += shift) {
        const struct area area = {.image = chain->image,
                                  .first_block = first_block,
                                  .blocks = end_block - first_block,
                                  .first_row = first,
                                  .rows = weft_min(shift, end - first),
                                  .columns = tensor_at(work->plan, work->layer, 2)->shape.w};
        const struct weft_instruction copy = copy_of(work, before, &area, now, &area);
        emit(work, &copy);
    }
}

/* Finds where the rows are that the next layer reads of what a layer makes. */
static void find_rows(struct chain *chain, const struct work *work, const struct chain_row *row) {
    struct link *link = link_of(chain, work->layer);
    int tensor = operand_of(work, 2);
    int64_t rows = chain->most[work->layer - chain->first].need_end;
    const struct stripe stripe =
        rows_of_image(chain->image, row->need_first, row->need_first + rows);
    int64_t bytes = 0;
    link->before = link->view;
    link->view = view_at(work->plan, tensor, work->plan->buffers[work->layer].address[2][0],
                         &stripe, &bytes);
    if (!link->has_sides) {
        link->has_sides = true;
        emit_side_halo(work, tensor, &link->view, &stripe, false);
    }
    link->is_prepared = true;
    link->kept_blocks = 0;
}

/* Prepares the rows that the next layer reads, but for those that this one is to make now: finds
 * where they are, fills what is outside, and copies what is there already. Several calls may copy a
 * part each, up to channel block `end`. */
static void prepare(struct chain *chain, const struct work *work, const struct chain_row *row,
                    int64_t end) {
    struct link *link = link_of(chain, work->layer);
    int tensor = operand_of(work, 2);
    if (!link->is_prepared) {
        find_rows(chain, work, row);
    }
    end = weft_min(end, blocks_of(work->plan->config, work->plan->region->tensors[tensor].shape.c));
    if (end <= link->kept_blocks) {
        return;
    }
    struct stripe stripe = rows_of_image(chain->image, row->need_first, row->need_end);
    stripe.first_block = link->kept_blocks;
    stripe.end_block = end;
    if (row->done > 0) {
        keep_rows(chain, work, row, stripe.first_block, end);
    }
    emit_rows_outside(work, tensor, &link->view, &stripe);
    link->kept_blocks = end;
}

/* ---- guests ---- */

/* What is emitted between the `tiles` tiles of a host: streams with a part for each tile. */
struct guests {
    struct stream *streams;
    size_t count;
    int64_t tiles;
};

/* The next guest, of a layer: an empty stream. */
static struct work add_guest(const struct chain *chain, struct guests *guests, int layer) {
    struct work work = work_for(chain->work, layer);
    work.stream = &guests->streams[guests->count++];
    *work.stream = (struct stream){.arena = chain->work->stream->arena};
    return work;
}

/* The input of the chain for the next stripe, in the middle. */
static void add_input(struct chain *chain, struct guests *guests, int64_t number) {
    const struct chain_row *row = &chain->next_rows[0];
    const struct stripe stripe = rows_of_image(chain->image, row->first, row->end);
    const struct work work = add_guest(chain, guests, chain->first);
    for (int64_t tile = 1; tile <= guests->tiles; tile++) {
        if (tile == weft_ceil_div(guests->tiles, 2)) {
            chain->input = load_input(&work, 0, number + 1, &stripe);
            chain->has_input = true;
        }
        stream_end_part(work.stream);
    }
}

/* Of the host itself the channel blocks that it makes next, before anything is written over what is
 * to be copied. */
static void add_host(struct chain *chain, struct guests *guests, int host) {
    int64_t blocks = chain->work->plan->tilings[host].blocks;
    const struct work work = add_guest(chain, guests, host);
    for (int64_t tile = 1; tile <= guests->tiles; tile++) {
        prepare(chain, &work, &chain->rows[host - chain->first], (tile + 1) * blocks);
        stream_end_part(work.stream);
    }
}

/* A layer's rows, as many blocks at a time as there are tiles for: for this stripe when it comes
 * after the host, for the next when it comes before. */
static void add_layer(struct chain *chain, struct guests *guests, int host, int layer) {
    const struct plan *plan = chain->work->plan;
    const struct work work = add_guest(chain, guests, layer);
    const struct chain_row *row =
        layer > host ? &chain->rows[layer - chain->first] : &chain->next_rows[layer - chain->first];
    int64_t blocks = blocks_of(plan->config, plan->layers[layer]->out.c);
    for (int64_t tile = 1; tile <= guests->tiles; tile++) {
        prepare(chain, &work, row, blocks * tile / guests->tiles);
        stream_end_part(work.stream);
    }
}

/* Everything that a layer is the host of during its stripe. */
static struct guests find_guests(struct chain *chain, int host, int64_t number) {
    const struct plan *plan = chain->work->plan;
    const struct chain_row *row = &chain->rows[host - chain->first];
    const struct chain_row *input = &chain->next_rows[0];
    const struct stripe now = rows_of_image(chain->image, row->first, row->end);
    const struct work own = work_for(chain->work, host);
    struct guests guests = {.tiles = tiles_of(&own, &now)};
    guests.streams =
        WEFT_NEW_ARRAY(plan->arena, (size_t)(chain->last - chain->first) + 2, struct stream);
    if (chain->has_next && chain->hosts.of_input == host && input->first < input->end &&
        comes_ahead(chain->work)) {
        add_input(chain, &guests, number);
    }
    if (host != chain->last) {
        add_host(chain, &guests, host);
    }
    for (int i = chain->first; i != chain->last; i = next_in_chain(plan, i)) {
        if (i != host && chain->hosts.of[i - chain->first] == host &&
            (i > host || chain->has_next)) {
            add_layer(chain, &guests, host, i);
        }
    }
    return guests;
}

/* Finds what the stripe after this one makes. */
static void look_ahead(struct chain *chain, const struct stripe *stripe) {
    const struct plan *plan = chain->work->plan;
    int64_t height = plan->layers[chain->last]->out.h;
    struct stripe next = *stripe;
    next.first = stripe->end;
    next.end = weft_min(next.first + stripe->end - stripe->first, height);
    chain->has_next = next.first < next.end;
    if (chain->has_next) {
        memcpy(chain->next_rows, chain->rows,
               (size_t)(chain->last - chain->first + 1) * sizeof *chain->rows);
        chain_rows_made(plan, chain->first, chain->next_rows);
        chain_rows(plan, chain->first, &next, chain->next_rows);
    }
}

/* ---- stripes ---- */

/* The channel blocks of a layer that have to be prepared before its first tile. */
static int64_t first_blocks(const struct work *work, const struct chain_row *row) {
    bool has_tiles = operations_of(layer_of(work))->has_products && row->first < row->end;
    return has_tiles ? tiling_of(work)->blocks : ALL_BLOCKS;
}

/* Where a layer makes its rows of a stripe. */
static struct view result_view(struct chain *chain, const struct work *work, int64_t number,
                               const struct stripe *stripe) {
    const struct chain_row *row = &chain->rows[work->layer - chain->first];
    if (work->layer == chain->last) {
        return output_view(work, number, stripe);
    }
    prepare(chain, work, row, first_blocks(work, row));
    return link_of(chain, work->layer)->view;
}

static struct view chain_input(struct chain *chain, const struct work *work, int64_t number,
                               const struct stripe *stripe) {
    bool is_here = chain->has_input;
    chain->has_input = false;
    return is_here ? chain->input : input_view(work, 0, number, stripe);
}

/* The part of one layer in a stripe; `before` is the layer before it in the chain, or -1. */
static void emit_part(struct chain *chain, int index, int before, int64_t number) {
    const struct work work = work_for(chain->work, index);
    const struct chain_row *row = &chain->rows[index - chain->first];
    struct rows rows = {.stripe = rows_of_image(chain->image, row->first, row->end),
                        .end_group = tiling_of(&work)->groups};
    rows.out = result_view(chain, &work, number, &rows.stripe);
    link_of(chain, index)->view = rows.out;
    if (row->first >= row->end) {
        link_of(chain, index)->is_prepared = false;
        return;
    }
    rows.in[0] =
        before < 0 ? chain_input(chain, &work, number, &rows.stripe) : link_of(chain, before)->view;
    if (layer_of(&work)->input_count > 1) {
        rows.in[1] = input_view(&work, 1, number, &rows.stripe);
    }
    struct stream tiles = {.arena = work.stream->arena};
    struct work apart = work;
    apart.stream = &tiles;
    operations_of(layer_of(&work))->emit(&apart, &rows);
    const struct guests guests = find_guests(chain, index, number);
    stream_merge(work.stream, &tiles, guests.count, guests.streams);
    link_of(chain, index)->is_prepared = false;
    int out = operand_of(&work, 2);
    emit_table(&work, out, &rows.out, &rows.stripe);
    if (index == chain->last && work.plan->locations[out].external) {
        emit_store_rows(&work, out, &rows.out, &rows.stripe);
    }
}

static void emit_stripe(struct chain *chain, int64_t number, const struct stripe *stripe) {
    const struct plan *plan = chain->work->plan;
    int before = -1;
    chain_rows(plan, chain->first, stripe, chain->rows);
    look_ahead(chain, stripe);
    for (int i = chain->first; i >= 0; i = next_in_chain(plan, i)) {
        emit_part(chain, i, before, number);
        before = i;
    }
    chain_rows_made(plan, chain->first, chain->rows);
}

static struct chain chain_of(const struct work *work) {
    const struct plan *plan = work->plan;
    int first = work->layer;
    int last = plan->chain_last[first];
    struct chain_row *most = chain_array(plan, first);
    int64_t in_rows = chain_most_rows(plan, first, most);
    return (struct chain){.work = work,
                          .first = first,
                          .last = last,
                          .hosts = find_hosts(plan, first, most, in_rows),
                          .most = most,
                          .rows = chain_array(plan, first),
                          .next_rows = chain_array(plan, first),
                          .links =
                              WEFT_NEW_ARRAY(plan->arena, (size_t)(last - first) + 1, struct link)};
}

void emit_chain(const struct work *work) {
    const struct plan *plan = work->plan;
    struct chain chain = chain_of(work);
    const struct shape *out = &plan->layers[chain.last]->out;
    int64_t stripe_rows = cut_of(plan, chain.last)->stripe_rows;
    int64_t number = 0;
    for (chain.image = 0; chain.image < out->n; chain.image++) {
        for (int i = chain.first; i >= 0; i = next_in_chain(plan, i)) {
            chain.rows[i - chain.first].done = 0;
        }
        struct stripe stripe = rows_of_image(chain.image, 0, 0);
        for (; stripe.first < out->h; stripe.first = stripe.end) {
            stripe.end = weft_min(stripe.first + stripe_rows, out->h);
            emit_stripe(&chain, number++, &stripe);
        }
    }
}
