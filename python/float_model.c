#include "python/float_model.h"

#include <stdlib.h>

#include "base/limit.h"
#include "base/memory.h"
#include "compiler/import/import_model.h"

struct float_model {
    struct weft_arena arena;
    struct weft_graph *graph;
    struct weft_model_names names;
    struct weft_quantized *quantized;
};

static bool read_graph(struct float_model *model, const uint8_t *bytes, size_t length,
                       const struct weft_import_options *options,
                       const struct weft_constant_reader *constants, struct weft_error *error) {
    if (setjmp(model->arena.on_failure) != 0) {
        return weft_arena_failed(&model->arena, error);
    }
    return weft_import_or_read(&model->arena, bytes, length, options, constants, NULL,
                               &model->graph, &model->names, error);
}

bool float_model_open(const uint8_t *bytes, size_t length,
                      const struct weft_import_options *options,
                      const struct weft_constant_reader *constants, uint64_t memory_limit,
                      struct float_model **model, struct weft_error *error) {
    struct float_model *made = weft_allocate(1, sizeof *made, "a model", error);
    if (made == NULL) {
        return false;
    }
    made->arena.limit = (size_t)weft_memory_limit(memory_limit);
    if (!read_graph(made, bytes, length, options, constants, error)) {
        float_model_close(made);
        return false;
    }
    *model = made;
    return true;
}

const struct weft_graph *float_model_graph(const struct float_model *model) {
    return model->graph;
}

bool float_model_quantize(struct float_model *model, const struct weft_quantize_options *options,
                          struct weft_error *error) {
    if (setjmp(model->arena.on_failure) != 0) {
        return weft_arena_failed(&model->arena, error);
    }
    return weft_quantize(&model->arena, model->graph, &model->names, options, &model->quantized,
                         error);
}

const struct weft_quantized *float_model_quantized(const struct float_model *model) {
    return model->quantized;
}

bool float_model_text(struct float_model *model, struct weft_text *text, struct weft_error *error) {
    if (setjmp(model->arena.on_failure) != 0) {
        return weft_arena_failed(&model->arena, error);
    }
    weft_graph_write(model->quantized->graph, text);
    return weft_text_finish(text, error);
}

bool float_model_onnx(struct float_model *model, uint8_t **bytes, size_t *length,
                      struct weft_error *error) {
    if (setjmp(model->arena.on_failure) != 0) {
        return weft_arena_failed(&model->arena, error);
    }
    return weft_quantized_onnx(model->quantized, bytes, length, error);
}

void float_model_close(struct float_model *model) {
    if (model != NULL) {
        weft_arena_free(&model->arena);
        free(model);
    }
}
