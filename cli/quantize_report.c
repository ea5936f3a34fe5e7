#include "cli/quantize_report.h"

#include <inttypes.h>
#include <math.h>

#include "cli/json_file.h"

/* ---- text ---- */

/* A ratio in dB; infinite: nothing differs. */
static void add_decibels(struct weft_text *text, double sqnr) {
    if (isfinite(sqnr)) {
        weft_text_add(text, " %8.2f", sqnr);
    } else {
        weft_text_add(text, " %8s", sqnr > 0 ? "exact" : "noise");
    }
}

/* What was seen; nothing is of integers and truths. */
static void add_observed(const struct weft_layer_report *layer, struct weft_text *text) {
    if (layer->observed.low <= layer->observed.high) {
        weft_text_add(text, " %10.4g %10.4g", layer->observed.low, layer->observed.high);
    } else {
        weft_text_add(text, " %10s %10s", "-", "-");
    }
}

static void add_layer(const struct weft_layer_report *layer, size_t number,
                      struct weft_text *text) {
    weft_text_add(text, "%4zu %-20.20s", number, layer->op);
    add_observed(layer, text);
    if (layer->is_quantized) {
        weft_text_add(text, " %10.4g %5" PRId32 " %7.3f %%", layer->scale, layer->zero,
                      100 * layer->clipped);
    } else {
        weft_text_add(text, " %26s", "float");
    }
    add_decibels(text, layer->alone.sqnr);
    add_decibels(text, layer->accumulated.sqnr);
    weft_text_add(text, "  %s", layer->name);
    if (!layer->is_quantized) {
        weft_text_add(text, ": %s", layer->reason);
    }
    weft_text_add(text, "\n");
}

void quantize_outputs(const struct weft_quantized *quantized, struct weft_text *text) {
    const struct weft_outputs_report *outputs = &quantized->outputs;
    weft_text_add(text, "outputs: ");
    if (isfinite(outputs->distance.sqnr)) {
        weft_text_add(text, "%.2f dB", outputs->distance.sqnr);
    } else {
        weft_text_add(text, outputs->distance.sqnr > 0 ? "exact" : "nothing but noise");
    }
    if (outputs->samples > 0) {
        weft_text_add(text, "; the same class for %.2f %% of %zu samples",
                      100 * (double)outputs->agree / (double)outputs->samples, outputs->samples);
    }
    if (outputs->labelled > 0) {
        weft_text_add(text, "; right %.2f %%, in float %.2f %%",
                      100 * (double)outputs->right / (double)outputs->labelled,
                      100 * (double)outputs->right_in_float / (double)outputs->labelled);
    }
    weft_text_add(text, "\n");
    if (quantized->equalized > 0) {
        weft_text_add(text, "%zu pairs of layers equalised\n", quantized->equalized);
    }
    if (quantized->kept_float > 0) {
        weft_text_add(text, "%zu layers kept in float\n", quantized->kept_float);
    }
}

void quantize_table(const struct weft_quantized *quantized, struct weft_text *text) {
    weft_text_add(text, "%4s %-20s %10s %10s %10s %5s %9s %8s %8s  %s\n", "#", "operator", "least",
                  "most", "scale", "zero", "clipped", "dB alone", "dB", "tensor");
    for (size_t i = 0; i < quantized->layer_count; i++) {
        add_layer(&quantized->layers[i], i + 1, text);
    }
    quantize_outputs(quantized, text);
}

/* ---- JSON ---- */

static void set(json_t *object, const char *key, json_t *value) {
    json_note(value);
    if (json_object_set_new(object, key, value) != 0) {
        json_note(NULL);
    }
}

/* Infinite numbers are null: JSON has none. */
static json_t *number(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *pair(double low, double high) {
    json_t *list = json_array();
    json_note(list);
    if (json_array_append_new(list, number(low)) != 0 ||
        json_array_append_new(list, number(high)) != 0) {
        json_note(NULL);
    }
    return list;
}

static json_t *distance_json(const struct weft_distance *distance) {
    json_t *object = json_object();
    set(object, "sqnr", number(distance->sqnr));
    set(object, "cosine", number(distance->cosine));
    return object;
}

static json_t *histogram_json(const struct weft_layer_report *layer) {
    json_t *list = json_array();
    json_note(list);
    for (size_t i = 0; i < WEFT_REPORT_BINS; i++) {
        if (json_array_append_new(list, json_integer((json_int_t)layer->histogram[i])) != 0) {
            json_note(NULL);
        }
    }
    return list;
}

static json_t *layer_json(const struct weft_layer_report *layer) {
    json_t *object = json_object();
    set(object, "tensor", text_json(layer->name));
    set(object, "operator", text_json(layer->op));
    set(object, "quantized", json_boolean(layer->is_quantized));
    if (layer->is_quantized) {
        set(object, "scale", number(layer->scale));
        set(object, "zero_point", json_integer(layer->zero));
        set(object, "clipped", number(layer->clipped));
        set(object, "range", pair(layer->range.low, layer->range.high));
    } else {
        set(object, "reason", text_json(layer->reason));
    }
    set(object, "observed", pair(layer->observed.low, layer->observed.high));
    set(object, "alone", distance_json(&layer->alone));
    set(object, "accumulated", distance_json(&layer->accumulated));
    set(object, "histogram", histogram_json(layer));
    return object;
}

json_t *quantize_json(const struct weft_quantized *quantized, const char *calibration) {
    const struct weft_outputs_report *outputs = &quantized->outputs;
    json_t *root = json_object();
    json_t *layers = json_array();
    json_note(layers);
    set(root, "calibration", text_json(calibration));
    set(root, "outputs", distance_json(&outputs->distance));
    set(root, "samples", json_integer((json_int_t)outputs->samples));
    set(root, "agree", json_integer((json_int_t)outputs->agree));
    set(root, "labelled", json_integer((json_int_t)outputs->labelled));
    set(root, "right", json_integer((json_int_t)outputs->right));
    set(root, "right_in_float", json_integer((json_int_t)outputs->right_in_float));
    set(root, "equalized_pairs", json_integer((json_int_t)quantized->equalized));
    set(root, "kept_float", json_integer((json_int_t)quantized->kept_float));
    for (size_t i = 0; i < quantized->layer_count; i++) {
        if (json_array_append_new(layers, layer_json(&quantized->layers[i])) != 0) {
            json_note(NULL);
        }
    }
    set(root, "layers", layers);
    return root;
}
