/* The command line as it was given, for what is written about where figures come from. */
#ifndef WEFT_CLI_COMMAND_LINE_H
#define WEFT_CLI_COMMAND_LINE_H

#include "report/origin.h"

/* Keeps the command line, which must stay: main() calls it before anything else. */
void note_command_line(int argc, char *const *argv);

/* An origin with the words of the command. The options belong to the caller. */
struct origin origin_of_command(const struct weft_session_options *options);

#endif
