/* Small TFLite models for the tests of the importer. */
#include "tests/unit/small_models.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/import/import.h"
#include "tests/unit/graphs.h"
#include "tests/unit/models.h"

static const float one[] = {1.0F};
static const int64_t none[] = {0};

struct tflite_tensor row(void) {
    static const int32_t shape[] = {1, 4};
    return (struct tflite_tensor){.type = TFLITE_INT8,
                                  .rank = 2,
                                  .shape = shape,
                                  .scale_count = 1,
                                  .scale = one,
                                  .zero_count = 1,
                                  .zero = none};
}

struct tflite_tensor shaped(struct tflite_tensor tensor, uint32_t rank, const int32_t *shape) {
    tensor.rank = rank;
    tensor.shape = shape;
    return tensor;
}

struct tflite_operator operator_of(struct weft_arena *arena, int32_t code, int32_t a, int32_t b,
                                   int32_t output, int32_t table) {
    int32_t *indices = WEFT_NEW_ARRAY(arena, 3, int32_t);
    indices[0] = a;
    indices[1] = b;
    indices[2] = output;
    return (struct tflite_operator){.code = code,
                                    .version = 7,
                                    .input_count = b == -2 ? 1 : 2,
                                    .inputs = indices,
                                    .output_count = 1,
                                    .outputs = indices + 2,
                                    .options = {.table = table}};
}

bool import_file(struct weft_arena *arena, const struct tflite_file *file,
                 struct weft_graph **graph, struct weft_error *error) {
    size_t length = 0;
    uint8_t *bytes = model_bytes(file, &length);
    uint8_t *copy = WEFT_NEW_ARRAY(arena, length, uint8_t); /* lives as long as the graph */
    memcpy(copy, bytes, length);
    free(bytes);
    return weft_import_tflite(arena, copy, length, NULL, graph, error);
}

void assert_refused(struct weft_arena *arena, const struct tflite_file *file,
                    enum weft_error_code code, const char *words) {
    struct weft_graph *graph = NULL;
    struct weft_error error = {0};
    bool good = import_file(arena, file, &graph, &error);
    if (good || error.code != code || strstr(error.message, words) == NULL) {
        print_error("expected %s: '%s', got %s: %s\n", weft_error_name(code), words,
                    good ? "no error" : weft_error_name(error.code), error.message);
        fail();
    }
}

struct weft_graph *imported(struct weft_arena *arena, const struct tflite_file *file) {
    struct weft_graph *graph = NULL;
    struct weft_error error = {0};
    ASSERT_GOOD(import_file(arena, file, &graph, &error), error);
    return graph;
}

struct small *small_model(struct weft_arena *arena, int32_t code, int32_t table) {
    struct small *small = WEFT_NEW(arena, struct small);
    for (int i = 0; i < 4; i++) {
        small->tensors[i] = row();
    }
    small->op = operator_of(arena, code, 0, -2, 1, table);
    small->output = 1;
    small->file = (struct tflite_file){.tensor_count = 4,
                                       .tensors = small->tensors,
                                       .operator_count = 1,
                                       .operators = &small->op,
                                       .input_count = 1,
                                       .inputs = &small->input,
                                       .output_count = 1,
                                       .outputs = &small->output};
    return small;
}
