/* Where tensors lie: on chip as long as they are needed, or in external memory. */
#include <stdlib.h>

#include "base/integer.h"
#include "compiler/schedule/segment.h"

/* Something that takes room in ACT during a range of layers. */
struct item {
    int first, last; /* layers, inclusive; of a chain the first one stands for all */
    int64_t bytes;
    size_t number; /* in the order in which they were added */
    int64_t address;
    int tensor;            /* a resident tensor, or -1: a stripe buffer */
    int layer, slot, side; /* of a stripe buffer: input 0 or 1 or output 2; 0 or 1 */
};

/* Stripes of more rows than this become shorter for little. */
enum {
    LONG_STRIPE = 4
};

struct plan {
    struct segment *segment;
    struct item *items;
    size_t count, capacity;
};

static void add_item(struct plan *plan, struct item item) {
    int64_t bank = weft_bank_bytes(plan->segment->config, WEFT_MEMORY_ACT);
    item.bytes = weft_round_up(item.bytes, bank);
    plan->items = weft_arena_grow(plan->segment->arena, plan->items, plan->count, &plan->capacity,
                                  sizeof *plan->items);
    item.number = plan->count;
    plan->items[plan->count++] = item;
}

/* ---- what needs room ---- */

static bool is_dead(const struct tensor *tensor) {
    return tensor->producer < 0 && tensor->input < 0 && tensor->constant == NULL;
}

/* First layer that needs the tensor on chip: its producer, or the first that reads it. */
static int first_use(const struct segment *segment, int tensor) {
    if (!is_from_memory(&segment->tensors[tensor])) {
        return segment->tensors[tensor].producer;
    }
    for (int i = 0; i < segment->layer_count; i++) {
        for (uint32_t k = 0; k < segment->layers[i].input_count; k++) {
            if (segment->tensors_of[i][k] == tensor && reads_on_chip(segment->layers[i].kind)) {
                return i;
            }
        }
    }
    return 0;
}

static void add_resident(struct plan *plan, int index) {
    struct tensor *tensor = &plan->segment->tensors[index];
    const struct stripe whole = whole_tensor(tensor);
    tensor->view = view_at(plan->segment, tensor, 0, &whole, &tensor->bytes);
    int first = first_use(plan->segment, index);
    int last = (int)weft_max(first, tensor->last_use);
    add_item(plan, (struct item){.first = plan->segment->chain_first[first],
                                 .last = plan->segment->chain_first[last],
                                 .bytes = tensor->bytes,
                                 .tensor = index});
}

/* Buffers for the stripes of one operand of a layer, of which `stripe` is the largest. */
static void add_stripes(struct plan *plan, int layer, int slot, int buffers,
                        const struct stripe *stripe) {
    const struct segment *segment = plan->segment;
    const struct tensor *tensor = &segment->tensors[segment->tensors_of[layer][slot]];
    int64_t bytes = 0;
    view_at(segment, tensor, 0, stripe, &bytes);
    for (int side = 0; side < buffers; side++) {
        add_item(plan, (struct item){.first = segment->chain_first[layer],
                                     .last = segment->chain_first[layer],
                                     .bytes = bytes,
                                     .tensor = -1,
                                     .layer = layer,
                                     .slot = slot,
                                     .side = side});
    }
}

static bool is_resident(const struct segment *segment, int layer, int slot) {
    return segment->tensors[segment->tensors_of[layer][slot]].resident;
}

/* ---- single layers ---- */

/* The largest stripe of an operand of a layer. */
static struct stripe largest_stripe(const struct segment *segment, int index, int slot) {
    const struct layer *layer = &segment->layers[index];
    const struct tiling *tiling = &segment->tilings[index];
    const struct tensor *tensor = &segment->tensors[segment->tensors_of[index][slot]];
    const struct stripe whole = whole_tensor(tensor);
    int64_t rows = slot == 2 ? tensor->shape.h : whole.end - whole.first;
    struct stripe stripe = {0, tiling->stripe_images, 0, rows, 1, 0, ALL_BLOCKS};
    if (!layer->turned && slot == 2) {
        stripe.end = tiling->stripe_rows;
    } else if (!layer->turned) {
        const struct layer *reader = reader_of(segment, index, (uint32_t)slot);
        stripe.end = weft_min(rows, most_rows_read(reader, tiling->stripe_rows));
        stripe.row_step = row_step(segment, index, (uint32_t)slot);
    }
    if (is_cut_in_groups(segment, index, slot)) {
        stripe.end_block = tiling->stripe_groups * tiling->blocks;
    }
    return stripe;
}

