/* ONNX models: read. The compiler behind it has a fuzzer of its own (fuzz_graph.c). */
#include "compiler/import/import_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct weft_error error;
    struct weft_graph *graph = NULL;
    struct weft_model_names names;
    struct weft_unsupported_list list;
    const struct weft_import_options options = {.dim_count = 1, .dims = &(struct weft_dim){"N", 2}};
    struct weft_arena arena = {.limit = (size_t)1 << 26};
    if (setjmp(arena.on_failure) == 0) {
        (void)weft_is_model(data, size);
        (void)weft_import_onnx(&arena, data, size, &options, &list, &graph, &names, &error);
    }
    weft_arena_free(&arena);
    return 0;
}
