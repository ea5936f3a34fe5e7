/* Small TFLite models for the tests of the importer, and whether they are taken. */
#ifndef WEFT_TESTS_UNIT_SMALL_MODELS_H
#define WEFT_TESTS_UNIT_SMALL_MODELS_H

#include "compiler/import/tflite_file.h"
#include "compiler/ir/ir.h"

/* A tensor [1, 4] of int8 with a scale of 1. */
struct tflite_tensor row(void);

/* The tensor with another shape. */
struct tflite_tensor shaped(struct tflite_tensor tensor, uint32_t rank, const int32_t *shape);

/* An operator with up to two inputs (-2: none) and one output. */
struct tflite_operator operator_of(struct weft_arena *arena, int32_t code, int32_t a, int32_t b,
                                   int32_t output, int32_t table);

/* A model of one operator on tensor 0, which makes tensor 1; tensors 2 and 3 are for its use. */
struct small {
    struct tflite_tensor tensors[4];
    struct tflite_operator op;
    int32_t input, output;
    struct tflite_file file;
};

struct small *small_model(struct weft_arena *arena, int32_t code, int32_t table);

/* Writes the model and imports what was written. */
bool import_file(struct weft_arena *arena, const struct tflite_file *file,
                 struct weft_graph **graph, struct weft_error *error);

/* The model must be refused, with these words in the message. */
void assert_refused(struct weft_arena *arena, const struct tflite_file *file,
                    enum weft_error_code code, const char *words);

/* The model must be taken. */
struct weft_graph *imported(struct weft_arena *arena, const struct tflite_file *file);

#endif
