#include "cli/dispatch.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/hint.h"
#include "cli/plugins.h"
#include "cli/same_file.h"
#include "cli/streams.h"

static int unknown_command(const char *name) {
    char text[HINT_BYTES];
    struct hint hint = hint_of(name);
    hint_consider(&hint, "help");
    for (const struct command *command = commands; command->name != NULL; command++) {
        hint_consider(&hint, command->name);
    }
    fprintf(stderr, "weft: there is no command '%s'%s; try weft --help\n", name,
            hint_text(&hint, "", text));
    return STATUS_ERROR;
}

/* The command of the first words: of two, as in `weft sweep show`, where there is one "sweep-show".
 * *used: how many they are. */
static const struct command *find_command(int argc, char **argv, int *used) {
    char both[64];
    *used = 2;
    if (argc > 1) {
        (void)snprintf(both, sizeof both, "%s-%s", argv[0], argv[1]);
    }
    const struct command *command = argc > 1 ? command_find(both) : NULL;
    if (command == NULL) {
        *used = 1;
        command = command_find(argv[0]);
    }
    return command;
}

/* weft help [COMMAND] */
static int help(int argc, char **argv) {
    int used = 1;
    const struct command *command = argc < 2 ? NULL : find_command(argc - 1, argv + 1, &used);
    if (argc > 1 + used) {
        return usage_error("help", "unexpected argument '%s'", argv[2]);
    }
    if (argc > 1 && command == NULL) {
        return unknown_command(argv[1]);
    }
    if (command == NULL) {
        help_print_all(stdout);
    } else {
        help_print(stdout, command);
    }
    return STATUS_GOOD;
}

static int run_command(const struct command *command, int argc, char **argv) {
    struct given given;
    struct weft_error error;
    if (!arguments_read(argc, argv, command, &given)) {
        return STATUS_ERROR;
    }
    if (given_count(&given, OPTION_HELP) > 0) {
        help_print(stdout, command);
        return STATUS_GOOD;
    }
    if (!check_files(&given)) {
        return STATUS_ERROR;
    }
    if (writes_output(&given) && !streams_give_output(&error)) {
        return report("standard output", &error);
    }
    int status = plugins_open(&given, &error) ? command->run(&given) : report(NULL, &error);
    plugins_close();
    if (status != STATUS_ERROR) {
        notes_print();
    }
    return status;
}

static bool is_one_of(const char *word, const char *a, const char *b) {
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

int dispatch(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "weft: give a command; try weft --help\n");
        return STATUS_ERROR;
    }
    if (is_one_of(argv[1], "--help", "-h") || strcmp(argv[1], "help") == 0) {
        return help(argc - 1, argv + 1);
    }
    if (is_one_of(argv[1], "--version", "-V")) {
        help_print_version(stdout);
        return STATUS_GOOD;
    }
    int used = 1;
    const struct command *command = find_command(argc - 1, argv + 1, &used);
    return command == NULL ? unknown_command(argv[1])
                           : run_command(command, argc - used, argv + used);
}
