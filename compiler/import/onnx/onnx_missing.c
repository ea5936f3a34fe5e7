/* In place of the reader, in builds without protobuf-c. */
#include "compiler/import/import.h"

bool weft_import_onnx(struct weft_arena *arena, const uint8_t *bytes, size_t length,
                      const struct weft_import_options *options,
                      struct weft_unsupported_list *unsupported, struct weft_graph **graph,
                      struct weft_model_names *names, struct weft_error *error) {
    (void)arena;
    (void)bytes;
    (void)length;
    (void)options;
    (void)graph;
    (void)names;
    if (unsupported != NULL) {
        *unsupported = (struct weft_unsupported_list){0, NULL};
    }
    return weft_fail(error, WEFT_TARGET, 0,
                     "this build can not read ONNX: scripts/setup installs libprotobuf-c-dev, "
                     "protobuf-c-compiler and libonnx-dev");
}
