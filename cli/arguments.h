/* What a command takes, as tables, and what it was given. */
#ifndef WEFT_CLI_ARGUMENTS_H
#define WEFT_CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

enum {
    MOST_TENSORS = 64, /* inputs or outputs of a model */
    MOST_OPTIONS = 40, /* of a command */
    MOST_PLUGINS = 16,
    MOST_VALUES = 320, /* of all options of a command */
    MOST_EXAMPLES = 4,
};

/* What the value of an option, or the operand of a command, is. */
enum value_kind {
    VALUE_FLAG, /* there is none */
    VALUE_TEXT,
    VALUE_NUMBER,
    VALUE_BYTES,
    /* The name of what is built in, or a JSON file. */
    VALUE_CONFIG,
    VALUE_TECHNOLOGY,
    VALUE_AREA,
    VALUE_TARGET,
    VALUE_SERVED_TARGET,
    VALUE_KERNELS,
    VALUE_CPU,
    VALUE_ACCELERATOR, /* a target that can be behind registers */
    VALUE_PASS,
    VALUE_CALIBRATION, /* how ranges are chosen */
    VALUE_WEIGHTS,     /* a type of weights */
    VALUE_LAYOUT,
    VALUE_OBJECTIVE, /* what a guided sweep makes small */
    /* Files that are read or written; "-": standard input or output. */
    VALUE_FILE_IN,
    VALUE_PLAIN_FILE_IN, /* "-" is not possible */
    VALUE_SAMPLES_IN,    /* the same, or a folder of arrays and pictures */
    VALUE_TENSOR_IN,     /* an array or a picture */
    VALUE_REGION_IN,     /* NAME=FILE, or NAME=@BYTES without a file */
    VALUE_FILE_OUT,
    VALUE_MEMORY_OUT,     /* NAME=FILE */
    VALUE_PLAIN_FILE_OUT, /* "-" is not possible */
    VALUE_FOLDER_OUT,     /* of files NUMBER.npy */
};

struct option {
    const char *name;  /* without dashes */
    const char *value; /* what it is called; NULL of a flag */
    const char *help;
    size_t most; /* how often it can be given */
    enum value_kind kind;
    char letter; /* one-letter form, or 0 */
};

enum option_id {
#define WEFT_OPTION(id, name, letter, value, kind, most, help) OPTION_##id,
#include "cli/options.def"
#undef WEFT_OPTION
    OPTIONS
};
extern const struct option option_list[OPTIONS];

struct given;

/* A subcommand; returns its exit status. */
typedef int command_run_function(const struct given *given);

struct command {
    const char *name;
    command_run_function *run;
    const char *operand; /* its name, in [] where it can be left out, and what it is; NULL: the
                            command takes none */
    const char *operand_help;
    const char
        *second; /* the same of a second operand, which may be left out; NULL: there is none */
    const char *second_help;
    const char *summary;     /* what it does, after its name */
    const char *description; /* sentences */
    const char *needs;       /* said when the operand, or an option that must be there, is not */
    enum option_id options[MOST_OPTIONS];    /* ended by HELP, which every command takes */
    const char *examples[MOST_EXAMPLES + 1]; /* ended by NULL */
    const char *more_status;                 /* exit status beside 0 and 2, or NULL */
};

/* What was given on a command line. */
struct given {
    const struct command *command;
    const char *operand, *second;
    size_t counts[OPTIONS];
    size_t first[OPTIONS];
    const char *values[MOST_VALUES];
};

/* Reads argv[1..] as the command takes it. False after a message. With --help the rest is not
 * looked at. */
bool arguments_read(int argc, char **argv, const struct command *command, struct given *given);

size_t given_count(const struct given *given, enum option_id option);

/* The value of an option that is given at most once; NULL: it is not. A flag: any text. */
const char *given_value(const struct given *given, enum option_id option);

/* The file that a value names, as it stands or behind "NAME="; NULL: it names none. Whether it is
 * of a kind that names files is for the caller to know. */
const char *value_file(enum value_kind kind, const char *value);

/* Values in order, of an option that can be repeated. */
const char *const *given_values(const struct given *given, enum option_id option);

#endif
