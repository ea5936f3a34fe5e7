#include "cli/origin.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/version.h"
#include "cli/cli.h"
#include "cli/json_file.h"

static struct {
    int count;
    char *const *words;
} command_line;

void note_command_line(int argc, char *const *argv) {
    command_line.count = argc;
    command_line.words = argv;
}

static json_t *command_json(void) {
    json_t *words = json_array();
    for (int i = 0; i < command_line.count; i++) {
        json_array_append_new(words, text_json(command_line.words[i]));
    }
    return words;
}

/* 64 bits are more than every reader of JSON keeps of a number. */
static json_t *fingerprint_json(uint64_t fingerprint) {
    char text[32];
    (void)snprintf(text, sizeof text, "%016" PRIx64, fingerprint);
    return json_string(text);
}

static json_t *parameters_json(const struct weft_config *config) {
    json_t *parameters = json_object();
    for (size_t i = 0; i < WEFT_PARAMETERS; i++) {
        const struct weft_parameter *parameter = &weft_parameter_list[i];
        json_object_set_new(parameters, parameter->name,
                            json_integer((json_int_t)weft_parameter_get(config, parameter)));
    }
    return parameters;
}

/* What was given instead of what the configuration says. It was read before: it is a number. */
static void add_override(json_t *overrides, const char *name, const char *text) {
    uint64_t number = 0;
    if (text != NULL) {
        bool fits = read_number(text, INT64_MAX, &number);
        json_object_set_new(overrides, name,
                            fits ? json_integer((json_int_t)number) : text_json(text));
    }
}

static json_t *overrides_json(const struct machine_options *machine) {
    json_t *overrides = json_object();
    add_override(overrides, "memory_latency", machine->latency);
    add_override(overrides, "memory_interval", machine->interval);
    add_override(overrides, "watchdog", machine->watchdog);
    return overrides;
}

void add_origin_json(json_t *object, const struct weft_module *module,
                     const struct origin *origin) {
    const struct weft_config *config = &module->config;
    json_object_set_new(object, "version", json_string(weft_version));
    json_object_set_new(object, "command", command_json());
    json_object_set_new(object, "model", text_json(module->model_name));
    json_object_set_new(object, "model_fingerprint", fingerprint_json(module->fingerprint));
    json_object_set_new(object, "config", json_string(config->name));
    json_object_set_new(object, "config_fingerprint",
                        fingerprint_json(weft_config_fingerprint(config)));
    json_object_set_new(object, "parameters", parameters_json(config));
    json_object_set_new(object, "overrides", overrides_json(origin->machine));
}
