/* Decisions of schedules: what is read must print to text that reads to the same; and taken for the
 * digits network on the smallest machine, it is refused as such or makes a program that verifies.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "compiler/module.h"
#include "compiler/schedule/saved.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void stop_unless(bool good) {
    if (!good) {
        abort();
    }
}

/* The network, read once. */
static const uint8_t *digits(size_t *length) {
    static uint8_t *model;
    static size_t model_length;
    struct weft_error error;
    if (model == NULL) {
        stop_unless(weft_file_read(WEFT_SOURCE_DIR "/models/digits/digits.tflite", &model,
                                   &model_length, &error));
    }
    *length = model_length;
    return model;
}

static bool round_trip(struct weft_arena *arena, const uint8_t *data, size_t size,
                       struct weft_text *first, struct weft_text *second) {
    struct weft_error error;
    struct saved_file file;
    if (!saved_parse(arena, (const char *)data, size, &file, &error)) {
        stop_unless(error.code == WEFT_DECISIONS);
        return false;
    }
    saved_print(first, &file);
    stop_unless(weft_text_finish(first, &error) &&
                saved_parse(arena, first->bytes, first->length, &file, &error));
    saved_print(second, &file);
    stop_unless(weft_text_finish(second, &error) && strcmp(first->bytes, second->bytes) == 0);
    return true;
}

static void take(const uint8_t *data, size_t size) {
    struct weft_error error;
    struct weft_config config;
    struct weft_module *module = NULL;
    const struct weft_compile_options options = {.decisions = (const char *)data,
                                                 .decisions_length = size};
    size_t length = 0;
    const uint8_t *model = digits(&length);
    stop_unless(weft_config_find("small8", &config, &error));
    stop_unless(weft_compile(model, length, &config, &options, &module, &error) ||
                error.code == WEFT_DECISIONS || error.code == WEFT_LIMIT);
    weft_module_free(module);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct weft_arena arena = {.limit = (size_t)1 << 28};
    struct weft_text first = {0};
    struct weft_text second = {0};
    if (setjmp(arena.on_failure) == 0 && round_trip(&arena, data, size, &first, &second)) {
        take(data, size);
    }
    weft_text_free(&first);
    weft_text_free(&second);
    weft_arena_free(&arena);
    return 0;
}
