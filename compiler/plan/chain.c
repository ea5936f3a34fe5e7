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

/* Is all of what a layer of a chain makes needed, not just what the next one reads? */
static bool is_needed_whole(const struct plan *plan, int layer) {
    return leaves_chain(tensor_at(plan, layer, 2)) || plan->region->layers[layer].summed > 0;
}

/* No row is left out, also where windows skip some: those up to the first one that is read, and
 * behind the last one of all. */
static void need_whole(const struct tensor *tensor, bool is_last, struct chain_row *row) {
    row->need_first = weft_min(row->need_first, row->done);
    row->need_end = is_last ? weft_max(row->need_end, tensor->shape.h) : row->need_end;
}

void chain_rows(const struct plan *plan, int first, const struct stripe *results,
                struct chain_row *rows) {
    int last = plan->chain_last[first];
    bool is_last = results->end >= plan->layers[last]->out.h;
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
        if (is_needed_whole(plan, i)) {
            need_whole(tensor, is_last, row);
        }
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

int linked_slot(const struct plan *plan, int layer) {
    int first = plan->chain_first[layer];
    int before = layer - 1;
    while (before >= first && layer_is_idle(plan->region, before)) {
        before--;
    }
    return before < first ? -1 : slot_between(plan->region, before, layer);
}

int slot_between(const struct region *region, int layer, int next) {
    const struct layer *reader = &region->layers[next];
    const int *operands = region->tensors_of[next];
    int between = region->tensors_of[layer][2];
    bool by_element = reader->kind == LAYER_BINARY;
    if (by_element && operands[0] == operands[1]) {
        return -1;
    }
    return operands[0] == between ? 0 : by_element && operands[1] == between ? 1 : -1;
}

/* Is an operand repeated along rows or images? Then a stripe of results does not say which of its
 * rows are read. */
static bool is_repeated_in_rows(const struct layer *reader, const struct tensor *operand) {
    return reader->kind == LAYER_BINARY && (is_repeated(operand->shape.h, reader->out.h) ||
                                            is_repeated(operand->shape.n, reader->out.n));
}

/* Does layer `next` read, beside what the layer before it makes, anything else that is made from
 * `first` on? Its rows would perhaps not be there yet. */
static bool reads_inside(const struct plan *plan, int first, int next) {
    const struct layer *reader = &plan->region->layers[next];
    int inside = 0;
    for (uint32_t k = 0; k < reader->input_count; k++) {
        inside += plan->region->tensors[plan->region->tensors_of[next][k]].producer >= first;
    }
    return inside > 1;
}

bool can_link(const struct plan *plan, int first, int layer, int next) {
    const struct layer *a = plan->layers[layer];
    const struct layer *b = plan->layers[next];
    int index = plan->region->tensors_of[layer][2];
    const struct tensor *between = &plan->region->tensors[index];
    return operations_of(a)->in_chains && operations_of(b)->in_chains && !a->turned && !b->turned &&
           slot_between(plan->region, layer, next) >= 0 && !is_repeated_in_rows(b, between) &&
           !keep_of(plan, index)->resident && between->same_bytes < 0 &&
           !reads_inside(plan, first, next);
}

/* Three quarters leave room for the next weights to be loaded beside those of the chain. */
static bool constants_fit(const struct plan *plan, const int64_t bytes[PIECES]) {
    return bytes[PIECES_WGT] <= (int64_t)plan->config->wgt_bytes * 3 / 4 &&
           bytes[PIECES_PAR] <= (int64_t)plan->config->par_bytes * 3 / 4;
}

/* Adds the constants of a layer, and of a mean behind it. */
static void constants_of(const struct plan *plan, int layer, int64_t bytes[PIECES]) {
    int mean = plan->region->layers[layer].summed;
    pieces_bytes(plan, layer, bytes);
    if (mean > 0) {
        pieces_bytes(plan, mean, bytes);
    }
}

/* Should a layer be linked with the next, if it can be? What lies between them and is needed by
 * others is stored in any case, so it seldom pays to have it on chip for the next layer. */
static bool should_link(const struct plan *plan, const struct hint *hints, int layer) {
    bool other = hints != NULL && hints[layer].other_link;
    return leaves_chain(tensor_at(plan, layer, 2)) == other;
}

/* The next layer that is any work, if VECTOR alone makes what it reads, for it and nobody else; -1:
 * none. */
static int only_reader(const struct plan *plan, int layer) {
    const struct region *region = plan->region;
    const struct layer *maker = plan->layers[layer];
    int next = next_busy_layer(region, layer);
    if (layer_is_idle(region, layer) || next < 0 || !operations_of(maker)->by_vector ||
        !operations_of(maker)->in_chains) {
        return -1;
    }
    const struct layer *reader = plan->layers[next];
    const struct tensor *between = tensor_at(plan, layer, 2);
    bool reads = operations_of(reader)->in_chains && slot_between(region, layer, next) >= 0 &&
                 !is_repeated_in_rows(reader, between);
    return reads && !maker->turned && !reader->turned && !leaves_chain(between) &&
                   between->same_bytes < 0
               ? next
               : -1;
}

bool is_better_linked(const struct plan *plan, int layer) {
    int64_t bytes[PIECES] = {0};
    if (!operations_of(plan->layers[layer])->by_vector) {
        return false;
    }
    while (layer >= 0 && operations_of(plan->layers[layer])->by_vector) {
        constants_of(plan, layer, bytes);
        layer = only_reader(plan, layer);
    }
    if (layer < 0 || !operations_of(plan->layers[layer])->has_products) {
        return false;
    }
    constants_of(plan, layer, bytes);
    return plan->layers[layer]->out.h > 1 && constants_fit(plan, bytes);
}

/* The last layer of a chain that begins at `first`; links its layers. */
static int extend_chain(const struct plan *plan, const struct hint *hints,
                        struct decisions *decisions, int first) {
    int64_t bytes[PIECES] = {0};
    int last = first;
    constants_of(plan, first, bytes);
    for (int next = first + 1; next < plan->region->layer_count && constants_fit(plan, bytes);
         next++) {
        if (layer_is_idle(plan->region, next)) {
            continue;
        }
        constants_of(plan, next, bytes);
        if (!should_link(plan, hints, last) || !can_link(plan, first, last, next) ||
            !constants_fit(plan, bytes)) {
            break;
        }
        decisions->cuts[last].linked = true;
        last = next;
    }
    return last;
}

/* What is made ahead has buffers that are used in turn, so its channel blocks need no banks of
 * their own, which would leave room for shorter stripes alone. */
static void share_banks(const struct plan *plan, struct decisions *decisions, int first, int last) {
    for (int i = first; i <= last && operations_of(plan->layers[i])->by_vector; i++) {
        decisions->keeps[plan->region->tensors_of[i][0]].own_banks = false;
        decisions->keeps[plan->region->tensors_of[i][2]].own_banks = false;
    }
}

bool chain_choose(const struct plan *plan, const struct hint *hints, struct decisions *decisions) {
    bool linked = false;
    for (int first = 0; first < plan->region->layer_count; first++) {
        if (!layer_is_idle(plan->region, first)) {
            int last = extend_chain(plan, hints, decisions, first);
            decisions->cuts[first].ahead = last > first &&
                                           operations_of(plan->layers[first])->by_vector &&
                                           !(hints != NULL && hints[first].other_ahead);
            if (decisions->cuts[first].ahead) {
                share_banks(plan, decisions, first, last);
            }
            linked = linked || last > first;
            first = last;
        }
    }
    return linked;
}

void chain_follow(struct plan *plan) {
    for (int first = 0; first < plan->region->layer_count; first++) {
        int last = first;
        while (cut_of(plan, last)->linked) {
            plan->locations[plan->region->tensors_of[last][2]].is_between = true;
            last = next_busy_layer(plan->region, last);
        }
        for (int i = first; i <= last; i++) {
            plan->chain_first[i] = first;
            plan->chain_last[i] = last;
        }
        first = last;
    }
}

/* ---- what is carried out ahead ---- */

int64_t free_cycles(const struct plan *plan, int index, int64_t rows) {
    const struct layer *layer = plan->layers[index];
    const struct layer_operations *operations = operations_of(layer);
    int64_t columns = operations->matrix_columns == NULL
                          ? 0
                          : operations->matrix_columns(layer, &plan->tilings[index]);
    return rows * blocks_of(plan->config, layer->out.c) * (columns - layer->out.w);
}

struct chain_ahead chain_ahead(const struct plan *plan, int first) {
    struct chain_ahead ahead = {.end = first, .host = -1};
    int end = first;
    while (end >= 0 && operations_of(plan->layers[end])->by_vector) {
        end = next_in_chain(plan, end);
    }
    int64_t best = 0;
    for (int i = end; i >= 0 && cut_of(plan, first)->ahead; i = next_in_chain(plan, i)) {
        bool has_tiles = operations_of(plan->layers[i])->has_products;
        int64_t cycles = has_tiles ? free_cycles(plan, i, plan->layers[i]->out.h) : 0;
        if (has_tiles && (ahead.host < 0 || cycles > best)) {
            ahead = (struct chain_ahead){end, i};
            best = cycles;
        }
    }
    return ahead;
}
