#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

#define FIRST_SHOWN 1.0 /* seconds after the start */
#define PAUSE       0.1 /* between two lines */

static void show(void *context, const struct weft_compile_progress *now) {
    struct progress *progress = context;
    double seconds = weft_clock_seconds();
    if (seconds < progress->started + FIRST_SHOWN || seconds < progress->shown + PAUSE) {
        return;
    }
    progress->shown = seconds;
    progress->visible = true;
    if (now->pass != NULL) {
        fprintf(stderr, "\r\033[Kcompiling, %.0f s: pass %s", seconds - progress->started,
                now->pass);
    } else {
        fprintf(stderr,
                "\r\033[Kcompiling, %.0f s: region %" PRIu32 " of %" PRIu32 ", tried %zu schedules",
                seconds - progress->started, now->region + 1, now->regions, now->tried);
    }
}

void progress_start(struct progress *progress, struct weft_compile_options *options) {
    *progress = (struct progress){.started = weft_clock_seconds()};
    if (isatty(STDERR_FILENO) != 0) {
        options->progress = show;
        options->progress_context = progress;
    }
}

void progress_end(struct progress *progress) {
    if (progress->visible) {
        fprintf(stderr, "\r\033[K");
    }
    progress->visible = false;
}
