/* Where the operands and the result of a stripe are; operands are loaded on the way. */
#include "base/integer.h"
#include "compiler/emit/work.h"

/* All rows of a resident tensor, loaded or with its halo filled when it is met first. */
static struct view resident_view(const struct work *work, int index) {
    const struct tensor *tensor = &work->plan->region->tensors[index];
    const struct view *view = &work->plan->locations[index].view;
    if (!work->on_chip[index]) {
        bool load = is_from_memory(tensor);
        const struct stripe whole = whole_tensor(tensor);
        work->on_chip[index] = true;
        emit_halo(work, index, view, &whole, load);
        if (load) {
            emit_load_looked_up(work, index, view, &whole);
        }
    }
    return *view;
}

/* The address of the buffer that an operand uses in stripe `number`. */
static int64_t buffer(const struct work *work, int slot, int64_t number) {
    const struct stripe_buffers *buffers = &work->plan->buffers[work->layer];
    return buffers->address[slot][number % weft_max(buffers->sides[slot], 1)];
}

/* Bytes of each of these buffers. */
static int64_t room_of(const struct work *work, int slot) {
    return work->plan->buffers[work->layer].bytes[slot];
}

/* The rows of an input that a stripe of results reads. Some may lie outside the tensor, as far as
 * its halo goes, and even all of them: padding can be larger than a stripe. */
static struct stripe input_stripe(const struct work *work, const struct tensor *tensor, int slot,
                                  const struct stripe *results) {
    const struct layer *reader =
        work->plan->layers[reader_of(work->plan->region, work->layer, slot)];
    const struct stripe whole = whole_tensor(tensor);
    struct stripe stripe = *results;
    if (reader->side_by_side[slot]) {
        return stripe_of_heads(work->plan->config, reader, slot, results);
    }
    stripe.row_step = row_step(work->plan, work->layer, slot);
    if (layer_of(work)->turned) {
        stripe.first = whole.first;
        stripe.end = whole.end;
        return stripe;
    }
    operations_of(reader)->rows_read(reader, results->first, results->end, &stripe.first,
                                     &stripe.end);
    if (reader->kind == LAYER_BINARY && is_repeated(tensor->shape.n, reader->out.n)) {
        stripe.first_image = 0;
        stripe.end_image = 1;
    }
    if (reader->kind == LAYER_BINARY && is_repeated(tensor->shape.h, reader->out.h)) {
        stripe.first = 0;
        stripe.end = 1;
    }
    stripe.first = weft_min(first_row_from(&stripe, whole.first), whole.end);
    stripe.end = weft_clamp(stripe.end, stripe.first, whole.end);
    return stripe;
}

/* Does the reader of an input look at what surrounds it? */
static bool meets_halo(const struct work *work, int slot) {
    const struct layer *reader =
        work->plan->layers[reader_of(work->plan->region, work->layer, slot)];
    bool pads = false;
    for (int side = 0; side < 4; side++) {
        pads = pads || reader->pad[side] > 0;
    }
    return sees_halo(reader) && pads;
}

struct view load_input(const struct work *work, int slot, int64_t number,
                       const struct stripe *results) {
    int index = operand_of(work, slot);
    const struct tensor *tensor = &work->plan->region->tensors[index];
    const struct stripe stripe = input_stripe(work, tensor, slot, results);
    int64_t bytes = 0;
    struct view view = view_at(work->plan, index, buffer(work, slot, number), &stripe,
                               room_of(work, slot), &bytes);
    if (!meets_halo(work, slot)) {
        /* nothing around the rows is read */
    } else if (stripe.row_step == 1) {
        emit_halo(work, index, &view, &stripe, true);
    } else {
        emit_side_halo(work, index, &view, &stripe, true);
        emit_rows_around(work, index, &view, &stripe);
    }
    if (is_from_memory(tensor)) {
        emit_load_looked_up(work, index, &view, &stripe);
    } else {
        emit_load_rows(work, index, &view, &stripe);
    }
    return view;
}

struct view input_view(const struct work *work, int slot, int64_t number,
                       const struct stripe *results) {
    int index = operand_of(work, slot);
    return keep_of(work->plan, index)->resident ? resident_view(work, index)
                                                : load_input(work, slot, number, results);
}

bool comes_ahead(const struct work *work) {
    int index = operand_of(work, 0);
    const struct tensor *tensor = &work->plan->region->tensors[index];
    /* Loads alone do not hold up anybody. */
    return is_from_memory(tensor) && tensor->table != NULL &&
           !keep_of(work->plan, index)->resident && buffer(work, 0, 0) != buffer(work, 0, 1);
}

struct view output_view(const struct work *work, int64_t number, const struct stripe *stripe) {
    int index = operand_of(work, 2);
    int64_t bytes = 0;
    return keep_of(work->plan, index)->resident
               ? resident_view(work, index)
               : view_at(work->plan, index, buffer(work, 2, number), stripe, room_of(work, 2),
                         &bytes);
}

struct view mean_view(const struct work *work, int index, const struct stripe *whole) {
    int64_t bytes = 0;
    return keep_of(work->plan, index)->resident
               ? resident_view(work, index)
               : view_at(work->plan, index, buffer(work, SLOT_MEAN, 0), whole,
                         room_of(work, SLOT_MEAN), &bytes);
}
