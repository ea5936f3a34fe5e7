/* Preloaded into weft: each look at the monotonic clock finds it 0.4 s later. */
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *now);

int clock_gettime(clockid_t clock, struct timespec *now) {
    static long tenths;
    (void)clock;
    tenths += 4;
    now->tv_sec = tenths / 10;
    now->tv_nsec = tenths % 10 * 100000000;
    return 0;
}
