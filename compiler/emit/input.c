/* Where the operands and the result of a stripe are; operands are loaded on the way. */
#include "base/integer.h"
#include "compiler/emit/emitter.h"

/* All rows of a resident tensor, loaded or with its halo filled when it is met first. */
static struct view resident_view(struct emitter *emitter, const struct tensor *tensor) {
    int64_t index = tensor - emitter->segment->tensors;
    if (!emitter->on_chip[index]) {
        bool load = is_from_memory(tensor);
        const struct stripe whole = whole_tensor(tensor);
        emitter->on_chip[index] = true;
        emit_halo(emitter, tensor, &tensor->view, &whole, load);
        if (load) {
            emit_load_rows(emitter, tensor, &tensor->view, &whole);
            emit_table(emitter, tensor, &tensor->view, &whole);
        }
    }
    return tensor->view;
}

/* The address of the buffer that an operand uses in stripe `number`. */
static int64_t buffer(const struct emitter *emitter, int slot, int64_t number) {
    return emitter->buffers[emitter->layer].address[slot][number % 2];
}

/* The rows of an input that a stripe of results reads. Some may lie outside the tensor, as far as
 * its halo goes, and even all of them: padding can be larger than a stripe. */
static struct stripe input_stripe(const struct emitter *emitter, const struct tensor *tensor,
                                  uint32_t slot, const struct stripe *results) {
    const struct layer *reader = reader_of(emitter->segment, emitter->layer, slot);
    const struct stripe whole = whole_tensor(tensor);
    struct stripe stripe = *results;
    stripe.row_step = row_step(emitter->segment, emitter->layer, slot);
    if (emitter->segment->layers[emitter->layer].turned) {
        stripe.first = whole.first;
        stripe.end = whole.end;
        return stripe;
    }
    rows_read(reader, results->first, results->end, &stripe.first, &stripe.end);
    if (reader->kind == LAYER_BINARY && is_repeated(tensor->shape.n, reader->out.n)) {
        stripe.first_image = 0;
        stripe.end_image = 1;
    }
    if (reader->kind == LAYER_BINARY && is_repeated(tensor->shape.h, reader->out.h)) {
        stripe.first = 0;
        stripe.end = 1;
    }
    stripe.first = weft_clamp(stripe.first, whole.first, whole.end);
    stripe.end = weft_clamp(stripe.end, stripe.first, whole.end);
    return stripe;
}

/* Does the reader of an input look at what surrounds it? */
static bool meets_halo(const struct emitter *emitter, uint32_t slot) {
    const struct layer *reader = reader_of(emitter->segment, emitter->layer, slot);
    int64_t pads = 0;
    for (int side = 0; side < 4; side++) {
        pads += reader->pad[side];
    }
    return (reader->kind == LAYER_CONV || reader->kind == LAYER_DEPTHWISE) && pads > 0;
}

static struct view load_input(struct emitter *emitter, int slot, int64_t number,
                              const struct stripe *results) {
    const struct tensor *tensor = operand(emitter, slot);
    const struct stripe stripe = input_stripe(emitter, tensor, (uint32_t)slot, results);
    int64_t bytes = 0;
    struct view view =
        view_at(emitter->segment, tensor, buffer(emitter, slot, number), &stripe, &bytes);
    if (!meets_halo(emitter, (uint32_t)slot)) {
        /* nothing around the rows is read */
    } else if (stripe.row_step == 1) {
        emit_halo(emitter, tensor, &view, &stripe, true);
    } else {
        emit_side_halo(emitter, tensor, &view, &stripe, true);
    }
    emit_load_rows(emitter, tensor, &view, &stripe);
    if (is_from_memory(tensor)) {
        emit_table(emitter, tensor, &view, &stripe);
    }
    return view;
}

struct view input_view(struct emitter *emitter, int slot, int64_t number,
                       const struct stripe *results) {
    const struct tensor *tensor = operand(emitter, slot);
    struct ahead *ahead = &emitter->ahead;
    if (tensor->resident) {
        return resident_view(emitter, tensor);
    }
    if (slot == 0 && ahead->is_ready) {
        ahead->is_ready = false;
        return ahead->view;
    }
    return load_input(emitter, slot, number, results);
}

void want_ahead(struct emitter *emitter, int64_t number, int64_t tiles,
                const struct stripe *results) {
    const struct tensor *tensor = operand(emitter, 0);
    /* Loads alone do not hold up anybody. */
    bool by_vector = is_from_memory(tensor) && tensor->table != NULL && !tensor->resident;
    struct ahead *ahead = &emitter->ahead;
    ahead->is_wanted = results->first < results->end && by_vector &&
                       buffer(emitter, 0, 0) != buffer(emitter, 0, 1);
    ahead->step = 0;
    ahead->steps = tiles;
    ahead->layer = emitter->layer;
    ahead->number = number;
    ahead->results = *results;
    ahead->others = NULL;
}

/* Loads the input ahead. */
static void load_ahead(struct emitter *emitter) {
    struct ahead *ahead = &emitter->ahead;
    int layer = emitter->layer;
    emitter->layer = ahead->layer;
    ahead->view = load_input(emitter, 0, ahead->number, &ahead->results);
    emitter->layer = layer;
    ahead->is_wanted = false;
    ahead->is_ready = true;
}

void step_ahead(struct emitter *emitter) {
    struct ahead *ahead = &emitter->ahead;
    int layer = emitter->layer;
    if (ahead->step == ahead->steps) {
        return;
    }
    ahead->step++;
    if (ahead->is_wanted && ahead->step * 2 >= ahead->steps) {
        load_ahead(emitter);
    }
    if (ahead->others != NULL) {
        ahead->others(ahead->context, ahead->step, ahead->steps);
        emitter->layer = layer;
    }
}

void end_ahead(struct emitter *emitter) {
    while (emitter->ahead.step < emitter->ahead.steps) {
        step_ahead(emitter);
    }
}

struct view output_view(struct emitter *emitter, int64_t number, const struct stripe *stripe) {
    const struct tensor *tensor = operand(emitter, 2);
    if (tensor->resident) {
        return resident_view(emitter, tensor);
    }
    int64_t bytes = 0;
    return view_at(emitter->segment, tensor, buffer(emitter, 2, number), stripe, &bytes);
}
