/* Writes TFLite models for tests: the inverse of tflite_file_read(), right or wrong as asked. */
#ifndef WEFT_TESTS_UNIT_MODELS_H
#define WEFT_TESTS_UNIT_MODELS_H

#include "compiler/import/tflite_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes of a model of one subgraph; *length is set, the caller frees them. Indices are written
 * as they are, also those that do not exist. */
uint8_t *model_bytes(const struct tflite_file *file, size_t *length);

#ifdef __cplusplus
}
#endif

#endif
