/* Chains: layers that are carried out together, stripe by stripe of the last one's rows, so that
 * what lies between them is never whole. Rows that the next stripe needs again are kept, not made
 * twice. */
#include "base/integer.h"
#include "compiler/schedule/segment.h"

bool layer_is_idle(const struct segment *segment, int layer) {
    return segment->layers[layer].kind == LAYER_RESHAPE || segment->layers[layer].is_behind;
}

int next_in_chain(const struct segment *segment, int layer) {
    int last = segment->chain_last[layer];
    for (int i = layer + 1; i <= last; i++) {
        if (!layer_is_idle(segment, i)) {
            return i;
        }
    }
    return -1;
}

/* ---- rows ---- */

void chain_rows(const struct segment *segment, int first, const struct stripe *results,
                struct chain_row *rows) {
    int last = segment->chain_last[first];
    rows[last].need_first = rows[last].first = results->first;
    rows[last].need_end = rows[last].end = results->end;
    for (int next = last, i = last - 1; i >= first; i--) {
        if (layer_is_idle(segment, i)) {
            continue;
        }
        const struct tensor *tensor = &segment->tensors[segment->tensors_of[i][2]];
        const struct stripe whole = whole_tensor(tensor);
        struct chain_row *row = &rows[i];
        rows_read(&segment->layers[next], rows[next].first, rows[next].end, &row->need_first,
                  &row->need_end);
        row->need_first = weft_clamp(row->need_first, whole.first, whole.end);
        row->need_end = weft_clamp(row->need_end, row->need_first, whole.end);
        row->first = weft_clamp(weft_max(row->need_first, row->done), 0, tensor->shape.h);
        row->end = weft_clamp(row->need_end, row->first, tensor->shape.h);
        next = i;
    }
}

void chain_rows_made(const struct segment *segment, int first, struct chain_row *rows) {
    for (int i = first; i >= 0; i = next_in_chain(segment, i)) {
        rows[i].done = rows[i].end;
    }
}

int64_t chain_most_rows(const struct segment *segment, int first, struct chain_row *most) {
    int last = segment->chain_last[first];
    struct chain_row *rows =
        WEFT_NEW_ARRAY(segment->arena, (size_t)segment->layer_count, struct chain_row);
    int64_t in_rows = 0;
    int64_t height = segment->layers[last].out.h;
    struct stripe stripe = {.row_step = 1, .end_block = ALL_BLOCKS};
    for (stripe.first = 0; stripe.first < height; stripe.first = stripe.end) {
        stripe.end = weft_min(stripe.first + segment->tilings[last].stripe_rows, height);
        chain_rows(segment, first, &stripe, rows);
        int64_t in_first = 0;
        int64_t in_end = 0;
        rows_read(&segment->layers[first], rows[first].first, rows[first].end, &in_first, &in_end);
        in_rows = weft_max(in_rows, in_end - in_first);
        for (int i = first; i >= 0; i = next_in_chain(segment, i)) {
            most[i].need_end = weft_max(most[i].need_end, rows[i].need_end - rows[i].need_first);
            most[i].end = weft_max(most[i].end, rows[i].end - rows[i].first);
        }
        chain_rows_made(segment, first, rows);
    }
    return in_rows;
}

/* ---- which layers ---- */

static bool has_window(const struct layer *layer) {
    return layer->kind == LAYER_CONV || layer->kind == LAYER_DEPTHWISE ||
           layer->kind == LAYER_MAXPOOL || layer->kind == LAYER_AVGPOOL;
}

/* Is the only way from one layer to the next a tensor that has not found room on chip? */
static bool should_link(const struct segment *segment, int layer, int next) {
    const struct layer *a = &segment->layers[layer];
    const struct layer *b = &segment->layers[next];
    int index = segment->tensors_of[layer][2];
    const struct tensor *between = &segment->tensors[index];
    return has_window(a) && has_window(b) && !a->turned && !b->turned &&
           segment->tensors_of[next][0] == index && !between->resident && between->output < 0 &&
           between->same_bytes < 0 && !between->nhwc && count_readers(segment, index) == 1;
}

/* Bytes of weights and parameters of a layer. */
static void constant_bytes(const struct segment *segment, int index, int64_t bytes[2]) {
    const struct layer *layer = &segment->layers[index];
    const struct tiling *t = &segment->tilings[index];
    int64_t block = segment->config->block;
    int64_t blocks = blocks_of(segment, layer->out.c);
    if (layer->kind == LAYER_CONV) {
        bytes[0] += blocks * t->input_blocks * t->row_steps * t->column_steps * block * block;
    }
    for (int i = 0; i < t->part_count; i++) {
        bytes[0] += blocks * part_weight_bytes(segment, &t->parts[i]);
    }
    if (layer->kind == LAYER_CONV || layer->kind == LAYER_DEPTHWISE) {
        bytes[1] += blocks * weft_requant_record_lines(layer->requant.per_channel) * block;
    }
}

static bool constants_fit(const struct segment *segment, const int64_t bytes[2]) {
    return bytes[0] <= (int64_t)segment->config->wgt_bytes * 3 / 4 &&
           bytes[1] <= (int64_t)segment->config->par_bytes * 3 / 4;
}

/* Makes the layers from `first` to `last` one chain. */
static void link_layers(struct segment *segment, int first, int last) {
    for (int i = first; i <= last; i++) {
        segment->chain_first[i] = first;
        segment->chain_last[i] = last;
        if (i < last && !layer_is_idle(segment, i)) {
            struct tensor *between = &segment->tensors[segment->tensors_of[i][2]];
            between->external = false;
            between->is_between = true;
        }
    }
}

bool chain_layers(struct segment *segment) {
    bool linked = false;
    for (int first = 0; first < segment->layer_count; first++) {
        if (layer_is_idle(segment, first)) {
            continue;
        }
        int64_t bytes[2] = {0};
        int last = first;
        constant_bytes(segment, first, bytes);
        for (int next = first + 1; next < segment->layer_count && constants_fit(segment, bytes);
             next++) {
            if (layer_is_idle(segment, next)) {
                continue;
            }
            constant_bytes(segment, next, bytes);
            if (!should_link(segment, last, next) || !constants_fit(segment, bytes)) {
                break;
            }
            last = next;
        }
        if (last > first) {
            link_layers(segment, first, last);
            linked = true;
        }
        first = last;
    }
    return linked;
}
