/* What needs room in ACT, and when. */
#include "base/integer.h"
#include "compiler/plan/plan.h"

static void add_item(struct plan *plan, struct items *items, struct item item) {
    item.bytes = weft_round_up(item.bytes, weft_bank_bytes(plan->config, WEFT_MEMORY_ACT));
    items->items = weft_arena_reserve(plan->arena, items->items, items->count, 1, &items->capacity,
                                      sizeof *items->items);
    items->items[items->count++] = item;
}

/* ---- who uses it ---- */

enum {
    LOAD = 1 << WEFT_UNIT_LOAD,
    MATRIX = 1 << WEFT_UNIT_MATRIX,
    VECTOR = 1 << WEFT_UNIT_VECTOR,
    STORE = 1 << WEFT_UNIT_STORE
};

/* The unit that reads an input of a layer. */
static uint32_t reader_unit(const struct plan *plan, int layer, int slot) {
    return slot == 0 && operations_of(plan->layers[layer])->has_products ? MATRIX : VECTOR;
}

/* Does VECTOR read what a layer makes, for what is carried out behind it in place, or a table? */
static bool is_made_in_place(const struct plan *plan, int layer) {
    bool is_looked_up = tensor_at(plan, layer, 2)->table != NULL;
    bool is_combined = plan->layers[layer]->behind >= 0;
    return cut_of(plan, layer)->apart ? is_looked_up && is_combined : is_looked_up || is_combined;
}

/* Notes who uses a resident tensor. */
static void note_users(const struct plan *plan, int index, struct item *item) {
    const struct region *region = plan->region;
    const struct tensor *tensor = &region->tensors[index];
    item->writers = is_from_memory(tensor) ? LOAD : VECTOR;
    item->readers = tensor->nhwc && !is_from_memory(tensor) ? STORE : 0;
    for (int i = region->first_user[index]; i < region->first_user[index + 1]; i++) {
        int layer = region->users[i];
        for (int slot = 0; slot < (int)plan->layers[layer]->input_count; slot++) {
            if (region->tensors_of[layer][slot] == index) {
                item->readers |= reader_unit(plan, layer, slot);
            }
        }
        if (region->tensors_of[layer][2] == index && is_made_in_place(plan, layer)) {
            item->readers |= VECTOR;
        }
    }
}

/* The same of a buffer of stripes. */
static void note_stripe_users(const struct plan *plan, struct item *item) {
    bool is_result = item->slot == 2;
    int next = next_in_chain(plan, item->layer);
    item->writers = is_result ? VECTOR : LOAD;
    item->readers = !is_result ? reader_unit(plan, item->layer, item->slot)
                    : next < 0 ? STORE
                               : reader_unit(plan, next, linked_slot(plan, next));
    if (is_result && next >= 0 && leaves_chain(tensor_at(plan, item->layer, 2))) {
        item->readers |= STORE;
    }
    if (is_result && is_made_in_place(plan, item->layer)) {
        item->readers |= VECTOR;
    }
}

/* ---- tensors ---- */

/* Notes during which layers a tensor is on chip: those that use it may be carried out during
 * others. */
static void note_life(const struct plan *plan, int index, struct item *item) {
    const struct region *region = plan->region;
    int first = region->tensors[index].first_life;
    int last = region->tensors[index].last_life;
    for (int i = region->first_user[index]; i < region->first_user[index + 1]; i++) {
        first = (int)weft_min(first, plan->host_of[region->users[i]]);
        last = (int)weft_max(last, plan->host_of[region->users[i]]);
    }
    item->first = plan->chain_first[first];
    item->last = plan->chain_first[last];
}

void items_of_tensor(struct plan *plan, int index, struct items *items) {
    const struct tensor *tensor = &plan->region->tensors[index];
    const struct stripe whole = whole_tensor(tensor);
    int64_t bytes = 0;
    items->count = 0;
    if (keep_of(plan, index)->resident) {
        plan->locations[index].view = view_at(plan, index, 0, &whole, INT64_MAX, &bytes);
        struct item item = {.bytes = bytes, .tensor = index};
        note_life(plan, index, &item);
        note_users(plan, index, &item);
        add_item(plan, items, item);
    }
}

/* Buffers for the stripes of one operand of a layer, of which `stripe` is the largest. */
static void add_stripes(struct plan *plan, struct items *items, int layer, int slot,
                        int64_t buffers, const struct stripe *stripe) {
    int64_t bytes = 0;
    view_at(plan, plan->region->tensors_of[layer][slot], 0, stripe, INT64_MAX, &bytes);
    for (int side = 0; side < buffers; side++) {
        struct item item = {.first = plan->chain_first[layer],
                            .last = plan->chain_first[layer],
                            .bytes = bytes,
                            .tensor = -1,
                            .layer = layer,
                            .slot = slot,
                            .side = side};
        note_stripe_users(plan, &item);
        add_item(plan, items, item);
    }
}

/* The product of a tile, if it lies apart. VECTOR makes and reads one after the other: one buffer.
 */
static void add_product(struct plan *plan, struct items *items, int layer) {
    const struct cut *cut = cut_of(plan, layer);
    if (cut->apart) {
        add_item(plan, items,
                 (struct item){.first = plan->chain_first[plan->region->runs[layer].first],
                               .last = plan->chain_first[plan->region->runs[layer].last],
                               .bytes = cut->tile_rows * cut->tile_columns * cut->tile_blocks *
                                        plan->config->block,
                               .tensor = -1,
                               .layer = layer,
                               .slot = SLOT_PRODUCT,
                               .readers = VECTOR,
                               .writers = VECTOR});
    }
}

