/* Walks the layers of a segment, stripe by stripe. */
#include "compiler/emit/emitter.h"

#include "base/integer.h"

static const struct tensor *operand(const struct emitter *emitter, int slot) {
    const struct segment *segment = emitter->segment;
    return &segment->tensors[segment->tensors_of[emitter->layer][slot]];
}

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
                                  const struct stripe *results) {
    const struct layer *layer = &emitter->segment->layers[emitter->layer];
    const struct stripe whole = whole_tensor(tensor);
    struct stripe stripe = *results;
    if (layer->turned) {
        stripe.first = whole.first;
        stripe.end = whole.end;
        return stripe;
    }
    rows_read(layer, results->first, results->end, &stripe.first, &stripe.end);
    if (layer->kind == LAYER_BINARY && is_repeated(tensor->shape.n, layer->out.n)) {
        stripe.first_image = 0;
        stripe.end_image = 1;
    }
    if (layer->kind == LAYER_BINARY && is_repeated(tensor->shape.h, layer->out.h)) {
        stripe.first = 0;
        stripe.end = 1;
    }
    stripe.first = weft_clamp(stripe.first, whole.first, whole.end);
    stripe.end = weft_clamp(stripe.end, stripe.first, whole.end);
    return stripe;
}

static struct view input_view(struct emitter *emitter, int slot, int64_t number,
                              const struct stripe *results) {
    const struct tensor *tensor = operand(emitter, slot);
    if (tensor->resident) {
        return resident_view(emitter, tensor);
    }
    const struct stripe stripe = input_stripe(emitter, tensor, results);
    int64_t bytes = 0;
    struct view view =
        view_at(emitter->segment, tensor, buffer(emitter, slot, number), &stripe, &bytes);
    emit_halo(emitter, tensor, &view, &stripe, true);
    emit_load_rows(emitter, tensor, &view, &stripe);
    if (is_from_memory(tensor)) {
        emit_table(emitter, tensor, &view, &stripe);
    }
    return view;
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

static struct view output_view(struct emitter *emitter, int64_t number,
                               const struct stripe *stripe) {
    const struct tensor *tensor = operand(emitter, 2);
    if (tensor->resident) {
        return resident_view(emitter, tensor);
    }
    int64_t bytes = 0;
    return view_at(emitter->segment, tensor, buffer(emitter, 2, number), stripe, &bytes);
}

static void emit_rows(struct emitter *emitter, const struct rows *rows) {
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

/* Loads what a stripe of results needs, makes it, and stores it. */
static void emit_stripe(struct emitter *emitter, int64_t number, const struct stripe *results) {
    const struct layer *layer = &emitter->segment->layers[emitter->layer];
    const struct stripe stripe = output_stripe(emitter, results);
    const struct tensor *out = operand(emitter, 2);
    struct rows rows = {.stripe = *results};
    for (uint32_t k = 0; k < layer->input_count && reads_on_chip(layer->kind); k++) {
        rows.in[k] = input_view(emitter, (int)k, number, results);
    }
    if (!makes_on_chip(layer->kind)) {
        emit_rows(emitter, &rows);
        return;
    }
    rows.out = output_view(emitter, number, &stripe);
    emit_rows(emitter, &rows);
    emit_table(emitter, out, &rows.out, &stripe);
    if (out->external) {
        emit_store_rows(emitter, out, &rows.out, &stripe);
    }
}

static void emit_layer(struct emitter *emitter) {
    const struct shape *out = &emitter->segment->layers[emitter->layer].out;
    const struct tiling *tiling = &emitter->segment->tilings[emitter->layer];
    struct stripe stripe;
    int64_t number = 0;
    for (stripe.first_image = 0; stripe.first_image < out->n;
         stripe.first_image = stripe.end_image) {
        stripe.end_image = weft_min(stripe.first_image + tiling->stripe_images, out->n);
        for (stripe.first = 0; stripe.first < out->h; stripe.first = stripe.end) {
            stripe.end = weft_min(stripe.first + tiling->stripe_rows, out->h);
            emit_stripe(emitter, number++, &stripe);
        }
    }
}

bool emit_segment(struct segment *segment, const struct stripe_buffers *buffers,
                  struct emitter *emitter) {
    *emitter = (struct emitter){.segment = segment, .buffers = buffers};
    emitter->on_chip = WEFT_NEW_ARRAY(segment->arena, (size_t)segment->tensor_count, bool);
    for (emitter->layer = 0; emitter->layer < segment->layer_count; emitter->layer++) {
        if (segment->layers[emitter->layer].kind != LAYER_RESHAPE) {
            emit_layer(emitter);
        }
    }
    return !emitter->failed;
}