static void add_layer(struct plan *plan, int index) {
    const struct segment *segment = plan->segment;
    const struct layer *layer = &segment->layers[index];
    const struct tiling *tiling = &segment->tilings[index];
    bool all_rows = tiling->stripe_rows >= layer->out.h && tiling->stripe_images >= layer->out.n;
    for (int slot = 0; slot < 3; slot++) {
        bool on_chip = slot == 2 ? makes_on_chip(layer->kind)
                                 : slot < (int)layer->input_count && reads_on_chip(layer->kind);
        if (on_chip && !is_resident(segment, index, slot)) {
            const struct stripe stripe = largest_stripe(segment, index, slot);
            bool all_groups =
                tiling->stripe_groups >= tiling->groups || !is_cut_in_groups(segment, index, slot);
            add_stripes(plan, index, slot, all_rows && all_groups ? 1 : tiling->stripe_buffers,
                        &stripe);
        }
    }
}

/* ---- chains ---- */

/* What lies between layers needs one buffer: whoever writes it comes after everybody who read it.
 */
static void add_chain(struct plan *plan, int first) {
    const struct segment *segment = plan->segment;
    int last = segment->chain_last[first];
    const struct tiling *tiling = &segment->tilings[last];
    const struct layer *result = &segment->layers[last];
    int buffers =
        tiling->stripe_rows >= result->out.h && result->out.n == 1 ? 1 : tiling->stripe_buffers;
    struct chain_row *most =
        WEFT_NEW_ARRAY(segment->arena, (size_t)segment->layer_count, struct chain_row);
    int64_t in_rows = chain_most_rows(segment, first, most);
    struct stripe stripe = rows_of_image(0, 0, in_rows);
    stripe.row_step = row_step(segment, first, 0);
    if (!is_resident(segment, first, 0)) {
        add_stripes(plan, first, 0, buffers, &stripe);
    }
    stripe.row_step = 1;
    for (int i = first; i >= 0; i = next_in_chain(segment, i)) {
        stripe.end = most[i].end;
        if (segment->layers[i].input_count > 1 && !is_resident(segment, i, 1)) {
            add_stripes(plan, i, 1, buffers, &stripe);
        }
        if (i != last) {
            stripe.end = most[i].need_end;
            add_stripes(plan, i, 2, 1, &stripe);
        } else if (!is_resident(segment, i, 2)) {
            add_stripes(plan, i, 2, buffers, &stripe);
        }
    }
}

/* ---- placement ---- */

/* The lowest address at which the item meets none of those before it that lives at the same time;
 * -1: none. */
static int64_t lowest(const struct plan *plan, size_t index) {
    const struct item *item = &plan->items[index];
    int64_t address = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < index; i++) {
            const struct item *other = &plan->items[i];
            if (other->first <= item->last && item->first <= other->last &&
                address < other->address + other->bytes && other->address < address + item->bytes) {
                address = other->address + other->bytes;
                moved = true;
            }
        }
    }
    return address + item->bytes <= (int64_t)plan->segment->config->act_bytes ? address : -1;
}

static int by_size(const void *a, const void *b) {
    const struct item *x = a;
    const struct item *y = b;
    int order = weft_compare_u64((uint64_t)y->bytes, (uint64_t)x->bytes);
    return order != 0 ? order : weft_compare_u64(x->number, y->number);
}

/* Places larger items first; returns the index of the first that does not fit, or -1. */
static int64_t place(struct plan *plan) {
    if (plan->count != 0) {
        qsort(plan->items, plan->count, sizeof *plan->items, by_size);
    }
    for (size_t i = 0; i < plan->count; i++) {
        plan->items[i].address = lowest(plan, i);
        if (plan->items[i].address < 0) {
            return (int64_t)i;
        }
    }
    return -1;
}

/* Gives up a resident tensor that lives at the same time as the item that found no room: the
 * largest. */
static bool evict(struct plan *plan, const struct item *blocked) {
    int victim = -1;
    for (size_t i = 0; i < plan->count; i++) {
        const struct item *item = &plan->items[i];
        if (item->tensor >= 0 && item->first <= blocked->last && blocked->first <= item->last &&
            (victim < 0 || item->bytes > plan->items[victim].bytes)) {
            victim = (int)i;
        }
    }
    if (victim < 0) {
        return false;
    }
    struct tensor *tensor = &plan->segment->tensors[plan->items[victim].tensor];
    tensor->resident = false;
    tensor->external = true;
    return true;
}

/* Smaller stripes for the layer whose buffers found no room: fewer groups, which costs nothing,
 * then fewer images, then fewer rows. One that is turned has no rows to cut until it is turned
 * back. The last resort is to have each buffer once, so that loads and stores wait for the work
 * between them. */
static bool shorten(struct plan *plan, int layer) {
    struct tiling *tiling = &plan->segment->tilings[layer];
    if (tiling->stripe_groups > 1 && is_cut_in_groups(plan->segment, layer, 2)) {
        tiling->stripe_groups = (tiling->stripe_groups + 1) / 2;
        return true;
    }
    if (tiling->stripe_images > 1) {
        tiling->stripe_images = (tiling->stripe_images + 1) / 2;
        return true;
    }
    if (plan->segment->layers[layer].turned) {
        layer_turn(&plan->segment->layers[layer]);
        return tiling_choose(plan->segment, layer);
    }
    if (tiling->stripe_rows > 1) {
        tiling->stripe_rows = (tiling->stripe_rows + 1) / 2;
        tiling->rows = weft_min(tiling->rows, tiling->stripe_rows);
        return true;
    }
    return --tiling->stripe_buffers > 0;
}

