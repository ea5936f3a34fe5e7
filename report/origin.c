#include "report/origin.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/version.h"
#include "report/json.h"

static json_t *command_json(const struct origin *origin) {
    json_t *words = json_array();
    for (int i = 0; i < origin->word_count; i++) {
        json_array_append_new(words, text_json(origin->words[i]));
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

static void add_override(json_t *overrides, const char *name, uint64_t number) {
    if (number > INT64_MAX) {
        char text[32];
        (void)snprintf(text, sizeof text, "%" PRIu64, number);
        json_object_set_new(overrides, name, json_string(text));
    } else if (number > 0) {
        json_object_set_new(overrides, name, json_integer((json_int_t)number));
    }
}

/* NAME@MHZ, as it is given. */
static void add_dram(json_t *overrides, const struct weft_memory_settings *memory) {
    char text[64];
    if (memory->dram != WEFT_DRAM_NONE) {
        (void)snprintf(text, sizeof text, "%s@%.10g", weft_dram_names[memory->dram],
                       memory->clock / 1e3);
        json_object_set_new(overrides, "dram", json_string(text));
    }
}

static json_t *overrides_json(const struct weft_session_options *options) {
    json_t *overrides = json_object();
    add_override(overrides, "memory_latency", options->memory.latency);
    add_override(overrides, "memory_interval", options->memory.interval);
    add_dram(overrides, &options->memory);
    add_override(overrides, "watchdog", options->watchdog);
    return overrides;
}

void add_origin_json(json_t *object, const struct weft_module *module,
                     const struct origin *origin) {
    const struct weft_config *config = &module->config;
    json_object_set_new(object, "version", json_string(weft_version));
    json_object_set_new(object, "command", command_json(origin));
    json_object_set_new(object, "model", text_json(module->model_name));
    json_object_set_new(object, "model_fingerprint", fingerprint_json(module->fingerprint));
    json_object_set_new(object, "config", json_string(config->name));
    json_object_set_new(object, "config_fingerprint",
                        fingerprint_json(weft_config_fingerprint(config)));
    json_object_set_new(object, "parameters", parameters_json(config));
    json_object_set_new(object, "overrides", overrides_json(origin->options));
}
