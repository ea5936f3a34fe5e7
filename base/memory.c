#include "base/memory.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/checked.h"
#include "base/limit.h"

bool weft_no_memory(struct weft_error *error, const char *what) {
    return weft_fail(error, WEFT_OUT_OF_MEMORY, 0, "no memory for %s", what);
}

bool weft_limit_passed(struct weft_error *error, const char *what, uint64_t asked, uint64_t limit) {
    return weft_fail(error, WEFT_LIMIT, 0,
                     "%s needs %llu bytes of memory, at most %llu are allowed (--memory-limit)",
                     what, (unsigned long long)asked, (unsigned long long)limit);
}

bool weft_limit_asked(const char *what, uint64_t asked, uint64_t given, uint64_t standard,
                      const char *option, struct weft_error *error) {
    uint64_t most = given == 0 ? standard : given;
    return asked <= most ||
           weft_fail(error, WEFT_LIMIT, 0,
                     "%s %" PRIu64 ", more than the limit of %" PRIu64 " (--%s raises it)", what,
                     asked, most, option);
}

static bool no_memory_of(struct weft_error *error, const char *what, size_t count, size_t size) {
    char sized[200];
    (void)snprintf(sized, sizeof sized, "%.100s (%zu x %zu bytes)", what, count, size);
    return weft_no_memory(error, sized);
}

void *weft_allocate(size_t count, size_t size, const char *what, struct weft_error *error) {
    size_t bytes = 0;
    void *memory = NULL;
    /* PTRDIFF_MAX: the largest object that pointers into it can be subtracted in. */
    if (weft_mul_size(count, size, &bytes) && bytes <= PTRDIFF_MAX) {
        memory = calloc(bytes == 0 ? 1 : bytes, 1);
    }
    if (memory == NULL) {
        no_memory_of(error, what, count, size);
    }
    return memory;
}

bool weft_reserve(void **array, size_t *capacity, size_t needed, size_t size, const char *what,
                  struct weft_error *error) {
    if (needed <= *capacity) {
        return true;
    }
    size_t grown = *capacity < 16 ? 16 : *capacity + *capacity / 2;
    if (grown < needed) {
        grown = needed;
    }
    size_t bytes = 0;
    void *moved = NULL;
    if (weft_mul_size(grown, size, &bytes) && bytes <= PTRDIFF_MAX) {
        moved = realloc(*array, bytes);
    }
    if (moved == NULL) {
        return no_memory_of(error, what, grown, size);
    }
    *array = moved;
    *capacity = grown;
    return true;
}
