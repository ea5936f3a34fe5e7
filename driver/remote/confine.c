#include "driver/remote/confine.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/sanitizer.h"

enum {
    MOST_FILES = 64,
    BESIDE_BYTES = 512 << 20, /* that libraries, recordings and stacks take beside the session */
};

static bool limit(int resource, uint64_t most) {
    const struct rlimit given = {.rlim_cur = most, .rlim_max = most};
    struct rlimit had;
    if (getrlimit((__rlimit_resource_t)resource, &had) != 0 ||
        (had.rlim_max != RLIM_INFINITY && had.rlim_max < most)) {
        return true; /* it has less already */
    }
    return setrlimit((__rlimit_resource_t)resource, &given) == 0;
}

/* Bytes of addresses that the process has by now. */
static uint64_t addresses(void) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file != NULL) {
        char line[64] = "";
        (void)fgets(line, sizeof line, file);
        (void)fclose(file);
        for (const char *digit = line; *digit >= '0' && *digit <= '9'; digit++) {
            pages = pages * 10 + (unsigned long)(*digit - '0');
        }
    }
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Closes all files but the first three and two more. */
static bool close_others(int first, int second) {
    int low = first < second ? first : second;
    int high = first < second ? second : first;
    return (low <= 3 || close_range(3, (unsigned)low - 1, 0) == 0) &&
           (high <= low + 1 || close_range((unsigned)low + 1, (unsigned)high - 1, 0) == 0) &&
           close_range((unsigned)high + 1, ~0U, 0) == 0;
}

static void keep_signals_to_itself(void) {
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGTERM, SIG_DFL);
    (void)signal(SIGPIPE, SIG_IGN);
}

/* No file could be opened to ask for the addresses before others were closed: the parent may have
 * had all that there are. */
static bool limit_addresses(uint64_t memory) {
    uint64_t had = addresses();
    return !WEFT_LIMITS_ADDRESSES ||
           (had > 0 &&
            limit(RLIMIT_AS, weft_add_saturated(had, weft_add_saturated(memory, BESIDE_BYTES))));
}

bool confine(pid_t parent, int first, int second, uint64_t memory, uint64_t seconds) {
    keep_signals_to_itself();
    return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
           getppid() == parent && /* it may have gone before */
           prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && close_others(first, second) &&
           limit_addresses(memory) && prctl(PR_SET_DUMPABLE, 0) == 0 && limit(RLIMIT_CORE, 0) &&
           limit(RLIMIT_CPU, seconds) && limit(RLIMIT_NOFILE, MOST_FILES) &&
           limit(RLIMIT_FSIZE, memory);
}

void confine_threads(void) {
    (void)limit(RLIMIT_NPROC, 0);
}
