/* Reading command lines: "--name VALUE", "--name=VALUE", "-o VALUE", or a flag; "--" ends them. */
#ifndef WEFT_CLI_OPTIONS_H
#define WEFT_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit status: everything that was asked for happened, or something did not. */
enum {
    STATUS_GOOD = 0,
    STATUS_ERROR = 2
};

/* Prints a wrong use of the command line and returns STATUS_ERROR. */
int usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct option_spec {
    const char *name; /* without dashes */
    char letter;      /* one-letter form, or 0 */
    bool is_flag;
    const char **value; /* of an option that is given at most once; a flag: any text */
    /* Options that can be repeated: values in order. */
    const char **list;
    size_t *count;
    size_t most;
};

/* Reads argv[1..]; words that are no options go to `words`. False after a message, which begins
 * with the command. */
bool read_options(const char *command, int argc, char **argv, const struct option_spec *specs,
                  size_t spec_count, const char **words, size_t *word_count, size_t most_words);

/* Reads a number that is nothing but decimal digits, at most `most`. */
bool read_number(const char *text, uint64_t most, uint64_t *number);

/* Reads bytes, more than 0, or with K, M or G of 1024 bytes and so on. */
bool read_bytes(const char *text, uint64_t *bytes);

/* Reads --memory-limit, as read_bytes(); NULL: 0, which stands for the default. False after a
 * message. */
bool read_memory_limit(const char *command, const char *text, uint64_t *bytes);

#endif
