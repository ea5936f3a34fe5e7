/* A page of what quantising does to every layer: how its values are distributed, and which of them
 * its quantised form covers. It loads nothing and runs nothing. */
#include <math.h>

#include "cli/quantize_report.h"

enum {
    WIDTH = 4 * WEFT_REPORT_BINS, /* of a picture, in pixels */
    HEIGHT = 48,
};

/* Names are from files that are not trusted. */
static void add_escaped(struct weft_text *text, const char *name) {
    for (; *name != '\0'; name++) {
        bool plain = *name >= ' ' && *name <= '~' && *name != '<' && *name != '>' && *name != '&' &&
                     *name != '"';
        if (plain) {
            weft_text_add_bytes(text, name, 1);
        } else {
            weft_text_add(text, "&#%d;", (int)(unsigned char)*name);
        }
    }
}

/* Where a value lies in the picture, in pixels from its left; beyond the ends: at them. */
static double place_of(const struct weft_layer_report *layer, double value) {
    double width = layer->observed.high - layer->observed.low;
    double place = width > 0 ? (value - layer->observed.low) / width * (double)WIDTH : 0;
    return fmax(0, fmin(WIDTH, place));
}

/* Bars as high as the logarithm of their counts. */
static void add_bars(struct weft_text *text, const struct weft_layer_report *layer) {
    uint64_t most = 1;
    for (int i = 0; i < WEFT_REPORT_BINS; i++) {
        most = layer->histogram[i] > most ? layer->histogram[i] : most;
    }
    for (int i = 0; i < WEFT_REPORT_BINS; i++) {
        double part = log1p((double)layer->histogram[i]) / log1p((double)most);
        if (layer->histogram[i] > 0) {
            weft_text_add(text, "<rect x=\"%d\" y=\"%.1f\" width=\"3\" height=\"%.1f\"/>", 4 * i,
                          (double)HEIGHT * (1 - part), (double)HEIGHT * part);
        }
    }
}

/* A line where the range ends, if values lie beyond it. */
static void add_threshold(struct weft_text *text, const struct weft_layer_report *layer,
                          double value, bool beyond) {
    double x = place_of(layer, value);
    if (layer->is_quantized && beyond) {
        weft_text_add(text, "<line x1=\"%.1f\" y1=\"0\" x2=\"%.1f\" y2=\"%d\"/>", x, x, HEIGHT);
    }
}

static void add_decibels(struct weft_text *text, double sqnr) {
    if (isfinite(sqnr)) {
        weft_text_add(text, "<td>%.2f", sqnr);
    } else {
        weft_text_add(text, "<td>%s", sqnr > 0 ? "exact" : "noise");
    }
}

static void add_layer(struct weft_text *text, const struct weft_layer_report *layer,
                      size_t number) {
    weft_text_add(text, "<tr><td>%zu<td>", number);
    add_escaped(text, layer->name);
    weft_text_add(text, "<td>%s<td>%.4g<td><svg width=\"%d\" height=\"%d\">", layer->op,
                  layer->observed.low, WIDTH, HEIGHT);
    add_bars(text, layer);
    add_threshold(text, layer, layer->range.low, layer->range.low > layer->observed.low);
    add_threshold(text, layer, layer->range.high, layer->range.high < layer->observed.high);
    weft_text_add(text, "</svg><td>%.4g", layer->observed.high);
    if (layer->is_quantized) {
        weft_text_add(text, "<td>%.4g<td>%d<td>%.3f", layer->scale, (int)layer->zero,
                      100 * layer->clipped);
    } else {
        weft_text_add(text, "<td colspan=\"3\">float: %s", layer->reason);
    }
    add_decibels(text, layer->alone.sqnr);
    add_decibels(text, layer->accumulated.sqnr);
    weft_text_add(text, "<td>%.6f</tr>\n", layer->accumulated.cosine);
}

void quantize_page(const struct weft_quantized *quantized, const char *title,
                   struct weft_text *text) {
    weft_text_add(text, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
    add_escaped(text, title);
    weft_text_add(
        text,
        "</title>\n<style>body{font:14px sans-serif;margin:1em}td,th{padding:2px 8px;"
        "text-align:right;border-bottom:1px solid #ddd}td:nth-child(2),td:nth-child(3)"
        "{text-align:left}svg{fill:#4878a8;stroke:none;background:#f4f4f4}line{stroke:#c03030;"
        "stroke-width:1.5}pre{font-size:13px}</style></head><body>\n<h1>");
    add_escaped(text, title);
    weft_text_add(text, "</h1>\n<p>How the values of each layer are distributed in float, heights "
                        "in logarithms; beyond the red lines its quantised form clips.</p>\n"
                        "<table><tr><th>#<th>tensor<th>operator<th>least<th>values<th>most<th>scale"
                        "<th>zero<th>clipped %%<th>dB alone<th>dB<th>cosine</tr>\n");
    for (size_t i = 0; i < quantized->layer_count; i++) {
        add_layer(text, &quantized->layers[i], i + 1);
    }
    weft_text_add(text, "</table>\n<pre>");
    quantize_outputs(quantized, text);
    weft_text_add(text, "</pre></body></html>\n");
}
