/* Models of every kind: by what is in the file, not by its name. */
#ifndef WEFT_COMPILER_IMPORT_IMPORT_MODEL_H
#define WEFT_COMPILER_IMPORT_IMPORT_MODEL_H

#include "compiler/import/import.h"

/* Are these the bytes of a model that weft_import() reads: TFLite or ONNX? */
bool weft_is_model(const uint8_t *bytes, size_t length);

/* Are they such of an ONNX model? Its floats are ONNX Runtime's up to the last places; those of
 * TFLite are LiteRT's byte for byte. */
bool weft_is_onnx(const uint8_t *bytes, size_t length);

/* Imports a model, of which kind the bytes say, with the names of its tensors. Errors: those of
 * weft_import_tflite() and weft_import_onnx(); WEFT_ARGUMENT when dimensions are given that the
 * model has not. */
bool weft_import(struct weft_arena *arena, const uint8_t *bytes, size_t length,
                 const struct weft_import_options *options,
                 struct weft_unsupported_list *unsupported, struct weft_graph **graph,
                 struct weft_model_names *names, struct weft_error *error);

/* weft_import() of a model; of a graph in text form weft_graph_read(), which names its tensors
 * itself: *names stays as it is. Errors: those of both; WEFT_ARGUMENT when dimensions are given for
 * a text. */
bool weft_import_or_read(struct weft_arena *arena, const uint8_t *bytes, size_t length,
                         const struct weft_import_options *options,
                         const struct weft_constant_reader *constants,
                         struct weft_unsupported_list *unsupported, struct weft_graph **graph,
                         struct weft_model_names *names, struct weft_error *error);

#endif
