/* weft run of an assembled program. */
#ifndef WEFT_CLI_RUN_PROGRAM_H
#define WEFT_CLI_RUN_PROGRAM_H

#include "cli/operand.h"
#include "report/origin.h"

struct program_run {
    const struct given *given;
    const struct operand *operand;
    const struct open_options *open;
    const struct weft_session_options *options;
    const struct origin *origin;
    const char *target;
    const char *json; /* NULL: none */
};

/* Runs it, prints what it did, and writes the files. Returns the exit status; prints its own
 * errors. */
int run_assembled_program(const struct program_run *run);

#endif
