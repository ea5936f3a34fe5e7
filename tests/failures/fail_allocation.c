/* Preloaded into a program (LD_PRELOAD): lets its calls for memory fail on demand.
 *
 *     WEFT_FAIL_AT=N      the N-th call fails, counted from 1 from the start of the process
 *     WEFT_FAIL_FROM=N    that call and every later one
 *     WEFT_FAIL_COUNT=F   the file F receives the number of calls at the end
 *
 * Calls are malloc, calloc, realloc, aligned_alloc and posix_memalign, and with them the library's
 * own and operator new. Programs that it starts have all memory that they want: one of SystemC ends
 * itself where it has not. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What stands behind malloc in the GNU C library; looking it up would call for memory itself. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static struct {
    int is_read; /* the environment */
    unsigned long at, from;
    unsigned long calls;
} plan;

/* By hand: strtoul() could look at the locale. */
static unsigned long number_of(const char *name) {
    const char *text = getenv(name);
    unsigned long number = 0;
    for (; text != NULL && *text >= '0' && *text <= '9'; text++) {
        number = number * 10 + (unsigned long)(*text - '0');
    }
    return number;
}

static int fails(void) {
    if (!plan.is_read) {
        plan.is_read = 1;
        plan.at = number_of("WEFT_FAIL_AT");
        plan.from = number_of("WEFT_FAIL_FROM");
        (void)unsetenv("WEFT_FAIL_AT");
        (void)unsetenv("WEFT_FAIL_FROM");
    }
    unsigned long call = __atomic_add_fetch(&plan.calls, 1, __ATOMIC_RELAXED);
    if (call == plan.at || (plan.from != 0 && call >= plan.from)) {
        errno = ENOMEM;
        return 1;
    }
    return 0;
}

void *malloc(size_t size) {
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return fails() ? NULL : __libc_calloc(count, size);
}

/* To nothing, or to less: a call that fails would be strange, but is allowed. */
void *realloc(void *memory, size_t size) {
    return fails() ? NULL : __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    void *found = fails() ? NULL : __libc_memalign(alignment, size);
    if (found == NULL) {
        return ENOMEM;
    }
    *memory = found;
    return 0;
}

__attribute__((destructor)) static void write_count(void) {
    const char *path = getenv("WEFT_FAIL_COUNT");
    unsigned long calls = plan.calls;
    char text[32];
    if (path == NULL) {
        return;
    }
    int length = snprintf(text, sizeof text, "%lu\n", calls);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file >= 0) {
        ssize_t written = write(file, text, (size_t)length);
        (void)written;
        (void)close(file);
    }
}
