/* Chains of layers, stripe by stripe. */
#include <string.h>

#include "base/integer.h"
#include "compiler/emit/work.h"
#include "sim/timing/duration.h"

/* A layer of the chain. */
struct link {
    struct view view;   /* what it made for this stripe */
    struct view before; /* and for the one before */
    struct sum sum;
    bool is_prepared;    /* `view` is where it makes the stripe that comes next */
    int side;            /* which of its buffers that is in */
    int64_t kept_blocks; /* of which rows have been copied there */
    bool has_sides[2];   /* by buffer: the columns beside its rows are filled */
};

struct chain {
    const struct work *work; /* for the whole chain */
    int first, last;
    struct chain_hosts hosts;
    struct chain_ahead ahead;
    bool is_ahead; /* what is carried out ahead has been, for the stripe that comes next */
    int64_t image;
    /* By layer from the first on: of any stripe, of this one and of the next one. */
    struct chain_row *most, *rows, *next_rows;
    bool has_next;
    struct link *links;
    bool has_input; /* `input` has come ahead */
    struct view input;
    int stored; /* layer whose rows are still to be stored, or -1 */
    struct view stored_view;
    struct stripe stored_stripe;
    /* Of what is emitted for a stripe of a layer, used again for the next one: its tiles, what
     * comes ahead, and guests. */
    struct stream tiles, made_ahead, *guests;
};

static struct link *link_of(const struct chain *chain, int layer) {
    return &chain->links[layer - chain->first];
}

/* ---- between the layers ---- */

/* Copies the rows that the stripe before has made already. They lie in another buffer, or in the
 * same memory, `shift` rows further down: then no more than as many are copied at once. */
