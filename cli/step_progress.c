#include "cli/step_progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

void step_progress(void *context, const char *step, size_t done, size_t count) {
    static double shown;
    struct timespec now;
    const double pause = 0.1;
    (void)context;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    double seconds = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
    if (isatty(STDERR_FILENO) != 0 && seconds > shown + pause) {
        shown = seconds;
        fprintf(stderr, "\r\033[K%s: %zu of %zu", step, done, count);
    }
}

void step_progress_end(void) {
    if (isatty(STDERR_FILENO) != 0) {
        fprintf(stderr, "\r\033[K");
    }
}
