#include "compiler/source.h"

#include <string.h>

#include "base/hash.h"
#include "base/limit.h"
#include "compiler/import/import_model.h"
#include "compiler/partition/partition.h"

/* A copy of a graph of another arena, which lives on. */
static struct weft_graph *adopt(struct weft_arena *arena, const struct weft_graph *graph) {
    struct weft_copy copy = weft_copy_start_in(arena, graph);
    for (size_t i = 0; i < graph->node_count; i++) {
        weft_copy_node(&copy, graph->nodes[i]);
    }
    return weft_copy_finish(&copy);
}

/* Reads constants that a text has in files, which belong to the model as its own bytes do. */
struct hashing {
    const struct weft_constant_reader *reader;
    uint64_t *fingerprint;
};

static bool read_hashed(void *context, const char *path, const struct weft_type *type,
                        uint8_t *bytes, struct weft_error *error) {
    const struct hashing *hashing = context;
    if (!hashing->reader->read(hashing->reader->context, path, type, bytes, error)) {
        return false;
    }
    *hashing->fingerprint = weft_hash_bytes(*hashing->fingerprint, bytes, weft_type_bytes(type));
    return true;
}

/* What a pass left as text is as good as what it began with: whom it gave operators to is found
 * again. */
static bool read_file(struct weft_arena *arena, struct source *source,
                      const struct weft_compile_options *options, struct weft_graph **graph,
                      struct weft_error *error) {
    struct weft_unsupported_list list = {0, NULL};
    struct hashing hashing = {options->constants, &source->fingerprint};
    const struct weft_constant_reader reader = {read_hashed, &hashing};
    struct weft_import_options import = options->import;
    import.fingerprint = &source->fingerprint;
    source->fingerprint = weft_fingerprint(source->bytes, source->length);
    bool good = weft_import_or_read(arena, source->bytes, source->length, &import,
                                    options->constants == NULL ? NULL : &reader, &list, graph,
                                    &source->names, error);
    if (good && weft_is_graph_text(source->bytes, source->length)) {
        *graph = weft_open_bodies(*graph);
    }
    for (size_t i = 0; options->unsupported != NULL && i < list.count; i++) {
        options->unsupported(options->context, &list.kinds[i]);
    }
    return good;
}

bool source_read(struct weft_arena *arena, struct source *source,
                 const struct weft_compile_options *options, struct weft_graph **graph,
                 struct weft_error *error) {
    if (source->graph == NULL) {
        return read_file(arena, source, options, graph, error);
    }
    if (!weft_graph_verify(source->graph, error)) {
        return false;
    }
    *graph = adopt(arena, source->graph);
    return true;
}

/* May the model have elements in files beside it? Where ONNX has them it says their "location". */
static bool may_have_files(const uint8_t *bytes, size_t length) {
    static const char key[] = "location";
    const uint8_t *at = bytes;
    const uint8_t *end = bytes + length;
    if (weft_is_graph_text(bytes, length)) {
        return true;
    }
    while (weft_is_onnx(bytes, length) && (size_t)(end - at) >= strlen(key)) {
        at = memchr(at, key[0], (size_t)(end - at) - strlen(key) + 1);
        if (at == NULL) {
            return false;
        }
        if (memcmp(at, key, strlen(key)) == 0) {
            return true;
        }
        at++;
    }
    return false;
}

/* What is read only to be hashed. */
struct fingerprinting {
    struct source source;
    struct weft_compile_options options;
};

static bool read_for_files(struct weft_arena *arena, void *context, struct weft_error *error) {
    struct fingerprinting *f = context;
    struct weft_graph *graph = NULL;
    return source_read(arena, &f->source, &f->options, &graph, error);
}

uint64_t weft_model_fingerprint(const uint8_t *bytes, size_t length,
                                const struct weft_compile_options *options) {
    struct weft_arena arena = {.limit = (size_t)weft_memory_limit(options->bytes)};
    struct weft_error error; /* which the compilation says */
    struct fingerprinting f = {.source = {.bytes = bytes, .length = length}, .options = *options};
    f.options.unsupported = NULL;
    bool good = may_have_files(bytes, length) && weft_arena_do(&arena, read_for_files, &f, &error);
    weft_arena_free(&arena);
    return good ? f.source.fingerprint : weft_fingerprint(bytes, length);
}
