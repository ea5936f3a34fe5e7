/* Chains: layers that are carried out together, stripe by stripe of the last one's rows, so that
 * what lies between them is never whole. Rows that the next stripe needs again are kept, not made
 * twice. */
#include "base/integer.h"
#include "compiler/plan/plan.h"

int next_in_chain(const struct plan *plan, int layer) {
    int last = plan->chain_last[layer];
    for (int i = layer + 1; i <= last; i++) {
        if (!layer_is_idle(plan->region, i)) {
            return i;
        }
    }
    return -1;
}

/* ---- rows ---- */

void chain_rows(const struct plan *plan, int first, const struct stripe *results,
                struct chain_row *rows) {
    int last = plan->chain_last[first];
    rows[last - first].need_first = rows[last - first].first = results->first;
    rows[last - first].need_end = rows[last - first].end = results->end;
    for (int next = last, i = last - 1; i >= first; i--) {
        if (layer_is_idle(plan->region, i)) {
            continue;
        }
        const struct tensor *tensor = tensor_at(plan, i, 2);
        const struct stripe whole = whole_tensor(tensor);
        struct chain_row *row = &rows[i - first];
        operations_of(plan->layers[next])
            ->rows_read(plan->layers[next], rows[next - first].first, rows[next - first].end,
                        &row->need_first, &row->need_end);
        row->need_first = weft_clamp(row->need_first, whole.first, whole.end);
        row->need_end = weft_clamp(row->need_end, row->need_first, whole.end);
        row->first = weft_clamp(weft_max(row->need_first, row->done), 0, tensor->shape.h);
        row->end = weft_clamp(row->need_end, row->first, tensor->shape.h);
        next = i;
    }
}

void chain_rows_made(const struct plan *plan, int first, struct chain_row *rows) {
    for (int i = first; i >= 0; i = next_in_chain(plan, i)) {
        rows[i - first].done = rows[i - first].end;
    }
}

struct chain_row *chain_array(const struct plan *plan, int first) {
    int last = plan->chain_last[first];
    return WEFT_NEW_ARRAY(plan->arena, (size_t)(last - first) + 1, struct chain_row);
}

int64_t chain_most_rows(const struct plan *plan, int first, struct chain_row *most) {
    int last = plan->chain_last[first];
    struct chain_row *rows = chain_array(plan, first);
    int64_t in_rows = 0;
    int64_t height = plan->layers[last]->out.h;
    struct stripe stripe = {.row_step = 1, .end_block = ALL_BLOCKS};
    for (stripe.first = 0; stripe.first < height; stripe.first = stripe.end) {
        stripe.end = weft_min(stripe.first + cut_of(plan, last)->stripe_rows, height);
        chain_rows(plan, first, &stripe, rows);
        int64_t in_first = 0;
        int64_t in_end = 0;
        operations_of(plan->layers[first])
            ->rows_read(plan->layers[first], rows[0].first, rows[0].end, &in_first, &in_end);
        in_rows = weft_max(in_rows, in_end - in_first);
        for (int i = first; i >= 0; i = next_in_chain(plan, i)) {
            most[i - first].need_end = weft_max(
                most[i - first].need_end, rows[i - first].need_end - rows[i - first].need_first);
            most[i - first].end =
                weft_max(most[i - first].end, rows[i - first].end - rows[i - first].first);
        }
        chain_rows_made(plan, first, rows);
    }
    return in_rows;
}

/* ---- which layers ---- */

bool can_link(const struct plan *plan, int layer, int next) {
    const struct layer *a = plan->layers[layer];
    const struct layer *b = plan->layers[next];
    int index = plan->region->tensors_of[layer][2];
    const struct tensor *between = &plan->region->tensors[index];
    return operations_of(a)->has_window && operations_of(b)->has_window && !a->turned &&
           !b->turned && plan->region->tensors_of[next][0] == index &&
           !keep_of(plan, index)->resident && between->output < 0 && between->same_bytes < 0 &&
           !between->nhwc && between->readers == 1;
}

/* Three quarters leave room for the next weights to be loaded beside those of the chain. */
static bool constants_fit(const struct plan *plan, const int64_t bytes[PIECES]) {
    return bytes[PIECES_WGT] <= (int64_t)plan->config->wgt_bytes * 3 / 4 &&
           bytes[PIECES_PAR] <= (int64_t)plan->config->par_bytes * 3 / 4;
}

/* The last layer of a chain that begins at `first`; links its layers. */
static int extend_chain(const struct plan *plan, struct decisions *decisions, int first) {
    int64_t bytes[PIECES] = {0};
    int last = first;
    pieces_bytes(plan, first, bytes);
    for (int next = first + 1; next < plan->region->layer_count && constants_fit(plan, bytes);
         next++) {
        if (layer_is_idle(plan->region, next)) {
            continue;
        }
        pieces_bytes(plan, next, bytes);
        if (!can_link(plan, last, next) || !constants_fit(plan, bytes)) {
            break;
        }
        decisions->cuts[last].linked = true;
        last = next;
    }
    return last;
}

bool chain_choose(const struct plan *plan, struct decisions *decisions) {
    bool linked = false;
    for (int first = 0; first < plan->region->layer_count; first++) {
        if (!layer_is_idle(plan->region, first)) {
            int last = extend_chain(plan, decisions, first);
            linked = linked || last > first;
            first = last;
        }
    }
    return linked;
}

/* The layer that a linked one is carried out with: the next that is any work. */
static int linked_with(const struct plan *plan, int layer) {
    do {
        layer++;
    } while (layer_is_idle(plan->region, layer));
    return layer;
}

void chain_follow(struct plan *plan) {
    for (int first = 0; first < plan->region->layer_count; first++) {
        int last = first;
        while (cut_of(plan, last)->linked) {
            plan->locations[plan->region->tensors_of[last][2]].is_between = true;
            last = linked_with(plan, last);
        }
        for (int i = first; i <= last; i++) {
            plan->chain_first[i] = first;
            plan->chain_last[i] = last;
        }
        first = last;
    }
}
