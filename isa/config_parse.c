/* Configurations as JSON text: one object of a name and integers. */
#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/json.h"
#include "isa/config_parse.h"

enum {
    KEY_BYTES = 64,   /* of a key, or of the name, that are kept */
    MOST_DIGITS = 40, /* of a number that are shown */
};

struct reader {
    struct weft_json json;
    struct weft_config *config;
    bool has_name;
    bool has[WEFT_PARAMETERS];
    char unknown[KEY_BYTES]; /* the first key that is no parameter */
    bool has_unknown;
};

static bool wrong_name(const struct reader *in) {
    return weft_fail(in->json.error, WEFT_CONFIG, 0,
                     "\"name\" must be 1 to %zu letters, digits, '_' or '-'",
                     sizeof in->config->name - 1);
}

static bool take_name(struct reader *in) {
    char name[KEY_BYTES] = "";
    if (weft_json_peek(&in->json) == '"' && !weft_json_take_string(&in->json, name, sizeof name)) {
        return false;
    }
    size_t length = strlen(name);
    bool good = length > 0 && length < sizeof in->config->name;
    for (size_t i = 0; good && i < length; i++) {
        good = isalnum((unsigned char)name[i]) || name[i] == '_' || name[i] == '-';
    }
    if (!good) {
        return wrong_name(in);
    }
    memcpy(in->config->name, name, length + 1);
    return true;
}

static bool take_parameter(struct reader *in, const struct weft_parameter *parameter) {
    int64_t number = 0;
    if (memchr("}],:", weft_json_peek(&in->json), 5) != NULL) {
        return weft_json_malformed(&in->json, "a value");
    }
    const char *written = in->json.at; /* as it stands there, since it may be more than fits */
    if (!weft_json_take_integer(&in->json, &number)) {
        return weft_fail(in->json.error, WEFT_CONFIG, 0, "\"%s\" is not an integer",
                         parameter->name);
    }
    if (number < (int64_t)parameter->low || number > (int64_t)parameter->high) {
        ptrdiff_t length = in->json.at - written;
        return weft_fail(in->json.error, WEFT_CONFIG, 0,
                         "\"%s\" is %.*s%s, expected %" PRIu32 " to %" PRIu32, parameter->name,
                         length > MOST_DIGITS ? MOST_DIGITS : (int)length, written,
                         length > MOST_DIGITS ? "..." : "", parameter->low, parameter->high);
    }
    uint32_t stored = (uint32_t)number;
    memcpy((char *)in->config + parameter->offset, &stored, sizeof stored);
    return true;
}

static bool no_parameter(const struct reader *in, const char *key) {
    return weft_fail(in->json.error, WEFT_CONFIG, 0, "there is no parameter \"%.60s\"", key);
}

/* Parameters that are missing come first: one is perhaps written wrong. */
static bool take_unknown(struct reader *in, const char *key) {
    char text[KEY_BYTES];
    int64_t number = 0;
    if (!in->has_unknown) {
        in->has_unknown = true;
        memcpy(in->unknown, key, sizeof in->unknown);
    }
    if (!weft_json_take(&in->json, ':')) {
        return weft_json_malformed(&in->json, "':'");
    }
    return weft_json_peek(&in->json) == '"'
               ? weft_json_take_string(&in->json, text, sizeof text)
               : weft_json_take_integer(&in->json, &number) || no_parameter(in, key);
}

static bool take_entry(struct reader *in) {
    char key[KEY_BYTES];
    if (!weft_json_take_string(&in->json, key, sizeof key)) {
        return false;
    }
    bool is_name = strcmp(key, "name") == 0;
    size_t index = 0;
    while (!is_name && index < WEFT_PARAMETERS &&
           strcmp(key, weft_parameter_list[index].name) != 0) {
        index++;
    }
    if (!is_name && index == WEFT_PARAMETERS) {
        return take_unknown(in, key);
    }
    bool *has = is_name ? &in->has_name : &in->has[index];
    if (*has) {
        return weft_fail(in->json.error, WEFT_CONFIG, in->json.line,
                         "line %" PRIu64 ": a second \"%s\"", in->json.line, key);
    }
    *has = true;
    if (!weft_json_take(&in->json, ':')) {
        return weft_json_malformed(&in->json, "':'");
    }
    return is_name ? take_name(in) : take_parameter(in, &weft_parameter_list[index]);
}

static bool check_complete(const struct reader *in) {
    if (!in->has_name) {
        return wrong_name(in);
    }
    for (size_t i = 0; i < WEFT_PARAMETERS; i++) {
        if (!in->has[i]) {
            return weft_fail(in->json.error, WEFT_CONFIG, 0, "\"%s\" is missing",
                             weft_parameter_list[i].name);
        }
    }
    return !in->has_unknown || no_parameter(in, in->unknown);
}

bool config_parse_json(const char *text, size_t length, struct weft_config *config,
                       struct weft_error *error) {
    struct reader in = {.json = {text, text + length, 1, WEFT_CONFIG, error}, .config = config};
    if (weft_json_peek(&in.json) == '[') {
        return weft_fail(error, WEFT_CONFIG, 0, "expected a JSON object at the top");
    }
    if (!weft_json_take(&in.json, '{')) {
        return weft_json_malformed(&in.json, "'{'");
    }
    bool more = weft_json_peek(&in.json) != '}';
    while (more) {
        if (!take_entry(&in)) {
            return false;
        }
        more = weft_json_take(&in.json, ',');
    }
    if (!weft_json_take(&in.json, '}')) {
        return weft_json_malformed(&in.json, "',' or '}'");
    }
    return weft_json_finish(&in.json) && check_complete(&in);
}
