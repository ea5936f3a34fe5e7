/* Recurrent operators, which are a chain of steps here: what each step makes gets one range for all
 * of them. So the steps have the same parameters and tables, which stay on chip from one to the
 * next, and the state keeps its scale.
 *
 * Their sigmoids and tanhs can be one table, since tanh(x) is 2 sigmoid(2 x) - 1: what goes into
 * tanh has half the scale of what goes into sigmoid, both around 0, and results have the scales
 * 1 / 128 and 1 / 256. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "compiler/quantize/plan.h"

enum {
    LEVELS = 4 /* of operators that tell the tensors of a step from each other */
};

/* A tensor that steps may have in common. */
struct member {
    uint64_t key;
    size_t number;
};

/* A product, by its operator in the model and its weights. */
struct product {
    int32_t source;
    const uint8_t *weights;
};

static int by_weights(const void *a, const void *b) {
    const struct product *x = a;
    const struct product *y = b;
    return x->source != y->source     ? (x->source > y->source) - (x->source < y->source)
           : x->weights != y->weights ? (x->weights > y->weights) - (x->weights < y->weights)
                                      : 0;
}

static int by_key(const void *a, const void *b) {
    const struct member *x = a;
    const struct member *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
                            : (x->number > y->number) - (x->number < y->number);
}

