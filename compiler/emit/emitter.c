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
        emitter->on_chip[index] = true;
        emit_halo(emitter, tensor, &tensor->view, -tensor->halo[TOP],
                  tensor->shape.h + tensor->halo[BOTTOM], load);
        if (load) {
            emit_load_rows(emitter, tensor, &tensor->view, 0, tensor->shape.h);
        }
    }
    return tensor->view;
}

/* Rows [first, end) of an input, of which some may lie outside the tensor. */
static struct view input_view(struct emitter *emitter, int slot, int64_t stripe, int64_t first,
                              int64_t end) {
    const struct tensor *tensor = operand(emitter, slot);
    if (tensor->resident) {
        return resident_view(emitter, tensor);
    }
    if (emitter->segment->layers[emitter->layer].turned) {
        first = -tensor->halo[TOP];
        end = tensor->shape.h + tensor->halo[BOTTOM];
    }
    /* Without a halo no window reads outside the tensor. What is read may lie outside altogether:
     * padding can be larger than a stripe. */
    int64_t bottom = tensor->shape.h + tensor->halo[BOTTOM];
    first = weft_clamp(first, -tensor->halo[TOP], bottom);
    end = weft_clamp(end, first, bottom);
    int64_t bytes = 0;
    struct view view = view_at(emitter->segment, tensor,
                               emitter->buffers[emitter->layer].address[slot][stripe % 2], first,
                               end - first, &bytes);
    emit_halo(emitter, tensor, &view, first, end, true);
    emit_load_rows(emitter, tensor, &view, weft_max(first, 0), weft_min(end, tensor->shape.h));
    return view;
}

static struct view output_view(struct emitter *emitter, int64_t stripe, const struct rows *rows) {
    const struct tensor *tensor = operand(emitter, 2);
    if (tensor->resident) {
        return resident_view(emitter, tensor);
    }
    bool turned = emitter->segment->layers[emitter->layer].turned;
    int64_t bytes = 0;
    return view_at(
        emitter->segment, tensor, emitter->buffers[emitter->layer].address[2][stripe % 2],
        turned ? 0 : rows->first, turned ? tensor->shape.h : rows->end - rows->first, &bytes);
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
    case LAYER_ADD:
        emit_sum(emitter, rows);
        break;
    case LAYER_PAD:
        emit_pad(emitter, rows);
        break;
    case LAYER_RESHAPE:
        break;
    }
}

static void emit_layer(struct emitter *emitter) {
    const struct layer *layer = &emitter->segment->layers[emitter->layer];
    const struct tiling *tiling = &emitter->segment->tilings[emitter->layer];
    int64_t stripe = 0;
    for (int64_t first = 0; first < layer->out.h; first += tiling->stripe_rows, stripe++) {
        struct rows rows = {.first = first,
                            .end = weft_min(first + tiling->stripe_rows, layer->out.h)};
        int64_t in_first = 0;
        int64_t in_end = 0;
        rows_read(layer, rows.first, rows.end, &in_first, &in_end);
        for (uint32_t k = 0; k < layer->input_count; k++) {
            rows.in[k] = input_view(emitter, (int)k, stripe, in_first, in_end);
        }
        rows.out = output_view(emitter, stripe, &rows);
        emit_rows(emitter, &rows);
        const struct tensor *out = operand(emitter, 2);
        if (out->external) {
            bool turned = layer->turned;
            emit_store_rows(emitter, out, &rows.out, turned ? 0 : rows.first,
                            turned ? out->shape.h : rows.end);
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
