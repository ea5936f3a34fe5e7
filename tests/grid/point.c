#include "tests/grid/point.h"

#include <stdio.h>
#include <string.h>

static const struct weft_parameter *find(const char *name) {
    for (size_t i = 0; i < WEFT_PARAMETERS; i++) {
        if (strcmp(weft_parameter_list[i].name, name) == 0) {
            return &weft_parameter_list[i];
        }
    }
    return NULL;
}

bool grid_set(struct weft_config *config, const char *name, uint32_t value) {
    const struct weft_parameter *parameter = find(name);
    if (parameter != NULL) {
        memcpy((char *)config + parameter->offset, &value, sizeof value);
    }
    return parameter != NULL;
}

uint32_t grid_get(const struct weft_config *config, const char *name) {
    const struct weft_parameter *parameter = find(name);
    return parameter == NULL ? 0 : weft_parameter_get(config, parameter);
}

/* What the reader of configurations says of it. */
static bool is_legal(const struct weft_config *config, struct weft_error *error) {
    struct weft_config again;
    struct weft_text text = {0};
    bool good = weft_config_print(config, &text, error) &&
                weft_config_parse(text.bytes, strlen(text.bytes), &again, error);
    weft_text_free(&text);
    return good;
}

/* Numbers of banks are parameters of configurations, or, before they were, none of these exists. */
static const char *const bank_parameters[] = {"act_banks", "wgt_banks", "acc_banks", "par_banks"};
enum {
    BANKED = sizeof bank_parameters / sizeof bank_parameters[0]
};

/* Tries the numbers of this memory and those behind it, the largest first. */
static bool choose_from(struct weft_config *config, size_t memory, struct weft_error *error) {
    if (memory == BANKED) {
        return is_legal(config, error);
    }
    uint32_t most = grid_get(config, bank_parameters[memory]);
    if (most == 0) {
        return choose_from(config, memory + 1, error);
    }
    for (uint32_t banks = most; banks > 0; banks /= 2) {
        (void)grid_set(config, bank_parameters[memory], banks);
        if (choose_from(config, memory + 1, error)) {
            return true;
        }
    }
    (void)grid_set(config, bank_parameters[memory], most);
    return false;
}

bool grid_choose_banks(struct weft_config *config, struct weft_error *error) {
    return is_legal(config, error) || choose_from(config, 0, error);
}

bool grid_config(uint32_t block, uint32_t act_bytes, uint32_t wgt_bytes, struct weft_config *config,
                 struct weft_error *error) {
    if (!weft_config_find("ref16", config, error)) {
        return false;
    }
    (void)snprintf(config->name, sizeof config->name, "grid");
    config->block = block;
    config->act_bytes = act_bytes;
    config->wgt_bytes = wgt_bytes;
    return grid_choose_banks(config, error);
}
