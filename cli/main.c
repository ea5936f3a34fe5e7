/* The command `weft`. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/command_line.h"
#include "cli/dispatch.h"
#include "cli/streams.h"

int main(int argc, char **argv) {
    note_command_line(argc, argv);
    streams_open();
    int status = dispatch(argc, argv);
    /* What was printed is part of what was asked for. */
    if ((fflush(stdout) != 0 || ferror(stdout) != 0) && status == STATUS_GOOD) {
        fprintf(stderr, "weft: standard output: could not be written\n");
        return STATUS_ERROR;
    }
    return status;
}
