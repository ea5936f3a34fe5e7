#include "cli/arguments.h"

#include <string.h>

#include "cli/options.h"

const struct option option_list[OPTIONS] = {
#define WEFT_OPTION(id, name, letter, value, kind, most, help)                                     \
    [OPTION_##id] = {name, value, help, most, VALUE_##kind, letter},
#include "cli/options.def"
#undef WEFT_OPTION
};

bool arguments_read(int argc, char **argv, const struct command *command, struct given *given) {
    struct option_spec specs[MOST_OPTIONS + 1];
    const char *words[2];
    size_t word_count = 0;
    size_t spec_count = 0;
    size_t values = 0;
    enum option_id id = OPTION_HELP;
    *given = (struct given){.command = command};
    do {
        const struct option *option = &option_list[id];
        given->first[id] = values;
        specs[spec_count] = (struct option_spec){.name = option->name,
                                                 .letter = option->letter,
                                                 .is_flag = option->kind == VALUE_FLAG,
                                                 .list = given->values + values,
                                                 .count = &given->counts[id],
                                                 .most = option->most};
        values += option->most;
        id = command->options[spec_count++];
    } while (id != OPTION_HELP);
    if (!read_options(command->name, argc, argv, specs, spec_count, words, &word_count,
                      (size_t)(command->operand != NULL) + (command->second != NULL))) {
        return false;
    }
    if (command->operand != NULL && command->operand[0] != '[' && word_count == 0 &&
        given_count(given, OPTION_HELP) == 0) {
        usage_error(command->name, "give %s", command->needs);
        return false;
    }
    given->operand = word_count == 0 ? NULL : words[0];
    given->second = word_count < 2 ? NULL : words[1];
    return true;
}

size_t given_count(const struct given *given, enum option_id option) {
    return given->counts[option];
}

const char *given_value(const struct given *given, enum option_id option) {
    return given->counts[option] == 0 ? NULL : given->values[given->first[option]];
}

const char *const *given_values(const struct given *given, enum option_id option) {
    return given->values + given->first[option];
}

const char *value_file(enum value_kind kind, const char *value) {
    if (kind != VALUE_REGION_IN && kind != VALUE_MEMORY_OUT) {
        return value;
    }
    const char *sign = strchr(value, '=');
    bool is_size = kind == VALUE_REGION_IN && sign != NULL && sign[1] == '@';
    return sign == NULL || is_size ? NULL : sign + 1;
}
