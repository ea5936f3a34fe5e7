/* Biases that make up for what quantising shifts. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "compiler/quantize/simulate.h"
#include "compiler/quantize/steps.h"

/* What threads share. */
struct correction {
    const struct plan *plan;
    size_t channels; /* of all quantised products together */
    struct tensors exact[WEFT_MOST_THREADS];
    struct tensors simulated[WEFT_MOST_THREADS];
    double *sums[WEFT_SAMPLE_PARTS]; /* by channel: exact less simulated results */
};

static bool is_corrected(const struct layer *layer) {
    return layer->is_quantized && layer->kind == LAYER_PRODUCT;
}

static bool begin(void *context, unsigned thread, size_t part, struct weft_error *error) {
    struct correction *c = context;
    struct tensors *both[2] = {&c->exact[thread], &c->simulated[thread]};
    for (int i = 0; i < 2; i++) {
        if (both[i]->block == NULL) {
            tensors_free(both[i]);
            if (!tensors_allocate(c->plan->table, c->plan->options->bytes, both[i], error)) {
                return false;
            }
        }
    }
    c->sums[part] = weft_allocate(c->channels, sizeof *c->sums[part], "sums of channels", error);
    return c->sums[part] != NULL;
}

/* Adds what the exact results are more than the simulated ones. */
static void add_differences(const struct layer *layer, const float *exact, const float *simulated,
                            double *sums) {
    int64_t count = weft_type_elements(&simulated_product(layer)->type);
    for (int64_t i = 0; i < count; i++) {
        sums[i % layer->channels] += (double)exact[i] - (double)simulated[i];
    }
}

static bool compare_layer(const struct plan *plan, const struct layer *layer,
                          const struct tensors *exact, const struct tensors *simulated,
                          double *sums, struct weft_error *error) {
    const struct weft_value *operand = layer->root->inputs[0];
    size_t input = value_number(plan->table, operand);
    size_t result = value_number(plan->table, simulated_product(layer));
    simulate_tensor(&plan->scales[input], exact->at[input],
                    (size_t)weft_type_elements(&operand->type), simulated->at[input]);
    if (!simulate_product(plan, layer, simulated, simulated, error)) {
        return false;
    }
    add_differences(layer, exact->at[result], simulated->at[result], sums);
    return true;
}

static bool compare(void *context, unsigned thread, size_t part, size_t sample,
                    struct weft_error *error) {
    struct correction *c = context;
    double *sums = c->sums[part];
    bool good = simulate_float(c->plan, &c->exact[thread], sample, error);
    for (size_t i = 0; good && i < c->plan->layer_count; i++) {
        const struct layer *layer = &c->plan->layers[i];
        if (is_corrected(layer)) {
            good = compare_layer(c->plan, layer, &c->exact[thread], &c->simulated[thread], sums,
                                 error);
            sums += layer->channels;
        }
    }
    return good;
}

static void tell(void *context, size_t done, size_t count) {
    const struct weft_quantize_options *options = context;
    if (options->progress != NULL) {
        options->progress(options->context, "biases", done, count);
    }
}

/* Adds the mean differences, parts in their order, to the biases. */
static void correct(const struct correction *c) {
    const struct plan *plan = c->plan;
    size_t first = 0;
    for (size_t i = 0; i < plan->layer_count; i++) {
        struct layer *layer = &plan->layers[i];
        if (!is_corrected(layer)) {
            continue;
        }
        double results = (double)weft_type_elements(&simulated_product(layer)->type) /
                         (double)layer->channels * (double)plan->options->samples->count;
        for (int64_t channel = 0; channel < layer->channels; channel++) {
            double sum = 0;
            for (size_t part = 0; part < WEFT_SAMPLE_PARTS; part++) {
                sum += c->sums[part][first + (size_t)channel];
            }
            layer->float_bias[channel] += sum / results;
        }
        first += (size_t)layer->channels;
        plan_quantize_bias(plan, layer);
    }
}

bool quantize_correct_biases(struct plan *plan, struct weft_error *error) {
    struct correction c = {.plan = plan};
    for (size_t i = 0; i < plan->layer_count; i++) {
        c.channels += is_corrected(&plan->layers[i]) ? (size_t)plan->layers[i].channels : 0;
    }
    const struct weft_sample_walk all = {.samples = plan->options->samples,
                                         .begin = begin,
                                         .sample = compare,
                                         .context = &c,
                                         .progress = tell,
                                         .progress_context = (void *)(uintptr_t)plan->options};
    bool good = weft_walk_samples(&all, error);
    if (good) {
        correct(&c);
    }
    for (size_t i = 0; i < WEFT_MOST_THREADS; i++) {
        tensors_free(&c.exact[i]);
        tensors_free(&c.simulated[i]);
    }
    for (size_t i = 0; i < WEFT_SAMPLE_PARTS; i++) {
        free(c.sums[i]);
    }
    return good;
}
