/* Logs of weft tune: what is read, taken for the digits network on the smallest machine, is refused
 * as such, or comes to decisions that are a program; for a network that it is not of it takes what
 * helps, and never makes it slower, or is refused for values that cannot be. */
#include <stdlib.h>

#include "base/file.h"
#include "compiler/tune/log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void stop_unless(bool good) {
    if (!good) {
        abort();
    }
}

/* The network, compiled once; its constants stay in the bytes of the model. */
static struct weft_module *digits(void) {
    static struct weft_module *module;
    struct weft_error error;
    struct weft_config config;
    const struct weft_compile_options options = {.decisions = NULL};
    static uint8_t *model;
    size_t length = 0;
    if (module == NULL) {
        stop_unless(weft_file_read(WEFT_SOURCE_DIR "/models/digits/digits.tflite", &model, &length,
                                   &error) &&
                    weft_config_find("small8", &config, &error) &&
                    weft_compile(model, length, &config, &options, &module, &error));
    }
    return module;
}

static void take(struct weft_arena *arena, const struct tune_log *log, bool resume) {
    const struct tune_options options = {.jobs = 1};
    struct weft_error error;
    struct tuning *tuning = NULL;
    stop_unless(tuning_open(digits(), &options, &tuning, &error));
    uint64_t before = tuning_cycles(tuning);
    bool good = resume ? tune_log_resume(arena, log, tuning, &error)
                       : tune_log_transfer(arena, log, tuning, &error);
    stop_unless(good ? tuning_cycles(tuning) <= before
                     : error.code == WEFT_DECISIONS || (resume && error.code == WEFT_LIMIT));
    tuning_close(tuning);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct weft_arena arena = {.limit = (size_t)1 << 28};
    struct weft_error error;
    struct tune_log log;
    if (setjmp(arena.on_failure) == 0) {
        if (tune_log_parse(&arena, (const char *)data, size, &log, &error)) {
            take(&arena, &log, true);
            take(&arena, &log, false);
        } else {
            stop_unless(error.code == WEFT_DECISIONS);
        }
    }
    weft_arena_free(&arena);
    return 0;
}
