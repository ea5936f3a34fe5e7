/* What needs room in ACT, and when. */
#include "base/integer.h"
#include "compiler/plan/plan.h"

static void add_item(struct plan *plan, struct items *items, struct item item) {
    item.bytes = weft_round_up(item.bytes, weft_bank_bytes(plan->config, WEFT_MEMORY_ACT));
    items->items = weft_arena_grow(plan->arena, items->items, items->count, &items->capacity,
                                   sizeof *items->items);
    items->items[items->count++] = item;
}

void items_of_tensor(struct plan *plan, int index, struct items *items) {
    const struct tensor *tensor = &plan->region->tensors[index];
    const struct stripe whole = whole_tensor(tensor);
    int64_t bytes = 0;
    items->count = 0;
    if (keep_of(plan, index)->resident) {
        plan->locations[index].view = view_at(plan, index, 0, &whole, &bytes);
        int last = (int)weft_max(tensor->first_use, tensor->last_use);
        add_item(plan, items,
                 (struct item){.first = plan->chain_first[tensor->first_use],
                               .last = plan->chain_first[last],
                               .bytes = bytes,
                               .tensor = index});
    }
}

/* Buffers for the stripes of one operand of a layer, of which `stripe` is the largest. */
static void add_stripes(struct plan *plan, struct items *items, int layer, int slot,
                        int64_t buffers, const struct stripe *stripe) {
    int64_t bytes = 0;
    view_at(plan, plan->region->tensors_of[layer][slot], 0, stripe, &bytes);
    for (int side = 0; side < buffers; side++) {
        add_item(plan, items,
                 (struct item){.first = plan->chain_first[layer],
                               .last = plan->chain_first[layer],
                               .bytes = bytes,
                               .tensor = -1,
                               .layer = layer,
                               .slot = slot,
                               .side = side});
    }
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
        bool on_chip = slot == 2
                           ? operations_of(layer)->makes_on_chip
                           : slot < (int)layer->input_count && operations_of(layer)->reads_on_chip;
        if (on_chip && !is_resident(plan, index, slot)) {
            const struct stripe stripe = largest_stripe(plan, index, slot);
            bool all_groups = cut->stripe_groups >= plan->tilings[index].groups ||
                              !is_cut_in_groups(plan, index, slot);
            add_stripes(plan, items, index, slot, all_rows && all_groups ? 1 : cut->stripe_buffers,
                        &stripe);
        }
    }
}

/* ---- chains ---- */

/* What lies between layers needs one buffer: whoever writes it comes after everybody who read it.
 */
static void add_chain(struct plan *plan, struct items *items, int first) {
    int last = plan->chain_last[first];
    const struct cut *cut = cut_of(plan, last);
    const struct layer *result = plan->layers[last];
    int64_t buffers =
        cut->stripe_rows >= result->out.h && result->out.n == 1 ? 1 : cut->stripe_buffers;
    struct chain_row *most = chain_array(plan, first);
    int64_t in_rows = chain_most_rows(plan, first, most);
    struct stripe stripe = rows_of_image(0, 0, in_rows);
    stripe.row_step = row_step(plan, first, 0);
    if (!is_resident(plan, first, 0)) {
        add_stripes(plan, items, first, 0, buffers, &stripe);
    }
    stripe.row_step = 1;
    for (int i = first; i >= 0; i = next_in_chain(plan, i)) {
        stripe.end = most[i - first].end;
        if (plan->layers[i]->input_count > 1 && !is_resident(plan, i, 1)) {
            add_stripes(plan, items, i, 1, buffers, &stripe);
        }
        if (i != last) {
            stripe.end = most[i - first].need_end;
            add_stripes(plan, items, i, 2, 1, &stripe);
        } else if (!is_resident(plan, i, 2)) {
            add_stripes(plan, items, i, 2, buffers, &stripe);
        }
    }
}

/* ---- all ---- */

void items_of_layer(struct plan *plan, int first, struct items *items) {
    items->count = 0;
    if (!layer_is_idle(plan->region, first)) {
        (plan->chain_last[first] == first ? add_layer : add_chain)(plan, items, first);
    }
}