/* The result of a mean behind a layer, unless it is resident. */
static void add_mean(struct plan *plan, struct items *items, int layer) {
    int mean = plan->region->layers[layer].summed;
    int index = plan->region->tensors_of[mean][2];
    if (mean > 0 && !keep_of(plan, index)->resident) {
        const struct stripe whole = whole_tensor(&plan->region->tensors[index]);
        struct item item = {.first = plan->chain_first[layer],
                            .last = plan->chain_first[layer],
                            .tensor = -1,
                            .layer = layer,
                            .slot = SLOT_MEAN,
                            .readers = STORE,
                            .writers = VECTOR};
        view_at(plan, index, 0, &whole, INT64_MAX, &item.bytes);
        add_item(plan, items, item);
    }
}

/* Buffers for the first operand of a chain, which may be one layer, and for everything else. */
static int64_t buffers_of(const struct plan *plan, int first, int slot) {
    int last = plan->chain_last[first];
    int64_t buffers = weft_min(cut_of(plan, last)->stripe_buffers, 2);
    bool has_third = buffers == 2 && slot == 0 && cut_of(plan, first)->stripe_buffers > 2;
    return buffers + has_third;
}

/* ---- single layers ---- */

/* The largest stripe of an operand of a layer. */
static struct stripe largest_stripe(const struct plan *plan, int index, int slot) {
    const struct layer *layer = plan->layers[index];
    const struct cut *cut = cut_of(plan, index);
    const struct tensor *tensor = tensor_at(plan, index, slot);
    const struct stripe whole = whole_tensor(tensor);
    int64_t rows = slot == 2 ? tensor->shape.h : whole.end - whole.first;
    struct stripe stripe = {0, cut->stripe_images, 0, rows, 1, 0, ALL_BLOCKS};
    if (layer->side_by_side[slot]) {
        stripe.end = cut->stripe_rows;
        return stripe_of_heads(plan->config, layer, slot, &stripe);
    }
    if (!layer->turned && slot == 2) {
        stripe.end = cut->stripe_rows;
    } else if (!layer->turned) {
        const struct layer *reader = plan->layers[reader_of(plan->region, index, slot)];
        stripe.end = weft_min(rows, most_rows_read(reader, cut->stripe_rows));
        stripe.row_step = row_step(plan, index, slot);
    }
    if (is_cut_in_groups(plan, index, slot)) {
        stripe.end_block = cut->stripe_groups * plan->tilings[index].blocks;
    }
    return stripe;
}

static void add_layer(struct plan *plan, struct items *items, int index) {
    const struct layer *layer = plan->layers[index];
    const struct cut *cut = cut_of(plan, index);
    bool all_rows = cut->stripe_rows >= layer->out.h && cut->stripe_images >= layer->out.n;
    for (int slot = 0; slot < 3; slot++) {
        bool on_chip = slot == 2 ? operations_of(layer)->makes_on_chip
                                 : slot < (int)layer->input_count && reads_on_chip(layer, slot);
        if (on_chip && !is_resident(plan, index, slot)) {
            const struct stripe stripe = largest_stripe(plan, index, slot);
            bool all_groups = cut->stripe_groups >= plan->tilings[index].groups ||
                              !is_cut_in_groups(plan, index, slot);
            add_stripes(plan, items, index, slot,
                        all_rows && all_groups ? 1 : buffers_of(plan, index, slot), &stripe);
        }
    }
    add_product(plan, items, index);
    add_mean(plan, items, index);
}

/* ---- chains ---- */

/* What lies between layers needs one buffer: whoever writes it comes after everybody who read it,
 * but for what is made ahead between the tiles of its reader. */
static void add_chain(struct plan *plan, struct items *items, int first) {
    int last = plan->chain_last[first];
    const struct cut *cut = cut_of(plan, last);
    const struct layer *result = plan->layers[last];
    bool is_one = cut->stripe_rows >= result->out.h && result->out.n == 1;
    int64_t buffers = is_one ? 1 : buffers_of(plan, first, 2);
    struct chain_row *most = chain_array(plan, first);
    int64_t in_rows = chain_most_rows(plan, first, most);
    const struct chain_ahead ahead = chain_ahead(plan, first);
    struct stripe stripe = rows_of_image(0, 0, in_rows);
    stripe.row_step = row_step(plan, first, 0);
    if (!is_resident(plan, first, 0)) {
        add_stripes(plan, items, first, 0, is_one ? 1 : buffers_of(plan, first, 0), &stripe);
    }
    stripe.row_step = 1;
    for (int i = first; i >= 0; i = next_in_chain(plan, i)) {
        int other = i == first ? 1 : 1 - linked_slot(plan, i);
        stripe.end = most[i - first].end;
        if (plan->layers[i]->input_count > 1 && !is_resident(plan, i, other)) {
            add_stripes(plan, items, i, other, buffers, &stripe);
        }
        if (i != last) {
            stripe.end = most[i - first].need_end;
            bool is_read = ahead.host == ahead.end && next_in_chain(plan, i) == ahead.end;
            int64_t turns = leaves_chain(tensor_at(plan, i, 2)) ? buffers : 1;
            /* The host's tiles still read it while the next stripe's is made, however little room
             * there is. */
            add_stripes(plan, items, i, 2, is_read && !is_one ? 2 : turns, &stripe);
        } else if (!is_resident(plan, i, 2)) {
            add_stripes(plan, items, i, 2, buffers, &stripe);
        }
        add_product(plan, items, i);
        add_mean(plan, items, i);
    }
}

/* ---- all ---- */

void items_of_layer(struct plan *plan, int first, struct items *items) {
    items->count = 0;
    if (!layer_is_idle(plan->region, first)) {
        (plan->chain_last[first] == first ? add_layer : add_chain)(plan, items, first);
    }
}