static void keep_rows(const struct chain *chain, const struct work *work,
                      const struct chain_row *row, int64_t first_block, int64_t end_block) {
    const struct view *before = &link_of(chain, work->layer)->before;
    const struct view *now = &link_of(chain, work->layer)->view;
    const int64_t *buffers = work->plan->buffers[work->layer].address[2];
    int64_t end = weft_min(row->done, row->first);
    int64_t shift = buffers[0] == buffers[1] ? now->first_row - before->first_row : end;
    for (int64_t first = weft_max(row->need_first, 0); shift > 0 && first < end; first += shift) {
        const struct area area = {.image = chain->image,
                                  .first_block = first_block,
                                  .blocks = end_block - first_block,
                                  .first_row = first,
                                  .rows = weft_min(shift, end - first),
                                  .columns = tensor_at(work->plan, work->layer, 2)->shape.w};
        struct weft_instruction copy = copy_of(work, before, &area, now, &area);
        /* As they are: what is kept may be of arithmetic behind the layer, with limits of its own.
         */
        copy.vector.low = INT8_MIN;
        copy.vector.high = INT8_MAX;
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
    const int64_t *buffers = work->plan->buffers[work->layer].address[2];
    int64_t bytes = 0;
    link->before = link->view;
    link->side = buffers[0] == buffers[1] ? 0 : 1 - link->side;
    link->view = view_at(work->plan, tensor, buffers[link->side], &stripe,
                         work->plan->buffers[work->layer].bytes[2], &bytes);
    if (!link->has_sides[link->side]) {
        link->has_sides[link->side] = true;
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
    stream_clear(work.stream);
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
static struct view result_view(struct chain *chain, const struct work *work,
                               const struct chain_row *row, int64_t number,
                               const struct stripe *stripe) {
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

/* Emits what a layer does with its rows of a stripe; `before` is the layer before it in the chain,
 * or -1. False: it has none. `tiles` is a stream of its own. */
static bool emit_rows(struct chain *chain, const struct work *work, const struct chain_row *row,
                      int before, int64_t number, struct stream *tiles, struct rows *rows) {
    *rows = (struct rows){.stripe = rows_of_image(chain->image, row->first, row->end),
                          .end_group = tiling_of(work)->groups};
    rows->out = result_view(chain, work, row, number, &rows->stripe);
    link_of(chain, work->layer)->view = rows->out;
    if (row->first >= row->end) {
        return false;
    }
    int linked = (int)weft_max(linked_slot(work->plan, work->layer), 0);
    rows->in[linked] =
        before < 0 ? chain_input(chain, work, number, &rows->stripe) : link_of(chain, before)->view;
    if (layer_of(work)->input_count > 1) {
        rows->in[1 - linked] = input_view(work, 1 - linked, number, &rows->stripe);
    }
    struct work apart = *work;
    apart.stream = tiles;
    operations_of(layer_of(work))->emit(&apart, rows);
    return true;
}

/* Stores what was put off. */
static void store_now(struct chain *chain) {
    if (chain->stored >= 0) {
        const struct work work = work_for(chain->work, chain->stored);
        emit_store_rows(&work, operand_of(&work, 2), &chain->stored_view, &chain->stored_stripe);
        chain->stored = -1;
    }
}

/* Stores the rows of a layer. STORE reads them through the ports that the next layer reads them
 * through, so it comes after that, where the layer makes its next rows in another buffer. */
static void emit_store(struct chain *chain, const struct work *work, const struct rows *rows) {
    const int64_t *buffers = work->plan->buffers[work->layer].address[2];
    bool is_made_now = work->layer >= chain->ahead.end && work->layer != chain->last;
    if (is_made_now && buffers[0] != buffers[1]) {
        chain->stored = work->layer;
        chain->stored_view = rows->out;
        chain->stored_stripe = rows->stripe;
    } else {
        emit_store_rows(work, operand_of(work, 2), &rows->out, &rows->stripe);
    }
}

/* What comes after the tiles of a stripe of a layer. */
static void emit_end(struct chain *chain, const struct work *work, const struct rows *rows) {
    emit_result_table(work, &rows->out, &rows->stripe);
    store_now(chain);
    if (work->plan->locations[operand_of(work, 2)].external) {
        emit_store(chain, work, rows);
    }
    sum_stripe(work, &link_of(chain, work->layer)->sum, &rows->out, &rows->stripe);
}

/* ---- ahead ---- */

/* The layers that are carried out ahead, one after the other, for the stripe of `rows`. */
static void emit_ahead(struct chain *chain, const struct work *work, const struct chain_row *rows,
                       int64_t number) {
    int before = -1;
    for (int i = chain->first; i != chain->ahead.end; i = next_in_chain(work->plan, i)) {
        const struct work own = work_for(work, i);
        struct rows made;
        if (emit_rows(chain, &own, &rows[i - chain->first], before, number, own.stream, &made)) {
            emit_end(chain, &own, &made);
        }
        link_of(chain, i)->is_prepared = false;
        before = i;
    }
}

static bool is_load(const struct step *step) {
    return step->instruction.opcode == WEFT_OPCODE_LOAD ||
           step->instruction.opcode == WEFT_OPCODE_FILL;
}

/* Cycles of VECTOR in a step. */
static uint64_t vector_cycles(const struct work *work, const struct step *step) {
    return step->instruction.opcode == WEFT_OPCODE_VECTOR
               ? weft_vector_duration(work->plan->config, &step->instruction.vector).slots
               : 0;
}

/* The same for the next stripe, in parts: what is loaded at once, the rest in equal shares. */
static void add_ahead(struct chain *chain, struct guests *guests, int64_t number) {
    struct stream *all = &chain->made_ahead;
    struct work work = *chain->work;
    stream_clear(all);
    work.stream = all;
    emit_ahead(chain, &work, chain->next_rows, number + 1);
    const struct work guest = add_guest(chain, guests, chain->first);
    uint64_t cycles = 0;
    for (size_t i = 0; i < all->count; i++) {
        cycles += vector_cycles(&work, &all->steps[i]);
        if (is_load(&all->steps[i])) {
            stream_add(guest.stream, &all->steps[i]);
        }
    }
    size_t at = 0;
    uint64_t done = 0;
    for (int64_t tile = 1; tile <= guests->tiles; tile++) {
        uint64_t share = cycles * (uint64_t)tile / (uint64_t)guests->tiles;
        for (; at < all->count && (done < share || tile == guests->tiles); at++) {
            done += vector_cycles(&work, &all->steps[at]);
            if (!is_load(&all->steps[at])) {
                stream_add(guest.stream, &all->steps[at]);
            }
        }
        stream_end_part(guest.stream);
    }
    chain->is_ahead = true;
}

/* ---- layer by layer ---- */

/* Everything that a layer is the host of during its stripe. */
static struct guests find_guests(struct chain *chain, int host, int64_t number) {
    const struct plan *plan = chain->work->plan;
    const struct chain_row *row = &chain->rows[host - chain->first];
    const struct chain_row *input = &chain->next_rows[0];
    const struct stripe now = rows_of_image(chain->image, row->first, row->end);
    const struct work own = work_for(chain->work, host);
    struct guests guests = {.streams = chain->guests, .tiles = tiles_of(&own, &now)};
    if (chain->has_next && chain->ahead.host == host) {
        add_ahead(chain, &guests, number);
    }
    if (chain->has_next && chain->ahead.end == chain->first && chain->hosts.of_input == host &&
        input->first < input->end && comes_ahead(chain->work)) {
        add_input(chain, &guests, number);
    }
    if (host != chain->last) {
        add_host(chain, &guests, host);
    }
    for (int i = chain->first; i != chain->last; i = next_in_chain(plan, i)) {
        if (i != host && i >= chain->ahead.end && chain->hosts.of[i - chain->first] == host &&
            (i > host || chain->has_next)) {
            add_layer(chain, &guests, host, i);
        }
    }
    return guests;
}

/* The part of one layer in a stripe; `before` is the layer before it in the chain, or -1. */
static void emit_part(struct chain *chain, int index, int before, int64_t number) {
    const struct work work = work_for(chain->work, index);
    struct rows rows;
    stream_clear(&chain->tiles);
    if (emit_rows(chain, &work, &chain->rows[index - chain->first], before, number, &chain->tiles,
                  &rows)) {
        const struct guests guests = find_guests(chain, index, number);
        stream_merge(work.stream, &chain->tiles, guests.count, guests.streams);
        emit_end(chain, &work, &rows);
    }
    link_of(chain, index)->is_prepared = false;
}

static void emit_stripe(struct chain *chain, int64_t number, const struct stripe *stripe) {
    const struct plan *plan = chain->work->plan;
    int before = -1;
    chain_rows(plan, chain->first, stripe, chain->rows);
    look_ahead(chain, stripe);
    if (!chain->is_ahead) {
        emit_ahead(chain, chain->work, chain->rows, number);
    }
    chain->is_ahead = false;
    for (int i = chain->first; i >= 0; i = next_in_chain(plan, i)) {
        if (i >= chain->ahead.end) {
            emit_part(chain, i, before, number);
        }
        before = i;
    }
    store_now(chain);
    chain_rows_made(plan, chain->first, chain->rows);
}

static struct chain chain_of(const struct work *work) {
    const struct plan *plan = work->plan;
    struct weft_arena *arena = work->stream->arena;
    int first = work->layer;
    int last = plan->chain_last[first];
    size_t layers = (size_t)(last - first) + 1;
    struct chain_row *most = chain_array(plan, first);
    int64_t in_rows = chain_most_rows(plan, first, most);
    struct chain chain = {.work = work,
                          .first = first,
                          .last = last,
                          .stored = -1,
                          .hosts = find_hosts(plan, first, most, in_rows),
                          .ahead = chain_ahead(plan, first),
                          .most = most,
                          .rows = chain_array(plan, first),
                          .next_rows = chain_array(plan, first),
                          .links = WEFT_NEW_ARRAY(plan->arena, layers, struct link),
                          .tiles.arena = arena,
                          .made_ahead.arena = arena,
                          .guests = WEFT_NEW_ARRAY(arena, layers + 2, struct stream)};
    for (size_t i = 0; i < layers + 2; i++) {
        chain.guests[i].arena = arena;
    }
    return chain;
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
    for (int i = chain.first; i >= 0; i = next_in_chain(plan, i)) {
        const struct work own = work_for(work, i);
        sum_finish(&own, &link_of(&chain, i)->sum);
    }
}
