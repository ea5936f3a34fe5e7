#include "cli/command_line.h"

static struct {
    int count;
    char *const *words;
} command_line;

void note_command_line(int argc, char *const *argv) {
    command_line.count = argc;
    command_line.words = argv;
}

struct origin origin_of_command(const struct weft_session_options *options) {
    return (struct origin){
        .options = options, .word_count = command_line.count, .words = command_line.words};
}
