#include "cli/technology.h"

#include "cli/cli.h"

bool technology_read(const struct given *given, struct weft_technology *technology,
                     bool *is_given) {
    const char *name = given_value(given, OPTION_TECHNOLOGY);
    struct weft_error error;
    *is_given = name != NULL;
    if (name != NULL && !weft_technology_find(name, technology, &error)) {
        report(given->command->name, &error);
        return false;
    }
    return true;
}

bool area_read(const struct given *given, const char *fallback,
               const struct weft_area_model **model) {
    static struct weft_area_model read; /* too large for the stack; a program is one command */
    const char *name = given_value(given, OPTION_AREA);
    struct weft_error error;
    name = name == NULL ? fallback : name;
    *model = name == NULL ? NULL : &read;
    if (name != NULL && !weft_area_find(name, &read, &error)) {
        report(given->command->name, &error);
        return false;
    }
    return true;
}
