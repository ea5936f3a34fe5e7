/* What weft tune was given. */
#ifndef WEFT_CLI_TUNE_ARGUMENTS_H
#define WEFT_CLI_TUNE_ARGUMENTS_H

#include "cli/cli.h"
#include "compiler/tune/tune.h"

struct tune_arguments {
    const char *model, *out, *decisions, *log;
    bool hardware;
    struct open_options open;
    struct tune_options options;
    uint64_t most;    /* schedules that are tried, unless a time is given */
    uint64_t seconds; /* 0: none is */
    uint32_t slurm;   /* tasks; 0: this process alone */
};

/* Reads them, or prints what is wrong with them. */
bool tune_arguments_read(const struct given *given, struct tune_arguments *arguments);

#endif
