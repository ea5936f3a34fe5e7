/* How far the simulated quantised layers are from the float graph. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "compiler/passes/passes.h"
#include "compiler/quantize/simulate.h"
#include "compiler/quantize/steps.h"

/* Sums over the elements of two tensors. */
struct sums {
    double signal, noise, other, dot;
};

struct layer_sums {
    struct sums alone, accumulated;
    uint64_t clipped, count;
    uint64_t histogram[WEFT_REPORT_BINS];
};

/* Samples counted by the class of their first output. */
struct classes {
    size_t samples, agree, labelled, right, right_in_float;
};

/* What threads share. */
struct measurement {
    const struct plan *plan;
    bool outputs_only;
    struct tensors exact[WEFT_MOST_THREADS];
    struct tensors alone[WEFT_MOST_THREADS];
    struct tensors accumulated[WEFT_MOST_THREADS];
    struct layer_sums *sums[WEFT_SAMPLE_PARTS]; /* by layer, and one for the outputs */
    struct classes classes[WEFT_SAMPLE_PARTS];
};

/* ---- sums ---- */

/* Elements below the range of masked scores do not count. */
static void add_tensors(struct sums *sums, const float *exact, const float *simulated, size_t count,
                        const struct weft_range *masked) {
    for (size_t i = 0; i < count; i++) {
        double x = (double)exact[i];
        double y = (double)simulated[i];
        if (masked != NULL && x < masked->low) {
            continue;
        }
        sums->signal += x * x;
        sums->noise += (x - y) * (x - y);
        sums->other += y * y;
        sums->dot += x * y;
    }
}

static void join(struct sums *sums, const struct sums *more) {
    sums->signal += more->signal;
    sums->noise += more->noise;
    sums->other += more->other;
    sums->dot += more->dot;
}

static struct weft_distance distance_of(const struct sums *sums) {
    double lengths = sqrt(sums->signal) * sqrt(sums->other);
    bool exact = sums->noise == 0;
    /* Of what is not a number nothing is left but noise. */
    double ratio = exact ? (double)INFINITY : sums->noise > 0 ? sums->signal / sums->noise : 0;
    return (struct weft_distance){.sqnr = 10 * log10(ratio),
                                  .cosine = lengths > 0 ? sums->dot / lengths
                                            : exact     ? 1
                                                        : 0};
}

/* ---- one sample ---- */

static bool allocate(const struct measurement *m, struct tensors *tensors,
                     struct weft_error *error) {
    if (tensors->block != NULL) {
        return true;
    }
    tensors_free(tensors);
    return tensors_allocate(m->plan->table, m->plan->options->bytes, tensors, error);
}

static bool begin(void *context, unsigned thread, size_t part, struct weft_error *error) {
    struct measurement *m = context;
    m->sums[part] =
        weft_allocate(m->plan->layer_count + 1, sizeof *m->sums[part], "measurements", error);
    return m->sums[part] != NULL && allocate(m, &m->exact[thread], error) &&
           allocate(m, &m->accumulated[thread], error) &&
           (m->outputs_only || allocate(m, &m->alone[thread], error));
}

/* Inputs of the simulated graph are those of the float one, quantised where a layer wants that. */
static void start_simulation(const struct plan *plan, const struct tensors *exact,
                             const struct tensors *simulated) {
    for (size_t i = 0; i < plan->graph->input_count; i++) {
        const struct weft_type *type = &plan->graph->inputs[i]->type;
        memcpy(simulated->at[i], exact->at[i], weft_type_bytes(type));
        if (plan->scales[i].is_set) {
            simulate_tensor(&plan->scales[i], exact->at[i], (size_t)weft_type_elements(type),
                            simulated->at[i]);
        }
    }
}

