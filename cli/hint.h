/* What was perhaps meant by a name that there is not. */
#ifndef WEFT_CLI_HINT_H
#define WEFT_CLI_HINT_H

#include <stddef.h>

enum {
    HINT_BYTES = 80
};

/* Of names, the one that is nearest to what was written. */
struct hint {
    const char *written;
    const char *nearest;
    size_t changes;
};

/* Starts with none. `written` must outlive the hint. */
struct hint hint_of(const char *written);

void hint_consider(struct hint *hint, const char *name);

/* "; did you mean PREFIXname?", or "" when no name is near; returns `text`. */
const char *hint_text(const struct hint *hint, const char *prefix, char text[HINT_BYTES]);

#endif
