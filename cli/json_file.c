#include "cli/json_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/limit.h"
#include "base/memory.h"
#include "cli/streams.h"

static _Thread_local bool json_lacks; /* something since json_begin() */
static _Thread_local uint64_t json_used;
static _Thread_local uint64_t json_limit; /* bytes, of all that is allocated, freed or not */

static void *json_allocate(size_t length) {
    enum {
        OVERHEAD = 16 /* of the C library for a block */
    };
    json_used = weft_add_saturated(json_used, length + OVERHEAD);
    void *memory = json_used > json_limit ? NULL : malloc(length);
    json_lacks = json_lacks || memory == NULL;
    return memory;
}

void json_begin(const struct weft_module *module, uint64_t memory) {
    uint64_t limit = weft_memory_limit(module == NULL ? 0 : module->arena.limit);
    json_lacks = false;
    json_used = 0;
    json_limit = limit > memory ? limit - memory : 0;
    json_set_alloc_funcs(json_allocate, free);
}

bool json_complete(const void *made, struct weft_error *error) {
    if (json_used > json_limit) {
        return weft_limit_passed(error, "JSON", json_used, json_limit);
    }
    return (made != NULL && !json_lacks) || weft_no_memory(error, "JSON");
}

void json_note(const void *made) {
    json_lacks = json_lacks || made == NULL;
}

json_t *text_json(const char *text) {
    json_t *json = json_string(text);
    char *copy = json == NULL ? strdup(text) : NULL;
    for (char *at = copy; at != NULL && *at != '\0'; at++) {
        *at = (char)((unsigned char)*at < 0x80 ? *at : '?');
    }
    if (copy != NULL) {
        json = json_string(copy);
        free(copy);
    }
    return json;
}

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
