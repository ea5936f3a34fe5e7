#include "cli/use_log.h"

#include <stdlib.h>

#include "base/file.h"
#include "cli/log_file.h"

static bool take_log(struct weft_arena *arena, const char *text, size_t length, uint32_t effort,
                     struct weft_module *module, struct tuning *tuning, struct weft_error *error) {
    struct tune_log log;
    if (setjmp(arena->on_failure)) {
        return weft_arena_failed(arena, error);
    }
    if (!tune_log_parse(arena, text, length, &log, error)) {
        return false;
    }
    const struct tune_log_head head = tune_log_head_of(arena, module, "", 0, effort);
    return tune_log_is_of(&log, &head) ? tune_log_resume(arena, &log, tuning, error)
                                       : tune_log_transfer(arena, &log, tuning, error);
}

bool decisions_of_log(struct weft_module *module, const char *path, uint32_t effort,
                      struct weft_text *decisions, struct weft_error *error) {
    const struct tune_options options = {.jobs = 1};
    struct tuning *tuning = NULL;
    struct weft_arena arena = {0};
    uint8_t *bytes = NULL;
    size_t length = 0;
    bool good = weft_file_read(path, &bytes, &length, error) &&
                tuning_open(module, &options, &tuning, error) &&
                take_log(&arena, (const char *)bytes, length, effort, module, tuning, error) &&
                tuning_decisions(tuning, decisions, error);
    tuning_close(tuning);
    weft_arena_free(&arena);
    free(bytes);
    return good;
}
