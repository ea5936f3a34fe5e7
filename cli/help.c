#include "cli/help.h"
#include "cli/builtin.h"

#include <inttypes.h>
#include <string.h>

#include "base/version.h"
#include "cli/commands.h"
#include "compiler/module.h"

enum {
    WIDTH = 96,
    INDENT = 8,
    MOST_NAMES = 64
};

/* Prints words in lines of at most WIDTH, each `indent` spaces from the left. */
static void print_wrapped(FILE *out, int indent, const char *text) {
    int column = 0;
    while (*text != '\0') {
        int length = (int)strcspn(text, " ");
        if (column == 0) {
            fprintf(out, "%*s", indent, "");
            column = indent;
        } else if (column + 1 + length > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

static void print_option(FILE *out, const struct option *option) {
    const char *names[MOST_NAMES];
    size_t count = value_names(option->kind, names, MOST_NAMES);
    fprintf(out, "    ");
    if (option->letter != 0) {
        fprintf(out, "-%c, ", option->letter);
    }
    fprintf(out, "--%s%s%s\n", option->name, option->value == NULL ? "" : " ",
            option->value == NULL ? "" : option->value);
    print_wrapped(out, INDENT, option->help);
    char list[1024] = "one of ";
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s", names[i],
                       i + 1 < count ? ", " : "");
    }
    if (value_is_named(option->kind)) {
        strncat(list, ", or a JSON file", sizeof list - strlen(list) - 1);
    }
    if (count > 0) {
        print_wrapped(out, INDENT, list);
    }
}

void help_print(FILE *out, const struct command *command) {
    fprintf(out, "usage: weft %s [OPTION]...%s%s", command->name,
            command->operand == NULL ? "" : " ", command->operand == NULL ? "" : command->operand);
    fprintf(out, command->second == NULL ? "\n\n" : " [%s]\n\n", command->second);
    print_wrapped(out, 0, command->description);
    if (command->operand != NULL) {
        fprintf(out, "\n    %s\n", command->operand);
        print_wrapped(out, INDENT, command->operand_help);
    }
    if (command->second != NULL) {
        fprintf(out, "    %s\n", command->second);
        print_wrapped(out, INDENT, command->second_help);
    }
    fprintf(out, "\n");
    for (size_t i = 0; command->options[i] != OPTION_HELP; i++) {
        print_option(out, &option_list[command->options[i]]);
    }
    print_option(out, &option_list[OPTION_HELP]);
    fprintf(out, "\n");
    for (size_t i = 0; command->examples[i] != NULL; i++) {
        fprintf(out, "    %s\n", command->examples[i]);
    }
}

void help_print_all(FILE *out) {
    const char *names[MOST_NAMES];
    size_t count = value_names(VALUE_CONFIG, names, MOST_NAMES);
    fprintf(out, "usage: weft COMMAND ...\n\n");
    for (const struct command *command = commands; command->name != NULL; command++) {
        fprintf(out, "    weft %-10s %s\n", command->name, command->summary);
    }
    fprintf(out, "\n    weft COMMAND --help, or weft help COMMAND, shows what a command takes\n"
                 "    weft --version shows versions\n\nConfigurations: ");
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s, ", names[i]);
    }
    fprintf(out, "or a JSON file.\n\"-\" as a file is standard input or standard output.\n");
}

void help_print_version(FILE *out) {
    fprintf(out, "weft %s%s%s%s\n", weft_version, weft_version_git[0] == '\0' ? "" : " (",
            weft_version_git, weft_version_git[0] == '\0' ? "" : ")");
    fprintf(out, ".weft files: version %u\ninstruction set: %016" PRIx64 "\n",
            (unsigned)WEFT_CONTAINER_VERSION, WEFT_ISA_HASH);
}