static int by_number(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a;
    int32_t y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Operators of the model that have two products of the same weights, in order. */
static size_t find_recurrent(const struct plan *plan, int32_t *sources) {
    struct product *products = WEFT_NEW_ARRAY(plan->arena, plan->layer_count, struct product);
    size_t count = 0;
    size_t found = 0;
    for (size_t i = 0; i < plan->layer_count; i++) {
        const struct layer *layer = &plan->layers[i];
        if (layer->kind == LAYER_PRODUCT && layer->root->source >= 0) {
            products[count++] =
                (struct product){layer->root->source, weft_value_data(layer_weights_value(layer))};
        }
    }
    qsort(products, count, sizeof *products, by_weights);
    for (size_t i = 1; i < count; i++) {
        bool is_new = found == 0 || sources[found - 1] != products[i].source;
        if (by_weights(&products[i - 1], &products[i]) == 0 && is_new) {
            sources[found++] = products[i].source;
        }
    }
    return found;
}

static bool is_recurrent(const struct plan *plan, const struct weft_node *node) {
    return bsearch(&node->source, plan->recurrent, plan->recurrent_count, sizeof *plan->recurrent,
                   by_number) != NULL;
}

/* How a value is made, some levels up; where slices begin does not count: neither steps nor gates
 * are told apart by it. */
static uint64_t key_of(const struct weft_value *value, int levels) {
    const struct weft_node *node = value->producer;
    const uint8_t *data = weft_value_data(value);
    uint64_t key = weft_hash_u64(WEFT_HASH_START, node == NULL ? WEFT_OPERATORS : node->op);
    for (uint32_t i = 0; i < value->type.rank; i++) {
        key = weft_hash_u64(key, (uint64_t)value->type.dim[i]);
    }
    if (data != NULL) {
        return weft_hash_u64(key, (uint64_t)(uintptr_t)data);
    }
    for (uint32_t i = 0; levels > 1 && node != NULL && i < node->input_count; i++) {
        key = weft_hash_u64(key, key_of(node->inputs[i], levels - 1));
    }
    return key;
}

/* The weights of the first product that a value of a recurrent operator follows from, out of those
 * of its operands, which come before: directions have others. NULL: there is none. */
static const uint8_t *direction_of(const struct plan *plan, const struct weft_node *node,
                                   const uint8_t *const *directions) {
    const uint8_t *found = NULL;
    if (node == NULL || !is_recurrent(plan, node)) {
        return NULL;
    }
    if (node->op == WEFT_OP_DENSE) {
        return weft_value_data(node->inputs[1]);
    }
    for (uint32_t i = 0; found == NULL && i < node->input_count; i++) {
        found = directions[value_number(plan->table, node->inputs[i])];
    }
    return found;
}

/* ---- one table ---- */

/* A sigmoid or tanh of a recurrent operator. */
struct gate {
    int32_t source;
    size_t base;   /* number of the tensor that it follows from */
    double factor; /* sigmoid(factor * base), or tanh that is made of it */
    size_t result; /* its number */
    bool is_tanh;
    bool is_of_steps; /* several steps make the base */
    bool takes_part;
};

static int by_source(const void *a, const void *b) {
    const struct gate *x = a;
    const struct gate *y = b;
    return by_number(&x->source, &y->source);
}

/* Is a product of `value` and a number that number; 0: it is no such product. */
static float factor_of(const struct weft_node *node, struct weft_value **value) {
    float number = 0;
    for (uint32_t i = 0; node->op == WEFT_OP_MUL && i < 2; i++) {
        const uint8_t *data = weft_value_data(node->inputs[i]);
        if (data != NULL && weft_type_elements(&node->inputs[i]->type) == 1) {
            memcpy(&number, data, sizeof number);
            *value = node->inputs[1 - i];
        }
    }
    return number;
}

static struct gate gate_of(const struct plan *plan, const struct layer *layer) {
    struct weft_value *value = layer->root->inputs[0];
    struct gate gate = {.source = layer->root->source,
                        .is_tanh = layer->root->op == WEFT_OP_TANH,
                        .result = value_number(plan->table, layer->result)};
    gate.factor = gate.is_tanh ? 2 : 1;
    while (value->producer != NULL && value->producer->input_count > 0) {
        struct weft_value *operand = value->producer->inputs[0];
        float factor = 1;
        if (layer_kind_of(value->producer) != LAYER_MOVE) {
            factor = factor_of(value->producer, &operand);
        }
        if (!(factor > 0)) {
            break;
        }
        gate.factor *= (double)factor;
        value = operand;
    }
    gate.base = value_number(plan->table, value);
    gate.takes_part = plan_is_between(plan, gate.base) && plan->limits[gate.base].samples > 0 &&
                      plan_is_between(plan, gate.result);
    return gate;
}

/* How far the argument of sigmoid reaches. */
static double reach_of(const struct plan *plan, const struct gate *gate) {
    const struct weft_range *range = &plan->ranges[gate->base];
    return gate->factor * fmax(-range->low, range->high);
}

/* Would steps of a table that reaches so far be at most twice as wide as need be, and those of its
 * result? */
static bool is_fine(const struct plan *plan, const struct gate *gate, double reach) {
    const struct weft_range *range = &plan->ranges[gate->base];
    const struct weft_range *result = &plan->ranges[gate->result];
    return reach <= gate->factor * (range->high - range->low) &&
           (gate->is_tanh ? 1 : 0.5) <= fmax(result->high, 0) - fmin(result->low, 0);
}

/* Do several steps make what the gate follows from, and not the first one by itself? */
static bool is_of_steps(const struct gate *gates, size_t count, const struct gate *gate,
                        const struct plan *plan) {
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        found = gates[i].base != gate->base &&
                plan->observed_as[gates[i].base] == plan->observed_as[gate->base];
    }
    return found;
}

/* Gives those gates of one operator one table for which it costs no more than a bit. What comes
 * from a state before the first step may reach further, and has its own then. */
