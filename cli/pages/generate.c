/* Writes manual pages and completion, which docs/man and completions/ hold, to standard output.
 *
 * usage: weft_pages man [COMMAND]
 *        weft_pages bash
 *        weft_pages zsh
 */
#include <string.h>

#include "cli/commands.h"
#include "cli/pages/pages.h"

int main(int argc, char **argv) {
    const char *kind = argc < 2 ? "" : argv[1];
    const struct command *command = argc < 3 ? NULL : command_find(argv[2]);
    if (strcmp(kind, "man") == 0 && argc == 2) {
        write_manual(stdout);
    } else if (strcmp(kind, "man") == 0 && command != NULL) {
        write_manual_of(stdout, command);
    } else if (strcmp(kind, "bash") == 0) {
        write_bash(stdout);
    } else if (strcmp(kind, "zsh") == 0) {
        write_zsh(stdout);
    } else {
        fprintf(stderr, "usage: weft_pages man [COMMAND] | bash | zsh\n");
        return 2;
    }
    return fflush(stdout) != 0 || ferror(stdout) != 0 ? 1 : 0;
}
