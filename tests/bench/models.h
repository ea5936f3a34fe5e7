/* The models of the benchmark. */
#ifndef WEFT_TESTS_BENCH_MODELS_H
#define WEFT_TESTS_BENCH_MODELS_H

#include <stddef.h>
#include <stdint.h>

/* NAME.tflite from the first of `folders`, which end with NULL, that has it; NULL when none has.
 * Freed by the caller. */
uint8_t *read_model(const char *name, char *const *folders, size_t *length);

#endif
