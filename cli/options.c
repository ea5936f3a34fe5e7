#include "cli/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/hint.h"

int usage_error(const char *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "weft: %s: ", command);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "; try weft %s --help\n", command);
    va_end(arguments);
    return STATUS_ERROR;
}

/* An option on the command line. */
struct word {
    const char *name; /* behind the dashes, `length` bytes */
    size_t length;
    bool is_long;
    const char *value; /* behind '=', or NULL */
};

static struct word word_of(const char *text) {
    bool is_long = strncmp(text, "--", 2) == 0;
    const char *name = text + (is_long ? 2 : 1);
    const char *equals = is_long ? strchr(name, '=') : NULL;
    return (struct word){name, equals == NULL ? strlen(name) : (size_t)(equals - name), is_long,
                         equals == NULL ? NULL : equals + 1};
}

struct reader {
    const char *command; /* for messages */
    int argc;
    char **argv;
    const struct option_spec *specs;
    size_t spec_count; /* at most 64 */
    uint64_t seen;     /* a bit for each that was given */
};

/* Its index; spec_count: there is none. */
static size_t find_option(const struct reader *in, const struct word *word) {
    for (size_t i = 0; i < in->spec_count; i++) {
        const struct option_spec *spec = &in->specs[i];
        bool is_named =
            strlen(spec->name) == word->length && memcmp(word->name, spec->name, word->length) == 0;
        bool is_lettered = spec->letter != 0 && word->length == 1 && word->name[0] == spec->letter;
        if (word->is_long ? is_named : is_lettered) {
            return i;
        }
    }
    return in->spec_count;
}

static bool unknown_option(const struct reader *in, const struct word *word) {
    char name[64];
    char text[HINT_BYTES];
    int shown = (int)(word->length < sizeof name ? word->length : sizeof name - 1);
    (void)snprintf(name, sizeof name, "%.*s", shown, word->name);
    struct hint hint = hint_of(name);
    for (size_t i = 0; i < in->spec_count; i++) {
        hint_consider(&hint, in->specs[i].name);
    }
    usage_error(in->command, "unknown option '%s%s'%s", word->is_long ? "--" : "-", name,
                hint_text(&hint, "--", text));
    return false;
}

static bool given_too_often(const struct reader *in, const struct option_spec *spec, size_t most) {
    if (most == 1) {
        usage_error(in->command, "--%s is given twice", spec->name);
    } else {
        usage_error(in->command, "--%s is given more than %zu times", spec->name, most);
    }
    return false;
}

static bool take_value(struct reader *in, size_t index, const char *value) {
    const struct option_spec *spec = &in->specs[index];
    bool seen = (in->seen >> index & 1) != 0;
    in->seen |= UINT64_C(1) << index;
    if (spec->list == NULL) {
        *spec->value = value;
        return !seen || given_too_often(in, spec, 1);
    }
    if (*spec->count == spec->most) {
        return given_too_often(in, spec, spec->most);
    }
    spec->list[(*spec->count)++] = value;
    return true;
}

/* Reads the option argv[at], and its value, which may be the next word; how many words that were,
 * 0 after a message. */
static int read_option(struct reader *in, int at) {
    const char *text = in->argv[at];
    const struct word word = word_of(text);
    size_t index = find_option(in, &word);
    if (index == in->spec_count) {
        return unknown_option(in, &word);
    }
    if (in->specs[index].is_flag) {
        if (word.value != NULL) {
            usage_error(in->command, "option '--%s' takes no value", in->specs[index].name);
            return 0;
        }
        return take_value(in, index, "yes");
    }
    if (word.value != NULL) {
        return take_value(in, index, word.value);
    }
    if (at + 1 == in->argc) {
        usage_error(in->command, "option '%s' needs a value", text);
        return 0;
    }
    return take_value(in, index, in->argv[at + 1]) ? 2 : 0;
}

bool read_options(const char *command, int argc, char **argv, const struct option_spec *specs,
                  size_t spec_count, const char **words, size_t *word_count, size_t most_words) {
    struct reader in = {command, argc, argv, specs, spec_count, 0};
    bool ended = false; /* by "--" */
    *word_count = 0;
    for (int i = 1; i < argc;) {
        if (!ended && strcmp(argv[i], "--") == 0) {
            ended = true;
            i++;
        } else if (ended || argv[i][0] != '-' || argv[i][1] == '\0') {
            if (*word_count == most_words) {
                usage_error(command, "unexpected argument '%s'", argv[i]);
                return false;
            }
            words[(*word_count)++] = argv[i++];
        } else {
            int taken = read_option(&in, i);
            if (taken == 0) {
                return false;
            }
            i += taken;
        }
    }
    return true;
}

bool read_number(const char *text, uint64_t most, uint64_t *number) {
    return weft_read_number(text, most, number);
}

bool read_bytes(const char *text, uint64_t *bytes) {
    static const char suffixes[] = "KMG";
    char digits[32];
    uint64_t number = 0;
    size_t length = strlen(text);
    const char *suffix = length == 0 ? NULL : strchr(suffixes, text[length - 1]);
    unsigned shift = suffix == NULL ? 0 : 10 * (unsigned)(suffix - suffixes + 1);
    (void)snprintf(digits, sizeof digits, "%.*s", (int)(length - (suffix != NULL)), text);
    if (length >= sizeof digits || !read_number(digits, (UINT64_C(1) << 50) >> shift, &number) ||
        number == 0) {
        return false;
    }
    *bytes = number << shift;
    return true;
}

bool read_memory_limit(const char *command, const char *text, uint64_t *bytes) {
    *bytes = 0;
    if (text != NULL && !read_bytes(text, bytes)) {
        usage_error(command, "--memory-limit '%s': expected bytes, as 2000000, 512M or 4G", text);
        return false;
    }
    return true;
}
