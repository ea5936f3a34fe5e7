#include "compiler/quantize/quantize.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "compiler/quantize/steps.h"

struct weft_quantize_options weft_quantize_defaults(void) {
    return (struct weft_quantize_options){.calibration = WEFT_CALIBRATE_MSE,
                                          .activations = WEFT_I8,
                                          .percentile = 99.999,
                                          .bins = 2048,
                                          .levels = 128,
                                          .max_drop = -1};
}

/* ---- options ---- */

static bool check_options(const struct weft_quantize_options *o, struct weft_error *error) {
    if (o->samples == NULL || o->samples->count == 0) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "there are no samples to calibrate with");
    }
    if (o->bins < 1 || o->bins > WEFT_MOST_BINS) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "expected 1 to %d bins, not %u", WEFT_MOST_BINS,
                         (unsigned)o->bins);
    }
    if (o->levels < 2 || o->levels % 2 != 0 ||
        (o->calibration == WEFT_CALIBRATE_ENTROPY && o->levels > o->bins)) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "expected an even number of levels, no more than the %u bins, not %u",
                         (unsigned)o->bins, (unsigned)o->levels);
    }
    if (!(o->percentile >= 50 && o->percentile <= 100)) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "expected a percentile of 50 to 100, not %g",
                         o->percentile);
    }
    if (o->weights != WEFT_WEIGHTS_INT8 && o->weights != WEFT_WEIGHTS_INT4) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "weights become int8 or int4, not number %d",
                         (int)o->weights);
    }
    if (o->activations != WEFT_I8 && o->activations != WEFT_U8) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "tensors become int8 or uint8, not %s",
                         weft_dtype_name(o->activations));
    }
    return o->max_drop < 0 || o->label != NULL ||
           weft_fail(error, WEFT_ARGUMENT, 0, "a limit on the drop of accuracy needs labels");
}

/* Is the text what the pattern says, where * stands for anything? */
static bool matches(const char *pattern, const char *text) {
    const char *star = NULL; /* the last one, and where what it stands for ends */
    const char *after = NULL;
    while (*text != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            after = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star + 1;
            text = ++after;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        pattern++;
    }
    return *pattern == '\0';
}

/* Marks the layers that a name or pattern holds back; it must hold back one. */
static bool hold_named(const struct plan *plan, bool *keep_float, struct weft_error *error) {
    const struct weft_quantize_options *o = plan->options;
    for (size_t k = 0; k < o->keep_float_count; k++) {
        bool found = false;
        for (size_t i = 0; i < plan->layer_count; i++) {
            bool held = matches(o->keep_float[k], plan_name_of(plan, plan->layers[i].result));
            keep_float[i] = keep_float[i] || held;
            found = found || held;
        }
        if (!found) {
            return weft_fail(error, WEFT_ARGUMENT, k, "no layer is called '%.60s'",
                             o->keep_float[k]);
        }
    }
    return true;
}

static bool quantizes_anything(const struct plan *plan, struct weft_error *error) {
    bool found = false;
    for (size_t i = 0; i < plan->layer_count; i++) {
        found = found || plan->layers[i].is_quantized;
    }
    return found || weft_fail(error, WEFT_ARGUMENT, 0,
                              "the model has no layer of floats that can be quantised");
}

/* ---- mixed precision ---- */

static bool is_good_enough(const struct weft_quantize_options *o,
                           const struct weft_outputs_report *outputs) {
    bool exact = o->min_sqnr <= 0 || outputs->distance.sqnr >= o->min_sqnr;
    double lost = (double)outputs->right_in_float - (double)outputs->right;
    return exact && (o->max_drop < 0 || lost <= o->max_drop * (double)outputs->labelled);
}

/* The quantised layer that adds the most noise by itself; SIZE_MAX: there is none left. */
static size_t worst_layer(const struct plan *plan, const struct weft_layer_report *reports) {
    size_t worst = SIZE_MAX;
    for (size_t i = 0; i < plan->layer_count; i++) {
        const struct layer *layer = &plan->layers[i];
        bool counts = layer->is_quantized && layer->kind != LAYER_MOVE;
        if (counts && (worst == SIZE_MAX || reports[i].alone.sqnr < reports[worst].alone.sqnr)) {
            worst = i;
        }
    }
    return worst;
}

static void choose_layers(struct plan *plan, const bool *keep_float) {
    quantize_find_tables(plan, keep_float);
    plan_choose_layers(plan, keep_float);
}

/* Chooses layers, and their scales, weights and biases. What is kept in float may leave others with
 * ranges of which bytes would say nothing: masked scores behind which there are no bytes any more.
 */
