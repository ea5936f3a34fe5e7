/* Options, messages, and opening models. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"

int report(const char *file, const struct weft_error *error) {
    if (file == NULL) {
        fprintf(stderr, "weft: %s\n", error->message);
    } else {
        fprintf(stderr, "weft: %s: %s\n", file, error->message);
    }
    return STATUS_ERROR;
}

int usage_error(const char *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "weft: %s: ", command);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "; try weft --help\n");
    va_end(arguments);
    return STATUS_ERROR;
}

static const struct option_spec *find_option(const char *word, const struct option_spec *specs,
                                             size_t spec_count) {
    for (size_t i = 0; i < spec_count; i++) {
        bool long_form = strncmp(word, "--", 2) == 0 && strcmp(word + 2, specs[i].name) == 0;
        bool short_form =
            word[0] == '-' && specs[i].letter != 0 && word[1] == specs[i].letter && word[2] == '\0';
        if (long_form || short_form) {
            return &specs[i];
        }
    }
    return NULL;
}

static bool take_value(const char *command, const struct option_spec *spec, const char *value) {
    if (spec->list == NULL) {
        *spec->value = value;
        return true;
    }
    if (*spec->count == spec->most) {
        usage_error(command, "--%s is given more than %zu times", spec->name, spec->most);
        return false;
    }
    spec->list[(*spec->count)++] = value;
    return true;
}

bool read_options(int argc, char **argv, const struct option_spec *specs, size_t spec_count,
                  const char **words, size_t *word_count, size_t most_words) {
    *word_count = 0;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-' || argv[i][1] == '\0') {
            if (*word_count == most_words) {
                usage_error(argv[0], "unexpected argument '%s'", argv[i]);
                return false;
            }
            words[(*word_count)++] = argv[i];
            continue;
        }
        const struct option_spec *spec = find_option(argv[i], specs, spec_count);
        if (spec == NULL) {
            usage_error(argv[0], "unknown option '%s'", argv[i]);
            return false;
        }
        if (!spec->is_flag && i + 1 == argc) {
            usage_error(argv[0], "option '%s' needs a value", argv[i]);
            return false;
        }
        if (!take_value(argv[0], spec, spec->is_flag ? "yes" : argv[++i])) {
            return false;
        }
    }
    return true;
}

bool read_number(const char *text, uint64_t most, uint64_t *number) {
    uint64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (value > most / 10 || digit > most - value * 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    if (at == text || *at != '\0') {
        return false;
    }
    *number = value;
    return true;
}

bool read_memory_limit(const char *command, const char *text, uint64_t *bytes) {
    static const char suffixes[] = "KMG";
    char digits[32];
    *bytes = 0;
    if (text == NULL) {
        return true;
    }
    size_t length = strlen(text);
    const char *suffix = length == 0 ? NULL : strchr(suffixes, text[length - 1]);
    unsigned shift = suffix == NULL ? 0 : 10 * (unsigned)(suffix - suffixes + 1);
    (void)snprintf(digits, sizeof digits, "%.*s", (int)(length - (suffix != NULL)), text);
    if (length >= sizeof digits || !read_number(digits, (UINT64_C(1) << 50) >> shift, bytes) ||
        *bytes == 0) {
        usage_error(command, "--memory-limit '%s': expected bytes, as 2000000, 512M or 4G", text);
        return false;
    }
    *bytes <<= shift;
    return true;
}

void file_stem(const char *path, char *stem, size_t size) {
    const char *slash = strrchr(path, '/');
    (void)snprintf(stem, size, "%s", slash == NULL ? path : slash + 1);
    char *dot = strrchr(stem, '.');
    if (dot != NULL && dot != stem) {
        *dot = '\0';
    }
}

static bool find_config(const char *name, struct weft_config *config, struct weft_error *error) {
    return weft_config_find(name, config, error) ||
           weft_fail_context(error, "configuration %s", name);
}

/* A compiled program runs on the configuration it was compiled for. */
static bool check_config(const struct weft_module *module, const char *name,
                         struct weft_error *error) {
    struct weft_config config;
    return find_config(name, &config, error) &&
           (weft_config_fingerprint(&config) == weft_config_fingerprint(&module->config) ||
            weft_fail(error, WEFT_FINGERPRINT, 0, "compiled for configuration %s, not for %s",
                      module->config.name, name));
}

/* What was asked of the compiler must not be asked of what is compiled already. */
static bool check_compiled(const struct weft_module *module,
                           const struct weft_compile_options *options, const char *config_name,
                           struct weft_error *error) {
    if (options->host_only && module->segment_count > 0) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "a compiled program runs on the machine; give the model");
    }
    return config_name == NULL || check_config(module, config_name, error);
}

/* A limit that is a plain number, and not 0. */
static bool read_limit(const char *command, const char *option, const char *text,
                       uint64_t *number) {
    *number = 0;
    if (text != NULL && (!read_number(text, UINT64_MAX, number) || *number == 0)) {
        usage_error(command, "--%s '%s': expected a number above 0", option, text);
        return false;
    }
    return true;
}

bool read_limits(const char *command, struct open_options *given) {
    return read_memory_limit(command, given->memory_limit, &given->limits.bytes) &&
           read_limit(command, "cycle-limit", given->cycle_limit, &given->limits.cycles) &&
           read_limit(command, "host-limit", given->host_limit, &given->limits.host_steps);
}

static bool make_module(const char *path, const struct open_options *given,
                        struct weft_compile_options options, const uint8_t *bytes, size_t length,
                        struct weft_module **module, struct weft_error *error) {
    struct weft_config config;
    if (weft_is_module(bytes, length)) {
        if (options.keep_tensors) {
            return weft_fail(error, WEFT_ARGUMENT, 0,
                             "a compiled program has no tensors left; give the model");
        }
        if (!weft_module_read(bytes, length, &given->limits, module, error)) {
            return false;
        }
        if (!check_compiled(*module, &options, given->config, error)) {
            weft_module_free(*module);
            return false;
        }
        return true;
    }
    if (given->cycle_limit != NULL || given->host_limit != NULL) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "--cycle-limit and --host-limit are for .weft files; a model is compiled "
                         "as it is");
    }
    char stem[128];
    file_stem(path, stem, sizeof stem);
    options.model_name = stem;
    options.bytes = given->limits.bytes;
    const char *name = given->config == NULL ? "ref16" : given->config;
    return find_config(name, &config, error) &&
           weft_compile(bytes, length, &config, &options, module, error);
}

struct weft_module *open_model(const char *path, const struct open_options *given,
                               struct weft_compile_options options, uint8_t **bytes) {
    struct weft_error error;
    struct weft_module *module = NULL;
    size_t length = 0;
    if (!weft_file_read(path, bytes, &length, &error)) {
        report(path, &error);
        return NULL;
    }
    if (!make_module(path, given, options, *bytes, length, &module, &error)) {
        report(path, &error);
        free(*bytes);
        return NULL;
    }
    return module;
}

struct weft_module *open_module(const char *path, const struct open_options *given,
                                uint8_t **bytes) {
    return open_model(path, given, (struct weft_compile_options){.keep_tensors = false}, bytes);
}
