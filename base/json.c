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

enum {
    MOST_ESCAPED = 4 /* bytes that an escape stands for */
};

static int hex_digit(char digit) {
    static const char digits[] = "0123456789abcdef";
    const char *found = digit == '\0' ? NULL : strchr(digits, tolower((unsigned char)digit));
    return found == NULL ? -1 : (int)(found - digits);
}

/* Four digits of base 16; -1: there are none. */
static int32_t take_hex(struct weft_json *in) {
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        int digit = in->at < in->end ? hex_digit(*in->at) : -1;
        if (digit < 0) {
            return -1;
        }
        value = value * 16 + digit;
        in->at++;
    }
    return value;
}

/* What follows \u: a character of two halves is \uD8XX\uDCXX. -1: it is none. */
static int32_t take_character(struct weft_json *in) {
    int32_t first = take_hex(in);
    if (first < 0xd800 || first > 0xdfff) {
        return first;
    }
    bool has_second =
        first < 0xdc00 && in->end - in->at > 2 && in->at[0] == '\\' && in->at[1] == 'u';
    in->at += has_second ? 2 : 0;
    int32_t second = has_second ? take_hex(in) : -1;
    return second < 0xdc00 || second > 0xdfff
               ? -1
               : 0x10000 + (first - 0xd800) * 0x400 + (second - 0xdc00);
}

/* A character as UTF-8, but one below 256 as one byte: names that are not UTF-8 are written as such
 * (weft_json_add_string()). Returns how many bytes it has. */
static size_t encode(int32_t character, char bytes[MOST_ESCAPED]) {
    size_t count = character < 0x100 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    if (count == 1) {
        bytes[0] = (char)(unsigned char)character;
        return 1;
    }
    for (size_t i = count - 1; i > 0; i--) {
        bytes[i] = (char)(unsigned char)(0x80 | (character & 0x3f));
        character >>= 6;
    }
    bytes[0] = (char)(unsigned char)((0xf00 >> count & 0xff) | character);
    return count;
}

/* What follows a backslash, as bytes; returns how many, 0: it is none of the escapes. */
static size_t take_escape(struct weft_json *in, char bytes[MOST_ESCAPED]) {
    static const char short_ones[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    char byte = in->at < in->end ? *in->at++ : '\0';
    const char *found = byte == '\0' ? NULL : strchr(short_ones, byte);
    if (found != NULL) {
        bytes[0] = meant[found - short_ones];
        return 1;
    }
    int32_t character = byte == 'u' ? take_character(in) : -1;
    return character <= 0 ? 0 : encode(character, bytes);
}

bool weft_json_take_string(struct weft_json *in, char *text, size_t size) {
    size_t length = 0;
    if (!weft_json_take(in, '"')) {
        return weft_json_malformed(in, "a string");
    }
    while (in->at < in->end && *in->at != '"') {
        char bytes[MOST_ESCAPED] = {*in->at++};
        size_t count = iscntrl((unsigned char)bytes[0]) ? 0
                       : bytes[0] == '\\'               ? take_escape(in, bytes)
                                                        : 1;
        if (count == 0) {
            return weft_json_malformed(
                in, "a string without control characters, and the escapes of JSON");
        }
        for (size_t i = 0; i < count && length + 1 < size; i++) {
            text[length++] = bytes[i];
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
