#include "compiler/schedule/log.h"

#include <string.h>

void search_note(struct search_log *log, int layer, const char *what, uint64_t cycles,
                 uint64_t best) {
    if (log == NULL || log->failed) {
        return;
    }
    if (setjmp(log->arena->on_failure)) {
        log->failed = true;
        return;
    }
    const struct saved_try try = {.layer = layer,
                                  .what = weft_arena_string(log->arena, what, strlen(what)),
                                  .cycles = (int64_t)cycles,
                                  .best = (int64_t)best,
                                  .won = cycles > 0 && (best == 0 || cycles < best)};
    log->tries =
        weft_arena_grow(log->arena, log->tries, log->count, &log->capacity, sizeof *log->tries);
    log->tries[log->count++] = try;
    if (log->tell != NULL) {
        log->tell(log->context, log->count);
    }
}

void search_forget_layers(struct search_log *log, size_t first, size_t end) {
    if (log == NULL) {
        return;
    }
    size_t kept = first;
    for (size_t i = first; i < log->count; i++) {
        if (i >= end || log->tries[i].layer < 0) {
            log->tries[kept++] = log->tries[i];
        }
    }
    log->count = kept;
}

void search_renumber_layers(struct search_log *log, size_t first, const int *to) {
    for (size_t i = first; log != NULL && i < log->count; i++) {
        int64_t *layer = &log->tries[i].layer;
        *layer = *layer < 0 ? *layer : to[*layer];
    }
}