static void share_table(const struct plan *plan, struct gate *gates, size_t count) {
    double reach = 0;
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        gates[i].is_of_steps = is_of_steps(gates, count, &gates[i], plan);
        bool counts = gates[i].takes_part && gates[i].is_of_steps && !gates[i].is_tanh;
        reach = counts ? fmax(reach, reach_of(plan, &gates[i])) : reach;
    }
    for (size_t i = 0; i < count; i++) {
        double of = reach_of(plan, &gates[i]);
        bool counts = gates[i].takes_part && gates[i].is_of_steps && of <= 2 * reach;
        most = counts ? fmax(most, of) : most;
    }
    for (size_t i = 0; i < count; i++) {
        gates[i].takes_part = gates[i].takes_part && reach_of(plan, &gates[i]) <= most &&
                              is_fine(plan, &gates[i], most);
    }
    double scale = most / INT8_MAX;
    for (size_t i = 0; i < count && scale > 0; i++) {
        const struct gate *gate = &gates[i];
        if (gate->takes_part) {
            double step = scale / gate->factor;
            plan->ranges[gate->base] = (struct weft_range){INT8_MIN * step, INT8_MAX * step};
            plan->ranges[gate->result] = gate->is_tanh ? (struct weft_range){-1, 127.0 / 128}
                                                       : (struct weft_range){0, 255.0 / 256};
        }
    }
}

/* What joins nothing but one and the same tensor of all steps has the range of that. */
static void join_results(const struct plan *plan) {
    for (size_t i = 0; i < plan->layer_count; i++) {
        const struct weft_node *node = plan->layers[i].root;
        bool joins = node->op == WEFT_OP_CONCATENATE;
        size_t first = 0;
        for (uint32_t k = 0; joins && k < node->input_count; k++) {
            const struct weft_value *input = node->inputs[k];
            while (input->producer != NULL && layer_kind_of(input->producer) == LAYER_MOVE) {
                input = input->producer->inputs[0];
            }
            size_t as = plan->observed_as[value_number(plan->table, input)];
            first = k == 0 ? as : first;
            joins = as == first && weft_value_data(input) == NULL;
        }
        if (joins) {
            plan->ranges[value_number(plan->table, node->results[0])] = plan->ranges[first];
        }
    }
}

/* ---- in quantize_observe() ---- */

void plan_find_steps(struct plan *plan) {
    const struct value_table *table = plan->table;
    plan->observed_as = WEFT_NEW_ARRAY(plan->arena, table->count, size_t);
    for (size_t i = 0; i < table->count; i++) {
        plan->observed_as[i] = i;
    }
    plan->recurrent = WEFT_NEW_ARRAY(plan->arena, plan->layer_count, int32_t);
    plan->recurrent_count = find_recurrent(plan, plan->recurrent);
    if (plan->recurrent_count == 0) {
        return;
    }
    struct member *members = WEFT_NEW_ARRAY(plan->arena, table->count, struct member);
    const uint8_t **directions = WEFT_NEW_ARRAY(plan->arena, table->count, const uint8_t *);
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct weft_node *node = table->values[i]->producer;
        directions[i] = direction_of(plan, node, directions);
        if (node != NULL && plan_is_between(plan, i) && is_recurrent(plan, node)) {
            uint64_t source = weft_hash_u64(WEFT_HASH_START, (uint64_t)node->source);
            uint64_t own = weft_hash_u64(source, (uint64_t)(uintptr_t)directions[i]);
            uint64_t key = weft_hash_u64(own, key_of(table->values[i], LEVELS));
            members[count++] = (struct member){key, i};
        }
    }
    qsort(members, count, sizeof *members, by_key);
    for (size_t i = 1; i < count; i++) {
        if (members[i].key == members[i - 1].key) {
            plan->observed_as[members[i].number] = plan->observed_as[members[i - 1].number];
        }
    }
}

void plan_share_tables(const struct plan *plan) {
    struct gate *gates = WEFT_NEW_ARRAY(plan->arena, plan->layer_count, struct gate);
    size_t count = 0;
    for (size_t i = 0; i < plan->layer_count; i++) {
        const struct weft_node *node = plan->layers[i].root;
        bool is_gate = node->op == WEFT_OP_LOGISTIC || node->op == WEFT_OP_TANH;
        if (is_gate && is_recurrent(plan, node)) {
            gates[count++] = gate_of(plan, &plan->layers[i]);
        }
    }
    qsort(gates, count, sizeof *gates, by_source);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && gates[end].source == gates[i].source; end++) {
        }
        share_table(plan, gates + i, end - i);
    }
    join_results(plan);
}
