/* A line on the terminal while work over many samples takes long. */
#ifndef WEFT_CLI_STEP_PROGRESS_H
#define WEFT_CLI_STEP_PROGRESS_H

#include <stddef.h>

/* Shows "STEP: DONE of COUNT", a few times a second, where standard error is a terminal; one call
 * at a time. `context` is not used. */
void step_progress(void *context, const char *step, size_t done, size_t count);

/* Removes the line again. */
void step_progress_end(void);

#endif