/* Values of the float result, and those that its quantised form clips. */
static void count_values(const struct plan *plan, size_t number, const float *values, size_t count,
                         struct layer_sums *sums) {
    const struct weft_range all = plan->limits[number].observed;
    const struct tensor_scale *scale = &plan->scales[number];
    double low = scale->scale * (scale->least - 0.5 - scale->zero);
    double high = scale->scale * (scale->most + 0.5 - scale->zero);
    double per_unit = all.high > all.low ? (double)WEFT_REPORT_BINS / (all.high - all.low) : 0;
    for (size_t i = 0; i < count; i++) {
        double value = (double)values[i];
        double bin = (value - all.low) * per_unit;
        sums->clipped += scale->is_set && (value < low || value > high);
        sums->histogram[bin >= 0 && bin < (double)WEFT_REPORT_BINS ? (size_t)bin
                        : bin >= (double)WEFT_REPORT_BINS          ? WEFT_REPORT_BINS - 1
                                                                   : 0]++;
    }
    sums->count += count;
}

static bool measure_layer(const struct measurement *m, unsigned thread, const struct layer *layer,
                          struct layer_sums *sums, struct weft_error *error) {
    const struct plan *plan = m->plan;
    const struct tensors *exact = &m->exact[thread];
    size_t number = value_number(plan->table, layer->result);
    size_t count = (size_t)weft_type_elements(&layer->result->type);
    if (!simulate_layer(plan, layer, &m->accumulated[thread], &m->accumulated[thread], error)) {
        return false;
    }
    if (m->outputs_only || !plan_is_between(plan, number)) {
        return true;
    }
    if (!simulate_layer(plan, layer, exact, &m->alone[thread], error)) {
        return false;
    }
    add_tensors(&sums->alone, exact->at[number], m->alone[thread].at[number], count,
                plan->masked[number]);
    add_tensors(&sums->accumulated, exact->at[number], m->accumulated[thread].at[number], count,
                plan->masked[number]);
    count_values(plan, number, exact->at[number], count, sums);
    return true;
}

/* An output of the model; of one that softmax makes, what softmax works on: classifiers are
 * compared by that, but not by what a mask leaves of it. */
static const struct weft_value *compared_output(const struct plan *plan,
                                                const struct weft_value *output) {
    const struct weft_node *node = output->producer;
    return node != NULL && (node->op == WEFT_OP_SOFTMAX || node->op == WEFT_OP_LOG_SOFTMAX) &&
                   plan->limits[value_number(plan->table, node->inputs[0])].observed.low >
                       WEFT_MASKED
               ? node->inputs[0]
               : output;
}

/* The first one of the largest elements. */
static size_t class_of(const float *values, size_t count) {
    size_t best = 0;
    for (size_t i = 1; i < count; i++) {
        best = values[i] > values[best] ? i : best;
    }
    return best;
}

static void count_class(const struct measurement *m, unsigned thread, size_t sample,
                        struct classes *classes) {
    const struct weft_quantize_options *options = m->plan->options;
    const struct weft_value *output = compared_output(m->plan, m->plan->graph->outputs[0]);
    size_t number = value_number(m->plan->table, output);
    size_t count = (size_t)weft_type_elements(&output->type);
    int64_t label = options->label == NULL ? -1 : options->label(options->label_context, sample);
    if (output->type.dtype != WEFT_F32 || count == 0) {
        return;
    }
    size_t exact = class_of(m->exact[thread].at[number], count);
    size_t simulated = class_of(m->accumulated[thread].at[number], count);
    classes->samples++;
    classes->agree += exact == simulated;
    bool labelled = label >= 0 && label < (int64_t)count; /* what else may be there is no class */
    classes->labelled += labelled;
    classes->right += labelled && simulated == (size_t)label;
    classes->right_in_float += labelled && exact == (size_t)label;
}

static bool measure(void *context, unsigned thread, size_t part, size_t sample,
                    struct weft_error *error) {
    struct measurement *m = context;
    const struct plan *plan = m->plan;
    struct layer_sums *sums = m->sums[part];
    if (!simulate_float(plan, &m->exact[thread], sample, error)) {
        return false;
    }
    start_simulation(plan, &m->exact[thread], &m->accumulated[thread]);
    for (size_t i = 0; i < plan->layer_count; i++) {
        if (!measure_layer(m, thread, &plan->layers[i], &sums[i], error)) {
            return false;
        }
    }
    count_class(m, thread, sample, &m->classes[part]);
    for (size_t i = 0; i < plan->graph->output_count; i++) {
        const struct weft_value *output = compared_output(plan, plan->graph->outputs[i]);
        size_t number = value_number(plan->table, output);
        if (output->type.dtype == WEFT_F32) {
            add_tensors(&sums[plan->layer_count].accumulated, m->exact[thread].at[number],
                        m->accumulated[thread].at[number],
                        (size_t)weft_type_elements(&output->type), NULL);
        }
    }
    return true;
}

