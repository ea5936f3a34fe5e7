#include "base/json.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

bool weft_json_malformed(const struct weft_json *in, const char *expected) {
    return weft_fail(in->error, in->code, in->line, "line %" PRIu64 ": expected %s", in->line,
                     expected);
}

char weft_json_peek(struct weft_json *in) {
    while (in->at < in->end && *in->at != '\0' && strchr(" \t\r\n", *in->at) != NULL) {
        in->line += *in->at++ == '\n';
    }
    return in->at < in->end ? *in->at : '\0';
}

bool weft_json_take(struct weft_json *in, char byte) {
    bool is_there = weft_json_peek(in) == byte;
    in->at += is_there && byte != '\0';
    return is_there;
}

/* ---- strings ---- */

static int hex_digit(char digit) {
    static const char digits[] = "0123456789abcdef";
    const char *found = digit == '\0' ? NULL : strchr(digits, tolower((unsigned char)digit));
    return found == NULL ? -1 : (int)(found - digits);
}

/* What follows a backslash. */
static bool take_escape(struct weft_json *in, char *byte) {
    *byte = in->at < in->end ? *in->at++ : '\0';
    if (*byte == '"' || *byte == '\\' || *byte == '/') {
        return true;
    }
    if (*byte != 'u' || in->end - in->at < 4 || in->at[0] != '0' || in->at[1] != '0') {
        return false;
    }
    int high = hex_digit(in->at[2]);
    int low = hex_digit(in->at[3]);
    in->at += 4;
    *byte = (char)(unsigned char)(high * 16 + low);
    return high >= 0 && low >= 0 && *byte != '\0';
}

bool weft_json_take_string(struct weft_json *in, char *text, size_t size) {
    size_t length = 0;
    if (!weft_json_take(in, '"')) {
        return weft_json_malformed(in, "a string");
    }
    while (in->at < in->end && *in->at != '"') {
        char byte = *in->at++;
        if (iscntrl((unsigned char)byte) || (byte == '\\' && !take_escape(in, &byte))) {
            return weft_json_malformed(
                in, "a string without control characters, and escapes \\\", \\\\, \\/ and \\u00XX");
        }
        if (length + 1 < size) {
            text[length++] = byte;
        }
    }
    if (size > 0) {
        text[length] = '\0';
    }
    return weft_json_take(in, '"') || weft_json_malformed(in, "the end of a string");
}

size_t weft_json_string_room(const struct weft_json *in) {
    struct weft_json rest = *in;
    (void)weft_json_take(&rest, '"');
    const char *start = rest.at;
    while (rest.at < rest.end && *rest.at != '"') {
        rest.at += *rest.at == '\\' && rest.end - rest.at > 1 ? 2 : 1;
    }
    return (size_t)(rest.at - start);
}

void weft_json_add_string(struct weft_text *out, const char *string) {
    weft_text_add_bytes(out, "\"", 1);
    for (const char *at = string; *at != '\0'; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte < 0x20 || byte > 0x7e) {
            weft_text_add(out, "\\u%04x", byte);
        } else {
            if (byte == '"' || byte == '\\') {
                weft_text_add_bytes(out, "\\", 1);
            }
            weft_text_add_bytes(out, at, 1);
        }
    }
    weft_text_add_bytes(out, "\"", 1);
}

/* ---- numbers ---- */

bool weft_json_take_integer(struct weft_json *in, int64_t *number) {
    bool negative = weft_json_take(in, '-');
    const char *start = in->at;
    int64_t value = 0;
    for (; in->at < in->end && isdigit((unsigned char)*in->at); in->at++) {
        int64_t digit = *in->at - '0';
        value = value > (INT64_MAX - digit) / 10 ? INT64_MAX : value * 10 + digit;
    }
    bool fraction = in->at < in->end && *in->at != '\0' && strchr(".eE", *in->at) != NULL;
    bool zeros = in->at > start + 1 && *start == '0';
    *number = negative ? -value : value;
    return in->at > start && !fraction && !zeros;
}

bool weft_json_take_boolean(struct weft_json *in, bool *value) {
    static const char *const words[2] = {"false", "true"};
    (void)weft_json_peek(in);
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(in->end - in->at) >= length && memcmp(in->at, words[i], length) == 0) {
            in->at += length;
            *value = i != 0;
            return true;
        }
    }
    return false;
}

bool weft_json_finish(struct weft_json *in) {
    (void)weft_json_peek(in);
    return in->at == in->end || weft_json_malformed(in, "the end of the file");
}
