#include "cli/json_file.h"

#include <stdlib.h>

#include "cli/streams.h"

bool stage_json_file(struct weft_file_batch *batch, const char *path, json_t *root,
                     struct weft_error *error) {
    char *json = root == NULL ? NULL : json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
    json_decref(root);
    if (!json_complete(json, error)) {
        free(json);
        return false;
    }
    struct weft_text text = {0};
    weft_text_add(&text, "%s\n", json);
    free(json);
    bool good =
        weft_text_finish(&text, error) && stream_stage(batch, path, text.bytes, text.length, error);
    weft_text_free(&text);
    return good;
}

bool write_json_file(const char *path, json_t *root, struct weft_error *error) {
    struct weft_file_batch batch = {0};
    if (!stage_json_file(&batch, path, root, error)) {
        weft_file_discard(&batch);
        return false;
    }
    return weft_file_commit(&batch, &path, error);
}
