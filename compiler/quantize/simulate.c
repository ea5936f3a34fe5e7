#include "compiler/quantize/simulate.h"

#include <math.h>
#include <string.h>

#include "compiler/host/host.h"

void simulate_tensor(const struct tensor_scale *scale, const float *values, size_t count,
                     float *simulated) {
    const float step = (float)scale->scale;
    const float least = (float)(scale->least - scale->zero);
    const float most = (float)(scale->most - scale->zero);
    for (size_t i = 0; i < count; i++) {
        float steps = nearbyintf(values[i] / step);
        steps = steps < least ? least : steps;
        simulated[i] = step * (steps > most ? most : steps);
    }
}

bool simulate_float(const struct plan *plan, const struct tensors *tensors, size_t sample,
                    struct weft_error *error) {
    const struct weft_samples *samples = plan->options->samples;
    const struct weft_graph *graph = plan->graph;
    bool good = samples->fill(samples->context, sample, tensors->at, error);
    for (size_t i = 0; good && i < graph->input_count; i++) {
        good = weft_sample_check(sample, &graph->inputs[i]->type, tensors->at[i], error);
    }
    for (size_t i = 0; good && i < graph->node_count; i++) {
        good = tensors_run(tensors, graph->nodes[i], error);
    }
    return good;
}

/* ---- products ---- */

const struct weft_value *simulated_product(const struct layer *layer) {
    return layer->bias != NULL ? layer->bias->results[0] : layer->root->results[0];
}

static void *tensor_of(const struct tensors *tensors, const struct weft_value *value) {
    return tensors->at[value_number(tensors->table, value)];
}

bool simulate_product(const struct plan *plan, const struct layer *layer,
                      const struct tensors *from, const struct tensors *to,
                      struct weft_error *error) {
    const struct weft_value *result = simulated_product(layer);
    const void *inputs[2] = {tensor_of(from, layer->root->inputs[0]), layer->weights.simulated};
    float *sums = tensor_of(to, result);
    void *results[1] = {sums};
    int64_t count = weft_type_elements(&result->type);
    (void)plan;
    if (!weft_host_run(layer->root, inputs, results, error)) {
        return false;
    }
    for (int64_t i = 0; i < count; i++) {
        sums[i] += layer->bias_simulated[i % layer->channels];
    }
    return true;
}

/* ---- layers ---- */

/* The operand of a quantised layer that is a constant, as its quantised form has it. */
static const void *constant_of(const struct plan *plan, const struct weft_value *value) {
    return plan->constants[value_number(plan->table, value)];
}

static bool run_root(const struct plan *plan, const struct layer *layer, const struct tensors *from,
                     const struct tensors *to, struct weft_error *error) {
    const struct weft_node *node = layer->root;
    const void *inputs[WEFT_MOST_OPERANDS];
    void *results[WEFT_MOST_OPERANDS];
    if (node->input_count > WEFT_MOST_OPERANDS || node->result_count > WEFT_MOST_OPERANDS) {
        (void)weft_fail(error, WEFT_OPERATOR, 0, "more than %d operands are not quantised",
                        WEFT_MOST_OPERANDS);
        weft_node_error_prefix(node, error);
        return false;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        const void *constant = layer->is_quantized ? constant_of(plan, node->inputs[i]) : NULL;
        inputs[i] = constant != NULL ? constant : tensor_of(from, node->inputs[i]);
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        results[i] = tensor_of(to, node->results[i]);
    }
    return weft_host_run(node, inputs, results, error);
}

static void simulate_result(const struct plan *plan, const struct tensors *to,
                            const struct weft_value *value) {
    size_t number = value_number(plan->table, value);
    if (plan->scales[number].is_set) {
        simulate_tensor(&plan->scales[number], to->at[number],
                        (size_t)weft_type_elements(&value->type), to->at[number]);
    }
}

bool simulate_layer(const struct plan *plan, const struct layer *layer, const struct tensors *from,
                    const struct tensors *to, struct weft_error *error) {
    bool product = layer->is_quantized && layer->kind == LAYER_PRODUCT;
    bool good = product ? simulate_product(plan, layer, from, to, error)
                        : run_root(plan, layer, from, to, error);
    good = good && (product || layer->bias == NULL || tensors_run(to, layer->bias, error));
    good = good && (layer->activation == NULL || tensors_run(to, layer->activation, error));
    if (!good) {
        return false;
    }
    simulate_result(plan, to, layer->result);
    for (uint32_t i = 1; i < layer->root->result_count; i++) {
        simulate_result(plan, to, layer->root->results[i]);
    }
    return true;
}
