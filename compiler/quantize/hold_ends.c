/* Layers at the end of the network that stay in float, as what leaves it is wanted in floats.
 *
 * A concatenation has one scale for all that it joins. Of a detector's boxes, hundreds of pixels,
 * and its scores, at most 1, it leaves nothing of the scores: where its operands are so different
 * it joins floats, each of which had a scale of its own. And what lies between an operator that has
 * no quantised form and the end would only be brought to bytes and back. */
#include <math.h>

#include "compiler/quantize/steps.h"

/* How much wider the range of a concatenation may be than that of an operand, to which 32 of 255
 * steps are left then. */
#define MOST_WIDER 8.0

struct ends {
    const struct plan *plan;
    bool *keep_float;
    struct weft_map *layers; /* root of a layer -> the layer */
    bool *follows;           /* by number of the value: it depends on a quantised layer */
};

static size_t number_of(const struct ends *e, const struct weft_value *value) {
    return value_number(e->plan->table, value);
}

static bool has_bytes(const struct ends *e, const struct layer *layer) {
    return layer->is_quantized && !e->keep_float[layer - e->plan->layers];
}

/* Is the layer inside of what becomes one table? */
static bool is_in_table(const struct ends *e, const struct layer *layer) {
    return e->plan->tables[number_of(e, layer->result)] != NULL;
}

static void mark_results(const struct ends *e, const struct layer *layer, bool *marks, bool mark) {
    marks[number_of(e, layer->result)] = mark;
    for (uint32_t i = 0; layer->root->result_count > 1 && i < layer->root->result_count; i++) {
        marks[number_of(e, layer->root->results[i])] = mark;
    }
}

static bool has_marked_operand(const struct ends *e, const struct layer *layer, const bool *marks) {
    bool found = false;
    for (uint32_t i = 0; i < layer->root->input_count; i++) {
        found = found || marks[number_of(e, layer->root->inputs[i])];
    }
    return found;
}

/* Are all users of the value, if it has any, layers of floats, or among those that `lead` out? */
static bool users_lead_out(const struct ends *e, const struct weft_value *value, const bool *lead) {
    const struct weft_users *users = weft_users_of(e->plan->users, value);
    bool all = true;
    for (uint32_t i = 0; all && i < users->count; i++) {
        const struct layer *user = weft_map_get(e->layers, users->nodes[i]);
        all = user != NULL && !is_in_table(e, user) &&
              (!has_bytes(e, user) || lead[user - e->plan->layers]);
    }
    return all;
}

static bool leads_out(const struct ends *e, const struct layer *layer, const bool *lead) {
    bool all = users_lead_out(e, layer->result, lead);
    for (uint32_t i = 0; layer->root->result_count > 1 && i < layer->root->result_count; i++) {
        all = all && users_lead_out(e, layer->root->results[i], lead);
    }
    return all;
}

static void hold(const struct ends *e, size_t index, const char *reason) {
    e->keep_float[index] = true;
    e->plan->layers[index].held = reason;
}

/* ---- concatenations ---- */

static double width_of(const struct ends *e, const struct weft_value *value) {
    const struct weft_range *range = &e->plan->ranges[number_of(e, value)];
    return fmax(range->high, 0) - fmin(range->low, 0);
}

static bool is_uneven(const struct ends *e, const struct layer *layer) {
    bool uneven = false;
    bool joins = layer->root->op == WEFT_OP_CONCATENATE;
    for (uint32_t i = 0; joins && i < layer->root->input_count; i++) {
        const struct weft_value *operand = layer->root->inputs[i];
        double width = weft_value_data(operand) == NULL ? width_of(e, operand) : 0;
        uneven = uneven || (width > 0 && MOST_WIDER * width < width_of(e, layer->result));
    }
    return uneven && has_marked_operand(e, layer, e->follows);
}

/* Those that are too different, and what joins and moves them further on. */
static void hold_joins(const struct ends *e) {
    const struct plan *plan = e->plan;
    bool *lead = WEFT_NEW_ARRAY(plan->arena, plan->layer_count, bool);
    bool *held = WEFT_NEW_ARRAY(plan->arena, plan->table->count, bool);
    for (size_t i = plan->layer_count; i-- > 0;) {
        const struct layer *layer = &plan->layers[i];
        bool moves = layer->kind == LAYER_MOVE || layer->kind == LAYER_JOIN;
        lead[i] = moves && leads_out(e, layer, lead);
    }
    for (size_t i = 0; i < plan->layer_count; i++) {
        const struct layer *layer = &plan->layers[i];
        if (has_bytes(e, layer) && lead[i] &&
            (is_uneven(e, layer) || has_marked_operand(e, layer, held))) {
            hold(e, i, "what it joins has too different ranges");
            mark_results(e, layer, held, true);
        }
    }
}

/* ---- what follows operators of the host ---- */

/* Would the host take no longer to carry the layer out in floats, of which it has `floats` already,
 * than to bring these to bytes and back? The machine is for products of many numbers an element. */
static bool is_light(const struct layer *layer, int64_t floats) {
    bool moves = layer->kind == LAYER_MOVE || layer->kind == LAYER_JOIN;
    return floats > 0 && layer->root->op != WEFT_OP_BATCH_MATMUL &&
           (moves || (weft_node_macs(layer->root) <= floats &&
                      weft_type_elements(&layer->result->type) <= 2 * floats));
}

static void hold_tail(const struct ends *e) {
    const struct plan *plan = e->plan;
    bool *lead = WEFT_NEW_ARRAY(plan->arena, plan->layer_count, bool);
    bool *is_float = WEFT_NEW_ARRAY(plan->arena, plan->table->count, bool);
    for (size_t i = 0; i < plan->layer_count; i++) {
        const struct layer *layer = &plan->layers[i];
        int64_t floats = 0;
        for (uint32_t k = 0; k < layer->root->input_count; k++) {
            const struct weft_value *operand = layer->root->inputs[k];
            size_t number = number_of(e, operand);
            floats +=
                is_float[number] && e->follows[number] ? weft_type_elements(&operand->type) : 0;
        }
        lead[i] = has_bytes(e, layer) && is_light(layer, floats);
        mark_results(e, layer, is_float,
                     lead[i] || (!has_bytes(e, layer) && !is_in_table(e, layer)));
    }
    for (size_t i = plan->layer_count; i-- > 0;) {
        lead[i] = lead[i] && leads_out(e, &plan->layers[i], lead);
        if (lead[i]) {
            hold(e, i, "it lies between what has no quantised form and the end");
        }
    }
}

void quantize_hold_ends(struct plan *plan, bool *keep_float) {
    const struct ends e = {plan, keep_float, weft_map_new(plan->arena),
                           WEFT_NEW_ARRAY(plan->arena, plan->table->count, bool)};
    for (size_t i = 0; i < plan->layer_count; i++) {
        struct layer *layer = &plan->layers[i];
        weft_map_set(e.layers, layer->root, layer);
        mark_results(&e, layer, e.follows,
                     layer->is_quantized || has_marked_operand(&e, layer, e.follows));
    }
    hold_joins(&e);
    hold_tail(&e);
}
