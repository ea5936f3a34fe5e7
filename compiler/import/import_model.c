#include "compiler/import/import_model.h"

#include <string.h>

#include "compiler/import/onnx/wire.h"

/* A TFLite model has its identifier in bytes 4 to 7. */
static bool is_tflite(const uint8_t *bytes, size_t length) {
    return length >= 8 && memcmp(bytes + 4, "TFL3", 4) == 0;
}

bool weft_is_model(const uint8_t *bytes, size_t length) {
    return is_tflite(bytes, length) || onnx_is_model(bytes, length);
}

bool weft_is_onnx(const uint8_t *bytes, size_t length) {
    return !is_tflite(bytes, length) && onnx_begins_model(bytes, length);
}

/* What is no ONNX model says all of its dimensions. */
static bool check_no_dims(const struct weft_import_options *options, struct weft_error *error) {
    return options->dim_count == 0 ||
           weft_fail(error, WEFT_ARGUMENT, 0, "sizes of dimensions by name are for ONNX models");
}

bool weft_import(struct weft_arena *arena, const uint8_t *bytes, size_t length,
                 const struct weft_import_options *options,
                 struct weft_unsupported_list *unsupported, struct weft_graph **graph,
                 struct weft_model_names *names, struct weft_error *error) {
    if (weft_is_onnx(bytes, length)) {
        return weft_import_onnx(arena, bytes, length, options, unsupported, graph, names, error);
    }
    if (!check_no_dims(options, error) ||
        !weft_import_tflite(arena, bytes, length, unsupported, graph, error)) {
        return false;
    }
    weft_tflite_names(arena, bytes, names);
    return true;
}

bool weft_import_or_read(struct weft_arena *arena, const uint8_t *bytes, size_t length,
                         const struct weft_import_options *options,
                         const struct weft_constant_reader *constants,
                         struct weft_unsupported_list *unsupported, struct weft_graph **graph,
                         struct weft_model_names *names, struct weft_error *error) {
    if (weft_is_graph_text(bytes, length)) {
        return check_no_dims(options, error) &&
               weft_graph_read(arena, (const char *)bytes, length, constants, graph, error);
    }
    return weft_import(arena, bytes, length, options, unsupported, graph, names, error);
}
