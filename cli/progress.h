/* A line on the terminal while a compilation takes long. */
#ifndef WEFT_CLI_PROGRESS_H
#define WEFT_CLI_PROGRESS_H

#include "compiler/module.h"

struct progress {
    double started, shown; /* seconds */
    bool visible;
};

/* Lets the compilation show how far it is, from its second second on, where standard error is a
 * terminal. *progress must live until progress_end(). */
void progress_start(struct progress *progress, struct weft_compile_options *options);

/* Removes the line, if there is one. */
void progress_end(struct progress *progress);

#endif