static void make_parameters(struct plan *plan, bool *keep_float) {
    choose_layers(plan, keep_float);
    quantize_hold_layers(plan, keep_float);
    choose_layers(plan, keep_float);
    if (!plan->options->integer_ends) {
        quantize_hold_ends(plan, keep_float);
        choose_layers(plan, keep_float);
    }
    plan_choose_scales(plan);
    plan_quantize_weights(plan);
}

/* Keeps layers in float, worst first, until what was asked for holds. */
static bool mix_precisions(struct plan *plan, bool *keep_float, struct weft_quantized *quantized,
                           struct weft_error *error) {
    bool good = true;
    while (good && !is_good_enough(plan->options, &quantized->outputs)) {
        size_t worst = worst_layer(plan, quantized->layers);
        if (worst == SIZE_MAX) {
            break; /* all is float */
        }
        keep_float[worst] = true;
        make_parameters(plan, keep_float);
        good = quantize_measure(plan, NULL, &quantized->outputs, error);
    }
    return good && quantize_measure(plan, quantized->layers, &quantized->outputs, error);
}

/* ---- the way in ---- */

static size_t count_held(const struct plan *plan, const bool *keep_float) {
    size_t count = 0;
    for (size_t i = 0; i < plan->layer_count; i++) {
        count += keep_float[i] && plan->layers[i].kind != LAYER_FLOAT;
    }
    return count;
}

/* A constant of floats, aligned for its elements. */
static bool check_numbers(const struct plan *plan, const struct layer *layer, const char *what,
                          const struct weft_value *constant, struct weft_error *error) {
    const float *numbers = (const float *)(const void *)weft_value_data(constant);
    for (int64_t i = 0; i < weft_type_elements(&constant->type); i++) {
        if (!isfinite(numbers[i])) {
            return weft_fail(error, WEFT_ARGUMENT, 0,
                             "%s: %s %" PRId64 " is not a finite number; it can be kept in float",
                             plan_name_of(plan, layer->result), what, i);
        }
    }
    return true;
}

/* No byte stands for a weight that is no number, or infinite. */
static bool check_weights(const struct plan *plan, struct weft_error *error) {
    bool good = true;
    for (size_t i = 0; i < plan->layer_count && good; i++) {
        const struct layer *layer = &plan->layers[i];
        if (layer->is_quantized && layer->kind == LAYER_PRODUCT) {
            good = check_numbers(plan, layer, "weight", layer_weights_value(layer), error) &&
                   (layer->bias == NULL ||
                    check_numbers(plan, layer, "bias", layer->bias->inputs[1], error));
        }
    }
    return good;
}

static bool run_steps(struct plan *plan, struct weft_quantized *quantized,
                      struct weft_error *error) {
    bool *keep_float = WEFT_NEW_ARRAY(plan->arena, plan->layer_count, bool);
    if (!hold_named(plan, keep_float, error)) {
        return false;
    }
    choose_layers(plan, keep_float);
    if (!quantizes_anything(plan, error) || !check_weights(plan, error) ||
        !quantize_observe(plan, error)) {
        return false;
    }
    make_parameters(plan, keep_float);
    if (!plan->options->no_bias_correction && !quantize_correct_biases(plan, error)) {
        return false;
    }
    quantized->layer_count = plan->layer_count;
    quantized->layers = WEFT_NEW_ARRAY(plan->arena, plan->layer_count, struct weft_layer_report);
    if (!quantize_measure(plan, quantized->layers, &quantized->outputs, error)) {
        return false;
    }
    if (!is_good_enough(plan->options, &quantized->outputs) &&
        !mix_precisions(plan, keep_float, quantized, error)) {
        return false;
    }
    quantized->kept_float = count_held(plan, keep_float);
    quantized->graph = quantize_rewrite(plan);
    weft_graph_name(quantized->graph);
    return weft_graph_verify(quantized->graph, error);
}

bool weft_quantize(struct weft_arena *arena, const struct weft_graph *graph,
                   const struct weft_model_names *names,
                   const struct weft_quantize_options *options, struct weft_quantized **quantized,
                   struct weft_error *error) {
    struct weft_quantized *made = WEFT_NEW(arena, struct weft_quantized);
    if (!check_options(options, error)) {
        return false;
    }
    const struct weft_graph *prepared = quantize_prepare(graph);
    if (options->equalize) {
        prepared = quantize_equalize(prepared, &made->equalized);
    }
    struct plan *plan = plan_new(arena, prepared, names, options);
    plan->outputs = WEFT_NEW_ARRAY(arena, graph->output_count, const char *);
    for (size_t i = 0; i < graph->output_count; i++) {
        plan->outputs[i] = plan_name_of(plan, graph->outputs[i]);
    }
    if (!run_steps(plan, made, error)) {
        return false;
    }
    made->plan = plan;
    *quantized = made;
    return true;
}
