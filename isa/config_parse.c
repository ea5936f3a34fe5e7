/* Configurations as JSON text: one object of a name and integers. Read by hand because jansson's
 * reader runs past the end of its buffer where memory runs out; this one needs none. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "isa/config_parse.h"

enum {
    KEY_BYTES = 64, /* of a key, or of the name, that are kept */
};

/* The text that is left. */
struct reader {
    const char *at;
    const char *end;
    struct weft_config *config;
    bool has_name;
    bool has[WEFT_PARAMETERS];
    char unknown[KEY_BYTES]; /* the first key that is no parameter */
    bool has_unknown;
    uint64_t line;
    struct weft_error *error;
};

static bool malformed(const struct reader *in, const char *expected) {
    return weft_fail(in->error, WEFT_CONFIG, in->line, "line %" PRIu64 ": expected %s", in->line,
                     expected);
}

static void skip_space(struct reader *in) {
    while (in->at < in->end && *in->at != '\0' && strchr(" \t\r\n", *in->at) != NULL) {
        in->line += *in->at++ == '\n';
    }
}

/* The next byte that is no space; 0: there is none. */
static char peek(struct reader *in) {
    skip_space(in);
    return in->at < in->end ? *in->at : '\0';
}

static bool take(struct reader *in, char byte) {
    bool is_there = peek(in) == byte;
    in->at += is_there && byte != '\0';
    return is_there;
}

/* A string of plain characters, of which the first are kept: what it may be needs no escapes. */
static bool take_string(struct reader *in, char text[KEY_BYTES]) {
    size_t length = 0;
    if (!take(in, '"')) {
        return malformed(in, "a string");
    }
    for (; in->at < in->end && *in->at != '"'; in->at++) {
        if (iscntrl((unsigned char)*in->at) || *in->at == '\\') {
            return malformed(in, "a string without control characters and escapes");
        }
        if (length + 1 < KEY_BYTES) {
            text[length++] = *in->at;
        }
    }
    text[length] = '\0';
    return take(in, '"') || malformed(in, "the end of a string");
}

/* A number that is nothing but digits and a sign; where it has more of them than fit, it is
 * INT64_MAX or its negative. */
static bool take_integer(struct reader *in, int64_t *number) {
    bool negative = take(in, '-');
    const char *start = in->at;
    int64_t value = 0;
    for (; in->at < in->end && isdigit((unsigned char)*in->at); in->at++) {
        int64_t digit = *in->at - '0';
        value = value > (INT64_MAX - digit) / 10 ? INT64_MAX : value * 10 + digit;
    }
    bool fraction = in->at < in->end && strchr(".eE", *in->at) != NULL;
    bool zeros = in->at > start + 1 && *start == '0';
    *number = negative ? -value : value;
    return in->at > start && !fraction && !zeros;
}

static bool wrong_name(const struct reader *in) {
    return weft_fail(in->error, WEFT_CONFIG, 0,
                     "\"name\" must be 1 to %zu letters, digits, '_' or '-'",
                     sizeof in->config->name - 1);
}

static bool take_name(struct reader *in) {
    char name[KEY_BYTES] = "";
    if (peek(in) == '"' && !take_string(in, name)) {
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
    if (memchr("}],:", peek(in), 5) != NULL) {
        return malformed(in, "a value");
    }
    if (!take_integer(in, &number)) {
        return weft_fail(in->error, WEFT_CONFIG, 0, "\"%s\" is not an integer", parameter->name);
    }
    if (number < (int64_t)parameter->low || number > (int64_t)parameter->high) {
        return weft_fail(in->error, WEFT_CONFIG, 0,
                         "\"%s\" is %" PRId64 ", expected %" PRIu32 " to %" PRIu32, parameter->name,
                         number, parameter->low, parameter->high);
    }
    uint32_t stored = (uint32_t)number;
    memcpy((char *)in->config + parameter->offset, &stored, sizeof stored);
    return true;
}

static bool no_parameter(const struct reader *in, const char *key) {
    return weft_fail(in->error, WEFT_CONFIG, 0, "there is no parameter \"%.60s\"", key);
}

/* Parameters that are missing come first: one is perhaps written wrong. */
static bool take_unknown(struct reader *in, const char *key) {
    char text[KEY_BYTES];
    int64_t number = 0;
    if (!in->has_unknown) {
        in->has_unknown = true;
        memcpy(in->unknown, key, sizeof in->unknown);
    }
    if (!take(in, ':')) {
        return malformed(in, "':'");
    }
    return peek(in) == '"' ? take_string(in, text)
                           : take_integer(in, &number) || no_parameter(in, key);
}

static bool take_entry(struct reader *in) {
    char key[KEY_BYTES];
    if (!take_string(in, key)) {
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
        return weft_fail(in->error, WEFT_CONFIG, in->line, "line %" PRIu64 ": a second \"%s\"",
                         in->line, key);
    }
    *has = true;
    if (!take(in, ':')) {
        return malformed(in, "':'");
    }
    return is_name ? take_name(in) : take_parameter(in, &weft_parameter_list[index]);
}

static bool check_complete(const struct reader *in) {
    if (!in->has_name) {
        return wrong_name(in);
    }
    for (size_t i = 0; i < WEFT_PARAMETERS; i++) {
        if (!in->has[i]) {
            return weft_fail(in->error, WEFT_CONFIG, 0, "\"%s\" is missing",
                             weft_parameter_list[i].name);
        }
    }
    return !in->has_unknown || no_parameter(in, in->unknown);
}

bool config_parse_json(const char *text, size_t length, struct weft_config *config,
                       struct weft_error *error) {
    struct reader in = {
        .at = text, .end = text + length, .config = config, .line = 1, .error = error};
    if (peek(&in) == '[') {
        return weft_fail(error, WEFT_CONFIG, 0, "expected a JSON object at the top");
    }
    if (!take(&in, '{')) {
        return malformed(&in, "'{'");
    }
    bool more = peek(&in) != '}';
    while (more) {
        if (!take_entry(&in)) {
            return false;
        }
        more = take(&in, ',');
    }
    if (!take(&in, '}')) {
        return malformed(&in, "',' or '}'");
    }
    skip_space(&in);
    return in.at == in.end ? check_complete(&in) : malformed(&in, "the end of the file");
}
