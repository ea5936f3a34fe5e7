/* How much memory things from outside may take. */
#ifndef WEFT_BASE_LIMIT_H
#define WEFT_BASE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Bytes that a model, a container, a picture or a trace may unpack to in all, where the caller
 * gives no other limit: 1 GiB. The file itself comes on top. */
#define WEFT_MEMORY_LIMIT (UINT64_C(1) << 30)

/* The limit that a caller gives, of which 0 means the default. */
static inline uint64_t weft_memory_limit(uint64_t given) {
    return given == 0 ? WEFT_MEMORY_LIMIT : given;
}

/* Fills *error with WEFT_LIMIT: `what` would bring the memory in use to `asked` bytes. Returns
 * false. */
bool weft_limit_passed(struct weft_error *error, const char *what, uint64_t asked, uint64_t limit);

/* Is `asked` inside the limit that is given (0: inside the standard one)? `what` ends with a colon,
 * `option` is what raises the limit on the command line. Error: WEFT_LIMIT. */
bool weft_limit_asked(const char *what, uint64_t asked, uint64_t given, uint64_t standard,
                      const char *option, struct weft_error *error);

#endif
