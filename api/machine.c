#include <stdlib.h>
#include <string.h>

#include "api/objects.h"
#include "base/memory.h"

/* Of models that come without a machine. */
#define DEFAULT_MACHINE "ref16"

bool machine_config(const struct weft_machine *machine, struct weft_config *config,
                    struct weft_error *error) {
    if (machine != NULL) {
        *config = machine->config;
    }
    return machine != NULL || weft_config_find(DEFAULT_MACHINE, config, error);
}

static bool make(const struct weft_config *config, struct weft_machine **machine,
                 struct weft_failure *failure) {
    struct weft_error error;
    struct weft_machine *made = weft_allocate(1, sizeof *made, "a machine", &error);
    if (made == NULL) {
        return failed(failure, &error);
    }
    made->config = *config;
    *machine = made;
    return true;
}

const char *weft_machine_builtin(size_t index) {
    for (size_t i = 0; weft_builtin_configs[i].name != NULL; i++) {
        if (i == index) {
            return weft_builtin_configs[i].name;
        }
    }
    return NULL;
}

bool weft_machine_find(const char *name, struct weft_machine **machine,
                       struct weft_failure *failure) {
    struct weft_error error;
    struct weft_config config;
    return weft_config_find(name, &config, &error) ? make(&config, machine, failure)
                                                   : failed(failure, &error);
}

bool weft_machine_parse(const char *json, size_t length, struct weft_machine **machine,
                        struct weft_failure *failure) {
    struct weft_error error;
    struct weft_config config;
    return weft_config_parse(json, length, &config, &error) &&
                   weft_config_check_name(&config, &error)
               ? make(&config, machine, failure)
               : failed(failure, &error);
}

static const struct weft_parameter *find_parameter(const char *name, struct weft_error *error) {
    for (size_t i = 0; i < WEFT_PARAMETERS; i++) {
        if (strcmp(weft_parameter_list[i].name, name) == 0) {
            return &weft_parameter_list[i];
        }
    }
    (void)weft_fail(error, WEFT_ARGUMENT, 0, "there is no parameter '%.40s'", name);
    return NULL;
}

static bool change(struct weft_config *config, const char *name, uint32_t value,
                   struct weft_error *error) {
    const struct weft_parameter *parameter = find_parameter(name, error);
    if (parameter != NULL) {
        memcpy((uint8_t *)config + parameter->offset, &value, sizeof value);
    }
    return parameter != NULL;
}

/* As the reader of files has it: through the text, so that one place checks names and parameters.
 */
static bool check(const struct weft_config *config, struct weft_error *error) {
    struct weft_config read;
    struct weft_text text = {0};
    bool good = weft_config_print(config, &text, error) &&
                weft_config_parse(text.bytes, text.length, &read, error);
    weft_text_free(&text);
    return good;
}

bool weft_machine_change(const struct weft_machine *machine, const char *name, size_t count,
                         const char *const *names, const uint32_t *values,
                         struct weft_machine **changed, struct weft_failure *failure) {
    struct weft_error error;
    struct weft_config config = machine->config;
    size_t length = strlen(name);
    bool good = length < sizeof config.name ||
                weft_fail(&error, WEFT_CONFIG, 0, "the name '%.40s' is too long", name);
    if (good) {
        memset(config.name, 0, sizeof config.name);
        memcpy(config.name, name, length);
    }
    for (size_t i = 0; good && i < count; i++) {
        good = change(&config, names[i], values[i], &error);
    }
    return good && check(&config, &error) && weft_config_check_name(&config, &error)
               ? make(&config, changed, failure)
               : failed(failure, &error);
}

void weft_machine_free(struct weft_machine *machine) {
    free(machine);
}

const char *weft_machine_name(const struct weft_machine *machine) {
    return machine->config.name;
}

uint64_t weft_machine_fingerprint(const struct weft_machine *machine) {
    return weft_config_fingerprint(&machine->config);
}

const char *weft_machine_parameter_name(size_t index, uint32_t *smallest, uint32_t *largest) {
    if (index >= WEFT_PARAMETERS) {
        return NULL;
    }
    const struct weft_parameter *parameter = &weft_parameter_list[index];
    if (smallest != NULL) {
        *smallest = parameter->low;
    }
    if (largest != NULL) {
        *largest = parameter->high;
    }
    return parameter->name;
}

bool weft_machine_parameter(const struct weft_machine *machine, const char *name, uint32_t *value,
                            struct weft_failure *failure) {
    struct weft_error error;
    const struct weft_parameter *parameter = find_parameter(name, &error);
    if (parameter == NULL) {
        return failed(failure, &error);
    }
    *value = weft_parameter_get(&machine->config, parameter);
    return true;
}

bool weft_machine_json(const struct weft_machine *machine, char **json,
                       struct weft_failure *failure) {
    struct weft_error error;
    struct weft_text text = {0};
    if (!weft_config_print(&machine->config, &text, &error) || !weft_text_finish(&text, &error)) {
        weft_text_free(&text);
        return failed(failure, &error);
    }
    *json = text.bytes;
    return true;
}
