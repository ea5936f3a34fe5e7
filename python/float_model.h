/* A float model that is quantised. C, since what runs out of memory here leaves by longjmp(), which
 * must not pass frames of C++. */
#ifndef WEFT_PYTHON_FLOAT_MODEL_H
#define WEFT_PYTHON_FLOAT_MODEL_H

#include "compiler/import/import.h"
#include "compiler/quantize/quantize.h"

#ifdef __cplusplus
extern "C" {
#endif

struct float_model;

/* Reads a model of TFLite or ONNX, or a graph in text form, whose constants `constants` reads;
 * NULL: it has none in files. `bytes` must outlive it. Errors: those of
 * weft_import_or_read(). */
bool float_model_open(const uint8_t *bytes, size_t length,
                      const struct weft_import_options *options,
                      const struct weft_constant_reader *constants, uint64_t memory_limit,
                      struct float_model **model, struct weft_error *error);

const struct weft_graph *float_model_graph(const struct float_model *model);

/* Once. Errors: those of weft_quantize(). */
bool float_model_quantize(struct float_model *model, const struct weft_quantize_options *options,
                          struct weft_error *error);

/* NULL: it is not quantised yet. */
const struct weft_quantized *float_model_quantized(const struct float_model *model);

/* The quantised graph as text; released by the caller. */
bool float_model_text(struct float_model *model, struct weft_text *text, struct weft_error *error);

/* The quantised model as ONNX; *bytes is freed by the caller. Errors: weft_quantized_onnx(). */
bool float_model_onnx(struct float_model *model, uint8_t **bytes, size_t *length,
                      struct weft_error *error);

void float_model_close(struct float_model *model);

#ifdef __cplusplus
}
#endif

#endif