/* ---- all ---- */

static void join_layer(struct layer_sums *sums, const struct layer_sums *more) {
    join(&sums->alone, &more->alone);
    join(&sums->accumulated, &more->accumulated);
    sums->clipped += more->clipped;
    sums->count += more->count;
    for (size_t i = 0; i < WEFT_REPORT_BINS; i++) {
        sums->histogram[i] += more->histogram[i];
    }
}

static void fill_report(const struct plan *plan, const struct layer *layer,
                        const struct layer_sums *sums, struct weft_layer_report *report) {
    size_t number = value_number(plan->table, layer->result);
    const struct tensor_scale *scale = &plan->scales[number];
    *report = (struct weft_layer_report){.name = plan_name_of(plan, layer->result),
                                         .op = weft_operator_name(layer->root->op),
                                         .is_quantized = layer->is_quantized,
                                         .reason = layer->reason,
                                         .observed = plan->limits[number].observed,
                                         .range = plan->limits[number].observed,
                                         .scale = scale->scale,
                                         .zero = scale->zero,
                                         .alone = distance_of(&sums->alone),
                                         .accumulated = distance_of(&sums->accumulated)};
    if (scale->is_set) {
        report->range = (struct weft_range){scale->scale * (scale->least - scale->zero),
                                            scale->scale * (scale->most - scale->zero)};
    }
    report->clipped = sums->count == 0 ? 0 : (double)sums->clipped / (double)sums->count;
    memcpy(report->histogram, sums->histogram, sizeof report->histogram);
}

static struct weft_outputs_report report_outputs(const struct measurement *m,
                                                 const struct sums *sums) {
    struct weft_outputs_report report = {.distance = distance_of(sums)};
    for (size_t part = 0; part < WEFT_SAMPLE_PARTS; part++) {
        const struct classes *classes = &m->classes[part];
        report.samples += classes->samples;
        report.agree += classes->agree;
        report.labelled += classes->labelled;
        report.right += classes->right;
        report.right_in_float += classes->right_in_float;
    }
    return report;
}

static void tell(void *context, size_t done, size_t count) {
    const struct weft_quantize_options *options = context;
    if (options->progress != NULL) {
        options->progress(options->context, "simulation", done, count);
    }
}

static void release(struct measurement *m) {
    for (size_t i = 0; i < WEFT_MOST_THREADS; i++) {
        tensors_free(&m->exact[i]);
        tensors_free(&m->alone[i]);
        tensors_free(&m->accumulated[i]);
    }
    for (size_t i = 0; i < WEFT_SAMPLE_PARTS; i++) {
        free(m->sums[i]);
    }
}

bool quantize_measure(const struct plan *plan, struct weft_layer_report *reports,
                      struct weft_outputs_report *outputs, struct weft_error *error) {
    struct measurement m = {.plan = plan, .outputs_only = reports == NULL};
    const struct weft_sample_walk all = {.samples = plan->options->samples,
                                         .begin = begin,
                                         .sample = measure,
                                         .context = &m,
                                         .progress = tell,
                                         .progress_context = (void *)(uintptr_t)plan->options};
    bool good = weft_walk_samples(&all, error);
    for (size_t i = 0; good && i <= plan->layer_count; i++) {
        struct layer_sums sums = m.sums[0][i];
        for (size_t part = 1; part < WEFT_SAMPLE_PARTS; part++) {
            join_layer(&sums, &m.sums[part][i]);
        }
        if (i == plan->layer_count) {
            *outputs = report_outputs(&m, &sums.accumulated);
        } else if (reports != NULL) {
            fill_report(plan, &plan->layers[i], &sums, &reports[i]);
        }
    }
    release(&m);
    return good;
}
