/* What weft quantize says about a model that it has quantised. */
#ifndef WEFT_CLI_QUANTIZE_REPORT_H
#define WEFT_CLI_QUANTIZE_REPORT_H

#include <jansson.h>

#include "base/text.h"
#include "compiler/quantize/quantize.h"

/* Appends a table of the layers, and what becomes of the outputs. */
void quantize_table(const struct weft_quantized *quantized, struct weft_text *text);

/* Appends the lines about the outputs, the end of the table. */
void quantize_outputs(const struct weft_quantized *quantized, struct weft_text *text);

/* Appends a page of HTML with pictures of histograms and of what is clipped. */
void quantize_page(const struct weft_quantized *quantized, const char *title,
                   struct weft_text *text);

/* The table and the lines as JSON, with histograms; after json_begin(). */
json_t *quantize_json(const struct weft_quantized *quantized, const char *calibration);

#endif