static bool try_plan(struct plan *plan, bool *again) {
    struct segment *segment = plan->segment;
    plan->count = 0;
    *again = false;
    for (int t = 0; t < segment->tensor_count; t++) {
        if (segment->tensors[t].resident) {
            add_resident(plan, t);
        }
    }
    for (int i = 0; i < segment->layer_count; i++) {
        if (layer_is_idle(segment, i) || segment->chain_first[i] != i) {
            continue;
        }
        if (segment->chain_last[i] == i) {
            add_layer(plan, i);
        } else {
            add_chain(plan, i);
        }
    }
    int64_t blocked = place(plan);
    if (blocked < 0) {
        return true;
    }
    const struct item *item = &plan->items[blocked];
    int last = item->tensor < 0 ? segment->chain_last[item->layer] : -1;
    bool shortened = last >= 0 && segment->style.shorten_first &&
                     segment->tilings[last].stripe_rows > LONG_STRIPE && shorten(plan, last);
    *again = shortened || evict(plan, item) || (last >= 0 && shorten(plan, last));
    if (!*again && item->tensor < 0) {
        return weft_fail(segment->error, WEFT_CAPACITY, (uint64_t)item->layer,
                         "layer %d (%s) does not fit the activation memory even row by row",
                         item->layer, segment->layers[item->layer].name);
    }
    return *again;
}

/* ---- external memory ---- */

static int64_t external_bytes(const struct segment *segment, const struct tensor *tensor) {
    const struct shape *s = &tensor->shape;
    int64_t channels =
        tensor->nhwc ? s->c : blocks_of(segment, s->c) * (int64_t)segment->config->block;
    return s->n * s->h * s->w * channels;
}

static void place_own(struct segment *segment, struct tensor *tensor) {
    bool input = tensor->input >= 0;
    bool output = tensor->output >= 0;
    int64_t *end = input    ? &segment->input_bytes
                   : output ? &segment->output_bytes
                            : &segment->scratch_bytes;
    tensor->region = input    ? WEFT_REGION_INPUTS
                     : output ? WEFT_REGION_OUTPUTS
                              : WEFT_REGION_SCRATCH;
    tensor->offset = *end;
    *end = weft_round_up(*end + external_bytes(segment, tensor), segment->config->memory_burst);
}

static void place_external(struct segment *segment) {
    for (int t = 0; t < segment->tensor_count; t++) {
        struct tensor *tensor = &segment->tensors[t];
        if (tensor->external && !is_dead(tensor) && tensor->same_bytes < 0 &&
            tensor->constant == NULL) {
            place_own(segment, tensor); /* constants_pack() places those that are constant */
        }
    }
    for (int t = 0; t < segment->tensor_count; t++) {
        struct tensor *tensor = &segment->tensors[t];
        const struct tensor *owner = tensor;
        while (owner->same_bytes >= 0) {
            owner = &segment->tensors[owner->same_bytes];
        }
        tensor->region = owner->region;
        tensor->offset = owner->offset;
    }
}

/* Finds room for everything, beginning with all tensors that could be resident. */
static bool find_room(struct plan *plan) {
    struct segment *segment = plan->segment;
    for (int t = 0; t < segment->tensor_count; t++) {
        struct tensor *tensor = &segment->tensors[t];
        /* What comes from memory and is not read on chip is only a name. */
        bool unread = is_from_memory(tensor) && tensor->last_use < 0;
        tensor->resident = !is_dead(tensor) && !unread && !tensor->is_between;
        tensor->external = tensor->nhwc;
    }
    for (bool again = true; again;) {
        if (!try_plan(plan, &again)) {
            return false;
        }
    }
    return true;
}

bool plan_memory(struct segment *segment, struct stripe_buffers *buffers) {
    struct plan plan = {.segment = segment};
    if (!find_room(&plan)) {
        return false;
    }
    if (segment->style.chains && chain_layers(segment)) {
        for (int i = 0; i < segment->layer_count; i++) {
            tiling_choose(segment, i);
        }
        if (!find_room(&plan)) {
            return false;
        }
    }
    for (size_t i = 0; i < plan.count; i++) {
        const struct item *item = &plan.items[i];
        if (item->tensor >= 0) {
            struct tensor *tensor = &segment->tensors[item->tensor];
            tensor->view.base += item->address;
            continue;
        }
        int64_t *address = buffers[item->layer].address[item->slot];
        address[item->side] = item->address;
        if (item->side == 0) {
            address[1] = item->address; /* until there is a second one */
        }
    }
    place_external(segment);
    return true;
}
