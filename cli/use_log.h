/* weft compile --use-log */
#ifndef WEFT_CLI_USE_LOG_H
#define WEFT_CLI_USE_LOG_H

#include "compiler/module.h"

/* Decisions for a module, which was compiled without any, from a log of weft tune. Errors: those of
 * reading the log, of tune_log_resume() and of tune_log_transfer(). */
bool decisions_of_log(struct weft_module *module, const char *path, uint32_t effort,
                      struct weft_text *decisions, struct weft_error *error);

#endif
