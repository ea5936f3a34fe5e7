/* weft tune --hardware: a machine and a schedule together. */
#ifndef WEFT_CLI_TUNE_HARDWARE_H
#define WEFT_CLI_TUNE_HARDWARE_H

#include "cli/tune_arguments.h"

/* The status of the command; prints its own errors. */
int tune_hardware(const struct given *given, const struct tune_arguments *arguments);

#endif
